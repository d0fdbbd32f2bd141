"""Shared words and macros of navigation clauses, and the clauses as templates.

The writer fills {crossing}, {crossings}, {a}, {ahead}, {is}, {other_is}, {steps}, {again}, {another},
{block}, {road_ends} and {road} according to the scene and the route; the parser accepts any of their words.
"""

from __future__ import annotations

import re
from functools import cached_property

from bearleft.language.instructions.action_clauses import MOVES, STOPS
from bearleft.language.instructions.scene_clauses import OBSERVATIONS, STARTS
from bearleft.language.templates import Template, expand_macros

CROSSINGS: dict[str, tuple[str, ...]] = {
    "any": ("intersection", "corner", "street", "cross street", "crossing"),
    "lights": ("light", "traffic light", "stoplight", "stop light", "set of lights", "signal"),
    "three": (
        "t-intersection",
        "three-way intersection",
        "3-way intersection",
        "three way intersection",
        "3 way intersection",
    ),
    "four": ("four-way intersection", "4-way intersection", "four way intersection", "4 way intersection"),
}
PLURALS = {
    "intersection": "intersections",
    "corner": "corners",
    "cross street": "cross streets",
    "street": "streets",
    "crossing": "crossings",
    "light": "lights",
    "traffic light": "traffic lights",
    "stoplight": "stoplights",
    "stop light": "stop lights",
    "set of lights": "sets of lights",
    "signal": "signals",
    "t-intersection": "t-intersections",
    "three-way intersection": "three-way intersections",
    "3-way intersection": "3-way intersections",
    "three way intersection": "three way intersections",
    "3 way intersection": "3 way intersections",
    "four-way intersection": "four-way intersections",
    "4-way intersection": "4-way intersections",
    "four way intersection": "four way intersections",
    "4 way intersection": "4 way intersections",
    "one": "ones",
}
# Words for a street, by what is true of it.
LANE_WORDS = {
    "narrow street": "narrow",
    "narrow road": "narrow",
    "small street": "narrow",
    "one way street": "one way",
    "one-way street": "one way",
    "one way road": "one way",
    "two way street": "two way",
    "short block": "short block",
    "short street": "short block",
}
# Nouns that the chunker leaves as plain words, because they denote crossings and paths here.
RESERVED_NOUNS = frozenset(
    (
        *("traffic light", "traffic lights", "stoplight", "stoplights", "stop light", "stop lights"),
        *("traffic signal", "traffic signals", "steps", "cars"),
    )
)
# Relations to a neighbouring object: "a mailbox next to a bench".
NEAR_RELATIONS = ("next to", "near", "beside", "right next to", "by")
FRONT_RELATIONS = ("in front of", "outside of", "outside")

MACROS = {
    "TRAFFIC": "[traffic|the flow of traffic|the flow of traffic|traffic flow|the traffic]",
    "WITHFLOW": (
        "[with the flow of traffic|with the flow of traffic|with the flow of traffic|with traffic|with traffic|"
        "with traffic flow|with the traffic|in the direction of traffic|in the same direction as traffic|"
        "in the same direction as the traffic|in the same direction as the flow of traffic|"
        "in the direction of the flow of traffic|along with the flow of traffic|"
        "in the direction traffic is moving|in the direction traffic is going|in the direction that traffic is flowing|"
        "the way traffic is going|in the direction of the traffic|the same way as traffic]"
    ),
    "SAMEWAY": (
        "[the same direction as|the same direction as|the same way as|the direction of] [traffic|the traffic|"
        "the flow of traffic|the cars|the cars on your street|the cars in your lane|cars|the traffic flow|traffic flow]"
    ),
    "YOUARE": "[you are|you are|you are|you're]",
    "MOVING": "[moving|moving|moving|going|going|facing|heading|walking|traveling|headed]",
    "YOUWILL": "[you'll be|you will be|you should be|you are|you're|you should now be|you will now be]",
    "ORIENT": (
        "<i:[orient yourself|orient yourself|orient yourself|turn|turn|turn|turn yourself|position yourself|stand|"
        "align yourself|turn around|rotate|get turned|turn yourself around|rotate yourself|start by turning|"
        "begin by turning|move]>"
    ),
    "PLEASE": "[||||||||first,|to start,|from your starting point,|from where you are,|please|to begin,|"
    "from the starting point,|from your starting position,]",
    "SO": "[so|so|so that]",
    "ONSIDE": (
        "<e:[on your {side}|on your {side}|on your {side}|to your {side}|to your {side}|on the {side}|to the {side}|"
        "on the {side} side|on your {side} side|on the {side} side of the street|on the {side} side of the road|off "
        "to your {side}|"
        "off to the {side}|on the {side} hand side|on your {side} hand side]>"
    ),
    "ONSIDES": (
        "<e:[on your {other_side}|on your {other_side}|on your {other_side}|to your {other_side}|on the {other_side}|"
        "to the {other_side}]>"
    ),
    "BOTHSIDES": "on [both sides|both sides|both sides|either side] [of the street|of the road|of you||]",
    "AHEADSIDE": "<e:{ahead} [on your {side}|on the {side}|to your {side}|to the {side}]>",
    "SEE": (
        "<v:[there will be|there will be|there will be|you will see|you will see|there {is}|there {is}|you should see|"
        "you should see|there should be|there should be|you'll see|you'll have|you should have|you will have|"
        "you can see|you will notice|you should now see|there'll be|there will also be|you should be able to see|"
        "you'll be able to see|you should notice|you'll notice|you should also see]>"
    ),
    "GO": (
        "<i:[go|go|go|go|go|walk|walk|continue|continue|head|proceed|move|move|travel|keep going|keep walking|"
        "keep moving|continue going|continue moving]>"
    ),
    "GOSTRAIGHT": (
        "<i:[go straight|go straight|go straight|go straight|go forward|go forward|walk forward|"
        "walk straight|move forward|move forward|continue straight|continue straight|continue forward|"
        "keep going straight|keep going straight|keep going forward|proceed straight|proceed forward|"
        "head straight|head forward|go straight ahead|travel straight|continue going straight|"
        "keep moving forward|keep walking straight|move ahead|walk ahead|continue moving forward|"
        "move straight|continue ahead|keep moving straight|head straight ahead|continue to move forward|"
        "travel forward|continue straight ahead]>"
    ),
    "GOFORWARD": (
        "<i:[go|go|go|walk|continue|continue|head|proceed|move|travel|keep going|continue on|keep walking|"
        "go straight|go straight|go straight|go straight|go forward|go forward|walk forward|"
        "walk straight|move forward|move forward|continue straight|continue straight|continue forward|"
        "keep going straight|keep going straight|keep going forward|proceed straight|proceed forward|"
        "head straight|head forward|go straight ahead|travel straight|continue going straight|"
        "keep moving forward|keep walking straight|move ahead|walk ahead|continue moving forward|"
        "move straight|continue ahead|keep moving straight|head straight ahead|continue to move forward|"
        "travel forward|continue straight ahead]>"
    ),
    "DOWN": "[down|down|down|along|up] [this street|the street|this road|the road|this block|the block]",
    "TURN": (
        "[<i:turn> <d:{side}> {again}|<i:turn> <d:{side}> {again}|<i:turn> <d:{side}> {again}|"
        "<i:take {another}> <d:{side}>|<i:make {another}> <d:{side}>|<i:go> <d:{side}> {again}|"
        "<i:turn> <d:to your {side}> {again}|<i:make {another}> <d:{side} turn>|<i:take {another}> <d:{side} turn>|"
        "<i:turn> <d:to the {side}> {again}|<i:hang {another}> <d:{side}>|<i:take the> <d:{side}> {again}|<i:go> "
        "<d:to the {side}> "
        "{again}]"
    ),
    "YOUTURN": (
        "<i:[you'll turn|you will turn|you want to turn|you're going to turn|you need to turn|you'll take a|"
        "you will make a|you'll make a|you're going to take a|you are going to turn|you need to make a|you want to "
        "take a|"
        "you have to turn|you will take a|you're going to make a|you will want to turn]> <d:{side}>"
    ),
    "TURNED": (
        "[after you turn|after you turn|after turning|once you turn|when you turn|once you've turned|"
        "once you have turned|as you turn|after the turn|after you make the turn|as soon as you turn|after making "
        "the turn|"
        "after you have turned|after making this turn]"
    ),
    "REACH": "[reach|reach|get to|get to|come to|come to|arrive at|hit|come up to|are at|get up to]",
    "WHEN": "[when|when|when|once|as soon as]",
    "UNTIL": "[until|until|until|till]",
    "COMMA": "[,|,|,|]",
    "NTH": "<u:the <s:{nth}> {crossing}>",
    "STOP": "<i:[stop|stop|stop|stop|come to a stop]>",
    "BESIDE": (
        "[next to|next to|beside|even with|across from|right next to|in front of|in line with|directly across from|"
        "standing next to|standing in front of|directly in front of|lined up with|directly beside]"
    ),
    "PASSED": "[pass|go past|walk past|go by|have passed|get past|pass by|have gone past|are past]",
    "CROSSED": (
        "[on the other side|on the other side|on the other side of the intersection|after the intersection|"
        "past the intersection|after you cross|after you cross the intersection|once you cross the intersection|"
        "after you go through the intersection|once you are through the intersection|after crossing]"
    ),
    "YOUGO": (
        "<i:[you're going to|you are going to|you will need to|you want to|you'll want to|you're going to want to|"
        "you need to|you'll|you will] [go|go|walk|head|continue|keep going|move]>"
    ),
}


def _any_of(*words: str) -> str:
    return f"[{'|'.join(dict.fromkeys(words))}]"


_NOUNS = tuple(word for words in CROSSINGS.values() for word in words)
# Alternatives that the parser accepts for slots filled by the writer.
SLOT_READINGS = {
    "{crossing}": _any_of(*_NOUNS, "one"),
    "{crossings}": _any_of(*(PLURALS[word] for word in _NOUNS)),
    "{a}": "[a|an|another]",
    "{ahead}": "[ahead|up ahead|just ahead|ahead of you|in front of you|in the distance]",
    "{crosswalk}": "[crosswalk|crosswalks]",
    "{is}": "[is|are]",
    "{other_is}": "[is|are]",
    "{steps}": "[step|steps|clicks|moves|paces|click]",
    "{again}": "[again|once again|once more|one more time|]",
    "{another}": "[a|another|a final|one final|one last|one more|your last|your final|your]",
    "{lane}": _any_of(*LANE_WORDS),
    "{sidewalk}": "sidewalk",
    "{parked}": "parked",
    "{there_is}": "[there's|there are]",
    "{block}": "[block|street|road]",
    "{road_ends}": "[street|road]",
    "{road}": "[it|this|that street]",
}


class Clause:
    """A template of a clause set.

    An `open` clause needs another clause after it, a `tail` clause depends on the one before, and one that `continues`
    also needs a movement before it: "Follow traffic" + "to the next light".
    """

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source.lstrip("~+=")
        self.open, self.tail, self.continues = source[0] == "~", source[0] in "+=", source[0] == "="
        self.template = Template(expand_macros(self.source, MACROS))

    @cached_property
    def introduces(self) -> bool:
        """Whether the object is new to the reader: "there is a bench", not "there is the bench"."""
        verbs = r"SEE|there|see|notice|have|look|watch|ONSIDE>? \["
        return bool(re.search(verbs if self.name.startswith("verify") else r"there \{is\}", self.source))

    @cached_property
    def goes(self) -> bool:
        """Whether the clause ends with a movement along the street, without a goal."""
        moves = self.name == "onward" and not self.source.endswith(("steps [forward|ahead|straight|]", "{lane}"))
        follows = self.name == "flow" and bool(
            re.match(r"(?:PLEASE )?<i:\[?(?:go|walk|head|follow|turn and)", self.source)
        )
        return not self.open and (moves or follows or self.source.endswith(("GOSTRAIGHT", "GO DOWN")))

    @cached_property
    def inside(self) -> bool:
        """Whether the walker is in the crossing: in an intersection, not in a light."""
        return bool(re.search(r"middle|into|in\||cross|enter", self.source.replace("{crossing", "")))

    @cached_property
    def slots(self) -> frozenset[str]:
        """Names of the slots."""
        return self.template.slots

    @cached_property
    def reading(self) -> Template:
        """The template that reads chunked strings, in which "it" is a noun phrase, too."""
        source = self.template.source
        for noun in ("<s:{nth}>", "<u:{crossing}>", "end of"):
            source = source.replace(f"the {noun}", f"[the|] {noun}")  # hasty writers leave out articles
        for slot, words in SLOT_READINGS.items():
            source = source.replace(slot, words)
        return Template(re.sub(r"\bit\b(?!')", "{it_thing}", source))

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Pattern for chunked strings."""
        return self.reading.regex


CLAUSES: dict[str, tuple[Clause, ...]] = {
    name: tuple(Clause(name, source) for source in sources)
    for name, sources in (STARTS | MOVES | OBSERVATIONS | STOPS).items()
}

"""Shared words and macros of navigation clauses, and the clauses as templates.

The writer fills {crossing}, {crossings}, {be}, {is}, {steps}, {again}, {once} and {road} according to the scene and the
route; the parser accepts any of their words.
"""

from __future__ import annotations

import re
from functools import cached_property

from bearleft.language.instructions.action_clauses import MOVES, STOPS
from bearleft.language.instructions.scene_clauses import OBSERVATIONS, STARTS
from bearleft.language.templates import Template, expand_macros

CROSSINGS: dict[str, tuple[str, ...]] = {
    "any": ("intersection", "intersection", "intersection", "corner", "cross street", "street", "crossing"),
    "lights": ("light", "traffic light", "stoplight", "stop light", "set of lights", "set of traffic lights", "signal"),
    "three": ("t-intersection", "three-way intersection", "3-way intersection", "three way intersection"),
    "four": ("four-way intersection", "4-way intersection", "four way intersection"),
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
    "set of traffic lights": "sets of traffic lights",
    "signal": "signals",
    "t-intersection": "t-intersections",
    "three-way intersection": "three-way intersections",
    "3-way intersection": "3-way intersections",
    "three way intersection": "three way intersections",
    "four-way intersection": "four-way intersections",
    "4-way intersection": "4-way intersections",
    "four way intersection": "four way intersections",
    "one": "ones",
}
# Nouns that the chunker leaves as plain words, because they denote crossings and paths here.
RESERVED_NOUNS = frozenset(
    (
        *("traffic light", "traffic lights", "stoplight", "stoplights", "stop light", "stop lights"),
        *("traffic signal", "traffic signals", "steps", "cars"),
    )
)
# Relations to a neighbouring object: "a mailbox next to a bench".
NEAR_RELATIONS = (
    "next to",
    "next to",
    "near",
    "beside",
    "right next to",
    "close to",
    "by",
    "right by",
    "just in front of",
)
FRONT_RELATIONS = ("in front of", "in front of", "outside of", "outside")

MACROS = {
    "TRAFFIC": "[the flow of traffic|traffic|the traffic|the flow of traffic|traffic|the flow of the traffic]",
    "ORIENT": (
        "<i:[orient yourself|orient yourself|turn|turn|turn|position yourself|stand|align yourself|turn yourself|"
        "turn around|get turned|rotate|orientate yourself|start by turning|start by positioning yourself|"
        "begin by turning|get yourself turned|pivot|spin around]>"
    ),
    "PLEASE": "[||||||please|first,|to start,|to begin,|from your starting point,|okay,|at the start,]",
    "SO": "[so|so that|so that|so that|in such a way that|such that]",
    "ONSIDE": (
        "<e:[on your {side}|on your {side}|to your {side}|to your {side}|on the {side}|on the {side} side|"
        "on your {side} side|to the {side}|off to your {side}|on your {side} hand side|over on your {side}|"
        "on the {side} hand side|on the {side} side of the [street|road]]>"
    ),
    "ONSIDES": (
        "<e:[on your {other_side}|on your {other_side}|to your {other_side}|on the {other_side}|to the {other_side}|"
        "on the {other_side} side|on your {other_side} side]>"
    ),
    "SEE": (
        "<v:[you will see|you'll see|you should see|you should see|you can see|there will be|there will be|"
        "there should be|there should be|there {is}|there {is}|you will notice|you'll notice|you'll have|"
        "you should have|"
        "you will have|you're going to see|you are going to see|you should now see|there'll be|"
        "you will find|you'll find|you may notice|you ought to see|you're going to have|you should also see|"
        "there will also be]>"
    ),
    "GO": (
        "<i:[go|go|go|go|go|walk|walk|walk|head|head|continue|continue|proceed|move|travel|keep going|keep walking|"
        "keep moving|make your way|just go]>"
    ),
    "FORWARD": "[straight|forward|straight ahead|straight|forward|||straight forward]",
    "STRAIGHT": "[straight|forward|straight ahead|straight|forward|ahead|straight forward|down the street]",
    "DOWN": (
        "[down|down|along|up] [this|the|this|this] [street|road|street|road|block|stretch of road|lane|"
        "narrow street|one-way street]"
    ),
    "TURN": (
        "[<i:[turn|turn|turn|turn|turn|turn|go|hang a]> <d:{side}>|<i:turn> <d:{side}>|"
        "<i:[make a|make a|take a|take a]> <d:{side} [turn|||]>|<i:turn> <d:to [your|the] {side}>|"
        "<i:take the> <d:{side}>]"
    ),
    "YOUTURN": (
        "[<i:[you'll turn|you will turn|you want to turn|you're going to turn|you need to turn|you will be turning|"
        "you turn|you should turn]> <d:{side}>|<i:[you'll take a|you will make a|you're going to take a|"
        "you'll want to make a|you are going to make a]> <d:{side}>]"
    ),
    "REACH": "[reach|get to|come to|arrive at|hit|come up to|come up on|make it to|are at|get up to]",
    "WHEN": "[when|when|once|once|as soon as]",
    "UNTIL": "[until|until|until|till]",
    "COMMA": "[,|,|,|]",
    "NTH": "<u:the <s:{nth}> {crossing}>",
    "STOP": "<i:[stop|stop|stop|stop|stop|come to a stop|halt|pause|stop walking|stop moving]>",
    "BESIDE": (
        "[next to|next to|beside|even with|across from|level with|alongside|right by|right next to|parallel to|"
        "directly beside|right beside]"
    ),
    "PASSED": "[pass|go past|walk past|go by|walk by|have passed|get past|move past|head past]",
}


def _any_of(*words: str) -> str:
    return f"[{'|'.join(dict.fromkeys(words))}]"


_NOUNS = tuple(word for words in CROSSINGS.values() for word in words)
# Alternatives that the parser accepts for slots filled by the writer.
SLOT_READINGS = {
    "{crossing}": _any_of(*_NOUNS, "one"),
    "{crossings}": _any_of(*(PLURALS[word] for word in _NOUNS)),
    "{be}": "[is|are|will be|should be]",
    "{is}": "[is|are]",
    "{steps}": "[step|steps|clicks|moves|paces|click]",
    "{again}": "[again|once again|once more|]",
    "{once}": "[turn|]",
    "{road}": "[it|that street|that road]",
}


class Clause:
    """A template of a clause set.

    An `open` clause needs another clause after it, a `tail` clause depends on the one before.
    """

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source.lstrip("~+")
        self.open, self.tail = source[0] == "~", source[0] == "+"
        self.template = Template(expand_macros(self.source, MACROS))

    @cached_property
    def slots(self) -> frozenset[str]:
        """Names of the slots."""
        return self.template.slots

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Pattern for chunked strings, in which "it" is a noun phrase, too."""
        source = self.template.source
        for slot, words in SLOT_READINGS.items():
            source = source.replace(slot, words)
        return Template(re.sub(r"\bit\b", "{it_thing}", source)).regex


CLAUSES: dict[str, tuple[Clause, ...]] = {
    name: tuple(Clause(name, source) for source in sources)
    for name, sources in (STARTS | MOVES | OBSERVATIONS | STOPS).items()
}

"""Templates of navigation instructions for ArraMon: clauses shared by writer and parser.

The writer fills {crossing}; the parser accepts any of CROSSING_NOUNS.
"""

from __future__ import annotations

import re
from functools import cached_property

from bearleft.language.templates import THING_PATTERN, Template, expand_macros

ITEM_PATTERN = r"%\d+ "
CLOSEST_WORDS = ("nearest", "closest")  # the first of several
CROSSING_NOUNS = (*("intersection",) * 4, *("corner",) * 3, "street corner", "crossing", "crossroads", "junction")

MACROS = {
    "GO": "<i:[go|go|go|walk|walk|walk|head|head|continue|move|keep going|keep walking|proceed]>",
    "WALK": "<i:[go|walk|walk|continue|keep going|keep walking|keep moving]>",
    "FORWARD": "<d:[forward|forward|straight|straight ahead|straight forward|down the street|along the street]>",
    "ONWARD": "[||<d:[forward|straight|straight ahead|down the street]>]",
    "TURN": (
        "[<i:turn> <d:{side}>|<i:turn> <d:{side}>|<i:turn> <d:to the {side}>|<i:turn> <d:to your {side}>|"
        "<i:[make a|take a]> <d:{side}>|<i:make a> <d:{side} turn>]"
    ),
    "TURNS": "[<i:turn> <d:{side}>|<i:turn> <d:{side}>|<i:turn> <d:to the {side}>|<i:turn> <d:to your {side}>]",
    "SLIGHT": (
        "[<i:turn> <d:slightly {side}>|<i:turn> <d:{side} slightly>|<i:turn> <d:a little to the {side}>|"
        "<i:turn> <d:slightly to the {side}>|<i:turn> <d:a little bit {side}>|<i:turn> <d:slightly to your {side}>]"
    ),
    "ONSIDE": "<e:[on your {side}|on your {side}|to your {side}|on your {side} side]>",
    "REACH": "[reach|reach|get to|come to|arrive at]",
    "UNTIL": "[until|until|until|till]",
    "WHEN": "[when|once|as soon as]",
    "COMMA": "[,|,|]",
    "PAST": "<a:<x:[past|past|past|past|past|past|past|beyond]>>",
    "NTH": "<u:the {crossing}>",
    "RANKED": "<u:the <s:{nth}> {crossing}>",
    "PICK": "<i:[pick up|pick up|pick up|collect|collect|take|grab|get]>",
    "SEE": "<v:[you will see|you'll see|you will find|you'll find|you should see|there is|you can see]>",
    "LOOK": "WALK ONWARD <t:UNTIL you [see|see|find|reach|come to|get to]",
    "TAKE": (
        "[<i:pick> it <i:up>|<i:pick> it <i:up>|<i:collect> it|<i:take> it|<i:grab> it|"
        "<i:walk over> and <i:pick> it <i:up>|<i:go up to> it and <i:collect> it]"
    ),
}
# Relations of the item to an object, before the object's name.
RELATIONS = {
    "near": "<a:[next to|next to|next to|near|beside|by|close to|right next to|right by]>",
    "behind": "<a:<x:[behind|behind|behind|just behind|right behind|just past|just beyond]>>",
    "before": "<a:<x:[in front of|in front of|in front of|just in front of|right in front of]>>",
    "left": "<a:<d:[to the left of|to the left of|on the left side of|just left of|on the left of]>>",
    "right": "<a:<d:[to the right of|to the right of|on the right side of|just right of|on the right of]>>",
}
_LYING = "[||||that is|which is|sitting|lying]"
_EGO_RELATIONS = {
    "pick side": "ONSIDE",
    "pick ahead": "<e:[ahead of you|in front of you|right in front of you|straight ahead of you]>",
    "pick": "",
}

CLAUSE_SOURCES: dict[str, tuple[str, ...]] = {
    "turn": ("TURN", "TURNS"),
    "turn first": (*("TURNS",) * 9, "<i:[start|begin] by turning> <d:[to the|to your|] {side}>"),
    "slight": ("SLIGHT",),
    "around": (
        *("<i:turn> <d:around>",) * 10, "<i:turn> <d:[all the way|completely] around>",
    ),
    "face": (
        "TURNS to <e:face> {thing}", "TURNS to <e:face> {thing}", "TURNS <t:UNTIL you see {thing}>",
        "TURNS <t:UNTIL you [are facing|face] {thing}>", "TURNS [towards|toward] {thing}",
        "TURNS <t:UNTIL {thing} is <e:[in front of you|ahead of you]>>",
    ),
    "face slight": (
        "SLIGHT to <e:face> {thing}", "SLIGHT <t:UNTIL you see {thing}>", "SLIGHT [towards|toward] {thing}",
        "SLIGHT <t:UNTIL you are facing {thing}>",
    ),
    "face around": (
        "<i:turn> <d:around> to <e:face> {thing}", "<i:turn> <d:around> <t:UNTIL you see {thing}>",
        "<i:turn> <d:around> so that {thing} is <e:[in front of you|ahead of you]>",
    ),
    "face any": (
        *("<i:turn> to <e:face> {thing}",) * 2, *("<i:turn> [towards|toward] {thing}",) * 2,
        "<i:turn> <t:UNTIL you see {thing}>",
    ),
    "go": ("GO FORWARD",),
    "to": (
        "GO ONWARD to {thing}", "GO [up|over] to {thing}", "WALK ONWARD <t:UNTIL you REACH {thing}>",
        "WALK <t:UNTIL you REACH {thing}>", "GO FORWARD <t:UNTIL you are <a:[next to|right by|beside]> {thing}>",
        "GO FORWARD and stop [at|by] {thing}",
    ),
    "toward": (
        "GO [towards|towards|toward] {thing}", "GO FORWARD [towards|toward] {thing}", "GO in the direction of {thing}",
        "GO [towards|toward] {thing} <e:[ahead of you|in front of you|ahead]>",
    ),
    "pass": (
        "GO PAST {thing}", "GO PAST {thing}", "GO FORWARD PAST {thing}", "<i:pass> {thing}", "<i:pass by> {thing}",
        "GO FORWARD <t:UNTIL you [pass|have passed|get <a:<x:past>>|are <a:<x:past>>] {thing}>",
        "WALK <t:UNTIL you [pass|get <a:<x:past>>] {thing}>",
    ),
    "pass side": (
        "GO PAST {thing} ONSIDE", "<i:pass> {thing} ONSIDE", "GO FORWARD PAST {thing} ONSIDE",
        "<i:[go|walk|head]> FORWARD , keeping {thing} ONSIDE", "<i:keep> {thing} ONSIDE [as you walk by|as you go|]",
        "GO FORWARD <t:UNTIL you pass {thing} ONSIDE>", "GO FORWARD so that {thing} is ONSIDE",
    ),
    "pass two": (
        "GO <s:PAST {thing} and {other_thing}>", "GO FORWARD <s:PAST {thing} and [then|] <a:<x:past>> {other_thing}>",
        "<i:pass> <s:{thing} and then {other_thing}>", "<i:pass> <s:{thing} and {other_thing}>",
        "GO <s:PAST {thing} and <a:<x:past>> {other_thing}>",
        "GO FORWARD <t:UNTIL you have passed <s:{thing} and {other_thing}>>",
    ),
    "between": (
        "GO <a:<x:between>> {thing} and {other_thing}", "<i:pass> <a:<x:between>> {thing} and {other_thing}",
        "GO FORWARD <a:<x:[between|in between]>> {thing} and {other_thing}",
    ),
    "cross": (
        "GO ONWARD to NTH", "GO FORWARD <t:UNTIL you REACH NTH>", "WALK <t:UNTIL you REACH NTH>",
        "GO ONWARD to RANKED", "GO FORWARD <t:UNTIL you REACH RANKED>",
    ),
    "through": (
        "GO FORWARD [through|across] NTH", "GO [through|across] NTH", "<i:cross> NTH", "<i:go straight through> NTH",
    ),
    "turn at crossing": (
        "TURN at NTH", "TURN around the corner", "TURN <t:WHEN you REACH NTH>",
        "<t:WHEN you REACH NTH> COMMA TURN", "at NTH COMMA TURN",
        "TURN at RANKED", "<t:WHEN you REACH RANKED> COMMA TURN", "at RANKED COMMA TURN",
        "<i:take> <d:the <s:{nth}> {side}>",
    ),
    "turn at": (
        "TURN at {thing}", "TURN <t:WHEN you REACH {thing}>", "<t:WHEN you REACH {thing}> COMMA TURN",
        "at {thing} COMMA TURN", "<t:as you [reach|get to|come to]> {thing} COMMA TURN",
    ),
    "turn after": (
        "TURN <a:<x:[right after|just past|after]>> {thing}",
        "TURN <t:[after you pass|after passing|once you pass]> {thing}",
        "<t:[after passing|after you pass|once you are past|when you have passed]> {thing} COMMA TURN",
    ),
    **{
        f"pick {how}": (f"PICK {{item_thing}} {_LYING} {words} {{thing}}", f"PICK {{item_thing}} {words} {{thing}}")
        for how, words in RELATIONS.items()
    },
    **{f"see {how}": (f"SEE {{item_thing}} {words} {{thing}}",) for how, words in RELATIONS.items()},
    **{f"until {how}": (f"LOOK {{item_thing}} {words} {{thing}}>",) for how, words in RELATIONS.items()},
    **{name: (f"PICK {{item_thing}} {words}",) for name, words in _EGO_RELATIONS.items()},
    "pick between": ("PICK {item_thing} <a:<x:[between|in between]>> {thing} and {other_thing}",),
    "see between": ("SEE {item_thing} <a:<x:between>> {thing} and {other_thing}",),
    "until between": ("LOOK {item_thing} <a:<x:between>> {thing} and {other_thing}>",),
    "until side": ("LOOK {item_thing} ONSIDE>",),
    "until": ("LOOK {item_thing}>",),
    "see side": ("SEE {item_thing} ONSIDE",),
    "see ahead": (f"SEE {{item_thing}} {_EGO_RELATIONS['pick ahead']}",),
    "see": ("SEE {item_thing}",),
    "take it": ("TAKE",),
}  # fmt: skip
# Read but not written: other wordings that people use.
READ_ONLY_SOURCES: dict[str, tuple[str, ...]] = {
    "around": ("turn yourself around",),
    "turn": ("[go|bear|veer] {side}", "turn [towards|toward] [the|your] {side}"),
    "to": ("[go|walk|head] [straight|forward|] [up|over|down|] to {thing}", "until you [REACH|are at] {thing}"),
    "pick": ("[fetch|find|retrieve|pick] [up|] {item_thing}",),
    **{
        f"pick {how}": (f"[fetch|find|retrieve|pick] [up|] {{item_thing}} {words} {{thing}}",)
        for how, words in RELATIONS.items()
    },
}


class Clause:
    """One template for a frame."""

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        self.template = Template(expand_macros(source, MACROS))
        self.temporal = "<t:" in self.template.source
        self.singular = "{thing} is" in self.template.source

    @cached_property
    def slots(self) -> frozenset[str]:
        """The slots to fill."""
        return self.template.slots

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern for a chunked string, where "it" is an object as well and an item is "%3"."""
        source = self.template.source.replace("{crossing}", f"[{'|'.join(dict.fromkeys(CROSSING_NOUNS))}]")
        pattern = Template(re.sub(r"\bit\b", "{it_thing}", source)).regex.pattern
        return re.compile(pattern.replace(f"(?P<item_thing>{THING_PATTERN})", f"(?P<item_thing>{ITEM_PATTERN})"))


CLAUSES: dict[str, tuple[Clause, ...]] = {
    name: tuple(Clause(name, source) for source in sources) for name, sources in CLAUSE_SOURCES.items()
}
READABLE_CLAUSES: dict[str, tuple[Clause, ...]] = {
    name: (*clauses, *(Clause(name, source) for source in READ_ONLY_SOURCES.get(name, ())))
    for name, clauses in CLAUSES.items()
}

"""Templates of navigation instructions for ArraMon: clauses shared by writer and parser.

The writer fills {crossing}; the parser accepts any of CROSSING_NOUNS.
"""

from __future__ import annotations

import re
from functools import cached_property

from bearleft.language.templates import THING_PATTERN, Template, expand_macros

ITEM_PATTERN = r"%\d+ "
CLOSEST_WORDS = ("nearest", "closest")  # the first of several
CROSSING_NOUNS = (
    *("intersection",) * 16, "crossing", "junction", "crossroads",
)  # fmt: skip
NEAR_WORDS = "[next to|near|by|beside|close to|right by]"  # between the names of two objects
PICK_VERBS = ("pick", "find", "see", "until", "reach", "look", "lies", "is")  # of clauses that name the item

MACROS = {
    "GO": "<i:[go|go|go|go|walk|walk|head|move|continue|keep going|proceed]>",
    "WALK": "<i:[go|walk|keep going|keep going|continue|move|keep walking|keep moving]>",
    "FORWARD": (
        "<d:[forward|forward|forward|straight|straight|ahead|straight ahead|straight forward|down the street|"
        "down the road|along the street|up the street|straight down the [street|road]|down this [road|street]|"
        "straight down this road]>"
    ),
    "ONWARD": "[|||<d:[forward|forward|straight|down the street|down the road|ahead|straight ahead]>]",
    "TURN": (
        "[<i:turn> <d:{side}>|<i:turn> <d:{side}>|<i:turn> <d:{side}>|<i:take> <d:a {side}>|<i:turn> <d:to the {side}>|"
        "<i:turn> <d:to your {side}>|<i:make> <d:a {side}>|<i:make> <d:a {side} turn>|<i:go> <d:{side}>|"
        "<i:[take|make]> <d:another {side}>]"
    ),
    "TURNS": (
        "[<i:turn> <d:{side}>|<i:turn> <d:{side}>|<i:turn> <d:{side}>|<i:turn> <d:to the {side}>|"
        "<i:turn> <d:to your {side}>]"
    ),
    "SLIGHT": (
        "[<i:turn> <d:slightly {side}>|<i:turn> <d:slightly {side}>|<i:turn> <d:{side} slightly>|"
        "<i:turn> <d:a little {side}>|<i:turn> <d:slightly to the {side}>|<i:turn> <d:a little bit {side}>|"
        "<i:turn> <d:a little to the {side}>|<i:turn> <d:slightly to your {side}>|<i:make> <d:a slight {side}>|"
        "<i:turn> <d:{side} a little>|<i:make> <d:a slight {side} turn>|<i:veer> <d:slightly {side}>|"
        "<i:turn> <d:slight {side}>|<i:take> <d:a slight {side}>]"
    ),
    "AROUND": (
        "[<i:turn> <d:around>|<i:turn> <d:around>|<i:turn> <d:around>|<i:turn> <d:completely around>|"
        "<i:turn> <d:all the way around>|<i:turn> <d:directly around>|<i:turn> <d:around completely>|"
        "<i:turn yourself> <d:around>]"
    ),
    "ONSIDE": (
        "<e:[on your {side}|on the {side}|to your {side}|on your {side} side|on the {side} side|to the {side}|"
        "on your {side} hand side]>"
    ),
    "FAR": "<x:[in the distance|in the distance|ahead|up ahead|far ahead]>",
    "REACH": "[reach|reach|reach|get to|come to|arrive at|are at]",
    "UNTIL": "[until|until|until|until|until|until|till|till|untill]",
    "WHEN": "[when|once|as soon as]",
    "COMMA": "[,|,|]",
    "FACE": (
        "[to <e:face>|to <e:face>|to <e:face>|towards|toward|<e:facing>|to see|and <e:face>|"
        "so [that|] you are <e:facing>]"
    ),
    "SEEN": "<t:UNTIL you [see|see|see|are <e:facing>|<e:face>|can see]",
    "PAST": "<a:<x:[past|past|past|past|past|past|past|beyond|by]>>",
    "TOWARD": "[towards|toward|towards]",
    "NTH": "<u:the [||||next] {crossing}>",
    "CORNER": "<u:the [||||next] corner [|||of the building]>",
    "END": "<u:the [end|end|edge] of [the building|the building|the wall]>",
    "HOUSE": "<u:[the building|the building|the building|the wall]>",
    "RANKED": "<u:the <s:{nth}> {crossing}>",
    "PICK": (
        "<i:[pick up|pick up|pick up|pick up|pick up|pick up|pick up|pick up|pick up|pick up|pick up|pick up|collect|"
        "collect|collect|collect|collect|take|take|take|grab|get|fetch]>"
    ),
    "SEE": (
        "<v:[you will see|you will find|you'll see|you'll find|you should see|there is|there will be|you can see|"
        "there you will find|there you will see]>"
    ),
    "LOOK": "WALK ONWARD <t:UNTIL you [see|find|reach|come to|get to]",
    "APPROACH": "<i:[go|walk|walk over|go over|head|move|go up|head over]>",
    "LIES": "<v:[is|is|there is|you will find|you will see|you'll find|there will be|sits|lies]>",
}
# Relations of the item to an object, before the object's name.
RELATIONS = {
    "near": ("<a:[next to|next to|next to|near|near|near|by|beside|close to|right next to|right by|just by|at]>"),
    "behind": (
        "<a:<x:[behind|behind|behind|just behind|past|just past|right behind|beyond|just beyond|after|"
        "on the other side of|on the far side of]>>"
    ),
    "before": "<a:<x:[in front of|in front of|in front of|just in front of|right in front of|just before|before]>>",
    "left": (
        "<a:<d:[to the left of|to the left of|on the left side of|just left of|on the left of|left of|"
        "just to the left of|a little to the left of]>>"
    ),
    "right": (
        "<a:<d:[to the right of|to the right of|on the right side of|just right of|on the right of|right of|"
        "just to the right of|a little to the right of]>>"
    ),
}
_LYING = "[|||||that is|which is|sitting|lying|located]"
_AHEAD = "<e:[ahead of you|in front of you|right in front of you|straight ahead|just ahead|directly in front of you]>"


def _ending_sources() -> dict[str, tuple[str, ...]]:
    """Return the clauses that name the item: by a verb, and by what it lies near."""
    places = {
        "": "",
        "side": "ONSIDE",
        "ahead": _AHEAD,
        "between": f"{_LYING} <a:<x:[between|between|in between]>> {{thing}} and {{other_thing}}",
    }
    places |= {how: f"{_LYING} {words} {{thing}}" for how, words in RELATIONS.items()}
    heads = {
        "pick": "PICK {item_thing}",
        "find": "<i:[find|find|find|look for]> {item_thing}",
        "see": "SEE {item_thing}",
        "until": "LOOK {item_thing}",
        "reach": "GO [to|to|towards|toward|straight to|over to] {item_thing}",
    }
    sources: dict[str, tuple[str, ...]] = {
        f"{verb} {place}".strip(): (f"{head} {words}{'>' if verb == 'until' else ''}",)
        for verb, head in heads.items()
        for place, words in places.items()
    }
    sources["pick"] += ("PICK {item_thing} <a:[there|nearby|]>", "<i:[go|walk over] [and|]> PICK {item_thing}")
    for how, words in RELATIONS.items():
        sources[f"look {how}"] = (f"<i:look> {words} {{thing}} to <i:find> {{item_thing}}",)
        sources[f"is {how}"] = (f"{words} {{thing}} COMMA <v:is> {{item_thing}}",)
        sources[f"lies {how}"] = (f"{words} {{thing}} COMMA LIES {{item_thing}}",)
    sources["look side"] = (
        "<i:look> ONSIDE to <i:find> {item_thing}",
        "<i:look> <d:[slightly|a little|] {side}> [to|and] [find|see] {item_thing}",
        "<i:look> <d:[to your|to the|slightly to the] {side}> [to|and] [find|see] {item_thing}",
    )
    sources["lies side"] = ("ONSIDE COMMA LIES {item_thing}",)
    sources["is ahead"] = (f"{_AHEAD} COMMA <v:is> {{item_thing}}",)
    sources["lies ahead"] = (f"{_AHEAD} COMMA LIES {{item_thing}}",)
    sources["look ahead"] = (f"<i:look> {_AHEAD} [to|and] <i:[find|see]> {{item_thing}}",)
    return sources


CLAUSE_SOURCES: dict[str, tuple[str, ...]] = {
    "no turn": ("<d:[don't|do not|dont] turn>", "<d:without turning>"),
    "turn": ("TURN",),
    "turn first": ("TURNS", "<i:[start|begin] by turning> <d:[to the|to your|] {side}>"),
    "slight": ("SLIGHT",),
    "around": ("AROUND",),
    **{
        f"{name}{far}": (
            f"{turning} FACE {{thing}} {words}", f"{turning} FACE {{thing}} and {{other_thing}} {words}",
            f"{turning} SEEN {{thing}} {words}>", f"{turning} SEEN {{thing}} and {{other_thing}} {words}>",
            *((f"{turning} and GO TOWARD {{thing}} {words}",) if name == "face any" else ()),
            *((f"{turning} <t:[UNTIL|so that] {{thing}} is <e:[in front of you|ahead of you]>>",) if not far else ()),
        )
        for name, turning in (
            ("face", "TURNS"), ("face slight", "SLIGHT"), ("face around", "AROUND"), ("face any", "<i:turn>"),
        )
        for far, words in (("", ""), (" far", "FAR"))
    },
    "go": ("GO FORWARD", "<i:[go|walk|move|head|continue|keep going]> <d:[forward|straight|down the street]>"),
    "to": (
        "GO ONWARD to {thing}", "APPROACH to {thing}", "WALK ONWARD <t:UNTIL you REACH {thing}>",
        "GO FORWARD <t:UNTIL you are <a:[next to|right by|beside]> {thing}>",
        "<i:[approach|reach]> {thing}", "GO [all the way|straight|] to {thing}",
        "<i:keep> [going|moving|walking] [forward|straight|] [to|until you REACH|until you find] {thing}",
        "GO FORWARD and <i:find> {thing}", "GO FORWARD to <i:reach> {thing}", "GO ahead to {thing}",
        "<i:keep> [forward|straight] [to|until you REACH] {thing}",
    ),
    "toward": ("<i:[aim|keep going|keep walking]> TOWARD {thing}", "GO TOWARD {thing}", "GO FORWARD TOWARD "
    "{thing}", "GO in the direction of {thing}"),
    "toward aside": (
        "<i:[go|walk|head|move]> diagonally TOWARD {thing}",
        "<i:[go|walk|head|move]> diagonally <d:{side}> TOWARD {thing}",
        "GO FORWARD and slightly <d:to [the|your] {side}> TOWARD {thing}",
    ),
    "toward far": ("GO TOWARD {thing} FAR", "GO FORWARD TOWARD {thing} FAR"),
    "pass": (
        "GO PAST {thing}", "GO FORWARD PAST {thing}", "<i:pass> {thing}", "<i:pass by> {thing}",
        "GO FORWARD <t:UNTIL you [pass|have passed|get <a:<x:past>>|are <a:<x:past>>] {thing}>",
        "GO FORWARD , <s:passing> {thing}", "GO [just|right|straight] PAST {thing}",
        "<i:keep> [going|moving|walking] PAST {thing}", "GO FORWARD and <i:[pass|pass by]> {thing}",
        "GO FORWARD <i:[pass|passing by]> {thing}",
    ),
    "pass side": (
        "GO PAST {thing} ONSIDE", "<i:pass> {thing} ONSIDE", "GO FORWARD PAST {thing} ONSIDE",
        "<i:[go|walk|head]> FORWARD [, keeping|with] {thing} ONSIDE",
        "<i:keep> {thing} ONSIDE [as you walk by|as you go|]",
        "GO FORWARD <t:UNTIL you pass {thing} ONSIDE>",
        "GO FORWARD , <s:passing> {thing} ONSIDE",
    ),
    "pass two": (
        "GO <s:PAST {thing} and {other_thing}>", "GO FORWARD <s:PAST {thing} and [then|] <a:<x:past>> {other_thing}>",
        "<i:pass> <s:{thing} and then {other_thing}>", "<i:pass> <s:{thing} and {other_thing}>",
        "GO <s:PAST {thing} and <a:<x:past>> {other_thing}>",
        "GO FORWARD <t:UNTIL you have passed <s:{thing} and {other_thing}>>",
        "<i:keep going> <s:PAST {thing} and {other_thing}>", "GO <s:PAST {thing} , then {other_thing}>",
    ),
    "pass to": (
        "GO <s:PAST {thing} to {other_thing}>", "GO FORWARD <s:PAST {thing} to {other_thing}>",
        "GO <s:PAST {thing}> <t:UNTIL you REACH {other_thing}>", "GO <s:PAST {thing} and to {other_thing}>",
        "<i:pass> <s:{thing} and [<i:go> to|<i:walk> to|<i:reach>] {other_thing}>",
        "<i:pass> {thing} to <i:reach> {other_thing}",
    ),
    "pass toward": (
        "GO <s:PAST {thing} [and|] TOWARD {other_thing}>",
        "GO FORWARD <s:PAST {thing} [and|] TOWARD {other_thing}>",
        "<i:pass> <s:{thing} and <i:[go|walk|head|move]> TOWARD {other_thing}>",
    ),
    "between": (
        "GO <a:<x:[between|between|in between]>> {thing} and {other_thing}",
        "<i:pass> <a:<x:between>> {thing} and {other_thing}",
        "GO FORWARD <a:<x:[between|in between|through]>> {thing} and {other_thing}",
        "<i:[go|walk|head]> straight <a:<x:between>> {thing} and {other_thing}",
        "GO [straight|forward|] <a:<x:[between|between|in between]>> {thing}", "<i:pass> <a:<x:between>> {thing}",
    ),
    "cross": (
        "GO ONWARD to NTH", "GO FORWARD <t:UNTIL you REACH NTH>", "WALK <t:UNTIL you REACH NTH>",
        "GO ONWARD to RANKED", "GO FORWARD <t:UNTIL you REACH RANKED>",
        "GO ONWARD to <u:the {crossing} ahead>", "GO ONWARD [to|into] <u:the middle of the {crossing}>",
        "GO TOWARD NTH", "GO FORWARD <t:UNTIL you are in <u:the middle of the {crossing}>>",
    ),
    "through": (
        "GO FORWARD [through|across|past] NTH", "GO [through|across|past] NTH", "<i:cross> NTH",
        "<i:go straight [through|across]> NTH", "GO FORWARD and <i:cross> NTH",
        "GO FORWARD and across NTH", "GO FORWARD <i:cross> NTH",
    ),
    "turn at crossing": (
        "TURN at NTH", "TURN <t:WHEN you REACH NTH>",
        "<t:WHEN you REACH NTH> COMMA TURN", "at NTH COMMA TURN",
        "TURN at RANKED", "<t:WHEN you REACH RANKED> COMMA TURN", "at RANKED COMMA TURN",
        "<i:take> <d:[the|your] <s:{nth}> {side}>",
        "GO FORWARD <t:UNTIL you REACH NTH> and TURN", "GO ONWARD to NTH and TURN",
        "<i:take> <d:the {side}> at NTH", "GO FORWARD , <i:taking> <d:the <s:{nth}> {side}>",
        "GO FORWARD and TURN at NTH",
        "GO FORWARD and <i:take> <d:the <s:{nth}> {side}>", "TURN at {crossing}",
        "TURN [on|down|onto] <u:the [first|next] [street|road]>", "TURN in <u:the middle of the {crossing}>",
        "at <u:the {crossing} ahead> COMMA TURN", "GO ONWARD to NTH , TURN",
    ),
    "turn at corner": (
        "TURN at CORNER", "TURN <a:around> CORNER", "at CORNER COMMA TURN", "TURN <t:WHEN you REACH CORNER>",
        "<i:go> <d:around> CORNER <d:to [the|your] {side}>", "<i:go> <d:{side}> <a:around> CORNER",
        "GO FORWARD and TURN at CORNER", "<i:[keep going|go]> and TURN at CORNER", "GO ONWARD to CORNER and TURN",
        "<i:take> <d:the {side}> at CORNER", "GO <a:around> CORNER , <i:turning> <d:{side}>",
        "TURN <a:around> HOUSE", "<i:go> <d:{side}> <a:around> HOUSE",
        "<i:go> <d:around> HOUSE <d:to [the|your] {side}>",
        "TURN at END", "GO ONWARD to END and TURN", "GO FORWARD <a:around> CORNER <d:to [the|your] {side}>",
        "GO <a:along> HOUSE and TURN at CORNER", "GO <a:along> HOUSE to CORNER and TURN",
        "<i:follow> [along|] HOUSE ONSIDE and TURN at CORNER", "GO <a:along> HOUSE ONSIDE and TURN at CORNER",
    ),
    "turn at": (
        "TURN at {thing}", "TURN <t:WHEN you REACH {thing}>", "<t:WHEN you REACH {thing}> COMMA TURN",
        "at {thing} COMMA TURN", "GO FORWARD and TURN at {thing}", "<i:take> <d:the {side}> at {thing}",
        "<i:keep going> and TURN at {thing}", "<t:as you [reach|get to|come to]> {thing} COMMA TURN", "TURN by {thing}",
    ),
    "slight at": ("SLIGHT at {thing}", "at {thing} COMMA SLIGHT", "<t:WHEN you REACH {thing}> COMMA SLIGHT"),
    "turn after": (
        "TURN <a:<x:[right after|just past|after|past]>> {thing}",
        "TURN <t:[after you pass|after passing|once you pass]> {thing}",
        "<t:[after passing|after you pass|once you are past|once you pass]> {thing} COMMA TURN",
        "GO FORWARD and TURN <a:<x:[after|past]>> {thing}", "<i:take> <d:the {side}> <a:<x:[after|past]>> {thing}",
        "<a:<x:[after|past]>> {thing} COMMA TURN",
    ),
    "turn before": (
        "TURN <a:<x:[before|just before|right before]>> {thing}",
        "TURN <t:before [reaching|you reach]> {thing}",
    ),
    **_ending_sources(),
    "take it": (
        "<i:pick> it <i:up>", "<i:[take|collect|grab|get]> it",
        "APPROACH to it and [<i:pick> it <i:up>|<i:[take|collect|grab|get]> it]",
        "APPROACH and [<i:pick> it <i:up>|<i:[take|collect|grab]> it]",
    ),
    "take item": (
        "PICK {item_thing}", "APPROACH to {item_thing} and [<i:pick> it <i:up>|<i:[take|collect|grab]> it]",
        "<i:go> to {item_thing} , <i:pick> it <i:up>",
    ),
}  # fmt: skip
# Read but not written: other wordings that people use.
READ_ONLY_SOURCES: dict[str, tuple[str, ...]] = {
    "turn": ("[go|bear|veer] {side}", "turn [towards|toward] [the|your] {side}"),
    "to": ("[go|walk|head] [straight|forward|] [up|over|down|] to {thing}", "until you [REACH|are at] {thing}"),
    "cross": ("[go|walk|head|continue|move] [straight|forward|] [up|over|down|] to the [street|] corner",),
    "pick": ("[fetch|find|retrieve|acquire|pick] [up|] {item_thing}",),
    **{
        f"pick {how}": (f"[fetch|find|retrieve|acquire|pick] [up|] {{item_thing}} {words} {{thing}}",)
        for how, words in RELATIONS.items()
    },
}

_INTRODUCTION = re.compile(r"you \[(?:see|reach)[^{}]*\{thing\}")  # "until you see a bench"


class Clause:
    """One template for a frame."""

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source
        self.template = Template(expand_macros(source, MACROS))
        self.temporal = "<t:" in self.template.source
        self.singular = "{thing} is" in self.template.source
        self.introduces = bool(_INTRODUCTION.search(self.template.source))

    @cached_property
    def slots(self) -> frozenset[str]:
        """The slots to fill."""
        return self.template.slots

    @cached_property
    def reading(self) -> Template:
        """The template that reads a chunked string, where "it" is an object as well."""
        source = self.template.source.replace("{crossing}", f"[{'|'.join(dict.fromkeys(CROSSING_NOUNS))}]")
        source = source.replace("the building", "{building_thing}")
        return Template(re.sub(r"\bit\b", "{it_thing}", source))

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern for a chunked string, where an item is "%3"."""
        pattern = self.reading.pattern
        return re.compile(pattern.replace(f"(?P<item_thing>{THING_PATTERN})", f"(?P<item_thing>{ITEM_PATTERN})"))


CLAUSES: dict[str, tuple[Clause, ...]] = {
    name: tuple(Clause(name, source) for source in sources) for name, sources in CLAUSE_SOURCES.items()
}
READABLE_CLAUSES: dict[str, tuple[Clause, ...]] = {
    name: (*clauses, *(Clause(name, source) for source in READ_ONLY_SOURCES.get(name, ())))
    for name, clauses in CLAUSES.items()
}

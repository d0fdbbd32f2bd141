"""Templates of placement texts, shared by writer and parser.

A slot that ends in "thing" is a noun phrase: an item or a wall. No word may be one that `quality` forbids.
"""

from __future__ import annotations

from bearleft.language.templates import Template
from bearleft.world.arramon.items.names import COLOURS, TYPES

# Names of items and walls, the most frequent first.
PATTERNS = {"dotted": ("dotted", "spotted"), "striped": ("striped",)}
NOUNS = {kind: (kind,) for kind in TYPES} | {"tv": ("TV",)}
MANY = {kind: f"{kind}s" for kind in TYPES} | {"tv": "TVs", "hourglass": "hourglasses"}
WALLS = {
    "brick": ("brick", "red brick"),
    "wood": ("wooden", "wood", "brown"),
    "striped": ("striped",),
    "spotted": ("dotted", "spotted"),
}
# Additional words that only the parser knows.
READ_PATTERNS = {word: name for name, words in PATTERNS.items() for word in words} | {
    "polka-dotted": "dotted",
    "polka-dot": "dotted",
    "dot": "dotted",
    "dots": "dotted",
    "stripe": "striped",
    "stripped": "striped",
    "striped": "striped",
    "stripey": "striped",
    "stripy": "striped",
}
READ_COLOURS = {name: name for name in COLOURS} | {"orange": "brown", "violet": "purple", "lime": "green"}
READ_NOUNS = {kind: (kind, False) for kind in TYPES} | {many.lower(): (kind, True) for kind, many in MANY.items()}
READ_NOUNS |= {"television": ("tv", False), "cup": ("mug", False), "hour-glass": ("hourglass", False)}
READ_NOUNS |= {"tv's": ("tv", True), "pail": ("bucket", False)}
READ_WALLS = {
    "brick": ("brick", "red brick", "red", "brown brick"),
    "wood": ("wooden", "wood", "brown", "brown wooden"),
    "striped": ("striped", "grey striped", "striped grey", "gray striped", "striped gray", "grey", "gray"),
    "spotted": ("dotted", "spotted", "white dotted", "dotted white"),
}

# Noun phrases made of noun phrases; {thing} is the referent.
STACK = Template("[the|a] [stack|stack|pile] of {thing} and {other_thing}")
UNDER = Template("{thing} [with|that has|with] {other_thing} on [top|top of it|it|top]")
ON = Template("{thing} that is [on|on top of] {other_thing}")
CLOSE = Template("{thing} [that is|that is|which is] [close to|against|by|near] {wall_thing}")
SEEN = Template("{thing} <e:[on your|to your] <d:{side}>>")
SEEN_AHEAD = Template("{thing} <e:in front of you>")

# Turns before the placement, to a side and to a wall.
TURN = (
    *(Template("<i:turn <d:{side}>>"),) * 7,
    *(Template("<i:turn to <e:your> <d:{side}>>"),) * 2,
    Template("<i:turn to the <d:{side}>>"),
    Template("<i:turn all the way to the <d:{side}>>"),
    Template("<i:turn 90 degrees to the <d:{side}>>"),
)
TURN_TO = (
    *(Template("<i:turn <d:{side}> to face <a:{wall_thing}>>"),) * 3,
    *(Template("<i:turn <d:{side}> so that <e:you> face <a:{wall_thing}>>"),) * 2,
    Template("<i:turn [to face|towards|to] <a:{wall_thing}>>"),
    Template("<i:turn [to face|towards] <a:{wall_thing}> <e:[to|on] your <d:{side}>>>"),
    Template("<i:face <a:{wall_thing}>>"),
)
TURN_WHEN = (Template("<t:[once|when] <e:you> face <a:{wall_thing}>> ,"),)
AROUND = (Template("<i:<d:turn around>>"),)
AFTER_TURN = (Template("."), *(Template("<s:and>"),) * 6, Template("<s:and then>"), Template("<s:, then>"))

# Verbs of placing the carried item.
PLACE = (
    *(Template("<i:place> {thing}"),) * 16,
    *(Template("<i:put> {thing}"),) * 4,
    *(Template("<i:[drop|set|lay down|set down|put down|leave]> {thing}"),) * 3,
)
BELONGS = (Template("{thing} [belongs|should be]"),)  # not a command: nothing precedes it
PLACE_IT = (Template("<i:place it>"), Template("<i:put it>"))
AND = (*(Template("<s:and>"),) * 4, Template("<s:, and>"), Template("<s:so that it is [also|]>"))

# Relations, as in `semantics`.
ON_TOP = Template("<a:[on top of|on top of|on top of|on top of|atop|on] {thing}>")
BESIDE = Template(
    "<a:[[|||directly|just] to the <d:{side}> of|[|||directly|just] to the <d:{side}> of|on the <d:{side}> side of"
    "|on the <d:{side}> of|[|just] <d:{side}> of] {thing}>"
)
FRONT = Template("<a:<x:[|||directly|just] in front of> {thing}>")
BEHIND = Template("<a:<x:[|||directly|just] behind> {thing}>")
NEXT = Template("<a:[|right] [next to|beside] {thing}>")
DIAGONAL = Template("<a:[diagonally from|diagonal to|diagonally next to|diagonal from] {thing}>")
LINE = Template("<a:[in line with|lined up with|aligned with] {thing}>")
BETWEEN = Template("<a:[between|between|in between] {thing} and {other_thing}>")
BETWEEN_TWO = Template("<a:[between|in between] {thing}>")
AGAINST = Template("<a:[against|up against|against] {wall_thing}>")
MEET = Template("<a:where {wall_thing} and {other_thing} meet>")
AGAINST_BOTH = Template("<a:against [both|] {wall_thing} and {other_thing}>")
MY_SIDE = Template("<e:[|directly|just] [to|on] your <d:{side}>>")
MY_FRONT = Template("<e:[|directly|directly|right] in front of you>")
MY_AHEAD = Template("<e:[straight ahead of you|straight ahead]>")
CLOSER = Template("<m:<a:closer to {wall_thing} than {thing}>>")

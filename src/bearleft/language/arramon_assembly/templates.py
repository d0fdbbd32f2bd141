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
    "striped": ("striped", "striped grey", "striped gray"),
    "spotted": ("dotted", "spotted", "dotted white"),
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
UNDER = Template("{thing} [with|with|with|that has] {other_thing} on [top|top of it|it|top]")
ON = Template("{thing} that is [on|on top of] {other_thing}")
CLOSE = Template("{thing} [that is|that is|which is|that sits] [close to|against|by|near|touching] {wall_thing}")
SEEN = Template("{thing} <e:[on your|to your] <d:{side}>>")
SEEN_AHEAD = Template("{thing} <e:[in front of you|ahead of you]>")
WALL_AHEAD = Template("{wall_thing} <e:[in front of you|ahead of you|ahead]>")
WALL_ASIDE = Template("{wall_thing} <e:[to|on] your <d:{side}>>")

# Turns before the placement, to a side and to a wall.
TURN = Template(
    "<i:turn [|||||||all the way|90 degrees] [<d:{side}>|<d:{side}>|<d:{side}>|<d:{side}>|to <e:your> <d:{side}>"
    "|to the <d:{side}>]>"
)
TURN_TO = Template(
    "<i:turn [<d:{side}>|<d:{side}>|to <e:your> <d:{side}>|to the <d:{side}>|] "
    "[to face|to face|facing|and face|so that <e:you> face|, facing] <a:{wall_thing}>>"
)
TURN_TOWARDS = Template("<i:[turn towards|turn to|face] <a:{wall_thing}>>")
FACING = Template("<t:[once|when|while] <e:you> face <a:{wall_thing}>> ,")
FACING_FIRST = Template("<a:facing {wall_thing}> [,|]")
AFTER_TURN = Template(
    "[<s:and>|<s:and>|<s:and>|<s:and>|<s:and>|.|.|<s:and then>|<s:, then>|<s:then>|<s:,>|<s:and immediately>]"
)

# Verbs of placing the carried item.
PLACE = Template(
    "[<i:place> {thing}|<i:place> {thing}|<i:place> {thing}|<i:place> {thing}|<i:put> {thing}"
    "|<i:place> {thing} <i:down>|<i:[drop|set|lay down|set down|put down|leave|position]> {thing}]"
)
PLACE_ON_FLOOR = Template("<i:[place|put|drop]> {thing} on the [floor|ground]")
PLACE_ONLY = Template("<i:place>")
PLACE_IT = Template("<i:[place it|put it]>")
BELONGS = Template("{thing} [belongs|should be|goes]")  # not a command: nothing precedes it
AND = Template("[<s:and>|<s:and>|<s:and>|<s:and>|<s:, and>|<s:so that it is>|<s:so it is>|<s:so that it is also>]")

# Relations, as in `semantics`.
ON_TOP = Template("<a:[|||directly] [on top of|on top of|on top of|on top of|atop|on|onto] {thing}>")
BESIDE = Template(
    "<a:[|||directly|just|immediately] [to the <d:{side}> of|to the <d:{side}> of|on the <d:{side}> side of"
    "|on the <d:{side}> of|<d:{side}> of|to <d:{side}> of] {thing}>"
)
FRONT = Template("<a:<x:[|||directly|just|immediately] in front of> {thing}>")
BEHIND = Template("<a:<x:[|||directly|just|immediately] behind> {thing}>")
NEXT = Template("<a:[|right] [next to|beside] {thing}>")
DIAGONAL = Template("<a:[diagonally from|diagonal to|diagonally next to|diagonal from|diagonally to] {thing}>")
LINE = Template("<a:[in line with|lined up with|aligned with] {thing}>")
BETWEEN = Template("<a:[between|between|between|in between|inbetween] {thing} and {other_thing}>")
BETWEEN_TWO = Template("<a:[between|in between] {thing}>")
AGAINST = Template("<a:[against|against|against|up against|touching|along] {wall_thing}>")
MEET = Template("<a:where {wall_thing} and {other_thing} meet>")
AGAINST_BOTH = Template(
    "<a:[against|against|up against|between|touching|closest to] [both|] {wall_thing} and {other_thing}>"
)
MY_SIDE = Template("<e:[|directly|just] [to|to|on] your <d:{side}>>")
MY_FRONT = Template("<e:[|directly|directly|directly|right|immediately] in front of you>")
MY_AHEAD = Template("<e:[straight ahead of you|straight ahead]>")
CLOSER = Template("<m:<a:closer to {wall_thing} than {thing}>>")

"""Templates of Refer360-like sequences: pieces that the follower scans for, and sentences that contain them.

A piece (`PIECES`) has a letter, a value and a template. Sentences contain pieces in their slots, so writer and follower
share one source.
"""

from __future__ import annotations

from typing import NamedTuple

from bearleft.language.referring.target_location import Measure, Part
from bearleft.language.referring.view import Relation, Side
from bearleft.language.templates import Template

_SEE = "[is|is|is|you will see|you'll see|there is|there is|you can see|you should see|there should be|you will find]"

# Followed by the anchor.
_JUST = "[||||||just|directly|immediately]"
RELATIONS: dict[Relation, Template] = {
    "left": Template(f"<d:{_JUST} [to the left|to the left|to the left|to the left|on the left] of>"),
    "right": Template(f"<d:{_JUST} [to the right|to the right|to the right|to the right|on the right] of>"),
    "above": Template("<d:[||||just|directly|right] [above|above|above|over|up from|up above]>"),
    "below": Template("<d:[||||just|directly|right] [below|below|below|under|underneath|beneath|down from]>"),
    "near": Template("[next to|next to|next to|beside|near|close to|right by|right next to]"),
    "behind": Template("<x:[||||just|directly|right] [behind|behind|behind|in back of|past]>"),
    "before": Template("<x:[||||just|directly|right] in front of>"),
    "across": Template("<x:[|directly] across [the street|the road|the way|] from>"),
}
# Other wordings that people use, read but not written.
READ_RELATIONS: dict[Relation, Template] = {
    "left": Template("[left of|left from|off to the left of|to the left side of|over to the left of|the left of]"),
    "right": Template(
        "[right of|right from|off to the right of|to the right side of|over to the right of|the right of]"
    ),
    "above": Template("[on top of|atop|upward from|higher than|straight [above|over|up from]]"),
    "below": Template("[at the foot of|lower than|underneath of|straight [below|under|down from]]"),
    "near": Template("[adjacent to|nearby|alongside]"),
    "behind": Template("[beyond|at the back of|in the background of|further back than]"),
    "before": Template("[out in front of]"),
    "across": Template(
        "[on the other side of the [street|road] from|opposite from|on the opposite side of the street from]"
    ),
}
# Relative to the current view.
_GO = "[look|turn|go|pan|move|scroll|look over]"
TURNS: dict[Relation, Template] = {
    "left": Template(
        f"[<d:{_GO} [left|to the left|to the left|<e:to your left>|<e:to your left>]>|"
        f"<d:[to the left|on the left|to its left]> {_SEE}]"
    ),
    "right": Template(
        f"[<d:{_GO} [right|to the right|to the right|<e:to your right>|<e:to your right>]>|"
        f"<d:[to the right|on the right|to its right]> {_SEE}]"
    ),
    "above": Template(f"[<d:[look|go|move|pan] [up|straight up|directly up|upwards]>|<d:above> {_SEE}]"),
    "below": Template(f"[<d:[look|go|move|pan] [down|straight down|directly down|downwards]>|<d:below> {_SEE}]"),
    "around": Template(
        "[<e:[turn|spin|look] around>|<e:[turn|spin] all the way around>|<e:look [directly|] behind you>|"
        "<d:[turn|face|look] [in|to|] the opposite [direction|way|side]>|<d:turn and face the opposite direction>]"
    ),
    "across": Template("<x:look [directly|] across the [street|road]>"),
}
PARTS: dict[Part, Template] = {
    (-1, 1): Template("<a:[||very] [top|upper] left [corner|corner|corner|part] of>"),
    (1, 1): Template("<a:[||very] [top|upper] right [corner|corner|corner|part] of>"),
    (-1, -1): Template("<a:[||very] [bottom|lower] left [corner|corner|corner|part] of>"),
    (1, -1): Template("<a:[||very] [bottom|lower] right [corner|corner|corner|part] of>"),
    (0, 1): Template("<a:[top|top|very top|upper part|top part|upper half|top edge] of>"),
    (0, -1): Template("<a:[bottom|bottom|very bottom|base|lower part|lower half|bottom edge] of>"),
    (-1, 0): Template("<a:[|far] left [side|side|edge|end|part] of>"),
    (1, 0): Template("<a:[|far] right [side|side|edge|end|part] of>"),
    (0, 0): Template("<a:[middle|middle|center|center|very middle] of>"),
}
# Read but not written.
READ_PARTS: dict[Part, Template] = {
    (across, up): Template(f"[|very|far] {high} {side} [side|edge|end|section|portion|hand corner|half] of")
    for across, side in ((-1, "left"), (1, "right"))
    for up, high in ((-1, "[bottom|lower]"), (1, "[top|upper]"))
}
_UNIT = "[waldo height|waldo length|waldo width|waldo]"
_UNITS = "[waldo heights|waldo lengths|waldo widths|waldos]"
MEASURES: dict[Measure, Template] = {
    0.0: Template("[just|just|just|just|just|<q:slightly>|<q:a little>|<q:a bit>|<q:a tad>|barely|<q:a little bit>]"),
    0.5: Template("[<q:about>|||] half a waldo"),
    1.0: Template("[<q:about>||||] [one|one|1|a] {unit}"),
    1.5: Template("[<q:about>||||] one and a half {unit}"),
    2.0: Template("[<q:about>|||] <n:[two|two|2]> {unit}"),
    3.0: Template("[<q:about>|<q:around>||||] <n:[three|3]> {unit}"),
    4.0: Template("[<q:about>|||] <n:[four|4]> {unit}"),
}
UNITS: dict[bool, tuple[str, ...]] = {
    True: ("waldo height", "waldo", "waldo length"),
    False: ("waldo width", "waldo"),
}
SIDES: dict[Side, Template] = {
    "above": Template("<d:[up|higher|above]>"),
    "below": Template("<d:[down|lower|below]>"),
    "left": Template("<d:[to the left|left|over to the left]>"),
    "right": Template("<d:[to the right|over to the right]>"),
}
SURFACES: dict[str, Template] = {
    "sky": Template("[in|up in|in] the [sky|sky|air]"),
    "road": Template("[on|on|in] the [road|street|street|pavement|ground|asphalt]"),
    "sidewalk": Template("on the [sidewalk|sidewalk|walkway|curb]"),
    "crosswalk": Template("[on|in] the [crosswalk|crosswalk|white stripes]"),
    "grass": Template("[on|in] the [grass|lawn]"),
    "plaza": Template("on the [plaza|paving|stone ground]"),
    "wall": Template("[on|on|against] the wall"),
    "floor": Template("[on|on|on|down on] the floor"),
    "ceiling": Template("[on|on|on|up on] the ceiling"),
    "top of the wall": Template("[where the wall meets the ceiling|where the wall and the ceiling meet]"),
    "foot of the wall": Template("[where the wall meets the floor|where the wall and the floor meet]"),
}
# Other wordings that people use, read but not written.
READ_SURFACES: dict[str, Template] = {
    "wall": Template("on the facade"),
    "floor": Template("on the [carpet|tiles]"),
    "ceiling": Template("[in|near] the ceiling"),
    "top of the wall": Template("where the ceiling meets the wall"),
    "foot of the wall": Template("where the floor meets the wall"),
}
BETWEEN = Template("[halfway between|in between|between|right between|midway between|in the middle between]")
WITHIN = Template("[between|between|in between]")  # and nearer to one of them
COUNTED = Template(", [counting|counting|counted] from {anchor}")
CLOSER = Template("<m:[closer to|nearer to|much closer to|a little closer to]>")
LEVEL = Template(
    "[level with|at the same height as|at the same level as|even with|in line with|parallel with|as high as|"
    "parallel to]"
)
NEAREST = Template("<e:[closest to you|nearest to you|nearest you|that is closest to you]>")
CLOSE = Template("<e:[close to you|near you|right near you|not far from you]>")
FAR = Template("[in the distance|in the background|far away|further away]")
WITH = Template("[with|that has|which has]")
WALDO = Template(
    "[waldo is|waldo is|waldo is|waldo is|waldo is|waldo is|waldo is|waldo is|waldo will be|waldo can be found|"
    "waldo should be|you will find waldo|you'll find waldo|waldo is located|waldo is located|waldo is hiding|"
    "you can find waldo]"
)
SITTING = Template("waldo is [sitting|sitting|standing]")  # where possible
FLOATING = Template("[waldo is floating|waldo is floating|waldo is hanging|waldo is hovering]")
WALDOS = Template("[waldo|waldo's|waldos|he is|he's|his head is|find him|here is waldo|waldo's head]")
WINDOW = Template("[on|on|in|over] <n:the {nth} window> ")
THERE = Template("[there|here|[that|this|the] [spot|point|corner|edge|part|side|area]]")
HIM = Template("[him|waldo|where he is]")


class Piece(NamedTuple):
    """A template that the follower scans for: a letter, a value, and what must not follow."""

    letter: str
    value: object
    template: Template
    unless: str = ""


# "Look right by it" is not a turn to the right.
_BLOCKS = (
    "of |from |side |corner |edge |part |end |by |next |in |behind |above |below |under |over |past |on |beside |near |"
    "beneath |underneath |up |down |close |across "
)
PIECES: tuple[Piece, ...] = (
    *(Piece("R", name, words) for table in (RELATIONS, READ_RELATIONS) for name, words in table.items()),
    *(Piece("M", name, words, _BLOCKS) for name, words in TURNS.items()),
    Piece("M", "across", Template("[directly|just|right|straight|] across the [street|road|way]"), "from "),
    *(Piece("P", part, words) for table in (PARTS, READ_PARTS) for part, words in table.items()),
    *(Piece("P", part, Template(words.source.replace(" of>", ">")), "of ") for part, words in PARTS.items()),
    *(
        Piece("Q", measure, Template(words.source.replace("{unit}", f"[{_UNIT}|{_UNITS}]")))
        for measure, words in MEASURES.items()
    ),
    *(Piece("D", side, words, "of |corner |side |edge |part |end |from ") for side, words in SIDES.items()),
    *(Piece("S", surface, words) for table in (SURFACES, READ_SURFACES) for surface, words in table.items()),
    Piece("B", 0.5, BETWEEN),
    Piece("C", None, CLOSER),
    Piece("L", None, LEVEL),
    Piece("E", None, NEAREST),
    Piece("Z", None, CLOSE),
    Piece("Z", None, FAR),
    Piece("F", None, Template("focus [your attention|] on")),
    Piece("H", None, THERE),
    Piece("I", None, WITH),
    Piece("W", None, WALDO),
    Piece("W", None, FLOATING),
    Piece("W", None, SITTING),
    Piece("W", None, WALDOS, "height |width |length "),
    Piece("N", None, WINDOW),
    Piece("X", None, HIM),
    Piece(".", None, Template(".")),
)

OPENINGS = tuple(
    map(
        Template,
        (
            "[find|find|find|find|find|find|look for|look for|look for|locate|locate|look at|face|turn to face] {what}",
            "[find|find|find|find|look for|look for|locate|look at|look towards|search for|focus on] {what}",
            "[find|find|find|look for|locate|turn to|turn towards|look toward|turn and find|notice|spot] {what}",
            "<t:[turn|look around|spin|pan around] until you [see|find|spot]> {what}",
            "[first , find|start by finding|look around and find|look around for|scan the scene for|start at] {what}",
            "[orient yourself|turn yourself|position yourself] so that you [see|are facing|are looking at] {what}",
            *[
                "[find|find|find|find|find|find|look for|look for|look for|locate|locate|look at|face|turn to face] {what}",  # noqa: E501
                "[find|find|find|find|look for|look for|locate|look at|look towards|search for|turn to|locate] {what}",
            ]
            * 5,
        ),
    )
)
PRESENTED = (
    Template(
        "[there is|somewhere there is|you will see|there's] {what} [in the scene|] . [find it|look at it|face it]"
    ),
)
# With an indefinite object, and with a definite one.
MIDDLES = tuple(
    map(
        Template,
        (
            f"{{relation}} {{anchor}} {_SEE} {{what}}",
            f"{{relation}} {{anchor}} {_SEE} {{what}}",
            f"{{relation}} {{anchor}} {_SEE} {{what}}",
            "[there is|there's|you will see|you should see] {what} {relation} {anchor}",
            "[look|look|now look|then look] {relation} {anchor} [for|and you will see|and there is] {what}",
        ),
    )
)
DEFINITES = tuple(
    map(
        Template,
        (
            "[look|look|now look] {relation} {anchor} [and find|and locate|to find|at] {what}",
            "[look at|look at|find|locate|notice|note|see|look for|focus on] {what} {relation} {anchor}",
            "[look at|find|locate|notice|now find|now look at|see] {what} [that is|which is|located|] {relation} {anchor}",  # noqa: E501
        ),
    )
)
TURNED = tuple(
    map(
        Template,
        (
            "{turn} [and find|and look for|and locate|to find|and look at|and you will see] {what}",
            "{turn} <t:until you [see|find|reach|get to|come to]> {what}",
            "[from there|from that spot|from here] , {turn} [and find|and look for|to] {what}",
        ),
    )
)
FACED = tuple(map(Template, ("{turn} [and find|and look for|to find|and you will see|and locate] {what}",)))
FOCUSED = tuple(
    map(
        Template,
        (
            "[look at|look at|focus on|notice|note|find|locate|focus your attention on] the {part} {anchor}",
            "[now|then] [look at|focus on|notice] the {part} {anchor}",
        ),
    )
)
SEQUENCED = Template("<s:[then|next ,|after that ,|now|from there ,]>")
REMARKS = tuple(
    map(
        Template,
        (
            "{what} is {relation} [him|waldo]",
            "{what} is {relation} him , [too|also|as well]",
            "you [should|will|can] [also|] see {what} {relation} him",
            "there is {what} {relation} [him|where he is]",
        ),
    )
)

# The sources of all templates: the follower's vocabulary besides the names of objects.
TEMPLATE_SOURCES: tuple[str, ...] = (
    *(piece.template.source for piece in PIECES),
    *(
        template.source
        for templates in (OPENINGS, PRESENTED, MIDDLES, DEFINITES, TURNED, FACED, FOCUSED, REMARKS)
        for template in templates
    ),
    SEQUENCED.source,
    COUNTED.source,
)

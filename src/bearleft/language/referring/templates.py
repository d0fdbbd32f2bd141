"""Templates of Refer360-like sequences: pieces that the follower scans for, and sentences that contain them.

A piece (`PIECES`) has a letter, a value and a template. Sentences contain pieces in their slots, so writer and follower
share one source.
"""

from __future__ import annotations

from typing import NamedTuple

from bearleft.language.referring.supports import Spot
from bearleft.language.referring.target_location import FAR_WALDOS, Body, Edge, Feet, Measure, Part
from bearleft.language.referring.view import Relation, Side
from bearleft.language.templates import Template

# Followed by the anchor.
_JUST = "[||||||just|directly|immediately]"
RELATIONS: dict[Relation, Template] = {
    "left": Template(
        f"<d:{_JUST} [to the left of|to the left of|to the left of|to the left of|on the left of|left of|"
        "off to the left of|over to the left of|to the left side of|on the left-hand side of]>"
    ),
    "right": Template(
        f"<d:{_JUST} [to the right of|to the right of|to the right of|to the right of|on the right of|right of|"
        "off to the right of|over to the right of|to the right side of|on the right-hand side of]>"
    ),
    "above": Template("<d:[||||just|directly|right|straight] [above|above|above|above|over|up from|up above]>"),
    "below": Template("<d:[||||just|directly|right] [below|below|below|under|underneath|beneath|down from]>"),
    "near": Template(
        "[next to|next to|next to|beside|near|near|close to|by|right next to|right beside|right by|alongside|"
        "adjacent to|very near]"
    ),
    "behind": Template("<x:[||||just|directly|right] [behind|behind|behind|behind|in back of|past|beyond]>"),
    "before": Template("<x:[||||just|directly|right] in front of>"),
    "across": Template("<x:[|directly] across [the street|the road|the way|] from>"),
}
# Other wordings that people use, read but not written.
READ_RELATIONS: dict[Relation, Template] = {
    "left": Template("[left from|off to the left of|to the left side of|over to the left of|the left of]"),
    "right": Template("[right from|off to the right of|to the right side of|over to the right of|the right of]"),
    "above": Template("[atop|upward from|higher than|straight [over|up from]]"),
    "below": Template("[at the foot of|lower than|underneath of|straight [below|under|down from]]"),
    "near": Template("[closest to|nearest to|nearby]"),
    "behind": Template("[beyond|at the back of|in the background of|further back than|in back of|past]"),
    "before": Template("[out in front of]"),
    "across": Template(
        "[on the other side of the [street|road] from|opposite from|on the opposite side of the street from]"
    ),
}
CLOSEST = Template("[closest to|closest to|nearest to]")  # where others of the name are farther away
ON = Template("[on|on|on|on top of|sitting on]")  # another object; of people only "on"
# Relative to the current view.
_GO = (
    "[look|look|look|turn|turn|go|move|pan|scroll|look over|"
    "move your view|shift your view|move your gaze|rotate|swivel|pan over|glance|shift your gaze|"
    "turn your head|move your eyes|turn your view]"
)
_SEE = "[is|is|is|there is|you will see|you'll see|you can see|you should see|you see|you will find|there's]"
TURNS: dict[Relation, Template] = {
    "left": Template(
        f"[<d:{_GO} [left|to the left|to the left|to the left|<e:to your left>]>|"
        f"<d:[to the left|to the left|on the left|to its left|just to the left|on your left|off to the left]> {_SEE}]"
    ),
    "right": Template(
        f"[<d:{_GO} [right|to the right|to the right|to the right|<e:to your right>]>|"
        f"<d:[to the right|to the right|on the right|to its right|just to the right|on your right|"
        f"off to the right]> {_SEE}]"
    ),
    "above": Template(
        f"[<d:[look|look|go|move|scroll|pan|tilt] [up|up|straight up|directly up|upward|upwards]>|<d:above> {_SEE}]"
    ),
    "below": Template(
        f"[<d:[look|look|go|move|scroll|pan|tilt] [down|down|straight down|directly down|downward|downwards]>|"
        f"<d:below> {_SEE}]"
    ),
    "around": Template(
        "[<e:turn around>|<e:spin around>|<e:look behind you>|<d:look at the opposite side of the room>|"
        "<d:turn to face the other way>|<d:turn in the opposite direction>|<d:look on the other side>|"
        "<e:look directly behind you>|<e:turn all the way around>|<e:turn completely around>|<e:turn 180 degrees>|"
        "<e:do a 180>|<d:face the opposite direction>|<d:look in the opposite direction>]"
    ),
    "across": Template("<x:look [directly|] across the [street|road]>"),
}
READ_TURNS: dict[Relation, Template] = {
    "around": Template(
        "[[turn|spin|look] all the way around|look around|look directly behind you|"
        "[turn|face|look] [in|to|] the [opposite|other] [direction|way|side]]"
    ),
}
_CORNER = "[corner|corner|corner|corner|part|side|edge|portion|section|hand corner|area|]"
PARTS: dict[Part, Template] = {
    (-1, 1): Template(f"<a:[|||very] [top|upper] left {_CORNER} of>"),
    (1, 1): Template(f"<a:[|||very] [top|upper] right {_CORNER} of>"),
    (-1, -1): Template(f"<a:[|||very] [bottom|lower] left {_CORNER} of>"),
    (1, -1): Template(f"<a:[|||very] [bottom|lower] right {_CORNER} of>"),
    (0, 1): Template(
        "<a:[top|top|top|very top|upper part|top part|upper half|top edge|top portion|upper portion|upper edge|"
        "top half|topmost part|uppermost part|upper section|top section|highest point|highest part] of>"
    ),
    (0, -1): Template(
        "<a:[bottom|bottom|bottom|very bottom|base|lower part|bottom part|lower half|bottom edge|bottom portion|"
        "lower portion|lower edge|bottom half|lowest part|lower section|bottom section|lowest point] of>"
    ),
    (-1, 0): Template("<a:[|||far] left [side|side|side|edge|end|part|hand side|portion|section|half|border] of>"),
    (1, 0): Template("<a:[|||far] right [side|side|side|edge|end|part|hand side|portion|section|half|border] of>"),
    (0, 0): Template(
        "<a:[middle|middle|center|center|very middle|very center|exact middle|exact center|dead center|midpoint|"
        "middle part|center part] of>"
    ),
}
# Read but not written.
READ_PARTS: dict[Part, Template] = {
    (across, up): Template(f"[|very|far] {high} {side} [section|portion|end|hand corner|half|] of")
    for across, side in ((-1, "left"), (1, "right"))
    for up, high in ((-1, "[bottom|lower]"), (1, "[top|upper]"))
}
ON_TOP = Template("<a:[right|] on top of>")
_UNIT = "[waldo height|waldo length|waldo width|waldo]"
_UNITS = "[waldo heights|waldo lengths|waldo widths|waldos]"
MEASURES: dict[Measure, Template] = {
    0.0: Template(
        "[just|just|just|just|<q:slightly>|<q:slightly>|<q:a little>|<q:a bit>|<q:a little bit>|immediately|"
        "<q:just slightly>|<q:about an inch>|<q:a couple inches>|<q:a tiny bit>|<q:ever so slightly>|<q:a hair>|"
        "<q:a touch>|"
        "<q:only slightly>|<q:just a bit>|<q:just a little>|<q:a smidge>|<q:a slight bit>|barely]"
    ),
    0.5: Template("[<q:about>|||] half a waldo"),
    1.0: Template("[<q:about>|<q:about>|] [one|one|1|a] {unit}"),
    1.5: Template("[<q:about>|] one and a half {unit}"),
    FAR_WALDOS: Template(
        "[well|well|way|far|<q:quite a bit>|<q:a good bit>|quite far|pretty far|<q:a ways>|much further|"
        "<q:quite a ways>|<q:a fair bit>|<q:a good distance>|<q:a good deal>|considerably|a long way]"
    ),
    2.0: Template("[<q:about>|] <n:[two|two|2]> {unit}"),
    3.0: Template("[<q:about>|] <n:[three|3]> {unit}"),
    4.0: Template("[<q:about>|] <n:[four|4]> {unit}"),
    Feet(0.25): Template("[<q:a few inches>|<q:a few inches>|<q:about three inches>|<q:several inches>]"),
    Feet(1.0): Template("[<q:about>|<q:about>|] [a|a|one|1] foot"),
    **{
        Feet(float(count)): Template(f"[<q:about>|<q:about>|] <n:[{word}|{word}|{count}]> feet")
        for count, word in ((2, "two"), (3, "three"), (4, "four"), (5, "five"), (6, "six"))
    },
}
UNITS: dict[bool, tuple[str, ...]] = {
    True: ("waldo height", "waldo", "waldo length"),
    False: ("waldo width", "waldo"),
}
SIDES: dict[Side, Template] = {
    "above": Template("<d:[up|higher|above|upwards|higher up]>"),
    "below": Template("<d:[down|lower|below|downwards|lower down]>"),
    "left": Template("<d:[to the left|to the left|left|over to the left|off to the left]>"),
    "right": Template("<d:[to the right|to the right|over to the right|off to the right]>"),
}
READ_SIDES: dict[Side, Template] = {
    "left": Template("[on the left|on your left|[on|to] the [far|immediate] left|to its left]"),
    "right": Template("[on the right|on your right|[on|to] the [far|immediate] right|to its right]"),
}
SURFACES: dict[str, Template] = {
    "sky": Template("[in|up in|in|high in] the [sky|sky|air|open sky|open air]"),
    "road": Template("[on the road|on the street|in the street|in the road|on the asphalt|on the roadway]"),
    "sidewalk": Template("on the [sidewalk|sidewalk|curb|walkway|footpath]"),
    "crosswalk": Template("[on|in] the [crosswalk|crosswalk|white stripes]"),
    "grass": Template("[on|in] the grass"),
    "plaza": Template("on the [paving|stone ground|plaza]"),
    "ground": Template("[on|on|on|down on] the [ground|ground|pavement]"),
    "wall": Template("[on|on|on|on|against|along|up against|flat on|flat against] the wall"),
    "floor": Template("[on|on|on|down on] the floor"),
    "ceiling": Template("[on|on|on|up on] the ceiling"),
    "top of the wall": Template(
        "[where the wall meets the ceiling|where the ceiling meets the wall|where the wall and the ceiling meet|"
        "right where the wall meets the ceiling|at the top of the wall|at the point where the wall meets the ceiling|"
        "in the crease between the wall and ceiling|where the wall joins the ceiling|"
        "where the wall touches the ceiling|"
        "along the seam of the wall and ceiling|at the intersection of the wall and ceiling]"
    ),
    "foot of the wall": Template(
        "[where the wall meets the floor|where the floor meets the wall|where the wall and the floor meet|"
        "at the bottom of the wall|at the point where the wall meets the floor|where the wall joins the floor|"
        "at the intersection of the wall and floor|along the seam of the wall and floor]"
    ),
}
FACADE = Template(
    "[on the building|on the building|on the side of the building|on the front of the building|"
    "on the face of the building|on the outside of the building|on the building wall]"
)
# Other wordings that people use, read but not written.
READ_SURFACES: dict[str, Template] = {
    "wall": Template("[on the facade|on [that|this] wall|on the wall [above|behind] it]"),
    "floor": Template("on the [carpet|tiles]"),
    "ceiling": Template("[in|near] the ceiling"),
}
# Where objects are.
SPOTS: dict[Spot, Template] = {
    "wall": Template(
        "[on the wall|on the wall|on the wall|hanging on the wall|that is on the wall|mounted on the wall|"
        "attached to the wall|hung on the wall|mounted to the wall|hanging from the wall|affixed to the wall]"
    ),
    "ceiling": Template(
        "[on the ceiling|on the ceiling|hanging from the ceiling|hanging from the ceiling|"
        "that is hanging from the ceiling|attached to the ceiling|suspended from the ceiling|"
        "hanging down from the ceiling|"
        "mounted to the ceiling|that hangs from the ceiling|in the ceiling]"
    ),
    "floor": Template(
        "[on the floor|on the floor|sitting on the floor|that is on the floor|resting on the floor|"
        "placed on the floor|that sits on the floor|standing on the floor]"
    ),
    "corner": Template(
        "[in the corner|in the corner|in the corner of the room|that is in the corner|over in the corner|"
        "in one corner of the room|standing in the corner]"
    ),
    "middle": Template("[in the middle of the room|in the middle of the room|in the center of the room]"),
    "sidewalk": Template(
        "[on the sidewalk|on the sidewalk|that is on the sidewalk|along the sidewalk|standing on the sidewalk]"
    ),
    "road": Template("[on the street|on the road|in the street|on the side of the road]"),
    "grass": Template("[on the grass|in the grass]"),
    "building": Template("[on the building|on the side of the building|on the front of the building]"),
}
IN_ROOM = Template("[in the room|in the room|in this room|inside the room|inside this room|in here]")
BETWEEN = Template(
    "[between|between|halfway between|in between|right between|midway between|in the middle between|"
    "directly between|exactly between|directly in between|half way between]"
)
WITHIN = Template("[between|between|in between]")  # and nearer to one of them
HALFWAY = Template("[halfway between|halfway between|midway between|in the middle between|half way between]")
TOWARD: dict[Edge, Template] = {
    "ceiling": Template("and the ceiling"),
    "floor": Template("and the floor"),
}
COUNTED = Template(", [counting|counting|counted] from {anchor}")
CLOSER = Template("<m:[closer to|nearer to|much closer to|a little closer to]>")
LEVEL = Template(
    "[level with|at the same height as|at the same level as|even with|even with|in line with|lined up with|"
    "at about the same height as|parallel to|parallel with|as high as|about even with|aligned with|"
    "horizontally even with|"
    "on the same level as]"
)
READ_LEVEL = Template("flush with")
NEAREST = Template("<e:[closest to you|closest to you|nearest to you|nearest you|that is closest to you]>")
CLOSE = Template("<e:[close to you|near you|right near you|right in front of you]>")
FAR = Template(
    "[in the distance|in the background|far away|further away|off in the distance|farther away|away from you|"
    "way in the back]"
)
IT_IS = Template(", [it is|it is|it's|which is]")  # before a relation: "the lamp, it is next to the bed"
WITH = Template("[with|with|with|that has|which has]")
# How Waldo touches the anchor, and an edge of the wall.
_ALMOST = "[|||just|barely|almost]"
BODIES: dict[Body, Template] = {
    "head": Template(
        f"[with his head {_ALMOST} touching|with his head {_ALMOST} touching|, his head is {_ALMOST} touching|"
        "so that his head is touching|and his head is touching|with the top of his head touching|with his hat touching|"
        "with the tip of his hat touching|, waldo's head is touching|with his hair touching|so his head touches|"
        "with his head right against]"
    ),
    "feet": Template(
        f"[with his feet {_ALMOST} touching|with his bottom {_ALMOST} touching|, his feet are touching|"
        "so that his feet are touching|and his feet are touching|with the bottom of him touching|"
        "with the bottom of his body touching|, waldo's feet are touching|so his feet touch|with his feet resting on]"
    ),
    "hand": Template(
        f"[with his hand {_ALMOST} touching|with his arm {_ALMOST} touching|, his hand is {_ALMOST} touching|"
        "so that he is touching|with his elbow touching|with his side touching]"
    ),
}
EDGES: dict[Edge, Template] = {"ceiling": Template("the ceiling"), "floor": Template("the floor")}
WALDO = Template(
    "[waldo is|waldo is|waldo is|waldo is|waldo is|waldo is|waldo is|waldo is|waldo is|waldo is|waldo will be|"
    "waldo can be found|waldo should be|you will find waldo|you'll find waldo|waldo is located|waldo is hiding|"
    "find waldo|waldo is found|waldo's|waldo will be located|waldo can be seen|you can find waldo|"
    "you should find waldo|"
    "you will see waldo|waldo is positioned|waldo is placed|waldo is hidden|waldo would be|waldo has been placed|"
    "waldo is situated|waldo appears|waldo should be found|waldo lies]"
)
PLAIN_WALDO = Template(
    "[waldo is|waldo is|waldo is|waldo will be|waldo is located|you will find waldo|waldo is hiding]"
)
SITTING = Template("waldo is [sitting|sitting|sitting|standing|resting|chilling]")  # where possible
FLOATING = Template(
    "[waldo is floating|waldo is floating|waldo is hanging|waldo is hovering|waldo is flying|waldo is suspended]"
)
WALDOS = Template(
    "[waldo|waldo's|waldos|he is|he's|find him|here is waldo|waldo's head|waldo can be found|you can find waldo]"
)
IS_WALDO = Template("[is waldo|you will find waldo|you'll find waldo|waldo is there|is where waldo is]")
RIGHT_THERE = Template(
    "waldo is [right there|right there|there|right here|on that spot|at that spot|here|in that spot|in that exact spot|"
    "right at that point|exactly there|right at that spot]"
)
WINDOW = Template("[on|on|in|over] <n:the {nth} window> ")
THERE = Template("[there|here|[that|this|the] [spot|point|corner|edge|part|side|area]]")
THAT = Template("[that|this]")
HIM = Template("[him|waldo|where he is]")
# Objects of one name that stand together, and one of them.
GROUPS = Template("[row|row|group|set|line|bunch] of")
# Some objects of a name, by the least number that each is said of.
QUANTIFIERS: dict[int, Template] = {
    2: Template("[two|two|a couple of|some|a pair of]"),
    3: Template("[three|three|some|some|a few|several]"),
    4: Template("[several|some|some|a few|a bunch of|a group of|multiple|a number of]"),
}
PAIR = Template("[pair|set] of")
MEMBERS: dict[str, Template] = {
    "left": Template("[the one on the left|the one on the left|the left one|the one on the far left|the leftmost one]"),
    "right": Template(
        "[the one on the right|the one on the right|the right one|the one on the far right|the rightmost one|"
        "the right most one]"
    ),
    "middle": Template("[the middle one|the one in the middle|the center one]"),
}
OF_GROUP = Template("[||of them|of those|of these]")  # after "the left one"
MEMBER_SIDES: dict[str, Template] = {
    "left": Template("the [left|left|leftmost|far left|left most]"),
    "right": Template("the [right|right|rightmost|far right|right most]"),
    "middle": Template("the [middle|middle|center]"),
}
READ_EDGES: dict[Edge, Template] = {
    "ceiling": Template("up to [the ceiling|where the wall meets the ceiling]"),
    "floor": Template("down to [the floor|where the wall meets the floor]"),
}
_FOLLOW = "[follow|follow|go straight {way} from|look straight {way} from|go {way} from|look {way} from|go from]"
FOLLOWED: dict[Edge, Template] = {
    "ceiling": Template(
        _FOLLOW.replace("{way}", "up")
        + " {anchor} [up to|all the way up to|up to] [the ceiling|the ceiling|where the wall meets the ceiling]"
    ),
    "floor": Template(
        _FOLLOW.replace("{way}", "down")
        + " {anchor} [down to|all the way down to|down to] [the floor|the floor|where the wall meets the floor]"
    ),
}
# After "between": a group of two that was named.
BOTH = Template("[the two {noun}|the two {noun}|those two {noun}|these two {noun}|them|them|both {noun}]")
FROM_SIDES: dict[str, Template] = {"left": Template("from the left"), "right": Template("from the right")}


class Piece(NamedTuple):
    """A template that the follower scans for: a letter, a value, and what must not follow."""

    letter: str
    value: object
    template: Template
    unless: str = ""


# "Look right by it" is not a turn to the right.
_BLOCKS = (
    "of |from |side |corner |edge |part |end |by |next |in |behind |above |below |under |over |past |on |beside |near |"
    "beneath |underneath |up |down |close |across |hand |half |one "
)
PIECES: tuple[Piece, ...] = (
    *(Piece("R", name, words) for table in (RELATIONS, READ_RELATIONS) for name, words in table.items()),
    Piece("O", "on", Template("[on|sitting on]")),
    Piece("O", "top", ON_TOP),
    *(Piece("M", name, words, _BLOCKS) for table in (TURNS, READ_TURNS) for name, words in table.items()),
    Piece("M", "across", Template("[directly|just|right|straight|] across the [street|road|way]"), "from "),
    *(Piece("P", part, words) for table in (PARTS, READ_PARTS) for part, words in table.items()),
    *(Piece("P", part, Template(words.source.replace(" of>", ">")), "of ") for part, words in PARTS.items()),
    *(
        Piece("Q", measure, Template(words.source.replace("{unit}", f"[{_UNIT}|{_UNITS}]")))
        for measure, words in MEASURES.items()
    ),
    *(
        Piece("D", side, words, "of |corner |side |edge |part |end |from |hand ")
        for table in (SIDES, READ_SIDES)
        for side, words in table.items()
    ),
    *(Piece("S", surface, words) for table in (SURFACES, READ_SURFACES) for surface, words in table.items()),
    Piece("S", "wall", FACADE),
    *(Piece("A", spot, words) for spot, words in SPOTS.items() if spot not in SURFACES),
    *(Piece("S", spot, words) for spot, words in SPOTS.items() if spot in SURFACES),
    Piece("B", 0.5, BETWEEN),
    Piece("B", 0.5, HALFWAY),
    *(Piece("K", edge, words) for edge, words in TOWARD.items()),
    Piece("C", None, CLOSER),
    Piece("L", None, LEVEL),
    Piece("L", None, READ_LEVEL),
    Piece("E", None, NEAREST),
    Piece("Z", None, CLOSE),
    Piece("Z", None, FAR),
    Piece(
        "F",
        None,
        Template("[focus [your attention|] on|center your view on|concentrate on|zoom in on|fix your eyes on]"),
    ),
    Piece("H", None, THERE),
    Piece("H", None, THAT, "is |has |'s |are |looks |you |there |it |the |he |his |wall |one |@"),
    Piece("I", None, WITH),
    *(Piece("Y", body, words) for body, words in BODIES.items()),
    *(Piece("J", edge, words) for edge, words in EDGES.items()),
    Piece("U", None, GROUPS),
    Piece("U", None, PAIR),
    *(Piece("G", side, words) for side, words in MEMBERS.items()),
    *(Piece("G", side, words, _BLOCKS) for side, words in MEMBER_SIDES.items()),
    *(Piece("j", edge, words) for edge, words in READ_EDGES.items()),
    Piece(
        "&", None, Template("[and|and then|, then|, and|then] [find|look at|look for|locate|notice|focus on|go to|see]")
    ),
    *(Piece("V", side, words) for side, words in FROM_SIDES.items()),
    Piece("W", None, WALDO),
    Piece("W", None, FLOATING),
    Piece("W", None, SITTING),
    Piece("W", None, IS_WALDO),
    Piece("W", None, WALDOS, "height |width |length "),
    Piece("N", None, WINDOW),
    Piece("X", None, HIM),
    Piece(".", None, Template(".")),
)

OPENING = Template(
    "[find|find|find|find|find|find|find|find|look for|look for|look for|look at|look at|locate|face|notice|focus on|"
    "look towards|look toward|turn to face|turn towards|turn toward|turn to|turn and face|look to|turn to find|"
    "turn to see|look around for|look around and find|look around to find|search for|go to|see|spot|face towards|"
    "start by finding|start by looking at|first find|begin by facing|spin around and find|"
    "<t:turn until you see>|<t:turn until you find>|<t:look around until you see>|<t:look around until you find>|"
    "<t:turn until you're facing>|<t:spin around until you see>|orient yourself so that you are facing|"
    "orient yourself so you are looking at|direct your view towards|move to|look over at|try to find|begin by finding|"
    "begin by locating|start by locating|look in the direction of|face in the direction of|turn your attention to|"
    "direct your attention to|pay attention to|<t:turn until you are looking at>|"
    "<t:spin until you see>|<t:rotate until you see>|<t:rotate until you are facing>|turn so that you are facing|"
    "turn so you are facing|turn yourself towards|position yourself facing|center your view on|"
    "focus your attention on|take a look at|first look for|first locate|scan for|make sure you are facing|aim for|"
    "identify|concentrate on|you want to find|you need to find|look closely for|navigate to|fix your eyes on|"
    "look out for|look ahead to] {what}"
)
APPEARING = Template(
    "[find|find|look for|locate|notice|you will see|look at] what [looks like|looks like|appears to be|looks to be|"
    "seems to be|might be|could be] "
    "{what}"
)
PRESENTED = Template(
    "[there is|there is|there's|you will see|you'll see|you should see] {what} [||in the room|in this room]"
)
PRESENTED_OUTDOORS = Template("[there is|there is|there's|you will see|you'll see|you should see] {what}")
AGAIN = Template(
    "[find|find|look at|look at|look at|look for|locate|notice|focus on|now look at|now find|see|note|look over at|"
    "look to|go to|then look at|next find|look towards|turn to|take note of|also notice|also find|"
    "turn your attention to|focus your attention on|next look at|next locate|then locate|shift your attention to|"
    "move over to|direct your attention to|you will also see|spot|identify|observe] {what}"
)
# Sentences that lead to the next object, by name; {a} and {the} name it with an article.
MIDDLES: dict[str, Template] = {
    "relation is": Template("{relation} {anchor} [is|is|is|is|there is|there is|there's] {a}"),
    "relation see": Template(
        "{relation} {anchor} [you will see|you'll see|you can see|you should see|you will find|you see|"
        "you will notice|there should be|you can find|you should find|you'll notice|you may see|one can see|"
        "you should notice|there will be|sits|we see] {a}"
    ),
    "relation find": Template("{relation} {anchor} [find|look at|notice|locate|look for|is] {the}"),
    "find": Template(
        "[find|find|find|look at|look at|look at|look at|look for|locate|notice|notice|focus on|see|note|now look at|"
        "now find|go to|look over at|now locate|take note of|look to|then find|also notice|observe|spot|identify|"
        "turn your attention to|focus your attention on|next find|shift over to|move over to] {the} {relation} {anchor}"
    ),
    "find that is": Template(
        "[find|look at|look for|locate|notice|focus on|see] {the} [that is|that is|that's|which is|located|sitting|"
        "placed|positioned|situated|that sits] "
        "{relation} {anchor}"
    ),
    "look": Template(
        "[look|look|look|now look|then look] {relation} {anchor} [for|at|and find|to find|to see|to|and see|"
        "and notice|and locate|until you see] {the}"
    ),
    "look see": Template(
        "[[look|look|now look] {relation} {anchor} [and you will see|and you'll see|and there is|and you should see|"
        "and you can see|where there is|where you will see|and you will notice]|"
        "if you look {relation} {anchor} [you will see|you'll see|there is|you should see]] {a}"
    ),
    "find beside": Template(
        "[find|look at|look for|locate|notice|focus on|see] {the} <d:[on the|to the|on the far|to its] {side}>"
    ),
    "there is": Template(
        "[there is|there is|there is|there's|you will see|you'll see|you should see|note that there is|"
        "notice that there is|there should be|there will be|there also is|you can also see|you'll notice|you may see] "
        "{a} {relation} {anchor}"
    ),
}
TURNED = Template(
    "{turn} [and find|to|to|at|at|for|to find|and look at|and you will see|and look for|to see|and locate|"
    "<t:until you see>|<t:until you see>|<t:until you find>|<t:until you reach>|<t:until you come to>|"
    "<t:until you get to>|<t:until you are looking at>|<t:until you spot>|<t:until you come across>|"
    "<t:until you hit>|and notice|and focus on|and you should see|and you'll notice|where you will see|towards] {what}"
)
FACED = Template("{turn} [and find|and look for|to find|and you will see|and locate|at|to see] {what}")
FOCUSED = Template(
    "[look at|look at|look at|look at|focus on|focus on|find|notice|locate|go to|look to|now look at|now focus on|see|"
    "move to|take note of|look toward|look towards|focus your attention on|pay attention to|direct your attention to|"
    "zoom in on|concentrate on|look closely at|move your eyes to|shift to] the {part} {anchor}"
)
FOCUSED_PART = Template(
    "[look at|look at|look at|focus on|find|notice|locate|see|now look at|go to|focus your attention on|zoom in on|"
    "look closely at|concentrate on|pay attention to] {part}"
)
ARE = Template(
    "{relation} {anchor} [are|are|there are|you will see|you'll see|you should see|there should be|you can see] {what}"
)
THERE_ARE = Template(
    "[there are|there are|you will see|you'll see|notice|you should see|you can see|there should be|"
    "you will notice] {what}"
)
JOIN = Template("[and|and|and then|, then]")
ASIDE = Template("[,|,|and] {relation} {what}")
MEMBER = Template(
    "[look at|look at|look at|focus on|focus on|find|notice|locate|go to|now look at|now focus on|look to] {what}"
)
SEQUENCED = Template("<s:[then|next|now|now|from there]>")

# The sources of all templates: the follower's vocabulary besides the names of objects.
TEMPLATE_SOURCES: tuple[str, ...] = (
    *(piece.template.source for piece in PIECES),
    *(
        template.source
        for template in (
            *(
                OPENING,
                APPEARING,
                IT_IS,
                PRESENTED,
                PRESENTED_OUTDOORS,
                AGAIN,
                *MIDDLES.values(),
                TURNED,
                FACED,
                FOCUSED,
                FOCUSED_PART,
            ),
            *(MEMBER, ARE, THERE_ARE, JOIN, ASIDE, *FOLLOWED.values()),
            *(BOTH, *QUANTIFIERS.values(), SEQUENCED, COUNTED, RIGHT_THERE, IN_ROOM),
        )
    ),
)

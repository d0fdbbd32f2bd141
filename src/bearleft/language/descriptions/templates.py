"""Words and templates of descriptions, shared by the writer and the parser."""

from __future__ import annotations

from bearleft.language.descriptions.semantics import SortKey
from bearleft.language.templates import Template


def _with_mirrored(words: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """Split alternatives at bars, and add a mirrored entry for the right to every entry for the left."""
    mirrored: dict[str, tuple[str, ...]] = {}
    for name, alternatives in words.items():
        mirrored[name] = tuple(alternatives.split("|"))
        if "left" in name:
            mirrored[name.replace("left", "right")] = tuple(alternatives.replace("left", "right").split("|"))
    return mirrored


# Side of the viewer, before or after the noun.
SIDES = _with_mirrored(
    {
        "left": "on your left|on the left|to your left|to the left|on the left side|on your left side"
        "|on the left hand side|on the left side of the street|on the left side of the road|off to your left"
        "|directly to your left|on your left hand side|over to the left|to your immediate left|to the left of you"
        "|along the left side|to your left side|over on the left|off to the left|to your direct left",
        "ahead left": "ahead on your left|ahead on the left|ahead and to your left|up ahead on the left"
        "|ahead to your left|just ahead on your left|ahead and to the left|ahead of you on the left"
        "|in front of you to the left|slightly to your left|a little to your left|in front of you and to the left"
        "|slightly in front of you on the left|a bit ahead on the left|up ahead to your left"
        "|slightly ahead on your left"
        "|ahead of you to the left|ahead , to your left",
        "ahead": "in front of you|ahead|directly in front of you|straight ahead|ahead of you|up ahead"
        "|just ahead|right in front of you|directly ahead|straight ahead of you|immediately in front of you"
        "|just in front of you|a bit ahead|a little ways ahead",
        "behind": "behind you|just behind you|right behind you|in back of you",
    }
)
LOOKS = _with_mirrored(
    {
        "left": "look to your left|turn to your left|look left|look to the left|look on your left|turn left|face left"
        "|rotate left|turn to the left|look over to your left|turn and look left|look to your left side"
        "|turn your body left|looking to your left|face to the left",
        "ahead left": "look ahead to your left|look slightly to your left|look ahead and to the left"
        "|look ahead on the left|look just to your left|look up ahead on the left",
        "ahead": "look ahead|look straight ahead|look in front of you|look up ahead|looking straight ahead"
        "|face forward",
        "behind": "turn around|look behind you|turn to look behind you|turn back around",
    }
)
# Relations between objects.
RELATIONS = _with_mirrored(
    {
        "near": "next to|beside|near|by|close to|right next to|right beside|just next to|right by|alongside"
        "|standing next to|sitting next to|very close to|close by|nearest to|closest to|adjacent to|nearest"
        "|directly next to|parked next to",
        "left": "to the left of|left of|just to the left of|on the left of|just left of"
        "|immediately to the left of|directly to the left of|to the immediate left of|right to the left of"
        "|off to the left of|standing to the left of|slightly to the left of",
        "front": "in front of|right in front of|out in front of|just in front of|standing in front of"
        "|directly in front of|sitting in front of|parked in front of|out front of|outside of|outside|just outside",
        "behind": "behind|right behind|just behind|in back of|standing behind",
        "above": "above|just above|right above|over|directly above|up above|right over|high above|hanging over"
        "|hanging above",
        "below": "below|under|underneath|beneath|right under|just below|directly below|directly under|just under"
        "|right below|down below",
        "on": "on|attached to|hanging on|mounted on|on the side of|on the front of|hung on|affixed to|of"
        "|on the wall of|belonging to|that belongs to|painted on|painted on the side of|hanging from|hanging off",
        "has": "with|that has|which has|having|has|have",
        "between": "between|in between|right between|standing between|right in between|sitting between",
        "across": "across the street from|across from|opposite|directly across from"
        "|on the other side of the street from"
        "|directly across the street from|right across the street from|across the road from",
        "past": "just past|past|right past|right after|just after|just beyond|a bit past",
    }
)
# Weights of the words for a relation; words that are not listed are only read.
RELATION_WORDS: dict[str, dict[str, float]] = {
    "near": {
        "next to": 30, "near": 6, "by": 5, "beside": 4, "close to": 3, "right next to": 4, "right by": 1,
        "right beside": 1, "just next to": 1, "directly next to": 1, "alongside": 1,
    },
    "left": {
        "to the left of": 20, "just to the left of": 4, "left of": 2, "directly to the left of": 2,
        "just left of": 1, "immediately to the left of": 1, "on the left of": 1, "slightly to the left of": 1,
    },
    "front": {
        "in front of": 40, "right in front of": 4, "directly in front of": 3, "just in front of": 3,
        "out in front of": 1,
    },
    "behind": {"behind": 10, "right behind": 1, "just behind": 1},
    "above": {"above": 12, "just above": 4, "directly above": 2, "over": 3, "right above": 2},
    "below": {
        "under": 8, "below": 4, "underneath": 3, "just below": 2, "beneath": 1, "right under": 1,
        "directly below": 1, "directly under": 1, "just under": 1,
    },
    "on": {"on": 20, "on the side of": 3, "on the front of": 2, "attached to": 3, "hanging on": 1, "mounted on": 1},
    "has": {"with": 20, "that has": 3, "which has": 1},
    "between": {"between": 12, "in between": 3, "right between": 1},
    "across": {
        "across from": 5, "across the street from": 5, "directly across from": 3, "opposite": 1,
        "directly across the street from": 1, "across the road from": 1,
    },
    "past": {"just past": 8, "right after": 3, "past": 3, "right past": 1, "just after": 1, "just beyond": 1},
}  # fmt: skip
# Classes that move, and vehicles, which may move.
MOVING_NAMES = ("cyclist", "dog", "pigeons")
VEHICLE_NAMES = ("person", "bicycle", "car", "taxi", "van", "truck", "pickup", "bus", "motorcycle")
# Classes that are part of a building, and those that are attached to one.
BUILT_IN_NAMES = ("door", "storefront", "portico", "bay window", "balcony", "garage entrance")
WALL_NAMES = (
    *BUILT_IN_NAMES,
    "mural",
    "graffiti",
    "awning",
    "fire escape",
    "window box",
    "air conditioner",
    "clock",
    "atm",
)
# Classes that belong to a building and stand in front of it: they are not said to be on it.
STANDING_NAMES = ("potted plant", "bollard", "cafe table", "sandwich board", "construction fence", "atm", "ladder")
BUILT_IN_WORDS = {"of": 10.0, "on": 5.0, "on the front of": 2.0}  # relations of BUILT_IN_NAMES to their building
PAINTED_NAMES = ("mural", "graffiti")
PAINTED_WORDS = {
    "on": 4.0,
    "painted on": 5.0,
    "on the side of": 3.0,
    "painted on the side of": 1.0,
    "on the wall of": 1.0,
}
BEAR_NOUNS = (
    *("touchdown", "the bear", "the teddy bear", "the touchdown", "touchdown bear", "the touchdown bear", "teddy"),
    *("touch down", "teddy bear", "touchdown the bear", "the teddy", "bear", "the touch down", "the toy bear"),
)
BEAR_WORDS = {
    "Touchdown": 70.0, "touchdown": 8.0, "the bear": 9.0, "the touchdown": 5.0, "the teddy bear": 1.0,
    "Touchdown the bear": 1.0,
}  # fmt: skip

# Positions on an object: how far across from its left end and up from its foot. Nouns between "the" and "of".
_HEIGHTS = {
    0.97: "very top|highest point|very tip|uppermost part",
    0.87: "top|top part|top end|top edge",
    0.77: "upper part|upper half|upper portion",
    0.23: "lower part|lower half|lower portion",
    0.12: "bottom|bottom part|bottom edge|bottom half",
    0.03: "base|very bottom|foot|bottom end",
}
_WIDTHS = _with_mirrored(
    {
        "0.04 left": "left end|far left end|left edge|far left|very left|far left side|left most end|far left edge",
        "0.18 left": "left side|left hand side|left part|left section",
        "0.26 left": "left half",
    }
)
_SPANS = _with_mirrored(
    {
        "0.27 left": "about a quarter of the way from the left end|a quarter of the way from the left"
        "|a quarter of the way in from the left end|about a fourth of the way from the left",
        "0.34 left": "a third of the way from the left end|about a third of the way from the left"
        "|about a third of the way in from the left side|roughly a third of the way from the left",
        "0.42 left": "just left of the middle|a little left of the center|slightly left of the middle"
        "|just to the left of the center|a bit left of the middle|slightly left of center"
        "|a little to the left of the middle",
    }
)
_HEIGHT_PHRASES = {
    0.67: "two thirds of the way up|about two thirds of the way up",
    0.59: "just above the middle|a little above the center|slightly above the middle|a bit above the middle",
    0.5: "halfway up|about halfway up|midway up|half way up",
    0.41: "just below the middle|a little below the center|slightly below the middle|a bit below the middle",
    0.33: "a third of the way up|about a third of the way up|roughly a third of the way up",
}
_CORNERS = _with_mirrored(
    {
        "0.08 0.92 left": "top left corner|upper left corner|top left hand corner|upper left hand corner",
        "0.08 0.08 left": "bottom left corner|lower left corner|bottom left hand corner|lower left hand corner",
        "0.17 0.84 left": "top left|upper left|top left part|upper left side|upper left part",
        "0.17 0.16 left": "bottom left|lower left|bottom left part|lower left side|lower left part",
    }
)
Position = tuple[float | None, float | None]


def _position_value(key: str) -> float:
    number = float(key.split()[0])
    return 1.0 - number if "right" in key else number


def _region_nouns() -> dict[Position, tuple[str, ...]]:
    places: dict[Position, tuple[str, ...]] = {(None, height): tuple(s.split("|")) for height, s in _HEIGHTS.items()}
    places |= {(_position_value(key), None): nouns for key, nouns in _WIDTHS.items()}
    for key, nouns in _CORNERS.items():
        places[_position_value(key), float(key.split()[1])] = nouns
    middle = "middle|center|exact center|very middle|very center|exact middle|dead center|center part|middle part"
    places[0.5, 0.5] = tuple(middle.split("|"))
    return places


# Nouns between "the" and "of": "the left end of".
REGION_NOUNS = _region_nouns()
# Phrases before "of" or directly before the object: "just left of the middle of", "halfway up".
HORIZONTAL_PHRASES: dict[Position, tuple[str, ...]] = {
    (_position_value(key), None): spoken for key, spoken in _SPANS.items()
}
VERTICAL_PHRASES: dict[Position, tuple[str, ...]] = {
    (None, height): tuple(s.split("|")) for height, s in _HEIGHT_PHRASES.items()
}
# All position words, for the parser and to exclude parts with such names.
POSITIONS: dict[str, Position] = {
    word: where
    for table in (REGION_NOUNS, HORIZONTAL_PHRASES, VERTICAL_PHRASES)
    for where, words in table.items()
    for word in words
}
ON_TOP = {
    "on top of": 94.0, "atop": 11.0, "on the top of": 5.0, "right on top of": 4.0, "at the top of": 3.0,
    "on the very top of": 2.0, "at the very top of": 1.0, "up on top of": 0.3, "directly on top of": 2.0, "on top": 0.0,
}  # fmt: skip
IN_MIDDLE = {
    "in the middle of": 40.0, "in the center of": 22.0, "on the center of": 3.0, "on the middle of": 4.0,
    "right in the middle of": 4.0, "in the very middle of": 1.0, "in the very center of": 1.0, "at the center of": 1.0,
    "in the exact center of": 1.0, "dead center of": 1.0, "in front of the middle of": 2.0, "in front of": 5.0,
}  # fmt: skip
AT_BASE = {
    "at the base of": 14.0, "right at the base of": 1.0, "on the base of": 2.0, "at the foot of": 0.7,
    "at the very bottom of": 1.0,
}  # fmt: skip
AT_BOTTOM = {
    "at the bottom of": 7.0, "on the bottom of": 4.0, "on the bottom part of": 2.0, "near the bottom of": 1.0,
}  # fmt: skip
ON_WHOLE = {"on": 100.0, "right on": 2.0, "directly on": 2.0}
PICK_NOUNS: dict[SortKey, str] = {
    "left": "the left one|the one on the left|the leftmost one|the one to the left|the left most one"
    "|the one furthest to the left"
    "|the one farthest to the left|the first one from the left|the one on the far left|the first one on the left",
    "right": "the right one|the one on the right|the rightmost one|the one to the right|the right most one"
    "|the one furthest to the right|the one farthest to the right|the first one from the right"
    "|the one on the far right"
    "|the first one on the right",
    "near": "the closest one|the one closest to you|the nearest one|the closer one|the one nearest to you"
    "|the first one"
    "|the one closer to you|the near one|the one that is closest to you|the one that's closer",
    "far": "the farthest one|the one farther away|the farther one|the one farthest from you|the far one"
    "|the one further away|the furthest one|the one that's further away|the last one"
    "|the one that is farther from you",
}
PICK_ADJECTIVES: dict[SortKey, str] = {
    "left": "leftmost|left|left most|left hand",
    "right": "rightmost|right|right most|right hand",
    "near": "closest|nearest|closer|near",
    "far": "farthest|furthest|farther|far|further",
}
PICK_SUFFIXES: dict[SortKey, str] = {
    "near": "closest to you|nearest to you|nearest you|closer to you",
    "far": "farthest from you|furthest away|farther away|farthest away|further away",
    "left": "on the far left|furthest to the left|farthest to the left",
    "right": "on the far right|furthest to the right|farthest to the right",
}
RANK_SUFFIXES: dict[SortKey, str] = {
    "left": "from the left|from left|starting from the left|counting from the left",
    "right": "from the right|from right|starting from the right|counting from the right",
}
ALIGNMENTS = {
    "above": "the part [that is|] [directly|right|straight|just] [above|over]|the spot [directly|right] above",
    "below": "the part [that is|] [directly|right|straight] [below|under|underneath]|the spot [directly|right] below",
    "": "the part [closest|nearest] to|the spot [closest|nearest] to|the part in line with|the part right next to",
}

_SEE = (
    "[<v:there is>|<v:there is>|<v:there is>|<v:there is>|<v:there's>|<v:there will be>|<v:there will be>"
    "|<v:there should be>|<v:you will see>|<v:you will see>|<v:you will see>|<v:you should see>|<v:you should see>"
    "|<v:you'll see>|<v:you see>|<v:you can see>|<v:you'll notice>|<v:you will notice>|<v:you'll find>]"
)
_IS_THERE = (
    "[<v:is>|<v:is>|<v:is>|<v:is>|<v:will be>|<v:should be>|<v:there is>|<v:there is>|<v:there's>|<v:there will be>"
    "|<v:there should be>|<v:you will see>|<v:you will see>|<v:you should see>|<v:you'll see>|<v:you can see>]"
)
_TELL = "[<i:look for>|<i:look for>|<i:find>|<i:see>|<i:notice>|<i:look at>|<i:look at>|<i:face>|<i:spot>|<i:locate>]"
_STOP = (
    "<i:stop> [when you see|when you get to|when you reach|in front of|next to|at|by|near|when you're next to"
    "|when you are in front of|once you see]"
)
_BESIDE = (
    "[you should be|you will be|you'll be|you are] [right|almost|] [next to|in front of|near|by|standing next to"
    "|right next to|close to]"
)


def _table(sources: dict[str, float]) -> dict[Template, float]:
    return {Template(source): weight for source, weight in sources.items()}


# An object and its side.
SIDE_SENTENCES = _table(
    {
        f"{_SEE} {{thing}} <e:{{side}}>": 6,
        f"<e:{{side}}>[,|] {_IS_THERE} {{thing}}": 7,
        "{thing} <e:{side}>": 3,
        f"{_TELL} {{thing}} <e:{{side}}>": 2,
        f"{_STOP} {{thing}} <e:{{side}}>": 0.7,
        "{thing} [<v:is>|<v:will be>|<v:should be>] <e:{side}>": 0.7,
        "[you have|you've got] {thing} <e:{side}>": 0.1,
    }
)
LOOK_SENTENCES = _table(
    {
        f"<i:<e:{{look}}>>. {_SEE} {{thing}}": 3.5,
        f"<i:<e:{{look}}>> and {_SEE} {{thing}}": 1.5,
        "<i:<e:{look}>>[,|||] and [<v:you will see>|<v:you'll see>|<v:you should see>] {thing}": 3,
        f"<i:<e:{{look}}>>[,|] {_SEE} {{thing}}": 0.6,
        "<i:<e:{look}>> and [see|find|notice|look for|look at] {thing}": 1.4,
        "<i:<e:{look}>> [to see|for|until you see|towards|to face|at] {thing}": 1,
        "[if you|when you] <e:{look}>[,|] [you will see|you'll see|there is|you should see] {thing}": 2.2,
    }
)
# An object alone.
SCENE_SENTENCES = _table(
    {
        f"{_SEE} {{thing}}": 8,
        f"{_TELL} {{thing}}": 1,
        "{thing}": 5,
        f"{_STOP} {{thing}}": 1.2,
        f"{_BESIDE} {{thing}}": 0.4,
        "[<v:you should see>|<v:you will see>|<v:you'll see>|<v:you see>] {thing}": 0.5,
        "[nearby|here]<v: there is> {thing}": 0.2,
    }
)
FACING_SENTENCE = Template("<e:[you should be|you should be|you will be|you'll be|you should now be] facing> {thing}")
# An object with a rank: "the first tree on your left".
RANKED_SENTENCES = _table(
    {
        "<i:[look for|find|look at|go to|stop at|locate|move forward to|stop when you get to|stop when you see]>"
        " {thing}": 4,
        "[<v:you will see>|<v:you should see>|<v:you'll see>|<v:you see>] {thing}": 1.5,
        "{thing}": 1,
        "[you should be|you will be|you'll be] [next to|in front of|near|right by] {thing}": 0.5,
    }
)
GROUP_SIDE_SENTENCES = _table(
    {
        "[<v:there are>|<v:there are>|<v:there will be>|<v:you'll see>|<v:you will see>|<v:you should see>]"
        " {thing} <e:{side}>": 3,
        "<e:{side}>[,|] [<v:are>|<v:there are>|<v:you'll see>|<v:you will see>|<v:you should see>] {thing}": 2,
        "{thing} <e:{side}>": 0.5,
    }
)
GROUP_SENTENCES = _table(
    {
        "[<v:there are>|<v:there are>|<v:there will be>|<v:you'll see>|<v:you will see>|<v:you should see>] {thing}": 3,
        "[<i:look for>|<i:find>|<i:notice>] {thing}": 0.5,
    }
)
# An object and its relation to one named before.
RELATION_SENTENCES = _table(
    {
        f"<a:{{rel}}> {{other_thing}}[,|,|||] {_IS_THERE} {{thing}}": 4,
        f"{_SEE} {{thing}} <a:{{rel}}> {{other_thing}}": 3,
        f"{_TELL} {{thing}} <a:{{rel}}> {{other_thing}}": 0.5,
    }
)
# Several objects and their relation to one named before.
GROUP_RELATION_SENTENCES = _table(
    {
        "<a:{rel}> {other_thing}[,|||] [<v:are>|<v:are>|<v:there are>|<v:there are>|<v:you will see>|<v:you should see>"
        "|<v:will be>] {thing}": 3,
        "[<v:there are>|<v:there are>|<v:there are>|<v:you will see>|<v:you'll see>|<v:you can see>] {thing} <a:{rel}>"
        " {other_thing}": 3,
    }
)
# What an object named before is next to, and what it has.
PREDICATE_SENTENCES = _table(
    {
        "{thing} [<v:is>|<v:is>|<v:will be>|<v:is located>] <a:{rel}> {other_thing}": 3,
        "{thing} should be <a:{rel}> {other_thing}": 0.3,
    }
)
HAS_SENTENCES = _table({"{thing} <v:has> {other_thing}[| on it]": 3, "{thing} <v:will have> {other_thing}": 0.3})
_IS = (
    "[is|is|is|is|is|is|is sitting|is sitting|is sitting|is sitting|will be|is hiding|is located|sits|is placed"
    "|is standing|will be sitting|can be found|is perched|is hidden|is resting|should be|is seated|will be located]"
)
TARGET_SENTENCES = _table(
    {
        f"{{bear}} {_IS} <a:{{at}}>": 30,
        "[you'll find|you will find|find|you should see|you will see] {bear} [sitting|hiding|] <a:{at}>": 1,
        "<i:[find|look for]> {bear} <a:{at}>": 0.3,
        "<a:{at}> is {bear}": 0.5,
        "<a:{at}> is where [you will find|you'll find|you can find] {bear}": 0.5,
        "[{bear} is|{bear} is sitting|{bear} is] right <a:{at}>": 0.5,
    }
)
SENTENCES = (
    SIDE_SENTENCES,
    LOOK_SENTENCES,
    SCENE_SENTENCES,
    RANKED_SENTENCES,
    GROUP_SIDE_SENTENCES,
    GROUP_SENTENCES,
    RELATION_SENTENCES,
    GROUP_RELATION_SENTENCES,
    PREDICATE_SENTENCES,
    HAS_SENTENCES,
    TARGET_SENTENCES,
)

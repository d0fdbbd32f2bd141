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
        "left": "on your left|to your left|on the left|to the left|on the left side|on your left side"
        "|to your left side"
        "|on the left hand side|on your left hand side|off to your left|over to the left"
        "|on the left side of the street"
        "|to the left of you|over on the left|on the left side of the road|along the left side|off to the left",
        "ahead left": "ahead on your left|ahead on the left|up ahead on the left|ahead to your left"
        "|ahead and to the left|ahead of you on the left|just ahead on your left|a bit ahead on the left"
        "|in front of you and to the left|slightly ahead on your left|slightly to your left|a little to your left"
        "|up ahead to your left|ahead of you to the left|in front of you to the left|ahead , to your left",
        "ahead": "ahead|ahead of you|in front of you|straight ahead|up ahead|directly in front of you"
        "|straight ahead of you|just ahead|right in front of you|directly ahead|a bit ahead|a little ways ahead",
        "behind": "behind you|in back of you|right behind you",
    }
)
LOOKS = _with_mirrored(
    {
        "left": "look left|look to your left|look to the left|turn to your left|look over to your left"
        "|turn to the left"
        "|face left|look on your left|turn and look left|look to your left side|rotate left|looking to your left",
        "ahead left": "look ahead to your left|look slightly to your left|look ahead and to the left"
        "|look ahead on the left"
        "|look just to your left|look up ahead on the left",
        "ahead": "look ahead|look straight ahead|look in front of you|looking straight ahead|look up ahead"
        "|face forward",
        "behind": "turn around|look behind you|turn to look behind you",
    }
)
# Relations between objects.
RELATIONS = _with_mirrored(
    {
        "near": "next to|beside|near|by|close to|right next to|right beside|just next to|right by|alongside"
        "|standing next to|sitting next to|very close to|close by|nearest to|closest to|adjacent to|nearest",
        "left": "to the left of|left of|just to the left of|on the left of|just left of"
        "|immediately to the left of|directly to the left of|to the immediate left of|right to the left of"
        "|off to the left of|standing to the left of|slightly to the left of",
        "front": "in front of|right in front of|out in front of|just in front of|standing in front of"
        "|directly in front of"
        "|out front of|sitting in front of",
        "behind": "behind|right behind|just behind|in back of|standing behind",
        "above": "above|just above|right above|over|directly above|up above|right over|high above|hanging over",
        "below": "below|under|underneath|beneath|right under|just below|directly below|directly under|just under"
        "|right below|down below",
        "on": "on|attached to|hanging on|mounted on|on the side of|on the front of|hung on|affixed to|of"
        "|on the wall of|belonging to|that belongs to",
        "has": "with|that has|which has|having",
        "between": "between|in between|right between|standing between|right in between|sitting between",
        "across": "across the street from|across from|opposite|directly across from"
        "|on the other side of the street from"
        "|directly across the street from|right across the street from|across the road from",
    }
)
# What things are said to be related by, the usual words more often than others.
COMMON_RELATIONS = _with_mirrored(
    {
        "near": "next to|next to|next to|beside|near|near|by|close to|right next to|right beside|right by|next to"
        "|just next to|alongside",
        "left": "to the left of|to the left of|left of|just to the left of|just left of"
        "|immediately to the left of|directly to the left of|slightly to the left of",
        "front": "in front of|in front of|in front of|right in front of|just in front of|out in front of"
        "|directly in front of",
        "behind": "behind|behind|right behind|just behind",
        "above": "above|above|just above|right above|over|directly above|hanging over",
        "below": "below|under|under|underneath|beneath|right under|just below|directly below|directly under",
        "on": "on|on|on the front of|attached to|on the side of|mounted on",
        "between": "between|between|in between|right between",
        "across": "across the street from|across from|opposite|directly across the street from|across the road from",
    }
)
# Classes that move, and vehicles, which may move.
MOVING_NAMES = ("person", "cyclist", "dog", "bicycle", "pigeons")
VEHICLE_NAMES = ("car", "taxi", "van", "truck", "pickup", "bus", "motorcycle")
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
BUILT_IN_RELATIONS = ("of", "of", "on the front of", "belonging to")  # for BUILT_IN_NAMES
BEAR_NOUNS = (
    *("touchdown", "the bear", "the teddy bear", "the touchdown", "touchdown bear", "the touchdown bear", "teddy"),
    *("touch down", "teddy bear", "touchdown the bear", "the teddy", "bear", "the touch down", "the toy bear"),
)
WEIGHTED_BEAR_NOUNS = (
    *("Touchdown",) * 30,
    *("touchdown",) * 5,
    *("the bear",) * 11,
    "the teddy bear",
    "the touchdown bear",
    "Touchdown the bear",
    "the teddy",
    "the teddy bear",
)

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
ON_TOP = (
    "on top of",
    "on top of",
    "atop",
    "on the top of",
    "at the top of",
    "right on top of",
    "up on top of",
    "on top",
)
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
    "[<v:there is>|<v:there is>|<v:there's>|<v:there will be>|<v:you'll see>|<v:you will see>|<v:you should see>"
    "|<v:you'll notice>|<v:you can see>|<v:you'll find>|<v:you should have>|<v:you will notice>]"
)
_TELL = "[<i:look for>|<i:notice>|<i:find>|<i:look at>|<i:spot>|<i:locate>]"
# An object and its side.
SIDE_SENTENCES = tuple(
    Template(source)
    for source in (
        f"{_SEE} {{thing}} <e:{{side}}>",
        f"{_SEE} {{thing}} <e:{{side}}>",
        f"{_SEE} {{thing}} <e:{{side}}>",
        f"<e:{{side}}>[,|] {_SEE} {{thing}}",
        "<e:{side}> [<v:is>|<v:is>|<v:will be>|<v:should be>] {thing}",
        "<e:{side}> [<v:is>|<v:will be>|<v:there's>] {thing}",
        f"{_TELL} {{thing}} <e:{{side}}>",
        "{thing} <e:{side}>",
        "{thing} <e:{side}>",
        "[you have|you've got] {thing} <e:{side}>",
    )
)
LOOK_SENTENCES = tuple(
    Template(source)
    for source in (
        f"<i:{{look}}> and {_SEE} {{thing}}",
        f"<i:{{look}}>, {_SEE} {{thing}}",
        "<i:{look}> and [find|notice|look for|see] {thing}",
        "<i:{look}> [to see|to find|for|and see|until you see] {thing}",
        "[if you|when you] {look}, you'll see {thing}",
    )
)
# An object alone.
SCENE_SENTENCES = tuple(
    Template(source)
    for source in (
        f"{_SEE} {{thing}}",
        f"{_SEE} {{thing}}",
        f"{_TELL} {{thing}}",
        "{thing}",
        "[nearby|here|close by]<v: there is> {thing}",
        "[you'll be right by|you are right by|you will be close to] {thing}",
        "[you are|you're|you should be] <e:near> {thing}",
    )
)
GROUP_SIDE_SENTENCES = tuple(
    Template(source)
    for source in (
        "[<v:there are>|<v:there are>|<v:there will be>|<v:you'll see>|<v:you will see>"
        "|<v:you should see>] {thing} <e:{side}>",
        "<e:{side}>[,|] [<v:there are>|<v:you'll see>|<v:you should see>] {thing}",
        "<e:{side}> <v:are> {thing}",
    )
)
GROUP_SENTENCES = tuple(
    Template(source)
    for source in (
        "[<v:there are>|<v:there are>|<v:there will be>|<v:you'll see>|<v:you will see>|<v:you should see>] {thing}",
        "[<i:look for>|<i:find>|<i:notice>] {thing}",
    )
)
# An object and its relation to one named before.
RELATION_SENTENCES = tuple(
    Template(source)
    for source in (
        "<a:{rel}> {other_thing} [<v:is>|<v:is>|<v:there is>|<v:there's>|<v:you'll see>|<v:you will see>"
        "|<v:there will be>] {thing}",
        f"{_SEE} {{thing}} <a:{{rel}}> {{other_thing}}",
        f"{_SEE} {{thing}} <a:{{rel}}> {{other_thing}}",
        f"{_TELL} {{thing}} <a:{{rel}}> {{other_thing}}",
        "<a:{rel}> {other_thing} is {thing}",
    )
)
_IS = (
    "[is|is|is|is|is|is sitting|is sitting|is sitting|will be|is hiding|is standing|is placed|is located"
    "|is resting|is perched|will be sitting|is waiting|can be found|is hidden|should be|is seated]"
)
TARGET_SENTENCES = tuple(
    Template(source)
    for source in (
        *(f"{{bear}} {_IS} <a:{{at}}>",) * 14,
        "[you'll|you will|you should|you can] [find|find|see|spot] {bear} <a:{at}>",
        "[you'll find|you will find] {bear} [sitting|hiding|right|] <a:{at}>",
        "<i:[find|look for]> {bear} <a:{at}>",
        "<a:{at}> is [where you'll find|where you will find] {bear}",
        "<a:{at}> is where {bear} is",
        "<a:{at}> is {bear}",
        "<i:click> <a:{at}> [to find|and you'll find|for] {bear}",
    )
)
SENTENCES = (
    SIDE_SENTENCES,
    LOOK_SENTENCES,
    SCENE_SENTENCES,
    GROUP_SIDE_SENTENCES,
    GROUP_SENTENCES,
    RELATION_SENTENCES,
    TARGET_SENTENCES,
)

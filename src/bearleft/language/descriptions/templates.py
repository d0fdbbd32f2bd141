"""The words of descriptions: one source for who writes and who reads them."""

from __future__ import annotations

from bearleft.language.descriptions.semantics import By
from bearleft.language.templates import Template


def _both(words: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """Alternatives with bars between; what is said of the left is said of the right, too."""
    out: dict[str, tuple[str, ...]] = {}
    for name, spoken in words.items():
        out[name] = tuple(spoken.split("|"))
        if "left" in name:
            out[name.replace("left", "right")] = tuple(spoken.replace("left", "right").split("|"))
    return out


# Where a thing is to the viewer, after it or before it.
SIDES = _both(
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
LOOKS = _both(
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
# How a thing stands to another.
RELATIONS = _both(
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
USUAL = _both(
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
# Classes of what is gone soon, and of what may be.
RESTLESS = ("person", "cyclist", "dog", "bicycle", "pigeons")
CARS = ("car", "taxi", "van", "truck", "pickup", "bus", "motorcycle")
# Classes that are part of a house, and those that hang on one.
BUILT_IN = ("door", "storefront", "portico", "bay window", "balcony", "garage entrance")
ON_HOUSES = (*BUILT_IN, "mural", "graffiti", "awning", "fire escape", "window box", "air conditioner", "clock", "atm")
OF = ("of", "of", "on the front of", "belonging to")  # of what a house is built with
BEARS = (
    *("touchdown", "the bear", "the teddy bear", "the touchdown", "touchdown bear", "the touchdown bear", "teddy"),
    *("touch down", "teddy bear", "touchdown the bear", "the teddy", "bear", "the touch down", "the toy bear"),
)
SAID_BEARS = (
    *("Touchdown",) * 30,
    *("touchdown",) * 5,
    *("the bear",) * 11,
    "the teddy bear",
    "the touchdown bear",
    "Touchdown the bear",
    "the teddy",
    "the teddy bear",
)

# Where on a thing: how far across from its left end and up from its foot. The nouns after "the"; `of` follows.
_HEIGHTS = {
    0.97: "very top|highest point|very tip|uppermost part",
    0.87: "top|top part|top end|top edge",
    0.77: "upper part|upper half|upper portion",
    0.23: "lower part|lower half|lower portion",
    0.12: "bottom|bottom part|bottom edge|bottom half",
    0.03: "base|very bottom|foot|bottom end",
}
_WIDTHS = _both(
    {
        "0.04 left": "left end|far left end|left edge|far left|very left|far left side|left most end|far left edge",
        "0.18 left": "left side|left hand side|left part|left section",
        "0.26 left": "left half",
    }
)
_SPANS = _both(
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
_LIFTS = {
    0.67: "two thirds of the way up|about two thirds of the way up",
    0.59: "just above the middle|a little above the center|slightly above the middle|a bit above the middle",
    0.5: "halfway up|about halfway up|midway up|half way up",
    0.41: "just below the middle|a little below the center|slightly below the middle|a bit below the middle",
    0.33: "a third of the way up|about a third of the way up|roughly a third of the way up",
}
_CORNERS = _both(
    {
        "0.08 0.92 left": "top left corner|upper left corner|top left hand corner|upper left hand corner",
        "0.08 0.08 left": "bottom left corner|lower left corner|bottom left hand corner|lower left hand corner",
        "0.17 0.84 left": "top left|upper left|top left part|upper left side|upper left part",
        "0.17 0.16 left": "bottom left|lower left|bottom left part|lower left side|lower left part",
    }
)
Across = tuple[float | None, float | None]


def _value(key: str) -> float:
    number = float(key.split()[0])
    return 1.0 - number if "right" in key else number


def _places() -> dict[Across, tuple[str, ...]]:
    out: dict[Across, tuple[str, ...]] = {(None, height): tuple(s.split("|")) for height, s in _HEIGHTS.items()}
    out |= {(_value(key), None): spoken for key, spoken in _WIDTHS.items()}
    for key, spoken in _CORNERS.items():
        out[_value(key), float(key.split()[1])] = spoken
    middle = "middle|center|exact center|very middle|very center|exact middle|dead center|center part|middle part"
    out[0.5, 0.5] = tuple(middle.split("|"))
    return out


# Nouns that stand after "the" and before "of": "the left end of".
PLACES = _places()
# What stands before "of" or before the thing by itself: "just left of the middle of", "halfway up".
SHIFTS: dict[Across, tuple[str, ...]] = {(_value(key), None): spoken for key, spoken in _SPANS.items()}
RISES: dict[Across, tuple[str, ...]] = {(None, lift): tuple(s.split("|")) for lift, s in _LIFTS.items()}
# All words of a place, for who reads them and for parts that must not be called so.
POSITIONS: dict[str, Across] = {
    word: where for table in (PLACES, SHIFTS, RISES) for where, some in table.items() for word in some
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
PICKS: dict[By, str] = {
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
BEFORE: dict[By, str] = {
    "left": "leftmost|left|left most|left hand",
    "right": "rightmost|right|right most|right hand",
    "near": "closest|nearest|closer|near",
    "far": "farthest|furthest|farther|far|further",
}
AFTER: dict[By, str] = {
    "near": "closest to you|nearest to you|nearest you|closer to you",
    "far": "farthest from you|furthest away|farther away|farthest away|further away",
    "left": "on the far left|furthest to the left|farthest to the left",
    "right": "on the far right|furthest to the right|farthest to the right",
}
FROM: dict[By, str] = {
    "left": "from the left|from left|starting from the left|counting from the left",
    "right": "from the right|from right|starting from the right|counting from the right",
}
LINES = {
    "above": "the part [that is|] [directly|right|straight|just] [above|over]|the spot [directly|right] above",
    "below": "the part [that is|] [directly|right|straight] [below|under|underneath]|the spot [directly|right] below",
    "": "the part [closest|nearest] to|the spot [closest|nearest] to|the part in line with|the part right next to",
}

_SEE = (
    "[<v:there is>|<v:there is>|<v:there's>|<v:there will be>|<v:you'll see>|<v:you will see>|<v:you should see>"
    "|<v:you'll notice>|<v:you can see>|<v:you'll find>|<v:you should have>|<v:you will notice>]"
)
_TELL = "[<i:look for>|<i:notice>|<i:find>|<i:look at>|<i:spot>|<i:locate>]"
# A thing, and the side it is on.
SEEN = tuple(
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
LOOKED = tuple(
    Template(source)
    for source in (
        f"<i:{{look}}> and {_SEE} {{thing}}",
        f"<i:{{look}}>, {_SEE} {{thing}}",
        "<i:{look}> and [find|notice|look for|see] {thing}",
        "<i:{look}> [to see|to find|for|and see|until you see] {thing}",
        "[if you|when you] {look}, you'll see {thing}",
    )
)
# A thing alone.
SHOWN = tuple(
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
SEEN_MANY = tuple(
    Template(source)
    for source in (
        "[<v:there are>|<v:there are>|<v:there will be>|<v:you'll see>|<v:you will see>"
        "|<v:you should see>] {thing} <e:{side}>",
        "<e:{side}>[,|] [<v:there are>|<v:you'll see>|<v:you should see>] {thing}",
        "<e:{side}> <v:are> {thing}",
    )
)
SHOWN_MANY = tuple(
    Template(source)
    for source in (
        "[<v:there are>|<v:there are>|<v:there will be>|<v:you'll see>|<v:you will see>|<v:you should see>] {thing}",
        "[<i:look for>|<i:find>|<i:notice>] {thing}",
    )
)
# A thing, and how it stands to one that was named.
RELATED = tuple(
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
BEARING = tuple(
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
SENTENCES = SEEN, LOOKED, SHOWN, SEEN_MANY, SHOWN_MANY, RELATED, BEARING

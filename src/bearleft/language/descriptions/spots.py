"""Phrases for the spot of a target on its object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from bearleft.language.annotated_text import Text
from bearleft.language.descriptions import templates
from bearleft.language.descriptions.draft import relation_words
from bearleft.language.descriptions.extents import extents
from bearleft.language.descriptions.locate import BUILDING, choose_window, locate_spot, pixel_distance, view_object
from bearleft.language.descriptions.semantics import Selector, Spot, Viewpoint
from bearleft.language.lexicon.lexicon import PARTS, names_of, ordinal_word
from bearleft.language.noun_phrases import chunk
from bearleft.language.templates import Template
from bearleft.language.writer_random import WriterRandom
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES
from bearleft.world.targets import Target

GOOD_PIXELS, MAX_PIXELS = 25.0, 36.0  # preferred and maximum error of a phrase
MIN_WIDTH = 5.0  # degrees from which the left and right of an object are told apart
MAX_RELATIVE_OFFSET = 0.2  # error of a position word relative to the size of the object
TOP_HEIGHT = 0.87


@dataclass(frozen=True, slots=True)
class SpotPhrase:
    """A phrase for a spot: its meaning, its wording, and its weight."""

    spot: Spot
    parts: tuple[tuple[str, templates.Position], ...]  # kinds of words and their positions
    weight: float
    anchor: int = -1  # row of the visible objects

    @property
    def plain(self) -> bool:
        """Whether the phrase consists of a word or two."""
        return len(self.parts) < 2 and all(
            kind in ("top", "part", "window") or value == (0.5, 0.5) for kind, value in self.parts
        )


def spot_phrases(
    viewpoints: Sequence[Viewpoint], goals: Sequence[Direction], target: Target, anchors: Sequence[tuple[str, int]]
) -> list[SpotPhrase]:
    """Return the phrases that lead close to the target, from all viewpoints if possible.

    Args:
        viewpoints: Viewpoints of the reader, the target's own place first.
        goals: Direction of the target from each viewpoint.
        target: The target.
        anchors: Relations and rows of objects near the target.
    """
    visible = viewpoints[0].visible
    kind = int(visible.kind[visible.find(target.instance)])
    view = view_object(viewpoints[0].scene, visible.place, target.instance)
    if not len(view) or target.position is None:
        return []
    candidates = (
        _window_spots(viewpoints[0], target)
        if kind == BUILDING
        else _object_spots(viewpoints[0], target, kind, anchors)
    )
    for plain in (True, False):
        errors = [
            (phrase, _error_pixels(viewpoints[0], goals[0], target, phrase))
            for phrase in candidates
            if phrase.plain == plain
        ]
        good = [(phrase, error) for phrase, error in errors if error <= (GOOD_PIXELS if plain else MAX_PIXELS)]
        max_errors = [
            max(
                [
                    error,
                    *(
                        _error_pixels(viewpoint, goal, target, phrase)
                        for viewpoint, goal in zip(viewpoints[1:], goals[1:], strict=True)
                    ),
                ]
            )
            for phrase, error in good
        ]
        for limit in (GOOD_PIXELS, GOOD_PIXELS + 6, MAX_PIXELS)[: 2 if plain else 3]:
            if any(error <= limit for error in max_errors):
                return [phrase for (phrase, _), error in zip(good, max_errors, strict=True) if error <= limit]
    return [phrase for phrase, _ in good]


def _error_pixels(viewpoint: Viewpoint, goal: Direction, target: Target, phrase: SpotPhrase) -> float:
    row = phrase.anchor
    # Rows belong to the target's own place; other places find the object by its instance.
    direction = locate_spot(viewpoint, phrase.spot, target.instance, lambda ref: ref if row >= 0 else 0)
    return pixel_distance(direction, goal) if direction else 1000.0


def _object_spots(
    viewpoint: Viewpoint, target: Target, kind: int, anchors: Sequence[tuple[str, int]]
) -> list[SpotPhrase]:
    assert target.position is not None
    visible = viewpoint.visible
    view = view_object(viewpoint.scene, visible.place, target.instance)
    point = np.array(target.position)
    across = (float(point[:2] @ view.axis) - view.begin) / view.length
    up = (float(point[2]) - view.low) / max(view.high - view.low, 1e-3)
    wide = bool(visible.width[visible.find(target.instance)] > MIN_WIDTH)
    phrases = [SpotPhrase(Spot(0), (), 7.0), *_position_spots("", across, up, 1.0, wide)]
    part = target.part & 0xFF
    parts = CLASSES[kind].parts
    if 0 < part < len(parts):
        part_rays = np.flatnonzero((view.part & 0xFF) == part)
        if len(part_rays) > 2:
            low, high = view.points[part_rays, 2].min(), view.points[part_rays, 2].max()
            left, right = view.along[part_rays].min(), view.along[part_rays].max()
            part_across = (float(point[:2] @ view.axis) - view.begin - left) / max(right - left, 1e-3)
            part_up = (float(point[2]) - low) / max(high - low, 1e-3)
            own_names = {name.singular for name in names_of(kind, int(visible.variant[visible.find(target.instance)]))}
            for word in PARTS.get((CLASSES[kind].name, parts[part]), ())[:2]:
                if word in templates.POSITIONS or word in CLASSES[kind].name.split() or not _reads_as_part(word):
                    continue
                if word in own_names:
                    continue  # avoid "the canopy of the awning"
                phrases.append(SpotPhrase(Spot(0, word), (("part", (None, None)),), 5.0))
                phrases += _position_spots(word, part_across, part_up, 0.5, wide)
    boxes = extents(viewpoint.scene)
    for relation, row in anchors:
        if relation in ("above", "below", "near") and visible.width[row] < 8:
            instance = int(visible.instance[row])
            middle = boxes.middle(np.array([instance - 1]))[0]
            if abs((float(middle[:2] @ view.axis) - view.begin) / view.length - across) < 0.15:
                side = {"above": "above", "below": "below"}.get(relation, "")
                phrases.append(
                    SpotPhrase(Spot(0, aligned_with=instance, side_of=side), (("alignment", (None, None)),), 1.5, row)
                )
    return phrases


@cache
def _reads_as_part(part: str) -> bool:
    """Return whether a part's name is parsed as a part: "lamp head" would be parsed as a lamp."""
    normalized, phrases = chunk(f"the {part} of")
    return normalized == f"the {part} of " if not phrases else normalized == "@0 of "


def _position_spots(part: str, across: float, up: float, weight: float, wide: bool) -> list[SpotPhrase]:
    """Return the phrases for a position across and up."""

    def near(position: templates.Position) -> bool:
        a, u = position
        return (a is None or abs(a - across) < MAX_RELATIVE_OFFSET) and (u is None or abs(u - up) < MAX_RELATIVE_OFFSET)

    lead = (("part", (None, None)),) if part else ()
    phrases = []
    places = [
        place for place in templates.REGION_NOUNS if near(place) and (wide or place[0] is None or place == (0.5, 0.5))
    ]
    for place in places:
        preference = 5.0 if place == (0.5, 0.5) else 3.0
        phrases.append(SpotPhrase(Spot(0, part, *place), (*lead, ("place", place)), preference * weight))
    if up > 0.62 and not part:
        phrases.append(SpotPhrase(Spot(0, part, None, TOP_HEIGHT), (("top", (None, None)),), 14.0 * weight))
    return phrases


def _window_spots(viewpoint: Viewpoint, target: Target) -> list[SpotPhrase]:
    """Return the phrases for a window of a building."""
    assert target.position is not None
    view = view_object(viewpoint.scene, viewpoint.visible.place, target.instance)
    windows = view.windows
    if not len(windows.key):
        return []
    k = int(np.argmin(np.linalg.norm(windows.middle - np.array(target.position), axis=1)))
    floor = int(windows.floor[k])
    phrases = []
    for by, rank in (("left", windows.rank_left[k]), ("right", windows.rank_right[k])):
        if rank <= 5:
            spot = Spot(0, "window", floor=floor, column=Selector("left" if by == "left" else "right", int(rank)))
            phrases.append(SpotPhrase(spot, (("window", (None, None)),), 2.0))
    visible, boxes = viewpoint.visible, extents(viewpoint.scene)
    owner = viewpoint.scene.plan.things["owner"]
    for row in np.flatnonzero((owner[visible.instance - 1] == target.instance - 1) & (visible.hidden < 0.5)):
        instance = int(visible.instance[row])
        middle = boxes.middle(np.array([instance - 1]))[0]
        for towards in ("above", "below", "left", "right"):
            for stated_floor in (0, floor):
                spot = Spot(0, "window", aligned_with=instance, side_of=towards, floor=stated_floor)
                if choose_window(view, spot, middle) == k:
                    phrases.append(SpotPhrase(spot, (("window", (None, None)),), 3.0, int(row)))
    return phrases


# Kinds of spot phrases and how often they are used where they fit, as in real texts.
SPOT_RATES = {
    "whole": 40.0, "top": 30.0, "middle": 16.0, "part": 6.0, "bottom": 5.0, "region": 4.0, "corner": 3.0,
    "window": 3.0, "alignment": 0.4,
}  # fmt: skip
BOTTOM_RATE = 0.8  # how often a low spot is called the base or the bottom of the object


def choose_spot(random: WriterRandom, phrases: Sequence[SpotPhrase]) -> SpotPhrase:
    """Return one of several phrases for a spot."""
    kinds: dict[str, list[SpotPhrase]] = {}
    for phrase in phrases:
        kinds.setdefault(_spot_kind(phrase), []).append(phrase)
    if "bottom" in kinds and random.chance("bottom spot", BOTTOM_RATE):
        return random.choices(kinds["bottom"], [phrase.weight for phrase in kinds["bottom"]])[0]
    kind = random.pick("spot", {kind: rate if kind in kinds else 0.0 for kind, rate in SPOT_RATES.items()})
    return random.choices(kinds[kind], [phrase.weight for phrase in kinds[kind]])[0]


def _spot_kind(phrase: SpotPhrase) -> str:
    kinds = [kind for kind, _ in phrase.parts]
    if not kinds:
        return "whole"
    if kinds[0] in ("top", "window"):
        return kinds[0]
    if "alignment" in kinds:
        return "alignment"
    if "part" in kinds:
        return "part"
    across, up = phrase.parts[0][1]
    if (across, up) == (0.5, 0.5):
        return "middle"
    if across is not None and up is not None:
        return "corner"
    return "bottom" if up is not None and up < 0.2 else "region"


def write_spot(random: WriterRandom, phrase: SpotPhrase, thing: Text, anchor: Text, flat: bool) -> Text:
    """Return the text of a spot: "on top of it", "in the middle of that awning".

    Args:
        random: Source of randomness.
        phrase: The phrase.
        thing: Words for the object.
        anchor: Words for the object that the spot is in line with.
        flat: Whether the object is flat, so that a spot on it is also "in front of" it.
    """
    parts = list(phrase.parts)
    spot = phrase.spot
    if ("window", (None, None)) in parts:
        return _write_window(random, spot, thing, anchor)
    object_text = thing
    if ("part", (None, None)) in parts:
        object_text = Text(f"the {spot.part} of ") + thing
        parts.remove(("part", (None, None)))
    if ("alignment", (None, None)) in parts:
        alternatives = templates.ALIGNMENTS[spot.side_of]
        parts.remove(("alignment", (None, None)))
        tail = Template("[at|on] [" + alternatives + "]").render(random) + " " + anchor
        object_text = object_text + random.choice((" ", ", ")) + tail
    if not parts:
        return Text(random.pick("whole words", templates.ON_WHOLE) + " ") + object_text
    kind, value = parts[0]
    if kind == "top":
        return Text(random.pick("top words", templates.ON_TOP) + " ") + object_text
    if kind == "place" and value in _WORDS_BY_PLACE:
        key, table = _WORDS_BY_PLACE[value]
        options = {words: rate if flat or words != "in front of" else 0.0 for words, rate in table.items()}
        return Text(random.pick(key, options) + " ") + object_text
    nouns = templates.REGION_NOUNS[value]
    noun = nouns[min(int(random.expovariate(1.0)), len(nouns) - 1)]
    return Text(f"{_preposition(random, noun)} the {noun} of ") + object_text


_WORDS_BY_PLACE = {
    (0.5, 0.5): ("middle words", templates.IN_MIDDLE),
    (None, 0.03): ("base words", templates.AT_BASE),
    (None, 0.12): ("bottom words", templates.AT_BOTTOM),
}


def _preposition(random: WriterRandom, noun: str) -> str:
    if any(word in noun for word in ("middle", "center", "corner")):
        return random.pick("preposition of corners", {"in": 4.0, "on": 5.0, "at": 2.0})
    if any(word in noun for word in ("end", "edge", "point", "tip")):
        return random.pick("preposition of ends", {"at": 3.0, "on": 4.0})
    return "on"


def _write_window(random: WriterRandom, spot: Spot, thing: Text, anchor: Text) -> Text:
    prefix = random.pick("preposition of windows", {"in": 2.0, "on": 2.0})
    floors = {1: ("ground floor", "first floor", "bottom floor")}.get(spot.floor)
    floor = random.choice(floors) if floors else f"{ordinal_word(spot.floor)} floor" if spot.floor else ""
    if spot.column is not None:
        rank = ordinal_word(spot.column.rank)
        which = f"the {rank} window from the {spot.column.by}"
        if spot.column.rank == 1 and random.random() < 0.6:
            which = f"the {random.choice(templates.PICK_ADJECTIVES[spot.column.by].split('|')[:1])} window"
        return Text(f"{prefix} {which} on the {floor} of ") + thing
    relation = relation_words(random, spot.side_of, BUILDING)
    lead = f"the {floor} window" if floor else "the window"
    return (
        Text(f"{prefix} {lead} {relation} ").with_annotations("allocentric")
        + anchor
        + " "
        + random.choice(("on", "of"))
        + " "
        + thing
    )

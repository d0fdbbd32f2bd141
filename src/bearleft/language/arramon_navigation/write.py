"""Writer of navigation instructions for ArraMon: a walk described by visible objects, and the item at its end.

A text is a list of clauses in the order of walking. A simulated walker executes each as soon as it is written, so that
objects are named from where the words have led. A text is kept if its frames lead to the target; tests measure whether
the parser understands its string.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

import numpy as np

from bearleft.geometry import turn
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation import passing
from bearleft.language.arramon_navigation.compose import HABITS, compose
from bearleft.language.arramon_navigation.endings import reached_object, write_ending
from bearleft.language.arramon_navigation.scene import BUILDING, LocatedPhrase, Position2D, SectionScene
from bearleft.language.arramon_navigation.segments import Segment, split_path, turn_kind
from bearleft.language.arramon_navigation.semantics import (
    FACING_ANGLE,
    FULL_ANGLE,
    LEFT,
    RIGHT,
    TURN_ANGLES,
    ClauseFrame,
    TurnKind,
    Walker,
    bearing,
    follow_frames,
)
from bearleft.language.arramon_navigation.speaker import Speaker, is_plural
from bearleft.language.noun_phrases import Phrase
from bearleft.language.writer_random import WriterRandom, fitted_weights
from bearleft.world.arramon.moves import AGENT_Z, FORWARD, replay, total_rotation
from bearleft.world.arramon.task_setup import CityItem

MAX_TRIES = 12
MIN_WORDS = 6  # of a text
MIN_FIRST_TURN = 60.0  # degrees before the first move that a text must mention
MAX_DEVIATION = 9.0  # metres of the simulated walker from the true turn
MAX_HIDDEN_DISTANCE, MAX_VISIBLE_DISTANCE = 20.0, 40.0  # metres to the item at the end, if hidden and if visible
MIN_CORNER_ANGLE = 38.0  # degrees of a turn that is not slight
MIN_STRAIGHT = 3.0  # metres of a last segment that is walked straight on
MAX_CROSSING_DISTANCE, MAX_TURN_OBJECT_DISTANCE = 9.0, 4.5  # metres from a turn to its crossing or object
MIN_FACED_DISTANCE, MAX_FACED_DISTANCE, MAX_FACED_ANGLE = (
    2.5,
    30.0,
    16.0,
)  # metres and degrees to the object ahead at the start
FAR_DISTANCE = 15.0  # metres to an object in the distance
MAX_CORNER_DISTANCE = 6.0  # metres from a turn to the corner of a building
# Weights of the ways to write a turn: at an object, in one clause or two, or at a crossing.
TURN_PLACES = {
    "at": 1.5, "after": 0.7, "before": 0.2, "to": 1.5, "past": 0.7, "crossing": 1.5, "to crossing": 0.7,
    "corner": 2.5, "it": 1.0,
}  # fmt: skip
BASE_WORDS, WORDS_SIGMA, WORDS_PER_METRE, MIN_BUDGET, MAX_BUDGET = 29.0, 0.41, 0.47, 10.0, 60.0  # words of a text
ENDING_WORDS, TURN_WORDS = 12.0, 6.0  # reserved for the ending and for a turn


def walk_writer(seed: str) -> WriterRandom:
    """Return a writer of instructions for walks: one person with habits."""
    return WriterRandom(f"walks {seed}", fitted_weights("walks"), HABITS)


def write_instruction(
    scene: SectionScene,
    start: Sequence[float],
    heading: float,
    actions: Sequence[str],
    target: CityItem,
    others: Sequence[CityItem],
    random: WriterRandom,
) -> Text | None:
    """Return a text that leads along a walk to its target, or None if none was found.

    Args:
        scene: The section's objects.
        start: The start of the walk.
        heading: The initial heading.
        actions: The actions of the walk.
        target: The item to pick up.
        others: The other items.
        random: The writer.
    """
    path, _ = replay((start[0], start[1], AGENT_Z), heading, actions)
    position = start[0], start[1]
    segments = split_path(scene, path)
    first_turn = float(total_rotation(actions[: actions.index(FORWARD) if FORWARD in actions else len(actions)]))
    city_items = sorted((target, *others), key=lambda item: item.at)
    for _ in range(MAX_TRIES):
        random.take_recorded()
        speaker = Speaker(Walker(scene, position, heading, city_items), random)
        if not _write_walk(speaker, segments, path, first_turn, city_items.index(target)) or speaker.length < MIN_WORDS:
            continue
        stops, chosen = follow_frames([item.frame for item in speaker.items], scene, position, heading, city_items)
        if chosen >= 0 and city_items[chosen] == target and stops == speaker.walker.stops:
            return compose(speaker.items, random)
    return None


def _write_walk(
    speaker: Speaker, segments: Sequence[Segment], path: Sequence[Sequence[float]], first_turn: float, target: int
) -> bool:
    """Write a walk; return False if the words lead elsewhere."""
    random, walker = speaker.random, speaker.walker
    goal = walker.city_items[target].at
    length = sum(segment.length for segment in segments)
    budget = min(
        max((BASE_WORDS + WORDS_PER_METRE * length) * random.lognormvariate(-0.06, WORDS_SIGMA), MIN_BUDGET), MAX_BUDGET
    )
    _write_start(speaker, segments[0] if segments else None, first_turn, (goal[0], goal[1]))
    for k, segment in enumerate(segments):
        last = k + 1 == len(segments)
        words_left = budget - speaker.length - ENDING_WORDS - TURN_WORDS * (len(segments) - k - 1)
        if last:
            approaches = random.chance("approach", 0.35)
            reserved = TURN_WORDS if approaches else 0.0
            passing.write_passing(speaker, segment, segment.length - 1.0, words_left - reserved)
            if approaches:
                _write_approach(speaker, target)
        else:
            _write_segment(speaker, segment, segments[k + 1], words_left)
            if hypot(walker.position[0] - segment.end[0], walker.position[1] - segment.end[1]) > MAX_DEVIATION:
                return False
    distance = hypot(walker.position[0] - goal[0], walker.position[1] - goal[1])
    if distance > (
        MAX_HIDDEN_DISTANCE if not walker.scene.sees(walker.position, goal[0], goal[1])[0] else MAX_VISIBLE_DISTANCE
    ):
        return False
    is_straight = bool(segments) and segments[-1].length > MIN_STRAIGHT
    if is_straight and (
        not speaker.items or (speaker.items[-1].frame.name == "turn" and random.chance("go before the end", 0.3))
    ):
        speaker.say("go", ClauseFrame("go"))
    view = path[max(len(path) - 6, 0)]
    return write_ending(speaker, target, (view[0], view[1]), is_straight and speaker.items[-1].frame.name != "go")


def _write_start(speaker: Speaker, segment: Segment | None, first_turn: float, goal: Position2D) -> None:
    """Write the turn at the start of a walk, if any."""
    random, walker = speaker.random, speaker.walker
    towards = segment.heading if segment is not None else bearing(walker.position, goal)
    angle = float(turn(walker.heading, towards))
    kind = turn_kind(angle)
    if abs(first_turn) >= MIN_FIRST_TURN and not kind:
        angle, kind = first_turn, turn_kind(first_turn)
    if not kind:
        if segment is not None and random.chance("no turn", 0.1):
            speaker.say("no turn", ClauseFrame("go"))
        return
    side = RIGHT if angle > 0 else LEFT
    if random.chance(f"facing {kind}", 0.4) and _write_facing(speaker, towards, side, kind):
        if segment is not None and random.chance("pronoun after facing", 0.4):
            passing.write_pronoun(speaker, segment)
        return
    frame = ClauseFrame("turn", side=0 if kind == "around" else side, turn=kind)
    speaker.do({"slight": "slight", "turn": "turn first", "around": "around"}[kind], frame)


def _write_facing(speaker: Speaker, towards: float, side: int, kind: TurnKind) -> bool:
    """Write "turn left to face the mailbox" for an object in the direction of the walk, sometimes without the side."""
    walker, scene = speaker.walker, speaker.walker.scene
    east, north = scene.east - walker.position[0], scene.north - walker.position[1]
    distance, angles = np.hypot(east, north), np.abs(turn(towards, np.degrees(np.arctan2(east, north))))
    rows = np.flatnonzero(
        (distance > MIN_FACED_DISTANCE) & (distance < MAX_FACED_DISTANCE) & (angles < MAX_FACED_ANGLE)
    )
    rows = rows[scene.sees(walker.position, scene.east[rows], scene.north[rows])] if len(rows) else rows
    if speaker.random.chance("facing without a side", 0.25):
        kind = ""
    side = side if kind in ("slight", "turn") else 0
    nominal, wide = walker.heading + TURN_ANGLES[kind] * (side or 1), FACING_ANGLE if kind else FULL_ANGLE
    for row in speaker.by_salience(rows.tolist())[:4]:
        named = speaker.name(row, 0, nominal, wide)
        if named is None or named[1].ordinal > 1:  # of several the walker faces the nearest
            continue
        name = {"slight": "face slight", "turn": "face", "around": "face around", "": "face any"}[kind]
        if distance[row] > FAR_DISTANCE and speaker.random.chance("far", 0.2):
            name += " far"
        pair = _faced_pair(speaker, row, rows.tolist(), named[1], nominal, wide)
        if pair is not None:
            other, other_text, other_phrase = pair
            frame = ClauseFrame("turn", named[1], other_phrase, side=side, turn=kind)
            if speaker.do(name, frame, [row, other], thing=named[0], other_thing=other_text):
                return True
        if speaker.do(name, ClauseFrame("turn", named[1], side=side, turn=kind), [row], thing=named[0]):
            return True
    return False


def _faced_pair(
    speaker: Speaker, row: int, rows: Sequence[int], phrase: Phrase, heading: float, wide: float
) -> tuple[int, Text, Phrase] | None:
    """Return a second object of another kind beside the one that is faced, with its name, sometimes."""
    scene = speaker.walker.scene
    others = [other for other in rows if scene.kind[other] not in (scene.kind[row], BUILDING)]
    others = speaker.by_salience(others)
    if not others or isinstance(phrase, LocatedPhrase) or not speaker.random.chance("face a pair", 0.2):
        return None
    named = speaker.name(others[0], 0, heading, wide, count=False)
    return (others[0], *named) if named is not None else None


def _write_segment(speaker: Speaker, segment: Segment, next_segment: Segment, words_left: float) -> None:
    """Write a segment that ends with a turn."""
    random = speaker.random
    angle = float(turn(segment.heading, next_segment.heading))
    side = RIGHT if angle > 0 else LEFT
    if abs(angle) < MIN_CORNER_ANGLE:
        kind = turn_kind(angle)
        if kind and random.chance("slight turn at an object", 0.4):
            passing.write_passing(speaker, segment, segment.length - 4.0, words_left)
            if _write_turn_at_object(speaker, segment, side, "at", "slight"):
                return
        passing.write_passing(speaker, segment, segment.length + 0.5, words_left)
        can_follow = bool(speaker.items) and speaker.items[-1].frame.name != "turn"
        if kind and can_follow and random.chance("slight turn", 0.5):
            speaker.do("slight", ClauseFrame("turn", side=side, turn="slight"))
        return
    if random.chance("pass before a turn", 0.5):
        passing.write_passing(speaker, segment, segment.length - 4.0, words_left)
    if speaker.items and speaker.items[-1].frame.name == "turn" and random.chance("go before a turn", 0.3):
        speaker.say("go", ClauseFrame("go"))
    place = random.pick("turn at", TURN_PLACES)
    for option in (place, "corner", "crossing", *random.sample(list(TURN_PLACES), len(TURN_PLACES))):
        if _write_turn_at(speaker, segment, side, option):
            return
    if speaker.items and speaker.items[-1].frame.name == "turn":
        speaker.say("go", ClauseFrame("go"))
    speaker.do("turn", ClauseFrame("turn", side=side, turn="turn"))


def _write_turn_at(speaker: Speaker, segment: Segment, side: int, place: str) -> bool:
    if place == "corner":
        corner = speaker.walker.corner(side)
        if corner is None or hypot(corner[0] - segment.end[0], corner[1] - segment.end[1]) > MAX_CORNER_DISTANCE:
            return False
        return speaker.do("turn at corner", ClauseFrame("turn at corner", side=side, turn="turn"))
    if place == "it":
        return _write_turn_at_pronoun(speaker, segment, side)
    if "crossing" in place:
        return _write_turn_at_crossing(speaker, segment, side, place == "crossing")
    return _write_turn_at_object(speaker, segment, side, place)


def _write_approach(speaker: Speaker, target: int) -> None:
    """Write the way to the object next to the target."""
    row = reached_object(speaker, target)
    named = speaker.name(row) if row >= 0 else None
    if named is None:
        return
    name = speaker.random.pick("approach by", {"to": 2.0, "toward": 0.8, "pass": 0.8})
    speaker.do(name, ClauseFrame(name, named[1]), [row], thing=named[0])


def _write_turn_at_object(speaker: Speaker, segment: Segment, side: int, place: str, kind: TurnKind = "turn") -> bool:
    """Write a turn at an object, before or after it, in one clause or two."""
    scene = speaker.walker.scene
    distances = np.hypot(scene.east[segment.rows] - segment.end[0], scene.north[segment.rows] - segment.end[1])
    if place in ("at", "to"):
        near = distances <= MAX_TURN_OBJECT_DISTANCE
    elif place == "before":
        near = (distances <= MAX_TURN_OBJECT_DISTANCE) & (segment.along > segment.length + 0.5)
    else:
        near = (segment.along > segment.length - 6.0) & (segment.along < segment.length + 0.5)
    rows = [int(row) for row in segment.rows[near] if int(row) not in speaker.used]
    for row in speaker.by_salience(rows)[:3]:
        named = speaker.name(row)
        if named is None:
            continue
        if place in ("to", "past"):
            verb = "to" if place == "to" else "pass"
            if speaker.do(verb, ClauseFrame(verb, named[1]), [row], thing=named[0]):
                return speaker.do("turn", ClauseFrame("turn", side=side, turn="turn"))
        else:
            frame = ClauseFrame(f"turn {place}", named[1], side=side, turn=kind)
            name = frame.name if kind == "turn" else f"{kind} {place}"
            if speaker.do(name, frame, [row], thing=named[0]):
                return True
    return False


def _write_turn_at_pronoun(speaker: Speaker, segment: Segment, side: int) -> bool:
    """Write the way toward an object and a turn at it: "go toward the bench and turn left at it"."""
    scene = speaker.walker.scene
    distances = np.hypot(scene.east[segment.rows] - segment.end[0], scene.north[segment.rows] - segment.end[1])
    near = (distances <= MAX_TURN_OBJECT_DISTANCE) & (scene.kind[segment.rows] != BUILDING)
    for row in speaker.by_salience([int(row) for row in segment.rows[near] if int(row) not in speaker.used])[:3]:
        named = speaker.name(row)
        if named is None or is_plural(named[0].string):
            continue
        if speaker.do("toward", ClauseFrame("toward", named[1]), [row], thing=named[0]):
            text = Text("it").with_annotations("coreference").with_mentions(int(scene.instance[row]))
            frame = ClauseFrame("turn at", Phrase("it", None, coreferent=True), side=side, turn="turn")
            return speaker.do("turn at", frame, [row], thing=text)
    return False


def _write_turn_at_crossing(speaker: Speaker, segment: Segment, side: int, one_clause: bool) -> bool:
    """Write a turn at a crossing, the first or a later one, in one clause or two."""
    walker = speaker.walker
    distances = np.hypot(*(walker.scene.crossings - np.asarray(segment.end)).T)
    if not len(distances) or distances.min() > MAX_CROSSING_DISTANCE:
        return False
    for nth in (1, 2, 3):
        if walker.crossing(nth) == int(distances.argmin()):
            ordinal = 0 if nth == 1 and not speaker.random.chance("first crossing", 0.15) else nth
            expected = [int(distances.argmin())]
            if not one_clause:
                speaker.do("cross", ClauseFrame("cross", nth=ordinal), expected)
                return speaker.do("turn", ClauseFrame("turn", side=side, turn="turn"))
            return speaker.do(
                "turn at crossing", ClauseFrame("turn at crossing", side=side, turn="turn", nth=ordinal), expected
            )
    return False

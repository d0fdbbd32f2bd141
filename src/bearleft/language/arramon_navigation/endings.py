"""How an instruction ends: what is to be picked up, and what it lies by."""

from __future__ import annotations

from random import Random

import numpy as np

from bearleft.geometry import Floats, turn
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_navigation.scene import Spot
from bearleft.language.arramon_navigation.semantics import BY, LEFT, RIGHT, Frame, Relation, Sought, bearing, seen_as
from bearleft.language.arramon_navigation.speaker import Teller
from bearleft.language.noun_phrases import Phrase
from bearleft.world.arramon.items.names import item_by_name

Way = tuple[Frame, str, dict[str, Text | str]]  # what is meant, how it is said, of what
ALONE = 0.11  # how often nothing else is said of where it lies, or only where it lies for you
WEIGHTS: dict[Relation, float] = {"behind": 9.0, "before": 9.0, "left": 1.5, "right": 1.5, "near": 0.6}
PAIRED = 0.6
HOW = {"pick": 0.7, "see": 0.1, "until": 0.2}  # how often one says "pick up", "you will see", "go until you see"
NEW = {"pick": 0.0, "see": 1.0, "until": 0.3}  # and how often "a mug" then, not "the mug"
ALIKE = 8.0  # metres around it in which a thing's name must fit that thing alone
LOOSE = 0.35  # metres by which a relation may be near its limit


def end(teller: Teller, target: int, view: Spot, walks: bool) -> bool:
    """Says what to pick up, so that the walker finds it; `view` is where one sees it from on the true walk.

    `walks` says whether one walks on straight to it.
    """
    random, walker = teller.random, teller.walker
    lies = walker.lying[target]
    sought = _sought(lies.item, random)
    for frame, name, slots in _ways(teller, target, view, sought):
        if walker.choose(frame) != target:
            continue
        walker.do(frame)
        how = random.choices(list(HOW), list(HOW.values()))[0]
        if how == "until" and (frame.relation == "ahead" or not walks):
            how = "see"
        article = "a" if random.random() < NEW[how] else "the"
        teller.say(f"{how} {name}".strip(), frame, item_thing=f"{article} {sought.words}", **slots)
        if how != "pick":
            teller.say("take it", Frame("take it"))
        return True
    return False


def _sought(name: str, random: Random) -> Sought:
    one = item_by_name(name)
    looks = f"{one.pattern} {one.colour}" if random.random() < 0.9 else f"{one.colour} {one.pattern}"
    kind = "TV" if one.type == "tv" and random.random() < 0.5 else one.type
    return Sought(f"{looks} {kind}", one.pattern, one.colour, one.type)


def _ways(teller: Teller, target: int, view: Spot, sought: Sought) -> list[Way]:
    """Ways to say it, the most wanted first."""
    random, walker = teller.random, teller.walker
    found: list[Way] = []
    at = np.array(walker.lying[target].at[:2])
    ego: list[Way] = [(Frame("pick", sought=sought), "", {})]
    angles = [float(turn(walker.heading, bearing(spot, (at[0], at[1])))) for spot in (walker.at, view)]
    ego += [
        (Frame("pick", side=side, sought=sought, relation="side"), "side", {})
        for side in (LEFT, RIGHT)
        if all(20.0 < angle * side < 120.0 for angle in angles)
    ]
    if all(abs(angle) < 25.0 for angle in angles):
        ego.append((Frame("pick", sought=sought, relation="ahead"), "ahead", {}))
    for row, relation in _beside(teller, at, view):
        said = _named(teller, row, at)
        if said is not None:
            found.append((Frame("pick", said[1], sought=sought, relation=relation), relation, {"thing": said[0]}))
    random.shuffle(ego)
    keyed = sorted(found, key=lambda one: -(random.random() ** (1 / WEIGHTS[one[0].relation])))
    pair = _between(teller, at, sought)
    keyed = [*pair, *keyed] if random.random() < PAIRED else [*keyed, *pair]
    return [*ego, *keyed] if random.random() < ALONE else [*keyed, *ego]


def _beside(teller: Teller, at: Floats, view: Spot) -> list[tuple[int, Relation]]:
    """Things that it lies by, and how, for the walker in mind and on the true walk."""
    walker, scene = teller.walker, teller.walker.scene
    spots = np.column_stack([scene.east, scene.north])
    near = np.hypot(*(spots - at).T) <= BY - LOOSE
    rows = np.flatnonzero(near)
    if len(rows):
        rows = rows[scene.sees(view, scene.east[rows], scene.north[rows])]
    found: list[tuple[int, Relation]] = []
    for relation in WEIGHTS:
        good = seen_as(relation, walker.at, spots[rows], at) & seen_as(relation, view, spots[rows], at)
        found += [(int(row), relation) for row in rows[good]]
    return found


def _named(teller: Teller, row: int, at: Floats) -> tuple[Text, Phrase] | None:
    """A name that fits nothing else near by."""
    scene = teller.walker.scene
    for text, phrase in teller.ways_to_name(row):
        rows = scene.fitting(phrase)
        near = rows[np.hypot(scene.east[rows] - at[0], scene.north[rows] - at[1]) <= ALIKE]
        if near.tolist() == [row]:
            return text, phrase
    return None


def _between(teller: Teller, at: Floats, sought: Sought) -> list[Way]:
    """Two things that it lies between."""
    scene = teller.walker.scene
    off = np.column_stack([scene.east, scene.north]) - at
    far = np.hypot(off[:, 0], off[:, 1])
    rows = np.flatnonzero(far <= BY - LOOSE)
    for k, one in enumerate(rows):
        for other in rows[k + 1 :]:
            if off[one] @ off[other] < -0.7 * far[one] * far[other]:
                first, second = _named(teller, int(one), at), _named(teller, int(other), at)
                if first is not None and second is not None:
                    frame = Frame("pick", first[1], second[1], sought=sought, relation="between")
                    return [(frame, "between", {"thing": first[0], "other_thing": second[0]})]
    return []

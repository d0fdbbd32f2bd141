"""Observations in words, as VELMA verbalises them: ways, headings and junctions, and landmarks by their direction.

Everything here is text of a prompt. Rounded numbers are the only precision a model gets.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from bearleft.agents.llm.landmarks import Landmark
from bearleft.geometry import turn
from bearleft.records import Episode
from bearleft.types import DataFolder, Observation

COMPASS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
SIDES = (
    *("straight ahead", "slightly right", "right", "sharp right", "behind", "sharp left", "left", "slightly left"),
)
MAX_STEPS_TO_CROSSING = 10  # further crossings are not seen
MAX_METRES_AHEAD = 10  # of free ground, in sections


def compass_word(heading: float) -> str:
    """Return the point of the compass nearest to a heading."""
    return COMPASS[round(heading / 45.0) % 8]


def side_word(degrees: float) -> str:
    """Return the word for a turn in degrees, clockwise positive."""
    return SIDES[round(degrees / 45.0) % 8]


def signed_degrees(degrees: float) -> str:
    """Return "85° right" or "20° left"."""
    whole = round(abs(degrees))
    return f"{whole}° {'left' if degrees < 0 else 'right'}" if whole else "0°"


class Numbers:
    """The numbers by which objects are called in an episode: the same object keeps its number."""

    def __init__(self) -> None:
        self._by_key: dict[int | str, int] = {}
        self._count = 0

    def of(self, landmark: Landmark) -> int:
        """Return the number of a landmark."""
        if landmark.key is not None and landmark.key in self._by_key:
            return self._by_key[landmark.key]
        self._count += 1
        if landmark.key is not None:
            self._by_key[landmark.key] = self._count
        return self._count


def describe(
    episode: Episode,
    observation: Observation,
    landmarks: Sequence[tuple[int, Landmark]] | None,
    city: int | None = None,
    data: DataFolder = None,
    came_from: str | None = None,
) -> str:
    """Return an observation in words.

    Args:
        episode: The episode.
        observation: The observation.
        landmarks: Numbered landmarks in sight; None to say nothing of landmarks.
        city: Seed of the city on streets without buildings, for the direction of its traffic.
        data: Folder of the datasets.
        came_from: The place from which a walker came, if it has walked.
    """
    kind = observation["kind"]
    if kind == "reach":
        lines = _describe_street(episode.world, observation, city, data, came_from)
    elif kind == "point":
        heading, pitch = observation["heading"], observation["pitch"]
        lines = iter([f"You look {compass_word(heading)}: heading {heading:.0f}°, pitch {pitch:.0f}°."])
    elif kind == "look":
        lines = _describe_look(observation)
    elif kind == "collect":
        lines = _describe_section(episode.world, observation)
    else:
        lines = _describe_room(observation)
    all_lines = [*lines]
    if landmarks is not None and kind != "assemble":
        all_lines += _describe_landmarks(observation, landmarks)
    return "\n".join(all_lines)


def _steps(observation: Observation) -> str:
    return f"Step {observation['step'] + 1} of at most {observation['horizon']}."


def _describe_street(
    world: str, observation: Observation, city: int | None, data: DataFolder, came_from: str | None
) -> Iterator[str]:
    heading = observation["heading"]
    turns = [link["turn"] for link in observation["links"]]
    spot = f"at a crossing of {len(turns)} ways" if len(turns) > 2 else "in a street"
    if len(turns) == 1:
        spot = "at the end of a street"
    yield f"{_steps(observation)} You are {spot} and face {compass_word(heading)}."
    yield "Ways from here:"
    facts = _way_facts(world, observation["place"], city, None if data is None else os.fspath(data))
    for degrees, (target, way) in sorted(zip(turns, facts, strict=True), key=lambda pair: abs(pair[0])):
        facing = ", the way you face" if abs(degrees) < 0.5 else ""
        back = ", where you came from" if target == came_from else ""
        yield f"- {side_word(degrees)} ({signed_degrees(degrees)}){facing}{back}: {way}"


@lru_cache(maxsize=4096)
def _way_facts(world: str, place: str, city: int | None, data: str | None) -> tuple[tuple[str, str], ...]:
    """Return where each way from a place leads, and what is seen along it: traffic and the next crossing."""
    from bearleft.agents.follower import street_paths
    from bearleft.language.scene_index import open_scene_index
    from bearleft.world.worlds import open_world, world_kind

    kind = world_kind(world)
    if kind.rendered or (kind.buildable and city is not None):
        scene = open_scene_index(world, None if kind.rendered else city, data)
        paths, traffic = street_paths(scene), True
    else:
        paths, traffic = _plain_paths(open_world(world, data)), False
    facts = []
    for link in paths.graph.links(paths.graph.place_index(place)).tolist():
        words = [("with the traffic" if paths.is_allowed[link] else "against the traffic")] if traffic else []
        target = paths.graph.ids[int(paths.graph.target[link])]
        facts.append((target, "; ".join([*words, _next_crossing(paths, link)])))
    return tuple(facts)


@lru_cache(maxsize=4)
def _plain_paths(graph: Any) -> Any:
    from bearleft.world.graphs.shortest_paths import PathFinder

    return PathFinder.make(graph)


def _next_crossing(paths: Any, link: int) -> str:
    from bearleft.language.instructions.segments import straight_link

    steps, following = 0, link
    while steps < MAX_STEPS_TO_CROSSING:
        place, heading = int(paths.graph.target[following]), float(paths.graph.heading[following])
        steps += 1
        if paths.crossing[place]:
            return f"a crossing after {steps} step{'s' if steps > 1 else ''}"
        onward = straight_link(paths, place, heading)
        if onward is None:
            return f"it ends after {steps} step{'s' if steps > 1 else ''}"
        following = onward
    return f"no crossing within {MAX_STEPS_TO_CROSSING} steps"


def _describe_look(observation: Observation) -> Iterator[str]:
    heading, pitch = observation["heading"], observation["pitch"]
    yield f"{_steps(observation)} Sentence {observation['sentence'] + 1} of {observation['sentences']}."
    if pitch > 75:
        yield f"You look up at the ceiling: heading {heading:.0f}°, pitch {pitch:.0f}°."
    else:
        yield f"You look to heading {heading:.0f}°, pitch {pitch:.0f}°; your view is {observation['fov']:.0f}° wide."


def _describe_section(world: str, observation: Observation) -> Iterator[str]:
    from bearleft.language.arramon_navigation.scene import open_scene
    from bearleft.world.arramon.moves import is_in_reach
    from bearleft.world.arramon.walkable import step_forward
    from bearleft.world.arramon.walkable_grids import load_walkable_grid
    from bearleft.world.worlds import world_kind

    east, north, _ = observation["position"]
    heading = observation["heading"]
    yield f"{_steps(observation)} You face {compass_word(heading)} (heading {heading:.0f}°)."
    ground, x, y, free = load_walkable_grid(world), east, north, 0
    while free < MAX_METRES_AHEAD:
        to_x, to_y, moved = step_forward(ground, x, y, heading)
        if not moved:
            break
        x, y, free = float(to_x), float(to_y), free + 1
    more = " or more" if free == MAX_METRES_AHEAD else ""
    yield (
        f"Ahead {free} step{'' if free == 1 else 's'}{more} are free." if free else "Ahead something stands in the way."
    )
    items = []
    for name, at, _ in observation["city_items"]:
        across, along = at[0] - east, at[1] - north
        metres = float(np.hypot(across, along))
        released = world_kind(world).from_release
        if metres <= 60.0 and (released or bool(open_scene(world).sees((east, north), at[0], at[1])[0])):
            degrees = float(turn(heading, np.degrees(np.arctan2(across, along))))
            reach = ", in reach" if is_in_reach(observation["position"], heading, tuple(at)) else ""
            items.append(
                (metres, f"- {name.lower()}: {side_word(degrees)} ({signed_degrees(degrees)}, {metres:.0f} m{reach})")
            )
    yield "Items in sight:"
    yield from [words for _, words in sorted(items)] or ["- none"]


def _describe_room(observation: Observation) -> Iterator[str]:
    column, _, row = observation["cell"]
    quarter = observation["heading"] % 360 / 90
    names = {0: "toward higher rows", 1: "toward higher columns", 2: "toward lower rows", 3: "toward lower columns"}
    facing = names.get(quarter, f"between two axes (heading {observation['heading']:.0f}°)")
    yield f"{_steps(observation)} You stand at column {column}, row {row} and face {facing}."
    yield f"You carry the {observation['carried'].lower()}."
    ahead = observation["ahead"]
    if ahead is None:
        yield '"place" is not possible here.'
    else:
        yield f'"place" would put it at column {ahead[0]}, height {ahead[1]}, row {ahead[2]}.'
    yield "Items in the room:"
    for item, cell in observation["room_items"]:
        yield f"- {item.lower()}: column {cell[0]}, height {cell[1]}, row {cell[2]}"
    if not observation["room_items"]:
        yield "- none"


def _describe_landmarks(observation: Observation, landmarks: Sequence[tuple[int, Landmark]]) -> list[str]:
    heading = observation["heading"]
    points = observation["kind"] in ("point", "look")
    by_words: dict[str, list[str]] = {}
    for number, landmark in landmarks:
        degrees = float(turn(heading, landmark.heading))
        if points:
            parts = [f"heading {landmark.heading:.0f}°", f"pitch {landmark.pitch:.0f}°"]
            if landmark.width is not None and landmark.height is not None:
                parts.append(f"{landmark.width:.0f}° wide and {landmark.height:.0f}° high")
        else:
            parts = [signed_degrees(degrees)]
        if landmark.metres is not None:
            parts.append(f"{landmark.metres:.0f} m")
        by_words.setdefault(landmark.words, []).append(f"[{number}] {side_word(degrees)} ({', '.join(parts)})")
    if not by_words:
        return ["Landmarks of the text in sight: none"]
    return ["Landmarks of the text in sight:", *(f"- {words}: {'; '.join(seen)}" for words, seen in by_words.items())]

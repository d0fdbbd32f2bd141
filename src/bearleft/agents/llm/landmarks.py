"""Landmarks: objects that a text names and that are in sight, from the scene's ground truth or from your own detector.

The ground truth finds the noun phrases of a text and, for each, the objects in sight that fit it, as VELMA's landmark
extraction and scorer do with two networks. It does not resolve what a text means: if three doors fit "the white door",
all three are landmarks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import atan2, degrees, hypot, inf
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.errors import InputError, format_value
from bearleft.records import Episode
from bearleft.runtime.user_module import import_file
from bearleft.types import DataFolder, Observation

MAX_PER_PHRASE = 8
MAX_PER_SECTOR = 2  # of a phrase, in an eighth of the circle
MAX_METRES_IN_SECTIONS = 60.0
MIN_VISIBLE_SHARE = 3e-5  # of the sphere; smaller objects are not pointed at
DETECT = "detect"  # the function of a detector's file


@dataclass(frozen=True)
class Landmark:
    """An object in sight.

    Attributes:
        words: What it is called, if possible as in the text.
        heading: Its direction in degrees clockwise from north.
        pitch: Degrees upwards.
        metres: Its distance; None if it is unknown.
        width: How wide it looks, in degrees; None if it is unknown.
        height: How high it looks, in degrees.
        key: The same for the same object in all observations of an episode; None if it is not known again.
    """

    words: str
    heading: float
    pitch: float = 0.0
    metres: float | None = None
    width: float | None = None
    height: float | None = None
    key: int | str | None = None


Detector = Callable[[Episode, Observation], Sequence[Landmark]]


def plain_words(words: str) -> str:
    """Return a noun phrase without its article."""
    first, _, rest = words.partition(" ")
    return rest if rest and first in ("the", "a", "an", "some", "this", "that") else words


class SceneLandmarks:
    """The landmarks of a text from the scene's ground truth.

    Args:
        city: Seed of the city on streets without buildings.
        data: Folder of the datasets.
    """

    def __init__(self, city: int | None = None, data: DataFolder = None) -> None:
        self.city, self.data = city, data

    def check(self, world: str) -> None:
        """Raise InputError if a world has no scene."""
        from bearleft.world.worlds import world_kind

        kind = world_kind(world)
        if not kind.rendered and not (kind.buildable and self.city is not None):
            hint = "Leave landmarks out with --landmarks none, or name your own detector: --landmarks FILE.py."
            if kind.buildable:
                hint = f"Name the city that is built on the streets of {world}: --city SEED. {hint}"
            raise InputError("a world whose objects are known, for landmarks in words", format_value(world), hint=hint)

    def __call__(self, episode: Episode, observation: Observation) -> list[Landmark]:
        """Return the landmarks of an observation's text."""
        self.check(episode.world)
        if observation["kind"] == "collect":
            return list(_in_section(episode, observation))
        text = observation["text"]
        if observation["kind"] == "look":  # earlier sentences name what "it" means
            sentences = episode.legs[observation["leg"]].sentences or (text,)
            text = " ".join(sentences[: observation["sentence"] + 1])
        return list(_in_scene(episode.world, text, observation, self.city, self.data))


def _in_scene(
    world: str, text: str, observation: Observation, city: int | None, data: DataFolder
) -> Iterator[Landmark]:
    from bearleft.language.instructions.segments import IS_LARGE, noticeable
    from bearleft.language.noun_phrases import match
    from bearleft.language.scene_index import open_scene_index
    from bearleft.world.worlds import world_kind

    scene = open_scene_index(
        world, None if world_kind(world).rendered else city, None if data is None else os.fspath(data)
    )
    place = scene.city.graph.place_index(observation["place"])
    visible = scene.at(place)
    east, north = (
        (visible.east - scene.city.graph.positions[place][0]),
        (visible.north - scene.city.graph.positions[place][1]),
    )
    walks = observation["kind"] == "reach"
    in_sight = noticeable(visible) if walks else visible.share >= MIN_VISIBLE_SHARE
    for phrase in _phrases(text, walks, scene.plan.indoors):
        rows = np.flatnonzero(match(phrase, visible) & in_sight)
        found = []
        for row in rows.tolist():
            large = bool(IS_LARGE[visible.kind[row]])
            if walks:
                # A building is where it begins, not at its centre.
                heading = float(visible.heading[row]) if large else degrees(atan2(east[row], north[row])) % 360.0
                metres = float(visible.nearest[row]) if large else hypot(east[row], north[row])
                pitch = width = height = None
            else:
                heading = float(visible.left[row] + visible.width[row] / 2) % 360.0
                pitch = float(visible.bottom[row] + visible.top[row]) / 2
                width, height = float(visible.width[row]), float(visible.top[row] - visible.bottom[row])
                metres = float(visible.median[row])
            key = int(visible.instance[row])
            found.append(Landmark(plain_words(phrase.words), heading, pitch or 0.0, metres, width, height, key))
        yield from nearest_around(found, observation["heading"])


def nearest_around(landmarks: Sequence[Landmark], heading: float) -> list[Landmark]:
    """Return the nearest landmarks in each eighth of the circle, nearest first."""
    counts: dict[int, int] = {}
    chosen: list[Landmark] = []
    for landmark in sorted(landmarks, key=lambda landmark: inf if landmark.metres is None else landmark.metres):
        sector = int(((landmark.heading - heading + 22.5) % 360.0) // 45.0)
        counts[sector] = counts.get(sector, 0) + 1
        if counts[sector] <= MAX_PER_SECTOR and len(chosen) < MAX_PER_PHRASE:
            chosen.append(landmark)
    return chosen


def _in_section(episode: Episode, observation: Observation) -> Iterator[Landmark]:
    from bearleft.language.arramon_navigation.scene import open_scene

    scene = open_scene(episode.world)
    east, north, _ = observation["position"]
    for phrase in _phrases(observation["text"], False, False):
        rows = scene.fitting(phrase)
        across, along = scene.east[rows] - east, scene.north[rows] - north
        in_sight = np.hypot(across, along) <= MAX_METRES_IN_SECTIONS
        in_sight &= scene.sees((east, north), scene.east[rows], scene.north[rows]) | (scene.half_width[rows] > 0)
        yield from nearest_around(
            [
                Landmark(
                    plain_words(phrase.words),
                    degrees(atan2(across[k], along[k])) % 360.0,
                    metres=float(hypot(across[k], along[k])),
                    key=int(scene.instance[rows[k]]),
                )
                for k in np.flatnonzero(in_sight).tolist()
            ],
            observation["heading"],
        )


@lru_cache(maxsize=256)
def _phrases(text: str, walks: bool, indoors: bool) -> tuple[Any, ...]:
    """Return the noun phrases of a text that name objects, each once."""
    from bearleft.language.instructions.parse import mentioned_objects
    from bearleft.language.noun_phrases import chunk

    phrases = mentioned_objects(text) if walks else chunk(text, indoors=indoors)[1]
    return tuple({plain_words(phrase.words): phrase for phrase in phrases if not phrase.pronoun}.values())


def no_landmarks(_episode: Episode, _observation: Observation) -> list[Landmark]:
    """Return no landmarks."""
    return []


def load_detector(spec: str) -> Detector:
    """Return the detector of a Python file: its function `detect(episode, observation)`.

    It returns a list of `Landmark`. Pass `--see view` or `--see panorama` to have the picture in the observation. The
    episode holds the goals too, which an honest detector does not read.

    Raises:
        InputError: The file cannot be run, or has no such function.
    """
    if not Path(spec).is_file():
        raise InputError("text, none, or a Python file with a detector", format_value(spec), "landmarks")
    module, _ = import_file(Path(spec), "detector", f"a Python file with a function {DETECT}(episode, observation)")
    detect = getattr(module, DETECT, None)
    if not callable(detect):
        raise InputError(f"a function {DETECT}(episode, observation)", "none", file=spec)

    def checked(episode: Episode, observation: Observation) -> list[Landmark]:
        landmarks = list(detect(episode, observation))
        for landmark in landmarks:
            if not isinstance(landmark, Landmark):
                raise InputError("a list of Landmark", format_value(landmark), DETECT, spec)
        return landmarks

    return checked

"""Writer of target descriptions in the style of Touchdown's SDR: the scene first, then the spot of Touchdown.

A description is drawn at random, rendered, and checked against the scene: every ref of its meaning must resolve to the
intended object from the place it is written for, the spot must be the target, and the text must read back so. Otherwise
another one is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bearleft.geometry import turn, vector_angles
from bearleft.language.annotated_text import Text
from bearleft.language.descriptions.draft import Draft
from bearleft.language.descriptions.locate import locate_spot, locate_target, pixel_distance, resolve_reference
from bearleft.language.descriptions.parse import parse_description
from bearleft.language.descriptions.semantics import (
    Meaning,
    Scorer,
    Viewpoint,
    view_from,
)
from bearleft.language.descriptions.strategies import DraftWriter
from bearleft.language.scene_index import SceneIndex
from bearleft.language.writer_random import WriterRandom, fitted_weights
from bearleft.records import Direction
from bearleft.world.targets import Target

MAX_TRIES = 32  # drafts
MORE_TRIES = 6  # drafts after the first that is right at the target's own place, for one that is right everywhere
GOOD_PIXELS, MAX_PIXELS = 30.0, 40.0  # preferred and maximum error of a description
MIN_MARGIN = 1.5  # score by which the intended object must beat the next one
MAX_MISALIGNMENT = 45.0  # degrees between the heading and the panorama's centre up to which "on your left" is used
HABITS = {"relation": 0.0}


@dataclass(frozen=True)
class Description:
    """Description of a target: an opening that sets the scene, and the rest, which ends with the spot."""

    opening: Text
    rest: Text

    @property
    def text(self) -> Text:
        """The complete text."""
        return Text.join((self.opening, self.rest))


def describe(
    scene: SceneIndex, target: Target, heading: float, views: Sequence[int], seed: int, number: int
) -> Description | None:
    """Return a description of a target, or None if no unambiguous one is found.

    Args:
        scene: The scene.
        target: The target to describe.
        heading: Heading on arrival at the target's place.
        views: Places that the target is shown from, including its own.
        seed: Seed of the dataset.
        number: Number of the description, part of the seed.
    """
    result = describe_with_meaning(scene, target, heading, views, seed, number)
    return result[0] if result else None


def describe_with_meaning(
    scene: SceneIndex, target: Target, heading: float, views: Sequence[int], seed: int, number: int
) -> tuple[Description, Meaning] | None:
    """Return a description and its meaning. The arguments are those of `describe`."""
    if target.position is None:
        return None
    yaw = scene.city.graph.yaw
    aligned = all(abs(float(turn(heading, yaw[view]))) < MAX_MISALIGNMENT for view in views)
    places = [target.place, *(view for view in views if view != target.place)]
    viewpoints = [view_from(scene, place, float(yaw[place])) for place in places]
    viewpoints = [
        viewpoint for k, viewpoint in enumerate(viewpoints) if not k or viewpoint.visible.find(target.instance) >= 0
    ]
    if viewpoints[0].visible.find(target.instance) < 0:
        return None
    eyes = [scene.city.eyes[viewpoint.visible.place] for viewpoint in viewpoints]
    goals = [Direction(*map(float, vector_angles(np.array(target.position) - eye))) for eye in eyes]
    writer = _Writer(scene, target, viewpoints, goals, aligned)
    best: tuple[float, Draft] | None = None
    weights = fitted_weights("sdr")
    last = MAX_TRIES
    for attempt in range(MAX_TRIES):
        if attempt > last:
            break
        draft = writer.draft(WriterRandom(f"{seed} describe {number} {attempt}", weights, HABITS))
        if draft is None:
            continue
        score = writer.rate(draft)
        if score is not None and (best is None or score > best[0]):
            last = attempt + MORE_TRIES if best is None else last
            best = score, draft
            if score >= 1.0:
                break
    if best is None:
        return None
    return Description(best[1].opening, best[1].rest), best[1].meaning


class _Writer(DraftWriter):
    """Writes drafts and rates them."""

    def rate(self, draft: Draft) -> float | None:
        """Return the quality of a draft: 1 at best, None if it is wrong at the target's own place."""
        meaning = draft.meaning
        scorer = Scorer(self.viewpoint, meaning)
        for ref, thing in enumerate(draft.things):
            if not thing:
                continue
            row, margin = scorer.best(ref)
            if row < 0 or int(self.visible.instance[row]) != thing or margin < MIN_MARGIN:
                return None
        if self._ambiguous(draft):
            return None
        errors = [
            self._error_pixels(viewpoint, goal, meaning, draft)
            for viewpoint, goal in zip(self.viewpoints, self.goals, strict=True)
        ]
        if errors[0] > MAX_PIXELS - 3 or not self._reads_back(draft):
            return None
        if errors[0] <= GOOD_PIXELS and max(errors) <= MAX_PIXELS - 3:
            return 1.0
        share = sum(error <= MAX_PIXELS - 3 for error in errors) / len(errors)
        return share - min(max(errors), 1000.0) / 5000.0

    def _ambiguous(self, draft: Draft) -> bool:
        """Return whether the phrases of two named objects each fit the other object."""
        single = [k for k, thing in enumerate(draft.things) if thing and not draft.refs[k].phrase.plural]
        fits = {k: self.viewpoint.match(draft.refs[k].phrase) for k in single}
        rows = {k: self.visible.find(draft.things[k]) for k in single}
        return any(
            fits[j][rows[k]] and fits[k][rows[j]] and draft.things[j] != draft.things[k]
            for j in single
            for k in single
            if j < k
        )

    def _reads_back(self, draft: Draft) -> bool:
        """Return whether the text itself, as a reader would parse it, leads to the target."""
        meaning = parse_description(Text.join((draft.opening, draft.rest)).string)
        located = locate_target(meaning, self.scene, self.target.place, self.viewpoint.heading)
        return located is not None and pixel_distance(located, self.goals[0]) <= MAX_PIXELS

    def _error_pixels(self, viewpoint: Viewpoint, goal: Direction, meaning: Meaning, draft: Draft) -> float:
        assert meaning.spot is not None
        instance = resolve_reference(viewpoint, meaning, meaning.spot.ref_index)
        if instance != self.target.instance:
            return 1000.0
        direction = locate_spot(
            viewpoint, meaning.spot, instance, lambda ref: resolve_reference(viewpoint, meaning, ref)
        )
        return pixel_distance(direction, goal) if direction else 1000.0

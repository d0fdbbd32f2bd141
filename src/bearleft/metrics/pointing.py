"""Metrics of pointing: A@40px, C@40px and Dist of Touchdown's SDR, and Acc@11deg of Refer360.

Touchdown counts pixels of an image of 3712 x 800, with rows linear in pitch; its left and right edges are not joined. A
pixel is 360 / 3712 of a degree wide and 180 / 800 high. Degrees are along the great circle.

The convention `cells` follows Touchdown's appendix D.3 instead: answer and target are first mapped to cells of the
464 x 100 feature map, 8 pixels a side, and thresholds are scaled to 5, 10 and 15 cells.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, unknown_name
from bearleft.geometry import angular_distance, to_equirectangular
from bearleft.metrics.metric import REFER360_PAPER, TOUCHDOWN_PAPER, Metric
from bearleft.metrics.ragged_paths import Floats, finite_array
from bearleft.records import Direction, Point

WIDTH, HEIGHT = 3712, 800
CELL_SIZE = 8  # pixels a side
CELL_TOLERANCE = 1e-9  # fraction of a cell: rounding errors do not move pixels on a border
PAPER, CELLS = POINT_CONVENTIONS = ("paper", "cells")


def pixels(heading: npt.ArrayLike, pitch: npt.ArrayLike, yaw: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return the columns and rows of directions in images whose middle column has heading `yaw`."""
    return to_equirectangular(
        finite_array(heading, "heading"), finite_array(pitch, "pitch"), WIDTH, HEIGHT, finite_array(yaw, "yaw")
    )


def pixel_distances(answers: npt.ArrayLike, targets: npt.ArrayLike) -> Floats:
    """Return the distances between pixels (n, 2) of answers and targets; the image does not wrap around."""
    answered, expected = finite_array(answers, "answers"), finite_array(targets, "targets")
    if answered.shape != expected.shape or answered.shape[-1:] != (2,):
        raise InputError(f"targets of shape (n, 2) like the answers {answered.shape}", str(expected.shape), "targets")
    return np.hypot(answered[..., 0] - expected[..., 0], answered[..., 1] - expected[..., 1])


def pixel_distance(answer: Direction, goal: Point) -> float:
    """Return the distance of an answer from its target in pixels."""
    return float(direction_distances([answer], [goal])[0])


def direction_distances(answers: Sequence[Direction], goals: Sequence[Point], convention: str = PAPER) -> Floats:
    """Return the distances of answers from their targets, in the pixels of each goal's own panorama.

    With the convention `cells` it is the distance between cells of the feature map, also in pixels: 8 per cell. A
    threshold of 40 pixels then is one of 5 cells.

    Args:
        answers: The directions pointed at.
        goals: The goal of each answer.
        convention: "paper" or "cells".

    Raises:
        InputError: The convention is unknown, or there is not one goal for each answer.
    """
    if convention not in POINT_CONVENTIONS:
        raise unknown_name("convention for points", convention, POINT_CONVENTIONS)
    _check_same_length(answers, goals)
    yaw = [goal.yaw for goal in goals]
    answered = pixels([a.heading for a in answers], [a.pitch for a in answers], yaw)
    expected = pixels([g.direction.heading for g in goals], [g.direction.pitch for g in goals], yaw)
    if convention == CELLS:
        answered, expected = _cell_corners(*answered), _cell_corners(*expected)
    return np.hypot(answered[0] - expected[0], answered[1] - expected[1])


def _cell_corners(column: Floats, row: Floats) -> tuple[Floats, Floats]:
    """Return the upper left corners of the cells that contain pixels; the last row includes straight down."""
    cell_column = np.clip(np.floor(column / CELL_SIZE + CELL_TOLERANCE), 0, WIDTH // CELL_SIZE - 1)
    cell_row = np.clip(np.floor(row / CELL_SIZE + CELL_TOLERANCE), 0, HEIGHT // CELL_SIZE - 1)
    return CELL_SIZE * cell_column, CELL_SIZE * cell_row


def degrees(answers: Sequence[Direction], goals: Sequence[Point]) -> Floats:
    """Return the degrees between answers and targets along the great circle."""
    _check_same_length(answers, goals)
    return angular_distance(
        [a.heading for a in answers],
        [a.pitch for a in answers],
        [g.direction.heading for g in goals],
        [g.direction.pitch for g in goals],
    )


@dataclass(frozen=True, eq=False)
class Accuracy(Metric):
    """1 if the distance (in pixels or degrees) is strictly below the radius, else 0; no answer is infinitely far.

    Attributes:
        radius: The radius.
    """

    radius: float = 0.0

    def __call__(self, distances: npt.ArrayLike) -> Floats:
        """Return the value of each answer by its distance from the target."""
        return (_check_distances(distances) < self.radius).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Consistency(Metric):
    """One value for each unique sentence: 1 if all of its examples are strictly within the radius, else 0.

    Attributes:
        radius: The radius.
    """

    radius: float = 0.0

    def __call__(self, distances: npt.ArrayLike, sentences: Sequence[Hashable]) -> Floats:
        """Return the value of each unique sentence in order of appearance.

        Args:
            distances: The distance of each answer from its target.
            sentences: The sentence of each answer.
        """
        checked = _check_distances(distances)
        if len(sentences) != len(checked):
            raise InputError(f"{len(checked)} sentences, one for each distance", str(len(sentences)), "sentences")
        index: dict[Hashable, int] = {}
        indices = np.array([index.setdefault(sentence, len(index)) for sentence in sentences], np.int64)
        consistent = np.ones(len(index))
        consistent[indices[checked >= self.radius]] = 0.0
        return consistent


@dataclass(frozen=True, eq=False)
class MeanDistance(Metric):
    """The distances themselves."""

    def __call__(self, distances: npt.ArrayLike) -> Floats:
        """Return the distances as floats."""
        return finite_array(distances, "distances").copy()


def _accuracy(radius: int) -> Accuracy:
    definition = f"Share of answers strictly within {radius} pixels of the target (3712 x 800, ends not joined)."
    return Accuracy(f"A@{radius}px", True, "%", TOUCHDOWN_PAPER, definition, True, True, radius=radius)


def _consistency(radius: int) -> Consistency:
    definition = f"Share of unique sentences all of whose answers are strictly within {radius} pixels of their targets."
    return Consistency(f"C@{radius}px", True, "%", TOUCHDOWN_PAPER, definition, True, True, radius=radius)


def _found(radius: int) -> Accuracy:
    definition = (
        "Touchdown's complete task: share of walks that end at the goal panorama, or at one that the target was "
        f"propagated to, and point strictly within {radius} pixels of the spot annotated in that panorama."
    )
    return Accuracy(f"Found@{radius}px", True, "%", TOUCHDOWN_PAPER, definition, True, True, radius=radius)


found_40px, found_80px, found_120px = _found(40), _found(80), _found(120)
a_40px, a_80px, a_120px = _accuracy(40), _accuracy(80), _accuracy(120)
c_40px, c_80px, c_120px = _consistency(40), _consistency(80), _consistency(120)
dist = MeanDistance(
    "Dist",
    higher_is_better=False,
    unit="px",
    paper=TOUCHDOWN_PAPER,
    definition="Mean distance of answer and target in pixels (3712 x 800, ends not joined).",
)
dist_degrees = MeanDistance(
    "Dist-deg",
    higher_is_better=False,
    unit="degrees",
    paper=REFER360_PAPER,
    definition="Mean angle between answer and target along the great circle.",
)
acc_11deg = Accuracy(
    "Acc@11deg",
    higher_is_better=True,
    unit="%",
    paper=REFER360_PAPER,
    definition="Share of answers strictly within 11 degrees of the target along the great circle.",
    percent=True,
    binary=True,
    radius=11.0,
)


def point_scores(
    answers: Sequence[Direction], goals: Sequence[Point], sentences: Sequence[Hashable], convention: str = PAPER
) -> dict[str, Floats]:
    """Return every metric of pointing by name.

    Metrics in degrees are the same under every convention.

    Args:
        answers: The directions pointed at.
        goals: The goal of each answer.
        sentences: The sentence of each answer, for consistency.
        convention: "paper" or "cells".

    Returns:
        One value for each answer, or for each unique sentence (C@).
    """
    in_pixels, in_degrees = direction_distances(answers, goals, convention), degrees(answers, goals)
    return {
        **{metric.name: metric(in_pixels) for metric in (a_40px, a_80px, a_120px)},
        **{metric.name: metric(in_pixels, sentences) for metric in (c_40px, c_80px, c_120px)},
        dist.name: dist(in_pixels),
        dist_degrees.name: dist_degrees(in_degrees),
        acc_11deg.name: acc_11deg(in_degrees),
    }


def _check_same_length(answers: Sequence[Direction], goals: Sequence[Point]) -> None:
    if len(answers) != len(goals):
        raise InputError(f"{len(answers)} goals, one for each answer", str(len(goals)), "goals")


def _check_distances(distances: npt.ArrayLike) -> Floats:
    checked = np.asarray(distances, np.float64)
    if np.isnan(checked).any():
        raise InputError("numbers", "nan", f"distances[{int(np.argmax(np.isnan(checked)))}]")
    return checked

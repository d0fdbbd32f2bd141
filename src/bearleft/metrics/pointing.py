"""How well a direction was pointed at: A@40px, C@40px, Dist of Touchdown's SDR, and Acc@11deg of Refer360.

Touchdown counts pixels of a picture 3712 wide and 800 high, with rows linear in pitch and without joining its two ends:
a pixel is 360 / 3712 of a degree across and 180 / 800 down. Degrees are along the great circle.

The convention `cells` follows Touchdown's appendix D.3 instead: answer and target are first mapped to cells of the
464 x 100 feature map, 8 pixels a side, and thresholds are scaled to 5, 10 and 15 cells.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, unknown
from bearleft.geometry import angle, to_equirectangular
from bearleft.metrics.metric import REFER360_PAPER, TOUCHDOWN_PAPER, Metric
from bearleft.metrics.paths import Floats, finite
from bearleft.records import Direction, Point

WIDTH, HEIGHT = 3712, 800
CELL = 8  # pixels a side
NOISE = 1e-9  # of a cell: rounding errors do not move what lies on a border
PAPER, CELLS = POINT_CONVENTIONS = ("paper", "cells")


def pixels(heading: npt.ArrayLike, pitch: npt.ArrayLike, yaw: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Columns and rows of directions in pictures whose middle column shows heading `yaw`."""
    return to_equirectangular(finite(heading, "heading"), finite(pitch, "pitch"), WIDTH, HEIGHT, finite(yaw, "yaw"))


def pixel_distances(answers: npt.ArrayLike, targets: npt.ArrayLike) -> Floats:
    """Dist of many: between pixels (n, 2); the picture's left and right ends are far apart."""
    one, other = finite(answers, "answers"), finite(targets, "targets")
    if one.shape != other.shape or one.shape[-1:] != (2,):
        raise InputError(f"targets of shape (n, 2) like the answers {one.shape}", str(other.shape), "targets")
    return np.hypot(one[..., 0] - other[..., 0], one[..., 1] - other[..., 1])


def pixel_distance(answer: Direction, goal: Point) -> float:
    """Dist of one answer."""
    return float(direction_distances([answer], [goal])[0])


def direction_distances(answers: Sequence[Direction], goals: Sequence[Point], convention: str = PAPER) -> Floats:
    """Dist of many answers, in the pixels of each goal's own picture.

    With the convention `cells` it is the distance between feature cells, in pixels too: 8 a cell. A threshold of 40
    pixels then is one of 5 cells.
    """
    if convention not in POINT_CONVENTIONS:
        raise unknown("convention for points", convention, POINT_CONVENTIONS)
    _as_many(answers, goals)
    yaw = [goal.yaw for goal in goals]
    given = pixels([a.heading for a in answers], [a.pitch for a in answers], yaw)
    expected = pixels([g.direction.heading for g in goals], [g.direction.pitch for g in goals], yaw)
    if convention == CELLS:
        given, expected = _cell_corners(*given), _cell_corners(*expected)
    return np.hypot(given[0] - expected[0], given[1] - expected[1])


def _cell_corners(column: Floats, row: Floats) -> tuple[Floats, Floats]:
    """Upper left corners of the cells that hold pixels; the last row holds straight down, too."""
    across = np.clip(np.floor(column / CELL + NOISE), 0, WIDTH // CELL - 1)
    down = np.clip(np.floor(row / CELL + NOISE), 0, HEIGHT // CELL - 1)
    return CELL * across, CELL * down


def degrees(answers: Sequence[Direction], goals: Sequence[Point]) -> Floats:
    """Degrees between answers and targets along the great circle."""
    _as_many(answers, goals)
    return angle(
        [a.heading for a in answers],
        [a.pitch for a in answers],
        [g.direction.heading for g in goals],
        [g.direction.pitch for g in goals],
    )


@dataclass(frozen=True, eq=False)
class Accuracy(Metric):
    """1 where the distance (in pixels or degrees) is strictly below the radius, else 0; no answer is infinitely far."""

    radius: float = 0.0

    def __call__(self, distances: npt.ArrayLike) -> Floats:
        return (_measured(distances) < self.radius).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Consistency(Metric):
    """One value for each unique sentence as they appear: 1 if all of its examples are strictly within the radius."""

    radius: float = 0.0

    def __call__(self, distances: npt.ArrayLike, sentences: Sequence[Hashable]) -> Floats:
        away = _measured(distances)
        if len(sentences) != len(away):
            raise InputError(f"{len(away)} sentences, one for each distance", str(len(sentences)), "sentences")
        number: dict[Hashable, int] = {}
        which = np.array([number.setdefault(sentence, len(number)) for sentence in sentences], np.int64)
        right = np.ones(len(number))
        right[which[away >= self.radius]] = 0.0
        return right


@dataclass(frozen=True, eq=False)
class MeanDistance(Metric):
    """The distances themselves."""

    def __call__(self, distances: npt.ArrayLike) -> Floats:
        return finite(distances, "distances").copy()


def _accuracy(radius: int) -> Accuracy:
    definition = f"Share of answers strictly within {radius} pixels of the target (3712 x 800, ends not joined)."
    return Accuracy(f"A@{radius}px", True, "%", TOUCHDOWN_PAPER, definition, percent=True, radius=radius)


def _consistency(radius: int) -> Consistency:
    definition = f"Share of unique sentences all of whose answers are strictly within {radius} pixels of their targets."
    return Consistency(f"C@{radius}px", True, "%", TOUCHDOWN_PAPER, definition, percent=True, radius=radius)


def _found(radius: int) -> Accuracy:
    definition = (
        "Touchdown's complete task: share of walks that end at the goal panorama, or at one that the target was "
        f"propagated to, and point strictly within {radius} pixels of the spot annotated in that panorama."
    )
    return Accuracy(f"Found@{radius}px", True, "%", TOUCHDOWN_PAPER, definition, percent=True, radius=radius)


found_40px, found_80px, found_120px = _found(40), _found(80), _found(120)
a_40px, a_80px, a_120px = _accuracy(40), _accuracy(80), _accuracy(120)
c_40px, c_80px, c_120px = _consistency(40), _consistency(80), _consistency(120)
dist = MeanDistance(
    "Dist",
    up=False,
    unit="px",
    paper=TOUCHDOWN_PAPER,
    definition="Mean distance of answer and target in pixels (3712 x 800, ends not joined).",
)
dist_degrees = MeanDistance(
    "Dist-deg",
    up=False,
    unit="degrees",
    paper=REFER360_PAPER,
    definition="Mean angle between answer and target along the great circle.",
)
acc_11deg = Accuracy(
    "Acc@11deg",
    up=True,
    unit="%",
    paper=REFER360_PAPER,
    definition="Share of answers strictly within 11 degrees of the target along the great circle.",
    percent=True,
    radius=11.0,
)


def point_scores(
    answers: Sequence[Direction], goals: Sequence[Point], sentences: Sequence[Hashable], convention: str = PAPER
) -> dict[str, Floats]:
    """Every measure of pointing: one value for each answer, or for each unique sentence (C@).

    Measures in degrees are the same under every convention.
    """
    away, apart = direction_distances(answers, goals, convention), degrees(answers, goals)
    return {
        **{metric.name: metric(away) for metric in (a_40px, a_80px, a_120px)},
        **{metric.name: metric(away, sentences) for metric in (c_40px, c_80px, c_120px)},
        dist.name: dist(away),
        dist_degrees.name: dist_degrees(apart),
        acc_11deg.name: acc_11deg(apart),
    }


def _as_many(answers: Sequence[Direction], goals: Sequence[Point]) -> None:
    if len(answers) != len(goals):
        raise InputError(f"{len(answers)} goals, one for each answer", str(len(goals)), "goals")


def _measured(distances: npt.ArrayLike) -> Floats:
    away = np.asarray(distances, np.float64)
    if np.isnan(away).any():
        raise InputError("numbers", "nan", f"distances[{int(np.argmax(np.isnan(away)))}]")
    return away

"""ArraMon: CTC-k, PTC and rPOD of collecting and assembling, as its tables count, as its text says, as its code does.

`PAPER` (section 8): who picked up the right object, or ended strictly within 3 units of it, counts as having collected
it, else PTC and rPOD would be nearly 0 throughout (the tables' CTC-0 is). `STRICT` (section 3.2): a wrong object scores
0, and so does a pick-up that had to be made for the agent. `RELEASED`: who ended strictly within 3 units, and nobody
else. A placing that never happened scores 0 under all of them (E.1).
Two of the 2,310 recorded walks of validation unseen end 3 units or more from the object they pick up. nDTW of ArraMon
is `bearleft.metrics.ndtw` of the paths on the ground, with EUCLIDEAN and a threshold of 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, unknown
from bearleft.metrics.metric import ARRAMON_PAPER, Metric
from bearleft.metrics.paths import Floats, finite


@dataclass(frozen=True)
class Variant:
    """When an object counts as collected."""

    name: str
    pick: bool  # whether picking up the right object counts
    within: float  # whether ending strictly within so many units of it counts; 0: it does not
    about: str


NDTW_THRESHOLD = 3.0  # units
PAPER = Variant("paper", True, 3.0, "the right object was picked up, or the walk ended within 3 units of it")
STRICT = Variant("strict", True, 0.0, "the right object was picked up by the agent itself")
RELEASED = Variant("released", False, 3.0, "the walk ended within 3 units of the object, whatever was picked up")
VARIANTS = {variant.name: variant for variant in (PAPER, STRICT, RELEASED)}


def ground(path: npt.ArrayLike) -> Floats:
    """Positions (east, north, up) on the ground: what ArraMon's nDTW compares."""
    return finite(path, "path")[..., :2]


def picked_right(picked: Sequence[str | None], items: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Whether each agent picked up the item that was asked for; None is nothing."""
    if len(picked) != len(items):
        raise InputError(f"{len(picked)} items, one for each pick", str(len(items)), "items")
    return np.array([one == other for one, other in zip(picked, items, strict=True)], np.bool_)


def item_distances(ends: npt.ArrayLike, at: npt.ArrayLike) -> Floats:
    """How far in space each walk ends from its object."""
    one, other = finite(ends, "ends"), finite(at, "at")
    if one.shape != other.shape:
        raise InputError(f"objects at positions of shape {one.shape}", str(other.shape), "at")
    gap: Floats = np.sqrt(((one - other) ** 2).sum(axis=-1))
    return gap


def cell_distances(placed: npt.ArrayLike, targets: npt.ArrayLike) -> Floats:
    """Manhattan distances of cells, height included."""
    one, other = finite(placed, "placed"), finite(targets, "targets")
    if one.shape != other.shape:
        raise InputError(f"target cells of shape {one.shape}", str(other.shape), "targets")
    gap: Floats = np.abs(one - other).sum(axis=-1)
    return gap


@dataclass(frozen=True, eq=False)
class Collected(Metric):
    """CTC-k: for k = 0 whether the right object was picked up, else whether the walk ended strictly within k of it."""

    k: float = 0.0

    def __call__(self, right: npt.ArrayLike, distances: npt.ArrayLike) -> Floats:
        chosen = np.asarray(right, np.bool_) if self.k == 0 else finite(distances, "distances") < self.k
        return chosen.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Placed(Metric):
    """PTC and rPOD from the Manhattan distances of the cells and from whether the object counts as collected."""

    exact: bool = True

    def __call__(self, distances: npt.ArrayLike, collected: npt.ArrayLike) -> Floats:
        away = finite(distances, "distances")
        counts = np.asarray(collected, np.float64)
        return counts * ((away == 0) if self.exact else 1.0 / (1.0 + away**2))


def _collected(k: int) -> Collected:
    definition = (
        f"Collected target correctness: 1 if the walk ends strictly within {k} units of the object, else 0."
        if k
        else "Collected target correctness: 1 if the right object was picked up, else 0."
    )
    return Collected(f"CTC-{k}", True, "0..1", ARRAMON_PAPER, definition, k=k)


ctc_0, ctc_3, ctc_5, ctc_7 = _collected(0), _collected(3), _collected(5), _collected(7)
ptc = Placed(
    "PTC",
    up=True,
    unit="0..1",
    paper=ARRAMON_PAPER,
    definition="Placed target correctness: 1 if the collected object lies on its target cell, else 0.",
)
rpod = Placed(
    "rPOD",
    up=True,
    unit="0..1",
    paper=ARRAMON_PAPER,
    definition="Reciprocal placed object distance: 1 / (1 + D^2), D the Manhattan distance of the cells.",
    exact=False,
)


def assembly_scores(
    picked: Sequence[str | None],
    items: Sequence[str],
    ends: npt.ArrayLike,
    at: npt.ArrayLike,
    placed: npt.ArrayLike,
    targets: npt.ArrayLike,
    fallback: npt.ArrayLike | None = None,
    variant: str = "paper",
) -> dict[str, Floats]:
    """CTC-0, -3, -5, -7, PTC and rPOD of many turns.

    `picked` is what each agent picked up itself (None: nothing, the nearest object was taken for it), `ends` where its
    walk ended, `at` where its object lay, `placed` the cell its object came to lie on and `targets` the right one.
    `fallback` says where the object was put down for the agent, or never: PTC and rPOD are 0 there.
    """
    if variant not in VARIANTS:
        raise unknown("variant", variant, VARIANTS)
    rules = VARIANTS[variant]
    right, distances = picked_right(picked, items), item_distances(ends, at)
    collected = (right & rules.pick) | (distances < rules.within)
    if fallback is not None:
        collected = collected & ~np.asarray(fallback, np.bool_)
    away = cell_distances(placed, targets)
    return {
        **{metric.name: metric(right, distances) for metric in (ctc_0, ctc_3, ctc_5, ctc_7)},
        ptc.name: ptc(away, collected),
        rpod.name: rpod(away, collected),
    }

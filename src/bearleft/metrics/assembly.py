"""Metrics of ArraMon: CTC-k, PTC and rPOD, as in its tables, in its text, or in its released code.

`PAPER` (section 8): an object counts as collected if it was picked up, or if the walk ended strictly within 3 units of
it; otherwise PTC and rPOD would be nearly 0 throughout (the tables' CTC-0 is). `STRICT` (section 3.2): a wrong object
scores 0, and so does an object picked up by the fallback. `RELEASED`: only a walk that ended strictly within 3 units
counts. An object that was not placed by the agent scores 0 under all of them (E.1).
Two of the 2,310 recorded walks of validation unseen end 3 units or more from the object they pick up. nDTW of ArraMon
is `bearleft.metrics.ndtw` of the paths on the ground, with EUCLIDEAN and a threshold of 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, unknown_name
from bearleft.metrics.metric import ARRAMON_PAPER, Metric
from bearleft.metrics.ragged_paths import Floats, finite_array


@dataclass(frozen=True)
class Variant:
    """When an object counts as collected.

    Attributes:
        name: The name of the convention.
        counts_pick: Whether picking up the correct object counts.
        radius: A walk succeeds if it ends at a distance below `radius` from the object; with 0, no walk does.
        description: The rule in words.
    """

    name: str
    counts_pick: bool
    radius: float
    description: str


NDTW_THRESHOLD = 3.0  # units
PAPER = Variant("paper", True, 3.0, "the right object was picked up, or the walk ended within 3 units of it")
STRICT = Variant("strict", True, 0.0, "the right object was picked up by the agent itself")
RELEASED = Variant("released", False, 3.0, "the walk ended within 3 units of the object, whatever was picked up")
VARIANTS = {variant.name: variant for variant in (PAPER, STRICT, RELEASED)}


def ground_positions(path: npt.ArrayLike) -> Floats:
    """Return positions (east, north, up) without their height, as ArraMon's nDTW compares them."""
    return finite_array(path, "path")[..., :2]


def picked_correctly(picked: Sequence[str | None], items: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return whether each agent picked up its target item; None means that nothing was picked up."""
    if len(picked) != len(items):
        raise InputError(f"{len(picked)} items, one for each pick", str(len(items)), "items")
    return np.array([name == item for name, item in zip(picked, items, strict=True)], np.bool_)


def item_distances(ends: npt.ArrayLike, at: npt.ArrayLike) -> Floats:
    """Return the distance in space from the end of each walk to its object."""
    end_positions, item_positions = finite_array(ends, "ends"), finite_array(at, "at")
    if end_positions.shape != item_positions.shape:
        raise InputError(f"objects at positions of shape {end_positions.shape}", str(item_positions.shape), "at")
    distances: Floats = np.sqrt(((end_positions - item_positions) ** 2).sum(axis=-1))
    return distances


def cell_distances(placed: npt.ArrayLike, targets: npt.ArrayLike) -> Floats:
    """Return the Manhattan distances of cells, including the height."""
    placed_cells, target_cells = finite_array(placed, "placed"), finite_array(targets, "targets")
    if placed_cells.shape != target_cells.shape:
        raise InputError(f"target cells of shape {placed_cells.shape}", str(target_cells.shape), "targets")
    distances: Floats = np.abs(placed_cells - target_cells).sum(axis=-1)
    return distances


@dataclass(frozen=True, eq=False)
class CollectedTargetCorrectness(Metric):
    """CTC-k: for k = 0 whether the correct object was picked up, else whether the walk ended strictly within k of it.

    Attributes:
        k: The radius in units; 0 for the pick-up itself.
    """

    k: float = 0.0

    def __call__(self, picked: npt.ArrayLike, distances: npt.ArrayLike) -> Floats:
        """Return the value of each turn.

        Args:
            picked: Whether the correct object was picked up.
            distances: The distance from the end of the walk to the object.
        """
        collected = np.asarray(picked, np.bool_) if self.k == 0 else finite_array(distances, "distances") < self.k
        return collected.astype(np.float64)


@dataclass(frozen=True, eq=False)
class PlacedTargetScore(Metric):
    """PTC and rPOD.

    Attributes:
        exact: Whether only the target cell itself scores (PTC).
    """

    exact: bool = True

    def __call__(self, distances: npt.ArrayLike, collected: npt.ArrayLike) -> Floats:
        """Return the value of each turn.

        Args:
            distances: The Manhattan distance from the cell of the object to the target cell.
            collected: Whether the object counts as collected.
        """
        checked = finite_array(distances, "distances")
        weights = np.asarray(collected, np.float64)
        return weights * ((checked == 0) if self.exact else 1.0 / (1.0 + checked**2))


def _collected(k: int) -> CollectedTargetCorrectness:
    definition = (
        f"Collected target correctness: 1 if the walk ends strictly within {k} units of the object, else 0."
        if k
        else "Collected target correctness: 1 if the right object was picked up, else 0."
    )
    return CollectedTargetCorrectness(f"CTC-{k}", True, "0..1", ARRAMON_PAPER, definition, binary=True, k=k)


ctc_0, ctc_3, ctc_5, ctc_7 = _collected(0), _collected(3), _collected(5), _collected(7)
ptc = PlacedTargetScore(
    "PTC",
    higher_is_better=True,
    unit="0..1",
    paper=ARRAMON_PAPER,
    definition="Placed target correctness: 1 if the collected object lies on its target cell, else 0.",
    binary=True,
)
rpod = PlacedTargetScore(
    "rPOD",
    higher_is_better=True,
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
    """Compute CTC-0, CTC-3, CTC-5, CTC-7, PTC and rPOD of turns.

    Args:
        picked: The item that each agent picked up itself; None if the fallback took the nearest one.
        items: The target item.
        ends: The position where the walk ended.
        at: The position of the target item.
        placed: The cell that the object was placed on.
        targets: The target cell.
        fallback: Whether the object was placed by the fallback, or not at all: PTC and rPOD are 0.
        variant: When an object counts as collected: "paper", "strict" or "released".

    Returns:
        The values of each metric by name.

    Raises:
        InputError: The variant is unknown, or the arguments have different lengths.
    """
    if variant not in VARIANTS:
        raise unknown_name("variant", variant, VARIANTS)
    rules = VARIANTS[variant]
    correct, distances = picked_correctly(picked, items), item_distances(ends, at)
    collected = (correct & rules.counts_pick) | (distances < rules.radius)
    if fallback is not None:
        collected = collected & ~np.asarray(fallback, np.bool_)
    cells_away = cell_distances(placed, targets)
    return {
        **{metric.name: metric(correct, distances) for metric in (ctc_0, ctc_3, ctc_5, ctc_7)},
        ptc.name: ptc(cells_away, collected),
        rpod.name: rpod(cells_away, collected),
    }

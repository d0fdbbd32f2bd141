"""Rewards that are updated step by step equal those that are computed anew from whole paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.envs.rewards import REWARDS, DistanceTable, WalkRewards, Walks
from bearleft.metrics import cls, dtw, ndtw, sdtw
from bearleft.metrics.metric import PathMetric
from tests.sizes import sized

Matrix = npt.NDArray[np.float64]
THRESHOLD = 3.0


@dataclass(frozen=True)
class Batch:
    """Walks in worlds of random places, with the path of each at every time."""

    matrices: list[Matrix]
    world: list[int]
    routes: list[list[int]]
    paths: list[list[int]]  # a place at each time; a walker who stays repeats it
    stops: list[bool]  # whether the last action is a stop

    def path_until(self, walk: int, time: int) -> list[int]:
        """Return the path without repeated places."""
        places = self.paths[walk][: time + 1]
        return [place for k, place in enumerate(places) if k == 0 or place != places[k - 1]]


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = rng.integers(1, 7, rng.integers(1, 4))
    matrices = []
    for size in sizes:
        points = rng.integers(-4, 5, (size, 2)) * rng.choice([0.5, 1.0, 1.7])
        matrices.append(np.linalg.norm(points[:, None] - points, axis=2))
    count, steps = rng.integers(1, 6), rng.integers(1, 12)
    world = rng.integers(len(sizes), size=count).tolist()
    routes = [rng.integers(sizes[k], size=rng.integers(1, 9)).tolist() for k in world]
    paths = [rng.integers(sizes[k], size=steps + 1).tolist() for k in world]
    stops = (rng.random(count) < 0.5).tolist()
    for k in np.flatnonzero(stops):  # nobody moves by a stop
        paths[k][-1] = paths[k][-2]
    return Batch(matrices, world, routes, paths, stops)


def as_numpy(values: npt.ArrayLike, dtype: Any) -> Any:
    return np.asarray(values, dtype)


def as_torch(values: npt.ArrayLike, dtype: Any) -> Any:
    return pytest.importorskip("torch").from_numpy(np.ascontiguousarray(as_numpy(values, dtype)))


Convert = Callable[[npt.ArrayLike, Any], Any]


def table_of(batch: Batch, convert: Convert) -> DistanceTable:
    size = np.array([len(matrix) for matrix in batch.matrices])
    values = np.concatenate([matrix.ravel() for matrix in batch.matrices])
    sizes = convert(size, np.int64)
    return DistanceTable(convert(values, np.float64), convert(np.cumsum(size**2) - size**2, np.int64), sizes, THRESHOLD)


def start(rewards: WalkRewards, batch: Batch, convert: Convert, places: Sequence[int]) -> Walks:
    longest = max(map(len, batch.routes))
    routes = [[*route, *[0] * (longest - len(route))] for route in batch.routes]
    sizes = convert([len(route) for route in batch.routes], np.int64)
    return rewards.start(convert(batch.world, np.int64), convert(places, np.int64), convert(routes, np.int64), sizes)


def play(name: str, batch: Batch, convert: Convert) -> Matrix:
    """Return the rewards (steps, walks) of an incremental reward."""
    rewards = WalkRewards(REWARDS[name], table_of(batch, convert))
    walks = start(rewards, batch, convert, [path[0] for path in batch.paths])
    steps, result = len(batch.paths[0]) - 1, []
    stops = np.array(batch.stops)
    for time in range(1, steps + 1):
        last = time == steps
        places = convert([path[time] for path in batch.paths], np.int64)
        walks, values = rewards.step(walks, places, convert(stops & last, np.bool_), convert(~stops & last, np.bool_))
        result.append(np.asarray(values if isinstance(values, np.ndarray) else values.cpu()))
    return np.stack(result)


def recompute(name: str, batch: Batch) -> Matrix:
    """Return the same rewards, each from the whole paths before and after the step."""
    steps = len(batch.paths[0]) - 1
    return np.array(
        [[slow_reward(name, batch, k, time) for k in range(len(batch.paths))] for time in range(1, steps + 1)]
    )


def slow_reward(name: str, batch: Batch, walk: int, time: int) -> float:
    matrix, route = batch.matrices[batch.world[walk]], batch.routes[walk]
    before, after = batch.path_until(walk, time - 1), batch.path_until(walk, time)
    ended = time == len(batch.paths[walk]) - 1
    stopped = ended and batch.stops[walk]
    distance = float(matrix[after[-1], route[-1]])
    closer = float(matrix[before[-1], route[-1]]) - distance
    success = stopped and distance <= THRESHOLD
    completion = 1.0 - distance / THRESHOLD if success else 0.0

    def gain(metric: PathMetric) -> float:
        threshold = None if metric is dtw else THRESHOLD
        return metric(after, route, matrix, threshold) - metric(before, route, matrix, threshold)

    if name == "goal":
        return closer + (1.0 if success else -1.0 if ended else 0.0)
    if name == "fidelity":
        return gain(ndtw) + completion
    if name == "sdtw":
        return gain(sdtw)
    if name == "cls":
        return gain(cls) + completion
    if name == "dense_dtw":
        return 0.0 if stopped else -gain(dtw)
    if name == "distance_to_goal":
        if ended:
            return 4.0 if distance == 0 else -4.0
        return min(1.0, max(-1.0, closer))
    assert name == "streetview"
    if stopped:
        return 1.0 if distance == 0 else -1.0
    return closer - 0.2


@pytest.mark.parametrize("convert", [as_numpy, as_torch], ids=["numpy", "torch"])
@pytest.mark.parametrize("name", REWARDS)
@settings(deadline=None, max_examples=sized(12, 40))
@given(batches())
def test_rewards_equal_those_of_whole_paths(name: str, convert: Convert, batch: Batch) -> None:
    np.testing.assert_allclose(play(name, batch, convert), recompute(name, batch), atol=1e-9)


@pytest.mark.parametrize("convert", [as_numpy, as_torch], ids=["numpy", "torch"])
@pytest.mark.parametrize("name", ["goal", "fidelity", "cls"])
@settings(deadline=None, max_examples=sized(12, 40))
@given(batches())
def test_walks_begin_anew_where_a_mask_says_so(name: str, convert: Convert, batch: Batch) -> None:
    """Every second walk is put back to the end of its path; the others go on."""
    rewards = WalkRewards(REWARDS[name], table_of(batch, convert))
    none = convert([False] * len(batch.paths), np.bool_)
    places = convert([path[1] for path in batch.paths], np.int64)
    kept = rewards.step(start(rewards, batch, convert, [path[0] for path in batch.paths]), places, none, none)[0]
    fresh = start(rewards, batch, convert, [path[-1] for path in batch.paths])
    mask = convert([k % 2 == 0 for k in range(len(batch.paths))], np.bool_)
    mixed = kept.replace_where(mask, fresh)
    end = convert([path[-1] for path in batch.paths], np.int64)
    values = {
        walks_name: np.asarray(rewards.step(walks, end, ~none, none)[1])
        for walks_name, walks in {"kept": kept, "fresh": fresh, "mixed": mixed}.items()
    }
    np.testing.assert_array_equal(values["mixed"], np.where(np.asarray(mask), values["fresh"], values["kept"]))


@settings(deadline=None, max_examples=sized(12, 40))
@given(batches())
def test_sdtw_of_a_walk_is_the_sum_of_its_rewards(batch: Batch) -> None:
    totals = play("sdtw", batch, as_numpy).sum(axis=0)
    for k, total in enumerate(totals):
        matrix, route = batch.matrices[batch.world[k]], batch.routes[k]
        first, last = batch.path_until(k, 0), batch.path_until(k, len(batch.paths[k]))
        expected = sdtw(last, route, matrix, THRESHOLD) - sdtw(first, route, matrix, THRESHOLD)
        assert total == pytest.approx(expected, abs=1e-9)


def test_rewards_on_a_gpu_equal_those_on_a_cpu() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU with CUDA")
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40, 2)) * 5
    matrix = np.linalg.norm(points[:, None] - points, axis=2)
    routes = [rng.integers(40, size=rng.integers(2, 30)).tolist() for _ in range(200)]
    paths = rng.integers(40, size=(200, 30)).tolist()
    batch = Batch([matrix], [0] * 200, routes, paths, [False] * 200)
    for name in REWARDS:
        result = play(name, batch, lambda values, dtype: as_torch(values, dtype).cuda())
        np.testing.assert_allclose(result, play(name, batch, as_numpy), atol=1e-9)

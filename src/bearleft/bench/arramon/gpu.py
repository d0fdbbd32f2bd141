"""Benchmark of ArraMon's environments with pictures on a CUDA GPU.

Random players move through all sections and the room, and begin another task when one ends. Their pictures of 224 x 224
pixels stay on the GPU as torch tensors. A step moves all players, renders what each sees, and waits for the GPU.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.bench.arramon.bench import ACTION_SHARES
from bearleft.bench.arramon.inputs import WORLD, draw_tasks
from bearleft.bench.harness import BenchResult, check_parts, describe_machine
from bearleft.envs.arramon.pictures import ArraMonPictures, Viewpoints, batch_viewpoints
from bearleft.envs.arramon.vector import VectorArraMon
from bearleft.world.render.camera import Lens, view

log = logging.getLogger(__name__)
PARTS = STEPS, PICTURES, LOCATIONS, AGREEMENT, POLICY = ("steps", "pictures", "locations", "agreement", "policy")
PLAYERS, TASKS, IMAGE_SIZE = 4096, 224, 224
STEPS_PER_ROUND, BLIND_STEPS_PER_ROUND = 8, 200
BURN_IN_STEPS = 160  # before timing, so that players are in all four legs
Row = dict[str, Any]


@dataclass
class RandomPlayers:
    """Environments with random actions, and their pictures."""

    envs: VectorArraMon
    pictures: ArraMonPictures
    rng: np.random.Generator

    def reset(self) -> None:
        """Begin a random task in every environment."""
        self.envs.reset(self.rng.integers(len(self.envs.episodes), size=len(self.envs)))

    def step(self) -> None:
        """Take a random action everywhere; environments that end begin another task."""
        self.envs.step(self.rng.choice(4, size=len(self.envs), p=ACTION_SHARES))
        ended = self.envs.state.ended
        if ended.any():
            self.envs.reset(self.rng.integers(len(self.envs.episodes), size=int(ended.sum())), ended.copy())

    def viewpoints(self) -> Viewpoints:
        """Return the cameras of all players, and the objects around them."""
        return batch_viewpoints(self.envs.tasks, self.envs.state, self.pictures.world)

    @property
    def share_in_room(self) -> float:
        """Return the share of players that are in the room."""
        return float((self.envs.state.leg % 2).mean())


def time_steps(players: RandomPlayers, rounds: int) -> Row:
    """Return steps per second without pictures, on one core of the host."""
    seconds = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(BLIND_STEPS_PER_ROUND):
            players.step()
        seconds.append((time.perf_counter() - begin) / BLIND_STEPS_PER_ROUND)
    return {
        "row": f"{len(players.envs):,} environments, no pictures",
        "steps_per_second": round(len(players.envs) / median(seconds)),
        "milliseconds_per_step_of_all": round(1000 * median(seconds), 3),
    }


def time_pictures(players: RandomPlayers, lens: Lens, rounds: int) -> Row:
    """Return steps per second with pictures, and the time of each part: step, gathering of viewpoints, rendering."""
    import torch

    count = len(players.envs)
    out = players.pictures.allocate(count, lens)
    parts: list[tuple[float, float, float]] = []
    for _ in range((rounds + 1) * STEPS_PER_ROUND):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        players.step()
        stepped = time.perf_counter()
        viewpoints = players.viewpoints()
        gathered = time.perf_counter()
        players.pictures.tensors(viewpoints, lens, out)
        torch.cuda.synchronize()
        parts.append((stepped - begin, gathered - stepped, time.perf_counter() - gathered))
    per_round = np.array(parts[STEPS_PER_ROUND:]).reshape(rounds, STEPS_PER_ROUND, 3).mean(axis=1)
    rates = count / per_round.sum(axis=1)
    step, gather, render = 1000 * np.median(per_round, axis=0)
    return {
        "row": f"{count:,} environments, {lens.width} x {lens.height}",
        "steps_per_second": round(float(np.median(rates))),
        "slowest": round(float(rates.min())),
        "fastest": round(float(rates.max())),
        "milliseconds_step": round(float(step), 2),
        "milliseconds_gather": round(float(gather), 2),
        "milliseconds_render": round(float(render), 2),
        "in_the_room": round(players.share_in_room, 3),
    }


def time_locations(players: RandomPlayers, lens: Lens, rounds: int) -> list[Row]:
    """Return pictures per second of players who walk, and of those in the room."""
    import torch

    rows, viewpoints = [], players.viewpoints()
    for name, in_room in (("walking", False), ("in the room", True)):
        indices = np.resize(np.flatnonzero(viewpoints.inside == in_room), len(viewpoints.inside) // 2)
        chosen = subset(viewpoints, indices)
        out = players.pictures.allocate(len(indices), lens)
        seconds = []
        for _ in range(rounds + 1):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            players.pictures.tensors(chosen, lens, out)
            torch.cuda.synchronize()
            seconds.append(time.perf_counter() - begin)
        objects = round(float(chosen.count.mean()), 1)
        per_second = round(len(indices) / median(seconds[1:]))
        rows.append(
            {"row": f"pictures of {len(indices):,} {name}", "per_second": per_second, "dynamic_objects": objects}
        )
    return rows


def subset(viewpoints: Viewpoints, indices: npt.NDArray[np.int64]) -> Viewpoints:
    """Return the viewpoints of some players."""
    return Viewpoints(
        viewpoints.poses[indices], viewpoints.inside[indices], viewpoints.objects[indices], viewpoints.count[indices]
    )


def agreement(players: RandomPlayers, lens: Lens, count: int = 32) -> Row:
    """Return the shares of pixels that are the same on GPU and CPU, for players who walk and in the room."""
    viewpoints = players.viewpoints()
    indices = np.concatenate([np.flatnonzero(viewpoints.inside == room)[: count // 2] for room in (False, True)])
    chosen = subset(viewpoints, np.random.default_rng(0).permutation(indices))
    on_gpu = players.pictures.render(chosen, lens)
    on_cpu = ArraMonPictures(players.pictures.world).render(chosen, lens)
    same_depth = np.isclose(on_gpu.depth, on_cpu.depth, rtol=1e-4, atol=1e-3) | (on_gpu.depth == on_cpu.depth)
    rgb_difference = np.abs(on_gpu.rgb.astype(int) - on_cpu.rgb)
    return {
        "row": "GPU against CPU",
        "pictures": len(indices),
        "same_instance": float((on_gpu.instance == on_cpu.instance).mean()),
        "same_class": float((on_gpu.kind == on_cpu.kind).mean()),
        "same_depth": float(same_depth.mean()),
        "same_rgb_within_2": float((rgb_difference <= 2).all(axis=-1).mean()),
    }


def arramon_gpu(
    rounds: int = 9, only: Sequence[str] = (), count: int = PLAYERS, image_size: int = IMAGE_SIZE, tasks: int = TASKS
) -> BenchResult:
    """Run `bearleft bench arramon --device cuda`.

    Args:
        rounds: Timed rounds; medians are reported.
        only: Some of PARTS; all where empty.
        count: Environments.
        image_size: Pixels a side of a picture.
        tasks: Tasks that players draw from.
    """
    parts = check_parts(only, PARTS)
    result = BenchResult(remarks=[f"Machine: {describe_machine()}."])

    def add(*rows: Row) -> None:
        log.info("%s", rows)
        result.rows += rows

    begin = time.perf_counter()
    episodes = draw_tasks(tasks)
    add({"row": f"{WORLD} planned, {tasks} tasks drawn", "seconds": round(time.perf_counter() - begin, 1)})
    begin = time.perf_counter()
    lens = view(image_size, image_size)
    players = RandomPlayers(VectorArraMon(episodes, count), ArraMonPictures(WORLD, "cuda"), np.random.default_rng(0))
    players.reset()
    for _ in range(BURN_IN_STEPS):
        players.step()
    players.pictures.render(subset(players.viewpoints(), np.arange(min(count, 8))), view(16, 16))
    add({"row": "scenes on the GPU, compiled", "seconds": round(time.perf_counter() - begin, 1)})
    if STEPS in parts:
        add(time_steps(players, rounds))
    if PICTURES in parts:
        add(time_pictures(players, lens, rounds))
    if LOCATIONS in parts:
        add(*time_locations(players, lens, rounds))
    if AGREEMENT in parts:
        add(agreement(players, lens))
    if POLICY in parts:
        from bearleft.bench.arramon.policy import PolicyPlayers, time_policy

        acting = PolicyPlayers(episodes, count, "cuda", image_size)
        acting.reset()
        add(time_policy(acting, rounds))
    return result

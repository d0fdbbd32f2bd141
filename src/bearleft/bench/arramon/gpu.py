"""ArraMon's environments with pictures on a CUDA GPU: `python -m bearleft.bench.arramon.gpu [--json FILE]`.

Needs numpy, numba and torch. Random players in all sections and in the room, who begin anew when they end; pictures of
224 x 224 pixels stay on the GPU as torch tensors. A step moves everyone, draws what each sees, and waits for it.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.bench.arramon.bench import SHARES
from bearleft.bench.arramon.inputs import WORLD, drawn
from bearleft.envs.arramon.pictures import ArraMonEyes, Stands, stands
from bearleft.envs.arramon.vector import ArraMonMany
from bearleft.runtime.store import write_text
from bearleft.world.render.camera import Lens, view
from bearleft.world.render.cpu import Pictures

PLAYERS, TASKS, SIDE = 4096, 224, 224
ROUNDS, STEPS = 7, 8  # timed rounds of so many steps
APART = 160  # steps before timing, after which players are in all four legs
Row = dict[str, Any]


@dataclass
class Players:
    """Random players, and what they see."""

    many: ArraMonMany
    eyes: ArraMonEyes
    rng: np.random.Generator

    def begin(self) -> None:
        self.many.begin(self.rng.integers(len(self.many.episodes), size=len(self.many)))

    def move(self) -> None:
        """A step of all; who has ended begins another task."""
        self.many.step(self.rng.choice(4, size=len(self.many), p=SHARES))
        over = self.many.state.ended
        if over.any():
            self.many.begin(self.rng.integers(len(self.many.episodes), size=int(over.sum())), over.copy())

    def stands(self) -> Stands:
        return stands(self.many.tasks, self.many.state, self.eyes.world)

    @property
    def inside(self) -> float:
        """The share that is in the room."""
        return float((self.many.state.leg % 2).mean())


def moved(players: Players, steps: int = 200) -> Row:
    """Steps a second without pictures, on one core of the host."""
    seconds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(steps):
            players.move()
        seconds.append((time.perf_counter() - begin) / steps)
    return {
        "row": f"{len(players.many):,} environments, no pictures",
        "steps_per_second": round(len(players.many) / median(seconds)),
        "milliseconds_per_step_of_all": round(1000 * median(seconds), 3),
    }


def seen(players: Players, lens: Lens) -> Row:
    """Steps a second with pictures, and where the time goes: moving, gathering what stands around, drawing."""
    import torch

    count = len(players.many)
    out = players.eyes.room(count, lens)
    parts: list[tuple[float, float, float]] = []
    for _ in range((ROUNDS + 1) * STEPS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        players.move()
        stepped = time.perf_counter()
        around = players.stands()
        gathered = time.perf_counter()
        players.eyes.tensors(around, lens, out)
        torch.cuda.synchronize()
        parts.append((stepped - begin, gathered - stepped, time.perf_counter() - gathered))
    timed = np.array(parts[STEPS:]).reshape(ROUNDS, STEPS, 3).mean(axis=1)
    rates = count / timed.sum(axis=1)
    step, gather, draw = 1000 * np.median(timed, axis=0)
    return {
        "row": f"{count:,} environments, {lens.width} x {lens.height}",
        "steps_per_second": round(float(np.median(rates))),
        "slowest": round(float(rates.min())),
        "fastest": round(float(rates.max())),
        "milliseconds_step": round(float(step), 2),
        "milliseconds_gather": round(float(gather), 2),
        "milliseconds_render": round(float(draw), 2),
        "in_the_room": round(players.inside, 3),
    }


def split(players: Players, lens: Lens) -> list[Row]:
    """Pictures a second of those who walk, and of those in the room."""
    import torch

    rows, around = [], players.stands()
    for name, inside in (("walking", False), ("in the room", True)):
        who = np.resize(np.flatnonzero(around.inside == inside), len(around.inside) // 2)
        some = chosen(around, who)
        out = players.eyes.room(len(who), lens)
        seconds = []
        for _ in range(ROUNDS + 1):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            players.eyes.tensors(some, lens, out)
            torch.cuda.synchronize()
            seconds.append(time.perf_counter() - begin)
        guests = round(float(some.count.mean()), 1)
        per_second = round(len(who) / median(seconds[1:]))
        rows.append({"row": f"pictures of {len(who):,} {name}", "per_second": per_second, "guests": guests})
    return rows


def chosen(around: Stands, who: npt.NDArray[np.int64]) -> Stands:
    """Some of the players."""
    return Stands(around.poses[who], around.inside[who], around.things[who], around.count[who])


def agreement(players: Players, lens: Lens, count: int = 32) -> Row:
    """How many pixels of the GPU are the CPU's, half of them walking and half in the room."""
    around = players.stands()
    who = np.concatenate([np.flatnonzero(around.inside == inside)[: count // 2] for inside in (False, True)])
    some = chosen(around, np.random.default_rng(0).permutation(who))
    ours = players.eyes.look(some, lens)
    theirs: Pictures = ArraMonEyes(players.eyes.world).look(some, lens)
    near = np.isclose(ours.depth, theirs.depth, rtol=1e-4, atol=1e-3) | (ours.depth == theirs.depth)
    apart = np.abs(ours.rgb.astype(int) - theirs.rgb)
    return {
        "row": "GPU against CPU",
        "pictures": len(who),
        "same_instance": float((ours.instance == theirs.instance).mean()),
        "same_class": float((ours.kind == theirs.kind).mean()),
        "same_depth": float(near.mean()),
        "same_rgb_within_2": float((apart <= 2).all(axis=-1).mean()),
    }


def measure(count: int = PLAYERS, side: int = SIDE, tasks: int = TASKS) -> list[Row]:
    """All rows."""
    rows: list[Row] = []

    def done(row: Row) -> None:
        rows.append(row)
        print(json.dumps(row), flush=True)

    begin = time.perf_counter()
    episodes = drawn(tasks)
    done({"row": f"{WORLD} planned, {tasks} tasks drawn", "seconds": round(time.perf_counter() - begin, 1)})
    begin = time.perf_counter()
    lens = view(side, side)
    players = Players(ArraMonMany(episodes, count), ArraMonEyes(WORLD, "cuda"), np.random.default_rng(0))
    players.begin()
    for _ in range(APART):
        players.move()
    players.eyes.look(chosen(players.stands(), np.arange(min(count, 8))), view(16, 16))
    done({"row": "scenes on the GPU, compiled", "seconds": round(time.perf_counter() - begin, 1)})
    done(moved(players))
    done(seen(players, lens))
    for row in split(players, lens):
        done(row)
    done(agreement(players, lens))
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there too")
    parser.add_argument("--envs", type=int, default=PLAYERS, help=f"environments, {PLAYERS} by default")
    asked = parser.parse_args()
    found = measure(asked.envs)
    if asked.json:
        write_text(asked.json, "".join(json.dumps(row) + "\n" for row in found))

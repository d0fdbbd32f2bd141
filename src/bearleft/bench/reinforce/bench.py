"""Benchmark of reinforcement learning, `bearleft bench reinforce`: environment steps per second on one device.

A step is an observation, a call of the policy network, a draw from its policy, a transition and a reward. Steps of
walkers that have stopped are not counted. Texts are encoded in each walk.

- rollouts: the panoramic network in the graphs of R4R, without pictures; updates walk and learn
- pictures: RCONCAT in a city, with pictures of 84 x 84 pixels that are rendered when walkers see them, or kept
- loop: the peers of both, plain loops with a call of the same network for each step

On a CPU all sizes are tiny and only show that everything runs.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path

import torch

from bearleft.bench.harness import BenchResult, check_parts, describe_machine
from bearleft.bench.reinforce.links import REWARD, ROLLOUTS, UPDATES, LinkInputs
from bearleft.bench.reinforce.loops import loop_contenders
from bearleft.bench.reinforce.pictures import KEPT, LIVE, PICTURES, PictureInputs
from bearleft.bench.reinforce.sizes import TINY, Sizes
from bearleft.bench.reinforce.timing import LOOP, Contender, Row, make_rows, time_contender
from bearleft.errors import InputError
from bearleft.types import DataFolder
from bearleft.world.render.devices import check_device

log = logging.getLogger(__name__)
PARTS = (ROLLOUTS, UPDATES, PICTURES, LOOP)
# Frames per second with pictures, in other environments and on other machines: Shacklett et al., "Large Batch
# Simulation for Deep Reinforcement Learning" (2021), training included; Tao et al., "ManiSkill3" (2024).
PUBLISHED = {"BPS": 19_000, "ManiSkill3": 30_000}


def reinforce(
    rounds: int = 9, device: str | None = None, data: DataFolder = None, only: Sequence[str] = ()
) -> BenchResult:
    """Run `bearleft bench reinforce`.

    Args:
        rounds: Rounds of each contender, one contender after another; medians are reported.
        device: "cpu" (tiny sizes) or "cuda"; by default a GPU where there is one.
        data: The data folder, with R2R; without it, walks of a generated street graph are taken.
        only: "rollouts", "updates", "pictures" and "loop"; all where empty.
    """
    if rounds < 1:
        raise InputError("at least one round", str(rounds), "rounds")
    torch_device = torch.device(check_device(device or ("cuda" if torch.cuda.is_available() else "cpu")))
    if torch_device.type == "cuda" and not torch.cuda.is_available():
        raise InputError("a CUDA GPU that torch can use", "none", "device", hint="Type: --device cpu")
    parts = check_parts(only, PARTS)
    sizes = Sizes() if torch_device.type == "cuda" else TINY
    result = BenchResult()
    if torch_device.type == "cpu":
        result.remarks.append("Sizes on a CPU are tiny: they show that everything runs, not how fast it is.")
    if {ROLLOUTS, UPDATES} & {*parts} or PICTURES not in parts:
        _time_links(result, sizes, torch_device, data, parts, rounds)
    if PICTURES in parts:
        _time_pictures(result, sizes, torch_device, parts, rounds)
        result.rows += [published_row(name, speed) for name, speed in PUBLISHED.items()]
        result.remarks.append(
            "BPS and ManiSkill3: published frames per second of their own environments and machines; not measured here."
        )
    name = f"{torch.cuda.get_device_name(torch_device)}, " if torch_device.type == "cuda" else ""
    result.remarks.append(f"Medians of {rounds} rounds. Only steps of walkers that have not stopped are counted.")
    result.remarks.append(f"Machine: {name}{describe_machine()}, torch {torch.__version__}.")
    return result


def _time_links(
    result: BenchResult, sizes: Sizes, device: torch.device, data: DataFolder, parts: Sequence[str], rounds: int
) -> None:
    with tempfile.TemporaryDirectory(prefix="bearleft-bench-") as folder:
        inputs = LinkInputs(sizes, device, Path(folder), data)
        inputs.check()
        contenders = inputs.contenders(parts)
        remarks = _time(contenders, sizes, device, rounds)
    result.rows += make_rows(contenders, device.type)
    words, links = float(inputs.trainer.examples.host_lengths.float().mean()), inputs.trainer.links
    result.remarks.append(
        f"{inputs.dataset}: {len(inputs.episodes):,} walks in {len(links.places.graphs)} worlds, with texts of "
        f"{words:.0f} words on average, read as {inputs.max_length}; at most {inputs.trainer.horizon} steps, with "
        f"{links.target.shape[1]} options; reward {REWARD}. Walks and rewards agree with those of single walkers, "
        "rewarded as in Gymnasium. LSTMs are in float32 (TF32 on a GPU) in both precisions."
    )
    if inputs.missing:
        remarks.append(f"{sizes.dataset} could not be read, so walks of a generated street graph were timed.")
    result.remarks += remarks


def _time_pictures(result: BenchResult, sizes: Sizes, device: torch.device, parts: Sequence[str], rounds: int) -> None:
    inputs = PictureInputs(sizes, device)
    inputs.check()
    peers, remarks = loop_contenders(inputs) if LOOP in parts else ([], [])
    contenders = [*peers, *inputs.contenders()]
    remarks += _time([c for c in contenders if not c.cuda_graph], sizes, device, rounds)
    for form in (KEPT, LIVE):  # the renderer's last, since what is timed after a failure to record it could fail too
        graphs = [c for c in contenders if c.cuda_graph and c.form == form]
        try:
            if graphs:
                inputs.check_walks(form, graph=True)
            remarks += _time(graphs, sizes, device, rounds)
        except Exception as error:  # numba's or torch's: what was timed before must not be lost
            remarks.append(f"CUDA graphs of walks with {form} failed: {error}")
    result.rows += make_rows(contenders, device.type)
    result.remarks += [
        f"{sizes.city}: {len(inputs.episodes):,} routes with the texts of others, read as {inputs.max_length} words; "
        f"{sizes.horizon} actions, {len(inputs.states):,} states whose views are kept. Walks and rewards agree with "
        "those of VectorReach; live views agree with those that are kept.",
        *remarks,
    ]


def _time(contenders: Sequence[Contender], sizes: Sizes, device: torch.device, rounds: int) -> list[str]:
    """Time contenders, one after another; return remarks on those that do not fit into the GPU's memory."""
    remarks = []
    for contender in contenders:
        try:
            time_contender(contender, rounds, sizes.round_seconds, device)
        except torch.OutOfMemoryError:
            remarks.append(f"Out of memory: {contender.form}, {contender.walkers:,} walkers, {contender.precision}.")
    return remarks


def published_row(name: str, speed: int) -> Row:
    """Return the row of a published figure."""
    return {
        "name": name,
        "world": "its own",
        "form": "published",
        "walkers": None,
        "device": "another machine",
        "precision": None,
        "cuda_graph": None,
        "steps_per_second": float(speed),
        "slowest": None,
        "fastest": None,
        "x_loop": None,
    }

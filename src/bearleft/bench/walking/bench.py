"""Benchmark of walking networks, `bearleft bench walking`: training in batches against two peers, and evaluation.

Training: episodes per second of a trainer's updates on the device, with walks and views there. The peers are HOGWILD!
clients on the same machine's CPU (RCONCAT; six, as in Touchdown's paper, and as many as there are cores), and for every
network a plain loop on the same device. Evaluation: seconds for the walks of many episodes, with the views of all
places that walkers can come to. On a CPU all sizes are tiny and only show that everything runs.
"""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch

from bearleft.bench.harness import BenchResult, check_parts, describe_machine
from bearleft.bench.walking.inputs import TINY, BenchInputs, WalkSizes, make_walks, reachable_places, view_kind
from bearleft.bench.walking.step_loop import StepLoop
from bearleft.errors import InputError
from bearleft.models.walking.cells import cell_dim
from bearleft.models.walking.examples import StepReader, WalkTable
from bearleft.models.walking.network import WalkShape
from bearleft.models.walking.registry import WALK_NETWORKS
from bearleft.models.walking.rollout import walk
from bearleft.training.walking.clients import Clients
from bearleft.training.walking.hogwild import HogwildTrainer
from bearleft.training.walking.loop import WALK_BATCH, WalkTrainer, make_tokenizer
from bearleft.training.walking.losses import imitation_loss
from bearleft.world.render.devices import check_device

log = logging.getLogger(__name__)
Row = dict[str, Any]
HOGWILD, LOOP, EVALUATION = "hogwild", "loop", "evaluation"
PARTS = (*WALK_NETWORKS, HOGWILD, LOOP, EVALUATION)
PAPER_NETWORK, PAPER_CLIENTS = "rconcat", 6
CLIENTS, ONE_BY_ONE = "HOGWILD! clients", "plain loop"
EVALUATED = ("rconcat", "compass")  # one of each kind of views
WARMUP_CALLS = 3
AGREEMENT_WALKS = 3
TOLERANCE = 2e-3  # between the loop's loss and the batched one, relative


@dataclass
class Contender:
    """What is timed; a call updates on `episodes` walks."""

    network: str
    form: str
    episodes: int
    call: Callable[[], Any]
    device: str
    precision: str = "float32"
    calls: int = 1  # per round
    seconds: list[float] = field(default_factory=list)  # per episode

    @property
    def rate(self) -> float:
        """Return the median of episodes per second."""
        return 1.0 / median(self.seconds)


class BatchedUpdates:
    """Updates of a trainer, one batch after the other."""

    def __init__(self, trainer: WalkTrainer) -> None:
        self.trainer, self.sources = trainer, trainer._sources()
        # A batch may be larger than the walks, so the order repeats them.
        size = trainer.settings["batch_size"] * trainer.updates_per_epoch
        self.order = trainer.order(self.sources, size)
        trainer.network.train()

    def __call__(self) -> None:
        """Update on the next batch."""
        self.trainer.updates_done %= self.trainer.updates_per_epoch
        self.trainer._step(self.order, self.sources)


class HogwildUpdates:
    """Rounds of HOGWILD! clients, in each of which every client takes some walks of its part."""

    def __init__(self, trainer: HogwildTrainer, clients: Clients, walks: int) -> None:
        parts = trainer.parts()
        every = torch.cat(parts)
        self.parts = [part if len(part) else every for part in parts]  # there may be more clients than walks
        self.clients, self.walks, self.round = clients, walks, 0

    def __call__(self) -> None:
        """Let every client take its next walks."""
        begin = self.round * self.walks
        chosen = [part[torch.arange(begin, begin + self.walks) % len(part)] for part in self.parts]
        self.clients.run(0, chosen)
        self.round += 1


def walking(rounds: int = 9, device: str | None = None, only: Sequence[str] = ()) -> BenchResult:
    """Run `bearleft bench walking`.

    Rows are HOGWILD! clients, then for each network the plain loop and batched updates, then evaluations. `x_loop` and
    `x_hogwild` are ratios to the peers of the same network.

    Args:
        rounds: Alternating rounds; medians are reported.
        device: "cpu" (tiny sizes) or "cuda"; by default a GPU where there is one.
        only: Networks, "hogwild", "loop" and "evaluation"; all where empty.
    """
    if rounds < 1:
        raise InputError("at least one round", str(rounds), "rounds")
    torch_device = torch.device(check_device(device or ("cuda" if torch.cuda.is_available() else "cpu")))
    if torch_device.type == "cuda" and not torch.cuda.is_available():
        raise InputError("a CUDA GPU that torch can use", "none", "device", hint="Type: --device cpu")
    parts = check_parts(only, PARTS)
    sizes = WalkSizes() if torch_device.type == "cuda" else TINY
    with tempfile.TemporaryDirectory(prefix="bearleft-bench-") as folder:
        inputs = BenchInputs(sizes, torch_device, Path(folder))
        rows, remarks = _training(inputs, parts, rounds) if set(parts) - {EVALUATION} else ([], [])
        if EVALUATION in parts:
            rows += [evaluation(inputs, network) for network in EVALUATED]
            remarks.append(
                f"Evaluation: one run of each network, with random weights and {sizes.eval_horizon} actions. Seconds "
                "are those of the table of states, the texts, the views of all places that walkers can come to, and "
                "the walks; loading the city and compiling the renderer are not included."
            )
    remarks.append(
        f"Routes of {sizes.world} with the texts of others; views of {sizes.slicing.rows} x {sizes.slicing.rows} "
        "values, or cells in all directions."
    )
    name = f"{torch.cuda.get_device_name(torch_device)}, " if torch_device.type == "cuda" else ""
    remarks.append(f"Machine: {name}{describe_machine()}, torch {torch.__version__}.")
    if torch_device.type == "cpu":
        remarks.insert(0, "Sizes on a CPU are tiny: they show that everything runs, not how fast it is.")
    return BenchResult(rows, remarks)


def _training(inputs: BenchInputs, parts: Sequence[str], rounds: int) -> tuple[list[Row], list[str]]:
    """Time updates; the clients are started first and wait while others are timed."""
    networks = [name for name in WALK_NETWORKS if name in parts] or [PAPER_NETWORK]
    with contextlib.ExitStack() as stack:
        contenders = []
        if HOGWILD in parts:
            cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
            walks = inputs.sizes.client_walks
            for count in dict.fromkeys((min(PAPER_CLIENTS, cores), cores)):
                hogwild = inputs.hogwild(PAPER_NETWORK, count)
                updates = HogwildUpdates(hogwild, stack.enter_context(hogwild.open_clients()), walks)
                contenders.append(Contender(PAPER_NETWORK, f"{CLIENTS}, {count}", count * walks, updates, "cpu"))
        for network in networks:
            contenders += _contenders_of(network, inputs, loop=LOOP in parts)
        _time(contenders, rounds, inputs)
    rows = [_row(contender, contenders) for contender in contenders]
    largest = inputs.device.type == "cuda" and inputs.sizes.batch_size
    return rows, [
        f"Medians of {rounds} alternating rounds; {len(inputs.walks):,} walks of at most {inputs.sizes.horizon} "
        f"actions; batches of each network's training{f' and of {largest}' if largest else ''}.",
        f"Losses of the plain loop and of batches agree within {TOLERANCE:g}.",
    ]


def _contenders_of(network: str, inputs: BenchInputs, loop: bool) -> list[Contender]:
    device, contenders = inputs.device.type, []
    own = inputs.trainer(network)
    step_loop = StepLoop(own)
    agreement(own, step_loop)
    if loop:
        contenders.append(Contender(network, ONE_BY_ONE, 1, step_loop, device))
    sizes = (own.settings["batch_size"], inputs.sizes.batch_size)
    for batch_size in dict.fromkeys(size for size in sizes if size):
        trainer = own if batch_size == own.settings["batch_size"] else inputs.trainer(network, batch_size)
        precision = "bfloat16" if trainer.half else "float32"
        form = f"batches of {batch_size}"
        contenders.append(Contender(network, form, batch_size, BatchedUpdates(trainer), device, precision))
    return contenders


def agreement(trainer: WalkTrainer, loop: StepLoop) -> None:
    """Raise RuntimeError where the loop's loss is not the trainer's, in float32 and without dropout."""
    indices = torch.arange(min(AGREEMENT_WALKS, len(trainer.examples)))
    states, actions, labels = trainer._gather(indices, trainer._sources())
    networks, half, trainer.half = (trainer.network.eval(), loop.network.eval()), trainer.half, False
    with torch.no_grad():
        arguments = trainer.reader, trainer.examples, indices, states, actions, labels
        ours = float(imitation_loss(*arguments, remaining_weight=0.0))
        theirs = float(sum(loop.loss(k) for k in indices.tolist())) / sum(loop.lengths[: len(indices)])
    trainer.half = half
    for network in networks:
        network.train()
    if not abs(ours - theirs) <= TOLERANCE * abs(theirs):
        raise RuntimeError(f"{trainer.config.network}: losses of the loop and of a batch differ: {theirs:g}, {ours:g}")


def _time(contenders: Sequence[Contender], rounds: int, inputs: BenchInputs) -> None:
    """Warm up all contenders, then let them take turns."""
    for contender in contenders:
        for _ in range(WARMUP_CALLS):
            contender.call()
        _synchronize(inputs.device)
        begin = time.perf_counter()
        contender.call()
        _synchronize(inputs.device)
        duration = time.perf_counter() - begin
        contender.calls = max(1, round(inputs.sizes.round_seconds / duration))
        log.info("%s, %s: %.3g s per call", contender.network, contender.form, duration)
    for _ in range(rounds):
        for contender in contenders:
            begin = time.perf_counter()
            for _ in range(contender.calls):
                contender.call()
            _synchronize(inputs.device)
            contender.seconds.append((time.perf_counter() - begin) / contender.calls / contender.episodes)


def _row(contender: Contender, contenders: Sequence[Contender]) -> Row:
    """Return a row, with the ratios to the loop and to the fastest clients of the same network."""
    same = [other for other in contenders if other.network == contender.network]

    def ratio(peer: str) -> float | None:
        rates = [other.rate for other in same if other.form.startswith(peer)]
        return contender.rate / max(rates) if rates else None

    return {
        "name": contender.network,
        "form": contender.form,
        "device": contender.device,
        "precision": contender.precision,
        "episodes_per_second": contender.rate,
        "slowest": 1.0 / max(contender.seconds),
        "fastest": 1.0 / min(contender.seconds),
        "x_loop": ratio(ONE_BY_ONE),
        "x_hogwild": ratio(CLIENTS),
    }


def evaluation(inputs: BenchInputs, network_name: str) -> Row:
    """Time the walks of episodes that were never seen, by a network with random weights, views included."""
    sizes, device = inputs.sizes, inputs.device
    walks = make_walks(sizes.world, "test_unseen", sizes.episodes, sizes.horizon)
    spec, tokenizer = WALK_NETWORKS[network_name], make_tokenizer(inputs.walks, False)
    shape = WalkShape(len(tokenizer), sizes.slicing.rows, cell_dim(inputs.backbone))
    network = spec.build(spec.make_config({"shape": shape, **sizes.settings(network_name)}), 0).to(device).eval()
    kind = view_kind(network_name)
    inputs.open_views(kind, inputs.table).prepare(np.arange(sizes.warmup_places))  # compiles
    _synchronize(device)
    begin = time.perf_counter()
    table = inputs.build_table(walks, device)
    examples = WalkTable.build(walks, table, tokenizer)
    views = inputs.open_views(kind, table)
    places = reachable_places(table, examples.starts.cpu().numpy(), sizes.eval_horizon)
    views.prepare(places)
    _synchronize(device)
    seen = time.perf_counter()
    reader, size = StepReader.make(network, table.places, views, device), WALK_BATCH[device.type]
    half = spec.half and device.type == "cuda"
    for first in range(0, len(examples), size):
        batch = torch.arange(first, min(first + size, len(examples)))
        walk(network, reader, examples, batch, sizes.eval_horizon, half=half)
    _synchronize(device)
    end = time.perf_counter()
    return {
        "name": network_name,
        "form": EVALUATION,
        "device": device.type,
        "precision": "bfloat16" if half else "float32",
        "episodes_per_second": len(examples) / (end - begin),
        "episodes": len(examples),
        "places": len(places),
        "view_seconds": seen - begin,
        "seconds": end - begin,
    }


def _synchronize(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()

"""Benchmark of training pointing networks: examples per second, `bearleft bench pointing`.

A training step is forward, loss, backward and Adam, with examples on the device: eager, as a CUDA graph (as in training
on a GPU), or compiled on request. The peer is LingUNet as the released program computes it, with batches of 10. The
chain is the same step with nothing precomputed: pictures are rendered and encoded by the backbone for every batch;
`pictures` and `backbone` are those parts alone. On a CPU all sizes are tiny and only show that everything runs.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from statistics import median
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from bearleft.bench.harness import BenchResult, describe_machine
from bearleft.bench.pointing.evaluation import evaluation
from bearleft.bench.pointing.pipeline import (
    FeatureChain,
    RenderSlices,
    backbone_flops,
    backbone_variants,
    open_features,
)
from bearleft.bench.pointing.released_lingunet import with_weights_of
from bearleft.errors import InputError, unknown_name
from bearleft.models.pointing.lingunet import LingUNet
from bearleft.models.pointing.loss import kl_divergence
from bearleft.models.pointing.network import Batch, PointNetwork, Shape
from bearleft.models.pointing.registry import NETWORKS, build_network
from bearleft.models.pointing.target_maps import gaussian
from bearleft.models.pointing.text_encoder import compile_network
from bearleft.training.cuda_graphs import WARMUP_STEPS, GraphedStep
from bearleft.world.render.devices import check_device
from bearleft.world.slices import PAPER, TALL, Slicing

log = logging.getLogger(__name__)
Row = dict[str, Any]
PEER = "lingunet, the released form"
PICTURES, BACKBONE, CHAIN, EVALUATION = "pictures", "backbone", "chain", "evaluation"
EAGER, CUDA_GRAPH, COMPILED = "as written", "recorded", "compiled"
SMALL_CITY_NOTE = ", a small city that is soon planned"
TEXT_LENGTHS = (10, 64)  # words of the shortest and the longest text
TOLERANCE = 1e-4  # largest difference between our scores and the peer's, relative to the largest score


@dataclass(frozen=True)
class BenchSizes:
    """Sizes of what is timed."""

    slicing: Slicing = PAPER
    vocabulary_size: int = 4000
    pool_size: int = 64  # examples on the device
    batch_size: int = 10  # the paper's
    batch_sizes: tuple[int, ...] = (10, 32)  # of LingUNet and of our last network
    world: str = "city/3/4x5"  # whose pictures are rendered; a large one takes a minute to plan
    matrix_size: int = 8192  # of the matrices whose product is the device's peak
    round_seconds: float = 0.3
    eval_episodes: int = 2048
    eval_world: str = "city/0/8x40"  # each episode has its own panorama
    overrides: dict[str, int] = field(default_factory=dict)  # of every Config that has such a field

    @property
    def shape(self) -> Shape:
        """Return the shape of the networks' inputs."""
        return Shape(self.vocabulary_size, self.slicing.rows, self.slicing.columns)


TINY = BenchSizes(
    Slicing(24, 40),
    40,
    4,
    2,
    (2, 3),
    "rooms/0/1",
    64,
    0.0,
    10,
    "rooms/0/1",
    {"width": 32, "embedding_dim": 8, "lstm_dim": 8, "heads": 4, "layers": 1, "cell_width": 8},
)


class ExamplePool:
    """Examples on the device: random features and words, in the precision and memory layout of a network."""

    def __init__(self, sizes: BenchSizes, device: torch.device, channels_first: bool) -> None:
        rng = np.random.default_rng(0)
        shape, count = sizes.shape, sizes.pool_size
        self.device, self.size = device, count
        generator = torch.Generator(device).manual_seed(0)
        dtype = torch.bfloat16 if device.type == "cuda" and not channels_first else torch.float32
        layout = (shape.rows, shape.columns, shape.channels)
        if channels_first:
            layout = (shape.channels, shape.rows, shape.columns)
        features = torch.randn((count, *layout), generator=generator, device=device).to(dtype)
        self.features = features if channels_first else features.permute(0, 3, 1, 2)
        lengths = torch.from_numpy(rng.integers(TEXT_LENGTHS[0], TEXT_LENGTHS[1] + 1, count))
        words = torch.from_numpy(rng.integers(2, shape.vocabulary_size, (count, TEXT_LENGTHS[1])))
        self.words = (words * (torch.arange(TEXT_LENGTHS[1]) < lengths[:, None])).to(device)
        self.lengths = lengths if channels_first else lengths.to(device)
        targets = torch.from_numpy(rng.random((count, 2)) * (shape.rows, shape.columns)).float().to(device)
        self.target_maps = gaussian(targets, shape.rows, shape.columns)

    def batch(self, indices: Tensor) -> tuple[Batch, Tensor]:
        """Return a batch of examples and their target maps."""
        on_device = indices.to(self.device, non_blocking=True)
        lengths = self.lengths[indices if self.lengths.device.type == "cpu" else on_device]
        return Batch(self.features[on_device], self.words[on_device], lengths), self.target_maps[on_device]


@dataclass
class TimedNetwork:
    """What is timed; a step processes `batch_size` examples."""

    name: str
    batch_size: int
    step: Callable[[], Any]
    precision: str
    form: str
    flops: float = 0.0  # per example
    calls: int = 1  # per round
    seconds: list[float] = field(default_factory=list)  # per example

    def row(self, peer: float, peak: float) -> Row:
        """Return the row; `peer` is in seconds per example, `peak` in operations per second."""
        rate = 1.0 / median(self.seconds)
        return {
            "name": self.name,
            "batch": self.batch_size,
            "precision": self.precision,
            "form": self.form,
            "examples_per_second": rate,
            "slowest": 1.0 / max(self.seconds),
            "fastest": 1.0 / min(self.seconds),
            "ratio": rate * peer,
            "gflop_per_example": self.flops / 1e9,
            "tflops": rate * self.flops / 1e12,
            "share_of_peak": rate * self.flops / peak,
        }


class TrainingSteps:
    """Training steps of one network: forward, loss, backward and Adam."""

    def __init__(
        self, network: PointNetwork, pool: ExamplePool, batch_size: int, bfloat16: bool, form: str = EAGER
    ) -> None:
        self.network, self.pool = network.to(pool.device).train(), pool
        self.batch_size, self.bfloat16 = batch_size, bfloat16
        cuda = pool.device.type == "cuda"
        if bfloat16 and cuda:
            self.network = self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.forward: Callable[[Batch], Tensor] = (
            compile_network(self.network, dynamic=False) if form == COMPILED else self.network
        )
        # The peer's Adam is torch's own choice, as it was for the released program.
        self.adam = torch.optim.Adam(
            self.network.parameters(),
            1e-4,
            fused=True if bfloat16 and cuda else None,
            capturable=cuda and form == CUDA_GRAPH,
        )
        self.graphed = GraphedStep(self._step_on_rows, batch_size, pool.device) if form == CUDA_GRAPH else None
        self.generator = torch.Generator().manual_seed(0)

    def __call__(self) -> None:
        """Take one step on a random batch of the pool."""
        indices = torch.randperm(self.pool.size, generator=self.generator)[: self.batch_size]
        if self.graphed is not None:
            self.graphed(indices, TEXT_LENGTHS[1])
        else:
            self.step(*self.pool.batch(indices))

    def _step_on_rows(self, rows: Tensor, _: int) -> Tensor:
        return self.step(*self.pool.batch(rows))

    def step(self, batch: Batch, target_maps: Tensor) -> Tensor:
        """Take one step and return the loss."""
        self.adam.zero_grad(set_to_none=True)
        cache = self.graphed is None  # a captured graph must cast the weights itself
        device = batch.features.device.type
        with torch.autocast(device, torch.bfloat16, enabled=self.bfloat16, cache_enabled=cache):
            scores = self.forward(batch)
        loss = kl_divergence(scores, target_maps).sum() / len(target_maps)
        loss.backward()  # type: ignore[no-untyped-call]
        self.adam.step()
        return loss.detach()

    def step_on(self, features: Tensor, indices: Tensor) -> None:
        """Take a step on computed features, with texts and targets of the pool."""
        batch, target_maps = self.pool.batch(indices % self.pool.size)
        self.step(Batch(features, batch.words, batch.lengths), target_maps)

    def flops(self) -> float:
        """Return the operations of a step per example, as torch counts them: without an LSTM's on a GPU."""
        batch, target_maps = self.pool.batch(torch.zeros(1, dtype=torch.int64))
        with FlopCounterMode(display=False) as counter:
            with torch.autocast(batch.features.device.type, torch.bfloat16, enabled=self.bfloat16):
                scores = self.network(batch)
            kl_divergence(scores, target_maps).sum().backward()  # type: ignore[no-untyped-call]
        return float(counter.get_total_flops())


def pointing(
    rounds: int = 9,
    device: str | None = None,
    compiled: bool = False,
    only: Sequence[str] = (),
    world: str | None = None,
) -> BenchResult:
    """Run `bearleft bench pointing`.

    Rows are the peer, each network, LingUNet and ours by batch size and form, and the feature chain with its parts.

    Args:
        rounds: Alternating rounds; medians are reported.
        device: "cpu" (tiny sizes) or "cuda"; by default a GPU where there is one.
        compiled: Time steps with torch.compile, too, which takes minutes.
        only: Networks, "pictures", "backbone" or "chain"; or "evaluation" alone.
        world: The city whose pictures are rendered.
    """
    if rounds < 1:
        raise InputError("at least one round", str(rounds), "rounds")
    torch_device = torch.device(check_device(device or ("cuda" if torch.cuda.is_available() else "cpu")))
    if torch_device.type == "cuda" and not torch.cuda.is_available():
        raise InputError("a CUDA GPU that torch can use", "none", "device", hint="Type: --device cpu")
    parts = (*NETWORKS, PICTURES, BACKBONE, CHAIN, EVALUATION)
    for name in only:
        if name not in parts:
            raise unknown_name("network", name, parts)
    sizes = BenchSizes() if torch_device.type == "cuda" else TINY
    if world is not None:
        sizes = replace(sizes, world=world)
    if EVALUATION in only:
        if len(only) > 1:
            raise InputError("evaluation alone, whose rows are of another kind", ", ".join(only), "only")
        return _evaluation(sizes, torch_device, world)
    agreement()
    peak = _measure_peak(sizes.matrix_size, torch_device)
    contenders = _all_contenders(sizes, torch_device, compiled and torch_device.type == "cuda", only or parts[:-1])
    _time_contenders(contenders, rounds, sizes.round_seconds, torch_device)
    peer = next(median(contender.seconds) for contender in contenders if contender.name == PEER)
    rows = [contender.row(peer, peak) for contender in contenders]
    remarks = [
        f"Medians of {rounds} alternating rounds; updates of {sizes.slicing.rows} x {sizes.slicing.columns} cells, "
        f"texts of {TEXT_LENGTHS[0]} to {TEXT_LENGTHS[1]} words, {sizes.pool_size} examples on the device.",
        f"Pictures are those of {sizes.world}{SMALL_CITY_NOTE if sizes.world == BenchSizes().world else ''}. "
        "An example of pictures or of the backbone is a panorama.",
        f"Peak: {peak / 1e12:.3g} TFLOP/s, a product of matrices of {sizes.matrix_size} x {sizes.matrix_size} in "
        "bfloat16. Operations are those that torch counts, not an LSTM's nor a renderer's.",
        f"Scores of LingUNet and of {PEER} agree within {TOLERANCE:g} of the largest.",
        f"Machine: {_device_name(torch_device)}{describe_machine()}, torch {torch.__version__}.",
    ]
    if torch_device.type == "cpu":
        remarks.insert(0, "Sizes on a CPU are tiny: figures show that everything runs, and nothing else.")
    return BenchResult(rows, remarks)


def _evaluation(sizes: BenchSizes, device: torch.device, world: str | None) -> BenchResult:
    """Time `bearleft eval` of LingUNet, of our last network, and of the looking agent."""
    *_, last = NETWORKS
    paper = sizes.slicing == PAPER
    slicings, world = (sizes.slicing, TALL if paper else sizes.slicing), world or sizes.eval_world
    rows = evaluation(slicings, world, sizes.eval_episodes, device, ("lingunet", last), sizes.overrides)
    remarks = [
        "Traces a second of `eval` with heat maps kept, behind the first batch (where there is one only, start-up is "
        f"counted); pictures of {world} are rendered as they are needed, slices of {sizes.slicing.width} x "
        f"{sizes.slicing.height}{', of Refer360 twice as high' if paper else ''}.",
        "backbone: rendering and the backbone alone, at the same batches. ratio: of eval to that.",
        f"Machine: {_device_name(device)}{describe_machine()}, torch {torch.__version__}.",
    ]
    return BenchResult(rows, remarks)


def agreement() -> None:
    """Raise RuntimeError where our network and the peer do not compute the same, in float32 on the CPU."""
    small = BenchSizes(Slicing(24, 40), 50, 4, overrides=TINY.overrides)
    ours = build("lingunet", small, released=True).eval()
    assert isinstance(ours, LingUNet)
    theirs = with_weights_of(ours).eval()
    batch, _ = ExamplePool(small, torch.device("cpu"), True).batch(torch.arange(small.pool_size))
    with torch.no_grad():
        our_scores, peer_scores = ours(batch), theirs(batch)
    difference = float((our_scores - peer_scores).abs().max() / peer_scores.abs().max())
    if not difference < TOLERANCE:
        raise RuntimeError(f"LingUNet and {PEER} do not agree: {difference:g} apart")


def build(name: str, sizes: BenchSizes, released: bool = False) -> PointNetwork:
    """Return a new network of these sizes."""
    known = {config_field.name for config_field in fields(NETWORKS[name].config)}  # type: ignore[arg-type]
    overrides: dict[str, Any] = {key: value for key, value in sizes.overrides.items() if key in known}
    if released:
        overrides["released"] = True
    return build_network(name, sizes.shape, **overrides)


def _all_contenders(sizes: BenchSizes, device: torch.device, compiled: bool, only: Sequence[str]) -> list[TimedNetwork]:
    """Return the peer first, then networks by name, then other batch sizes and forms, then the chain and its parts."""
    pool, peer_pool = ExamplePool(sizes, device, channels_first=False), ExamplePool(sizes, device, channels_first=True)
    cuda = device.type == "cuda"
    precision = "bfloat16" if cuda else "float32"
    own = build("lingunet", sizes, released=True)
    assert isinstance(own, LingUNet)
    peer = TrainingSteps(with_weights_of(own), peer_pool, sizes.batch_size, bfloat16=False)
    contenders = [TimedNetwork(PEER, sizes.batch_size, peer, "float32", EAGER, peer.flops())]
    *_, last = NETWORKS
    forms = [EAGER] + [CUDA_GRAPH] * cuda + [COMPILED] * compiled
    variants = [(name, sizes.batch_size, EAGER) for name in NETWORKS]
    variants += [(name, size, form) for name in ("lingunet", last) for size in sizes.batch_sizes for form in forms]
    for name, batch_size, form in dict.fromkeys(variants):
        if name in only:
            steps = TrainingSteps(build(name, sizes), pool, batch_size, cuda, form)
            contenders.append(TimedNetwork(name, batch_size, steps, precision, form, steps.flops()))
    return contenders + _chain_contenders(
        sizes, pool, precision, [part for part in (PICTURES, BACKBONE, CHAIN) if part in only]
    )


def _chain_contenders(sizes: BenchSizes, pool: ExamplePool, precision: str, parts: Sequence[str]) -> list[TimedNetwork]:
    """Return rendering, variants of the backbone, both, and both with LingUNet's steps."""
    if not parts:
        return []
    contenders, backbone = list[TimedNetwork](), backbone_flops(sizes.slicing)
    features = open_features(sizes.world, sizes.slicing, pool.device)
    if PICTURES in parts:
        contenders.append(TimedNetwork(PICTURES, features.chunk_size, RenderSlices(features), "bytes", EAGER))
    if BACKBONE in parts:
        variants = backbone_variants(features, sizes.slicing, pool.device)
        contenders += [
            TimedNetwork(name, features.chunk_size, encode, precision, EAGER, backbone) for name, encode in variants
        ]
    if CHAIN in parts:
        for batch_size in dict.fromkeys((sizes.batch_size, sizes.batch_sizes[-1])):
            steps = TrainingSteps(build("lingunet", sizes), pool, batch_size, precision == "bfloat16")
            # Each has its own features, since a prefetched batch serves one chain only.
            chain = FeatureChain(
                open_features(sizes.world, sizes.slicing, pool.device, features.sources), steps.step_on, batch_size
            )
            flops = backbone + steps.flops()
            name = "chain: pictures, backbone, lingunet"
            contenders.append(TimedNetwork(name, batch_size, chain, precision, EAGER, flops))
        chain = FeatureChain(features, None, sizes.batch_sizes[-1])
        name = "chain: pictures and backbone"
        contenders.append(TimedNetwork(name, chain.batch_size, chain, precision, EAGER, backbone))
    return contenders


def _time_contenders(contenders: Sequence[TimedNetwork], rounds: int, seconds: float, device: torch.device) -> None:
    """Warm up all contenders, then let them take turns."""
    for contender in contenders:
        begin = time.perf_counter()
        for _ in range(WARMUP_STEPS + 1):  # the last one is captured, where steps are graphed
            contender.step()
        _synchronize(device)
        log.info("%s, batch %d: warm after %.1f s", contender.name, contender.batch_size, time.perf_counter() - begin)
        begin = time.perf_counter()
        contender.step()
        _synchronize(device)
        contender.calls = max(1, round(seconds / (time.perf_counter() - begin)))
    for _ in range(rounds):
        for contender in contenders:
            begin = time.perf_counter()
            for _ in range(contender.calls):
                contender.step()
            _synchronize(device)
            contender.seconds.append((time.perf_counter() - begin) / contender.calls / contender.batch_size)


def _measure_peak(side: int, device: torch.device) -> float:
    """Return the operations per second of a product of square matrices in bfloat16."""
    generator = torch.Generator(device).manual_seed(0)
    a, b = (torch.randn((side, side), generator=generator, device=device).to(torch.bfloat16) for _ in range(2))
    seconds = []
    for _ in range(9):
        _synchronize(device)
        begin = time.perf_counter()
        for _ in range(8):
            a @ b
        _synchronize(device)
        seconds.append((time.perf_counter() - begin) / 8)
    return 2.0 * side**3 / median(seconds[1:])


def _synchronize(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def _device_name(device: torch.device) -> str:
    return f"{torch.cuda.get_device_name(device)}, " if device.type == "cuda" else ""

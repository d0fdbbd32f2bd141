"""Networks that point: examples a second of training, `bearleft bench pointing`.

An update is forward, loss, backward and Adam, with examples on the device: as it is written, recorded once and repeated
as a card's training does it, or compiled where one asks for it. The peer is LingUNet as the released program computes
it, at its batch of 10. The chain is the same update with nothing prepared: pictures are rendered and read by the trunk
for every batch; `pictures` and `trunk` are those parts alone. On a CPU all sizes are tiny, and only show that
everything runs. Needs no more than numpy, numba and torch.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from statistics import median
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from bearleft.bench.harness import Result, machine
from bearleft.bench.pointing.evaluation import evaluation
from bearleft.bench.pointing.evaluation import table as evaluation_table
from bearleft.bench.pointing.pipeline import Chain, Pictures, readers, trunk_flops
from bearleft.bench.pointing.pipeline import made as made_features
from bearleft.bench.pointing.released_lingunet import with_weights_of
from bearleft.errors import InputError, unknown
from bearleft.models.pointing.lingunet import LingUNet
from bearleft.models.pointing.network import Batch, PointNetwork, Shape
from bearleft.models.pointing.registry import NETWORKS, network
from bearleft.models.pointing.target_maps import divergence, gaussian
from bearleft.runtime.store import write_text
from bearleft.training.cuda_graphs import WARM, Graphs
from bearleft.world.render.devices import check_device
from bearleft.world.slices import PAPER, TALL, Slicing

log = logging.getLogger(__name__)
Row = dict[str, Any]
PEER = "lingunet, the released form"
PICTURES, TRUNK, CHAIN, EVALUATION = "pictures", "trunk", "chain", "evaluation"
EAGER, RECORDED, COMPILED = "as written", "recorded", "compiled"
SMALL = ", a small city that is soon planned"
TEXT = (10, 64)  # words of the shortest and the longest text
AGREE = 1e-4  # how far scores of ours and the peer's may lie apart, of the largest


@dataclass(frozen=True)
class Sizes:
    """How much is timed."""

    slicing: Slicing = PAPER
    words: int = 4000
    pool: int = 64  # examples on the device
    batch: int = 10  # the paper's
    batches: tuple[int, ...] = (10, 32)  # of LingUNet, and of the last ours too
    world: str = "city/3/4x5"  # whose pictures are rendered; a large one takes a minute to plan
    matrix: int = 8192  # side of the matrices whose product is the device's peak
    round: float = 0.3  # seconds
    episodes: int = 2048  # that are evaluated
    evaluated: str = "city/0/8x40"  # where, each in a panorama of its own
    changes: dict[str, int] = field(default_factory=dict)  # of every Config that has such a field

    @property
    def shape(self) -> Shape:
        return Shape(self.words, self.slicing.rows, self.slicing.columns)


TINY = Sizes(
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
    {"width": 32, "vector": 8, "state": 8, "heads": 4, "layers": 1, "fine": 8},
)


class Pool:
    """Examples that lie on the device: random cells and words, in the precision and order that a network wants."""

    def __init__(self, sizes: Sizes, device: torch.device, plain: bool) -> None:
        rng = np.random.default_rng(0)
        shape, count = sizes.shape, sizes.pool
        self.device, self.size = device, count
        made = torch.Generator(device).manual_seed(0)
        kind = torch.bfloat16 if device.type == "cuda" and not plain else torch.float32
        lie = (shape.channels, shape.rows, shape.columns) if plain else (shape.rows, shape.columns, shape.channels)
        cells = torch.randn((count, *lie), generator=made, device=device).to(kind)
        self.cells = cells if plain else cells.permute(0, 3, 1, 2)
        lengths = torch.from_numpy(rng.integers(TEXT[0], TEXT[1] + 1, count))
        words = torch.from_numpy(rng.integers(2, shape.words, (count, TEXT[1])))
        self.words = (words * (torch.arange(TEXT[1]) < lengths[:, None])).to(device)
        self.lengths = lengths if plain else lengths.to(device)
        targets = torch.from_numpy(rng.random((count, 2)) * (shape.rows, shape.columns)).float().to(device)
        self.expected = gaussian(targets, shape.rows, shape.columns)

    def batch(self, which: Tensor) -> tuple[Batch, Tensor]:
        there = which.to(self.device, non_blocking=True)
        lengths = self.lengths[which if self.lengths.device.type == "cpu" else there]
        return Batch(self.cells[there], self.words[there], lengths), self.expected[there]


@dataclass
class Contender:
    """Who is timed; a step is one update of `batch` examples."""

    name: str
    batch: int
    step: Callable[[], Any]
    precision: str
    form: str
    flops: float = 0.0  # of one example
    calls: int = 1
    seconds: list[float] = field(default_factory=list)  # of one example

    def row(self, peer: float, peak: float) -> Row:
        rate = 1.0 / median(self.seconds)
        return {
            "name": self.name,
            "batch": self.batch,
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


class Updates:
    """Updates of one network."""

    def __init__(self, made: PointNetwork, pool: Pool, batch: int, half: bool, form: str = EAGER) -> None:
        self.network, self.pool, self.size, self.half = made.to(pool.device).train(), pool, batch, half
        cuda = pool.device.type == "cuda"
        if half and cuda:
            self.network = self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.forward: Callable[[Batch], Tensor] = (
            torch.compile(self.network, dynamic=False) if form == COMPILED else self.network
        )
        # The peer's Adam is torch's own choice, as it was for the released program.
        self.adam = torch.optim.Adam(
            self.network.parameters(), 1e-4, fused=True if half and cuda else None, capturable=cuda and form == RECORDED
        )
        self.graphs = Graphs(self._recorded, batch, pool.device) if form == RECORDED else None
        self.generator = torch.Generator().manual_seed(0)

    def __call__(self) -> None:
        which = torch.randperm(self.pool.size, generator=self.generator)[: self.size]
        if self.graphs is not None:
            self.graphs(which, TEXT[1])
        else:
            self.update(*self.pool.batch(which))

    def _recorded(self, rows: Tensor, _: int) -> Tensor:
        return self.update(*self.pool.batch(rows))

    def update(self, batch: Batch, expected: Tensor) -> Tensor:
        self.adam.zero_grad(set_to_none=True)
        kept = self.graphs is None  # weights that are cast once and kept would be forgotten by a recorded update
        with torch.autocast(batch.cells.device.type, torch.bfloat16, enabled=self.half, cache_enabled=kept):
            scores = self.forward(batch)
        loss = divergence(scores, expected).sum() / len(expected)
        loss.backward()  # type: ignore[no-untyped-call]
        self.adam.step()
        return loss.detach()

    def on(self, cells: Tensor, drawn: Tensor) -> None:
        """An update on cells that were made, with texts and targets of the pool."""
        batch, expected = self.pool.batch(drawn % self.pool.size)
        self.update(Batch(cells, batch.words, batch.lengths), expected)

    def flops(self) -> float:
        """Operations of an update by example, counted by torch; an LSTM's on a GPU are not among them."""
        batch, expected = self.pool.batch(torch.zeros(1, dtype=torch.int64))
        with FlopCounterMode(display=False) as counter:
            with torch.autocast(batch.cells.device.type, torch.bfloat16, enabled=self.half):
                scores = self.network(batch)
            divergence(scores, expected).sum().backward()  # type: ignore[no-untyped-call]
        return float(counter.get_total_flops())


def pointing(
    rounds: int = 9,
    device: str | None = None,
    compiled: bool = False,
    only: Sequence[str] = (),
    world: str | None = None,
) -> Result:
    """All rows: the peer, each network, LingUNet and ours by batch and form, and the chain with its parts; or some."""
    if rounds < 1:
        raise InputError("at least one round", str(rounds), "rounds")
    where = torch.device(check_device(device or ("cuda" if torch.cuda.is_available() else "cpu")))
    if where.type == "cuda" and not torch.cuda.is_available():
        raise InputError("a CUDA GPU that torch can use", "none", "device", hint="Type: --device cpu")
    known = (*NETWORKS, PICTURES, TRUNK, CHAIN, EVALUATION)
    for name in only:
        if name not in known:
            raise unknown("network", name, known)
    sizes = Sizes() if where.type == "cuda" else TINY
    if world is not None:
        sizes = replace(sizes, world=world)
    if EVALUATION in only:
        if len(only) > 1:
            raise InputError("evaluation alone, whose rows are of another kind", ", ".join(only), "only")
        return _evaluation(sizes, where, world)
    agreement()
    peak = _peak(sizes.matrix, where)
    contenders = _contenders(sizes, where, compiled and where.type == "cuda", only or known[:-1])
    _time(contenders, rounds, sizes.round, where)
    peer = next(median(one.seconds) for one in contenders if one.name == PEER)
    rows = [one.row(peer, peak) for one in contenders]
    remarks = [
        f"Medians of {rounds} alternating rounds; updates of {sizes.slicing.rows} x {sizes.slicing.columns} cells, "
        f"texts of {TEXT[0]} to {TEXT[1]} words, {sizes.pool} examples on the device.",
        f"Pictures are those of {sizes.world}{SMALL if sizes.world == Sizes().world else ''}. "
        "An example of pictures or of the trunk is a panorama.",
        f"Peak: {peak / 1e12:.3g} TFLOP/s, a product of matrices of {sizes.matrix} x {sizes.matrix} in bfloat16. "
        "Operations are those that torch counts, not an LSTM's nor a renderer's.",
        f"Scores of LingUNet and of {PEER} agree within {AGREE:g} of the largest.",
        f"Machine: {_device(where)}{machine()}, torch {torch.__version__}.",
    ]
    if where.type == "cpu":
        remarks.insert(0, "Sizes on a CPU are tiny: figures show that everything runs, and nothing else.")
    return Result(rows, remarks)


def _evaluation(sizes: Sizes, device: torch.device, world: str | None) -> Result:
    """`bearleft eval` of LingUNet, of ours and of the agent that turns its view."""
    *_, last = NETWORKS
    paper = sizes.slicing == PAPER
    slicings, world = (sizes.slicing, TALL if paper else sizes.slicing), world or sizes.evaluated
    rows = evaluation(slicings, world, sizes.episodes, device, ("lingunet", last), sizes.changes)
    remarks = [
        "Traces a second of `eval` with heat maps kept, behind the first batch (where there is one only, start-up is "
        f"counted); pictures of {world} are rendered as they are needed, slices of {sizes.slicing.width} x "
        f"{sizes.slicing.height}{', of Refer360 twice as high' if paper else ''}.",
        "backbone: rendering and the backbone alone, at the same batches. ratio: of eval to that.",
        f"Machine: {_device(device)}{machine()}, torch {torch.__version__}.",
    ]
    return Result(rows, remarks)


def agreement() -> None:
    """An error where ours and the peer do not compute the same, in single precision on the CPU."""
    small = Sizes(Slicing(24, 40), 50, 4, changes=TINY.changes)
    ours = made("lingunet", small, released=True).eval()
    assert isinstance(ours, LingUNet)
    theirs = with_weights_of(ours).eval()
    batch, _ = Pool(small, torch.device("cpu"), True).batch(torch.arange(small.pool))
    with torch.no_grad():
        one, other = ours(batch), theirs(batch)
    apart = float((one - other).abs().max() / other.abs().max())
    if not apart < AGREE:
        raise RuntimeError(f"LingUNet and {PEER} do not agree: {apart:g} apart")


def made(name: str, sizes: Sizes, released: bool = False) -> PointNetwork:
    """A fresh network of these sizes."""
    known = {one.name for one in fields(NETWORKS[name].config)}  # type: ignore[arg-type]
    changes: dict[str, Any] = {key: value for key, value in sizes.changes.items() if key in known}
    if released:
        changes["released"] = True
    return network(name, sizes.shape, **changes)


def _contenders(sizes: Sizes, device: torch.device, compiled: bool, only: Sequence[str]) -> list[Contender]:
    """The peer first, then networks by name, then other batches and forms, then the chain and its parts."""
    ours, plain = Pool(sizes, device, plain=False), Pool(sizes, device, plain=True)
    half = device.type == "cuda"
    kind = "bfloat16" if half else "float32"
    own = made("lingunet", sizes, released=True)
    assert isinstance(own, LingUNet)
    peer = Updates(with_weights_of(own), plain, sizes.batch, half=False)
    found = [Contender(PEER, sizes.batch, peer, "float32", EAGER, peer.flops())]
    *_, last = NETWORKS
    forms = [EAGER] + [RECORDED] * half + [COMPILED] * compiled
    asked = [(name, sizes.batch, EAGER) for name in NETWORKS]
    asked += [(name, batch, form) for name in ("lingunet", last) for batch in sizes.batches for form in forms]
    for name, batch, form in dict.fromkeys(asked):
        if name in only:
            updates = Updates(made(name, sizes), ours, batch, half, form)
            found.append(Contender(name, batch, updates, kind, form, updates.flops()))
    return found + _chain(sizes, ours, kind, [part for part in (PICTURES, TRUNK, CHAIN) if part in only])


def _chain(sizes: Sizes, pool: Pool, kind: str, parts: Sequence[str]) -> list[Contender]:
    """Pictures, forms of the trunk, both, and both with LingUNet's updates."""
    if not parts:
        return []
    found, trunk = list[Contender](), trunk_flops(sizes.slicing)
    features = made_features(sizes.world, sizes.slicing, pool.device)
    if PICTURES in parts:
        found.append(Contender(PICTURES, features.piece, Pictures(features), "bytes", EAGER))
    if TRUNK in parts:
        forms = readers(features, sizes.slicing, pool.device)
        found += [Contender(name, features.piece, read, kind, EAGER, trunk) for name, read in forms]
    if CHAIN in parts:
        for batch in dict.fromkeys((sizes.batch, sizes.batches[-1])):
            updates = Updates(made("lingunet", sizes), pool, batch, kind == "bfloat16")
            # Each has features of its own, since what one begins is not what another asks for.
            chain = Chain(made_features(sizes.world, sizes.slicing, pool.device, features.eyes), updates.on, batch)
            flops = trunk + updates.flops()
            found.append(Contender("chain: pictures, trunk, lingunet", batch, chain, kind, EAGER, flops))
        chain = Chain(features, None, sizes.batches[-1])
        found.append(Contender("chain: pictures and trunk", chain.size, chain, kind, EAGER, trunk))
    return found


def _time(contenders: Sequence[Contender], rounds: int, seconds: float, device: torch.device) -> None:
    """Everyone warms up, then takes turns."""
    for one in contenders:
        begin = time.perf_counter()
        for _ in range(WARM + 1):  # the last is recorded, where updates are
            one.step()
        _wait(device)
        log.info("%s, batch %d: warm after %.1f s", one.name, one.batch, time.perf_counter() - begin)
        begin = time.perf_counter()
        one.step()
        _wait(device)
        one.calls = max(1, round(seconds / (time.perf_counter() - begin)))
    for _ in range(rounds):
        for one in contenders:
            begin = time.perf_counter()
            for _ in range(one.calls):
                one.step()
            _wait(device)
            one.seconds.append((time.perf_counter() - begin) / one.calls / one.batch)


def _peak(side: int, device: torch.device) -> float:
    """Operations a second of a product of square matrices in bfloat16."""
    made = torch.Generator(device).manual_seed(0)
    one, other = (torch.randn((side, side), generator=made, device=device).to(torch.bfloat16) for _ in range(2))
    seconds = []
    for _ in range(9):
        _wait(device)
        begin = time.perf_counter()
        for _ in range(8):
            one @ other
        _wait(device)
        seconds.append((time.perf_counter() - begin) / 8)
    return 2.0 * side**3 / median(seconds[1:])


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def _device(device: torch.device) -> str:
    return f"{torch.cuda.get_device_name(device)}, " if device.type == "cuda" else ""


def table(rows: Sequence[Row]) -> str:
    """Rows to read where there is nothing to draw tables with."""
    lines = ["examples/s  slowest  fastest  x released  TFLOP/s  of peak  batch  precision  form        name"]
    for row in rows:
        rates = f"{row['examples_per_second']:10,.1f}  {row['slowest']:7,.0f}  {row['fastest']:7,.0f}"
        numbers = f"{rates}  {row['ratio']:10.2f}  {row['tflops']:7.1f}  {row['share_of_peak']:7.1%}  {row['batch']:5d}"
        lines.append(f"{numbers}  {row['precision']:9}  {row['form']:10}  {row['name']}")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("cuda", "cpu"), help="a GPU if there is one")
    parser.add_argument("--rounds", type=int, default=9)
    parts = f"some networks, beside the peer; or {PICTURES}, {TRUNK}, {CHAIN}; or {EVALUATION} alone"
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help=parts)
    parser.add_argument("--compile", action="store_true", help="compile updates too, which takes minutes")
    parser.add_argument("--world", help="whose pictures are rendered; by default a small city, which is soon planned")
    parser.add_argument("--json", metavar="FILE", help="write the rows there too")
    asked = parser.parse_args()
    logging.basicConfig(format="%(relativeCreated)8.0f ms  %(message)s", stream=sys.stderr)
    log.setLevel(logging.INFO)  # and nobody else's: numba tells of every byte it frees
    result = pointing(asked.rounds, asked.device, asked.compile, asked.only, asked.world)
    if asked.json:
        write_text(asked.json, "".join(json.dumps(row) + "\n" for row in result.rows))
    print("\n".join(result.remarks))
    print((evaluation_table if EVALUATION in asked.only else table)(result.rows))

"""Answers and heat maps of a network that points: scores in batches on its device, nothing looped over there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.examples import Examples, Floats, point_leg
from bearleft.models.features.computed import Made
from bearleft.models.pointing.network import Batch, PointNetwork
from bearleft.models.pointing.target_maps import answers, modes
from bearleft.models.vocabulary import Vocabulary
from bearleft.records import Direction, Episode, Heat, LegTrace, Trace
from bearleft.version import VERSION
from bearleft.world.slices import Slicing

if TYPE_CHECKING:
    from bearleft.models.features.sources import Features

WIDTH, HEIGHT = 256, 128  # of heat maps
Bytes = npt.NDArray[np.uint8]


class Reads(Protocol):
    """What is needed of a trained network: itself, its words, its cells."""

    @property
    def network(self) -> PointNetwork: ...
    @property
    def vocabulary(self) -> Vocabulary: ...
    @property
    def slicing(self) -> Slicing: ...


@dataclass(frozen=True, eq=False)
class Predicted:
    """Answers in the order of examples: headings from the panorama's yaw, and pitches.

    `heat` is (n, height, width) as bearleft.heatmap has it, each map's largest value 255; None if not asked for.
    """

    ids: tuple[str, ...]
    answers: Floats  # (n, 2)
    seconds: float
    heat: Bytes | None = None

    def heats(self) -> list[Heat | None]:
        """The heat map of each example."""
        if self.heat is None:
            return [None] * len(self.ids)
        height, width = self.heat.shape[1:]
        return [Heat(width, height, one.tobytes()) for one in self.heat]


def predict(
    pointer: Reads,
    examples: Examples,
    features: Features,
    batch: int = 32,
    heat: bool = False,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    precision: str | None = None,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
) -> Predicted:
    """Where a network points in each example, and with `heat` how likely it finds every direction.

    `precision` is "bfloat16" or "float32"; without it the former on CUDA and the latter elsewhere.
    """
    begin = time.perf_counter()
    found = np.zeros((len(examples), 2))
    maps = np.zeros((len(examples) if heat else 0, size[1], size[0]), np.uint8)
    done = 0
    for which, some, drawn in predict_batches(pointer, examples, features, batch, heat, size, precision):
        found[which] = some
        if drawn is not None:
            maps[which] = drawn
        done += len(which)
        tell(done, len(examples))
    return Predicted(examples.ids, found, time.perf_counter() - begin, maps if heat else None)


def predict_batches(
    pointer: Reads,
    examples: Examples,
    features: Features,
    batch: int = 32,
    heat: bool = False,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    precision: str | None = None,
) -> Iterator[tuple[npt.NDArray[np.int64], Floats, Bytes | None]]:
    """Yield the numbers of a batch's examples, their answers and heat maps, batch after batch.

    The device works one batch ahead: while the caller uses a batch, a GPU renders and scores the next.
    """
    if batch < 1:
        raise InputError("a batch of at least one example", str(batch), "batch")
    pending: tuple[npt.NDArray[np.int64], list[Tensor], Any] | None = None
    for which, scores in scored(pointer, examples, features, batch, precision):
        found = [modes(scores), *([heat_maps(scores, pointer.slicing, size)] if heat else [])]
        started = which, *_copied(found)
        if pending is not None:
            yield _fetched(pending, pointer.slicing)
        pending = started
    if pending is not None:
        yield _fetched(pending, pointer.slicing)


def _copied(found: list[Tensor]) -> tuple[list[Tensor], Any]:
    """Start the copy of tensors to the host; the event says when it is over."""
    if found[0].device.type != "cuda":
        return found, None
    host = [torch.empty(one.shape, dtype=one.dtype, pin_memory=True) for one in found]
    for there, here in zip(host, found, strict=True):
        there.copy_(here, non_blocking=True)
    return host, torch.cuda.current_stream(found[0].device).record_event()


def _fetched(
    pending: tuple[npt.NDArray[np.int64], list[Tensor], Any], slicing: Slicing
) -> tuple[npt.NDArray[np.int64], Floats, Bytes | None]:
    which, (cells, *maps), copied = pending
    if copied is not None:
        copied.synchronize()
    return which, answers(cells, slicing), maps[0].numpy() if maps else None


@torch.inference_mode()
def scored(
    pointer: Reads, examples: Examples, features: Features, batch: int = 32, precision: str | None = None
) -> Iterator[tuple[npt.NDArray[np.int64], Tensor]]:
    """Batch after batch the numbers of its examples and their scores (b, rows, columns), in single precision.

    Examples of one panorama come together, and its features are asked for once in a batch.
    """
    network = pointer.network
    device = next(network.parameters()).device
    words, lengths = pointer.vocabulary.rows(examples.texts)
    numbers = np.asarray(features.numbers(examples))
    order = np.argsort(numbers, kind="stable")
    trains = network.training
    network.eval()
    groups = [order[begin : begin + batch] for begin in range(0, len(order), batch)]
    shown = [torch.from_numpy(np.unique(numbers[which])) for which in groups]  # numbers of pictures stay on the CPU
    try:
        for k, which in enumerate(groups):
            pictures, again = np.unique(numbers[which], return_inverse=True)
            seen = features(shown[k])
            if isinstance(features, Made) and k + 1 < len(shown):
                features.begin(shown[k + 1])
            if len(pictures) < len(which):
                seen = seen[torch.from_numpy(again.reshape(-1)).to(device)]
            long = int(lengths[which].max())
            read = torch.from_numpy(words[which, :long]).to(device)
            told = torch.from_numpy(lengths[which]).to(device)
            half = _half(device, precision)
            with torch.autocast(device.type, torch.bfloat16) if half else _plain():
                scores = network(Batch(seen if half else seen.float(), read, told))
            yield which, scores.float()
    finally:
        network.train(trains)


def _plain() -> AbstractContextManager[None]:
    return nullcontext()


def _half(device: torch.device, precision: str | None) -> bool:
    if precision not in (None, "bfloat16", "float32"):
        raise InputError("a precision: bfloat16 or float32", str(precision), "precision")
    return (precision or ("bfloat16" if device.type == "cuda" else "float32")) == "bfloat16"


def _finest(slicing: Slicing) -> float:
    """Degrees across or down the smallest cell, which is at a slice's edge."""
    across, _ = slicing.directions(slicing.rows / 2, np.arange(slicing.across))
    _, down = slicing.directions(np.arange(slicing.rows + 1), slicing.across / 2)
    return float(min(np.diff(across).min(), -np.diff(down).max()))


@lru_cache(maxsize=8)
def looks(slicing: Slicing, width: int, height: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pixels of heat maps that show slices, and the cells (pixels, looks) that each looks into.

    Looks lie so close that no cell is passed over; one that leaves the slices takes the pixel's first that does not.
    """
    each = int(np.ceil(max(360.0 / width, 180.0 / height) / _finest(slicing)))
    step = (np.arange(each) + 0.5) / each
    x, y, dx, dy = np.meshgrid(np.arange(width), np.arange(height), step, step, indexing="ij")
    heading, pitch = (x + dx) / width * 360.0 - 180.0, 90.0 - (y + dy) / height * 180.0
    inside = slicing.inside(heading, pitch).reshape(width * height, -1)
    row, column = (np.floor(one).astype(np.int64).reshape(width * height, -1) for one in slicing.cells(heading, pitch))
    number = row * slicing.columns + np.clip(column, 0, slicing.columns - 1)
    pixel = (y * width + x).astype(np.int64).reshape(width * height, -1)[:, 0]
    some = inside.any(axis=1)
    first = number[np.arange(len(number)), inside.argmax(axis=1)]
    cells: npt.NDArray[np.int64] = np.where(inside, number, first[:, None])
    return pixel[some], cells[some]


@lru_cache(maxsize=8)
def _looks_on(device: torch.device, slicing: Slicing, width: int, height: int) -> tuple[Tensor, Tensor]:
    pixels, cells = looks(slicing, width, height)
    return torch.from_numpy(pixels).to(device), torch.from_numpy(cells).to(device)


def heat_maps(scores: Tensor, slicing: Slicing, size: tuple[int, int] = (WIDTH, HEIGHT)) -> Tensor:
    """Scores (b, rows, columns) as heat maps (b, height, width) of bytes.

    A pixel has the highest probability of the cells it shows; each map is scaled so that its largest value is 255.
    """
    width, height = size
    pixels, cells = _looks_on(scores.device, slicing, width, height)
    flat = scores.flatten(1).float()
    flat = torch.exp(flat - flat.amax(1, keepdim=True))  # the softmax, but for a factor
    shown = flat[:, cells.reshape(-1)].reshape(len(flat), *cells.shape).amax(2)
    shown = shown / shown.amax(1, keepdim=True)
    maps = torch.zeros(len(flat), width * height, dtype=torch.uint8, device=scores.device)
    maps[:, pixels] = (255 * shown).round().to(torch.uint8)
    return maps.reshape(len(flat), height, width)


def traces(
    predicted: Predicted, examples: Examples, episodes: Sequence[Episode], agent: str, seed: int = 0, sha256: str = ""
) -> list[Trace]:
    """Answers as traces of episodes that point once, the same as an agent that plays them would leave."""
    told = dict(
        zip(predicted.ids, zip(examples.directions(predicted.answers), predicted.heats(), strict=True), strict=True)
    )
    return [Trace(one.id, one.dataset, agent, (_leg(one, *told[one.id]),), seed, sha256, VERSION) for one in episodes]


def _leg(episode: Episode, answer: Direction, heat: Heat | None) -> LegTrace:
    point_leg(episode)
    if len(episode.legs) > 1 or episode.legs[0].sentences:
        hint = "bearleft eval CHECKPOINT plays these."
        raise InputError("an episode of one leg, told at once", episode.id, hint=hint)
    path = (episode.start.place,) if episode.start.place is not None else ()
    return LegTrace(("point",), path, (), answer, heat)

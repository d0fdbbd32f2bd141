"""Predictions and heat maps of pointing networks, computed in batches on the network's device."""

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
from bearleft.models.examples import Examples, point_leg
from bearleft.models.features.computed import ComputedFeatures
from bearleft.models.pointing.network import Batch, PointNetwork
from bearleft.models.pointing.target_maps import argmax_cells, cell_directions
from bearleft.models.vocabulary import Vocabulary
from bearleft.records import Direction, Episode, Heatmap, LegTrace, Trace
from bearleft.version import VERSION
from bearleft.world.slices import Slicing

if TYPE_CHECKING:
    from bearleft.models.features.base import Features
    from bearleft.types import Floats

WIDTH, HEIGHT = 256, 128  # of heat maps
Bytes = npt.NDArray[np.uint8]
Indices = npt.NDArray[np.int64]
Pending = tuple[Indices, list[Tensor], Any]  # indices of examples, tensors on the host, the event after their copy


class PointModel(Protocol):
    """A trained network with its vocabulary and slicing, such as a `PointCheckpoint`."""

    @property
    def network(self) -> PointNetwork:
        """Return the network."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary of its texts."""

    @property
    def slicing(self) -> Slicing:
        """Return the slicing of its feature maps."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predicted directions in the order of examples: headings relative to the panorama's yaw, and pitches.

    `heatmaps` is (n, height, width) as in `bearleft.records.Heatmap`, each map's largest value 255; or None.
    """

    ids: tuple[str, ...]
    answers: Floats  # (n, 2)
    seconds: float
    heatmaps: Bytes | None = None

    def to_heats(self) -> list[Heatmap | None]:
        """Return the heat map of each example."""
        if self.heatmaps is None:
            return [None] * len(self.ids)
        height, width = self.heatmaps.shape[1:]
        return [Heatmap(width, height, heatmap.tobytes()) for heatmap in self.heatmaps]


def predict(
    model: PointModel,
    examples: Examples,
    features: Features,
    batch_size: int = 32,
    heatmaps: bool = False,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    precision: str | None = None,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Predictions:
    """Return where a network points in each example.

    Args:
        model: The trained network with its vocabulary and slicing, such as a `PointCheckpoint`.
        examples: The examples.
        features: Features of the examples' panoramas.
        batch_size: Examples per batch.
        heatmaps: Whether to return heat maps too.
        size: Width and height of heat maps.
        precision: "bfloat16" or "float32"; by default the former on CUDA and the latter elsewhere.
        progress: Called with the number of examples done and their total.

    Raises:
        InputError: The batch size or precision is invalid, or a panorama has no features.
    """
    begin = time.perf_counter()
    answers = np.zeros((len(examples), 2))
    maps = np.zeros((len(examples) if heatmaps else 0, size[1], size[0]), np.uint8)
    done = 0
    batches = predict_batches(model, examples, features, batch_size, heatmaps, size, precision)
    for indices, batch_answers, batch_maps in batches:
        answers[indices] = batch_answers
        if batch_maps is not None:
            maps[indices] = batch_maps
        done += len(indices)
        progress(done, len(examples))
    return Predictions(examples.ids, answers, time.perf_counter() - begin, maps if heatmaps else None)


def predict_batches(
    model: PointModel,
    examples: Examples,
    features: Features,
    batch_size: int = 32,
    heatmaps: bool = False,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    precision: str | None = None,
) -> Iterator[tuple[Indices, Floats, Bytes | None]]:
    """Yield the indices of a batch's examples, their answers and heat maps, batch after batch.

    The device works one batch ahead: while the caller uses a batch, a GPU renders and scores the next.
    """
    if batch_size < 1:
        raise InputError("a batch of at least one example", str(batch_size), "batch_size")
    pending: Pending | None = None
    for indices, scores in score_batches(model, examples, features, batch_size, precision):
        outputs = [argmax_cells(scores), *([render_heatmaps(scores, model.slicing, size)] if heatmaps else [])]
        started = indices, *_start_copy(outputs)
        if pending is not None:
            yield _finish_copy(pending, model.slicing)
        pending = started
    if pending is not None:
        yield _finish_copy(pending, model.slicing)


def _start_copy(tensors: list[Tensor]) -> tuple[list[Tensor], Any]:
    """Start the copy of tensors to the host; return them with the event that follows it."""
    if tensors[0].device.type != "cuda":
        return tensors, None
    host = [torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True) for tensor in tensors]
    for target, source in zip(host, tensors, strict=True):
        target.copy_(source, non_blocking=True)
    return host, torch.cuda.current_stream(tensors[0].device).record_event()


def _finish_copy(pending: Pending, slicing: Slicing) -> tuple[Indices, Floats, Bytes | None]:
    indices, (cells, *maps), copied = pending
    if copied is not None:
        copied.synchronize()
    return indices, cell_directions(cells, slicing), maps[0].numpy() if maps else None


@torch.inference_mode()
def score_batches(
    model: PointModel, examples: Examples, features: Features, batch_size: int = 32, precision: str | None = None
) -> Iterator[tuple[Indices, Tensor]]:
    """Yield the indices of a batch's examples and their scores (b, rows, columns), in single precision.

    Examples of one panorama come together, and its features are computed once in a batch.
    """
    network = model.network
    device = next(network.parameters()).device
    words, lengths = model.vocabulary.encode_batch(examples.texts)
    panorama_indices = np.asarray(features.indices(examples))
    order = np.argsort(panorama_indices, kind="stable")
    was_training = network.training
    network.eval()
    batches = [order[begin : begin + batch_size] for begin in range(0, len(order), batch_size)]
    # Indices of panoramas stay on the CPU.
    batch_panoramas = [torch.from_numpy(np.unique(panorama_indices[indices])) for indices in batches]
    try:
        for k, indices in enumerate(batches):
            panoramas, inverse = np.unique(panorama_indices[indices], return_inverse=True)
            maps = features(batch_panoramas[k])
            if isinstance(features, ComputedFeatures) and k + 1 < len(batch_panoramas):
                features.prefetch(batch_panoramas[k + 1])
            if len(panoramas) < len(indices):
                maps = maps[torch.from_numpy(inverse.reshape(-1)).to(device)]
            max_length = int(lengths[indices].max())
            batch_words = torch.from_numpy(words[indices, :max_length]).to(device)
            batch_lengths = torch.from_numpy(lengths[indices]).to(device)
            half = _uses_bfloat16(device, precision)
            with torch.autocast(device.type, torch.bfloat16) if half else _no_autocast():
                scores = network(Batch(maps if half else maps.float(), batch_words, batch_lengths))
            yield indices, scores.float()
    finally:
        network.train(was_training)


def _no_autocast() -> AbstractContextManager[None]:
    return nullcontext()


def _uses_bfloat16(device: torch.device, precision: str | None) -> bool:
    if precision not in (None, "bfloat16", "float32"):
        raise InputError("a precision: bfloat16 or float32", str(precision), "precision")
    return (precision or ("bfloat16" if device.type == "cuda" else "float32")) == "bfloat16"


def _smallest_cell(slicing: Slicing) -> float:
    """Return the degrees across or down the smallest cell, which is at a slice's edge."""
    across, _ = slicing.to_directions(slicing.rows / 2, np.arange(slicing.slice_columns))
    _, down = slicing.to_directions(np.arange(slicing.rows + 1), slicing.slice_columns / 2)
    return float(min(np.diff(across).min(), -np.diff(down).max()))


@lru_cache(maxsize=8)
def heatmap_cells(slicing: Slicing, width: int, height: int) -> tuple[Indices, Indices]:
    """Return the pixels of heat maps that lie in slices, and the cells (pixels, samples) that each covers.

    Samples lie so close that no cell is skipped; one outside the slices repeats the pixel's first inside them.
    """
    samples = int(np.ceil(max(360.0 / width, 180.0 / height) / _smallest_cell(slicing)))
    offset = (np.arange(samples) + 0.5) / samples
    x, y, dx, dy = np.meshgrid(np.arange(width), np.arange(height), offset, offset, indexing="ij")
    heading, pitch = (x + dx) / width * 360.0 - 180.0, 90.0 - (y + dy) / height * 180.0
    inside = slicing.has_cell(heading, pitch).reshape(width * height, -1)
    row, column = (
        np.floor(coordinate).astype(np.int64).reshape(width * height, -1)
        for coordinate in slicing.to_cells(heading, pitch)
    )
    index = row * slicing.columns + np.clip(column, 0, slicing.columns - 1)
    pixel = (y * width + x).astype(np.int64).reshape(width * height, -1)[:, 0]
    covered = inside.any(axis=1)
    first = index[np.arange(len(index)), inside.argmax(axis=1)]
    cells: Indices = np.where(inside, index, first[:, None])
    return pixel[covered], cells[covered]


@lru_cache(maxsize=8)
def _heatmap_cells_on(device: torch.device, slicing: Slicing, width: int, height: int) -> tuple[Tensor, Tensor]:
    pixels, cells = heatmap_cells(slicing, width, height)
    return torch.from_numpy(pixels).to(device), torch.from_numpy(cells).to(device)


def render_heatmaps(scores: Tensor, slicing: Slicing, size: tuple[int, int] = (WIDTH, HEIGHT)) -> Tensor:
    """Return scores (b, rows, columns) as heat maps (b, height, width) of bytes.

    A pixel has the highest probability of the cells it covers; each map is scaled so that its largest value is 255.
    """
    width, height = size
    pixels, cells = _heatmap_cells_on(scores.device, slicing, width, height)
    flat = scores.flatten(1).float()
    flat = torch.exp(flat - flat.amax(1, keepdim=True))  # the softmax, but for a factor
    values = flat[:, cells.reshape(-1)].reshape(len(flat), *cells.shape).amax(2)
    values = values / values.amax(1, keepdim=True)
    maps = torch.zeros(len(flat), width * height, dtype=torch.uint8, device=scores.device)
    maps[:, pixels] = (255 * values).round().to(torch.uint8)
    return maps.reshape(len(flat), height, width)


def to_traces(
    predictions: Predictions,
    examples: Examples,
    episodes: Sequence[Episode],
    agent: str,
    seed: int = 0,
    sha256: str = "",
) -> list[Trace]:
    """Return predictions as traces of episodes that point once, equal to those of an agent that plays them."""
    directions = examples.to_directions(predictions.answers)
    by_id = dict(zip(predictions.ids, zip(directions, predictions.to_heats(), strict=True), strict=True))
    return [
        Trace(episode.id, episode.dataset, agent, (_leg_trace(episode, *by_id[episode.id]),), seed, sha256, VERSION)
        for episode in episodes
    ]


def _leg_trace(episode: Episode, answer: Direction, heat: Heatmap | None) -> LegTrace:
    point_leg(episode)
    if len(episode.legs) > 1 or episode.legs[0].sentences:
        hint = "bearleft eval CHECKPOINT plays these."
        raise InputError("an episode of one leg with its text given at once", episode.id, hint=hint)
    path = (episode.start.place,) if episode.start.place is not None else ()
    return LegTrace(("point",), path, (), answer, heat)

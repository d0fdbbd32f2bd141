"""Examples as tensors on one device, from which batches are gathered, and the split into training and validation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.examples import Examples
from bearleft.models.features.cached import CachedFeatures
from bearleft.models.features.computed import ComputedFeatures
from bearleft.models.pointing.network import Batch
from bearleft.models.vocabulary import Vocabulary

if TYPE_CHECKING:
    from bearleft.models.features.base import Features

Indices = npt.NDArray[np.int64]
LENGTH_STEP = 16  # words: lengths of batches are rounded up to a multiple, so that compiled code sees few of them


@dataclass(frozen=True, eq=False)
class ExampleTable:
    """Row k of every tensor is example k; feature maps come from `features` on demand."""

    features: Features
    panorama_indices: Tensor  # (n,) of the features, where those read them: moving them would synchronize with the GPU
    words: Tensor  # (n, max length)
    lengths: Tensor  # (n,)
    host_lengths: Tensor  # the lengths on the CPU: reading them from a GPU would synchronize with it
    targets: Tensor  # (n, 2) cells with fractions
    dtype: torch.dtype

    def __len__(self) -> int:
        return len(self.host_lengths)

    def max_length(self, host_indices: Tensor) -> int:
        """Return the number of words of the longest of some texts, rounded up."""
        longest = int(self.host_lengths[host_indices].max())
        return min(-(-longest // LENGTH_STEP) * LENGTH_STEP, self.words.shape[1])

    def batch(self, host_indices: Tensor, device_indices: Tensor) -> Batch:
        """Return some examples; the same indices are given on the CPU and on the table's device."""
        on_cpu = self.panorama_indices.device.type == "cpu"
        return self.gather(host_indices if on_cpu else device_indices, device_indices, self.max_length(host_indices))

    def prefetch(self, host_indices: Tensor) -> None:
        """Start to compute the features of the next batch."""
        if isinstance(self.features, ComputedFeatures) and len(host_indices):
            self.features.prefetch(self.panorama_indices[host_indices])

    def gather(self, lookup_indices: Tensor, device_indices: Tensor, max_length: int) -> Batch:
        """Return some examples, with `max_length` words each.

        `lookup_indices` lie on the device of `panorama_indices`; `device_indices` are the same, on the table's device.
        """
        maps = self.features(self.panorama_indices[lookup_indices]).to(self.dtype)
        return Batch(maps, self.words[device_indices, :max_length], self.lengths[device_indices])


def build_table(
    examples: Examples, vocabulary: Vocabulary, features: Features, device: torch.device, dtype: torch.dtype
) -> ExampleTable:
    """Return examples on a device.

    Raises:
        InputError: The features lack a panorama.
    """
    words, lengths = vocabulary.encode_batch(examples.texts)
    cells, _ = examples.target_cells(features.slicing)
    host_lengths = torch.from_numpy(lengths)
    indices = torch.from_numpy(np.asarray(features.indices(examples), np.int64))
    return ExampleTable(
        features,
        indices.to(device) if isinstance(features, CachedFeatures) else indices,  # others read them on the CPU
        torch.from_numpy(words).to(device),
        host_lengths.to(device),
        host_lengths,
        torch.from_numpy(cells.astype(np.float32)).to(device),
        dtype,
    )


def split(texts: Sequence[str], share: float, seed: int, released: bool = False) -> tuple[Indices, Indices]:
    """Return the indices of examples for training and for validation.

    Texts are drawn until their examples are enough; examples with the same text stay together, since a text seen in
    training would give the answer away. With `released`, the first examples of the file are the validation split, as in
    the released code.
    """
    count, validation_count = len(texts), round(len(texts) * share)
    if released:
        is_validation = np.arange(count) < validation_count
    else:
        text_ids: dict[str, int] = {}
        text_of = np.array([text_ids.setdefault(text, len(text_ids)) for text in texts], np.int64)
        drawn = np.random.default_rng([seed, 7]).permutation(len(text_ids))
        total = np.cumsum(np.bincount(text_of, minlength=len(text_ids))[drawn])
        is_validation = np.isin(text_of, drawn[: np.searchsorted(total, validation_count) + 1])
    if validation_count < 1 or is_validation.all():
        got = f"{count} examples of {len(set(texts))} texts, of which {validation_count} would be for validation"
        raise InputError("enough examples to train on and for validation", got)
    return np.flatnonzero(~is_validation), np.flatnonzero(is_validation)


def epoch_order(count: int, seed: int, epoch: int, size: int | None = None) -> Tensor:
    """Return the example indices of an epoch: all, or `size`.

    Epochs go through all examples, each pass in another order.
    """
    size = size or count
    positions = np.arange(epoch * size, (epoch + 1) * size)
    passes = {
        int(k): np.random.default_rng([seed, 11, int(k)]).permutation(count) for k in np.unique(positions // count)
    }
    return torch.from_numpy(np.concatenate([passes[k][positions[positions // count == k] % count] for k in passes]))


def fingerprint(examples: Examples) -> str:
    """Return a hash of everything that training reads of examples but the pictures."""
    values = [examples.ids, examples.texts, [asdict(panorama) for panorama in examples.panoramas]]
    digest = hashlib.sha256(json.dumps(values).encode())
    digest.update(np.ascontiguousarray(examples.panorama_indices).tobytes())
    digest.update(np.ascontiguousarray(examples.targets).tobytes())
    return digest.hexdigest()


def shuffle_texts(examples: Examples, seed: int) -> Examples:
    """Return the same panoramas and targets with randomly permuted texts."""
    order = np.random.default_rng([seed, 13]).permutation(len(examples))
    return examples.with_texts([examples.texts[k] for k in order])

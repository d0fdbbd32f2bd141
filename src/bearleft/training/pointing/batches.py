"""Examples as tensors on one device, from which a batch is gathered, and which of them are held back for tuning."""

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
from bearleft.models.features.cached import Kept
from bearleft.models.features.computed import Made
from bearleft.models.pointing.network import Batch
from bearleft.models.vocabulary import Vocabulary

if TYPE_CHECKING:
    from bearleft.models.features.base import Features

Numbers = npt.NDArray[np.int64]
STEP = 16  # words: lengths of batches are rounded up to this, so that compiled code meets few of them


@dataclass(frozen=True, eq=False)
class Table:
    """Row k of every tensor is example k; pictures come from `features` when they are asked for."""

    features: Features
    pictures: Tensor  # (n,) numbers of the features' panoramas, where they are read: moving them would wait for the GPU
    words: Tensor  # (n, longest)
    lengths: Tensor  # (n,)
    sizes: Tensor  # the lengths once more, never on a GPU: reading them there would wait for it
    targets: Tensor  # (n, 2) cells with fractions
    dtype: torch.dtype

    def __len__(self) -> int:
        return len(self.sizes)

    def longest(self, here: Tensor) -> int:
        """How many words the longest of some texts has, rounded up."""
        return min(-(-int(self.sizes[here].max()) // STEP) * STEP, self.words.shape[1])

    def batch(self, here: Tensor, there: Tensor) -> Batch:
        """Some examples; the same row numbers on the CPU and on the table's device."""
        return self.gathered(here if self.pictures.device.type == "cpu" else there, there, self.longest(here))

    def begin(self, here: Tensor) -> None:
        """Says which examples are asked for next, so that pictures that have to be made are made meanwhile."""
        if isinstance(self.features, Made) and len(here):
            self.features.begin(self.pictures[here])

    def gathered(self, pictures: Tensor, there: Tensor, longest: int) -> Batch:
        """Examples of some rows, which `pictures` names where pictures' numbers lie, `longest` words of each."""
        cells = self.features(self.pictures[pictures]).to(self.dtype)
        return Batch(cells, self.words[there, :longest], self.lengths[there])


def table(
    examples: Examples, vocabulary: Vocabulary, features: Features, device: torch.device, dtype: torch.dtype
) -> Table:
    """Examples on a device; an error where features lack one of their panoramas."""
    words, lengths = vocabulary.rows(examples.texts)
    cells, _ = examples.cells(features.slicing)
    sizes = torch.from_numpy(lengths)
    numbers = torch.from_numpy(np.asarray(features.numbers(examples), np.int64))
    return Table(
        features,
        numbers.to(device) if isinstance(features, Kept) else numbers,  # what is made or read begins on the CPU
        torch.from_numpy(words).to(device),
        sizes.to(device),
        sizes,
        torch.from_numpy(cells.astype(np.float32)).to(device),
        dtype,
    )


def split(texts: Sequence[str], share: float, seed: int, released: bool = False) -> tuple[Numbers, Numbers]:
    """Which examples train and which tune: texts drawn by seed until their examples are enough, or the first examples.

    Who had read a text could point by it elsewhere, so the panoramas of one text stay together. The released code
    takes the first examples of the file.
    """
    count, expected = len(texts), round(len(texts) * share)
    if released:
        tunes = np.arange(count) < expected
    else:
        known: dict[str, int] = {}
        of = np.array([known.setdefault(text, len(known)) for text in texts], np.int64)
        drawn = np.random.default_rng([seed, 7]).permutation(len(known))
        many = np.cumsum(np.bincount(of, minlength=len(known))[drawn])
        tunes = np.isin(of, drawn[: np.searchsorted(many, expected) + 1])
    if expected < 1 or tunes.all():
        got = f"{count} examples of {len(set(texts))} texts, of which {expected} examples would tune"
        raise InputError("enough examples to train on and to tune by", got)
    return np.flatnonzero(~tunes), np.flatnonzero(tunes)


def order(count: int, seed: int, epoch: int, size: int | None = None) -> Tensor:
    """The examples of an epoch, all or `size`: epochs go through all in turn, each time in another order."""
    size = size or count
    asked = np.arange(epoch * size, (epoch + 1) * size)
    passes = {int(k): np.random.default_rng([seed, 11, int(k)]).permutation(count) for k in np.unique(asked // count)}
    return torch.from_numpy(np.concatenate([passes[k][asked[asked // count == k] % count] for k in passes]))


def fingerprint(examples: Examples) -> str:
    """A hash of all that training sees of examples but the pictures."""
    told = [examples.ids, examples.texts, [asdict(one) for one in examples.panoramas]]
    found = hashlib.sha256(json.dumps(told).encode())
    found.update(np.ascontiguousarray(examples.pictures).tobytes())
    found.update(np.ascontiguousarray(examples.targets).tobytes())
    return found.hexdigest()


def shuffled(examples: Examples, seed: int) -> Examples:
    """The same pictures and targets, each asked by a text of another or, by chance, its own."""
    dealt = np.random.default_rng([seed, 13]).permutation(len(examples))
    return examples.with_texts([examples.texts[k] for k in dealt])

"""Which walks an epoch learns from, in which order and in which batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.errors import InputError
from bearleft.models.walking.examples import LENGTH_STEP, NO_LABEL, WalkExamples
from bearleft.training.walking.config import WalkTrainConfig

if TYPE_CHECKING:
    from bearleft.training.reinforcement.config import ReinforceConfig

BUCKET_BATCHES, TEXT_GROUPS = 32, 5  # batches whose walks are sorted by length, after a division by length of text
STEP_MULTIPLE = 8  # steps of a batch are rounded up to a multiple


def shuffle_texts(walks: WalkExamples, seed: int) -> WalkExamples:
    """Return the same walks with texts permuted among them."""
    order = np.random.default_rng([seed, 4]).permutation(len(walks))
    return walks.with_texts([walks.texts[k] for k in order])


def epoch_order(count: int, seed: int, epoch: int, size: int) -> Tensor:
    """Return the indices of an epoch's walks: a permutation, repeated or cut to `size`."""
    rng = np.random.default_rng([seed, 3, epoch])
    rounds = [rng.permutation(count) for _ in range(-(-size // count))]
    return torch.from_numpy(np.concatenate(rounds)[:size])


def split_validation(
    count: int, config: WalkTrainConfig | ReinforceConfig
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the indices of the walks to train on and of those that are held out."""
    held_out = min(config.max_validation, max(1, round(config.validation_share * count)))
    if held_out >= count:
        raise InputError("at least two walks", str(count), hint="Raise --limit, or name a larger dataset.")
    order = np.random.default_rng([config.seed, 1]).permutation(count)
    return np.sort(order[held_out:]), np.sort(order[:held_out])


def bucket_by_length(
    texts: npt.NDArray[np.int64], walks: npt.NDArray[np.int64], batch_size: int, rng: np.random.Generator
) -> Tensor:
    """Return an order in which batches have texts and walks of similar lengths, so that little is padded.

    Consecutive examples, as many as BUCKET_BATCHES batches, are divided into TEXT_GROUPS by their text and then sorted
    by their walk; the batches that they are cut into are shuffled. Lengths that are padded to the same stay in their
    order, so that batches are as diverse as possible.

    Args:
        texts: Numbers of tokens (n,).
        walks: Numbers of steps (n,).
        batch_size: Examples of a batch; the last one may have fewer, and stays the last.
        rng: The generator of the shuffle.
    """
    out = []
    for begin in range(0, len(texts), BUCKET_BATCHES * batch_size):
        end = min(begin + BUCKET_BATCHES * batch_size, len(texts))
        by_text = begin + np.argsort(-(-texts[begin:end] // LENGTH_STEP), kind="stable")
        groups = [
            group[np.argsort(-(-walks[group] // STEP_MULTIPLE), kind="stable")]
            for group in np.array_split(by_text, TEXT_GROUPS)
        ]
        indices = np.concatenate(groups)
        whole = (end - begin) // batch_size * batch_size
        if (indices != np.arange(begin, end)).any():
            indices[:whole] = rng.permutation(indices[:whole].reshape(-1, batch_size)).reshape(-1)
        out.append(indices)
    return torch.from_numpy(np.concatenate(out))


def walk_lengths(labels: Tensor) -> Tensor:
    """Return the number of steps of walks from their actions (n, t), on the CPU."""
    steps = torch.arange(1, labels.shape[1] + 1, device=labels.device)
    return torch.where(labels != NO_LABEL, steps, 0).amax(1).cpu()

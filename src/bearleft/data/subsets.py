"""Fixed subsets of a dataset by name: `touchdown/dev@100`, or with another seed `touchdown/dev@100:7`.

A subset holds the episodes whose ids have the smallest hashes with the seed. It depends on nothing but the ids, a
smaller subset of the same seed is part of a larger one, and its SHA-256 is that of its episodes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bearleft.data.dataset import Dataset
from bearleft.errors import InputError
from bearleft.records import Episode

_SUFFIX = re.compile(r"(.+)@([0-9]{1,9})(?::([0-9]{1,18}))?")


@dataclass(frozen=True)
class Subset:
    """A dataset's name, the number of episodes, and the seed that chooses them."""

    dataset: str
    count: int
    seed: int

    @property
    def name(self) -> str:
        """The name of the subset; the seed 0 is left out."""
        return f"{self.dataset}@{self.count}{f':{self.seed}' if self.seed else ''}"


def parse_subset(name: str) -> Subset | None:
    """Return the subset that a name stands for; None for the name of a whole dataset."""
    match = _SUFFIX.fullmatch(name)
    return None if match is None else Subset(match[1], int(match[2]), int(match[3] or 0))


def choose(ids: list[str], count: int, seed: int = 0) -> set[str]:
    """Return the ids of a subset."""
    return set(sorted(ids, key=lambda name: hashlib.sha256(f"{seed}/{name}".encode()).digest())[:count])


def subset_of(whole: Dataset, subset: Subset) -> Dataset:
    """Return a subset of a dataset.

    Raises:
        InputError: When it is read: the dataset has fewer episodes, or none are asked for.
    """

    def read(part: Dataset) -> Iterator[Episode]:
        episodes = list(whole)
        if not 1 <= subset.count <= len(episodes):
            raise InputError(f"a subset of 1 to {len(episodes)} episodes of {subset.dataset}", str(subset.count))
        chosen = choose([episode.id for episode in episodes], subset.count, subset.seed)
        part.skipped, part.notes, part.errors = whole.skipped, whole.notes, whole.errors
        part.facts = whole.facts
        yield from (episode for episode in episodes if episode.id in chosen)

    return Dataset(subset.name, read, None, whole.data, whole.strict)

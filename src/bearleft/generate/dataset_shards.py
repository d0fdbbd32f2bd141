"""Generated datasets in shards, for several machines: each generates up to 50 examples of a split.

How many shards a split needs depends on how many of its specs become examples. It is estimated from the finished
shards; joining computes the few that are missing at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bearleft.generate.datasets import PAIRS, PARTS, DatasetPlan, make_dataset, plan_dataset
from bearleft.generate.shards import (
    ExampleSpec,
    Shard,
    make_shards,
    open_worker,
    read_shard,
    write_shard,
)
from bearleft.runtime.shards import CLAIM_LOCK, STATE_FOLDER, JobResult, ShardedJob, shard_number
from bearleft.runtime.store import file_lock
from bearleft.types import DataFolder, Progress

if TYPE_CHECKING:
    from bearleft.generate import shards

MAX_SDR_EXAMPLES = 3  # panoramas of a text of city/sdr


@dataclass
class _Split:
    """The shards of a split as far as they are known."""

    size: int
    most: int  # examples of a spec
    specs: Iterator[Shard]
    shards: list[Shard] = field(default_factory=list)
    examples: dict[int, int] = field(default_factory=dict)  # of finished shards
    ended: bool = False  # no more specs

    def extend(self, count: int) -> None:
        """Make the names of the first `count` shards known."""
        while len(self.shards) < count and not self.ended:
            shard = next(self.specs, None)
            if shard is None:
                self.ended = True
            else:
                self.shards.append(shard)

    def missing(self, count: int) -> list[int]:
        """Return which of the first `count` shards are not finished."""
        self.extend(count)
        for k, shard in enumerate(self.shards[:count]):
            if k not in self.examples and shard.path.exists() and (results := read_shard(shard)) is not None:
                self.examples[k] = sum(result.examples for result in results)
        return [k for k in range(min(count, len(self.shards))) if k not in self.examples]

    def least(self) -> int:
        """Return how many shards the split needs at least."""
        self.extend(1)
        return -(-self.size // (self.most * len(self.shards[0].specs))) if self.shards else 0

    def estimate(self) -> int:
        """Return how many shards the split needs, by what the finished ones hold."""
        count = self.least()
        self.missing(max(count, len(self.shards)))
        if not self.examples:
            return count
        per_shard = max(1, sum(self.examples.values()) // len(self.examples))
        count = max(count, -(-self.size // per_shard))
        finished = 0
        for k in range(len(self.shards)):
            if k not in self.examples:
                return count
            finished += self.examples[k]
            if finished >= self.size:
                return k + 1
        if len(self.shards) >= count:  # all are finished, and hold too few
            count = len(self.shards) + -(-(self.size - finished) // per_shard)
        return count


class DatasetShards(ShardedJob):
    """Splits of a generated dataset, in shards of up to 50 specs.

    Args:
        out: The data folder.
        options: Arguments of `make_dataset`, without pictures.
    """

    label = "examples, in shards"

    def __init__(self, out: str, dataset: str, splits: Iterable[str] = (), data: DataFolder = None, **options: object):
        self.arguments = {"dataset": dataset, "splits": tuple(splits), "data": data, "out": out, **options}
        self.plan: DatasetPlan = plan_dataset(**self.arguments)  # type: ignore[arg-type]
        with file_lock(Path(out) / STATE_FOLDER / CLAIM_LOCK):
            self.plan.folder.mkdir(parents=True, exist_ok=True)
            self.manifest = self.plan.open_run().manifest
        missing = {} if self.plan.dataset == PAIRS else self.plan.missing(self.manifest)
        self.job: shards.Job | None = None
        self.splits: dict[str, _Split] = {}
        if missing:
            self.job, sources = self.plan.sources(missing)
            self.splits = {split: self._split(split, specs, missing[split]) for split, specs in sources.items()}

    def _split(self, split: str, specs: Iterable[ExampleSpec], size: int) -> _Split:
        most = MAX_SDR_EXAMPLES if self.plan.dataset == "city/sdr" else 1
        return _Split(size, most, make_shards(self.plan.folder / PARTS, split, specs, size))

    def pending(self) -> list[str]:
        """Return the unfinished shards among as many as the splits will need by what the finished ones hold."""
        return [
            f"{name}-{k:05d}" for name, split in self._open_splits().items() for k in split.missing(split.estimate())
        ]

    def missing(self) -> list[str]:
        """Return the unfinished shards among as many as the splits need at least."""
        return [f"{name}-{k:05d}" for name, split in self._open_splits().items() for k in split.missing(split.least())]

    def _open_splits(self) -> dict[str, _Split]:
        """Return the splits that another process has not joined since."""
        still = self.plan.missing(self.plan.open_run().manifest) if self.splits else {}
        self.splits = {name: split for name, split in self.splits.items() if name in still}
        return self.splits

    def run(self, shard: str) -> None:
        """Generate the examples of a shard."""
        assert self.job is not None
        open_worker(self.job)
        split = self.splits[shard.rpartition("-")[0]]
        split.extend(shard_number(shard) + 1)
        write_shard(split.shards[shard_number(shard)])

    def folders(self) -> list[Path]:
        """Return the folders of the dataset."""
        return [self.plan.folder, self.plan.folder / PARTS]

    def join(self, progress: Progress | None = None) -> JobResult:
        """Write the splits in the papers' formats."""
        result = make_dataset(**self.arguments, progress=progress)  # type: ignore[arg-type]
        return JobResult("Generated", result.rows, result.notes)

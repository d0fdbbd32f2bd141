"""Scores of very many traces in shards: each holds the values of some megabytes of a file.

Joining writes the values of each metric one after another into a file, and maps it into memory. Means, intervals and
exact tests are then those of one run, in memory that does not grow with the number of traces.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.evaluation.columns import read_lines
from bearleft.evaluation.costs import LANGUAGE_MODEL_PREFIX
from bearleft.evaluation.own_metrics import is_metric_file
from bearleft.evaluation.score import (
    Scores,
    ScoringDataset,
    TraceFile,
    add_metric_rows,
    compute_file_values,
    coverage_notes,
    horizon_field,
    impossible_field,
    metric_intervals,
    open_scoring_dataset,
    repetition_keys,
    resolve_dataset,
    select_metrics,
    trace_dataset,
)
from bearleft.metrics.conventions import is_other_path_metric
from bearleft.metrics.fastdtw import FAST_METRICS
from bearleft.metrics.impossible_walks import MAX_EXPLAINED
from bearleft.metrics.registry import metric_name
from bearleft.metrics.trace_values import (
    MAX_LISTED,
    PAPER,
    MetricValues,
    ScoringConfig,
    ValuesOfMetric,
    add_pairs,
    count_notes,
)
from bearleft.records import Reach
from bearleft.runtime.shards import SCORES, STATE_FOLDER, JobResult, ShardedJob, shard_number
from bearleft.runtime.store import atomic_write, existing_file
from bearleft.types import DataFolder, Progress

SHARD_BYTES = 32 * 2**20  # of the file of traces
MAX_NOTES = 20  # of shards
KEYS_COMPARED = 2**20  # at a time


class ScoreShards(ShardedJob):
    """The scores of one file of traces.

    Args:
        file: The file of traces.
        size: Its size in bytes; shards of another size are of another file.
        convention: The convention.
        metrics: The metrics to report, by name; by default those of the convention.
        data: The folder of real datasets.
        dataset: The dataset, for traces whose goals were hidden.
        seed: The seed of the bootstrap.
        resamples: The number of resamples.
        keep_impossible: Whether impossible walks are scored as they are written.
    """

    label = "traces, in shards"

    def __init__(
        self,
        file: str | os.PathLike[str],
        size: int,
        convention: str = PAPER,
        metrics: Sequence[str] = (),
        data: DataFolder = None,
        dataset: str | None = None,
        seed: int = 0,
        resamples: int = 1000,
        keep_impossible: bool = False,
    ) -> None:
        self.file = existing_file(file, "a file of traces")
        if (found := self.file.stat().st_size) != size:
            raise InputError(f"the file of {size:,} bytes whose shards were begun", f"{found:,} bytes", file=str(file))
        name = trace_dataset(file)
        if name is None or convention == "all" or any(is_metric_file(metric) for metric in metrics):
            expected = "traces of bearleft, one convention and metrics by name, to be scored in shards"
            raise InputError(expected, "others", file=str(file), hint="Score them without --shard and --ray.")
        self.name = name
        self.metrics = [metric_name(name) for name in dict.fromkeys(metrics)]
        others = [metric for metric in self.metrics if is_other_path_metric(metric)]
        fast = any(metric in FAST_METRICS for metric in self.metrics)
        self.config = ScoringConfig(convention, fast, others, keep_impossible)
        self.dataset_name, self.data = resolve_dataset(file, dataset), data
        self.seed, self.resamples = seed, resamples
        self.folder = Path(f"{file}{STATE_FOLDER}")

    @cached_property
    def dataset(self) -> ScoringDataset:
        """The dataset of the traces."""
        return open_scoring_dataset(self.dataset_name, self.data)

    @cached_property
    def names(self) -> list[str]:
        """The names of the shards."""
        return [f"traces-{k:05d}" for k in range(-(-self.file.stat().st_size // SHARD_BYTES))]

    def path(self, shard: str) -> Path:
        """Return the file of a shard."""
        return self.folder / f"{shard}.npz"

    def pending(self) -> list[str]:
        """Return the shards whose file is missing."""
        return [name for name in self.names if not self.path(name).exists()]

    def folders(self) -> list[Path]:
        """Return the folder of the shards."""
        return [self.folder]

    def run(self, shard: str) -> None:
        """Compute the values of the traces that begin in a part of the file."""
        if self.path(shard).exists():
            return
        begin = shard_number(shard) * SHARD_BYTES
        index = self.dataset.index_of(self.name)
        columns = read_lines(self.file, begin, min(begin + SHARD_BYTES, self.file.stat().st_size), index)
        source = TraceFile(str(self.file), self.dataset, columns)
        values = compute_file_values(source, self.config)
        arrays: dict[str, Any] = {}
        texts: dict[str, list[str]] = {}
        for k, (metric, metric_values) in enumerate(values.by_metric.items()):
            arrays[f"values{k}"] = metric_values.numbers
            if metric in values.legs:
                arrays[f"samples{k}"] = np.asarray(metric_values.sample_ids, np.int32)
                arrays[f"worlds{k}"] = self._worlds(values, metric)
            else:
                texts[metric] = [str(sample) for sample in metric_values.sample_ids]
        arrays["played"] = np.unique(columns.episode)
        arrays["keys"] = np.unique(_pack(repetition_keys(columns)))
        about = {
            "metrics": {metric: found.convention for metric, found in values.by_metric.items()},
            "texts": texts,
            "notes": [note for note in values.notes if note not in self._counted(values)],
            "traces": len(columns.episode),
            "impossible": len(values.impossible),
            "explanations": values.explanations[:MAX_EXPLAINED],
            "unanswered": values.unanswered,
            "unknown": columns.unknown[:MAX_LISTED],
            "unknown_count": len(columns.unknown),
            "agents": columns.agents[:MAX_LISTED],
            "horizons": columns.horizons,
        }
        with atomic_write(self.path(shard), "wb") as stream:
            np.savez(stream, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)

    def _counted(self, values: MetricValues) -> list[str]:
        """Return the notes that hold a number, which is added up over all shards."""
        return count_notes(values.explanations, len(values.explanations), values.unanswered, self.config)

    def _worlds(self, values: MetricValues, metric: str) -> npt.NDArray[np.int32]:
        """Return the number of the world of each value: one run scores walks world by world."""
        samples = np.asarray(values.by_metric[metric].sample_ids, np.int64)
        _, legs = values.legs[metric]
        if not len(samples) or not isinstance(self.dataset.episodes[samples[0]].legs[legs[0]].goal, Reach):
            return np.zeros(len(samples), np.int32)
        return self._world_of_episode[samples]

    @cached_property
    def _world_of_episode(self) -> npt.NDArray[np.int32]:
        numbers = {name: number for number, name in enumerate(self.dataset.graphs)}
        return np.array([numbers.get(episode.world, 0) for episode in self.dataset.episodes], np.int32)

    def _shards(self) -> Iterator[tuple[dict[str, Any], Mapping[str, npt.NDArray[Any]]]]:
        """Yield what each shard says and its arrays, which are read on demand."""
        for name in self.names:
            try:
                with open(self.path(name), "rb") as stream, np.load(stream, allow_pickle=False) as arrays:
                    yield json.loads(arrays["about"].tobytes()), arrays
            except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile) as error:
                hint = "Delete this file and run the same command again."
                got = format_value(str(error))
                raise InputError("a shard of scores", got, file=str(self.path(name)), hint=hint) from None

    def join(self, progress: Progress | None = None) -> JobResult:
        """Return the rows of scores, and remove the shards."""
        scores = self.scores(progress)
        for name in self.names:
            self.path(name).unlink(missing_ok=True)
        return JobResult(SCORES, scores.rows, scores.notes)

    def scores(self, progress: Progress | None = None) -> Scores:
        """Return the scores of all shards."""
        abouts = [about for about, _ in self._shards()]
        files: list[Path] = []
        try:
            values = self._join_values(abouts, files, progress)
            return self._score(values, abouts, self._count_distinct(files))
        finally:
            for file in files:
                file.unlink(missing_ok=True)

    def _join_values(
        self, abouts: Sequence[dict[str, Any]], files: list[Path], progress: Progress | None
    ) -> MetricValues:
        """Return the values of every metric, mapped from files that are removed afterwards."""
        conventions: dict[str, str] = {}
        for about in abouts:
            conventions |= about["metrics"]
        omitted = {"NE"} if any("NE of ciff" in note for about in abouts for note in about["notes"]) else set()
        joined = MetricValues()
        texts = [metric for metric in conventions if any(metric in about["texts"] for about in abouts)]
        kept = [metric for metric in conventions if metric not in texts and metric not in omitted]
        for done, metric in enumerate(kept):
            if progress is not None:
                progress("joining", done, len(kept))
            paths = [self.folder / f".joined-{done}.{kind}" for kind in ("values", "samples")]
            files += paths
            numbers, samples = self._write_columns(metric, paths)
            joined.by_metric[metric] = ValuesOfMetric(numbers, samples, conventions[metric])
        pairs = MetricValues(dict(joined.by_metric))
        if any("pair" in episode.extra for episode in self.dataset.episodes):
            add_pairs(pairs, self.dataset.episodes)
        for metric in texts:
            joined.by_metric[metric] = pairs.by_metric.get(metric) or self._join_texts(metric, conventions[metric])
        joined.by_metric |= {name: found for name, found in pairs.by_metric.items() if name not in joined.by_metric}
        order = [metric for metric in conventions if metric in joined.by_metric]
        joined.by_metric = {metric: joined.by_metric[metric] for metric in dict.fromkeys([*order, *joined.by_metric])}
        joined.notes = pairs.notes
        return joined

    def _write_columns(self, metric: str, paths: Sequence[Path]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Write the values of a metric and their samples, world by world, and return them mapped into memory."""
        worlds, kinds = range(max(1, len(self.dataset.graphs))), ((np.float64, "values"), (np.int32, "samples"))
        with open(paths[0], "wb") as values, open(paths[1], "wb") as samples:
            for world in worlds:
                for about, arrays in self._shards():
                    if metric in about["metrics"]:
                        k = list(about["metrics"]).index(metric)
                        chosen = slice(None) if len(worlds) == 1 else arrays[f"worlds{k}"] == world
                        for (dtype, kind), stream in zip(kinds, (values, samples), strict=True):
                            stream.write(np.ascontiguousarray(arrays[f"{kind}{k}"][chosen], dtype).tobytes())
        columns = [
            np.memmap(path, dtype, "r") if path.stat().st_size else np.empty(0, dtype)
            for (dtype, _), path in zip(kinds, paths, strict=True)
        ]
        return columns[0], columns[1]

    def _join_texts(self, metric: str, convention: str) -> ValuesOfMetric:
        """Return the values of a metric of texts: 1 where it is 1 in every shard."""
        by_text: dict[str, float] = {}
        for about, arrays in self._shards():
            if metric in about["texts"]:
                numbers = arrays[f"values{list(about['metrics']).index(metric)}"]
                for text, number in zip(about["texts"][metric], numbers.tolist(), strict=True):
                    by_text[text] = min(by_text.get(text, 1.0), number)
        return ValuesOfMetric(np.array(list(by_text.values())), list(by_text), convention)

    def _count_distinct(self, files: list[Path]) -> int:
        """Return the number of traces of different turns, seeds and episodes, by a file that is sorted once."""
        path = self.folder / ".joined.keys"
        files.append(path)
        with open(path, "wb") as stream:
            for _, arrays in self._shards():
                stream.write(arrays["keys"].tobytes())
        if not path.stat().st_size:
            return 0
        keys = np.memmap(path, np.uint64, "r+")
        keys.sort()
        ends = range(1, len(keys), KEYS_COMPARED)
        return 1 + sum(int(np.count_nonzero(np.diff(keys[end - 1 : end - 1 + KEYS_COMPARED + 1]))) for end in ends)

    def _score(self, values: MetricValues, abouts: Sequence[dict[str, Any]], distinct: int) -> Scores:
        """Return rows and notes as `score` does for one file."""
        played = np.zeros(len(self.dataset.episodes), bool)
        for _, arrays in self._shards():
            played[arrays["played"]] = True
        traces = sum(about["traces"] for about in abouts)
        unknown = [name for about in abouts for name in about["unknown"]][:MAX_LISTED]
        if not traces:
            got = f"none of its {len(played):,}" + (f" (but {', '.join(unknown)})" if unknown else "")
            raise InputError(f"traces of episodes of {self.dataset.name}", got, file=str(self.file))
        unknown_count = sum(about["unknown_count"] for about in abouts)
        result = Scores()
        result.notes += coverage_notes(self.file, self.dataset, played, unknown, unknown_count, traces - distinct)
        result.notes += self.dataset.notes
        explanations = [text for about in abouts for text in about["explanations"]][:MAX_EXPLAINED]
        impossible = sum(about["impossible"] for about in abouts)
        notes = count_notes(explanations, impossible, sum(about["unanswered"] for about in abouts), self.config)
        notes += list(dict.fromkeys(note for about in abouts for note in about["notes"] if "minimal pairs" not in note))
        result.notes += [f"{self.file.name}: {note}" for note in [*notes[:MAX_NOTES], *values.notes]]
        if any(agent.startswith(LANGUAGE_MODEL_PREFIX) for about in abouts for agent in about["agents"]):
            result.notes.append("The costs of language models are reported without --shard and --ray.")
        values = select_metrics(values, self.metrics, self.dataset, self.config.convention, False)
        horizons = tuple(dict.fromkeys(horizon for about in abouts for horizon in about["horizons"]))
        after = horizon_field(horizons) | impossible_field(impossible, self.config.keep_impossible)
        intervals = metric_intervals(values.by_metric, self.seed, self.resamples)
        add_metric_rows(result, values, self.file, {}, after, intervals, set())
        result.notes = list(dict.fromkeys(result.notes))
        return result


def _pack(keys: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.uint64]:
    """Return turn, seed and episode as one number each; large seeds may share one, which only a note would show."""
    turn, seed, episode = (key.astype(np.uint64) for key in keys)
    packed: npt.NDArray[np.uint64] = seed << np.uint64(32) ^ seed >> np.uint64(32) ^ episode << np.uint64(2) ^ turn
    return packed

"""Figures of one submission: what `bearleft score` computes, under every convention, for each seed and their mean.

This runs in the confined process. It knows no database.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from bearleft.data.json_stream import MAX_ITEM_BYTES
from bearleft.errors import InputError
from bearleft.evaluation.replay import replay_trace
from bearleft.evaluation.score import (
    ScoringDataset,
    TraceFile,
    compute_file_values,
    mean_by_sample,
    metric_intervals,
    open_scoring_dataset,
)
from bearleft.generate.hidden import entrants_sha256, hide_goals
from bearleft.metrics.ragged_paths import Floats
from bearleft.metrics.registry import METRICS
from bearleft.metrics.statistics import Interval
from bearleft.metrics.trace_columns import ColumnBuilder, EpisodeIndex, TraceColumns
from bearleft.metrics.trace_values import MetricValues, ScoringConfig, ValuesOfMetric, available_conventions
from bearleft.records import Collect, Direction, Episode, LegTrace, Point, Reach, Trace
from bearleft.types import DataFolder
from bearleft.version import VERSION
from bearleft.web.leaderboard.scoring.failures import ScoringFailure

GZIP = b"\x1f\x8b"
MAX_VALUES_BYTES = 32 * 2**20  # of one metric, decompressed
_INVALID = (InputError, KeyError, TypeError, AttributeError, ValueError, RecursionError, OverflowError)


@dataclass(frozen=True)
class ScoredFigure:
    """A figure of a submission.

    Attributes:
        convention: The scoring convention.
        metric: The metric.
        seed: The seed; None is the mean of all seeds.
        value: The figure, in percent if the metric is a rate.
        low: The lower end of its 95 % interval.
        high: The upper end.
        count: The number of values of which it is the mean.
    """

    convention: str
    metric: str
    seed: int | None
    value: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class ScoredSubmission:
    """The result of scoring.

    Attributes:
        figures: The figures under every convention.
        values: Of each convention and metric, the value of every sample, compressed: see `pack`.
    """

    figures: list[ScoredFigure]
    values: dict[tuple[str, str], bytes]

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON."""
        values = [[*key, base64.b64encode(packed).decode()] for key, packed in self.values.items()]
        return {"figures": [asdict(figure) for figure in self.figures], "values": values}

    @classmethod
    def from_json(cls, content: Any) -> ScoredSubmission:
        """Return the result that a confined process reports.

        Raises:
            InputError: It is something else.
        """
        try:
            figures = [_read_figure(row) for row in content["figures"]]
            values = {(_text(c), _text(m)): base64.b64decode(v, validate=True) for c, m, v in content["values"]}
            for packed in values.values():
                unpack(packed)
        except (KeyError, TypeError, ValueError, binascii.Error, zlib.error) as error:
            raise InputError("figures of a submission", type(error).__name__) from None
        return cls(figures, values)


def _read_figure(row: Mapping[str, Any]) -> ScoredFigure:
    seed, count = row["seed"], row["count"]
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))
    finite = all(map(math.isfinite, (value, low, high)))
    if not (seed is None or type(seed) is int) or type(count) is not int or not finite:
        raise ValueError
    return ScoredFigure(_text(row["convention"]), _text(row["metric"]), seed, value, low, high, count)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= 64:
        raise ValueError
    return value


def pack(values: Floats) -> bytes:
    """Return values of samples as compressed 64-bit floats; NaN where a sample has no value."""
    return zlib.compress(np.ascontiguousarray(values, "<f8").tobytes())


def unpack(packed: bytes) -> Floats:
    """Return the values that `pack` compressed.

    Raises:
        ValueError: They are too many, or cut off.
    """
    stream = zlib.decompressobj()
    content = stream.decompress(packed, MAX_VALUES_BYTES)
    if not stream.eof:
        raise ValueError("values of an unknown size")
    return np.frombuffer(content, "<f8").astype(np.float64)


@dataclass(frozen=True)
class Answers:
    """The answers of a track.

    Attributes:
        dataset: The dataset with its goals.
        replayed: The episodes to repeat traces in, without goals where they can be hidden; empty for public tracks.
        index: The index by which traces are read.
        data: The folder of real datasets.
    """

    dataset: ScoringDataset
    replayed: Sequence[Episode]
    index: EpisodeIndex
    data: DataFolder = None

    @classmethod
    def open(cls, name: str, *, hidden: bool, data: DataFolder = None) -> Answers:
        """Open the answers of a track.

        Args:
            name: The name of the dataset and split, or the file of its episodes with goals.
            hidden: Whether traces name the file of entrants, and are repeated.
            data: The folder of real datasets.

        Raises:
            InputError: They cannot be read.
        """
        dataset = open_scoring_dataset(name, data)
        index = dataset.index
        if hidden:
            index = replace(index, dataset="", sha256=entrants_sha256(name) or "")
        return cls(dataset, [_without_goals(episode) for episode in dataset.episodes] if hidden else [], index, data)


def _without_goals(episode: Episode) -> Episode:
    """Return an episode as entrants have it: what a replay says of it can tell nothing about a goal."""
    try:
        return hide_goals(episode, episode.id)
    except InputError:
        return episode


def score_files(answers: Answers, files: Sequence[tuple[int, Path]], max_bytes: int) -> ScoredSubmission:
    """Score the files of a submission.

    Args:
        answers: The answers of the track.
        files: Seed and file of traces of each run; JSON lines, plain or compressed by gzip.
        max_bytes: The largest size of a file, decompressed.

    Raises:
        ScoringFailure: A file cannot be scored.
    """
    columns = {seed: _read(answers, path, seed, max_bytes) for seed, path in sorted(files)}
    figures: list[ScoredFigure] = []
    values: dict[tuple[str, str], bytes] = {}
    texts = _sentences(answers.dataset.episodes)
    for convention in available_conventions(answers.dataset.episodes):
        by_seed = {seed: _values(answers, one, seed, convention) for seed, one in columns.items()}
        intervals = {seed: metric_intervals(one.by_metric) for seed, one in by_seed.items()}
        for metric, own in _metrics(by_seed.values()):
            if (own, metric) in values:  # metrics with a single convention occur under each
                continue
            rows = {seed: one.by_metric[metric] for seed, one in by_seed.items() if metric in intervals[seed]}
            if len(rows) < len(by_seed):
                continue
            for seed, row in rows.items():
                figures.append(_figure(own, metric, seed, intervals[seed][metric], len(row.numbers)))
            samples = _mean_of_seeds([_samples(row, len(answers.dataset.episodes), texts) for row in rows.values()])
            figures.append(_mean_figure(own, metric, figures[-len(rows) :], samples))
            values[own, metric] = pack(samples)
    if not figures:
        raise ScoringFailure("unscorable", {"seed": min(columns)})
    return ScoredSubmission(figures, values)


def _values(answers: Answers, columns: TraceColumns, seed: int, convention: str) -> MetricValues:
    try:
        return compute_file_values(TraceFile("", answers.dataset, columns), ScoringConfig(convention))
    except InputError:
        raise ScoringFailure("unscorable", {"seed": seed}) from None


def _metrics(values: Any) -> list[tuple[str, str]]:
    """Return each metric with its own convention."""
    return list(dict.fromkeys((name, row.convention) for one in values for name, row in one.by_metric.items()))


def _figure(convention: str, metric: str, seed: int | None, interval: Interval, count: int) -> ScoredFigure:
    scale = METRICS[metric].scale
    low, high = interval.low * scale, interval.high * scale
    return ScoredFigure(convention, metric, seed, interval.mean * scale, low, high, count)


def _mean_figure(convention: str, metric: str, of_seeds: Sequence[ScoredFigure], samples: Floats) -> ScoredFigure:
    """Return the mean of seeds, with the interval of episodes whose seeds are averaged: seeds are no new episodes."""
    if len(of_seeds) == 1:
        return replace(of_seeds[0], seed=None)
    present = samples[np.isfinite(samples)]
    row = ValuesOfMetric(present, np.arange(len(present)), convention)
    interval = metric_intervals({metric: row})[metric]
    figure = _figure(convention, metric, None, interval, len(present))
    value = sum(one.value for one in of_seeds) / len(of_seeds)
    return replace(figure, value=value, low=min(figure.low, value), high=max(figure.high, value))


def _sentences(episodes: Sequence[Episode]) -> dict[str, int]:
    """Return the position of each text of a Point leg, the sample of consistency."""
    texts = (leg.text for episode in episodes for leg in episode.legs if isinstance(leg.goal, Point))
    return {text: k for k, text in enumerate(sorted(set(texts)))}  # sorted, as `bearleft score` compares them


def _samples(row: ValuesOfMetric, episodes: int, texts: Mapping[str, int]) -> Floats:
    """Return the value of each sample of paired tests: of each episode, or of each sentence."""
    means = mean_by_sample(row)
    of_sentences = any(isinstance(sample, str) for sample in means)
    samples = np.full(len(texts) if of_sentences else episodes, np.nan)
    for sample, number in means.items():
        samples[texts[sample] if of_sentences else int(sample)] = number
    return samples


def _mean_of_seeds(samples: Sequence[Floats]) -> Floats:
    stacked = np.stack(samples)
    present = np.isfinite(stacked)
    counts = present.sum(axis=0)
    sums = np.where(present, stacked, 0.0).sum(axis=0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _read(answers: Answers, path: Path, seed: int, max_bytes: int) -> TraceColumns:
    """Read a file of traces, and repeat them where answers are hidden.

    Raises:
        ScoringFailure: A line is no trace of this dataset, or its trace is impossible.
    """
    builder, episodes = ColumnBuilder(answers.index), answers.dataset.episodes
    seen: set[int] = set()
    for number, line in _lines(path, seed, max_bytes):
        place = {"seed": seed, "line": number}
        row = _parse(line, place)
        episode = _find(answers, builder, row, place)
        if episode in seen:
            raise ScoringFailure("repeated", place)
        seen.add(episode)
        legs = row["legs"]
        if len(legs) != len(episodes[episode].legs) or not _is_played(episodes[episode], legs):
            raise ScoringFailure("incomplete", place)
        try:
            trace = Trace.from_json(row)
            builder.add(row)
            impossible = bool(answers.replayed) and replay_trace(answers.replayed[episode], trace, answers.data)
        except _INVALID:
            raise ScoringFailure("unreadable", place) from None
        if impossible:
            raise ScoringFailure("impossible", place)
    if len(seen) < len(episodes):
        raise ScoringFailure("missing", {"seed": seed, "count": len(episodes) - len(seen)})
    return builder.build()


def _lines(path: Path, seed: int, max_bytes: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers, up to a size."""
    left = max_bytes
    with open(path, "rb") as plain:
        compressed = plain.read(2) == GZIP
        plain.seek(0)
        stream = cast(IO[bytes], gzip.GzipFile(fileobj=plain)) if compressed else plain
        number = 0
        while True:
            number += 1
            try:
                line = stream.readline(MAX_ITEM_BYTES + 1)
            except (OSError, EOFError, zlib.error):
                raise ScoringFailure("unreadable", {"seed": seed, "line": number}) from None
            left -= len(line)
            if left < 0 or len(line) > MAX_ITEM_BYTES:
                raise ScoringFailure("unreadable", {"seed": seed, "line": number})
            if not line:
                return
            if line.strip():
                yield number, line


def _parse(line: bytes, place: dict[str, int]) -> dict[str, Any]:
    try:
        row = json.loads(line)
        if isinstance(row["legs"], list) and isinstance(row["episode"], str) and isinstance(row["dataset"], str):
            return dict(row)
    except _INVALID:
        pass
    raise ScoringFailure("unreadable", place)


def _find(answers: Answers, builder: ColumnBuilder, row: dict[str, Any], place: dict[str, int]) -> int:
    """Return the index of a trace's episode, after a check of the dataset that it names."""
    index = builder.index
    if not index.dataset:  # entrants have the file wherever they like; its hash says that it is the right one
        index = builder.index = replace(index, dataset=row["dataset"])
    required = bool(answers.replayed) and index.sha256
    sha256 = row.get("sha256")
    if row["dataset"] != index.dataset or ((sha256 or required) and sha256 != index.sha256):
        raise ScoringFailure("dataset", place)
    episode = index.episodes.get(row["episode"])
    if episode is None:
        raise ScoringFailure("unknown", place)
    return episode


def _is_played(episode: Episode, legs: Sequence[Any]) -> bool:
    """Return whether no leg is left out, which would not be scored."""
    return all(
        isinstance(played, dict) and (played.get("path") or not isinstance(leg.goal, Reach | Collect))
        for leg, played in zip(episode.legs, legs, strict=True)
    )


def standing_traces(answers: Answers) -> Iterator[Trace]:
    """Yield a trace for each episode of somebody who does nothing; scoring them loads what scoring needs."""
    for episode in answers.dataset.episodes:
        legs = []
        for leg in episode.legs:
            if isinstance(leg.goal, Reach):
                look = episode.start.look
                legs.append(LegTrace(("stop",), (leg.goal.route[0],), (look,)))
            elif isinstance(leg.goal, Point):
                legs.append(LegTrace(("point",), answer=Direction(0.0)))
            elif isinstance(leg.goal, Collect):
                legs.append(LegTrace((), (leg.goal.path[0],)))
            else:
                legs.append(LegTrace())
        yield Trace(episode.id, answers.dataset.name, "none", tuple(legs), 0, "", VERSION)


def load_everything(answers: Answers) -> None:
    """Score traces of somebody who does nothing, so that compiled code and distances are there for all submissions."""
    index = replace(answers.index, dataset=answers.dataset.name)
    builder = ColumnBuilder(index)
    traces = list(standing_traces(answers))
    for trace in traces:
        builder.add(trace.to_json())
    columns = builder.build()
    for convention in available_conventions(answers.dataset.episodes):
        metric_intervals(_values(answers, columns, 0, convention).by_metric)
    for episode, trace in zip(answers.replayed, traces, strict=False):
        replay_trace(episode, trace, answers.data)

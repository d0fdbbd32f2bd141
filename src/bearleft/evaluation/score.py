"""`score`: metrics of files of traces, with confidence intervals and paired tests between files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.data import open_dataset
from bearleft.data.dataset import Dataset
from bearleft.data.json_stream import MAX_ITEM_BYTES
from bearleft.errors import InputError, format_value
from bearleft.evaluation.columns import read_traces
from bearleft.evaluation.costs import cost_rows
from bearleft.evaluation.episode_scores import episode_rows
from bearleft.evaluation.own_metrics import compute_trace_metric, is_metric_file, load_metric, trace_metrics
from bearleft.evaluation.predictions import read_predictions
from bearleft.generate.hidden import entrants_sha256
from bearleft.metrics.conventions import CONVENTIONS, is_other_path_metric
from bearleft.metrics.fastdtw import FAST_METRICS
from bearleft.metrics.metric import PathMetric, TraceMetric
from bearleft.metrics.ragged_paths import Floats
from bearleft.metrics.registry import METRICS, metric_name
from bearleft.metrics.statistics import (
    Interval,
    bootstrap_rows,
    exact_if_unanimous,
    paired_bootstrap,
    permutation_test,
    sign_test,
)
from bearleft.metrics.trace_columns import ColumnBuilder, EpisodeIndex, TraceColumns
from bearleft.metrics.trace_values import (
    DEFAULT_CONFIG,
    PAPER,
    MetricValues,
    ScoringConfig,
    ValuesOfMetric,
    available_conventions,
    compute_values,
)
from bearleft.records import Collect, Episode, Point, Reach, check_goals
from bearleft.runtime.store import existing_file
from bearleft.types import DataFolder, Progress
from bearleft.world.graphs.graph import Graph
from bearleft.world.worlds import open_world

RESAMPLES = 1000  # of the bootstrap
MAX_LISTED = 20  # episodes that a note lists
TURNS, TOTAL = (1, 2), "total"  # of ArraMon
TRACES_HINT = "Traces are made by: bearleft eval AGENT DATASET/SPLIT -o FILE.jsonl"


@dataclass
class Scores:
    """The scores of one or more files.

    Attributes:
        rows: One row for each file, metric and convention, with the mean, a 95 % interval and the number of values.
        comparisons: One row for each pair of files and metric, with the difference and paired tests.
        episodes: One row for each leg of each trace, if requested.
        costs: One row for each file of traces of language models and metric of success: tokens, cost, steps.
        notes: Sentences for people, such as on episodes that could not be scored.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    comparisons: list[dict[str, Any]] = field(default_factory=list)
    episodes: list[dict[str, Any]] = field(default_factory=list)
    costs: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ScoringDataset:
    """A dataset with what scoring needs.

    Attributes:
        name: The name of the dataset and split.
        episodes: The episodes.
        graphs: The graph of each world with Reach legs.
        index: The index of episodes and places, to read traces by.
        notes: The loader's notes on ArraMon's walks and on the targets of Touchdown's complete task; else empty.
    """

    name: str
    episodes: Sequence[Episode]
    graphs: Mapping[str, Graph]
    index: EpisodeIndex
    notes: Sequence[str] = ()

    def index_of(self, named: str) -> EpisodeIndex:
        """Return the index for traces that name a dataset: this one, or the entrants' file of these answers."""
        if named == self.name:
            return self.index
        return replace(self.index, dataset=named, sha256=entrants_sha256(self.name) or "")


@dataclass(frozen=True)
class TraceFile:
    """A file of traces or predictions: its name, its dataset, and its traces as columns."""

    file: str
    dataset: ScoringDataset
    columns: TraceColumns


def score(
    *files: str | os.PathLike[str],
    dataset: str | None = None,
    convention: str | Sequence[str] = PAPER,
    metrics: Sequence[str] = (),
    data: DataFolder = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    progress: Progress | None = None,
    turns: bool = False,
    keep_impossible: bool = False,
    per_episode: bool = False,
) -> Scores:
    """Score one or more files of traces or predictions.

    Values are means over traces, with 95 % percentile bootstrap intervals; where all or none succeed in a binary
    metric, the interval is exact (Clopper-Pearson). Files of the same dataset are compared by paired tests. Walks that
    jump between unlinked places, or start at another place than their episode, are scored as failures.

    Args:
        *files: Traces of bearleft, R2R submissions, outputs of VELMA and ArraMon, lists of places, or points.
        dataset: The dataset of predictions; traces name their own.
        convention: Which definitions to use: one or several, or "all" for each that the dataset can be scored under.
        metrics: The metrics to report, by name in any case; by default those that the convention defines. Any
            registered `PathMetric` can be named, such as DTW, and a Python file with a METRIC of your own.
        data: The folder of real datasets; BEARLEFT_DATA or the system's data folder by default.
        seed: The seed of the bootstrap and the permutation test.
        resamples: The number of resamples of the bootstrap.
        progress: Called with a label, the units done and the total.
        turns: Whether to add rows of ArraMon's first and second turn.
        keep_impossible: Whether to score impossible walks as they are written, not as failures.
        per_episode: Whether to add a row for each leg of each trace, as `episodes`.

    Returns:
        The rows of scores, the comparisons of files, and notes.

    Raises:
        InputError: A file is invalid or of another dataset, or a metric or convention is unknown.
    """
    if seed < 0:
        raise InputError("a seed from 0 up", str(seed))
    for name in metrics:
        if "," in name:
            hint = f"Name them one by one: {' '.join('--metric ' + part for part in name.split(','))}"
            raise InputError("the name of one metric", format_value(name), hint=hint)
    metrics = [load_metric(name) if is_metric_file(name) else metric_name(name) for name in dict.fromkeys(metrics)]
    if len(set(metrics)) < len(metrics):
        raise InputError("metrics with different names", ", ".join(metrics))
    sources, notes = read_trace_files(files, dataset, data, progress)
    if turns:
        _check_turns(sources)
    result = Scores(notes=notes)
    requested = [convention] if isinstance(convention, str) else list(dict.fromkeys(convention)) or [PAPER]
    every = "all" in requested
    chosen = requested
    if every:
        available = (name for source in sources for name in available_conventions(source.dataset.episodes))
        chosen = list(dict.fromkeys(available))
    several = every or len(requested) > 1
    other_path_metrics = [metric for metric in metrics if is_other_path_metric(metric)]
    fastdtw = any(metric in FAST_METRICS for metric in metrics)
    reported: set[tuple[str, ...]] = set()
    for name in chosen:
        scored: list[tuple[TraceFile, MetricValues]] = []
        for source in sources:
            if every and name not in available_conventions(source.dataset.episodes):
                continue
            config = ScoringConfig(name, fastdtw, other_path_metrics, keep_impossible)
            values = compute_file_values(source, config)
            for metric in trace_metrics(metrics):
                _add_trace_metric(values, metric, source, keep_impossible)
            scored.append((source, select_metrics(values, metrics, source.dataset, name, several)))
            result.notes += [f"{Path(source.file).name}: {note}" for note in values.notes]
            if name == chosen[0]:
                dataset_name, episodes = source.dataset.name, list(source.dataset.episodes)
                result.costs += cost_rows(source.file, source.columns.agents, dataset_name, episodes, values)
            if per_episode:
                columns = source.columns
                result.episodes += episode_rows(source.file, columns, source.dataset.episodes, scored[-1][1], name)
        add_rows(result, scored, seed, resamples, len(files) > 1, reported, turns, keep_impossible)
    names = dict.fromkeys(source.dataset.name for source in sources)
    if len(names) > 1:
        result.notes.append(f"Files of different datasets are not compared: {', '.join(names)}.")
    result.notes = list(dict.fromkeys(result.notes))
    return result


def read_trace_files(
    files: Sequence[str | os.PathLike[str]], dataset: str | None, data: DataFolder, progress: Progress | None
) -> tuple[list[TraceFile], list[str]]:
    """Read files of traces or predictions.

    Args:
        files: The files.
        dataset: The dataset of predictions; traces name their own.
        data: The folder of real datasets.
        progress: Called with a label, the units done and the total.

    Returns:
        The files with their datasets, and notes, such as on missing episodes.

    Raises:
        InputError: There are no files, or one is invalid.
    """
    if not files:
        raise InputError("at least one file of traces", "none")
    datasets: dict[str, ScoringDataset] = {}
    sources: list[TraceFile] = []
    notes: list[str] = []
    for file in files:
        name = resolve_dataset(file, dataset)
        if name.endswith(".jsonl") and dataset is None and not Path(name).exists():
            hint = "Traces hold the path as it was typed; run from the folder in which they were written."
            raise InputError(
                "the dataset of these traces", f"no file {format_value(name)} here", file=str(file), hint=hint
            )
        if name not in datasets:
            datasets[name] = open_scoring_dataset(name, data)
        columns = _read_columns(file, datasets[name], progress)
        notes += [*_coverage_notes(file, columns, datasets[name]), *datasets[name].notes]
        sources.append(TraceFile(str(file), datasets[name], columns))
    return sources, notes


def compute_file_values(source: TraceFile, config: ScoringConfig = DEFAULT_CONFIG) -> MetricValues:
    """Return the values of every metric of a file.

    nDTW-fast and SDTW-fast are computed only with `fastdtw`, metrics that no convention defines only if named in
    `other_path_metrics`.
    """
    dataset = source.dataset
    return compute_values(source.columns, dataset.episodes, dataset.graphs, config)


def _add_trace_metric(values: MetricValues, metric: TraceMetric, source: TraceFile, keep_impossible: bool) -> None:
    """Add the values of a metric of whole traces; an impossible walk has 0 if more is better."""
    dataset = source.dataset
    by_id = {episode.id: episode for episode in dataset.episodes}
    read = read_predictions(source.file, dataset.name, dataset.episodes)
    numbers, indices = compute_trace_metric(metric, [trace for trace in read if trace.episode in by_id], by_id)
    if metric.higher_is_better and not keep_impossible:
        impossible = {trace for trace, _ in values.impossible}
        numbers = np.where([k in impossible for k in indices], 0.0, numbers) if indices else numbers
    traces = np.array(indices, np.int64)
    values.add(metric.name, numbers, source.columns.episode[traces], legs=(traces, np.zeros_like(traces)))


def resolve_dataset(file: str | os.PathLike[str], dataset: str | None) -> str:
    """Return the dataset of a file: the one its traces name, or `dataset`.

    Traces of a file with hidden goals are scored with its file of answers.
    """
    named = trace_dataset(file)
    if named is None and dataset is None:
        hint = f"Add --dataset DATASET/SPLIT. {TRACES_HINT}"
        raise InputError("the dataset that these predictions are of", "none", file=str(file), hint=hint)
    if named is not None and dataset is not None and named != dataset:
        if entrants_sha256(dataset) is None:
            raise InputError(f"traces of {dataset}", f"traces of {named}", file=str(file))
        return dataset
    return named or dataset or ""


def add_rows(
    result: Scores,
    scored: Sequence[tuple[TraceFile, MetricValues]],
    seed: int,
    resamples: int,
    name_files: bool,
    reported: set[tuple[str, ...]],
    turns: bool = False,
    keep_impossible: bool = False,
) -> None:
    """Add rows of each file, and of each pair of files of one dataset, to `result`.

    Args:
        result: The scores to add to.
        scored: The files with their values.
        seed: The seed of the bootstrap.
        resamples: The number of resamples.
        name_files: Whether rows name their file.
        reported: Keys of rows that exist already; new ones are added.
        turns: Whether to add rows of ArraMon's turns.
        keep_impossible: Whether impossible walks are scored as they are written.
    """
    for source, values in scored:
        parts = {str(turn): values.of_turn(turn) for turn in TURNS} if turns else {}
        for turn, part in (parts | {TOTAL: values}).items():
            before: dict[str, Any] = {"kind": "score", "file": source.file} if name_files else {}
            before |= {"turn": turn} if turns else {}
            after = horizon_field(source.columns.horizons) | impossible_field(len(values.impossible), keep_impossible)
            intervals = metric_intervals(part.by_metric, seed, resamples)
            add_metric_rows(result, part, Path(source.file), before, after, intervals, reported)
    for k, (source, first) in enumerate(scored):
        for other, second in scored[k + 1 :]:
            if source.dataset.name == other.dataset.name:
                names = source.file, other.file
                result.comparisons += _compare(*names, first.by_metric, second.by_metric, seed, resamples)


def add_metric_rows(
    result: Scores,
    values: MetricValues,
    file: Path,
    before: dict[str, Any],
    after: dict[str, Any],
    intervals: Mapping[str, Interval],
    reported: set[tuple[str, ...]],
) -> None:
    """Add a row for each metric; rows begin with the fields `before` and end with `after`."""
    for metric, (numbers, _sample_ids, convention) in values.by_metric.items():
        if metric not in intervals:
            result.notes.append(f"{file.name}: {metric} has no value")
            continue
        key = (str(file), metric, convention, before.get("turn", ""))
        if key in reported:  # metrics with a single convention occur under each
            continue
        reported.add(key)
        interval, scale = intervals[metric], METRICS[metric].scale
        row = before | {"metric": metric, "value": interval.mean * scale, "low": interval.low * scale}
        row |= {"high": interval.high * scale, "unit": unit_of(metric, convention), "n": len(numbers)}
        row |= {"convention": convention}
        result.rows.append(row | after)


def horizon_field(horizons: Sequence[int | None]) -> dict[str, Any]:
    """Return the horizon of a file's walks as a field of its rows; no field if no trace has one."""
    known = sorted(horizon for horizon in horizons if horizon is not None)
    if not known:
        return {}
    if len(horizons) == 1:
        return {"horizon": known[0]}
    return {"horizon": ", ".join(map(str, [*known, *(["unknown"] if None in horizons else [])]))}


def impossible_field(count: int, kept: bool) -> dict[str, Any]:
    """Return the number of impossible walks and how they are scored as a field of rows; no field if there are none."""
    if not count:
        return {}
    return {"impossible": f"{count:,} {'kept' if kept else 'failed'}"}


def unit_of(metric: str, convention: str) -> str:
    """Return the unit of a metric under a convention, such as %, hops or m."""
    if convention in CONVENTIONS and isinstance(METRICS[metric], PathMetric):
        return CONVENTIONS[convention].unit(metric)
    return METRICS[metric].unit


def _check_turns(sources: Sequence[TraceFile]) -> None:
    for source in sources:
        if not _collects(source.dataset.episodes):
            raise InputError("traces of ArraMon's tasks, which have turns", f"traces of {source.dataset.name}")


def _collects(episodes: Sequence[Episode]) -> bool:
    return any(isinstance(leg.goal, Collect) for episode in episodes for leg in episode.legs)


def metric_intervals(
    values: Mapping[str, ValuesOfMetric], seed: int = 0, resamples: int = RESAMPLES
) -> dict[str, Interval]:
    """Return the interval of each metric that has values; those with equally many values are resampled together."""
    by_length: dict[int, list[str]] = {}
    for metric, metric_values in values.items():
        by_length.setdefault(len(metric_values.numbers), []).append(metric)
    intervals: dict[str, Interval] = {}
    for length, names in by_length.items():
        if length:
            # A new generator each time, so that an interval does not depend on the other metrics.
            rng = np.random.default_rng(seed)
            rows = bootstrap_rows([values[name].numbers for name in names], rng, resamples=resamples)
            intervals |= {
                name: exact_if_unanimous(values[name].numbers, row) if METRICS[name].binary else row
                for name, row in zip(names, rows, strict=True)
            }
    return intervals


def select_metrics(
    values: MetricValues, metrics: Sequence[str], dataset: ScoringDataset, convention: str, ignore_missing: bool
) -> MetricValues:
    """Return the values of the requested metrics."""
    if not metrics:
        return values
    missing = [name for name in metrics if name not in values.by_metric]
    if missing and not ignore_missing:
        hint = f"Available: {', '.join(values.by_metric)}."
        for name in missing:
            known = [
                other
                for other in available_conventions(dataset.episodes)
                if other in CONVENTIONS and name in CONVENTIONS[other].metrics
            ]
            if known:
                hint += f" {name} exists under {', '.join(known)}: add --convention {known[0]} (repeatable)."
        raise InputError(f"metrics of these traces under {convention}", ", ".join(missing), hint=hint)
    available = [name for name in metrics if name in values.by_metric]
    return MetricValues(
        {name: values.by_metric[name] for name in available},
        legs={name: values.legs[name] for name in available if name in values.legs},
        impossible=values.impossible,
    )


def trace_dataset(file: str | os.PathLike[str]) -> str | None:
    """Return the dataset that the first line of a file of traces names; None for predictions of other programs.

    Raises:
        InputError: The file does not exist or is empty.
    """
    try:
        path = existing_file(file, "a file of traces or predictions")
    except InputError as error:
        raise replace(error, hint=TRACES_HINT if error.got == "nothing there" else "") from None
    with open(path, "rb") as stream:
        line = stream.readline(MAX_ITEM_BYTES + 1)
    if not line.strip():
        raise InputError("a file of traces or predictions", "an empty file", file=str(file), hint=TRACES_HINT)
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    name = row.get("dataset") if isinstance(row, dict) and "format" in row else None
    return name if isinstance(name, str) else None


def open_scoring_dataset(name: str, data: DataFolder = None) -> ScoringDataset:
    """Open a dataset with what scoring needs.

    Args:
        name: The name of the dataset and split, or a file of episodes.
        data: The folder of real datasets.

    Raises:
        InputError: The dataset does not exist, or its goals are hidden.
    """
    opened = open_dataset(name, data)
    episodes = list(opened)
    check_goals(episodes, "to score traces")
    worlds = dict.fromkeys(e.world for e in episodes if any(isinstance(leg.goal, Reach) for leg in e.legs))
    graphs = {world: open_world(world, data) for world in worlds}
    complete = any(isinstance(leg.goal, Point) for e in episodes for leg in e.legs[1:])
    notes = list(_data_notes(opened)) if complete or _collects(episodes) else []
    index = EpisodeIndex.build(name, opened.sha256, episodes, graphs)
    return ScoringDataset(name, episodes, graphs, index, notes)


def _data_notes(opened: Dataset) -> Iterator[str]:
    """Yield a line for each reason of the loader's notes, with the legs concerned."""
    by_reason: dict[str, list[str]] = {}
    for note in opened.notes:
        turn, _, reason = note.reason.rpartition(": ")
        by_reason.setdefault(reason, []).append(" ".join(filter(None, (note.episode, turn))))
    for reason, legs in by_reason.items():
        more = f" and {len(legs) - MAX_LISTED:,} more" if len(legs) > MAX_LISTED else ""
        yield f"{opened.name}: {len(legs):,} noted, {reason}: {', '.join(legs[:MAX_LISTED])}{more}"


def _read_columns(file: str | os.PathLike[str], dataset: ScoringDataset, progress: Progress | None) -> TraceColumns:
    named = trace_dataset(file)
    if named is not None:
        return read_traces(file, dataset.index_of(named), progress)
    builder = ColumnBuilder(dataset.index)
    for trace in read_predictions(file, dataset.name, dataset.episodes):
        try:
            builder.add(trace.to_json())
        except InputError as error:
            raise error.at(file=f"{file}, episode {trace.episode}") from None
    return builder.build()


def _coverage_notes(file: str | os.PathLike[str], columns: TraceColumns, dataset: ScoringDataset) -> Iterator[str]:
    """Yield notes on missing, unknown and repeated episodes."""
    if not len(columns.episode):
        ids = ", ".join(columns.unknown[:MAX_LISTED])
        got = f"none of its {len(dataset.episodes):,}" + (f" (but {ids})" if ids else "")
        raise InputError(f"traces of episodes of {dataset.name}", got, file=str(file))
    played = np.zeros(len(dataset.episodes), bool)
    played[columns.episode] = True
    keys = repetition_keys(columns)
    order = np.lexsort(keys)
    repeated = int(np.all([np.diff(key[order]) == 0 for key in keys], axis=0).sum())
    yield from coverage_notes(file, dataset, played, columns.unknown, len(columns.unknown), repeated)


def coverage_notes(
    file: str | os.PathLike[str],
    dataset: ScoringDataset,
    played: npt.NDArray[np.bool_],
    unknown: Sequence[str],
    unknown_count: int,
    repeated: int,
) -> Iterator[str]:
    """Yield notes on missing, unknown and repeated episodes.

    Args:
        file: The file.
        dataset: The dataset.
        played: Whether each episode was played.
        unknown: The first ids that the dataset does not have.
        unknown_count: The number of such ids.
        repeated: The number of traces that repeat an episode and seed.
    """
    missing = tuple(dataset.episodes[int(k)].id for k in np.flatnonzero(~played))
    for problem, names, count in (
        ("missing, not scored", missing, len(missing)),
        ("unknown, not scored", unknown, unknown_count),
    ):
        if names:
            more = f" and {count - MAX_LISTED:,} more" if count > MAX_LISTED else ""
            yield f"{Path(file).name}: {count:,} episodes {problem}: {', '.join(names[:MAX_LISTED])}{more}"
    if repeated:
        yield f"{Path(file).name}: {repeated:,} traces repeat an episode and seed; all are scored"


def repetition_keys(columns: TraceColumns) -> tuple[npt.NDArray[np.int64], ...]:
    """Return the turn, seed and episode of each trace, which are alike in traces that repeat one."""
    turn = np.zeros(len(columns.episode), np.int64)  # the first one that a trace of ArraMon's parts plays
    for trace, leg, _ in reversed(columns.others):
        turn[trace] = leg // 2
    return turn, columns.seed, columns.episode


def _compare(
    file: str,
    other_file: str,
    first: Mapping[str, ValuesOfMetric],
    second: Mapping[str, ValuesOfMetric],
    seed: int,
    resamples: int,
) -> Iterator[dict[str, Any]]:
    """Yield the differences on the episodes of both files; the traces of an episode are averaged."""
    for metric in first:
        if metric not in second:
            continue
        first_means, second_means = mean_by_sample(first[metric]), mean_by_sample(second[metric])
        common = sorted(first_means.keys() & second_means.keys())
        if not common:
            continue
        a, b = np.array([first_means[k] for k in common]), np.array([second_means[k] for k in common])
        yield {
            "kind": "difference",
            "file": file,
            "against": other_file,
            **compare_samples(a, b, metric, first[metric].convention, seed, resamples),
        }


def compare_samples(
    first: Floats, second: Floats, metric: str, convention: str, seed: int = 0, resamples: int = RESAMPLES
) -> dict[str, Any]:
    """Return the difference of two systems with its interval and paired tests.

    Args:
        first: A value of the first system for each sample: an episode, or a sentence.
        second: The values of the second system for the same samples.
        metric: The metric.
        convention: Its convention.
        seed: The seed of the bootstrap and the permutation test.
        resamples: The number of resamples of the bootstrap.
    """
    rng = np.random.default_rng(seed)
    difference = paired_bootstrap(first, second, rng, resamples=resamples)
    signs = sign_test(first, second)
    scale = METRICS[metric].scale
    return {
        "metric": metric,
        "convention": convention,
        "difference": difference.mean * scale,
        "low": difference.low * scale,
        "high": difference.high * scale,
        "unit": unit_of(metric, convention),
        "p_permutation": permutation_test(first, second, rng),
        "p_sign": signs.p,
        "above": signs.above,
        "below": signs.below,
        "n": len(first),
    }


def mean_by_sample(values: ValuesOfMetric) -> dict[Any, float]:
    """Return the mean value of each sample of the paired tests: an episode, or a sentence."""
    by_sample: dict[Any, list[float]] = {}
    for number, sample_id in zip(values.numbers.tolist(), values.sample_ids, strict=True):
        by_sample.setdefault(sample_id, []).append(number)
    return {sample_id: sum(numbers) / len(numbers) for sample_id, numbers in by_sample.items()}

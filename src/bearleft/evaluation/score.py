"""`score`: files of traces become tables of measures, with intervals, and with paired tests between files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.data import open_dataset
from bearleft.data.dataset import Dataset as Opened
from bearleft.errors import InputError, shown, unknown
from bearleft.evaluation.columns import Asked, Builder, Columns, read_traces
from bearleft.evaluation.measures import PAPER, Values, conventions_of, values_of
from bearleft.evaluation.predictions import read_predictions
from bearleft.metrics.fastdtw import FAST
from bearleft.metrics.statistics import Interval, bootstrap_rows, paired_bootstrap, permutation_test, sign_test
from bearleft.metrics.table import METRICS
from bearleft.records import Collect, Episode, Point, Reach
from bearleft.runtime.store import existing_file
from bearleft.world.graphs.graph import Graph
from bearleft.world.worlds import open_world

Data = str | os.PathLike[str] | None
Progress = Callable[[str, int, int], None]
NAMED = 20
TURNS, TOTAL = (1, 2), "total"  # of ArraMon
MADE = "Traces are made by: bearleft eval AGENT DATASET/SPLIT -o FILE.jsonl"


@dataclass
class Scores:
    """`rows` of measures, `pairs` of files compared, and `notes` on what could not be scored."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    pairs: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Dataset:
    """A dataset as the scorer needs it: its episodes, their worlds, and what traces are read against."""

    name: str
    episodes: Sequence[Episode]
    graphs: Mapping[str, Graph]
    asked: Asked
    odd: Sequence[str] = ()  # what a reader of scores should know of ArraMon's walks and of the complete task's targets


@dataclass(frozen=True)
class Source:
    """A file as it was read: its name, the dataset it is of, and what was done."""

    file: str
    dataset: Dataset
    columns: Columns


def score(
    *files: str | os.PathLike[str],
    dataset: str | None = None,
    convention: str = PAPER,
    metrics: Sequence[str] = (),
    data: Data = None,
    seed: int = 0,
    resamples: int = 1000,
    progress: Progress | None = None,
    turns: bool = False,
) -> Scores:
    """The measures of one or more files of traces or predictions.

    Traces say which dataset they are of; other files need `dataset`. `convention` may be "all": every one that the legs
    can be scored under. `metrics` chooses among the measures; nDTW-fast and SDTW-fast are computed only when named.
    Values are means over traces, with 95 % percentile bootstrap intervals. `turns` adds rows of ArraMon's first and
    second turn.
    """
    if seed < 0:
        raise InputError("a seed from 0 up", str(seed))
    _check(metrics)
    sources, notes = read_sources(files, dataset, data, progress)
    if turns:
        _check_turns(sources)
    result = Scores(notes=notes)
    chosen = (
        [convention]
        if convention != "all"
        else list(dict.fromkeys(name for source in sources for name in conventions_of(source.dataset.episodes)))
    )
    told: set[tuple[str, ...]] = set()
    for name in chosen:
        found: list[tuple[Source, Values]] = []
        for source in sources:
            if convention == "all" and name not in conventions_of(source.dataset.episodes):
                continue
            values = measured(source, name, any(metric in FAST for metric in metrics))
            found.append((source, _chosen(values, metrics, name, convention == "all")))
            result.notes += [f"{Path(source.file).name}: {note}" for note in values.notes]
        tabulate(result, found, seed, resamples, len(files) > 1, told, turns)
    names = dict.fromkeys(source.dataset.name for source in sources)
    if len(names) > 1:
        result.notes.append(f"Files of different datasets are not compared: {', '.join(names)}.")
    result.notes = list(dict.fromkeys(result.notes))
    return result


def read_sources(
    files: Sequence[str | os.PathLike[str]], dataset: str | None, data: Data, progress: Progress | None
) -> tuple[list[Source], list[str]]:
    """Files of traces or predictions, each with its dataset, and what a reader of their scores should know."""
    if not files:
        raise InputError("at least one file of traces", "none")
    datasets: dict[str, Dataset] = {}
    sources: list[Source] = []
    notes: list[str] = []
    for file in files:
        name = _named(file, dataset)
        if name.endswith(".jsonl") and dataset is None and not Path(name).exists():
            hint = "Traces keep the path that was typed; go to the folder in which they were made."
            raise InputError("the dataset of these traces", f"no file {shown(name)} here", file=str(file), hint=hint)
        if name not in datasets:
            datasets[name] = _open(name, data)
        columns = _read(file, datasets[name], progress)
        notes += [*_notes(file, columns, datasets[name]), *datasets[name].odd]
        sources.append(Source(str(file), datasets[name], columns))
    return sources, notes


def measured(source: Source, convention: str = PAPER, fastdtw: bool = False) -> Values:
    """Every measure of what a file holds; nDTW-fast and SDTW-fast with `fastdtw` only."""
    return values_of(source.columns, source.dataset.episodes, source.dataset.graphs, convention, fastdtw)


def _named(file: str | os.PathLike[str], dataset: str | None) -> str:
    """The dataset that a file is of: what its traces say, or what the user says."""
    said = dataset_of(file)
    if said is None and dataset is None:
        hint = f"Add --dataset DATASET/SPLIT. {MADE}"
        raise InputError("the dataset that these predictions are of", "none", file=str(file), hint=hint)
    if said is not None and dataset is not None and said != dataset:
        raise InputError(f"traces of {dataset}", f"traces of {said}", file=str(file))
    return said or dataset or ""


def tabulate(
    result: Scores,
    found: Sequence[tuple[Source, Values]],
    seed: int,
    resamples: int,
    many: bool,
    told: set[tuple[str, ...]],
    turns: bool = False,
) -> None:
    """Rows of each file, and of each pair of files of one dataset; `told` are those that are there already."""
    for source, values in found:
        parts = {str(turn): values.of_turn(turn) for turn in TURNS} if turns else {}
        for turn, part in (parts | {TOTAL: values}).items():
            before: dict[str, Any] = {"kind": "score", "file": source.file} if many else {}
            before |= {"turn": turn} if turns else {}
            after = horizon_of(source.columns)
            intervals = _intervals(part.by_metric, seed, resamples)
            _tabulate(result, part, Path(source.file), before, after, intervals, told)
    for k, (source, first) in enumerate(found):
        for against, second in found[k + 1 :]:
            one, other = source.file, against.file
            if source.dataset.name == against.dataset.name:
                result.pairs += _compare(one, other, first.by_metric, second.by_metric, seed, resamples)


def _tabulate(
    result: Scores,
    values: Values,
    file: Path,
    before: dict[str, Any],
    after: dict[str, Any],
    intervals: Mapping[str, Interval],
    told: set[tuple[str, ...]],
) -> None:
    """Rows that begin with `before` and end with `after`, one for each measure."""
    for metric, (numbers, _, used) in values.by_metric.items():
        if metric not in intervals:
            result.notes.append(f"{file.name}: {metric} has no value")
            continue
        key = (str(file), metric, used, before.get("turn", ""))
        if key in told:  # what has one convention only comes up under each
            continue
        told.add(key)
        interval, scale = intervals[metric], 100.0 if METRICS[metric].percent else 1.0
        row = before | {"metric": metric, "value": interval.mean * scale, "low": interval.low * scale}
        row |= {"high": interval.high * scale, "n": len(numbers), "convention": used}
        result.rows.append(row | after)


def horizon_of(columns: Columns) -> dict[str, Any]:
    """Return the horizon of a file's walks as a field of its rows: none where no trace says it."""
    known = sorted(horizon for horizon in columns.horizons if horizon is not None)
    if not known:
        return {}
    if columns.horizons == (known[0],):
        return {"horizon": known[0]}
    return {"horizon": ", ".join(map(str, [*known, *(["unknown"] if None in columns.horizons else [])]))}


def _check_turns(sources: Sequence[Source]) -> None:
    for source in sources:
        if not _collects(source.dataset.episodes):
            raise InputError("traces of ArraMon's tasks, which have turns", f"traces of {source.dataset.name}")


def _collects(episodes: Sequence[Episode]) -> bool:
    return any(isinstance(leg.goal, Collect) for episode in episodes for leg in episode.legs)


def _check(metrics: Sequence[str]) -> None:
    for name in metrics:
        if name not in METRICS:
            raise unknown("metric", name, METRICS)


def _intervals(values: Mapping[str, tuple[Any, Any, str]], seed: int, resamples: int) -> dict[str, Interval]:
    """Measures that have equally many values are resampled together."""
    by_length: dict[int, list[str]] = {}
    for metric, (numbers, _, _) in values.items():
        by_length.setdefault(len(numbers), []).append(metric)
    found: dict[str, Interval] = {}
    for length, names in by_length.items():
        if length:
            # Each draws anew, so that an interval is the same whatever is scored beside it.
            rng = np.random.default_rng(seed)
            rows = bootstrap_rows([values[name][0] for name in names], rng, resamples=resamples)
            found |= dict(zip(names, rows, strict=True))
    return found


def _chosen(values: Values, metrics: Sequence[str], convention: str, some: bool) -> Values:
    """The measures asked for; with `some`, those of them that there are."""
    if not metrics:
        return values
    lacking = [name for name in metrics if name not in values.by_metric]
    if lacking and not some:
        hint = f"There are {', '.join(values.by_metric)}."
        raise InputError(f"measures of these traces under {convention}", ", ".join(lacking), hint=hint)
    there = [name for name in metrics if name in values.by_metric]
    return Values(
        {name: values.by_metric[name] for name in there},
        legs={name: values.legs[name] for name in there if name in values.legs},
    )


def dataset_of(file: str | os.PathLike[str]) -> str | None:
    """The dataset that the first line of a file of traces names; None for files of others."""
    try:
        path = existing_file(file, "a file of traces or predictions")
    except InputError as error:
        raise replace(error, hint=MADE if error.got == "nothing there" else "") from None
    with open(path, "rb") as stream:
        line = stream.readline()
    if not line.strip():
        raise InputError("a file of traces or predictions", "an empty file", file=str(file), hint=MADE)
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    named = row.get("dataset") if isinstance(row, dict) and "format" in row else None
    return named if isinstance(named, str) else None


def _open(name: str, data: Data) -> Dataset:
    opened = open_dataset(name, data)
    episodes = list(opened)
    worlds = dict.fromkeys(e.world for e in episodes if any(isinstance(leg.goal, Reach) for leg in e.legs))
    graphs = {world: open_world(world, data) for world in worlds}
    complete = any(isinstance(leg.goal, Point) for e in episodes for leg in e.legs[1:])
    odd = list(_odd(opened)) if complete or _collects(episodes) else []
    return Dataset(name, episodes, graphs, Asked.of(name, opened.sha256, episodes, graphs), odd)


def _odd(opened: Opened) -> Iterator[str]:
    """Legs that the reader of a dataset has noted, by reason."""
    by_reason: dict[str, list[str]] = {}
    for remark in opened.notes:
        turn, _, reason = remark.reason.rpartition(": ")
        by_reason.setdefault(reason, []).append(" ".join(filter(None, (remark.episode, turn))))
    for reason, legs in by_reason.items():
        more = f" and {len(legs) - NAMED:,} more" if len(legs) > NAMED else ""
        yield f"{opened.name}: {len(legs):,} noted, {reason}: {', '.join(legs[:NAMED])}{more}"


def _read(file: str | os.PathLike[str], dataset: Dataset, progress: Progress | None) -> Columns:
    if dataset_of(file) is not None:
        return read_traces(file, dataset.asked, progress)
    builder = Builder(dataset.asked)
    for trace in read_predictions(file, dataset.name, dataset.episodes):
        try:
            builder.add(trace.to_json())
        except InputError as error:
            raise error.at(file=f"{file}, episode {trace.episode}") from None
    return builder.pack()


def _notes(file: str | os.PathLike[str], columns: Columns, dataset: Dataset) -> Iterator[str]:
    """What a reader of the scores should know: who is missing, unknown, or there twice."""
    if not len(columns.episode):
        ids = ", ".join(columns.unknown[:NAMED])
        got = f"none of its {len(dataset.episodes):,}" + (f" (but {ids})" if ids else "")
        raise InputError(f"traces of episodes of {dataset.name}", got, file=str(file))
    there = np.zeros(len(dataset.episodes), bool)
    there[columns.episode] = True
    missing = tuple(dataset.episodes[int(k)].id for k in np.flatnonzero(~there))
    for what, names in (("missing, not scored", missing), ("unknown, not scored", columns.unknown)):
        if names:
            more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
            yield f"{Path(file).name}: {len(names):,} episodes {what}: {', '.join(names[:NAMED])}{more}"
    order = np.lexsort((columns.seed, columns.episode))
    same = (np.diff(columns.episode[order]) == 0) & (np.diff(columns.seed[order]) == 0)
    twice = int(same.sum())
    if twice:
        yield f"{Path(file).name}: {twice:,} traces repeat an episode and seed that is there already; all are scored"


def _compare(
    one: str,
    other: str,
    first: Mapping[str, tuple[Any, Any, str]],
    second: Mapping[str, tuple[Any, Any, str]],
    seed: int,
    resamples: int,
) -> Iterator[dict[str, Any]]:
    """Differences on the episodes that both have, each counted once (the mean over its traces)."""
    for metric in first:
        if metric not in second:
            continue
        ours, theirs = _by_item(*first[metric][:2]), _by_item(*second[metric][:2])
        both = sorted(ours.keys() & theirs.keys())
        if not both:
            continue
        a, b = np.array([ours[k] for k in both]), np.array([theirs[k] for k in both])
        rng = np.random.default_rng(seed)
        difference = paired_bootstrap(a, b, rng, resamples=resamples)
        signs = sign_test(a, b)
        scale = 100.0 if METRICS[metric].percent else 1.0
        yield {
            "kind": "difference",
            "file": one,
            "against": other,
            "metric": metric,
            "convention": first[metric][2],
            "difference": difference.mean * scale,
            "low": difference.low * scale,
            "high": difference.high * scale,
            "p_permutation": permutation_test(a, b, rng),
            "p_sign": signs.p,
            "above": signs.above,
            "below": signs.below,
            "n": len(both),
        }


def _by_item(numbers: Any, items: Any) -> dict[Any, float]:
    """The mean value of each item: an episode, or a sentence."""
    sums: dict[Any, list[float]] = {}
    for number, item in zip(numbers.tolist(), items, strict=True):
        sums.setdefault(item, []).append(number)
    return {item: sum(found) / len(found) for item, found in sums.items()}

"""Report input: files of traces with their scores, and the metric values and success of every trace."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import numpy as np

from bearleft.data.json_stream import Reader
from bearleft.errors import InputError
from bearleft.evaluation.costs import SUCCESS_METRICS
from bearleft.evaluation.predictions import read_predictions
from bearleft.evaluation.score import (
    Scores,
    ScoringDataset,
    TraceFile,
    add_rows,
    compute_file_values,
    read_trace_files,
    trace_dataset,
)
from bearleft.metrics.trace_values import PAPER, MetricValues, ScoringConfig
from bearleft.models import BEST
from bearleft.records import Assemble, Collect, Episode, Point, Reach, Trace
from bearleft.runtime.json_fields import Json
from bearleft.world.worlds import world_kind

if TYPE_CHECKING:
    from bearleft.types import DataFolder, Floats, Progress


WALK_REACHED, WALK_NEAR, POINTED, POINTED_AFTER_WALK, POINTED_BY_SENTENCE, COLLECTED, PLACED = SUCCESS_METRICS
FILE_HASH = re.compile(r"(?<=.)\[[0-9a-f]{6,}\]")  # of an agent file's contents: walker.py[6a9d6568]
PAIR_METRICS = ("Pairs", "Changed")
SEED, RESAMPLES = 0, 1000  # the defaults of `score`, so that both give the same numbers


@dataclass(frozen=True)
class Agent:
    """A column of the report: its name, the name in its traces, and its files."""

    name: str
    trace_name: str
    files: tuple[str, ...]
    traces: int


@dataclass(frozen=True)
class ScoredFile:
    """A file of traces with its metric values; `agent` and `dataset` are indices into ReportData.

    `table` holds the value of each metric for each trace (NaN where undefined), `leg_success` whether each leg of a
    trace succeeded, and `success` whether all legs did (1, 0, or NaN where unknown).
    """

    source: TraceFile
    values: MetricValues
    agent: int
    dataset: int
    table: Floats
    leg_success: Floats
    success: Floats


@dataclass(frozen=True)
class ShownTrace:
    """A trace in the report: the index of its file, and its row there."""

    file: int
    row: int
    trace: Trace


@dataclass(frozen=True)
class Example:
    """An episode in the report, with its traces; `index` is the episode's index in its dataset."""

    dataset: int
    index: int
    episode: Episode
    traces: tuple[ShownTrace, ...]


@dataclass(frozen=True)
class ReportData:
    """Everything that a report shows."""

    datasets: list[ScoringDataset]
    agents: list[Agent]
    files: list[ScoredFile]
    metrics: list[str]
    scores: Scores
    examples: list[Example]

    @property
    def traces(self) -> list[ShownTrace]:
        """Return all shown traces, example by example."""
        return [trace for example in self.examples for trace in example.traces]


def load_report_data(
    files: Sequence[str | os.PathLike[str]],
    dataset: str | None = None,
    examples: int | None = None,
    data: DataFolder = None,
    progress: Progress | None = None,
    convention: str = PAPER,
) -> ReportData:
    """Read and score files as `score` does, and keep the traces of the shown episodes.

    Args:
        files: Files of traces, or of other tools' predictions.
        dataset: Dataset of predictions that do not name it.
        examples: Upper bound on the number of shown episodes; by default all with traces.
        data: Data folder.
        progress: Called with a label, the files done, and their total.
        convention: Whose definitions of metrics to follow.

    Raises:
        InputError: If a file cannot be read, or `examples` is less than one.
    """
    if examples is not None and examples < 1:
        raise InputError("at least one example", str(examples), "examples")
    unique_files = list({Path(file).absolute(): file for file in files}.values())
    sources, notes = read_trace_files(unique_files, dataset, data, progress)
    scores = Scores(notes=notes)
    scored = []
    for k, source in enumerate(sources):
        if progress:
            progress("scoring", k, len(sources))
        scored.append((source, compute_file_values(source, ScoringConfig(convention))))
        scores.notes += [f"{Path(source.file).name}: {note}" for note in scored[-1][1].notes]
    add_rows(scores, scored, SEED, RESAMPLES, True, set())
    scores.notes = list(dict.fromkeys(scores.notes))
    datasets = list({source.dataset.name: source.dataset for source in sources}.values())
    metrics = list(dict.fromkeys(name for _, values in scored for name in values.by_metric))
    metrics.sort(key=lambda name: name in PAIR_METRICS)  # after the metrics they derive from
    names = agent_names(sources)
    agent_columns = list(dict.fromkeys(names))
    scored_files = [
        _score_file(source, values, agent_columns.index(name), datasets.index(source.dataset), metrics)
        for (source, values), name in zip(scored, names, strict=True)
    ]
    agents = [_agent(k, name, scored_files) for k, name in enumerate(agent_columns)]
    return ReportData(
        datasets, agents, scored_files, metrics, scores, _examples(scored_files, datasets, examples, progress)
    )


def agent_names(sources: Sequence[TraceFile]) -> list[str]:
    """Return a name for each file: its agent's, and the file's name where that is ambiguous."""
    base_names = _without_folders(_without_hashes([trace_agent_name(source) for source in sources]))
    uses = Counter((name, source.dataset.name) for name, source in zip(base_names, sources, strict=True))
    file_names = Counter(Path(source.file).name for source in sources)
    names = []
    for name, source in zip(base_names, sources, strict=True):
        file = Path(source.file).name
        shown_file = file if file_names[file] == 1 else source.file
        names.append(f"{name} ({shown_file})" if uses[name, source.dataset.name] > 1 else name)
    return names


def trace_agent_name(source: TraceFile) -> str:
    """Return the agent's name as its traces have it."""
    return " + ".join(source.columns.agents)


def _without_hashes(names: Sequence[str]) -> list[str]:
    """Remove content hashes from the names of agent files where the names stay distinct."""
    short = {name: FILE_HASH.sub("", name) for name in names}
    counts = Counter(short.values())
    return [short[name] if counts[short[name]] == 1 else name for name in names]


def _without_folders(names: Sequence[str]) -> list[str]:
    """Shorten the paths of checkpoints as far as they stay distinct: runs/ours/best.pt becomes ours."""
    paths = {name: PurePath(name.removesuffix(f"/{BEST}")).parts for name in names if name.endswith(".pt")}
    others = set(names) - set(paths)
    for count in range(1, max(map(len, paths.values()), default=0) + 1):
        short = {name: "/".join(parts[-count:]) for name, parts in paths.items()}
        if len({*short.values()} | others) == len(paths) + len(others):
            return [short.get(name, name) for name in names]
    return list(names)


def success_metric(episode: Episode, index: int) -> str:
    """Return the metric that decides whether a leg succeeded; R2R's is stopping within 3 metres."""
    world, leg = episode.world, episode.legs[index]
    if isinstance(leg.goal, Point):
        after_walk = index > 0 and isinstance(episode.legs[index - 1].goal, Reach)
        return POINTED_AFTER_WALK if after_walk else POINTED_BY_SENTENCE if leg.sentences else POINTED
    if isinstance(leg.goal, Reach) and world_kind(world).distance == "metres":
        return WALK_NEAR
    return {Reach: WALK_REACHED, Collect: COLLECTED, Assemble: PLACED}[type(leg.goal)]


def _agent(number: int, name: str, files: Sequence[ScoredFile]) -> Agent:
    own = [file for file in files if file.agent == number]
    return Agent(
        name,
        trace_agent_name(own[0].source),
        tuple(file.source.file for file in own),
        sum(len(file.table) for file in own),
    )


def _score_file(
    source: TraceFile, values: MetricValues, agent: int, dataset: int, metrics: Sequence[str]
) -> ScoredFile:
    episodes, columns = source.dataset.episodes, source.columns
    table = np.full((len(columns.episode), len(metrics)), np.nan)
    for name, (trace, _) in values.legs.items():
        sums, counts = (np.bincount(trace, w, len(table)) for w in (values.by_metric[name].numbers, None))
        with np.errstate(invalid="ignore"):
            table[:, metrics.index(name)] = sums / counts
    max_legs = max(len(episode.legs) for episode in episodes)
    metric_of_leg = np.full((len(episodes), max_legs), -1)
    for index in np.unique(columns.episode).tolist():
        for k in range(len(episodes[index].legs)):
            metric_of_leg[index, k] = SUCCESS_METRICS.index(success_metric(episodes[index], k))
    trace_metrics = metric_of_leg[columns.episode]
    leg_success = np.full(trace_metrics.shape, np.nan)
    for k, name in enumerate(SUCCESS_METRICS):
        if name in values.legs:
            trace, leg = values.legs[name]
            matches = trace_metrics[trace, leg] == k
            leg_success[trace[matches], leg[matches]] = values.by_metric[name].numbers[matches] == 1.0
    any_failed = ((leg_success == 0.0) & (trace_metrics >= 0)).any(axis=1)
    all_known = (~np.isnan(leg_success) | (trace_metrics < 0)).all(axis=1)
    success = np.where(any_failed, 0.0, np.where(all_known, 1.0, np.nan))
    return ScoredFile(source, values, agent, dataset, table, leg_success, success)


def _examples(
    files: Sequence[ScoredFile], datasets: Sequence[ScoringDataset], max_examples: int | None, progress: Progress | None
) -> list[Example]:
    episode_keys = _choose_episodes(files, len(datasets), max_examples)
    traces: dict[tuple[int, int], list[ShownTrace]] = {key: [] for key in episode_keys}
    for k, file in enumerate(files):
        if progress:
            progress("reading traces", k, len(files))
        shown = {index for dataset, index in episode_keys if dataset == file.dataset}
        for row, trace in _traces(file.source, shown):
            key = file.dataset, int(file.source.columns.episode[row])
            traces[key].append(ShownTrace(k, row, trace))
    for episode_traces in traces.values():
        episode_traces.sort(key=lambda shown_trace: files[shown_trace.file].agent)
    return [
        Example(dataset, index, datasets[dataset].episodes[index], tuple(episode_traces))
        for (dataset, index), episode_traces in traces.items()
    ]


def _choose_episodes(files: Sequence[ScoredFile], datasets: int, max_examples: int | None) -> list[tuple[int, int]]:
    """Choose the shown episodes (dataset, index): those with traces, evenly from all datasets."""
    played: list[list[int]] = []
    for dataset in range(datasets):
        episode_columns = [file.source.columns.episode for file in files if file.dataset == dataset]
        played.append(np.unique(np.concatenate(episode_columns)).tolist())
    remaining = sum(map(len, played)) if max_examples is None else max_examples
    shares = [0] * datasets
    # Small datasets first: what they do not use is left to the large ones.
    for n, k in enumerate(sorted(range(datasets), key=lambda k: len(played[k]))):
        shares[k] = min(len(played[k]), -(-remaining // (datasets - n)))
        remaining -= shares[k]
    return [(dataset, index) for dataset in range(datasets) for index in played[dataset][: shares[dataset]]]


def _traces(source: TraceFile, shown_episodes: set[int]) -> Iterator[tuple[int, Trace]]:
    """Yield the traces of some episodes with their rows in the columns."""
    row = -1
    for line, episode, value in _rows(source):
        index = source.dataset.index.episodes.get(episode)
        if index is None:
            continue
        row += 1
        if index in shown_episodes:
            # Building a trace takes longer than reading its line, so only shown traces are built.
            yield row, value if isinstance(value, Trace) else _trace(value, source.file, line)


def _rows(source: TraceFile) -> Iterator[tuple[int, str, Trace | Json]]:
    """Yield line, episode id, and a trace: as JSON for files of traces, built for other prediction files."""
    if trace_dataset(source.file) is None:
        for trace in read_predictions(source.file, source.dataset.name, source.dataset.episodes):
            yield 0, trace.episode, trace
        return

    def fail(error: InputError) -> None:
        raise error

    for line, value in Reader(source.file, fail).lines():
        yield line, value["episode"], value


def _trace(value: Json, file: str, line: int) -> Trace:
    try:
        return Trace.from_json(value)
    except InputError as error:
        raise error.at(file=file, line=line) from None

"""What a report shows: files of traces with their scores, and of every trace its values and whether it was right."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import numpy as np
import numpy.typing as npt

from bearleft.data.json_stream import Reader
from bearleft.errors import InputError
from bearleft.evaluate.measures import PAPER, Values
from bearleft.evaluate.predictions import read_predictions
from bearleft.evaluate.score import (
    Data,
    Dataset,
    Progress,
    Scores,
    Source,
    dataset_of,
    measured,
    read_sources,
    tabulate,
)
from bearleft.models import BEST
from bearleft.records import Assemble, Collect, Episode, Point, Reach, Trace
from bearleft.runtime.json_fields import Json

Floats = npt.NDArray[np.float64]
# What says that a leg was done right: the papers' own measures.
RIGHT = ("TC", "SR", "A@40px", "Found@40px", "Acc@11deg", "CTC-3", "PTC")
REACHED, NEAR, POINTED, FOUND, FOLLOWED, COLLECTED, PLACED = RIGHT
MARK = re.compile(r"(?<=.)\[[0-9a-f]{6,}\]")  # of a file's contents: walker.py[6a9d6568]
OF_PAIRS = ("Pairs", "Changed")
SEED, RESAMPLES = 0, 1000  # those of `score`, so that its numbers are these


@dataclass(frozen=True)
class Agent:
    """A column of the report: a name, what its traces call it, and the files they are in."""

    name: str
    said: str
    files: tuple[str, ...]
    traces: int


@dataclass(frozen=True)
class File:
    """A file with what was measured; `agent` and `dataset` are numbers of the columns and datasets gathered.

    Of each trace: `table` holds its value of each measure (NaN where it has none), `good` whether each of its legs was
    done right and `right` whether all were (1, 0, NaN where that cannot be said).
    """

    source: Source
    values: Values
    agent: int
    dataset: int
    table: Floats
    good: Floats
    right: Floats


@dataclass(frozen=True)
class Done:
    """A trace that is shown: which file it is in, and its number there."""

    file: int
    number: int
    trace: Trace


@dataclass(frozen=True)
class Example:
    """An episode that is shown, with all that was done in it."""

    dataset: int
    number: int
    episode: Episode
    done: tuple[Done, ...]


@dataclass(frozen=True)
class Gathered:
    """All of it."""

    datasets: list[Dataset]
    agents: list[Agent]
    files: list[File]
    metrics: list[str]
    scores: Scores
    examples: list[Example]

    @property
    def traces(self) -> list[Done]:
        """All traces that are shown, example by example."""
        return [done for example in self.examples for done in example.done]


def gather(
    files: Sequence[str | os.PathLike[str]],
    dataset: str | None = None,
    examples: int | None = None,
    data: Data = None,
    progress: Progress | None = None,
    convention: str = PAPER,
) -> Gathered:
    """Reads, measures and scores files as `score` does, and keeps the traces of at most so many examples."""
    if examples is not None and examples < 1:
        raise InputError("at least one example", str(examples), "examples")
    once = list({Path(file).absolute(): file for file in files}.values())
    sources, notes = read_sources(once, dataset, data, progress)
    scores = Scores(notes=notes)
    found = []
    for k, source in enumerate(sources):
        if progress:
            progress("scoring", k, len(sources))
        found.append((source, measured(source, convention)))
        scores.notes += [f"{Path(source.file).name}: {note}" for note in found[-1][1].notes]
    tabulate(scores, found, SEED, RESAMPLES, True, set())
    scores.notes = list(dict.fromkeys(scores.notes))
    datasets = list({source.dataset.name: source.dataset for source in sources}.values())
    metrics = list(dict.fromkeys(name for _, values in found for name in values.by_metric))
    metrics.sort(key=lambda name: name in OF_PAIRS)  # after what they are made of, whichever file came first
    names = agent_names(sources)
    columns = list(dict.fromkeys(names))
    read = [
        _file(source, values, columns.index(name), datasets.index(source.dataset), metrics)
        for (source, values), name in zip(found, names, strict=True)
    ]
    agents = [_agent(k, name, read) for k, name in enumerate(columns)]
    return Gathered(datasets, agents, read, metrics, scores, _examples(read, datasets, examples, progress))


def agent_names(sources: Sequence[Source]) -> list[str]:
    """A name for each file: its agent's, with the file's where two files hold the same agent on the same dataset."""
    said = _without_folders(_without_marks([said_name(source) for source in sources]))
    many = Counter((name, source.dataset.name) for name, source in zip(said, sources, strict=True))
    short = Counter(Path(source.file).name for source in sources)
    names = []
    for name, source in zip(said, sources, strict=True):
        file = Path(source.file).name
        inside = file if short[file] == 1 else source.file
        names.append(f"{name} ({inside})" if many[name, source.dataset.name] > 1 else name)
    return names


def said_name(source: Source) -> str:
    """An agent as its traces call it."""
    return " + ".join(source.columns.agents)


def _without_marks(names: Sequence[str]) -> list[str]:
    """Names of one's own files without the letters of their contents, where those tell no two apart."""
    short = {name: MARK.sub("", name) for name in names}
    alike = Counter(short.values())
    return [short[name] if alike[short[name]] == 1 else name for name in names]


def _without_folders(names: Sequence[str]) -> list[str]:
    """Checkpoints by as few folders as tell them apart: runs/ours/best.pt is ours."""
    paths = {name: PurePath(name.removesuffix(f"/{BEST}")).parts for name in names if name.endswith(".pt")}
    others = set(names) - set(paths)
    for count in range(1, max(map(len, paths.values()), default=0) + 1):
        short = {name: "/".join(parts[-count:]) for name, parts in paths.items()}
        if len({*short.values()} | others) == len(paths) + len(others):
            return [short.get(name, name) for name in names]
    return list(names)


def right_by(episode: Episode, number: int) -> str:
    """The measure that says whether a leg was done right; indoors (R2R) whoever stops within 3 metres is there."""
    world, leg = episode.world, episode.legs[number]
    if isinstance(leg.goal, Point):
        behind = number > 0 and isinstance(episode.legs[number - 1].goal, Reach)
        return FOUND if behind else FOLLOWED if leg.sentences else POINTED
    if isinstance(leg.goal, Reach) and world.startswith("matterport/"):
        return NEAR
    return {Reach: REACHED, Collect: COLLECTED, Assemble: PLACED}[type(leg.goal)]


def _agent(number: int, name: str, files: Sequence[File]) -> Agent:
    own = [file for file in files if file.agent == number]
    return Agent(
        name, said_name(own[0].source), tuple(file.source.file for file in own), sum(len(file.table) for file in own)
    )


def _file(source: Source, values: Values, agent: int, dataset: int, metrics: Sequence[str]) -> File:
    episodes, columns = source.dataset.episodes, source.columns
    table = np.full((len(columns.episode), len(metrics)), np.nan)
    for name, (trace, _) in values.legs.items():
        sums, counts = (np.bincount(trace, w, len(table)) for w in (values.by_metric[name][0], None))
        with np.errstate(invalid="ignore"):
            table[:, metrics.index(name)] = sums / counts
    most = max(len(episode.legs) for episode in episodes)
    expected = np.full((len(episodes), most), -1)
    for number in np.unique(columns.episode).tolist():
        for k in range(len(episodes[number].legs)):
            expected[number, k] = RIGHT.index(right_by(episodes[number], k))
    asked = expected[columns.episode]
    good = np.full(asked.shape, np.nan)
    for k, name in enumerate(RIGHT):
        if name in values.legs:
            trace, leg = values.legs[name]
            of = asked[trace, leg] == k
            good[trace[of], leg[of]] = values.by_metric[name][0][of] == 1.0
    missed, said = ((good == 0.0) & (asked >= 0)).any(axis=1), (~np.isnan(good) | (asked < 0)).all(axis=1)
    right = np.where(missed, 0.0, np.where(said, 1.0, np.nan))
    return File(source, values, agent, dataset, table, good, right)


def _examples(
    files: Sequence[File], datasets: Sequence[Dataset], most: int | None, progress: Progress | None
) -> list[Example]:
    chosen = _chosen(files, len(datasets), most)
    done: dict[tuple[int, int], list[Done]] = {key: [] for key in chosen}
    for k, file in enumerate(files):
        if progress:
            progress("reading traces", k, len(files))
        kept = {number for dataset, number in chosen if dataset == file.dataset}
        for number, trace in _traces(file.source, kept):
            key = file.dataset, int(file.source.columns.episode[number])
            done[key].append(Done(k, number, trace))
    for found in done.values():
        found.sort(key=lambda one: files[one.file].agent)
    return [
        Example(dataset, number, datasets[dataset].episodes[number], tuple(found))
        for (dataset, number), found in done.items()
    ]


def _chosen(files: Sequence[File], datasets: int, most: int | None) -> list[tuple[int, int]]:
    """Dataset and number of the episodes that are shown: those with traces, from every dataset alike."""
    played: list[list[int]] = []
    for dataset in range(datasets):
        mine = [file.source.columns.episode for file in files if file.dataset == dataset]
        played.append(np.unique(np.concatenate(mine)).tolist())
    left = sum(map(len, played)) if most is None else most
    shares = [0] * datasets
    # The small ones first: what they do not use up is there for the large ones.
    for n, k in enumerate(sorted(range(datasets), key=lambda k: len(played[k]))):
        shares[k] = min(len(played[k]), -(-left // (datasets - n)))
        left -= shares[k]
    return [(dataset, number) for dataset in range(datasets) for number in played[dataset][: shares[dataset]]]


def _traces(source: Source, kept: set[int]) -> Iterator[tuple[int, Trace]]:
    """The traces of some episodes, with the numbers that the columns give them."""
    number = -1
    for line, episode, value in _rows(source):
        at = source.dataset.asked.episodes.get(episode)
        if at is None:
            continue
        number += 1
        if at in kept:
            # To make a trace takes longer than to read its line, so only those are made that are shown.
            yield number, value if isinstance(value, Trace) else _trace(value, source.file, line)


def _rows(source: Source) -> Iterator[tuple[int, str, Trace | Json]]:
    """Line, episode, and what was done: lines of our own traces as they stand, others' predictions as traces."""
    if dataset_of(source.file) is None:
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

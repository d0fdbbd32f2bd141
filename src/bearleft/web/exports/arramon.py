"""Collected texts of ArraMon: the released format, our episodes and traces, and the paper's statistics.

`export` writes a folder of data: `city/arramon/PROJECT.json` in the released format, `PROJECT.jsonl` with the same
episodes in ours, `PROJECT-discarded.jsonl` with sets of texts that nobody followed well, and `PROJECT-traces-1.jsonl`,
`-2` and `-3` with the traces of each kept set's followers. `bearleft score FOLDER/PROJECT-traces-1.jsonl --data FOLDER`
scores them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from bearleft.data import open_dataset, write
from bearleft.data.loaders.arramon import OWN_FIELD
from bearleft.data.stats import PAPER
from bearleft.errors import InputError, format_value
from bearleft.experiments.arramon.published import COLLECTION, TABLE_3
from bearleft.experiments.rows import Row, comparison_rows
from bearleft.language.analysis.tokens import words
from bearleft.records import Assemble, Collect, Episode, Leg, Trace, to_json_line
from bearleft.runtime.store import write_text
from bearleft.web.database.models import Answer, Attempt, Event, Project, Unit, Worker
from bearleft.web.decisions import is_rejected, last_decisions
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.arramon.following import FOLLOWERS, with_texts
from bearleft.web.tasks.arramon.kinds import FOLLOWING, PHASES, WRITING

FAMILY = "city/arramon"
TABLE_1 = PAPER["arramon"]


@dataclass(frozen=True)
class Follower:
    """A follower of a set of texts.

    Attributes:
        worker: The person's pseudonym.
        trace: The stored trace.
        turns: nDTW, CTC-0, rPOD and PTC of both turns.
        followed: Whether nDTW is above 0.2 and PTC 1 in both turns, unless an admin has decided otherwise.
        flags: What the person said is wrong with the texts.
    """

    worker: str
    trace: Trace
    turns: tuple[dict[str, float], ...]
    followed: bool
    flags: tuple[str, ...]


@dataclass(frozen=True)
class CollectedSet:
    """The four texts of a map with their followers.

    Attributes:
        id: Number of the writing unit.
        dataset: The dataset of the map.
        episode: The id of the map.
        writer: The writer's pseudonym.
        texts: The texts.
        doubtful: Whether the checks left notes for a reviewer.
        reviewed: Whether a reviewer has decided on the set.
        rejected: Whether a reviewer did not accept the set.
        followers: Who followed it, in order.
    """

    id: int
    dataset: str
    episode: str
    writer: str
    texts: tuple[str, ...]
    doubtful: bool
    reviewed: bool
    rejected: bool
    followers: tuple[Follower, ...]

    @property
    def kept(self) -> bool:
        """Whether it is in the dataset: somebody followed it well, and no reviewer rejected it."""
        return not self.rejected and any(follower.followed for follower in self.followers)

    @property
    def finished(self) -> bool:
        """Whether all followers are there, or no more are asked."""
        return self.rejected or len(self.followers) >= FOLLOWERS

    @property
    def discarded(self) -> bool:
        """Whether it is out of the dataset for good."""
        return self.finished and not self.kept


def collected_sets(session: Session, project: Project) -> list[CollectedSet]:
    """Return all sets of texts in the order in which they were written."""
    if project.family != "arramon":
        raise InputError("a project of ArraMon", f"{format_value(project.name)}, one of {project.family}", "project")
    followers: dict[int, list[Follower]] = {}
    for answer, unit, pseudonym in _answers(session, project, FOLLOWING, ~is_rejected()):
        followers.setdefault(unit.parent_id or 0, []).append(_follower(answer, pseudonym))
    written = _answers(session, project, WRITING)
    decided = last_decisions(session, [answer.id for answer, *_ in written])
    return [
        CollectedSet(
            unit.id,
            unit.payload["dataset"],
            unit.payload["episode"],
            pseudonym,
            tuple(answer.data["texts"]),
            bool(answer.data["review"]),
            answer.id in decided,
            answer.id in decided and not decided[answer.id].accepted,
            tuple(followers.get(unit.id, ())),
        )
        for answer, unit, pseudonym in written
    ]


def _answers(
    session: Session, project: Project, kind: str, *conditions: ColumnElement[bool]
) -> list[tuple[Answer, Unit, str]]:
    query = (
        select(Answer, Unit, Worker.pseudonym)
        .join(Unit, Unit.id == Answer.unit_id)
        .join(Worker, Worker.id == Answer.worker_id)
        .where(Unit.project_id == project.id, Unit.kind == kind, *conditions)
        .order_by(Answer.id)
    )
    return [(answer, unit, pseudonym) for answer, unit, pseudonym in session.execute(query)]


def _follower(answer: Answer, pseudonym: str) -> Follower:
    data = answer.data
    trace = Trace.from_json(data["trace"])
    return Follower(pseudonym, trace, tuple(data["turns"]), answer.accepted, tuple(data["flags"]))


def episodes(sets: Sequence[CollectedSet], worlds: SceneWorlds, project: Project) -> list[Episode]:
    """Return sets of texts as episodes, as the loader reads them from the released format."""
    return [_episode(one, worlds, f"{FAMILY}/{project.name}") for one in sets]


def _episode(collected: CollectedSet, worlds: SceneWorlds, dataset: str) -> Episode:
    of_map = worlds.episode(collected.dataset, collected.episode)
    people = {
        "writer": collected.writer,
        "followers": [
            {"worker": one.worker, "followed": one.followed, "turns": list(one.turns), "flags": list(one.flags)}
            for one in collected.followers
        ],
    }
    # The landmarks and phenomena of a generated map belong to its generated texts.
    extra = {name: value for name, value in of_map.extra.items() if name != OWN_FIELD} | {OWN_FIELD: people}
    return replace(with_texts(of_map, collected.texts), dataset=dataset, extra=extra)


def export(session: Session, project: Project, worlds: SceneWorlds, folder: Path) -> list[dict[str, Any]]:
    """Write what a project has collected; `folder` can then be given as --data.

    Args:
        session: A session of the database.
        project: The project.
        worlds: The worlds of the server.
        folder: The folder to write.

    Returns:
        A row for each file: its path and the number of records.

    Raises:
        InputError: The project is of another family, or no set of texts was kept or discarded yet.
    """
    sets = collected_sets(session, project)
    kept = [one for one in sets if one.kept]
    discarded = [one for one in sets if one.discarded]
    if not kept and not discarded:
        raise InputError("a project with texts that people have followed", f"none in {project.name}", "project")
    written: list[dict[str, Any]] = []
    name, sha256 = f"{FAMILY}/{project.name}", ""
    if kept:
        path = folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(FAMILY, episodes(kept, worlds, project), path)
        written.append({"file": str(path), "records": len(kept)})
        sha256 = open_dataset(name, folder).sha256
    records: dict[str, Sequence[Episode | Trace]] = {
        "": episodes(kept, worlds, project),
        "-discarded": episodes(discarded, worlds, project),
    }
    for number in range(FOLLOWERS):
        records[f"-traces-{number + 1}"] = [
            replace(one.followers[number].trace, dataset=name, sha256=sha256)
            for one in kept
            if number < len(one.followers)
        ]
    for suffix, lines in records.items():
        if lines:
            path = folder / f"{project.name}{suffix}.jsonl"
            write_text(path, "".join(f"{to_json_line(line)}\n" for line in lines))
            written.append({"file": str(path), "records": len(lines)})
    return written


def statistics(session: Session, project: Project, worlds: SceneWorlds) -> list[Row]:
    """Return the paper's statistics of a collection: people and sets (sections 4 and 5), Table 1, people's scores."""
    sets, name = collected_sets(session, project), project.name
    kept = [one for one in sets if one.kept]
    counts = {
        "workers, stage 1": len({one.writer for one in sets}),
        "workers, stage 2": len({follower.worker for one in sets for follower in one.followers}),
        "instruction sets collected": len(sets),
        "instruction sets kept": len(kept),
        "instruction sets discarded": sum(one.discarded for one in sets),
        "instruction sets under way": sum(not one.kept and not one.discarded for one in sets),
        "doubtful instruction sets": sum(one.doubtful for one in sets),
        "reviewed instruction sets": sum(one.reviewed for one in sets),
        "rejected instruction sets": sum(one.rejected for one in sets),
        "blocked texts": _blocked_texts(session, project),
        "followers of instruction sets": sum(len(one.followers) for one in sets),
    }
    rows = comparison_rows("sections 4 and 5", name, COLLECTION, counts)
    if kept:
        rows += _length_rows(name, kept, worlds)
        rows += _score_rows(name, kept)
    return rows


def _blocked_texts(session: Session, project: Project) -> int:
    """Return how often a check kept a writer from going on to the next part."""
    query = (
        select(Event.result)
        .join(Attempt, Attempt.id == Event.attempt_id)
        .join(Unit, Unit.id == Attempt.unit_id)
        .where(Unit.project_id == project.id, Unit.kind == WRITING, Event.kind == "next")
    )
    return sum(not result["accepted"] for result in session.scalars(query))


def _length_rows(name: str, kept: Sequence[CollectedSet], worlds: SceneWorlds) -> list[Row]:
    """Return Table 1: words, moves and actions of both turns together."""
    rows: list[Row] = []
    maps = [worlds.episode(one.dataset, one.episode) for one in kept]
    for k, phase in enumerate(PHASES):
        lengths = {
            "words": [sum(len(words(text)) for text in one.texts[k::2]) for one in kept],
            "moves": [sum(_moves(leg) for leg in episode.legs[k::2]) for episode in maps],
            "actions": [sum(_actions(leg) for leg in episode.legs[k::2]) for episode in maps],
        }
        for counted, values in lengths.items():
            measured = {"max": max(values), "mean": _mean(values)}
            paper = {one: TABLE_1[f"{phase}, {counted}, both turns, {one}"] for one in measured}
            rows += comparison_rows("1", f"{phase}, {counted}, {name}", paper, measured, "sums over both turns")
    return rows


def _moves(leg: Leg) -> int:
    assert isinstance(leg.goal, Collect | Assemble)
    return len(leg.goal.path) - 1


def _actions(leg: Leg) -> int:
    assert isinstance(leg.goal, Collect | Assemble)
    return len(leg.goal.actions)


def _score_rows(name: str, kept: Sequence[CollectedSet]) -> list[Row]:
    """Return people's scores on the kept sets beside the paper's, whose people did other tasks."""
    best = [max(one.followers, key=lambda f: (f.followed, _mean_of(f.turns, "nDTW"))) for one in kept]
    all_followers = [follower for one in kept for follower in one.followers]
    rows: list[Row] = []
    for label, people in (("best follower of each set", best), ("all followers", all_followers)):
        measured = {metric: _mean([_mean_of(one.turns, metric) for one in people]) for metric in best[0].turns[0]}
        paper = TABLE_3["H/W"] if people is best else {}
        rows += comparison_rows("3", f"{label}, {name}", paper, measured, f"{len(people)} people's runs")
    return rows


def _mean_of(turns: Sequence[dict[str, float]], metric: str) -> float:
    return _mean([turn[metric] for turn in turns])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)

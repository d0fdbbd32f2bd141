"""Collected rankings of the nDTW study: files for `bearleft paper ndtw-study --rankings`, and the paper's Table 1.

Who ranks a set a second time is counted for consistency only: Table 1 has the first ranking of a set by each person.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value
from bearleft.experiments.ndtw.study import (
    COMPARISONS,
    QUERIES_PER_SET,
    TABLE_1,
    PathSet,
    Ranking,
    agreement_rows,
    sign_test_rows,
    spearman,
)
from bearleft.runtime.store import write_text
from bearleft.web.database.models import Answer, Attempt, Project, Unit, Worker
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.ndtw_study import RANKING, path_set_of

FAMILY = "ndtw-study"
Row = dict[str, Any]


@dataclass(frozen=True)
class CollectedRanking:
    """A person's ranking of a set.

    Attributes:
        id: Number of the answer.
        ranking: The set, the person's pseudonym, and the places of the queries from 1, the best, to 5.
        study: "unconstrained" or "success-constrained".
        unit: Number of the unit.
        repeats: The unit that showed the same set the first time; None if this was the first time.
        shown: The queries in the order in which the person saw them at first.
        moves: How often a path was moved.
        seconds: From the first sight of the set to the answer.
        time: When the answer was stored, as an ISO time.
    """

    id: int
    ranking: Ranking
    study: str
    unit: int
    repeats: int | None
    shown: tuple[int, ...]
    moves: int
    seconds: float
    time: str


@dataclass(frozen=True)
class Collection:
    """What a project has collected.

    Attributes:
        first: Each person's first ranking of each set, in the order of submission.
        repeated: Second rankings of sets.
        sets: The sets that were ranked.
    """

    first: list[CollectedRanking]
    repeated: list[CollectedRanking]
    sets: list[PathSet]

    @property
    def rankings(self) -> list[Ranking]:
        """Return the rankings that Table 1 counts."""
        return [one.ranking for one in self.first]


@dataclass(frozen=True)
class Analysis:
    """What a project's rankings say.

    Attributes:
        table: Table 1, published and ours: a row for each metric that nDTW or SDTW is compared with.
        agreement: The mean rank correlation of each metric with people.
        counts: Sets, rankings, people, and how consistent people are.
    """

    table: list[Row]
    agreement: list[Row]
    counts: Row

    @property
    def remark(self) -> str:
        """Return the counts in words."""
        counts = self.counts
        people = "1 person" if counts["people"] == 1 else f"{counts['people']:,} people"
        text = f"Rankings: {counts['rankings']:,}, of {counts['sets']:,} sets, by {people}."
        if counts["ranked twice"]:
            text += (
                f" Sets that somebody has ranked twice: {counts['ranked twice']:,}; mean correlation of both rankings:"
            )
            text += f" {counts['consistency']:.2f}."
        return text


def collected(session: Session, project: Project) -> Collection:
    """Return the rankings of a project.

    Raises:
        InputError: The project is of another family.
    """
    if project.family != FAMILY:
        got = f"{format_value(project.name)}, one of {project.family}"
        raise InputError("a project of the nDTW study", got, "project")
    query = (
        select(Answer, Attempt.started, Unit, Worker.pseudonym)
        .join(Attempt, Attempt.id == Answer.attempt_id)
        .join(Unit, Unit.id == Answer.unit_id)
        .join(Worker, Worker.id == Answer.worker_id)
        .where(Unit.project_id == project.id, Unit.kind == RANKING)
        .order_by(Answer.id)
    )
    rankings, sets = [], {}
    for answer, started, unit, pseudonym in session.execute(query):
        data = answer.data
        ranking = Ranking(data["set"], pseudonym, tuple(data["places"]))
        seconds = round((answer.created - started).total_seconds(), 1)
        shown, time = tuple(data["shown"]), answer.created.isoformat(timespec="seconds")
        rankings.append(
            CollectedRanking(
                answer.id, ranking, data["study"], unit.id, data["repeats"], shown, data["moves"], seconds, time
            )
        )
        sets[data["set"]] = path_set_of(unit.payload)
    first = [one for one in rankings if one.repeats is None]
    repeated = [one for one in rankings if one.repeats is not None]
    return Collection(first, repeated, list(sets.values()))


def analyse(session: Session, project: Project) -> Analysis:
    """Return Table 1 of a project, published and ours, the agreement of each metric with people, and counts."""
    collection = collected(session, project)
    agreement = agreement_rows(collection.sets, collection.rankings)
    tests = sign_test_rows(collection.sets, collection.rankings)
    return Analysis(_table(tests, agreement), agreement, _counts(collection))


def _table(tests: Sequence[Row], agreement: Sequence[Row]) -> list[Row]:
    measured = {(row["metric"], row["against"]): row for row in tests}
    mean = {(row["study"], row["metric"]): row["correlation"] for row in agreement}
    rows = []
    for study, (first, rivals) in COMPARISONS.items():
        for rival in rivals:
            positive, negative, p = TABLE_1[rival]
            ours = measured.get((first, rival), {})
            rows.append(
                {
                    "study": study,
                    "metric": first,
                    "against": rival,
                    "paper +": positive,
                    "paper -": negative,
                    "paper p": p,
                    "+": ours.get("positive", 0),
                    "-": ours.get("negative", 0),
                    "ties": ours.get("ties", 0),
                    "p": ours.get("p"),
                    "correlation": mean.get((study, first)),
                    "of rival": mean.get((study, rival)),
                }
            )
    return rows


def _counts(collection: Collection) -> Row:
    """Return how much was collected; consistency is the rank correlation of a person's two rankings of a set."""
    pairs = consistency(collection)
    return {
        "sets": len(collection.sets),
        "rankings": len(collection.first),
        "people": len({one.ranking.rater for one in collection.first}),
        "ranked twice": len(pairs),
        "consistency": sum(pairs) / len(pairs) if pairs else None,
    }


def consistency(collection: Collection) -> list[float]:
    """Return the rank correlation of the first and the second ranking of each set that a person ranked twice."""
    first = {(one.unit, one.ranking.rater): one.ranking.places for one in collection.first}
    again = [((one.repeats, one.ranking.rater), one.ranking.places) for one in collection.repeated]
    return [spearman(first[key], places) for key, places in again if key in first]


def statistics(session: Session, project: Project) -> list[Row]:
    """Return the rows of Table 1, published and ours."""
    return analyse(session, project).table


def ranking_line(ranking: Ranking) -> str:
    """Return the line of a ranking, as `read_rankings` reads it."""
    return json.dumps({"set": ranking.set, "rater": ranking.rater, "places": list(ranking.places)}) + "\n"


def export(session: Session, project: Project, _worlds: SceneWorlds, folder: Path) -> list[Row]:
    """Write what a project has collected.

    Args:
        session: A session of the database.
        project: The project.
        _worlds: The worlds of the server, which the study does not need.
        folder: The folder to write.

    Returns:
        A row for each file: its path and the number of records.

    Raises:
        InputError: The project is of another family, or has collected nothing yet.
    """
    collection = collected(session, project)
    if not collection.first:
        raise InputError("a project that has collected rankings", f"none in {project.name}", "project")
    ranked = [*collection.first, *collection.repeated]
    sets = "".join(json.dumps(path_set.to_json()) + "\n" for path_set in collection.sets)
    files = {
        "-rankings.jsonl": (_lines(collection.first), len(collection.first)),
        "-repeated.jsonl": (_lines(collection.repeated), len(collection.repeated)),
        "-sets.jsonl": (sets, len(collection.sets)),
        ".csv": (_csv(ranked), len(ranked)),
    }
    written = []
    for suffix, (text, records) in files.items():
        if records:
            path = folder / f"{project.name}{suffix}"
            write_text(path, text)
            written.append({"file": str(path), "records": records})
    return written


def _lines(rankings: Sequence[CollectedRanking]) -> str:
    return "".join(ranking_line(one.ranking) for one in rankings)


def _csv(rankings: Sequence[CollectedRanking]) -> str:
    places = [f"place_{k}" for k in range(QUERIES_PER_SET)]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        ["answer", "unit", "set", "study", "rater", *places, "shown", "moves", "seconds", "repeats_unit", "time"]
    )
    for one in sorted(rankings, key=lambda one: one.id):
        shown = " ".join(map(str, one.shown))
        row = [one.id, one.unit, one.ranking.set, one.study, one.ranking.rater, *one.ranking.places]
        writer.writerow([*row, shown, one.moves, one.seconds, one.repeats, one.time])
    return stream.getvalue()

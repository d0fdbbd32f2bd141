"""What was collected: files, Table 1 against slow code, and raters whose preference is known."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scipy import stats
from sqlalchemy import select

from bearleft.errors import InputError
from bearleft.experiments.ndtw.study import TABLE_1, PathSet, path_sets, read_rankings, sign_test_rows
from bearleft.web.analyses import project_analysis
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Answer, Event, Project, Unit, Worker
from bearleft.web.exports import export_project, project_statistics
from bearleft.web.exports.ndtw_study import analyse, collected, consistency
from bearleft.web.projects import create_project
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings
from bearleft.web.tasks.ndtw_study.sets import shown_order
from tests.commands import run_command
from tests.web.ndtw_study.conftest import NewRater
from tests.web.ndtw_study.people import Rater, by_metric

SEED = 3


def by_last_metric(path_set: PathSet) -> list[float]:
    """Return the last metric of a set's study: MD, or SED."""
    values: list[float] = list(path_set.scores().values())[-1].tolist()
    return values


def by_length(path_set: PathSet) -> list[float]:
    """Return the number of places of each query, which is often the same."""
    return [float(len(query)) for query in path_set.queries]


def project_of(session: Any, name: str = "ranks") -> Project:
    found: Project = session.scalars(select(Project).where(Project.name == name)).one()
    return found


def test_raters_who_prefer_what_ndtw_says_agree_with_it_always(new_rater: NewRater, database: Database) -> None:
    rater = new_rater(studies=["unconstrained"], limit=8, session=4)
    answers = rater.rank_all(by_metric("nDTW"))
    new = [answer for answer in answers if answer["repeats"] is None]
    assert len(new) == 8 < len(answers)
    with database.read() as session:
        analysis = analyse(session, project_of(session))
    of_study = [row for row in analysis.table if row["study"] == "unconstrained"]
    assert [row["against"] for row in of_study] == ["PL", "NE", "ONE", "CLS", "AD", "MD"]
    for row in of_study:
        assert row["correlation"] == pytest.approx(1)
        assert row["-"] == 0
        assert row["+"] + row["ties"] == 8
        assert row["p"] == pytest.approx(2 * 0.5 ** row["+"] if row["+"] else 1)
    assert all(row["p"] is None for row in analysis.table if row["study"] == "success-constrained")
    assert analysis.counts == {
        "sets": 8,
        "rankings": 8,
        "people": 1,
        "ranked twice": 2,
        "consistency": pytest.approx(1),
    }
    assert analysis.remark == (
        "Rankings: 8, of 8 sets, by 1 person. "
        "Sets that somebody has ranked twice: 2; mean correlation of both rankings: 1.00."
    )


def test_raters_who_prefer_the_opposite_never_agree_with_ndtw(new_rater: NewRater, database: Database) -> None:
    new_rater(studies=["unconstrained"], limit=3, repeat=False).rank_all(by_metric("nDTW", -1.0))
    with database.read() as session:
        table = analyse(session, project_of(session)).table
    assert [row["correlation"] for row in table[:6]] == pytest.approx([-1] * 6)
    assert sum(row["+"] for row in table) == 0


@pytest.mark.slow
def test_table_1_equals_slow_code_that_replays_the_moves(new_rater: NewRater, database: Database) -> None:
    for k, prefer in enumerate((by_last_metric, by_length)):
        rater = new_rater(limit=4, session=3, answers=2, seed=SEED) if k == 0 else new_rater()
        rater.rank_all(prefer)
    expected: dict[tuple[str, str], Counter[str]] = {}
    sets = {one.id: one for study in ("unconstrained", "success-constrained") for one in first_sets(study, 4)}
    with database.read() as session:
        for answer, unit in session.execute(select(Answer, Unit).join(Unit, Unit.id == Answer.unit_id)):
            if "repeats" in unit.payload:
                continue
            order = list("ABCDE")
            query = select(Event).where(Event.attempt_id == answer.attempt_id).order_by(Event.number)
            for event in session.scalars(query):
                order.remove(event.data["path"])
                order.insert(event.data["rank"] - 1, event.data["path"])
            shown = shown_order(SEED, unit.id, answer.worker_id)
            place = {shown["ABCDE".index(name)]: rank for rank, name in enumerate(order, 1)}
            scores = sets[unit.payload["set"]].scores()
            first = "nDTW" if "nDTW" in scores else "SDTW"
            rho = {name: correlation([-place[k] for k in range(5)], scores[name].tolist()) for name in scores}
            for rival in scores.keys() - {first}:
                sign = "tie" if abs(rho[first] - rho[rival]) < 1e-9 else "+" if rho[first] > rho[rival] else "-"
                expected.setdefault((first, rival), Counter())[sign] += 1
        table = analyse(session, project_of(session)).table
    assert len(table) == len(TABLE_1) == len(expected)
    for row in table:
        count = expected[row["metric"], row["against"]]
        assert (row["+"], row["-"], row["ties"]) == (count["+"], count["-"], count["tie"])
        assert sum(count.values()) == 8
        total = count["+"] + count["-"]
        assert row["p"] == pytest.approx(stats.binomtest(count["+"], total).pvalue if total else 1)
        assert (row["paper +"], row["paper -"], row["paper p"]) == TABLE_1[row["against"]]


def first_sets(study: str, count: int) -> list[Any]:
    made = path_sets(study, SEED)
    return [next(made) for _ in range(count)]


def correlation(first: list[float], second: list[float]) -> float:
    """Return Spearman's correlation by SciPy; 0 where all values are equal."""
    return 0.0 if len(set(second)) == 1 else float(stats.spearmanr(first, second).statistic)


def test_consistency_is_of_a_persons_own_two_rankings(new_rater: NewRater, database: Database) -> None:
    rater = new_rater(studies=["unconstrained"], limit=2, session=2)
    for prefer in (by_metric("nDTW"), by_metric("nDTW", -1.0), by_metric("CLS"), by_metric("CLS")):
        lease = rater.claim()
        assert lease
        rater.rank(lease, prefer)
    with database.read() as session:
        collection = collected(session, project_of(session))
        assert consistency(collection) == pytest.approx([-1, 1])
        assert [one.ranking.set for one in collection.first] == ["unconstrained-000", "unconstrained-001"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the URL of a database with a project that two people have ranked."""
    path = str(tmp_path_factory.mktemp("finished") / "ranks.sqlite")
    database, worlds = open_database(path), SceneWorlds()
    settings = {"limit": 3, "session": 3, "seed": SEED}
    create_project(database, worlds, "ranks", "ndtw-study", settings, answers=2)
    create_project(database, worlds, "empty", "ndtw-study", {"limit": 1})
    for prefer in (by_last_metric, by_length):
        Rater(database, worlds, "ranks").rank_all(prefer)
    database.close()
    return path


@pytest.mark.slow
def test_files_are_what_the_paper_command_reads(finished: str, tmp_path: Path) -> None:
    rows = export_project(Settings(database=finished), "ranks", tmp_path)
    assert {Path(row["file"]).name: row["records"] for row in rows} == {
        "ranks-rankings.jsonl": 12,
        "ranks-repeated.jsonl": 6,
        "ranks-sets.jsonl": 6,
        "ranks.csv": 18,
    }
    rankings = read_rankings(tmp_path / "ranks-rankings.jsonl")
    sets = [one for study in ("unconstrained", "success-constrained") for one in first_sets(study, 3)]
    expected = {(row["metric"], row["against"]): row for row in sign_test_rows(sets, rankings)}
    for row in project_statistics(finished, "ranks", "ndtw-study"):
        of_file = expected[row["metric"], row["against"]]
        assert (row["+"], row["-"], row["ties"]) == (of_file["positive"], of_file["negative"], of_file["ties"])
        assert row["p"] == of_file["p"]
    lines = [json.loads(line) for line in (tmp_path / "ranks-sets.jsonl").read_text().splitlines()]
    assert sorted(lines, key=lambda line: line["id"]) == sorted((one.to_json() for one in sets), key=lambda s: s["id"])


def test_the_table_has_a_line_for_each_ranking_with_pseudonyms(finished: str, tmp_path: Path) -> None:
    export_project(Settings(database=finished), "ranks", tmp_path)
    with (tmp_path / "ranks.csv").open(newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert len({line["rater"] for line in lines}) == 2
    assert all(len(line["rater"]) == 16 for line in lines)
    assert sum(bool(line["repeats_unit"]) for line in lines) == 6
    for line in lines:
        assert sorted(line[f"place_{k}"] for k in range(5)) == list("12345")
        assert sorted(line["shown"].split()) == list("01234")
        assert int(line["moves"]) == 5
        assert float(line["seconds"]) >= 0
    database = open_database(finished)
    with database.read() as session:
        assert {line["rater"] for line in lines} == set(session.scalars(select(Worker.pseudonym)))
    database.close()


def test_the_command_prints_table_1_and_the_address_of_its_page(
    finished: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BEARLEFT_SECRET", "a secret of the server")
    arguments = ["paper", "ndtw-study", "--project", "ranks", "--database", finished]
    code, out, err = run_command(capsys, *arguments, "--json")
    assert code == 0
    assert json.loads(out) == project_statistics(finished, "ranks", "ndtw-study")
    assert "Rankings: 12, of 6 sets, by 2 people." in err
    assert "Page: /projects/ranks/analysis?key=" in err
    for wrong, message in (
        (["paper", "ndtw-study", "--database", finished], "--project"),
        (["paper", "ndtw-study", "--project", "rank", "--database", finished], "Did you mean ranks"),
        (["serve", "add", "streets", "--task", "touchdown", "--database", finished], "--dataset"),
    ):
        code, _, err = run_command(capsys, *wrong)
        assert code == 2
        assert message in err


def test_nothing_ranked_is_no_export_but_an_empty_table(finished: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has collected rankings"):
        export_project(Settings(database=finished), "empty", tmp_path)
    analysis = project_analysis(finished, "empty")
    assert len(analysis.table) == 10
    assert all(row["p"] is None and row["correlation"] is None for row in analysis.table)
    with pytest.raises(InputError, match="a project of touchdown"):
        project_statistics(finished, "empty", "touchdown")

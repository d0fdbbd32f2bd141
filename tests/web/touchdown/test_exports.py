"""Exports of a collected project: the paper's file, our episodes and traces, read back; and the statistics."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bearleft import load, score
from bearleft.data import open_dataset
from bearleft.data.catalog import read
from bearleft.data.check import check
from bearleft.errors import InputError
from bearleft.records import Direction, Point, Reach, Trace
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Project
from bearleft.web.database.models import Worker as WorkerRow
from bearleft.web.exports.touchdown import collected_texts, export, statistics
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings
from tests.web.server import person, running
from tests.web.touchdown.driver import BEAR, NAME, OTHER_TEXT, TEXT, WAY, Worker, click_at, create_study

SPOT = Direction(274.7, -2.9)
SEEN = Direction(281.5, -2.1)


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A database in which one text has gone through all tasks, one was discarded, and one is under way."""
    folder = tmp_path_factory.mktemp("collected")
    settings = Settings(database=str(folder / "web.sqlite"), cache=folder / "panoramas", secret="0123456789abcdef")
    create_study(settings, limit=4)
    with running(settings) as address, ExitStack() as stack:
        team = [Worker(stack.enter_context(person(address))) for _ in range(5)]
        routes = []
        for worker, text in ((team[0], TEXT), (team[1], OTHER_TEXT)):
            assert worker.claim("writing")
            routes.append(worker.view["route"])
            if worker is team[0]:
                worker.walk(worker.view["route"])
                worker.act("cannot-place", reason="no good place")
                worker.act("place", **click_at(SPOT))
                worker.act("draft", text=text)
                worker.submit()
            else:
                worker.write(Direction(SPOT.heading, 5.0), text)
        assert team[2].claim("writing")
        team[2].walk(team[2].view["route"])
        team[2].act("cannot-place", reason="no good place")
        team[2].submit()
        shown = 0
        while team[2].claim("propagation"):
            if team[2].view["text"] == TEXT and shown == 0:
                team[2].act("place", **click_at(SEEN))
                shown += 1
            else:
                team[2].act("occluded")
            team[2].submit()
        for worker, misses in ((team[3], 5), (team[4], 1)):
            for _ in range(2):
                assert worker.claim("validation")
                first = worker.view["text"] == TEXT
                worker.search(routes[0] if first else routes[1][:1], SPOT, misses if first else 5)
        assert team[3].claim("segmentation")
        team[3].act("way", end=len(WAY.split()) + 2)
        team[3].act("bear", begin=len(TEXT.split()) - len(BEAR.split()))
        team[3].submit()
    return settings


@pytest.fixture(scope="module")
def exported(collected: Settings, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """The folder of the export and its rows."""
    folder = tmp_path_factory.mktemp("export")
    database = open_database(collected.database)
    with database.read() as session:
        rows = export(session, session.scalars(select(Project)).one(), SceneWorlds(), folder)
    database.close()
    return folder, rows


@pytest.mark.slow
def test_the_files_are_listed(exported: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, rows = exported
    names = {str(Path(row["file"]).relative_to(folder)): row["records"] for row in rows}
    assert names == {
        f"city/touchdown/{NAME}.jsonl": 1,
        f"{NAME}.jsonl": 1,
        f"{NAME}-traces-1.jsonl": 1,
        f"{NAME}-traces-2.jsonl": 1,
    }


def test_the_papers_format_reads_back_to_the_same_episodes(exported: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, _ = exported
    theirs = load(f"city/touchdown-complete/{NAME}", folder)
    assert load(str(folder / f"{NAME}.jsonl")) == theirs
    (episode,) = theirs
    walk, find = episode.legs
    assert isinstance(walk.goal, Reach)
    assert isinstance(find.goal, Point)
    original = next(iter(load("city/touchdown/small")))
    assert walk.goal == original.legs[0].goal
    assert episode.start == original.start
    assert walk.text == " ".join(TEXT.split()[: len(WAY.split()) + 2])
    assert find.text == BEAR
    assert find.goal.place == walk.goal.route[-1]
    assert find.goal.direction.heading == pytest.approx(SPOT.heading)
    assert find.goal.direction.pitch == pytest.approx(SPOT.pitch)
    (seen,) = find.goal.propagated
    assert seen.direction.heading == pytest.approx(SEEN.heading)
    assert episode.extra["full_text"] == TEXT
    assert episode.extra["failure_stats"] == 1


def test_the_other_families_read_the_same_file(exported: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, _ = exported
    path = folder / "city" / "touchdown" / f"{NAME}.jsonl"
    (walk,) = read("city/touchdown", path, folder)
    assert walk.legs[0].text.startswith("Turn so that")
    points = list(read("city/sdr", path, folder))
    assert len(points) == 2
    assert {leg.text for point in points for leg in point.legs} == {BEAR}
    assert not check(folder, [f"city/touchdown-complete/{NAME}"]).errors


def test_traces_are_scored(exported: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, _ = exported
    sha256 = open_dataset(f"city/touchdown-complete/{NAME}", folder).sha256
    found = []
    for number in (1, 2):
        path = folder / f"{NAME}-traces-{number}.jsonl"
        (line,) = path.read_text().splitlines()
        import json

        trace = Trace.from_json(json.loads(line))
        assert trace.dataset == f"city/touchdown-complete/{NAME}"
        assert trace.sha256 == sha256
        values = {row["metric"]: row["value"] for row in score(path, data=folder).rows}
        found.append((values["TC"], values["Found@80px"]))
    assert found == [(100.0, 0.0), (100.0, 100.0)]


def test_exports_carry_pseudonyms_only(collected: Settings, exported: tuple[Path, list[dict[str, Any]]]) -> None:
    database = open_database(collected.database)
    with database.read() as session:
        pseudonyms = set(session.scalars(select(WorkerRow.pseudonym)))
    database.close()
    (episode,) = load(str(exported[0] / f"{NAME}.jsonl"))
    assert episode.extra["writer"] in pseudonyms
    stats = episode.extra["follower_stats"]
    assert [row["follower_success"] for row in stats] == ["no", "yes"]
    assert [row["num_attempts"] for row in stats] == ["5", "2"]
    assert {row["worker"] for row in stats} <= pseudonyms


def test_statistics_are_the_papers(collected: Settings) -> None:
    database = open_database(collected.database)
    with database.read() as session:
        project = session.scalars(select(Project)).one()
        rows = statistics(session, project)
        texts = collected_texts(session, project)
    database.close()
    assert [(text.validated, text.discarded) for text in texts] == [(True, False), (False, True)]
    values = {(row["row"].removeprefix(f"{NAME}, "), row["metric"]): row["ours"] for row in rows}
    assert values["Instruction Writing", "workers"] == 3
    assert values["Target Propagation", "workers"] == 1
    assert values["Validation", "workers"] == 2
    assert values["Instruction Segmentation", "workers"] == 1
    assert (values[NAME, "texts"], values[NAME, "validated texts"], values[NAME, "discarded texts"]) == (2, 1, 1)
    assert values[NAME, "found by the first worker, %"] == 0
    assert values[NAME, "found by the second worker, %"] == 50
    assert values[NAME, "validated, %"] == 50
    assert values[NAME, "searches that took one click, %"] == 0
    assert values[NAME, "clicks per search, mean"] == pytest.approx((5 + 2 + 5 + 5) / 4)
    assert values["SDR", "tokens per text, mean"] == len(BEAR.replace(".", " .").split())
    papers = {row["paper"] for row in rows}
    assert {224, 218, 291, 46, 80.1, 9.0, 64.0, 108.0} <= papers


def test_nothing_finished_is_an_error(settings: Settings, tmp_path: Path) -> None:
    create_study(settings)
    database = open_database(settings.database)
    with database.read() as session, pytest.raises(InputError, match="validated and segmented, got none in study"):
        export(session, session.scalars(select(Project)).one(), SceneWorlds(), tmp_path)
    with database.read() as session:
        assert statistics(session, session.scalars(select(Project)).one())
    database.close()

"""Exports: the paper's file and ours read back to equal episodes, traces score as stored, statistics count right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bearleft.web.exports.refer360 as exports
from bearleft import load, score
from bearleft.data import follower_traces, open_dataset
from bearleft.errors import InputError
from bearleft.records import Direction, Trace
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Project
from bearleft.web.exports import export_project, project_statistics
from bearleft.web.queue.slots import add_units
from bearleft.web.settings import Settings
from bearleft.web.tasks import refer360
from tests.web.refer360.conftest import NewPerson
from tests.web.refer360.people import Person, sentences, view

NAME = "city/refer360/collection"


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """Open a database of each kind."""
    opened = open_database(database_url)
    yield opened
    opened.close()


@pytest.fixture
def collected(new_person: NewPerson) -> Person:
    """Collect four texts: two found at once, one by the second person, one by nobody."""
    writer, finder, second = new_person(limit=4, hiring=False), new_person(), new_person()
    for k in range(4):
        lease = writer.claim()
        assert lease
        writer.describe(lease, sentences(k))
    for off in (0.0, 5.0, 20.0, 60.0):
        lease = finder.claim("refer360/finding")
        assert lease
        finder.act(lease, "look", **view(200, 70))
        finder.find(lease, off, "click" if off else "centre")
    for off in (8.0, 70.0):
        lease = second.claim("refer360/finding")
        assert lease
        second.find(lease, off)
    return writer


def exported(person: Person, folder: Path) -> list[dict[str, Any]]:
    with person.database.read() as session:
        project = session.get_one(Project, person.project.id)
        rows: list[dict[str, Any]] = exports.export(session, project, person.worlds, folder)
        return rows


def test_files_read_back_to_equal_episodes(collected: Person, database: Database, tmp_path: Path) -> None:
    rows = exported(collected, tmp_path)
    files = {Path(row["file"]).relative_to(tmp_path).as_posix(): row["records"] for row in rows}
    assert files == {
        "city/refer360/collection.json": 3,
        "collection.jsonl": 3,
        "collection-unverified.jsonl": 1,
        "collection-traces-1.jsonl": 3,
        "collection-traces-2.jsonl": 1,
    }
    with database.read() as session:
        project = session.get_one(Project, collected.project.id)
        episodes = exports.episodes(session, project)
    assert len(episodes) == 3
    assert load(NAME, tmp_path) == episodes
    assert load(tmp_path / "collection.jsonl") == episodes
    dataset = open_dataset(NAME, tmp_path)
    assert [len(episode.legs[0].goal.views) for episode in dataset] == [3, 3, 3]  # type: ignore[union-attr]
    assert dataset.notes == []
    [unfound] = load(tmp_path / "collection-unverified.jsonl")
    assert not unfound.extra["verified"]


def test_the_papers_file_has_the_papers_fields(collected: Person, tmp_path: Path) -> None:
    exported(collected, tmp_path)
    items = json.loads((tmp_path / "city/refer360/collection.json").read_text())
    released = json.loads(Path(open_dataset("city/refer360/small").path or "").read_text())[0]
    generated = {"target", "phenomena", "landmarks"}
    assert set(released) - generated <= set(items[0])
    assert set(released["actions"][0]) <= set(items[0]["actions"][0])
    assert items[0]["refexp"] == [sentence.split(" ") for sentence in sentences(0)]
    assert [len(views) for views in items[0]["actions"][0]["act_deg_list"]] == [2, 1, 1]
    assert len(items[2]["actions"]) == 2
    assert items[2]["actions"][0]["verified"]  # whoever found it comes first


def test_traces_of_the_export_score_as_stored(collected: Person, tmp_path: Path) -> None:
    exported(collected, tmp_path)
    first = {row["metric"]: row["value"] for row in score(tmp_path / "collection-traces-1.jsonl", data=tmp_path).rows}
    assert first["Acc@11deg"] == pytest.approx(200 / 3)
    assert first["Dist-deg"] == pytest.approx(25 / 3)
    second = {row["metric"]: row["value"] for row in score(tmp_path / "collection-traces-2.jsonl", data=tmp_path).rows}
    assert second["Dist-deg"] == pytest.approx(8)


def test_followers_of_the_file_answer_as_the_people_did(collected: Person, tmp_path: Path) -> None:
    exported(collected, tmp_path)
    lines = (tmp_path / "collection-traces-1.jsonl").read_text().splitlines()
    stored = {trace.episode: trace for trace in (Trace.from_json(json.loads(line)) for line in lines)}
    for trace in list(follower_traces(open_dataset(NAME, tmp_path)))[:2]:
        mine, theirs = stored[trace.episode].legs[0].answer, trace.legs[0].answer
        assert isinstance(mine, Direction) and isinstance(theirs, Direction)
        assert (theirs.heading, theirs.pitch) == pytest.approx((mine.heading, mine.pitch))


def test_exports_carry_pseudonyms(collected: Person, tmp_path: Path) -> None:
    exported(collected, tmp_path)
    item = json.loads((tmp_path / "city/refer360/collection.json").read_text())[0]
    people = {item["annotator"], item["actions"][0]["annotator"]}
    assert len(people) == 2
    assert all(len(pseudonym) == 16 for pseudonym in people)


def test_statistics_are_those_of_the_papers_tables(
    collected: Person, new_person: NewPerson, database: Database
) -> None:
    with database.write() as session:
        project = session.get_one(Project, collected.project.id)
        add_units(session, project.id, refer360.ablation_units(session, project, 1))
    reader = new_person()
    for off in (40.0, 4.0):
        lease = reader.claim("refer360/ablation")
        assert lease
        reader.find(lease, off)
    other = new_person()
    lease = other.claim("refer360/ablation")
    assert lease is None
    with database.read() as session:
        rows = exports.statistics(session, session.get_one(Project, collected.project.id))
    ours = {(row["table"], row["row"], row["metric"]): row["ours"] for row in rows}
    assert ours["10", "Stage I: Hiring", "# of Annotators"] == 0
    assert ours["10", "Stage II: Collection & Verification", "# of Annotators"] == 2
    assert ours["10", "Stage II: Collection & Verification", "# of Collected Instructions"] == 4
    assert ours["10", "Stage II: Collection & Verification", "# of Verified Instructions"] == 2
    assert ours["10", "Stage III: Verification", "# of Annotators"] == 1
    assert ours["10", "Stage III: Verification", "# of Verified Instructions"] == 1
    assert ours["section 4.1", "collection, collected", "sentences per text"] == 3
    assert ours["4", "collection, verified", "Size"] == 3
    assert ours["4", "collection, verified", "Avg. Text Length"] == len(" ".join(sentences(0)).split())
    assert ours["7", "All Sentences", "Dist-deg"] == pytest.approx(21.25)
    assert ours["7", "All Sentences", "Acc@11deg"] == 50
    assert ours["7", "Last Sentence", "Dist-deg"] == pytest.approx(40)
    assert ("7", "Last 2 Sentences", "Dist-deg") not in ours  # the reader knew the text by then
    remark = next(row["remark"] for row in rows if row["row"] == "Last Sentence")
    assert remark == "1 answers; 1 by people who knew the text not counted"


def test_an_ablation_of_a_dataset_is_exported_as_traces(new_person: NewPerson, tmp_path: Path) -> None:
    reader = new_person("ablation", study="ablation", limit=3)
    while lease := reader.claim():
        reader.find(lease, 3.0)
    exported(reader, tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*.jsonl")) == ["ablation-last-1.jsonl", "ablation-last-2.jsonl"]
    rows = {row["metric"]: row["value"] for row in score(tmp_path / "ablation-last-1.jsonl").rows}
    assert rows["Acc@11deg"] == 100
    assert rows["Dist-deg"] == pytest.approx(3)


def test_nothing_collected_is_no_export(new_person: NewPerson, tmp_path: Path) -> None:
    person = new_person(limit=4)
    with pytest.raises(InputError, match="has collected texts"):
        exported(person, tmp_path)


@pytest.mark.usefixtures("collected")
def test_projects_are_exported_and_counted_by_name(database_url: str, tmp_path: Path) -> None:
    settings = Settings(database=database_url)
    assert len(export_project(settings, "collection", tmp_path / "out")) == 5
    rows = project_statistics(database_url, "collection", "refer360")
    assert {row["table"] for row in rows} == {"4", "7", "10", "section 4.1"}
    with pytest.raises(InputError, match="Did you mean collection"):
        export_project(settings, "colection", tmp_path / "out")
    with pytest.raises(InputError, match="a project of touchdown"):
        project_statistics(database_url, "collection", "touchdown")

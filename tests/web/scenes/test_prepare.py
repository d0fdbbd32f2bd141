"""Models made ahead: all that the pages of a project ask for, made once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bearleft.data import load, write
from bearleft.web.database.engines import open_database
from bearleft.web.projects import create_project
from bearleft.web.scenes import models
from bearleft.web.scenes.prepare import prepare_models
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings
from bearleft.web.tasks.arramon import sessions
from bearleft.world.arramon.task_setup import TaskSetup
from tests.commands import run_command


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A project of one map; models are small files here, since their content is tested elsewhere."""
    monkeypatch.setattr(models, "make_section", lambda world, number: f"{world} {number}".encode())
    monkeypatch.setattr(models, "make_room", lambda: b"room")
    monkeypatch.setattr(models, "make_item", lambda name: name.encode())
    opened = open_database(tmp_path / "web.sqlite")
    create_project(opened, SceneWorlds(), "city", "arramon", {"limit": 1})
    opened.close()
    return Settings(database=str(tmp_path / "web.sqlite"), cache=tmp_path / "cache")


def test_everything_that_the_pages_show_is_made_once(settings: Settings) -> None:
    reports: list[tuple[int, int]] = []
    rows = prepare_models(settings, lambda _label, done, total: reports.append((done, total)))
    episode = next(iter(load(sessions.DATASET)))
    setup = TaskSetup.from_episode(episode)
    names = {one.item for one in setup.city_items} | {one.item for one in setup.room_items}
    assert [(row["models"], row["needed"] == row["made now"]) for row in rows] == [
        ("sections", True),
        ("rooms", True),
        ("items", True),
    ]
    files = {file.name for file in settings.cache.rglob("*.glb")}
    assert len(files) == sum(row["needed"] for row in rows) == reports[-1][1]
    assert {f"{name.replace(' ', '-').lower()}.glb" for name in names} <= files
    assert "room.glb" in files
    assert any(name.endswith(f"-{setup.section}.glb") for name in files)
    assert [done for done, _ in reports] == list(range(len(files) + 1))
    assert {row["made now"] for row in prepare_models(settings)} == {0}


def test_nothing_is_made_for_projects_without_models(tmp_path: Path) -> None:
    opened = open_database(tmp_path / "web.sqlite")
    create_project(opened, SceneWorlds(), "ranks", "ndtw-study", {"limit": 1})
    opened.close()
    assert prepare_models(Settings(database=str(tmp_path / "web.sqlite"), cache=tmp_path / "cache")) == []


def test_a_dataset_that_is_gone_is_left_out(settings: Settings, tmp_path: Path) -> None:
    data = tmp_path / "data" / "city" / "arramon"
    data.mkdir(parents=True)
    write("city/arramon", load(sessions.DATASET)[:1], data / "mine.json")
    opened = open_database(settings.database)
    create_project(opened, SceneWorlds(tmp_path / "data"), "mine", "arramon", {"dataset": "city/arramon/mine"})
    opened.close()
    (data / "mine.json").unlink()
    sections, *_ = prepare_models(settings)
    assert (sections["models"], sections["needed"]) == ("sections", 1)


def test_the_command_prints_what_was_made(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BEARLEFT_CACHE", str(tmp_path / "caches"))
    code, out, _ = run_command(capsys, "serve", "prepare", "--database", settings.database, "--json")
    assert code == 0
    assert [row["models"] for row in json.loads(out)] == ["sections", "rooms", "items"]

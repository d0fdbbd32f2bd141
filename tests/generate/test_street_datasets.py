"""Datasets in a city that is built on streets without buildings: a town's, and those of files like Touchdown's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bearleft.agents.follower import Follower
from bearleft.data import check, load, stats, write
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.experiments.follower_accuracy import follower_accuracy
from bearleft.generate import make_dataset
from bearleft.generate import shards as making
from bearleft.language.scene_index import open_scene_index
from bearleft.records import Reach
from bearleft.reports.pictures.examples import examples
from bearleft.world.graphs.touchdown import write_street_graph
from bearleft.world.worlds import open_world, town_graph
from tests.commands import run_command

CITY, SIZE, TOWN = 3, 2, 1
DATASET = "city/touchdown/train"

pytestmark = pytest.mark.usefixtures("city_cache", "small_units")


@pytest.fixture
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "SHARD_SIZE", 1)


@pytest.fixture(scope="session")
def streets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the streets of a town as Touchdown's graph."""
    data = tmp_path_factory.mktemp("streets")
    (data / "touchdown").mkdir()
    write_street_graph(town_graph(TOWN), data / "touchdown")
    return data


@pytest.fixture(scope="session")
def made(streets: Path, shared_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of its own with a dataset on these streets."""
    out = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BEARLEFT_CACHE", str(shared_cache))
        patch.setattr(making, "SHARD_SIZE", 1)
        result = make(out, streets)
    assert result.notes[-1].endswith(f"set BEARLEFT_DATA={streets} to use the dataset.")
    return out


def make(out: Path, data: Path | None, **changes: Any) -> Any:
    options: dict[str, Any] = {"world": "touchdown", "city": CITY, "data": data, "out": out, "processes": 1}
    return make_dataset(DATASET, size=SIZE, **options | changes)


@pytest.mark.slow
def test_records_are_like_touchdowns_own(made: Path, streets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made / "city/touchdown"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["world"], manifest["city"], manifest["files"]) == ("touchdown", CITY, {})
    assert not (folder / "nodes.txt").exists() and not (folder / "links.txt").exists()
    with pytest.raises(InputError, match=r"nodes\.txt"):
        load(DATASET, made)
    monkeypatch.setenv("BEARLEFT_DATA", str(streets))  # the graph is read from the default data folder
    episodes = load(DATASET, made)
    assert len(episodes) == SIZE and {episode.world for episode in episodes} == {"touchdown"}
    assert load(folder / "episodes/train.jsonl") == episodes
    graph = open_world("touchdown", made)
    for episode in episodes:
        goal = episode.legs[0].goal
        assert isinstance(goal, Reach) and episode.start.look.heading == 0.0
        graph.check_route(goal.route)
    write("city/touchdown", episodes, made / "again")
    assert (made / "again").read_bytes() == (folder / "train.jsonl").read_bytes()
    assert check(made, [DATASET]).rows[0]["errors"] == 0
    assert {row["statistic"]: row["value"] for row in stats(made, [DATASET])}["episodes"] == SIZE


@pytest.mark.slow
def test_gold_and_follower_reach_the_goals(
    made: Path, streets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BEARLEFT_DATA", str(streets))
    for agent in ("gold", Follower(CITY, streets)):
        output = tmp_path / f"{agent if isinstance(agent, str) else agent.label}.jsonl"
        evaluate(agent, str(made / "city/touchdown/episodes/train.jsonl"), output, data=streets)
        values = {row["metric"]: row["value"] for row in score(output, data=streets, resamples=10).rows}
        assert values["TC"] == 100.0
    with pytest.raises(InputError, match="--city SEED"):
        evaluate("follower", DATASET, data=made)
    run_command(capsys, "eval", "follower", DATASET, "--city", CITY, "--data", made, "-o", tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_text().count('"stop"') == SIZE
    rows = follower_accuracy([DATASET], data=made, city=CITY)
    assert rows[0]["text"] == "its own" and rows[0]["value"] == 100.0
    (shown,) = examples(DATASET, tmp_path / "shown", count=1, data=made, city=CITY)
    assert Path(shown["file"]).stat().st_size > 10_000


@pytest.mark.usefixtures("made")
def test_rows_are_computed_where_routes_lead(streets: Path) -> None:
    table = open_scene_index("touchdown", CITY, str(streets)).table
    computed = len(list(table.folder.glob("places-*.npy")))
    assert 20 < computed < len(table)


def test_resumed_with_the_same_city_only(made: Path, streets: Path) -> None:
    before = (made / "city/touchdown/train.jsonl").read_bytes()
    assert make(made, streets).rows[0]["examples"] == SIZE
    assert (made / "city/touchdown/train.jsonl").read_bytes() == before
    with pytest.raises(InputError, match=f"a folder whose city is {CITY}, not 4"):
        make(made, streets, city=4)


@pytest.mark.slow
def test_texts_depend_on_the_streets_and_the_city_alone(made: Path, tmp_path: Path) -> None:
    """The town that the files hold gives the same routes under its own name, with its own graph beside them."""
    make(tmp_path, None, world=f"town/{TOWN}")
    assert {path.name for path in (tmp_path / "city/touchdown").glob("*.txt")} == {"nodes.txt", "links.txt"}
    episodes = load(DATASET, tmp_path)
    assert {episode.world for episode in episodes} == {f"town/{TOWN}"}
    assert {row["statistic"]: row["value"] for row in stats(tmp_path, [DATASET])}["episodes"] == SIZE
    rows = [json.loads(line) for line in (made / "city/touchdown/train.jsonl").read_text().splitlines()]
    assert [e.legs[0].goal.route for e in episodes] == [tuple(row["route_panoids"]) for row in rows]  # type: ignore[union-attr]


def test_targets_are_those_of_the_walks(made: Path, streets: Path, tmp_path: Path) -> None:
    make_dataset("city/sdr/train", size=6, world="touchdown", city=CITY, data=streets, out=tmp_path, processes=1)
    walks, targets = (
        {row["route_id"]: row for row in map(json.loads, (folder / "train.jsonl").read_text().splitlines())}
        for folder in (made / "city/touchdown", tmp_path / "city/sdr")
    )
    assert {row["city"] for row in targets.values()} == {"touchdown"}
    both = walks.keys() & targets.keys()
    assert both and all(walks[k]["td_location_text"] == targets[k]["td_location_text"] for k in both)


@pytest.mark.parametrize(
    ("dataset", "options", "message"),
    [
        ("city/touchdown", {"world": "town/1"}, "the seed of the city to build on the streets of town/1, got none"),
        ("city/touchdown", {"world": "city/0", "city": 1}, 'streets without buildings: .*, got "city/0"'),
        ("city/touchdown", {"city": 1}, "streets without buildings"),
        ("city/touchdown", {"world": "matterport/x", "city": 1}, "streets to build one on: touchdown or town/SEED"),
        ("city/pairs", {"world": "town/1", "city": 1}, 'a generated city: city/SEED or city/SEED/6x9, got "town/1"'),
        ("city/refer360", {"world": "touchdown", "city": 1}, 'a generated city: .*, got "touchdown"'),
        ("city/arramon", {"city": 1}, 'a city for city/touchdown and city/sdr .*, got "city/arramon"'),
    ],
)
def test_other_worlds_raise(dataset: str, options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        make_dataset(dataset, size=1, out=tmp_path, **options)


def test_missing_streets_raise(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nodes\.txt"):
        make(tmp_path / "out", tmp_path)

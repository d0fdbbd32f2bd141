"""city/arramon: what its files hold, how they are read, checked and made."""

from __future__ import annotations

import json
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.data import check, load, open_dataset, read, stats, write
from bearleft.data.arramon_replay import replay_errors
from bearleft.data.catalog import EMBEDDED
from bearleft.errors import InputError
from bearleft.generate import datasets as city
from bearleft.generate import make_dataset
from bearleft.generate import shards as making
from bearleft.generate.arramon.dataset import NO_WALK_TEXT, TaskGenerator, task_specs
from bearleft.generate.arramon.tasks import NO_PATH, DrawRejected, TaskSpec
from bearleft.language.analysis.quality import find_problems
from bearleft.language.annotated_text import Mark, Text
from bearleft.records import Assemble, Cell, Collect, Episode, Position, to_json_line
from bearleft.runtime.store import sha256
from bearleft.world.arramon.task_setup import CityItem, RoomItem, TaskSetup
from bearleft.world.arramon.walkable import WalkableGrid
from tests.data.sample_files import arramon_item
from tests.test_cli import typed

SMALL = EMBEDDED / "city/arramon/small.json"
REAL = Path(os.environ.get("BEARLEFT_DATA") or Path(__file__).parents[4] / "shared/data") / "arramon/val_unseen.json"
NUMBERS: Any = [[float, float, float]]
# Lists hold any number of what their one member says; a list of several is as long as it is.
SCHEMA: Any = {
    "gt_objects_pos": {"navi_obj_pos_gt": NUMBERS, "assem_obj_pos_gt": [[int, int, int]]},
    "gt_paths": {"navi_path_gt": [NUMBERS], "assem_path_gt": [NUMBERS]},
    "gt_objects": [str],
    "mapId": int,
    "gt_actions": {"navi_action_gt": [[str]], "assem_action_gt": [[str]]},
    "gt_actionIDs": {"navi_actionIDs_gt": [[int]], "assem_actionIDs_gt": [[int]]},
    "instructions": {"assem_inst_gt": [str], "navi_inst_gt": [str]},
}
OWN: Any = {
    "world": str,
    "setting": {"section": int, "lying": [[str, *NUMBERS, int]], "standing": [[str, [int, int, int]]]},
    "phenomena": list,
    "landmarks": list,
}


class Plain:
    """A teller with few words, who is lost for them now and then."""

    def walk(
        self, start: Position, heading: float, actions: Sequence[str], lying: Sequence[CityItem], draw: random.Random
    ) -> Text | None:
        if draw.random() < 0.2:
            return None
        said = "Pass the key and take the thing there." if draw.random() < 0.2 else "Turn, walk on and take the thing."
        return Text(said, (Mark("direction", 0, 4),)).with_mentions(7)

    def room(self, standing: Sequence[RoomItem], item: str, cell: Cell, draw: random.Random) -> Text | None:
        return Text(f"Place the {item.lower()} beside something.") if draw.random() < 0.8 else None


def drawer(seed: int = 0) -> TaskGenerator:
    """Two small sections without buildings."""
    free = np.zeros((500, 200), bool)
    free[:200], free[300:] = True, True
    bounds = [(0.0, 0.0, 50.0, 50.0), (75.0, 0.0, 125.0, 50.0)]
    things = np.array([(5.0, 5.0), (30.0, 20.0), (100.0, 20.0)])
    return TaskGenerator("sections/0", WalkableGrid(0.0, 0.0, 0.25, free), bounds, things, seed, Plain())


def items(path: Path = SMALL) -> list[dict[str, Any]]:
    return json.loads(path.read_text())  # type: ignore[no-any-return]


def fits(value: Any, schema: Any) -> bool:
    """Whether a value has the keys in their order, the types and the nesting of a schema."""
    if isinstance(schema, dict):
        return list(value) == list(schema) and all(fits(value[name], inner) for name, inner in schema.items())
    if isinstance(schema, list):
        whole = schema if len(schema) > 1 else schema * len(value)
        return type(value) is list and bool(value) and len(value) == len(whole) and all(map(fits, value, whole))
    return type(value) is schema


@pytest.fixture(scope="module")
def drawn() -> list[dict[str, Any]]:
    one = drawer()
    tried = [one.task(TaskSpec(k, 1 + k % 2), "city/arramon/val_unseen") for k in range(12)]
    return [each.line for each in tried if each.line is not None]


def test_the_format_is_the_released_one(drawn: list[dict[str, Any]]) -> None:
    """Every key in its order, every type, every nesting; and one key more."""
    assert len(drawn) == 12
    for item in [*drawn, *items()]:
        own = item["bearleft"]
        assert fits(item, SCHEMA | {"bearleft": OWN})
        assert own["world"] == "sections/0" and len(own["phenomena"]) == len(own["landmarks"]) == 4
        nested = (inner for name in SCHEMA if isinstance(item[name], dict) for inner in item[name].values())
        assert all(len(inner) == 2 for inner in nested) and len(item["gt_objects"]) == 2
        for turn, letters in enumerate(item["gt_actions"]["navi_action_gt"]):
            assert letters[-2:] == ["P", str(turn)] and set(letters[:-2]) <= {"f", "l", "r"}


@pytest.mark.skipif(not REAL.exists(), reason="needs arramon/val_unseen.json")
def test_the_schema_is_that_of_the_real_file() -> None:
    real = items(REAL)
    assert all(fits(item, SCHEMA) for item in real)
    door = [item["gt_paths"]["assem_path_gt"][0][0] for item in [*real, *items()]]
    assert all(spot == door[0] for spot in door)
    ups = [[spot[1] for spot in item["gt_paths"]["navi_path_gt"][0]] for item in [real[0], *items()]]
    assert {up for one in ups for up in one} == {0.525}


def test_the_small_one() -> None:
    episodes = load("city/arramon/small")
    assert len(episodes) == 24 and {episode.world for episode in episodes} == {"sections/0"}
    assert len({episode.id for episode in episodes}) == 24 and SMALL.stat().st_size < 300_000
    assert {TaskSetup.from_episode(episode).section for episode in episodes} == set(range(1, 8))
    for episode in episodes:
        assert [type(leg.goal) for leg in episode.legs] == [Collect, Assemble] * 2
        setting = TaskSetup.from_episode(episode)
        assert 8 <= len(setting.city_items) <= 11 and len(setting.room_items) == 8
        for k, leg in enumerate(episode.legs):
            assert not find_problems(leg.text, "navigation" if k % 2 == 0 else "assembly")
            for what, begin, end in episode.extra["bearleft"]["phenomena"][k]:
                assert what and 0 <= begin < end <= len(leg.text)
            for _, begin, end in episode.extra["bearleft"]["landmarks"][k]:
                assert leg.text[begin:end].strip()
    checked = check(EMBEDDED, ["city/arramon/small"])
    assert not checked.errors and checked.rows[0]["legs"] == 96
    assert not open_dataset("city/arramon/small").notes


def test_both_formats_give_back_what_they_hold(tmp_path: Path) -> None:
    """Byte for byte, by its own name and as a released file, and as lines of ours."""
    dataset = open_dataset("city/arramon/small")
    write("city/arramon", dataset, tmp_path / "small.json")
    assert (tmp_path / "small.json").read_bytes() == SMALL.read_bytes()
    write("jsonl", dataset, tmp_path / "own.jsonl")
    assert load(tmp_path / "own.jsonl") == list(dataset)
    for episode in dataset:
        assert Episode.from_json(json.loads(to_json_line(episode))) == episode
    plain = list(read("arramon/small", SMALL))
    assert [episode.legs for episode in plain] == [episode.legs for episode in dataset]
    assert plain[0].world == f"arramon/{plain[0].id}" and plain[0].extra["bearleft"]["world"] == "sections/0"
    assert [e.start for e in plain] == [e.start for e in dataset]
    write("arramon", plain, tmp_path / "plain.json")
    assert (tmp_path / "plain.json").read_bytes() == SMALL.read_bytes()


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    episode = load("city/arramon/small")[0]
    fewer = {name: value for name, value in episode.extra.items() if name != "setting"}
    other = episode.extra["setting"] | {"lying": episode.extra["setting"]["lying"][::-1]}
    for changed, expected in (
        (replace(episode, world="city/0"), "generated sections: sections/SEED"),
        (replace(episode, extra=fewer), "an object"),
        (replace(episode, extra={**episode.extra, "setting": other}), "the target of turn 1"),
    ):
        with pytest.raises(InputError, match=expected):
            write("city/arramon", [changed], tmp_path / "lost.json")


def changed(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(item: Any) -> None:
        *inner, last, value = path
        for key in inner:
            item = item[key]
        if value is None:
            del item[last]
        else:
            item[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed("bearleft", None), "bearleft: expected a field bearleft"),
        (changed("bearleft", []), "bearleft: expected an object"),
        (changed("bearleft", "world", None), "bearleft.world: expected a field world"),
        (
            changed("bearleft", "world", "mars"),
            'bearleft.world: expected generated sections: sections/SEED, got "mars"',
        ),
        (changed("bearleft", "setting", None), "bearleft.setting: expected a field setting"),
        (changed("bearleft", "setting", "section", "six"), "bearleft.setting.section: expected a whole number"),
        (changed("bearleft", "setting", "lying", []), "bearleft.setting.lying: expected a list that is not empty"),
        (changed("bearleft", "setting", "lying", 3, 0, "Grey Tv"), r"bearleft.setting.lying\[3\]\[0\].*an item"),
        (
            changed("bearleft", "setting", "lying", 3, 2, 4),
            r"bearleft.setting.lying\[3\]\[2\]: expected a number from 0 to 3",
        ),
        (changed("bearleft", "setting", "standing", 0, 1, [5, 1, 0]), r"bearleft.setting.standing\[0\]\[1\]\[0\]"),
        (
            changed("bearleft", "setting", "standing", 0, 1, [0, 3, 0]),
            r"bearleft.setting.standing\[0\]: expected things on",
        ),
        (changed("gt_objects", 0, "Dotted Pink Mug"), r"gt_objects\[0\]: expected an item"),
        (changed("gt_objects", 0, "Dotted Red Mug"), r"bearleft.setting.lying\[0\]: expected the target of turn 1"),
        (changed("gt_objects_pos", "navi_obj_pos_gt", 1, 0, 0.0), r"bearleft.setting.lying\[1\]: expected the target"),
        (changed("gt_objects_pos", "assem_obj_pos_gt", 1, [5, 1, 0]), r"gt_objects_pos.assem_obj_pos_gt\[1\]\[0\]"),
    ],
)
def test_broken_items(tmp_path: Path, change: Callable[[dict[str, Any]], None], said: str) -> None:
    found = items()[:2]
    change(found[1])
    (tmp_path / "mine.json").write_text(json.dumps(found))
    with pytest.raises(InputError, match=rf"mine\.json:1 \(item 2\), field {said}"):
        list(read("city/arramon", tmp_path / "mine.json"))


def test_released_items_need_no_world(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(json.dumps([arramon_item(1, "ff", "fl")]))
    assert len(list(read("arramon", tmp_path / "mine.json"))) == 1
    with pytest.raises(InputError, match="expected a field bearleft"):
        list(read("city/arramon", tmp_path / "mine.json"))


def test_tasks_follow_from_seed_and_number_alone(drawn: list[dict[str, Any]]) -> None:
    expected = [TaskSpec(k, 1 + k % 2) for k in range(12)]
    other = drawer()
    again = {slot.number: other.task(slot, "city/arramon/val_unseen").line for slot in reversed(expected[:4])}
    assert [again[k] for k in range(4)] == drawn[:4]
    assert drawer(seed=1).task(expected[0], "city/arramon/val_unseen").line != drawn[0]


def test_what_is_passed_over_is_counted() -> None:
    one = drawer()
    passed: Counter[str] = Counter()
    for k in range(12):
        passed.update(one.task(TaskSpec(k, 1), "city/arramon/train").skipped)
    assert passed[NO_WALK_TEXT] and passed["cells untold"] and passed["navigation texts with a fault: key"]

    class Silent(Plain):
        def room(self, standing: Sequence[RoomItem], item: str, cell: Cell, draw: random.Random) -> Text | None:
            return None

    one.writer = Silent()
    tried = one.task(TaskSpec(0, 1), "city/arramon/train")
    assert tried.line is None and tried.examples == 0 and sum(tried.skipped.values()) > 50


def test_splits_have_sections_and_numbers_of_their_own() -> None:
    sizes = {"train": 1600, "val_seen": 400, "val_unseen": 300, "test_unseen": 300, "small": 24}
    found = {split: list(islice(task_specs(split, 0), size)) for split, size in sizes.items()}
    for split, sections in (
        ("train", range(1, 6)),
        ("val_seen", range(1, 6)),
        ("val_unseen", [6]),
        ("test_unseen", [7]),
    ):
        counted = Counter(slot.section for slot in found[split])
        assert set(counted) == set(sections)
        assert max(counted.values()) - min(counted.values()) < 50
    numbers = [slot.number for some in found.values() for slot in some]
    assert len(set(numbers)) == len(numbers)
    # One pool, of which a fifth is val_seen's, at random.
    pool = sorted(slot.number for split in ("train", "val_seen") for slot in found[split])
    assert pool == list(range(2000))
    gaps = Counter(np.diff([slot.number for slot in found["val_seen"]]).tolist())
    assert len(gaps) > 6
    assert [s.number for s in islice(task_specs("val_seen", 1), 20)] != [s.number for s in found["val_seen"][:20]]


def first(episode: Episode, leg: int, **changes: Any) -> Episode:
    """The episode with a goal, or a text, changed."""
    legs = list(episode.legs)
    text = changes.pop("text", legs[leg].text)
    legs[leg] = replace(legs[leg], text=text, goal=replace(legs[leg].goal, **changes))
    return replace(episode, legs=tuple(legs))


def with_setting(episode: Episode, **changes: Any) -> Episode:
    return replace(episode, extra={**episode.extra, "setting": episode.extra["setting"] | changes})


def test_a_check_plays_the_tasks() -> None:
    episode = replace(load("city/arramon/small")[0], dataset="city/arramon/small")
    assert not replay_errors(episode)
    walk, room = episode.legs[0].goal, episode.legs[1].goal
    assert isinstance(walk, Collect) and isinstance(room, Assemble)
    setting = TaskSetup.from_episode(episode)
    target = setting.city_items[0]
    beside = (
        walk.path[-1][0] + (target.at[0] - walk.path[-1][0]) / 2,
        walk.path[-1][1] + (target.at[1] - walk.path[-1][1]) / 2,
    )
    lying = list(setting.city_items)
    nearer = [*lying[:2], CityItem("Dotted Red Mug", (*beside, 0.06)), *lying[3:]]
    crowded = with_setting(episode, lying=replace(setting, city_items=tuple(nearer)).to_json()["lying"])
    far = (walk.path[0][0] + 500.0, walk.path[0][1], 0.525)
    for broken, said in (
        (replace(episode, dataset="city/arramon/val_unseen"), "a task of val_unseen in section 6, got section 1"),
        (with_setting(episode, section=2), "in section 2"),
        (crowded, "as the nearest item, got Dotted Red Mug"),
        (crowded, "at least 4 m apart"),
        (first(episode, 0, text="Use the key to walk to the red thing."), "a text that fails key in turn 1"),
        (first(episode, 1, text="Go to the corner."), "a text that fails words"),
        (first(episode, 0, actions=("right", "right", *walk.actions)), "within reach|follow the path|free ground"),
        (
            first(episode, 0, actions=(*walk.actions[:-1], *["forward"] * 90, "pick")),
            "free ground, got [0-9]+ blocked moves",
        ),
        (first(episode, 2, path=(far, *episode.legs[2].goal.path[1:])), "a walk from the current position"),  # type: ignore[union-attr]
        (first(episode, 1, actions=("left", *room.actions)), "ends in front of the cell|path around the items"),
        (first(episode, 1, actions=(*["left"] * 6, "forward", "place")), "a path around the items of the room"),
        (first(episode, 1, cell=(room.cell[0], room.cell[1] + 1, room.cell[2])), "a cell of height"),
        (first(episode, 1, path=((2, 1, 0), (2, 1, 2))), "actions that follow the path"),
    ):
        errors = "\n".join(map(str, replay_errors(broken)))
        assert re.search(said, errors), (said, errors)
        assert f"task {episode.id}" in errors


def test_check_counts_what_is_wrong(tmp_path: Path) -> None:
    found = items()[:2]
    found[1]["instructions"]["assem_inst_gt"][0] = "Put it on the tile over there please."
    folder = tmp_path / "city/arramon"
    folder.mkdir(parents=True)
    (folder / "mine.json").write_text(json.dumps(found))
    checked = check(tmp_path, ["city/arramon/mine"])
    assert [row["errors"] for row in checked.rows] == [1]
    assert (
        "mine.json: expected a text for assembly" in checked.errors[0] and str(found[1]["mapId"]) in checked.errors[0]
    )
    # The same file by the released name is read as it is.
    (tmp_path / "arramon").mkdir()
    (folder / "mine.json").rename(tmp_path / "arramon/mine.json")
    assert not check(tmp_path, ["arramon/mine"]).errors


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units of two tasks, drawn on small grounds."""
    monkeypatch.setattr(making, "SHARD_SIZE", 2)
    monkeypatch.setattr("bearleft.generate.arramon.dataset.open_task_generator", lambda _, seed, _decoys: _two(seed))


def _two(seed: int) -> TaskGenerator:
    one = drawer(seed)
    one.bounds = [one.bounds[k % 2] for k in range(7)]
    return one


def test_decoys_of_a_made_dataset(tmp_path: Path) -> None:
    """Random ones are told apart by the texts all the same; the manifest says how they were drawn."""
    make_dataset("city/arramon", ["val_unseen"], 3, out=tmp_path, processes=1, decoys="random")
    manifest = json.loads((tmp_path / "city/arramon/manifest.json").read_text())
    assert manifest["decoys"] == "random"
    assert not check(tmp_path, ["city/arramon/val_unseen"]).errors
    with pytest.raises(InputError, match='a folder whose decoys is "random", not "distinct"'):
        make_dataset("city/arramon", ["val_unseen"], 3, out=tmp_path, processes=1)
    for dataset, decoys in (("city/arramon", "alike"), ("city/sdr", "random")):
        with pytest.raises(InputError, match="decoys for city/arramon: distinct or random"):
            make_dataset(dataset, ["small"], 1, out=tmp_path, decoys=decoys)


@pytest.mark.usefixtures("quick")
def test_made_whole_or_after_an_interruption(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"splits": ["train", "val_seen"], "size": 5, "processes": 1}
    made = make_dataset("city/arramon", out=tmp_path / "whole", **asked)
    assert [row["dataset"] for row in made.rows] == ["city/arramon/train", "city/arramon/val_seen"]

    def stop(label: str, done: int, _: int) -> None:
        if label == "city/arramon/val_seen" and done >= 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_dataset("city/arramon", out=tmp_path / "halves", progress=stop, **asked)
    folder = tmp_path / "halves/city/arramon"
    kept = {path: path.stat().st_mtime_ns for path in (folder / ".parts").glob("val_seen-*.json")}
    assert kept and not (folder / "val_seen.json").exists() and (folder / "train.json").exists()
    make_dataset("city/arramon", out=tmp_path / "halves", **asked)
    for name in ("train.json", "val_seen.json", "episodes/train.jsonl", "episodes/val_seen.jsonl", "manifest.json"):
        assert (folder / name).read_bytes() == (tmp_path / "whole/city/arramon" / name).read_bytes()
    assert not (folder / ".parts").exists()
    manifest = city.read_manifest(folder / "manifest.json")
    assert manifest["world"] == "sections/0" and manifest["splits"]["train"]["passed_over"]
    for split in ("train", "val_seen"):
        episodes = load(f"city/arramon/{split}", tmp_path / "whole")
        assert len(episodes) == 5 and load(folder / f"episodes/{split}.jsonl") == episodes
        assert manifest["splits"][split]["files"][f"{split}.json"] == sha256(folder / f"{split}.json")
    # A larger one begins with the smaller one.
    make_dataset("city/arramon", ["train"], 7, out=tmp_path / "halves", processes=1)
    assert items(folder / "train.json")[:5] == items(tmp_path / "whole/city/arramon/train.json")


@pytest.mark.usefixtures("quick")
def test_a_world_without_ways_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: object) -> None:
        raise DrawRejected(NO_PATH)

    monkeypatch.setattr("bearleft.generate.arramon.dataset.draw_navigation", nowhere)
    monkeypatch.setattr("bearleft.generate.arramon.dataset.MAX_DRAWS", 1)
    with pytest.raises(InputError, match="a city with 1 examples for val_unseen, got 0 in sections/0"):
        make_dataset("city/arramon", ["val_unseen"], 1, out=tmp_path, processes=1)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"splits": ["dev"]}, "a split of city/arramon"),
        ({"world": "city/0"}, "generated sections: sections/SEED"),
        ({"world": "sections/x"}, "generated sections: sections/SEED"),
        ({"rooms": "rooms/0/42"}, "rooms for city/refer360 only"),
        ({"style": "loose"}, "the style plain, for texts that pass the quality checks"),
    ],
)
def test_mistakes_are_named(changes: dict[str, Any], expected: str, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"size": 2, "out": tmp_path, "processes": 1}
    with pytest.raises(InputError, match=expected):
        make_dataset("city/arramon", **asked | changes)


def test_each_dataset_has_words_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path(city.__file__).parents[1]
    for pattern in (*city.TEXT_SOURCES, *city.ARRAMON_SOURCES):
        for path in home.glob(pattern):
            (tmp_path / path.relative_to(home)).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path.relative_to(home)).write_bytes(path.read_bytes())
    monkeypatch.setattr(city, "__file__", str(tmp_path / "generate" / "datasets.py"))
    for name, changes in (
        ("language/arramon_navigation/write.py", (False, True)),
        ("language/arramon_assembly/write.py", (False, True)),
        ("generate/arramon/tasks.py", (False, True)),
        ("language/instructions/templates.py", (True, False)),
        ("language/annotated_text.py", (True, True)),
    ):
        before = city.text_source_hash.__wrapped__(), city._source_hash(city.ARRAMON)
        with open(tmp_path / name, "a") as stream:
            stream.write("# another word\n")
        after = city.text_source_hash.__wrapped__(), city._source_hash(city.ARRAMON)
        assert tuple(one != other for one, other in zip(before, after, strict=True)) == changes, name


@pytest.mark.usefixtures("quick")
def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("data", "make", "city/arramon", "val_unseen", "--size", 3, "-o", tmp_path, "--processes", 1, "--json")
    code, out, err = typed(capsys, *asked)
    (row,) = json.loads(out)
    assert code == 0 and "manifest.json" in err and row["examples"] == 3 and row["sha256"] == sha256(row["file"])
    figures = {one["statistic"]: one for one in stats(tmp_path, ["city/arramon/val_unseen"])}
    assert figures["episodes"]["value"] == 3 and figures["episodes"]["paper"] == 1155
    assert figures["navigation, moves, both turns, mean"]["paper"] == 48.14
    code, out, err = typed(capsys, *asked, "--seed", 1)
    assert code == 2 and "whose seed is 0, not 1" in err

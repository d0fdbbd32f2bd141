"""Tests of city/arramon: format, reading, checks and generation."""

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
from bearleft.generate import datasets, make_dataset, shards
from bearleft.generate.arramon.dataset import NO_WALK_TEXT, TaskGenerator, task_specs
from bearleft.generate.arramon.tasks import NO_PATH, DrawRejected, TaskSpec
from bearleft.language.analysis.quality import find_problems
from bearleft.language.annotated_text import Annotation, Text
from bearleft.records import Assemble, Cell, Collect, Episode, Position, to_json_line
from bearleft.runtime.store import sha256
from bearleft.world.arramon.task_setup import CityItem, RoomItem, TaskSetup
from bearleft.world.arramon.walkable import WalkableGrid
from tests.commands import run_command
from tests.data.sample_files import arramon_item

SMALL_FILE = EMBEDDED / "city/arramon/small.json"
REAL_FILE = (
    Path(os.environ.get("BEARLEFT_DATA") or Path(__file__).parents[4] / "shared/data") / "arramon/val_unseen.json"
)
NUMBERS: Any = [[float, float, float]]
# A list of one schema stands for any number of such values; a longer list has a schema for each value.
SCHEMA: Any = {
    "gt_objects_pos": {"navi_obj_pos_gt": NUMBERS, "assem_obj_pos_gt": [[int, int, int]]},
    "gt_paths": {"navi_path_gt": [NUMBERS], "assem_path_gt": [NUMBERS]},
    "gt_objects": [str],
    "mapId": int,
    "gt_actions": {"navi_action_gt": [[str]], "assem_action_gt": [[str]]},
    "gt_actionIDs": {"navi_actionIDs_gt": [[int]], "assem_actionIDs_gt": [[int]]},
    "instructions": {"assem_inst_gt": [str], "navi_inst_gt": [str]},
}
OWN_SCHEMA: Any = {
    "world": str,
    "setting": {"section": int, "lying": [[str, *NUMBERS, int]], "standing": [[str, [int, int, int]]]},
    "phenomena": list,
    "landmarks": list,
}


class SimpleWriter:
    """A writer with few words that fails at random."""

    def walk(
        self,
        start: Position,
        heading: float,
        actions: Sequence[str],
        city_items: Sequence[CityItem],
        rng: random.Random,
    ) -> Text | None:
        if rng.random() < 0.2:
            return None
        text = "Pass the key and take the thing there." if rng.random() < 0.2 else "Turn, walk on and take the thing."
        return Text(text, (Annotation("direction", 0, 4),)).with_mentions(7)

    def room(self, room_items: Sequence[RoomItem], item: str, cell: Cell, rng: random.Random) -> Text | None:
        return Text(f"Place the {item.lower()} beside something.") if rng.random() < 0.8 else None


def make_generator(seed: int = 0) -> TaskGenerator:
    """Return a generator for two small sections without buildings."""
    free = np.zeros((500, 200), bool)
    free[:200], free[300:] = True, True
    bounds = [(0.0, 0.0, 50.0, 50.0), (75.0, 0.0, 125.0, 50.0)]
    landmarks = np.array([(5.0, 5.0), (30.0, 20.0), (100.0, 20.0)])
    return TaskGenerator("sections/0", WalkableGrid(0.0, 0.0, 0.25, free), bounds, landmarks, seed, SimpleWriter())


def read_items(path: Path = SMALL_FILE) -> list[dict[str, Any]]:
    return json.loads(path.read_text())  # type: ignore[no-any-return]


def matches_schema(value: Any, schema: Any) -> bool:
    """Return whether a value has the keys in order, the types and the nesting of a schema."""
    if isinstance(schema, dict):
        return list(value) == list(schema) and all(matches_schema(value[name], inner) for name, inner in schema.items())
    if isinstance(schema, list):
        schemas = schema if len(schema) > 1 else schema * len(value)
        return (
            type(value) is list
            and bool(value)
            and len(value) == len(schemas)
            and all(map(matches_schema, value, schemas))
        )
    return type(value) is schema


@pytest.fixture(scope="module")
def generated_items() -> list[dict[str, Any]]:
    generator = make_generator()
    results = [generator.task(TaskSpec(k, 1 + k % 2), "city/arramon/val_unseen") for k in range(12)]
    return [result.line for result in results if result.line is not None]


def test_format_equals_the_released_one(generated_items: list[dict[str, Any]]) -> None:
    """Items have the keys, types and nesting of the released files, and one more key."""
    assert len(generated_items) == 12
    for item in [*generated_items, *read_items()]:
        own_field = item["bearleft"]
        assert matches_schema(item, SCHEMA | {"bearleft": OWN_SCHEMA})
        assert own_field["world"] == "sections/0" and len(own_field["phenomena"]) == len(own_field["landmarks"]) == 4
        nested = (inner for name in SCHEMA if isinstance(item[name], dict) for inner in item[name].values())
        assert all(len(inner) == 2 for inner in nested) and len(item["gt_objects"]) == 2
        for turn, letters in enumerate(item["gt_actions"]["navi_action_gt"]):
            assert letters[-2:] == ["P", str(turn)] and set(letters[:-2]) <= {"f", "l", "r"}


@pytest.mark.skipif(not REAL_FILE.exists(), reason="needs arramon/val_unseen.json")
def test_schema_matches_the_real_file() -> None:
    real = read_items(REAL_FILE)
    assert all(matches_schema(item, SCHEMA) for item in real)
    door = [item["gt_paths"]["assem_path_gt"][0][0] for item in [*real, *read_items()]]
    assert all(position == door[0] for position in door)
    heights = [[position[1] for position in item["gt_paths"]["navi_path_gt"][0]] for item in [real[0], *read_items()]]
    assert {height for path_heights in heights for height in path_heights} == {0.525}


def test_small_split() -> None:
    episodes = load("city/arramon/small")
    assert len(episodes) == 24 and {episode.world for episode in episodes} == {"sections/0"}
    assert len({episode.id for episode in episodes}) == 24 and SMALL_FILE.stat().st_size < 300_000
    assert {TaskSetup.from_episode(episode).section for episode in episodes} == set(range(1, 8))
    for episode in episodes:
        assert [type(leg.goal) for leg in episode.legs] == [Collect, Assemble] * 2
        setup = TaskSetup.from_episode(episode)
        assert 8 <= len(setup.city_items) <= 11 and len(setup.room_items) == 8
        for k, leg in enumerate(episode.legs):
            assert not find_problems(leg.text, "navigation" if k % 2 == 0 else "assembly")
            for phenomenon, begin, end in episode.extra["bearleft"]["phenomena"][k]:
                assert phenomenon and 0 <= begin < end <= len(leg.text)
            for _, begin, end in episode.extra["bearleft"]["landmarks"][k]:
                assert leg.text[begin:end].strip()
    result = check(EMBEDDED, ["city/arramon/small"])
    assert not result.errors and result.rows[0]["legs"] == 96
    assert not open_dataset("city/arramon/small").notes


def test_formats_round_trip(tmp_path: Path) -> None:
    """Files are written back byte by byte as city/arramon and arramon, and episodes as jsonl."""
    dataset = open_dataset("city/arramon/small")
    write("city/arramon", dataset, tmp_path / "small.json")
    assert (tmp_path / "small.json").read_bytes() == SMALL_FILE.read_bytes()
    write("jsonl", dataset, tmp_path / "own.jsonl")
    assert load(tmp_path / "own.jsonl") == list(dataset)
    for episode in dataset:
        assert Episode.from_json(json.loads(to_json_line(episode))) == episode
    released = list(read("arramon/small", SMALL_FILE))
    assert [episode.legs for episode in released] == [episode.legs for episode in dataset]
    assert released[0].world == f"arramon/{released[0].id}" and released[0].extra["bearleft"]["world"] == "sections/0"
    assert [e.start for e in released] == [e.start for e in dataset]
    write("arramon", released, tmp_path / "plain.json")
    assert (tmp_path / "plain.json").read_bytes() == SMALL_FILE.read_bytes()


def test_unsupported_episodes_are_refused(tmp_path: Path) -> None:
    episode = load("city/arramon/small")[0]
    without_setting = {name: value for name, value in episode.extra.items() if name != "setting"}
    reversed_setting = episode.extra["setting"] | {"lying": episode.extra["setting"]["lying"][::-1]}
    for changed, expected in (
        (replace(episode, world="city/0"), "generated sections: sections/SEED"),
        (replace(episode, extra=without_setting), "an object"),
        (replace(episode, extra={**episode.extra, "setting": reversed_setting}), "the target of turn 1"),
    ):
        with pytest.raises(InputError, match=expected):
            write("city/arramon", [changed], tmp_path / "lost.json")


def set_field(*path: Any) -> Callable[[dict[str, Any]], None]:
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
    ("change", "message"),
    [
        (set_field("bearleft", None), "bearleft: expected a field bearleft"),
        (set_field("bearleft", []), "bearleft: expected an object"),
        (set_field("bearleft", "world", None), "bearleft.world: expected a field world"),
        (
            set_field("bearleft", "world", "mars"),
            'bearleft.world: expected generated sections: sections/SEED, got "mars"',
        ),
        (set_field("bearleft", "setting", None), "bearleft.setting: expected a field setting"),
        (set_field("bearleft", "setting", "section", "six"), "bearleft.setting.section: expected a whole number"),
        (set_field("bearleft", "setting", "lying", []), "bearleft.setting.lying: expected a list that is not empty"),
        (set_field("bearleft", "setting", "lying", 3, 0, "Grey Tv"), r"bearleft.setting.lying\[3\]\[0\].*a pattern"),
        (
            set_field("bearleft", "setting", "lying", 3, 2, 4),
            r"bearleft.setting.lying\[3\]\[2\]: expected a number from 0 to 3",
        ),
        (set_field("bearleft", "setting", "standing", 0, 1, [5, 1, 0]), r"bearleft.setting.standing\[0\]\[1\]\[0\]"),
        (
            set_field("bearleft", "setting", "standing", 0, 1, [0, 3, 0]),
            r"bearleft.setting.standing\[0\]: expected items on",
        ),
        (set_field("gt_objects", 0, "Dotted Pink Mug"), r"gt_objects\[0\]: expected a pattern"),
        (set_field("gt_objects", 0, "Dotted Red Mug"), r"bearleft.setting.lying\[0\]: expected the target of turn 1"),
        (
            set_field("gt_objects_pos", "navi_obj_pos_gt", 1, 0, 0.0),
            r"bearleft.setting.lying\[1\]: expected the target",
        ),
        (set_field("gt_objects_pos", "assem_obj_pos_gt", 1, [5, 1, 0]), r"gt_objects_pos.assem_obj_pos_gt\[1\]\[0\]"),
    ],
)
def test_invalid_items(tmp_path: Path, change: Callable[[dict[str, Any]], None], message: str) -> None:
    items = read_items()[:2]
    change(items[1])
    (tmp_path / "mine.json").write_text(json.dumps(items))
    with pytest.raises(InputError, match=rf"mine\.json:1 \(item 2\), field {message}"):
        list(read("city/arramon", tmp_path / "mine.json"))


def test_released_items_need_no_world(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(json.dumps([arramon_item(1, "ff", "fl")]))
    assert len(list(read("arramon", tmp_path / "mine.json"))) == 1
    with pytest.raises(InputError, match="expected a field bearleft"):
        list(read("city/arramon", tmp_path / "mine.json"))


def test_tasks_depend_on_seed_and_number_alone(generated_items: list[dict[str, Any]]) -> None:
    specs = [TaskSpec(k, 1 + k % 2) for k in range(12)]
    generator = make_generator()
    lines = {spec.number: generator.task(spec, "city/arramon/val_unseen").line for spec in reversed(specs[:4])}
    assert [lines[k] for k in range(4)] == generated_items[:4]
    assert make_generator(seed=1).task(specs[0], "city/arramon/val_unseen").line != generated_items[0]


def test_rejected_draws_are_counted() -> None:
    generator = make_generator()
    skipped: Counter[str] = Counter()
    for k in range(12):
        skipped.update(generator.task(TaskSpec(k, 1), "city/arramon/train").skipped)
    assert skipped[NO_WALK_TEXT] and skipped["cells without a text"] and skipped["navigation texts with a problem: key"]

    class SilentWriter(SimpleWriter):
        def room(self, room_items: Sequence[RoomItem], item: str, cell: Cell, rng: random.Random) -> Text | None:
            return None

    generator.writer = SilentWriter()
    result = generator.task(TaskSpec(0, 1), "city/arramon/train")
    assert result.line is None and result.examples == 0 and sum(result.skipped.values()) > 50


def test_splits_have_disjoint_sections_and_numbers() -> None:
    sizes = {"train": 1600, "val_seen": 400, "val_unseen": 300, "test_unseen": 300, "small": 24}
    specs = {split: list(islice(task_specs(split, 0), size)) for split, size in sizes.items()}
    for split, sections in (
        ("train", range(1, 6)),
        ("val_seen", range(1, 6)),
        ("val_unseen", [6]),
        ("test_unseen", [7]),
    ):
        counts = Counter(spec.section for spec in specs[split])
        assert set(counts) == set(sections)
        assert max(counts.values()) - min(counts.values()) < 50
    numbers = [spec.number for split_specs in specs.values() for spec in split_specs]
    assert len(set(numbers)) == len(numbers)
    # A random fifth of the pool is val_seen.
    pool = sorted(spec.number for split in ("train", "val_seen") for spec in specs[split])
    assert pool == list(range(2000))
    gaps = Counter(np.diff([spec.number for spec in specs["val_seen"]]).tolist())
    assert len(gaps) > 6
    assert [s.number for s in islice(task_specs("val_seen", 1), 20)] != [s.number for s in specs["val_seen"][:20]]


def change_leg(episode: Episode, leg: int, **changes: Any) -> Episode:
    """Return the episode with the goal or the text of a leg changed."""
    legs = list(episode.legs)
    text = changes.pop("text", legs[leg].text)
    legs[leg] = replace(legs[leg], text=text, goal=replace(legs[leg].goal, **changes))
    return replace(episode, legs=tuple(legs))


def with_task_setup(episode: Episode, **changes: Any) -> Episode:
    return replace(episode, extra={**episode.extra, "setting": episode.extra["setting"] | changes})


def test_replay_finds_invalid_tasks() -> None:
    episode = replace(load("city/arramon/small")[0], dataset="city/arramon/small")
    assert not replay_errors(episode)
    walk, room = episode.legs[0].goal, episode.legs[1].goal
    assert isinstance(walk, Collect) and isinstance(room, Assemble)
    setup = TaskSetup.from_episode(episode)
    target = setup.city_items[0]
    nearer_position = (
        walk.path[-1][0] + (target.at[0] - walk.path[-1][0]) / 2,
        walk.path[-1][1] + (target.at[1] - walk.path[-1][1]) / 2,
    )
    city_items = list(setup.city_items)
    crowded_items = [*city_items[:2], CityItem("Dotted Red Mug", (*nearer_position, 0.06)), *city_items[3:]]
    crowded = with_task_setup(episode, lying=replace(setup, city_items=tuple(crowded_items)).to_json()["lying"])
    far_position = (walk.path[0][0] + 500.0, walk.path[0][1], 0.525)
    for changed, message in (
        (replace(episode, dataset="city/arramon/val_unseen"), "a task of val_unseen in section 6, got section 1"),
        (with_task_setup(episode, section=2), "in section 2"),
        (crowded, "as the nearest item, got Dotted Red Mug"),
        (crowded, "at least 4 m apart"),
        (change_leg(episode, 0, text="Use the key to walk to the red thing."), "a text that fails key in turn 1"),
        (change_leg(episode, 1, text="Go to the corner."), "a text that fails words"),
        (change_leg(episode, 0, actions=("right", "right", *walk.actions)), "within reach|follow the path|free ground"),
        (
            change_leg(episode, 0, actions=(*walk.actions[:-1], *["forward"] * 90, "pick")),
            "free ground, got [0-9]+ blocked moves",
        ),
        (
            change_leg(episode, 2, path=(far_position, *episode.legs[2].goal.path[1:])),  # type: ignore[union-attr]
            "a walk from the current position",
        ),
        (change_leg(episode, 1, actions=("left", *room.actions)), "ends in front of the cell|path around the items"),
        (change_leg(episode, 1, actions=(*["left"] * 6, "forward", "place")), "a path around the items of the room"),
        (change_leg(episode, 1, cell=(room.cell[0], room.cell[1] + 1, room.cell[2])), "a cell of height"),
        (change_leg(episode, 1, path=((2, 1, 0), (2, 1, 2))), "actions that follow the path"),
    ):
        errors = "\n".join(map(str, replay_errors(changed)))
        assert re.search(message, errors), (message, errors)
        assert f"task {episode.id}" in errors


def test_check_counts_errors(tmp_path: Path) -> None:
    items = read_items()[:2]
    items[1]["instructions"]["assem_inst_gt"][0] = "Put it on the tile over there please."
    folder = tmp_path / "city/arramon"
    folder.mkdir(parents=True)
    (folder / "mine.json").write_text(json.dumps(items))
    result = check(tmp_path, ["city/arramon/mine"])
    assert [row["errors"] for row in result.rows] == [1]
    assert "mine.json: expected a text for assembly" in result.errors[0] and str(items[1]["mapId"]) in result.errors[0]
    # As arramon the file is not replayed.
    (tmp_path / "arramon").mkdir()
    (folder / "mine.json").rename(tmp_path / "arramon/mine.json")
    assert not check(tmp_path, ["arramon/mine"]).errors


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Generate shards of two tasks in small sections."""
    monkeypatch.setattr(shards, "SHARD_SIZE", 2)
    monkeypatch.setattr(
        "bearleft.generate.arramon.dataset.open_task_generator", lambda _, seed, _decoys: two_sections(seed)
    )


def two_sections(seed: int) -> TaskGenerator:
    generator = make_generator(seed)
    generator.bounds = [generator.bounds[k % 2] for k in range(7)]
    return generator


@pytest.mark.slow
def test_decoy_modes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts identify random decoys as well; the manifest holds the mode."""
    monkeypatch.setattr(shards, "SHARD_SIZE", 2)  # all tasks of a shard are generated
    make_dataset("city/arramon", ["val_unseen"], 3, out=tmp_path, processes=1, decoys="random")
    manifest = json.loads((tmp_path / "city/arramon/manifest.json").read_text())
    assert manifest["decoys"] == "random"
    assert not check(tmp_path, ["city/arramon/val_unseen"]).errors
    with pytest.raises(InputError, match='a folder whose decoys is "random", not "distinct"'):
        make_dataset("city/arramon", ["val_unseen"], 3, out=tmp_path, processes=1)
    for dataset, decoys in (("city/arramon", "alike"), ("city/sdr", "random")):
        with pytest.raises(InputError, match="decoys for city/arramon: distinct or random"):
            make_dataset(dataset, ["small"], 1, out=tmp_path, decoys=decoys)


@pytest.mark.slow
@pytest.mark.usefixtures("small_shards")
def test_resume_equals_uninterrupted_run(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"splits": ["train", "val_seen"], "size": 5, "processes": 1}
    result = make_dataset("city/arramon", out=tmp_path / "whole", **arguments)
    assert [row["dataset"] for row in result.rows] == ["city/arramon/train", "city/arramon/val_seen"]

    def stop(label: str, done: int, _: int) -> None:
        if label == "city/arramon/val_seen" and done >= 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_dataset("city/arramon", out=tmp_path / "halves", progress=stop, **arguments)
    folder = tmp_path / "halves/city/arramon"
    modified = {path: path.stat().st_mtime_ns for path in (folder / ".parts").glob("val_seen-*.json")}
    assert modified and not (folder / "val_seen.json").exists() and (folder / "train.json").exists()
    make_dataset("city/arramon", out=tmp_path / "halves", **arguments)
    for name in ("train.json", "val_seen.json", "episodes/train.jsonl", "episodes/val_seen.jsonl", "manifest.json"):
        assert (folder / name).read_bytes() == (tmp_path / "whole/city/arramon" / name).read_bytes()
    assert not (folder / ".parts").exists()
    manifest = datasets.read_manifest(folder / "manifest.json")
    assert manifest["world"] == "sections/0" and manifest["splits"]["train"]["skipped"]
    for split in ("train", "val_seen"):
        episodes = load(f"city/arramon/{split}", tmp_path / "whole")
        assert len(episodes) == 5 and load(folder / f"episodes/{split}.jsonl") == episodes
        assert manifest["splits"][split]["files"][f"{split}.json"] == sha256(folder / f"{split}.json")
    # A larger split begins with the smaller one.
    make_dataset("city/arramon", ["train"], 7, out=tmp_path / "halves", processes=1)
    assert read_items(folder / "train.json")[:5] == read_items(tmp_path / "whole/city/arramon/train.json")


@pytest.mark.usefixtures("small_shards")
def test_world_without_paths_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: object) -> None:
        raise DrawRejected(NO_PATH)

    monkeypatch.setattr("bearleft.generate.arramon.dataset.draw_navigation", nowhere)
    monkeypatch.setattr("bearleft.generate.arramon.dataset.MAX_DRAWS", 1)
    with pytest.raises(InputError, match=r"a world with 1 examples for val_unseen, got 0 in sections/0\. Name another"):
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
def test_invalid_arguments(changes: dict[str, Any], expected: str, tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"size": 2, "out": tmp_path, "processes": 1}
    with pytest.raises(InputError, match=expected):
        make_dataset("city/arramon", **arguments | changes)


def test_source_hash_depends_on_the_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = Path(datasets.__file__).parents[1]
    for pattern in (*datasets.TEXT_SOURCES, *datasets.ARRAMON_SOURCES):
        for path in package.glob(pattern):
            (tmp_path / path.relative_to(package)).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path.relative_to(package)).write_bytes(path.read_bytes())
    monkeypatch.setattr(datasets, "__file__", str(tmp_path / "generate" / "datasets.py"))
    for name, changes in (
        ("language/arramon_navigation/write.py", (False, True)),
        ("language/arramon_assembly/write.py", (False, True)),
        ("generate/arramon/tasks.py", (False, True)),
        ("language/instructions/templates.py", (True, False)),
        ("language/annotated_text.py", (True, True)),
    ):
        before = datasets.text_source_hash.__wrapped__(), datasets._source_hash(datasets.ARRAMON)
        with open(tmp_path / name, "a") as stream:
            stream.write("# another word\n")
        after = datasets.text_source_hash.__wrapped__(), datasets._source_hash(datasets.ARRAMON)
        assert tuple(first != second for first, second in zip(before, after, strict=True)) == changes, name


@pytest.mark.usefixtures("small_shards")
def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("data", "make", "city/arramon", "val_unseen", "--size", 3, "-o", tmp_path, "--processes", 1, "--json")
    code, out, err = run_command(capsys, *arguments)
    (row,) = json.loads(out)
    assert code == 0 and "manifest.json" in err and row["examples"] == 3 and row["sha256"] == sha256(row["file"])
    figures = {stats_row["statistic"]: stats_row for stats_row in stats(tmp_path, ["city/arramon/val_unseen"])}
    assert figures["episodes"]["value"] == 3 and figures["episodes"]["paper"] == 1155
    assert figures["navigation, moves, both turns, mean"]["paper"] == 48.14
    code, out, err = run_command(capsys, *arguments, "--seed", 1)
    assert code == 2 and "whose seed is 0, not 1" in err

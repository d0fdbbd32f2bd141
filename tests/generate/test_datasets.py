"""The datasets of bearleft's own cities: what they hold, and how they are made."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from bearleft.data import CITY_DATASETS, check, list_datasets, load, open_dataset, stats, write
from bearleft.data.catalog import EMBEDDED
from bearleft.data.loaders.touchdown import HIDDEN
from bearleft.data.stats import counted_splits
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.generate import datasets as city
from bearleft.generate import expand_dataset_names, make_dataset
from bearleft.generate import shards as making
from bearleft.generate.examples import _split_last_sentence
from bearleft.generate.splits import RouteSampler
from bearleft.geometry import unit_vectors
from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Annotation, Mention, Text
from bearleft.records import Collect, Direction, Episode, Point, Reach
from bearleft.runtime.store import sha256
from bearleft.version import VERSION
from bearleft.world.city.city import open_city
from bearleft.world.render.devices import Render, renderer
from bearleft.world.render.scene import Scene
from bearleft.world.visibility.rays import cast
from bearleft.world.worlds import open_world
from tests.commands import run_command
from tests.sizes import some

WORLD, ROOMS = "city/3/4x5", "rooms/0/42"
SIZE = 4
EXAMPLES_PER_SHARD = 2  # all examples of a shard are generated, even if fewer are requested
MADE = ("city/touchdown", "city/sdr", "city/refer360")


pytestmark = pytest.mark.usefixtures("city_cache", "small_units")


@pytest.fixture(scope="session")
def made(shared_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with all three, small."""
    out = tmp_path_factory.mktemp("cities")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BEARLEFT_CACHE", str(shared_cache))
        patch.setattr(making, "SHARD_SIZE", EXAMPLES_PER_SHARD)
        for dataset in MADE:
            make_dataset(dataset, size=SIZE, world=WORLD, out=out, processes=1)
    return out


@pytest.fixture
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "SHARD_SIZE", EXAMPLES_PER_SHARD)


def small(out: Path, **changes: Any) -> city.GeneratedDataset:
    asked: dict[str, Any] = {"splits": ["dev"], "size": SIZE, "world": WORLD, "out": out, "processes": 1}
    return make_dataset("city/touchdown", **asked | changes)


def manifest(folder: Path, dataset: str = "city/touchdown") -> dict[str, Any]:
    return city.read_manifest(folder / dataset / "manifest.json")


def splits() -> list[tuple[str, str]]:
    return [(dataset, split) for dataset in MADE for split in city.SIZES[dataset]]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("dataset", "split"), splits())
def test_both_formats_hold_equal_episodes(made: Path, dataset: str, split: str, tmp_path: Path) -> None:
    theirs = open_dataset(f"{dataset}/{split}", made)
    episodes = list(theirs)
    assert len(episodes) == manifest(made, dataset)["splits"][split]["examples"]
    assert {episode.world for episode in episodes} == ({WORLD, ROOMS} if dataset == "city/refer360" else {WORLD})
    assert load(made / dataset / "episodes" / f"{split}.jsonl") == episodes
    # And written again, the file is the same byte for byte.
    assert theirs.path is not None
    write(dataset, episodes, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == theirs.path.read_bytes()


def test_the_whole_task_is_the_same_lines(made: Path, tmp_path: Path) -> None:
    walks, whole = load("city/touchdown/dev", made), load("city/touchdown-complete/dev", made)
    assert [e.legs[0] for e in walks] == [e.legs[0] for e in whole]
    for episode in whole:
        reach, point = (leg.goal for leg in episode.legs)
        assert isinstance(reach, Reach) and isinstance(point, Point) and point.place == reach.route[-1]
    write("city/touchdown-complete", whole, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (made / "city/touchdown/dev.jsonl").read_bytes()


def lines(made: Path, dataset: str, split: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (made / dataset / f"{split}.jsonl").read_text().splitlines()]


def panoramas(made: Path, split: str) -> set[str]:
    found = set()
    for dataset in ("city/touchdown", "city/sdr"):
        for line in lines(made, dataset, split):
            found |= {*line.get("route_panoids", ()), line["pre_pano"], line["main_pano"], line["post_pano"]} - {""}
    return found


def test_unseen_splits_share_no_panorama(made: Path) -> None:
    seen = set().union(*(panoramas(made, split) for split in ("train", "dev", "test")))
    dev, test = panoramas(made, "dev_unseen"), panoramas(made, "test_unseen")
    assert seen and dev and test
    assert not seen & dev and not seen & test and not dev & test


def test_seen_splits_share_no_route(made: Path) -> None:
    routes = [tuple(line["route_panoids"]) for s in ("train", "dev", "test") for line in lines(made, MADE[0], s)]
    assert len(set(routes)) == len(routes) == 3 * SIZE
    ids = [line["route_id"] for s in city.SIZES[MADE[0]] for line in lines(made, MADE[0], s)]
    assert len(set(ids)) == 5 * SIZE


def test_sdr_counts_panoramas_and_agrees_with_the_routes(made: Path) -> None:
    both = 0
    walks = {line["route_id"]: line for line in lines(made, "city/touchdown", "dev")}
    for line in lines(made, "city/sdr", "dev"):
        assert "navigation_text" not in line
        if line["route_id"] in walks:
            both += 1
            assert all(walks[line["route_id"]][name] == value for name, value in line.items() if "pano" in name)
            assert walks[line["route_id"]]["td_location_text"] == line["td_location_text"]
    assert both


def test_a_target_is_seen_where_it_is_said_to_be(made: Path) -> None:
    scene = open_city(WORLD)
    for episode in [e for split in city.SIZES["city/sdr"] for e in load(f"city/sdr/{split}", made)]:
        goal = episode.legs[0].goal
        assert isinstance(goal, Point) and goal.place is not None
        eye = scene.poses([scene.graph.place_index(goal.place)])[0, :3]
        met = cast(scene.scene, [eye], [unit_vectors(goal.direction.heading, goal.direction.pitch)])
        target = episode.extra["target"]
        assert (int(met.instance[0]), int(met.part[0])) == (target["instance"], target["part"])
        assert target["class"] not in ("car", "taxi", "person")


def test_marks_and_mentions_lie_in_their_texts(made: Path) -> None:
    things = len(open_city(WORLD).plan.things)
    overlaps = []
    for line in [one for split in city.SIZES["city/touchdown"] for one in lines(made, "city/touchdown", split)]:
        for name in ("navigation_text", "td_location_text", "full_text"):
            text = line[name]
            assert line["phenomena"][name] and line["landmarks"][name]
            for what, begin, end in line["phenomena"][name]:
                assert what and 0 <= begin < end <= len(text)
            for instance, begin, end in line["landmarks"][name]:
                assert 0 < instance <= things and text[begin:end].strip()
        walk, target, whole = (tokens(line[f"{n}_text"]) for n in ("navigation", "td_location", "full"))
        if whole[: len(walk) + 1] == [*walk, "."]:  # an instruction without a full stop is closed where it goes on
            walk.append(".")
        overlap = len(walk) + len(target) - len(whole)
        overlaps.append(overlap)
        assert walk[len(walk) - overlap :] == target[:overlap]
        assert whole == walk + target[overlap:]
    assert 0 in overlaps and max(overlaps) > 3


def test_refer360_keeps_its_scenes_apart(made: Path) -> None:
    episodes = {split: load(f"city/refer360/{split}", made) for split in city.SIZES["city/refer360"]}
    places = {split: {(e.world, e.start.place) for e in found} for split, found in episodes.items()}
    assert places["validation.seen"] <= places["train"] and places["test.seen"] <= places["train"]
    assert not places["validation.unseen"] & (places["train"] | places["test.unseen"])
    assert not places["test.unseen"] & places["train"]
    for episode in [e for found in episodes.values() for e in found]:
        goal = episode.legs[0].goal
        assert isinstance(goal, Point)
        assert len(episode.legs[0].sentences) == len(goal.views) >= 2 and abs(goal.direction.pitch) <= 45
        outdoors = episode.extra["img_cat"] in ("street", "plaza_courtyard")
        assert episode.extra["img_loc"] == ("outdoor" if outdoors else "indoor")
        assert episode.world == (WORLD if outdoors else ROOMS)
    assert {episode.world for found in episodes.values() for episode in found} == {WORLD, ROOMS}


# JSON types of all fields of Refer360's released files.
REFER360_FIELDS = {
    "": {
        "annotationid": int,
        **dict.fromkeys(("refexp", "actions"), list),
        **dict.fromkeys(("ann_cat", "img_src", "img_cat", "img_loc", "img_idx"), str),
        **dict.fromkeys(("xlng_deg", "xlng_rad", "ylat_deg", "ylat_rad"), float),
    },
    "actions": {
        **dict.fromkeys(("annotationid", "actionid"), int),
        **dict.fromkeys(("act_deg_list", "act_rad_list"), list),
        **dict.fromkeys(("ann_clr", "ann_cat"), str),
        **dict.fromkeys(("pred_xlng_deg", "pred_xlng_rad", "pred_ylat_deg", "pred_ylat_rad"), float),
    },
}


def field_types(items: list[dict[str, Any]]) -> dict[str, dict[str, type]]:
    """Return the type of each field of items and of their followers; all must agree."""
    types: dict[str, dict[str, type]] = {"": {}, "actions": {}}
    for level, row in [("", item) for item in items] + [("actions", a) for item in items for a in item["actions"]]:
        for name, value in row.items():
            assert types[level].setdefault(name, type(value)) is type(value), name
    return types


def released_radians(degrees: float, adjustment: float) -> tuple[float, float]:
    """Return a point of the circle, so that 0 and 2 pi are equal."""
    return math.cos(math.radians(degrees) + adjustment), math.sin(math.radians(degrees) + adjustment)


def check_radians(items: list[dict[str, Any]]) -> None:
    """Check that radians are degrees with the adjustments of the released files."""
    for item in items:
        pairs = [(item["xlng_deg"], item["xlng_rad"], 0.015), (item["ylat_deg"], item["ylat_rad"], -0.1)]
        for follower in item["actions"]:
            pairs.append((follower["pred_xlng_deg"], follower["pred_xlng_rad"], 0.015))
            pairs.append((follower["pred_ylat_deg"], follower["pred_ylat_rad"], -0.1))
            for degrees, radians in zip(follower["act_deg_list"], follower["act_rad_list"], strict=True):
                for (longitude, latitude), (x, y) in zip(degrees, radians, strict=True):
                    pairs += [(longitude, x, 0.015), (latitude, y, -0.1)]
        for degrees, radians, adjustment in pairs:
            assert released_radians(degrees, adjustment) == pytest.approx((math.cos(radians), math.sin(radians)))
        assert 0.0 <= item["xlng_rad"] < 2 * math.pi


def test_refer360_files_have_all_released_fields(made: Path) -> None:
    for folder, splits in ((made, list(city.SIZES["city/refer360"])), (EMBEDDED, ["small"])):
        for split in splits:
            items = json.loads((folder / f"city/refer360/{split}.json").read_text())
            types = field_types(items)
            assert all(types[level].items() >= fields.items() for level, fields in REFER360_FIELDS.items())
            check_radians(items)
            ids = [follower["actionid"] for item in items for follower in item["actions"]]
            assert len(set(ids)) == len(ids) == len(items)
            # Targets are drawn at random, and no person rated the sequences.
            assert {item["ann_cat"] for item in items} == {"R"}
            assert {(f["ann_cat"], f["ann_clr"]) for item in items for f in item["actions"]} == {("", "")}


@pytest.mark.slow
def test_refer360_fields_are_those_of_the_real_files(real_data: Path) -> None:
    for path in sorted((real_data / "refer360").glob("*.json")):
        items = json.loads(path.read_text())
        assert field_types(items) == REFER360_FIELDS
        check_radians(items)


def test_a_moved_target_has_radians_of_its_own(made: Path, tmp_path: Path) -> None:
    episode = load("city/refer360/train", made)[0]
    goal = episode.legs[0].goal
    assert isinstance(goal, Point)
    goal = replace(goal, direction=Direction(200.0, 10.0))
    write("city/refer360", [replace(episode, legs=(replace(episode.legs[0], goal=goal),))], tmp_path / "moved.json")
    (item,) = json.loads((tmp_path / "moved.json").read_text())
    assert (item["xlng_deg"], item["ylat_deg"]) == (-160.0, 10.0)
    check_radians([item])


def test_the_manifest_tells_everything(made: Path) -> None:
    for dataset in MADE:
        found = manifest(made, dataset)
        assert found["seed"] == 0 and found["world"] == WORLD and found["plan"] == open_city(WORLD).plan.hash
        assert found["bearleft"] == VERSION
        rooms = (ROOMS, open_city(ROOMS).plan.hash) if dataset == "city/refer360" else (None, None)
        assert (found.get("rooms"), found.get("rooms_plan")) == rooms
        for split, about in found["splits"].items():
            # The unseen part of this small world has fewer panoramas of targets than requested.
            few = dataset == "city/sdr" and split.endswith("unseen")
            assert SIZE - few <= about["examples"] <= SIZE and about["attempts"] >= about["lines"] > 0
            assert all(sha256(made / dataset / name) == hashed for name, hashed in about["files"].items())
            assert len(about["files"]) == 2, split
        assert all(sha256(made / dataset / name) == hashed for name, hashed in found["files"].items())
        assert not (made / dataset / ".parts").exists()


@pytest.mark.slow
def test_fewer_are_the_first_of_more(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "SHARD_SIZE", 2)
    small(tmp_path, size=SIZE - 2)
    assert lines(tmp_path, "city/touchdown", "dev") == lines(made, "city/touchdown", "dev")[:-2]
    # A larger one takes its place.
    small(tmp_path)
    assert manifest(tmp_path)["splits"]["dev"] == manifest(made)["splits"]["dev"]
    # A smaller one does not.
    with pytest.raises(InputError, match=f"at least the {SIZE} existing examples of dev, got 2. Name another"):
        small(tmp_path, size=2)
    assert manifest(tmp_path)["splits"]["dev"] == manifest(made)["splits"]["dev"]
    assert len(lines(tmp_path, "city/touchdown", "dev")) == SIZE
    # What was deleted may be made anew, of any size.
    for name in manifest(tmp_path)["splits"]["dev"]["files"]:
        (tmp_path / "city/touchdown" / name).unlink()
    small(tmp_path, size=2)
    assert len(lines(tmp_path, "city/touchdown", "dev")) == 2


@pytest.mark.slow  # of one world: test_a_kill_loses_the_unit_in_work_at_most
def test_two_worlds_are_told_by_two_processes_as_by_one(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "SHARD_SIZE", 2)
    make_dataset("city/refer360", ["validation.unseen"], SIZE, world=WORLD, rooms=ROOMS, out=tmp_path, processes=2)
    ours, known = manifest(tmp_path, "city/refer360")["splits"], manifest(made, "city/refer360")["splits"]
    assert ours == {"validation.unseen": known["validation.unseen"]}


def test_another_seed_and_another_style_say_something_else(made: Path, tmp_path: Path) -> None:
    other = small(tmp_path / "other", seed=1, size=3)
    assert other.rows[0]["sha256"] != sha256(made / "city/touchdown/dev.jsonl")
    small(tmp_path / "loose", style="loose", size=3)
    plain, loose = lines(made, MADE[0], "dev")[:3], lines(tmp_path / "loose", MADE[0], "dev")
    assert [line["route_panoids"] for line in plain] == [line["route_panoids"] for line in loose]
    assert [line["full_text"] for line in plain] != [line["full_text"] for line in loose]
    for line in loose:
        assert all(end <= len(line["full_text"]) for _, _, end in line["landmarks"]["full_text"])


def test_walkers_may_face_the_route(made: Path, tmp_path: Path) -> None:
    small(tmp_path, facing="route", size=3)
    assert manifest(tmp_path)["facing"] == "route" and manifest(made)["facing"] == "north"
    graph = open_world(WORLD)
    for north, line in zip(lines(made, MADE[0], "dev"), lines(tmp_path, MADE[0], "dev"), strict=False):
        assert line["route_panoids"] == north["route_panoids"] and north["start_heading"] == 0
        start, following = (graph.place_index(place) for place in line["route_panoids"][:2])
        assert line["start_heading"] == graph.heading[graph.find_link(start, following)]
        assert line["full_text"].startswith(line["navigation_text"].rstrip("."))


def test_visibility_of_a_gpu_is_kept_apart(
    made: Path, shared_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table of the CPU stands for a build that was interrupted before its last file: the rest takes a moment."""
    devices: list[str] = []
    (built,) = (shared_cache / "visible").glob(f"{WORLD.replace('/', '-')}-{open_city(WORLD).plan.hash[:12]}")
    begun = tmp_path / "cache" / "visible" / f"{built.name}-cuda"
    shutil.copytree(built, begun)
    (begun / "index.npy").unlink()
    max(begun.glob("places-*.npy")).unlink()

    def on_cpu(scene: Scene, device: str) -> Render:
        devices.append(device)
        return renderer(scene, "cpu")

    monkeypatch.setattr("bearleft.world.visibility.table.renderer", on_cpu)
    monkeypatch.setattr("bearleft.language.scene_index.cache_folder", lambda: tmp_path / "cache")
    small(tmp_path, device="cuda", size=3, processes=1)
    assert list((tmp_path / "cache" / "visible").iterdir()) == [begun]
    assert devices == ["cuda"] and (begun / "index.npy").exists()
    assert manifest(tmp_path)["visibility_device"] == "cuda"
    assert lines(tmp_path, MADE[0], "dev") == lines(made, MADE[0], "dev")[:3]


# It ends itself at a third example, which is in the second unit at the earliest.
KILLED = """
import os, signal
from bearleft.generate import make_dataset
from bearleft.generate import shards as making
making.SHARD_SIZE, making.SHARDS_PER_SPLIT = 2, 1
making.QUEUED_PER_PROCESS = 1
def tell(label, done, count):
    if label == "city/touchdown/dev" and done >= 3:
        os.kill(os.getpid(), signal.SIGKILL)
make_dataset("city/touchdown", ["dev"], {size}, world={world!r}, out={out!r}, processes={processes}, progress=tell)
"""


@pytest.mark.slow
@pytest.mark.parametrize("processes", some([2, 1], 1))
def test_a_kill_loses_the_unit_in_work_at_most(made: Path, tmp_path: Path, processes: int) -> None:
    code = KILLED.format(size=SIZE, world=WORLD, out=str(tmp_path), processes=processes)
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    parts = tmp_path / "city/touchdown/.parts"
    there = {path: path.stat().st_mtime_ns for path in parts.glob("dev-*.json")}
    assert len(there) >= 2 and not (tmp_path / "city/touchdown/dev.jsonl").exists()
    for path in there:
        assert len(json.loads(path.read_text())["results"]) == 2
    done = []
    before = making.write_shard

    def seen(unit: making.Shard) -> None:
        before(unit)
        done.append(unit.path)
        assert unit.path not in there or unit.path.stat().st_mtime_ns == there[unit.path]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "SHARD_SIZE", 2)
        patch.setattr(making, "SHARDS_PER_SPLIT", 1)
        patch.setattr(making, "write_shard", seen)
        small(tmp_path)
    assert set(there) <= set(done)
    assert manifest(tmp_path)["splits"] == {"dev": manifest(made)["splits"]["dev"]}


def test_a_unit_of_something_else_is_done_again(made: Path, tmp_path: Path) -> None:
    parts = tmp_path / "city/refer360/.parts"
    parts.mkdir(parents=True)
    (parts / "train-00000.json").write_text('{"specs": [[0, "city/3/4x5", 1, "street"]], "results": [[null, 0, {}]]}')
    (parts / "validation.seen-00000.json").write_text("half of a fi")
    make_dataset("city/refer360", ["train", "validation.seen"], SIZE, world=WORLD, out=tmp_path, processes=1)
    ours, known = manifest(tmp_path, "city/refer360")["splits"], manifest(made, "city/refer360")["splits"]
    assert ours == {split: known[split] for split in ours}


def test_what_is_there_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = small(tmp_path, size=2)
    with monkeypatch.context() as patch:
        patch.setattr(making, "write_shard", lambda _: pytest.fail("made again"))
        assert small(tmp_path, size=2).rows == first.rows
    # A file that was changed is no longer what the manifest says.
    path = tmp_path / "city/touchdown/dev.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    small(tmp_path, size=2)
    assert hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(whole).digest()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"seed": 1}, "seed"),
        ({"world": "city/4/4x5"}, "world"),
        ({"style": "loose"}, "style"),
        ({"facing": "route"}, "facing"),
        ({"device": "cuda"}, "visibility_device"),
    ],
)
def test_another_dataset_in_the_same_folder_is_refused(made: Path, changes: dict[str, Any], named: str) -> None:
    before = (made / "city/touchdown/manifest.json").read_bytes()
    with pytest.raises(InputError, match=f"whose {named} is"):
        small(made, **changes)
    assert (made / "city/touchdown/manifest.json").read_bytes() == before


def test_another_version_and_other_files_are_refused(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(city, "VERSION", "0.0.0")
        with pytest.raises(InputError, match=r"made by another version of bearleft.*, not 0.0.0. Name another folder"):
            small(made)
    with monkeypatch.context() as patch:
        patch.setattr(city, "text_source_hash", lambda: "other")
        with pytest.raises(
            InputError, match=r"made by another version of bearleft, whose texts .* Name another folder"
        ):
            small(made)
    (tmp_path / "city/touchdown").mkdir(parents=True)
    (tmp_path / "city/touchdown/mine.txt").write_text("mine")
    with pytest.raises(InputError, match=r'without manifest.json that holds "mine.txt". Name another folder'):
        small(tmp_path)
    whole = manifest(made)
    for broken in ({}, whole | {"splits": {"dev": {}}}, whole | {"splits": {"dev": {"files": [], "examples": 2}}}):
        (tmp_path / "city/touchdown/manifest.json").write_text(json.dumps(broken))
        with pytest.raises(InputError, match="a manifest"):
            small(tmp_path)


def test_words_are_a_hash_of_every_source_that_texts_follow_from(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path(city.__file__).parents[1]
    found = {path for pattern in city.TEXT_SOURCES for path in home.glob(pattern)}
    assert found >= set((home / "language/weights").glob("*.json"))
    assert found >= {
        home / name for name in ("generate/examples.py", "generate/scenes.py", "world/targets.py", "generate/routes.py")
    }
    assert found >= set((home / "language").rglob("*.py")) and home / "language/annotated_text.py" in found
    assert manifest(made)["text_source_hash"] == city.text_source_hash()
    for path in found:
        copy = tmp_path / path.relative_to(home)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(city, "__file__", str(tmp_path / "generate" / "datasets.py"))
    assert city.text_source_hash.__wrapped__() == city.text_source_hash()
    with open(tmp_path / "generate/pictures.py", "a") as stream:
        stream.write("# other pictures, the same texts")
    assert city.text_source_hash.__wrapped__() == city.text_source_hash()
    with open(tmp_path / "language/instructions/__init__.py", "a") as stream:
        stream.write("# another word")
    assert city.text_source_hash.__wrapped__() != city.text_source_hash()


@pytest.mark.parametrize(
    ("dataset", "changes", "expected"),
    [
        ("city/touchdwn", {}, "the name of a dataset to make"),
        ("touchdown", {}, "the name of a dataset to make"),
        ("city/touchdown", {"splits": ["deev"]}, "a split of city/touchdown"),
        ("city/sdr", {"splits": ["val_unseen"]}, "a split of city/sdr"),
        ("city/touchdown", {"size": 0}, "at least one example"),
        ("city/touchdown", {"world": "town/0"}, "the seed of the city to build"),
        ("city/touchdown", {"world": "city/three"}, 'a generated city: city/SEED .*, got "city/three"'),
        ("city/touchdown", {"world": "city/3/4"}, "a generated city"),
        ("city/touchdown", {"splits": ["smal"]}, "Did you mean small.*test_unseen, small, sample"),
        ("city/touchdown", {"world": "city/0/1x1"}, "avenues"),
        ("city/touchdown", {"rooms": ROOMS}, "rooms for city/refer360 only"),
        ("city/refer360", {"rooms": "rooms/x"}, 'generated rooms: .*, got "rooms/x"'),
        ("city/refer360", {"rooms": "rooms/0/41"}, "a world of at least 42 rooms, got 41 in rooms/0/41"),
        ("city/touchdown", {"style": "wild"}, "plain or loose"),
        ("city/touchdown", {"facing": "south"}, 'north or route, got "south"'),
        ("city/refer360", {"facing": "route"}, "city/touchdown for walkers who face the route"),
        ("city/touchdown", {"device": "gpu"}, 'device, got "gpu"'),
        ("city/touchdown", {"seed": -1}, "a seed"),
        ("city/touchdown", {"processes": 0}, "at least one process"),
    ],
)
def test_mistakes_are_named(dataset: str, changes: dict[str, Any], expected: str, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"size": 2, "world": WORLD, "out": tmp_path, "processes": 1}
    with pytest.raises(InputError, match=expected):
        make_dataset(dataset, **asked | changes)


def test_a_city_with_fewer_routes_gives_those_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = RouteSampler.routes
    monkeypatch.setattr(RouteSampler, "routes", lambda scenes, split: islice(few(scenes, split), 3))
    first = small(tmp_path, size=1000)
    found = first.rows[0]["examples"]
    assert 0 < found <= 3 and len(load("city/touchdown/dev", tmp_path)) == found
    assert first.notes[0].startswith(f"Warning: city/touchdown/dev: expected 1,000 examples, found {found} in {WORLD}")
    monkeypatch.setattr(making, "write_shard", lambda _: pytest.fail("made again"))
    again = small(tmp_path, size=1000)
    assert (again.rows, again.notes) == (first.rows, first.notes)


def test_a_line_must_name_its_city(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "city/touchdown"
    folder.mkdir(parents=True)
    line = lines(made, "city/touchdown", "dev")[0]
    for changed, expected in (
        ({"city": "nyc"}, "a generated city"),
        ({"city": "city/x"}, "a generated city: city/SEED"),
        ({"city": "city/4/4x5"}, "not linked|a place of the world"),
        ({"route_panoids": ["c000001", "c999999"]}, "a place of the world"),
    ):
        (folder / "dev.jsonl").write_text(json.dumps(line | changed) + "\n")
        for family in ("city/touchdown", "city/touchdown-complete"):
            with pytest.raises(InputError, match=expected):
                load(f"{family}/dev", tmp_path)


def test_datasets_are_listed_checked_and_counted(made: Path) -> None:
    listed = {row["dataset"]: row["file"] for row in list_datasets(made)}
    for dataset, split in splits():
        assert listed[f"{dataset}/{split}"].startswith(str(made))
    for family in set(CITY_DATASETS) - {city.PAIRS}:
        assert f"{family}/small" in listed and f"{family}/manifest" not in listed
    names = ["city/touchdown/dev", "city/touchdown-complete/dev", "city/sdr/dev", "city/refer360/train"]
    checked = check(made, names)
    assert not checked.errors and all(row["episodes"] - row["skipped"] == SIZE for row in checked.rows)
    figures = {(row["dataset"], row["statistic"]): row for row in stats(made, names)}
    assert figures["city/touchdown/dev", "episodes"]["value"] == SIZE
    assert figures["city/touchdown/dev", "episodes"]["paper"] == 1391
    assert figures["city/touchdown/dev", "metres per route, mean"]["value"] > 50
    assert figures["city/refer360/train", "tokens per text, mean"]["paper"] == 43.8


def test_a_changed_file_is_an_error_of_check(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "city/touchdown", tmp_path / "city/touchdown")
    folder = tmp_path / "city/touchdown"
    names = ["city/touchdown/dev", "city/sdr/dev_unseen", "city/touchdown/test"]
    listed = {row["dataset"]: row["file"] for row in list_datasets(tmp_path)}
    assert listed["city/sdr/dev_unseen"] == listed["city/touchdown/dev_unseen"]  # the same lines, where nobody made it
    assert not check(tmp_path, names).errors
    # A line less is as good to read as ever, but not what was made.
    (folder / "dev.jsonl").write_text("".join((folder / "dev.jsonl").read_text().splitlines(True)[:-1]))
    (folder / "episodes/dev_unseen.jsonl").unlink()
    checked = check(tmp_path, [*names, "city/touchdown-complete/dev"])
    assert [row["errors"] for row in checked.rows] == [1, 1, 0, 1]
    assert len(checked.errors) == 2
    assert "dev.jsonl: expected the file that manifest.json names" in checked.errors[0]
    assert checked.errors[1].endswith("got no file")
    (folder / "manifest.json").write_text("{}")
    assert "a manifest of a generated dataset" in check(tmp_path, names[:1]).errors[0]
    # One's own file beside them, and a folder without a manifest, are read as they are.
    (folder / "manifest.json").write_text(json.dumps(manifest(made)))
    (folder / "dev.jsonl").rename(folder / "mine.jsonl")
    assert not check(tmp_path, ["city/touchdown/mine"]).errors
    (folder / "manifest.json").unlink()
    assert not check(tmp_path, ["city/touchdown/mine"]).errors


def test_what_is_not_there_is_offered(made: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="bearleft data make city/touchdown"):
        load("city/touchdown-complete/devv", made)
    with pytest.raises(InputError, match="Did you mean city/sdr"):
        load("citty/sdr/small", tmp_path)


def test_stats_count_the_small_split_of_a_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EMBEDDED / "city/refer360", tmp_path / "city/refer360")
    monkeypatch.setattr(city, "make_dataset", lambda *_, **__: pytest.fail("a sample was made"))
    rows = stats(tmp_path, expand_dataset_names(["city/refer360"], tmp_path))
    assert {row["dataset"] for row in rows} == {"city/refer360/small"}
    assert counted_splits(["city/refer360"], rows) == ["city/refer360: counted city/refer360/small."]


@pytest.mark.slow
def test_stats_of_a_family_make_a_sample(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = {row["dataset"] for row in stats(made, expand_dataset_names(["city/sdr"], made))}
    assert {"city/sdr/train", "city/sdr/dev", "city/sdr/test"} <= there and "city/sdr/small" not in there
    monkeypatch.setattr(city, "SAMPLE_SIZE", 3)
    monkeypatch.setattr("bearleft.runtime.compiled.num_threads", lambda: 1)  # others would each open the city for it
    monkeypatch.setattr(city, "SMALL_CITY", WORLD)
    monkeypatch.setattr("bearleft.data.catalog.samples_folder", lambda: tmp_path)
    monkeypatch.setattr(city, "samples_folder", lambda: tmp_path)
    rows = stats(None, expand_dataset_names(["city/refer360"], None))
    assert {row["dataset"] for row in rows} == {"city/refer360/sample"}
    assert next(row["value"] for row in rows if row["statistic"] == "episodes") == 3
    # A sample of another bearleft is made anew.
    path = tmp_path / "city/refer360/manifest.json"
    kept = json.loads(path.read_text())
    path.write_text(json.dumps(kept | {"text_source_hash": "other"}))
    assert stats(None, expand_dataset_names(["city/refer360"], None)) == rows
    assert json.loads(path.read_text()) == kept


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("family", [family for family in CITY_DATASETS if family != city.PAIRS])
def test_the_small_one_is_played_and_scored(family: str, tmp_path: Path) -> None:
    episodes = load(f"{family}/small")
    assert 24 <= len(episodes) <= 200 and all(isinstance(episode, Episode) for episode in episodes)
    evaluate("gold", f"{family}/small", tmp_path / "gold.jsonl")
    values = {row["metric"]: row["value"] for row in score(tmp_path / "gold.jsonl", resamples=10).rows}
    kinds = {type(leg.goal) for leg in episodes[0].legs}
    assert Reach not in kinds or (values["TC"], values["nDTW"]) == (100, 1)
    near = "Found@40px" if Reach in kinds else "A@40px"
    assert Point not in kinds or (values[near], values["Dist"]) == (100, 0)
    assert Collect not in kinds or (values["CTC-0"], values["PTC"]) == (1, 1)


def test_the_small_ones_take_little_room() -> None:
    files = [path for path in Path(city.__file__).parents[1].joinpath("data/embedded").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 670_000
    for dataset in ("city/touchdown", "city/refer360", "city/arramon", "city/pairs"):
        found = city.read_manifest(Path(city.__file__).parents[1] / "data" / "embedded" / dataset / "manifest.json")
        assert all(
            sha256(Path(city.__file__).parents[1] / "data" / "embedded" / dataset / name) == hashed
            for split in found["splits"].values()
            for name, hashed in split["files"].items()
        )


def test_hidden_is_minus_one(made: Path) -> None:
    everything = [line for s in city.SIZES["city/touchdown"] for line in lines(made, "city/touchdown", s)]
    clicks = [line[f"{view}_static_center"] for line in everything for view in ("pre", "main", "post")]
    assert json.loads(HIDDEN) == {"x": -1, "y": -1}
    assert 0 < sum(click == HIDDEN for click in clicks) < len(clicks) / 3
    for line in everything:
        for one, other in pairwise(line["route_panoids"]):
            assert open_city(WORLD).graph.has_link(*map(open_city(WORLD).graph.place_index, (one, other)))


def test_a_description_is_parted_before_its_last_sentence() -> None:
    text = Text(
        "See a door. It is red. The bear is on it.",
        (Annotation("a", 0, 11), Annotation("b", 23, 31)),
        (Mention(4, 4, 10),),
    )
    setting, bear = _split_last_sentence(text)
    assert (setting.string, bear.string) == ("See a door. It is red.", "The bear is on it.")
    assert Text.join([setting, bear]) == text
    assert _split_last_sentence(Text("The bear is on it.")) == (Text(""), Text("The bear is on it."))


@pytest.mark.slow
def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("data", "make", "city/refer360", "train", "--size", 3, "--world", WORLD, "-o", tmp_path)
    code, out, err = run_command(capsys, *asked, "--processes", 1, "--json")
    (row,) = json.loads(out)
    assert code == 0 and "manifest.json" in err
    assert err.endswith(f"Next: bearleft data check city/refer360/train --data {tmp_path}\n")
    assert row["dataset"] == "city/refer360/train" and row["examples"] == 3 and row["sha256"] == sha256(row["file"])
    code, out, _ = run_command(capsys, "data", "check", "city/refer360/train", "--data", tmp_path, "--json")
    assert code == 0 and json.loads(out)[0]["episodes"] == 3
    for words, message in (
        ((*asked, "--seed", 1), "whose seed is 0, not 1"),
        ((*asked, "--rooms", "rooms/1/42"), f'whose rooms is "{ROOMS}", not "rooms/1/42"'),
        (("data", "make", "city/refer360", "trian"), "Did you mean train?"),
        (("data", "make", "city/refer36"), "Did you mean city/refer360?"),
        ((*asked[:4], "--size", 0), "0 is not in the range"),
        ((*asked[:4], "--style", "wild"), "plain or loose"),
        ((*asked[:4], "--world", "touchdown"), "a generated city"),
    ):
        code, out, err = run_command(capsys, *words)
        assert code == 2 and message in err and not out, words


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "afile").write_text("mine")
    asked = ("data", "make", "city/touchdown", "dev", "--size", 2, "--world", WORLD, "--processes", 1, "-o")
    for folder in (tmp_path / "afile", "/proc/nope"):
        code, out, err = run_command(capsys, *asked, folder)
        assert code == 2 and not out, err
        assert len(err.splitlines()) == 1 and f"{folder}/city/touchdown: expected a folder that can be written" in err
    assert (tmp_path / "afile").read_text() == "mine"


def test_help_names_every_split(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run_command(capsys, "data", "make", "--help")
    assert all(split in out for split in ("train", "dev_unseen", "test_unseen", "validation.seen", *city.EXTRA_SPLITS))


def test_stats_say_that_real_texts_are_not_there(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remark = "Touchdown's files are not available"
    code, out, err = run_command(capsys, "data", "stats", "city/touchdown/dev", "--data", made, "--json")
    assert code == 0 and remark in err and not any("real" in row for row in json.loads(out))
    _, _, err = run_command(capsys, "data", "stats", "city/refer360/train", "--data", made, "--json")
    assert remark not in err
    # A city's own lines in Touchdown's place are as good as real ones here.
    shutil.copytree(made / "city", tmp_path / "city")
    shutil.copytree(made / "city/touchdown", tmp_path / "touchdown")
    code, out, err = run_command(capsys, "data", "stats", "city/touchdown/dev", "--data", tmp_path, "--json")
    assert code == 0 and remark not in err and any("real" in row for row in json.loads(out))

"""What is visible: against plain sums over pixels, against things rendered alone, and tables that survive a kill."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.geometry import angular_distance, unit_vectors, vector_angles
from bearleft.world.city.city import City, build_plan
from bearleft.world.city.streets import city_graph
from bearleft.world.render.camera import panorama, poses, view
from bearleft.world.render.codes import Ground, Material, SolidShape
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.render.gpu import available
from bearleft.world.render.scene import SOLID, Scene
from bearleft.world.visibility import table as module
from bearleft.world.visibility.table import VISIBLE_OBJECT, VisibilityTable, count_visible, visibility_table

EYE = (0.0, 0.0, 2.4)


def solid(instance: int, at: Any, half: Any, kind: SolidShape = SolidShape.BOX, part: int = 0, **more: Any) -> Any:
    row = np.zeros(1, SOLID)
    row["kind"], row["instance"], row["part"], row["text"] = kind, instance, part, -1
    row["centre"], row["matrix"], row["size"], row["colour"] = at, np.diag(half), half, 128
    for name, value in more.items():
        row[name] = value
    return row


# A house to the north with a pillar before it, a ball in the south, a long wall in the east, a car of two parts.
THINGS = [
    solid(1, (0, 20, 5), (5, 5, 5)),
    solid(2, (0, 10, 2.5), (1, 1, 2.5), SolidShape.CYLINDER, 3),
    solid(3, (0, -15, 2), (2, 2, 2), SolidShape.ELLIPSOID),
    solid(4, (9, 0, 1), (0.5, 30, 1)),
    solid(5, (-6, -4, 0.8), (1, 2, 0.4), part=1),
    solid(5, (-6, -4, 0.3), (0.8, 1.6, 0.3), SolidShape.BOX, 2),
]
SCENE = Scene.make(np.concatenate(THINGS), [Ground.YARD, 20, 21, 22, 23, 24])


def taken(scene: Scene, width: int = 256, heading: float = 0.0) -> tuple[Pictures, Any]:
    where = poses(EYE, heading)
    return render(scene, where, panorama(width), shadows=False), where


def row(rows: Any, instance: int, part: int = 0) -> Any:
    found = rows[(rows["instance"] == instance) & (rows["part"] == part)]
    assert len(found) == 1
    return found[0]


def same(one: Any, other: Any) -> bool:
    """Equal rows, NaN and all."""
    return len(one) > 0 and one.tobytes() == other.tobytes()


def median(values: Any, weights: Any) -> float:
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)])


@pytest.mark.parametrize("heading", [0.0, 77.0])
def test_rows_are_what_sums_over_pixels_give(heading: float) -> None:
    pictures, where = taken(SCENE, heading=heading)
    rows = count_visible(pictures, SCENE, where)
    height, width = pictures.depth.shape[1:]
    pitch = 90 - (np.arange(height) + 0.5) * 180 / height
    weight = np.repeat(np.cos(np.radians(pitch))[:, None], width, axis=1)
    weight /= weight.sum()
    rays = unit_vectors(heading - 180 + (np.arange(width) + 0.5) * 360 / width, np.zeros(width))
    for one in rows:
        mask = pictures.instance[0] == one["instance"]
        if one["part"]:
            mask &= pictures.part[0] == one["part"]
        if one["instance"] <= 0:
            mask &= pictures.kind[0] == one["kind"]
        assert one["share"] == pytest.approx(weight[mask].sum(), rel=1e-3)
        assert one["nearest"] == pictures.depth[0][mask].min()
        assert one["median"] == pytest.approx(median(pictures.depth[0][mask], weight[mask]), rel=1e-3)
        rows_there, columns_there = np.nonzero(mask)
        assert one["top"] == pytest.approx(90 - rows_there.min() * 180 / height)
        assert one["bottom"] == pytest.approx(90 - (rows_there.max() + 1) * 180 / height)
        c, z = np.cos(np.radians(pitch[rows_there])), np.sin(np.radians(pitch[rows_there]))
        towards = np.column_stack([c[:, None] * rays[columns_there][:, :2], z])
        mean = (towards * weight[mask][:, None]).sum(axis=0)
        if np.hypot(*mean[:2]) > 1e-6:
            assert angular_distance(*vector_angles(mean), one["heading"], one["pitch"]) < 0.05
    whole = (rows["instance"] <= 0) | (rows["part"] == 0)
    assert rows["share"][whole].sum() == pytest.approx(1, abs=1e-6)
    assert rows["place"].tolist() == [0] * len(rows)
    assert [one["kind"] for one in rows if one["part"] == 0][-5:] == [20, 21, 22, 23, 24]


@settings(deadline=None, max_examples=15)
@given(st.floats(0, 359.99))
def test_the_seam_changes_nothing(heading: float) -> None:
    """Wherever the picture's middle looks, things are where they are, and their boxes are narrow."""
    still = count_visible(*_args(0.0))
    turned = count_visible(*_args(heading))
    pixel = 360 / 256
    for instance in (1, 2, 3, 4, 5):
        one, other = row(still, instance), row(turned, instance)
        assert angular_distance(one["heading"], one["pitch"], other["heading"], other["pitch"]) < pixel
        assert abs(one["width"] - other["width"]) <= 2 * pixel
        assert abs((one["left"] - other["left"] + 180) % 360 - 180) <= 2 * pixel
        assert 0 <= other["heading"] < 360
        assert 0 <= other["left"] < 360
    south = row(turned, 3)
    assert abs(south["heading"] - 180) < pixel
    assert south["width"] < 20


def _args(heading: float) -> tuple[Pictures, Scene, Any]:
    pictures, where = taken(SCENE, heading=heading)
    return pictures, SCENE, where


@pytest.mark.parametrize("instance", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("width", [128, 512])
def test_hidden_is_what_the_thing_alone_would_show_more(instance: int, width: int) -> None:
    pictures, where = taken(SCENE, width)
    rows = count_visible(pictures, SCENE, where)
    own = SCENE.solids[SCENE.solids["instance"] == instance]
    alone = Scene.make(own, SCENE.arrays.class_of)
    before = row(count_visible(render(alone, where, panorama(width), shadows=False), alone, where), instance)
    assert before["hidden"] == 0
    expected = 1 - row(rows, instance)["share"] / before["share"]
    assert row(rows, instance)["hidden"] == pytest.approx(expected, abs=0.002 if width == 128 else 0.03)
    assert (row(rows, 1)["hidden"] > 0.1) and row(rows, 2)["hidden"] == 0


def test_large_things_are_counted_on_a_sample_of_their_pixels() -> None:
    wall = solid(1, (0, 30, 20), (60, 1, 20))
    posts = [solid(k + 2, (k * 4 - 30, 12, 10), (0.7, 0.7, 10)) for k in range(16)]
    scene = Scene.make(np.concatenate([wall, *posts]), np.arange(18) + 10)
    pictures, where = taken(scene, 512)
    alone = Scene.make(wall, np.arange(18) + 10)
    share = row(count_visible(render(alone, where, panorama(512)), alone, where), 1)["share"]
    seen = row(count_visible(pictures, scene, where), 1)
    assert seen["hidden"] == pytest.approx(1 - seen["share"] / share, abs=0.03)
    assert seen["hidden"] > 0.15


def test_a_thing_does_not_hide_itself() -> None:
    pictures, where = taken(SCENE, 512)
    rows = count_visible(pictures, SCENE, where)
    upper, lower = row(rows, 5, 1), row(rows, 5, 2)
    assert upper["hidden"] == lower["hidden"] == row(rows, 5)["hidden"] == 0
    before = Scene.make(np.concatenate([*THINGS, solid(6, (-4, -3, 0.45), (0.3, 0.8, 0.45))]), range(7))
    rows = count_visible(render(before, where, panorama(512)), before, where)
    assert 0 < row(rows, 5, 1)["hidden"] < row(rows, 5, 2)["hidden"] < 1
    assert row(rows, 5, 1)["hidden"] < row(rows, 5)["hidden"] < row(rows, 5, 2)["hidden"]


FACADE: dict[str, Any] = {"material": Material.FACADE, "pattern": (3.0, 3.0, 4.0, 0.0), "part": 1}


def test_windows_one_by_one_or_together() -> None:
    house = solid(1, (0, 15, 8), (8, 3, 8), **FACADE)
    scene = Scene.make(np.concatenate([house, solid(2, (3.2, 10, 3), (0.5, 0.5, 3))]), [Ground.YARD, 30, 31])
    pictures, where = taken(scene, 1024)
    together = count_visible(pictures, scene, where)
    each = count_visible(pictures, scene, where, windows=True)
    assert [tuple(one) for one in together[together["kind"] == Ground.WINDOW][["instance", "part"]]] == [(1, 1)]
    panes = each[each["kind"] == Ground.WINDOW]
    assert len(panes) > 8
    assert set(panes["part"] & 0xFF) == {1}
    columns, floors = panes["part"] >> 8 & 0xFF, panes["part"] >> 16
    assert len(set(zip(columns.tolist(), floors.tolist(), strict=True))) == len(panes)
    assert panes["share"].sum() == pytest.approx(together[together["kind"] == Ground.WINDOW]["share"][0], rel=1e-4)
    order = np.argsort(panes["pitch"])
    assert (np.diff(floors[order].astype(int)) >= 0).mean() > 0.8  # higher windows are on higher floors
    assert (panes["hidden"] == 0).any()
    assert panes["hidden"].max() > 0.2
    assert row(each, 1)["share"] == pytest.approx(row(together[together["kind"] != Ground.WINDOW], 1)["share"])


def test_small_shares_can_be_left_out() -> None:
    pictures, where = taken(SCENE)
    every = count_visible(pictures, SCENE, where)
    few = count_visible(pictures, SCENE, where, min_share=0.01)
    assert set(few["instance"]) < set(every["instance"])
    assert same(few, every[every["share"] >= np.float32(0.01)])


def test_many_panoramas_and_their_places() -> None:
    where = poses([EYE, (0, 3, 2.4), (-3, 0, 2.4)])
    pictures = render(SCENE, where, panorama(128))
    rows = count_visible(pictures, SCENE, where, [7, 9, 8])
    assert list(dict.fromkeys(rows["place"].tolist())) == [7, 9, 8]
    for k, place in enumerate((7, 9, 8)):
        one = Pictures(*(getattr(pictures, name)[k : k + 1] for name in ("rgb", "depth", "instance", "part", "kind")))
        assert same(rows[rows["place"] == place], count_visible(one, SCENE, where[k], [place]))


def test_what_cannot_be_counted() -> None:
    pictures, where = taken(SCENE, 64)
    flat = render(SCENE, where, view(64, 64))
    for expected, asked in (
        ("twice as wide", (flat, SCENE, where)),
        ("as many poses", (pictures, SCENE, poses([EYE, EYE]))),
        ("level", (pictures, SCENE, poses(EYE, 0, 10))),
        ("a share from 0 to 1", (pictures, SCENE, where, None, False, 2.0)),
    ):
        with pytest.raises(InputError, match=expected):
            count_visible(*asked)


@pytest.fixture(scope="module")
def city() -> City:
    return City(build_plan(city_graph(0, 2, 2)))


def test_a_table_of_a_whole_city(city: City, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PLACES_PER_FILE", 16)
    said: list[tuple[str, int, int]] = []
    announced: list[str] = []
    monkeypatch.setattr(module, "announce", announced.append)
    monkeypatch.setattr(module, "MIN_ANNOUNCED", 1)
    table = visibility_table(city, tmp_path / "t", 64, progress=lambda *now: said.append(now))
    count = len(city.graph)
    assert said[-1] == ("places", count, count)
    assert (
        len(announced) == 1 and f"visible from {count} places" in announced[0] and str(tmp_path / "t") in announced[0]
    )
    visibility_table(city, tmp_path / "t", 64)
    assert len(announced) == 1, "a table that is complete is not announced"
    assert len(table) == count
    assert len(list((tmp_path / "t").glob("places-*.npy"))) == -(-count // 16)
    where = city.poses([20])
    fresh = count_visible(render(city.scene, where, panorama(64)), city.scene, where, [20], min_share=table.min_share)
    assert same(table.at(20), fresh)
    rows = table.rows()
    assert rows.dtype == VISIBLE_OBJECT
    assert set(rows["place"]) == set(range(count))
    instance = int(rows["instance"][np.argmax(np.where(rows["instance"] > 0, rows["share"], 0))])
    whole = rows[(rows["instance"] == instance) & (rows["part"] == 0) & (rows["kind"] != Ground.WINDOW)]
    assert table.places_of(instance).tolist() == whole["place"][np.argsort(-whole["share"], kind="stable")].tolist()
    assert len(table.places_of(10**6)) == 0
    again = VisibilityTable.read(tmp_path / "t")
    assert same(again.at(0), table.at(0))
    with pytest.raises(InputError, match=f"a place from 0 to {count - 1}"):
        table.at(count)


BUILD = """
import sys
import bearleft.world.visibility.table as module
from bearleft.world.city.city import City, build_plan
from bearleft.world.city.streets import city_graph
module.PLACES_PER_FILE, module.BATCH_PANORAMAS = 8, 4
city = City(build_plan(city_graph(0, 2, 2)))
module.visibility_table(city, sys.argv[1], 64, progress=lambda *now: print(*now, flush=True))
"""


@pytest.mark.slow
def test_a_killed_table_goes_on_where_it_stopped(city: City, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PLACES_PER_FILE", 8)
    killed = subprocess.Popen([sys.executable, "-c", BUILD, str(tmp_path / "t")], stdout=subprocess.PIPE, text=True)
    assert killed.stdout is not None
    for line in killed.stdout:
        if int(line.split()[1]) >= 20:
            killed.send_signal(signal.SIGKILL)
            break
    killed.wait()
    killed.stdout.close()
    there = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "t").glob("places-*.npy")}
    assert 2 <= len(there) < -(-len(city.graph) // 8)
    with pytest.raises(InputError, match="a complete visibility table"):
        VisibilityTable.read(tmp_path / "t")
    first: list[int] = []
    visibility_table(city, tmp_path / "t", 64, progress=lambda _, done, __: first.append(done))
    assert first[0] > 8 * len(there)
    whole = visibility_table(city, tmp_path / "u", 64)
    for path in (tmp_path / "u").iterdir():
        assert (tmp_path / "t" / path.name).read_bytes() == path.read_bytes()
    for name, when in there.items():
        assert (tmp_path / "t" / name).stat().st_mtime_ns == when
    assert len(whole.rows())


def test_folders_that_are_refused(city: City, tmp_path: Path) -> None:
    other = City(build_plan(city_graph(0, 2, 2), 1))
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "about.json").write_text(json.dumps(_about(city)))
    with pytest.raises(InputError, match="whose seed is 0, not 1"):
        visibility_table(other, tmp_path / "t")
    with pytest.raises(InputError, match="whose width is 512, not 64"):
        visibility_table(city, tmp_path / "t", 64)
    (tmp_path / "t" / "about.json").write_text("{}")
    with pytest.raises(InputError, match="the settings of a visibility table"):
        visibility_table(city, tmp_path / "t")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="something else"):
        visibility_table(city, tmp_path / "mine")
    with pytest.raises(InputError, match="nothing there"):
        VisibilityTable.read(tmp_path / "none")
    with pytest.raises(InputError, match="the name of a device"):
        visibility_table(city, tmp_path / "new", 64, "tpu")
    with pytest.raises(InputError, match="an even width"):
        visibility_table(city, tmp_path / "new", 65)


def _about(city: City) -> dict[str, Any]:
    return {
        "format": 1,
        "world": city.graph.name,
        "seed": 0,
        "plan": city.plan.hash,
        "places": len(city.graph),
        "width": 512,
        "least": module.MIN_SHARE,
        "chunk": module.PLACES_PER_FILE,
    }


@pytest.mark.skipif(available(), reason="there is a GPU")
def test_no_gpu(city: City, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a CUDA GPU"):
        visibility_table(city, tmp_path / "t", 64, "cuda")

"""From a plan to a scene: solids where their models say, texts, colours, lamps, numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.city import build_plan
from bearleft.world.city.object_class import ObjectClass
from bearleft.world.city.palette import COLOURS, colour_index
from bearleft.world.city.plan import THING, UNIT
from bearleft.world.city.scene_builder import (
    CLASS_BASE,
    build_scene,
    instantiate,
    lamp_positions,
    model_scene,
    resolve_colours,
    rotation,
)
from bearleft.world.city.shapes import FIRST, SECOND, Model, Solid, ball, box, cone, cylinder, plate, rod, taper
from bearleft.world.city.streets import city_graph
from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import Ground, Kind, Material, Outline
from bearleft.world.render.cpu import render


def things(count: int = 1, **columns: Any) -> Any:
    """Things at the origin that face north, but for what is said."""
    rows = np.zeros(count, THING)
    rows["uy"], rows["text"] = UNIT, -1
    rows["sx"] = rows["sy"] = rows["sz"] = 1000
    for name, values in columns.items():
        rows[name] = values
    return rows


def expanded(model: Model, rows: Any, texts: list[str] | None = None) -> Any:
    one = ObjectClass("thing", (lambda: model,))
    made = instantiate(one, model, rows, np.arange(len(rows)) + 5, [] if texts is None else texts)
    return made.reshape(len(model), len(rows))


def test_a_turned_and_stretched_thing_by_hand() -> None:
    """Facing east its right is south; twice as wide, half as deep, half as high again."""
    solid = box((1, 2, 3), (1, 2, 0.5), "red", "lid", yaw=90)
    row = things(x=10_000, y=20_000, z=1_000, ux=UNIT, uy=0, sx=2000, sy=500, sz=1500)
    made = expanded([box((0, 0, 0), (1, 1, 1), "blue"), solid], row)[1, 0]
    assert made["centre"] == pytest.approx([10 + 2 * 0.5, 20 - 1 * 2, 1 + 3 * 1.5])
    # Its own x now looks ahead (east, halved), its own y to the left (north, doubled).
    assert made["matrix"] == pytest.approx(np.array([[0.5 * 0.5, 0, 0], [0, 1 * 2, 0], [0, 0, 0.25 * 1.5]]), abs=1e-6)
    assert made["size"] == pytest.approx([0.25, 2, 0.375])
    assert made["part"] == 1 and made["instance"] == 5 and made["kind"] == Kind.BOX
    assert made["colour"].tolist() == list(COLOURS["red"])


def test_a_thing_that_faces_askew_by_hand() -> None:
    row = things(2, x=[0, 1000], ux=600_000, uy=800_000)
    made = expanded([box((1, 0, 0), (2, 4, 6), "red"), box((0, 1, 0), (2, 4, 6), "red")], row)
    assert made["centre"][0] == pytest.approx(np.array([[0.8, -0.6, 0], [1.8, -0.6, 0]]))
    assert made["centre"][1] == pytest.approx(np.array([[0.6, 0.8, 0], [1.6, 0.8, 0]]))
    assert made["matrix"][0, 0] == pytest.approx(np.array([[0.8, 2 * 0.6, 0], [-0.6, 2 * 0.8, 0], [0, 0, 3]]))
    assert made["instance"].tolist() == [[5, 6], [5, 6]]


@pytest.mark.parametrize(
    ("turn", "axis", "expected"),
    [
        ({"yaw": 90}, (1, 0, 0), (0, 1, 0)),  # anticlockwise seen from above
        ({"tilt": 90}, (0, 1, 0), (0, 0, 1)),  # lifts the far end
        ({"roll": 90}, (1, 0, 0), (0, 0, -1)),  # lowers the right end
        ({"roll": 90}, (0, 0, 1), (1, 0, 0)),
        ({"roll": 90, "tilt": 90}, (1, 0, 0), (0, 1, 0)),
        ({"roll": 90, "tilt": 90, "yaw": 90}, (1, 0, 0), (-1, 0, 0)),
        ({"tilt": 90, "yaw": 90}, (0, 0, 1), (1, 0, 0)),
    ],
)
def test_turns_are_in_order(turn: dict[str, Any], axis: tuple[int, ...], expected: tuple[int, ...]) -> None:
    turned = rotation(box((0, 0, 0), (1, 1, 1), "red", **turn))
    assert turned @ np.array(axis) == pytest.approx(expected, abs=1e-12)
    assert np.linalg.det(turned) == pytest.approx(1)


def test_a_rod_goes_from_one_point_to_the_other() -> None:
    for begin, end in (
        ((0, 0, 0), (1, 2, 3)),
        ((1, 1, 1), (1, -4, 1)),
        ((0, 0, 2), (-3, 0, 2)),
        ((0, 0, 0), (0, 0, 5)),
    ):
        made = expanded([rod(begin, end, 0.1, "red")], things())[0, 0]
        ends = [made["centre"] + sign * made["matrix"][:, 2] for sign in (-1, 1)]
        assert ends[0] == pytest.approx(begin, abs=1e-5) and ends[1] == pytest.approx(end, abs=1e-5)


def test_kinds_and_their_numbers() -> None:
    model = [
        cylinder((0, 0, 0), 0.5, 3, "red"),
        ball((0, 0, 0), (1, 2, 3), "red"),
        cone((0, 0, 0), 1, 2, "red", top=0.25),
        taper((0, 0, 0), (2, 2, 2), "red", x=0.1, front=0.2, back=0.3),
        plate((0, 0, 0), 2, 4, "red", outline=Outline.RING, shape=(0.5,), material=Material.BANDS, pattern=(0.3, 7)),
    ]
    made = expanded(model, things())[:, 0]
    assert made["kind"].tolist() == [Kind.CYLINDER, Kind.ELLIPSOID, Kind.CONE, Kind.TAPER, Kind.PLATE]
    assert made["shape"][2:] == pytest.approx(
        np.array([[0.25, 0, 0, 0], [0.1, 0.2, 0.3, 0], [Outline.RING, 0.5, 0, 0]])
    )
    assert made["size"][:2] == pytest.approx(np.array([[0.5, 0.5, 1.5], [0.5, 1, 1.5]]))
    assert made["material"].tolist() == [0, 0, 0, 0, Material.BANDS]
    assert made["pattern"][4] == pytest.approx([0.3, 7, 0, 0])


def test_colours_are_the_things_own_or_the_models() -> None:
    rows = things(
        2, first=[colour_index("red"), colour_index("teal")], second=[colour_index("gold"), colour_index("navy")]
    )
    model: Model = [box((0, 0, 0), (1, 1, 1), FIRST, second=SECOND), box((0, 0, 0), (1, 1, 1), "pink", second=FIRST)]
    made = expanded(model, rows)
    assert made["colour"][0].tolist() == [list(COLOURS["red"]), list(COLOURS["teal"])]
    assert made["second"][0].tolist() == [list(COLOURS["gold"]), list(COLOURS["navy"])]
    assert made["colour"][1].tolist() == [list(COLOURS["pink"])] * 2
    assert made["second"][1].tolist() == made["colour"][0].tolist()
    assert resolve_colours(SECOND, rows).tolist() == made["second"][0].tolist()


def test_texts_are_the_things_own_or_the_models() -> None:
    def sign(text: str | None) -> Solid:
        return box((0, 0, 0), (1, 1, 1), FIRST, material=Material.TEXT, text=text)

    texts = ["MAIN ST", "TAXI"]
    made = expanded([sign(None), sign("TAXI"), sign("STOP"), sign("STOP")], things(2, text=[0, -1]), texts)
    assert texts == ["MAIN ST", "TAXI", "STOP"]
    assert made["text"].tolist() == [[0, -1], [1, 1], [2, 2], [2, 2]]


def test_lamps_hang_where_their_solids_are() -> None:
    model = [
        box((0, 0, 1), (1, 1, 1), "red"),
        ball((0, 2, 5), (1, 1, 1), "lamp", material=Material.LAMP),
        ball((1, 0, 4), (1, 1, 1), "lamp", material=Material.LAMP),
        box((0, 0, 9), (1, 1, 1), "red", material=Material.GLOW),
    ]
    rows = things(2, x=[0, 10_000], ux=[0, UNIT], uy=[UNIT, 0])
    found = lamp_positions(model, expanded(model, rows).ravel(), 2)
    assert sorted(found.tolist()) == [[0, 2, 5], [1, 0, 4], [10, -1, 4], [12, 0, 5]]
    assert lamp_positions(model[:1], expanded(model[:1], rows).ravel(), 2).shape == (0, 3)


def test_a_scene_has_every_thing_of_its_plan() -> None:
    made = build_plan(city_graph(0, 3, 3), 0)
    scene = build_scene(made)
    there = np.unique(scene.solids["instance"])
    assert there.tolist() == list(range(1, len(made.things) + 1))
    classes = scene.arrays.class_of
    assert len(classes) == len(made.things) + 1 and classes[0] == Ground.YARD
    assert (classes[1:] == CLASS_BASE + made.things["kind"]).all()
    counts = np.bincount(scene.solids["instance"])
    for k, thing in enumerate(made.things):
        if thing["kind"] != class_index("building"):
            assert counts[k + 1] == len(CLASSES[thing["kind"]].models[thing["variant"]])
    assert scene.solids["text"].max() < len(scene.arrays.text)
    assert len(scene.arrays.road) == len(made.roads) and len(scene.arrays.area) == len(made.areas)
    assert len(scene.arrays.lamp) > 10
    west, south, east, north = scene.extent
    reach = np.abs(scene.solids["matrix"]).sum(axis=2)
    assert (scene.solids["centre"] - reach)[:, :2].min(axis=0).tolist() > [west, south]
    assert (scene.solids["centre"] + reach)[:, :2].max(axis=0).tolist() < [east, north]


def test_things_are_seen_where_the_plan_says() -> None:
    """Cars from straight above: the middle of the picture is the car."""
    made = build_plan(city_graph(0, 3, 3), 0)
    scene = build_scene(made)
    cars = np.flatnonzero(made.things["kind"] == class_index("car"))
    assert len(cars) > 20
    above = np.stack([made.things["x"][cars] / 1000, made.things["y"][cars] / 1000, 0 * cars + 2.5], axis=1)
    pictures = render(scene, poses(above, 0, -90), view(9, 9, 20), shadows=False)
    assert (pictures.instance[:, 4, 4] == cars + 1).all()
    assert (pictures.kind[:, 4, 4] == CLASS_BASE + class_index("car")).all()


def test_a_model_to_look_at() -> None:
    one = CLASSES[class_index("mailbox")]
    scene = model_scene(one.models[0], one, "blue", "white")
    pictures = render(scene, poses([(0, 2, 0.8)], 180), view(32, 32))
    assert (pictures.instance == 1).mean() > 0.02
    r, g, b = pictures.rgb[pictures.instance == 1].mean(axis=0)
    assert b > r and b > g

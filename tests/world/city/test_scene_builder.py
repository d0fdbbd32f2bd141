"""Scenes from plans: positions, texts, colours, lamps and instances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.city import build_plan
from bearleft.world.city.object_class import ObjectClass
from bearleft.world.city.palette import COLOURS, colour_index
from bearleft.world.city.plan import DIRECTION_SCALE, THING
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
from bearleft.world.render.codes import Ground, Material, Outline, SolidShape
from bearleft.world.render.cpu import render


def make_rows(count: int = 1, **columns: Any) -> Any:
    """Return things at the origin that face north; `columns` override fields."""
    rows = np.zeros(count, THING)
    rows["uy"], rows["text"] = DIRECTION_SCALE, -1
    rows["sx"] = rows["sy"] = rows["sz"] = 1000
    for name, values in columns.items():
        rows[name] = values
    return rows


def instantiated(model: Model, rows: Any, texts: list[str] | None = None) -> Any:
    object_class = ObjectClass("thing", (lambda: model,))
    solids = instantiate(object_class, model, rows, np.arange(len(rows)) + 5, [] if texts is None else texts)
    return solids.reshape(len(model), len(rows))


def test_rotated_and_scaled_thing() -> None:
    """It faces east; scaled by 2 across, 0.5 along and 1.5 in height."""
    solid = box((1, 2, 3), (1, 2, 0.5), "red", "lid", yaw=90)
    row = make_rows(x=10_000, y=20_000, z=1_000, ux=DIRECTION_SCALE, uy=0, sx=2000, sy=500, sz=1500)
    solids = instantiated([box((0, 0, 0), (1, 1, 1), "blue"), solid], row)[1, 0]
    assert solids["centre"] == pytest.approx([10 + 2 * 0.5, 20 - 1 * 2, 1 + 3 * 1.5])
    # The solid's x points east (halved), its y north (doubled).
    assert solids["matrix"] == pytest.approx(np.array([[0.5 * 0.5, 0, 0], [0, 1 * 2, 0], [0, 0, 0.25 * 1.5]]), abs=1e-6)
    assert solids["size"] == pytest.approx([0.25, 2, 0.375])
    assert solids["part"] == 1 and solids["instance"] == 5 and solids["kind"] == SolidShape.BOX
    assert solids["colour"].tolist() == list(COLOURS["red"])


def test_obliquely_facing_thing() -> None:
    row = make_rows(2, x=[0, 1000], ux=600_000, uy=800_000)
    solids = instantiated([box((1, 0, 0), (2, 4, 6), "red"), box((0, 1, 0), (2, 4, 6), "red")], row)
    assert solids["centre"][0] == pytest.approx(np.array([[0.8, -0.6, 0], [1.8, -0.6, 0]]))
    assert solids["centre"][1] == pytest.approx(np.array([[0.6, 0.8, 0], [1.6, 0.8, 0]]))
    assert solids["matrix"][0, 0] == pytest.approx(np.array([[0.8, 2 * 0.6, 0], [-0.6, 2 * 0.8, 0], [0, 0, 3]]))
    assert solids["instance"].tolist() == [[5, 6], [5, 6]]


@pytest.mark.parametrize(
    ("angles", "axis", "expected"),
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
def test_rotation_order(angles: dict[str, Any], axis: tuple[int, ...], expected: tuple[int, ...]) -> None:
    matrix = rotation(box((0, 0, 0), (1, 1, 1), "red", **angles))
    assert matrix @ np.array(axis) == pytest.approx(expected, abs=1e-12)
    assert np.linalg.det(matrix) == pytest.approx(1)


def test_rod_connects_two_points() -> None:
    for begin, end in (
        ((0, 0, 0), (1, 2, 3)),
        ((1, 1, 1), (1, -4, 1)),
        ((0, 0, 2), (-3, 0, 2)),
        ((0, 0, 0), (0, 0, 5)),
    ):
        solids = instantiated([rod(begin, end, 0.1, "red")], make_rows())[0, 0]
        ends = [solids["centre"] + sign * solids["matrix"][:, 2] for sign in (-1, 1)]
        assert ends[0] == pytest.approx(begin, abs=1e-5) and ends[1] == pytest.approx(end, abs=1e-5)


def test_kinds_and_their_parameters() -> None:
    model = [
        cylinder((0, 0, 0), 0.5, 3, "red"),
        ball((0, 0, 0), (1, 2, 3), "red"),
        cone((0, 0, 0), 1, 2, "red", top=0.25),
        taper((0, 0, 0), (2, 2, 2), "red", x=0.1, front=0.2, back=0.3),
        plate((0, 0, 0), 2, 4, "red", outline=Outline.RING, shape=(0.5,), material=Material.BANDS, pattern=(0.3, 7)),
    ]
    solids = instantiated(model, make_rows())[:, 0]
    assert solids["kind"].tolist() == [
        SolidShape.CYLINDER,
        SolidShape.ELLIPSOID,
        SolidShape.CONE,
        SolidShape.TAPER,
        SolidShape.PLATE,
    ]
    assert solids["shape"][2:] == pytest.approx(
        np.array([[0.25, 0, 0, 0], [0.1, 0.2, 0.3, 0], [Outline.RING, 0.5, 0, 0]])
    )
    assert solids["size"][:2] == pytest.approx(np.array([[0.5, 0.5, 1.5], [0.5, 1, 1.5]]))
    assert solids["material"].tolist() == [0, 0, 0, 0, Material.BANDS]
    assert solids["pattern"][4] == pytest.approx([0.3, 7, 0, 0])


def test_colours_of_thing_or_model() -> None:
    rows = make_rows(
        2, first=[colour_index("red"), colour_index("teal")], second=[colour_index("gold"), colour_index("navy")]
    )
    model: Model = [box((0, 0, 0), (1, 1, 1), FIRST, second=SECOND), box((0, 0, 0), (1, 1, 1), "pink", second=FIRST)]
    solids = instantiated(model, rows)
    assert solids["colour"][0].tolist() == [list(COLOURS["red"]), list(COLOURS["teal"])]
    assert solids["second"][0].tolist() == [list(COLOURS["gold"]), list(COLOURS["navy"])]
    assert solids["colour"][1].tolist() == [list(COLOURS["pink"])] * 2
    assert solids["second"][1].tolist() == solids["colour"][0].tolist()
    assert resolve_colours(SECOND, rows).tolist() == solids["second"][0].tolist()


def test_texts_of_thing_or_model() -> None:
    def sign(text: str | None) -> Solid:
        return box((0, 0, 0), (1, 1, 1), FIRST, material=Material.TEXT, text=text)

    texts = ["MAIN ST", "TAXI"]
    solids = instantiated([sign(None), sign("TAXI"), sign("STOP"), sign("STOP")], make_rows(2, text=[0, -1]), texts)
    assert texts == ["MAIN ST", "TAXI", "STOP"]
    assert solids["text"].tolist() == [[0, -1], [1, 1], [2, 2], [2, 2]]


def test_lamp_positions() -> None:
    model = [
        box((0, 0, 1), (1, 1, 1), "red"),
        ball((0, 2, 5), (1, 1, 1), "lamp", material=Material.LAMP),
        ball((1, 0, 4), (1, 1, 1), "lamp", material=Material.LAMP),
        box((0, 0, 9), (1, 1, 1), "red", material=Material.GLOW),
    ]
    rows = make_rows(2, x=[0, 10_000], ux=[0, DIRECTION_SCALE], uy=[DIRECTION_SCALE, 0])
    positions = lamp_positions(model, instantiated(model, rows).ravel(), 2)
    assert sorted(positions.tolist()) == [[0, 2, 5], [1, 0, 4], [10, -1, 4], [12, 0, 5]]
    assert lamp_positions(model[:1], instantiated(model[:1], rows).ravel(), 2).shape == (0, 3)


def test_scene_contains_every_thing() -> None:
    plan = build_plan(city_graph(0, 3, 3), 0)
    scene = build_scene(plan)
    instances = np.unique(scene.solids["instance"])
    assert instances.tolist() == list(range(1, len(plan.things) + 1))
    classes = scene.arrays.class_of
    assert len(classes) == len(plan.things) + 1 and classes[0] == Ground.YARD
    assert (classes[1:] == CLASS_BASE + plan.things["kind"]).all()
    counts = np.bincount(scene.solids["instance"])
    for k, thing in enumerate(plan.things):
        if thing["kind"] != class_index("building"):
            assert counts[k + 1] == len(CLASSES[thing["kind"]].models[thing["variant"]])
    assert scene.solids["text"].max() < len(scene.arrays.text)
    assert len(scene.arrays.road) == len(plan.roads) and len(scene.arrays.area) == len(plan.areas)
    assert len(scene.arrays.lamp) > 10
    west, south, east, north = scene.extent
    reach = np.abs(scene.solids["matrix"]).sum(axis=2)
    assert (scene.solids["centre"] - reach)[:, :2].min(axis=0).tolist() > [west, south]
    assert (scene.solids["centre"] + reach)[:, :2].max(axis=0).tolist() < [east, north]


def test_things_are_rendered_at_their_positions() -> None:
    """Seen from above, a car is at the centre of the picture."""
    plan = build_plan(city_graph(0, 3, 3), 0)
    scene = build_scene(plan)
    cars = np.flatnonzero(plan.things["kind"] == class_index("car"))
    assert len(cars) > 20
    above = np.stack([plan.things["x"][cars] / 1000, plan.things["y"][cars] / 1000, 0 * cars + 2.5], axis=1)
    pictures = render(scene, poses(above, 0, -90), view(9, 9, 20), shadows=False)
    assert (pictures.instance[:, 4, 4] == cars + 1).all()
    assert (pictures.kind[:, 4, 4] == CLASS_BASE + class_index("car")).all()


def test_model_scene() -> None:
    object_class = CLASSES[class_index("mailbox")]
    scene = model_scene(object_class.models[0], object_class, "blue", "white")
    pictures = render(scene, poses([(0, 2, 0.8)], 180), view(32, 32))
    assert (pictures.instance == 1).mean() > 0.02
    r, g, b = pictures.rgb[pictures.instance == 1].mean(axis=0)
    assert b > r and b > g

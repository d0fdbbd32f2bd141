"""Every class of thing: looks like something, shows every part it names, and stands somewhere in the city."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.world.city.catalog import CLASSES, STREET_CLASSES, class_index
from bearleft.world.city.city import build_plan
from bearleft.world.city.facades import STYLES, Roof
from bearleft.world.city.object_class import ObjectClass
from bearleft.world.city.palette import COLOURS, RGB_TABLE, colour_index
from bearleft.world.city.plan import AREA, BUILDING, ROAD, THING, UNIT, Plan, Rows
from bearleft.world.city.scene_builder import CLASS_BASE, build_scene, model_scene
from bearleft.world.city.shapes import FIRST, SECOND
from bearleft.world.city.streets import city_graph
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import Ground, Material
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.render.scene import Scene

GRAPH = Graph.make("two", ["a", "b"], [(0, 0, 0), (10, 0, 0)], [0, 1], [1, 0], [90, 270])
MODELLED = [(one.name, variant) for one in CLASSES for variant in range(len(one.models))]
NAMED = (
    "traffic light", "stop sign", "yield sign", "one way sign", "street sign", "speed limit sign", "no parking sign",
    "lettered sign", "fire hydrant", "mailbox", "trash can", "bench", "tree", "planter", "lamp post", "awning", "flag",
    "door", "storefront", "scaffolding", "barrier", "traffic cone", "dumpster", "phone booth", "bicycle", "bike rack",
    "car", "taxi", "van", "truck", "bus", "person", "fence", "fire escape",
)  # fmt: skip


def alone(things: Rows, buildings: Rows | None = None, seed: int = 0) -> Scene:
    """Things on a wide lawn and nothing else."""
    none, lawn = np.zeros(0, BUILDING) if buildings is None else buildings, np.zeros(1, AREA)
    lawn["uy"], lawn["hx"], lawn["hy"], lawn["ground"] = UNIT, 150_000, 150_000, Ground.GRASS
    return build_scene(Plan("alone", seed, GRAPH, np.zeros(0, ROAD), lawn, none, things, ("BEAR",)))


def one_thing(one: ObjectClass, variant: int = 0) -> Rows:
    """It faces north at the origin, high enough to be looked at from below."""
    thing = np.zeros(1, THING)
    thing["kind"], thing["variant"], thing["uy"], thing["z"] = class_index(one.name), variant, UNIT, 3000
    thing["sx"] = thing["sy"] = thing["sz"] = 1000
    thing["first"], thing["second"] = colour_index(one.colours[0]), colour_index(one.second_colours[0])
    thing["owner"] = thing["group"] = thing["street"] = -1
    return thing


def from_eight_sides(scene: Scene, pixels: int = 64) -> Pictures:
    """Pictures of all of a scene, by turns from a little below and from above."""
    reach = np.abs(scene.solids["matrix"]).sum(axis=2)
    low, high = (scene.solids["centre"] - reach).min(axis=0), (scene.solids["centre"] + reach).max(axis=0)
    far = float(np.linalg.norm(high - low)) / 2 / np.sin(np.radians(25))
    headings, pitches = np.arange(8) * 45.0, np.where(np.arange(8) % 2, -25.0, 8.0)
    turn, up = np.radians(headings), np.radians(pitches)
    ahead = np.stack([np.sin(turn) * np.cos(up), np.cos(turn) * np.cos(up), np.sin(up)], axis=1)
    where = (low + high) / 2 - ahead * far
    where[:, 2] = np.maximum(where[:, 2], 0.05)
    return render(scene, poses(where, headings, pitches), view(pixels, pixels, 50))


@cache
def city() -> Plan:
    return build_plan(city_graph(0), 0)


@pytest.mark.parametrize(("name", "variant"), MODELLED, ids=[f"{name} {variant}" for name, variant in MODELLED])
def test_is_seen_with_all_its_parts(name: str, variant: int) -> None:
    one = CLASSES[class_index(name)]
    scene = alone(one_thing(one, variant))
    expected = {solid.part for solid in one.models[variant]}
    seen: set[str] = set()
    for pixels in (64, 256):  # what is thin may fall between the pixels of a small picture
        pictures = from_eight_sides(scene, pixels)
        there = pictures.instance == 1
        assert (there.mean(axis=(1, 2)) > 0.001).sum() >= 6, "too little to see"
        windows = any(solid.material == Material.FACADE for solid in one.models[variant])
        kinds = set(pictures.kind[there].tolist())
        assert CLASS_BASE + class_index(name) in kinds
        assert kinds <= {CLASS_BASE + class_index(name), *([int(Ground.WINDOW)] if windows else [])}
        assert (pictures.kind[~there] < CLASS_BASE).all()
        seen = {one.parts[part] for part in np.unique(pictures.part[there] & 255)}
        if seen == expected:
            break
    assert seen == expected


def test_buildings_are_seen_with_all_their_parts() -> None:
    one = CLASSES[class_index("building")]
    seen: set[str] = set()
    kinds = ((3, Roof.TANK), (3, Roof.CHIMNEYS), (3, Roof.MANSARD), (3, Roof.GABLE), (30, Roof.MACHINES))
    for style, (floors, roof) in product(range(len(STYLES)), kinds):
        house, row = one_thing(one), np.zeros(1, BUILDING)
        house["z"] = 0
        row["hx"], row["hy"], row["roof"], row["style"], row["sides"] = 9_000, 8_000, roof, style, 1
        row["ground"], row["floor"], row["bay"], row["height"] = 4_000, 3_200, 2_500, 4_000 + floors * 3_200
        pictures = from_eight_sides(alone(house, row, style), 128)
        there = pictures.instance == 1
        assert there.mean() > 0.05
        assert set(pictures.kind[there].tolist()) == {CLASS_BASE, int(Ground.WINDOW)}
        seen |= {one.parts[part] for part in np.unique(pictures.part[there] & 255)}
    assert seen == set(one.parts) - {""}


def test_names_are_different_and_found() -> None:
    assert len({one.name for one in CLASSES}) == len(CLASSES) and 35 <= len(CLASSES) <= 255 - CLASS_BASE
    assert all(CLASSES[class_index(one.name)] is one for one in CLASSES)
    with pytest.raises(InputError, match="Did you mean fire hydrant"):
        class_index("fire hydrent")


def test_colours_are_known_and_parts_begin_with_none() -> None:
    for one in CLASSES:
        assert set(one.colours) | set(one.second_colours) <= set(COLOURS), one.name
        assert one.parts[0] == "" and len(set(one.parts)) == len(one.parts) <= 256, one.name
        used = {solid.part for model in one.models for solid in model}
        assert used <= set(one.parts), one.name
        assert len(used - {""}) >= 1 or not one.models, f"{one.name} has no part to point at"


def test_colours_that_are_drawn_are_seen() -> None:
    """A class with several colours to choose from has a solid in the colour that is chosen."""
    for one in CLASSES:
        painted = {paint for model in one.models for solid in model for paint in (solid.colour, solid.second)}
        if one.models and len(set(one.colours)) > 1:
            assert FIRST in painted, one.name
        if one.models and len(set(one.second_colours)) > 1:
            assert SECOND in painted, one.name


# What keeps its own colour whatever is drawn, and why.
OWN_COLOUR = {
    "barrier_of_concrete": "bare concrete",
    "barrier_of_steel": "bare steel",
    "construction_fence_of_wire": "bare steel",
    "bare_tree": "nothing but bark",
    "american_flag": "stars and stripes",
    "bubble_graffiti": "every bubble another colour",
    "bench_of_metal": "painted as iron is, in the second colour",
}


def test_a_drawn_colour_changes_the_picture() -> None:
    same = set()
    for one in STREET_CLASSES:
        chosen = sorted(set(one.colours))
        for k, model in enumerate(one.models if len(chosen) > 1 else ()):
            scenes = [model_scene(model, one, first, one.second_colours[0]) for first in chosen[:2]]
            pictures = [from_eight_sides(scene, 32).rgb.astype(int) for scene in scenes]
            if np.abs(pictures[0] - pictures[1]).max() < 8:
                same.add(one.variants[k].__name__)
    assert same == set(OWN_COLOUR)


def test_the_city_has_what_people_name() -> None:
    things = city().things
    there = {CLASSES[k].name for k in np.unique(things["kind"])}
    assert len(there) >= 35
    assert set(NAMED) <= there, set(NAMED) - there
    counts = np.bincount(things["kind"], minlength=len(CLASSES))
    for name in ("tree", "car", "person", "door", "lamp post"):
        assert counts[class_index(name)] > 100, name
    assert counts.max() < 0.3 * len(things), "nothing is everywhere"


def test_every_variant_and_colour_is_somewhere() -> None:
    things = city().things
    for name in ("car", "person", "tree", "awning", "door", "storefront", "fire hydrant", "mailbox", "bench"):
        one, ours = CLASSES[class_index(name)], things[things["kind"] == class_index(name)]
        assert set(ours["variant"].tolist()) == set(range(len(one.models))), name
        assert {list(COLOURS)[k] for k in ours["first"]} == set(one.colours), name


def test_letters_have_another_colour_than_their_ground() -> None:
    made = city()
    solids = build_scene(made).solids
    lettered = solids[(solids["material"] == Material.TEXT) & (solids["text"] >= 0)]
    assert len(lettered) > 500
    same = (lettered["colour"] == lettered["second"]).all(axis=1)
    names = {CLASSES[made.things["kind"][k - 1]].name for k in lettered["instance"][same]}
    assert not names
    for one in CLASSES:
        chosen = [solid for model in one.models for solid in model if solid.material == Material.TEXT]
        for solid in chosen:
            if {solid.colour, solid.second} == {FIRST, SECOND}:
                ours = made.things[made.things["kind"] == class_index(one.name)]
                assert (RGB_TABLE[ours["first"]] != RGB_TABLE[ours["second"]]).any(axis=1).all(), one.name

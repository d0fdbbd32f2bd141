"""Object classes: visible in pictures with all parts, and present in the city."""

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
from bearleft.world.city.plan import AREA, BUILDING, DIRECTION_SCALE, ROAD, THING, Plan, Rows
from bearleft.world.city.scene_builder import CLASS_BASE, build_scene, model_scene
from bearleft.world.city.shapes import FIRST, SECOND
from bearleft.world.city.streets import city_graph
from bearleft.world.graphs.graph import Graph
from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import Ground, Material
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.render.scene import Scene

GRAPH = Graph.make("two", ["a", "b"], [(0, 0, 0), (10, 0, 0)], [0, 1], [1, 0], [90, 270])
VARIANTS = [(object_class.name, variant) for object_class in CLASSES for variant in range(len(object_class.models))]
COMMON_CLASSES = (
    "traffic light", "stop sign", "yield sign", "one way sign", "street sign", "speed limit sign", "no parking sign",
    "lettered sign", "fire hydrant", "mailbox", "trash can", "bench", "tree", "planter", "lamp post", "awning", "flag",
    "door", "storefront", "scaffolding", "barrier", "traffic cone", "dumpster", "phone booth", "bicycle", "bike rack",
    "car", "taxi", "van", "truck", "bus", "person", "fence", "fire escape",
)  # fmt: skip


def scene_of(things: Rows, buildings: Rows | None = None, seed: int = 0) -> Scene:
    """Return a scene of things on a wide lawn."""
    none, lawn = np.zeros(0, BUILDING) if buildings is None else buildings, np.zeros(1, AREA)
    lawn["uy"], lawn["hx"], lawn["hy"], lawn["ground"] = DIRECTION_SCALE, 150_000, 150_000, Ground.GRASS
    return build_scene(Plan("alone", seed, GRAPH, np.zeros(0, ROAD), lawn, none, things, ("BEAR",)))


def make_thing(object_class: ObjectClass, variant: int = 0) -> Rows:
    """Return a thing at the origin that faces north, raised so that its underside is visible."""
    thing = np.zeros(1, THING)
    thing["kind"], thing["variant"], thing["uy"], thing["z"] = (
        class_index(object_class.name),
        variant,
        DIRECTION_SCALE,
        3000,
    )
    thing["sx"] = thing["sy"] = thing["sz"] = 1000
    thing["first"], thing["second"] = (
        colour_index(object_class.colours[0]),
        colour_index(object_class.second_colours[0]),
    )
    thing["owner"] = thing["group"] = thing["street"] = -1
    return thing


def from_eight_sides(scene: Scene, pixels: int = 64, shadows: bool = False) -> Pictures:
    """Render a scene from eight sides, alternately from slightly below and from above."""
    reach = np.abs(scene.solids["matrix"]).sum(axis=2)
    low, high = (scene.solids["centre"] - reach).min(axis=0), (scene.solids["centre"] + reach).max(axis=0)
    distance = float(np.linalg.norm(high - low)) / 2 / np.sin(np.radians(25))
    headings, pitches = np.arange(8) * 45.0, np.where(np.arange(8) % 2, -25.0, 8.0)
    turn, up = np.radians(headings), np.radians(pitches)
    ahead = np.stack([np.sin(turn) * np.cos(up), np.cos(turn) * np.cos(up), np.sin(up)], axis=1)
    positions = (low + high) / 2 - ahead * distance
    positions[:, 2] = np.maximum(positions[:, 2], 0.05)
    return render(scene, poses(positions, headings, pitches), view(pixels, pixels, 50), shadows=shadows)


@cache
def city_plan() -> Plan:
    return build_plan(city_graph(0), 0)


@pytest.mark.parametrize(("name", "variant"), VARIANTS, ids=[f"{name} {variant}" for name, variant in VARIANTS])
def test_all_parts_are_visible(name: str, variant: int) -> None:
    object_class = CLASSES[class_index(name)]
    scene = scene_of(make_thing(object_class, variant))
    expected = {solid.part for solid in object_class.models[variant]}
    seen: set[str] = set()
    for pixels in (64, 128, 256):  # thin parts may be invisible in a small picture
        pictures = from_eight_sides(scene, pixels)
        is_thing = pictures.instance == 1
        assert (is_thing.mean(axis=(1, 2)) > 0.001).sum() >= 6, "too little to see"
        windows = any(solid.material == Material.FACADE for solid in object_class.models[variant])
        kinds = set(pictures.kind[is_thing].tolist())
        assert CLASS_BASE + class_index(name) in kinds
        assert kinds <= {CLASS_BASE + class_index(name), *([int(Ground.WINDOW)] if windows else [])}
        assert (pictures.kind[~is_thing] < CLASS_BASE).all()
        seen = {object_class.parts[part] for part in np.unique(pictures.part[is_thing] & 255)}
        if seen == expected:
            break
    assert seen == expected


@pytest.mark.slow
def test_all_parts_of_buildings_are_visible() -> None:
    object_class = CLASSES[class_index("building")]
    seen: set[str] = set()
    kinds = ((3, Roof.TANK), (3, Roof.CHIMNEYS), (3, Roof.MANSARD), (3, Roof.GABLE), (30, Roof.MACHINES))
    for style, (floors, roof) in product(range(len(STYLES)), kinds):
        house, row = make_thing(object_class), np.zeros(1, BUILDING)
        house["z"] = 0
        row["hx"], row["hy"], row["roof"], row["style"], row["sides"] = 9_000, 8_000, roof, style, 1
        row["ground"], row["floor"], row["bay"], row["height"] = 4_000, 3_200, 2_500, 4_000 + floors * 3_200
        pictures = from_eight_sides(scene_of(house, row, style), 128)
        is_thing = pictures.instance == 1
        assert is_thing.mean() > 0.05
        assert set(pictures.kind[is_thing].tolist()) == {CLASS_BASE, int(Ground.WINDOW)}
        seen |= {object_class.parts[part] for part in np.unique(pictures.part[is_thing] & 255)}
    assert seen == set(object_class.parts) - {""}


def test_class_index() -> None:
    assert (
        len({object_class.name for object_class in CLASSES}) == len(CLASSES) and 35 <= len(CLASSES) <= 255 - CLASS_BASE
    )
    assert all(CLASSES[class_index(object_class.name)] is object_class for object_class in CLASSES)
    with pytest.raises(InputError, match="Did you mean fire hydrant"):
        class_index("fire hydrent")


def test_colours_and_parts_are_valid() -> None:
    for object_class in CLASSES:
        assert set(object_class.colours) | set(object_class.second_colours) <= set(COLOURS), object_class.name
        assert object_class.parts[0] == "" and len(set(object_class.parts)) == len(object_class.parts) <= 256, (
            object_class.name
        )
        used = {solid.part for model in object_class.models for solid in model}
        assert used <= set(object_class.parts), object_class.name
        assert len(used - {""}) >= 1 or not object_class.models, f"{object_class.name} has no part to point at"


def test_random_colours_are_used() -> None:
    """A class with several colours has a solid in the chosen one."""
    for object_class in CLASSES:
        painted = {paint for model in object_class.models for solid in model for paint in (solid.colour, solid.second)}
        if object_class.models and len(set(object_class.colours)) > 1:
            assert FIRST in painted, object_class.name
        if object_class.models and len(set(object_class.second_colours)) > 1:
            assert SECOND in painted, object_class.name


# Models that ignore the random colour, with the reason.
FIXED_COLOUR = {
    "barrier_of_concrete": "bare concrete",
    "barrier_of_steel": "bare steel",
    "construction_fence_of_wire": "bare steel",
    "bare_tree": "nothing but bark",
    "american_flag": "stars and stripes",
    "bubble_graffiti": "every bubble another colour",
    "concrete_median": "bare concrete",
    "bench_of_metal": "painted as iron is, in the second colour",
}


@pytest.mark.slow
def test_random_colour_changes_the_picture() -> None:
    same = set()
    for object_class in STREET_CLASSES:
        chosen = sorted(set(object_class.colours))
        for k, model in enumerate(object_class.models if len(chosen) > 1 else ()):
            scenes = [model_scene(model, object_class, first, object_class.second_colours[0]) for first in chosen[:2]]
            pictures = [from_eight_sides(scene, 32, shadows=True).rgb.astype(int) for scene in scenes]
            if np.abs(pictures[0] - pictures[1]).max() < 8:
                same.add(object_class.variants[k].__name__)
    assert same == set(FIXED_COLOUR)


@pytest.mark.slow
def test_city_contains_common_classes() -> None:
    things = city_plan().things
    names = {CLASSES[k].name for k in np.unique(things["kind"])}
    assert len(names) >= 35
    assert set(COMMON_CLASSES) <= names, set(COMMON_CLASSES) - names
    counts = np.bincount(things["kind"], minlength=len(CLASSES))
    for name in ("tree", "car", "person", "door", "lamp post"):
        assert counts[class_index(name)] > 100, name
    assert counts.max() < 0.3 * len(things), "no class dominates"


def test_city_contains_every_variant_and_colour() -> None:
    things = city_plan().things
    for name in ("car", "person", "tree", "awning", "door", "storefront", "fire hydrant", "mailbox", "bench"):
        object_class, subset = CLASSES[class_index(name)], things[things["kind"] == class_index(name)]
        assert set(subset["variant"].tolist()) == set(range(len(object_class.models))), name
        assert {list(COLOURS)[k] for k in subset["first"]} == set(object_class.colours), name


@pytest.mark.slow
def test_letters_differ_from_their_background() -> None:
    plan = city_plan()
    solids = build_scene(plan).solids
    lettered = solids[(solids["material"] == Material.TEXT) & (solids["text"] >= 0)]
    assert len(lettered) > 500
    same = (lettered["colour"] == lettered["second"]).all(axis=1)
    names = {CLASSES[plan.things["kind"][k - 1]].name for k in lettered["instance"][same]}
    assert not names
    for object_class in CLASSES:
        chosen = [solid for model in object_class.models for solid in model if solid.material == Material.TEXT]
        for solid in chosen:
            if {solid.colour, solid.second} == {FIRST, SECOND}:
                subset = plan.things[plan.things["kind"] == class_index(object_class.name)]
                assert (RGB_TABLE[subset["first"]] != RGB_TABLE[subset["second"]]).any(axis=1).all(), object_class.name

"""Objects of building sites and road works: cones, barrels, barriers, scaffolding, fences."""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Model, box, cone, cylinder, plate, rod, taper
from bearleft.world.render.codes import Material, Outline

SLANTED: dict[str, Any] = {"material": Material.DIAGONAL, "second": "white", "pattern": (0.15,)}


def traffic_cone() -> Model:
    """Return an orange cone with two white bands on a square foot."""
    return [
        box((0, 0, 0.025), (0.44, 0.44, 0.05), FIRST, "base"),
        cone((0, 0, 0.41), 0.17, 0.72, FIRST, "cone", top=0.2),
        cone((0, 0, 0.41), 0.14, 0.15, "white", "band", top=0.81),
        cone((0, 0, 0.61), 0.105, 0.09, "white", "band", top=0.84),
        cylinder((0, 0, 0.77), 0.034, 0.02, "black", "tip"),
    ]


def traffic_cone_tall() -> Model:
    """Return a slim post on a black rubber foot with two white bands and a loop on top."""
    return [
        cylinder((0, 0, 0.04), 0.26, 0.08, "rubber", "base"),
        cone((0, 0, 0.58), 0.12, 1.0, FIRST, "cone", top=0.5),
        cone((0, 0, 0.64), 0.096, 0.14, "white", "band", top=0.9),
        cone((0, 0, 0.88), 0.082, 0.14, "white", "band", top=0.88),
        cylinder((0, 0, 1.11), 0.075, 0.05, FIRST, "tip"),
    ]


def barrel() -> Model:
    """Return a plastic drum, orange and white, on a black tyre."""
    return [
        cylinder((0, 0, 0.05), 0.36, 0.1, "rubber", "base"),
        cone((0, 0, 0.55), 0.3, 0.96, FIRST, "barrel", top=0.86),
        cone((0, 0, 0.47), 0.297, 0.16, "white", "band", top=0.97),
        cone((0, 0, 0.8), 0.282, 0.16, "white", "band", top=0.97),
        cylinder((0, 0, 1.05), 0.2, 0.06, FIRST, "top"),
        box((0, 0, 1.12), (0.26, 0.05, 0.09), FIRST, "handle"),
    ]


def barrel_with_light() -> Model:
    """Return a drum with a warning light."""
    return [
        *barrel()[:-1],
        cylinder((0, 0, 1.12), 0.06, 0.1, "black", "light"),
        cylinder((0, 0, 1.24), 0.1, 0.15, "yellow", "light", material=Material.GLOW, pattern=(0.8,)),
    ]


def _trestle(x: float, height: float, part: str) -> Model:
    """Return two boards that lean together, at one end of a barrier."""
    return [rod((x, 0.32 * side, 0.0), (x, 0.03 * side, height), 0.035, FIRST, part) for side in (-1, 1)]


def barrier() -> Model:
    """Return a sawhorse: two striped rails on trestles."""
    return [
        *_trestle(-0.8, 1.05, "leg"),
        *_trestle(0.8, 1.05, "leg"),
        box((0, 0.1, 0.92), (2.0, 0.04, 0.24), FIRST, "rail", **SLANTED),
        box((0, 0.22, 0.48), (2.0, 0.04, 0.2), FIRST, "rail", **SLANTED),
        box((0, -0.1, 0.92), (2.0, 0.04, 0.24), FIRST, "rail", **SLANTED),
    ]


def barrier_of_wood() -> Model:
    """Return a long lettered beam on two trestles, like a police barrier."""
    return [
        *_trestle(-1.0, 0.95, "leg"),
        *_trestle(1.0, 0.95, "leg"),
        box(
            (0, 0, 0.92), (3.0, 0.07, 0.24), FIRST, "rail", material=Material.TEXT, second="white", text="DO NOT CROSS"
        ),
    ]


def barrier_of_concrete() -> Model:
    """Return a jersey barrier: broad foot, slanting flanks, narrow top."""
    return [
        box((0, 0, 0.04), (3.0, 0.62, 0.08), "concrete", "base"),
        taper((0, 0, 0.22), (3.0, 0.62, 0.28), "concrete", "base", front=0.5, back=0.5),
        taper((0, 0, 0.63), (3.0, 0.34, 0.54), "concrete", "top", front=0.35, back=0.35),
        *(box((x, 0, 0.03), (0.4, 0.64, 0.07), "black", "slot") for x in (-0.8, 0.8)),
    ]


def barrier_of_plastic() -> Model:
    """Return a hollow barrier filled with water, with two dark holes for the fork."""
    return [
        taper((0, 0, 0.2), (1.9, 0.6, 0.4), FIRST, "base", front=0.35, back=0.35),
        taper((0, 0, 0.68), (1.9, 0.4, 0.56), FIRST, "top", front=0.4, back=0.4),
        *(box((x, 0, 0.2), (0.36, 0.61, 0.13), "black", "hole") for x in (-0.5, 0.5)),
        *(box((x, 0, 0.6), (0.05, 0.42, 0.5), "white", "band") for x in (-0.9, 0.9)),
        cylinder((-0.6, 0, 0.98), 0.07, 0.05, "black", "cap"),
    ]


def barrier_of_steel() -> Model:
    """Return a crowd barrier: a round frame with upright bars on two flat feet."""
    return [
        cylinder((0, 0, 1.08), 0.03, 2.2, "silver", "rail", roll=90),
        cylinder((0, 0, 0.22), 0.03, 2.2, "silver", "rail", roll=90),
        *(cylinder((x, 0, 0.56), 0.03, 1.08, "silver", "post") for x in (-1.1, 1.1)),
        plate((0, 0, 0.65), 2.2, 0.86, "silver", "bars", Outline.BARS, (13.0, 0.24)),
        *(box((x, 0, 0.02), (0.06, 0.6, 0.04), "silver", "foot") for x in (-0.9, 0.9)),
    ]


def scaffolding() -> Model:
    """Return a sidewalk shed, 6 m long: a boarded deck on posts with cross braces; people walk below it."""
    posts = [cylinder((x, y, 1.5), 0.06, 3.0, "steel", "post") for x in (-2.95, 0.0, 2.95) for y in (-1.2, 1.2)]
    braces: Model = []
    for low, high in ((-2.95, 0.0), (0.0, 2.95)):
        for y in (-1.2, 1.2):
            braces += [
                rod((low, y, 1.7), (high, y, 2.85), 0.03, "steel", "brace"),
                rod((low, y, 2.85), (high, y, 1.7), 0.03, "steel", "brace"),
            ]
    wood: dict[str, Any] = {"material": Material.PANELS, "pattern": (1.2,)}
    return [
        *posts,
        *braces,
        *(box((0, y, 2.96), (6.0, 0.14, 0.16), "steel", "beam") for y in (-1.2, 1.2)),
        box((0, 0, 3.1), (6.0, 2.7, 0.12), "tan", "deck", material=Material.WOOD, pattern=(0.25,)),
        box((0, 1.34, 3.68), (6.0, 0.06, 1.1), FIRST, "parapet", **wood),
        *(box((x, 0.1, 3.68), (0.06, 2.44, 1.1), FIRST, "parapet", **wood) for x in (-2.97, 2.97)),
    ]


def scaffolding_tower() -> Model:
    """Return pipes and planks along a front on three levels of 2 m, with ladders and a green net at the top."""
    pipes = [cylinder((x, y, 3.6), 0.05, 7.2, "steel", "post") for x in (-2.95, 0.0, 2.95) for y in (-0.5, 0.5)]
    planks = [
        box((0, 0, z), (6.0, 1.1, 0.07), "tan", "deck", material=Material.WOOD, pattern=(0.22,))
        for z in (2.6, 4.6, 6.6)
    ]
    rails = [cylinder((0, 0.5, z + up), 0.03, 6.0, "steel", "rail", roll=90) for z in (2.6, 4.6) for up in (0.5, 1.0)]
    braces = [rod((-2.95, 0.5, z), (0, 0.5, z + 2.0), 0.03, "steel", "brace") for z in (2.6, 4.6)]
    return [
        *pipes,
        *planks,
        *rails,
        *braces,
        rod((2.95, 0.5, 2.6), (0, 0.5, 4.6), 0.03, "steel", "brace"),
        plate((1.2, 0.64, 1.36), 0.4, 2.7, "yellow", "ladder", Outline.LATTICE, (2.0, 9.0, 0.25), tilt=6),
        box((0, 0.56, 7.1), (6.0, 0.04, 1.0), FIRST, "net", material=Material.CLOTH),
    ]


def construction_fence() -> Model:
    """Return a fence of painted plywood, 3.6 m long, higher than a person, lettered POST NO BILLS."""
    return [
        box((0, 0, 1.2), (3.6, 0.06, 2.4), FIRST, "panel", material=Material.PANELS, pattern=(1.2,)),
        box((0, 0, 2.42), (3.6, 0.14, 0.08), SECOND, "top"),
        *(box((x, -0.08, 1.2), (0.1, 0.1, 2.4), "tan", "post") for x in (-1.2, 1.2)),
        plate((0, 0.05, 2.0), 2.6, 0.3, FIRST, "letters", material=Material.TEXT, second=SECOND, text="POST NO BILLS"),
        *(plate((x, 0.05, 1.45), 0.34, 0.34, "black", "window", Outline.DIAMOND) for x in (-1.2, 1.2)),
    ]


def construction_fence_of_wire() -> Model:
    """Return a chain-link fence, 3 m long, between steel posts on concrete feet."""
    return [
        plate((0, 0, 1.05), 3.0, 1.9, "steel", "wire", Outline.LATTICE, (18.0, 12.0, 0.2)),
        cylinder((0, 0, 2.02), 0.03, 3.0, "steel", "rail", roll=90),
        cylinder((0, 0, 0.12), 0.03, 3.0, "steel", "rail", roll=90),
        *(cylinder((x, 0, 1.02), 0.04, 2.04, "steel", "post") for x in (-1.48, 1.48)),
        *(box((x, 0, 0.07), (0.26, 0.66, 0.14), "concrete", "foot") for x in (-1.36, 1.36)),
    ]


def construction_fence_of_plastic() -> Model:
    """Return a safety net of plastic on thin posts."""
    return [
        plate((0, 0, 0.6), 3.0, 1.0, FIRST, "net", Outline.LATTICE, (20.0, 9.0, 0.45)),
        *(cylinder((x, 0, 0.62), 0.03, 1.24, "dark grey", "post") for x in (-1.47, 0.0, 1.47)),
    ]


def road_work_sign() -> Model:
    """Return an orange diamond lettered ROAD WORK on a folding stand."""
    word: dict[str, Any] = {"material": Material.TEXT, "second": "black", "pattern": (0.95,)}
    legs = [rod((0, 0, 0.4), (x, y, 0.02), 0.025, "dark grey", "stand") for x in (-0.5, 0.5) for y in (-0.4, 0.4)]
    return [
        *legs,
        cylinder((0, 0, 0.8), 0.03, 1.2, "dark grey", "stand"),
        plate((0, 0.04, 1.45), 1.3, 1.3, "black", "border", Outline.DIAMOND),
        plate((0, 0.055, 1.45), 1.22, 1.22, "orange", "sign", Outline.DIAMOND),
        plate((0, 0.07, 1.58), 0.6, 0.19, "orange", "letters", text="ROAD", **word),
        plate((0, 0.07, 1.34), 0.6, 0.19, "orange", "letters", text="WORK", **word),
        plate((0.35, 0.04, 2.06), 0.3, 0.3, "orange", "flag", tilt=15, roll=30),
        plate((-0.35, 0.04, 2.06), 0.3, 0.3, "orange", "flag", tilt=15, roll=-30),
    ]


def road_work_sign_closed() -> Model:
    """Return a white board on legs lettered SIDEWALK CLOSED."""
    word: dict[str, Any] = {"material": Material.TEXT, "second": "black", "pattern": (0.9,)}
    return [
        *(box((x, 0, 0.5), (0.06, 0.06, 1.0), "orange", "leg") for x in (-0.4, 0.4)),
        *(box((x, 0, 0.03), (0.06, 0.6, 0.06), "orange", "leg") for x in (-0.4, 0.4)),
        box((0, 0.04, 1.0), (1.1, 0.03, 0.7), "white", "sign"),
        plate((0, 0.075, 1.15), 1.04, 0.24, "white", "letters", text="SIDEWALK", **word),
        plate((0, 0.075, 0.85), 1.04, 0.24, "white", "letters", text="CLOSED", **word),
        box((0, 0.04, 0.5), (1.1, 0.03, 0.18), "orange", "rail", **SLANTED),
    ]

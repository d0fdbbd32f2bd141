"""Objects along the kerb: hydrants, mailboxes, trash cans, benches, lamp posts.

Objects with a front turn it to +y; the arm of a lamp post extends to +y, over the road.
"""

from __future__ import annotations

from itertools import pairwise

from bearleft.world.city.shapes import (
    FIRST,
    SECOND,
    Colour,
    Model,
    ball,
    box,
    cone,
    cylinder,
    plate,
    rod,
    taper,
    transformed,
)
from bearleft.world.render.codes import Material, Outline


def fire_hydrant() -> Model:
    """Return a hydrant: a stout barrel under a dome, a large nozzle ahead and a small one on either side."""
    return [
        cylinder((0, 0, 0.04), 0.18, 0.08, FIRST, "base"),
        cylinder((0, 0, 0.33), 0.12, 0.5, FIRST, "body"),
        cylinder((0, 0, 0.59), 0.165, 0.05, SECOND, "top"),
        ball((0, 0, 0.61), (0.29, 0.29, 0.3), SECOND, "top"),
        cylinder((0, 0, 0.78), 0.04, 0.07, SECOND, "top"),
        cylinder((0, 0.13, 0.43), 0.085, 0.16, FIRST, "nozzle", tilt=90),
        cylinder((0, 0.22, 0.43), 0.1, 0.05, SECOND, "nozzle", tilt=90),
        cylinder((0, 0, 0.45), 0.055, 0.4, FIRST, "side nozzle", roll=90),
        cylinder((-0.21, 0, 0.45), 0.07, 0.05, SECOND, "side nozzle", roll=90),
        cylinder((0.21, 0, 0.45), 0.07, 0.05, SECOND, "side nozzle", roll=90),
    ]


def fire_hydrant_with_posts() -> Model:
    """Return a hydrant between two protective posts."""
    posts = [cylinder((x, 0.25, 0.4), 0.07, 0.8, "dark grey", "post") for x in (-0.55, 0.55)]
    return (
        fire_hydrant() + posts + [ball((x, 0.25, 0.8), (0.14, 0.14, 0.1), "dark grey", "post") for x in (-0.55, 0.55)]
    )


def mailbox() -> Model:
    """Return a box on four legs with a round top, a pull-down slot and a white label."""
    legs = [box((x, y, 0.1), (0.07, 0.07, 0.2), FIRST, "legs") for x in (-0.22, 0.22) for y in (-0.2, 0.2)]
    return [
        *legs,
        box((0, 0, 0.56), (0.54, 0.5, 0.76), FIRST, "body"),
        cylinder((0, 0, 0.94), 0.25, 0.54, FIRST, "top", roll=90),
        box((0, 0.2, 1.0), (0.42, 0.12, 0.1), "dark grey", "slot", tilt=40),
        box((0, 0.25, 0.92), (0.3, 0.06, 0.04), "silver", "handle"),
        box((0, 0.252, 0.7), (0.44, 0.02, 0.14), FIRST, "label", material=Material.TEXT, text="US MAIL"),
        plate((0, 0.256, 0.5), 0.2, 0.14, "white", "label"),
        plate((0.275, 0, 0.66), 0.36, 0.14, FIRST, "label", yaw=90, material=Material.TEXT, text="US MAIL"),
        plate((-0.275, 0, 0.66), 0.36, 0.14, FIRST, "label", yaw=90, material=Material.TEXT, text="US MAIL"),
    ]


def relay_box() -> Model:
    """Return a plain postal box with a round top, a door and no slot."""
    return [
        box((0, 0, 0.06), (0.5, 0.46, 0.12), "dark grey", "base"),
        box((0, 0, 0.62), (0.56, 0.52, 1.0), FIRST, "body"),
        cylinder((0, 0, 1.12), 0.26, 0.56, FIRST, "top", roll=90),
        plate((0, 0.275, 0.62), 0.46, 0.88, "black", "door"),
        box((0, 0.275, 0.62), (0.42, 0.03, 0.84), FIRST, "door"),
        box((-0.15, 0.3, 0.66), (0.05, 0.05, 0.14), "silver", "handle"),
        plate((0, 0.305, 0.92), 0.22, 0.1, "white", "label"),
    ]


def _bag(x: float, y: float, size: float, colour: Colour = "black") -> Model:
    """Return a full bag, wide at the bottom and tied at the top."""
    return [
        ball((x, y, 0.29 * size), (size, 0.92 * size, 0.6 * size), colour, "bag", material=Material.CLOTH),
        cone((x, y, 0.56 * size), 0.42 * size, 0.28 * size, colour, "bag", top=0.16, material=Material.CLOTH),
        cone((x + 0.03 * size, y, 0.74 * size), 0.1 * size, 0.15 * size, colour, "knot", top=0.5, tilt=180, roll=-25),
    ]


def trash_can() -> Model:
    """Return a wire basket, wider at the top, with a bag inside."""
    wire = {"material": Material.STRIPES, "second": "black", "pattern": (0.035,)}
    return [
        cylinder((0, 0, 0.03), 0.23, 0.06, FIRST, "base"),
        cone((0, 0, 0.46), 0.31, 0.84, FIRST, "basket", top=0.72, tilt=180, **wire),
        cylinder((0, 0, 0.34), 0.268, 0.035, FIRST, "basket"),
        cylinder((0, 0, 0.62), 0.292, 0.035, FIRST, "basket"),
        cylinder((0, 0, 0.89), 0.335, 0.06, FIRST, "rim"),
        cylinder((0, 0, 0.895), 0.29, 0.07, "white", "bag"),
        cylinder((0, 0, 0.9), 0.25, 0.08, "black", "opening"),
    ]


def trash_can_with_lid() -> Model:
    """Return a round bin with a domed lid and a dark opening in front."""
    return [
        cylinder((0, 0, 0.04), 0.27, 0.08, "black", "base"),
        cylinder((0, 0, 0.44), 0.3, 0.72, FIRST, "body", material=Material.STRIPES, second="black", pattern=(0.05,)),
        cylinder((0, 0, 0.83), 0.33, 0.07, FIRST, "rim"),
        ball((0, 0, 0.88), (0.62, 0.62, 0.56), "black", "lid"),
        box((0, 0.22, 1.0), (0.3, 0.16, 0.15), "silver", "opening", tilt=25),
        box((0, 0.235, 1.005), (0.25, 0.16, 0.1), "rubber", "opening", tilt=25),
    ]


def trash_can_with_bags() -> Model:
    """Return a basket with three full bags beside it."""
    return trash_can() + _bag(0.7, 0.05, 0.7) + _bag(1.25, -0.08, 0.8) + _bag(0.95, 0.5, 0.62, "white")


def trash_bags() -> Model:
    """Return a pile of bags."""
    row = _bag(-0.72, 0, 0.9, FIRST) + _bag(0.05, 0.15, 1.0, FIRST) + _bag(0.78, -0.05, 0.85, FIRST)
    return row + _bag(0.45, 0.6, 0.7, FIRST) + transformed(_bag(-0.35, -0.08, 0.8, FIRST), (0, 0, 0.4))


def trash_bags_recycling() -> Model:
    """Return bags, one of them white, with flat cardboard behind them."""
    row = _bag(-0.75, 0, 0.85, FIRST) + _bag(0.0, 0.1, 0.9, "white") + _bag(0.7, 0, 0.85, FIRST)
    return [*row, box((0.1, -0.42, 0.45), (1.3, 0.12, 0.86), "tan", "cardboard", tilt=-10)]


def bench() -> Model:
    """Return a park bench of wooden slats on iron sides with armrests."""
    sides: Model = []
    for x in (-0.84, 0.84):
        sides += [
            box((x, 0.2, 0.22), (0.06, 0.06, 0.44), SECOND, "leg"),
            box((x, -0.22, 0.22), (0.06, 0.06, 0.44), SECOND, "leg"),
            box((x, 0.0, 0.64), (0.06, 0.52, 0.05), SECOND, "armrest"),
            box((x, 0.2, 0.54), (0.05, 0.05, 0.2), SECOND, "armrest"),
        ]
    seat = [box((0, y, 0.45), (1.8, 0.13, 0.045), FIRST, "seat") for y in (-0.15, 0.01, 0.17)]
    back = [
        box((0, -0.24 - 0.05 * k, 0.57 + 0.145 * k), (1.8, 0.04, 0.115), FIRST, "backrest", tilt=16) for k in range(3)
    ]
    return sides + seat + back


def bench_of_concrete() -> Model:
    """Return a bench without a back: a slab on two blocks."""
    return [
        box((0, 0, 0.42), (1.9, 0.5, 0.14), FIRST, "seat"),
        taper((-0.6, 0, 0.18), (0.3, 0.42, 0.36), FIRST, "base", front=0.2, back=0.2),
        taper((0.6, 0, 0.18), (0.3, 0.42, 0.36), FIRST, "base", front=0.2, back=0.2),
    ]


def lamp_post() -> Model:
    """Return a tall street light whose arm holds the lamp over the road."""
    return [
        taper((0, 0, 0.3), (0.44, 0.44, 0.6), FIRST, "base", x=0.4, front=0.4, back=0.4),
        cone((0, 0, 4.5), 0.11, 8.4, FIRST, "pole", top=0.6),
        rod((0, 0, 7.9), (0, 1.1, 8.75), 0.055, FIRST, "arm"),
        rod((0, 1.1, 8.75), (0, 2.3, 8.95), 0.05, FIRST, "arm"),
        ball((0, 2.6, 8.93), (0.34, 0.95, 0.24), "silver", "lamp"),
        ball((0, 2.72, 8.85), (0.26, 0.5, 0.2), "lamp", "lamp", material=Material.LAMP),
    ]


def lamp_post_with_globes() -> Model:
    """Return an old post with a cross arm and two white globes."""
    globes = [ball((x, 0, 4.0), (0.46, 0.46, 0.5), "white", "globe", material=Material.LAMP) for x in (-0.5, 0.5)]
    cups = [cone((x, 0, 3.68), 0.13, 0.2, FIRST, "arm", top=0.4, tilt=180) for x in (-0.5, 0.5)]
    return [
        *globes,
        *cups,
        cylinder((0, 0, 0.1), 0.28, 0.2, FIRST, "base"),
        cone((0, 0, 0.5), 0.2, 0.6, FIRST, "base", top=0.5),
        cone((0, 0, 2.2), 0.08, 3.2, FIRST, "pole", top=0.7),
        cylinder((0, 0, 3.6), 0.045, 1.06, FIRST, "arm", roll=90),
        ball((0, 0, 3.84), (0.16, 0.16, 0.4), FIRST, "top"),
    ]


def lamp_post_with_crook() -> Model:
    """Return a lamp post whose pole bends over; the lamp hangs from its end."""
    bend = [(0.0, 4.7), (0.1, 5.2), (0.42, 5.52), (0.86, 5.52), (1.14, 5.26), (1.16, 5.0)]
    hook = [rod((0, a, b), (0, c, d), 0.05, FIRST, "arm") for (a, b), (c, d) in pairwise(bend)]
    return [
        *hook,
        cylinder((0, 0, 0.12), 0.26, 0.24, FIRST, "base"),
        cone((0, 0, 0.6), 0.19, 0.8, FIRST, "base", top=0.5),
        cone((0, 0, 2.8), 0.09, 3.9, FIRST, "pole", top=0.6),
        cone((0, 1.16, 4.88), 0.3, 0.3, FIRST, "lamp", top=0.25),
        ball((0, 1.16, 4.7), (0.42, 0.42, 0.5), "lamp", "lamp", material=Material.LAMP),
        plate((0, 0.48, 5.08), 0.5, 0.5, FIRST, "arm", Outline.RING, (0.8,), yaw=90),
    ]


def planter() -> Model:
    """Return a round pot with a bush and flowers around it."""
    around = [(0.34, 0.1), (0.05, 0.36), (-0.3, 0.2), (-0.28, -0.22), (0.2, -0.3)]
    return [
        cone((0, 0, 0.29), 0.52, 0.58, FIRST, "pot", top=0.72, tilt=180),
        cylinder((0, 0, 0.6), 0.56, 0.08, FIRST, "rim"),
        ball((0, 0, 0.72), (0.98, 0.98, 0.5), "leaf", "plant", material=Material.FOLIAGE),
        ball((0, 0, 0.92), (0.66, 0.66, 0.5), "leaf", "plant", material=Material.FOLIAGE),
        *(ball((x, y, 0.9), (0.2, 0.2, 0.18), SECOND, "flowers") for x, y in around),
    ]


def planter_box() -> Model:
    """Return a square box with a pointed shrub."""
    return [
        taper((0, 0, 0.32), (0.9, 0.9, 0.64), FIRST, "pot", x=-0.06, front=-0.06, back=-0.06),
        box((0, 0, 0.67), (1.0, 1.0, 0.08), FIRST, "rim"),
        box((0, 0, 0.715), (0.86, 0.86, 0.03), "brown", "soil"),
        ball((0, 0, 0.98), (0.8, 0.8, 0.6), "leaf", "plant", material=Material.FOLIAGE),
        cone((0, 0, 1.45), 0.4, 1.1, "leaf", "plant", top=0.1, material=Material.FOLIAGE),
    ]


def planter_trough() -> Model:
    """Return a long wooden box full of flowers."""
    flowers = [
        ball((-0.66 + 0.33 * k, 0.06 * (-1) ** k, 0.68), (0.26, 0.28, 0.22), SECOND, "flowers") for k in range(5)
    ]
    return [
        box((0, 0, 0.26), (1.7, 0.5, 0.52), FIRST, "pot", material=Material.WOOD, pattern=(0.13,)),
        ball((-0.42, 0, 0.54), (0.86, 0.5, 0.32), "leaf", "plant", material=Material.FOLIAGE),
        ball((0.42, 0, 0.54), (0.86, 0.5, 0.32), "leaf", "plant", material=Material.FOLIAGE),
        *flowers,
    ]


def _meter(x: float) -> Model:
    return [
        box((x, 0, 1.22), (0.24, 0.16, 0.28), FIRST, "head"),
        cylinder((x, 0, 1.36), 0.12, 0.16, FIRST, "head", tilt=90),
        plate((x, 0.095, 1.38), 0.17, 0.12, "light blue", "display"),
        plate((x, 0.095, 1.2), 0.06, 0.1, "black", "slot"),
    ]


def parking_meter() -> Model:
    """Return a round-topped head with a display, on a thin pole."""
    return [
        cylinder((0, 0, 0.02), 0.09, 0.04, "dark grey", "base"),
        cylinder((0, 0, 0.55), 0.045, 1.1, "dark grey", "pole"),
        *_meter(0),
    ]


def parking_meter_double() -> Model:
    """Return two meters on one pole."""
    return [
        cylinder((0, 0, 0.52), 0.045, 1.04, "dark grey", "pole"),
        cylinder((0, 0, 1.05), 0.035, 0.4, "dark grey", "pole", roll=90),
        *_meter(-0.17),
        *_meter(0.17),
    ]


def parking_meter_station() -> Model:
    """Return the pay station of a block: a narrow cabinet with a display, keys and a round sign above."""
    return [
        box((0, 0, 0.72), (0.36, 0.28, 1.44), FIRST, "body"),
        taper((0, 0, 1.53), (0.36, 0.28, 0.18), FIRST, "top", front=1.2),
        plate((0, 0.16, 1.3), 0.26, 0.16, "light blue", "display"),
        plate((-0.05, 0.16, 1.08), 0.14, 0.14, "silver", "keys", Outline.LATTICE, (3.0, 3.0, 0.5)),
        plate((0.1, 0.16, 1.08), 0.04, 0.1, "red", "slot"),
        plate((0, 0.16, 0.5), 0.24, 0.2, "black", "slot"),
        cylinder((0, 0, 1.8), 0.025, 0.4, "dark grey", "sign"),
        box((0, 0, 2.05), (0.32, 0.06, 0.32), "green", "sign", material=Material.TEXT, text="P"),
    ]


def _news(x: float, colour: Colour) -> Model:
    return [
        box((x, 0, 0.14), (0.12, 0.2, 0.28), "black", "base"),
        box((x, 0, 0.62), (0.46, 0.4, 0.7), colour, "body"),
        taper((x, -0.03, 1.04), (0.46, 0.34, 0.14), colour, "top", front=0.5),
        plate((x, 0.215, 0.74), 0.34, 0.3, "white", "window"),
        plate((x, 0.23, 0.7), 0.28, 0.18, "grey", "window", material=Material.BANDS, pattern=(0.03,)),
        box((x, 0.21, 0.92), (0.26, 0.05, 0.035), "black", "handle"),
        plate((x, 0.215, 0.44), 0.42, 0.14, colour, "label", material=Material.TEXT, text="NEWS"),
    ]


def newspaper_box() -> Model:
    """Return a coloured box with a window that shows the front page."""
    return _news(0, FIRST)


def newspaper_boxes() -> Model:
    """Return three boxes side by side in different colours."""
    return _news(-0.52, FIRST) + _news(0, SECOND) + _news(0.52, "yellow")


def bollard() -> Model:
    """Return a steel post with a domed top and a reflecting band."""
    return [
        cylinder((0, 0, 0.45), 0.09, 0.9, FIRST, "post"),
        ball((0, 0, 0.9), (0.18, 0.18, 0.14), FIRST, "top"),
        cylinder((0, 0, 0.74), 0.094, 0.09, SECOND, "band"),
    ]


def bollard_of_iron() -> Model:
    """Return a slender cast-iron post with two rings and a small ball on top."""
    return [
        cylinder((0, 0, 0.04), 0.12, 0.08, FIRST, "base"),
        cone((0, 0, 0.5), 0.085, 0.9, FIRST, "post", top=0.7),
        cylinder((0, 0, 0.3), 0.095, 0.04, FIRST, "ring"),
        cylinder((0, 0, 0.93), 0.085, 0.04, FIRST, "ring"),
        ball((0, 0, 1.01), (0.14, 0.14, 0.15), FIRST, "top"),
    ]


def fire_alarm_box() -> Model:
    """Return a red call box with a peaked top on an iron post."""
    return [
        taper((0, 0, 0.15), (0.42, 0.42, 0.3), FIRST, "base", x=0.4, front=0.4, back=0.4),
        cone((0, 0, 0.68), 0.11, 0.86, FIRST, "post", top=0.75),
        box((0, 0, 1.36), (0.4, 0.28, 0.52), FIRST, "box"),
        taper((0, 0, 1.7), (0.44, 0.32, 0.18), FIRST, "top", x=1, front=1, back=1),
        plate((0, 0.15, 1.49), 0.34, 0.14, "white", "label", material=Material.TEXT, second="red", text="FIRE"),
        cylinder((0, 0.15, 1.27), 0.06, 0.04, "blue", "button", tilt=90),
        ball((0, 0, 1.84), (0.12, 0.12, 0.16), "lamp", "top", material=Material.LAMP),
    ]


def utility_box() -> Model:
    """Return a metal cabinet with two doors and a vent."""
    return [
        box((0, 0, 0.06), (1.1, 0.56, 0.12), "concrete", "base"),
        box((0, 0, 0.72), (1.0, 0.48, 1.2), FIRST, "body"),
        box((0, 0, 1.35), (1.08, 0.56, 0.06), FIRST, "top"),
        plate((0, 0.255, 0.72), 0.96, 1.12, "black", "door"),
        box((-0.24, 0.255, 0.72), (0.44, 0.03, 1.06), FIRST, "door"),
        box((0.24, 0.255, 0.72), (0.44, 0.03, 1.06), FIRST, "door"),
        box((0.07, 0.29, 0.76), (0.05, 0.05, 0.18), "black", "handle"),
        plate((0.24, 0.285, 0.36), 0.3, 0.22, "black", "vent", Outline.LATTICE, (1.0, 5.0, 0.5)),
        plate((-0.26, 0.285, 1.05), 0.18, 0.18, "yellow", "label", Outline.TRIANGLE),
    ]


def steam_chimney() -> Model:
    """Return the striped stack over a leaking steam main."""
    return [
        cone((0, 0, 0.2), 0.5, 0.4, "orange", "base", top=0.68),
        cylinder((0, 0, 1.6), 0.33, 2.4, "orange", "stack", material=Material.BANDS, pattern=(0.4,)),
        cylinder((0, 0, 2.83), 0.36, 0.06, "orange", "top"),
        cylinder((0, 0, 2.84), 0.3, 0.06, "rubber", "opening"),
    ]


def dumpster() -> Model:
    """Return a steel container with two black lids that slope to the front, on small wheels."""
    return [
        box((0, 0, 0.58), (2.0, 1.2, 0.9), FIRST, "body"),
        taper((0, 0, 1.2), (2.0, 1.2, 0.34), FIRST, "body", front=2),
        box((-0.51, 0.02, 1.23), (0.98, 1.3, 0.05), "black", "lid", tilt=-15.8),
        box((0.51, 0.02, 1.23), (0.98, 1.3, 0.05), "black", "lid", tilt=-15.8),
        *(box((x, 0.62, 0.6), (0.08, 0.08, 0.86), FIRST, "body") for x in (-0.96, -0.32, 0.32, 0.96)),
        *(box((x, 0, 0.8), (0.16, 0.8, 0.18), FIRST, "handle") for x in (-1.06, 1.06)),
        *(box((x, 0, 0.8), (0.18, 0.82, 0.1), "black", "handle") for x in (-1.06, 1.06)),
        plate((0, 0.68, 0.75), 0.5, 0.26, "white", "label", material=Material.TEXT, second=FIRST, text="WASTE"),
        *(cylinder((x, y, 0.08), 0.08, 0.08, "rubber", "wheel", roll=90) for x in (-0.85, 0.85) for y in (-0.45, 0.45)),
    ]


def pole() -> Model:
    """Return a wooden pole with two cross arms and a transformer."""
    knobs = [cylinder((x, 0.08, 8.05), 0.05, 0.18, "brown", "insulator") for x in (-1.0, -0.5, 0.5, 1.0)]
    return [
        cone((0, 0, 4.3), 0.16, 8.6, FIRST, "pole", top=0.7),
        box((0, 0.08, 7.9), (2.4, 0.1, 0.13), FIRST, "cross arm"),
        box((0, 0.08, 7.0), (1.7, 0.1, 0.13), FIRST, "cross arm"),
        *knobs,
        cylinder((0, 0.4, 6.1), 0.26, 0.85, "grey", "transformer"),
        box((0, 0.15, 6.1), (0.1, 0.2, 0.1), "grey", "transformer"),
    ]


def pole_of_steel() -> Model:
    """Return a plain round pole."""
    return [
        cylinder((0, 0, 0.03), 0.13, 0.06, FIRST, "base"),
        cylinder((0, 0, 1.6), 0.055, 3.2, FIRST, "pole"),
        ball((0, 0, 3.2), (0.14, 0.14, 0.12), FIRST, "top"),
    ]

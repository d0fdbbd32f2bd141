"""Landmarks: towers, monuments and sculptures that are visible from far away."""

from __future__ import annotations

from bearleft.world.city.shapes import Colour, Model, ball, box, cone, cylinder, plate, rod, taper, transformed
from bearleft.world.render.codes import Material, Outline

STONE, BRICK, GLASS, TEXT = Material.STONE, Material.BRICK, Material.GLASS, Material.TEXT
SIXTH = ((1.0, 0.0), (0.5, 0.866), (-0.5, 0.866), (-1.0, 0.0), (-0.5, -0.866), (0.5, -0.866))


def clock_tower() -> Model:
    """Return a brick tower with a clock on each side below a pointed green roof."""
    return [
        box((0, 0, 1.5), (7.0, 7.0, 3.0), "limestone", "base", material=STONE, pattern=(0.5,)),
        box(
            (0, 0, 9.5),
            (5.4, 5.4, 14.0),
            "brick",
            "shaft",
            material=Material.FACADE,
            second="limestone",
            pattern=(2.7, 3.5, 1.0, 1),
        ),
        box((0, 0, 16.6), (6.2, 6.2, 0.5), "limestone", "cornice"),
        box((0, 0, 18.8), (5.6, 5.6, 4.0), "brick", "clock room", material=BRICK),
        cylinder((0, 0, 18.8), 1.9, 5.8, "limestone", "clock rim", roll=90),
        cylinder((0, 0, 18.8), 1.9, 5.8, "limestone", "clock rim", tilt=90),
        cylinder((0, 0, 18.8), 1.65, 5.9, "white", "clock", roll=90, material=Material.GLOW),
        cylinder((0, 0, 18.8), 1.65, 5.9, "white", "clock", tilt=90, material=Material.GLOW),
        box((0, 0, 19.4), (0.2, 6.0, 1.3), "black", "hand"),
        box((0.45, 0, 18.8), (1.0, 6.0, 0.2), "black", "hand"),
        box((0, 0, 19.4), (6.0, 0.2, 1.3), "black", "hand"),
        box((0, 0.45, 18.8), (6.0, 1.0, 0.2), "black", "hand"),
        box((0, 0, 21.0), (6.4, 6.4, 0.5), "limestone", "cornice"),
        taper((0, 0, 23.7), (6.0, 6.0, 5.0), "teal", "roof", x=0.94, front=0.94, back=0.94),
        cone((0, 0, 27.2), 0.16, 2.4, "gold", "tip", top=0.2),
        plate((0, 3.54, 1.4), 2.0, 2.8, "brown", "door", Outline.ARCH, material=Material.WOOD, pattern=(0.3,)),
    ]


def church() -> Model:
    """Return a church: a nave, a steeple over the door, a round window."""
    windows = [
        box(
            (0, y, 3.2), (8.1, 0.9, 2.6), "navy", "side window", material=GLASS, second="sandstone", pattern=(0.45, 0.9)
        )
        for y in (-4.6, -2.4, -0.2)
    ]
    return [
        box((0, -1.8, 2.9), (8.0, 8.4, 5.8), "sandstone", "nave", material=STONE, pattern=(0.4,)),
        taper((0, -1.8, 7.4), (8.7, 8.6, 3.4), "dark grey", "roof", x=1.0),
        *windows,
        box((0, 3.6, 5.0), (4.2, 4.2, 10.0), "sandstone", "tower", material=STONE, pattern=(0.4,)),
        box((0, 3.6, 10.1), (4.6, 4.6, 0.4), "limestone", "cornice"),
        taper((0, 3.6, 15.0), (4.0, 4.0, 9.4), "dark grey", "steeple", x=0.98, front=0.98, back=0.98),
        box((0, 3.6, 20.4), (0.16, 0.16, 1.7), "gold", "cross"),
        box((0, 3.6, 20.7), (0.9, 0.16, 0.16), "gold", "cross"),
        plate((0, 5.72, 5.8), 2.3, 2.3, "limestone", "round window", Outline.DISC),
        plate((0, 5.75, 5.8), 1.9, 1.9, "blue", "round window", Outline.DISC, material=Material.MURAL),
        plate((0, 5.72, 1.7), 2.3, 3.4, "limestone", "arch", Outline.ARCH),
        plate((0, 5.75, 1.5), 1.8, 3.0, "red", "door", Outline.ARCH, material=Material.WOOD, pattern=(0.3,)),
        plate((0, 5.73, 8.6), 1.1, 1.9, "dark grey", "belfry", Outline.ARCH, material=Material.SHUTTER),
        plate((2.12, 3.6, 8.6), 1.1, 1.9, "dark grey", "belfry", Outline.ARCH, material=Material.SHUTTER, yaw=90),
        plate((-2.12, 3.6, 8.6), 1.1, 1.9, "dark grey", "belfry", Outline.ARCH, material=Material.SHUTTER, yaw=90),
        box((0, 5.9, 0.12), (3.2, 0.8, 0.24), "limestone", "steps"),
    ]


def obelisk() -> Model:
    """Return a needle of stone on steps."""
    return [
        box((0, 0, 0.2), (6.0, 6.0, 0.4), "limestone", "steps"),
        box((0, 0, 0.6), (4.8, 4.8, 0.4), "limestone", "steps"),
        box((0, 0, 1.7), (3.2, 3.2, 1.8), "limestone", "pedestal", material=STONE, pattern=(0.6,)),
        box((0, 0, 1.7), (2.2, 3.24, 0.7), "limestone", "inscription", material=TEXT, second="dark grey"),
        taper((0, 0, 10.6), (2.2, 2.2, 16.0), "sandstone", "shaft", x=0.35, front=0.35, back=0.35),
        taper((0, 0, 19.4), (1.43, 1.43, 1.6), "gold", "tip", x=1.0, front=1.0, back=1.0),
    ]


def triumphal_arch() -> Model:
    """Return a walk-through arch of white marble."""
    model: Model = []
    for side in (-1, 1):
        x = side * 3.7
        model.append(box((x, 0, 4.4), (3.2, 4.0, 8.8), "limestone", "pier", material=STONE, pattern=(0.7,)))
        model.append(box((x, 0, 0.6), (3.6, 4.4, 1.2), "limestone", "base"))
        model.append(box((x, 0, 6.2), (3.3, 4.1, 0.4), "white", "ledge"))
        model.append(cylinder((x - 0.9, 2.1, 3.7), 0.32, 5.0, "white", "column"))
        model.append(cylinder((x + 0.9, 2.1, 3.7), 0.32, 5.0, "white", "column"))
        # The arch: two wedges, the upper one flatter.
        model.append(
            taper((side * 1.75, 0, 7.25), (4.0, 0.9, 1.3), "limestone", "arch", front=1.6, yaw=90 * side, roll=180)
        )
        model.append(
            taper((side * 1.15, 0, 8.35), (4.0, 2.1, 0.9), "limestone", "arch", front=1.2, yaw=90 * side, roll=180)
        )
    return [
        *model,
        box((0, 0, 9.8), (10.6, 4.2, 2.0), "limestone", "frieze", material=STONE, pattern=(0.7,)),
        box((0, 0, 9.8), (7.0, 4.26, 1.2), "limestone", "inscription", material=TEXT, second="dark grey"),
        box((0, 0, 11.0), (11.4, 5.0, 0.5), "white", "cornice"),
        box((0, 0, 11.8), (9.8, 3.8, 1.2), "limestone", "top"),
        box((0, 2.05, 8.25), (0.7, 0.4, 0.9), "white", "keystone"),
    ]


def globe() -> Model:
    """Return a globe of the earth with silver rings around it, on a foot in a round basin."""
    land = (
        (1.3, 1.9, 6.6, 2.4, 1.4, 2.2),
        (-1.2, 2.2, 4.6, 1.6, 1.2, 2.6),
        (-2.4, -0.8, 6.3, 1.2, 2.6, 2.2),
        (0.6, -2.6, 5.4, 2.8, 0.9, 2.4),
        (2.5, -0.6, 4.6, 1.1, 2.0, 2.2),
        (0.2, 0.3, 8.1, 2.6, 2.2, 0.8),
    )
    return [
        cylinder((0, 0, 0.3), 5.2, 0.6, "limestone", "basin"),
        cylinder((0, 0, 0.33), 4.8, 0.6, "light blue", "water", material=GLASS),
        cone((0, 0, 1.3), 1.6, 2.2, "steel", "foot", top=0.35),
        ball((0, 0, 5.4), (6.0, 6.0, 6.0), "blue", "globe"),
        *(ball((x, y, z), (a, b, c), "green", "land") for x, y, z, a, b, c in land),
        plate((0, 0, 5.4), 8.0, 8.0, "silver", "ring", Outline.RING, (0.95,), tilt=70, yaw=20),
        plate((0, 0, 5.4), 7.6, 7.6, "silver", "ring", Outline.RING, (0.95,), tilt=-60, yaw=70),
        plate((0, 0, 5.4), 6.9, 6.9, "silver", "ring", Outline.RING, (0.95,), yaw=35),
    ]


def street_clock() -> Model:
    """Return a golden clock with two faces on a tall iron post."""
    return [
        box((0, 0, 0.35), (1.0, 1.0, 0.7), "dark green", "base"),
        box((0, 0, 0.9), (0.7, 0.7, 0.5), "dark green", "base"),
        cone((0, 0, 2.7), 0.26, 3.4, "dark green", "post", top=0.65),
        box((0, 0, 4.45), (0.9, 0.4, 0.2), "gold", "bracket"),
        cylinder((0, 0, 5.35), 1.0, 0.5, "gold", "case", tilt=90),
        cylinder((0, 0, 5.35), 0.86, 0.56, "white", "clock", tilt=90, material=Material.GLOW),
        box((0, 0, 5.65), (0.09, 0.6, 0.66), "black", "hand"),
        box((-0.22, 0, 5.35), (0.52, 0.6, 0.09), "black", "hand"),
        *(
            box((0.74 * x, 0, 5.35 + 0.74 * z), (0.09, 0.58, 0.09), "black", "mark")
            for x, z in ((0, 1), (0.866, 0.5), (0.866, -0.5), (0, -1), (-0.866, -0.5), (-0.866, 0.5))
        ),
        cone((0, 0, 6.7), 0.28, 0.8, "gold", "top"),
    ]


def water_tower() -> Model:
    """Return a wooden tank with a pointed lid on iron legs, as on roofs."""
    legs = [rod((x * 1.3, y * 1.3, 0), (x * 1.1, y * 1.1, 3.0), 0.09, "black", "leg") for x in (-1, 1) for y in (-1, 1)]
    return [
        *legs,
        rod((-1.25, 1.25, 0.3), (1.15, 1.15, 2.7), 0.05, "black", "brace"),
        rod((1.25, -1.25, 0.3), (-1.15, -1.15, 2.7), 0.05, "black", "brace"),
        box((0, 0, 3.05), (3.2, 3.2, 0.2), "black", "platform"),
        cylinder((0, 0, 4.75), 1.7, 3.2, "brown", "tank", material=Material.STRIPES, second="bark", pattern=(0.16,)),
        cylinder((0, 0, 3.9), 1.73, 0.1, "black", "hoop"),
        cylinder((0, 0, 4.9), 1.73, 0.1, "black", "hoop"),
        cylinder((0, 0, 5.8), 1.73, 0.1, "black", "hoop"),
        cone((0, 0, 6.95), 1.9, 1.2, "dark grey", "lid"),
    ]


def glass_pyramid() -> Model:
    """Return a pyramid of glass panes with a door in front."""
    return [
        box((0, 0, 0.2), (10.6, 10.6, 0.4), "limestone", "base"),
        taper(
            (0, 0, 3.6),
            (10.0, 10.0, 6.4),
            "light blue",
            "pyramid",
            x=1.0,
            front=1.0,
            back=1.0,
            material=GLASS,
            second="white",
            pattern=(1.0, 0.8),
        ),
        box((0, 4.5, 1.5), (1.8, 1.2, 2.2), "silver", "door frame"),
        box((0, 4.56, 1.45), (1.5, 1.2, 2.0), "dark grey", "door", material=GLASS),
        box((0, 5.5, 0.1), (3.0, 0.8, 0.2), "limestone", "step"),
    ]


def red_cube() -> Model:
    """Return a red cube balanced on its corner, a round hole through it."""
    return [
        box((0, 0, 0.12), (3.0, 3.0, 0.24), "dark grey", "base"),
        box((0, 0, 3.4), (3.7, 3.7, 3.7), "red", "cube", roll=-45, tilt=35.26),
        cylinder((0, 0, 3.4), 0.9, 3.74, "black", "hole", roll=-45, tilt=35.26),
        cylinder((0, 0, 3.4), 0.7, 3.77, "silver", "hole", roll=-45, tilt=35.26),
    ]


def bandstand() -> Model:
    """Return a bandstand: six white columns under a pointed roof, railings, steps in front."""
    posts = [cylinder((3.0 * x, 3.0 * y, 2.3), 0.13, 2.9, "white", "column") for x, y in SIXTH]
    rails: Model = []
    for k in (0, 2, 3, 4, 5):  # the side towards +y stays open
        (ax, ay), (bx, by) = SIXTH[k], SIXTH[(k + 1) % 6]
        rails.append(
            plate(
                (1.5 * (ax + bx), 1.5 * (ay + by), 1.35),
                3.0,
                0.9,
                "white",
                "railing",
                Outline.BARS,
                (14, 0.3),
                yaw=60.0 * k + 30 - 90,
            )
        )
    return [
        cylinder((0, 0, 0.42), 3.6, 0.84, "brick", "platform", material=BRICK),
        box((0, 3.7, 0.14), (2.4, 1.2, 0.28), "concrete", "steps"),
        box((0, 3.5, 0.42), (2.4, 0.9, 0.28), "concrete", "steps"),
        *posts,
        *rails,
        cylinder((0, 0, 3.85), 3.5, 0.3, "white", "roof edge"),
        cone((0, 0, 4.8), 3.8, 1.7, "green", "roof", top=0.18),
        cone((0, 0, 5.9), 0.7, 0.7, "green", "roof", top=0.1),
        ball((0, 0, 6.35), (0.4, 0.4, 0.4), "gold", "tip"),
    ]


def _horse(colour: Colour) -> Model:
    """Return a horse that trots towards +y, 2.4 m high."""
    return [
        ball((0, 0, 1.45), (0.8, 2.1, 0.85), colour, "horse"),
        rod((0, 0.7, 1.6), (0, 1.3, 2.35), 0.24, colour, "neck"),
        ball((0, 1.55, 2.4), (0.34, 0.85, 0.4), colour, "horse's head", tilt=-30),
        rod((-0.22, 0.7, 1.3), (-0.22, 0.85, 0.0), 0.12, colour, "leg"),
        rod((0.22, 0.7, 1.3), (0.22, 1.3, 0.95), 0.12, colour, "leg"),
        rod((0.22, 1.3, 0.98), (0.22, 1.15, 0.35), 0.1, colour, "leg"),
        rod((-0.22, -0.7, 1.3), (-0.22, -0.6, 0.0), 0.13, colour, "leg"),
        rod((0.22, -0.7, 1.3), (0.22, -1.05, 0.0), 0.13, colour, "leg"),
        rod((0, -0.95, 1.6), (0, -1.4, 0.75), 0.11, colour, "tail"),
    ]


def equestrian_monument() -> Model:
    """Return a rider of green bronze on a tall pedestal."""
    bronze = "teal"
    rider = [
        box((0, -0.1, 2.25), (0.62, 0.42, 1.0), bronze, "rider"),
        rod((-0.42, -0.1, 1.85), (-0.5, 0.2, 0.9), 0.16, bronze, "rider's leg"),
        rod((0.42, -0.1, 1.85), (0.5, 0.2, 0.9), 0.16, bronze, "rider's leg"),
        ball((0, -0.05, 3.0), (0.36, 0.4, 0.46), bronze, "rider's head"),
        cylinder((0, -0.05, 3.2), 0.34, 0.08, bronze, "hat"),
        rod((0.34, -0.1, 2.6), (0.75, 0.75, 3.25), 0.1, bronze, "arm"),
        rod((0.75, 0.7, 3.0), (0.85, 1.1, 4.6), 0.04, bronze, "sword"),
    ]
    return [
        box((0, 0, 0.25), (4.2, 5.6, 0.5), "limestone", "steps"),
        box((0, 0, 1.9), (2.2, 3.8, 2.8), "limestone", "pedestal", material=STONE, pattern=(0.7,)),
        box((0, 0, 2.1), (2.26, 3.86, 0.8), "limestone", "inscription", material=TEXT, second="dark grey"),
        box((0, 0, 3.4), (2.5, 4.1, 0.26), "limestone", "pedestal"),
        *transformed([*_horse(bronze), *rider], (0, 0, 3.52), 1.25),
    ]


def chimney_stack() -> Model:
    """Return a round chimney of brick with white bands near its top."""
    return [
        box((0, 0, 1.5), (5.0, 5.0, 3.0), "brick", "base", material=BRICK),
        cone((0, 0, 14.5), 1.9, 23.0, "brick", "chimney", top=0.66, material=BRICK),
        cylinder((0, 0, 22.6), 1.42, 1.2, "white", "band"),
        cylinder((0, 0, 25.4), 1.35, 1.0, "white", "band"),
        cylinder((0, 0, 26.1), 1.55, 0.5, "dark grey", "rim"),
        plate((0, 2.53, 1.2), 1.4, 2.4, "dark green", "door"),
    ]


def carousel() -> Model:
    """Return a carousel: horses on golden poles under a striped roof."""
    ride: Model = []
    for k, (x, y) in enumerate(SIXTH):
        lift = 1.2 + 0.35 * (k % 2)
        paint = ("white", "brown", "black", "white", "gold", "pink")[k]
        ride.append(cylinder((3.2 * x, 3.2 * y, 2.2), 0.05, 3.4, "gold", "pole"))
        ride.append(ball((3.2 * x, 3.2 * y, lift), (0.56, 1.7, 0.66), paint, "horse", yaw=60.0 * k))
        ride.append(
            ball(
                (3.2 * x - 0.85 * y, 3.2 * y + 0.85 * x, lift + 0.5),
                (0.3, 0.46, 0.95),
                paint,
                "horse",
                yaw=60.0 * k,
                tilt=-25,
            )
        )
    return [
        cylinder((0, 0, 0.2), 4.6, 0.4, "maroon", "platform"),
        cylinder((0, 0, 2.2), 1.2, 3.6, "cream", "middle", material=Material.STRIPES, second="gold", pattern=(0.3,)),
        *ride,
        cylinder((0, 0, 4.15), 4.7, 0.7, "red", "rim", material=Material.STRIPES, second="cream", pattern=(0.5,)),
        cylinder((0, 0, 3.8), 4.75, 0.12, "lamp", "lights", material=Material.GLOW),
        cone(
            (0, 0, 5.6), 4.7, 2.2, "red", "roof", top=0.06, material=Material.STRIPES, second="cream", pattern=(0.82,)
        ),
        ball((0, 0, 6.9), (0.7, 0.7, 0.7), "gold", "tip"),
    ]


def lighthouse() -> Model:
    """Return a red and white lighthouse with a lamp behind glass at the top."""
    return [
        cylinder((0, 0, 0.5), 3.6, 1.0, "concrete", "base"),
        cone((0, 0, 8.0), 2.5, 14.0, "white", "tower", top=0.6, material=Material.BANDS, second="red", pattern=(2.8,)),
        cylinder((0, 0, 15.15), 2.2, 0.3, "black", "gallery"),
        cylinder((0, 0, 15.9), 2.15, 0.08, "black", "railing"),
        cylinder((0, 0, 16.3), 1.2, 2.2, "lamp", "lamp", material=Material.GLOW),
        *(
            box((1.2 * x, 1.2 * y, 16.3), (0.12, 0.12, 2.2), "black", "frame", yaw=60.0 * k)
            for k, (x, y) in enumerate(SIXTH)
        ),
        cone((0, 0, 18.0), 1.6, 1.3, "red", "roof", top=0.08),
        ball((0, 0, 18.8), (0.5, 0.5, 0.5), "red", "tip"),
        plate((0, 2.52, 2.0), 1.1, 2.2, "red", "door", Outline.ARCH),
    ]


def dinosaur() -> Model:
    """Return a long-necked green dinosaur with plates along its back."""
    return [
        ball((0, 0, 2.7), (2.2, 4.2, 2.2), "green", "body"),
        *(cylinder((x, y, 1.1), 0.42, 2.2, "green", "leg") for x in (-0.65, 0.65) for y in (-1.2, 1.2)),
        rod((0, 1.4, 3.0), (0, 2.9, 4.8), 0.52, "green", "neck"),
        rod((0, 2.8, 4.6), (0, 3.5, 6.4), 0.38, "green", "neck"),
        ball((0, 3.8, 6.55), (0.8, 1.4, 0.75), "green", "head", tilt=-12),
        ball((0, 4.0, 6.75), (0.74, 0.2, 0.2), "white", "eye"),
        ball((0, 4.06, 6.76), (0.8, 0.1, 0.1), "black", "eye"),
        cone((0, -2.86, 2.29), 0.75, 2.4, "green", "tail", top=0.5, tilt=105),
        cone((0, -4.85, 1.65), 0.38, 2.2, "green", "tail", tilt=110),
        *(
            taper((0, y, z), (0.12, 0.7, 0.8), "orange", "back plates", front=1.0, back=1.0)
            for y, z in ((1.2, 3.75), (0.4, 4.05), (-0.4, 4.05), (-1.2, 3.8), (-2.0, 3.2))
        ),
    ]

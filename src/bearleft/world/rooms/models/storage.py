"""Storage furniture: nightstands, dressers, wardrobes, bookshelves, cabinets, boxes. Fronts face +y."""

from __future__ import annotations

from typing import Any

from bearleft.world.city.shapes import FIRST, SECOND, Colour, Model, ball, box, cylinder, plate, rod, taper
from bearleft.world.render.codes import Material
from bearleft.world.rooms.models.seating import legs

SPINES: dict[str, Any] = {"material": Material.STRIPES}


def _drawer(at: tuple[float, float, float], width: float, height: float, knobs: int = 1) -> Model:
    """Return a drawer's face with its knobs."""
    x, y, z = at
    places = (x,) if knobs == 1 else (x - width / 4, x + width / 4)
    return [
        box((x, y, z), (width, 0.02, height), SECOND, "drawer"),
        *(ball((a, y + 0.022, z), (0.035, 0.035, 0.035), "gold", "knob") for a in places),
    ]


def nightstand() -> Model:
    """Return a nightstand with two drawers on short legs."""
    return [
        *legs(0.44, 0.38, 0.14, FIRST, 0.04),
        box((0, 0, 0.33), (0.46, 0.4, 0.38), FIRST, "body"),
        box((0, 0, 0.535), (0.5, 0.44, 0.03), FIRST, "top"),
        *_drawer((0, 0.205, 0.43), 0.4, 0.14),
        *_drawer((0, 0.205, 0.25), 0.4, 0.17),
    ]


def nightstand_open() -> Model:
    """Return a nightstand with a drawer over an open shelf with books."""
    return [
        *(box((x, 0, 0.27), (0.03, 0.38, 0.54), FIRST, "side") for x in (-0.22, 0.22)),
        box((0, 0, 0.555), (0.5, 0.42, 0.03), FIRST, "top"),
        box((0, -0.18, 0.3), (0.42, 0.02, 0.5), FIRST, "back"),
        box((0, 0, 0.12), (0.42, 0.37, 0.025), FIRST, "shelf"),
        box((0, 0, 0.37), (0.42, 0.37, 0.025), FIRST, "shelf"),
        *_drawer((0, 0.18, 0.46), 0.4, 0.14),
        box((-0.06, 0.02, 0.15), (0.2, 0.26, 0.035), "red", "book"),
        box((-0.05, 0.02, 0.18), (0.18, 0.24, 0.025), "navy", "book"),
    ]


def dresser() -> Model:
    """Return a dresser: four rows of drawers with two knobs each under a wide top."""
    rows = [solid for k in range(4) for solid in _drawer((0, 0.235, 0.2 + 0.21 * k), 0.92, 0.19, 2)]
    return [
        *legs(0.94, 0.44, 0.08, FIRST, 0.06),
        box((0, 0, 0.5), (1.0, 0.46, 0.84), FIRST, "body"),
        box((0, 0, 0.935), (1.06, 0.5, 0.035), FIRST, "top"),
        *rows,
    ]


def dresser_with_mirror() -> Model:
    """Return a low chest of six drawers with a mirror on top."""
    rows = [solid for x in (-0.3, 0.3) for k in range(3) for solid in _drawer((x, 0.225, 0.2 + 0.2 * k), 0.56, 0.18)]
    return [
        box((0, 0, 0.4), (1.22, 0.44, 0.7), FIRST, "body"),
        box((0, 0, 0.05), (1.14, 0.4, 0.1), FIRST, "foot"),
        box((0, 0, 0.765), (1.28, 0.48, 0.03), FIRST, "top"),
        *rows,
        box((0, -0.2, 1.25), (0.86, 0.04, 0.94), FIRST, "frame"),
        plate((0, -0.178, 1.27), 0.74, 0.8, "silver", "mirror"),
        *(box((x, -0.176, 1.33), (0.03, 0.002, 0.5), "steel", "mirror", roll=30) for x in (-0.06, 0.04)),
    ]


def dresser_tall() -> Model:
    """Return a narrow chest of six drawers on legs."""
    rows = [solid for k in range(6) for solid in _drawer((0, 0.215, 0.28 + 0.175 * k), 0.52, 0.155)]
    return [
        *legs(0.54, 0.4, 0.18, FIRST, 0.045),
        box((0, 0, 0.72), (0.58, 0.42, 1.09), FIRST, "body"),
        box((0, 0, 1.28), (0.63, 0.46, 0.035), FIRST, "top"),
        *rows,
    ]


def wardrobe() -> Model:
    """Return a wardrobe: two panelled doors over a wide drawer, a cornice on top."""
    panels = [(x, z, height) for x in (-0.283, 0.283) for z, height in ((0.8, 0.5), (1.45, 0.66))]
    return [
        box((0, 0, 0.04), (1.1, 0.52, 0.08), FIRST, "foot"),
        box((0, 0, 1.0), (1.16, 0.56, 1.84), FIRST, "body"),
        box((0, 0.02, 1.95), (1.26, 0.64, 0.08), FIRST, "cornice"),
        *(box((x, 0.29, 1.17), (0.55, 0.025, 1.4), SECOND, "door") for x in (-0.283, 0.283)),
        *(plate((x, 0.304, z), 0.4, height, "dark grey", "panel") for x, z, height in panels),
        *(box((x, 0.306, z), (0.37, 0.01, height - 0.03), SECOND, "panel") for x, z, height in panels),
        *(box((x, 0.315, 1.1), (0.02, 0.03, 0.16), "gold", "handle") for x in (-0.05, 0.05)),
        box((0, 0.29, 0.27), (1.11, 0.025, 0.32), SECOND, "drawer"),
        *(ball((x, 0.315, 0.27), (0.04, 0.04, 0.04), "gold", "knob") for x in (-0.3, 0.3)),
    ]


def wardrobe_with_mirror() -> Model:
    """Return a wardrobe with three doors; the middle one is a mirror."""
    return [
        box((0, 0, 1.04), (1.6, 0.58, 2.08), FIRST, "body"),
        *(box((x, 0.3, 1.06), (0.51, 0.025, 1.96), SECOND, "door") for x in (-0.53, 0, 0.53)),
        plate((0, 0.314, 1.06), 0.45, 1.88, "silver", "mirror"),
        *(box((x, 0.316, 1.3), (0.025, 0.002, 0.6), "steel", "mirror", roll=30) for x in (-0.06, 0.03)),
        *(cylinder((x, 0.33, 1.05), 0.012, 0.26, "silver", "handle") for x in (-0.31, 0.31)),
    ]


def wardrobe_open() -> Model:
    """Return an open wardrobe: clothes on a rail, shelves beside them."""
    clothes = [
        taper((x, 0.02, 1.32), (0.045, 0.44, 0.72), colour, "clothes", front=0.25, back=0.25)
        for x, colour in zip(
            (-0.6, -0.52, -0.44, -0.35, -0.27, -0.18, -0.1),
            ("red", "white", "navy", "yellow", "light blue", "black", "green"),
            strict=True,
        )
    ]
    folded = [
        box(
            (0.34, 0.04, z),
            (0.4, 0.4, 0.12),
            colour,
            "folded clothes",
            material=Material.BANDS,
            second="white",
            pattern=(0.04,),
        )
        for z, colour in ((0.56, "teal"), (0.96, "maroon"), (1.36, "grey"))
    ]
    return [
        *(box((x, 0, 1.0), (0.035, 0.56, 2.0), FIRST, "side") for x in (-0.7, 0.06, 0.7)),
        box((0, -0.27, 1.0), (1.4, 0.02, 2.0), SECOND, "back"),
        box((0, 0, 1.985), (1.44, 0.58, 0.04), FIRST, "cornice"),
        box((0, 0, 0.06), (1.4, 0.56, 0.1), FIRST, "shelf"),
        *(box((0.38, 0, z), (0.62, 0.54, 0.025), FIRST, "shelf") for z in (0.48, 0.88, 1.28, 1.68)),
        cylinder((-0.32, 0.02, 1.74), 0.014, 0.74, "silver", "rail", roll=90),
        *clothes,
        *folded,
    ]


def _books(x: float, width: float, z: float, height: float, colour: Colour, second: Colour) -> Model:
    """Return a row of spines that stand at height z."""
    return [
        box((x, 0.0, z + height / 2), (width, 0.2, height), colour, "books", second=second, pattern=(0.036,), **SPINES)
    ]


def bookshelf() -> Model:
    """Return five boards full of books between two sides."""
    model: Model = [
        *(box((x, 0, 0.95), (0.03, 0.28, 1.9), FIRST, "side") for x in (-0.43, 0.43)),
        box((0, -0.13, 0.95), (0.86, 0.02, 1.88), FIRST, "back"),
        *(box((0, 0, 0.05 + 0.37 * k), (0.83, 0.27, 0.03), FIRST, "shelf") for k in range(5)),
        box((0, 0, 1.885), (0.89, 0.29, 0.03), FIRST, "top"),
    ]
    rows = (
        (("red", "navy", 0.3), ("tan", "dark green", 0.3)),
        (("blue", "yellow", 0.26), ("maroon", "white", 0.42)),
        (("teal", "brown", 0.5), ("orange", "grey", 0.2)),
        (("dark green", "cream", 0.34), ("purple", "black", 0.28)),
        (("white", "red", 0.24), ("navy", "tan", 0.36)),
    )
    for k, ((colour, second, width), (right_colour, right_second, right_wide)) in enumerate(rows):
        z = 0.065 + 0.37 * k
        model += _books(0.4 - width / 2, width, z, 0.27 - 0.02 * (k % 3), colour, second)
        model += _books(0.4 - width - right_wide / 2, right_wide, z, 0.24 + 0.03 * (k % 2), right_colour, right_second)
    return [*model, ball((-0.32, 0.02, 0.87), (0.12, 0.12, 0.12), SECOND, "ornament")]


def bookshelf_ladder() -> Model:
    """Return boards of decreasing width between two slanted posts."""
    model: Model = [
        *(rod((x, 0.2, 0.005), (x, -0.16, 1.8), 0.02, FIRST, "post") for x in (-0.34, 0.34)),
        *(rod((x, -0.18, 0), (x, -0.18, 1.8), 0.02, FIRST, "post") for x in (-0.34, 0.34)),
    ]
    for k, (z, depth) in enumerate(((0.2, 0.36), (0.62, 0.28), (1.04, 0.2), (1.46, 0.15))):
        model += [box((0, -0.19 + depth / 2, z), (0.7, depth, 0.025), FIRST, "shelf")]
        height, width = 0.22 - 0.02 * (k % 2), 0.34 - 0.05 * k
        a, b = (("red", "white"), ("navy", "yellow"), ("green", "cream"), ("orange", "black"))[k]
        model += [
            box(
                (0.12 * (-1) ** k, -0.1, z + 0.0125 + height / 2),
                (width, 0.13, height),
                a,
                "books",
                second=b,
                pattern=(0.034,),
                **SPINES,
            ),
        ]
    return [*model, ball((-0.2, -0.1, 1.11), (0.13, 0.13, 0.13), SECOND, "ornament")]


def bookshelf_low() -> Model:
    """Return two rows of open cubes, books in some and a box in one."""
    frame: Model = [
        *(box((x, 0, 0.42), (0.03, 0.3, 0.8), FIRST, "side") for x in (-0.6, -0.2, 0.2, 0.6)),
        box((0, -0.14, 0.42), (1.2, 0.02, 0.8), FIRST, "back"),
        *(box((0, 0, z), (1.2, 0.29, 0.03), FIRST, "shelf") for z in (0.035, 0.42)),
        box((0, 0, 0.815), (1.24, 0.31, 0.03), FIRST, "top"),
    ]
    return [
        *frame,
        *_books(0.42, 0.3, 0.05, 0.27, "red", "tan"),
        *_books(0.05, 0.24, 0.435, 0.26, "navy", "white"),
        *_books(-0.4, 0.34, 0.435, 0.28, "dark green", "yellow"),
        *_books(0.45, 0.26, 0.435, 0.24, "teal", "maroon"),
        box((0, 0.02, 0.2), (0.34, 0.24, 0.3), SECOND, "box"),
        box((0, 0.145, 0.24), (0.1, 0.01, 0.03), "black", "handle"),
        *_books(-0.34, 0.2, 0.05, 0.25, "orange", "black"),
    ]


def book_stack() -> Model:
    """Return a stack of five books, each slightly rotated."""
    books: tuple[tuple[float, float, float, Colour], ...] = (
        (0.045, 4, 0.3, FIRST),
        (0.03, -7, 0.27, "navy"),
        (0.04, 10, 0.26, "tan"),
        (0.025, -3, 0.24, SECOND),
        (0.035, 14, 0.22, "dark green"),
    )
    model: Model = []
    z = 0.0
    for thickness, turn, width, colour in books:
        pages = (width + 0.002, width * 0.7 + 0.002, thickness * 0.6)
        model += [
            box((0, 0, z + thickness / 2), (width, width * 0.7, thickness), colour, "cover", yaw=turn),
            box((0.004, 0.004, z + thickness / 2), pages, "cream", "pages", yaw=turn),
        ]
        z += thickness
    return model


def book_open() -> Model:
    """Return an open book, its pages in two slopes."""
    return [
        *(box((x, 0, 0.008), (0.17, 0.24, 0.012), FIRST, "cover", roll=-r) for x, r in ((0.085, 2), (-0.085, -2))),
        *(box((x, 0, 0.026), (0.16, 0.226, 0.024), "white", "pages", roll=r) for x, r in ((0.082, 4), (-0.082, -4))),
        *(
            box(
                (x, 0, 0.0395),
                (0.115, 0.17, 0.002),
                "white",
                "print",
                roll=r,
                material=Material.BANDS,
                second="grey",
                pattern=(0.012,),
            )
            for x, r in ((0.082, 4), (-0.082, -4))
        ),
        box((0, -0.02, 0.036), (0.012, 0.28, 0.004), SECOND, "ribbon"),
    ]


def book_row() -> Model:
    """Return six upright books between two bookends."""
    sizes = (0.24, 0.21, 0.25, 0.22, 0.24, 0.2)
    covers: tuple[Colour, ...] = (FIRST, "navy", "tan", SECOND, "dark green", "maroon")
    books = [
        box((0.11 - 0.042 * k, 0, height / 2), (0.038, 0.16, height), colour, "cover")
        for k, (height, colour) in enumerate(zip(sizes, covers, strict=True))
    ]
    labels = [box((0.11 - 0.042 * k, 0.081, 0.15), (0.03, 0.002, 0.05), "cream", "label") for k in (0, 2, 4)]
    ends = [taper((x, 0, 0.09), (0.05, 0.13, 0.18), "black", "bookend", front=0.6) for x in (0.16, -0.15)]
    return [*books, *labels, *ends]


def cabinet() -> Model:
    """Return a sideboard: two doors and a column of drawers between them."""
    return [
        *legs(1.36, 0.38, 0.16, FIRST, 0.05),
        box((0, 0, 0.46), (1.44, 0.42, 0.6), FIRST, "body"),
        box((0, 0, 0.775), (1.5, 0.46, 0.03), FIRST, "top"),
        *(box((x, 0.215, 0.46), (0.45, 0.02, 0.54), SECOND, "door") for x in (-0.48, 0.48)),
        *(box((x, 0.235, 0.5), (0.02, 0.025, 0.14), "black", "handle") for x in (-0.3, 0.3)),
        *(solid for k in range(3) for solid in _drawer((0, 0.215, 0.28 + 0.18 * k), 0.46, 0.165)),
    ]


def cabinet_china() -> Model:
    """Return a tall cabinet with dishes behind glass above, doors below."""
    dishes = [
        cylinder((x, -0.02, z), 0.09, 0.02, colour, "dishes", tilt=80)
        for z, colour in ((1.13, "white"), (1.5, "light blue"))
        for x in (-0.26, 0, 0.26)
    ]
    return [
        box((0, 0, 0.42), (0.96, 0.44, 0.84), FIRST, "body"),
        box((0, 0.01, 0.85), (1.02, 0.48, 0.04), FIRST, "ledge"),
        *(box((x, 0.225, 0.44), (0.44, 0.02, 0.68), SECOND, "door") for x in (-0.23, 0.23)),
        *(ball((x, 0.25, 0.5), (0.035, 0.035, 0.035), "gold", "knob") for x in (-0.06, 0.06)),
        box((0, -0.17, 1.36), (0.94, 0.03, 1.0), SECOND, "back"),
        *(box((x, -0.02, 1.36), (0.05, 0.32, 1.0), FIRST, "side") for x in (-0.45, 0.45)),
        *(box((0, -0.02, z), (0.88, 0.3, 0.02), FIRST, "shelf") for z in (1.02, 1.39)),
        box((0, -0.02, 1.88), (1.0, 0.4, 0.07), FIRST, "cornice"),
        *dishes,
        *(box((x, 0.14, 1.36), (0.03, 0.02, 0.98), FIRST, "glass frame") for x in (-0.03, 0.03)),
    ]


def cabinet_filing() -> Model:
    """Return a filing cabinet: three deep metal drawers with label holders."""
    model: Model = [
        box((0, 0, 0.53), (0.46, 0.58, 1.06), FIRST, "body"),
        box((0, 0, 1.07), (0.47, 0.6, 0.02), FIRST, "top"),
    ]
    for k in range(3):
        z = 0.21 + 0.34 * k
        model += [
            box((0, 0.295, z), (0.42, 0.02, 0.31), FIRST, "drawer"),
            box((0, 0.318, z + 0.02), (0.16, 0.03, 0.025), "black", "handle"),
            box((0, 0.307, z + 0.09), (0.1, 0.004, 0.05), "white", "label"),
        ]
    return [*model, cylinder((0.17, 0.3, 1.0), 0.015, 0.02, "gold", "lock", tilt=90)]


def tv_stand() -> Model:
    """Return a low, wide stand with open shelves in the middle and a door on either side."""
    return [
        *legs(1.4, 0.36, 0.1, "black", 0.05),
        box((0, 0, 0.485), (1.5, 0.42, 0.03), FIRST, "top"),
        box((0, 0, 0.115), (1.46, 0.4, 0.03), FIRST, "shelf"),
        box((0, -0.01, 0.3), (0.56, 0.36, 0.02), FIRST, "shelf"),
        box((0, -0.19, 0.3), (1.46, 0.02, 0.36), FIRST, "back"),
        *(box((x, 0, 0.3), (0.45, 0.4, 0.35), FIRST, "body") for x in (-0.51, 0.51)),
        *(box((x, 0.205, 0.3), (0.42, 0.02, 0.32), SECOND, "door") for x in (-0.51, 0.51)),
        *(ball((x, 0.225, 0.32), (0.03, 0.03, 0.03), "silver", "knob") for x in (-0.34, 0.34)),
        box((0.02, 0.02, 0.335), (0.36, 0.26, 0.05), "black", "player"),
        box((-0.1, 0.151, 0.335), (0.06, 0.003, 0.012), "green", "player", material=Material.GLOW),
    ]


def tv_stand_glass() -> Model:
    """Return panes of dark glass between metal posts."""
    return [
        *(cylinder((x, y, 0.24), 0.022, 0.48, SECOND, "post") for x in (-0.56, 0.56) for y in (-0.16, 0.16)),
        box((0, 0, 0.47), (1.26, 0.44, 0.018), FIRST, "top"),
        box((0, 0, 0.26), (1.16, 0.4, 0.016), "glass", "shelf"),
        box((0, 0, 0.06), (1.2, 0.42, 0.018), "glass", "shelf"),
        box((0.1, 0, 0.3), (0.4, 0.28, 0.06), "black", "player"),
        box((-0.3, 0, 0.1), (0.3, 0.28, 0.05), "silver", "player"),
    ]


def toy_box() -> Model:
    """Return a chest with its lid up and toys inside."""
    return [
        box((0, 0.2, 0.2), (0.8, 0.03, 0.4), FIRST, "front"),
        box((0, -0.2, 0.2), (0.8, 0.03, 0.4), FIRST, "back"),
        *(box((x, 0, 0.2), (0.03, 0.4, 0.4), FIRST, "side") for x in (-0.385, 0.385)),
        box((0, 0, 0.02), (0.76, 0.38, 0.04), FIRST, "side"),
        box((0, -0.26, 0.6), (0.82, 0.03, 0.42), SECOND, "lid", tilt=14),
        ball((0.22, 0, 0.38), (0.24, 0.24, 0.24), "red", "ball"),
        ball((0.22, 0, 0.38), (0.245, 0.245, 0.08), "yellow", "ball"),
        *(
            box((x, 0.04, z), (0.14, 0.14, 0.14), colour, "block", yaw=turn)
            for x, z, colour, turn in ((-0.26, 0.36, "blue", 20), (-0.1, 0.4, "green", 50), (-0.21, 0.48, "yellow", 5))
        ),
        plate((0, 0.218, 0.22), 0.5, 0.18, FIRST, "letters", material=Material.TEXT, second=SECOND, text="TOYS"),
    ]


def toy_box_crate() -> Model:
    """Return an open crate of slats on wheels, with a toy truck and a ball in it."""
    slats = [box((0, y, z), (0.64, 0.02, 0.1), FIRST, "slat") for y in (-0.2, 0.2) for z in (0.14, 0.27, 0.4)]
    ends = [box((x, 0, z), (0.02, 0.4, 0.1), FIRST, "slat") for x in (-0.32, 0.32) for z in (0.14, 0.27, 0.4)]
    wheels = [ball((x, y, 0.04), (0.07, 0.07, 0.08), "black", "wheel") for x in (-0.26, 0.26) for y in (-0.16, 0.16)]
    return [
        *slats,
        *ends,
        *wheels,
        box((0, 0, 0.1), (0.62, 0.38, 0.03), FIRST, "bottom"),
        ball((-0.15, 0, 0.42), (0.26, 0.26, 0.26), SECOND, "ball"),
        box((0.14, 0, 0.46), (0.2, 0.14, 0.12), "yellow", "truck"),
        box((0.2, 0, 0.55), (0.09, 0.13, 0.09), "red", "truck"),
    ]

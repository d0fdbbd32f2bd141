"""Themes of sections: building styles, colours and trees; no two sections share one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    """Look of a section: building styles, colours, floors above the ground floor, and trees.

    `styles` are of facades.STYLES; `district` (of districts.DISTRICTS) decides the number of shops. Every section also
    has grey houses. No style has a ground floor in another colour, since instructions name houses by the colour that is
    visible from nearby.
    """

    name: str
    district: str
    styles: tuple[str, ...]
    walls: tuple[str, ...]
    trims: tuple[str, ...]
    floors: tuple[int, int]
    trees: tuple[str, ...]  # models of the class tree


THEMES = (
    Theme(
        "old town", "brownstones", ("brick walk-up", "tenement"),
        ("brown", "brick", "yellow", "white", "maroon", "green"), ("cream", "limestone"), (1, 3),
        ("round_tree", "young_tree"),
    ),
    Theme(
        "painted houses", "village", ("painted rowhouse", "tenement"),
        ("pink", "light blue", "yellow", "white", "green", "orange"), ("white", "cream"), (1, 2),
        ("round_tree", "narrow_tree"),
    ),
    Theme(
        "offices", "downtown", ("concrete slab", "cast-iron loft"),
        ("blue", "teal", "white", "red", "light blue", "black"), ("silver", "white"), (2, 5), ("narrow_tree",),
    ),
    Theme(
        "warehouses", "warehouses", ("warehouse", "cast-iron loft"),
        ("brick", "orange", "blue", "tan", "green", "maroon"), ("dark grey", "black", "cream"), (1, 3),
        ("bare_tree", "young_tree"),
    ),
    Theme(
        "shops", "shopping", ("cast-iron loft", "tenement", "brick walk-up"),
        ("yellow", "red", "white", "light blue", "brown", "teal"), ("white", "cream", "brown"), (1, 4),
        ("tall_tree", "round_tree"),
    ),
    Theme(
        "flats", "residential", ("concrete slab", "painted rowhouse", "brick walk-up"),
        ("white", "tan", "green", "red", "blue", "yellow"), ("white", "silver", "brown"), (2, 4),
        ("round_tree", "tall_tree"),
    ),
    Theme(
        "village", "village", ("brick walk-up", "painted rowhouse", "warehouse"),
        ("red", "blue", "white", "orange", "purple", "tan"), ("white", "cream"), (1, 3), ("conifer", "round_tree"),
    ),
)  # fmt: skip
GREYS = ("grey", "concrete", "dark grey")

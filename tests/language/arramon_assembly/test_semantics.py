"""Tests of the cells that a meaning matches, in a small room.

    column   0        1        2        3        4
row 3        .        book     .        .        mug
row 2        .        .        ball     .        .
row 1        .        tv+bowl  .        .        .
row 0        .        .        DOOR     .        bucket
"""

from __future__ import annotations

import pytest

from bearleft.language.arramon_assembly import find_cell, matching_cells, parse_meaning
from bearleft.language.arramon_assembly.semantics import Against, Between, ItemPhrase, Meaning, OnSide, RelativeToAgent
from bearleft.records import Cell
from bearleft.world.arramon.task_setup import RoomItem

ROOM = (
    RoomItem("Striped Blue Book", (1, 1, 3)),
    RoomItem("Dotted Red Mug", (4, 1, 3)),
    RoomItem("Dotted Red Ball", (2, 1, 2)),
    RoomItem("Striped White Tv", (1, 1, 1)),
    RoomItem("Dotted Green Bowl", (1, 2, 1)),
    RoomItem("Striped Blue Bucket", (4, 1, 0)),
)

TEXTS: list[tuple[str, list[Cell]]] = [
    ("Place the bowl on top of the dotted red mug.", [(4, 2, 3)]),
    ("Place it on top of the stack of the white TV and the green bowl.", [(1, 3, 1)]),
    ("Place the mug on the striped white TV.", []),  # it has a bowl on it
    ("Place the mug to the left of the dotted red ball.", [(1, 1, 2)]),
    ("Place the mug right of the red dotted ball.", [(3, 1, 2)]),
    ("Place the mug directly behind the ball.", [(2, 1, 3)]),
    ("Place the mug in front of the ball.", [(2, 1, 1)]),
    # Facing the wooden wall, east is away and north is on the left.
    ("Turn right and place the mug behind the ball.", [(3, 1, 2)]),
    ("Turn to face the wooden wall. Place the mug to the left of the ball.", [(2, 1, 3)]),
    ("Turn left, then place the mug to the left of the ball.", [(2, 1, 1)]),
    ("Turn left and place the mug in front of the ball.", [(3, 1, 2)]),
    ("Turn around and place the mug to the left of the ball.", [(3, 1, 2)]),
    ("Place the mug diagonally from the striped blue bucket.", [(3, 1, 1)]),
    ("Place the mug next to the bucket.", [(3, 1, 0), (4, 1, 1)]),
    ("Place the mug next to the bucket and against the wooden wall.", [(4, 1, 1)]),
    ("Place the ball between the book and the white TV.", [(1, 1, 2)]),
    ("Place the ball between the book and the red mug.", [(2, 1, 3), (3, 1, 3)]),
    ("Place the ball between the bucket and the brick wall, aligned with the ball.", [(4, 1, 2)]),
    ("Place the ball between the blue book and the dotted wall.", [(0, 1, 3)]),
    ("Place the ball where the striped wall and the spotted wall meet.", [(0, 1, 0)]),
    ("Place the ball against both the striped and the dotted walls.", [(0, 1, 0)]),
    ("Place the ball against the brick wall and straight ahead of you.", [(2, 1, 3)]),
    ("Place the ball right in front of you.", [(2, 1, 1)]),
    ("Turn left and drop the ball in front of you.", [(1, 1, 0)]),
    ("Place the ball directly to your right.", [(3, 1, 0)]),
    ("Place the ball left of the thing with the bowl on top.", []),
    ("Place the ball behind the white TV with the dotted green bowl on top of it.", [(1, 1, 2)]),
    ("Place the ball behind the green bowl that is on the white TV.", [(1, 1, 2)]),
    ("Place the ball to the left of the red mug that is close to the wooden wall.", [(3, 1, 3)]),
    ("Place the ball to the left of the red mug on your right.", [(3, 1, 3)]),
    ("Place the ball to the left of the red mug on your left.", []),
    ("The ball belongs next to the red ball and closer to the wooden wall than the ball.", [(3, 1, 2)]),
    ("Sing a song about the room and the walls.", []),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS, ids=[text for text, _ in TEXTS])
def test_texts_match_the_expected_cells(text: str, expected: list[Cell]) -> None:
    assert sorted(matching_cells(parse_meaning(text), ROOM)) == expected
    assert find_cell(text, ROOM, "Dotted Red Ball") == (
        matching_cells(parse_meaning(text), ROOM)[0] if expected else None
    )


def test_ambiguous_phrase_matches_several_cells() -> None:
    room = (RoomItem("Dotted Red Mug", (1, 1, 1)), RoomItem("Striped Red Mug", (3, 1, 1)))
    assert matching_cells(parse_meaning("Place the ball behind the red mug."), room) == [(1, 1, 2), (3, 1, 2)]
    assert matching_cells(parse_meaning("Place the ball behind the striped red mug."), room) == [(3, 1, 2)]
    assert matching_cells(parse_meaning("Place the ball between the two mugs."), room) == [(2, 1, 1)]


def test_occupied_cells_and_the_door_do_not_match() -> None:
    assert (
        matching_cells(
            parse_meaning("Place the ball to the left of the bucket."), (RoomItem("Dotted Red Bucket", (3, 1, 0)),)
        )
        == []
    )
    tall = [RoomItem("Dotted Red Book", (0, height, 0)) for height in range(1, 5)]
    assert matching_cells(parse_meaning("Place the ball on top of the red book."), tall[:3]) == [(0, 4, 0)]
    assert matching_cells(parse_meaning("Place the ball on top of the red book."), tall) == []


def test_cell_ahead_is_on_top_of_its_stack() -> None:
    room = (RoomItem("Dotted Red Book", (2, 1, 1)), RoomItem("Dotted Red Mug", (2, 2, 1)))
    assert find_cell("Place the ball in front of you.", room) == (2, 3, 1)
    assert find_cell("Turn left and place the ball in front of you.", room) == (1, 1, 0)


def test_misspelt_verb_is_understood() -> None:
    text = "palce the striped brown mug infront of the dotted red ball"
    assert find_cell(text, ROOM, "Striped Brown Mug") == (2, 1, 1)


def test_texts_are_parsed_into_meanings() -> None:
    meaning = parse_meaning(
        "Turn right. Place it left of the striped mug, between the two red TVs and against the brick wall."
    )
    two_tvs = ItemPhrase("tv", "red", two=True)
    assert meaning == Meaning(
        1, (OnSide("left", ItemPhrase("mug", pattern="striped")), Between(two_tvs, None), Against(0))
    )
    assert parse_meaning("Place the ball in front of you.").relations == (RelativeToAgent("front"),)

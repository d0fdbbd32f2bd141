from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.language.analysis.quality import find_problems
from bearleft.language.annotated_text import Text
from bearleft.language.arramon_assembly import find_cell, matching_cells, parse_meaning, write_placement
from bearleft.language.arramon_assembly.templates import PLACE, TURN, TURN_TO
from bearleft.language.arramon_assembly.write import placement_writer
from bearleft.records import Cell
from bearleft.world.arramon.items.names import ITEMS
from bearleft.world.arramon.room_search import stack_height
from bearleft.world.arramon.task_setup import RoomItem

FREE_SPOTS = [(column, row) for column in range(5) for row in range(4) if (column, row) != (2, 0)]
Case = tuple[tuple[RoomItem, ...], str, Cell]


def random_cases(random: Random, count: int) -> list[Case]:
    """Return rooms of eight decoys, some stacked, with an item to place; every third one on top of a decoy."""
    cases: list[Case] = []
    while len(cases) < count:
        room_items: list[RoomItem] = []
        for _ in range(8):
            column, row = random.choice(FREE_SPOTS)
            height = stack_height(room_items, column, row)
            if height <= 2:
                room_items.append(RoomItem(random.choice(ITEMS).name, (column, height, row)))
        on_top = len(cases) % 3 == 0
        spots = [spot for spot in FREE_SPOTS if (stack_height(room_items, *spot) > 1) == on_top]
        column, row = random.choice(spots)
        cell = (column, stack_height(room_items, column, row), row)
        cases.append((tuple(room_items), random.choice(ITEMS).name, cell))
    return cases


@pytest.fixture(scope="module")
def cases() -> list[tuple[Case, Text | None]]:
    random = Random(0)
    return [
        ((room_items, item, cell), write_placement(room_items, item, cell, placement_writer(str(k))))
        for k, (room_items, item, cell) in enumerate(random_cases(random, 120))
    ]


@pytest.mark.slow
def test_most_cells_have_a_text(cases: list[tuple[Case, Text | None]]) -> None:
    assert sum(text is None for _, text in cases) <= 2


def test_texts_match_their_cell_only(cases: list[tuple[Case, Text | None]]) -> None:
    for (room_items, item, cell), text in cases:
        if text is not None:
            assert matching_cells(parse_meaning(text.string, item), room_items) == [cell], text.string
            assert find_cell(text.string, room_items, item) == cell


def test_texts_pass_the_quality_checks(cases: list[tuple[Case, Text | None]]) -> None:
    assert [text.string for _, text in cases if text is not None and find_problems(text.string, "assembly")] == []


# Patterns of unnatural sentences.
UNNATURAL_PATTERNS = (
    # "Place on top of the mug" is common in released texts, as no other verb without its object.
    r"\b(?:put|drop|set|leave) (?:on|in|to|where|against|right|left|just|directly|behind|between)\b",
    r"^turn.*\b(?:belongs|should be)\b",
    r"\bwall (?:and|and then) (?:the|it)\b.*\bshould be\b",
    r"\bbetween [^.]* (?:that|which) is (?:by|against|near|close to) the \w+ wall and\b",
)


def test_texts_are_natural(cases: list[tuple[Case, Text | None]]) -> None:
    for (_, item, _), text in cases:
        text_words = text.string.lower() if text is not None else ""
        assert not [pattern for pattern in UNNATURAL_PATTERNS if re.search(pattern, text_words)], text_words
        # The carried item is not located by another item of the same name.
        kind = item.lower().split()[-1]
        assert text_words.count(f"the {kind} ") + text_words.count(f"the {kind}.") <= 1, text_words


def test_texts_of_other_rooms_do_not_match(cases: list[tuple[Case, Text | None]]) -> None:
    """The text of another room does not lead to the cell."""
    written = [(case, text.string) for case, text in cases if text is not None]
    correct = sum(
        find_cell(text, room_items, item) == cell
        for ((room_items, item, cell), _), (_, text) in zip(written, written[1:] + written[:1], strict=True)
    )
    assert correct < 0.1 * len(written)


def test_lengths_and_phenomena_resemble_released_texts(cases: list[tuple[Case, Text | None]]) -> None:
    texts = [text for _, text in cases if text is not None]
    assert 12 < sum(len(text.string.split()) for text in texts) / len(texts) < 17
    assert len({text.string for text in texts}) == len(texts)

    def rate(phenomenon: str) -> float:
        return sum(any(annotation.phenomenon == phenomenon for annotation in text.annotations) for text in texts) / len(
            texts
        )

    # Table 4 counts both texts of a task together; these are of single ones.
    assert 0.1 < rate("egocentric") < 0.32 and rate("allocentric") > 0.8 and rate("temporal condition") < 0.06
    assert 0.35 < rate("direction") < 0.65 and 0.2 < rate("sequencing") < 0.55
    assert 0.1 < rate("3-D understanding") < 0.35


def test_annotations_cover_their_words(cases: list[tuple[Case, Text | None]]) -> None:
    words = {"direction": ("left", "right"), "egocentric": ("you", "ahead"), "3-D understanding": ("behind", "front")}
    for _, text in cases:
        for annotation in text.annotations if text is not None else ():
            assert text is not None and 0 <= annotation.begin < annotation.end <= len(text.string)
            marked = text.string[annotation.begin : annotation.end].lower()
            assert annotation.phenomenon not in words or any(word in marked for word in words[annotation.phenomenon]), (
                annotation,
                text.string,
            )


def test_same_seed_gives_same_text() -> None:
    for room_items, item, cell in random_cases(Random(5), 4):
        texts = [write_placement(room_items, item, cell, placement_writer("1")) for _ in range(2)]
        assert texts[0] == texts[1]


def test_empty_room_describes_only_cells_relative_to_the_agent() -> None:
    text = write_placement((), "Dotted Red Mug", (2, 1, 1), placement_writer("0"))
    assert text is not None and find_cell(text.string, (), "Dotted Red Mug") == (2, 1, 1)
    assert write_placement((), "Dotted Red Mug", (3, 1, 2), placement_writer("0")) is None


@pytest.mark.parametrize("cell", [(5, 1, 0), (0, 2, 0), (1, 1, 1), (1, 5, 1)])
def test_invalid_cells_raise(cell: Cell) -> None:
    room = [RoomItem("Dotted Red Book", (1, height, 1)) for height in range(1, 5)]
    with pytest.raises(InputError, match="cell"):
        write_placement(room, "Dotted Red Mug", cell, placement_writer("0"))


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 2**32))
def test_text_of_any_room_leads_to_its_cell(seed: int) -> None:
    random = Random(seed)
    for room_items, item, cell in random_cases(random, 1):
        text = write_placement(room_items, item, cell, placement_writer(str(seed)))
        assert text is None or (
            find_cell(text.string, room_items, item) == cell and not find_problems(text.string, "assembly")
        )


def test_templates_match_their_variants() -> None:
    """Every variant of a template matches its own pattern."""
    random = Random(2)
    for template in (TURN, TURN_TO, PLACE):
        for _ in range(8):
            clause = template.render(random, side="left", wall_thing="@1", thing="@0").string
            normal = "".join(f"{token} " for token in clause.replace(",", " ,").split())
            assert template.regex.fullmatch(normal.lower()), clause


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("Place on top of striped red book", (1, 2, 1)),
        ("place the mug against the brick and wooden walls.", (4, 1, 3)),
        ("Place the mug touching both the brick wall and the wooden wall", (4, 1, 3)),
        ("Turn right facing the wooden wall. Place the mug down directly in front of you.", (3, 1, 0)),
        ("Drop the mug on the floor immediately behind the striped red book.", (1, 1, 2)),
        ("Facing brick wall place to the right of striped red book.", (2, 1, 1)),
    ],
)
def test_wordings_of_released_texts_are_read(text: str, cell: Cell) -> None:
    assert find_cell(text, [RoomItem("Striped Red Book", (1, 1, 1))], "Dotted Blue Mug") == cell


def test_one_writer_keeps_capitals_and_full_stops() -> None:
    agreeing = written = 0
    for seed in range(40):
        writer = placement_writer(f"person {seed}")
        texts = [write_placement(*case, writer) for case in random_cases(Random(seed), 2)]
        strings = [text.string for text in texts if text is not None]
        if len(strings) == 2:
            written += 1
            agreeing += len({(string[0].islower(), string[-1] == ".") for string in strings}) == 1
    assert agreeing >= 0.8 * written > 20

"""Letters of five by seven dots, and texts as the rows that kernels read."""

from __future__ import annotations

import numpy as np

from bearleft.world.render.font import FONT, GLYPHS, MAX_LETTERS, NUMBER, encode_texts


def glyph_rows(number: int) -> list[str]:
    """Decode the rows of a glyph from its bits."""
    bits = int(FONT[number])
    return ["".join("#" if bits >> (5 * row + column) & 1 else "." for column in range(5)) for row in range(7)]


def test_every_glyph_is_five_by_seven() -> None:
    assert len(FONT) == len(GLYPHS) and FONT.dtype == np.int64
    for number, (letter, rows) in enumerate(GLYPHS.items()):
        lines = rows.split()
        assert len(lines) == 7 and all(len(line) == 5 and set(line) <= {"#", "."} for line in lines), letter
        assert glyph_rows(number) == lines, letter
        assert (FONT[number] == 0) == (letter == " ")
    assert (FONT < 1 << 35).all()


def test_no_two_letters_look_alike() -> None:
    assert len(set(FONT.tolist())) == len(FONT)
    assert {*"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 &'-.!$+"} == set(GLYPHS)


def test_texts_are_encoded_as_rows_of_glyph_numbers() -> None:
    encoded = encode_texts(["L7", "café", "", "X" * (MAX_LETTERS + 5)])
    assert encoded.shape == (4, MAX_LETTERS + 1) and encoded.dtype == np.uint8
    assert encoded[0, 0] == 2 and encoded[0, 1:3].tolist() == [NUMBER["L"], NUMBER["7"]] and not encoded[0, 3:].any()
    # Letters are encoded as capitals; a character without a glyph becomes a blank, number 0.
    assert encoded[1, :5].tolist() == [4, NUMBER["C"], NUMBER["A"], NUMBER["F"], NUMBER[" "]]
    assert NUMBER[" "] == 0
    assert not encoded[2].any()
    assert encoded[3, 0] == MAX_LETTERS and (encoded[3, 1:] == NUMBER["X"]).all()


def test_no_texts_give_one_empty_row() -> None:
    encoded = encode_texts([])
    assert encoded.shape == (1, MAX_LETTERS + 1) and not encoded.any()

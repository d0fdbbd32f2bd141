from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.language.instructions.parse import parse_frames
from tests.sizes import sized


def parsed_fields(text: str) -> list[tuple[str, int, int, int, str]]:
    return [
        (frame.name, frame.side, frame.nth, frame.count, frame.thing.words if frame.thing else "")
        for frame in parse_frames(text)
    ]


STORE, SIGN = "the store with the red door", "a sign with white letters"


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        (
            "Turn so that the red awning is on your left. Go straight through the next two lights and turn right.",
            [("side", -1, 0, 0, "the red awning"), ("through", 0, 0, 2, ""), ("turn", 1, 0, 0, "")],
        ),
        (
            "Go with the flow of traffic to the second intersection, then take a left.",
            [("flow", 0, 0, 0, ""), ("turn", -1, 2, 0, "")],
        ),
        (
            "Follow traffic through the light. Stop by the store with the red door on your left.",
            [("flow", 0, 0, 0, ""), ("through", 0, 0, 0, ""), ("stop beside", -1, 0, 0, STORE)],
        ),
        (
            "Turn left, with the red awning on your left. Stop at a sign with white letters on it on your left.",
            [("turn", -1, 0, 0, ""), ("side", -1, 0, 0, "the red awning"), ("stop beside", -1, 0, 0, SIGN)],
        ),
        (
            "At the next stop light, turn left. Stop when you're next to the blue mailbox on your right.",
            [("turn", -1, 1, 0, ""), ("stop beside", 1, 0, 0, "the blue mailbox")],
        ),
        (
            "You'll see a mailbox near a bench on your right. Stop next to it.",
            [("verify", 1, 0, 0, "a mailbox"), ("stop beside", 0, 0, 0, "it")],
        ),
        (
            "Pass two fire hydrants on your left, then turn right at the corner with the subway entrance.",
            [("pass", -1, 0, 0, "two fire hydrants"), ("turn", 1, 0, 0, "the subway entrance")],
        ),
        (
            "Take the second left and go halfway down the block and stop.",
            [("turning", -1, 2, 0, ""), ("stop halfway", 0, 0, 0, "")],
        ),
        ("Make a slight right at the first intersection.", [("slight", 1, 1, 0, "")]),
        ("Walk forward three steps and stop.", [("stop steps", 0, 0, 3, "")]),
        ("Face away from the nearest intersection.", [("leaving crossing", 0, 0, 0, "")]),
        ("Stop just before the second light.", [("stop before crossing", 0, 2, 0, "")]),
        ("Stop right before you get to the crosswalk.", [("stop before crossing", 0, 0, 0, "")]),
        (
            "Go to the end of the block and make another left. There is a row of blue bikes on your right.",
            [("turn", -1, 0, 0, ""), ("verify", 1, 0, 0, "a row of blue bikes")],
        ),
        (
            "When the road ends, turn right again. There are parked cars on both sides of the street.",
            [("turn", 1, 0, 0, ""), ("chat", 0, 0, 0, "")],
        ),
        (
            "Look to your left and you will see several trees. Continue until you see a red door on your right.",
            [("verify", -1, 0, 0, "several trees"), ("until", 1, 0, 0, "a red door")],
        ),
        ("Turn left at next light.", [("turn", -1, 1, 0, "")]),
    ],
)
def test_texts_are_parsed_into_frames(text: str, frames: list[tuple[str, int, int, int, str]]) -> None:
    assert parsed_fields(text) == frames


def test_typos_and_extra_words_are_ignored() -> None:
    clean = (
        "Turn left at the next intersection. Pass the red awning on your right. Stop beside the mailbox on your left."
    )
    noisy = (
        "ok so trun left at the next intersecton, pretty easy!! pass the red awnning on your right ... "
        "Stop beside the mailbox on your left :)"
    )
    assert parsed_fields(noisy) == parsed_fields(clean)


def test_stop_light_is_not_a_stop() -> None:
    assert [frame.name for frame in parse_frames("There is one more stop light there. Keep going.")].count("stop") == 0


@given(st.text(max_size=200))
@settings(deadline=None, max_examples=sized(12, 50))
def test_any_text_can_be_parsed(text: str) -> None:
    assert isinstance(parse_frames(text), list)

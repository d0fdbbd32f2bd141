"""The rules of texts: each with examples that break it, and examples that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearleft import load
from bearleft.errors import InputError
from bearleft.web.tasks.touchdown.rules import (
    ERROR,
    MAX_CHARACTERS,
    WARNING,
    check_text,
    clean_text,
    errors,
    is_copy,
    mentions_bear,
    parse_text,
    similarity,
    unconfirmed,
)

NAMES = ("Spring St", "4 Av", "E 1 St", "Hudson St", "Broadway", "Station St")
GOOD = (
    "Turn so that the brick building is on your left and walk ahead to the second crossing. "
    "Turn right there and stop at the two benches. Touchdown is on top of the blue mailbox."
)


def rules_of(text: str, severity: str, whole: bool = False) -> set[str]:
    """The rules that a sentence breaks, within a text that is fine otherwise; or those of a whole text."""
    full = text if whole else f"{GOOD} {text}"
    return {finding.rule for finding in check_text(full, NAMES) if finding.severity == severity}


def test_a_good_text_has_no_remark() -> None:
    assert check_text(GOOD, NAMES) == []


@pytest.mark.parametrize(
    ("sentence", "rule"),
    [
        ("Pass number 12.", "numbers"),
        ("Pass number twelve.", "numbers"),
        ("Stop at house 7.", "numbers"),
        ("Stop at building #4.", "numbers"),
        ("Follow route 9 for a while.", "numbers"),
        ("Take the bus 4 stop.", "numbers"),
        ("Pass the door with 1207 on it.", "numbers"),
        ("You are at c000192 now.", "numbers"),
        ("The pizza costs $2 there.", "numbers"),
        ("There is a 50% board.", "numbers"),
        ("Open until 10:30 there.", "numbers"),
        ("Walk to 42nd street.", "numbers"),
        ("Walk to 2nd Avenue.", "numbers"),
        ("Walk to 8 Av and stop.", "numbers"),
        ('The sign with "Bakery" is on your left.', "lettering"),
        ("The sign with “open” is on your left.", "lettering"),
        ("The sign with 'fresh fish' is on your left.", "lettering"),
        ("Pass the PIZZA awning.", "lettering"),
        ("Pass the ANNA'S awning.", "lettering"),
        ("Pass the sign that says open.", "lettering"),
        ("The sign reads open late.", "lettering"),
        ("The awning saying bakery is yours.", "lettering"),
        ("The store is called bakery.", "lettering"),
        ("It is labelled deli.", "lettering"),
        ("Turn left on Lenox Avenue.", "street"),
        ("Lenox Avenue is on your left.", "street"),
        ("Turn left on Lincoln street.", "street"),
        ("Turn left on Second Avenue.", "street"),
        ("Walk along hudson st for a bit.", "street"),
        ("Walk along spring street for a bit.", "street"),
        ("Walk along Hudson for a bit.", "street"),
        ("Walk up Broadway.", "street"),
        ("The bear is on the white van.", "moving"),
        ("Touchdown sits on top of a parked car.", "moving"),
        ("Touchdown is on the roof of the yellow taxi.", "moving"),
        ("The bear is in the hands of the woman in red.", "moving"),
        ("The bear is on the left shoulder of a man.", "moving"),
        ("The bear is inside the bus.", "moving"),
        ("Touchdown rides on the seat of the blue bike.", "moving"),
        ("You will see the bear. It's on the dog.", "moving"),
    ],
)
def test_breaches_are_errors(sentence: str, rule: str) -> None:
    found = [finding for finding in check_text(f"{GOOD} {sentence}", NAMES) if finding.severity == ERROR]
    assert [finding.rule for finding in found] == [rule]
    assert len(GOOD) < found[0].begin < found[0].end
    quoted = f"{GOOD} {sentence}"[found[0].begin : found[0].end].strip("“”\"'")
    assert quoted in found[0].message


@pytest.mark.parametrize(
    ("sentence", "rule"),
    [
        ("There are 3 benches.", "count"),
        ("Take the 2nd street on the left.", "count"),
        ("Pass a shop called something.", "wording"),
        ("Look for the letter s, then the letters a and b.", "wording"),
        ("Pass the Starbucks shop.", "name"),
        ("The bear sits next to a parked car.", "moving-beside"),
        ("The bear is behind the tall man.", "moving-beside"),
    ],
)
def test_doubtful_sentences_are_warnings(sentence: str, rule: str) -> None:
    assert rules_of(sentence, WARNING) == {rule}
    assert not rules_of(sentence, ERROR)


@pytest.mark.parametrize(
    "sentence",
    [
        "Turn so that the flow of traffic is with you, with a white van on your right.",
        "There is a T-intersection; make a U-turn. GO LEFT, do NOT go right.",
        "Take the second street on the left, then the first one on the right.",
        "Cross street after street.",
        "The bear is on the bus stop, in the middle of the bike rack.",
        "It is a 3-way crossing, at 2 o'clock.",
        "1. Walk ahead.\n2. Turn right.",
        "Don't stop at the shops' awnings or the dogs' bench.",
        "Follow the bike lane until it's at its end.",
        "There is a stop sign and a one way sign. Touchdown is on the lower half of it.",
        "The bear is on the wall that faces the parking lot.",
        "Walk past an American flag to the north. I'll wait there.",
        "A spring day: the station is on your left.",
    ],
)
def test_what_is_allowed_has_no_remark(sentence: str) -> None:
    assert check_text(f"{GOOD} {sentence}", NAMES) == []


def test_a_short_text_is_an_error() -> None:
    assert rules_of("Touchdown is on the bench.", ERROR, whole=True) == {"length"}


@pytest.mark.parametrize("name", ["Touchdown", "the bear", "a teddy bear", "touch down", "Bear"])
def test_the_bear_has_many_names(name: str) -> None:
    assert mentions_bear(f"You will find {name} there.")


@pytest.mark.parametrize("text", ["Bear left at the crossing.", "Then bear to the right.", "Mind the bearings."])
def test_an_order_is_no_bear(text: str) -> None:
    assert not mentions_bear(text)
    assert "bear" in rules_of(f"{text} " + "Walk ahead and look around. " * 5, ERROR, whole=True)


def test_shouting_is_one_error() -> None:
    assert rules_of(GOOD.upper(), ERROR, whole=True) == {"capitals"}


def test_warnings_are_asked_until_they_are_confirmed() -> None:
    findings = check_text(f"{GOOD} There are 3 benches at the Starbucks.", NAMES)
    assert {finding.rule for finding in unconfirmed(findings, [])} == {"count", "name"}
    assert {finding.rule for finding in unconfirmed(findings, ["count"])} == {"name"}
    assert not unconfirmed(findings, ["count", "name"])


def test_confirmation_does_not_help_against_errors() -> None:
    findings = check_text(f"{GOOD} Walk up Broadway.", NAMES)
    assert [finding.rule for finding in errors(findings)] == ["street"]


def test_copies_are_found() -> None:
    assert is_copy(GOOD, [GOOD.replace("blue", "green")])
    assert is_copy(GOOD.upper(), ["Something else altogether.", GOOD])
    other = "Walk past the park with the fountain, cross the bridge and look up. The bear is on the balcony there."
    assert not is_copy(GOOD, [other])
    assert similarity(GOOD, GOOD) == 1.0


@pytest.mark.parametrize("text", ["a\0b", "\x1b[31m", "a\x7f", "x" * (MAX_CHARACTERS + 1), 12, None, "\ud800"])
def test_texts_that_cannot_be_stored_are_refused(text: object) -> None:
    with pytest.raises(InputError, match="a text"):
        parse_text(text)


@given(st.text(max_size=400))
def test_any_text_can_be_checked(text: str) -> None:
    for finding in check_text(text, NAMES):
        assert 0 <= finding.begin <= finding.end <= len(text)
        assert finding.message
    assert clean_text(text) == clean_text(clean_text(text))


WORDS = (
    "the",
    "bear",
    "on",
    "a",
    "car",
    "12",
    "'A'",
    '"b"',
    "SIGN",
    "St.",
    "Spring",
    "is",
    ",",
    "next",
    "to",
    "of",
    "says",
)


@given(st.lists(st.sampled_from(WORDS), max_size=80))
def test_any_words_can_be_checked(words: list[str]) -> None:
    text = " ".join(words)
    assert all(0 <= finding.begin <= finding.end <= len(text) for finding in check_text(text, NAMES))


def test_our_own_generated_texts_hold_the_rules() -> None:
    for episode in load("city/touchdown-complete/small"):
        assert not errors(check_text(episode.extra["full_text"], NAMES))

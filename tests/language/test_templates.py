from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Mark, Mention, Text
from bearleft.language.templates import PHENOMENA, Template, once

words = st.sampled_from(["turn", "go on", "take a", "slowly ,", "then", "you're", "t-shirt"])
plain = st.recursive(
    words,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(" ".join),
        st.lists(st.one_of(inner, st.just("")), min_size=1, max_size=3).map(lambda rows: f"[{'|'.join(rows)}]"),
        st.tuples(st.sampled_from(sorted(PHENOMENA)), inner).map(lambda two: f"<{two[0]}:{two[1]}>"),
    ),
    max_leaves=12,
)


def normalised(string: str) -> str:
    return "".join(f"{token} " for token in tokens(string))


@settings(deadline=None, max_examples=200)
@given(plain, st.integers(0, 10**6))
def test_what_a_template_says_it_reads(source: str, seed: int) -> None:
    template = Template(f"{source} at the {{nth}} corner {{side}} of {{thing}}")
    said = template.say(Random(seed), nth="second", side="left", thing=Text("@7").naming(3))
    # A tokeniser splits "@7" into two; the reader is given what `chunk` makes of noun phrases.
    found = template.reader.fullmatch(normalised(said.string).replace("@ 7 ", "@7 "))
    assert found is not None
    assert (found["nth"], found["side"], found["thing"]) == ("second ", "left ", "@7 ")
    assert "  " not in said.string and said.string == said.string.strip()
    for mark in said.marks:
        assert 0 <= mark.begin < mark.end <= len(said.string)
    (mention,) = said.mentions
    assert said.string[mention.begin : mention.end] == "@7"


def test_marks_cover_what_they_mark() -> None:
    said = Template("[ |] <t:when you see {thing} >, <i:turn <d:{side}>> .").say(Random(2), thing="it", side="left")
    assert said.string == "when you see it, turn left."
    shown = {(mark.what, said.string[mark.begin : mark.end].strip()) for mark in said.marks}
    assert shown == {
        ("temporal condition", "when you see it"),
        ("imperative", "turn left"),
        ("direction", "left"),
    }


def test_a_slot_twice_has_two_groups() -> None:
    found = Template("{thing} or {thing}").reader.fullmatch("@1 or @2 ")
    assert found is not None and (found["thing"], found["thing_2"]) == ("@1 ", "@2 ")


@pytest.mark.parametrize("source", ["[a", "a]", "<i:a", "a>", "<z:a>", "{a", "[a|b>", "a|b"])
def test_a_broken_template_is_refused(source: str) -> None:
    with pytest.raises(InputError):
        Template(source)


def test_texts_join_with_their_marks() -> None:
    one, two = Text("a bench").naming(4), Text("stop").marked("imperative")
    whole = Text.join([one, Text(""), two], ". ")
    assert whole == Text("a bench. stop", (Mark("imperative", 9, 13),), (Mention(4, 0, 7),))
    assert whole.capital().string == "A bench. stop"
    assert whole.to_json() == {"marks": [["imperative", 9, 13]], "mentions": [[4, 0, 7]]}


def test_no_mark_begins_or_ends_with_a_space() -> None:
    said = Template("<a: next to {thing} ><i: >").say(Random(1), thing="it")
    assert said == Text("next to it", (Mark("allocentric", 0, 10),))


def test_a_word_is_not_said_twice_in_a_row() -> None:
    rows = iter(["of you you'll see", "of you, you'll see"])
    assert once(lambda: Text(next(rows))).string == "of you, you'll see"

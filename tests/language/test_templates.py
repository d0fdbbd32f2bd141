from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.language.analysis.tokens import tokens
from bearleft.language.annotated_text import Annotation, Mention, Text
from bearleft.language.templates import PHENOMENA, Template, normalize_spaces, render_ranked
from bearleft.language.writer_random import WriterRandom
from tests.sizes import sized

words = st.sampled_from(["turn", "go on", "take a", "slowly ,", "then", "you're", "t-shirt"])
plain = st.recursive(
    words,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(" ".join),
        st.lists(st.one_of(inner, st.just("")), min_size=1, max_size=3).map(lambda rows: f"[{'|'.join(rows)}]"),
        st.tuples(st.sampled_from(sorted(PHENOMENA)), inner).map(lambda command: f"<{command[0]}:{command[1]}>"),
    ),
    max_leaves=12,
)


def normalised(string: str) -> str:
    return "".join(f"{token} " for token in tokens(string))


@settings(deadline=None, max_examples=sized(50, 200))
@given(plain, st.integers(0, 10**6))
def test_template_matches_what_it_renders(source: str, seed: int) -> None:
    template = Template(f"{source} at the {{nth}} corner {{side}} of {{thing}}")
    text = template.render(Random(seed), nth="second", side="left", thing=Text("@7").with_mentions(3))
    # The tokenizer splits "@7" into two; parsers get the noun phrases of `chunk` instead.
    match = template.regex.fullmatch(normalised(text.string).replace("@ 7 ", "@7 "))
    assert match is not None
    assert (match["nth"], match["side"], match["thing"]) == ("second ", "left ", "@7 ")
    assert "  " not in text.string and text.string == text.string.strip()
    for annotation in text.annotations:
        assert 0 <= annotation.begin < annotation.end <= len(text.string)
    (mention,) = text.mentions
    assert text.string[mention.begin : mention.end] == "@7"


def test_annotations_cover_their_words() -> None:
    text = Template("[ |] <t:when you see {thing} >, <i:turn <d:{side}>> .").render(Random(2), thing="it", side="left")
    assert text.string == "when you see it, turn left."
    annotated = {
        (annotation.phenomenon, text.string[annotation.begin : annotation.end].strip())
        for annotation in text.annotations
    }
    assert annotated == {
        ("temporal condition", "when you see it"),
        ("imperative", "turn left"),
        ("direction", "left"),
    }


def test_repeated_slot_has_a_numbered_group() -> None:
    match = Template("{thing} or {thing}").regex.fullmatch("@1 or @2 ")
    assert match is not None and (match["thing"], match["thing_2"]) == ("@1 ", "@2 ")


@pytest.mark.parametrize("source", ["[a", "a]", "<i:a", "a>", "<z:a>", "{a", "[a|b>", "a|b"])
def test_invalid_template_raises(source: str) -> None:
    with pytest.raises(InputError):
        Template(source)


def test_joined_texts_keep_their_annotations() -> None:
    mention, command = Text("a bench").with_mentions(4), Text("stop").with_annotations("imperative")
    joined = Text.join([mention, Text(""), command], ". ")
    assert joined == Text("a bench. stop", (Annotation("imperative", 9, 13),), (Mention(4, 0, 7),))
    assert joined.capitalized().string == "A bench. stop"
    assert joined.to_json() == {"annotations": [["imperative", 9, 13]], "mentions": [[4, 0, 7]]}


def test_annotations_have_no_outer_spaces() -> None:
    text = Template("<a: next to {thing} ><i: >").render(Random(1), thing="it")
    assert text == Text("next to it", (Annotation("allocentric", 0, 10),))


def test_repeated_words_are_avoided() -> None:
    rows = iter(["of you you'll see", "of you, you'll see"])
    assert render_ranked(WriterRandom("1"), lambda: Text(next(rows))).string == "of you, you'll see"


@pytest.mark.parametrize(
    ("string", "expected"),
    [("  a   b ", "a b"), ("a  , b .", "a, b."), ("a )", "a)"), ("   ", ""), ("a b", "a b"), (" .", ".")],
)
def test_needless_spaces_are_removed(string: str, expected: str) -> None:
    assert normalize_spaces(Text(string)).string == expected


def test_annotations_move_with_removed_spaces() -> None:
    text = normalize_spaces(Text("  go  left .", (Annotation("direction", 4, 10),), (Mention(7, 6, 10),)))
    assert text == Text("go left.", (Annotation("direction", 3, 7),), (Mention(7, 3, 7),))

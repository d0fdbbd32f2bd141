"""The index of templates leaves out no template that matches."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.language.arramon_navigation import parse as arramon
from bearleft.language.referring import parse as referring
from bearleft.language.referring.templates import PIECES
from bearleft.language.template_index import TemplateIndex, first_words, needed_words
from bearleft.language.templates import Template
from tests.language.test_templates import normalised
from tests.sizes import sized

# Few words, so that many strings match.
leaves = st.sampled_from(["a", "b", "c a", "{thing}", "{nth}", "{side}", "{words}", "{a_thing}"])
sources = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(" ".join),
        st.lists(st.one_of(inner, st.just("")), min_size=1, max_size=3).map(lambda rows: f"[{'|'.join(rows)}]"),
        inner.map(lambda words: f"<i:{words}>"),
    ),
    max_leaves=6,
)
strings = st.lists(st.sampled_from(["a", "b", "c", "@3", "second", "left", "."]), min_size=1, max_size=8)


@settings(deadline=None, max_examples=sized(75, 300))
@given(st.lists(sources, min_size=1, max_size=8), strings)
def test_candidates_are_in_order_and_hold_every_match(made: list[str], words: list[str]) -> None:
    templates = [Template(source) for source in made]
    index = TemplateIndex(zip(templates, range(len(templates)), strict=True))
    string = "".join(f"{word} " for word in words)
    position = 0
    for word in words:
        found = list(index.candidates(string, position))
        matches = [template.regex.match(string, position) for template in templates]
        assert found == sorted(set(found))
        assert set(found) >= {k for k, match in enumerate(matches) if match and match.end() > position}
        position += len(word) + 1


def test_words_of_a_template() -> None:
    template = Template("[now|please|] <i:[turn|go]> {side} [at {thing}|onto [a|the] street|] [slowly|with care]")
    assert first_words(template) == frozenset(("now", "please", "turn", "go"))
    needed = [{"turn", "go"}, {"left", "right"}, {"slowly", "with"}]
    assert [set(words) for words in needed_words(template)] == needed
    index = TemplateIndex([(template, "it")])
    for string, candidates in (
        ("turn left slowly ", ["it"]),
        ("left turn slowly ", []),
        ("turn left ", []),
        ("please turn around ", []),
        ("", []),
    ):
        assert list(index.candidates(string, 0)) == candidates
    assert first_words(Template("[the|] {words} here")) is None and needed_words(Template("[a|]")) == ()


def test_pieces_that_are_read_are_candidates() -> None:
    rng = Random(0)
    for piece in PIECES:
        for _ in range(4):
            fillers = {slot: "two" if slot.endswith("count") else "second" for slot in piece.template.slots}
            fillers |= {slot: "left" for slot in fillers if slot.endswith("side")}
            string = normalised(piece.template.render(rng, **fillers).string)
            if piece.template.regex.match(string):
                assert piece in referring._piece_index().candidates(string, 0)


def test_few_patterns_of_arramon_are_compiled_for_a_sentence() -> None:
    index = arramon._clause_index()
    found = list(index.candidates("turn left and walk to @0 . ", 0))
    assert 0 < len(found) < 40
    assert {name for name, _ in found} >= {"turn"}

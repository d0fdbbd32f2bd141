"""Attributes of objects: what is said of parts, colours, shapes and poses is what the models show."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bearleft.language.lexicon.adjectives import ADJECTIVES, POSES
from bearleft.language.lexicon.attributes import (
    adjective_mask,
    colour_pair,
    feature_table,
    part_mask,
    parts_of,
    said_colour,
    sayable_parts,
    spoken_forms,
)
from bearleft.language.lexicon.lexicon import STREET_KINDS, colour_words, kind_mask, names_of, variants_of
from bearleft.language.lexicon.object_colours import main_colour
from bearleft.language.lexicon.part_words import CLOTHES, PART_WEIGHTS
from bearleft.language.noun_phrases import (
    Feature,
    Look,
    NounHabits,
    Phrase,
    choose_attributes,
    chunk,
    head_words,
    match,
    noun_phrase,
)
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.shapes import FIRST
from bearleft.world.render.codes import Material
from tests.sizes import sized

Ints = npt.NDArray[np.int64]
TALKATIVE = NounHabits(pair=0.6, adjective=0.6, part=0.9, clothes=0.7, pose=0.4, relative=0.5)
RED, WHITE, BLUE, BLACK = (palette.colour_index(name) for name in ("red", "white", "blue", "black"))


@dataclass(frozen=True)
class Columns:
    """Objects of all classes and variants, in several paints."""

    kind: Ints
    variant: Ints
    colour: Ints
    first: Ints
    second: Ints
    lettering: Ints

    def __len__(self) -> int:
        return len(self.kind)


def all_looks(seed: int = 0, paints: int = 2) -> list[Look]:
    random = Random(seed)
    return [
        Look(
            kind,
            variant,
            palette.colour_index(random.choice(object_class.colours)),
            palette.colour_index(random.choice(object_class.second_colours)),
        )
        for kind, object_class in enumerate(CLASSES)
        for variant in range(variants_of(kind))
        for _ in range(paints)
    ]


def columns(looks: list[Look]) -> Columns:
    kind, variant, first, second = (np.array(column, np.int64) for column in zip(*looks, strict=True))
    colour = np.array([main_colour(*look) for look in looks], np.int64)
    return Columns(kind, variant, colour, first, second, np.full(len(looks), -1, np.int64))


LOOKS = all_looks()


@cache
def objects() -> Columns:
    """Return the columns of LOOKS, whose colours take a second to find: not when tests are collected."""
    return columns(LOOKS)


@given(seed=st.integers(0, 10**6))
@example(229)  # "a tall light pink reading lamp": a light, or light pink
@example(56)  # "the plain white ceiling bulb": plain white, or plain and cream
@settings(deadline=None, max_examples=sized(15, 60))
def test_phrases_with_attributes_are_parsed_back_and_fit_their_objects(seed: int) -> None:
    random = Random(seed)
    for row in random.sample(range(len(LOOKS)), 20):
        look = LOOKS[row]
        indoors = CLASSES[look.kind].name not in STREET_KINDS
        name = random.choice(names_of(look.kind, look.variant, indoors))
        main = int(objects().colour[row])
        colour = random.choice(colour_words(palette.COLOUR_NAMES[main])) if main >= 0 and random.random() < 0.5 else ""
        colour, attributes = choose_attributes(random, look, name, colour, False, TALKATIVE)
        text, phrase = noun_phrase(name, 7, random.choice(("a", "the")), colour, 0, attributes)
        fits = match(phrase, objects())
        assert fits[row], text.string
        normal, (parsed,) = chunk(text.string, indoors=indoors)
        assert normal == "@0 ", text.string
        # A parsed noun may be ambiguous and denote more, never less.
        parsed_fits = match(parsed, objects())
        assert parsed_fits[row] and parsed_fits[fits].all(), text.string
        assert set(parsed.features) == set(phrase.features), text.string
        assert len(set(text.string.split(" and ")[0].split()[1:3])) == len(text.string.split(" and ")[0].split()[1:3])


def solids_with(kind: int, variant: int, word: str) -> set[tuple[str, str | int]]:
    """Slow twin: parts and colours of the solids that a part word names, straight from the model."""
    found: set[tuple[str, str | int]] = set()
    for solid in CLASSES[kind].models[variant]:
        if solid.material == Material.TEXT and word in spoken_forms(kind, "letters"):
            found.add(("letters", solid.second))
        if solid.part not in ("", "letters") and word in spoken_forms(kind, solid.part):
            found.add((solid.part, solid.colour))
            if solid.material in (Material.STRIPES, Material.BANDS, Material.DIAGONAL, Material.CHECKS):
                found.add((solid.part, solid.second))
    return found


@pytest.mark.parametrize("word", ["letters", "roof", "stripe", "legs", "umbrella", "shirt", "top", "lid", "flowers"])
@pytest.mark.parametrize("colour", ["white", "red", "black", "blue"])
def test_features_match_the_solids_of_the_models(word: str, colour: str) -> None:
    everything = np.ones((len(CLASSES), feature_table(word).shape[1]), bool)
    index = palette.colour_index(colour)
    fits = match(Phrase("", everything, features=(Feature(word, frozenset((index,))),)), objects())
    for row, look in enumerate(LOOKS):
        paints = {0: palette.COLOUR_NAMES[look.first], 1: palette.COLOUR_NAMES[look.second]}
        solids = solids_with(look.kind, look.variant, word) if CLASSES[look.kind].models else set()
        colours = {paints[shown] if isinstance(shown, int) else shown for _, shown in solids}
        assert fits[row] == (colour in colours), (CLASSES[look.kind].name, look.variant)
        assert part_mask(word)[look.kind, look.variant] == bool(solids)


def test_what_is_said_of_parts_is_visible() -> None:
    for look in LOOKS:
        visible = {part: dict(shares) for part, _, shares in parts_of(look.kind, look.variant)}
        for said in sayable_parts(look.kind, look.variant):
            parts = [part for part in visible if part and said.word in spoken_forms(look.kind, part)]
            assert parts
            assert max(sum(visible[part].values()) for part in parts) >= 0.012
            if said.code >= 0:
                assert any(said.code in visible[part] for part in parts)


def test_colour_pairs_are_two_distinct_colours_of_the_object() -> None:
    pairs = {CLASSES[look.kind].name: colour_pair(*look) for look in LOOKS if colour_pair(*look)}
    assert {"awning", "barrier", "steam stack", "flag"} & set(pairs)
    for look in LOOKS:
        pair = colour_pair(*look)
        if pair is not None:
            words = [colour_words(palette.COLOUR_NAMES[index]) for index in pair]
            assert words[0] and words[1] and not set(words[0]) & set(words[1])
    awning = class_index("awning")
    assert colour_pair(awning, 1, RED, WHITE) in ((RED, WHITE), (WHITE, RED))
    assert colour_pair(awning, 1, RED, RED) is None
    assert colour_pair(class_index("car"), 0, RED, WHITE) is None


@pytest.mark.parametrize(
    ("words", "fitting", "other"),
    [
        ("the sign with white letters", Look(class_index("lettered sign"), 3, RED, WHITE), (RED, BLUE)),
        ("a red and white striped awning", Look(class_index("awning"), 1, RED, WHITE), (BLUE, WHITE)),
        ("a black-and-white awning", Look(class_index("awning"), 1, BLACK, WHITE), (RED, WHITE)),
        ("the man in a blue shirt walking", Look(class_index("person"), 0, BLUE, BLACK), (RED, BLACK)),
        ("a person wearing a red coat", Look(class_index("person"), 7, RED, BLACK), (BLUE, BLACK)),
        ("the mailbox that is blue", Look(class_index("mailbox"), 0, BLUE, WHITE), (RED, WHITE)),
        ("a hydrant that has a white top", Look(class_index("fire hydrant"), 0, RED, WHITE), (RED, BLACK)),
    ],
)
def test_attributes_single_out_objects(words: str, fitting: Look, other: tuple[int, int]) -> None:
    text, (phrase,) = chunk(f"near {words} on the left")
    assert text == "near @0 on the left "
    assert match(phrase, columns([fitting, Look(fitting.kind, fitting.variant, *other)])).tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "chunked"),
    [
        ("start with the awning on your left", "start with @0 on your left "),
        ("go past the bench with the awning on your left", "go past @0 with @1 on your left "),
        ("a mailbox with a sign above it", "@0 with @1 above it "),
        ("the chair in front of you", "@0 in front of you "),
        ("a bench with nothing on it", "@0 with nothing on @1 "),
        ("make sure that the store is red", "make sure that @0 is red "),
        ("the tree that is next to a bench", "@0 that is next to @1 "),
    ],
)
def test_clauses_after_a_noun_are_no_attributes(text: str, chunked: str) -> None:
    normal, phrases = chunk(text, indoors="chair" in text)
    assert normal == chunked.replace("above it", f"above @{len(phrases) - 1}")


def test_unknown_attributes_are_skipped() -> None:
    text, (bench,) = chunk("a bench with seventeen purple elephants")
    assert text == "@0 with seventeen purple elephants " and bench.features == ()


def test_adjectives_narrow_what_a_phrase_denotes() -> None:
    for adjective in (*ADJECTIVES, *POSES):
        assert kind_mask(adjective.said).any()
        mask = adjective_mask(adjective.word)
        assert (mask is not None) == adjective.narrows
        assert mask is None or (mask | ~kind_mask(adjective.said)).all()
    _, (round_sign, sign) = chunk("the circular traffic sign, the sign")
    assert round_sign.table is not None and sign.table is not None
    assert (sign.table | ~round_sign.table).all()
    _, (wooden, metal) = chunk("a wooden bench, a metal bench")
    bench = class_index("bench")
    assert wooden.table is not None and metal.table is not None
    assert wooden.table[bench, 0] and not wooden.table[bench, 1] and metal.table[bench, 2]


def test_head_words_end_with_the_noun() -> None:
    assert head_words("a red sign with white letters") == "a red sign"
    assert head_words("the man in a blue shirt") == "the man"
    assert head_words("the older seated person sitting") == "the older seated person"
    assert head_words("a tall standing lamp with a red cap") == "a tall standing lamp"
    assert head_words("an awning that is red") == "an awning"
    assert head_words("two fire hydrants") == "two fire hydrants"


def test_weights_belong_to_parts_of_classes() -> None:
    parts = {part for object_class in CLASSES for part in object_class.parts} | {"letters"}
    assert {part for _, part in PART_WEIGHTS} <= parts
    assert {part for _, part in CLOTHES} <= parts | {"trousers"}


def test_said_colour_is_the_paint_or_a_fixed_colour() -> None:
    assert said_colour(FIRST, RED, WHITE) == RED
    assert said_colour(2 + BLUE, RED, WHITE) == BLUE
    assert said_colour(2 + palette.colour_index("skin"), RED, WHITE) == -1


@pytest.mark.parametrize("words", ["a tall light pink reading lamp", "the tall light brown clothes dresser"])
def test_an_adjective_before_a_colour_of_two_words_is_no_name(words: str) -> None:
    normal, (phrase,) = chunk(words, indoors=True)
    assert normal == "@0 " and phrase.words == words

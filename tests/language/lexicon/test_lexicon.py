"""The lexicon names every object, part, colour and number."""

from __future__ import annotations

import pytest

from bearleft.errors import InputError
from bearleft.language.lexicon import lexicon
from bearleft.language.lexicon.lexicon import (
    COLOURS,
    NAMES,
    NUMBERS,
    ORDINALS,
    OUTDOOR_NAMES,
    PARTS,
    STREET_KINDS,
    colour_words,
    denotation,
    names_of,
    number_word,
    ordinal_word,
    part_names,
    variants_of,
)
from bearleft.language.lexicon.room_names import ROOM_NAMES
from bearleft.language.lexicon.street_names import STREET_NAMES
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.facades import STYLES

MASS_NOUNS = {name.singular for name in NAMES if name.mass}  # names without "a"


def singulars_of(kind: str, variant: int = 0) -> set[str]:
    return {name.singular for name in names_of(class_index(kind), variant)}


def test_every_object_has_two_names_and_a_countable_one() -> None:
    for kind in range(len(CLASSES)):
        for variant in range(variants_of(kind)):
            names = names_of(kind, variant, indoors=CLASSES[kind].name not in STREET_KINDS)
            assert len(names) >= 2, (CLASSES[kind].name, variant)
            assert not all(name.mass for name in names)


def test_names_are_unique_and_normalized() -> None:
    forms = [name.singular for name in NAMES]
    assert len(forms) == len(set(forms))
    # "Columns" are those of an entrance, or several of a room.
    forms += [name.plural for name in NAMES if not name.mass and name.plural not in MASS_NOUNS]
    assert len(forms) == len(set(forms))
    for name in NAMES:
        assert name.singular == name.singular.lower().strip()
        assert name.singular != ""
        assert not {"of", "with", "in", "on", "and", "the", "a"} & set(name.singular.split())
        assert (name.plural == name.singular) == name.mass


@pytest.mark.slow
def test_names_denote_existing_variants() -> None:
    for name in NAMES:
        table = denotation(name)
        assert table.any()
        assert table.shape == (len(CLASSES), lexicon.MAX_VARIANTS)
        for kind in range(len(CLASSES)):
            assert not table[kind, variants_of(kind) :].any()
        named = [kind for kind, _ in name.denotes]
        assert len(named) == len(set(named))


def test_names_denote_existing_classes() -> None:
    class_names = {class_.name for class_ in CLASSES}
    for name in (*STREET_NAMES, *ROOM_NAMES):
        assert {kind for kind, _ in name.denotes} <= class_names, name.singular


def test_names_of_the_street_denote_the_same_in_rooms() -> None:
    table = next(name for name in NAMES if name.singular == "table")
    assert {kind for kind, _ in table.denotes} >= {"picnic table", "cafe table", "dining table"}
    assert table in OUTDOOR_NAMES
    assert "couch" not in {name.singular for name in OUTDOOR_NAMES}


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("mailbox", "mailboxes"),
        ("bus", "buses"),
        ("person", "people"),
        ("woman", "women"),
        ("church", "churches"),
        ("balcony", "balconies"),
        ("fire hydrant", "fire hydrants"),
        ("bush", "bushes"),
        ("bookshelf", "bookshelves"),
        ("couch", "couches"),
        ("wine glass", "wine glasses"),
        ("light switch", "light switches"),
    ],
)
def test_plurals_are_correct(singular: str, plural: str) -> None:
    assert {name.plural for name in NAMES if name.singular == singular} == {plural}


def test_general_names_denote_all_their_classes() -> None:
    for kind in ("stop sign", "lettered sign", "street sign", "road work sign", "no parking sign"):
        assert "sign" in singulars_of(kind)
    for kind in ("car", "taxi", "police car"):
        assert {"car", "vehicle"} <= singulars_of(kind)
    assert "bench" not in singulars_of("car")
    assert "pole" in singulars_of("lamp post")
    assert "striped awning" in singulars_of("awning", 1)
    assert "striped awning" not in singulars_of("awning", 0)


def test_variants_of_landmarks_and_buildings_have_own_names() -> None:
    assert "church" in singulars_of("landmark", 1)
    assert "church" not in singulars_of("landmark", 13)
    assert "lighthouse" in singulars_of("landmark", 13)
    assert variants_of(class_index("building")) == len(STYLES)
    glass = [style.name for k, style in enumerate(STYLES) if "glass building" in singulars_of("building", k)]
    assert glass == ["glass office tower"]


def test_every_part_has_names() -> None:
    for class_ in CLASSES:
        for part in class_.parts:
            if part:
                assert all(part_names(class_.name, part))
    assert part_names("building", "window") == ("window",)
    assert "lettering" in part_names("stop sign", "letters")
    with pytest.raises(InputError, match="part of a bench"):
        part_names("bench", "windshield")


def test_part_words_belong_to_existing_parts() -> None:
    parts = {part for class_ in CLASSES for part in class_.parts}
    assert set(lexicon._PART_WORDS) <= parts
    assert all(
        key == ("building", "window") or key[1] in CLASSES[class_index(key[0])].parts
        for key in lexicon._PART_WORDS_OF_KIND
    )
    assert len(PARTS) == 1 + sum(len(class_.parts) - 1 for class_ in CLASSES)


def test_colour_words_and_their_meanings_agree() -> None:
    for word, palette_names in COLOURS.items():
        assert palette_names
        assert all(word in colour_words(name) for name in palette_names)
    for name in palette.COLOUR_NAMES:
        assert all(name in COLOURS[word] for word in colour_words(name))
    assert colour_words("dark green")[:2] == ("green", "dark green")
    assert colour_words("skin") == ()
    assert "navy" in COLOURS["blue"]
    with pytest.raises(InputError, match="colour"):
        colour_words("mauve")


def test_numbers_and_ordinals_convert_both_ways() -> None:
    assert all(NUMBERS[number_word(k)] == k for k in range(1, 13))
    assert all(ORDINALS[ordinal_word(k)] == k for k in (*range(1, 11), -1))
    assert (number_word(2), ordinal_word(2), ordinal_word(-1)) == ("two", "second", "last")
    assert NUMBERS["10"] == ORDINALS["10th"] == 10
    assert ORDINALS["next"] == 1
    with pytest.raises(InputError):
        number_word(400)


def test_names_are_as_frequent_as_in_real_texts() -> None:
    """People say "building" and "awning"; what they do not say stays rare, but is said."""
    for kind, variant, indoors, usual, rare in (
        ("building", 0, False, "building", "residential building"),
        ("building", 0, False, "brick building", "tenement"),
        ("awning", 0, False, "awning", "sunshade"),
        ("sofa", 0, True, "couch", "settee"),
    ):
        weights = {name.singular: name.weight for name in names_of(class_index(kind), variant, indoors)}
        assert weights[usual] > 10 * weights[rare] > 0
        assert sum(weights.values()) == pytest.approx(1, abs=1e-4)


def test_a_general_name_is_shared_by_all_that_it_denotes() -> None:
    """ "Sign" is the most frequent name of many classes, but no stop sign is called so more than a stop sign."""
    weights = {name.singular: name.weight for name in names_of(class_index("stop sign"), 0)}
    assert weights["stop sign"] > weights["sign"] > 0

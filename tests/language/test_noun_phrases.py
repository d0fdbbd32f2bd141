from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.language.lexicon.lexicon import NAMES
from bearleft.language.noun_phrases import chunk, indefinite_article, match, name_object
from bearleft.language.scene_index import SceneIndex
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import open_city
from bearleft.world.visibility.table import VisibilityTable, visibility_table

WORLD = "city/3/2x3"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> VisibilityTable:
    return visibility_table(open_city(WORLD), tmp_path_factory.mktemp("visibility") / "table", width=128)


@pytest.fixture(scope="module")
def scene(table: VisibilityTable) -> SceneIndex:
    return SceneIndex(open_city(WORLD), table)


def test_every_name_is_parsed_in_singular_and_plural() -> None:
    for name in NAMES:
        for words, plural in ((f"the {name.singular}", False), (f"two {name.plural}", True)):
            text, phrases = chunk(f"near {words} .", indoors=True)
            assert text == "near @0 . ", words
            (phrase,) = phrases
            assert phrase.plural == plural or name.singular == name.plural
            assert phrase.table is not None
            for kind, _ in name.denotes:
                assert phrase.table[[class_.name for class_ in CLASSES].index(kind)].any()


def test_indoor_names_are_plain_words_outdoors() -> None:
    assert chunk("on the wall by the door", indoors=True)[0] == "on @0 by @1 "
    assert chunk("on the wall by the door")[0] == "on the wall by @0 "


@pytest.mark.slow
def test_generated_phrases_fit_their_objects(scene: SceneIndex) -> None:
    random = Random(1)
    for place in range(0, len(scene.city.graph), 5):
        visible = scene.at(place)
        for row in range(0, len(visible), 3):
            name, phrase = name_object(random, scene, int(visible.instance[row]), random.choice(("a", "the", "that")))
            assert match(phrase, visible)[row]
            text, (parsed,) = chunk(name.string)
            assert text == "@0 "
            # The parsed phrase has the same meaning, except for ambiguous names.
            assert match(parsed, visible)[row] and (match(parsed, visible) | ~match(phrase, visible)).all()
            # Some names contain a colour: "yellow cab".
            assert parsed.coreferent == phrase.coreferent and parsed.colours in (phrase.colours, None)
            (mention,) = name.mentions
            assert mention.instance == visible.instance[row]


def test_counts_and_ordinals_are_parsed() -> None:
    text, (two, third, it, sign) = chunk("Two red fire hydrants, the third bench, it, and that sign!")
    assert text == "@0 , @1 , @2 , and @3 ! "
    assert (two.number, two.plural, two.colours is not None) == (2, True, True)
    assert third.ordinal == 3 and not third.coreferent
    assert it.pronoun and it.coreferent and sign.coreferent and not sign.pronoun


def test_reserved_names_are_plain_words() -> None:
    assert chunk("at the traffic light", reserved=("traffic light",))[0] == "at the traffic light "
    assert chunk("at the traffic light")[0] == "at @0 "


def test_visible_objects_come_from_the_table(scene: SceneIndex, table: VisibilityTable) -> None:
    visible = scene.at(7)
    assert scene.at(7) is visible and len(visible) > 10
    rows = table.at(7)
    assert set(visible.instance.tolist()) <= set(rows["instance"].tolist())
    assert (visible.kind == scene.plan.things["kind"][visible.instance - 1]).all()
    assert visible.find(int(visible.instance[3])) == 3 and visible.find(0) == -1
    assert np.isfinite(visible.heading).all()


def test_table_of_another_city_raises(table: VisibilityTable) -> None:
    with pytest.raises(InputError, match="this city"):
        SceneIndex(open_city("city/4/2x3"), table)


def test_table_is_read_from_its_folder(table: VisibilityTable) -> None:
    assert VisibilityTable.read(Path(table.folder)).plan == table.plan


@pytest.mark.parametrize(
    ("noun", "article"),
    [
        ("awning", "an "),
        ("utility pole", "a "),
        ("us flag", "a "),
        ("suv", "an "),
        ("one way sign", "a "),
        ("tree", "a "),
    ],
)
def test_indefinite_article_fits_the_noun(noun: str, article: str) -> None:
    assert indefinite_article(noun) == article


def test_adverbs_and_hyphens_change_no_meaning() -> None:
    for words, plain in (
        ("a very tall red tree", "a tall red tree"),
        ("a red-and-white awning", "a red and white awning"),
        ("a red colored awning", "a red awning"),
    ):
        (phrase,), (expected,) = chunk(words)[1], chunk(plain)[1]
        assert phrase.table is not None and expected.table is not None
        assert (phrase.table == expected.table).all() and phrase.colours == expected.colours
        assert phrase.features == expected.features and phrase.words == words

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.language.lexicon.lexicon import NAMES
from bearleft.language.noun_phrases import call, chunk, indefinite, match
from bearleft.language.scene_index import SceneIndex
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import open_city
from bearleft.world.visibility.table import Visible, visibility_table

WORLD = "city/3/2x3"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Visible:
    return visibility_table(open_city(WORLD), tmp_path_factory.mktemp("seen") / "table", width=128)


@pytest.fixture(scope="module")
def scene(table: Visible) -> SceneIndex:
    return SceneIndex(open_city(WORLD), table)


def test_every_name_is_read_as_itself_in_singular_and_plural() -> None:
    for name in NAMES:
        for words, plural in ((f"the {name.one}", False), (f"two {name.many}", True)):
            text, found = chunk(f"near {words} .", indoors=True)
            assert text == "near @0 . ", words
            (phrase,) = found
            assert phrase.plural == plural or name.one == name.many
            assert phrase.table is not None
            for what, _ in name.of:
                assert phrase.table[[one.name for one in CLASSES].index(what)].any()


def test_a_street_knows_no_rooms() -> None:
    assert chunk("on the wall by the door", indoors=True)[0] == "on @0 by @1 "
    assert chunk("on the wall by the door")[0] == "on the wall by @0 "


def test_what_things_are_called_fits_them(scene: SceneIndex) -> None:
    random = Random(1)
    for place in range(0, len(scene.city.graph), 5):
        sight = scene.at(place)
        for row in range(0, len(sight), 3):
            said, phrase = call(random, scene, int(sight.instance[row]), random.choice(("a", "the", "that")))
            assert match(phrase, sight)[row]
            text, (read,) = chunk(said.string)
            assert text == "@0 "
            # What is read says no more and no less than what was meant, but for names that mean several things.
            assert match(read, sight)[row] and (match(read, sight) | ~match(phrase, sight)).all()
            # A name may hold a colour itself: "yellow cab".
            assert read.coreferent == phrase.coreferent and read.colours in (phrase.colours, None)
            (mention,) = said.mentions
            assert mention.instance == sight.instance[row]


def test_a_count_and_an_ordinal_are_read() -> None:
    text, (two, third, it, sign) = chunk("Two red fire hydrants, the third bench, it, and that sign!")
    assert text == "@0 , @1 , @2 , and @3 ! "
    assert (two.number, two.plural, two.colours is not None) == (2, True, True)
    assert third.ordinal == 3 and not third.coreferent
    assert it.pronoun and it.coreferent and sign.coreferent and not sign.pronoun


def test_reserved_names_are_plain_words() -> None:
    assert chunk("at the traffic light", reserved=("traffic light",))[0] == "at the traffic light "
    assert chunk("at the traffic light")[0] == "at @0 "


def test_a_sight_is_what_the_table_says(scene: SceneIndex, table: Visible) -> None:
    sight = scene.at(7)
    assert scene.at(7) is sight and len(sight) > 10
    rows = table.at(7)
    assert set(sight.instance.tolist()) <= set(rows["instance"].tolist())
    assert (sight.kind == scene.plan.things["kind"][sight.instance - 1]).all()
    assert sight.find(int(sight.instance[3])) == 3 and sight.find(0) == -1
    assert np.isfinite(sight.heading).all()


def test_a_table_of_another_city_is_refused(table: Visible) -> None:
    with pytest.raises(InputError, match="this city"):
        SceneIndex(open_city("city/4/2x3"), table)


def test_the_table_is_read_from_its_folder(table: Visible) -> None:
    assert Visible.read(Path(table.folder)).plan == table.plan


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
def test_articles_are_as_they_are_spoken(noun: str, article: str) -> None:
    assert indefinite(noun) == article

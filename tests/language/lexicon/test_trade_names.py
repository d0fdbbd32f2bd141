"""Shops are named by what is written on them."""

from __future__ import annotations

import numpy as np

from bearleft.language.lexicon.lexicon import NAMES
from bearleft.language.lexicon.names import Name
from bearleft.language.lexicon.trade_names import LETTERINGS, TRADE_NAMES, lettering_indices, letterings_of, trade_names
from bearleft.language.noun_phrases import chunk
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.names import SHOPS


def test_letterings_are_found_behind_the_name_of_the_owner() -> None:
    found = letterings_of(("PIZZA", "ROSSI PIZZA", "HAIR SALON", "JOE'S HAIR SALON", "E 4 ST"))
    expected = [LETTERINGS.index(text) for text in ("PIZZA", "PIZZA", "HAIR SALON", "HAIR SALON")]
    assert found.tolist() == [*expected, -1, -1]
    assert found[np.array([-1])] == -1  # an object without text


def test_every_shop_has_trade_names_that_are_no_other_names() -> None:
    for shop in SHOPS:
        assert trade_names("storefront", LETTERINGS.index(shop)), shop
    forms = [form for name in TRADE_NAMES for form in (name.singular, name.plural)]
    assert len(forms) == len(set(forms))
    outdoor = {form for name in NAMES for form in (name.singular, name.plural)}
    assert set(forms) & outdoor <= {"bar", "bars"}  # a bar is a counter in rooms


def test_trade_names_denote_shops_by_their_lettering() -> None:
    _, (pizza, restaurant, store) = chunk("the pizza place, a restaurant and a store")
    assert pizza.letterings == lettering_indices(("PIZZA",))
    assert restaurant.letterings is not None and pizza.letterings < restaurant.letterings
    assert store.letterings is None


def test_lettered_objects_are_named_by_what_they_say() -> None:
    """Every name that is said of an object denotes it, and is read back with its lettering."""
    said: dict[tuple[str, int], set[Name]] = {}
    for object_class in CLASSES:
        for variant in range(len(object_class.variants)):
            for lettering in range(len(LETTERINGS)):
                if found := trade_names(object_class.name, lettering, variant):
                    said.setdefault((object_class.name, variant), set()).update(found)
    assert {"storefront", "awning", "lettered sign", "billboard", "banner", "sandwich board", "food truck"} <= {
        kind for kind, _ in said
    }
    assert ("awning", 1) not in said  # striped, without letters
    words = {name.singular for names in said.values() for name in names}
    phrases = {word: chunk(f"the {word}")[1] for word in words}
    for (kind, variant), names in said.items():
        for name in names:
            (phrase,) = phrases[name.singular]
            assert phrase.letterings == lettering_indices(name.letterings)
            assert phrase.table is not None and phrase.table[class_index(kind), variant]


def test_only_signs_are_called_signs_but_all_lettering_is_meant() -> None:
    pizza = LETTERINGS.index("PIZZA")
    assert "pizza sign" in {name.singular for name in trade_names("lettered sign", pizza)}
    assert "pizza sign" not in {name.singular for name in trade_names("storefront", pizza)}
    _, (phrase,) = chunk("the pizza sign")
    assert phrase.table is not None and phrase.table[class_index("storefront")].any()

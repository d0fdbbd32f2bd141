from __future__ import annotations

import numpy as np
import pytest

from bearleft.world.city import names
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.plan import UNIT, Draft
from bearleft.world.city.roads import lay_roads
from bearleft.world.city.streets import city_graph
from bearleft.world.city.walls import building_walls, is_hidden

from .filled import HUNG, filled, of, reach


def test_texts_exist() -> None:
    draft = filled(0, 5, 5)
    things = draft.things
    assert (things["text"] < len(draft.texts)).all() and all(text.strip() for text in draft.texts)
    for name in ("storefront", "street sign", "lettered sign", "sandwich board", "banner"):
        ours = things[of(things, name)]
        assert len(ours) and (ours["text"] >= 0).all(), name
    sold = {draft.texts[k] for k in things["text"][of(things, "storefront")]}
    assert len(sold) > 40
    assert all(any(text.endswith(word) for word in names.SHOPS) for text in sold)
    assert any(text.split()[0] in names.FAMILIES for text in sold)


def test_streets_have_names_of_their_own() -> None:
    draft = Draft(0, city_graph(0, 6, 8))
    lay_roads(draft)
    found = names.street_names(draft)
    texts = [draft.texts[k] for k in found]
    assert len(texts) == draft.roads["street"].max() + 1
    assert len(set(texts)) > 0.8 * len(texts)
    assert sum(text.endswith(" ST") for text in texts) > 3 and any(text.endswith((" AV", "BROADWAY")) for text in texts)
    signs = filled(0, 5, 5)
    ours = signs.things[of(signs.things, "street sign")]
    named = names.street_names(signs)
    assert (ours["text"] == named[ours["street"]]).all()


@pytest.mark.parametrize("seed", [0, 7])
def test_what_hangs_on_a_wall_is_within_it(seed: int) -> None:
    draft = filled(seed)
    things = draft.things
    record = {int(row["thing"]): row for row in draft.buildings}
    hung = things[of(things, *HUNG) & (things["owner"] >= 0) & ~of(things, "banner", "billboard")]
    assert len(hung) > 300
    for one in hung:
        row = record[int(one["owner"])]
        house = things[row["thing"]]
        away = np.array([one["x"] - house["x"], one["y"] - house["y"]], float)
        ahead = np.array([house["ux"], house["uy"]]) / UNIT
        local = np.array([away @ [ahead[1], -ahead[0]], away @ ahead])
        half = np.array([row["hx"], row["hy"]], float)
        out = np.array([one["ux"], one["uy"]]) / UNIT
        facing = np.array([out @ [ahead[1], -ahead[0]], out @ ahead])
        axis = int(np.argmax(np.abs(facing)))
        assert abs(local[axis] * facing[axis] - half[axis]) < 60  # it touches the wall it faces away from
        left, right, _, _ = reach(int(one["kind"]), int(one["variant"]), 99.0)
        wide = max(-left, right) * one["sx"]
        assert abs(local[1 - axis]) + wide < half[1 - axis] + 450, CLASSES[one["kind"]].name
        assert 0 <= one["z"] < row["height"]


def test_every_front_has_a_way_in() -> None:
    draft = filled(0, 5, 5)
    entered = set(draft.things["owner"][of(draft.things, "door", "storefront")].tolist())
    seen = building_walls(draft)
    fronts = seen.select((seen.side == 0) & (seen.half >= 2_300) & (seen.street >= 0) & ~is_hidden(draft, seen))
    houses = fronts.record["thing"].tolist()
    assert len(houses) > 0.8 * len(draft.buildings)
    assert all(house in entered for house in houses)


def test_shops_stand_side_by_side() -> None:
    draft = filled(0, 5, 5)
    shops = draft.things[of(draft.things, "storefront")]
    rows = 0
    for group in np.unique(shops["group"]):
        row = shops[shops["group"] == group]
        row = row[np.argsort(row["place_in_group"])]
        if len(row) > 2:
            at = np.stack([row["x"], row["y"]], axis=1).astype(float)
            steps = np.linalg.norm(np.diff(at, axis=0), axis=1)
            assert np.ptp(steps) <= 4 and (steps > 5.0 * row["sx"][0] * 0.98).all()
            rows += 1
    assert rows > 3


def test_things_in_windows_sit_in_bays() -> None:
    draft = filled(0, 5, 5)
    record = {int(row["thing"]): row for row in draft.buildings}
    ours = draft.things[of(draft.things, "air conditioner", "window box")]
    assert len(ours) > 50
    for one in ours:
        row, house = record[int(one["owner"])], draft.things[int(one["owner"])]
        ahead = np.array([house["ux"], house["uy"]]) / UNIT
        away = np.array([one["x"] - house["x"], one["y"] - house["y"]], float)
        out = np.array([one["ux"], one["uy"]]) / UNIT
        front = abs(out @ ahead) > 0.5
        half = row["hx"] if front else row["hy"]
        across = away @ [out[1], -out[0]]
        bays = max(2 * int(half) // int(row["bay"]), 1)
        share = (half - across) / (2 * half / bays)  # counted from the left as one sees it
        assert abs(share - np.floor(share) - 0.5) < 0.02
        floor = (one["z"] - row["ground"]) / row["floor"]
        assert 0.2 < floor - np.floor(floor) < 0.3 and 0 <= floor < (row["height"] - row["ground"]) / row["floor"]


def test_walls_are_the_sides_that_see_a_street() -> None:
    draft = filled()
    seen = building_walls(draft)
    assert set(np.unique(seen.side)) >= {0, 1, 3}
    assert ((seen.record["sides"] >> seen.side) & 1).all()
    assert (seen.side == 0).sum() == len(draft.buildings)
    assert (seen.street[seen.side == 0] == seen.record["street"][seen.side == 0]).all()
    assert (seen.street >= 0).mean() > 0.7, "the others see parks and lots"


def test_pairs_and_rows_on_walls() -> None:
    things = filled(0, 5, 5).things
    lamps, flags = things[of(things, "wall lamp")], things[of(things, "flag")]
    assert (np.unique(lamps["group"], return_counts=True)[1] == 2).all()
    sizes = np.unique(flags["group"][flags["group"] >= 0], return_counts=True)[1]
    assert set(sizes) <= {2, 3} and (flags["group"] < 0).any() and len(sizes) > 3
    assert class_index("flag") != class_index("wall lamp")

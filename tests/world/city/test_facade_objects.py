from __future__ import annotations

import numpy as np
import pytest

from bearleft.world.city import names
from bearleft.world.city.catalog import CLASSES, class_index
from bearleft.world.city.plan import DIRECTION_SCALE, Draft
from bearleft.world.city.roads import lay_roads
from bearleft.world.city.streets import city_graph
from bearleft.world.city.walls import building_walls, is_hidden

from .footprints import WALL_CLASSES, furnished_draft, has_class, model_reach


def test_signs_have_texts() -> None:
    draft = furnished_draft(0, 5, 5)
    things = draft.things
    assert (things["text"] < len(draft.texts)).all() and all(text.strip() for text in draft.texts)
    for name in ("storefront", "street sign", "lettered sign", "sandwich board", "banner"):
        subset = things[has_class(things, name)]
        assert len(subset) and (subset["text"] >= 0).all(), name
    shop_names = {draft.texts[k] for k in things["text"][has_class(things, "storefront")]}
    assert len(shop_names) > 40
    assert all(any(text.endswith(word) for word in names.SHOPS) for text in shop_names)
    assert any(text.split()[0] in names.FAMILIES for text in shop_names)


def test_street_names_are_distinct() -> None:
    draft = Draft(0, city_graph(0, 6, 8))
    lay_roads(draft)
    indices = names.street_names(draft)
    texts = [draft.texts[k] for k in indices]
    assert len(texts) == draft.roads["street"].max() + 1
    assert len(set(texts)) > 0.8 * len(texts)
    assert sum(text.endswith(" ST") for text in texts) > 3 and any(text.endswith((" AV", "BROADWAY")) for text in texts)
    signs = furnished_draft(0, 5, 5)
    subset = signs.things[has_class(signs.things, "street sign")]
    named = names.street_names(signs)
    assert (subset["text"] == named[subset["street"]]).all()


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("seed", [0, 7])
def test_wall_objects_are_within_their_wall(seed: int) -> None:
    draft = furnished_draft(seed)
    things = draft.things
    record = {int(row["thing"]): row for row in draft.buildings}
    hung = things[has_class(things, *WALL_CLASSES) & (things["owner"] >= 0) & ~has_class(things, "banner", "billboard")]
    assert len(hung) > 300
    for thing in hung:
        row = record[int(thing["owner"])]
        house = things[row["thing"]]
        away = np.array([thing["x"] - house["x"], thing["y"] - house["y"]], float)
        ahead = np.array([house["ux"], house["uy"]]) / DIRECTION_SCALE
        local = np.array([away @ [ahead[1], -ahead[0]], away @ ahead])
        half = np.array([row["hx"], row["hy"]], float)
        out = np.array([thing["ux"], thing["uy"]]) / DIRECTION_SCALE
        facing = np.array([out @ [ahead[1], -ahead[0]], out @ ahead])
        axis = int(np.argmax(np.abs(facing)))
        assert abs(local[axis] * facing[axis] - half[axis]) < 60  # it touches its wall
        left, right, _, _ = model_reach(int(thing["kind"]), int(thing["variant"]), 99.0)
        wide = max(-left, right) * thing["sx"]
        assert abs(local[1 - axis]) + wide < half[1 - axis] + 450, CLASSES[thing["kind"]].name
        assert 0 <= thing["z"] < row["height"]


def test_every_front_has_an_entrance() -> None:
    draft = furnished_draft(0, 5, 5)
    with_entrance = set(draft.things["owner"][has_class(draft.things, "door", "storefront")].tolist())
    walls = building_walls(draft)
    fronts = walls.select((walls.side == 0) & (walls.half >= 2_300) & (walls.street >= 0) & ~is_hidden(draft, walls))
    houses = fronts.record["thing"].tolist()
    assert len(houses) > 0.8 * len(draft.buildings)
    assert all(house in with_entrance for house in houses)


def test_shops_are_side_by_side() -> None:
    draft = furnished_draft(0, 5, 5)
    shops = draft.things[has_class(draft.things, "storefront")]
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


def test_window_objects_are_in_bays() -> None:
    draft = furnished_draft(0, 5, 5)
    record = {int(row["thing"]): row for row in draft.buildings}
    subset = draft.things[has_class(draft.things, "air conditioner", "window box")]
    assert len(subset) > 50
    for thing in subset:
        row, house = record[int(thing["owner"])], draft.things[int(thing["owner"])]
        ahead = np.array([house["ux"], house["uy"]]) / DIRECTION_SCALE
        away = np.array([thing["x"] - house["x"], thing["y"] - house["y"]], float)
        out = np.array([thing["ux"], thing["uy"]]) / DIRECTION_SCALE
        front = abs(out @ ahead) > 0.5
        half = row["hx"] if front else row["hy"]
        across = away @ [out[1], -out[0]]
        bays = max(2 * int(half) // int(row["bay"]), 1)
        share = (half - across) / (2 * half / bays)  # counted from the left, seen from outside
        assert abs(share - np.floor(share) - 0.5) < 0.02
        floor = (thing["z"] - row["ground"]) / row["floor"]
        assert 0.2 < floor - np.floor(floor) < 0.3 and 0 <= floor < (row["height"] - row["ground"]) / row["floor"]


def test_walls_are_the_sides_that_face_a_street() -> None:
    draft = furnished_draft()
    walls = building_walls(draft)
    assert set(np.unique(walls.side)) >= {0, 1, 3}
    assert ((walls.record["sides"] >> walls.side) & 1).all()
    assert (walls.side == 0).sum() == len(draft.buildings)
    assert (walls.street[walls.side == 0] == walls.record["street"][walls.side == 0]).all()
    assert (walls.street >= 0).mean() > 0.7, "the others face parks and lots"


def test_lamps_are_pairs_and_flags_are_rows() -> None:
    things = furnished_draft(0, 5, 5).things
    lamps, flags = things[has_class(things, "wall lamp")], things[has_class(things, "flag")]
    assert (np.unique(lamps["group"], return_counts=True)[1] == 2).all()
    sizes = np.unique(flags["group"][flags["group"] >= 0], return_counts=True)[1]
    assert set(sizes) <= {2, 3} and (flags["group"] < 0).any() and len(sizes) > 3
    assert class_index("flag") != class_index("wall lamp")

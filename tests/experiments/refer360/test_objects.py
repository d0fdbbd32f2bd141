"""Objects near targets, in a small city and a few rooms."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.experiments.analysis_figures import object_figures
from bearleft.experiments.refer360.objects import (
    BOTH,
    CHOSEN,
    CITY,
    CLOSEST_CLASSES,
    DISTANCE,
    MAX_HIDDEN,
    MIN_SHARE,
    OBJECTS,
    RANDOM,
    ROOMS,
    SCENES,
    TARGET_CLASSES,
    ObjectStudy,
    closest,
    measure_objects,
    noticeable,
    open_worlds,
    perplexity,
    place_targets,
    real_texts,
    tables,
)
from bearleft.geometry import angle_between
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Direction
from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import open_city
from bearleft.world.targets import random_targets
from bearleft.world.visibility.table import visibility_table
from tests.language.referring.refer_scene import scene


@cache
def rooms() -> SceneIndex:
    city = open_city("rooms/0/6")
    with tempfile.TemporaryDirectory() as folder:
        scenes = SceneIndex(city, visibility_table(city, folder, 256))
        for place in range(len(city.graph)):
            scenes.at(place)
    return scenes


@cache
def seen() -> ObjectStudy:
    return measure_objects(scene(), rooms(), 40, 1)


@given(st.lists(st.sampled_from("abcde"), min_size=1))
def test_perplexity_is_between_one_and_the_number_of_classes(classes: list[str]) -> None:
    assert 1 - 1e-9 <= perplexity(classes) <= len(set(classes)) + 1e-9
    assert perplexity(classes * 3) == pytest.approx(perplexity(classes))


def test_perplexity_of_known_counts() -> None:
    assert perplexity([]) == 0 and perplexity("aaaa") == pytest.approx(1) and perplexity("abcdabcd") == pytest.approx(4)
    assert perplexity("aab") == pytest.approx((3 / 2) ** (2 / 3) * 3 ** (1 / 3))


def test_closest_object_is_the_nearest_other_object() -> None:
    scenes = scene()
    for target in random_targets(scenes.city, range(12), 2):
        sight = scenes.at(target.place)
        # Slowly, one by one.
        closest_object = []
        for row in range(len(sight)):
            plain = sight.share[row] >= MIN_SHARE and sight.hidden[row] <= MAX_HIDDEN
            assert plain == (row in noticeable(sight))
            if plain and sight.instance[row] != target.instance:
                middle = Direction(float(sight.heading[row]), float(sight.pitch[row]))
                closest_object.append((angle_between(middle, target.direction), CLASSES[sight.kind[row]].name))
        name, away = closest(sight, target) or ("", np.nan)
        assert away == pytest.approx(min(closest_object)[0]) and name == min(closest_object)[1]


def test_targets_are_placed_in_two_ways() -> None:
    assert len(place_targets(scene(), range(10), RANDOM, 0)) == 10
    chosen = place_targets(scene(), range(10), CHOSEN, 0)
    assert 5 < len(chosen) <= 10 and all(target.instance > 0 for target in chosen)


@pytest.mark.slow
def test_tables() -> None:
    rows = tables(seen(), {RANDOM: [("look up.", "it is there.")]})
    assert all(list(row) == ["table", "row", "metric", "paper", "real", "ours", "remark"] for row in rows)
    ours = {(row["table"], row["row"], row["metric"]): row["ours"] for row in rows}
    paper = {(row["table"], row["row"], row["metric"]): row["paper"] for row in rows}
    real = {(row["table"], row["row"], row["metric"]): row["real"] for row in rows}
    assert paper["Refer360 Table 3", CITY, OBJECTS] == 93.81 and paper["Refer360 Table 3", BOTH, OBJECTS] == 62.44
    assert ours["Refer360 Table 3", ROOMS, SCENES] == 6
    table = "Refer360 Table 6"
    assert (
        ours[table, f"{RANDOM}, {BOTH}", "targets"] == 40 and paper[table, f"{CHOSEN}, {CITY}", TARGET_CLASSES] == 9.53
    )
    # As in the paper: who chooses stays near things.
    assert ours[table, f"{CHOSEN}, {CITY}", DISTANCE] < ours[table, f"{RANDOM}, {CITY}", DISTANCE] < 60
    assert ours[table, f"{RANDOM}, {BOTH}", CLOSEST_CLASSES] > 1
    common = [row for row in rows if row["table"] == "Refer360 Figure 6" and row["row"] == CITY]
    shares = [row["ours"] for row in common]
    assert shares == sorted(shares, reverse=True) and sum(shares) <= 100
    assert real["Refer360 Figure 7", "random, sequence", "tokens, mean"] == 7
    assert real["Refer360 Figure 7", "random, single instruction", "tokens, mean"] == 3.5
    assert ours["Refer360 Figure 7", "chosen, sequence", "texts"] > 30


@pytest.mark.slow
def test_same_seed_gives_the_same_rows() -> None:
    first, repeated = (measure_objects(scene(), rooms(), 8, 1) for _ in range(2))
    assert tables(repeated, {}) == tables(first, {})
    key = f"{RANDOM}, {CITY}"
    assert measure_objects(scene(), rooms(), 4, 2).scenes[key].target_classes != repeated.scenes[key].target_classes[:4]


@pytest.mark.slow
def test_figures() -> None:
    pytest.importorskip("matplotlib")
    drawn = dict(object_figures(seen(), {}, tables(seen(), {})))
    assert set(drawn) == {
        *(f"refer360-figure-6-{name}.png" for name in ("city", "rooms", "city-and-rooms")),
        *(f"refer360-figure-7-{name}.png" for name in ("sequences", "single-instructions")),
    }


def test_input_errors() -> None:
    with pytest.raises(InputError, match="at least 4 targets"):
        measure_objects(scene(), rooms(), 3)
    with pytest.raises(InputError, match="rooms/0/42"):
        open_worlds("city/3/4x5", "city/3/4x5")


def test_texts_to_chosen_targets_are_shorter(real_data: Path) -> None:
    texts = real_texts(real_data)
    assert {placement: len(placed) for placement, placed in texts.items()} == {RANDOM: 1779, CHOSEN: 130}
    rows = tables(seen(), texts)
    mean = {row["row"]: row["real"] for row in rows if row["metric"] == "tokens, mean"}
    assert mean["chosen, sequence"] + 10 < mean["random, sequence"]

"""What one might take for another is not told."""

from __future__ import annotations

import numpy as np
import pytest

from bearleft.geometry import turn
from bearleft.language.descriptions.distractors import DOOR, ONE_LOOK, STOREFRONT, shop_doors, together
from bearleft.language.noun_phrases import chunk, match
from bearleft.language.scene_index import SceneIndex
from tests.language.descriptions.point_scene import small_around


@pytest.fixture(scope="module")
def scene() -> SceneIndex:
    return small_around()


def test_several_are_told_together_only_in_one_look(scene: SceneIndex) -> None:
    _, (phrase,) = chunk("two trees")
    told = refused = 0
    for place in range(len(scene.city.graph)):
        sight = scene.at(place)
        rows = np.flatnonzero(match(phrase, sight))
        for some in (rows[:2], rows[-2:], rows):
            if len(some) < 2:
                continue
            off = turn(sight.heading[some[0]], sight.heading[some])
            if together(sight, some, phrase):
                told += 1
                assert off.max() - off.min() < ONE_LOOK
                larger = rows[sight.share[rows] > sight.share[some].min()]
                near = np.abs(turn(sight.heading[some[0]], sight.heading[larger])) < 10
                assert set(larger[near]) <= set(some)
            else:
                refused += 1
    assert told and refused


def test_a_door_beside_a_larger_shop_is_not_told(scene: SceneIndex) -> None:
    answers = []
    for place in range(len(scene.city.graph)):
        sight = scene.at(place)
        for row in np.flatnonzero(sight.kind == DOOR):
            shops = (sight.kind == STOREFRONT) & (sight.share > sight.share[row])
            close = np.abs(turn(sight.heading[row], sight.heading[shops])) < 60
            answers.append(shop_doors(sight, int(row)))
            assert answers[-1] == bool(close.any())
        for row in np.flatnonzero(sight.kind == STOREFRONT):
            assert not shop_doors(sight, int(row))
    assert any(answers) and not all(answers)

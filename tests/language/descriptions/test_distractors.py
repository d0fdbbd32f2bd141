"""Distractors: groups that are seen together, and doors that could be confused."""

from __future__ import annotations

import numpy as np
import pytest

from bearleft.geometry import turn
from bearleft.language.descriptions.distractors import (
    DOOR,
    MAX_GROUP_SPAN,
    STOREFRONT,
    has_rival_shop_doors,
    seen_as_group,
)
from bearleft.language.noun_phrases import chunk, match
from bearleft.language.scene_index import SceneIndex
from tests.language.descriptions.point_scene import small_scene


@pytest.fixture(scope="module")
def scene() -> SceneIndex:
    return small_scene()


@pytest.mark.slow
def test_groups_are_seen_together(scene: SceneIndex) -> None:
    _, (phrase,) = chunk("two trees")
    accepted = refused = 0
    for place in range(len(scene.city.graph)):
        visible = scene.at(place)
        rows = np.flatnonzero(match(phrase, visible))
        for group in (rows[:2], rows[-2:], rows):
            if len(group) < 2:
                continue
            angles = turn(visible.heading[group[0]], visible.heading[group])
            if seen_as_group(visible, group, phrase):
                accepted += 1
                assert angles.max() - angles.min() < MAX_GROUP_SPAN
                larger = rows[visible.share[rows] > visible.share[group].min()]
                near = np.abs(turn(visible.heading[group[0]], visible.heading[larger])) < 10
                assert set(larger[near]) <= set(group)
            else:
                refused += 1
    assert accepted and refused


def test_doors_beside_larger_shops_have_rivals(scene: SceneIndex) -> None:
    answers = []
    for place in range(len(scene.city.graph)):
        visible = scene.at(place)
        for row in np.flatnonzero(visible.kind == DOOR):
            shops = (visible.kind == STOREFRONT) & (visible.share > visible.share[row])
            close = np.abs(turn(visible.heading[row], visible.heading[shops])) < 60
            answers.append(has_rival_shop_doors(visible, int(row)))
            assert answers[-1] == bool(close.any())
        for row in np.flatnonzero(visible.kind == STOREFRONT):
            assert not has_rival_shop_doors(visible, int(row))
    assert any(answers) and not all(answers)

"""Descriptions of targets: true of the scene, varied, the same from the same numbers."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from bearleft.geometry import turn
from bearleft.language.analysis.tokens import tokens
from bearleft.language.descriptions import parse as read
from bearleft.language.descriptions.locate import pixels, point
from bearleft.language.descriptions.semantics import Meaning, Scorer, Stand
from bearleft.language.descriptions.write import ALIGNED, Description, describe, drawn
from bearleft.language.noise import loosen
from bearleft.language.scene_index import SceneIndex
from bearleft.records import Direction
from bearleft.world.targets import Target, choose, propagate, views
from tests.language.descriptions.point_scene import small_around

Case = tuple[Target, float, list[int], list[Direction], Description, Meaning]
COUNT = 90


@cache
def cases() -> tuple[list[Case], int]:
    """Targets at the ends of steps with their descriptions, and how many got none."""
    scene = small_around()
    graph, city = scene.city.graph, scene.city
    found, none = [], 0
    for number, link in enumerate(np.linspace(0, len(graph.target) - 1, COUNT).astype(int).tolist()):
        before, main, after = views(graph, [int(graph.source[link]), int(graph.target[link])])
        heading = float(graph.heading[link])
        chosen = choose(city, scene.at(main).rows, heading, (before, after), seed=2, index=number)
        if not chosen:
            continue
        there = propagate(city, chosen, [[before, main, after]])[0]
        seen = [(place, way) for place, way in zip((before, main, after), there, strict=True) if way is not None]
        told = drawn(scene, chosen[0], heading, [place for place, _ in seen], 3, number)
        if told is None:
            none += 1
        else:
            found.append((chosen[0], heading, [p for p, _ in seen], [way for _, way in seen], *told))
    return found, none


def test_most_targets_can_be_described() -> None:
    found, none = cases()
    assert len(found) > 40
    assert none / (none + len(found)) < 0.25


def test_what_it_means_leads_to_the_target_from_its_own_place() -> None:
    scene = small_around()
    for target, _, _, _, told, meaning in cases()[0]:
        found = point(meaning, scene, target.place, float(scene.city.graph.yaw[target.place]))
        assert found is not None, told.text.string
        assert pixels(found, target.direction) <= 40, told.text.string


def test_every_mention_is_what_the_scene_finds() -> None:
    scene = small_around()
    yaw = scene.city.graph.yaw
    for target, _, _, _, told, meaning in cases()[0]:
        stand = Stand(scene, scene.at(target.place), float(yaw[target.place]))
        assert meaning.spot is not None
        row, margin = Scorer(stand, meaning).best(meaning.spot.thing)
        assert int(stand.sight.instance[row]) == target.instance, told.text.string
        assert margin > 1, told.text.string
        for mention in told.text.mentions:
            assert stand.sight.find(mention.instance) >= 0
            assert 0 <= mention.begin < mention.end <= len(told.text.string)
        assert target.instance in {mention.instance for mention in told.text.mentions}


def test_left_and_right_are_said_only_where_the_picture_looks_the_way_one_came() -> None:
    scene = small_around()
    yaw = scene.city.graph.yaw
    for _, heading, places, _, told, meaning in cases()[0]:
        if any(abs(float(turn(heading, yaw[place]))) >= ALIGNED for place in places):
            assert not any(ref.side for ref in meaning.refs)
            assert " your " not in told.text.string


def test_the_follower_finds_most_of_them_from_all_places() -> None:
    scene = small_around()
    yaw = scene.city.graph.yaw
    hits = []
    for _, _, places, ways, told, _ in cases()[0]:
        for place, way in zip(places, ways, strict=True):
            found = read.point(told.text.string, scene, place, float(yaw[place]))
            hits.append(found is not None and pixels(found, way) <= 40)
    assert np.mean(hits) >= 0.9


def test_the_follower_does_not_find_them_by_other_texts() -> None:
    scene = small_around()
    found = cases()[0]
    yaw = scene.city.graph.yaw
    hits = []
    for (target, *_), (*_, other, _) in zip(found, found[7:], strict=False):
        answer = read.point(other.text.string, scene, target.place, float(yaw[target.place]))
        hits.append(answer is not None and pixels(answer, target.direction) <= 40)
    assert np.mean(hits) <= 0.15


def test_loose_style_is_still_understood() -> None:
    from random import Random

    scene = small_around()
    yaw = scene.city.graph.yaw
    hits = []
    for number, (target, _, _, _, told, _) in enumerate(cases()[0]):
        text = loosen(told.text, Random(number)).string
        found = read.point(text, scene, target.place, float(yaw[target.place]))
        hits.append(found is not None and pixels(found, target.direction) <= 40)
    assert np.mean(hits) >= 0.75


def test_same_numbers_same_words_other_numbers_other_words() -> None:
    scene = small_around()
    target, heading, places, _, told, _ = cases()[0][0]
    others = {describe(scene, target, heading, places, 3, number) for number in (500, 501, 502, 503)}
    assert len({other.text.string for other in others if other}) >= 3
    again = [describe(scene, target, heading, places, 9, 7) for _ in range(2)]
    assert again[0] == again[1]
    assert told.opening.string
    assert told.rest.string


def test_lengths_are_like_peoples_and_hardly_two_are_alike() -> None:
    texts = [told.text.string for *_, told, _ in cases()[0]]
    assert 23 < np.mean([len(tokens(text)) for text in texts]) < 37
    assert len(set(texts)) == len(texts)
    ends = {text.split(".")[-2] for text in texts if text.count(".") > 1}
    assert len(ends) > 0.9 * len(texts) * 0.8


def test_nothing_is_told_of_the_sky() -> None:
    scene: SceneIndex = small_around()
    sky = Target(0, -1, 0, 0, None, Direction(0.0, 40.0), np.inf)
    assert describe(scene, sky, 0.0, [0], 0, 0) is None


@pytest.mark.parametrize("what", ["unique entity", "coreference", "allocentric", "egocentric", "state verification"])
def test_phenomena_are_marked(what: str) -> None:
    marks = [mark for *_, told, _ in cases()[0] for mark in told.text.marks if mark.what == what]
    assert len(marks) > 0.3 * len(cases()[0])

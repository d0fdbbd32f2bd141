"""Minimal pairs: one word, another answer, and the follower takes the word."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import pairwise
from typing import Any, cast

import pytest

from bearleft.errors import InputError
from bearleft.generate.minimal_pairs import KINDS as ALL
from bearleft.generate.minimal_pairs import pair_episodes
from bearleft.language.descriptions.locate import pixel_distance
from bearleft.language.descriptions.parse import locate_description
from bearleft.language.instructions.parse import parse_frames
from bearleft.language.instructions.semantics import follow_frames
from bearleft.language.minimal_pairs.pointing import (
    KINDS,
    MIN_ANSWER_PIXELS,
    PASSES_OVER_PLACES,
    Kind,
    Pair,
    episodes_from_pairs,
    generate_pairs,
    iterate_pairs,
)
from bearleft.language.minimal_pairs.walking import KINDS as WALKS
from bearleft.language.minimal_pairs.walking import MIN_ANSWER_PIXELS as STEPS
from bearleft.language.minimal_pairs.walking import Kind as Walk
from bearleft.language.minimal_pairs.walking import WalkPair, episodes_from_walk_pairs, generate_walk_pairs
from bearleft.language.referring.parse import look
from bearleft.language.scene_index import SceneIndex, VisibleObjects
from bearleft.records import Direction, Episode, Point, Reach
from bearleft.world.city.traffic_flow import drivable_links
from bearleft.world.graphs.shortest_paths import PathFinder
from tests.language.descriptions.point_scene import small_around


@pytest.fixture(scope="module")
def scene() -> SceneIndex:
    return small_around()


@pytest.fixture(scope="module")
def paths(scene: SceneIndex) -> PathFinder:
    return PathFinder.make(scene.city.graph, drivable_links(scene.plan))


def one_word(pair: Pair | WalkPair) -> bool:
    """Whether the texts are the same around one word each."""
    (begin, end), (other, last) = pair.spans
    word, changed = pair.text[begin:end], pair.changed[other:last]
    same = pair.text[:begin] == pair.changed[:other] and pair.text[end:] == pair.changed[last:]
    return same and word != changed and word.isalpha() and changed.isalpha()


@pytest.mark.parametrize("kind", KINDS)
def test_one_word_changes_and_the_follower_takes_it(scene: SceneIndex, kind: Kind) -> None:
    some = generate_pairs(scene, kind, 12, seed=4)
    assert len(some) >= (12 if kind in ("left-right", "first-second", "colour") else 2)
    hits = []
    for pair in some:
        assert one_word(pair)
        assert pixel_distance(pair.answer, pair.changed_answer) >= MIN_ANSWER_PIXELS
        for text, answer in ((pair.text, pair.answer), (pair.changed, pair.changed_answer)):
            found = locate_description(text, scene, pair.place, pair.heading)
            hits.append(found is not None and pixel_distance(found, answer) <= 40)
    assert sum(hits) >= 0.95 * len(hits)


@pytest.mark.parametrize("kind", WALKS)
def test_one_word_changes_where_one_walks(scene: SceneIndex, paths: PathFinder, kind: Walk) -> None:
    some = generate_walk_pairs(scene, paths, kind, 15, seed=4)
    assert len(some) >= 8
    for pair in some:
        assert one_word(pair)
        assert pair.route[0] == pair.changed_route[0]
        assert paths.graph.hops(pair.route[-1])[pair.changed_route[-1]] >= STEPS
        for text, route in ((pair.text, pair.route), (pair.changed, pair.changed_route)):
            assert tuple(follow_frames(parse_frames(text), scene, paths, route[0], pair.facing)) == route
            assert all(scene.city.graph.link(*step) is not None for step in pairwise(route))


def test_as_episodes(scene: SceneIndex, paths: PathFinder) -> None:
    some = generate_pairs(scene, "colour", 3, seed=1)
    found = list(episodes_from_pairs(scene, some))
    assert [episode.extra["pair"] for episode in found] == [0, 0, 1, 1, 2, 2]
    assert [episode.extra["changed"] for episode in found[:2]] == [False, True]
    assert all(episode.extra["kind"] == "colour" and isinstance(episode.legs[0].goal, Point) for episode in found)
    assert len({episode.id for episode in found}) == 6
    walked = list(episodes_from_walk_pairs(scene, generate_walk_pairs(scene, paths, "turn-left-right", 2, seed=1)))
    assert all(isinstance(episode.legs[0].goal, Reach) for episode in walked)
    for episode in (*found, *walked):
        begin, end = episode.extra["span"]
        assert episode.legs[0].text[begin:end].isalpha()
        assert Episode.from_json(episode.to_json()) == episode


def test_either_word_may_be_the_changed_one(scene: SceneIndex) -> None:
    words = {pair.changed[slice(*pair.spans[1])].lower() for pair in generate_pairs(scene, "left-right", 12, seed=4)}
    assert words == {"left", "right"}


def test_by_name(scene: SceneIndex) -> None:
    heard: list[int] = []
    for kind in ALL:
        found, places = pair_episodes(scene, kind, 2, seed=4, progress=heard.append)
        assert [episode.extra["pair"] for episode in found] == [0, 0, 1, 1] and places >= 2
        assert {(episode.extra["kind"], episode.dataset) for episode in found} == {(kind, f"city/pairs/{kind}")}
        assert [episode.extra["changed"] for episode in found] == [False, True] * 2
        assert found[0].start == found[1].start and found[0].legs[0].goal != found[1].legs[0].goal
        assert pair_episodes(scene, kind, 1, seed=4)[0] == found[:2]
    assert heard[:2] == [1, 2] and len(heard) == 2 * len(ALL)
    with pytest.raises(InputError, match="kind of minimal pair"):
        pair_episodes(scene, "big-small", 1)


@pytest.fixture
def bare(scene: SceneIndex) -> SceneIndex:
    """The same city, and nobody sees a thing."""
    empty = SceneIndex(scene.city, scene.table)
    for place in range(len(scene.city.graph)):
        seen = scene.at(place)
        nothing = {one.name: getattr(seen, one.name)[:0] for one in fields(VisibleObjects) if one.name != "place"}
        empty._kept[place] = replace(seen, **cast(Any, nothing))
    return empty


@pytest.mark.parametrize("kind", KINDS)
def test_where_nothing_is_seen_there_is_no_pair_and_no_answer(scene: SceneIndex, bare: SceneIndex, kind: Kind) -> None:
    assert generate_pairs(bare, kind, 1) == []
    for pair in generate_pairs(scene, kind, 3, seed=4):
        assert locate_description(pair.changed, bare, pair.place, pair.heading) is None


def test_texts_are_read_where_most_of_what_they_name_is_not_seen(scene: SceneIndex) -> None:
    some = [pair for kind in KINDS for pair in generate_pairs(scene, kind, 3, seed=4)]
    alone = SceneIndex(scene.city, scene.table)
    for pair in some:
        seen = scene.at(pair.place)
        for row in range(min(len(seen), 12)):
            one = {
                f.name: getattr(seen, f.name)[row : row + 1]
                for f in fields(VisibleObjects)
                if f.name not in ("place", "rows")
            }
            for place in range(len(scene.city.graph)):
                alone._kept[place] = replace(seen, place=place, **cast(Any, one))
            found = locate_description(pair.text, alone, pair.place, pair.heading)
            assert found is None or -90 <= found.pitch <= 90


def test_walkers_and_lookers_go_on_where_nothing_is_seen(bare: SceneIndex, paths: PathFinder) -> None:
    told = "Go with the flow of traffic, with the red awning on your left. Turn right at the second light and stop."
    assert follow_frames(parse_frames(told), bare, paths, 0, 0.0)[0] == 0
    views = look(("Find the tree.", "Left of it is a bus.", "Waldo is on its roof."), bare, 0, Direction(10.0, 0.0))
    assert len(views) == 3


def test_the_same_seed_gives_the_same_pairs(scene: SceneIndex) -> None:
    def key(some: list[Pair]) -> list[tuple[str, str]]:
        return [(pair.text, pair.changed) for pair in some]

    assert key(generate_pairs(scene, "left-right", 3, 7)) == key(generate_pairs(scene, "left-right", 5, 7))[:3]
    assert key(generate_pairs(scene, "left-right", 3, 7)) != key(generate_pairs(scene, "left-right", 3, 8))


def test_what_is_refused(scene: SceneIndex) -> None:
    with pytest.raises(InputError, match="kind of minimal pair"):
        generate_pairs(scene, "big and small", 1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at least one pair"):
        generate_pairs(scene, "colour", 0)


def test_a_place_is_asked_again_and_no_pair_comes_twice(scene: SceneIndex) -> None:
    found = list(iterate_pairs(scene, "left-right", 3))
    places = len(scene.city.graph)
    assert len(found) == PASSES_OVER_PLACES * places
    again = [pair for pair in found[places:] if pair is not None]
    assert again, "other draws find other pairs"
    asked = [(pair.place, frozenset((pair.answer, pair.changed_answer))) for pair in found if pair is not None]
    assert len(set(asked)) == len(asked)

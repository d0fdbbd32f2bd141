"""Minimal pairs: texts that differ in one word and have different answers."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import pairwise
from typing import Any, cast

import pytest

from bearleft.errors import InputError
from bearleft.generate.minimal_pairs import KINDS as ALL_KINDS
from bearleft.generate.minimal_pairs import pair_episodes
from bearleft.language.descriptions.locate import pixel_distance
from bearleft.language.descriptions.parse import locate_description
from bearleft.language.instructions.parse import parse_frames
from bearleft.language.instructions.semantics import follow_frames
from bearleft.language.minimal_pairs.descriptions import (
    DESCRIPTION_KINDS,
    MIN_ANSWER_PIXELS,
    PASSES_OVER_PLACES,
    DescriptionKind,
    DescriptionPair,
    description_pair_episodes,
    generate_description_pairs,
    iterate_description_pairs,
)
from bearleft.language.minimal_pairs.instructions import (
    INSTRUCTION_KINDS,
    MIN_END_STEPS,
    InstructionKind,
    InstructionPair,
    generate_instruction_pairs,
    instruction_pair_episodes,
)
from bearleft.language.referring.parse import follow_sentences
from bearleft.language.scene_index import SceneIndex, VisibleObjects
from bearleft.records import Direction, Episode, Point, Reach
from bearleft.world.city.traffic_flow import drivable_links
from bearleft.world.graphs.shortest_paths import PathFinder
from tests.language.descriptions.point_scene import small_scene


@pytest.fixture(scope="module")
def scene() -> SceneIndex:
    return small_scene()


@pytest.fixture(scope="module")
def paths(scene: SceneIndex) -> PathFinder:
    return PathFinder.make(scene.city.graph, drivable_links(scene.plan))


def differs_in_one_word(pair: DescriptionPair | InstructionPair) -> bool:
    """Return whether the two texts differ in exactly one word."""
    (begin, end), (changed_begin, changed_end) = pair.spans
    word, changed_word = pair.text[begin:end], pair.changed_text[changed_begin:changed_end]
    rest_is_equal = (
        pair.text[:begin] == pair.changed_text[:changed_begin] and pair.text[end:] == pair.changed_text[changed_end:]
    )
    return rest_is_equal and word != changed_word and word.isalpha() and changed_word.isalpha()


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("kind", DESCRIPTION_KINDS)
def test_follower_answers_both_texts_of_a_pair(scene: SceneIndex, kind: DescriptionKind) -> None:
    pairs = generate_description_pairs(scene, kind, 12, seed=4)
    assert len(pairs) >= (12 if kind in ("left-right", "first-second", "colour") else 2)
    hits = []
    for pair in pairs:
        assert differs_in_one_word(pair)
        assert pixel_distance(pair.answer, pair.changed_answer) >= MIN_ANSWER_PIXELS
        for text, answer in ((pair.text, pair.answer), (pair.changed_text, pair.changed_answer)):
            located = locate_description(text, scene, pair.place, pair.heading)
            hits.append(located is not None and pixel_distance(located, answer) <= 40)
    assert sum(hits) >= 0.95 * len(hits)


@pytest.mark.parametrize("kind", INSTRUCTION_KINDS)
def test_follower_walks_both_routes_of_a_pair(scene: SceneIndex, paths: PathFinder, kind: InstructionKind) -> None:
    pairs = generate_instruction_pairs(scene, paths, kind, 15, seed=4)
    assert len(pairs) >= 8
    for pair in pairs:
        assert differs_in_one_word(pair)
        assert pair.route[0] == pair.changed_route[0]
        assert paths.graph.hops(pair.route[-1])[pair.changed_route[-1]] >= MIN_END_STEPS
        for text, route in ((pair.text, pair.route), (pair.changed_text, pair.changed_route)):
            assert tuple(follow_frames(parse_frames(text), scene, paths, route[0], pair.facing)) == route
            assert all(scene.city.graph.find_link(*step) is not None for step in pairwise(route))


def test_pairs_become_episodes(scene: SceneIndex, paths: PathFinder) -> None:
    pairs = generate_description_pairs(scene, "colour", 3, seed=1)
    episodes = list(description_pair_episodes(scene, pairs))
    assert [episode.extra["pair"] for episode in episodes] == [0, 0, 1, 1, 2, 2]
    assert [episode.extra["changed"] for episode in episodes[:2]] == [False, True]
    assert all(episode.extra["kind"] == "colour" and isinstance(episode.legs[0].goal, Point) for episode in episodes)
    assert len({episode.id for episode in episodes}) == 6
    walk_episodes = list(
        instruction_pair_episodes(scene, generate_instruction_pairs(scene, paths, "turn-left-right", 2, seed=1))
    )
    assert all(isinstance(episode.legs[0].goal, Reach) for episode in walk_episodes)
    for episode in (*episodes, *walk_episodes):
        begin, end = episode.extra["span"]
        assert episode.legs[0].text[begin:end].isalpha()
        assert Episode.from_json(episode.to_json()) == episode


def test_either_word_can_be_the_changed_one(scene: SceneIndex) -> None:
    words = {
        pair.changed_text[slice(*pair.spans[1])].lower()
        for pair in generate_description_pairs(scene, "left-right", 12, seed=4)
    }
    assert words == {"left", "right"}


@pytest.mark.slow
def test_pair_episodes_of_every_kind(scene: SceneIndex) -> None:
    reported: list[int] = []
    for kind in ALL_KINDS:
        episodes, places = pair_episodes(scene, kind, 2, seed=4, progress=reported.append)
        assert [episode.extra["pair"] for episode in episodes] == [0, 0, 1, 1] and places >= 2
        assert {(episode.extra["kind"], episode.dataset) for episode in episodes} == {(kind, f"city/pairs/{kind}")}
        assert [episode.extra["changed"] for episode in episodes] == [False, True] * 2
        assert episodes[0].start == episodes[1].start and episodes[0].legs[0].goal != episodes[1].legs[0].goal
        assert pair_episodes(scene, kind, 1, seed=4)[0] == episodes[:2]
    assert reported[:2] == [1, 2] and len(reported) == 2 * len(ALL_KINDS)
    with pytest.raises(InputError, match="kind of minimal pair"):
        pair_episodes(scene, "big-small", 1)


@pytest.fixture
def empty_scene(scene: SceneIndex) -> SceneIndex:
    """The same city without any visible object."""
    empty = SceneIndex(scene.city, scene.table)
    for place in range(len(scene.city.graph)):
        visible = scene.at(place)
        columns = {
            field.name: getattr(visible, field.name)[:0] for field in fields(VisibleObjects) if field.name != "place"
        }
        empty._cache[place] = replace(visible, **cast(Any, columns))
    return empty


@pytest.mark.parametrize("kind", DESCRIPTION_KINDS)
def test_empty_scene_has_no_pairs_and_no_answers(
    scene: SceneIndex, empty_scene: SceneIndex, kind: DescriptionKind
) -> None:
    assert generate_description_pairs(empty_scene, kind, 1) == []
    for pair in generate_description_pairs(scene, kind, 3, seed=4):
        assert locate_description(pair.changed_text, empty_scene, pair.place, pair.heading) is None


@pytest.mark.slow
def test_locating_tolerates_missing_objects(scene: SceneIndex) -> None:
    pairs = [pair for kind in DESCRIPTION_KINDS for pair in generate_description_pairs(scene, kind, 3, seed=4)]
    single_object_scene = SceneIndex(scene.city, scene.table)
    for pair in pairs:
        visible = scene.at(pair.place)
        for row in range(min(len(visible), 12)):
            columns = {
                field.name: getattr(visible, field.name)[row : row + 1]
                for field in fields(VisibleObjects)
                if field.name not in ("place", "rows")
            }
            for place in range(len(scene.city.graph)):
                single_object_scene._cache[place] = replace(visible, place=place, **cast(Any, columns))
            located = locate_description(pair.text, single_object_scene, pair.place, pair.heading)
            assert located is None or -90 <= located.pitch <= 90


def test_walking_and_looking_tolerate_an_empty_scene(empty_scene: SceneIndex, paths: PathFinder) -> None:
    instruction = (
        "Go with the flow of traffic, with the red awning on your left. Turn right at the second light and stop."
    )
    assert follow_frames(parse_frames(instruction), empty_scene, paths, 0, 0.0)[0] == 0
    views = follow_sentences(
        ("Find the tree.", "Left of it is a bus.", "Waldo is on its roof."), empty_scene, 0, Direction(10.0, 0.0)
    )
    assert len(views) == 3


def test_same_seed_gives_the_same_pairs(scene: SceneIndex) -> None:
    def key(pairs: list[DescriptionPair]) -> list[tuple[str, str]]:
        return [(pair.text, pair.changed_text) for pair in pairs]

    assert (
        key(generate_description_pairs(scene, "left-right", 3, 7))
        == key(generate_description_pairs(scene, "left-right", 5, 7))[:3]
    )
    assert key(generate_description_pairs(scene, "left-right", 3, 7)) != key(
        generate_description_pairs(scene, "left-right", 3, 8)
    )


def test_invalid_arguments_raise(scene: SceneIndex) -> None:
    with pytest.raises(InputError, match="kind of minimal pair"):
        generate_description_pairs(scene, "big and small", 1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at least one pair"):
        generate_description_pairs(scene, "colour", 0)


@pytest.mark.slow
def test_places_are_revisited_without_duplicate_pairs(scene: SceneIndex) -> None:
    pairs = list(iterate_description_pairs(scene, "left-right", 3))
    places = len(scene.city.graph)
    assert len(pairs) == PASSES_OVER_PLACES * places
    later_pairs = [pair for pair in pairs[places:] if pair is not None]
    assert later_pairs, "other draws find other pairs"
    keys = [(pair.place, frozenset((pair.answer, pair.changed_answer))) for pair in pairs if pair is not None]
    assert len(set(keys)) == len(keys)

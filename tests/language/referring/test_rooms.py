"""Tests of referring sentences in rooms: writing, parsing and following."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest

from bearleft.agents import follower
from bearleft.agents.follower import Follower
from bearleft.evaluation.play import play
from bearleft.experiments.refer360.ablation import ablation, city_sequences
from bearleft.geometry import angle_between
from bearleft.language.referring import templates
from bearleft.language.referring.parse import follow_sentences, tokenize_sentence
from bearleft.language.referring.view import SURFACES, ViewBox, cast_directions, move_onto_surface, relation_cost
from bearleft.language.referring.write import Sentence, write_sequence
from bearleft.language.scene_index import ROOM_SHELL_KINDS, SceneIndex
from bearleft.records import Direction, Point
from bearleft.world.city.catalog import class_index
from bearleft.world.city.city import open_city
from bearleft.world.targets import Target, random_targets
from bearleft.world.visibility.table import visibility_table

WORLD = "rooms/3/12"
LOOKING_UP = Direction(0.0, 90.0)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> SceneIndex:
    city = open_city(WORLD)
    return SceneIndex(city, visibility_table(city, tmp_path_factory.mktemp("rooms") / "table", width=512))


@cache
def targets_and_sequences(scene: SceneIndex) -> list[tuple[Target, list[Sentence] | None]]:
    places = np.repeat(np.arange(12), 5)
    return [
        (target, write_sequence(scene, target, 4, k)) for k, target in enumerate(random_targets(scene.city, places, 4))
    ]


@pytest.mark.slow
def test_most_targets_in_rooms_round_trip(scene: SceneIndex) -> None:
    pairs = [(target, sentences) for target, sentences in targets_and_sequences(scene) if sentences]
    assert len(pairs) >= 57
    errors = [
        angle_between(
            follow_sentences([sentence.text.string for sentence in sentences], scene, target.place, LOOKING_UP)[-1],
            target.direction,
        )
        for target, sentences in pairs
    ]
    assert np.mean(np.array(errors) < 11) > 0.97


def test_same_seed_gives_same_sentences(scene: SceneIndex) -> None:
    target, sentences = targets_and_sequences(scene)[7]
    assert write_sequence(scene, target, 4, 7) == sentences
    assert write_sequence(scene, target, 5, 7) != sentences


def test_walls_floors_and_ceilings_are_surfaces_not_objects(scene: SceneIndex) -> None:
    assert len(ROOM_SHELL_KINDS) == 3
    for place in range(12):
        assert not np.isin(scene.at(place).kind, [class_index(name) for name in ("wall", "floor", "ceiling")]).any()
    texts = [
        sentence.text.string.lower() for _, sentences in targets_and_sequences(scene) for sentence in sentences or ()
    ]
    for surface in ("the wall", "the floor", "the ceiling"):
        assert any(surface in text for text in texts)
    assert not any(word in text for text in texts for word in ("sidewalk", "the street", "in the sky", "the road"))


def test_named_surface_is_that_of_the_target(scene: SceneIndex) -> None:
    for target, sentences in targets_and_sequences(scene):
        last = sentences[-1].text.string.lower() if sentences else ""
        for surface in ("floor", "ceiling"):
            if f"on the {surface}" in last:
                hits = cast_directions(scene, target.place, [target.direction.heading], [target.direction.pitch])
                assert int(hits.kind[0]) in SURFACES[surface]


def test_top_of_the_wall_is_the_seam_with_the_ceiling(scene: SceneIndex) -> None:
    seams = 0
    for place in range(12):
        for heading in range(0, 360, 30):
            moved = move_onto_surface(scene, place, Direction(heading, 25.0), "top of the wall", 20.0)
            if moved == Direction(heading, 25.0):
                continue
            kinds = cast_directions(scene, place, [heading] * 2, [moved.pitch - 1.0, moved.pitch + 1.0]).kind
            seams += int(kinds[0]) in SURFACES["wall"] and int(kinds[1]) in SURFACES["ceiling"]
    assert seams > 60


def test_room_surfaces_are_parsed() -> None:
    for surface in ("wall", "floor", "ceiling", "top of the wall", "foot of the wall"):
        for k in range(10):
            piece = templates.SURFACES[surface].render(Random(k)).string
            (token, *_) = tokenize_sentence(f"{piece} above the couch", indoors=True)
            assert (token.letter, token.value) == ("S", surface)
    letters = "".join(
        token.letter for token in tokenize_sentence("the second window to the left of the tv", indoors=True)
    )
    assert letters == "TRT"


def test_wall_objects_are_in_front_of_nothing(scene: SceneIndex) -> None:
    wall_kinds = [class_index(name) for name in ("painting", "room door", "room window", "wall clock", "mirror")]
    for place in range(12):
        visible = scene.at(place)
        for row in range(len(visible)):
            in_front = np.isfinite(relation_cost(visible, "before", ViewBox.of(visible, row)))
            assert not (in_front & np.isin(visible.kind, wall_kinds)).any()


@pytest.mark.slow
def test_follower_finds_targets_in_rooms(scene: SceneIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "open_scene_index", lambda world, *_: scene if world == WORLD else None)
    episodes = list(city_sequences(scene, 12, 2))
    assert all(episode.world == WORLD for episode in episodes)
    correct = []
    for episode in episodes:
        (trace,) = play(Follower(), episode)
        goal = episode.legs[0].goal
        assert isinstance(trace.answer, Direction) and isinstance(goal, Point)
        correct.append(angle_between(trace.answer, goal.direction) < 11)
    assert np.mean(correct) > 0.9
    rows = {(row["row"], row["metric"]): row["ours"] for row in ablation(scene, episodes)}
    assert rows["all sentences", "Acc@11deg"] > 90 > rows["last sentence", "Acc@11deg"]

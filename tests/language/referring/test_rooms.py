"""Refer360-like sequences in rooms: written, read back, and followed."""

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
from bearleft.language.referring import templates as words
from bearleft.language.referring.parse import follow_sentences, tokenize_sentence
from bearleft.language.referring.view import SURFACES, ViewBox, cast_directions, move_onto_surface, relation_cost
from bearleft.language.referring.write import Sentence, write_sequence
from bearleft.language.scene_index import ROOM_SHELL_KINDS, SceneIndex
from bearleft.records import Direction, Point
from bearleft.world.city.catalog import class_index
from bearleft.world.city.city import open_city
from bearleft.world.targets import Target, anywhere
from bearleft.world.visibility.table import visibility_table

WORLD = "rooms/3/12"
UP = Direction(0.0, 90.0)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> SceneIndex:
    city = open_city(WORLD)
    return SceneIndex(city, visibility_table(city, tmp_path_factory.mktemp("rooms") / "table", width=512))


@cache
def told(scene: SceneIndex) -> list[tuple[Target, list[Sentence] | None]]:
    places = np.repeat(np.arange(12), 5)
    return [(target, write_sequence(scene, target, 4, k)) for k, target in enumerate(anywhere(scene.city, places, 4))]


def test_nearly_every_spot_of_a_room_is_told_and_found_again(scene: SceneIndex) -> None:
    found = [(target, said) for target, said in told(scene) if said]
    assert len(found) >= 57
    off = [
        angle_between(
            follow_sentences([one.text.string for one in said], scene, target.place, UP)[-1], target.direction
        )
        for target, said in found
    ]
    assert np.mean(np.array(off) < 11) > 0.97


def test_the_same_seed_says_the_same(scene: SceneIndex) -> None:
    target, said = told(scene)[7]
    assert write_sequence(scene, target, 4, 7) == said
    assert write_sequence(scene, target, 5, 7) != said


def test_walls_floors_and_ceilings_are_surfaces_and_no_things(scene: SceneIndex) -> None:
    assert len(ROOM_SHELL_KINDS) == 3
    for place in range(12):
        assert not np.isin(scene.at(place).kind, [class_index(name) for name in ("wall", "floor", "ceiling")]).any()
    spoken = [one.text.string.lower() for _, said in told(scene) for one in said or ()]
    for surface in ("the wall", "the floor", "the ceiling"):
        assert any(surface in text for text in spoken)
    assert not any(word in text for text in spoken for word in ("sidewalk", "the street", "in the sky", "the road"))


def test_things_on_surfaces_are_meant_where_they_lie(scene: SceneIndex) -> None:
    for target, said in told(scene):
        last = said[-1].text.string.lower() if said else ""
        for surface in ("floor", "ceiling"):
            if f"on the {surface}" in last:
                met = cast_directions(scene, target.place, [target.direction.heading], [target.direction.pitch])
                assert int(met.kind[0]) in SURFACES[surface]


def test_a_seam_is_where_two_surfaces_meet(scene: SceneIndex) -> None:
    seen = 0
    for place in range(12):
        for heading in range(0, 360, 30):
            found = move_onto_surface(scene, place, Direction(heading, 25.0), "top of the wall", 20.0)
            if found == Direction(heading, 25.0):
                continue
            kinds = cast_directions(scene, place, [heading] * 2, [found.pitch - 1.0, found.pitch + 1.0]).kind
            seen += int(kinds[0]) in SURFACES["wall"] and int(kinds[1]) in SURFACES["ceiling"]
    assert seen > 60


def test_pieces_of_rooms_are_read() -> None:
    for surface in ("wall", "floor", "ceiling", "top of the wall", "foot of the wall"):
        for k in range(10):
            said = words.SURFACES[surface].render(Random(k)).string
            (token, *_) = tokenize_sentence(f"{said} above the couch", indoors=True)
            assert (token.letter, token.value) == ("S", surface)
    letters = "".join(
        token.letter for token in tokenize_sentence("the second window to the left of the tv", indoors=True)
    )
    assert letters == "TRT"


def test_what_hangs_on_walls_stands_before_nothing(scene: SceneIndex) -> None:
    fixed = [class_index(name) for name in ("painting", "room door", "room window", "wall clock", "mirror")]
    for place in range(12):
        sight = scene.at(place)
        for row in range(len(sight)):
            before = np.isfinite(relation_cost(sight, "before", ViewBox.of(sight, row)))
            assert not (before & np.isin(sight.kind, fixed)).any()


def test_the_follower_looks_around_rooms(scene: SceneIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "open_scene_index", lambda world: scene if world == WORLD else None)
    episodes = list(city_sequences(scene, 12, 2))
    assert all(episode.world == WORLD for episode in episodes)
    found = []
    for episode in episodes:
        (done,) = play(Follower(), episode)
        goal = episode.legs[0].goal
        assert isinstance(done.answer, Direction) and isinstance(goal, Point)
        found.append(angle_between(done.answer, goal.direction) < 11)
    assert np.mean(found) > 0.9
    rows = {(row["row"], row["metric"]): row["ours"] for row in ablation(scene, episodes)}
    assert rows["all sentences", "Acc@11deg"] > 90 > rows["last sentence", "Acc@11deg"]

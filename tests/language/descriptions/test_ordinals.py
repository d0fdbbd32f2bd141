"""Tests of objects picked by their rank, of groups, and of where objects stand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bearleft.geometry import turn
from bearleft.language.annotated_text import Text
from bearleft.language.descriptions.anchors import MIN_SHARE
from bearleft.language.descriptions.ordinals import FIRST_WORDS, MIN_GAP, count_rank, ranked_words
from bearleft.language.descriptions.parse import parse_description
from bearleft.language.descriptions.places import PLACE_WORDS, group_of, group_words, places_of
from bearleft.language.descriptions.semantics import Scorer, Selector, Viewpoint
from bearleft.language.noun_phrases import chunk, match
from bearleft.language.writer_random import WriterRandom
from bearleft.world.city.catalog import class_index
from tests.language.descriptions.point_scene import small_scene

NOUNS = ("the tree", "the trash can", "the lamp post", "the car", "the awning", "the hydrant")


def viewpoints() -> list[Viewpoint]:
    scene = small_scene()
    return [
        Viewpoint(scene, scene.at(place), float(scene.city.graph.yaw[place]))
        for place in range(0, len(scene.city.graph), 3)
    ]


def test_ranks_are_counted_by_distance_and_read_back() -> None:
    found = 0
    for viewpoint in viewpoints():
        visible = viewpoint.visible
        for noun in NOUNS:
            phrase = chunk(noun)[1][0]
            for row in np.flatnonzero(match(phrase, visible)).tolist():
                for side in ("", "left", "right"):
                    rank = count_rank(viewpoint, row, phrase, side)
                    if not rank:
                        continue
                    found += 1
                    # Slow twin: nothing alike on that side is nearer, except those that are counted before it.
                    middle = viewpoint.heading + {"": 0, "left": -90, "right": 90}[side]
                    nearer = [
                        k
                        for k in np.flatnonzero(match(phrase, visible)).tolist()
                        if (not side or abs(float(turn(middle, visible.heading[k]))) < 70)
                        and visible.nearest[k] < visible.nearest[row] + MIN_GAP
                        and k != row
                    ]
                    assert len(nearer) <= rank - 1
                    assert visible.share[row] >= MIN_SHARE
                    side_words = f"on your {side}" if side else ""
                    words = ranked_words(WriterRandom("0"), Text(noun).with_mentions(1), rank, side_words)
                    meaning = parse_description(f"Look for {words.string}. Touchdown is on it.")
                    assert meaning.refs[0].side == side and meaning.refs[0].pick == Selector("near", rank)
                    assert Scorer(viewpoint, meaning).best(0)[0] == row, words.string
    assert found > 20


def test_every_form_of_the_first_is_read() -> None:
    for with_side, forms in FIRST_WORDS.items():
        for form in forms:
            words = form.format(noun="tree", side="on your left")
            meaning = parse_description(f"Stop at the {words}. Touchdown is on top of that tree.")
            assert len(meaning.refs) == 1, words
            assert meaning.refs[0].pick == Selector("near", 1) and meaning.refs[0].side == "left" * with_side, words


def test_buildings_are_not_counted() -> None:
    for viewpoint in viewpoints()[:5]:
        rows = np.flatnonzero(viewpoint.visible.kind == class_index("building"))
        assert not any(count_rank(viewpoint, int(row), chunk("the building")[1][0], "left") for row in rows)


def test_groups_stand_together_and_are_counted_only_if_all_are_seen() -> None:
    found = 0
    phrases = [chunk(words)[1][0] for words in ("people", "cones", "bikes", "newspaper boxes", "storefronts")]
    for viewpoint, phrase in itertools.product(viewpoints()[:30], phrases):
        for row in np.flatnonzero(match(phrase, viewpoint.visible)).tolist()[:5]:
            group, counted = group_of(viewpoint, row, phrase)
            assert (viewpoint.visible.share[group] >= MIN_SHARE).all()
            assert not counted or row in group
            found += len(group) > 1
    assert found


@pytest.mark.parametrize(("count", "counted"), [(2, True), (2, False), (3, True), (4, True), (9, True), (5, False)])
def test_words_for_groups_are_read_as_one_phrase(count: int, counted: bool) -> None:
    for seed in range(40):
        words = group_words(WriterRandom(str(seed)), count, counted)
        normal, phrases = chunk(f"{words} orange cones")
        assert normal == "@0 " and phrases[0].plural and phrases[0].number in (1, count), words


def test_what_stands_on_the_sidewalk_is_no_part_of_a_building() -> None:
    found: set[str] = set()
    for viewpoint in viewpoints():
        for row in range(0, len(viewpoint.visible), 4):
            places = places_of(viewpoint, row)
            found.update(places)
            assert not places or not viewpoint.visible.owner[row]
            assert not {"sidewalk", "road"}.issubset(places)
    assert found == set(PLACE_WORDS)


@pytest.mark.parametrize("place", [words for table in PLACE_WORDS.values() for words in table])
def test_places_narrow_nothing(place: str) -> None:
    plain, placed = (
        parse_description(f"There is a trash can{words} on your left next to a tree. Touchdown is on the trash can.")
        for words in ("", f" {place}")
    )
    assert placed.relations == plain.relations and placed.spot == plain.spot
    assert [(ref.phrase.words, ref.side) for ref in placed.refs] == [(ref.phrase.words, ref.side) for ref in plain.refs]


def test_its_left_is_left_of_it() -> None:
    texts = [f"There is a mailbox. To {words} is a bench. Touchdown is on the bench." for words in
             ("its left", "the left of it")]  # fmt: skip
    meanings = [parse_description(text) for text in texts]
    assert meanings[0].relations == meanings[1].relations and meanings[0].relations[0].kind == "left"


def test_a_missing_article_refers_back() -> None:
    meaning = parse_description("There is a mailbox on your left. Touchdown is on top of mailbox.")
    assert len(meaning.refs) == 1 and meaning.spot is not None and meaning.spot.ref_index == 0

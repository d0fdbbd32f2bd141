"""Minimal pairs: one word, another answer, and the follower takes the word."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bearleft.data.wording.around import Around
from bearleft.data.wording.pairs.point import APART, KINDS, Kind, Pair, episodes, pairs
from bearleft.data.wording.pairs.walk import KINDS as WALKS
from bearleft.data.wording.pairs.walk import Kind as Walk
from bearleft.data.wording.pairs.walk import walk_episodes, walk_pairs
from bearleft.data.wording.pointing import read
from bearleft.data.wording.pointing.locate import pixels
from bearleft.data.wording.walking.read import scan
from bearleft.data.wording.walking.walk import meaning
from bearleft.errors import InputError
from bearleft.records import Episode, Point, Reach
from bearleft.world.city.flow import may_drive
from bearleft.world.routes import Ways
from tests.data.wording.pointing.point_scene import small_around


@pytest.fixture(scope="module")
def around() -> Around:
    return small_around()


@pytest.fixture(scope="module")
def ways(around: Around) -> Ways:
    return Ways.make(around.city.graph, may_drive(around.plan))


def one_word(text: str, changed: str, span: tuple[int, int]) -> bool:
    before, after = text.split(), changed.split()
    off = [k for k, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    word = changed[span[0] : span[1]]
    return len(off) == 1 and word in after[off[0]] and " " not in word


@pytest.mark.parametrize("kind", KINDS)
def test_one_word_changes_and_the_follower_takes_it(around: Around, kind: Kind) -> None:
    some = pairs(around, kind, 12, seed=4)
    assert len(some) >= (12 if kind in ("left and right", "first and second", "colour") else 2)
    hits = []
    for pair in some:
        assert one_word(pair.text, pair.changed, pair.span)
        assert pixels(pair.answer, pair.changed_answer) >= APART
        for text, answer in ((pair.text, pair.answer), (pair.changed, pair.changed_answer)):
            found = read.point(text, around, pair.place, pair.heading)
            hits.append(found is not None and pixels(found, answer) <= 40)
    assert sum(hits) >= 0.95 * len(hits)


@pytest.mark.parametrize("kind", WALKS)
def test_one_word_changes_where_one_walks(around: Around, ways: Ways, kind: Walk) -> None:
    some = walk_pairs(around, ways, kind, 15, seed=4)
    assert len(some) >= 8
    for pair in some:
        assert one_word(pair.text, pair.changed, pair.span)
        assert pair.route[0] == pair.changed_route[0]
        assert pair.route[-1] != pair.changed_route[-1]
        for text, route in ((pair.text, pair.route), (pair.changed, pair.changed_route)):
            assert tuple(meaning(scan(text), around, ways, route[0], pair.facing)) == route
            assert all(around.city.graph.link(*step) is not None for step in pairwise(route))


def test_as_episodes(around: Around, ways: Ways) -> None:
    some = pairs(around, "colour", 3, seed=1)
    found = list(episodes(around, some))
    assert [episode.extra["pair"] for episode in found] == [0, 0, 1, 1, 2, 2]
    assert [episode.extra["changed"] for episode in found[:2]] == [False, True]
    assert all(episode.extra["kind"] == "colour" and isinstance(episode.legs[0].goal, Point) for episode in found)
    assert len({episode.id for episode in found}) == 6
    walked = list(walk_episodes(around, walk_pairs(around, ways, "turn left and right", 2, seed=1)))
    assert all(isinstance(episode.legs[0].goal, Reach) for episode in walked)
    for episode in (*found, *walked):
        assert Episode.from_json(episode.to_json()) == episode


def test_the_same_seed_gives_the_same_pairs(around: Around) -> None:
    def key(some: list[Pair]) -> list[tuple[str, str]]:
        return [(pair.text, pair.changed) for pair in some]

    assert key(pairs(around, "left and right", 3, 7)) == key(pairs(around, "left and right", 5, 7))[:3]
    assert key(pairs(around, "left and right", 3, 7)) != key(pairs(around, "left and right", 3, 8))


def test_what_is_refused(around: Around) -> None:
    with pytest.raises(InputError, match="kind of minimal pair"):
        pairs(around, "big and small", 1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at least one pair"):
        pairs(around, "colour", 0)

"""Tests of sightings: where the objects that texts mention are seen along routes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from bearleft.data import load  # noqa: E402
from bearleft.language.scene_index import open_visibility_table  # noqa: E402
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from bearleft.models.walking.examples import WalkExamples, WalkTable, build_walks, open_graphs  # noqa: E402
from bearleft.models.walking.sightings import (  # noqa: E402
    MENTIONS,
    MIN_SHARE,
    Sightings,
    box,
    concatenate_sightings,
    find_sightings,
    in_box,
    mentioned_tokens,
    mentions_of,
)
from bearleft.models.walking.states import StateTable  # noqa: E402
from bearleft.records import Reach  # noqa: E402
from bearleft.training.walking.losses import grounding_loss  # noqa: E402
from bearleft.world.city.city import open_city  # noqa: E402

SMALL, CHECKED = "city/touchdown/small", 6


@cache
def small_walks() -> WalkExamples:
    return build_walks(load(SMALL)[:CHECKED], 55, sightings=True)


@given(st.floats(0, 359.999), st.floats(0, 360), st.integers(0, 63))
def test_a_box_holds_the_sectors_that_it_touches(left: float, width: float, sector: int) -> None:
    packed = box(np.array([left]), np.array([width]))
    first, last = int(left / 5.625), int((left + width) / 5.625)
    expected = any(k % 64 == sector for k in range(first, last + 1))
    assert bool(in_box(torch.from_numpy(packed).long(), torch.tensor([sector]))) == expected


def test_nothing_is_in_no_box() -> None:
    assert not in_box(torch.zeros(64, dtype=torch.int64), torch.arange(64)).any()


def test_mentions_are_phrases_of_the_text() -> None:
    spans = [(0, 4), (5, 8), (9, 12), (13, 14)]  # "Pass red car ."
    assert mentioned_tokens(spans, np.array([4, 8, 11, 12, 14], np.int16)).tolist() == [0, 1, 2, 2, 3]
    assert mentioned_tokens([(2, 3)], np.array([1], np.int16)).tolist() == [0]
    for episode in load(SMALL)[:CHECKED]:
        ends = {end for _, _, end in episode.extra["landmarks"]["navigation_text"]}
        assert {end for _, end in mentions_of(episode)} == ends
        assert all(not episode.legs[0].text[end - 1].isspace() for end in ends)


def test_sightings_are_those_of_the_visibility_table() -> None:
    """Of every mention at every place of the route, by a search of the place's rows."""
    episodes, found = load(SMALL)[:CHECKED], small_walks().sightings
    assert found is not None and (found.boxes > 0).sum() > 50
    city = open_city(episodes[0].world)
    table = open_visibility_table(city)
    for k, episode in enumerate(episodes):
        goal = episode.legs[0].goal
        assert isinstance(goal, Reach)
        mentions = mentions_of(episode)[:MENTIONS]
        assert found.ends[k].tolist() == [end for _, end in mentions] + [0] * (MENTIONS - len(mentions))
        for m, (instance, _) in enumerate(mentions):
            for step, name in enumerate(goal.route):
                place = city.graph.place_index(name)
                rows = table.at(place)
                own = rows[(rows["instance"] == instance) & (rows["part"] == 0) & (rows["share"] >= MIN_SHARE)]
                packed = int(found.boxes[k, m, step])
                assert (packed > 0) == (len(own) == 1)
                if packed:
                    left = (float(own["left"][0]) - float(city.graph.yaw[place]) + 180.0) % 360.0
                    middle = int((left + float(own["width"][0]) / 2.0) / 5.625) % 64
                    assert bool(in_box(torch.tensor(packed), torch.tensor(middle)))


def test_targets_turn_with_the_walker_and_are_unknown_beside_the_route() -> None:
    walks = small_walks()
    table = StateTable.build(open_graphs(walks.worlds), walks.starts, torch.device("cpu"))
    examples = WalkTable.build(walks, table, Vocabulary.from_texts(walks.texts))
    assert examples.mentions is not None and walks.sightings is not None
    indices = torch.arange(len(walks))
    states = examples.states[:, :12]
    routes, places = examples.routes[indices], table.place[states]
    seen, known = examples.mentions.targets(indices, routes, places, table.heading[states])
    assert seen.any() and known.any() and not (seen.any(3) & ~known).any()
    assert (known.any(1) == (examples.mentions.tokens >= 0)).all()
    turned, _ = examples.mentions.targets(indices, routes, places, table.heading[states] + 90.0)
    assert torch.equal(turned, seen.roll(-16, 3))
    elsewhere = (places[:, :1] + 1).expand_as(places)
    on_route = (routes[:, None] == elsewhere[:, :, None]).any(2)
    assert not on_route.all()
    _, known = examples.mentions.targets(indices, routes, elsewhere, table.heading[states])
    assert not known[~on_route].any()
    phrases = [
        walks.texts[k][:end].split()[-1].strip(".,").lower() for k in range(2) for end in walks.sightings.ends[k] if end
    ]
    spans = [Vocabulary(()).spans(text) for text in walks.texts]
    words = [
        walks.texts[k][slice(*spans[k][token])].lower()
        for k in range(2)
        for token in examples.mentions.tokens[k].tolist()
        if token >= 0
    ]
    assert words == phrases


def test_the_loss_is_minus_the_log_of_the_share_in_the_right_sectors() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, 3, 5, 64 * 4 + 1))
    tokens = np.array([[1, 4, -1], [0, 2, 3]])
    seen = np.zeros((2, 3, 3, 64), bool)
    seen[0, 1, 0, [3, 4]] = seen[1, 2, 2, [0, 63]] = seen[1, 0, 1, 7] = True
    known = np.repeat((tokens >= 0)[:, None], 3, 1)
    known[1, 0, 1] = False
    shares = np.exp(scores) / np.exp(scores).sum(3, keepdims=True)
    sightings, others = [], []
    for b, t, m in np.argwhere(known):
        own = shares[b, t, tokens[b, m]]
        if seen[b, t, m].any():
            sightings.append(-np.log(own[:-1].reshape(64, 4)[seen[b, t, m]].sum()))
        else:
            others.append(-np.log(own[-1]))
    loss = grounding_loss(*(torch.from_numpy(x) for x in (scores, tokens, seen, known)))
    assert float(loss) == pytest.approx(np.mean(sightings) + np.mean(others))
    assert float(grounding_loss(*(torch.from_numpy(x) for x in (scores, tokens, seen, known & False)))) == 0.0


def test_walks_keep_their_sightings_in_parts_and_lose_them_with_other_texts() -> None:
    walks = small_walks()
    part = walks.subset(np.array([3, 1]))
    assert walks.sightings is not None and part.sightings is not None
    assert np.array_equal(part.sightings.boxes, walks.sightings.boxes[[3, 1]])
    assert walks.with_texts(walks.texts[::-1]).sightings is None
    assert replace(walks, sightings=None).fingerprint() != walks.fingerprint()


def test_sets_with_and_without_sightings_are_joined() -> None:
    found = small_walks().sightings
    assert found is not None
    short = Sightings(found.ends[:2], found.boxes[:2, :, :5])
    joined = concatenate_sightings([short, None, found], [2, 3, CHECKED])
    assert joined is not None and joined.boxes.shape == (5 + CHECKED, MENTIONS, found.boxes.shape[2])
    assert np.array_equal(joined.boxes[:2, :, :5], short.boxes) and not joined.boxes[:2, :, 5:].any()
    assert not joined.boxes[2:5].any() and np.array_equal(joined.boxes[5:], found.boxes)
    assert concatenate_sightings([None, None], [1, 2]) is None


def test_datasets_without_landmarks_have_no_sightings() -> None:
    assert find_sightings(load("town/dev")[:3]) is None

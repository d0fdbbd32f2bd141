"""The ranking task: what a person sees, in which order, and what is stored."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.web.tasks.ndtw_study import path_set_of
from bearleft.web.tasks.ndtw_study.rules import NAMES
from bearleft.web.tasks.ndtw_study.sets import drawing, shown_order
from tests.web.ndtw_study.conftest import NewRater

VIEW_FIELDS = {"nodes", "links", "reference", "paths", "question", "order", "moves"}


def test_the_page_has_the_shapes_and_nothing_else(new_rater: NewRater) -> None:
    rater = new_rater(studies=["unconstrained"], limit=1)
    lease = rater.claim()
    assert lease
    view, path_set = rater.view(lease), path_set_of(rater.unit(lease).payload)
    assert set(view) == VIEW_FIELDS
    positions = path_set.graph.positions[:, :2].round(3).tolist()
    shown = rater.shown(lease)
    for path, k in zip(view["paths"], shown, strict=True):
        assert set(path) == {"name", "points"}
        assert path["points"] == [positions[path_set.graph.place_index(place)] for place in path_set.queries[k]]
    assert view["order"] == list(NAMES)
    links = {tuple(sorted((tuple(view["nodes"][a]), tuple(view["nodes"][b])))) for a, b in view["links"]}
    for points in (view["reference"], *(path["points"] for path in view["paths"])):
        for a, b in pairwise(points):
            assert tuple(sorted((tuple(a), tuple(b)))) in links


def test_paths_come_in_another_order_for_each_person_and_always_in_the_same(new_rater: NewRater) -> None:
    raters = [new_rater(studies=["unconstrained"], limit=1, answers=6), *(new_rater() for _ in range(5))]
    orders = []
    for rater in raters:
        lease = rater.claim()
        assert lease
        again = rater.claim()
        assert again and rater.view(again) == rater.view(lease)
        orders.append(tuple(rater.shown(lease)))
    assert len(set(orders)) > 2
    first = [shown_order(0, unit, worker)[0] for unit in range(20) for worker in range(100)]
    assert np.bincount(first).min() > 300  # of 2,000: none is shown first more often than others


def test_moves_are_stored_and_the_answer_has_places_of_queries(new_rater: NewRater) -> None:
    rater = new_rater(studies=["unconstrained"], limit=1)
    lease = rater.claim()
    assert lease
    assert rater.put(lease, "E", 1) == ["E", "A", "B", "C", "D"]
    assert rater.put(lease, "A", 5, "number") == ["E", "B", "C", "D", "A"]
    assert rater.view(lease)["order"] == ["E", "B", "C", "D", "A"]
    assert [event.data["by"] for event in rater.events(lease)] == ["drag", "number"]
    with pytest.raises(InputError, match="expected an action: move"):
        rater.act(lease, "look")
    with pytest.raises(InputError, match="order that is stored"):
        rater.submit(lease, ranking=list(NAMES))
    data = rater.submit(lease, ranking=["E", "B", "C", "D", "A"]).data
    assert data["shown"] == rater.shown(lease)
    assert data["moves"] == 2
    by_rank = [data["places"].index(rank) for rank in range(1, 6)]
    assert by_rank == [data["shown"][NAMES.index(name)] for name in "EBCDA"]


def test_a_mirrored_set_is_the_same_one_with_left_and_right_exchanged(new_rater: NewRater) -> None:
    rater = new_rater(studies=["success-constrained"], limit=1)
    lease = rater.claim()
    assert lease
    path_set = path_set_of(rater.unit(lease).payload)
    plain, mirrored = drawing(path_set, False), drawing(path_set, True)
    assert plain["links"] == mirrored["links"]
    for name in ("nodes", "reference"):
        assert [[-x, y] for x, y in plain[name]] == mirrored[name]
    assert [[[-x, y] for x, y in query] for query in plain["queries"]] == mirrored["queries"]

"""Nothing that the server sends tells a follower where the bear is or how the route goes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from bearleft import load
from bearleft.records import Direction, Point, Reach
from bearleft.web.settings import Settings
from tests.web.server import person, running
from tests.web.touchdown.driver import BEAR, BEARS, TEXT, WAY, Worker, click_at, create_study

SPOT = Direction(BEARS["0"].heading + 0.123456, BEARS["0"].pitch + 0.012345)
SEEN = Direction(281.654321, -2.345678)  # from the neighbouring panorama
ROUTE = next(iter(load("city/touchdown/small"))).legs[0].goal.route  # type: ignore[union-attr]
SECRET_WORDS = ("route", "target", "goal", "gold", "answer_", "writing", "writer", "neighbour", "slots", "payload")
FOLLOWERS = ("touchdown/validation", "touchdown/qualification")


def digits(value: float) -> str:
    """The digits of an angle that would give it away, without those that rounding changes."""
    return f"{value:.3f}"[:-1]


def keys_of(value: Any) -> Iterator[str]:
    """All names in a JSON value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


def views(worker: Worker) -> list[Any]:
    """What the server sent to a worker, besides the worker's own clicks."""
    return [text for kind, text in worker.traffic if kind in FOLLOWERS]


@pytest.fixture
def searched(settings: Settings) -> Iterator[tuple[list[Worker], Worker, Worker]]:
    """Two searchers of a text, one of whom finds the bear; and who placed it again, and who divided the text."""
    create_study(settings)
    with running(settings) as address, ExitStack() as stack:
        hire: Callable[[], Worker] = lambda: Worker(stack.enter_context(person(address)))  # noqa: E731
        writer, propagator, loser, finder, divider = (hire() for _ in range(5))
        assert writer.claim("writing")
        writer.write(SPOT)
        for _ in range(2):
            assert propagator.claim("propagation")
            propagator.act("place", **click_at(SEEN))
            propagator.submit()
        for worker, misses in ((loser, 5), (finder, 2)):
            assert worker.claim("validation")
            worker.walk(list(ROUTE))
            worker.reload()
            for _ in range(misses):
                worker.act("guess", **click_at(Direction(10.0)))
                worker.reload()
            if misses < 5:
                worker.act("guess", **click_at(Direction(SPOT.heading + 1.5, SPOT.pitch + 0.5)))
                worker.reload()
            worker.submit()
        assert divider.claim("segmentation")
        divider.act("way", end=len(WAY.split()))
        divider.act("bear", begin=len(TEXT.split()) - len(BEAR.split()))
        divider.submit()
        yield [loser, finder], propagator, divider


def test_followers_are_told_nothing(searched: tuple[list[Worker], Worker, Worker]) -> None:
    for worker in searched[0]:
        sent = views(worker)
        assert len(sent) > len(ROUTE)
        for text in sent:
            for secret in (SPOT.heading, SPOT.pitch, SEEN.heading, SEEN.pitch):
                assert digits(secret) not in text
            for word in SECRET_WORDS:
                assert f'"{word}' not in text, word
        # The goal stands nowhere before it is beside the follower.
        ways = [text for text in sent if '"links"' in text or "/work/" in text]
        first = next(k for k, text in enumerate(ways) if ROUTE[-1] in text)
        assert ROUTE[-2] in ways[first]
        # What comes with the goal is the same as with any other place.
        shapes = {frozenset(keys_of(walk)) for walk in moves(worker)}
        assert len(shapes) == 1


def moves(worker: Worker) -> list[dict[str, Any]]:
    """The answers to all moves."""
    import json

    parsed = [json.loads(text) for kind, text in worker.traffic if kind in FOLLOWERS and text.startswith("{")]
    return [row["result"] for row in parsed if "walk" in row.get("result", {})]


def test_a_result_of_a_click_says_no_more_than_whether_it_found(searched: tuple[list[Worker], Worker, Worker]) -> None:
    import json

    for worker in searched[0]:
        for kind, text in worker.traffic:
            row = json.loads(text) if kind in FOLLOWERS and text.startswith("{") else {}
            result = row.get("result", {})
            if "feedback" not in row:
                assert "pixels" not in text, "how far off a click is stands in no answer before the end"
            if "found" in result:
                assert set(result) == {"found", "attempts_left", "done"}
            if "feedback" in row:
                told = {"pixels_off"} if row["feedback"]["found"] else set()
                assert set(row["feedback"]) == {"found", "attempts", "message"} | told


def test_other_tasks_are_told_what_they_need_only(searched: tuple[list[Worker], Worker, Worker]) -> None:
    _, propagator, divider = searched
    for _, text in propagator.traffic:
        assert not re.search(r'"(route|start|writer_id|writing|targets)"', text)
        assert not any(place in text for place in ROUTE[:-2])
    for _, text in divider.traffic:
        assert not any(place in text for place in ROUTE)
        assert digits(SPOT.heading) not in text
        assert not re.search(r'"(route|start|writer_id|writing|targets|navigation_text|td_location_text)"', text)


def test_the_qualification_is_as_secret(settings: Settings) -> None:
    create_study(settings, qualification=True)
    episode = list(load("city/touchdown-complete/small"))[1]  # the first route is to be written for
    walk, point = (leg.goal for leg in episode.legs)
    assert isinstance(walk, Reach)
    assert isinstance(point, Point)
    with running(settings) as address, person(address) as client:
        worker = Worker(client)
        assert worker.claim("qualification")
        worker.walk(list(walk.route))
        worker.act("guess", **click_at(Direction(0.0)))
        worker.reload()
        worker.act("guess", **click_at(Direction(point.direction.heading + 2.0, point.direction.pitch + 1.0)))
        worker.reload()
        worker.submit()
        for text in views(worker):
            for target in (point, *point.propagated):
                assert digits(target.direction.heading) not in text
            assert not re.search(r'"(route|targets|target|episode|dataset|landmarks|phenomena)"', text)

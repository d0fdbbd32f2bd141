"""The log of an attempt: numbered, stored once, and the same again when asked again."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import insert

from bearleft.errors import InputError
from bearleft.web.database.models import Event, Unit
from bearleft.web.queue import events
from bearleft.web.queue.slots import Conflict, Lease, NewUnit
from tests.web.queue.desk import Desk


@pytest.fixture
def lease(desk: Desk) -> Lease:
    desk.add(NewUnit("a", {"gold": 7}))
    return desk.take(0)


def log(desk: Desk, lease: Lease) -> list[tuple[int, str, Any, Any]]:
    with desk.database.read() as session:
        found = events.events_of(session, lease.attempt_id)
    return [(event.number, event.kind, event.data, event.result) for event in found]


def test_events_are_stored_in_order(desk: Desk, lease: Lease) -> None:
    for number in range(12):
        desk.clock.advance(1)
        assert desk.append(0, lease, number, {"n": number}) == {"before": [{"n": k} for k in range(number)]}
    stored = log(desk, lease)
    assert [entry[:3] for entry in stored] == [(k, "step", {"n": k}) for k in range(12)]
    with desk.database.read() as session:
        assert events.events_of(session, lease.attempt_id)[-1].time == desk.clock()


def test_the_same_again_gets_the_stored_result(desk: Desk, lease: Lease) -> None:
    calls: list[int] = []

    def act(unit: Unit, before: list[Event]) -> dict[str, Any]:
        assert unit.payload == {"gold": 7} and not before
        calls.append(1)
        return {"calls": len(calls)}

    def send(data: dict[str, Any], kind: str = "turn", number: int = 0) -> dict[str, Any]:
        where = (desk.database, lease.attempt_id, desk.workers[0], lease.token)
        return events.append(*where, number, kind, data, act)

    assert send({"a": 1, "b": [2.5, "é"]}) == {"calls": 1}
    assert send({"b": [2.5, "é"], "a": 1}) == {"calls": 1}
    for kind, data in (("turn", {"a": 1}), ("walk", {"a": 1, "b": [2.5, "é"]}), ("turn", {"a": True, "b": [2.5, "é"]})):
        with pytest.raises(Conflict, match="Another action 0"):
            send(data, kind)
    with pytest.raises(Conflict, match="Action 1 comes next, not 2"):
        send({}, number=2)
    assert len(calls) == 1 and len(log(desk, lease)) == 1


def test_the_same_again_after_the_end_gets_the_stored_result(desk: Desk, lease: Lease) -> None:
    first = desk.append(0, lease, 0, {"n": 0})
    desk.submit(0, lease)
    desk.clock.advance(10**6)
    assert desk.append(0, lease, 0, {"n": 0}) == first
    where = (desk.database, lease.attempt_id, desk.workers[0], lease.token)

    def act(_unit: Unit, _before: list[Event]) -> dict[str, Any]:
        raise InputError("an action before the end", "one after it")

    with pytest.raises(Conflict, match="already submitted"):  # the task is not even asked
        events.append(*where, 1, "step", {}, act)


def test_a_refused_action_is_not_stored(desk: Desk, lease: Lease) -> None:
    def refuse(_unit: Unit, _before: list[Event]) -> dict[str, Any]:
        raise InputError("a link", "a wall")

    where = (desk.database, lease.attempt_id, desk.workers[0], lease.token)
    with pytest.raises(InputError, match="a wall"):
        events.append(*where, 0, "walk", {}, refuse)
    with pytest.raises(InputError, match="NUL"):
        events.append(*where, 0, "walk", {}, lambda *_: {"x": "\0"})
    assert log(desk, lease) == []
    desk.append(0, lease, 0)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("a\0", {}),
        ("\ud800", {}),
        ("x" * 201, {}),
        ("a", {"text": "a\0"}),
        ("a", {"text": "\ud83d"}),
        ("a", {"number": float("nan")}),
        ("a", {"number": 10**5000}),
        ("a", ["no object"]),
        ("a", {"text": "é" * 127_995}),
    ],
    ids=range(9),
)
def test_what_cannot_be_stored_is_refused(desk: Desk, lease: Lease, kind: str, data: Any) -> None:
    where = (desk.database, lease.attempt_id, desk.workers[0], lease.token)
    with pytest.raises(InputError):
        events.append(*where, 0, kind, data, lambda *_: {})
    assert log(desk, lease) == []


def test_large_and_odd_texts_are_stored(desk: Desk, lease: Lease) -> None:
    texts = ["é" * 127_994, "'; DROP TABLE events; --", "<script>", "🐻‍❄️", '"\\', "\u2028\x7f\x01"]
    for number, value in enumerate(texts):
        desk.append(0, lease, number, {"text": value})
    assert [entry[2]["text"] for entry in log(desk, lease)] == texts


@pytest.mark.slow
def test_an_attempt_has_a_limit(desk: Desk, lease: Lease) -> None:
    with pytest.raises(InputError, match="a number from 0"):
        desk.append(0, lease, -1)
    with pytest.raises(InputError, match="at most 5,000 actions"):
        desk.append(0, lease, 10**30)
    base = {"attempt_id": lease.attempt_id, "kind": "a", "data": {}, "result": {}}
    with desk.database.write() as session:
        session.execute(insert(Event), [{**base, "number": k} for k in range(events.MAX_EVENTS - 1)])
    desk.append(0, lease, events.MAX_EVENTS - 1)
    with pytest.raises(InputError, match="at most 5,000 actions"):
        desk.append(0, lease, events.MAX_EVENTS)
    desk.submit(0, lease)


def test_of_two_actions_at_once_one_is_stored(desk: Desk, lease: Lease) -> None:
    both = threading.Barrier(2, timeout=30)
    outcomes: list[Any] = []

    def act(_unit: Unit, before: list[Event]) -> dict[str, Any]:
        both.wait()  # both see no event before
        return {"before": len(before)}

    def send(data: dict[str, Any]) -> None:
        where = (desk.database, lease.attempt_id, desk.workers[0], lease.token)
        try:
            outcomes.append(events.append(*where, 0, "step", data, act))
        except Conflict:
            outcomes.append("conflict")

    def race(*data: dict[str, Any]) -> list[Any]:
        outcomes.clear()
        threads = [threading.Thread(target=send, args=(value,)) for value in data]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sorted(outcomes, key=str)

    assert race({"way": "left"}, {"way": "right"}) == ["conflict", {"before": 0}]
    desk.submit(0, lease)
    desk.add(NewUnit("a", {}))
    lease = desk.take(0)
    assert race({"way": "left"}, {"way": "left"}) == [{"before": 0}, {"before": 0}]
    assert len(log(desk, lease)) == 1


def test_an_attempt_submitted_meanwhile_takes_no_action(desk: Desk, lease: Lease) -> None:
    where = (desk.database, lease.attempt_id, desk.workers[0], lease.token)

    def act(_unit: Unit, _before: list[Event]) -> dict[str, Any]:
        desk.submit(0, lease)
        return {}

    with pytest.raises(Conflict, match="already submitted"):
        events.append(*where, 0, "step", {}, act)
    assert log(desk, lease) == [] and desk.answers()[0].data == {"steps": []}


def test_attempts_have_logs_of_their_own(desk: Desk, lease: Lease) -> None:
    desk.add(NewUnit("a", {}))
    other = desk.take(1)
    desk.append(0, lease, 0, {"n": 0})
    assert desk.append(1, other, 0, {"n": 1}) == {"before": []}
    assert replace(lease, unit_id=0) != other
    assert [entry[2] for entry in log(desk, other)] == [{"n": 1}]

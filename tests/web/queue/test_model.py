"""The queue does what a simple model in memory does, over random sequences of requests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule, run_state_machine_as_test

from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Unit
from bearleft.web.queue.slots import Conflict, Lease, NewUnit, NotFound, QueueError, Stale, StoredAnswer
from tests.web.queue.desk import LEASE, Clock, Desk

WORKERS = 3
Outcome = Lease | StoredAnswer | dict[str, Any] | type[QueueError] | None


@dataclass
class ModelUnit:
    id: int
    kind: str
    slots: int
    writer: int | None
    priority: int


@dataclass
class ModelAttempt:
    lease: Lease
    worker: int
    unit: ModelUnit
    expires: float
    started: int
    state: str = "active"
    log: list[dict[str, Any]] = field(default_factory=list)
    answer: tuple[str, StoredAnswer] | None = None


class QueueMachine(RuleBasedStateMachine):
    """Requests of three workers, and what a list of units and attempts says they should get."""

    database: ClassVar[Database]
    leases: ClassVar[Bundle[ModelAttempt]] = Bundle("leases")

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk.of(self.database, WORKERS)
        self.now = 0.0
        self.units: list[ModelUnit] = []
        self.attempts: list[ModelAttempt] = []
        self.count = 0

    # The model.

    def taken(self, unit: ModelUnit) -> int:
        return sum(a.unit is unit and a.state in ("active", "submitted") for a in self.attempts)

    def take_back(self) -> None:
        for attempt in self.attempts:
            if attempt.state == "active" and attempt.expires <= self.now:
                attempt.state = "expired"

    def keep(self, attempt: ModelAttempt) -> type[QueueError] | None:
        if attempt.state == "submitted":
            return Conflict
        if attempt.state == "returned":
            return Stale
        if attempt.state == "expired":
            if self.taken(attempt.unit) == attempt.unit.slots:
                return Stale
            attempt.state = "active"
        attempt.expires = max(attempt.expires, self.now + LEASE)
        return None

    def next_unit(self, worker: int, kinds: list[str] | None) -> ModelUnit | None:
        done = [a.unit for a in self.attempts if a.worker == worker and a.state != "expired"]
        free = [
            unit
            for unit in self.units
            if (kinds is None or unit.kind in kinds)
            and unit.writer != worker
            and unit not in done
            and self.taken(unit) < unit.slots
        ]
        return min(free, key=lambda unit: (-unit.priority, unit.id), default=None)

    # The requests.

    @staticmethod
    def outcome(call: Any, *args: Any) -> Any:
        try:
            return call(*args)
        except QueueError as error:
            return type(error)

    @rule(
        kind=st.sampled_from("ab"),
        slots=st.integers(1, 3),
        writer=st.none() | st.integers(0, WORKERS - 1),
        priority=st.integers(-1, 1),
    )
    def add(self, kind: str, slots: int, writer: int | None, priority: int) -> None:
        person = None if writer is None else self.desk.workers[writer]
        (unit,) = self.desk.add(NewUnit(kind, {}, slots, person, None, priority))
        self.units.append(ModelUnit(unit, kind, slots, writer, priority))

    @rule(seconds=st.sampled_from([1, LEASE // 2, LEASE]))
    def wait(self, seconds: int) -> None:
        self.now += seconds
        self.desk.clock.advance(seconds)

    @rule(
        target=leases,
        worker=st.integers(0, WORKERS - 1),
        kinds=st.sampled_from([None, ["a"], ["b"], ["a", "b"], ["c"]]),
    )
    def claim(self, worker: int, kinds: list[str] | None) -> Any:
        lease = self.desk.claim(worker, kinds)
        own = [
            a
            for a in self.attempts
            if a.worker == worker and a.state == "active" and (kinds is None or a.unit.kind in kinds)
        ]
        if own:
            attempt = min(own, key=lambda a: (a.started, a.unit.id))
            attempt.expires = max(attempt.expires, self.now + LEASE)
            assert lease is not None and lease.attempt_id == attempt.lease.attempt_id
            return multiple()
        self.take_back()
        unit = self.next_unit(worker, kinds)
        if unit is None:
            assert lease is None
            return multiple()
        assert lease is not None and (lease.unit_id, lease.kind) == (unit.id, unit.kind)
        for attempt in self.attempts:
            if attempt.worker == worker and attempt.unit is unit:
                assert lease.attempt_id == attempt.lease.attempt_id
                attempt.state = "active"
                attempt.expires = max(attempt.expires, self.now + LEASE)
                return multiple()
        new = ModelAttempt(lease, worker, unit, self.now + LEASE, int(self.now))
        self.attempts.append(new)
        return new

    @rule(attempt=leases)
    def heartbeat(self, attempt: ModelAttempt) -> None:
        found = self.outcome(self.desk.heartbeat, attempt.worker, attempt.lease)
        expected = self.keep(attempt)
        assert (
            found == expected if expected else (found - self.desk.clock()).total_seconds() == attempt.expires - self.now
        )

    @rule(attempt=leases, back=st.integers(-1, 2), text=st.sampled_from(["x", "y"]))
    def append(self, attempt: ModelAttempt, back: int, text: str) -> None:
        number = len(attempt.log) - back
        if number < 0:
            return
        found = self.outcome(self.desk.append, attempt.worker, attempt.lease, number, {"text": text})
        if number < len(attempt.log):
            same = attempt.log[number] == {"text": text}
            assert found == ({"before": attempt.log[:number]} if same else Conflict)
            return
        if number > len(attempt.log):
            assert found is (Stale if attempt.state == "returned" else Conflict)
            return
        expected = self.keep(attempt) or {"before": attempt.log}
        assert found == expected
        if isinstance(found, dict):
            attempt.log.append({"text": text})

    @rule(attempt=leases)
    def give_back(self, attempt: ModelAttempt) -> None:
        found = self.outcome(self.desk.give_back, attempt.worker, attempt.lease)
        assert found is (Conflict if attempt.state == "submitted" else None)
        if attempt.state != "submitted":
            attempt.state = "returned"

    @rule(attempt=leases, key=st.sampled_from(["one", "two"]), follow=st.booleans())
    def submit(self, attempt: ModelAttempt, key: str, follow: bool) -> None:
        writer = self.desk.workers[attempt.worker]
        follow_ups = [NewUnit("b", {}, 1, writer)] if follow else []
        found = self.outcome(self.desk.submit, attempt.worker, attempt.lease, key, follow_ups)
        if attempt.answer is not None:
            assert found == (attempt.answer[1] if attempt.answer[0] == key else Conflict)
            return
        if (error := self.keep(attempt)) is not None:
            assert found is error
            return
        assert found.data == {"steps": attempt.log}
        attempt.state = "submitted"
        attempt.answer = (key, found)
        if follow:
            with self.database.read() as session:
                child = max(session.query(Unit.id).where(Unit.parent_id == attempt.unit.id).all())[0]
            self.units.append(ModelUnit(child, "b", 1, attempt.worker, 0))

    @rule(attempt=leases, other=st.integers(1, WORKERS - 1))
    def intrude(self, attempt: ModelAttempt, other: int) -> None:
        stranger = (attempt.worker + other) % WORKERS
        calls: list[Any] = [self.desk.heartbeat, self.desk.give_back, self.desk.submit]
        assert {self.outcome(call, stranger, attempt.lease) for call in calls} == {NotFound}

    @invariant()
    def states_agree(self) -> None:
        for attempt in self.attempts:
            assert self.desk.attempt(attempt.lease).state == attempt.state

    def teardown(self) -> None:
        self.desk.check()


@pytest.fixture
def model_database(database_url: str) -> Iterator[Database]:
    opened = open_database(database_url, clock=Clock())
    yield opened
    opened.close()


def test_the_queue_agrees_with_a_model(model_database: Database) -> None:
    class Machine(QueueMachine):
        database = model_database

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=25, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )

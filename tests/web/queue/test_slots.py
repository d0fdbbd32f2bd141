"""Each rule of the queue of work, on both kinds of databases."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, select, text
from sqlalchemy.orm import Session

from bearleft.errors import InputError
from bearleft.web.database.models import Answer, Attempt, Event, Slot, Unit
from bearleft.web.queue import slots
from bearleft.web.queue.slots import Conflict, Judgement, Lease, NewUnit, NotFound, QueueError, Stale
from tests.web.queue.desk import LEASE, Desk

A = NewUnit("a", {})
B = NewUnit("b", {})


# What is added.


def test_units_are_added_in_order(desk: Desk) -> None:
    ids = desk.add(*(NewUnit("a", {"number": k}, slots=1 + k % 3) for k in range(1500)))
    assert ids == sorted(ids)
    with desk.database.read() as session:
        assert [unit.payload["number"] for unit in session.scalars(select(Unit).order_by(Unit.id))] == list(range(1500))
        found = session.execute(select(Slot.unit_id, Slot.number).order_by(Slot.unit_id, Slot.number)).all()
    assert [tuple(row) for row in found] == [(unit, k) for n, unit in enumerate(ids) for k in range(1 + n % 3)]


@pytest.mark.parametrize(
    "new",
    [
        replace(A, slots=0),
        replace(A, slots=slots.MAX_SLOTS + 1),
        replace(A, priority=slots.MAX_PRIORITY + 1),
        replace(A, kind="x" * 201),
        replace(A, kind="a\0"),
        replace(A, payload={"text": "\0"}),
    ],
)
def test_units_that_cannot_be_stored_are_refused(desk: Desk, new: NewUnit) -> None:
    with pytest.raises(InputError):
        desk.add(A, new)
    assert desk.claim(0) is None


def test_units_need_a_project(desk: Desk) -> None:
    with pytest.raises(NotFound), desk.database.write() as session:
        slots.add_units(session, 10**6, [A])


# Who gets what.


def test_priority_comes_first_then_the_lowest_number(desk: Desk) -> None:
    first, high, second, higher, high2, low = desk.add(
        A, replace(A, priority=5), A, replace(A, priority=9), replace(A, priority=5), replace(A, priority=-1)
    )
    order = []
    for k in range(6):
        lease = desk.take(k % 4)
        order.append(lease.unit_id)
        desk.submit(k % 4, lease)
    assert order == [higher, high, high2, first, second, low]
    assert desk.claim(0) is None


def test_a_worker_with_a_unit_gets_it_again(desk: Desk) -> None:
    desk.add(A, A)
    lease = desk.take(0)
    desk.clock.advance(100)
    again = desk.take(0)
    assert again == replace(lease, expires=lease.expires + timedelta(seconds=100))
    assert desk.take(1).unit_id != lease.unit_id


def test_a_unit_of_other_kinds_does_not_keep_from_work(desk: Desk) -> None:
    a, b = desk.add(A, B)
    assert desk.take(0, ["a"]).unit_id == a
    assert desk.take(0, ["b"]).unit_id == b
    assert desk.take(0, ["b", "c"]).unit_id == b
    assert desk.take(0).unit_id == a
    assert desk.claim(0, ["c"]) is None
    assert desk.claim(0, []) is None


def test_kinds_are_chosen(desk: Desk) -> None:
    desk.add(replace(B, priority=9), A)
    assert desk.take(0, ["a"]).kind == "a"
    assert desk.claim(1, ["a"]) is None
    assert desk.take(1, ["a", "b"]).kind == "b"
    with pytest.raises(InputError):
        desk.claim(2, ["a\0"])


def test_projects_do_not_mix(desk: Desk) -> None:
    other = Desk.of(desk.database)
    (unit,) = desk.add(A)
    other.workers = desk.workers
    assert other.claim(0) is None
    assert desk.take(0).unit_id == unit
    (mine,) = other.add(A)
    assert other.take(0).unit_id == mine


def test_one_slot_goes_to_one_worker(desk: Desk) -> None:
    (unit,) = desk.add(A)
    assert desk.take(0).unit_id == unit
    assert desk.claim(1) is None


def test_every_answer_is_of_another_worker(desk: Desk) -> None:
    (unit,) = desk.add(replace(A, slots=3))
    leases = [desk.take(k) for k in range(3)]
    assert {lease.unit_id for lease in leases} == {unit}
    assert desk.claim(3) is None
    desk.submit(0, leases[0])
    assert desk.claim(0) is None and desk.claim(3) is None
    desk.submit(1, leases[1])
    assert not desk.unit(unit).closed
    desk.submit(2, leases[2])
    assert desk.unit(unit).closed
    desk.check()


def test_nobody_gets_the_own_text(desk: Desk) -> None:
    (unit,) = desk.add(replace(A, writer_id=desk.workers[0], slots=2))
    assert desk.claim(0) is None
    assert desk.claim(0, ["a"]) is None
    assert desk.take(1).unit_id == unit


def test_a_closed_unit_is_given_to_nobody(desk: Desk) -> None:
    (unit,) = desk.add(replace(A, slots=2))
    lease = desk.take(0)
    with desk.database.write() as session:
        session.get_one(Unit, unit).closed = True
    assert desk.claim(0) is None and desk.claim(1) is None
    desk.submit(0, lease)  # what was begun is stored
    assert len(desk.answers()) == 1 and desk.unit(unit).closed


def test_who_is_unknown_gets_nothing(desk: Desk) -> None:
    (unit,) = desk.add(A)
    with pytest.raises(NotFound):
        slots.claim(desk.database, desk.project, 10**6)
    with pytest.raises(NotFound):
        slots.open_play(desk.database, unit, 10**6)
    assert slots.claim(desk.database, 10**6, desk.workers[0]) is None


def test_two_requests_of_one_worker_get_one_unit(desk: Desk) -> None:
    desk.add(*[A] * 10)
    found: list[Lease] = []
    threads = [threading.Thread(target=lambda: found.append(desk.take(0))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len({lease.attempt_id for lease in found}) == 1
    desk.check()


# Leases.


def test_a_lease_lasts_its_time(desk: Desk) -> None:
    desk.add(A)
    lease = desk.take(0)
    assert lease.expires == desk.clock() + timedelta(seconds=LEASE)
    desk.clock.advance(LEASE - 1)
    assert desk.claim(1) is None
    desk.clock.advance(1)
    assert desk.take(1).unit_id == lease.unit_id
    assert desk.attempt(lease).state == "expired"
    desk.check()


@pytest.mark.parametrize("sign", ["heartbeat", "append", "claim"])
def test_signs_of_life_extend_a_lease(desk: Desk, sign: str) -> None:
    desk.add(A)
    lease = desk.take(0)
    for number in range(3):
        desk.clock.advance(LEASE - 1)
        if sign == "heartbeat":
            assert desk.heartbeat(0, lease) == desk.clock() + timedelta(seconds=LEASE)
        elif sign == "append":
            desk.append(0, lease, number)
        else:
            desk.take(0)
        assert desk.attempt(lease).expires == desk.clock() + timedelta(seconds=LEASE)
        assert desk.claim(1) is None


def test_a_lease_is_extended_by_its_own_length(desk: Desk) -> None:
    desk.add(A)
    lease = slots.claim(desk.database, desk.project, desk.workers[0], lease_seconds=50)
    assert lease is not None
    desk.clock.advance(10)
    assert desk.heartbeat(0, lease) == desk.clock() + timedelta(seconds=50)


def test_a_lapsed_lease_is_good_until_somebody_takes_the_slot(desk: Desk) -> None:
    desk.add(A)
    lease = desk.take(0)
    desk.append(0, lease, 0, {"n": 0})
    desk.clock.advance(10 * LEASE)
    desk.append(0, lease, 1, {"n": 1})
    desk.clock.advance(10 * LEASE)
    desk.heartbeat(0, lease)
    desk.clock.advance(10 * LEASE)
    assert desk.submit(0, lease).data == {"steps": [{"n": 0}, {"n": 1}]}
    desk.check()


def test_a_slot_taken_back_but_free_is_had_again(desk: Desk) -> None:
    """Somebody looked for work and took the slot back, but may not have it."""
    desk.add(replace(A, writer_id=desk.workers[1]))
    for again in (desk.submit, desk.heartbeat):
        lease = desk.take(0)
        desk.clock.advance(LEASE)
        assert desk.claim(1) is None
        assert desk.attempt(lease).state == "expired"
        if again == desk.heartbeat:
            desk.heartbeat(0, lease)
            assert desk.attempt(lease).state == "active"
            assert desk.claim(2) is None
        else:
            desk.submit(0, lease)
            desk.add(replace(A, writer_id=desk.workers[1]))
        desk.check()


def test_a_lease_that_somebody_else_took_is_stale(desk: Desk) -> None:
    desk.add(A)
    lease = desk.take(0)
    desk.append(0, lease, 0)
    desk.clock.advance(LEASE)
    other = desk.take(1)
    for call in (desk.submit, desk.heartbeat, lambda worker, held: desk.append(worker, held, 1)):
        with pytest.raises(Stale, match="somebody else has taken"):
            call(0, lease)
    assert desk.judged == []
    assert desk.claim(0) is None
    desk.submit(1, other)
    with pytest.raises(Stale):
        desk.submit(0, lease)
    assert [answer.worker_id for answer in desk.answers()] == [desk.workers[1]]
    desk.check()


def test_a_unit_closed_meanwhile_is_stale(desk: Desk) -> None:
    (unit,) = desk.add(A)
    lease = desk.take(0)
    desk.clock.advance(LEASE)
    assert desk.claim(1, ["b"]) is None
    with desk.database.write() as session:
        session.get_one(Unit, unit).closed = True
    with pytest.raises(Stale):
        desk.submit(0, lease)


def test_who_lost_a_slot_may_get_the_unit_again_as_it_was(desk: Desk) -> None:
    """A new attempt would give new tries of a task that counts them."""
    desk.add(A)
    lease = desk.take(0)
    desk.append(0, lease, 0, {"n": 0})
    desk.clock.advance(LEASE)
    other = desk.take(1)
    desk.give_back(1, other)
    again = desk.take(0)
    assert (again.attempt_id, again.token) == (lease.attempt_id, lease.token)
    assert again.expires == desk.clock() + timedelta(seconds=LEASE)
    assert desk.append(0, again, 1) == {"before": [{"n": 0}]}
    desk.check()


def test_a_late_reload_gets_the_same_unit(desk: Desk) -> None:
    desk.add(A, replace(A, priority=9))
    lease = desk.take(0)
    desk.add(replace(A, priority=99))
    desk.clock.advance(LEASE)
    assert desk.take(0).attempt_id == lease.attempt_id


# Giving back.


def test_a_returned_unit_goes_to_others_only(desk: Desk) -> None:
    first, second = desk.add(A, A)
    lease = desk.take(0)
    desk.give_back(0, lease)
    desk.give_back(0, lease)
    assert desk.attempt(lease).finished == desk.clock()
    assert desk.take(0).unit_id == second
    assert desk.take(1).unit_id == first
    for call in (desk.submit, desk.heartbeat, lambda worker, held: desk.append(worker, held, 0)):
        with pytest.raises(Stale, match="returned"):
            call(0, lease)
    desk.check()


def test_an_expired_unit_can_be_returned(desk: Desk) -> None:
    desk.add(A)
    lease = desk.take(0)
    desk.clock.advance(LEASE)
    other = desk.take(1)
    desk.give_back(0, lease)
    desk.give_back(1, other)
    assert desk.claim(0) is None
    desk.check()


def test_a_submitted_unit_cannot_be_returned(desk: Desk) -> None:
    desk.add(A)
    lease = desk.take(0)
    desk.submit(0, lease)
    with pytest.raises(Conflict):
        desk.give_back(0, lease)
    with pytest.raises(Conflict):
        desk.heartbeat(0, lease)
    desk.check()


# Whose attempt it is.


def test_others_do_not_know_the_attempt(desk: Desk) -> None:
    desk.add(A)
    lease = desk.take(0)
    calls: list[Any] = [desk.submit, desk.heartbeat, desk.give_back, lambda worker, held: desk.append(worker, held, 0)]
    for call in calls:
        with pytest.raises(NotFound):
            call(1, lease)
        for wrong in ("0" * 32, "", "\0", "\ud800", "x" * 10**6, lease.attempt_id.upper() + "\n", "../../etc"):
            with pytest.raises(NotFound):
                call(0, replace(lease, attempt_id=wrong))
        for wrong in ("0" * 32, "", "\0", "\ud800", "x" * 10**6):
            with pytest.raises(Stale, match="load it again"):
                call(0, replace(lease, token=wrong))
    assert desk.attempt(lease).state == "active" and desk.judged == []


def test_ids_cannot_be_guessed(desk: Desk) -> None:
    desk.add(*[A] * 20)
    leases = []
    for _ in range(20):
        leases.append(desk.take(0))
        desk.submit(0, leases[-1])
    secrets = {value for lease in leases for value in (lease.attempt_id, lease.token)}
    assert len(secrets) == 40 and all(len(value) == 32 for value in secrets)
    assert len({value[:8] for value in secrets}) == 40
    codes = {answer.code for answer in desk.answers()}
    assert len(codes) == 20 and all(len(code) == 14 for code in codes)


def test_errors_speak_to_people() -> None:
    error: QueueError = Stale("Please load the page again.")
    assert error.message == str(error) == "Please load the page again."
    assert {error}


# Submitting.


def test_a_submit_that_comes_again_gets_the_stored_answer(desk: Desk) -> None:
    (unit,) = desk.add(A)
    lease = desk.take(0)
    desk.append(0, lease, 0, {"text": "🐻"})
    first = desk.submit(0, lease, follow_ups=[B])
    assert first.data == {"steps": [{"text": "🐻"}]} and first.feedback == {"well": "done"}
    assert (first.unit_id, first.attempt_id, first.created) == (unit, lease.attempt_id, desk.clock())
    desk.clock.advance(100 * LEASE)
    assert desk.submit(0, lease, follow_ups=[B]) == first
    assert desk.judged == [lease.attempt_id]
    assert desk.take(1).kind == "b"
    assert desk.claim(2) is None


def test_a_second_answer_is_refused(desk: Desk) -> None:
    desk.add(A)
    lease = desk.take(0)
    first = desk.submit(0, lease, "one")
    with pytest.raises(Conflict):
        desk.submit(0, lease, "two")
    assert [answer.code for answer in desk.answers()] == [first.code]
    assert desk.judged == [lease.attempt_id]


@pytest.mark.parametrize("key", ["", "a\0b", "\ud800", "x" * 201])
def test_a_key_that_cannot_be_stored_is_refused(desk: Desk, key: str) -> None:
    desk.add(A)
    lease = desk.take(0)
    with pytest.raises(InputError):
        desk.submit(0, lease, key)
    assert desk.attempt(lease).state == "active"


def test_keys_of_different_attempts_may_be_equal(desk: Desk) -> None:
    desk.add(A, A)
    codes = {desk.submit(k, desk.take(k), "same").code for k in range(2)}
    assert len(codes) == 2


def test_an_answer_that_is_refused_can_be_mended(desk: Desk) -> None:
    desk.add(A)
    lease = desk.take(0)

    def refuse(session: Session, attempt: Attempt, _unit: Unit, _events: list[Event]) -> Judgement:
        attempt.state = "returned"
        slots.add_units(session, desk.project, [B])
        raise InputError("3 to 5 sentences", "2")

    with pytest.raises(InputError, match="sentences"):
        slots.submit(desk.database, lease.attempt_id, desk.workers[0], lease.token, "key", refuse)
    assert desk.claim(1) is None
    desk.submit(0, lease)
    desk.check()


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("part", ["answer", "feedback", "follow_ups", "after"])
def test_what_cannot_be_stored_leaves_nothing(desk: Desk, part: str) -> None:
    desk.add(A)
    lease = desk.take(0)

    def fail(_session: Session, _answer: Answer) -> None:
        raise InputError("a sunny day", "rain")

    bad: dict[str, Any] = {
        "answer": {"x": "\0"},
        "feedback": {"x": {1}},
        "follow_ups": [replace(B, slots=0)],
        "after": fail,
    }
    judgement = replace(Judgement({}, follow_ups=[B]), **{part: bad[part]})
    with pytest.raises(InputError):
        slots.submit(desk.database, lease.attempt_id, desk.workers[0], lease.token, "key", lambda *_: judgement)
    assert desk.answers() == [] and desk.claim(1) is None
    desk.submit(0, lease)
    desk.check()


def test_an_answer_that_is_not_accepted_is_stored_all_the_same(desk: Desk) -> None:
    (unit,) = desk.add(A)
    assert not desk.submit(0, desk.take(0), accepted=False).accepted
    assert desk.unit(unit).closed and not desk.answers()[0].accepted


def test_what_follows_knows_where_it_comes_from(desk: Desk) -> None:
    other, unit = desk.add(replace(A, priority=-1), A)
    children = [replace(B, writer_id=desk.workers[0]), replace(B, parent_id=other)]
    desk.submit(0, desk.take(0), follow_ups=children)
    with desk.database.read() as session:
        parents = session.scalars(select(Unit.parent_id).where(Unit.kind == "b").order_by(Unit.id)).all()
        assert session.scalars(select(Unit.project_id)).unique().all() == [desk.project]
    assert parents == [unit, other]
    assert desk.take(0, ["b"]).unit_id == max(child.id for child in desk_units(desk, "b"))


def desk_units(desk: Desk, kind: str) -> list[Unit]:
    with desk.database.read() as session:
        return list(session.scalars(select(Unit).where(Unit.kind == kind)))


def test_a_hook_sees_the_stored_answer_in_the_same_transaction(desk: Desk) -> None:
    desk.add(A)
    lease = desk.take(0)
    seen: list[Any] = []

    def after(session: Session, answer: Answer) -> None:
        seen.append((answer.id, session.scalar(select(Unit.kind).where(Unit.kind == "b"))))
        seen.append([row.worker_id for row in desk.answers()])  # others do not see it yet

    judgement = Judgement({}, follow_ups=[B], after=after)
    stored = slots.submit(desk.database, lease.attempt_id, desk.workers[0], lease.token, "k", lambda *_: judgement)
    assert seen == [(stored.id, "b"), []]


def test_the_judge_gets_unit_and_events(desk: Desk) -> None:
    (unit,) = desk.add(NewUnit("a", {"gold": 7}))
    lease = desk.take(0)
    for number in range(3):
        desk.append(0, lease, number, {"n": number})

    def judge(_session: Session, attempt: Attempt, got: Unit, events: list[Event]) -> Judgement:
        assert (attempt.id, got.id, got.payload) == (lease.attempt_id, unit, {"gold": 7})
        return Judgement({"numbers": [event.number for event in events]})

    stored = slots.submit(desk.database, lease.attempt_id, desk.workers[0], lease.token, "k", judge)
    assert stored.data == {"numbers": [0, 1, 2]} and stored.feedback == {} and stored.accepted


def test_judges_of_one_unit_follow_each_other(desk: Desk) -> None:
    """The judge of the last answer sees all others, however close they come."""
    for _ in range(5):
        (unit,) = desk.add(replace(A, slots=4))
        leases = [desk.take(k) for k in range(4)]
        counts: list[int] = []
        start = threading.Barrier(4)

        def work(
            worker: int,
            unit: int = unit,
            leases: list[Lease] = leases,
            counts: list[int] = counts,
            start: threading.Barrier = start,
        ) -> None:
            def judge(session: Session, _attempt: Attempt, _unit: Unit, _events: list[Event]) -> Judgement:
                before = session.scalars(select(Answer.id).where(Answer.unit_id == unit)).all()
                return Judgement({"before": len(before)})

            lease = leases[worker]
            start.wait()
            stored = slots.submit(desk.database, lease.attempt_id, desk.workers[worker], lease.token, "key", judge)
            counts.append(stored.data["before"])

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(counts) == [0, 1, 2, 3]
        assert desk.unit(unit).closed
    desk.check()


def test_one_submit_sent_many_times_at_once_is_stored_once(desk: Desk) -> None:
    desk.add(A)
    lease = desk.take(0)
    codes: list[str] = []
    threads = [
        threading.Thread(target=lambda: codes.append(desk.submit(0, lease, follow_ups=[B]).code)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(codes) == 8 and len(set(codes)) == 1
    assert len(desk.answers()) == 1
    with desk.database.read() as session:
        assert len(session.scalars(select(Unit).where(Unit.kind == "b")).all()) == 1


def test_one_more_answer_is_asked_of_somebody_else(desk: Desk) -> None:
    """As in Touchdown's validation: after a worker who did not find the bear, a second one."""
    (unit,) = desk.add(A)
    lease = desk.take(0)

    def again(session: Session, answer: Answer) -> None:
        slots.add_slots(session, answer.unit_id)

    judgement = Judgement({}, accepted=False, after=again)
    slots.submit(desk.database, lease.attempt_id, desk.workers[0], lease.token, "key", lambda *_: judgement)
    assert desk.unit(unit).slots == 2 and not desk.unit(unit).closed
    assert desk.claim(0) is None
    desk.submit(1, desk.take(1))
    assert desk.unit(unit).closed
    desk.check()
    for count in (0, slots.MAX_SLOTS):
        with pytest.raises(InputError), desk.database.write() as session:
            slots.add_slots(session, unit, count)


# Open projects.


def test_everybody_plays_everything_again_and_again(arcade: Desk) -> None:
    (unit,) = arcade.add(A)
    for number in range(3):
        leases = [arcade.play(k, unit) for k in range(2)]
        assert [lease.round for lease in leases] == [number, number]
        assert len({lease.attempt_id for lease in leases}) == 2
        for k in range(2):
            assert arcade.play(k, unit) == leases[k]
            arcade.submit(k, leases[k])
    assert len(arcade.answers()) == 6 and not arcade.unit(unit).closed
    arcade.check()


def test_a_game_that_was_left_is_begun_anew(arcade: Desk) -> None:
    (unit,) = arcade.add(A)
    lease = arcade.play(0, unit)
    arcade.clock.advance(LEASE - 1)
    assert arcade.play(0, unit).attempt_id == lease.attempt_id
    arcade.clock.advance(LEASE)
    new = arcade.play(0, unit)
    assert (new.round, arcade.attempt(lease).state) == (1, "expired")
    with pytest.raises(Stale, match="started this again"):
        arcade.submit(0, lease)
    arcade.give_back(0, new)
    assert arcade.play(0, unit).round == 2


def test_a_game_can_be_finished_late(arcade: Desk) -> None:
    (unit,) = arcade.add(A)
    lease = arcade.play(0, unit)
    arcade.clock.advance(100 * LEASE)
    assert arcade.claim(1) is None
    arcade.append(0, lease, 0)
    arcade.submit(0, lease)
    assert len(arcade.answers()) == 1


def test_two_requests_begin_one_round(arcade: Desk) -> None:
    (unit,) = arcade.add(A)
    found: list[Lease] = []
    threads = [threading.Thread(target=lambda: found.append(arcade.play(0, unit))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and {lease.round for lease in found} == {0}


def test_only_open_projects_are_played(desk: Desk, arcade: Desk) -> None:
    (unit,) = desk.add(A)
    (closed,) = arcade.add(A)
    with arcade.database.write() as session:
        session.get_one(Unit, closed).closed = True
    for wrong in (unit, closed, 0, -1, 10**6, 2**63, 10**100):
        with pytest.raises(NotFound):
            arcade.play(0, wrong)


# Plans of queries.


def test_a_claim_reads_no_more_units_than_it_must(desk: Desk) -> None:
    """The plan names no scan of a table and no sorting."""
    if desk.database.name.startswith("postgresql"):
        pytest.skip("PostgreSQL chooses its plans by the sizes of tables")
    desk.add(*[A] * 300)
    statements: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, sql: str, values: Any, *_rest: object) -> None:
        statements.append((sql, values))

    event.listen(desk.database._writer, "before_cursor_execute", note)
    for kinds in (None, ["a"]):
        desk.take(1, kinds)
        desk.claim(0, ["none"])
    with desk.database.read() as session:
        connection = session.connection()
        plans = {
            sql.split(".")[0]: [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values)]
            for sql, values in statements
            if sql.startswith("SELECT")
        }
    assert set(plans) == {"SELECT workers", "SELECT attempts", "SELECT slots"}
    assert not [step for steps in plans.values() for step in steps if step.startswith("SCAN")]
    assert plans["SELECT slots"][0].startswith("SEARCH units USING INDEX ix_units_queue")
    assert "USE TEMP B-TREE FOR ORDER BY" not in plans["SELECT slots"]


def test_sessions_hold_no_lock_after_an_error(desk: Desk) -> None:
    with pytest.raises(ZeroDivisionError), desk.database.write() as session:
        session.execute(text("UPDATE projects SET name = 'other'"))
        raise ZeroDivisionError
    desk.add(A)
    assert desk.claim(0) is not None

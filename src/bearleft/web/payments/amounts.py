"""What people earned, computed from stored answers alone.

Base pay is for every stored answer, whatever was judged of it; bonuses are as in the papers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from bearleft.web.payments.rates import ArramonRates, Rates, Refer360Rates, TouchdownRates

BASE = "base"
WRITER_BONUS, FOLLOWER_BONUS = "writer bonus", "follower bonus"


@dataclass(frozen=True)
class Work:
    """A stored answer.

    Attributes:
        attempt: The attempt that left it.
        worker: Whose it is.
        unit: Its unit.
        parent: The unit that its unit follows from.
        kind: The kind of the unit.
        accepted: Whether it meets the rules of the task.
    """

    attempt: str
    worker: int
    unit: int
    parent: int | None
    kind: str
    accepted: bool


@dataclass(frozen=True)
class Amount:
    """What a worker earned for one reason, once for each key."""

    key: str
    worker: int
    unit: int
    reason: str
    cents: int


def _amount(work: Work, reason: str, cents: int) -> Amount:
    # The attempt stands for worker and unit; numbers of deleted units may be used again.
    return Amount(f"{reason} {work.attempt}", work.worker, work.unit, reason, cents)


def base_pay(rates: TouchdownRates | ArramonRates) -> dict[str, int]:
    """Return the base pay of each kind of unit."""
    if isinstance(rates, ArramonRates):
        return {
            "arramon/writing": rates.writing,
            "arramon/following": rates.verification,
            "arramon/check": rates.verification,
        }
    return {
        "touchdown/writing": rates.writing,
        "touchdown/propagation": rates.propagation,
        "touchdown/validation": rates.validation,
        "touchdown/check": rates.validation,
        "touchdown/segmentation": rates.segmentation,
        "touchdown/qualification": rates.qualification,
    }


def touchdown_amounts(rates: TouchdownRates, answers: Sequence[Work]) -> Iterator[Amount]:
    """Yield the amounts of Touchdown: base pay of each task, and bonuses of a text whose bear was found."""
    yield from _base_pay(rates, answers)
    yield from _found_bonuses(
        answers,
        "touchdown/writing",
        "touchdown/validation",
        "touchdown/check",
        rates.writer_bonus,
        rates.follower_bonus,
    )


def refer360_amounts(rates: Refer360Rates, answers: Sequence[Work]) -> Iterator[Amount]:
    """Yield the amounts of Refer360: each unit's part of a session, and bonuses of a text whose target was found."""
    for _, of_worker in groupby(sorted(answers, key=attrgetter("worker")), key=attrgetter("worker")):
        for number, work in enumerate(of_worker):
            # Whole cents that add up to the pay of a session.
            before, after = (rates.session * count // rates.session_units for count in (number, number + 1))
            yield _amount(work, BASE, after - before)
    yield from _found_bonuses(
        answers, "refer360/description", "refer360/finding", "refer360/check", rates.writer_bonus, rates.finder_bonus
    )


def arramon_amounts(rates: ArramonRates, answers: Sequence[Work]) -> Iterator[Amount]:
    """Yield the amounts of ArraMon: base pay, a bonus for texts that were verified, and milestones."""
    writing = "arramon/writing"
    yield from _base_pay(rates, answers)
    yield from _found_bonuses(answers, writing, "arramon/following", "arramon/check", rates.writer_bonus, 0)
    written: dict[int, int] = {}
    for work in answers:
        if work.kind == writing and work.accepted:
            written[work.worker] = count = written.get(work.worker, 0) + 1
            if count in rates.milestones:
                reason = f"bonus for {count} texts"
                yield Amount(f"{reason} {work.worker}", work.worker, work.unit, reason, rates.milestones[count])


def _base_pay(rates: TouchdownRates | ArramonRates, answers: Sequence[Work]) -> Iterator[Amount]:
    base = base_pay(rates)
    for work in answers:
        if work.kind in base:
            yield _amount(work, BASE, base[work.kind])


def _found_bonuses(
    answers: Sequence[Work], writing: str, following: str, check: str, writer_cents: int, follower_cents: int
) -> Iterator[Amount]:
    """Yield the bonuses of texts that somebody else followed well, and of whoever did.

    An attention check looks like following, so it pays the same.
    """
    writers = {work.unit: work for work in answers if work.kind == writing}
    rewarded: set[int] = set()
    for work in answers:
        if work.kind not in (following, check) or not work.accepted:
            continue
        yield _amount(work, FOLLOWER_BONUS, follower_cents)
        if work.parent in writers and work.parent not in rewarded:
            rewarded.add(work.parent)
            yield _amount(writers[work.parent], WRITER_BONUS, writer_cents)


def amounts(rates: Rates, answers: Sequence[Work]) -> list[Amount]:
    """Return what all workers of a project earned.

    Args:
        rates: The project's rates.
        answers: All answers of the project, in the order of submission.
    """
    match rates:
        case TouchdownRates():
            rows = touchdown_amounts(rates, answers)
        case Refer360Rates():
            rows = refer360_amounts(rates, answers)
        case ArramonRates():
            rows = arramon_amounts(rates, answers)
    return [row for row in rows if row.cents]

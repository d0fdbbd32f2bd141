"""Amounts by the papers' rates, from answers alone."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearleft.errors import InputError
from bearleft.web.payments.amounts import Amount, Work, amounts
from bearleft.web.payments.rates import ArramonRates, Rates, Refer360Rates, TouchdownRates, parse_rates

WRITER, FIRST, SECOND = 1, 2, 3


def work(
    number: int, worker: int, kind: str, unit: int | None = None, parent: int | None = None, accepted: bool = True
) -> Work:
    return Work(f"attempt {number}", worker, number if unit is None else unit, parent, kind, accepted)


def cents(rates: Rates, answers: list[Work]) -> dict[tuple[int, str], int]:
    sums: Counter[tuple[int, str]] = Counter()
    for row in amounts(rates, answers):
        sums[row.worker, row.reason] += row.cents
    return dict(sums)


def test_touchdown_pays_sixty_fifteen_twentyfive_and_twelve_cents() -> None:
    answers = [
        work(1, WRITER, "touchdown/writing", accepted=False),
        work(2, FIRST, "touchdown/propagation", parent=1),
        work(3, SECOND, "touchdown/segmentation", parent=1),
        work(4, SECOND, "touchdown/qualification"),
        work(5, FIRST, "touchdown/validation", accepted=False),
    ]
    assert cents(TouchdownRates(), answers) == {(WRITER, "base"): 60, (FIRST, "base"): 15 + 25, (SECOND, "base"): 12}


def test_touchdown_rewards_writer_and_follower_of_a_text_that_passed() -> None:
    answers = [
        work(1, WRITER, "touchdown/writing"),
        work(2, FIRST, "touchdown/validation", parent=1, accepted=False),
        work(3, SECOND, "touchdown/validation", unit=2, parent=1),
    ]
    assert cents(TouchdownRates(), answers) == {
        (WRITER, "base"): 60,
        (WRITER, "writer bonus"): 25,
        (FIRST, "base"): 25,
        (SECOND, "base"): 25,
        (SECOND, "follower bonus"): 10,
    }


def test_an_attention_check_pays_what_the_task_pays_that_it_looks_like() -> None:
    for accepted in (True, False):
        check = [work(1, FIRST, "touchdown/check", accepted=accepted)]
        same = [work(1, FIRST, "touchdown/validation", accepted=accepted)]
        assert cents(TouchdownRates(), check) == cents(TouchdownRates(), same)
        checks, same = (
            [work(k, FIRST, kind, accepted=accepted) for k in range(8)]
            for kind in ("refer360/check", "refer360/finding")
        )
        assert cents(Refer360Rates(), checks) == cents(Refer360Rates(), same)
    assert cents(TouchdownRates(), [work(1, FIRST, "touchdown/check")]) == {
        (FIRST, "base"): 25,
        (FIRST, "follower bonus"): 10,
    }


def test_refer360_pays_two_dollars_twentyfive_for_eight_units() -> None:
    kinds = ["refer360/finding"] * 4 + ["refer360/description"] * 4
    answers = [work(k, FIRST, kind, accepted=kind.endswith("description")) for k, kind in enumerate(kinds * 2)]
    assert cents(Refer360Rates(), answers[:8]) == {(FIRST, "base"): 225}
    assert cents(Refer360Rates(), answers) == {(FIRST, "base"): 450}
    parts = [row.cents for row in amounts(Refer360Rates(), answers)]
    assert set(parts) == {28, 29}


def test_refer360_rewards_each_finder_and_the_writer_once() -> None:
    answers = [
        work(1, WRITER, "refer360/description"),
        work(2, FIRST, "refer360/finding", unit=9, parent=1),
        work(3, SECOND, "refer360/finding", unit=9, parent=1),
        work(4, SECOND, "refer360/hiring-finding"),
        work(5, SECOND, "refer360/ablation", parent=9),
    ]
    rows = cents(Refer360Rates(), answers)
    assert (rows[WRITER, "writer bonus"], rows[FIRST, "follower bonus"], rows[SECOND, "follower bonus"]) == (10, 10, 10)


def test_arramon_pays_milestones_of_five_twenty_and_fifty_texts() -> None:
    answers = [work(k, WRITER, "arramon/writing", accepted=k > 0) for k in range(51)]  # the first one is not correct
    rows = cents(ArramonRates(), answers)
    assert rows == {
        (WRITER, "base"): 51 * 80,
        (WRITER, "bonus for 5 texts"): 10,
        (WRITER, "bonus for 20 texts"): 90,
        (WRITER, "bonus for 50 texts"): 400,
    }
    assert (WRITER, "bonus for 50 texts") not in cents(ArramonRates(), answers[:50])


def test_arramon_pays_a_dollar_for_each_of_fifty_verified_texts() -> None:
    """The paper's $1.00 includes all bonuses; 20 cents are for following a text."""
    answers = [work(k, WRITER, "arramon/writing") for k in range(50)]
    answers += [work(100 + k, FIRST, "arramon/following", parent=k) for k in range(50)]
    rows = cents(ArramonRates(), answers)
    assert sum(value for (worker, _), value in rows.items() if worker == WRITER) == 50 * 100
    assert rows[FIRST, "base"] == 50 * 20


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 4),
            st.sampled_from(["writing", "validation", "propagation", "segmentation"]),
            st.integers(0, 20),
            st.booleans(),
        ),
        max_size=30,
    )
)
def test_keys_are_unique_and_more_answers_never_pay_less(rows: list[tuple[int, str, int, bool]]) -> None:
    answers = [
        work(k, worker, f"touchdown/{kind}", None, parent, ok) for k, (worker, kind, parent, ok) in enumerate(rows)
    ]
    all_of_them = amounts(TouchdownRates(), answers)
    assert len({row.key for row in all_of_them}) == len(all_of_them)
    before: set[Amount] = set()
    for count in range(len(answers) + 1):
        now = set(amounts(TouchdownRates(), answers[:count]))
        assert before <= now
        before = now


@pytest.mark.parametrize(
    ("family", "values", "message"),
    [
        ("touchdown", {"writting": 5}, "unknown rate|rate"),
        ("touchdown", {"writing": 0.6}, "whole cents"),
        ("touchdown", {"writing": -1}, "whole cents"),
        ("touchdown", {"writing": True}, "whole cents"),
        ("refer360", {"session_units": 0}, "at least one unit"),
        ("arramon", {"milestones": {"five": 10}}, "cents by numbers"),
        ("arramon", {"milestones": {"5": "10"}}, "milestones.5"),
        ("play", {"writing": 1}, "not paid"),
    ],
)
def test_wrong_rates_are_refused(family: str, values: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_rates(family, values)


def test_a_project_sets_its_own_rates() -> None:
    rates = parse_rates("touchdown", {"writing": 100, "writer_bonus": 0})
    assert rates == TouchdownRates(writing=100, writer_bonus=0)
    answers = [work(1, WRITER, "touchdown/writing"), work(2, FIRST, "touchdown/validation", parent=1)]
    assert cents(rates, answers)[WRITER, "base"] == 100
    assert (WRITER, "writer bonus") not in cents(rates, answers)
    assert parse_rates("arramon", {"milestones": {"2": 7}}) == ArramonRates(milestones={2: 7})
    assert parse_rates("play", {}) is None

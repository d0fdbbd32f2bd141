"""What the papers paid, in cents of a US dollar; a project may set other rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

from bearleft.errors import InputError, format_value, unknown_name

MAX_CENTS = 1_000_000


@dataclass(frozen=True)
class TouchdownRates:
    """Touchdown, section "Payment and Incentive Structure".

    Attributes:
        writing: Of a text.
        propagation: Of a panorama beside the target's.
        validation: Of a search.
        segmentation: Of a text that was divided.
        qualification: Of a search before the first text; the paper names no pay.
        writer_bonus: For a text whose bear somebody found.
        follower_bonus: For whoever found it.
    """

    writing: int = 60
    propagation: int = 15
    validation: int = 25
    segmentation: int = 12
    qualification: int = 0
    writer_bonus: int = 25
    follower_bonus: int = 10


@dataclass(frozen=True)
class Refer360Rates:
    """Refer360, appendix A.1: $2.25 for a session of four findings and four descriptions.

    Each unit is paid its part of a session, so that people who stop in the middle are paid for what they did.

    Attributes:
        session: Of `session_units` units.
        session_units: Findings and descriptions of a session.
        writer_bonus: For a text whose target somebody found.
        finder_bonus: For everybody who found it.
    """

    session: int = 225
    session_units: int = 8
    writer_bonus: int = 10
    finder_bonus: int = 10


@dataclass(frozen=True)
class ArramonRates:
    """ArraMon, sections 4.3 and B.1.

    The paper says $1.00 for a writing including bonuses. With ten cents for a verified text, and {10, 90, 400} cents
    for 5, 20 and 50 correct writings, which are ten cents each for 50, 80 cents are left for the writing itself.

    Attributes:
        writing: Of a text.
        verification: Of following a text.
        writer_bonus: For a text that was followed well: a high nDTW, and the object put down at the right place.
        milestones: Cents by how many texts a worker has written correctly.
    """

    writing: int = 80
    verification: int = 20
    writer_bonus: int = 10
    milestones: Mapping[int, int] = field(default_factory=lambda: {5: 10, 20: 90, 50: 400})


Rates: TypeAlias = TouchdownRates | Refer360Rates | ArramonRates
RATES: dict[str, type[Rates]] = {"touchdown": TouchdownRates, "refer360": Refer360Rates, "arramon": ArramonRates}


def parse_rates(family: str, values: Mapping[str, Any]) -> Rates | None:
    """Return the rates of a project: the paper's, except for those that are given. None if its tasks are not paid.

    Raises:
        InputError: A rate is unknown, or no whole number of cents.
    """
    if family not in RATES:
        if values:
            raise InputError("no rates, since these tasks are not paid", format_value(dict(values)), "rates")
        return None
    known = [one.name for one in fields(RATES[family])]
    checked: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise unknown_name("rate", name, known)
        checked[name] = _milestones(value) if name == "milestones" else _cents(value, name)
    if checked.get("session_units") == 0:
        raise InputError("at least one unit in a session", "0", "rates.session_units")
    return RATES[family](**checked)


def _cents(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_CENTS:
        raise InputError(f"whole cents from 0 to {MAX_CENTS:,}", format_value(value), f"rates.{name}")
    return value


def _milestones(value: object) -> dict[int, int]:
    if not isinstance(value, Mapping) or not all(str(count).isdigit() for count in value):
        raise InputError('cents by numbers of texts, such as {"5": 10}', format_value(value), "rates.milestones")
    return {int(count): _cents(cents, f"milestones.{count}") for count, cents in value.items()}

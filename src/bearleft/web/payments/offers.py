"""What a unit will pay, as people are told before they start; by the rates that the ledger uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bearleft.web.database.models import Project
from bearleft.web.payments.amounts import base_pay
from bearleft.web.payments.rates import ArramonRates, Rates, Refer360Rates, TouchdownRates, parse_rates
from bearleft.web.studies import study_settings
from bearleft.web.tasks.base import REGISTERED
from bearleft.web.templating import format_cents


@dataclass(frozen=True)
class Offer:
    """The pay of a kind of unit, in cents.

    Attributes:
        base: Base pay.
        units: How many units the base pay is for.
        bonuses: Bonuses, and what each is for.
    """

    base: int = 0
    units: int = 1
    bonuses: tuple[tuple[int, str], ...] = ()


def find_offer(rates: Rates | None, kind: str) -> Offer:
    """Return what a unit of a kind pays by the rates of its project; None are those of tasks that are not paid."""
    if rates is None:
        return Offer()
    bonuses = tuple((cents, reason) for cents, reason in _bonuses(rates, kind) if cents)
    if isinstance(rates, Refer360Rates):
        return Offer(rates.session, rates.session_units, bonuses)
    return Offer(base_pay(rates).get(kind, 0), 1, bonuses)


def _bonuses(rates: Rates, kind: str) -> Iterator[tuple[int, str]]:
    match rates, kind:
        case TouchdownRates(), "touchdown/writing":
            yield rates.writer_bonus, "if somebody finds your bear"
        case TouchdownRates(), "touchdown/validation":
            yield rates.follower_bonus, "if you find the bear"
        case Refer360Rates(), "refer360/description":
            yield rates.writer_bonus, "if somebody finds the bear by your text"
        case Refer360Rates(), "refer360/finding":
            yield rates.finder_bonus, "if you find the bear"
        case ArramonRates(), "arramon/writing":
            yield rates.writer_bonus, "if somebody follows your texts well"
            for count, cents in sorted(rates.milestones.items()):
                yield cents, f"when {count} of your texts are correct"


def task_offer(project: Project, kind: str) -> str:
    """Return what a unit of a project pays, such as "0.60 USD, 0.25 USD more if ..."; an empty text if nothing."""
    study = study_settings(project.family, project.settings)
    offer = find_offer(parse_rates(project.family, study.rates), kind)
    pay = [_base(offer, study.currency)] if offer.base else []
    pay += [f"{format_cents(cents)} {study.currency} more {reason}" for cents, reason in offer.bonuses]
    return ", ".join(pay)


def _base(offer: Offer, currency: str) -> str:
    of = f" for {offer.units} tasks" if offer.units > 1 else ""
    return f"{format_cents(offer.base)} {currency}{of}"


def project_offer(project: Project) -> str:
    """Return what the tasks of a project pay, such as "0.12 to 0.60 USD a task, and bonuses"; empty if nothing."""
    study = study_settings(project.family, project.settings)
    rates = parse_rates(project.family, study.rates)
    offers = [find_offer(rates, kind) for kind in REGISTERED if kind.startswith(f"{project.family}/")]
    paid = sorted((offer for offer in offers if offer.base), key=lambda offer: offer.base)
    parts = []
    if paid:
        least, most = paid[0], paid[-1]
        span = f"{format_cents(least.base)} to " if least.base < most.base else ""
        parts.append(f"{span}{_base(most, study.currency)}{' a task' if most.units == 1 else ''}")
    if any(offer.bonuses for offer in offers):
        parts.append("bonuses")
    return ", and ".join(parts)


def is_paid_by_platform(project: Project) -> bool:
    """Return whether base pay of people from Prolific or Mechanical Turk is paid there."""
    study = study_settings(project.family, project.settings)
    return bool(study.platform) and study.base_pay == "platform"

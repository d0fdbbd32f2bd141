"""Settings that every study with people has, whatever its tasks are: consent, platform, payment, attention checks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from bearleft.errors import InputError, format_value, unknown_name

PLATFORMS = ("prolific", "mturk")
BASE_PAY = ("platform", "bonus")
SESSION_UNITS = {"refer360": 8, "ndtw-study": 10}  # of a session; one unit elsewhere
CODE = re.compile(r"[A-Za-z0-9_-]{0,64}")
CURRENCY = re.compile(r"[A-Z]{3}")
MAX_UNITS = 1000


@dataclass(frozen=True)
class StudySettings:
    """Settings of a project besides those of its tasks.

    Attributes:
        consent: Whether people agree to the project's text before they get a unit.
        platform: "prolific" or "mturk" if people come from there to `/start/NAME`; empty if not.
        completion_code: The code that Prolific expects at the end.
        session_units: Units that one submission on the platform asks for.
        base_pay: "platform" if base pay is the reward that the platform pays for a submission, "bonus" if it is paid
            with the bonuses. People who did not come from a platform are paid both here.
        currency: The currency of all amounts, by its three letters.
        rates: Rates in cents that are not the paper's.
        check_every: After how many units a worker gets a unit with a known answer; 0 for never.
    """

    consent: bool = False
    platform: str = ""
    completion_code: str = ""
    session_units: int = 1
    base_pay: str = "platform"
    currency: str = "USD"
    rates: Any = field(default_factory=dict)
    check_every: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.consent, bool):
            raise InputError("true or false", format_value(self.consent), "consent")
        if self.platform and self.platform not in PLATFORMS:
            raise unknown_name("platform", str(self.platform), PLATFORMS)
        if self.base_pay not in BASE_PAY:
            raise unknown_name("base_pay", str(self.base_pay), BASE_PAY)
        for name, pattern, expected in (
            ("completion_code", CODE, "a code of letters, digits, - and _"),
            ("currency", CURRENCY, "three capital letters, such as USD"),
        ):
            value = getattr(self, name)
            if not isinstance(value, str) or not pattern.fullmatch(value):
                raise InputError(expected, format_value(value), name)
        for name, low in (("session_units", 1), ("check_every", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= MAX_UNITS:
                raise InputError(f"a whole number from {low} to {MAX_UNITS:,}", format_value(value), name)
        if not isinstance(self.rates, Mapping):
            hint = "Type: --set 'rates={\"writing\": 70}'"
            raise InputError("rates by their names, in cents", format_value(self.rates), "rates", hint=hint)
        if self.platform == "prolific" and not self.completion_code:
            hint = "Type: --set completion_code=CODE, with the code that Prolific shows for the study."
            raise InputError("a completion code for Prolific", "none", "completion_code", hint=hint)


STUDY_SETTINGS = frozenset(one.name for one in fields(StudySettings))


def study_settings(family: str, settings: Mapping[str, Any]) -> StudySettings:
    """Return the study's part of a project's settings.

    Raises:
        InputError: A setting is wrong.
    """
    chosen = {name: value for name, value in settings.items() if name in STUDY_SETTINGS}
    return StudySettings(**{"session_units": SESSION_UNITS.get(family, 1)} | chosen)


def task_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a project's tasks, without those of the study."""
    return {name: value for name, value in settings.items() if name not in STUDY_SETTINGS}

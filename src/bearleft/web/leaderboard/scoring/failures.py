"""Why a submission could not be scored: fixed sentences that hold numbers of lines and files, and nothing else.

The process that reads an upload reports a code and numbers. The sentence is written by the process that holds the
database, so that no label can be part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_LINE = "Line {line} of the file of seed {seed}"
TEXTS = {
    "unreadable": f"{_LINE} is not a trace.",
    "dataset": f"{_LINE} is a trace of another dataset than that of the track, or of another version of it.",
    "unknown": f"{_LINE} is a trace of an episode that the track does not have.",
    "repeated": f"{_LINE} is a second trace of its episode.",
    "incomplete": f"{_LINE} does not have a played leg for each leg of its episode.",
    "impossible": f"{_LINE} is not possible in the environment: bearleft.replay_trace says where it differs.",
    "missing": "The file of seed {seed} lacks traces of {count} episodes; each episode needs one.",
    "unscorable": "The file of seed {seed} cannot be scored: bearleft score says why, for a dataset with answers.",
    "time": "Scoring took longer than the {count} seconds that the track allows.",
    "memory": "Scoring needed more than the {count} MB of memory that the track allows.",
    "answers": "The answers of the track cannot be read. Please tell its organisers.",
    "attempts": "Scoring did not end in {count} attempts. Please tell the organisers of the track.",
}
NUMBERS = ("seed", "line", "count")
MAX_NUMBER = 2**63 - 1


@dataclass(eq=False)
class ScoringFailure(Exception):  # noqa: N818
    """A submission that cannot be scored.

    Attributes:
        code: A key of TEXTS.
        numbers: The numbers in its text.
    """

    code: str
    numbers: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The reason, for the team."""
        return TEXTS[self.code].format(**{name: f"{self.numbers.get(name, 0)}" for name in NUMBERS})

    def to_json(self) -> dict[str, Any]:
        """Return the failure as JSON."""
        return {"code": self.code, **self.numbers}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ScoringFailure:
        """Return the failure that a confined process reports; anything but a known code and numbers is dropped."""
        code = value.get("code")
        numbers = {name: value[name] for name in NUMBERS if type(value.get(name)) is int}
        numbers = {name: number for name, number in numbers.items() if abs(number) <= MAX_NUMBER}
        return cls(code if isinstance(code, str) and code in TEXTS else "unscorable", numbers)

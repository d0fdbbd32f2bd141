"""What the leaderboard refuses: a code for programs, and a sentence for people that tells nothing about an answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(eq=False)
class LeaderboardError(Exception):
    """What somebody asked for is not possible.

    Attributes:
        code: Why, in one word for programs.
        message: The same for people.
    """

    code: str
    message: str

    def __str__(self) -> str:
        return self.message


class UploadError(LeaderboardError):
    """An uploaded file is refused; this does not count as a submission."""


class TeamError(LeaderboardError):
    """A team, an invitation or a token is refused."""


class SubmissionError(LeaderboardError):
    """A submission, or a change of one, is refused."""


class QuotaError(SubmissionError):
    """The team has no submission left, today or altogether."""

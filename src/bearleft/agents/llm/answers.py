"""Reading answers: the action of a text, or the name of what makes it unreadable. Nothing is guessed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bearleft.agents.llm.client import REJECTED
from bearleft.agents.llm.requests import ChatAnswer
from bearleft.envs.game import Action
from bearleft.records import Direction
from bearleft.types import Observation

WORDS = {
    "reach": ("forward", "left", "right", "stop"),
    "point": (),
    "look": ("left", "right", "up", "down", "next"),
    "collect": ("forward", "left", "right", "pick"),
    "assemble": ("forward", "left", "right", "place"),
}
POINTING_KINDS = ("point", "look")
MAX_SHORT_ANSWER = 60  # characters of an answer that is nothing but an action
_ACTION_LINE = re.compile(r"^[\s>*_#`\-]*action[\s*_`]*[:=](.*)$", re.IGNORECASE | re.MULTILINE)
_NUMBER = r"[-+−]?\d+(?:\.\d+)?"
_MARK = re.compile(r"mark\s*[\[#(]?\s*(\d{1,6})\s*[\])]?")
_DIRECTION = re.compile(rf"direction\s+(?:heading\s*)?({_NUMBER})°?\s*[,;]?\s+(?:pitch\s*)?({_NUMBER})°?")
_PIXEL = re.compile(rf"pixel\s+\(?\s*({_NUMBER})\s*[,;]?\s+({_NUMBER})\s*\)?")
_FENCE = re.compile(r"^```\w*\s*(.*?)\s*```$", re.DOTALL)

# Names of unreadable answers.
EMPTY, TRUNCATED, DECLINED, NO_ACTION = "empty", "truncated", "declined", "no action"
SEVERAL_ACTIONS, UNKNOWN_ACTION, UNKNOWN_MARK, OUT_OF_RANGE = (
    *("several actions", "unknown action", "unknown mark", "number out of range"),
)
UNREADABLE = (
    EMPTY,
    TRUNCATED,
    DECLINED,
    REJECTED,
    NO_ACTION,
    SEVERAL_ACTIONS,
    UNKNOWN_ACTION,
    UNKNOWN_MARK,
    OUT_OF_RANGE,
)
_FINISHES = {"length": TRUNCATED, "content_filter": DECLINED, "refusal": DECLINED, REJECTED: REJECTED}


class UnreadableError(Exception):
    """An answer without a valid action; its argument is one of UNREADABLE."""


@dataclass(frozen=True)
class ReadAction:
    """An action, and how the answer wrote it."""

    action: Action
    words: str


@dataclass(frozen=True)
class Pointing:
    """What directions an answer can name: the numbered marks, and the pixels of the picture it was shown."""

    marks: Mapping[int, Direction]
    pixel: Callable[[float, float], Direction | None] | None = None


def read_answer(answer: ChatAnswer, observation: Observation, pointing: Pointing) -> ReadAction:
    """Return the action of an answer.

    Args:
        answer: The answer.
        observation: The observation that it answers.
        pointing: Its marks and pixels.

    Raises:
        UnreadableError: There is none, there are several, or it is not possible in this leg.
    """
    if answer.finish in _FINISHES:
        raise UnreadableError(_FINISHES[answer.finish])
    text = answer.text.strip()
    if not text:
        raise UnreadableError(EMPTY)
    lines = {_clean(line) for line in _ACTION_LINE.findall(text)} - {""}
    if not lines and (said := _from_json(text)) is not None:
        lines = {_clean(said)}
    if not lines and len(text) <= MAX_SHORT_ANSWER and "\n" not in text:
        try:
            return _parse(_clean(text), observation, pointing)
        except UnreadableError as error:
            raise UnreadableError(NO_ACTION if error.args[0] == UNKNOWN_ACTION else error.args[0]) from None
    if not lines:
        raise UnreadableError(NO_ACTION)
    if len(lines) > 1:
        raise UnreadableError(SEVERAL_ACTIONS)
    return _parse(lines.pop(), observation, pointing)


def _clean(words: str) -> str:
    return " ".join(words.lower().replace("−", "-").split()).strip(" *_`\"'.!<>")


def _from_json(text: str) -> str | None:
    """Return the field "action" of an answer in JSON; None if there is none."""
    fenced = _FENCE.match(text)
    try:
        row = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return None
    action = row.get("action") if isinstance(row, dict) else None
    return action if isinstance(action, str) else None


def _parse(words: str, observation: Observation, pointing: Pointing) -> ReadAction:
    kind = observation["kind"]
    if words in WORDS[kind]:
        return ReadAction(words, words)
    if kind in POINTING_KINDS:
        direction = _direction(words, pointing)
        if direction is not None:
            return ReadAction(direction, words)
    raise UnreadableError(UNKNOWN_ACTION)


def _direction(words: str, pointing: Pointing) -> Direction | None:
    if match := _MARK.fullmatch(words):
        mark = pointing.marks.get(int(match[1]))
        if mark is None:
            raise UnreadableError(UNKNOWN_MARK)
        return mark
    if match := _DIRECTION.fullmatch(words):
        heading, pitch = float(match[1]), float(match[2])
        if not (math.isfinite(heading) and abs(heading) <= 1e6 and -90 <= pitch <= 90):
            raise UnreadableError(OUT_OF_RANGE)
        return Direction(heading, pitch)
    if match := _PIXEL.fullmatch(words):
        direction = None if pointing.pixel is None else pointing.pixel(float(match[1]), float(match[2]))
        if direction is None:
            raise UnreadableError(OUT_OF_RANGE)
        return direction
    return None

"""Rules that the tasks of Refer360 share: the circle of 11 degrees, views that a browser sends, and texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bearleft.errors import InputError, format_value
from bearleft.metrics.milestones import RADIUS as RADIUS
from bearleft.records import Direction
from bearleft.runtime.json_fields import Fields, items, text

MIN_SENTENCES, MAX_SENTENCES = 3, 5
MIN_WORDS = 4  # of a sentence
MAX_CHARACTERS = 400  # of a sentence
MAX_TURN = 1e6  # degrees; viewers may count turns
MAX_PIXELS = 20_000
WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")

_NUMBER = r"(?:\d+(?:[.,]\d+)?|ninety|forty[- ]five|thirty|sixty|one hundred(?: and)? eighty)"
COORDINATES = (
    re.compile(rf"{_NUMBER}\s*(?:°|º|deg\b|degs\b|degrees?\b)", re.IGNORECASE),
    # "Heading to the left" and "the pitch of the roof" are plain English; with a number they are coordinates.
    re.compile(r"\b(?:heading|pitch|bearing|elevation|lat|lng|lon)\b\W{0,3}(?:of\s+|is\s+)?-?\d", re.IGNORECASE),
    re.compile(r"\b(?:yaw|latitude|longitude|azimuth|coordinates?)\b", re.IGNORECASE),
    re.compile(r"\d\s*(?:px|pixels?)\b", re.IGNORECASE),
    re.compile(r"[(\[]\s*-?\d+(?:\.\d+)?\s*[,;]\s*-?\d+(?:\.\d+)?\s*[)\]]"),
    re.compile(r"\b[xy]\s*[=:]\s*-?\d", re.IGNORECASE),
)
# Words such as "screen", "button" or "mouse" alone may be things in the picture.
INTERFACE = (
    re.compile(r"\b(?:click|clicks|clicked|clicking|zoom|zooms|zoomed|zooming|cursor|cross-?hairs?|web ?page)\b", re.I),
    re.compile(r"\bbull['’]?s[- ]?eye\b", re.IGNORECASE),
    re.compile(r"\barrow keys?\b|\b(?:press|hit|push|use)\s+(?:the\s+|your\s+)?(?:enter|space|arrow|mouse|key)", re.I),
    re.compile(r"\b(?:your|computer['’]s)\s+(?:screen|mouse|keyboard|display|monitor|browser)\b", re.IGNORECASE),
    re.compile(r"\b(?:drag|scroll)\s+(?:the\s+|your\s+)?(?:view|picture|image|mouse|left|right|up|down)\b", re.I),
)


def parse_direction(data: Mapping[str, Any]) -> Direction:
    """Return the direction of an action: its fields "heading" and "pitch"."""
    fields = Fields(dict(data))
    return Direction(fields.number("heading", -MAX_TURN, MAX_TURN), fields.number("pitch", -90, 90))


def parse_view(data: Mapping[str, Any], sized: bool = False) -> dict[str, float]:
    """Return a view that a browser sent: heading, pitch, vertical field of view, and size of the picture.

    Args:
        data: The view's fields.
        sized: Whether width and height are required.
    """
    fields, look = Fields(dict(data)), parse_direction(data)
    view = {"heading": look.heading, "pitch": look.pitch, "vfov": fields.number("vfov", 1, 179)}
    for name in ("width", "height"):
        if sized or name in fields:
            view[name] = fields.number(name, 1, MAX_PIXELS)
    return view


def parse_answer(data: Mapping[str, Any]) -> tuple[Direction, str, dict[str, float]]:
    """Return the direction that a person chose, how ("click" or "centre"), and the view in which it was chosen.

    Raises:
        InputError: A field is missing or wrong, or an answer by the centre is not the centre of its view.
    """
    fields = Fields(dict(data))
    direction, way = parse_direction(data), fields.text("by")
    if way not in ("centre", "click"):
        raise InputError('"centre" or "click"', format_value(way), "by")
    view = parse_view(fields.object("view").value, sized=True)
    if way == "centre" and Direction(view["heading"], view["pitch"]) != direction:
        raise InputError("the centre of the view", "another direction", "heading")
    return direction, way, view


def clean_sentence(value: Any, field: str = "") -> str:
    """Return a sentence with single spaces, in characters that can be printed; raise InputError if it is too long."""
    sentence = text(value, field)
    if len(sentence) > 4 * MAX_CHARACTERS:
        raise InputError(f"at most {MAX_CHARACTERS} characters", f"{len(sentence):,}", field)
    sentence = " ".join(CONTROL.sub(" ", sentence).split())
    if len(sentence) > MAX_CHARACTERS:
        raise InputError(f"at most {MAX_CHARACTERS} characters", str(len(sentence)), field)
    return sentence


def clean_sentences(value: Any, field: str = "sentences") -> tuple[str, ...]:
    """Return the sentences of a draft; empty ones at its end are left out.

    Raises:
        InputError: It is no list of at most MAX_SENTENCES texts.
    """
    given = items(value, field)
    if len(given) > MAX_SENTENCES:
        raise InputError(f"at most {MAX_SENTENCES} sentences", str(len(given)), field)
    sentences = [clean_sentence(sentence, f"{field}[{k}]") for k, sentence in enumerate(given)]
    while sentences and not sentences[-1]:
        sentences.pop()
    return tuple(sentences)


def sentence_problem(sentence: str, others: Sequence[str] = ()) -> str:
    """Return what is wrong with a sentence, as one asks for a change; "" if nothing is.

    Args:
        sentence: The sentence.
        others: The other sentences of the text.
    """
    words = [word.casefold() for word in WORD.findall(sentence)]
    if len(words) < MIN_WORDS or len(set(words)) < MIN_WORDS - 1:
        return f"Write a whole sentence of at least {MIN_WORDS} words."
    if any(pattern.search(sentence) for pattern in COORDINATES):
        return "Describe what one sees instead of degrees or coordinates."
    if any(pattern.search(sentence) for pattern in INTERFACE):
        return "Describe the scene, not this page: no clicks, keys or zoom."
    if normal_form(sentence) in map(normal_form, others):
        return "Say something new: another sentence says the same."
    return ""


def sentence_problems(sentences: Sequence[str]) -> list[str]:
    """Return what is wrong with each sentence of a text: "" if nothing is."""
    return [sentence_problem(sentence, sentences[:k]) for k, sentence in enumerate(sentences)]


def check_sentences(sentences: Sequence[str]) -> None:
    """Raise InputError for a text that breaks a rule; the error names the first sentence that does."""
    if len(sentences) < MIN_SENTENCES:
        raise InputError(f"at least {MIN_SENTENCES} sentences", str(len(sentences)), "sentences")
    for k, problem in enumerate(sentence_problems(sentences)):
        if problem:
            raise InputError("a clear sentence", format_value(sentences[k]), f"sentence {k + 1}", hint=problem)


def normal_form(sentence: str) -> str:
    """Return the words of a sentence and their order only, to compare texts."""
    return " ".join(re.findall(r"\w+", sentence.casefold()))


def is_repeated(sentences: Sequence[str], earlier: Sequence[Sequence[str]]) -> bool:
    """Return whether a text says nothing that one earlier text does not say already."""
    said = {normal_form(sentence) for sentence in sentences}
    return any(said <= {normal_form(sentence) for sentence in other} for other in earlier)

"""Tasks with other texts: another task's, or their own without words of colour or of direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bearleft.errors import InputError, unknown_name
from bearleft.language.analysis.tokens import token_spans
from bearleft.records import Episode

SHUFFLED, NO_COLOURS, NO_DIRECTIONS = "shuffled", "no-colours", "no-directions"
CHANGES = {
    SHUFFLED: "another task's texts",
    NO_COLOURS: "without colour words",
    NO_DIRECTIONS: "without direction words",
}
COLOUR_WORDS = frozenset(
    (
        *("brown", "green", "blue", "red", "yellow", "white", "purple", "orange", "black", "gray", "grey", "silver"),
        *("tan", "teal", "pink", "gold", "golden", "beige", "violet", "turquoise"),
    )
)
DIRECTION_WORDS = frozenset(  # where to turn and to go, and on which side of a thing
    (
        *("left", "right", "around", "straight", "forward", "ahead", "back", "backward", "backwards", "behind"),
        *("front", "past", "beyond", "pass", "passing", "passed", "between", "inbetween", "towards", "toward"),
        *("through", "along", "across", "down", "up", "turn", "turning", "diagonally", "diagonal", "slight"),
        *("slightly", "degrees", "completely", "beside", "facing", "face"),
    )
)


def change_texts(episodes: Sequence[Episode], change: str) -> list[Episode]:
    """Return tasks with other texts.

    Args:
        episodes: The tasks.
        change: A key of CHANGES.

    Raises:
        InputError: There is no such change.
    """
    if change == SHUFFLED:
        return with_other_texts(episodes)
    words = {NO_COLOURS: COLOUR_WORDS, NO_DIRECTIONS: DIRECTION_WORDS}.get(change)
    if words is None:
        raise unknown_name("change of texts", change, CHANGES)
    return [_map_texts(episode, lambda text: without_words(text, words)) for episode in episodes]


def with_other_texts(episodes: Sequence[Episode]) -> list[Episode]:
    """Return each task with the texts of the one after it."""
    if len(episodes) < 2:
        raise InputError("at least two tasks, to swap their texts", str(len(episodes)))
    return [
        replace(episode, legs=tuple(replace(a, text=b.text) for a, b in zip(episode.legs, other.legs, strict=True)))
        for episode, other in zip(episodes, [*episodes[1:], episodes[0]], strict=True)
    ]


def without_words(text: str, words: frozenset[str]) -> str:
    """Return a text without some words."""
    kept = [text[begin:end] for begin, end in token_spans(text) if text[begin:end].lower() not in words]
    return " ".join(kept)


def _map_texts(episode: Episode, change: Callable[[str], str]) -> Episode:
    return replace(episode, legs=tuple(replace(leg, text=change(leg.text) or ".") for leg in episode.legs))

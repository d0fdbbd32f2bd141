"""Rules of rankings: what a move is, and when an order counts as a person's ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bearleft.errors import InputError, format_value
from bearleft.experiments.ndtw.study import QUERIES_PER_SET
from bearleft.runtime.json_fields import Fields, items, text
from bearleft.web.tasks.base import Data, EventData

NAMES = tuple("ABCDE")  # of the paths, in the order in which they are shown at first
WAYS = ("drag", "arrows", "number", "button")
MOVE = "move"
Order = tuple[str, ...]


@dataclass(frozen=True)
class Move:
    """A path that is put at a rank.

    Attributes:
        path: The name of the path.
        rank: From 1, the best, to 5.
        by: How it was moved.
    """

    path: str
    rank: int
    by: str


def parse_move(data: Data) -> Move:
    """Return the move of an action.

    Raises:
        InputError: The path, the rank or the way of moving is unknown.
    """
    fields = Fields(dict(data))
    by = fields.text("by")
    if by not in WAYS:
        raise InputError(f"a way of moving: {', '.join(WAYS)}", format_value(by), "by")
    return Move(_path(fields["path"], "path"), fields.integer("rank", 1, QUERIES_PER_SET), by)


def _path(value: Any, field: str) -> str:
    name = text(value, field)
    if name not in NAMES:
        raise InputError(f"a path: {', '.join(NAMES)}", format_value(name), field)
    return name


def moved(order: Sequence[str], move: Move) -> Order:
    """Return an order after a move; the other paths keep theirs."""
    others = [name for name in order if name != move.path]
    return (*others[: move.rank - 1], move.path, *others[move.rank - 1 :])


def order_after(events: Sequence[EventData]) -> Order:
    """Return the names of the paths from best to worst, after the moves so far."""
    order: Order = NAMES
    for event in events:
        order = moved(order, parse_move(event.data))
    return order


def check_ranking(value: Any, events: Sequence[EventData], confirmed: bool) -> Order:
    """Return the ranking that a person submits.

    Args:
        value: The names of the paths from best to worst, as the page shows them.
        events: The moves so far.
        confirmed: Whether the person says that the order is right although nothing was moved.

    Raises:
        InputError: Not every path has a rank of its own, the page shows another order than the one that is stored, or
            nothing was moved and the person has not confirmed the order.
    """
    names = [_path(name, f"ranking[{k}]") for k, name in enumerate(items(value, "ranking"))]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        hint = "Two paths cannot share a rank: decide which is better."
        raise InputError("each path at one rank", f"{twice[0]} more than once", "ranking", hint=hint)
    if len(names) != len(NAMES):
        missing = ", ".join(name for name in NAMES if name not in names)
        raise InputError("a rank for each of the five paths", f"none for {missing}", "ranking")
    stored = order_after(events)
    if tuple(names) != stored:
        hint = "Load the page again: it shows what is stored."
        raise InputError(f"the order that is stored, {' '.join(stored)}", " ".join(names), "ranking", hint=hint)
    if not events and not confirmed:
        hint = "Move a path, or confirm that this order is your ranking."
        raise InputError("a ranking of your own", "the order in which the paths came", hint=hint)
    return stored

"""Task III of Touchdown, validation: follow a text without a map, and find the bear within five clicks.

A click finds the bear within 90 pixels of it (`clicks.pixel_distance`), from the goal panorama or from a neighbouring
one in which its spot was shown (task II). The server judges; the browser learns whether the bear was found, and how
far off the click that found it was once the answer is stored.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from bearleft.errors import InputError
from bearleft.records import Direction, LegTrace, Trace
from bearleft.version import VERSION
from bearleft.web.tasks.base import (
    Data,
    EventData,
    Outcome,
    Task,
    TaskContext,
    UnitData,
    register,
    unknown_action,
)
from bearleft.web.tasks.play import PERSON
from bearleft.web.tasks.touchdown.clicks import RADIUS, Click, parse_click, pixel_distance
from bearleft.web.tasks.touchdown.pipeline import VALIDATION, after_validation
from bearleft.web.tasks.touchdown.walks import Walk, move, walk_of

ACTIONS = ("move", "guess")
ATTEMPTS = 5
DATASET = "collected"  # of traces, until an export names the dataset


@dataclass(frozen=True)
class FollowingState:
    """What a follower has done so far.

    Attributes:
        walk: Where the follower is.
        guesses: The clicks.
        places: The place of each click.
        found: Whether the last click found the bear.
    """

    walk: Walk
    guesses: tuple[Click, ...] = ()
    places: tuple[str, ...] = ()
    found: bool = False

    @property
    def attempts_left(self) -> int:
        """Return how many clicks are left."""
        return ATTEMPTS - len(self.guesses)

    @property
    def done(self) -> bool:
        """Return whether the bear was found, or no click is left."""
        return self.found or not self.attempts_left

    def trace(self, episode: str, dataset: str = DATASET) -> Trace:
        """Return the walk and the last click as a trace, as an agent that names the places it walks to leaves it."""
        path = self.walk.path
        walked = LegTrace((*path[1:], "stop"), path, (Direction(self.walk.heading),))
        pointed = LegTrace(("point",), (path[-1],), (), self.guesses[-1].direction)
        return Trace(episode, dataset, PERSON, (walked, pointed), version=VERSION)


def following_state(unit: UnitData, events: Sequence[EventData]) -> FollowingState:
    """Return the state after the events of an attempt."""
    payload = unit.payload
    walk = walk_of(payload["world"], payload["start"], payload["heading"], events)
    guesses, places, found, place = [], [], False, payload["start"]
    for event in events:
        if event.kind == "move":
            place = event.data["place"]
        else:
            guesses.append(parse_click(event.data))
            places.append(place)
            found = event.result["found"]
    return FollowingState(walk, tuple(guesses), tuple(places), found)


def pixels_off(unit: UnitData, place: str, click: Click) -> float:
    """Return the pixels between a click at a place and the bear; infinite where the bear was not shown."""
    targets = (target for target in unit.payload["targets"] if target["place"] == place)
    distances = (pixel_distance(click, Direction(target["heading"], target["pitch"])) for target in targets)
    return min(distances, default=math.inf)


def found_message(feedback: Mapping[str, Any]) -> str:
    """Return what somebody who found the bear is told."""
    pixels = feedback["pixels_off"]
    return f"You found the bear! Your click was {pixels} {'pixel' if pixels == 1 else 'pixels'} off."


class FollowingTask(Task):
    """Follow a text and find the bear."""

    template: ClassVar[str] = "touchdown/validation.html"
    minutes: ClassVar[int] = 4

    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return the text and where the follower is."""
        state = following_state(unit, events)
        return {
            "text": unit.payload["text"],
            "world": unit.payload["world"],
            "walk": state.walk.to_json(context.worlds),
            "attempts": ATTEMPTS,
            "guesses": [
                {"place": place, **click.to_json()} for place, click in zip(state.places, state.guesses, strict=True)
            ],
            **_verdict(state),
        }

    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Walk, or click where the bear is said to be."""
        state = following_state(unit, events)
        if kind not in ACTIONS:
            raise unknown_action(kind, ACTIONS)
        if state.done:
            raise InputError("no action after the end of the search", "one more", "kind")
        if kind == "move":
            return move(context.worlds, state.walk, data)
        click = parse_click(data)
        found = pixels_off(unit, state.walk.place, click) <= RADIUS
        return _verdict(FollowingState(state.walk, (*state.guesses, click), (), found))

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Store the search once it has ended."""
        state = following_state(unit, events)
        if not state.done:
            got = f"{len(state.guesses)} of {ATTEMPTS} clicks"
            raise InputError("the bear found, or all clicks used", got, hint="Look on, or give the task back.")
        answer = {
            "found": state.found,
            "attempts": len(state.guesses),
            "guesses": [
                {"place": place, **click.to_json()} for place, click in zip(state.places, state.guesses, strict=True)
            ],
            "trace": state.trace(self.episode(unit)).to_json(),
        }
        feedback: dict[str, Any] = {"found": state.found, "attempts": len(state.guesses)}
        if state.found:  # after the answer, and only to whoever knows the bear's place by now
            feedback["pixels_off"] = round(pixels_off(unit, state.places[-1], state.guesses[-1]))
        return self.outcome(answer, feedback, state.found)

    @abstractmethod
    def episode(self, unit: UnitData) -> str:
        """Return the id of the episode that was followed."""

    @abstractmethod
    def outcome(self, answer: dict[str, Any], feedback: dict[str, Any], found: bool) -> Outcome:
        """Return what becomes of a finished search."""


def _verdict(state: FollowingState) -> dict[str, Any]:
    return {"found": state.found, "attempts_left": state.attempts_left, "done": state.done}


@register
class ValidationTask(FollowingTask):
    """Follow a text that another worker wrote."""

    kind: ClassVar[str] = VALIDATION
    title: ClassVar[str] = "Find the bear"
    summary: ClassVar[str] = "Follow somebody's directions through the streets and find the bear."

    def episode(self, unit: UnitData) -> str:
        """Return the number of the writing unit."""
        return str(unit.payload["writing"])

    def outcome(self, answer: dict[str, Any], feedback: dict[str, Any], found: bool) -> Outcome:
        """Let the text be segmented if the bear was found, or tried by another person."""
        message = found_message(feedback) if found else "The bear was somewhere else. Somebody else will try, too."
        return Outcome(answer, feedback | {"message": message}, found, after=after_validation)

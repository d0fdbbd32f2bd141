"""Turning a view sentence by sentence until it rests on the target: Refer360's finding task."""

from __future__ import annotations

import numpy as np

from bearleft.envs.game import Action, Guess, Observation, at_least_one, check_running, not_an_action
from bearleft.errors import InputError
from bearleft.records import Direction, Heat, Leg, LegTrace, Pose

STEP = 15.0
HORIZON = 200
FOV = 90.0
TURNS = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}


def check_step(degrees: float) -> None:
    """An error for what is no turn of a view."""
    if not 0 < degrees <= 180:
        raise InputError("a step of the view between 0 and 180 degrees", f"{degrees:g}")


def ceiling(rng: np.random.Generator) -> Direction:
    """Where the finding task begins: straight up, with a random yaw."""
    return Direction(float(rng.uniform(0, 360)), 90.0)


class LookGame:
    """Turn the view as each sentence says; its middle after the last sentence is the answer.

    Asked: sentences, shown one after another.
    Actions: "left", "right", "up", "down" by `step` degrees; a Direction to look there at once, or a Guess, which
        holds a heat map too; "next" to read on.
    Observation: kind, text, sentence (its number), sentences, place, heading, pitch, fov, step, horizon.
    Reward: none here; `envs/gym.py` gives 1 within 11 degrees.
    End: at "next" after the last sentence, or after `horizon` actions.
    Ids: bearleft/Look-v0.

    The view is recorded after each sentence. It stops at `limit` degrees up and down, and goes round sideways.
    """

    def __init__(
        self, leg: Leg, start: Pose, step: float = STEP, horizon: int = HORIZON, fov: float = FOV, limit: float = 90.0
    ) -> None:
        check_step(step)
        at_least_one(horizon)
        if not 0 <= limit <= 90:
            raise InputError("a limit from 0 to 90 degrees", f"{limit:g}")
        self.leg, self.start, self.by, self.horizon, self.fov, self.limit = leg, start, step, horizon, fov, limit
        self.sentences = leg.sentences or (leg.text,)
        self.look = self._within(start.look)
        self.views: list[Direction] = []
        self.actions: list[str] = []
        self.heat: Heat | None = None  # the last that was given
        self.done = False

    def _within(self, look: Direction) -> Direction:
        return Direction(look.heading, min(max(look.pitch, -self.limit), self.limit))

    def observe(self) -> Observation:
        number = min(len(self.views), len(self.sentences) - 1)
        return {
            "kind": "look",
            "text": self.sentences[number],
            "sentence": number,
            "sentences": len(self.sentences),
            "place": self.start.place,
            "heading": self.look.heading,
            "pitch": self.look.pitch,
            "fov": self.fov,
            "step": len(self.actions),
            "horizon": self.horizon,
        }

    def step(self, action: Action) -> None:
        check_running(self)
        if isinstance(action, Guess):
            self.heat, action = action.heat, action.direction
        if isinstance(action, Direction):
            self.look = self._within(action)
        elif action in TURNS:
            across, up = TURNS[action]
            pitch = min(max(self.look.pitch + up * self.by, -90.0), 90.0)
            self.look = self._within(Direction(self.look.heading + across * self.by, pitch))
        elif action == "next":
            self.views.append(self.look)
        else:
            raise not_an_action(action, f"{', '.join(TURNS)}, next, a Direction or a Guess")
        self.actions.append("look" if isinstance(action, Direction) else action)
        self.done = len(self.views) == len(self.sentences) or len(self.actions) >= self.horizon

    @property
    def end(self) -> Pose:
        """Where the next leg begins."""
        return Pose(self.look, self.start.place, self.start.position)

    def trace(self) -> LegTrace:
        """`looks` are the views after each sentence; a view that ran out of time is the answer all the same."""
        return LegTrace(tuple(self.actions), (), tuple(self.views), self.look if self.done else None, self.heat)

"""Rules of Refer360's finding task: turn the view sentence by sentence until it rests on the target.

The Gymnasium environment is `LookEnv` in `envs/gym.py`.
"""

from __future__ import annotations

import numpy as np

from bearleft.envs.game import Action, Observation, Prediction, check_horizon, check_running, invalid_action
from bearleft.errors import InputError
from bearleft.geometry import angle_between
from bearleft.metrics.milestones import NEXT, RADIUS
from bearleft.records import REFUSED, Direction, Heatmap, Leg, LegTrace, Point, Pose

TURN_DEGREES = 15.0
HORIZON = 200
FOV = 90.0
TURNS = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}


def check_turn_degrees(degrees: float) -> None:
    """Raise InputError for a turn of the view that is not between 0 and 180 degrees."""
    if not 0 < degrees <= 180:
        raise InputError("a step of the view between 0 and 180 degrees", f"{degrees:g}")


def check_lattice(spacing: float) -> None:
    """Raise InputError for a spacing that does not divide a quarter of a circle into whole parts."""
    if not 0 < spacing <= 90 or abs(90 / spacing - round(90 / spacing)) > 1e-9:
        hint = "Such as 30 (12 views around, 7 from ceiling to floor), 15 or 45."
        raise InputError("a lattice of views whose spacing divides 90 degrees", f"{spacing:g}", hint=hint)


def nearest_on_lattice(look: Direction, spacing: float) -> Direction:
    """Return the fixed view nearest to a direction: heading and pitch are multiples of `spacing`."""
    pitch = round(look.pitch / spacing) * spacing
    return Direction(round(look.heading / spacing) * spacing, min(max(pitch, -90.0), 90.0))


def initial_view(rng: np.random.Generator) -> Direction:
    """Return the first view of the finding task: straight up, with a random heading."""
    return Direction(float(rng.uniform(0, 360)), 90.0)


class LookGame:
    """Turn the view as each sentence says; the view direction after the last sentence is the answer.

    Task: sentences, shown one after another.
    Actions: "left", "right", "up", "down" by `turn_degrees`; a Direction to look there at once, or a Prediction, which
        holds a heat map too; "next" to read on.
    Observation: kind, text, sentence (its number), sentences, place, heading, pitch, fov, turn_degrees,
        step, horizon; if interactive, refused (whether the last action was a "next" that was refused).
    Reward: none here; `envs/gym.py` gives 1 within 11 degrees.
    End: at "next" after the last sentence, or after `horizon` actions.
    Ids: bearleft/Look-v0.

    The agent's view is recorded in the trace after each sentence. Its pitch is limited to `max_pitch` degrees up and
    down; its heading is not limited.

    If `lattice` is given, the view is always one of a fixed set: its heading and pitch are multiples of `lattice`
    degrees. A turn moves the view by `lattice` degrees, and a Direction is rounded to the nearest fixed view. A
    Direction at the last sentence is the answer, and is not rounded.

    If `interactive`, "next" is accepted only within 11 degrees of the sentence's milestone, which is the view that the
    dataset gives for it or, with a lattice, the fixed view nearest to that one. Elsewhere "next" changes nothing, and
    the trace records "refused". At the last sentence "next" is always accepted and ends the leg; it is accepted at any
    sentence if the dataset gives no milestones. After `horizon` actions the leg ends with the current view.
    """

    def __init__(
        self,
        leg: Leg,
        start: Pose,
        turn_degrees: float = TURN_DEGREES,
        horizon: int = HORIZON,
        fov: float = FOV,
        max_pitch: float = 90.0,
        lattice: float | None = None,
        interactive: bool = False,
    ) -> None:
        check_turn_degrees(turn_degrees)
        check_horizon(horizon)
        if not 0 <= max_pitch <= 90:
            raise InputError("a max_pitch from 0 to 90 degrees", f"{max_pitch:g}")
        if lattice is not None:
            check_lattice(lattice)
            if abs(max_pitch / lattice - round(max_pitch / lattice)) > 1e-9:
                raise InputError(f"a max_pitch on the lattice, a multiple of {lattice:g} degrees", f"{max_pitch:g}")
        self.leg, self.start, self.horizon, self.fov, self.max_pitch = leg, start, horizon, fov, max_pitch
        self.turn_degrees = turn_degrees if lattice is None else lattice
        self.lattice, self.interactive = lattice, interactive
        self.sentences = leg.sentences or (leg.text,)
        self.views: list[Direction] = []
        self.actions: list[str] = []
        self.heat: Heatmap | None = None  # the last that was given
        self.done = False
        self.look = self._within(start.look)

    def _within(self, look: Direction, snap: bool = True) -> Direction:
        """Return the direction with its pitch limited, and rounded to the lattice if `snap`."""
        if snap and self.lattice is not None:
            look = nearest_on_lattice(look, self.lattice)
        return Direction(look.heading, min(max(look.pitch, -self.max_pitch), self.max_pitch))

    @property
    def milestones(self) -> tuple[Direction, ...]:
        """The recorded view of each sentence; empty unless there is one for each."""
        goal = self.leg.goal
        views = goal.views if isinstance(goal, Point) else ()
        return views if len(views) == len(self.sentences) else ()

    def reached(self) -> bool:
        """Return whether the view is at the current sentence's milestone; True if none is recorded."""
        if not self.milestones:
            return True
        milestone = self.milestones[len(self.views)]
        if self.lattice is not None and self.look == self._within(milestone):
            return True
        return angle_between(self.look, milestone) < RADIUS

    def observe(self) -> Observation:
        """Return the current observation."""
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
            "turn_degrees": self.turn_degrees,
            "step": len(self.actions),
            "horizon": self.horizon,
            **({"refused": self.actions[-1:] == [REFUSED]} if self.interactive else {}),
        }

    def step(self, action: Action) -> None:
        """Take one action.

        Raises:
            InputError: The action is unknown, or the leg has ended.
        """
        check_running(self)
        if isinstance(action, Prediction):
            self.heat, action = action.heat, action.direction
        last = len(self.views) == len(self.sentences) - 1
        if isinstance(action, Direction):
            self.look = self._within(action, snap=not last)
        elif action in TURNS:
            across, up = TURNS[action]
            pitch = min(max(self.look.pitch + up * self.turn_degrees, -90.0), 90.0)
            self.look = self._within(Direction(self.look.heading + across * self.turn_degrees, pitch))
        elif action == NEXT:
            if self.interactive and not last and not self.reached():
                action = REFUSED
            else:
                self.views.append(self.look)
        else:
            raise invalid_action(action, f"{', '.join(TURNS)}, next, a Direction or a Prediction")
        self._record("look" if isinstance(action, Direction) else action)

    def record_noop(self) -> None:
        """Count an action that could not be read as one that changes nothing; the trace says "refused"."""
        check_running(self)
        self._record(REFUSED)

    def _record(self, action: str) -> None:
        self.actions.append(action)
        self.done = len(self.views) == len(self.sentences) or len(self.actions) >= self.horizon

    @property
    def end(self) -> Pose:
        """The pose in which the next leg begins."""
        return Pose(self.look, self.start.place, self.start.position)

    def trace(self) -> LegTrace:
        """Return the trace: `looks` are the views after each sentence, the last view is the answer."""
        return LegTrace(tuple(self.actions), (), tuple(self.views), self.look if self.done else None, self.heat)

"""Touchdown's spatial description resolution (SDR): point at a described spot of a panorama."""

from __future__ import annotations

from bearleft.envs.game import Action, Observation, Prediction, check_running, invalid_action
from bearleft.records import REFUSED, Direction, Heatmap, Leg, LegTrace, Point, Pose


class PointGame:
    """Point where the text says, once.

    Task: a text that describes one spot of the panorama.
    Actions: a Direction, or a Prediction, which holds a heat map too.
    Observation: kind, text, place, heading, pitch (of the current view), yaw (the heading in the middle of
        the panorama).
    Reward: none here; `envs/gym.py` gives 1 within 80 px of the papers' picture.
    End: after the one action.
    Ids: bearleft/Point-v0.
    """

    def __init__(self, leg: Leg, start: Pose, yaw: float | None = None) -> None:
        """`yaw` is the heading in the middle of the panorama; None stands for the goal's own."""
        self.leg, self.start = leg, start
        if yaw is None:
            yaw = leg.goal.yaw if isinstance(leg.goal, Point) else 0.0
        self.yaw = yaw
        self.done = False
        self.answer: Direction | None = None
        self.heat: Heatmap | None = None

    def observe(self) -> Observation:
        """Return the current observation."""
        return {
            "kind": "point",
            "text": self.leg.text,
            "place": self.start.place,
            "heading": self.start.look.heading,
            "pitch": self.start.look.pitch,
            "yaw": self.yaw,
        }

    def step(self, action: Action) -> None:
        """Take one action.

        Raises:
            InputError: The action is unknown, or the leg has ended.
        """
        check_running(self)
        if isinstance(action, Prediction):
            self.answer, self.heat = action.direction, action.heat
        elif isinstance(action, Direction):
            self.answer = action
        else:
            raise invalid_action(action, "a Direction or a Prediction")
        self.done = True

    def record_noop(self) -> None:
        """End the leg without an answer, after one that could not be read; the trace says "refused"."""
        check_running(self)
        self.done = True

    @property
    def end(self) -> Pose:
        """The pose in which the next leg begins."""
        return Pose(self.answer or self.start.look, self.start.place, self.start.position)

    def trace(self) -> LegTrace:
        """Return the trace of the leg so far."""
        path = (self.start.place,) if self.start.place is not None else ()
        action = REFUSED if self.answer is None else "point"
        return LegTrace((action,) if self.done else (), path, (), self.answer, self.heat)

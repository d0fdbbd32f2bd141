"""Pointing at a described spot of a panorama: Touchdown's spatial description resolution (SDR)."""

from __future__ import annotations

from bearleft.envs.game import Action, Observation, check_running, not_an_action
from bearleft.records import Direction, Leg, LegTrace, Point, Pose


class PointGame:
    """Point where the text says, once.

    Asked: a text that describes one spot of the panorama one stands in.
    Actions: a Direction.
    Observation: kind, text, place, heading, pitch (where one looks), yaw (the heading in the picture's middle).
    Reward: none here; `envs/gym.py` gives 1 within 80 px of the papers' picture.
    End: after the one action.
    Ids: bearleft/Point-v0.
    """

    def __init__(self, leg: Leg, start: Pose) -> None:
        self.leg, self.start = leg, start
        self.done = False
        self.answer: Direction | None = None

    def observe(self) -> Observation:
        yaw = self.leg.goal.yaw if isinstance(self.leg.goal, Point) else 0.0
        return {
            "kind": "point",
            "text": self.leg.text,
            "place": self.start.place,
            "heading": self.start.look.heading,
            "pitch": self.start.look.pitch,
            "yaw": yaw,
        }

    def step(self, action: Action) -> None:
        check_running(self)
        if not isinstance(action, Direction):
            raise not_an_action(action, "a Direction")
        self.answer = action
        self.done = True

    @property
    def end(self) -> Pose:
        """Where the next leg begins."""
        return Pose(self.answer or self.start.look, self.start.place, self.start.position)

    def trace(self) -> LegTrace:
        path = (self.start.place,) if self.start.place is not None else ()
        return LegTrace(("point",) if self.done else (), path, (), self.answer)

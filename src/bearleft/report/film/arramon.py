"""Films of ArraMon's traces: the view with what lies or stands around, the section or the room from above, the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from PIL import Image

from bearleft.envs.arramon.frames import city_top, room_top
from bearleft.envs.arramon.pictures import ArraMonEyes
from bearleft.geometry import turn
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, Position, Trace
from bearleft.report.arramon_pictures import stand_at
from bearleft.report.arramon_replay import Played, Spot, is_right, played, said_of
from bearleft.report.film.frame import FOV
from bearleft.report.film.sheet import Colour, Sheet
from bearleft.report.film.shots import ENDING, OPENING, QUARTER, Pace, Shot, eased
from bearleft.report.film.text import Span, sentence_spans
from bearleft.world.arramon.items.names import COLOURS
from bearleft.world.arramon.moves import FLOOR, STANDING
from bearleft.world.arramon.task_setup import RELEASED, RoomItem, TaskSetup
from bearleft.world.maps.map import REFERENCE, WALKED
from bearleft.world.render.camera import view

CITY_STEP = 0.5  # of the time that a step between places takes: here it is one metre
LEGEND = "ring, blue cell: what was asked for"


@dataclass(frozen=True)
class TaskShot(Shot):
    """One picture of a leg that collects or assembles: where one is by now, and after how many of its states."""

    spot: Spot = (0.0, 0.0)
    state: int = 0


def task_script(asked: Episode, trace: Trace, pace: Pace) -> list[TaskShot]:
    """All shots of what was done."""
    shots: list[TaskShot] = []
    good = True
    for one in played(asked, trace):
        leg, done = asked.legs[one.leg], trace.legs[one.leg]
        good = is_right(leg.goal, done) and (good or not one.inside)
        if one.states:
            shots += _shots(one, leg, pace)
            shots[-1] = replace(shots[-1], verdict=said_of(leg.goal, done, good), good=good)
    return shots


def _shots(one: Played, leg: Leg, pace: Pace) -> Iterator[TaskShot]:
    cut = sentence_spans(leg.text)
    steps = len(one.states) - 1
    spot, heading = one.states[0]
    now = TaskShot(one.leg, "", Direction(heading), OPENING, cut[0], "start", spot=spot)
    yield now
    for k, ((here, before), (there, after)) in enumerate(pairwise(one.states), 1):
        by = float(turn(before, after))
        share = min(max(abs(by) / QUARTER, 0.3), 1.0) if here == there else 1.0 if one.inside else CITY_STEP
        how = ("right" if by > 0 else "left") if by else "forward" if here != there else "no step"
        now = replace(now, lit=_lit(cut, k, steps), said=f"step {k} of {steps}, {how}", seconds=1 / pace.fps, state=k)
        for part in pace.shares(pace.seconds * share):
            at = here[0] + part * (there[0] - here[0]), here[1] + part * (there[1] - here[1])
            yield replace(now, spot=at, look=Direction(before + by * eased(part)))
    spot, heading = one.states[-1]
    yield replace(now, spot=spot, look=Direction(heading), seconds=ENDING, lit=cut[-1], said=LEGEND, state=steps)


def _lit(cut: Sequence[Span], step: int, steps: int) -> Span:
    """The sentence that is followed at a step, in proportion to its length."""
    at = step / max(steps, 1) * cut[-1][1]
    return next((span for span in cut if at <= span[1]), cut[-1])


@dataclass(frozen=True, eq=False)
class TaskStage(Sheet):
    """A player's view, and the section or the room from above; `around` holds the legs by number."""

    around: Mapping[int, Played]
    eyes: ArraMonEyes

    @property
    def view_width(self) -> int:
        return self.width - 3 * self.pad - self.row

    @property
    def colours(self) -> Sequence[Colour]:
        return *super().colours, WALKED, REFERENCE, *COLOURS.values()

    @cached_property
    def origin(self) -> Spot:
        """Where the scene's origin lies: open ground is laid around the start."""
        east, north, _ = self.episode.start.position or (0.0, 0.0, 0.0)
        return (east, north) if self.episode.world.startswith(RELEASED) else (0.0, 0.0)

    def draw(self, sheet: Image.Image, shot: Shot) -> None:
        assert isinstance(shot, TaskShot)
        sheet.paste(self._seen(shot), (self.pad, self.head))
        sheet.paste(self._above(shot), (self.width - self.pad - self.row, self.head))

    def _now(self, shot: TaskShot) -> Played:
        """What is around in a shot: at a leg's end what was taken is gone, and what was put down stands there."""
        one = self.around[shot.leg]
        if not shot.verdict:
            return one
        lying = tuple(thing for thing in one.lying if thing != one.took)
        put = (RoomItem(one.carried, one.cell),) if one.inside and one.cell and one.carried else ()
        return replace(one, lying=lying, standing=(*one.standing, *put))

    def _seen(self, shot: TaskShot) -> Image.Image:
        stands = stand_at(self._now(shot), shot.spot, shot.look.heading, self.origin)
        seen = self.eyes.look(stands, view(self.view_width, self.row, FOV))
        return Image.fromarray(np.asarray(seen.rgb[0]))

    def _above(self, shot: TaskShot) -> Image.Image:
        one, goal = self._now(shot), self.episode.legs[shot.leg].goal
        if isinstance(goal, Assemble):
            column, row = self.around[shot.leg].states[shot.state][0]
            carried = None if shot.verdict else one.carried
            cell = round(column), FLOOR, round(row)
            return Image.fromarray(room_top(one.standing, cell, shot.look.heading, carried, goal.cell, self.row))
        assert isinstance(goal, Collect)
        section = TaskSetup.of(self.episode).section
        before = [leg for k, leg in self.around.items() if k < shot.leg and not leg.inside]
        walks = [_walk([spot for spot, _ in leg.states]) for leg in before]
        here = [*(spot for spot, _ in self.around[shot.leg].states[: max(shot.state, 1)]), shot.spot]
        return Image.fromarray(
            city_top(
                self.episode.world, section, one.lying, [*walks, _walk(here)], shot.look.heading, goal.at[:2], self.row
            )
        )


def _walk(spots: Sequence[Spot]) -> list[Position]:
    return [(east, north, STANDING) for east, north in spots]

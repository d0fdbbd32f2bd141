"""Films of ArraMon traces: the agent's view, the section or the room from above, and the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from PIL import Image

from bearleft.envs.arramon.frames import room_map, section_map
from bearleft.envs.arramon.pictures import ArraMonPictures
from bearleft.geometry import turn
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, Position, Trace
from bearleft.reports.arramon_pictures import viewpoint_at
from bearleft.reports.arramon_replay import XY, ReplayedLeg, describe_outcome, is_success, replay
from bearleft.reports.film.decision import Decision, draw_actions, draw_view_attention
from bearleft.reports.film.fonts import Colour
from bearleft.reports.film.frame import FOV
from bearleft.reports.film.layout import MIN_FONT_SIZE, FrameLayout
from bearleft.reports.film.shots import ENDING_SECONDS, OPENING_SECONDS, STEP_DEGREES, Pace, Shot, ease
from bearleft.reports.film.text import Span, sentence_spans
from bearleft.world.arramon.items.names import COLOURS
from bearleft.world.arramon.moves import AGENT_Z, FLOOR, FORWARD, LEFT, PICK, PLACE, RIGHT
from bearleft.world.arramon.task_setup import RoomItem, TaskSetup
from bearleft.world.maps.map import REFERENCE, WALKED
from bearleft.world.render.camera import view
from bearleft.world.worlds import world_kind

CITY_STEP_SHARE = 0.5  # of the time of a step between places: here a step is one metre
NAMES = ((FORWARD, LEFT, RIGHT, PICK), (FORWARD, LEFT, RIGHT, PLACE))  # of actions, in the city and in the room
LEGEND = "ring, blue cell: what was asked for"


@dataclass(frozen=True)
class TaskShot(Shot):
    """One picture of a leg that collects or assembles: the position, and the indices of state and action."""

    xy: XY = (0.0, 0.0)
    state: int = 0
    action: int = 0  # index of the action that is taken


def task_shots(episode: Episode, trace: Trace, pace: Pace) -> list[TaskShot]:
    """Return all shots of a trace."""
    shots: list[TaskShot] = []
    success = True
    for replayed in replay(episode, trace):
        leg, leg_trace = episode.legs[replayed.leg], trace.legs[replayed.leg]
        success = is_success(leg.goal, leg_trace) and (success or not replayed.inside)
        if replayed.states:
            shots += _leg_shots(replayed, leg, pace, len(leg_trace.actions))
            shots[-1] = replace(shots[-1], outcome=describe_outcome(leg.goal, leg_trace, success), success=success)
    return shots


def _leg_shots(replayed: ReplayedLeg, leg: Leg, pace: Pace, action_count: int) -> Iterator[TaskShot]:
    sentences = sentence_spans(leg.text)
    steps = len(replayed.states) - 1
    xy, heading = replayed.states[0]
    shot = TaskShot(replayed.leg, "", Direction(heading), OPENING_SECONDS, sentences[0], "start", xy=xy)
    yield shot
    for k, ((start, heading_before), (end, heading_after)) in enumerate(pairwise(replayed.states), 1):
        angle = float(turn(heading_before, heading_after))
        share = (
            min(max(abs(angle) / STEP_DEGREES, 0.3), 1.0)
            if start == end
            else 1.0
            if replayed.inside
            else CITY_STEP_SHARE
        )
        move = ("right" if angle > 0 else "left") if angle else "forward" if start != end else "no step"
        shot = replace(
            shot,
            highlighted=_followed_sentence(sentences, k, steps),
            caption=f"step {k} of {steps}, {move}",
            seconds=1 / pace.fps,
            state=k,
            action=k - 1,
        )
        for part in pace.shares(pace.seconds * share):
            xy_now = start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])
            yield replace(shot, xy=xy_now, look=Direction(heading_before + angle * ease(part)))
    xy, heading = replayed.states[-1]
    yield replace(
        shot,
        xy=xy,
        look=Direction(heading),
        seconds=ENDING_SECONDS,
        highlighted=sentences[-1],
        caption=LEGEND,
        state=steps,
        action=max(action_count - 1, 0),
    )


def _followed_sentence(sentences: Sequence[Span], step: int, steps: int) -> Span:
    """Return the sentence followed at a step, in proportion to its length."""
    character = step / max(steps, 1) * sentences[-1][1]
    return next((span for span in sentences if character <= span[1]), sentences[-1])


@dataclass(frozen=True, eq=False)
class TaskLayout(FrameLayout):
    """Frames of a task: the agent's view, and the section or the room from above."""

    replayed_legs: Mapping[int, ReplayedLeg]
    pictures: ArraMonPictures

    @property
    def view_width(self) -> int:
        """Return the width of the agent's view in pixels."""
        return self.width - 3 * self.padding - self.picture_height

    @property
    def colours(self) -> Sequence[Colour]:
        """Return the colours that the film's palette must contain."""
        return *super().colours, WALKED, REFERENCE, *COLOURS.values()

    @cached_property
    def origin(self) -> XY:
        """Return the origin of the scene: open ground is laid out around the start."""
        east, north, _ = self.episode.start.position or (0.0, 0.0, 0.0)
        return (east, north) if world_kind(self.episode.world).from_release else (0.0, 0.0)

    def draw(self, sheet: Image.Image, shot: Shot) -> None:
        """Draw the view and the map of a shot."""
        assert isinstance(shot, TaskShot)
        sheet.paste(self._view(shot), (self.padding, self.heading_height))
        sheet.paste(self._map(shot), (self.width - self.padding - self.picture_height, self.heading_height))
        if (decision := self.decision(shot)) is not None:
            left, top = self.padding, self.heading_height
            box = left, top, left + self.view_width, top + self.picture_height
            draw_view_attention(sheet, decision, box, FOV, max(self.font_size // 2, 4))
            draw_actions(sheet, decision, left, top, max(round(0.7 * self.font_size), MIN_FONT_SIZE))

    def decision(self, shot: Shot) -> Decision | None:
        """Return what the agent's network computed for the action that a shot shows."""
        assert isinstance(shot, TaskShot)
        leg = self.legs[shot.leg]
        if leg.policy is None:
            return None
        names = NAMES[int(self.replayed_legs[shot.leg].inside)]
        return Decision.at(leg.policy, names, leg.actions, shot.action)

    def _replayed(self, shot: TaskShot) -> ReplayedLeg:
        """Return the leg of a shot; at its end the picked item is gone, and the placed item stands in the room."""
        replayed = self.replayed_legs[shot.leg]
        if not shot.outcome:
            return replayed
        city_items = tuple(item for item in replayed.city_items if item != replayed.picked_item)
        placed = (
            (RoomItem(replayed.carried, replayed.cell),)
            if replayed.inside and replayed.cell and replayed.carried
            else ()
        )
        return replace(replayed, city_items=city_items, room_items=(*replayed.room_items, *placed))

    def _view(self, shot: TaskShot) -> Image.Image:
        viewpoint = viewpoint_at(self._replayed(shot), shot.xy, shot.look.heading, self.origin)
        pictures = self.pictures.render(viewpoint, view(self.view_width, self.picture_height, FOV))
        return Image.fromarray(np.asarray(pictures.rgb[0]))

    def _map(self, shot: TaskShot) -> Image.Image:
        replayed, goal = self._replayed(shot), self.episode.legs[shot.leg].goal
        if isinstance(goal, Assemble):
            column, row = self.replayed_legs[shot.leg].states[shot.state][0]
            carried = None if shot.outcome else replayed.carried
            cell = round(column), FLOOR, round(row)
            return Image.fromarray(
                room_map(replayed.room_items, cell, shot.look.heading, carried, goal.cell, self.picture_height)
            )
        assert isinstance(goal, Collect)
        section = TaskSetup.from_episode(self.episode).section
        earlier_legs = [leg for k, leg in self.replayed_legs.items() if k < shot.leg and not leg.inside and leg.states]
        walks = [_to_positions([xy for xy, _ in leg.states]) for leg in earlier_legs]
        positions = [*(xy for xy, _ in self.replayed_legs[shot.leg].states[: max(shot.state, 1)]), shot.xy]
        return Image.fromarray(
            section_map(
                self.episode.world,
                section,
                replayed.city_items,
                [*walks, _to_positions(positions)],
                shot.look.heading,
                goal.at[:2],
                self.picture_height,
            )
        )


def _to_positions(points: Sequence[XY]) -> list[Position]:
    return [(east, north, AGENT_Z) for east, north in points]

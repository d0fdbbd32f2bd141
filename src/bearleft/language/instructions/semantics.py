"""Semantics of navigation instructions: frames, and the places that a walker visits by following them.

The writer uses it to verify that its frames lead along the route, the follower to walk. It depends on the scene only.
Frames that cannot be resolved are skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bearleft.geometry import turn
from bearleft.language.instructions.segments import TURN_ANGLES, Segment, noticeable, side_link
from bearleft.language.noun_phrases import Phrase, match
from bearleft.language.scene_index import SceneIndex, VisibleObjects
from bearleft.world.graphs.shortest_paths import PathFinder

if TYPE_CHECKING:
    from bearleft.types import Floats

LEFT, RIGHT = -1, 1
MAX_PLACES_TO_CROSSING = 6  # distance up to which a crossing counts as near
MIN_PLACES_NEARER = 3  # difference in distance that makes a crossing clearly the nearer one


@dataclass(frozen=True)
class ClauseFrame:
    """Meaning of a clause."""

    name: str
    thing: Phrase | None = None
    side: int = 0  # -1 left, 1 right
    other: Phrase | None = None
    other_side: int = 0
    nth: int = 0  # rank of a crossing, 0 for none
    count: int = 0  # number of crossings, objects or steps
    first: bool = False  # whether the crossings are counted from "the first", so that "the second" follows them


def counts_from_first(words: str) -> bool:
    """Return whether a clause counts crossings from "the first"."""
    return not {"first", "1st"}.isdisjoint(words.split())


def in_direction(name: str, side: int, angle: Floats) -> np.ndarray:
    """Return a mask of the angles (clockwise from straight ahead) that fit a direction word."""
    if name == "ahead":
        return np.abs(angle) <= 40.0
    if name == "behind":
        return np.abs(angle) >= 140.0
    return (angle * side > 25.0) & (angle * side < 155.0)


def fits_start(frame: ClauseFrame, scene: SceneIndex, paths: PathFinder, place: int, link: int) -> bool:
    """Return whether a frame about the start is true for a walker who faces along a link."""
    heading = float(paths.graph.heading[link])
    if frame.name in ("flow", "against"):
        return bool(paths.is_allowed[link]) == (frame.name == "flow")
    if frame.name in ("facing crossing", "leaving crossing"):
        return _nearest_crossing(scene, paths, place, link) == (1 if frame.name == "facing crossing" else -1)
    visible = scene.at(place)
    name = frame.name if frame.name in ("ahead", "behind") else "side"
    if frame.thing is None or (name == "side" and not frame.side):
        return False
    first_fits = _stands_there(frame.thing, name, frame.side, visible, heading)
    return first_fits and (
        frame.other is None or _stands_there(frame.other, "side", frame.other_side, visible, heading)
    )


def _stands_there(phrase: Phrase, name: str, side: int, visible: VisibleObjects, heading: float) -> bool:
    return bool(
        (match(phrase, visible) & noticeable(visible) & in_direction(name, side, turn(heading, visible.heading))).any()
    )


def _nearest_crossing(scene: SceneIndex, paths: PathFinder, place: int, link: int) -> int:
    """Return 1 if the nearest crossing lies along a link, -1 if along another link, 0 if unclear."""
    if paths.crossing[place]:
        return 0
    distances = []
    for other_link in paths.graph.links(place).tolist():
        crossings = Segment.ahead(scene, paths, place, other_link).crossings
        distances.append((crossings[0] if crossings else 99, other_link))
    distances.sort()
    if distances[0][0] > MAX_PLACES_TO_CROSSING or (
        len(distances) > 1 and distances[1][0] - distances[0][0] < MIN_PLACES_NEARER
    ):
        return 0
    return 1 if distances[0][1] == link else -1


START_FRAMES = frozenset(
    ("side", "two sides", "ahead", "behind", "flow", "against", "facing crossing", "leaving crossing", "verify")
)
IDLE_FRAMES = frozenset(("onward", "chat"))


def follow_frames(
    frames: Sequence[ClauseFrame], scene: SceneIndex, paths: PathFinder, place: int, facing: float
) -> list[int]:
    """Return the places that a walker visits by following frames."""
    return trace_frames(frames, scene, paths, place, facing)[0]


def trace_frames(
    frames: Sequence[ClauseFrame], scene: SceneIndex, paths: PathFinder, place: int, facing: float
) -> tuple[list[int], list[int]]:
    """Follow frames.

    Args:
        frames: Frames of an instruction.
        scene: The scene.
        paths: Path finder of its graph.
        place: Start place.
        facing: Start heading.

    Returns:
        The places visited, and for each frame the index of the place where it is completed.
    """
    first_action = next(
        (k for k, frame in enumerate(frames) if frame.name not in START_FRAMES | IDLE_FRAMES), len(frames)
    )
    link = choose_start_link([f for f in frames[:first_action] if f.name in START_FRAMES], scene, paths, place, facing)
    walker = Walker(scene, paths, place, link)
    for frame in frames[:first_action]:
        walker.remember(frame)
    completed_at = [0] * first_action
    for frame in frames[first_action:]:
        if not walker.stopped:
            walker.execute(frame)
        completed_at.append(len(walker.trail) - 1)
    return walker.trail, completed_at


def choose_start_link(
    frames: Sequence[ClauseFrame], scene: SceneIndex, paths: PathFinder, place: int, facing: float
) -> int | None:
    """Return the link that fits the start frames best; ties prefer the flow of traffic, then the smallest turn."""
    links = paths.graph.links(place).tolist()
    if not links:
        return None

    def rank(link: int) -> tuple[float, bool, float]:
        fits = sum(
            (1.0 if frame.name != "verify" else 0.6) * fits_start(frame, scene, paths, place, link) for frame in frames
        )
        return fits, bool(paths.is_allowed[link]), -abs(float(turn(facing, paths.graph.heading[link])))

    return int(max(links, key=rank))


class Walker:
    """Executes frames one by one along segments.

    `at` is the index of the current place on the segment, `first_unpassed` the first place not yet passed.
    """

    def __init__(self, scene: SceneIndex, paths: PathFinder, place: int, link: int | None) -> None:
        self.scene, self.paths = scene, paths
        self.trail = [place]
        self.stopped = False
        self.last_mentioned: tuple[Phrase, int] | None = None
        self._start_segment(place, link)

    def _start_segment(self, place: int, link: int | None) -> None:
        self.segment = Segment.ahead(self.scene, self.paths, place, link)
        self.at, self.first_unpassed = 0, 1
        self.counted = 0  # crossings passed that were counted from "the first"
        self.counted_to = 0  # rank of the crossing that the walker was sent to, if counted from "the first"
        self.waiting = False  # whether the walker was sent to this crossing

    def remember(self, frame: ClauseFrame) -> None:
        """Remember the object of a frame as the antecedent of "it"."""
        if frame.thing is not None and not frame.thing.coreferent:
            self.last_mentioned = frame.thing, frame.side

    def execute(self, frame: ClauseFrame) -> None:
        """Execute one frame."""
        if frame.name in ("turn", "slight", "sharp", "turning"):
            self._turn(frame)
        elif frame.name == "to crossing":
            if self._move_to_crossing(self._crossing_rank(frame), waiting=True):
                self.counted_to = max(frame.nth, 1) if frame.first else 0
        elif frame.name == "through":
            self._walk_through(frame)
        elif frame.name == "onward":
            if self.waiting:
                self._pass_crossing()
        elif frame.name in ("pass", "until"):
            self._pass(frame)
        elif frame.name == "steps":
            self._move_to(min(self.at + frame.count, len(self.segment) - 1))
        elif frame.name.startswith("stop"):
            self._stop(frame)
        self.remember(frame)

    def _move_to(self, index: int) -> None:
        self.trail += self.segment.places[self.at + 1 : index + 1]
        if index < self.at:
            self.trail += reversed(self.segment.places[index : self.at])
        if index != self.at:
            self.waiting = False
        self.at = index
        self.first_unpassed = max(self.first_unpassed, index + 1)

    def _crossings_ahead(self) -> list[int]:
        return [k for k in self.segment.crossings if k >= self.first_unpassed]

    def _crossing_rank(self, frame: ClauseFrame) -> int:
        """Return the rank of a frame's crossing among those ahead: after "the first", "the second" is the next one."""
        if frame.nth > self.counted > 0:
            return frame.nth - self.counted
        return frame.nth if frame.nth > 0 else 1

    def _move_to_crossing(self, rank: int, waiting: bool = False) -> bool:
        ahead = self._crossings_ahead()
        if not ahead:
            return False
        self._move_to(ahead[min(rank, len(ahead)) - 1])
        self.waiting = waiting
        return True

    def _pass_crossing(self) -> None:
        self.waiting = False
        self.counted, self.counted_to = self.counted_to, 0

    def _walk_through(self, frame: ClauseFrame) -> None:
        if frame.thing is not None:
            corner = self._corner(frame.thing)
            if corner is not None:
                self._move_to(corner)
                self.counted = 0
                return
        count = max(frame.count, frame.nth, 1)
        if self.waiting and not frame.nth and count == 1:
            self._pass_crossing()
        elif self._move_to_crossing(count):
            self.counted = count if frame.first else 0

    def _corner(self, phrase: Phrase) -> int | None:
        phrase = self._resolve_pronoun(phrase)[0]
        return next((k for k in self._crossings_ahead() if self.segment.corner(phrase, k)), None)

    def _turn(self, frame: ClauseFrame) -> None:
        corner = self._corner(frame.thing) if frame.thing is not None else None
        if corner is not None:
            self._move_to(corner)
        elif not (self.waiting and not frame.nth):
            self._move_to_turn(frame)
        place = self.segment.places[self.at]
        heading = self.segment.headings[self.at]
        turn_type = frame.name if frame.name in TURN_ANGLES else "turn"
        link = side_link(self.paths, place, heading, frame.side, turn_type)
        if link is not None and self.at:
            self._start_segment(place, link)

    def _move_to_turn(self, frame: ClauseFrame) -> None:
        """Move to the crossing of a turn; "the second left" counts only crossings with a turn to that side."""
        ahead = self._crossings_ahead()
        if not frame.nth or frame.name == "turning":
            with_turn = [
                k
                for k in ahead
                if side_link(self.paths, self.segment.places[k], self.segment.headings[k], frame.side) is not None
            ]
            ahead = with_turn or ahead
        if ahead:
            self._move_to(ahead[min(self._crossing_rank(frame), len(ahead)) - 1])

    def _resolve_pronoun(self, phrase: Phrase, side: int = 0) -> tuple[Phrase, int]:
        if phrase.coreferent and self.last_mentioned is not None:
            return self.last_mentioned[0], side or self.last_mentioned[1]
        return phrase, side

    def _place_beside(self, phrase: Phrase, side: int) -> int | None:
        """Return the place index beside the object that is meant, or None."""
        phrase, side = self._resolve_pronoun(phrase, side)
        if phrase.pronoun:
            return None
        rows = self.segment.passed.find(phrase, side, self.first_unpassed)
        rank = max(phrase.ordinal, phrase.number if phrase.plural else 1, 1)
        if not len(rows):
            return None
        return int(self.segment.passed.index[rows[min(rank, len(rows)) - 1]])

    def _pass(self, frame: ClauseFrame) -> None:
        if frame.thing is None:
            return
        index = self._place_beside(frame.thing, frame.side)
        if index is not None:
            self._move_to(index)
            self.first_unpassed = index  # objects on the other side are not passed yet

    def _stop(self, frame: ClauseFrame) -> None:
        self.stopped = True
        steps, index = max(frame.count, 1), self.at
        if frame.name in ("stop beside", "stop before", "stop after") and frame.thing is not None:
            place_index = self._place_beside(frame.thing, frame.side)
            ahead = self._crossings_ahead()
            if place_index is None:
                index = self.at if frame.thing.coreferent or not ahead else ahead[0]
            else:
                index = place_index + {"stop beside": 0, "stop before": -steps, "stop after": steps}[frame.name]
        elif frame.name in ("stop at crossing", "stop before crossing", "stop after crossing"):
            offset = {"stop at crossing": 0, "stop before crossing": -steps, "stop after crossing": steps}[frame.name]
            if not (self.waiting and not frame.nth):
                ahead = self._crossings_ahead()
                index = ahead[min(self._crossing_rank(frame), len(ahead)) - 1] if ahead else self.at
            index += offset
        elif frame.name == "stop steps":
            index = self.at + frame.count
        elif frame.name == "stop halfway":
            ahead = self._crossings_ahead()
            index = (self.at + (ahead[0] if ahead else len(self.segment) - 1)) // 2
        self._move_to(max(0, min(index, len(self.segment) - 1)))

"""What an instruction means on streets: frames, where one stands, and the places that one walks.

The writer asks it whether its frames lead along the route, the follower walks by it. It knows the scene and nothing
of routes. Where something does not resolve, a walker goes on with what does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bearleft.geometry import Floats, turn
from bearleft.language.instructions.segments import TURN_ANGLES, Segment, noticeable, side_link
from bearleft.language.noun_phrases import Phrase, match
from bearleft.language.scene_index import SceneIndex, VisibleObjects
from bearleft.world.graphs.shortest_paths import PathFinder

LEFT, RIGHT = -1, 1
MAX_PLACES_TO_CROSSING = 6  # places within which one sees that a crossing is near
MIN_PLACES_NEARER = 3  # so many fewer places to one crossing than to another say that it is the nearer


@dataclass(frozen=True)
class Frame:
    """A clause, read: what it asks or tells, and of what."""

    name: str
    thing: Phrase | None = None
    side: int = 0  # -1 left, 1 right
    other: Phrase | None = None
    other_side: int = 0
    nth: int = 0  # which crossing, 0 where none is said
    count: int = 0  # crossings, things or steps


def in_direction(name: str, side: int, angle: Floats) -> np.ndarray:
    """Which of these angles (clockwise from straight ahead) a word of direction fits."""
    if name == "ahead":
        return np.abs(angle) <= 40.0
    if name == "behind":
        return np.abs(angle) >= 140.0
    return (angle * side > 25.0) & (angle * side < 155.0)


def fits_start(frame: Frame, scene: SceneIndex, paths: PathFinder, place: int, link: int) -> bool:
    """Whether what a frame tells of a start is so for one who faces along a link."""
    heading = float(paths.graph.heading[link])
    if frame.name in ("flow", "against"):
        return bool(np.isin(link, paths.link)) == (frame.name == "flow")
    if frame.name in ("facing crossing", "leaving crossing"):
        return _nearest_crossing(scene, paths, place, link) == (1 if frame.name == "facing crossing" else -1)
    visible = scene.at(place)
    name = frame.name if frame.name in ("ahead", "behind") else "side"
    if frame.thing is None or (name == "side" and not frame.side):
        return False
    one = _stands_there(frame.thing, name, frame.side, visible, heading)
    return one and (frame.other is None or _stands_there(frame.other, "side", frame.other_side, visible, heading))


def _stands_there(phrase: Phrase, name: str, side: int, visible: VisibleObjects, heading: float) -> bool:
    return bool(
        (match(phrase, visible) & noticeable(visible) & in_direction(name, side, turn(heading, visible.heading))).any()
    )


def _nearest_crossing(scene: SceneIndex, paths: PathFinder, place: int, link: int) -> int:
    """1 where the nearest crossing lies along a link, -1 where along another one, 0 where it is not clear."""
    if paths.crossing[place]:
        return 0
    steps = []
    for one in paths.graph.links(place).tolist():
        crossings = Segment.ahead(scene, paths, place, one).crossings
        steps.append((crossings[0] if crossings else 99, one))
    steps.sort()
    if steps[0][0] > MAX_PLACES_TO_CROSSING or (len(steps) > 1 and steps[1][0] - steps[0][0] < MIN_PLACES_NEARER):
        return 0
    return 1 if steps[0][1] == link else -1


START_FRAMES = frozenset(
    ("side", "two sides", "ahead", "behind", "flow", "against", "facing crossing", "leaving crossing", "verify")
)
IDLE_FRAMES = frozenset(("onward", "chat"))


def follow_frames(frames: Sequence[Frame], scene: SceneIndex, paths: PathFinder, place: int, facing: float) -> list[int]:
    """The places that one walks who does what the frames say."""
    return trace_frames(frames, scene, paths, place, facing)[0]


def trace_frames(
    frames: Sequence[Frame], scene: SceneIndex, paths: PathFinder, place: int, facing: float
) -> tuple[list[int], list[int]]:
    """The places that one walks who does what the frames say, and of each frame at which of them one is when done."""
    first = next((k for k, frame in enumerate(frames) if frame.name not in START_FRAMES | IDLE_FRAMES), len(frames))
    link = choose_start_link([f for f in frames[:first] if f.name in START_FRAMES], scene, paths, place, facing)
    walker = Walker(scene, paths, place, link)
    for frame in frames[:first]:
        walker.remember(frame)
    done = [0] * first
    for frame in frames[first:]:
        if not walker.stopped:
            walker.execute(frame)
        done.append(len(walker.trail) - 1)
    return walker.trail, done


def choose_start_link(
    told: Sequence[Frame], scene: SceneIndex, paths: PathFinder, place: int, facing: float
) -> int | None:
    """The link that what is told of the start fits best; among equals one that traffic takes, then the nearest turn."""
    links = paths.graph.links(place).tolist()
    if not links:
        return None

    def rank(link: int) -> tuple[float, bool, float]:
        fits = sum((1.0 if f.name != "verify" else 0.6) * fits_start(f, scene, paths, place, link) for f in told)
        return fits, bool(np.isin(link, paths.link)), -abs(float(turn(facing, paths.graph.heading[link])))

    return int(max(links, key=rank))


class Walker:
    """Walks frame by frame along a stretch; `at` is the place on it, `floor` the first that is not yet passed."""

    def __init__(self, scene: SceneIndex, paths: PathFinder, place: int, link: int | None) -> None:
        self.scene, self.paths = scene, paths
        self.trail = [place]
        self.stopped = False
        self.last: tuple[Phrase, int] | None = None
        self._start_segment(place, link)

    def _start_segment(self, place: int, link: int | None) -> None:
        self.segment = Segment.ahead(self.scene, self.paths, place, link)
        self.at, self.first_unpassed = 0, 1
        self.through = 0  # crossings gone through on this stretch
        self.waiting = False  # at a crossing that one was sent to

    def remember(self, frame: Frame) -> None:
        """What "it" will mean from now on."""
        if frame.thing is not None and not frame.thing.coreferent:
            self.last = frame.thing, frame.side

    def execute(self, frame: Frame) -> None:
        """Does what one frame says."""
        if frame.name in ("turn", "slight", "sharp", "turning"):
            self._turn(frame)
        elif frame.name == "to crossing":
            self._to_crossing(self._rank(frame), waiting=True)
        elif frame.name == "through":
            self._through(frame)
        elif frame.name == "onward":
            if self.waiting:
                self._go_through()
        elif frame.name in ("pass", "until"):
            self._pass(frame)
        elif frame.name == "steps":
            self._go(min(self.at + frame.count, len(self.segment) - 1))
        elif frame.name.startswith("stop"):
            self._stop(frame)
        self.remember(frame)

    def _go(self, index: int) -> None:
        self.trail += self.segment.places[self.at + 1 : index + 1]
        if index < self.at:
            self.trail += reversed(self.segment.places[index : self.at])
        if index != self.at:
            self.waiting = False
        self.at = index
        self.first_unpassed = max(self.first_unpassed, index + 1)

    def _ahead(self) -> list[int]:
        return [k for k in self.segment.crossings if k >= self.first_unpassed]

    def _rank(self, frame: Frame) -> int:
        """Which crossing ahead is meant: a second one after one was gone through is the next."""
        if frame.nth > 1 and self.through:
            return max(frame.nth - self.through, 1)
        return frame.nth if frame.nth > 0 else 1

    def _to_crossing(self, rank: int, waiting: bool = False) -> bool:
        ahead = self._ahead()
        if not ahead:
            return False
        self._go(ahead[min(rank, len(ahead)) - 1])
        self.waiting = waiting
        return True

    def _go_through(self) -> None:
        self.waiting = False
        self.through += 1

    def _through(self, frame: Frame) -> None:
        if frame.thing is not None:
            corner = self._corner(frame.thing)
            if corner is not None:
                self._go(corner)
                self.through += 1
                return
        count = max(frame.count, frame.nth, 1)
        if self.waiting and not frame.nth and count == 1:
            self._go_through()
        elif self._to_crossing(count):
            self.through += count

    def _corner(self, phrase: Phrase) -> int | None:
        phrase = self._resolve_pronoun(phrase)[0]
        return next((k for k in self._ahead() if self.segment.corner(phrase, k)), None)

    def _turn(self, frame: Frame) -> None:
        corner = self._corner(frame.thing) if frame.thing is not None else None
        if corner is not None:
            self._go(corner)
        elif not (self.waiting and not frame.nth):
            self._to_turning(frame)
        place = self.segment.places[self.at]
        heading = self.segment.headings[self.at]
        bend = frame.name if frame.name in TURN_ANGLES else "turn"
        link = side_link(self.paths, place, heading, frame.side, bend)
        if link is not None and self.at:
            self._start_segment(place, link)

    def _to_turning(self, frame: Frame) -> None:
        """To the crossing of a rank; for "the second left", or without a rank, among those with a way to that side."""
        ahead = self._ahead()
        if not frame.nth or frame.name == "turning":
            can = [
                k
                for k in ahead
                if side_link(self.paths, self.segment.places[k], self.segment.headings[k], frame.side) is not None
            ]
            ahead = can or ahead
        if ahead:
            self._go(ahead[min(self._rank(frame), len(ahead)) - 1])

    def _resolve_pronoun(self, phrase: Phrase, side: int = 0) -> tuple[Phrase, int]:
        if phrase.coreferent and self.last is not None:
            return self.last[0], side or self.last[1]
        return phrase, side

    def _place_beside(self, phrase: Phrase, side: int) -> int | None:
        """The place beside the thing that is meant, or None."""
        phrase, side = self._resolve_pronoun(phrase, side)
        if phrase.pronoun:
            return None
        rows = self.segment.passed.find(phrase, side, self.first_unpassed)
        rank = max(phrase.ordinal, phrase.number if phrase.plural else 1, 1)
        if not len(rows):
            return None
        return int(self.segment.passed.index[rows[min(rank, len(rows)) - 1]])

    def _pass(self, frame: Frame) -> None:
        if frame.thing is None:
            return
        index = self._place_beside(frame.thing, frame.side)
        if index is not None:
            self._go(index)
            self.first_unpassed = index  # what stands opposite is not yet passed

    def _stop(self, frame: Frame) -> None:
        self.stopped = True
        steps, index = max(frame.count, 1), self.at
        if frame.name in ("stop beside", "stop before", "stop after") and frame.thing is not None:
            found = self._place_beside(frame.thing, frame.side)
            ahead = self._ahead()
            if found is None:
                index = self.at if frame.thing.coreferent or not ahead else ahead[0]
            else:
                index = found + {"stop beside": 0, "stop before": -steps, "stop after": steps}[frame.name]
        elif frame.name in ("stop at crossing", "stop before crossing", "stop after crossing"):
            off = {"stop at crossing": 0, "stop before crossing": -steps, "stop after crossing": steps}[frame.name]
            if not (self.waiting and not frame.nth):
                ahead = self._ahead()
                index = ahead[min(self._rank(frame), len(ahead)) - 1] if ahead else self.at
            index += off
        elif frame.name == "stop steps":
            index = self.at + frame.count
        elif frame.name == "stop halfway":
            ahead = self._ahead()
            index = (self.at + (ahead[0] if ahead else len(self.segment) - 1)) // 2
        self._go(max(0, min(index, len(self.segment) - 1)))

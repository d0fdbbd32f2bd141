"""The rule-based follower of walks, from the words of prompts alone: no scene, no graph, no place.

It parses instructions with the package's parser and obeys frames as `language.instructions.semantics.Walker` does, but
knows only what it has read: it walks along a street to see what comes, and goes back if it went too far.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from math import cos, radians, sin
from typing import Any

from bearleft.agents.llm.landmarks import plain_words
from bearleft.agents.llm.scripted import words_of
from bearleft.language.instructions.parse import parse_frames
from bearleft.language.instructions.segments import MAX_FORK_ANGLE, MAX_STRAIGHT_ANGLE, TURN_ANGLES
from bearleft.language.instructions.semantics import IDLE_FRAMES, START_FRAMES, ClauseFrame
from bearleft.language.noun_phrases import Phrase

MAX_CROSSINGS_SEARCHED = 2
MAX_PLACES_SEARCHED = 14


def wrap(degrees: float) -> float:
    return (degrees + 180.0) % 360.0 - 180.0


@dataclass(frozen=True)
class Way:
    turn: float
    with_traffic: bool
    to_crossing: int  # steps, 99 if none is seen
    back: bool  # whether it leads to where the walker came from


@dataclass(frozen=True)
class Seen:
    is_crossing: bool
    ways: tuple[Way, ...]
    landmarks: dict[str, list[tuple[int, float, float]]]  # number, turn, metres

    @classmethod
    def read(cls, text: str) -> Seen:
        ways = []
        for side, back, traffic, rest in re.findall(
            r"^- [a-z ]+ \((.*?)\)(?:, the way you face)?(, where you came from)?: (\w+) the traffic; (.*)$", text, re.M
        ):
            crossing = re.match(r"a crossing after (\d+) ", rest)
            ways.append(Way(read_turn(side), traffic == "with", int(crossing[1]) if crossing else 99, bool(back)))
        landmarks = {}
        for words, places in re.findall(r"^- (.*?): (\[\d+\].*)$", text, re.M):
            rows = re.findall(r"\[(\d+)\] [a-z ]+ \((.*?), (\d+) m\)", places)
            landmarks[words] = [(int(n), read_turn(side), float(metres)) for n, side, metres in rows]
        return cls("at a crossing" in text, tuple(ways), landmarks)


def read_turn(words: str) -> float:
    return float(words.partition("°")[0]) * (-1 if words.endswith("left") else 1)


Steps = Generator[str, Seen, Any]


@dataclass
class Street:
    """What was seen along a street so far, by the index of the place."""

    crossings: list[int] = field(default_factory=list)
    corners: dict[int, set[str]] = field(default_factory=dict)
    beside: dict[str, dict[int, tuple[float, int, int, float]]] = field(default_factory=dict)
    end: int = 0
    ended: bool = False


class WordsWalker:
    def __init__(self, instruction: str, seen: Seen) -> None:
        self.frames = parse_frames(instruction)
        self.seen = seen
        self.mentioned: tuple[Phrase, int] | None = None
        self.stopped = False

    # Moving.
    def do(self, action: str) -> Steps:
        self.seen = yield action

    def face(self, degrees: float) -> Steps:
        """Turn to a way by its turn from the current heading."""
        rest, turns = degrees, 0
        while abs(wrap(rest)) > 1.5 and turns < 8:
            right = wrap(rest) > 0
            others = [way.turn % 360 if right else -way.turn % 360 for way in self.seen.ways]
            step = min((t for t in others if t > 0.5), default=0.0)
            yield from self.do("right" if right else "left")
            rest, turns = wrap(rest - (step if right else -step)), turns + 1

    def heading(self) -> float:
        """The direction of travel relative to the view, from the way that leads back."""
        if self.at_start or not self.seen.ways:
            return 0.0
        back = next(way for way in self.seen.ways if way.back)
        arrival = wrap(back.turn - 180)
        return arrival if self.direction > 0 else wrap(arrival + 180)

    def straight(self) -> Way | None:
        heading = self.heading()
        best = min(self.seen.ways, key=lambda way: abs(wrap(way.turn - heading)), default=None)
        limit = MAX_STRAIGHT_ANGLE if self.seen.is_crossing else 135.0
        return best if best is not None and abs(wrap(best.turn - heading)) <= limit else None

    def side_way(self, side: int, name: str) -> Way | None:
        heading, ahead = self.heading(), self.straight()
        fits = []
        for way in self.seen.ways:
            angle = wrap(way.turn - heading) * side
            fit = 5 < angle < 172
            if ahead is not None:
                if abs(angle) < MAX_FORK_ANGLE:
                    fit = wrap(way.turn - ahead.turn) * side > 0
                fit = fit and way is not ahead
            if fit:
                fits.append((abs(angle - TURN_ANGLES[name]), way.turn, way))
        return min(fits)[2] if fits else None

    def begin_street(self, way: Way | None) -> Steps:
        """Face a way and begin a street there."""
        if way is not None:
            yield from self.face(way.turn)
        self.street, self.here, self.at = Street(), 0, 0
        self.at_start, self.direction = True, 1
        self.first_unpassed, self.counted, self.counted_to, self.waiting = 1, 0, 0, False
        self.street.ended = way is None
        self.note()

    def note(self) -> None:
        """Note what is seen at the current place."""
        k, heading = self.here, self.heading()
        onward = self.straight()
        along_heading = heading + (wrap(onward.turn - heading) / 2 if onward is not None and not self.at_start else 0)
        if k and self.seen.is_crossing:
            self.street.crossings.append(k)
            self.street.corners[k] = {
                words
                for words, rows in self.seen.landmarks.items()
                if not words.endswith("building") and any(metres < 26 for _, _, metres in rows)
            }
        for words, rows in self.seen.landmarks.items():
            for number, turn, metres in rows:
                angle = radians(turn - along_heading)
                along, aside = metres * cos(angle), metres * sin(angle)
                if abs(along) <= 7 and 1.5 <= abs(aside) <= 24.5:
                    best = self.street.beside.setdefault(words, {})
                    if number not in best or abs(along) < best[number][0]:
                        best[number] = abs(along), k, 1 if aside > 0 else -1, along

    def reveal(self) -> Steps:
        """Walk one place further than ever on this street; return whether there was one."""
        yield from self.goto(self.street.end)
        onward = self.straight() if not self.at_start else min(self.seen.ways, key=lambda way: abs(way.turn))
        if self.street.ended or onward is None:
            self.street.ended = True
            return False
        yield from self.step(onward)
        self.here += 1
        self.street.end = self.here
        self.note()
        return True

    def step(self, way: Way) -> Steps:
        yield from self.face(way.turn)
        yield from self.do("forward")
        self.at_start = False

    def goto(self, index: int) -> Steps:
        while self.here != index:
            towards = 1 if index > self.here else -1
            heading = self.heading() + (0 if towards > 0 else 180)
            way = min(self.seen.ways, key=lambda way: abs(wrap(way.turn - heading)))
            self.direction = 1
            yield from self.step(way)
            self.direction = towards
            self.here += towards

    # Asking about the street.
    def crossings_ahead(self, rank: int) -> Steps:
        """Return the crossings ahead, after walking until there are `rank` of them."""
        while True:
            ahead = [k for k in self.street.crossings if k >= self.first_unpassed]
            if len(ahead) >= rank or self.street.end > 45 or not (yield from self.reveal()):
                return ahead

    def crossing_in_sight(self, rank: int) -> Steps:
        """Return the index of a crossing ahead; the next one is told of before the walker is there."""
        while rank == 1 and not any(k >= self.first_unpassed for k in self.street.crossings):
            yield from self.goto(self.street.end)
            onward = self.straight() if not self.at_start else min(self.seen.ways, key=lambda way: abs(way.turn))
            if onward is not None and onward.to_crossing < 99:
                return self.here + onward.to_crossing
            if not (yield from self.reveal()):
                break
        ahead = yield from self.crossings_ahead(rank)
        return ahead[min(rank, len(ahead)) - 1] if ahead else self.at

    def is_ahead(self, words: str) -> bool:
        return any(abs(wrap(turn - self.heading())) < 60 for _, turn, _ in self.seen.landmarks.get(words, ()))

    def place_beside(self, phrase: Phrase, side: int) -> Steps:
        phrase, side = self.resolve(phrase, side)
        if phrase.pronoun:
            return None
        words = plain_words(phrase.words)
        rank = max(phrase.ordinal, phrase.number if phrase.plural else 1, 1)
        while True:
            rows = [
                row
                for row in self.street.beside.get(words, {}).values()
                if row[1] >= self.first_unpassed and (not side or row[2] == side)
            ]
            rows.sort(key=lambda row: row[1])
            known = [row for row in rows if row[1] < self.street.end or row[3] < 4.5]
            if len(known) >= rank:
                return known[rank - 1][1]
            passed = [k for k in self.street.crossings if k >= self.first_unpassed]
            lost = len(passed) >= MAX_CROSSINGS_SEARCHED or self.street.end - self.at > MAX_PLACES_SEARCHED
            yield from self.goto(self.street.end)
            if (lost and not self.is_ahead(words)) or not (yield from self.reveal()):
                return known[-1][1] if known else None

    def corner(self, phrase: Phrase) -> Steps:
        words = plain_words(self.resolve(phrase)[0].words)
        rank = 1
        while rank <= MAX_CROSSINGS_SEARCHED:
            ahead = yield from self.crossings_ahead(rank)
            for k in ahead:
                if words in self.street.corners[k]:
                    return k
            if len(ahead) < rank:
                return None
            rank += 1
        return None

    def resolve(self, phrase: Phrase, side: int = 0) -> tuple[Phrase, int]:
        if phrase.coreferent and self.mentioned is not None:
            return self.mentioned[0], side or self.mentioned[1]
        return phrase, side

    # Frames.
    def run(self) -> Steps:
        first = next(
            (k for k, f in enumerate(self.frames) if f.name not in START_FRAMES | IDLE_FRAMES), len(self.frames)
        )
        starts = [frame for frame in self.frames[:first] if frame.name in START_FRAMES]
        way = max(
            self.seen.ways,
            key=lambda way: (
                sum((0.6 if f.name == "verify" else 1.0) * self.fits_start(f, way) for f in starts),
                way.with_traffic,
                -abs(way.turn),
            ),
            default=None,
        )
        self.at_start, self.direction = True, 1
        yield from self.begin_street(way)
        for frame in self.frames[:first]:
            self.remember(frame)
        for frame in self.frames[first:]:
            if not self.stopped:
                yield from self.execute(frame)
        yield from self.goto(self.at)
        while True:
            yield from self.do("stop")

    def fits_start(self, frame: ClauseFrame, way: Way) -> bool:
        if frame.name in ("flow", "against"):
            return way.with_traffic == (frame.name == "flow")
        if frame.name in ("facing crossing", "leaving crossing"):
            return self.nearest_crossing(way) == (1 if frame.name == "facing crossing" else -1)
        name = frame.name if frame.name in ("ahead", "behind") else "side"
        if frame.thing is None or (name == "side" and not frame.side):
            return False
        return self.stands_there(frame.thing, name, frame.side, way) and (
            frame.other is None or self.stands_there(frame.other, "side", frame.other_side, way)
        )

    def stands_there(self, phrase: Phrase, name: str, side: int, way: Way) -> bool:
        for _, turn, _ in self.seen.landmarks.get(plain_words(phrase.words), ()):
            angle = wrap(turn - way.turn)
            if (name == "ahead" and abs(angle) <= 40) or (name == "behind" and abs(angle) >= 140):
                return True
            if name == "side" and 25 < angle * side < 155:
                return True
        return False

    def nearest_crossing(self, way: Way) -> int:
        if self.seen.is_crossing:
            return 0
        nearest = sorted(self.seen.ways, key=lambda other: other.to_crossing)
        if nearest[0].to_crossing > 6 or (len(nearest) > 1 and nearest[1].to_crossing - nearest[0].to_crossing < 3):
            return 0
        return 1 if nearest[0] is way else -1

    def remember(self, frame: ClauseFrame) -> None:
        if frame.thing is not None and not frame.thing.coreferent:
            self.mentioned = frame.thing, frame.side

    def execute(self, frame: ClauseFrame) -> Steps:
        if frame.name in ("turn", "slight", "sharp", "turning"):
            yield from self.turn(frame)
        elif frame.name == "to crossing":
            if (yield from self.move_to_crossing(self.rank(frame), True)):
                self.counted_to = max(frame.nth, 1) if frame.first else 0
        elif frame.name == "through":
            yield from self.through(frame)
        elif frame.name == "onward":
            if self.waiting:
                self.pass_crossing()
        elif frame.name in ("pass", "until"):
            if frame.thing is not None:
                index = yield from self.place_beside(frame.thing, frame.side)
                if index is not None:
                    self.move_to(index)
                    self.first_unpassed = index
        elif frame.name == "steps":
            self.move_to(self.at + frame.count)
        elif frame.name.startswith("stop"):
            yield from self.stop(frame)
        self.remember(frame)

    def move_to(self, index: int) -> None:
        if index != self.at:
            self.waiting = False
        self.at = index
        self.first_unpassed = max(self.first_unpassed, index + 1)

    def rank(self, frame: ClauseFrame) -> int:
        if frame.nth > self.counted > 0:
            return frame.nth - self.counted
        return frame.nth if frame.nth > 0 else 1

    def move_to_crossing(self, rank: int, waiting: bool = False) -> Steps:
        ahead = yield from self.crossings_ahead(rank)
        if not ahead:
            return False
        self.move_to(ahead[min(rank, len(ahead)) - 1])
        self.waiting = waiting
        return True

    def pass_crossing(self) -> None:
        self.waiting = False
        self.counted, self.counted_to = self.counted_to, 0

    def through(self, frame: ClauseFrame) -> Steps:
        if frame.thing is not None:
            corner = yield from self.corner(frame.thing)
            if corner is not None:
                self.move_to(corner)
                self.counted = 0
                return
        count = max(frame.count, frame.nth, 1)
        if self.waiting and not frame.nth and count == 1:
            self.pass_crossing()
        elif (yield from self.move_to_crossing(count)):
            self.counted = count if frame.first else 0

    def turn(self, frame: ClauseFrame) -> Steps:
        corner = (yield from self.corner(frame.thing)) if frame.thing is not None else None
        if corner is not None:
            self.move_to(corner)
        elif not (self.waiting and not frame.nth):
            yield from self.move_to_turn(frame)
        yield from self.goto(self.at)
        way = self.side_way(frame.side, frame.name if frame.name in TURN_ANGLES else "turn")
        if way is not None and self.at:
            yield from self.begin_street(way)

    def move_to_turn(self, frame: ClauseFrame) -> Steps:
        rank = self.rank(frame)
        if not frame.nth or frame.name == "turning":
            tried = 0
            while tried < 4:
                ahead = yield from self.crossings_ahead(tried + 1)
                if len(ahead) <= tried:
                    break
                yield from self.goto(ahead[tried])
                if self.side_way(frame.side, "turn") is not None:
                    rank -= 1
                    if rank == 0:
                        self.move_to(ahead[tried])
                        return
                tried += 1
            rank = self.rank(frame)
        ahead = yield from self.crossings_ahead(rank)
        if ahead:
            self.move_to(ahead[min(rank, len(ahead)) - 1])

    def stop(self, frame: ClauseFrame) -> Steps:
        self.stopped = True
        steps, index = max(frame.count, 1), self.at
        if frame.name in ("stop beside", "stop before", "stop after") and frame.thing is not None:
            place = yield from self.place_beside(frame.thing, frame.side)
            if place is None:
                if not frame.thing.coreferent:
                    ahead = yield from self.crossings_ahead(1)
                    index = ahead[0] if ahead else self.at
            else:
                index = place + {"stop beside": 0, "stop before": -steps, "stop after": steps}[frame.name]
        elif frame.name in ("stop at crossing", "stop before crossing", "stop after crossing"):
            if not (self.waiting and not frame.nth):
                rank = self.rank(frame)
                index = yield from self.crossing_in_sight(rank)
            index += {"stop at crossing": 0, "stop before crossing": -steps, "stop after crossing": steps}[frame.name]
        elif frame.name == "stop steps":
            index = self.at + frame.count
        elif frame.name == "stop halfway":
            ahead = yield from self.crossings_ahead(1)
            index = (self.at + (ahead[0] if ahead else self.street.end)) // 2
        while index > self.street.end and (yield from self.reveal()):
            pass
        self.at = max(0, min(index, self.street.end))


class WordsFollower:
    """Answers conversations about walks; it keeps its thoughts between the requests of one conversation."""

    def __init__(self) -> None:
        self.walks: dict[str, tuple[Steps, int, str]] = {}

    def __call__(self, messages: Sequence[dict[str, Any]]) -> str:
        texts = [words_of(message) for message in messages if message["role"] == "user"]
        first = texts[0]
        if first not in self.walks or self.walks[first][1] != len(texts) - 1:
            self._restart(texts)
        steps, count, action = self.walks[first]
        if count < len(texts):
            action = steps.send(Seen.read(texts[-1])) if count else action
        self.walks[first] = steps, len(texts), action
        return f"I do as the text says.\nACTION: {action}"

    def _restart(self, texts: Sequence[str]) -> None:
        instruction = texts[0].partition("\n\n")[0].removeprefix("Instruction: ")
        steps = WordsWalker(instruction, Seen.read(texts[0])).run()
        action = next(steps)
        for text in texts[1:-1]:
            action = steps.send(Seen.read(text))
        self.walks[texts[0]] = steps, len(texts) - 1, action

"""Navigation instructions: a route, told by what one sees along it.

A text is a list of items in the order of walking: what orients at the start, what is done at each crossing, where to
stop, and between them things that one passes. Each item is a frame with the words for it. Frames alone say where they
lead (`walk.meaning`), so a text is kept only where its frames lead along the route.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bearleft.geometry import turn
from bearleft.language.annotated_text import Text
from bearleft.language.instructions.asides import overshoot_hint, write_asides
from bearleft.language.instructions.compose import compose
from bearleft.language.instructions.endings import write_ending
from bearleft.language.instructions.openings import write_opening
from bearleft.language.instructions.segments import Segment, side_link
from bearleft.language.instructions.semantics import LEFT, RIGHT, Frame, follow_frames
from bearleft.language.instructions.speaker import ClauseItem, Habits, Speaker
from bearleft.language.noun_phrases import Phrase
from bearleft.language.scene_index import SceneIndex
from bearleft.world.graphs.shortest_paths import PathFinder

MAX_TRIES = 16
PLAIN_CROSSING_RATE = 0.5  # how often the next crossing is just "the intersection"


@dataclass(frozen=True, eq=False)
class RouteLeg:
    """A part of a route without a turn: a stretch, the place on it where it ends, and how one turns there."""

    segment: Segment
    end: int
    bend: str = ""  # "" for the last
    side: int = 0

    @property
    def through(self) -> list[int]:
        """The crossings that one goes straight through."""
        return [k for k in self.segment.crossings if k < self.end]


def split_route(scene: SceneIndex, paths: PathFinder, route: Sequence[int]) -> list[RouteLeg] | None:
    """A route as legs; None where a turn has no name."""
    found: list[RouteLeg] = []
    begin = 0
    while begin < len(route) - 1:
        link = paths.graph.link(route[begin], route[begin + 1])
        segment = Segment.ahead(scene, paths, route[begin], link)
        same = [one == other for one, other in zip(segment.places, route[begin:], strict=False)]
        end = (same.index(False) if False in same else len(same)) - 1
        if begin + end == len(route) - 1:
            return [*found, RouteLeg(segment, end)]
        turned = paths.graph.link(route[begin + end], route[begin + end + 1])
        how = _describe_turn(paths, route[begin + end], segment.headings[end], turned)
        if not end or how is None or not paths.crossing[route[begin + end]]:
            return None
        found.append(RouteLeg(segment, end, *how))
        begin += end
    return found or None


def _describe_turn(paths: PathFinder, place: int, heading: float, link: int | None) -> tuple[str, int] | None:
    """What a turn is called, and its side."""
    for side in (LEFT, RIGHT):
        bends = {bend: side_link(paths, place, heading, side, bend) for bend in ("turn", "slight", "sharp")}
        for bend, found in bends.items():
            if found == link and link is not None:
                angle = abs(float(turn(heading, paths.graph.heading[link])))
                alone = len(set(bends.values())) == 1 and angle >= 40.0
                if bend != "turn" or alone or 70.0 <= angle <= 110.0:
                    return bend, side
    return None


def instruct(
    scene: SceneIndex, paths: PathFinder, route: Sequence[int], facing: float, seed: int, number: int
) -> Text | None:
    """A text that leads along a route, or None where no words were found that do."""
    way = split_route(scene, paths, route)
    if way is None:
        return None
    for attempt in range(MAX_TRIES):
        random = Habits(f"{seed} navigate {number} {attempt}")
        speaker = Speaker(scene, paths, random)
        items = _clause_items(speaker, way, len(route))
        if items is None:
            continue
        if follow_frames([item.frame for item in items], scene, paths, route[0], facing) == list(route):
            return compose(speaker, items)
    return None


def _clause_items(speaker: Speaker, way: list[RouteLeg], length: int) -> list[ClauseItem] | None:
    first = way[0].segment
    link = speaker.paths.graph.link(first.places[0], first.places[1])
    assert link is not None
    start = write_opening(speaker, first.places[0], link)
    if start is None:
        return None
    items = [replace(item, leg=0, index=-1.0) for item in start]
    rooms: list[tuple[int, int, int]] = []  # leg, and between which of its places things may be passed
    for k, leg in enumerate(way[:-1]):
        said, free = _turn_items(speaker, leg, way[k - 1].side if k else 0)
        items += [replace(item, leg=k) for item in said]
        rooms += [(k, *room) for room in free]
    last = len(way) - 1
    said, free = _through_crossings(speaker, way[-1], way[-1].through)
    at = way[-1].through[-1] if said else 0
    ended = write_ending(speaker, way[-1].segment, at, way[-1].end)
    if ended is None:
        return None
    end, harmless = ended
    items += [replace(item, leg=last) for item in [*said, *(replace(one, index=way[-1].end) for one in end)]]
    items += [replace(item, leg=last) for item in overshoot_hint(speaker, way[-1].segment, way[-1].end)]
    if harmless:
        rooms += [(last, *room) for room in free] + [(last, at, way[-1].end)]
    segments = [(leg.segment, leg.end) for leg in way]
    items += write_asides(speaker, segments, rooms, items, length)
    return sorted(items, key=lambda item: (item.leg, item.index))


def _through_crossings(
    speaker: Speaker, leg: RouteLeg, crossings: list[int]
) -> tuple[list[ClauseItem], list[tuple[int, int]]]:
    """Items that lead straight through crossings, and where one may pass things before each."""
    if not crossings:
        return [], []
    if len(crossings) > 1 and speaker.random.random() < 0.6:
        noun = speaker.crossing(leg.segment, crossings, turning=False)
        frame = Frame("through", count=len(crossings))
        item = speaker.say("through", frame, ("count",), noun)
        return [replace(item, index=crossings[-1])], [(0, crossings[0])]
    items, rooms, at = [], [], 0
    for k in crossings:
        noun = speaker.crossing(leg.segment, [k], known=at > 0, turning=False)
        if noun != "one" and speaker.random.random() < PLAIN_CROSSING_RATE:
            item = speaker.say("through", Frame("through"), ("crossing",), noun)
        else:
            item = speaker.say("through", Frame("through", nth=1), ("nth",), noun, nth=speaker.rank(1, at > 0))
        items.append(replace(item, index=k))
        rooms.append((at, k))
        at = k
    return items, rooms


def _turn_items(speaker: Speaker, leg: RouteLeg, last: int) -> tuple[list[ClauseItem], list[tuple[int, int]]]:
    """Items that lead to the turn at a leg's end and through it; `last` is the side of the turn before."""
    extra: dict[str, str] = {"road": str(speaker.random.choice(("it", "it", "that street")))} if last else {}
    if last == leg.side:
        again = speaker.random.choice(("again", "again", "once again", "once more"))
        extra |= {"again": again if speaker.random.random() < 0.5 else "", "once": ""}
    random, segment, end = speaker.random, leg.segment, leg.end
    before = leg.through
    if leg.bend != "turn":
        noun = speaker.crossing(segment, [*before, end])
        frame = Frame(leg.bend, side=leg.side, nth=len(before) + 1)
        return [replace(speaker.say(leg.bend, frame, ("nth",), noun), index=end)], [(0, (before or [end])[0])]
    said: list[ClauseItem] = []
    rooms: list[tuple[int, int]] = []
    if before and random.random() < 0.6:
        said, rooms = _through_crossings(speaker, leg, before)
    at, counted = (before[-1], []) if said else (0, before)
    rooms.append((at, (counted or [end])[0]))
    if random.random() < 0.22:
        item = _turn_at_landmark(speaker, leg, at)
        if item is not None:
            return [*said, item], rooms
    if random.random() < 0.1:
        item = _ranked_turn(speaker, leg, at)
        if item is not None:
            return [*said, item], rooms
    nth = len(counted) + 1
    extra["nth"] = speaker.rank(nth, bool(said))
    noun = speaker.crossing(segment, [*counted, end], known=bool(said))
    if random.random() < 0.25:
        if nth == 1 and noun != "one" and random.random() < PLAIN_CROSSING_RATE:
            plain = {slot: words for slot, words in extra.items() if slot != "nth"}
            noun = speaker.crossing(segment, [end], turning=False)
            to = speaker.say("to crossing", Frame("to crossing"), ("crossing",), noun, **plain)
        else:
            to = speaker.say("to crossing", Frame("to crossing", nth=nth), ("nth",), noun, **extra)
        bare = _turn_here(speaker, leg, noun if noun != "one" else "intersection", extra, "turn here")
        return [*said, replace(to, index=end - 0.5), replace(bare, index=end)], rooms
    if nth == 1 and random.random() < PLAIN_CROSSING_RATE:
        return [
            *said,
            replace(_turn_here(speaker, leg, speaker.crossing(segment, [end], turning=False), extra), index=end),
        ], rooms
    if said and random.random() < 0.2:
        nth = len(before) + 1  # "through the first intersection and turn at the second"
        extra["nth"] = speaker.rank(nth)
    frame = Frame("turn", side=leg.side, nth=nth)
    return [*said, replace(speaker.say("turn", frame, ("nth",), noun, **extra), index=end)], rooms


def _turn_here(speaker: Speaker, leg: RouteLeg, noun: str, extra: dict[str, str], name: str = "turn") -> ClauseItem:
    """ "Turn left", of the crossing that comes or is come to."""
    extra = {slot: words for slot, words in extra.items() if slot != "nth"}
    return speaker.say(name, Frame("turn", side=leg.side), ("side",), noun, **extra)


def _turn_at_landmark(speaker: Speaker, leg: RouteLeg, at: int) -> ClauseItem | None:
    """A turn at a corner that is told by what stands there."""
    segment, end = leg.segment, leg.end
    ahead = [k for k in segment.crossings if at < k <= end]
    for instance in speaker.corner_things(segment, end):

        def fits(phrase: Phrase) -> bool:
            return next((k for k in ahead if segment.corner(phrase, k)), None) == end

        said = speaker.name(instance, fits)
        if said is not None:
            noun = speaker.crossing(segment, [end])
            frame = Frame("turn", said[1], leg.side)
            return replace(speaker.say("turn at", frame, ("thing",), noun, thing=said[0]), index=end)
    return None


def _ranked_turn(speaker: Speaker, leg: RouteLeg, at: int) -> ClauseItem | None:
    """ "Take the second left": counts the crossings where one can."""
    segment = leg.segment
    can = [
        k
        for k in segment.crossings
        if at < k <= leg.end and side_link(speaker.paths, segment.places[k], segment.headings[k], leg.side) is not None
    ]
    frame = Frame("turning", side=leg.side, nth=len(can))
    return replace(speaker.say("turning", frame, ("nth",)), index=leg.end)

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
from bearleft.language.instructions.asides import asides, too_far
from bearleft.language.instructions.compose import compose
from bearleft.language.instructions.endings import stop
from bearleft.language.instructions.openings import orient
from bearleft.language.instructions.segments import Stretch, side_link
from bearleft.language.instructions.semantics import LEFT, RIGHT, Frame, meaning
from bearleft.language.instructions.speaker import Habits, Item, Speaker
from bearleft.language.noun_phrases import Phrase
from bearleft.language.scene_index import SceneIndex
from bearleft.world.graphs.shortest_paths import Ways

TRIES = 16
PLAIN = 0.5  # how often the next crossing is just "the intersection"


@dataclass(frozen=True, eq=False)
class Leg:
    """A part of a route without a turn: a stretch, the place on it where it ends, and how one turns there."""

    stretch: Stretch
    end: int
    bend: str = ""  # "" for the last
    side: int = 0

    @property
    def through(self) -> list[int]:
        """The crossings that one goes straight through."""
        return [k for k in self.stretch.crossings if k < self.end]


def legs(scene: SceneIndex, ways: Ways, route: Sequence[int]) -> list[Leg] | None:
    """A route as legs; None where a turn has no name."""
    found: list[Leg] = []
    begin = 0
    while begin < len(route) - 1:
        link = ways.graph.link(route[begin], route[begin + 1])
        stretch = Stretch.ahead(scene, ways, route[begin], link)
        same = [one == other for one, other in zip(stretch.places, route[begin:], strict=False)]
        end = (same.index(False) if False in same else len(same)) - 1
        if begin + end == len(route) - 1:
            return [*found, Leg(stretch, end)]
        turned = ways.graph.link(route[begin + end], route[begin + end + 1])
        how = _how(ways, route[begin + end], stretch.headings[end], turned)
        if not end or how is None or not ways.crossing[route[begin + end]]:
            return None
        found.append(Leg(stretch, end, *how))
        begin += end
    return found or None


def _how(ways: Ways, place: int, heading: float, link: int | None) -> tuple[str, int] | None:
    """What a turn is called, and its side."""
    for side in (LEFT, RIGHT):
        bends = {bend: side_link(ways, place, heading, side, bend) for bend in ("turn", "slight", "sharp")}
        for bend, found in bends.items():
            if found == link and link is not None:
                angle = abs(float(turn(heading, ways.graph.heading[link])))
                alone = len(set(bends.values())) == 1 and angle >= 40.0
                if bend != "turn" or alone or 70.0 <= angle <= 110.0:
                    return bend, side
    return None


def instruct(scene: SceneIndex, ways: Ways, route: Sequence[int], facing: float, seed: int, number: int) -> Text | None:
    """A text that leads along a route, or None where no words were found that do."""
    way = legs(scene, ways, route)
    if way is None:
        return None
    for attempt in range(TRIES):
        random = Habits(f"{seed} navigate {number} {attempt}")
        speaker = Speaker(scene, ways, random)
        items = _items(speaker, way, len(route))
        if items is None:
            continue
        if meaning([item.frame for item in items], scene, ways, route[0], facing) == list(route):
            return compose(speaker, items)
    return None


def _items(speaker: Speaker, way: list[Leg], length: int) -> list[Item] | None:
    first = way[0].stretch
    link = speaker.ways.graph.link(first.places[0], first.places[1])
    assert link is not None
    start = orient(speaker, first.places[0], link)
    if start is None:
        return None
    items = [replace(item, leg=0, index=-1.0) for item in start]
    rooms: list[tuple[int, int, int]] = []  # leg, and between which of its places things may be passed
    for k, leg in enumerate(way[:-1]):
        said, free = _turn(speaker, leg, way[k - 1].side if k else 0)
        items += [replace(item, leg=k) for item in said]
        rooms += [(k, *room) for room in free]
    last = len(way) - 1
    said, free = _through(speaker, way[-1], way[-1].through)
    at = way[-1].through[-1] if said else 0
    ended = stop(speaker, way[-1].stretch, at, way[-1].end)
    if ended is None:
        return None
    end, harmless = ended
    items += [replace(item, leg=last) for item in [*said, *(replace(one, index=way[-1].end) for one in end)]]
    items += [replace(item, leg=last) for item in too_far(speaker, way[-1].stretch, way[-1].end)]
    if harmless:
        rooms += [(last, *room) for room in free] + [(last, at, way[-1].end)]
    stretches = [(leg.stretch, leg.end) for leg in way]
    items += asides(speaker, stretches, rooms, items, length)
    return sorted(items, key=lambda item: (item.leg, item.index))


def _through(speaker: Speaker, leg: Leg, crossings: list[int]) -> tuple[list[Item], list[tuple[int, int]]]:
    """Items that lead straight through crossings, and where one may pass things before each."""
    if not crossings:
        return [], []
    if len(crossings) > 1 and speaker.random.random() < 0.6:
        noun = speaker.crossing(leg.stretch, crossings, turning=False)
        frame = Frame("through", count=len(crossings))
        item = speaker.say("through", frame, ("count",), noun)
        return [replace(item, index=crossings[-1])], [(0, crossings[0])]
    items, rooms, at = [], [], 0
    for k in crossings:
        noun = speaker.crossing(leg.stretch, [k], known=at > 0, turning=False)
        if noun != "one" and speaker.random.random() < PLAIN:
            item = speaker.say("through", Frame("through"), ("crossing",), noun)
        else:
            item = speaker.say("through", Frame("through", nth=1), ("nth",), noun, nth=speaker.rank(1, at > 0))
        items.append(replace(item, index=k))
        rooms.append((at, k))
        at = k
    return items, rooms


def _turn(speaker: Speaker, leg: Leg, last: int) -> tuple[list[Item], list[tuple[int, int]]]:
    """Items that lead to the turn at a leg's end and through it; `last` is the side of the turn before."""
    extra: dict[str, str] = {"road": str(speaker.random.choice(("it", "it", "that street")))} if last else {}
    if last == leg.side:
        again = speaker.random.choice(("again", "again", "once again", "once more"))
        extra |= {"again": again if speaker.random.random() < 0.5 else "", "once": ""}
    random, stretch, end = speaker.random, leg.stretch, leg.end
    before = leg.through
    if leg.bend != "turn":
        noun = speaker.crossing(stretch, [*before, end])
        frame = Frame(leg.bend, side=leg.side, nth=len(before) + 1)
        return [replace(speaker.say(leg.bend, frame, ("nth",), noun), index=end)], [(0, (before or [end])[0])]
    said: list[Item] = []
    rooms: list[tuple[int, int]] = []
    if before and random.random() < 0.6:
        said, rooms = _through(speaker, leg, before)
    at, counted = (before[-1], []) if said else (0, before)
    rooms.append((at, (counted or [end])[0]))
    if random.random() < 0.22:
        item = _turn_at(speaker, leg, at)
        if item is not None:
            return [*said, item], rooms
    if random.random() < 0.1:
        item = _turning(speaker, leg, at)
        if item is not None:
            return [*said, item], rooms
    nth = len(counted) + 1
    extra["nth"] = speaker.rank(nth, bool(said))
    noun = speaker.crossing(stretch, [*counted, end], known=bool(said))
    if random.random() < 0.25:
        if nth == 1 and noun != "one" and random.random() < PLAIN:
            plain = {slot: words for slot, words in extra.items() if slot != "nth"}
            noun = speaker.crossing(stretch, [end], turning=False)
            to = speaker.say("to crossing", Frame("to crossing"), ("crossing",), noun, **plain)
        else:
            to = speaker.say("to crossing", Frame("to crossing", nth=nth), ("nth",), noun, **extra)
        bare = _bare(speaker, leg, noun if noun != "one" else "intersection", extra, "turn here")
        return [*said, replace(to, index=end - 0.5), replace(bare, index=end)], rooms
    if nth == 1 and random.random() < PLAIN:
        return [
            *said,
            replace(_bare(speaker, leg, speaker.crossing(stretch, [end], turning=False), extra), index=end),
        ], rooms
    if said and random.random() < 0.2:
        nth = len(before) + 1  # "through the first intersection and turn at the second"
        extra["nth"] = speaker.rank(nth)
    frame = Frame("turn", side=leg.side, nth=nth)
    return [*said, replace(speaker.say("turn", frame, ("nth",), noun, **extra), index=end)], rooms


def _bare(speaker: Speaker, leg: Leg, noun: str, extra: dict[str, str], name: str = "turn") -> Item:
    """ "Turn left", of the crossing that comes or is come to."""
    extra = {slot: words for slot, words in extra.items() if slot != "nth"}
    return speaker.say(name, Frame("turn", side=leg.side), ("side",), noun, **extra)


def _turn_at(speaker: Speaker, leg: Leg, at: int) -> Item | None:
    """A turn at a corner that is told by what stands there."""
    stretch, end = leg.stretch, leg.end
    ahead = [k for k in stretch.crossings if at < k <= end]
    for instance in speaker.corner_things(stretch, end):

        def fits(phrase: Phrase) -> bool:
            return next((k for k in ahead if stretch.corner(phrase, k)), None) == end

        said = speaker.name(instance, fits)
        if said is not None:
            noun = speaker.crossing(stretch, [end])
            frame = Frame("turn", said[1], leg.side)
            return replace(speaker.say("turn at", frame, ("thing",), noun, thing=said[0]), index=end)
    return None


def _turning(speaker: Speaker, leg: Leg, at: int) -> Item | None:
    """ "Take the second left": counts the crossings where one can."""
    stretch = leg.stretch
    can = [
        k
        for k in stretch.crossings
        if at < k <= leg.end and side_link(speaker.ways, stretch.places[k], stretch.headings[k], leg.side) is not None
    ]
    frame = Frame("turning", side=leg.side, nth=len(can))
    return replace(speaker.say("turning", frame, ("nth",)), index=leg.end)

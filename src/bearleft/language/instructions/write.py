"""Writer of navigation instructions.

An instruction is a list of clauses in walking order: the orientation at the start, the actions at each crossing, the
stop, and objects passed in between. Each clause is a frame with its words. A text is kept only if following its frames
(`semantics.follow_frames`) leads along the route.
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
from bearleft.language.instructions.segments import Segment, side_link, straight_link
from bearleft.language.instructions.semantics import LEFT, RIGHT, ClauseFrame, follow_frames
from bearleft.language.instructions.speaker import ClauseItem, Speaker
from bearleft.language.instructions.templates import MACROS
from bearleft.language.noun_phrases import Phrase
from bearleft.language.scene_index import SceneIndex
from bearleft.language.writer_random import WriterRandom, fitted_weights
from bearleft.world.graphs.shortest_paths import PathFinder

MAX_TRIES = 16
HABITS = {
    MACROS["TURN"]: 0.94,  # writers nearly always write turns in the same way
    MACROS["ONSIDE"].removeprefix("<e:").removesuffix(">"): 0.55,
    "in digits": 0.95,
    "words for a light": 0.8,
    "light": 0.7,
    "crossing": 0.7,
}
# Rates of expressions whose words are masked when weights are fitted.
PASS_RATE = 0.6  # crossings are passed one by one, rather than "turn at the third intersection"
COUNT_RATES = (0.0, 0.3, 0.6, 0.85)  # "go through two intersections", by their number
LAST_TURN_RATE = 0.2
LAST_TURNS = {"a final": 0.3, "one final": 0.15, "one last": 0.2, "your last": 0.2, "your final": 0.15}
MORE_TURNS = {"another": 0.9, "one more": 0.1}
Extra = dict[str, str]  # values of slots that depend on the turn before


@dataclass(frozen=True, eq=False)
class RouteSegment:
    """Part of a route without a turn.

    `segment` holds the places straight ahead; the route follows them to index `end` and turns there.
    """

    segment: Segment
    end: int
    turn_type: str = ""  # a key of TURN_ANGLES; "" at the end of the route
    side: int = 0  # of the turn: LEFT or RIGHT

    @property
    def crossings_passed(self) -> list[int]:
        """Indices of the crossings that the route goes straight through."""
        return [k for k in self.segment.crossings if k < self.end]


def split_route(scene: SceneIndex, paths: PathFinder, route: Sequence[int]) -> list[RouteSegment] | None:
    """Split a route at its turns; return None if a turn cannot be described."""
    route_segments: list[RouteSegment] = []
    begin = 0
    while begin < len(route) - 1:
        link = paths.graph.find_link(route[begin], route[begin + 1])
        segment = Segment.ahead(scene, paths, route[begin], link)
        equal = [place == route_place for place, route_place in zip(segment.places, route[begin:], strict=False)]
        end = (equal.index(False) if False in equal else len(equal)) - 1
        if begin + end == len(route) - 1:
            return [*route_segments, RouteSegment(segment, end)]
        turn_link = paths.graph.find_link(route[begin + end], route[begin + end + 1])
        named_turn = _describe_turn(paths, route[begin + end], segment.headings[end], turn_link)
        if not end or named_turn is None or not paths.crossing[route[begin + end]]:
            return None
        route_segments.append(RouteSegment(segment, end, *named_turn))
        begin += end
    return route_segments or None


def _describe_turn(paths: PathFinder, place: int, heading: float, link: int | None) -> tuple[str, int] | None:
    """Return the name of a turn and its side, None if it is ambiguous."""
    for side in (LEFT, RIGHT):
        links = {
            turn_type: side_link(paths, place, heading, side, turn_type) for turn_type in ("turn", "slight", "sharp")
        }
        for turn_type, candidate in links.items():
            if candidate == link and link is not None:
                angle = abs(float(turn(heading, paths.graph.heading[link])))
                only_turn = len(set(links.values())) == 1 and angle >= 40.0
                if turn_type != "turn" or only_turn or 70.0 <= angle <= 110.0:
                    return turn_type, side
    return None


def instruct(
    scene: SceneIndex,
    paths: PathFinder,
    route: Sequence[int],
    facing: float,
    seed: int,
    number: int,
    orients: bool = True,
) -> Text | None:
    """Return an instruction that leads along a route, or None if none is found.

    Args:
        scene: The scene.
        paths: Path finder of its graph.
        route: Places of the route.
        facing: Start heading.
        seed: Seed of the dataset.
        number: Number of the instruction, part of the seed.
        orients: Whether the instruction begins with the orientation at the start.
    """
    route_segments = split_route(scene, paths, route)
    if route_segments is None:
        return None
    for attempt in range(MAX_TRIES):
        random = WriterRandom(f"{seed} navigate {number} {attempt}", fitted_weights("navigation"), HABITS)
        speaker = Speaker(scene, paths, random)
        items = _clause_items(speaker, route_segments, len(route), orients)
        if items is None:
            continue
        if follow_frames([item.frame for item in items], scene, paths, route[0], facing) == list(route):
            return compose(speaker, items)
    return None


def _clause_items(
    speaker: Speaker, route_segments: list[RouteSegment], length: int, orients: bool
) -> list[ClauseItem] | None:
    first = route_segments[0].segment
    link = speaker.paths.graph.find_link(first.places[0], first.places[1])
    assert link is not None
    opening = write_opening(speaker, first.places[0], link) if orients else []
    if opening is None:
        return None
    items = [replace(item, segment_index=0, index=-1.0) for item in opening]
    intervals: list[tuple[int, int, int]] = []  # route segment, and the places between which objects may be mentioned
    for k, route_segment in enumerate(route_segments[:-1]):
        is_last = 0 < k == len(route_segments) - 2
        previous_side = route_segments[k - 1].side if k else 0
        turn_items, free_intervals = _turn_items(speaker, route_segment, previous_side, is_last)
        items += [replace(item, segment_index=k) for item in turn_items]
        intervals += [(k, *interval) for interval in free_intervals]
    last_index = len(route_segments) - 1
    turn_items, free_intervals = _through_crossings(speaker, route_segments[-1], route_segments[-1].crossings_passed)
    position = route_segments[-1].crossings_passed[-1] if turn_items else 0
    ending = write_ending(speaker, route_segments[-1].segment, position, route_segments[-1].end)
    if ending is None:
        return None
    end_items, allows_passing = ending
    items += [
        replace(item, segment_index=last_index)
        for item in [*turn_items, *(replace(end_item, index=route_segments[-1].end) for end_item in end_items)]
    ]
    items += [
        replace(item, segment_index=last_index)
        for item in overshoot_hint(speaker, route_segments[-1].segment, route_segments[-1].end)
    ]
    if allows_passing:
        intervals += [(last_index, *interval) for interval in free_intervals] + [
            (last_index, position, route_segments[-1].end)
        ]
    straight_segments = [(route_segment.segment, route_segment.end) for route_segment in route_segments]
    items += write_asides(speaker, straight_segments, intervals, items, length)
    return sorted(items, key=lambda item: (item.segment_index, item.index))


def _through_crossings(
    speaker: Speaker, route_segment: RouteSegment, crossings: list[int]
) -> tuple[list[ClauseItem], list[tuple[int, int]]]:
    """Return items that lead straight through crossings, and the intervals where objects may be mentioned."""
    if not crossings:
        return [], []
    if speaker.random.random() < COUNT_RATES[min(len(crossings), len(COUNT_RATES)) - 1]:
        noun = speaker.crossing(route_segment.segment, crossings, turning=False)
        frame = ClauseFrame("through", count=len(crossings))
        item = speaker.say("through", frame, ("count",), noun)
        return [replace(item, index=crossings[-1])], [(0, crossings[0])]
    items, intervals, position = [], [], 0
    for k in crossings:
        noun = speaker.crossing(route_segment.segment, [k], mentioned=position > 0, turning=False)
        if noun != "one" and _is_plain(speaker):
            item = speaker.say("through", ClauseFrame("through"), ("crossing",), noun)
        else:
            item = speaker.say(
                "through", ClauseFrame("through", nth=1), ("nth",), noun, nth=speaker.rank(1, position > 0)
            )
        items.append(replace(item, index=k))
        intervals.append((position, k))
        position = k
    return items, intervals


def _is_plain(speaker: Speaker) -> bool:
    """Return whether the next crossing is called "the intersection", without a rank."""
    return speaker.random.chance("crossing without a rank", 0.4)


def _turn_items(
    speaker: Speaker, route_segment: RouteSegment, previous_side: int, is_last: bool
) -> tuple[list[ClauseItem], list[tuple[int, int]]]:
    """Return items for the turn at the end of a route segment, and the intervals where objects may be mentioned.

    Args:
        speaker: The speaker.
        route_segment: The part of the route before the turn.
        previous_side: Side of the turn before, 0 for none.
        is_last: Whether it is the last of several turns.
    """
    random, segment, end = speaker.random, route_segment.segment, route_segment.end
    crossings_before = route_segment.crossings_passed
    extra: Extra = (
        {"road": random.pick("that street", {"it": 0.5, "this": 0.5, "that street": 0.1})} if previous_side else {}
    )
    if route_segment.turn_type != "turn":
        noun = speaker.crossing(segment, [*crossings_before, end])
        frame = ClauseFrame(route_segment.turn_type, side=route_segment.side, nth=len(crossings_before) + 1)
        return [replace(speaker.say(route_segment.turn_type, frame, ("nth",), noun), index=end)], [
            (0, (crossings_before or [end])[0])
        ]
    through_items: list[ClauseItem] = []
    intervals: list[tuple[int, int]] = []
    if crossings_before and random.random() < PASS_RATE:
        through_items, intervals = _through_crossings(speaker, route_segment, crossings_before)
    position, counted = (crossings_before[-1], []) if through_items else (0, crossings_before)
    intervals.append((position, (counted or [end])[0]))
    if previous_side == route_segment.side:
        words = {"again": 0.9, "once again": 0.04, "once more": 0.03, "one more time": 0.03}
        if random.chance("turn again", 0.4):
            extra |= {"again": random.pick("again", words), "another": random.pick("another", MORE_TURNS)}
    if is_last and random.random() < LAST_TURN_RATE:
        extra["another"] = random.pick("last turn", LAST_TURNS)
    if straight_link(speaker.paths, segment.places[end], segment.headings[end]) is None:
        street = random.pick("words for a street", {"road": 0.6, "street": 0.4})
        extra |= {"road_ends": street, "block": random.pick("end of the block", {"block": 0.4, street: 0.6})}
    if random.chance("turn at a landmark", 0.15):
        item = _turn_at_landmark(speaker, route_segment, position, previous_side)
        if item is not None:
            return [*through_items, item], intervals
    if random.chance("take the first left", 0.08):
        item = _ranked_turn(speaker, route_segment, position)
        if item is not None:
            return [*through_items, item], intervals
    return [*through_items, *_turn_at_crossing(speaker, route_segment, through_items, counted, extra)], intervals


def _turn_at_crossing(
    speaker: Speaker,
    route_segment: RouteSegment,
    through_items: list[ClauseItem],
    counted: list[int],
    extra: Extra,
) -> list[ClauseItem]:
    """Return items for a turn at a crossing that is named with its rank or without.

    Args:
        speaker: The speaker.
        route_segment: The part of the route before the turn.
        through_items: Items that lead through crossings before.
        counted: Crossings before the turn that no item mentions.
        extra: Values of slots that depend on the turn before.
    """
    random, segment, end = speaker.random, route_segment.segment, route_segment.end
    nth = len(counted) + 1
    approach_first = random.chance("go to the crossing, then turn", 0.25)
    noun = speaker.crossing(segment, [*counted, end], mentioned=bool(through_items))
    if nth == 1 and noun != "one" and _is_plain(speaker):
        noun = speaker.crossing(segment, [end], turning=False)
        if approach_first:
            approach = speaker.say("to crossing", ClauseFrame("to crossing"), ("crossing",), noun, **extra)
            turn_item = _turn_here(speaker, route_segment, noun, extra, "turn here")
            return [replace(approach, index=end - 0.5), replace(turn_item, index=end)]
        return [replace(_turn_here(speaker, route_segment, noun, extra), index=end)]
    extra["nth"] = speaker.rank(nth, bool(through_items))
    if approach_first:
        approach = speaker.say("to crossing", ClauseFrame("to crossing", nth=nth), ("nth",), noun, **extra)
        here = noun if noun != "one" else "intersection"
        turn_item = _turn_here(speaker, route_segment, here, extra, "turn here")
        return [replace(approach, index=end - 0.5), replace(turn_item, index=end)]
    if through_items and through_items[-1].frame.first and random.chance("the first, then the second", 0.3):
        nth = max(through_items[-1].frame.count, 1) + 1  # "through the first intersection and turn at the second"
        extra["nth"], noun = speaker.rank(nth), str(through_items[-1].slots["crossing"])
    frame = ClauseFrame("turn", side=route_segment.side, nth=nth)
    return [replace(speaker.say("turn", frame, ("nth",), noun, **extra), index=end)]


def _turn_here(
    speaker: Speaker, route_segment: RouteSegment, noun: str, extra: Extra, name: str = "turn"
) -> ClauseItem:
    """Return a plain turn ("Turn left") at the crossing ahead or reached."""
    extra = {slot: words for slot, words in extra.items() if slot != "nth"}
    return speaker.say(name, ClauseFrame("turn", side=route_segment.side), ("side",), noun, **extra)


def _turn_at_landmark(
    speaker: Speaker, route_segment: RouteSegment, position: int, previous_side: int
) -> ClauseItem | None:
    """Return a turn at a corner that is identified by an object there, or None."""
    segment, end = route_segment.segment, route_segment.end
    ahead = [k for k in segment.crossings if position < k <= end]
    repeated = previous_side == route_segment.side  # without "again" the second turn reads like the first
    extra: Extra = {"again": "again", "another": "another"} if repeated else {}
    for instance in speaker.corner_objects(segment, end):

        def fits(phrase: Phrase) -> bool:
            return next((k for k in ahead if segment.corner(phrase, k)), None) == end

        named = speaker.name(instance, fits, speaker.article("corner", 0.6))
        if named is not None:
            noun = speaker.crossing(segment, [end])
            frame = ClauseFrame("turn", named[1], route_segment.side)
            return replace(speaker.say("turn at", frame, ("thing",), noun, thing=named[0], **extra), index=end)
    return None


def _ranked_turn(speaker: Speaker, route_segment: RouteSegment, position: int) -> ClauseItem | None:
    """Return a turn with a rank ("Take the second left") among the crossings with such a turn."""
    segment = route_segment.segment
    with_turn = [
        k
        for k in segment.crossings
        if position < k <= route_segment.end
        and side_link(speaker.paths, segment.places[k], segment.headings[k], route_segment.side) is not None
    ]
    frame = ClauseFrame("turning", side=route_segment.side, nth=len(with_turn))
    return replace(speaker.say("turning", frame, ("nth",)), index=route_segment.end)

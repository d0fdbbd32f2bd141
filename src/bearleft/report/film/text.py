"""Which part of a text is followed when: clauses by the reader where it reads them, else sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from bearleft.errors import InputError
from bearleft.language.analysis.tokens import SENTENCE_END
from bearleft.language.instructions.parse import spans
from bearleft.language.instructions.semantics import arrivals
from bearleft.language.scene_index import open_scene_index
from bearleft.records import Leg, Pose, Reach
from bearleft.runtime.store import cache_folder
from bearleft.world.city.traffic_flow import may_drive
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import Ways
from bearleft.world.worlds import world_kind

Span = tuple[int, int]
FEW = 1000  # places of a world whose visibility is counted for a film; of larger ones it must be there
MARKS = re.compile(r"[^\w\s]*\s*")
CLAUSES, WALKED, SENTENCES = "clauses", "clauses as walked", "sentences"


@dataclass(frozen=True)
class Parts:
    """A text cut into parts, and the place on `line` (a number from 0) at which each is done.

    `how` says what the parts are: clauses along the reference route, clauses along what was walked, or sentences in
    proportion to the route's length.
    """

    spans: tuple[Span, ...]
    done: tuple[int, ...]
    line: tuple[str, ...]
    how: str

    def standing(self, at: int) -> Span:
        """What one follows who stands or turns at a place of the line: all that is done there, or what leads on."""
        here = [span for span, done in zip(self.spans, self.done, strict=True) if done == at]
        return (here[0][0], here[-1][1]) if here else self.going(at)

    def going(self, at: int) -> Span:
        """What one follows who goes on from a place of the line."""
        ahead = (span for span, done in zip(self.spans, self.done, strict=True) if done > at)
        return next(ahead, self.spans[-1])

    def progress(self, walked: Sequence[str]) -> list[int]:
        """Of each place walked how far along the line one is: that of the last place on it, in the line's order."""
        found, at = [], 0
        for place in walked:
            ahead = self.line[at : at + 3]
            if place in ahead:
                at += ahead.index(place)
            found.append(at)
        return found


def parts_of(leg: Leg, walked: Sequence[str], start: Pose, world: str, graph: Graph) -> Parts:
    """The parts of an instruction to walk."""
    assert isinstance(leg.goal, Reach)
    route = leg.goal.route
    read = _read(leg.text, start, world, graph)
    if read is not None:
        trail, ends, done = read
        for line, how in ((route, CLAUSES), (tuple(walked), WALKED)):
            if trail == line:
                cut = tiled(leg.text, ends)
                last = len(line) - 1
                return Parts(cut, (*done, *[last] * (len(cut) - len(done))), line, how)
    cut = sentence_spans(leg.text)
    last = len(route) - 1
    return Parts(cut, tuple(round(last * end / max(cut[-1][1], 1)) for _, end in cut), route, SENTENCES)


def _read(text: str, start: Pose, world: str, graph: Graph) -> tuple[tuple[str, ...], list[int], list[int]] | None:
    """The places that a text of one of our cities leads along, where its clauses end, and where each is done."""
    if world_kind(world).name != "city" or start.place is None:
        return None
    known = cache_folder() / "visible"
    if len(graph) > FEW and not list(known.glob(f"{world.replace('/', '-')}-*")):
        return None
    found = spans(text)
    if not found:
        return None
    try:
        scene = open_scene_index(world)
    except InputError:
        return None
    frames, ends = [frame for frame, _ in found], [end for _, end in found]
    trail, done = arrivals(frames, scene, _ways(world), graph.number(start.place), start.look.heading)
    return tuple(graph.ids[place] for place in trail), ends, done


@lru_cache(maxsize=2)
def _ways(world: str) -> Ways:
    city = open_scene_index(world).city
    return Ways.make(city.graph, may_drive(city.plan, city.graph))


def tiled(text: str, ends: Sequence[int]) -> tuple[Span, ...]:
    """Parts that end where clauses do, with the marks after them; what remains is one more."""
    found: list[Span] = []
    begin = 0
    for end in ends:
        marks = MARKS.match(text, end)
        assert marks is not None
        found.append((begin, marks.end()))
        begin = marks.end()
    return (*found, (begin, len(text))) if begin < len(text) else tuple(found)


def sentence_spans(text: str, said: Sequence[str] = ()) -> tuple[Span, ...]:
    """Where the sentences of a text stand in it: those `said`, or by full stops."""
    stops = [found.end() for found in SENTENCE_END.finditer(text)]
    if said:
        stops, at = [], 0
        for one in said[:-1]:
            at += len(one) + 1
            stops.append(at)
    edges = [0, *(stop for stop in stops if 0 < stop < len(text)), len(text)]
    return tuple(pairwise(edges))

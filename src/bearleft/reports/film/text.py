"""Parts of an instruction text and when each is followed: parsed clauses where possible, else sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from bearleft.errors import InputError
from bearleft.language.analysis.tokens import SENTENCE_END
from bearleft.language.instructions.parse import parse_spans
from bearleft.language.instructions.semantics import trace_frames
from bearleft.language.scene_index import open_scene_index
from bearleft.records import Leg, Pose, Reach
from bearleft.runtime.store import cache_folder
from bearleft.world.city.traffic_flow import drivable_links
from bearleft.world.graphs.graph import Graph
from bearleft.world.graphs.shortest_paths import PathFinder
from bearleft.world.worlds import world_kind

Span = tuple[int, int]
MAX_PLACES = 1000  # of a world whose visibility is computed for a film; larger ones need it cached
PUNCTUATION = re.compile(r"[^\w\s]*\s*")
CLAUSES, WALKED_CLAUSES, SENTENCES = "clauses", "clauses as walked", "sentences"


@dataclass(frozen=True)
class Parts:
    """A text split into parts, and the index on `line` at which each part is completed.

    `kind` says what the parts are: clauses along the reference route, clauses along the walked path, or sentences in
    proportion to the route's length.
    """

    spans: tuple[Span, ...]
    end_positions: tuple[int, ...]
    line: tuple[str, ...]
    kind: str

    def span_at(self, position: int) -> Span:
        """Return the span to follow at a position of the line: the parts completed there, else the next part."""
        spans_here = [span for span, end in zip(self.spans, self.end_positions, strict=True) if end == position]
        return (spans_here[0][0], spans_here[-1][1]) if spans_here else self.span_after(position)

    def span_after(self, position: int) -> Span:
        """Return the next part of the text that is completed after a position of the line."""
        ahead = (span for span, end in zip(self.spans, self.end_positions, strict=True) if end > position)
        return next(ahead, self.spans[-1])

    def progress(self, walked: Sequence[str]) -> list[int]:
        """Return the position on the line for each walked place: that of the last place on it, in order."""
        positions, position = [], 0
        for place in walked:
            ahead = self.line[position : position + 3]
            if place in ahead:
                position += ahead.index(place)
            positions.append(position)
        return positions


def split_text(leg: Leg, walked: Sequence[str], start: Pose, world: str, graph: Graph) -> Parts:
    """Split an instruction to walk into parts."""
    assert isinstance(leg.goal, Reach)
    route = leg.goal.route
    parsed = _parse_clauses(leg.text, start, world, graph)
    if parsed is not None:
        trail, ends, end_positions = parsed
        for line, kind in ((route, CLAUSES), (tuple(walked), WALKED_CLAUSES)):
            if trail == line:
                spans_of_parts = split_at(leg.text, ends)
                last = len(line) - 1
                return Parts(
                    spans_of_parts, (*end_positions, *[last] * (len(spans_of_parts) - len(end_positions))), line, kind
                )
    spans_of_parts = sentence_spans(leg.text)
    last = len(route) - 1
    return Parts(
        spans_of_parts,
        tuple(round(last * end / max(spans_of_parts[-1][1], 1)) for _, end in spans_of_parts),
        route,
        SENTENCES,
    )


def _parse_clauses(
    text: str, start: Pose, world: str, graph: Graph
) -> tuple[tuple[str, ...], list[int], list[int]] | None:
    """Parse a text of one of our cities: the places it leads along, where clauses end, and where each is completed."""
    if world_kind(world).name != "city" or start.place is None:
        return None
    cached = cache_folder() / "visible"
    if len(graph) > MAX_PLACES and not list(cached.glob(f"{world.replace('/', '-')}-*")):
        return None
    clauses = parse_spans(text)
    if not clauses:
        return None
    try:
        scene = open_scene_index(world)
    except InputError:
        return None
    frames, ends = [frame for frame, _ in clauses], [end for _, end in clauses]
    trail, end_positions = trace_frames(
        frames, scene, _shortest_paths(world), graph.place_index(start.place), start.look.heading
    )
    return tuple(graph.ids[place] for place in trail), ends, end_positions


@lru_cache(maxsize=2)
def _shortest_paths(world: str) -> PathFinder:
    city = open_scene_index(world).city
    return PathFinder.make(city.graph, drivable_links(city.plan, city.graph))


def split_at(text: str, ends: Sequence[int]) -> tuple[Span, ...]:
    """Split a text where clauses end, after their punctuation; the rest is one more part."""
    parts: list[Span] = []
    begin = 0
    for end in ends:
        punctuation = PUNCTUATION.match(text, end)
        assert punctuation is not None
        parts.append((begin, punctuation.end()))
        begin = punctuation.end()
    return (*parts, (begin, len(text))) if begin < len(text) else tuple(parts)


def sentence_spans(text: str, sentences: Sequence[str] = ()) -> tuple[Span, ...]:
    """Return the spans of the sentences of a text: given `sentences`, or split at full stops."""
    stops = [match.end() for match in SENTENCE_END.finditer(text)]
    if sentences:
        stops, position = [], 0
        for sentence in sentences[:-1]:
            position += len(sentence) + 1
            stops.append(position)
    edges = [0, *(stop for stop in stops if 0 < stop < len(text)), len(text)]
    return tuple(pairwise(edges))

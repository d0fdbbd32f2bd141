"""Minimal pairs of navigation instructions: the same start, one changed word, and another destination."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Literal, get_args

from bearleft.errors import InputError, unknown_name
from bearleft.language.annotated_text import Text
from bearleft.language.instructions.segments import Segment, side_link
from bearleft.language.instructions.semantics import LEFT, RIGHT, ClauseFrame, follow_frames
from bearleft.language.scene_index import SceneIndex
from bearleft.language.templates import Template
from bearleft.records import Direction, Episode, Leg, Pose, Reach
from bearleft.world.city.plan import check_seed
from bearleft.world.graphs.shortest_paths import PathFinder

InstructionKind = Literal["turn-left-right", "first-second-crossing"]
INSTRUCTION_KINDS: tuple[InstructionKind, ...] = get_args(InstructionKind)
Span = tuple[int, int]
MIN_END_STEPS = 4  # steps between the two destinations; an answer counts as correct within one step

_CROSSING = "[intersection|intersection|corner]"
TEMPLATES = (
    Template(
        "[Go|Head|Walk|Start by going] with the flow of traffic. [Turn|Turn|Make a|Take a] {side} at the {nth} "
        f"{_CROSSING}. [Go|Walk|Continue] to the next {_CROSSING} and stop."
    ),
    Template(
        "[Turn|Orient yourself|Position yourself] so [that|] you are [moving|facing|going] with the flow of traffic. "
        "At the {nth} "
        f"{_CROSSING}, [turn|take a|make a] {{side}}. [Stop at the next {_CROSSING}|Go straight to the next "
        f"{_CROSSING} and stop]."
    ),
    Template(
        "[Go|Move|Head] with the flow of traffic. When you [reach|get to|come to] the {nth} "
        f"{_CROSSING}, [turn|make a|take a] {{side}}. [Walk|Go|Head] straight and stop at the next {_CROSSING}."
    ),
)
_SIDES = {LEFT: "left", RIGHT: "right"}
_RANKS = {1: "first", 2: "second"}


@dataclass(frozen=True, slots=True)
class InstructionPair:
    """Two instructions from one start that differ in one word, and the route of each."""

    kind: str
    facing: float
    text: str
    route: tuple[int, ...]
    changed_text: str
    changed_route: tuple[int, ...]
    spans: tuple[Span, Span]  # span of the changed word in each text


def generate_instruction_pairs(
    scene: SceneIndex, paths: PathFinder, kind: InstructionKind, count: int, seed: int = 0
) -> list[InstructionPair]:
    """Return up to `count` minimal pairs of a kind, fewer if the city has no more.

    Args:
        scene: The scene of the city.
        paths: Its path finder.
        kind: What changes between the two texts.
        count: Maximum number of pairs.
        seed: Seed of the start places and of the texts.

    Raises:
        InputError: If `count` is less than 1 or `kind` is unknown.
    """
    if count < 1:
        raise InputError("at least one pair", str(count), "count")
    return list(
        islice((pair for pair in iterate_instruction_pairs(scene, paths, kind, seed) if pair is not None), count)
    )


def iterate_instruction_pairs(
    scene: SceneIndex, paths: PathFinder, kind: InstructionKind, seed: int = 0
) -> Iterator[InstructionPair | None]:
    """Visit every place once and yield a minimal pair that starts there, or None."""
    if kind not in INSTRUCTION_KINDS:
        raise unknown_name("kind of minimal pair", kind, INSTRUCTION_KINDS)
    check_seed(seed)
    places = Random(f"{seed} walk pairs {kind}").sample(range(len(paths.graph)), len(paths.graph))
    for number, place in enumerate(places):
        yield _pair(scene, paths, place, kind, Random(f"{seed} walk pair {kind} {number}"))


def instruction_pair_episodes(
    scene: SceneIndex, pairs: Iterable[InstructionPair], name: str = "city/pairs"
) -> Iterator[Episode]:
    """Yield two episodes per pair.

    Both share `extra["pair"]`; `extra["kind"]` is the kind of change and `extra["span"]` the changed word.
    """
    graph = scene.city.graph
    for number, pair in enumerate(pairs):
        start = Pose(Direction(pair.facing, 0.0), graph.ids[pair.route[0]])
        variants = (pair.text, pair.route), (pair.changed_text, pair.changed_route)
        for is_changed, (text, route) in enumerate(variants):
            extra = {
                "kind": pair.kind,
                "pair": number,
                "changed": bool(is_changed),
                "span": list(pair.spans[is_changed]),
            }
            leg = Leg(text, Reach(tuple(graph.ids[place] for place in route)))
            yield Episode(f"{pair.kind}-{number}{'ab'[is_changed]}", name, graph.name, start, (leg,), extra)


def _pair(
    scene: SceneIndex, paths: PathFinder, place: int, kind: InstructionKind, random: Random
) -> InstructionPair | None:
    links = [link for link in paths.graph.links(place).tolist() if link in paths.allowed_links]
    # The texts say "with the flow of traffic", which must be unambiguous.
    if len(links) != 1 or paths.crossing[place]:
        return None
    side, rank = random.choice((LEFT, RIGHT)), random.choice((1, 2))
    variants = [(side, rank), (-side, rank) if kind == "turn-left-right" else (side, 3 - rank)]
    routes = [_route(scene, paths, place, links[0], *variant) for variant in variants]
    if routes[0] is None or routes[1] is None or _ends_too_close(paths, routes[0][-1], routes[1][-1]):
        return None
    template, facing = random.choice(TEMPLATES), float(random.randrange(360))
    state = random.getstate()
    texts = []
    for variant in variants:
        random.setstate(state)
        texts.append(_render_text(random, template, kind, *variant))
    return InstructionPair(kind, facing, texts[0][0], routes[0], texts[1][0], routes[1], (texts[0][1], texts[1][1]))


def _ends_too_close(paths: PathFinder, end: int, other_end: int) -> bool:
    """Return whether two destinations are too close to be told apart."""
    return bool(0 <= paths.graph.hops(end)[other_end] < MIN_END_STEPS)


def _render_text(random: Random, template: Template, kind: InstructionKind, side: int, rank: int) -> tuple[str, Span]:
    """Return an instruction and the span of the changed word."""
    slots: dict[str, Text | str] = {"side": _SIDES[side], "nth": _RANKS[rank]}
    slot = "side" if kind == "turn-left-right" else "nth"
    slots[slot] = Text(str(slots[slot])).with_mentions(0)  # any number: only the span of the mention is used
    text = template.render(random, **slots)
    return text.string, (text.mentions[0].begin, text.mentions[0].end)


def _route(scene: SceneIndex, paths: PathFinder, place: int, link: int, side: int, rank: int) -> tuple[int, ...] | None:
    """Return the route that turns at a crossing and stops at the next one, None if there is none."""
    segment = Segment.ahead(scene, paths, place, link)
    if len(segment.crossings) < rank:
        return None
    crossing = segment.crossings[rank - 1]
    turn_link = side_link(paths, segment.places[crossing], segment.headings[crossing], side)
    if turn_link is None or not Segment.ahead(scene, paths, segment.places[crossing], turn_link).crossings:
        return None
    frames = [ClauseFrame("flow"), ClauseFrame("turn", side=side, nth=rank), ClauseFrame("stop at crossing", nth=1)]
    return tuple(follow_frames(frames, scene, paths, place, float(paths.graph.heading[link])))

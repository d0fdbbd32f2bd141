"""Minimal pairs for walkers: the same start and the same words but one, and another end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Literal, get_args

from bearleft.errors import InputError, unknown
from bearleft.language.annotated_text import Text
from bearleft.language.instructions.segments import Segment, side_link
from bearleft.language.instructions.semantics import LEFT, RIGHT, Frame, follow_frames
from bearleft.language.scene_index import SceneIndex
from bearleft.language.templates import Template
from bearleft.records import Direction, Episode, Leg, Pose, Reach
from bearleft.world.city.plan import check_seed
from bearleft.world.graphs.shortest_paths import PathFinder

Kind = Literal["turn-left-right", "first-second-crossing"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Span = tuple[int, int]
MIN_END_STEPS = 4  # steps that two ends lie apart at least: who is right about one is a step from it at most

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
class WalkPair:
    """Two instructions for one start that differ in one word, and the places each leads along."""

    kind: str
    facing: float
    text: str
    route: tuple[int, ...]
    changed: str
    changed_route: tuple[int, ...]
    spans: tuple[Span, Span]  # the word, in each text


def generate_walk_pairs(scene: SceneIndex, paths: PathFinder, kind: Kind, count: int, seed: int = 0) -> list[WalkPair]:
    """Up to `count` minimal pairs of a kind, from starts drawn from the seed; fewer where the city has no more."""
    if count < 1:
        raise InputError("at least one pair", str(count), "count")
    return list(islice((pair for pair in iterate_walk_pairs(scene, paths, kind, seed) if pair is not None), count))


def iterate_walk_pairs(scene: SceneIndex, paths: PathFinder, kind: Kind, seed: int = 0) -> Iterator[WalkPair | None]:
    """Place after place, each once: a minimal pair of a kind from there, or None where there is none."""
    if kind not in KINDS:
        raise unknown("kind of minimal pair", kind, KINDS)
    check_seed(seed)
    places = Random(f"{seed} walk pairs {kind}").sample(range(len(paths.graph)), len(paths.graph))
    for number, place in enumerate(places):
        yield _pair(scene, paths, place, kind, Random(f"{seed} walk pair {kind} {number}"))


def episodes_from_walk_pairs(scene: SceneIndex, some: Iterable[WalkPair], name: str = "city/pairs") -> Iterator[Episode]:
    """Pairs as episodes: two share `extra["pair"]`, `extra["kind"]` says what changes, `extra["span"]` where."""
    graph = scene.city.graph
    for number, pair in enumerate(some):
        start = Pose(Direction(pair.facing, 0.0), graph.ids[pair.route[0]])
        told = (pair.text, pair.route), (pair.changed, pair.changed_route)
        for changed, (text, route) in enumerate(told):
            extra = {"kind": pair.kind, "pair": number, "changed": bool(changed), "span": list(pair.spans[changed])}
            leg = Leg(text, Reach(tuple(graph.ids[place] for place in route)))
            yield Episode(f"{pair.kind}-{number}{'ab'[changed]}", name, graph.name, start, (leg,), extra)


def _pair(scene: SceneIndex, paths: PathFinder, place: int, kind: Kind, random: Random) -> WalkPair | None:
    links = [link for link in paths.graph.links(place).tolist() if link in paths.link]
    # With one way for traffic to go there is no doubt which is meant.
    if len(links) != 1 or paths.crossing[place]:
        return None
    side, rank = random.choice((LEFT, RIGHT)), random.choice((1, 2))
    asked = [(side, rank), (-side, rank) if kind == "turn-left-right" else (side, 3 - rank)]
    routes = [_route(scene, paths, place, links[0], *one) for one in asked]
    if routes[0] is None or routes[1] is None or _ends_too_close(paths, routes[0][-1], routes[1][-1]):
        return None
    source, facing = random.choice(TEMPLATES), float(random.randrange(360))
    again = random.getstate()
    texts = []
    for one in asked:
        random.setstate(again)
        texts.append(_render_text(random, source, kind, *one))
    return WalkPair(kind, facing, texts[0][0], routes[0], texts[1][0], routes[1], (texts[0][1], texts[1][1]))


def _ends_too_close(paths: PathFinder, one: int, other: int) -> bool:
    """Whether two ends are too near to each other to tell who reached which."""
    return bool(0 <= paths.graph.hops(one)[other] < MIN_END_STEPS)


def _render_text(random: Random, source: Template, kind: Kind, side: int, rank: int) -> tuple[str, Span]:
    """An instruction, and where the word is that changes."""
    slots: dict[str, Text | str] = {"side": _SIDES[side], "nth": _RANKS[rank]}
    slot = "side" if kind == "turn-left-right" else "nth"
    slots[slot] = Text(str(slots[slot])).with_mentions(0)
    text = source.render(random, **slots)
    return text.string, (text.mentions[0].begin, text.mentions[0].end)


def _route(scene: SceneIndex, paths: PathFinder, place: int, link: int, side: int, rank: int) -> tuple[int, ...] | None:
    """The places of who turns to a side at a crossing and stops at the next; None where one cannot."""
    segment = Segment.ahead(scene, paths, place, link)
    if len(segment.crossings) < rank:
        return None
    at = segment.crossings[rank - 1]
    turned = side_link(paths, segment.places[at], segment.headings[at], side)
    if turned is None or not Segment.ahead(scene, paths, segment.places[at], turned).crossings:
        return None
    frames = [Frame("flow"), Frame("turn", side=side, nth=rank), Frame("stop at crossing", nth=1)]
    return tuple(follow_frames(frames, scene, paths, place, float(paths.graph.heading[link])))

"""Random graphs with heights, walks along them, and small networks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bearleft.geometry import vector_angles
from bearleft.models.panoramic.network import Config, PanoramicNetwork, PanoramicShape, build_network
from bearleft.models.vocabulary import Vocabulary
from bearleft.models.walking.examples import WalkExamples
from bearleft.world.graphs.graph import Graph

WORDS = ["go", "left", "right", "past", "the", "red", "door", "and", "stop"]


def random_graph(rng: np.random.Generator, name: str, places: int, strictly_linked: bool = True) -> Graph:
    """Return a connected graph: a ring with chords, in three dimensions; all links lead both ways."""
    positions = rng.normal(0.0, 5.0, (places, 3)) * [1.0, 1.0, 0.2]
    pairs = {(k, (k + 1) % places) for k in range(places)} if strictly_linked else set()
    pairs |= {tuple(sorted(rng.choice(places, 2, replace=False).tolist())) for _ in range(places)}
    links = sorted({(a, b) for a, b in pairs} | {(b, a) for a, b in pairs})
    source, target = np.array(links).T
    heading, _ = vector_angles(positions[target] - positions[source])
    return Graph.make(name, [f"{name}-{k}" for k in range(places)], positions, source, target, heading)


def random_routes(rng: np.random.Generator, graph: Graph, count: int, steps: int) -> list[tuple[int, ...]]:
    """Return random walks of up to some steps."""
    routes = []
    for _ in range(count):
        route = [int(rng.integers(len(graph)))]
        for _ in range(int(rng.integers(steps + 1))):
            route.append(int(rng.choice(graph.target[graph.links(route[-1])])))
        routes.append(tuple(route))
    return routes


def random_examples(rng: np.random.Generator, graphs: Sequence[Graph], count: int, steps: int = 4) -> WalkExamples:
    """Return walks with random texts and headings."""
    worlds = [graphs[int(rng.integers(len(graphs)))] for _ in range(count)]
    routes = [random_routes(rng, graph, 1, steps)[0] for graph in worlds]
    actions = np.full((count, steps + 1), -1, np.int64)
    for k, (graph, route) in enumerate(zip(worlds, routes, strict=True)):
        for step in range(len(route) - 1):
            actions[k, step] = 1 + graph.target[graph.links(route[step])].tolist().index(route[step + 1])
        actions[k, len(route) - 1] = 0
    return WalkExamples(
        tuple(str(k) for k in range(count)),
        tuple(" ".join(rng.choice(WORDS, int(rng.integers(1, 7)))) for _ in range(count)),
        tuple(graph.name for graph in worlds),
        tuple(
            (graph.name, graph.ids[route[0]], float(rng.uniform(0.0, 360.0)))
            for graph, route in zip(worlds, routes, strict=True)
        ),
        actions,
        tuple(tuple(graph.ids[k] for k in route) for graph, route in zip(worlds, routes, strict=True)),
    )


def small_network(vocabulary: Vocabulary, view_dim: int = 0, seed: int = 0) -> PanoramicNetwork:
    """Return a small network."""
    sizes = {
        "word_dim": 6,
        "text_dim": 5,
        "hidden_dim": 9,
        "link_dim": 7,
        "text_attention_dim": 8,
        "view_attention_dim": 6,
    }
    shape = PanoramicShape(len(vocabulary), view_dim)
    return build_network(Config(shape, **sizes), seed).eval()

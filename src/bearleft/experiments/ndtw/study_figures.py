"""Pictures of the nDTW paper's human study: the questions people rank, and pairs of paths sorted by nDTW (Figure 3)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from bearleft.experiments.ndtw.study import SETS, THRESHOLD, PathSet, edges, environment, path_sets, random_path
from bearleft.metrics.dtw import ndtw
from bearleft.runtime.store import atomic_write
from bearleft.world.graphs.graph import Graph
from bearleft.world.maps.map import LEGEND, REFERENCE, WALKED, Line, draw_map, side_by_side

QUESTION = "If I instructed a robot to take the blue path, which of these orange paths would I prefer it to take?"


def draw_pair(
    graph: Graph, reference: Sequence[str], query: Sequence[str], title: str, size: int, around: Sequence[str] = ()
) -> Image.Image:
    """One pair: the reference in blue, the query in orange on top."""
    lines = [Line(reference, REFERENCE, size / 40), Line(query, WALKED, size / 80)]
    return draw_map(graph, lines, title, size, margin=1.5, street=0.06, around=around)


def draw_set(asked: PathSet, size: int = 260) -> Image.Image:
    """The five pairs of a question, lettered, side by side, all of the same region."""
    everything = [place for query in asked.queries for place in query]
    pairs = zip("ABCDE", asked.queries, strict=True)
    return side_by_side(
        [draw_pair(asked.graph, asked.reference, query, letter, size, everything) for letter, query in pairs],
        5,
        caption=LEGEND,
    )


def figure_3(seed: int = 0, pairs: int = 18, size: int = 220) -> Image.Image:
    """Random pairs that start together, sorted by their nDTW, the lowest first; chosen so that they span its range."""
    pictures = []
    for number in range(pairs):
        rng = np.random.default_rng([seed, number])
        graph = environment(rng)
        reference = random_path(graph, rng)
        start = graph.number(reference[0])
        queries = [random_path(graph, rng, start) for _ in range(200)] + [reference]
        nodes = [[graph.number(place) for place in query] for query in queries]
        threshold = THRESHOLD * float(edges(graph).mean())
        values = ndtw.batch(nodes, [nodes[-1]] * len(nodes), graph.metres.matrix(), threshold)
        best = int(np.argmin(np.abs(values - number / (pairs - 1))))
        pictures.append((values[best], draw_pair(graph, reference, queries[best], f"nDTW {values[best]:.2f}", size)))
    return side_by_side([picture for _, picture in sorted(pictures, key=lambda row: row[0])], 6, caption=LEGEND)


def write_study(
    folder: str | os.PathLike[str], seed: int = 0, progress: Callable[[str, int, int], None] | None = None
) -> None:
    """Both questionnaires: sets.jsonl, a picture for each set, README.txt; what is there already is kept."""
    folder = Path(folder)
    total, done = sum(SETS.values()), 0
    rows = []
    for study in SETS:
        for asked in path_sets(study, seed):
            rows.append(asked.to_json())
            path = folder / "pictures" / f"{asked.id}.png"
            if not path.exists():
                with atomic_write(path, "wb") as stream:
                    draw_set(asked).save(stream, "PNG")
            done += 1
            if progress is not None:
                progress(f"{study} sets", done, total)
    with atomic_write(folder / "sets.jsonl") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)
    with atomic_write(folder / "README.txt") as stream:
        stream.write(
            f'Show each picture with the question "{QUESTION}"\n'
            "The ring is where a path starts, the dot where it ends.\n"
            "Let people rank A to E, 1 the best; ties are allowed.\n"
            'Write a line for each ranking: {"set": "unconstrained-007", "rater": "r3", "places": [2, 1, 5, 3, 4]}\n'
            f"Then type: bearleft paper ndtw-study --seed {seed} --rankings FILE\n"
        )

"""Pictures of the nDTW paper's human study: the sets that people rank, and pairs of paths sorted by nDTW (Figure 3)."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from bearleft.experiments.ndtw.study import (
    SETS_PER_STUDY,
    THRESHOLD_EDGES,
    PathSet,
    edge_lengths,
    environment,
    path_sets,
    random_path,
)
from bearleft.metrics.dtw import ndtw
from bearleft.runtime.store import atomic_write
from bearleft.types import Progress
from bearleft.world.graphs.graph import Graph
from bearleft.world.maps.map import LEGEND, REFERENCE, WALKED, Line, graph_map, side_by_side

QUESTION = "If I instructed a robot to take the blue path, which of these orange paths would I prefer it to take?"


def draw_pair(
    graph: Graph, reference: Sequence[str], query: Sequence[str], title: str, size: int, around: Sequence[str] = ()
) -> Image.Image:
    """Draw one pair: the reference in blue, the query in orange on top."""
    lines = [Line(reference, REFERENCE, size / 40), Line(query, WALKED, size / 80)]
    return graph_map(graph, lines, title, size, margin=1.5, street=0.06, around=around)


def draw_set(path_set: PathSet, size: int = 260) -> Image.Image:
    """Draw the five pairs of a set side by side, lettered, all of the same region."""
    places = [place for query in path_set.queries for place in query]
    pairs = zip("ABCDE", path_set.queries, strict=True)
    return side_by_side(
        [draw_pair(path_set.graph, path_set.reference, query, letter, size, places) for letter, query in pairs],
        5,
        caption=LEGEND,
    )


def figure_3(seed: int = 0, pairs: int = 18, size: int = 220) -> Image.Image:
    """Draw random pairs with a common start, sorted by nDTW from the lowest, chosen to span its range."""
    pictures = []
    for number in range(pairs):
        rng = np.random.default_rng([seed, number])
        graph = environment(rng)
        reference = random_path(graph, rng)
        start = graph.place_index(reference[0])
        queries = [random_path(graph, rng, start) for _ in range(200)] + [reference]
        nodes = [[graph.place_index(place) for place in query] for query in queries]
        threshold = THRESHOLD_EDGES * float(edge_lengths(graph).mean())
        values = ndtw.batch(nodes, [nodes[-1]] * len(nodes), graph.metres.matrix(), threshold)
        nearest = int(np.argmin(np.abs(values - number / (pairs - 1))))
        pictures.append(
            (values[nearest], draw_pair(graph, reference, queries[nearest], f"nDTW {values[nearest]:.2f}", size))
        )
    return side_by_side([picture for _, picture in sorted(pictures, key=lambda row: row[0])], 6, caption=LEGEND)


def write_study(folder: str | os.PathLike[str], seed: int = 0, progress: Progress | None = None) -> None:
    """Write both questionnaires: sets.jsonl, a picture for each set, and README.txt; existing pictures are kept.

    Args:
        folder: Folder to write to.
        seed: Seed of the path sets.
        progress: Called with a label, the sets done, and their total.
    """
    folder = Path(folder)
    total, done = sum(SETS_PER_STUDY.values()), 0
    rows = []
    for study in SETS_PER_STUDY:
        for path_set in path_sets(study, seed):
            rows.append(path_set.to_json())
            path = folder / "pictures" / f"{path_set.id}.png"
            if not path.exists():
                with atomic_write(path, "wb") as stream:
                    draw_set(path_set).save(stream, "PNG")
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

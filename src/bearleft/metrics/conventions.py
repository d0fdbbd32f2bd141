"""The field's released programs disagree with the papers and with each other: each way of scoring under its name.

`paper` is the default everywhere. A score always says which convention it used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bearleft.errors import unknown
from bearleft.metrics.cls import coverage_weighted
from bearleft.metrics.completion import NEIGHBOUR
from bearleft.metrics.distances import EUCLIDEAN, Nodes
from bearleft.metrics.edits import edit_distances
from bearleft.metrics.fastdtw import FAST, warped
from bearleft.metrics.kernels import COVER, GOAL, WARP
from bearleft.metrics.metric import Measured
from bearleft.metrics.paths import Array, Floats, Ragged
from bearleft.metrics.sed import of_successes, similarity
from bearleft.metrics.sweep import pair
from bearleft.metrics.table import METRICS, path_scores
from bearleft.metrics.walks import Walks, actions_to_goal
from bearleft.world.graphs.distances import MAX_PLACES_IN_MEMORY, Distances

CHUNK = 32  # walks whose distances are looked up together in a large graph
Scores = dict[str, Floats]


@dataclass(frozen=True)
class Convention:
    """One way of scoring walks: who does it so, in which unit, and what is peculiar to it."""

    name: str
    used_by: str
    distance: str
    about: str
    score: Callable[[Walks, tuple[str, ...]], Scores]
    headings: bool = False  # whether it asks for headings, not for places alone

    @property
    def in_hops(self) -> bool:
        """Whether it never asks for metres."""
        return self.distance.startswith("hops")


def _nodes(distances: Distances, *batches: Ragged) -> Nodes:
    """Distances between all places that are walked through: the whole matrix, or some rows of a large graph's.

    Hops of a large graph are kept on disk once many walks ask for them; its metres would take four times the room.
    """
    if len(distances) <= MAX_PLACES_IN_MEMORY or (distances.unit == "hops" and len(batches[0]) > CHUNK):
        return Nodes(distances.matrix())
    places = np.unique(np.concatenate([batch.points for batch in batches]))
    return Nodes(distances.rows(places), places)


def _ends(walks: Walks) -> tuple[Array, Array]:
    return walks.paths.points[walks.paths.starts[1:] - 1], walks.routes.points[walks.routes.starts[1:] - 1]


def _with_stop(states: Ragged, stopped: Array) -> Ragged:
    """Stopping is one more state at the same place."""
    index = np.arange(len(states.points))
    return Ragged(
        states.points[np.insert(index, states.starts[1:][stopped], states.starts[1:][stopped] - 1)],
        states.starts + np.concatenate([[0], np.cumsum(stopped)]),
    )


def _fast(fast: tuple[str, ...], measured: Measured, success: Array, scale: Floats) -> Scores:
    """Return nDTW and SDTW by FastDTW, where they are asked for: exp(-DTW / scale)."""
    if not fast:
        return {}
    ndtw = np.exp(-warped(measured.pairs) / scale)
    return dict(zip(FAST, (ndtw, success * ndtw), strict=True))


def _paper(walks: Walks, fast: tuple[str, ...]) -> Scores:
    paths = walks.paths.without_repeats()
    hops = _nodes(walks.graph.hops, paths, walks.routes)
    names = ["TC", "SPD", "SED", "nDTW", "SDTW", "CLS", "KPA", *fast]
    return path_scores(names, paths, walks.routes, hops, 1.0, walks.graph.degree > 2)


def _ndtw_paper(walks: Walks, fast: tuple[str, ...]) -> Scores:
    paths = walks.paths.without_repeats()
    metres = _nodes(walks.graph.metres, paths, walks.routes)
    scores = path_scores(["SR", "NE", "SPL", "CLS", "nDTW", "SDTW", *fast], paths, walks.routes, metres, 3.0)
    return {**scores, "SED": of_successes(scores["SR"] > 0, paths, walks.routes, moves=True)}


def _ciff(walks: Walks, _: tuple[str, ...]) -> Scores:
    last, goal = _ends(walks)
    paths = walks.paths.without_repeats()
    hops = _nodes(walks.graph.hops, paths, walks.routes)
    near = [int(a) == int(b) or int(a) in beside for a, b, beside in zip(last, goal, walks.beside, strict=True)]
    return {
        "TC": np.array(near, np.float64),
        "SPD": path_scores(["SPD"], paths, walks.routes, hops)["SPD"],
        "NE": actions_to_goal(walks),
        "SED": edit_distances(paths, walks.routes).astype(np.float64),
    }


def _valan(walks: Walks, fast: tuple[str, ...]) -> Scores:
    paths = _with_stop(walks.paths, walks.stopped)
    routes = _with_stop(walks.driven, np.ones(len(walks), np.bool_))
    measured = Measured(pair(paths, routes, _nodes(walks.graph.hops, paths, routes)), WARP | GOAL, None)
    success = measured.end < 2
    ndtw = np.exp(-measured.dtw / (2 * measured.points))
    share = edit_distances(paths, routes) / (paths.lengths * routes.lengths)
    return {
        "TC": success.astype(np.float64),
        "SPD": measured.end.copy(),
        "SED": success * (1.0 - share),
        "nDTW": ndtw,
        "SDTW": success * ndtw,
        **_fast(fast, measured, success, 2 * measured.points),
    }


def _vln_transformer(walks: Walks, fast: tuple[str, ...]) -> Scores:
    paths, routes = walks.paths.without_repeats(), walks.routes
    measured = Measured(pair(paths, routes, _nodes(walks.graph.hops, paths, routes)), WARP | GOAL | COVER, 1.0)
    success = measured.end <= NEIGHBOUR
    ndtw = np.exp(-measured.dtw / (2 * np.sqrt(measured.points)))
    return {
        "TC": success.astype(np.float64),
        "SPD": measured.end.copy(),
        "SED": success * similarity(paths, routes, swaps=True),
        "nDTW": ndtw,
        "SDTW": success * ndtw,
        "CLS": coverage_weighted(measured.coverage, measured.points, paths.lengths.astype(np.float64)),
        **_fast(fast, measured, success, 2 * np.sqrt(measured.points)),
    }


def _velma(walks: Walks, _: tuple[str, ...]) -> Scores:
    paths, routes = walks.paths.without_repeats(), walks.routes
    scores = path_scores(["TC", "SPD"], paths, routes, _nodes(walks.graph.hops, paths, routes))
    junction = walks.graph.degree > 2

    def key_points(places: list[int]) -> list[object]:
        """The program counts the first two places themselves, not the move between them."""
        moves = [(a, b) for a, b in pairwise(places) if junction[a]]
        return [*places[:2], *moves] if len(places) > 1 else []

    shares = []
    for path, route, right in zip(paths, routes, scores["TC"], strict=True):
        asked, done = key_points(route.tolist()), key_points(path.tolist())
        shares.append((len(set(asked) & set(done)) + int(right)) / (len(asked) + 1))
    return {**scores, "KPA": np.array(shares, np.float64)}


def _r4r(walks: Walks, fast: tuple[str, ...]) -> Scores:
    paths = walks.paths.without_repeats()
    metres = _nodes(walks.graph.metres, paths, walks.routes)
    return path_scores(["SR", "NE", "SPL", "CLS", "nDTW", "SDTW", *fast], paths, walks.routes, metres, 3.0)


def _vln_ce(walks: Walks, fast: tuple[str, ...]) -> Scores:
    paths, routes = walks.paths.without_repeats(), walks.routes.without_repeats()
    metres = _nodes(walks.graph.metres, paths, routes)
    left = path_scores(["NE"], paths, routes, metres)["NE"]
    success = (left < 3.0) & walks.stopped
    where = walks.graph.positions
    places, targets = Ragged(where[paths.points], paths.starts), Ragged(where[routes.points], routes.starts)
    names = ["nDTW", *(["nDTW-fast"] if fast else [])]
    scores = path_scores(names, places, targets, EUCLIDEAN, 3.0)
    scores |= {name.replace("nDTW", "SDTW"): success * values for name, values in scores.items()}
    return {"SR": success.astype(np.float64), "NE": left, **scores}


CONVENTIONS: dict[str, Convention] = {
    "paper": Convention(
        "paper",
        "the papers' own definitions (default)",
        "hops, d_th = 1",
        "TC is the goal or a neighbour; places without turns; exp(-DTW / (|R| d_th))",
        _paper,
    ),
    "ndtw-paper": Convention(
        "ndtw-paper",
        "Table 3 of the nDTW paper",
        "metres along the graph, d_th = 3",
        "SED edits moves (pairs of places); SR is at most 3 m",
        _ndtw_paper,
    ),
    "ciff": Convention(
        "ciff",
        "Touchdown's first program",
        "hops; NE in actions",
        "TC is the goal, or a panorama beside it that shows the bear; SED is the bare edit distance; NE counts turns",
        _ciff,
        headings=True,
    ),
    "valan": Convention(
        "valan",
        "VALAN",
        "hops",
        "places repeat on turns and on stopping; SED divides by both lengths multiplied; exp(-DTW / (2 |R|))",
        _valan,
        headings=True,
    ),
    "vln-transformer": Convention(
        "vln-transformer",
        "VLN-Transformer, map2seq_vln, FLAME",
        "hops",
        "SED may swap neighbours; exp(-DTW / (2 sqrt(|R|))); CLS without threshold, its lengths in places",
        _vln_transformer,
    ),
    "velma": Convention(
        "velma",
        "VELMA",
        "hops",
        "no path measure but KPA, which counts the first two places themselves instead of the first move",
        _velma,
    ),
    "r4r": Convention(
        "r4r",
        "R4R and later R2R programs",
        "metres along the graph, d_th = 3",
        "SR is at most 3 m; no SED",
        _r4r,
    ),
    "vln-ce": Convention(
        "vln-ce",
        "VLN-CE",
        "metres, straight for nDTW, d_th = 3",
        "SR is below 3 m, and stopped; nDTW is Euclidean, repeated positions dropped",
        _vln_ce,
    ),
}


def score(walks: Walks, convention: str = "paper", fastdtw: bool = False) -> Scores:
    """What a convention reports of each walk; with `fastdtw`, also its nDTW and SDTW in linear time, not exact."""
    if convention not in CONVENTIONS:
        raise unknown("convention", convention, CONVENTIONS)
    how, fast = CONVENTIONS[convention], FAST if fastdtw else ()
    if len(walks.graph) <= MAX_PLACES_IN_MEMORY or len(walks) <= CHUNK or how.in_hops:
        return how.score(walks, fast)
    parts = [how.score(walks.part(np.arange(k, min(k + CHUNK, len(walks)))), fast) for k in range(0, len(walks), CHUNK)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def compare(walks: Walks, names: Iterable[str] = CONVENTIONS) -> list[dict[str, str | float | None]]:
    """The mean scores of the same walks under each convention, a row each; None where it has no such score."""
    table = {name: {key: METRICS[key].mean(values) for key, values in score(walks, name).items()} for name in names}
    columns = [name for name in METRICS if any(name in scores for scores in table.values())]
    return [
        {"convention": name, "distance": CONVENTIONS[name].distance, **{column: row.get(column) for column in columns}}
        for name, row in table.items()
    ]


def as_text(rows: list[dict[str, str | float | None]]) -> str:
    """Rows of `compare` as a table of letters."""
    cells = [list(rows[0])] + [
        [f"{v:.3f}" if isinstance(v, float) else "-" if v is None else str(v) for v in row.values()] for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )

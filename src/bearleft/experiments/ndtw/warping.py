"""Drawing of dynamic time warping: two paths and the alignment of their points (Figure 1 of the nDTW paper)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from bearleft.errors import InputError
from bearleft.experiments.ndtw.study import THRESHOLD_EDGES, edge_lengths, environment, random_path
from bearleft.geometry import Floats
from bearleft.metrics.distances import EUCLIDEAN, Distance
from bearleft.metrics.dtw import dtw, ndtw, warping_path
from bearleft.world.graphs.graph import Graph
from bearleft.world.maps.frame import XY, MapExtent
from bearleft.world.maps.map import INK, REFERENCE, WALKED, draw_graph, paint, side_by_side
from bearleft.world.maps.shapes import Colour, Drawing, Words

DASH, GAP = 5.0, 4.0  # pixels
ALIGNMENT_COLOUR, WHITE = (120, 120, 120), (255, 255, 255)
CAPTION = "blue: reference, r1 to r|R|   orange: query, q1 to q|Q|   dashed: which points the optimal warping aligns"


def draw_warping(
    path: Any,
    reference: Any,
    distance: Distance,
    positions: npt.ArrayLike | None = None,
    title: str = "",
    size: int = 480,
    graph: Graph | None = None,
) -> Image.Image:
    """Draw a path, its reference, and dashed lines between the points that the optimal warping aligns.

    Args:
        path: Coordinates, or node numbers.
        reference: Coordinates, or node numbers.
        distance: Distance between two points of the paths.
        positions: Coordinates of the nodes, for paths of node numbers.
        title: Title on top.
        size: Pixels a side.
        graph: Graph whose links are drawn below.
    """
    query, target = _coordinates(path, positions, "path"), _coordinates(reference, positions, "reference")
    frame = MapExtent.around(
        np.concatenate([query, target]), 0.12 * float(np.ptp(target, axis=0).max()) + 0.5, size, size
    )
    drawing = Drawing(frame, title)
    pixel = 1.0 / frame.scale
    if graph is not None:
        draw_graph(drawing, graph, 1.2 * pixel)
    for i, j in warping_path(path, reference, distance):
        _draw_dashes(drawing, target[i], query[j], pixel)
    for points, colour in ((target, REFERENCE), (query, WALKED)):
        drawing.stroke("path", tuple(_spot(point) for point in points), colour, 3.0 * pixel)
        for point in points:
            drawing.disc("point", _spot(point), 4.5 * pixel, colour, WHITE, 1.2 * pixel)
    _label_ends(drawing, target, query, "r", REFERENCE, pixel)
    _label_ends(drawing, query, target, "q", WALKED, pixel)
    if title:
        at = frame.east, frame.north + frame.radius - 16 * pixel
        drawing.words(Words("title", at, title, 15 * pixel, INK, WHITE))
    return paint(drawing)


def _coordinates(path: Any, positions: npt.ArrayLike | None, field: str) -> Floats:
    points = np.asarray(path) if positions is None else np.asarray(positions, np.float64)[np.asarray(path)]
    if points.ndim != 2 or points.shape[1] < 2:
        hint = "Give `positions` for paths of node numbers."
        raise InputError("points of a plane", f"shape {points.shape}", field, hint=hint)
    coordinates: Floats = points[:, :2].astype(np.float64)
    return coordinates


def _spot(point: Floats) -> XY:
    return float(point[0]), float(point[1])


def _draw_dashes(drawing: Drawing, start: Floats, end: Floats, pixel: float) -> None:
    """Draw a dashed line; nothing between points that coincide."""
    length = float(np.linalg.norm(end - start))
    if length == 0:
        return
    along = (end - start) / length
    for begin in np.arange(0.0, length, (DASH + GAP) * pixel):
        stop = min(begin + DASH * pixel, length)
        drawing.stroke(
            "warping", (_spot(start + begin * along), _spot(start + stop * along)), ALIGNMENT_COLOUR, 1.3 * pixel
        )


def _label_ends(drawing: Drawing, points: Floats, other: Floats, letter: str, colour: Colour, pixel: float) -> None:
    """Label the first and the last point, on the side away from the other path."""
    for k, name in ((0, f"{letter}1"), (len(points) - 1, f"{letter}{len(points)}")):
        away = points[k] - other[np.linalg.norm(other - points[k], axis=1).argmin()]
        length = float(np.linalg.norm(away))
        away = away / length if length > 0 else np.array([0.0, 1.0 if letter == "r" else -1.0])
        at = points[k] + 15 * pixel * away
        drawing.words(Words("name", _spot(at), name, 15 * pixel, colour, WHITE))


def figure_1(size: int = 480) -> Image.Image:
    """Draw two pairs: paths through the study's environment, and free movement with paths of different density."""
    graph, path, reference = _graph_pair()
    metres, threshold = graph.metres.matrix(), THRESHOLD_EDGES * float(edge_lengths(graph).mean())
    on_graph = draw_warping(
        path, reference, metres, graph.positions, _title("graph", path, reference, metres, threshold), size, graph
    )
    query, target = _free_movement()
    title = _title("free movement", query, target, EUCLIDEAN, threshold)
    return side_by_side([on_graph, draw_warping(query, target, EUCLIDEAN, title=title, size=size)], 2, caption=CAPTION)


def _title(name: str, path: Any, reference: Any, distance: Distance, threshold: float) -> str:
    values = dtw(path, reference, distance), ndtw(path, reference, distance, threshold)
    return f"{name}: DTW {values[0]:.1f}, nDTW {values[1]:.2f}"


def _graph_pair(tries: int = 400) -> tuple[Graph, list[int], list[int]]:
    """Return the random path nearest to a reference among those that start next to it and share no node with it."""
    rng = np.random.default_rng(0)
    graph = environment(rng)
    reference = [graph.place_index(place) for place in random_path(graph, rng)]
    while len(set(reference)) < len(reference):
        reference = [graph.place_index(place) for place in random_path(graph, rng)]
    beside = np.setdiff1d(graph.target[graph.links(reference[0])], reference)
    drawn = [random_path(graph, rng, int(rng.choice(beside))) for _ in range(tries)]
    simple = [places for places in drawn if len(set(places)) == len(places)]
    paths = [path for places in simple if not set(path := [graph.place_index(p) for p in places]) & set(reference)]
    values = dtw.batch(paths, [reference] * len(paths), graph.metres.matrix())
    return graph, paths[int(values.argmin())], reference


def _free_movement() -> tuple[Floats, Floats]:
    """Return a curve of 17 points that lags behind at first, and one of 9 next to it."""
    along = np.linspace(0.0, 1.0, 9)
    hurried = np.linspace(0.0, 1.0, 17) ** 1.6

    def curve(at: Floats, aside: float) -> Floats:
        return np.column_stack([12 * at, 2.2 * np.sin(2 * np.pi * at) + aside])

    return curve(hurried, 1.5) + np.column_stack([np.zeros(17), 0.35 * np.sin(9 * hurried)]), curve(along, 0.0)

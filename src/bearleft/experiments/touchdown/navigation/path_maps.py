"""Street maps of one episode as SVG: the reference route, the path of each system, and the instruction below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np

from bearleft.world.city.plan import Plan
from bearleft.world.graphs.graph import Graph
from bearleft.world.maps.colours import INK, PAPER, ROUTES
from bearleft.world.maps.frame import XY, MapExtent
from bearleft.world.maps.map import Line, overhead_map, region
from bearleft.world.maps.overlay import RouteLine
from bearleft.world.maps.shapes import BASELINE, Colour, clean_text, words_length
from bearleft.world.maps.svg import FONT, hex_colour, svg

WIDTH, MAP_HEIGHT = 1200, 800  # pixels
MAP_MARGIN = 40.0  # metres around all paths
REFERENCE_WIDTH, PATH_WIDTH = 6.0, 4.5  # reference pixels
FIRST_SHIFT, NEXT_SHIFT = 9.5, 8.0  # reference pixels between the reference and the paths beside it
EDGE, LINE_HEIGHT = 24.0, 1.4  # pixels beside the text; of the letter size
CAPTION_SIZE, LEGEND_SIZE, TEXT_SIZE = 20.0, 17.0, 18.0  # pixels
SWATCH, LEGEND_GAP = 44.0, 32.0  # pixels of a line in the legend, and between its entries
REMARK = "Paths are of each system's first seed and are drawn side by side. A cross ends a path that is not completed."


@dataclass(frozen=True)
class SystemPath:
    """The path of one system in an episode.

    Attributes:
        system: Name of the system.
        places: Its places, the start first.
        colour: Its colour.
        completed: Whether the task is completed.
        distance: Links from its end to the goal.
    """

    system: str
    places: tuple[str, ...]
    colour: Colour
    completed: bool
    distance: int

    @property
    def name(self) -> str:
        """Return its entry in the legend."""
        if self.completed:
            return f"{self.system}: completed"
        return f"{self.system}: {self.distance} link{'' if self.distance == 1 else 's'} from the goal"


def path_map(
    world: Graph | Plan, reference: Sequence[str], paths: Sequence[SystemPath], caption: str, instruction: str
) -> str:
    """Return the SVG of a map of all paths, with a caption, a legend and the instruction below.

    Args:
        world: A city's plan, or a graph.
        reference: Places of the reference route.
        paths: The paths of the systems.
        caption: Which episode it is and how it was chosen.
        instruction: What the systems read.
    """
    graph = world.graph if isinstance(world, Plan) else world
    every = [Line(reference), *(Line(path.places) for path in paths)]
    frame = region(graph, every, MAP_MARGIN, WIDTH, MAP_HEIGHT)
    routes = [_route(graph, frame, path, k) for k, path in enumerate(paths)]
    drawing = overhead_map(world, frame, [Line(reference, ROUTES[0], REFERENCE_WIDTH)], unnamed=routes)
    drawing.title = caption
    below = _Text(MAP_HEIGHT + 12.0)
    below.paragraph("caption", caption, CAPTION_SIZE)
    below.legend(paths)
    below.paragraph("remark", REMARK, LEGEND_SIZE)
    below.y += 8.0
    below.paragraph("instruction", f"“{clean_text(instruction)}”", TEXT_SIZE)
    height = round(below.y + 16.0)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" font-family="{FONT}">'
    )
    paper = f'<rect class="page" width="{WIDTH}" height="{height}" fill="{hex_colour(PAPER)}"/>'
    lines = [head, f"<title>{escape(clean_text(caption))}</title>", paper, svg(drawing).strip(), *below.lines]
    return "\n".join([*lines, "</svg>\n"])


def _route(graph: Graph, frame: MapExtent, path: SystemPath, index: int) -> RouteLine:
    """Return a path, shifted across the streets so that all paths along a street are visible."""
    distance = (FIRST_SHIFT + NEXT_SHIFT * (index // 2)) * (-1 if index % 2 else 1) * frame.unit
    angle = np.radians(street_angle(graph, frame) + 45)
    places = graph.positions[[graph.place_index(place) for place in path.places], :2]
    points = places + distance * np.array([np.sin(angle), np.cos(angle)])
    at = tuple((float(x), float(y)) for x, y in points)
    return RouteLine(at, path.colour, PATH_WIDTH, path.name, starts=False, arrives=path.completed)


def street_angle(graph: Graph, frame: MapExtent) -> float:
    """Return the heading, from 0 to 90 degrees, that most links in a region follow or cross at right angles."""
    west, south, east, north = frame.box
    at = graph.positions[graph.source, :2]
    inside = ((at > (west, south)) & (at < (east, north))).all(axis=1)
    quadrupled = np.exp(4j * np.radians(graph.heading[inside]))
    return float(np.degrees(np.angle(quadrupled.sum())) / 4 % 90)


class _Text:
    """Lines of text and a legend below a map; `y` is where the next line begins."""

    def __init__(self, y: float) -> None:
        self.y, self.lines = y, list[str]()

    def paragraph(self, kind: str, text: str, size: float) -> None:
        """Add a text, wrapped at the edge."""
        for line in wrap(text, size, WIDTH - 2 * EDGE):
            self._words(kind, line, size, EDGE)
            self.y += LINE_HEIGHT * size

    def legend(self, paths: Sequence[SystemPath]) -> None:
        """Add an entry for the reference and for each path, as many in a line as fit."""
        entries = [("Reference route from start (ring) to goal (dot)", ROUTES[0], True, True)]
        entries += [(path.name, path.colour, False, path.completed) for path in paths]
        x = EDGE
        for k, (name, colour, starts, arrives) in enumerate(entries):
            width = SWATCH + 12 + words_length(name, LEGEND_SIZE)
            if k and x + width > WIDTH - EDGE:
                x, self.y = EDGE, self.y + LINE_HEIGHT * LEGEND_SIZE
            self._swatch(x, colour, starts, arrives)
            self._words("legend", name, LEGEND_SIZE, x + SWATCH + 12)
            x += width + LEGEND_GAP
        self.y += LINE_HEIGHT * LEGEND_SIZE

    def _words(self, kind: str, text: str, size: float, x: float) -> None:
        y = self.y + LINE_HEIGHT * size / 2 + BASELINE * size
        self.lines.append(
            f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{hex_colour(INK)}" '
            f'textLength="{words_length(text, size):.1f}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        )

    def _swatch(self, x: float, colour: Colour, starts: bool, arrives: bool) -> None:
        y, ink, radius = self.y + LINE_HEIGHT * LEGEND_SIZE / 2, hex_colour(colour), 6.0
        begin, end = (x + radius, y), (x + SWATCH - radius, y)
        width = REFERENCE_WIDTH if starts else PATH_WIDTH
        self.lines.append(f'<path class="swatch" d="{_line(begin, end)}" stroke="{ink}" stroke-width="{width:g}"/>')
        if starts:
            ring = f'fill="{hex_colour(PAPER)}" stroke="{ink}" stroke-width="3"'
            self.lines.append(f'<circle class="swatch" cx="{begin[0]:.1f}" cy="{y:.1f}" r="{radius:g}" {ring}/>')
        if arrives:
            self.lines.append(
                f'<circle class="swatch" cx="{end[0]:.1f}" cy="{y:.1f}" r="{radius + 0.5:g}" fill="{ink}"/>'
            )
            return
        arms = [((end[0] - radius, y - side * radius), (end[0] + radius, y + side * radius)) for side in (-1, 1)]
        cross = " ".join(_line(*arm) for arm in arms)
        self.lines.append(
            f'<path class="swatch" d="{cross}" stroke="{ink}" stroke-width="{PATH_WIDTH:g}" stroke-linecap="round"/>'
        )


def _line(begin: XY, end: XY) -> str:
    return f"M{begin[0]:.1f},{begin[1]:.1f}L{end[0]:.1f},{end[1]:.1f}"


def wrap(text: str, size: float, width: float) -> Iterator[str]:
    """Yield the lines of a text that is wrapped at a width; a word that is longer has a line of its own."""
    line = ""
    for word in clean_text(text).split():
        longer = f"{line} {word}" if line else word
        if line and words_length(longer, size) > width:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield line

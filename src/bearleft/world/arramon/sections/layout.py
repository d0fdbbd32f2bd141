"""Layout of the seven sections: grids of three by three streets, each with different segments omitted.

A section has a frame of its own: millimetres ahead (along GRID_HEADING) and to the right of its centre. A rectangle in
this frame is (min ahead, max ahead, min right, max right).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from bearleft.world.city.plan import DIRECTION_SCALE, check_seed
from bearleft.world.city.randomness import Stage
from bearleft.world.rooms.room_random import SeededRandom

SECTIONS = 7  # one for each entry of OMITTED_SEGMENTS
SECTION_SPACING = 200_000  # millimetres between the centres of adjacent sections
SECTIONS_PER_ROW = 4
AHEAD, RIGHT = (
    (481_650, 876_363),
    (876_363, -481_650),
)  # unit vectors times DIRECTION_SCALE: along GRID_HEADING, and to its right
DIRECTIONS = (AHEAD, RIGHT, (-AHEAD[0], -AHEAD[1]), (-RIGHT[0], -RIGHT[1]))
STREETS_PER_AXIS = 3

Node = tuple[int, int]  # index of the street across, index of the street ahead
Segment = tuple[Node, Node]
Rectangle = tuple[int, int, int, int]

# Omitted segments of the grid, one pattern per section; patterns are transposed and mirrored at random.
OMITTED_SEGMENTS: tuple[tuple[Segment, ...], ...] = (
    (),
    (((1, 0), (1, 1)),),
    (((0, 1), (1, 1)), ((2, 0), (2, 1))),
    (((2, 1), (2, 2)), ((1, 2), (2, 2))),
    (((0, 0), (0, 1)),),
    (((1, 1), (2, 1)), ((1, 1), (1, 2))),
    (((0, 0), (1, 0)), ((1, 2), (2, 2))),
)


@dataclass(frozen=True)
class Layout:
    """One section: its centre, the positions of its streets, and widths, all in millimetres."""

    number: int  # from 1
    x: int
    y: int
    ahead: tuple[int, ...]  # positions of the streets across
    right: tuple[int, ...]  # positions of the streets ahead
    half_road_width: int
    sidewalk_width: int
    house_depth: int  # of the houses around the section
    omitted: frozenset[Segment]

    @property
    def half_street_width(self) -> int:
        """Distance from the middle of a street to the houses."""
        return self.half_road_width + self.sidewalk_width

    @property
    def inner(self) -> Rectangle:
        """Rectangle between the houses around the section."""
        return (
            self.ahead[0] - self.half_street_width,
            self.ahead[-1] + self.half_street_width,
            self.right[0] - self.half_street_width,
            self.right[-1] + self.half_street_width,
        )

    @property
    def outer(self) -> Rectangle:
        """Rectangle that includes the houses around the section."""
        low, high, left, right = self.inner
        return low - self.house_depth, high + self.house_depth, left - self.house_depth, right + self.house_depth

    def to_world(self, ahead: int, right: int) -> tuple[int, int]:
        """Return the position in the world of a point in the section's frame."""
        x = self.x + (ahead * AHEAD[0] + right * RIGHT[0]) // DIRECTION_SCALE
        return x, self.y + (ahead * AHEAD[1] + right * RIGHT[1]) // DIRECTION_SCALE

    def node_position(self, node: Node) -> tuple[int, int]:
        """Return the position of a node in the section's frame."""
        return self.ahead[node[0]], self.right[node[1]]

    def segments(self, omitted: bool = False) -> Iterator[Segment]:
        """Yield the street segments, or the omitted ones."""
        for start in ((i, j) for i in range(STREETS_PER_AXIS) for j in range(STREETS_PER_AXIS)):
            for end in ((start[0] + 1, start[1]), (start[0], start[1] + 1)):
                if max(end) < STREETS_PER_AXIS and ((start, end) in self.omitted) == omitted:
                    yield start, end

    def nodes(self) -> list[Node]:
        """Return the ends of all segments, once each."""
        return sorted({node for segment in self.segments() for node in segment})

    def arms(self, node: Node) -> list[int]:
        """Return the directions in which streets leave a node, as indices into DIRECTIONS."""
        directions = []
        for start, end in self.segments():
            if node in (start, end):
                along = 0 if start[1] == end[1] else 1
                directions.append(along if node == start else along + 2)
        return sorted(directions)

    def bounds(self) -> tuple[float, float, float, float]:
        """Return west, south, east and north in metres."""
        low, high, left, right = self.outer
        corners = [self.to_world(ahead, aside) for ahead in (low, high) for aside in (left, right)]
        xs, ys = zip(*corners, strict=True)
        return min(xs) / 1000, min(ys) / 1000, max(xs) / 1000, max(ys) / 1000


@lru_cache(maxsize=16)
def section_layouts(seed: int) -> tuple[Layout, ...]:
    """Return the layouts of the sections of a world."""
    patterns = SeededRandom(check_seed(seed), 0, Stage.SECTIONS).shuffled(OMITTED_SEGMENTS)
    return tuple(_layout(SeededRandom(seed, k, Stage.SECTIONS), k, pattern) for k, pattern in enumerate(patterns, 1))


def _layout(rng: SeededRandom, number: int, pattern: tuple[Segment, ...]) -> Layout:
    x = ((number - 1) % SECTIONS_PER_ROW * 2 - SECTIONS_PER_ROW + 1) * SECTION_SPACING // 2
    y = (SECTION_SPACING // 2) * (1 if number <= SECTIONS_PER_ROW else -1)
    lines = []
    for _ in range(2):
        first, second = rng.randint(205, 250) * 100, rng.randint(205, 250) * 100
        lines.append((-(first + second) // 2, first - (first + second) // 2, (first + second + 1) // 2))
    half_road_width, sidewalk_width, house_depth = (
        rng.randint(24, 29) * 100,
        rng.randint(20, 25) * 100,
        rng.randint(70, 82) * 100,
    )
    transform = [rng.chance(500) for _ in range(3)]
    return Layout(
        number,
        x,
        y,
        lines[0],
        lines[1],
        half_road_width,
        sidewalk_width,
        house_depth,
        frozenset(_transformed(segment, *transform) for segment in pattern),
    )


def _transformed(segment: Segment, swap: bool, flip_ahead: bool, flip_right: bool) -> Segment:
    ends = []
    for i, j in segment:
        one, other = (j, i) if swap else (i, j)
        ends.append(
            (STREETS_PER_AXIS - 1 - one if flip_ahead else one, STREETS_PER_AXIS - 1 - other if flip_right else other)
        )
    one_end, other_end = sorted(ends)
    return one_end, other_end

"""Where the seven sections lie and how their streets run: a grid of three by three, each with other pieces left out.

A section has a frame of its own, millimetres ahead (along GRID) and to the right of its middle. A rectangle there is
(from ahead, to ahead, from right, to right).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from bearleft.world.city.plan import UNIT, check_seed
from bearleft.world.city.randomness import Stage
from bearleft.world.rooms.room_random import SeededRandom

SECTIONS = 7  # one for each of PATTERNS
SECTION_SPACING = 200_000  # from the middle of one section to that of the next
SECTIONS_PER_ROW = 4  # sections side by side
AHEAD, RIGHT = (481_650, 876_363), (876_363, -481_650)  # along GRID, and to the right of it
DIRECTIONS = (AHEAD, RIGHT, (-AHEAD[0], -AHEAD[1]), (-RIGHT[0], -RIGHT[1]))
STREETS_PER_AXIS = 3  # streets in either direction

Node = tuple[int, int]  # the how-manieth line across, the how-manieth line ahead
Segment = tuple[Node, Node]
Rectangle = tuple[int, int, int, int]

# Pieces of the grid that are left out, a pattern for each section; turned and mirrored by chance.
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
    """One section: its middle, where its streets lie, and how wide they and what is around them are."""

    number: int
    x: int
    y: int
    ahead: tuple[int, ...]  # where the streets across lie
    right: tuple[int, ...]  # where the streets ahead lie
    half: int  # of a carriageway
    walk: int
    deep: int  # the houses around the section
    left_out: frozenset[Segment]

    @property
    def wide(self) -> int:
        """From the middle of a street to the houses."""
        return self.half + self.walk

    @property
    def inner(self) -> Rectangle:
        """All between the houses around the section."""
        return (
            self.ahead[0] - self.wide,
            self.ahead[-1] + self.wide,
            self.right[0] - self.wide,
            self.right[-1] + self.wide,
        )

    @property
    def outer(self) -> Rectangle:
        """The houses around it included."""
        low, high, left, right = self.inner
        return low - self.deep, high + self.deep, left - self.deep, right + self.deep

    def at(self, ahead: int, right: int) -> tuple[int, int]:
        """A point of the section's frame in the world."""
        x = self.x + (ahead * AHEAD[0] + right * RIGHT[0]) // UNIT
        return x, self.y + (ahead * AHEAD[1] + right * RIGHT[1]) // UNIT

    def node(self, node: Node) -> tuple[int, int]:
        """Where a node is, in the section's frame."""
        return self.ahead[node[0]], self.right[node[1]]

    def pieces(self, there: bool = True) -> Iterator[Segment]:
        """The pieces of street, or those that are left out."""
        for one in ((i, j) for i in range(STREETS_PER_AXIS) for j in range(STREETS_PER_AXIS)):
            for other in ((one[0] + 1, one[1]), (one[0], one[1] + 1)):
                if max(other) < STREETS_PER_AXIS and ((one, other) not in self.left_out) == there:
                    yield one, other

    def nodes(self) -> list[Node]:
        """The ends of its pieces, once each."""
        return sorted({node for piece in self.pieces() for node in piece})

    def arms(self, node: Node) -> list[int]:
        """The ways in which streets leave a node, numbers into WAYS."""
        found = []
        for one, other in self.pieces():
            if node in (one, other):
                along = 0 if one[1] == other[1] else 1
                found.append(along if node == one else along + 2)
        return sorted(found)

    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east and north in metres."""
        low, high, left, right = self.outer
        corners = [self.at(ahead, aside) for ahead in (low, high) for aside in (left, right)]
        xs, ys = zip(*corners, strict=True)
        return min(xs) / 1000, min(ys) / 1000, max(xs) / 1000, max(ys) / 1000


@lru_cache(maxsize=16)
def section_layouts(seed: int) -> tuple[Layout, ...]:
    """The sections of a world."""
    patterns = SeededRandom(check_seed(seed), 0, Stage.SECTIONS).shuffled(OMITTED_SEGMENTS)
    return tuple(_layout(SeededRandom(seed, k, Stage.SECTIONS), k, pattern) for k, pattern in enumerate(patterns, 1))


def _layout(rng: SeededRandom, number: int, pattern: tuple[Segment, ...]) -> Layout:
    x = ((number - 1) % SECTIONS_PER_ROW * 2 - SECTIONS_PER_ROW + 1) * SECTION_SPACING // 2
    y = (SECTION_SPACING // 2) * (1 if number <= SECTIONS_PER_ROW else -1)
    lines = []
    for _ in range(2):
        first, second = rng.randint(205, 250) * 100, rng.randint(205, 250) * 100
        lines.append((-(first + second) // 2, first - (first + second) // 2, (first + second + 1) // 2))
    half, walk, deep = rng.randint(24, 29) * 100, rng.randint(20, 25) * 100, rng.randint(70, 82) * 100
    turned = [rng.chance(500) for _ in range(3)]
    return Layout(
        number, x, y, lines[0], lines[1], half, walk, deep, frozenset(_transformed(piece, *turned) for piece in pattern)
    )


def _transformed(piece: Segment, swap: bool, up: bool, aside: bool) -> Segment:
    ends = []
    for i, j in piece:
        one, other = (j, i) if swap else (i, j)
        ends.append((STREETS_PER_AXIS - 1 - one if up else one, STREETS_PER_AXIS - 1 - other if aside else other))
    one_end, other_end = sorted(ends)
    return one_end, other_end

"""Scenes: solids, ground and lamps as the flat arrays that kernels read.

A solid is a box, cylinder or other simple shape. An item is a group of solids of one instance under one bounding box;
it is not a collectible of ArraMon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.runtime.compiled import jit
from bearleft.world.render.font import FONT, encode_texts

f4, i4, u4 = np.float32, np.int32, np.uint32
Rows = npt.NDArray[np.void]
Floats32 = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]
UInts = npt.NDArray[np.uint32]  # unsigned, so that compiled code does not check for negative indices
Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

CELL, ROOM_CELL = 6.0, 1.5  # metres: cells of the grid that rays traverse, for streets and rooms
LAMP_REACH = 22.0  # metres that a lamp lights at night
LARGE_HALF, ROOM_LARGE_HALF = 2.5, 1.2  # metres: a solid with a larger half size is an item of its own; streets, rooms
MARGIN = 60.0  # metres of empty ground around everything
BALL_SLACK = 0.01  # metres added to bounding balls, against the rounding of distant rays

# A solid is placed by `centre + matrix @ unit`; `size` are its half sizes in metres, for patterns. `kind` is
# its shape, a code of `codes.SolidShape` (`shape` are parameters of it); `second` is its second colour.
SOLID = np.dtype(
    [
        ("kind", "u1"),
        ("material", "u1"),
        ("part", "u1"),
        ("instance", "i4"),
        ("centre", "f4", 3),
        ("matrix", "f4", (3, 3)),
        ("size", "f4", 3),
        ("shape", "f4", 4),
        ("colour", "u1", 3),
        ("second", "u1", 3),
        ("pattern", "f4", 4),
        ("text", "i4"),
    ]
)


class Arrays(NamedTuple):
    """The arrays that kernels read. `solid` is one cache line: inverse matrix (9), centre (3), shape (4)."""

    grid: Floats32  # west edge, south edge, side of a cell, cells across, cells along, height above which nothing is
    top: Floats32  # per cell, the height of what is in it: of all items, of the large, of the small
    cell_first: UInts  # per cell, its first item: the large ones, then the small ones, each from the ground up
    cell_small: UInts  # per cell, its first small item
    cell_item: UInts
    box: Floats32  # per item of a cell, its bound once more, so that it is read in one go
    bound: Floats32  # per item: low x, y, z, high x, y, z
    item_first: UInts  # per item, its first solid
    solid: Floats32
    kind: Bytes  # per solid: its shape, a code of codes.SolidShape
    paint: Floats32  # per solid: colour (3), second colour (3), half sizes (3), pattern (4)
    mark: Ints  # ids of each solid, in columns: 0 material, 1 part, 2 instance, 3 text
    class_of: Bytes  # per instance: its class code
    text: Bytes  # per text: how many letters, then letters
    font: npt.NDArray[np.int64]
    road_first: UInts
    road_item: UInts
    road: Floats32
    area_first: UInts
    area_item: UInts
    area: Floats32
    lamp_first: UInts
    lamp_item: UInts
    lamp: Floats32
    ball: Floats32 = np.zeros((0, 4), f4)  # per template: the middle and the radius of a ball around it
    template_class: Bytes = np.zeros(0, np.uint8)


@dataclass(frozen=True, eq=False)
class Scene:
    """A scene: kernel arrays, and the solids they were made of. Built by `Scene.make`."""

    arrays: Arrays
    solids: Rows
    indoors: bool = False

    @classmethod
    def make(
        cls,
        solids: Rows,
        class_of: npt.ArrayLike,
        roads: Rows | None = None,
        areas: Rows | None = None,
        texts: Sequence[str] = (),
        lamps: npt.ArrayLike = (),
        indoors: bool = False,
        templates: Sequence[Rows] = (),
        template_classes: Sequence[int] = (),
    ) -> Scene:
        """Build a scene.

        Args:
            solids: rows of SOLID, in any order.
            class_of: the class of each instance.
            roads: roads as in a plan.
            areas: areas as in a plan.
            texts: texts of signs.
            lamps: positions (n, 3) in metres.
            indoors: whether these are rooms, lit from their ceilings.
            templates: solids of objects around the origin, placed per camera by `DynamicObjects`.
            template_classes: the class of each template.
        """
        if not len(solids):
            raise InputError("a scene with at least one solid", "none")
        solids, item_first, large, low, high = _group_items(solids, ROOM_LARGE_HALF if indoors else LARGE_HALF)
        light = np.asarray(lamps, f4).reshape(-1, 3)
        road, road_reach = _roads(roads)
        area, area_reach = _areas(areas)
        ground = [reach for reach in (road_reach, area_reach) if len(reach)]
        corners = np.concatenate([np.column_stack([low, high])[:, [0, 1, 3, 4]], *ground])
        side = ROOM_CELL if indoors else CELL
        west, south = corners[:, :2].min(axis=0) - MARGIN
        across, along = np.ceil((corners[:, 2:].max(axis=0) + MARGIN - (west, south)) / side).astype(int)
        frame = np.array([west, south, side, across, along])
        cell_first, cell_item = _sort_into_cells(frame, np.column_stack([low[:, :2], high[:, :2]]))
        cell_small, cell_item, top = _order_by_height(cell_first, cell_item, large, low, high)
        road_first, road_item = _sort_into_cells(frame, road_reach)
        area_first, area_item = _sort_into_cells(frame, area_reach)
        lamp_first, lamp_item = _sort_into_cells(
            frame, np.column_stack([light[:, :2] - LAMP_REACH, light[:, :2] + LAMP_REACH])
        )
        arrays = Arrays(
            np.append(frame, high[:, 2].max() + 1.0).astype(f4), top, cell_first, cell_small, cell_item,
            np.column_stack([low, high])[cell_item].astype(f4),
            np.column_stack([low, high]).astype(f4), item_first,
            _inverse_maps(solids), np.ascontiguousarray(solids["kind"]), _paint_rows(solids), _mark_rows(solids),
            np.asarray(class_of, np.uint8), encode_texts(texts), FONT,
            road_first, road_item, road, area_first, area_item, area, lamp_first, lamp_item, light,
        )  # fmt: skip
        return cls(_with_templates(arrays, templates, template_classes), solids, indoors)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Return the west, south, east and north edge in metres."""
        west, south, side, across, along, _ = (float(x) for x in self.arrays.grid)
        return west, south, west + across * side, south + along * side

    @property
    def dynamic_base(self) -> int:
        """Return the instance number of a camera's first dynamic object."""
        return len(self.arrays.class_of)

    @property
    def templates(self) -> int:
        """Return the number of templates."""
        return len(self.arrays.ball)


def _group_items(solids: Rows, max_half: float) -> tuple[Rows, UInts, Flags, Floats32, Floats32]:
    """Sort solids by instance and group them: the first solid of each item, whether it is large, and its box."""
    reach = np.abs(solids["matrix"]).sum(axis=2)  # of boxes; round solids reach less
    large = reach.max(axis=1) > max_half
    order = np.lexsort((np.arange(len(solids)), ~large, solids["instance"]))
    solids, reach, large = solids[order], reach[order], large[order]
    new = np.ones(len(solids), bool)
    new[1:] = (solids["instance"][1:] != solids["instance"][:-1]) | large[1:] | large[:-1]
    first = np.flatnonzero(new)
    low = np.minimum.reduceat(solids["centre"] - reach, first, axis=0)
    high = np.maximum.reduceat(solids["centre"] + reach, first, axis=0)
    return solids, np.append(first, len(solids)).astype(u4), large[first], low, high


def _order_by_height(
    cell_first: UInts, cell_item: UInts, large: Flags, low: Floats32, high: Floats32
) -> tuple[UInts, UInts, Floats32]:
    """Order each cell's items: large ones first, from the ground up; return where small ones begin, and heights."""
    cell = np.repeat(np.arange(len(cell_first) - 1), np.diff(cell_first))
    cell_item = cell_item[np.lexsort((low[cell_item, 2], ~large[cell_item], cell))]
    is_large = large[cell_item]
    small = cell_first[:-1] + np.bincount(cell[is_large], minlength=len(cell_first) - 1).astype(u4)
    top = np.full((len(small), 3), -1, f4)
    for column, selected in enumerate((is_large | True, is_large, ~is_large)):
        np.maximum.at(top[:, column], cell[selected], high[cell_item[selected], 2])
    return small, cell_item, top


def _inverse_maps(solids: Rows) -> Floats32:
    inverse = np.linalg.inv(solids["matrix"].astype(float)).astype(f4)
    return np.ascontiguousarray(np.column_stack([inverse.reshape(-1, 9), solids["centre"], solids["shape"]]), f4)


def _paint_rows(solids: Rows) -> Floats32:
    """Convert colours to linear light: the square of their share of 255, close to sRGB."""
    light = [(solids[name] / 255.0) ** 2 for name in ("colour", "second")]
    return np.ascontiguousarray(np.column_stack([*light, solids["size"], solids["pattern"]]), f4)


def _mark_rows(solids: Rows) -> Ints:
    return np.column_stack([solids[name].astype(i4) for name in ("material", "part", "instance", "text")])


def _with_templates(a: Arrays, templates: Sequence[Rows], classes: Sequence[int]) -> Arrays:
    """Append templates, each a small item in a cell of its own outside the grid."""
    if len(templates) != len(classes):
        raise InputError("a class for each template", f"{len(classes)} for {len(templates)}", "template_classes")
    if not templates:
        return a
    for number, rows in enumerate(templates):
        if not len(rows):
            raise InputError("templates with at least one solid", "none", f"templates[{number}]")
    if min(classes) < 0 or max(classes) > 255:
        raise InputError("classes from 0 to 255", f"{min(classes)} to {max(classes)}", "template_classes")
    count, sizes = len(templates), [len(rows) for rows in templates]
    solids = np.concatenate(templates)
    solids["instance"] = len(a.class_of) + np.repeat(np.arange(count), sizes)  # behind every instance of the scene
    reach = np.abs(solids["matrix"]).sum(axis=2)
    first = np.cumsum([0, *sizes])
    low = np.minimum.reduceat(solids["centre"] - reach, first[:-1], axis=0)
    high = np.maximum.reduceat(solids["centre"] + reach, first[:-1], axis=0)
    bound, index = np.column_stack([low, high]).astype(f4), np.arange(count)
    top = np.column_stack([high[:, 2], np.full(count, -1), high[:, 2]]).astype(f4)
    radius = np.linalg.norm(high - low, axis=1) / 2 + BALL_SLACK
    return a._replace(
        top=np.concatenate([a.top, top]),
        cell_first=np.append(a.cell_first, (a.cell_first[-1] + 1 + index).astype(u4)),
        cell_small=np.append(a.cell_small, (a.cell_first[-1] + index).astype(u4)),
        cell_item=np.append(a.cell_item, (len(a.bound) + index).astype(u4)),
        box=np.concatenate([a.box, bound]),
        bound=np.concatenate([a.bound, bound]),
        item_first=np.append(a.item_first, (a.item_first[-1] + first[1:]).astype(u4)),
        solid=np.concatenate([a.solid, _inverse_maps(solids)]),
        kind=np.append(a.kind, solids["kind"]),
        paint=np.concatenate([a.paint, _paint_rows(solids)]),
        mark=np.concatenate([a.mark, _mark_rows(solids)]),
        ball=np.column_stack([(low + high) / 2, radius]).astype(f4),
        template_class=np.asarray(classes, np.uint8),
    )


def _roads(roads: Rows | None) -> tuple[Floats32, Floats32]:
    """Return rows of roads, and boxes.

    Columns: x, y, direction (2), length, half, walk, along, trims (2), zebra, lanes, flow, parking, street, median.
    """
    if roads is None or not len(roads):
        return np.zeros((0, 16), f4), np.zeros((0, 4), f4)
    begin = np.column_stack([roads["x0"], roads["y0"]]) / 1000.0
    end = np.column_stack([roads["x1"], roads["y1"]]) / 1000.0
    length = np.hypot(*(end - begin).T)
    ahead = (end - begin) / np.maximum(length, 1e-9)[:, None]
    ahead[length == 0] = (0.0, 1.0)
    sizes = [roads[name] / 1000.0 for name in ("half", "walk", "along", "trim0", "trim1")]
    rest = [roads[name].astype(float) for name in ("zebra", "lanes", "flow", "parking", "street", "median")]
    rows = np.column_stack([begin, ahead, length, *sizes, *rest]).astype(f4)
    reach = (sizes[0] + sizes[1])[:, None]
    return rows, np.column_stack([np.minimum(begin, end) - reach, np.maximum(begin, end) + reach]).astype(f4)


def _areas(areas: Rows | None) -> tuple[Floats32, Floats32]:
    """Return x, y, direction (2), half sizes (2), ground; and boxes."""
    if areas is None or not len(areas):
        return np.zeros((0, 7), f4), np.zeros((0, 4), f4)
    at = np.column_stack([areas["x"], areas["y"]]) / 1000.0
    ahead = np.column_stack([areas["ux"], areas["uy"]]) / 1e6
    half = np.column_stack([areas["hx"], areas["hy"]]) / 1000.0
    rows = np.column_stack([at, ahead, half, areas["ground"]]).astype(f4)
    across = np.abs(np.column_stack([ahead[:, 1], -ahead[:, 0]])) * half[:, :1] + np.abs(ahead) * half[:, 1:]
    return rows, np.column_stack([at - across, at + across]).astype(f4)


def _sort_into_cells(frame: npt.NDArray[np.float64], boxes: npt.NDArray[np.floating]) -> tuple[UInts, UInts]:
    """Return which boxes (west, south, east, north) lie in each cell: offsets and numbers."""
    across, along = int(frame[3]), int(frame[4])
    counts = np.zeros(across * along + 1, u4)
    flat = np.ascontiguousarray(boxes, float).reshape(-1, 4)
    _fill_cells(frame, flat, counts, np.zeros(0, u4), True)
    first = np.cumsum(counts, dtype=u4)
    members = np.zeros(int(first[-1]), u4)
    _fill_cells(frame, flat, first[:-1].copy(), members, False)
    return first, members


@jit
def _fill_cells(
    frame: npt.NDArray[np.float64], boxes: npt.NDArray[np.float64], counts: UInts, members: UInts, counting: bool
) -> None:
    west, south, side = frame[0], frame[1], frame[2]
    across, along = int(frame[3]), int(frame[4])
    for k in range(len(boxes)):
        for gx in range(
            max(int((boxes[k, 0] - west) / side), 0), min(int((boxes[k, 2] - west) / side), across - 1) + 1
        ):
            for gy in range(
                max(int((boxes[k, 1] - south) / side), 0), min(int((boxes[k, 3] - south) / side), along - 1) + 1
            ):
                cell = gx * along + gy
                if counting:
                    counts[cell + 1] += 1
                else:
                    members[counts[cell]] = k
                    counts[cell] += 1

"""Compiled kernels that count what a panorama shows; see `table` for the columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.runtime.compiled import jit
from bearleft.world.render.codes import Ground, Material
from bearleft.world.render.materials import surface_paint
from bearleft.world.render.raycast import MIN_DISTANCE, SLACK, hit_solid, inverse, local_normal, to_local
from bearleft.world.render.scene import Arrays
from bearleft.world.render.shading import MAX_DISTANCE

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats32 = npt.NDArray[np.float32]
f4 = np.float32

RAYS = 1024  # cast at one object to estimate how much of it is hidden
WINDOW, FACADE = int(Ground.WINDOW), int(Material.FACADE)
HASH_MULTIPLIER = 0x9E3779B97F4A7C15 - (1 << 64)


@jit
def _find_slot(keys: Longs, key: np.int64) -> np.int64:
    """Return the slot of a key in an open-addressing hash table, or its free slot."""
    last = len(keys) - 1
    at = ((key * HASH_MULTIPLIER) >> 20) & last
    while keys[at] != key and keys[at] != -1:
        at = (at + 1) & last
    return at


@jit
def _weighted_median(a: Floats32, w: Floats32, begin: int, end: int) -> np.float32:
    """Return the weighted median of a[begin:end]; reorders a and w."""
    total = 0.0
    for k in range(begin, end):
        total += w[k]
    low, high, below, half = begin, end - 1, 0.0, total / 2
    while low < high:
        pivot = a[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                w[i], w[j] = w[j], w[i]
                i += 1
                j -= 1
        left, middle = 0.0, 0.0
        for k in range(low, j + 1):
            left += w[k]
        for k in range(j + 1, i):
            middle += w[k]
        if below + left >= half:
            high = j
        elif below + left + middle >= half:
            low = high = j + 1
        else:
            below += left + middle
            low = i
    middle_one: np.float32 = a[min(low, end - 1)]
    return middle_one


@jit
def _covering_arc(columns: Longs, width: int) -> tuple[int, int]:
    """Return the first column and the number of columns of the shortest arc that covers a set of columns (bits)."""
    longest, begin, gap, start = 0, 0, 0, -1
    for k in range(width):  # any column of the set, to start from
        if (columns[k >> 6] >> (k & 63)) & 1:
            start = k
            break
    for k in range(start + 1, start + width + 1):
        at = k % width
        if (columns[at >> 6] >> (at & 63)) & 1:
            if gap > longest:
                longest, begin = gap, at
            gap = 0
        else:
            gap += 1
    if longest == 0:
        return 0, width
    return begin, width - longest


@jit
def _hit_items(
    s: Arrays,
    first: int,
    last: int,
    ox: np.float32,
    oy: np.float32,
    oz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
) -> tuple[np.float32, np.int64]:
    """Return where a ray hits items first to last, and which of their solids; -1 for none."""
    best, found = MAX_DISTANCE, np.int64(-1)
    ix, iy, iz = inverse(dx), inverse(dy), inverse(dz)
    for item in range(first, last):
        a, b = (s.bound[item, 0] - ox) * ix, (s.bound[item, 3] - ox) * ix
        t_in, t_out = min(a, b), max(a, b)
        a, b = (s.bound[item, 1] - oy) * iy, (s.bound[item, 4] - oy) * iy
        t_in, t_out = max(t_in, min(a, b)), min(t_out, max(a, b))
        a, b = (s.bound[item, 2] - oz) * iz, (s.bound[item, 5] - oz) * iz
        t_in, t_out = max(t_in, min(a, b)), min(t_out, max(a, b))
        if t_in > t_out + SLACK or t_out < f4(0) or t_in > best:
            continue
        for i in range(s.item_first[item], s.item_first[item + 1]):
            t = hit_solid(s.solid, s.kind[i], i, ox, oy, oz, dx, dy, dz)
            if t > MIN_DISTANCE and t < best:
                best, found = t, np.int64(i)
    return best, found


@jit
def _angular_bounds(
    s: Arrays, first: int, last: int, ox: float, oy: float, oz: float
) -> tuple[float, float, float, float]:
    """Return centre and half width of the headings, and lowest and highest pitch of items, in radians."""
    x0, y0, z0, x1, y1, z1 = 1e9, 1e9, 1e9, -1e9, -1e9, -1e9
    for item in range(first, last):
        x0, y0, z0 = min(x0, s.bound[item, 0]), min(y0, s.bound[item, 1]), min(z0, s.bound[item, 2])
        x1, y1, z1 = max(x1, s.bound[item, 3]), max(y1, s.bound[item, 4]), max(z1, s.bound[item, 5])
    x0, y0, z0, x1, y1, z1 = x0 - ox, y0 - oy, z0 - oz, x1 - ox, y1 - oy, z1 - oz
    near_x, near_y = max(x0, -x1, 0.0), max(y0, -y1, 0.0)
    near = math.sqrt(near_x * near_x + near_y * near_y)
    far_x, far_y = max(abs(x0), abs(x1)), max(abs(y0), abs(y1))
    far = math.sqrt(far_x * far_x + far_y * far_y)
    top = math.atan2(z1, near if z1 > 0 else far)
    bottom = math.atan2(z0, far if z0 > 0 else near)
    if near == 0.0:
        return 0.0, math.pi, bottom, top
    middle = math.atan2((x0 + x1) / 2, (y0 + y1) / 2)
    half = 0.0
    for x, y in ((x0, y0), (x0, y1), (x1, y0), (x1, y1)):
        off = math.atan2(x, y) - middle
        half = max(half, abs(off - 2 * math.pi * math.floor(off / (2 * math.pi) + 0.5)))
    return middle, half, bottom, top


@jit
def _part_at(
    s: Arrays,
    i: int,
    t: np.float32,
    ox: np.float32,
    oy: np.float32,
    oz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
    windows: bool,
) -> tuple[int, int]:
    """Return part and class of what a ray hits on solid i: a wall may have a window there."""
    part, kind = int(s.mark[i, 1]), 0
    if s.mark[i, 0] == FACADE:
        m = s.solid
        x, y, z = to_local(m, i, ox + t * dx - m[i, 9], oy + t * dy - m[i, 10], oz + t * dz - m[i, 11])
        u, v, _ = local_normal(m, s.kind[i], i, x, y, z)
        _, _, _, _, sub, kind = surface_paint(s, i, x, y, z, u, v, f4(0.01), f4(0), f4(0))
        if windows:
            part = part | int(sub) << 8
    return part, int(kind)


@jit
def count_panorama(
    s: Arrays,
    first_item: Ints,
    pose: Floats32,
    instance: Ints,
    part: Ints,
    kind: npt.NDArray[np.uint8],
    depth: Floats32,
    windows: bool,
    min_share: float,
) -> tuple[Longs, Floats32]:
    """Return instance, part and class of every row, and the values of VISIBLE_OBJECT."""
    height, width = depth.shape
    size, mask = 1024, 0xFFFFFF if windows else 0xFF
    while size < 2 * height * width:
        size *= 2
    table, slot_at = np.full(size, -1, np.int64), np.zeros(size, np.int32)
    slot = np.zeros(height * width, np.int32)
    keys, count = np.zeros(height * width, np.int64), 0
    before, mine = np.int64(-1), 0
    for row in range(height):
        for column in range(width):
            key = (np.int64(instance[row, column]) + 1) << 32 | np.int64(part[row, column] & mask) << 8
            key = key | np.int64(kind[row, column])
            if key != before:
                at = _find_slot(table, key)
                if table[at] == -1:
                    table[at], slot_at[at], keys[count] = key, count, key
                    count += 1
                before, mine = key, slot_at[at]
            slot[row * width + column] = mine
    keys = keys[:count]
    order = np.argsort(keys)
    rank = np.zeros(count, np.int32)
    for k in range(count):
        rank[order[k]] = k
    keys = keys[order]
    share, towards = np.zeros(count), np.zeros((count, 3))
    nearest, begin = np.full(count, np.inf, np.float32), np.zeros(count + 1, np.int64)
    high, low = np.full(count, height, np.int64), np.zeros(count, np.int64)
    words = (width + 63) >> 6
    columns = np.zeros((count, words), np.int64)
    area = np.zeros(height)
    sines, cosines = np.zeros(width), np.zeros(width)
    for column in range(width):
        turn = math.radians(pose[3]) + ((column + 0.5) / width * 2 - 1) * math.pi
        sines[column], cosines[column] = math.sin(turn), math.cos(turn)
    for row in range(height):
        above, under = (0.5 - row / height) * math.pi, (0.5 - (row + 1) / height) * math.pi
        area[row] = (math.sin(above) - math.sin(under)) / 2 / width
        c, z = math.cos((above + under) / 2), math.sin((above + under) / 2)
        for column in range(width):
            k = rank[slot[row * width + column]]
            slot[row * width + column] = k
            share[k] += area[row]
            towards[k, 0] += area[row] * c * sines[column]
            towards[k, 1] += area[row] * c * cosines[column]
            towards[k, 2] += area[row] * z
            nearest[k] = min(nearest[k], depth[row, column])
            high[k], low[k] = min(high[k], row), max(low[k], row)
            columns[k, column >> 6] |= np.int64(1) << np.int64(column & 63)
            begin[k + 1] += 1
    begin = np.cumsum(begin)
    fill, away, weight = begin.copy(), np.zeros(height * width, np.float32), np.zeros(height * width, np.float32)
    for row in range(height):
        for column in range(width):
            k = slot[row * width + column]
            away[fill[k]], weight[fill[k]] = depth[row, column], area[row]
            fill[k] += 1
    hidden = np.zeros(count)
    row_keys, row_values = np.zeros((2 * count, 3), np.int64), np.zeros((2 * count, 10), np.float32)
    rows, k = 0, 0
    while k < count:
        object_index, end, whole = int(keys[k] >> 32) - 1, k + 1, share[k]
        while end < count and int(keys[end] >> 32) - 1 == object_index:
            whole += share[end]
            end += 1
        if object_index <= 0:
            end = k + 1
        elif whole >= min_share:
            covered = _hidden_share(
                s,
                first_item,
                pose,
                instance,
                width,
                height,
                object_index,
                area,
                sines,
                cosines,
                table,
                slot_at,
                rank,
                hidden,
                windows,
            )
            own, rows = rows, rows + 1
        for j in range(k, end):
            if share[j] >= min_share and (
                object_index <= 0 or (keys[j] & 0xFFFFFF00) != 0 or (keys[j] & 0xFF) == WINDOW
            ):
                row_keys[rows, 0], row_keys[rows, 1], row_keys[rows, 2] = (
                    object_index,
                    (keys[j] & 0xFFFFFFFF) >> 8,
                    keys[j] & 0xFF,
                )
                middle = (
                    np.float32(np.inf) if object_index < 0 else _weighted_median(away, weight, begin[j], begin[j + 1])
                )
                hidden_share = hidden[j] / (share[j] + hidden[j]) if object_index > 0 else np.nan
                _write_row(
                    row_values[rows],
                    share[j],
                    towards[j],
                    nearest[j],
                    middle,
                    columns[j],
                    high[j],
                    low[j],
                    hidden_share,
                    pose,
                    width,
                    height,
                )
                rows += 1
        if object_index > 0 and whole >= min_share:
            for j in range(k + 1, end):
                towards[k] += towards[j]
                nearest[k] = min(nearest[k], nearest[j])
                high[k], low[k] = min(high[k], high[j]), max(low[k], low[j])
                for word in range(words):
                    columns[k, word] |= columns[j, word]
            row_keys[own, 0], row_keys[own, 1], row_keys[own, 2] = object_index, 0, s.class_of[object_index]
            middle = _weighted_median(away, weight, begin[k], begin[end])
            hidden_share = covered / (whole + covered)
            _write_row(
                row_values[own],
                whole,
                towards[k],
                nearest[k],
                middle,
                columns[k],
                high[k],
                low[k],
                hidden_share,
                pose,
                width,
                height,
            )
        k = end
    return row_keys[:rows], row_values[:rows]


@jit
def _hidden_share(
    s: Arrays,
    first_item: Ints,
    pose: Floats32,
    instance: Ints,
    width: int,
    height: int,
    object_index: int,
    area: Any,
    sines: Any,
    cosines: Any,
    table: Longs,
    slot_at: Ints,
    rank: Ints,
    hidden: Any,
    windows: bool,
) -> float:
    """Return the share of the sphere in which others occlude an object; add that of its parts to `hidden`."""
    first, last = first_item[object_index], first_item[object_index + 1]
    ox, oy, oz = pose[0], pose[1], pose[2]
    middle, half, bottom, top = _angular_bounds(s, first, last, ox, oy, oz)
    row0 = max(math.floor((0.5 - top / math.pi) * height), 0)
    row1 = min(math.floor((0.5 - bottom / math.pi) * height) + 1, height)
    left = ((middle - half - math.radians(pose[3])) / (2 * math.pi) + 0.5) * width
    column0 = math.floor(left)
    across = min(math.ceil(half / math.pi * width) + 2, width)
    down = row1 - row0
    skip = max(int(math.sqrt(across * down / RAYS)), 1)
    skip_y = min(skip, max(down // 8, 1))
    skip_x = max(math.ceil(across * down / (RAYS * skip_y)), 1)
    total = 0.0
    for row in range(row0 + skip_y // 2, row1, skip_y):
        up = (0.5 - (row + 0.5) / height) * math.pi
        c, dz = math.cos(up), f4(math.sin(up))
        for step in range(skip_x // 2, across, skip_x):
            column = (column0 + step) % width
            if instance[row, column] == object_index:
                continue
            dx, dy = f4(c * sines[column]), f4(c * cosines[column])
            t, i = _hit_items(s, first, last, ox, oy, oz, dx, dy, dz)
            if i < 0:
                continue
            more = area[row] * skip_x * skip_y
            total += more
            part, kind = _part_at(s, int(i), t, ox, oy, oz, dx, dy, dz, windows)
            kind = kind if kind else int(s.class_of[object_index])
            key = np.int64(object_index + 1) << 32 | np.int64(part) << 8 | np.int64(kind)
            at = _find_slot(table, key)
            if table[at] == key:
                hidden[rank[slot_at[at]]] += more
    return total


@jit
def _write_row(
    row: Floats32,
    share: float,
    towards: Any,
    nearest: np.float32,
    middle: np.float32,
    columns: Longs,
    high: int,
    low: int,
    hidden: float,
    pose: Floats32,
    width: int,
    height: int,
) -> None:
    x, y, z = towards[0], towards[1], towards[2]
    level = math.sqrt(x * x + y * y)
    begin, across = _covering_arc(columns, width)
    row[0] = share
    row[1] = math.degrees(math.atan2(x, y)) % 360.0 if level > 1e-9 * share else 0.0
    row[2] = math.degrees(math.atan2(z, level))
    row[3], row[4] = nearest, middle
    row[5] = (pose[3] - 180.0 + begin * 360.0 / width) % 360.0
    row[6] = across * 360.0 / width
    row[7], row[8] = 90.0 - (low + 1) * 180.0 / height, 90.0 - high * 180.0 / height
    row[9] = hidden

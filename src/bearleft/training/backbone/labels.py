"""What a trunk learns to say of every cell of a slice: read off the renderer's own channels, where they lie.

Of each cell 4 x 4 pixels are looked at. `centre` is what its middle pixel shows; everything else is said of the rarest
thing in the cell (`rarest`), so that a hydrant far away counts although most of its cell is pavement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d, max_pool2d

from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.plan import Plan
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.slices import CELL

NONE = -1  # nothing to be said of a cell
SIDE = 4  # pixels a side that are looked at in a cell
STEP = CELL // SIDE
MIDDLE = SIDE // 2
REACH = 12.0  # cells: no farther can a cell see
NEAR, FAR = 0.5, 300.0  # metres

# Sorts are what a picture's classes are, and of things their variants: a walk signal that shows a hand is not one
# that shows a walker. Parts are numbered class after class.
_VARIANTS = [max(len(one.models), 1) for one in CLASSES]
FIRST_SORT = CLASS_BASE + np.concatenate([[0], np.cumsum(_VARIANTS)])
SORTS = int(FIRST_SORT[-1])
FIRST_PART = np.concatenate([[0], np.cumsum([len(one.parts) for one in CLASSES])])
PARTS = int(FIRST_PART[-1])
CLASS_OF_SORT = np.concatenate([np.arange(CLASS_BASE), CLASS_BASE + np.repeat(np.arange(len(CLASSES)), _VARIANTS)])


@dataclass(frozen=True)
class Seen:
    """Slices as the renderer's channels, tensors of one device; instances count on from scene to scene."""

    rgb: Tensor  # (n, height, width, 3)
    depth: Tensor  # (n, height, width), and so on
    instance: Tensor
    part: Tensor
    kind: Tensor

    def some(self, first: int, step: int) -> Seen:
        """Every so manieth slice."""
        return Seen(*(x[first::step] for x in (self.rgb, self.depth, self.instance, self.part, self.kind)))


@dataclass(frozen=True)
class Tables:
    """What is known of instances, of all scenes one after another: each scene's ground first."""

    sort: Tensor  # (instances,) int64
    colour: Tensor  # (instances,) int64, NONE for the ground
    first: tuple[int, ...]  # of each scene, the number of its ground

    @classmethod
    def of(cls, plans: Sequence[Plan], device: str) -> Tables:
        sorts, colours = [], []
        for plan in plans:
            kind, variant = plan.things["kind"].astype(np.int64), plan.things["variant"].astype(np.int64)
            variant = np.minimum(variant, np.array(_VARIANTS)[kind] - 1)  # buildings have no models to choose from
            sorts.append(np.concatenate([[0], FIRST_SORT[kind] + variant]))
            colours.append(np.concatenate([[NONE], plan.things["first"].astype(np.int64)]))
        first = np.cumsum([0, *(len(one) for one in sorts)])[:-1]
        sort, colour = (torch.from_numpy(np.concatenate(x)).to(device) for x in (sorts, colours))
        return cls(sort, colour, tuple(int(x) for x in first))


@dataclass(frozen=True)
class Goals:
    """What is to be said of cells: each (n, rows, columns, ...)."""

    centre: Tensor  # sort
    rarest: Tensor  # sort
    colour: Tensor  # or NONE
    part: Tensor  # or NONE
    depth: Tensor  # logarithm, about 0
    box: Tensor  # (n, rows, columns, 4): logarithms of cells to the left, right, upper and lower edge of the thing
    thing: Tensor  # whether the cell shows a thing, so that it has a box
    light: Tensor  # (n, 3, rows, columns): mean colour, 0 to 1


def sorts(seen: Seen, tables: Tables) -> Tensor:
    """Sorts of the pixels that are looked at: every other one of every other row."""
    kind = seen.kind[:, ::STEP, ::STEP].long()
    return torch.where(kind < CLASS_BASE, kind, tables.sort[seen.instance[:, ::STEP, ::STEP].clamp(min=0).long()])


def goals(seen: Seen, tables: Tables, rank: Tensor) -> Goals:
    """All that is to be said of slices; `rank` of a sort is higher where it is rarer."""
    sort = sorts(seen, tables)
    n, height, width = sort.shape
    rows, columns = -(-height // SIDE), -(-width // SIDE)
    at = _chosen(rank[sort]).reshape(n, -1)
    looked = seen.instance[:, ::STEP, ::STEP].reshape(n, -1)
    instance = looked.gather(1, at).long()
    is_thing = instance > 0
    # The ground of a later scene is 0 as well: `Feed` counts on only what stands on it.
    colour = torch.where(is_thing, tables.colour[instance.clamp(min=0)], NONE)
    rarest = sort.reshape(n, -1).gather(1, at)
    kind = seen.kind[:, ::STEP, ::STEP].reshape(n, -1).gather(1, at).long() - CLASS_BASE
    number = seen.part[:, ::STEP, ::STEP].reshape(n, -1).gather(1, at).long() & 255
    first = torch.from_numpy(FIRST_PART).to(number.device)
    count = (first[1:] - first[:-1])[kind.clamp(min=0)]
    part = torch.where((kind >= 0) & (number < count), first[kind.clamp(min=0)] + number, NONE)
    metres = seen.depth[:, ::STEP, ::STEP].reshape(n, -1).gather(1, at)
    depth = metres.clamp(NEAR, FAR).log() - 3.0
    box = _boxes(looked, instance, at, width, len(tables.sort))
    shape = (n, rows, columns)
    down = (torch.arange(rows, device=at.device) * SIDE + MIDDLE).clamp(max=height - 1)
    across = (torch.arange(columns, device=at.device) * SIDE + MIDDLE).clamp(max=width - 1)
    light = seen.rgb[:, ::STEP, ::STEP].permute(0, 3, 1, 2).float() / 255.0
    return Goals(
        sort[:, down][:, :, across],
        rarest.view(shape),
        colour.view(shape),
        part.view(shape),
        depth.view(shape),
        box.view(*shape, 4),
        is_thing.view(shape),
        avg_pool2d(light, SIDE, SIDE, ceil_mode=True),
    )


def _chosen(rank: Tensor) -> Tensor:
    """(n, rows, columns): the looked-at pixel of the rarest sort in each cell; of equals, one near the middle."""
    _, height, width = rank.shape
    side = torch.tensor([0.0, 1.0, 1.0, 0.0], device=rank.device)
    inner = side.repeat(-(-height // SIDE))[:height, None] + side.repeat(-(-width // SIDE))[None, :width]
    value = (rank * 4 + inner)[:, None]
    return max_pool2d(value, SIDE, SIDE, ceil_mode=True, return_indices=True)[1]


def _boxes(looked: Tensor, instance: Tensor, at: Tensor, width: int, many: int) -> Tensor:
    """(n, cells, 4): how far what is seen of the cell's instance reaches, from the chosen pixel, in its own slice."""
    n = len(looked)
    where = torch.arange(looked.shape[1], device=looked.device, dtype=torch.int32)
    x, y = (where % width).expand(n, -1), (where // width).expand(n, -1)
    # A row of instances for each slice; whole numbers, since only those have fast minima on a GPU.
    slot = looked.clamp(min=0).long() + many * torch.arange(n, device=looked.device)[:, None]
    expected = instance.clamp(min=0) + many * torch.arange(n, device=looked.device)[:, None]
    reached = []
    for along in (x, y):
        own = (at % width if along is x else at // width).int()
        for how, sign in (("amin", 1), ("amax", -1)):
            edge = torch.full((n * many,), 1 << 30 if sign > 0 else -1, dtype=torch.int32, device=looked.device)
            edge.scatter_reduce_(0, slot.reshape(-1), along.reshape(-1), how)
            reached.append(sign * (own - edge[expected]))
    return (torch.stack(reached, -1) / SIDE).clamp(0, REACH).log1p()

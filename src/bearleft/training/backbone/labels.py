"""Labels of the cells of slices, computed from the renderer's channels on their device.

4 x 4 pixels of each cell are sampled. `centre` is the class at its middle pixel; all other labels describe the rarest
object in the cell (`rarest`), so that a distant hydrant counts although most of its cell is pavement.
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
from bearleft.world.slices import CELL_SIZE

IGNORE = -1  # label of cells without one
SAMPLES = 4  # pixels sampled along a side of a cell
SAMPLE_STEP = CELL_SIZE // SAMPLES
CENTRE_SAMPLE = SAMPLES // 2
MAX_BOX_CELLS = 12.0  # the receptive field of a cell reaches no farther
MIN_DEPTH, MAX_DEPTH = 0.5, 300.0  # metres

# A fine class is a class of the renderer or, for objects, a class and a variant: a walk signal that shows a hand is not
# one that shows a walker. Parts are numbered class by class.
_VARIANTS = [max(len(object_class.models), 1) for object_class in CLASSES]
FIRST_FINE_CLASS = CLASS_BASE + np.concatenate([[0], np.cumsum(_VARIANTS)])
FINE_CLASSES = int(FIRST_FINE_CLASS[-1])
FIRST_PART = np.concatenate([[0], np.cumsum([len(object_class.parts) for object_class in CLASSES])])
PARTS = int(FIRST_PART[-1])
CLASS_OF_FINE = np.concatenate([np.arange(CLASS_BASE), CLASS_BASE + np.repeat(np.arange(len(CLASSES)), _VARIANTS)])


@dataclass(frozen=True)
class RenderedSlices:
    """Slices as the renderer's channels, on one device; instances are numbered through all scenes."""

    rgb: Tensor  # (n, height, width, 3)
    depth: Tensor  # (n, height, width), as all below
    instance: Tensor
    part: Tensor
    kind: Tensor

    def every(self, first: int, step: int) -> RenderedSlices:
        """Return every `step`-th slice from the first."""
        return RenderedSlices(*(x[first::step] for x in (self.rgb, self.depth, self.instance, self.part, self.kind)))


@dataclass(frozen=True)
class InstanceTables:
    """Properties of the instances of all scenes, one scene after another; each begins with its ground."""

    fine_class: Tensor  # (instances,) int64
    colour: Tensor  # (instances,) int64, IGNORE for the ground
    offsets: tuple[int, ...]  # of each scene, the index of its ground

    @classmethod
    def from_plans(cls, plans: Sequence[Plan], device: str) -> InstanceTables:
        """Return the tables of the instances of plans, one per scene, on a device."""
        classes, colours = [], []
        for plan in plans:
            kind, variant = plan.things["kind"].astype(np.int64), plan.things["variant"].astype(np.int64)
            variant = np.minimum(variant, np.array(_VARIANTS)[kind] - 1)  # buildings have no models to choose from
            classes.append(np.concatenate([[0], FIRST_FINE_CLASS[kind] + variant]))
            colours.append(np.concatenate([[IGNORE], plan.things["first"].astype(np.int64)]))
        offsets = np.cumsum([0, *(len(scene) for scene in classes)])[:-1]
        fine_class, colour = (torch.from_numpy(np.concatenate(x)).to(device) for x in (classes, colours))
        return cls(fine_class, colour, tuple(int(x) for x in offsets))


@dataclass(frozen=True)
class CellLabels:
    """Labels of cells: each (n, rows, columns, ...)."""

    centre: Tensor  # fine class
    rarest: Tensor  # fine class
    colour: Tensor  # or IGNORE
    part: Tensor  # or IGNORE
    depth: Tensor  # logarithm, about 0
    box: Tensor  # (n, rows, columns, 4): logarithms of cells to the left, right, upper and lower edge of the object
    is_object: Tensor  # whether the cell shows an object, so that it has a box
    mean_colour: Tensor  # (n, 3, rows, columns): mean colour, 0 to 1


def fine_classes(slices: RenderedSlices, tables: InstanceTables) -> Tensor:
    """Return the fine classes of the sampled pixels: every other one of every other row."""
    kind = slices.kind[:, ::SAMPLE_STEP, ::SAMPLE_STEP].long()
    instance = slices.instance[:, ::SAMPLE_STEP, ::SAMPLE_STEP].clamp(min=0).long()
    return torch.where(kind < CLASS_BASE, kind, tables.fine_class[instance])


def cell_labels(slices: RenderedSlices, tables: InstanceTables, rank: Tensor) -> CellLabels:
    """Return the labels of slices; the `rank` of a fine class is higher the rarer it is."""
    fine_class = fine_classes(slices, tables)
    n, height, width = fine_class.shape
    rows, columns = -(-height // SAMPLES), -(-width // SAMPLES)
    chosen = _rarest_sample(rank[fine_class]).reshape(n, -1)
    sampled = slices.instance[:, ::SAMPLE_STEP, ::SAMPLE_STEP].reshape(n, -1)
    instance = sampled.gather(1, chosen).long()
    is_object = instance > 0
    # The ground of later scenes is 0 as well: `SliceStream` adds offsets to objects only.
    colour = torch.where(is_object, tables.colour[instance.clamp(min=0)], IGNORE)
    rarest = fine_class.reshape(n, -1).gather(1, chosen)
    kind = slices.kind[:, ::SAMPLE_STEP, ::SAMPLE_STEP].reshape(n, -1).gather(1, chosen).long() - CLASS_BASE
    number = slices.part[:, ::SAMPLE_STEP, ::SAMPLE_STEP].reshape(n, -1).gather(1, chosen).long() & 255
    first = torch.from_numpy(FIRST_PART).to(number.device)
    count = (first[1:] - first[:-1])[kind.clamp(min=0)]
    part = torch.where((kind >= 0) & (number < count), first[kind.clamp(min=0)] + number, IGNORE)
    metres = slices.depth[:, ::SAMPLE_STEP, ::SAMPLE_STEP].reshape(n, -1).gather(1, chosen)
    depth = metres.clamp(MIN_DEPTH, MAX_DEPTH).log() - 3.0
    box = _boxes(sampled, instance, chosen, width, len(tables.fine_class))
    shape = (n, rows, columns)
    down = (torch.arange(rows, device=chosen.device) * SAMPLES + CENTRE_SAMPLE).clamp(max=height - 1)
    across = (torch.arange(columns, device=chosen.device) * SAMPLES + CENTRE_SAMPLE).clamp(max=width - 1)
    mean_colour = slices.rgb[:, ::SAMPLE_STEP, ::SAMPLE_STEP].permute(0, 3, 1, 2).float() / 255.0
    return CellLabels(
        fine_class[:, down][:, :, across],
        rarest.view(shape),
        colour.view(shape),
        part.view(shape),
        depth.view(shape),
        box.view(*shape, 4),
        is_object.view(shape),
        avg_pool2d(mean_colour, SAMPLES, SAMPLES, ceil_mode=True),
    )


def _rarest_sample(rank: Tensor) -> Tensor:
    """Return the sampled pixel of each cell's rarest fine class (n, rows, columns); of equals, one near the middle."""
    _, height, width = rank.shape
    side = torch.tensor([0.0, 1.0, 1.0, 0.0], device=rank.device)
    inner = side.repeat(-(-height // SAMPLES))[:height, None] + side.repeat(-(-width // SAMPLES))[None, :width]
    value = (rank * 4 + inner)[:, None]
    return max_pool2d(value, SAMPLES, SAMPLES, ceil_mode=True, return_indices=True)[1]


def _boxes(sampled: Tensor, instance: Tensor, chosen: Tensor, width: int, instance_count: int) -> Tensor:
    """Return distances (n, cells, 4) from the chosen pixel to the edges of the instance's visible part."""
    n = len(sampled)
    where = torch.arange(sampled.shape[1], device=sampled.device, dtype=torch.int32)
    x, y = (where % width).expand(n, -1), (where // width).expand(n, -1)
    # A row of instances for each slice; integers, since only those have fast minima on a GPU.
    slot = sampled.clamp(min=0).long() + instance_count * torch.arange(n, device=sampled.device)[:, None]
    expected = instance.clamp(min=0) + instance_count * torch.arange(n, device=sampled.device)[:, None]
    edges = []
    for along in (x, y):
        own = (chosen % width if along is x else chosen // width).int()
        for reduction, sign in (("amin", 1), ("amax", -1)):
            initial = 1 << 30 if sign > 0 else -1
            edge = torch.full((n * instance_count,), initial, dtype=torch.int32, device=sampled.device)
            edge.scatter_reduce_(0, slot.reshape(-1), along.reshape(-1), reduction)
            edges.append(sign * (own - edge[expected]))
    return (torch.stack(edges, -1) / SAMPLES).clamp(0, MAX_BOX_CELLS).log1p()

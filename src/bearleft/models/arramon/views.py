"""Feature maps of what players of ArraMon see: rendered when they are asked for, then seen by a frozen backbone.

A map of bearleft's own backbone has means and maxima of 128 channels in each cell of the view; a map of a ResNet-50,
101 or 152 that a user brings has 2,048 channels.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from bearleft.envs.arramon.pictures import ArraMonPictures, Viewpoints
from bearleft.models.backbones.base import Backbone, read_weights
from bearleft.models.backbones.deep_resnet import DeepResNet, is_deep, load_deep_resnet
from bearleft.models.backbones.registry import load_backbone
from bearleft.world.render.camera import view

VIEW_SIZE = 224  # pixels across and down; the view has 90 degrees
CHUNKS = {"cpu": 4, "cuda": 256}  # views that are rendered together: always as many, so that maps are the same


def open_backbone(name: str, device: str) -> Backbone:
    """Return a frozen backbone: "city", "random:SEED", or a file of torchvision's resnet18, 50, 101 or 152."""
    if os.path.isfile(name) and is_deep(read_weights(Path(name))):
        return load_deep_resnet(name, device)
    return load_backbone(name, device)


def map_channels(backbone: Backbone) -> int:
    """Return the channels of a feature map."""
    return backbone.channels if isinstance(backbone, DeepResNet) else 2 * backbone.channels


def pool_maps(backbone: Backbone, maps: Tensor, rows: int) -> Tensor:
    """Return maps (n, map_channels, rows, rows) of a backbone's output."""
    maps = maps.float()
    mean = functional.adaptive_avg_pool2d(maps, rows)
    if isinstance(backbone, DeepResNet):
        return mean
    return torch.cat([mean, functional.adaptive_max_pool2d(maps, rows)], 1)


class ViewMaps:
    """Feature maps of views of one world and its room.

    Args:
        world: The world.
        backbone: The frozen backbone, on the device.
        device: Where pictures are rendered and maps are computed.
        rows: Rows and columns of a map.
        size: Pixels of a view, across and down.
    """

    def __init__(
        self, world: str, backbone: Backbone, device: str | torch.device, rows: int = 7, size: int = VIEW_SIZE
    ) -> None:
        self.device, self.rows, self.backbone = torch.device(device), rows, backbone
        self.fast = backbone.for_inference(self.device)
        self.channels, self.lens = map_channels(backbone), view(size, size)
        self.pictures = ArraMonPictures(world, self.device.type)

    @torch.no_grad()
    def __call__(self, viewpoints: Viewpoints) -> Tensor:
        """Return the maps (n, channels, rows, rows) of viewpoints in half precision."""
        count, chunk = len(viewpoints.inside), CHUNKS[self.device.type]
        out = torch.empty(count, self.channels, self.rows, self.rows, dtype=torch.float16, device=self.device)
        for begin in range(0, count, chunk):
            indices = (
                np.arange(begin, begin + chunk) % count if begin + chunk > count else np.arange(begin, begin + chunk)
            )
            maps = pool_maps(self.backbone, self.fast(self.render(take(viewpoints, indices))), self.rows)
            out[begin : begin + chunk] = maps[: count - begin].half()
        return out

    def render(self, viewpoints: Viewpoints) -> Tensor:
        """Return the pictures of viewpoints as bytes (n, size, size, 3) on the device."""
        if self.device.type == "cuda":
            rendered: Any = self.pictures.tensors(viewpoints, self.lens)
            rgb: Tensor = rendered.rgb
            return rgb
        return torch.from_numpy(self.pictures.render(viewpoints, self.lens).rgb)


def take(viewpoints: Viewpoints, indices: npt.NDArray[np.int64]) -> Viewpoints:
    """Return some viewpoints."""
    return Viewpoints(
        viewpoints.poses[indices], viewpoints.inside[indices], viewpoints.objects[indices], viewpoints.count[indices]
    )


def join(viewpoints: Sequence[Viewpoints]) -> Viewpoints:
    """Return viewpoints that may have different numbers of objects as one batch."""
    most = max(one.objects.shape[1] for one in viewpoints)
    objects = [np.pad(one.objects, ((0, 0), (0, most - one.objects.shape[1]), (0, 0))) for one in viewpoints]
    poses, inside, counts = (
        np.concatenate([getattr(one, name) for one in viewpoints]) for name in ("poses", "inside", "count")
    )
    return Viewpoints(poses, inside, np.concatenate(objects), counts)

"""Stages before a network's training step, alone and together: rendering, the backbone, and the step."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from bearleft.models.backbones.fused_resnet import FusedResNet18
from bearleft.models.backbones.registry import Backbone, load_backbone
from bearleft.models.examples import Panorama
from bearleft.models.features.computed import ComputedFeatures
from bearleft.world.city.city import open_city
from bearleft.world.pictures import PictureSource
from bearleft.world.slices import SLICE_COUNT, Slicing

log = logging.getLogger(__name__)
MAX_PANORAMAS = 1024
FUSED_VARIANTS = (  # of the backbone on a GPU: a name, whether our kernels and fused calls are used (None: its choice)
    ("torch's kernels, steps apart", False, False),
    ("steps apart", True, False),
    ("steps joined", True, True),
    ("as it is used", None, None),
)
StepOn = Callable[[Tensor, Tensor], Any]  # a training step on features of panoramas with these indices


def open_features(
    world: str, slicing: Slicing, device: torch.device, sources: Mapping[str, PictureSource] | None = None
) -> ComputedFeatures:
    """Return features of the first places of a world, at their pictures' yaws."""
    graph = open_city(world).graph
    panoramas = [Panorama(world, place, float(yaw)) for place, yaw in zip(graph.ids, graph.yaw, strict=True)]
    return ComputedFeatures(panoramas[:MAX_PANORAMAS], load_backbone("random:0", device), slicing, device, sources)


class FeatureChain:
    """Rendering and encoding of random panoramas while a training step runs, or without a step."""

    def __init__(self, features: ComputedFeatures, step: StepOn | None, batch_size: int) -> None:
        self.features, self.step, self.batch_size = features, step, batch_size
        self.generator = torch.Generator().manual_seed(0)
        self.next = self.draw()

    def draw(self) -> Tensor:
        """Return random indices of panoramas."""
        return torch.randint(len(self.features.panoramas), (self.batch_size,), generator=self.generator)

    def __call__(self) -> None:
        """Compute the feature maps of the current batch while the next one is prefetched, and take a step on them."""
        indices, self.next = self.next, self.draw()
        maps = self.features(indices)
        self.features.prefetch(self.next)
        if self.step is not None:
            self.step(maps, indices)


class RenderSlices:
    """Rendering of slices alone."""

    def __init__(self, features: ComputedFeatures) -> None:
        self.features = features
        self.chain = FeatureChain(features, None, features.chunk_size)

    def __call__(self) -> None:
        """Render the slices of one chunk of random panoramas."""
        indices, pipeline = self.chain.draw().numpy(), self.features._pipeline
        if pipeline is None:
            self.features.slices(indices)
        else:
            pipeline.render(self.features._groups(indices), pipeline.buffers[0])


def backbone_variants(
    features: ComputedFeatures, slicing: Slicing, device: torch.device
) -> list[tuple[str, Callable[[], Any]]]:
    """Return variants of the backbone, each as a function that encodes one chunk of pictures."""
    network, cuda = load_backbone("random:0", device), device.type == "cuda"
    variants: list[tuple[str, Backbone]] = [("backbone: as a network", network.fold_batch_norms())]
    for name, uses_kernels, uses_fused in FUSED_VARIANTS if cuda else ():
        fused = FusedResNet18(network.fold_batch_norms()).to(device)  # type: ignore[arg-type]
        fused.uses_kernels, fused.uses_fused = uses_kernels, uses_fused
        variants.append((f"backbone: {name}", fused))
    shape = (features.chunk_size * SLICE_COUNT, slicing.height, slicing.width, 3)
    pictures = torch.from_numpy(np.random.default_rng(0).integers(0, 256, shape, np.uint8)).to(device)

    def encoder(backbone: Backbone) -> Callable[[], Any]:
        def encode() -> None:
            with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=cuda):
                backbone(pictures)

        return encode

    return [(name, encoder(backbone)) for name, backbone in variants if _works(encoder(backbone))]


def _works(encode: Callable[[], Any]) -> bool:
    """Return whether a variant runs: our kernels and fused calls are not for every device."""
    try:
        encode()
    except Exception as error:
        log.warning("left out: %s", error)
        return False
    return True


def backbone_flops(slicing: Slicing) -> float:
    """Return the operations of a panorama's slices in the paper's network, without rendering."""
    network = load_backbone("random:0").fold_batch_norms().to("meta")
    slices = torch.zeros((SLICE_COUNT, slicing.height, slicing.width, 3), dtype=torch.uint8, device="meta")
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        network(slices)
    return float(counter.get_total_flops())

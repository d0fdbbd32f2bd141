"""What comes before a network's update, apart and together: pictures, the trunk that reads them, and the update."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from bearleft.models.backbones.fused_resnet import Quick
from bearleft.models.backbones.registry import Trunk, trunk
from bearleft.models.examples import Panorama
from bearleft.models.features.computed import Made
from bearleft.world.city.city import open_city
from bearleft.world.pictures import Sees
from bearleft.world.slices import SLICES, Slicing

log = logging.getLogger(__name__)
FORMS = (  # of the trunk on a card: a name, whether kernels are ours, whether steps are joined
    ("torch's kernels, steps apart", False, False),
    ("steps apart", True, False),
    ("steps joined", True, True),
    ("as it is used", None, None),
)
Update = Callable[[Tensor, Tensor], Any]  # of a network, on cells of numbered examples


def made(world: str, slicing: Slicing, device: torch.device, eyes: Mapping[str, Sees] | None = None) -> Made:
    """Features of some of a world's places, looking the way its pictures do."""
    graph = open_city(world).graph
    some = [Panorama(world, place, float(yaw)) for place, yaw in zip(graph.ids, graph.yaw, strict=True)][:1024]
    return Made(some, trunk("random:0", device), slicing, device, eyes)


class Chain:
    """Pictures rendered, read by the trunk, and an update meanwhile; or the first two alone."""

    def __init__(self, features: Made, update: Update | None, batch: int) -> None:
        self.features, self.update, self.size = features, update, batch
        self.generator = torch.Generator().manual_seed(0)
        self.next = self._drawn()

    def _drawn(self) -> Tensor:
        return torch.randint(len(self.features.panoramas), (self.size,), generator=self.generator)

    def __call__(self) -> None:
        drawn, self.next = self.next, self._drawn()
        cells = self.features(drawn)
        self.features.begin(self.next)
        if self.update is not None:
            self.update(cells, drawn)


class Pictures:
    """Slices rendered, and nothing else."""

    def __init__(self, features: Made) -> None:
        self.features, self.size = features, features.piece
        self.chain = Chain(features, None, self.size)

    def __call__(self) -> None:
        drawn, card = self.chain._drawn().numpy(), self.features._card
        if card is None:
            self.features.slices(drawn)
        else:
            card.render(self.features._groups(drawn), card.rooms[0])


def readers(features: Made, slicing: Slicing, device: torch.device) -> list[tuple[str, Callable[[], Any]]]:
    """Forms of the trunk, each with one piece of pictures to read: as a network, and as cards compute it."""
    network, half = trunk("random:0", device), device.type == "cuda"
    forms: list[tuple[str, Trunk]] = [("trunk: as a network", network.folded())]
    for name, kernels, joins in FORMS if half else ():
        one = Quick(network.folded()).to(device)  # type: ignore[arg-type]
        one.kernels, one.joins = kernels, joins
        forms.append((f"trunk: {name}", one))
    shape = (features.piece * SLICES, slicing.height, slicing.width, 3)
    seen = torch.from_numpy(np.random.default_rng(0).integers(0, 256, shape, np.uint8)).to(device)

    def reads(one: Trunk) -> Callable[[], Any]:
        def read() -> None:
            with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=half):
                one(seen)

        return read

    return [(name, reads(one)) for name, one in forms if _works(reads(one))]


def _works(read: Callable[[], Any]) -> bool:
    """Kernels of ours and joined steps are not for every device."""
    try:
        read()
    except Exception as error:
        log.warning("left out: %s", error)
        return False
    return True


def trunk_flops(slicing: Slicing) -> float:
    """Operations of a panorama's slices, as the paper's network has them; a renderer's are not counted."""
    network = trunk("random:0").folded().to("meta")
    slices = torch.zeros((SLICES, slicing.height, slicing.width, 3), dtype=torch.uint8, device="meta")
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        network(slices)
    return float(counter.get_total_flops())

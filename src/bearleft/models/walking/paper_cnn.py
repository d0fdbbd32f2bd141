"""Image encoder of RCONCAT and GA (Touchdown, appendix E.1): two convolutions and a fully connected layer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from bearleft.errors import InputError
from bearleft.models.walking.network import full_precision

KERNELS = (8, 4)
MIN_ROWS = 20  # that both convolutions leave something of


class ViewEncoder(nn.Module):
    """Encode mean maps (b, t, side, side) or RGB views (b, t, 3, side, side) as (b, t, output_dim).

    Args:
        side: Rows and columns of a view.
        channels: Channels of the views, 1 or 3.
        filters: Channels of the two convolutions.
        strides: Strides of the two convolutions.
        output_dim: Size of the output.
    """

    def __init__(
        self, side: int, channels: int, filters: tuple[int, int], strides: tuple[int, int], output_dim: int
    ) -> None:
        super().__init__()
        self.channels = channels
        self.conv1 = nn.Conv2d(channels, filters[0], KERNELS[0], strides[0])
        self.conv2 = nn.Conv2d(filters[0], filters[1], KERNELS[1], strides[1])
        for kernel, stride in zip(KERNELS, strides, strict=True):
            side = (side - kernel) // stride + 1 if side >= kernel else 0
        if side < 1:
            hint = "Type, for example: --size 92x160"
            raise InputError(f"views of at least {MIN_ROWS} rows of cells", "fewer", "size", hint=hint)
        self.linear = nn.Linear(filters[1] * side * side, output_dim)

    def forward(self, views: Tensor) -> Tensor:
        """Return the representation of each view."""
        flat = full_precision(views.reshape(-1, self.channels, *views.shape[-2:]))
        maps = torch.relu(self.conv2(torch.relu(self.conv1(flat))))
        return self.linear(maps.flatten(1)).view(*views.shape[:2], -1)  # type: ignore[no-any-return]

"""Where pictures are made: on the CPU, or on a CUDA GPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from bearleft.errors import unknown
from bearleft.world.render import cpu
from bearleft.world.render.scene import Scene

DEVICES = ("cpu", "cuda")
Render = Callable[..., cpu.Pictures]


def check_device(device: str) -> str:
    """The name of a device, or an error."""
    if device not in DEVICES:
        raise unknown("device", device, DEVICES)
    return device


def renderer(scene: Scene, device: str = "cpu") -> Render:
    """`render(poses, lens, light, samples, shadows, guests)` of a scene, with pictures that lie in the CPU's memory."""
    if check_device(device) == "cpu":
        return partial(cpu.render, scene)
    from bearleft.world.render.gpu import Renderer  # asks for CUDA when it is imported

    return Renderer(scene).render

"""Choice of the rendering device: CPU or CUDA GPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from bearleft.errors import unknown_name
from bearleft.world.render import cpu
from bearleft.world.render.scene import Scene

DEVICES = ("cpu", "cuda")
Render = Callable[..., cpu.Pictures]


def check_device(device: str) -> str:
    """Return the name of a device, or raise InputError."""
    if device not in DEVICES:
        raise unknown_name("device", device, DEVICES)
    return device


def renderer(scene: Scene, device: str = "cpu") -> Render:
    """Return `render(poses, lens, light, samples, shadows, dynamic_objects)` of a scene, with results in CPU memory."""
    if check_device(device) == "cpu":
        return partial(cpu.render, scene)
    from bearleft.world.render.gpu import Renderer  # importing it initializes CUDA

    return Renderer(scene).render

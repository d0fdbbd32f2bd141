"""Picture options of the ArraMon environments, and the pictures that they add to observations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict, Unpack

from bearleft.envs.arramon.pictures import ArraMonPictures, Viewpoints
from bearleft.envs.game import Observation
from bearleft.errors import InputError, format_value, unknown_name
from bearleft.world.pictures import Size, make_lens
from bearleft.world.render.light import Light

RENDER_MODES = ("rgb_array", "top")
LAYERS = {"view": "rgb", "depth": "depth", "instances": "instance"}  # names in observations and in Pictures


class ArraMonPictureOptions(TypedDict, total=False):
    """Picture options of the ArraMon environments.

    `see` is "view", or None for no colours; `depth` and `instances` add metres along the ray and instance numbers;
    `size`, `fov`, `light`, `samples`, `device` and `shadows` are those of `bearleft.world.pictures.PictureOptions`.
    """

    see: str | None
    depth: bool
    instances: bool
    size: Size | None
    fov: float
    light: Light | None
    samples: int
    device: str
    shadows: bool


class ArraMonEnvPictures:
    """Adds pictures of a world and of the room to the observations of an ArraMon environment."""

    def __init__(self, world: str, render_mode: str | None, **options: Unpack[ArraMonPictureOptions]) -> None:
        if extra := set(options) - set(ArraMonPictureOptions.__annotations__):
            raise unknown_name("picture option", min(extra), ArraMonPictureOptions.__annotations__)
        if render_mode not in (None, *RENDER_MODES):
            raise InputError(f"a render mode: {' or '.join(RENDER_MODES)}", format_value(render_mode), "render_mode")
        if options.get("see") not in (None, "view"):
            raise InputError("view, or None", format_value(options.get("see")), "see")
        chosen = {"view": options.get("see"), "depth": options.get("depth"), "instances": options.get("instances")}
        self.layers = {name: LAYERS[name] for name, value in chosen.items() if value}
        self.lens = make_lens("view", options.get("size"), options.get("fov", 90.0))
        self.world, self.source = world, None
        if self.layers or render_mode:
            self.source = ArraMonPictures(
                world,
                options.get("device", "cpu"),
                options.get("light"),
                options.get("samples", 1),
                options.get("shadows", True),
            )

    def add(self, values: Observation, viewpoints: Callable[[], Viewpoints], single: bool) -> Observation:
        """Return the values of an observation with pictures; of a `single` agent, or of a batch."""
        if not self.layers or self.source is None:
            return values
        rendered = self.source.render(viewpoints(), self.lens)
        pictures = {name: getattr(rendered, layer) for name, layer in self.layers.items()}
        return {**values, **{name: array[0] if single else array for name, array in pictures.items()}}

"""What ArraMon's environments can be asked to show, and how observations come by their pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict, Unpack

from bearleft.envs.arramon.pictures import ArraMonEyes, Stands
from bearleft.envs.game import Observation
from bearleft.errors import InputError, shown, unknown
from bearleft.world.pictures import Size, lens_of
from bearleft.world.render.light import Light

RENDER_MODES = ("rgb_array", "top")
LAYERS = {"view": "rgb", "depth": "depth", "instances": "instance"}  # of observations, of pictures


class Asked(TypedDict, total=False):
    """What ArraMon's environments can be asked to show.

    `see` is "view" or None for no colours; `depth` and `instances` give metres along the ray and numbers of things
    beside it; `size`, `fov`, `light`, `samples` and `device` as of `observe.Seeing`.
    """

    see: str | None
    depth: bool
    instances: bool
    size: Size | None
    fov: float
    light: Light | None
    samples: int
    device: str


class ArraMonSight:
    """What an environment shows of its world: nothing, or pictures of it and of the room."""

    def __init__(self, world: str, render_mode: str | None, **asked: Unpack[Asked]) -> None:
        if extra := set(asked) - set(Asked.__annotations__):
            raise unknown("option of what is seen", min(extra), Asked.__annotations__)
        if render_mode not in (None, *RENDER_MODES):
            raise InputError(f"a render mode: {' or '.join(RENDER_MODES)}", shown(render_mode), "render_mode")
        if asked.get("see") not in (None, "view"):
            raise InputError("to see a view, or nothing", shown(asked.get("see")), "see")
        expected = {"view": asked.get("see"), "depth": asked.get("depth"), "instances": asked.get("instances")}
        self.layers = {name: LAYERS[name] for name, one in expected.items() if one}
        self.lens = lens_of("view", asked.get("size"), asked.get("fov", 90.0))
        self.world, self.eyes = world, None
        if self.layers or render_mode:
            self.eyes = ArraMonEyes(world, asked.get("device", "cpu"), asked.get("light"), asked.get("samples", 1))

    def add(self, shown_: Observation, stands: Callable[[], Stands], one: bool) -> Observation:
        """What an environment shows, with the pictures of its players; of the `one` there is, or of all."""
        if not self.layers or self.eyes is None:
            return shown_
        seen = self.eyes.look(stands(), self.lens)
        pictures = {name: getattr(seen, layer) for name, layer in self.layers.items()}
        return {**shown_, **{name: array[0] if one else array for name, array in pictures.items()}}

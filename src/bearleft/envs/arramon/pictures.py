"""What ArraMon's players see: the city around them with what still lies there, or the room with what stands in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.envs.arramon.tasks import Singles, Tasks
from bearleft.envs.arramon.vector import Flags, State
from bearleft.records import Cell
from bearleft.runtime.compiled import inlined
from bearleft.world.arramon.items.models import STACK_HEIGHT, template_classes, template_index, templates
from bearleft.world.arramon.moves import COLUMNS, DOOR, ROWS, TURN_DEGREES
from bearleft.world.arramon.moves import ROOM_CELL_SIZE as CELL_STEP
from bearleft.world.arramon.room import CAMERA_PITCH as ROOM_PITCH
from bearleft.world.arramon.room import EYE_HEIGHT as ROOM_EYE
from bearleft.world.arramon.room import cell_position, room_scene
from bearleft.world.arramon.sections.world import open_sections
from bearleft.world.arramon.task_setup import FACINGS, MAX_STACK_HEIGHT, CityItem, RoomItem
from bearleft.world.city.plan import AREA, UNIT
from bearleft.world.render import cpu
from bearleft.world.render.camera import Lens
from bearleft.world.render.codes import Ground, Kind
from bearleft.world.render.cpu import Pictures, check_samples
from bearleft.world.render.devices import check_device
from bearleft.world.render.dynamic_objects import Guests
from bearleft.world.render.light import Light
from bearleft.world.render.scene import SOLID, Scene
from bearleft.world.worlds import world_kind

Ints = npt.NDArray[np.int32]
Spot = tuple[float, float]
EYE, PITCH = 1.6, -10.0  # metres, degrees: who walks sees what lies two metres ahead
OPEN_REACH = 720.0  # metres of open ground around a start: more than both walks of a task together


@dataclass(frozen=True)
class Viewpoints:
    """Where players stand and what is around them: cameras, who is in the room, and `Guests` row by row."""

    poses: Singles  # (n, 6)
    inside: Flags  # (n,)
    things: Singles  # (n, most, 4)
    count: Ints  # (n,)

    def of(self, players: npt.NDArray[np.int64]) -> tuple[Singles, Guests]:
        """Cameras and guests of some."""
        count = self.count[players]
        most = int(count.max(initial=0))
        if not most:
            return self.poses[players], Guests.none(len(players))
        return self.poses[players], Guests(np.ascontiguousarray(self.things[players, :most]), count)


class ArraMonPictures:
    """PictureSource a world of ArraMon's and its room. `device` is "cpu" or "cuda"; the rest as of `observe.RenderedPictures`."""

    def __init__(
        self, world: str, device: str = "cpu", light: Light | None = None, samples: int = 1, shadows: bool = True
    ) -> None:
        self.world, self.device, self.light = world, check_device(device), light or Light()
        self.samples, self.shadows = check_samples(samples), shadows
        self.scenes = (scene_of(world), room_scene())
        self._renderers: tuple[Any, ...] = ()
        self._scratch: Pictures | None = None
        if device == "cuda":
            self._on_gpu()  # where there is none, that is said now

    def __getstate__(self) -> dict[str, Any]:
        """Without what lies on the GPU and the scenes, which are made again in another process."""
        return {name: self.__dict__[name] for name in ("world", "device", "light", "samples", "shadows")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def look(self, stands: Viewpoints, lens: Lens) -> Pictures:
        """Pictures in the CPU's memory."""
        if self.device == "cuda":
            seen = self.tensors(stands, lens)
            return _pictures([array.cpu().numpy() for array in _arrays(seen)], lens)
        groups = (np.flatnonzero(~stands.inside), np.flatnonzero(stands.inside))
        parts = [
            (who, self._render(scene, stands, who, lens))
            for who, scene in zip(groups, self.scenes, strict=True)
            if len(who)
        ]
        if len(parts) == 1:
            return parts[0][1]
        whole = [np.empty((len(stands.inside), *a.shape[1:]), a.dtype) for a in _arrays(parts[0][1])]
        for who, seen in parts:
            for array, some in zip(whole, _arrays(seen), strict=True):
                array[who] = some
        return _pictures(whole, lens)

    def _render(self, scene: Scene, stands: Viewpoints, who: npt.NDArray[np.int64], lens: Lens) -> Pictures:
        poses, guests = stands.of(who)
        return cpu.render(scene, poses, lens, self.light, self.samples, self.shadows, guests=guests)

    def room(self, count: int, lens: Lens) -> Pictures:
        """Room for pictures as torch tensors on the GPU."""
        out: Pictures = self._on_gpu()[0].empty(count, lens)
        return out

    def _on_gpu(self) -> tuple[Any, ...]:
        from bearleft.world.render.gpu import Renderer  # asks for CUDA when it is imported

        if not self._renderers:
            self._renderers = tuple(Renderer(scene) for scene in self.scenes)
        return self._renderers

    def tensors(
        self, stands: Viewpoints, lens: Lens, out: Pictures | None = None, layers: Sequence[str] = ("rgb",)
    ) -> Pictures:
        """Pictures as torch tensors on the GPU, all of them, or `layers` of them into `out` where that is given.

        Returns before the GPU is done. Both scenes are drawn into memory of ours, walkers first, and then put where
        they belong: to move what is there already costs a hundredth of drawing it.
        """
        import torch

        count, renderers = len(stands.inside), self._on_gpu()
        if self._scratch is None or len(self._scratch) < count or self._scratch.lens != lens:
            self._scratch = None  # first give back what there was
            self._scratch = self.room(count, lens)
        if out is None:
            out, layers = self.room(count, lens), LAYERS
        order = np.argsort(stands.inside, kind="stable")
        walkers = count - int(stands.inside.sum())
        for renderer, begin, end in zip(renderers, (0, walkers), (walkers, count), strict=True):
            if begin < end:
                poses, guests = stands.of(order[begin:end])
                some = _pictures([array[begin:end] for array in _arrays(self._scratch)], lens)
                renderer.into(some, poses, lens, self.light, self.samples, self.shadows, guests=guests)
        to = torch.as_tensor(order, device=out.rgb.device)
        for name in layers:
            getattr(out, name).index_copy_(0, to, getattr(self._scratch, name)[:count])
        return out


LAYERS = ("rgb", "depth", "instance", "part", "kind")


def _arrays(pictures: Pictures) -> list[Any]:
    return [getattr(pictures, name) for name in LAYERS]


def _pictures(arrays: Sequence[Any], lens: Lens) -> Pictures:
    rgb, depth, instance, part, kind = arrays
    return Pictures(rgb, depth, instance, part, kind, lens)


@lru_cache(maxsize=4)
def scene_of(world: str) -> Scene:
    """What stands in a world; of a released file's world nothing is known but the ground."""
    return open_scene() if world_kind(world).recorded else open_sections(world).city.scene


@lru_cache(maxsize=1)
def open_scene() -> Scene:
    """Open ground under the sky. Four low stones far out hold its corners."""
    rows = np.zeros(4, SOLID)
    rows["kind"], rows["instance"], rows["text"], rows["colour"] = Kind.BOX, 1, -1, 128
    rows["centre"] = [[x * OPEN_REACH, y * OPEN_REACH, 0.1] for x in (-1, 1) for y in (-1, 1)]
    rows["matrix"], rows["size"] = np.eye(3) * 0.1, 0.1
    area = np.zeros(1, AREA)
    area["uy"], area["ground"] = UNIT, Ground.PLAZA
    area["hx"] = area["hy"] = round(1000 * OPEN_REACH)
    return Scene.make(
        rows, [Ground.YARD, Ground.YARD], areas=area, templates=templates(), template_classes=template_classes()
    )


def middle(tasks: Tasks, episodes: Ints, world: str) -> npt.NDArray[np.float64]:
    """Where the scene's origin lies in each episode: open ground is the same everywhere, so it is the start."""
    if world_kind(world).recorded:
        return tasks.start[episodes, 0, :2]
    return np.zeros((len(episodes), 2))


def city_viewpoint(at: Spot, heading: float, lying: Sequence[CityItem], origin: Spot = (0.0, 0.0)) -> Viewpoints:
    """Where one player stands in the city."""
    pose = [[at[0] - origin[0], at[1] - origin[1], EYE, heading, PITCH, 0.0]]
    things = [(*np.subtract(one.at[:2], origin), 0.0, template_index(one.item, one.facing)) for one in lying]
    return _of_one(pose, False, things)


def room_viewpoint(cell: Cell, heading: float, standing: Sequence[RoomItem]) -> Viewpoints:
    """Where one player stands in the room; things are numbered column by column, row by row, from the floor up."""
    pose = [[*cell_position(cell)[:2], ROOM_EYE, heading, ROOM_PITCH, 0.0]]
    things = sorted(standing, key=lambda one: (one.cell[0], one.cell[2], one.cell[1]))
    return _of_one(pose, True, [(*cell_position(one.cell), template_index(one.item)) for one in things])


def _of_one(pose: list[list[float]], inside: bool, things: list[Any]) -> Viewpoints:
    rows = np.array([things], np.float32).reshape(1, len(things), 4)
    return Viewpoints(np.array(pose, np.float32), np.array([inside]), rows, np.array([len(things)], np.int32))


def stands(tasks: Tasks, state: State, world: str) -> Viewpoints:
    """Where all players of a batch stand, and what is around them."""
    players = len(state.leg)
    inside = state.leg % 2 == 1
    most = max(tasks.item.shape[1], tasks.most)
    poses, things = np.empty((players, 6), np.float32), np.empty((players, most, 4), np.float32)
    count = np.empty(players, np.int32)
    _stand(tasks, state, inside, middle(tasks, state.episode, world), poses, things, count)
    return Viewpoints(poses, inside, things, count)


@inlined
def _stand(
    tasks: Tasks,
    state: State,
    inside: Flags,
    origin: npt.NDArray[np.float64],
    poses: Singles,
    things: Singles,
    count: Ints,
) -> None:
    for i in range(len(inside)):
        pose, found, k = poses[i], 0, state.episode[i]
        pose[5] = 0.0
        if not inside[i]:
            pose[0], pose[1], pose[2] = state.where[i, 0] - origin[i, 0], state.where[i, 1] - origin[i, 1], EYE
            pose[3], pose[4] = state.heading[i], PITCH
            for j in range(tasks.lying[k]):
                if state.lying[i, j]:
                    thing = things[i, found]
                    thing[0], thing[1] = tasks.where[k, j, 0] - origin[i, 0], tasks.where[k, j, 1] - origin[i, 1]
                    thing[2], thing[3] = 0.0, tasks.template[k, j]
                    found += 1
        else:
            pose[0], pose[1] = (state.cell[i, 0] - DOOR[0]) * CELL_STEP, (state.cell[i, 1] - DOOR[2]) * CELL_STEP
            pose[2], pose[3], pose[4] = ROOM_EYE, state.turns[i] * TURN_DEGREES, ROOM_PITCH
            for column in range(COLUMNS):
                for row in range(ROWS):
                    for high in range(MAX_STACK_HEIGHT):
                        number = state.room[i, column, row, high]
                        if number < 0:
                            continue
                        thing = things[i, found]
                        thing[0], thing[1] = (column - DOOR[0]) * CELL_STEP, (row - DOOR[2]) * CELL_STEP
                        thing[2], thing[3] = high * STACK_HEIGHT, number * FACINGS
                        found += 1
        count[i] = found

"""Pictures of ArraMon worlds and of the room, with the items of each player."""

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
from bearleft.runtime.compiled import inline_jit
from bearleft.world.arramon.items.models import STACK_HEIGHT, template_classes, template_index, templates
from bearleft.world.arramon.moves import COLUMNS, DOOR, ROWS, TURN_DEGREES
from bearleft.world.arramon.moves import ROOM_CELL_SIZE as CELL_STEP
from bearleft.world.arramon.room import CAMERA_PITCH as ROOM_PITCH
from bearleft.world.arramon.room import EYE_HEIGHT as ROOM_EYE
from bearleft.world.arramon.room import cell_position, room_scene
from bearleft.world.arramon.sections.world import open_sections
from bearleft.world.arramon.task_setup import FACINGS, MAX_STACK_HEIGHT, CityItem, RoomItem
from bearleft.world.city.plan import AREA, DIRECTION_SCALE
from bearleft.world.render import cpu
from bearleft.world.render.camera import Lens
from bearleft.world.render.codes import Ground, SolidShape
from bearleft.world.render.cpu import Pictures, check_samples
from bearleft.world.render.devices import check_device
from bearleft.world.render.dynamic_objects import DynamicObjects
from bearleft.world.render.light import Light
from bearleft.world.render.scene import SOLID, Scene
from bearleft.world.worlds import world_kind

Ints = npt.NDArray[np.int32]
Position2D = tuple[float, float]
EYE_HEIGHT, CAMERA_PITCH = 1.6, -10.0  # metres and degrees in the city: items two metres ahead are visible
OPEN_REACH = 720.0  # metres of open ground around a start: more than both walks of a task together


@dataclass(frozen=True)
class Viewpoints:
    """Cameras of players, whether they are in the room, and the items around each."""

    poses: Singles  # (n, 6)
    inside: Flags  # (n,)
    objects: Singles  # (n, max items, 4)
    count: Ints  # (n,)

    def select(self, players: npt.NDArray[np.int64]) -> tuple[Singles, DynamicObjects]:
        """Return the cameras and the items of some players."""
        count = self.count[players]
        max_items = int(count.max(initial=0))
        if not max_items:
            return self.poses[players], DynamicObjects.none(len(players))
        return self.poses[players], DynamicObjects(np.ascontiguousarray(self.objects[players, :max_items]), count)


class ArraMonPictures:
    """Rendered pictures of an ArraMon world and of the room; arguments as of `RenderedPictures`."""

    def __init__(
        self, world: str, device: str = "cpu", light: Light | None = None, samples: int = 1, shadows: bool = True
    ) -> None:
        self.world, self.device, self.light = world, check_device(device), light or Light()
        self.samples, self.shadows = check_samples(samples), shadows
        self.scenes = (scene_of(world), room_scene())
        self._renderers: tuple[Any, ...] = ()
        self._scratch: Pictures | None = None
        if device == "cuda":
            self._on_gpu()  # raises InputError now if there is no GPU

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the scenes and the renderers on the GPU, which another process creates again."""
        return {name: self.__dict__[name] for name in ("world", "device", "light", "samples", "shadows")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def render(self, viewpoints: Viewpoints, lens: Lens) -> Pictures:
        """Return pictures in CPU memory."""
        if self.device == "cuda":
            rendered = self.tensors(viewpoints, lens)
            return _pictures([array.cpu().numpy() for array in _arrays(rendered)], lens)
        groups = (np.flatnonzero(~viewpoints.inside), np.flatnonzero(viewpoints.inside))
        parts = [
            (players, self._render(scene, viewpoints, players, lens))
            for players, scene in zip(groups, self.scenes, strict=True)
            if len(players)
        ]
        if len(parts) == 1:
            return parts[0][1]
        merged = [np.empty((len(viewpoints.inside), *a.shape[1:]), a.dtype) for a in _arrays(parts[0][1])]
        for players, rendered in parts:
            for array, part in zip(merged, _arrays(rendered), strict=True):
                array[players] = part
        return _pictures(merged, lens)

    def _render(self, scene: Scene, viewpoints: Viewpoints, players: npt.NDArray[np.int64], lens: Lens) -> Pictures:
        poses, dynamic_objects = viewpoints.select(players)
        return cpu.render(scene, poses, lens, self.light, self.samples, self.shadows, dynamic_objects=dynamic_objects)

    def allocate(self, count: int, lens: Lens) -> Pictures:
        """Return uninitialized pictures as torch tensors on the GPU."""
        out: Pictures = self._on_gpu()[0].empty(count, lens)
        return out

    def _on_gpu(self) -> tuple[Any, ...]:
        from bearleft.world.render.gpu import Renderer  # asks for CUDA when it is imported

        if not self._renderers:
            self._renderers = tuple(Renderer(scene) for scene in self.scenes)
        return self._renderers

    def tensors(
        self, viewpoints: Viewpoints, lens: Lens, out: Pictures | None = None, layers: Sequence[str] = ("rgb",)
    ) -> Pictures:
        """Return pictures as torch tensors on the GPU: all layers, or `layers` of them in `out` if that is given.

        Returns before the GPU is done. Both scenes are rendered into a scratch buffer, walkers in the city first, and
        then copied into place, which costs a hundredth of rendering them.
        """
        import torch

        count, renderers = len(viewpoints.inside), self._on_gpu()
        if self._scratch is None or len(self._scratch) < count or self._scratch.lens != lens:
            self._scratch = None  # free the old buffer first
            self._scratch = self.allocate(count, lens)
        if out is None:
            out, layers = self.allocate(count, lens), LAYERS
        order = np.argsort(viewpoints.inside, kind="stable")
        walkers = count - int(viewpoints.inside.sum())
        for renderer, begin, end in zip(renderers, (0, walkers), (walkers, count), strict=True):
            if begin < end:
                poses, dynamic_objects = viewpoints.select(order[begin:end])
                part = _pictures([array[begin:end] for array in _arrays(self._scratch)], lens)
                renderer.into(
                    part, poses, lens, self.light, self.samples, self.shadows, dynamic_objects=dynamic_objects
                )
        indices = torch.as_tensor(order, device=out.rgb.device)
        for name in layers:
            getattr(out, name).index_copy_(0, indices, getattr(self._scratch, name)[:count])
        return out


LAYERS = ("rgb", "depth", "instance", "part", "kind")


def _arrays(pictures: Pictures) -> list[Any]:
    return [getattr(pictures, name) for name in LAYERS]


def _pictures(arrays: Sequence[Any], lens: Lens) -> Pictures:
    rgb, depth, instance, part, kind = arrays
    return Pictures(rgb, depth, instance, part, kind, lens)


@lru_cache(maxsize=4)
def scene_of(world: str) -> Scene:
    """Return the scene of a world; for a world of a released file it is open ground."""
    return open_scene() if world_kind(world).from_release else open_sections(world).city.scene


@lru_cache(maxsize=1)
def open_scene() -> Scene:
    """Return open ground under the sky; four low stones mark its corners."""
    rows = np.zeros(4, SOLID)
    rows["kind"], rows["instance"], rows["text"], rows["colour"] = SolidShape.BOX, 1, -1, 128
    rows["centre"] = [[x * OPEN_REACH, y * OPEN_REACH, 0.1] for x in (-1, 1) for y in (-1, 1)]
    rows["matrix"], rows["size"] = np.eye(3) * 0.1, 0.1
    area = np.zeros(1, AREA)
    area["uy"], area["ground"] = DIRECTION_SCALE, Ground.PLAZA
    area["hx"] = area["hy"] = round(1000 * OPEN_REACH)
    return Scene.make(
        rows, [Ground.YARD, Ground.YARD], areas=area, templates=templates(), template_classes=template_classes()
    )


def scene_origins(tasks: Tasks, episodes: Ints, world: str) -> npt.NDArray[np.float64]:
    """Return the position of the scene's origin in each episode; on open ground that is the start."""
    if world_kind(world).from_release:
        return tasks.starts[episodes, 0, :2]
    return np.zeros((len(episodes), 2))


def city_viewpoint(
    position: Position2D, heading: float, city_items: Sequence[CityItem], origin: Position2D = (0.0, 0.0)
) -> Viewpoints:
    """Return the viewpoint of one player in the city."""
    pose = [[position[0] - origin[0], position[1] - origin[1], EYE_HEIGHT, heading, CAMERA_PITCH, 0.0]]
    objects = [(*np.subtract(item.at[:2], origin), 0.0, template_index(item.item, item.facing)) for item in city_items]
    return _single(pose, False, objects)


def room_viewpoint(cell: Cell, heading: float, room_items: Sequence[RoomItem]) -> Viewpoints:
    """Return the viewpoint of one player in the room; items are numbered by column, row and height."""
    pose = [[*cell_position(cell)[:2], ROOM_EYE, heading, ROOM_PITCH, 0.0]]
    objects = sorted(room_items, key=lambda item: (item.cell[0], item.cell[2], item.cell[1]))
    return _single(pose, True, [(*cell_position(item.cell), template_index(item.item)) for item in objects])


def _single(pose: list[list[float]], inside: bool, objects: list[Any]) -> Viewpoints:
    rows = np.array([objects], np.float32).reshape(1, len(objects), 4)
    return Viewpoints(np.array(pose, np.float32), np.array([inside]), rows, np.array([len(objects)], np.int32))


def batch_viewpoints(tasks: Tasks, state: State, world: str) -> Viewpoints:
    """Return the viewpoints of all players of a batch."""
    players = len(state.leg)
    inside = state.leg % 2 == 1
    max_items = max(tasks.items.shape[1], tasks.max_room_items)
    poses = np.empty((players, 6), np.float32)
    objects = np.zeros((players, max_items, 4), np.float32)  # also behind `count`: replays of legs are compared
    count = np.empty(players, np.int32)
    _fill_viewpoints(tasks, state, inside, scene_origins(tasks, state.episode, world), poses, objects, count)
    return Viewpoints(poses, inside, objects, count)


@inline_jit
def _fill_viewpoints(
    tasks: Tasks,
    state: State,
    inside: Flags,
    origin: npt.NDArray[np.float64],
    poses: Singles,
    objects: Singles,
    count: Ints,
) -> None:
    for i in range(len(inside)):
        pose, item, k = poses[i], 0, state.episode[i]
        pose[5] = 0.0
        if not inside[i]:
            pose[0], pose[1], pose[2] = (
                state.position[i, 0] - origin[i, 0],
                state.position[i, 1] - origin[i, 1],
                EYE_HEIGHT,
            )
            pose[3], pose[4] = state.heading[i], CAMERA_PITCH
            for j in range(tasks.item_counts[k]):
                if state.in_city[i, j]:
                    instance = objects[i, item]
                    instance[0], instance[1] = (
                        tasks.item_positions[k, j, 0] - origin[i, 0],
                        tasks.item_positions[k, j, 1] - origin[i, 1],
                    )
                    instance[2], instance[3] = 0.0, tasks.model_indices[k, j]
                    item += 1
        else:
            pose[0], pose[1] = (state.cell[i, 0] - DOOR[0]) * CELL_STEP, (state.cell[i, 1] - DOOR[2]) * CELL_STEP
            pose[2], pose[3], pose[4] = ROOM_EYE, state.rotations[i] * TURN_DEGREES, ROOM_PITCH
            for column in range(COLUMNS):
                for row in range(ROWS):
                    for high in range(MAX_STACK_HEIGHT):
                        number = state.room_items[i, column, row, high]
                        if number < 0:
                            continue
                        instance = objects[i, item]
                        instance[0], instance[1] = (column - DOOR[0]) * CELL_STEP, (row - DOOR[2]) * CELL_STEP
                        instance[2], instance[3] = high * STACK_HEIGHT, number * FACINGS
                        item += 1
        count[i] = item

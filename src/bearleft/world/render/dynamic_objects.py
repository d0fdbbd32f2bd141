"""Objects that only some cameras see: instances of a scene's templates, placed per camera."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bearleft.errors import InputError
from bearleft.world.render.scene import Scene

DynamicObject = tuple[float, float, float, int]


@dataclass(frozen=True, eq=False)
class DynamicObjects:
    """Per camera, the first `count` of its rows: x, y, z in metres, and the number of a template.

    In pictures, the k-th object of a camera is instance `Scene.dynamic_base` + k. NumPy arrays are checked; arrays on a
    GPU (numba or torch) are taken as they are.
    """

    rows: Any  # float32 (n, most, 4)
    count: Any  # int32 (n,)

    def __post_init__(self) -> None:
        for name, kind in (("rows", np.float32), ("count", np.int32)):
            array = getattr(self, name)
            if isinstance(array, (list, tuple, np.ndarray)):
                object.__setattr__(self, name, _array(array, kind, name))
        shape, counts = tuple(self.rows.shape), tuple(self.count.shape)
        if len(shape) != 3 or shape[1] < 1 or shape[2] != 4:
            raise InputError("dynamic objects as (cameras, at least 1, 4): x, y, z, template", f"shape {shape}", "rows")
        if counts != shape[:1]:
            raise InputError(f"the number of dynamic objects of each of {shape[0]} cameras", f"shape {counts}", "count")
        if self.on_cpu:
            self._check()

    @classmethod
    def of(cls, by_camera: Sequence[Sequence[DynamicObject]]) -> DynamicObjects:
        """Build from lists of (x, y, z, template), one for each camera."""
        count = np.array([len(objects) for objects in by_camera], np.int32)
        rows = np.zeros((len(by_camera), max(int(count.max(initial=0)), 1), 4), np.float32)
        for row, objects in zip(rows, by_camera, strict=True):
            if objects:
                rows_of_camera = _array(objects, np.float32, "dynamic_objects")
                if rows_of_camera.ndim != 2 or rows_of_camera.shape[1] != 4:
                    raise InputError(
                        "dynamic objects as (x, y, z, template)", f"shape {rows_of_camera.shape}", "dynamic_objects"
                    )
                row[: len(objects)] = rows_of_camera
        return cls(rows, count)

    @classmethod
    def none(cls, cameras: int) -> DynamicObjects:
        """Return no objects for a number of cameras."""
        return cls(np.zeros((cameras, 1, 4), np.float32), np.zeros(cameras, np.int32))

    def __len__(self) -> int:
        return len(self.count)

    @property
    def on_cpu(self) -> bool:
        """Return whether both arrays are NumPy arrays."""
        return isinstance(self.rows, np.ndarray) and isinstance(self.count, np.ndarray)

    def checked(self, scene: Scene, cameras: int) -> DynamicObjects:
        """Return self, or raise InputError if the cameras or templates do not match."""
        if len(self) != cameras:
            raise InputError(f"dynamic objects of {cameras} cameras", f"of {len(self)}", "dynamic_objects")
        if self.on_cpu:
            highest = int(self.rows[..., 3][self._in_use()].max(initial=-1))
            if highest >= scene.templates:
                raise InputError(f"numbers of the scene's {scene.templates} templates", f"{highest}", "dynamic_objects")
        return self

    def _in_use(self) -> Any:
        return np.arange(self.rows.shape[1]) < self.count[:, None]

    def _check(self) -> None:
        max_objects, count = self.rows.shape[1], self.count
        if len(count) and (count.min() < 0 or count.max() > max_objects):
            raise InputError(f"from 0 to {max_objects} dynamic objects", f"{count.min()} to {count.max()}", "count")
        used = self.rows[self._in_use()]
        if not np.isfinite(used).all():
            raise InputError("finite dynamic objects", "NaN or infinity", "rows")
        number = used[:, 3]
        wrong = (number < 0) | (number != np.floor(number))
        if wrong.any():
            raise InputError("the number of a template", f"{number[wrong][0]:g}", "rows")


def _array(values: Any, kind: Any, name: str) -> Any:
    """Return numbers as a C-ordered array of one type, for which kernels are compiled."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "iufb" and array.size:
            raise TypeError
        if kind == np.int32 and array.size and not np.equal(np.floor(array), array).all():
            raise ValueError
        return np.ascontiguousarray(array, kind)
    except (TypeError, ValueError) as error:
        raise InputError("whole numbers" if kind == np.int32 else "rows of numbers", str(values)[:60], name) from error

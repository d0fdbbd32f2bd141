"""Guests: what stands around in one camera's picture and not in another's. Each is one of its scene's templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bearleft.errors import InputError
from bearleft.world.render.scene import Scene

Guest = tuple[float, float, float, int]


@dataclass(frozen=True, eq=False)
class Guests:
    """Per camera, the first `count` of its rows: x, y, z in metres, and the number of a template.

    In pictures the k-th guest of a camera is instance `Scene.guest_base` + k. Arrays of numpy are checked. Those that
    lie on a GPU already, numba's or torch's, are taken as they are.
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
            raise InputError("guests as (cameras, at least 1, 4): x, y, z, template", f"shape {shape}", "rows")
        if counts != shape[:1]:
            raise InputError(f"how many guests each of {shape[0]} cameras has", f"shape {counts}", "count")
        if self.on_cpu:
            self._check()

    @classmethod
    def of(cls, around: Sequence[Sequence[Guest]]) -> Guests:
        """From lists of (x, y, z, template), one for each camera."""
        count = np.array([len(some) for some in around], np.int32)
        rows = np.zeros((len(around), max(int(count.max(initial=0)), 1), 4), np.float32)
        for row, some in zip(rows, around, strict=True):
            if some:
                one = _array(some, np.float32, "guests")
                if one.ndim != 2 or one.shape[1] != 4:
                    raise InputError("guests as (x, y, z, template)", f"shape {one.shape}", "guests")
                row[: len(some)] = one
        return cls(rows, count)

    @classmethod
    def none(cls, cameras: int) -> Guests:
        """Nobody, for so many cameras."""
        return cls(np.zeros((cameras, 1, 4), np.float32), np.zeros(cameras, np.int32))

    def __len__(self) -> int:
        return len(self.count)

    @property
    def on_cpu(self) -> bool:
        """Whether both arrays are numpy's."""
        return isinstance(self.rows, np.ndarray) and isinstance(self.count, np.ndarray)

    def checked(self, scene: Scene, cameras: int) -> Guests:
        """The same, or an error where they are of other cameras, or of templates that a scene does not have."""
        if len(self) != cameras:
            raise InputError(f"guests of {cameras} cameras", f"of {len(self)}", "guests")
        if self.on_cpu:
            highest = int(self.rows[..., 3][self._in_use()].max(initial=-1))
            if highest >= scene.templates:
                raise InputError(f"numbers of the scene's {scene.templates} templates", f"{highest}", "guests")
        return self

    def _in_use(self) -> Any:
        return np.arange(self.rows.shape[1]) < self.count[:, None]

    def _check(self) -> None:
        most, count = self.rows.shape[1], self.count
        if len(count) and (count.min() < 0 or count.max() > most):
            raise InputError(f"from 0 to {most} guests", f"{count.min()} to {count.max()}", "count")
        used = self.rows[self._in_use()]
        if not np.isfinite(used).all():
            raise InputError("finite guests", "NaN or infinity", "rows")
        number = used[:, 3]
        wrong = (number < 0) | (number != np.floor(number))
        if wrong.any():
            raise InputError("the number of a template", f"{number[wrong][0]:g}", "rows")


def _array(values: Any, kind: Any, name: str) -> Any:
    """Numbers as a C-ordered array of one type, which kernels are compiled for."""
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "iufb" and given.size:
            raise TypeError
        if kind == np.int32 and given.size and not np.equal(np.floor(given), given).all():
            raise ValueError
        return np.ascontiguousarray(given, kind)
    except (TypeError, ValueError) as error:
        raise InputError("whole numbers" if kind == np.int32 else "rows of numbers", str(values)[:60], name) from error

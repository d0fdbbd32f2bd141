"""Visibility table: the objects and parts in the panorama of each place, their directions, and how much is occluded.

Each pixel of a panorama counts as its share of the sphere. Rows of VISIBLE_OBJECT describe an object as a whole
(part 0) or one of its named parts. The ground (instance 0) has a row for each of its classes, the sky (instance -1)
one row.

`hidden` is the occluded fraction of an object: 0 if other objects cover nothing of it, 0.5 if they cover half of the
pixels that it would have alone. It is counted on the panorama's own pixels. For each pixel of the object's bounding box
that shows something else, we test whether its ray would hit the object if the scene held nothing else. If the box has
more than `kernels.RAYS` (1,024) pixels, a regular grid of about so many of them is used. For a part, only other objects
count as occluders: a car does not hide its own wheels. For the ground and the sky the fraction is NaN.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, format_value
from bearleft.runtime.compiled import parallel_map
from bearleft.runtime.progress import ProgressLines, announce
from bearleft.runtime.store import atomic_write, existing_file, file_lock, write_text
from bearleft.types import Progress
from bearleft.world.channel_images import class_name
from bearleft.world.render.camera import Lens, panorama
from bearleft.world.render.cpu import Pictures
from bearleft.world.render.devices import Render, renderer
from bearleft.world.render.scene import Scene
from bearleft.world.visibility.kernels import WINDOW, count_panorama

if TYPE_CHECKING:
    from bearleft.world.city.city import City

Rows = npt.NDArray[np.void]
Ints = npt.NDArray[np.int32]

# `part` is as in pictures: the number of the part in its low 8 bits, and of a window its column and floor.
VISIBLE_OBJECT = np.dtype(
    [
        ("place", "i4"),
        ("instance", "i4"),
        ("part", "i4"),
        ("kind", "u1"),  # class code as in pictures: CLASS_BASE + index, or a code of the ground
        ("share", "f4"),  # of the whole sphere
        ("heading", "f4"),
        ("pitch", "f4"),  # of its centre
        ("nearest", "f4"),
        ("median", "f4"),  # metres
        ("left", "f4"),
        ("width", "f4"),
        ("bottom", "f4"),
        ("top", "f4"),  # its box: `width` degrees clockwise from `left`
        ("hidden", "f4"),
    ]
)
KEY_COLUMNS, VALUE_COLUMNS = (
    ("instance", "part", "kind"),
    ("share", "heading", "pitch", "nearest", "median", "left", "width", "bottom", "top", "hidden"),
)
INDEX = np.dtype([("instance", "i4"), ("place", "i4"), ("share", "f4")])

FORMAT = 1
SETTING_NAMES = {
    "least": "min_share",
    "chunk": "places_per_file",
}  # keys in about.json that differ from parameters
PLACES_PER_FILE = 64
MIN_ANNOUNCED = 50  # places; fewer take a moment
BATCH_PANORAMAS = 32  # in memory
MIN_SHARE = 5e-5  # of the sphere: about four pixels of a 512 x 256 panorama

_FIRST_ITEMS: WeakKeyDictionary[Scene, Ints] = WeakKeyDictionary()


def count_visible(
    pictures: Pictures,
    scene: Scene,
    poses: npt.ArrayLike,
    places: npt.ArrayLike | None = None,
    windows: bool = False,
    min_share: float = 0.0,
) -> Rows:
    """Return rows of VISIBLE_OBJECT for panoramas of a scene, picture by picture, sorted by instance and part.

    Args:
        pictures: panoramas of the scene.
        scene: the scene.
        poses: the cameras' poses.
        places: the numbers to store (default: 0, 1, 2, ...).
        windows: make every window of a facade a part of its own; otherwise the windows of a wall are one row of class
            WINDOW.
        min_share: leave out what has a smaller share of the sphere.
    """
    pose_rows = np.asarray(poses, np.float64).reshape(-1, 6)
    count, height, width = pictures.depth.shape
    if int(pictures.instance.max(initial=0)) >= len(scene.arrays.class_of):
        raise InputError("pictures of this scene", f"a picture with instance {int(pictures.instance.max())}")
    if width != 2 * height or (pictures.lens is not None and pictures.lens.fov is not None):
        raise InputError("panoramas, twice as wide as high", f"pictures of {width} x {height}")
    if len(pose_rows) != count:
        raise InputError("as many poses as panoramas", f"{len(pose_rows)} and {count}")
    if pose_rows[:, 4:].any():
        raise InputError("level panoramas", "a pose with pitch or roll")
    check_min_share(min_share)
    numbers = np.arange(count) if places is None else np.asarray(places, int).reshape(count)
    first = _first_items(scene)

    def count_one(k: int) -> Rows:
        keys, values = count_panorama(
            scene.arrays,
            first,
            pose_rows[k, :4].astype(np.float32),
            pictures.instance[k],
            pictures.part[k],
            pictures.kind[k],
            pictures.depth[k],
            windows,
            min_share,
        )
        rows = np.zeros(len(keys), VISIBLE_OBJECT)
        rows["place"] = numbers[k]
        for names, columns in ((KEY_COLUMNS, keys), (VALUE_COLUMNS, values)):
            for name, column in zip(names, columns.T, strict=True):
                rows[name] = column
        for name in ("heading", "left"):
            rows[name] %= 360.0  # in single precision, just below 360 is 360
        return rows

    rows_by_picture = parallel_map(count_one, range(count))
    return np.concatenate(rows_by_picture) if rows_by_picture else np.zeros(0, VISIBLE_OBJECT)


def check_min_share(min_share: float) -> float:
    """Return a share of the sphere, or raise InputError."""
    if not 0 <= min_share <= 1:
        raise InputError("a share from 0 to 1", f"{min_share:g}", "min_share")
    return min_share


def _first_items(scene: Scene) -> Ints:
    """Return the first item (group of solids in the renderer) of every instance, and the end."""
    if scene not in _FIRST_ITEMS:
        item_instance = scene.arrays.mark[scene.arrays.item_first[:-1], 2]  # column 2 of mark: instance
        _FIRST_ITEMS[scene] = np.searchsorted(item_instance, np.arange(len(scene.arrays.class_of) + 1)).astype(np.int32)
    return _FIRST_ITEMS[scene]


@dataclass(frozen=True, eq=False)
class VisibilityTable:
    """The visible objects of every place of a city; rows are read from files on demand."""

    folder: Path
    plan: str  # hash of the city's plan
    places: int
    width: int  # of the panoramas it was counted on
    min_share: float
    places_per_file: int  # places in a file

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> VisibilityTable:
        """Open the table in a folder, or raise InputError if it is incomplete."""
        folder = Path(path)
        about = _read_about(existing_file(folder / "about.json", "the file about.json of a visibility table"))
        table = cls(folder, about["plan"], about["places"], about["width"], about["least"], about["chunk"])
        existing_file(folder / "index.npy", "a complete visibility table")
        return table

    def __len__(self) -> int:
        return self.places

    def at(self, place: int) -> Rows:
        """Return what is visible from a place (its number): rows of VISIBLE_OBJECT."""
        if not 0 <= place < self.places:
            raise InputError(f"a place from 0 to {self.places - 1}", format_value(place))
        rows = self._file_rows(place // self.places_per_file)
        begin, end = np.searchsorted(rows["place"], [place, place + 1])
        return np.array(rows[begin:end])

    def places_of(self, instance: int) -> Ints:
        """Return the places from which an object is visible, largest view first."""
        begin, end = np.searchsorted(self._index["instance"], [instance, instance + 1])
        entries = self._index[begin:end]
        return np.array(entries["place"][np.argsort(-entries["share"], kind="stable")], np.int32)

    def rows(self) -> Rows:
        """Return all rows."""
        return np.concatenate([self._file_rows(k) for k in range(-(-self.places // self.places_per_file))])

    def _file_rows(self, k: int) -> Rows:
        if k not in self._open:
            self._open[k] = load_rows(rows_file(self.folder, k))
        return self._open[k]

    @cached_property
    def _open(self) -> dict[int, Rows]:
        return {}

    @cached_property
    def _index(self) -> Rows:
        return load_rows(self.folder / "index.npy")


def class_statistics(table: VisibilityTable) -> list[dict[str, Any]]:
    """Return for every class the number of visible objects and places, and median distance and hidden share."""
    rows = table.rows()
    rows = rows[(rows["part"] == 0) & (rows["instance"] >= 0)]
    statistics = []
    for kind in np.unique(rows["kind"]):
        class_rows = rows[rows["kind"] == kind]
        hidden = class_rows["hidden"][np.isfinite(class_rows["hidden"])]
        statistics.append(
            {
                "class": class_name(int(kind)),
                "places": len(np.unique(class_rows["place"])),
                "things": len(np.unique(class_rows["instance"])),
                "median_metres": round(float(np.median(class_rows["median"])), 1),
                "median_hidden": round(float(np.median(hidden)), 3) if len(hidden) else None,
            }
        )
    return sorted(statistics, key=lambda row: -int(row["places"]))


def visibility_table(
    city: City,
    path: str | os.PathLike[str],
    width: int = 512,
    device: str = "cpu",
    min_share: float = MIN_SHARE,
    progress: Progress | None = None,
) -> VisibilityTable:
    """Build the table of a city in a folder, or complete it, and return it.

    Files of PLACES_PER_FILE places are written atomically, one after another; an interrupted build continues with the
    first missing file. A folder that holds another table, or anything else, is refused.

    Args:
        city: the city.
        path: the folder.
        width: width of the panoramas in pixels.
        device: "cpu" or "cuda", for rendering.
        min_share: leave out what has a smaller share of the sphere.
        progress: called with a label, the work done, and all of it.
    """
    lens, folder = panorama(width), Path(path)
    claim_folder(folder, table_settings(city, width, min_share, PLACES_PER_FILE))
    with file_lock(folder / "table"):
        return _build(city, folder, lens, device, min_share, len(city.graph), progress)


def table_settings(city: City, width: int, min_share: float, places_per_file: int) -> dict[str, str | int | float]:
    """Return the settings of a table as its file about.json holds them, or raise InputError."""
    if width % 2:
        raise InputError("an even width", format_value(width), "width")
    return {
        "format": FORMAT,
        "world": city.graph.name,
        "seed": city.plan.seed,
        "plan": city.plan.hash,
        "places": len(city.graph),
        "width": width,
        "least": check_min_share(min_share),
        "chunk": places_per_file,
    }


def _build(
    city: City, folder: Path, lens: Lens, device: str, min_share: float, count: int, progress: Progress | None
) -> VisibilityTable:
    """Build the missing files of a table; concurrent callers wait for the lock and find it complete."""
    missing = [k for k in range(-(-count // PLACES_PER_FILE)) if not rows_file(folder, k).exists()]
    done = count - sum(min(count, (k + 1) * PLACES_PER_FILE) - k * PLACES_PER_FILE for k in missing)
    if count - done >= MIN_ANNOUNCED:
        announce(f"Computing what is visible from {count - done:,} places of {city.graph.name}, once; kept in {folder}")
    progress = progress or ProgressLines(announce)
    render = renderer(city.scene, device) if missing else None
    for k in missing:
        assert render is not None
        for counted in write_rows_file(city, folder, k, render, lens, min_share):
            done += counted
            progress("places", done, count)
    if missing or not (folder / "index.npy").exists():
        save_rows(folder / "index.npy", _instance_index(folder, count))
    return VisibilityTable.read(folder)


def write_rows_file(
    city: City, folder: Path, file_index: int, render: Render, lens: Lens, min_share: float
) -> Iterator[int]:
    """Compute and write one file of a table; yield the number of places after each batch."""
    rows = []
    end = min(len(city.graph), (file_index + 1) * PLACES_PER_FILE)
    for begin in range(file_index * PLACES_PER_FILE, end, BATCH_PANORAMAS):
        places = np.arange(begin, min(end, begin + BATCH_PANORAMAS))
        poses = city.poses(places)
        rows.append(count_visible(render(poses, lens, shadows=False), city.scene, poses, places, min_share=min_share))
        yield len(places)
    save_rows(rows_file(folder, file_index), np.concatenate(rows))


def rows_file(folder: Path, file_index: int) -> Path:
    """Return the path of a file of rows."""
    return folder / f"places-{file_index:05d}.npy"


def load_rows(path: Path, mapped: bool = True) -> Rows:
    """Return the rows of a file, mapped into memory or read.

    Raises:
        InputError: It is not a file of rows.
    """
    try:
        return np.asarray(np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False))
    except (ValueError, EOFError, OSError) as error:
        hint = "Delete it and build the table again: only missing files are built."
        raise InputError("a file of a visibility table", "something else", file=str(path), hint=hint) from error


def save_rows(path: Path, rows: Rows) -> None:
    """Write rows to a file, whole or not at all."""
    with atomic_write(path, "wb") as stream:
        np.save(stream, rows, allow_pickle=False)


def _instance_index(folder: Path, count: int) -> Rows:
    """Return which places see an instance as a whole, sorted by instance."""
    parts = []
    for k in range(-(-count // PLACES_PER_FILE)):
        rows = load_rows(rows_file(folder, k))
        rows = rows[(rows["instance"] > 0) & (rows["part"] == 0) & (rows["kind"] != WINDOW)]
        entries = np.zeros(len(rows), INDEX)
        for name in INDEX.names or ():
            entries[name] = rows[name]
        parts.append(entries)
    index = np.concatenate(parts)
    return index[np.argsort(index["instance"], kind="stable")]


def claim_folder(folder: Path, about: dict[str, str | int | float]) -> None:
    """Write the settings of a table into its folder, or raise InputError if the folder holds something else."""
    if (folder / "about.json").exists():
        stored = _read_about(folder / "about.json")
        for name, value in about.items():
            if stored[name] != value:
                setting = SETTING_NAMES.get(name, name)
                got = f"one whose {setting} is {format_value(stored[name])}, not {format_value(value)}"
                raise InputError(
                    "a folder with this city's visibility table", got, file=str(folder), hint="Name another folder."
                )
        return
    if folder.is_file() or (folder.is_dir() and any(not path.name.startswith(".") for path in folder.iterdir())):
        raise InputError("a new folder, or one with a visibility table", "something else", file=str(folder))
    write_text(folder / "about.json", json.dumps(about, indent=1) + "\n")


def _read_about(path: Path) -> dict[str, Any]:
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        if about["format"] != FORMAT or not isinstance(about["places"], int):
            raise ValueError
        return {name: about[name] for name in ("format", "world", "seed", "plan", "places", "width", "least", "chunk")}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError("the settings of a visibility table", "something else", file=str(path)) from error

"""What is visible from a place: the things and parts of a panorama, where they are, and how much of them is hidden.

A panorama's pixels are not equal: each counts as its share of the sphere. Rows of SEEN tell of a thing as a whole (part
0) or of one of its named parts. The ground (instance 0) has a row for each of its classes, the sky (instance -1) one.

`hidden` is the share, of what would be seen of a thing if it stood alone, that others stand before. It is counted on
the panorama's own pixels: rays through those pixels of the thing's bounding box that show something else are cast at
the thing's own solids. Where the box has more than RAYS pixels, a regular grid of about RAYS of them stands for all.
Of a part it is told as if its own thing stood alone: what a car hides of its own wheels is not hidden. The ground and
the sky have no such share: theirs is NaN.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.runtime.compiled import spread
from bearleft.runtime.store import atomic_write, existing_file, lock, write_text
from bearleft.types import Progress
from bearleft.world.channel_images import class_name
from bearleft.world.render.camera import Lens, panorama
from bearleft.world.render.cpu import Pictures
from bearleft.world.render.devices import renderer
from bearleft.world.render.scene import Scene
from bearleft.world.visibility.kernels import WINDOW, see

if TYPE_CHECKING:
    from bearleft.world.city.city import City

Rows = npt.NDArray[np.void]
Ints = npt.NDArray[np.int32]

# `part` is as in pictures: the number of the part in its low 8 bits, and of a window its column and floor.
SEEN = np.dtype(
    [
        ("place", "i4"),
        ("instance", "i4"),
        ("part", "i4"),
        ("kind", "u1"),
        ("share", "f4"),  # of the whole sphere
        ("heading", "f4"),
        ("pitch", "f4"),  # of its middle
        ("nearest", "f4"),
        ("median", "f4"),  # metres
        ("left", "f4"),
        ("width", "f4"),
        ("bottom", "f4"),
        ("top", "f4"),  # its box: `width` degrees on from `left`
        ("hidden", "f4"),
    ]
)
WHAT, HOW = (
    ("instance", "part", "kind"),
    ("share", "heading", "pitch", "nearest", "median", "left", "width", "bottom", "top", "hidden"),
)
INDEX = np.dtype([("instance", "i4"), ("place", "i4"), ("share", "f4")])

FORMAT = 1
CHUNK = 64  # places in a file
BATCH = 32  # panoramas in memory
LEAST = 5e-5  # of the sphere: about four pixels of a panorama of 512 x 256

_ITEMS: WeakKeyDictionary[Scene, Ints] = WeakKeyDictionary()


def visible(
    pictures: Pictures,
    scene: Scene,
    poses: npt.ArrayLike,
    places: npt.ArrayLike | None = None,
    windows: bool = False,
    least: float = 0.0,
) -> Rows:
    """Rows of SEEN for panoramas of a scene, picture by picture, sorted by instance and part.

    `poses` are those that the panoramas were taken from, `places` the numbers to write down (else 0, 1, 2 ...). With
    `windows` every window of a facade is a part of its own, else those of a wall are one row of class WINDOW. What has
    less than the share `least` of the sphere is left out.
    """
    stood = np.asarray(poses, np.float64).reshape(-1, 6)
    count, height, width = pictures.depth.shape
    if int(pictures.instance.max(initial=0)) >= len(scene.arrays.class_of):
        raise InputError("pictures of this scene", f"one with thing {int(pictures.instance.max())}")
    if width != 2 * height or (pictures.lens is not None and pictures.lens.fov is not None):
        raise InputError("panoramas, twice as wide as high", f"pictures of {width} x {height}")
    if len(stood) != count:
        raise InputError("as many poses as panoramas", f"{len(stood)} and {count}")
    if stood[:, 4:].any():
        raise InputError("level panoramas", "a pose with pitch or roll")
    check_least(least)
    numbers = np.arange(count) if places is None else np.asarray(places, int).reshape(count)
    first = _items(scene)

    def one(k: int) -> Rows:
        what, how = see(
            scene.arrays,
            first,
            stood[k, :4].astype(np.float32),
            pictures.instance[k],
            pictures.part[k],
            pictures.kind[k],
            pictures.depth[k],
            windows,
            least,
        )
        rows = np.zeros(len(what), SEEN)
        rows["place"] = numbers[k]
        for names, columns in ((WHAT, what), (HOW, how)):
            for name, column in zip(names, columns.T, strict=True):
                rows[name] = column
        for name in ("heading", "left"):
            rows[name] %= 360.0  # in single precision, just below 360 is 360
        return rows

    found = spread(one, range(count))
    return np.concatenate(found) if found else np.zeros(0, SEEN)


def check_least(least: float) -> float:
    """A share of the sphere, or an error."""
    if not 0 <= least <= 1:
        raise InputError("a share from 0 to 1", f"{least:g}", "least")
    return least


def _items(scene: Scene) -> Ints:
    """The first item of every instance, and the end."""
    if scene not in _ITEMS:
        whose = scene.arrays.mark[scene.arrays.item_first[:-1], 2]
        _ITEMS[scene] = np.searchsorted(whose, np.arange(len(scene.arrays.class_of) + 1)).astype(np.int32)
    return _ITEMS[scene]


@dataclass(frozen=True, eq=False)
class Visible:
    """A table of what is visible from every place of a city; rows are read from its files when asked for."""

    folder: Path
    plan: str  # hash of the city's plan
    places: int
    width: int  # of the panoramas it was counted on
    least: float
    chunk: int  # places in a file

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Visible:
        """The table in a folder; an error for one that is not whole."""
        folder = Path(path)
        about = _about(existing_file(folder / "about.json", "a table of what is visible"))
        table = cls(folder, about["plan"], about["places"], about["width"], about["least"], about["chunk"])
        existing_file(folder / "index.npy", "a table that is whole")
        return table

    def __len__(self) -> int:
        return self.places

    def at(self, place: int) -> Rows:
        """What is visible from a place (its number): rows of SEEN."""
        if not 0 <= place < self.places:
            raise InputError(f"a place from 0 to {self.places - 1}", shown(place))
        rows = self._chunk(place // self.chunk)
        begin, end = np.searchsorted(rows["place"], [place, place + 1])
        return np.array(rows[begin:end])

    def places_of(self, instance: int) -> Ints:
        """The places from which a thing is visible, those first where it is largest."""
        begin, end = np.searchsorted(self._index["instance"], [instance, instance + 1])
        found = self._index[begin:end]
        return np.array(found["place"][np.argsort(-found["share"], kind="stable")], np.int32)

    def rows(self) -> Rows:
        """Everything at once."""
        return np.concatenate([self._chunk(k) for k in range(-(-self.places // self.chunk))])

    def _chunk(self, k: int) -> Rows:
        if k not in self._open:
            self._open[k] = _load(_file(self.folder, k))
        return self._open[k]

    @cached_property
    def _open(self) -> dict[int, Rows]:
        return {}

    @cached_property
    def _index(self) -> Rows:
        return _load(self.folder / "index.npy")


def classes_seen(table: Visible) -> list[dict[str, Any]]:
    """For every class, how many things are seen, from how many places, and their usual distance and share hidden."""
    rows = table.rows()
    rows = rows[(rows["part"] == 0) & (rows["instance"] >= 0)]
    found = []
    for kind in np.unique(rows["kind"]):
        some = rows[rows["kind"] == kind]
        hidden = some["hidden"][np.isfinite(some["hidden"])]
        found.append(
            {
                "class": class_name(int(kind)),
                "places": len(np.unique(some["place"])),
                "things": len(np.unique(some["instance"])),
                "median_metres": round(float(np.median(some["median"])), 1),
                "median_hidden": round(float(np.median(hidden)), 3) if len(hidden) else None,
            }
        )
    return sorted(found, key=lambda row: -int(row["places"]))


def visibility_table(
    city: City,
    path: str | os.PathLike[str],
    width: int = 512,
    device: str = "cpu",
    least: float = LEAST,
    progress: Progress | None = None,
) -> Visible:
    """What is visible from every place of a city, counted on panoramas of `width` and kept in a folder.

    Files of CHUNK places appear whole, one after another; after a kill the same call goes on with the first that is
    missing. A folder that holds another city's table, or anything else, is refused.
    """
    lens, folder, count = panorama(width), Path(path), len(city.graph)
    about = {
        "format": FORMAT,
        "world": city.graph.name,
        "seed": city.plan.seed,
        "plan": city.plan.hash,
        "places": count,
        "width": width,
        "least": check_least(least),
        "chunk": CHUNK,
    }
    if width % 2:
        raise InputError("an even width", shown(width), "width")
    _claim(folder, about)
    with lock(folder / "table"):
        return _build(city, folder, lens, device, least, count, progress)


def _build(
    city: City, folder: Path, lens: Lens, device: str, least: float, count: int, progress: Progress | None
) -> Visible:
    """What is missing of a table; who comes while another builds it waits, and finds it there."""
    todo = [k for k in range(-(-count // CHUNK)) if not _file(folder, k).exists()]
    done = count - sum(min(count, (k + 1) * CHUNK) - k * CHUNK for k in todo)
    render = renderer(city.scene, device) if todo else None
    for k in todo:
        found = []
        for begin in range(k * CHUNK, min(count, (k + 1) * CHUNK), BATCH):
            places = np.arange(begin, min(count, (k + 1) * CHUNK, begin + BATCH))
            poses = city.poses(places)
            assert render is not None
            found.append(visible(render(poses, lens, shadows=False), city.scene, poses, places, least=least))
            done += len(places)
            if progress:
                progress("places", done, count)
        _save(_file(folder, k), np.concatenate(found))
    if todo or not (folder / "index.npy").exists():
        _save(folder / "index.npy", _inverse(folder, count))
    return Visible.read(folder)


def _file(folder: Path, chunk: int) -> Path:
    return folder / f"places-{chunk:05d}.npy"


def _load(path: Path) -> Rows:
    try:
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (ValueError, EOFError, OSError) as error:
        hint = "Delete it, and build the table again: only what is missing is done."
        raise InputError("a file of a table", "something else", file=str(path), hint=hint) from error


def _save(path: Path, rows: Rows) -> None:
    with atomic_write(path, "wb") as stream:
        np.save(stream, rows, allow_pickle=False)


def _inverse(folder: Path, count: int) -> Rows:
    """Which places see an instance as a whole, sorted by instance."""
    found = []
    for k in range(-(-count // CHUNK)):
        rows = np.load(_file(folder, k))
        rows = rows[(rows["instance"] > 0) & (rows["part"] == 0) & (rows["kind"] != WINDOW)]
        some = np.zeros(len(rows), INDEX)
        for name in INDEX.names or ():
            some[name] = rows[name]
        found.append(some)
    index = np.concatenate(found)
    return index[np.argsort(index["instance"], kind="stable")]


def _claim(folder: Path, about: dict[str, Any]) -> None:
    """Writes what a folder is of; an error where it is of something else."""
    if (folder / "about.json").exists():
        there = _about(folder / "about.json")
        for name, value in about.items():
            if there[name] != value:
                got = f"one whose {name} is {shown(there[name])}, not {shown(value)}"
                raise InputError("a folder of this city's table", got, file=str(folder), hint="Name another folder.")
        return
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise InputError("a new folder, or one with a table", "something else", file=str(folder))
    write_text(folder / "about.json", json.dumps(about, indent=1) + "\n")


def _about(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
        if found["format"] != FORMAT or not isinstance(found["places"], int):
            raise ValueError
        return {name: found[name] for name in ("format", "world", "seed", "plan", "places", "width", "least", "chunk")}
    except (ValueError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise InputError("what a table is of", "something else", file=str(path)) from error

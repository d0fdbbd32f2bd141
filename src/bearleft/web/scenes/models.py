"""3-D models as glTF files: made when first asked for, one at a time, then kept in the cache folder."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

import bearleft.world.arramon
import bearleft.world.render
import bearleft.world.tiles
from bearleft.runtime.store import atomic_write
from bearleft.world.arramon.items.names import item_by_name
from bearleft.world.arramon.sections.world import open_sections
from bearleft.world.tiles.arramon import make_item, make_room, make_section, section_square


class ModelCache:
    """Models of sections, of the room and of its items.

    Args:
        folder: Where the files are kept.

    Attributes:
        made: How many were made here; the others were there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.made = folder, 0
        self._lock = threading.Lock()

    def section(self, world: str, number: int) -> Path:
        """Return the model of a section; raise InputError if there is none."""
        section_square(world, number)
        plan = open_sections(world).city.plan
        name = f"section-{hashlib.sha256(f'{world} {plan.hash}'.encode()).hexdigest()[:12]}-{number}"
        return self._file(name, lambda: make_section(world, number))

    def room(self) -> Path:
        """Return the model of the empty room."""
        return self._file("room", make_room)

    def item(self, name: str) -> Path:
        """Return the model of an item; raise InputError if there is none."""
        item = item_by_name(name)
        return self._file(item.name.replace(" ", "-").lower(), lambda: make_item(item.name))

    def _file(self, name: str, make: Callable[[], bytes]) -> Path:
        path = self.folder / f"models-{_digest()}" / f"{name}.glb"
        if path.exists():
            return path
        with self._lock:
            if not path.exists():
                content = make()
                with atomic_write(path, "wb") as stream:
                    stream.write(content)
                self.made += 1
        return path


@cache
def _digest() -> str:
    """Return a hash of the sources that models depend on, so that those of another version are not served."""
    digest = hashlib.sha256()
    for package in (bearleft.world.arramon, bearleft.world.render, bearleft.world.tiles):
        for file in sorted(Path(str(package.__file__)).parent.rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]

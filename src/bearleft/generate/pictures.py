"""Pictures of generated datasets: panoramas beside a dataset, and their file names in its records.

`pictures/WORLD` in the dataset's folder is an album of the places that records name. Each record gets a field
`pictures`: the file of each place, relative to the dataset's folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bearleft.data.dataset import PICTURES
from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import Json
from bearleft.types import DataFolder, Progress

if TYPE_CHECKING:
    from bearleft.world.album.write import AlbumConfig

PANORAMA_FIELDS = ("main_pano", "pre_pano", "post_pano")


def _touchdown_places(row: Json) -> tuple[str, list[str]]:
    return row["city"], [*row["route_panoids"], *_sdr_places(row)[1]]


def _sdr_places(row: Json) -> tuple[str, list[str]]:
    return row["city"], [row[name] for name in PANORAMA_FIELDS if row[name]]


def _refer360_places(row: Json) -> tuple[str, list[str]]:
    return row["img_src"].removesuffix(f"/{row['img_idx']}"), [row["img_idx"]]


def _episode_places(row: Json) -> tuple[str, list[str]]:
    goals = [leg["goal"] for leg in row["legs"]]
    routes = [place for goal in goals for place in goal.get("reach", ())]
    return row["world"], [row["start"]["place"], *routes, *(goal["place"] for goal in goals if "place" in goal)]


# World and places of a record, by dataset.
PLACES: Mapping[str, Callable[[Json], tuple[str, list[str]]]] = {
    "city/touchdown": _touchdown_places,
    "city/sdr": _sdr_places,
    "city/refer360": _refer360_places,
    "city/pairs": _episode_places,
}
ZERO_YAW = ("city/refer360",)  # longitude 0 is in the middle of pictures; elsewhere the place's own yaw


def check_pictures(dataset: str, config: AlbumConfig) -> None:
    """Raise InputError for a dataset whose agents do not stand at places, and for pictures without colours."""
    if dataset not in PLACES:
        hint = "Agents of city/arramon walk freely; bearleft/ArraMon-v0 renders what they see."
        raise InputError(f"a dataset with panoramas: {', '.join(PLACES)}", format_value(dataset), PICTURES, hint=hint)
    if "rgb" not in config.channels:
        got = format_value(",".join(config.channels))
        raise InputError("channels with rgb, which records name", got, PICTURES, hint="Such as --channel rgb,depth.")


def read_rows(path: Path) -> list[Json]:
    """Return the records of a split's file, lines or one array."""
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else json.loads(text)


def record_pictures(row: Json) -> dict[str, str]:
    """Return the file of each place of a record, relative to the dataset's folder; empty without pictures."""
    names: dict[str, str] = row.get("extra", row).get(PICTURES, {})
    return names


def album_name(world: str) -> str:
    """Return the folder name of a world's album."""
    return world.replace("/", "-")


@dataclass(frozen=True)
class DatasetPictures:
    """The pictures of a dataset.

    Args:
        dataset: The dataset, such as "city/sdr".
        folder: Its folder.
        config: What the pictures are like.
        city: Seed of the city on a street graph without buildings.
        data: Folder of the datasets, for streets that are read from files.
    """

    dataset: str
    folder: Path
    config: AlbumConfig
    city: int | None = None
    data: DataFolder = None

    def album_folder(self, world: str) -> Path:
        """Return the folder of a world's album."""
        return self.folder / PICTURES / album_name(world)

    def render(
        self, rows: Iterable[Json], report: Callable[[str], None], progress: Progress | None
    ) -> dict[str, dict[str, str]]:
        """Render the panoramas of all places that records name, resuming an interrupted run.

        Args:
            rows: The records of all splits.
            report: Called with a line per world before anything is rendered: how many pictures, and of which size.
            progress: Called with a label, the work done and the total.

        Returns:
            The file of each place by world, relative to the dataset's folder.
        """
        # Imported late: albums are compiled code.
        from bearleft.world.album.layout import RGB, file_name, present_files, read_places
        from bearleft.world.album.write import write_album

        places: dict[str, dict[str, None]] = {}
        for row in rows:
            world, named = PLACES[self.dataset](row)
            places.setdefault(world, {}).update(dict.fromkeys(named))
        config = replace(self.config, yaw=0.0 if self.dataset in ZERO_YAW else None)
        width, height = config.size
        for world, ids in places.items():
            channels = "" if config.channels == (RGB,) else f" ({', '.join(config.channels)})"
            size = f"{width} x {height} pixels{channels}"
            stored = present_files(self.album_folder(world), [RGB])[RGB]
            existing = sum(f"{file_name(place)}.{config.picture}" in stored for place in ids)
            kept = f", of which {existing:,} exist" if existing else ""
            report(f"{world}: {len(ids):,} panoramas of {size} in {self.album_folder(world)}{kept}")
        files: dict[str, dict[str, str]] = {}
        for world, ids in places.items():
            folder = self.album_folder(world)
            write_album(folder, world, config, self.city, list(ids), data=self.data, progress=progress)
            names = {
                entry.id: (folder / entry.file).relative_to(self.folder).as_posix() for entry in read_places(folder)
            }
            files[world] = {place: names[place] for place in ids}
        return files

    def add_names(self, rows: Iterable[Json], files: Mapping[str, Mapping[str, str]]) -> list[Json]:
        """Return the records with the files of their places in the field `pictures`."""
        named = []
        for row in rows:
            world, places = PLACES[self.dataset](row)
            names = {place: files[world][place] for place in places}
            if "extra" in row:  # an episode
                named.append({**row, "extra": {**row["extra"], PICTURES: names}})
            else:
                named.append({**row, PICTURES: names})
        return named

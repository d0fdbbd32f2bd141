"""Our own files: one episode per line, as `Episode.to_json` writes it; for datasets that are not anybody else's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bearleft.data.dataset import Dataset
from bearleft.errors import InputError, shown
from bearleft.records import Episode
from bearleft.runtime.json_fields import Fields, Json


def read(dataset: Dataset) -> Iterator[Episode]:
    """The episodes of the file. Their worlds are not opened, so routes are not checked against a graph."""

    def episodes(row: Fields) -> Iterator[Episode]:
        episode = Episode.from_json(row.value)
        _known(row.value, episode.to_json(), "")
        yield episode

    return dataset.by_line(episodes)


def rows(episodes: Iterable[Episode]) -> Iterator[Json]:
    """One object for each episode."""
    return (episode.to_json() for episode in episodes)


def _known(value: Json, understood: Json, field: str) -> None:
    """An error for a field that nobody read: a misspelt optional field would else be lost without a word."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in understood:
                _known(inner, understood[name], f"{field}.{name}".removeprefix("."))
            elif inner != []:
                raise InputError(f"fields {', '.join(understood)}", shown(name), field)
    elif isinstance(value, list):
        for k, (inner, other) in enumerate(zip(value, understood, strict=False)):
            _known(inner, other, f"{field}[{k}]")

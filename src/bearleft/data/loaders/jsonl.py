"""Loader and writer for bearleft's own files: one episode per line, as `Episode.to_json` writes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bearleft.data.dataset import Dataset
from bearleft.errors import InputError, format_value
from bearleft.records import Episode
from bearleft.runtime.json_fields import Fields, Json


def read(dataset: Dataset) -> Iterator[Episode]:
    """Yield the episodes of the file; routes are not checked against a graph."""

    def episodes(row: Fields) -> Iterator[Episode]:
        episode = Episode.from_json(row.value)
        _check_no_unread_fields(row.value, episode.to_json(), "")
        yield episode

    return dataset.read_lines(episodes)


def rows(episodes: Iterable[Episode]) -> Iterator[Json]:
    """Yield one object per episode."""
    return (episode.to_json() for episode in episodes)


def _check_no_unread_fields(value: Json, parsed: Json, field: str) -> None:
    """Raise InputError for a field that was not read, such as a misspelt optional one."""
    if isinstance(value, dict):
        for name, value_inside in value.items():
            if name in parsed:
                _check_no_unread_fields(value_inside, parsed[name], f"{field}.{name}".removeprefix("."))
            elif value_inside != []:
                raise InputError(f"fields {', '.join(parsed)}", format_value(name), field)
    elif isinstance(value, list):
        for k, (value_inside, other) in enumerate(zip(value, parsed, strict=False)):
            _check_no_unread_fields(value_inside, other, f"{field}[{k}]")

"""`report`: one HTML file with scores, charts, and every example, from files of traces."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bearleft.metrics.trace_values import PAPER
from bearleft.reports.html.data import examples_data, summary_data, worlds_of
from bearleft.reports.html.groups import (
    frequent_phenomena,
    group_episodes,
    make_charts,
    phenomenon_spans,
    played_episodes,
)
from bearleft.reports.html.loading import ReportData, load_report_data
from bearleft.reports.html.maps import map_data_at
from bearleft.reports.html.page import write_page
from bearleft.reports.html.pictures import Limits, ReportPictures, ReportWorlds, make_pictures, open_worlds
from bearleft.reports.html.pointed_positions import add_positions
from bearleft.reports.pictures.output import Written, check_output
from bearleft.runtime.json_fields import Json
from bearleft.types import DataFolder, Progress

ENDINGS = (".html", ".htm")
Folder = str | os.PathLike[str]


def report(
    *files: str | os.PathLike[str],
    output: str | os.PathLike[str],
    dataset: str | None = None,
    title: str | None = None,
    examples: int | None = None,
    pictures: Folder | Sequence[Folder] | None = None,
    city: int | None = None,
    device: str = "cpu",
    full: bool = False,
    data: DataFolder = None,
    progress: Progress | None = None,
    with_pictures: bool = True,
    convention: str = PAPER,
    limits: Limits | None = None,
) -> Written:
    """Write one self-contained HTML file with the episodes, traces and scores of one or more agents.

    Args:
        files: Files of traces, or of other tools' predictions.
        output: File to write, ending in .html or .htm.
        dataset: Dataset of predictions that do not name it.
        title: Heading of the page; by default it names agents and datasets.
        examples: Upper bound on the number of shown examples; all are scored.
        pictures: Folders of panoramas to show.
        city: Seed of the city to build on street graphs that have none.
        device: "cpu" or "cuda", for rendering.
        full: Include all pictures, regardless of time and size.
        data: Data folder.
        progress: Called with a label, the work done, and its total.
        with_pictures: False shows maps but no pictures.
        convention: Whose definitions of metrics to follow.
        limits: Time and size of the pictures; by default `Limits.default()`, or `Limits.full()` with `full`.

    Returns:
        One row that describes the file, and the notes that the page shows.

    Raises:
        InputError: If a file cannot be read or scored, or an option is invalid.
    """
    began, path = time.perf_counter(), check_output(output, ENDINGS)
    limits = limits or (Limits.full() if full else Limits.default())
    report_data = load_report_data(files, dataset, examples, data, progress, convention)
    worlds = open_worlds(worlds_of(report_data), _folders(pictures), city, device, data, progress)
    report_pictures = _make_pictures(report_data, worlds, limits, progress) if with_pictures else ReportPictures()
    episode_keys = played_episodes(report_data)
    spans = {key: phenomenon_spans(report_data.datasets[key[0]].episodes[key[1]]) for key in episode_keys}
    phenomena = frequent_phenomena(spans)
    groups = group_episodes(report_data, spans, phenomena)
    notes = [*worlds.notes, *report_pictures.notes] if with_pictures else []
    page_title = title if title is not None else _title(report_data)
    summary = summary_data(report_data, make_charts(report_data, groups), phenomena, page_title, notes)
    summary["film_options"] = [worlds.command_options(world) for world in worlds_of(report_data)]
    graphs = {world: worlds.graph(world) for world in worlds_of(report_data)}
    examples_rows = examples_data(report_data, groups, spans, phenomena, graphs, report_pictures)
    if with_pictures:
        add_positions(examples_rows, worlds_of(report_data), worlds)
    if progress:
        progress("writing", 0, 1)
    write_page(path, summary, examples_rows, _map_data(report_data, examples_rows, worlds), report_pictures.pictures)
    row = {
        "file": str(path),
        "bytes": path.stat().st_size,
        "episodes": len(report_data.examples),
        "agents": len(report_data.agents),
        "traces": len(report_data.traces),
        "pictures": len(report_pictures.pictures),
        "seconds": round(time.perf_counter() - began, 2),
    }
    return Written([row], summary["notes"])


def _folders(pictures: Folder | Sequence[Folder] | None) -> list[Folder]:
    if pictures is None:
        return []
    return [pictures] if isinstance(pictures, str | os.PathLike) else list(pictures)


def _title(report_data: ReportData) -> str:
    """Name agents and datasets, as long as the title stays short."""
    names = [dataset.name for dataset in report_data.datasets]
    agents = [agent.name for agent in report_data.agents]
    agent_names = ", ".join(agents) if len(agents) <= 4 else f"{len(agents)} agents"
    return f"{agent_names} on {', '.join(names) if len(names) <= 2 else f'{len(names)} datasets'}"


def _make_pictures(
    report_data: ReportData, worlds: ReportWorlds, limits: Limits, progress: Progress | None
) -> ReportPictures:
    """Make the pictures of the examples; traces get the episode's name of their dataset, which may be a path."""
    episodes = [example.episode for example in report_data.examples]
    traces = [
        replace(shown.trace, dataset=example.episode.dataset)
        for example in report_data.examples
        for shown in example.traces
    ]
    return make_pictures(episodes, traces, worlds, limits, progress)


def _map_data(report_data: ReportData, examples_rows: dict[str, Any], worlds: ReportWorlds) -> list[Json]:
    """Return the map of each world around the places that examples refer to."""
    maps: list[Json] = []
    for world, places in zip(worlds_of(report_data), examples_rows["places"], strict=True):
        source = worlds.map_source(world)
        positions = [(x, y) for x, y in zip(places["x"], places["y"], strict=True) if x is not None]
        maps.append(map_data_at(source, np.array(positions)) if source is not None and positions else {"marks": []})
    return maps

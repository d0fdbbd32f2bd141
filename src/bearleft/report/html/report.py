"""`report`: files of traces become one HTML file with their scores, charts, and every example to look at."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bearleft.evaluate.measures import PAPER
from bearleft.evaluate.score import Data, Progress
from bearleft.report.html.data import head, rows, worlds_of
from bearleft.report.html.groups import charts, groupings, marks_of, phenomena_of, played
from bearleft.report.html.loading import Gathered, gather
from bearleft.report.html.maps import ground_at
from bearleft.report.html.page import write_page
from bearleft.report.html.pictures import Limits, Sights, Worlds, open_eyes, see
from bearleft.report.pictures.output import Written, checked_output
from bearleft.runtime.json_fields import Json

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
    data: Data = None,
    progress: Progress | None = None,
    look: bool = True,
    convention: str = PAPER,
) -> Written:
    """One HTML file that needs no network: what was done in each example, and how well, for one or more agents.

    `dataset` says what others' predictions are of, `examples` how many are shown at most (all are scored). `pictures`
    are albums to look at, `city` the seed of the one on streets that have none of their own; without `look` there are
    maps but no pictures, and with `full` all pictures, however many. `convention` says whose definitions scores follow.
    """
    begin, path = time.perf_counter(), checked_output(output, ENDINGS)
    gathered = gather(files, dataset, examples, data, progress, convention)
    worlds = open_eyes(worlds_of(gathered), _folders(pictures), city, device, data, progress)
    sights = _sights(gathered, worlds, full, progress) if look else Sights()
    keys = played(gathered)
    marks = {key: marks_of(gathered.datasets[key[0]].episodes[key[1]]) for key in keys}
    phenomena = phenomena_of(marks)
    groups = groupings(gathered, marks, phenomena)
    notes = [*worlds.notes, *sights.notes] if look else []
    said = title if title is not None else _title(gathered)
    top = head(gathered, charts(gathered, groups), phenomena, said, notes)
    top["film"] = [worlds.typed(world) for world in worlds_of(gathered)]
    graphs = {world: worlds.graph(world) for world in worlds_of(gathered)}
    below = rows(gathered, groups, marks, phenomena, graphs, sights)
    if progress:
        progress("writing", 0, 1)
    write_page(path, top, below, _grounds(gathered, below, worlds), sights.pictures)
    row = {
        "file": str(path),
        "bytes": path.stat().st_size,
        "episodes": len(gathered.examples),
        "agents": len(gathered.agents),
        "traces": len(gathered.traces),
        "pictures": len(sights.pictures),
        "seconds": round(time.perf_counter() - begin, 2),
    }
    return Written([row], top["notes"])


def _folders(pictures: Folder | Sequence[Folder] | None) -> list[Folder]:
    if pictures is None:
        return []
    return [pictures] if isinstance(pictures, str | os.PathLike) else list(pictures)


def _title(gathered: Gathered) -> str:
    """Who did what, where that is short enough for a heading."""
    names = [dataset.name for dataset in gathered.datasets]
    agents = [agent.name for agent in gathered.agents]
    who = ", ".join(agents) if len(agents) <= 4 else f"{len(agents)} agents"
    return f"{who} on {', '.join(names) if len(names) <= 2 else f'{len(names)} datasets'}"


def _sights(gathered: Gathered, worlds: Worlds, full: bool, progress: Progress | None) -> Sights:
    """Pictures of the examples. A trace may call its dataset by a path; here it has its episode's name for it."""
    episodes = [example.episode for example in gathered.examples]
    traces = [
        replace(done.trace, dataset=example.episode.dataset) for example in gathered.examples for done in example.done
    ]
    return see(episodes, traces, worlds, Limits.full() if full else Limits.usual(), progress)


def _grounds(gathered: Gathered, below: dict[str, Any], worlds: Worlds) -> list[Json]:
    """The map of each world around the places that examples refer to."""
    found: list[Json] = []
    for world, places in zip(worlds_of(gathered), below["places"], strict=True):
        where = worlds.where(world)
        known = [(x, y) for x, y in zip(places["x"], places["y"], strict=True) if x is not None]
        found.append(ground_at(where, np.array(known)) if where is not None and known else {"marks": []})
    return found

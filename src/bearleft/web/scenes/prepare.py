"""3-D models made ahead: all that the pages of a database's projects show, so that no worker waits for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import InputError
from bearleft.language.analysis.screening import PLACEMENT_TEST
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Project, Unit
from bearleft.web.scenes.models import ModelCache
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings
from bearleft.web.tasks.arramon.sessions import is_map
from bearleft.world.arramon.task_setup import TaskSetup

Progress = Callable[[str, int, int], None]
Maker = Callable[[ModelCache], Path]
FAMILY = "arramon"


def prepare_models(settings: Settings, progress: Progress = lambda *_: None) -> list[dict[str, Any]]:
    """Make the 3-D models of all projects of a database that are not there yet, and return a row for each kind.

    Args:
        settings: The settings; the models are kept in their cache folder.
        progress: Called with a label, the models done, and the total.

    Raises:
        InputError: The database cannot be opened.
    """
    worlds = SceneWorlds(settings.data, settings.pictures, settings.city, settings.device)
    models = ModelCache(settings.cache)
    database = open_database(settings.database)
    try:
        with database.read() as session:
            makers = dict(needed_models(session, worlds))
    finally:
        database.close()
    counts: dict[str, list[int]] = {}
    for done, ((kind, *_), make) in enumerate(makers.items()):
        progress("3-D models", done, len(makers))
        made = models.made
        make(models)
        row = counts.setdefault(kind, [0, 0])
        row[0] += 1
        row[1] += models.made - made
    progress("3-D models", len(makers), len(makers))
    return [{"models": kind, "needed": needed, "made now": made} for kind, (needed, made) in counts.items()]


def needed_models(session: Session, worlds: SceneWorlds) -> Iterator[tuple[tuple[str, ...], Maker]]:
    """Yield the models that pages of all projects show: kind and name, and what makes it. Some come several times.

    Maps of datasets that are no longer there are left out: nobody can work on them.
    """
    query = select(Unit.payload).join(Project, Project.id == Unit.project_id).where(Project.family == FAMILY)
    payloads = session.scalars(query).all()
    if not payloads:
        return
    named = {(one.get("dataset"), one.get("episode")) for one in payloads}
    maps = sorted((str(dataset), str(name)) for dataset, name in named if dataset and name)
    setups = {("", ""): PLACEMENT_TEST.task_setup}
    for dataset, name in maps:
        try:
            episode = worlds.episode(dataset, name)
        except InputError:
            continue
        if not is_map(episode):
            continue  # of an imported file
        setup = setups[dataset, name] = TaskSetup.from_episode(episode)
        yield ("sections", episode.world, str(setup.section)), _section(episode.world, setup.section)
    yield ("rooms",), ModelCache.room
    for setup in setups.values():
        names = [item.item for item in setup.city_items] + [item.item for item in setup.room_items]
        yield from ((("items", name), _item(name)) for name in names)


def _section(world: str, number: int) -> Maker:
    return lambda models: models.section(world, number)


def _item(name: str) -> Maker:
    return lambda models: models.item(name)

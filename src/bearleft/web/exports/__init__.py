"""What a project has collected, in the papers' formats and in bearleft's own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from bearleft.errors import InputError
from bearleft.experiments.rows import Row
from bearleft.runtime.store import check_writable_folder
from bearleft.types import DataFolder
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Project
from bearleft.web.exports import arramon, ndtw_study, play, refer360, touchdown
from bearleft.web.projects import get_project
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings

EXPORTS = {
    "play": play.export,
    "touchdown": touchdown.export,
    "refer360": refer360.export,
    "arramon": arramon.export,
    "ndtw-study": ndtw_study.export,
}

STATISTICS: dict[str, Callable[[Session, Project, SceneWorlds], list[Row]]] = {
    "touchdown": lambda session, project, _: touchdown.statistics(session, project),
    "refer360": lambda session, project, _: refer360.statistics(session, project),
    "arramon": arramon.statistics,
    "ndtw-study": lambda session, project, _: ndtw_study.statistics(session, project),
}


def export_project(settings: Settings, name: str, output: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Write what a project has collected into a folder, and return a row for each file.

    Raises:
        InputError: There is no such project, or the folder cannot be written.
    """
    folder = check_writable_folder(output)
    worlds = SceneWorlds(settings.data, settings.pictures, settings.city, settings.device)
    database = open_database(settings.database)
    try:
        with database.read() as session:
            project = get_project(session, name)
            if project.family not in EXPORTS:
                raise InputError(f"a project of {', '.join(EXPORTS)}", project.family, "family")
            return EXPORTS[project.family](session, project, worlds, Path(folder))
    finally:
        database.close()


def project_statistics(url: str, name: str, family: str, data: DataFolder = None) -> list[dict[str, Any]]:
    """Return a paper's statistics of what a project has collected, published and ours.

    Args:
        url: The database.
        name: The project.
        family: "touchdown", "refer360", "arramon" or "ndtw-study".
        data: Folder of datasets.

    Raises:
        InputError: There is no such project, or it is of another family.
    """
    database = open_database(url)
    try:
        with database.read() as session:
            project = get_project(session, name)
            if project.family != family:
                raise InputError(f"a project of {family}", project.family, "project")
            return STATISTICS[family](session, project, SceneWorlds(data))
    finally:
        database.close()

"""A served project of ArraMon."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bearleft.web.app import create_app, three_folder
from bearleft.web.database.models import Attempt, Unit
from bearleft.web.projects import create_project
from bearleft.web.settings import Settings
from tests.web import window
from tests.web.arramon.conftest import DATASET
from tests.web.arramon.people import Person
from tests.web.scene_page import browser_missing
from tests.web.server import serving


def pages_missing() -> str:
    """Return what tests of the 3-D pages lack on this machine, or ""."""
    return browser_missing() or ("" if three_folder().is_dir() else "needs frontend/node_modules/three: make frontend")


class Site(window.Site):
    """A server with one project."""

    def person(self) -> Person:
        """Return another worker, who needs no browser."""
        return Person(self.database, self.worlds)

    def payload(self, attempt: str) -> dict[str, Any]:
        """Return the secrets of an attempt's unit."""
        with self.database.read() as session:
            payload: dict[str, Any] = session.get_one(Unit, session.get_one(Attempt, attempt).unit_id).payload
            return payload


@contextmanager
def served(url: str, data: Path, cache: Path, limit: int = 1) -> Iterator[Site]:
    app = create_app(Settings(database=url, data=data, cache=cache))
    create_project(app.state.database, app.state.worlds, "study", "arramon", {"dataset": DATASET, "limit": limit})
    with serving(app) as address:
        yield Site(address, app)

"""A served project, its workers over HTTP, and everything that its database holds."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from sqlalchemy import select

from bearleft.web.database.engines import Database
from bearleft.web.database.models import Base, Project
from bearleft.web.database.models import Worker as WorkerRow
from bearleft.web.people import COOKIE
from bearleft.web.people.cookie import read_cookie
from bearleft.web.projects import create_project
from tests.web.touchdown.driver import BEARS, NAME, TEXT, WAY, Worker, click_at

SPOT = BEARS["0"]


class Study:
    """A served Touchdown project.

    Attributes:
        app: The application.
        database: Its database.
        url: The database's URL.
        address: The address of the server without the last slash.
    """

    def __init__(self, app: FastAPI, url: str, stack: ExitStack) -> None:
        self.app, self.url, self.stack = app, url, stack
        self.database: Database = app.state.database
        self.address = ""

    def add(self, name: str = NAME, family: str = "touchdown", **settings: Any) -> None:
        """Add a project."""
        chosen: dict[str, Any] = {"qualification": False, "limit": 1} if family == "touchdown" else {}
        create_project(self.database, self.app.state.worlds, name, family, chosen | settings)

    def hire(self, agree: bool = False) -> Worker:
        """Return a new worker."""
        worker = Worker(self.browser())
        assert worker.client.get("/").status_code == 200
        if agree:
            self.agree(worker.client)
        return worker

    def browser(self) -> httpx.Client:
        """Return a browser without a cookie."""
        return self.stack.enter_context(httpx.Client(base_url=self.address, timeout=180, follow_redirects=True))

    def agree(self, client: httpx.Client, name: str = NAME) -> None:
        """Read and agree to the consent text."""
        page = client.get(f"/consent/{name}").text
        number = page.split('name="text" value="')[1].split('"')[0]
        given = client.post(f"/consent/{name}", data={"text": number}, follow_redirects=False)
        assert given.headers["location"] == f"/next/{name}"

    def worker_id(self, client: httpx.Client) -> int:
        """Return the number of the worker whose browser it is."""
        number = read_cookie(self.app.state.settings, client.cookies[COOKIE])
        assert number is not None
        return number

    def pseudonym(self, client: httpx.Client) -> str:
        """Return the random name of a browser's worker."""
        with self.database.read() as session:
            return session.get_one(WorkerRow, self.worker_id(client)).pseudonym

    def project(self, name: str = NAME) -> Project:
        """Return the project."""
        with self.database.read() as session:
            return session.scalars(select(Project).where(Project.name == name)).one()

    def rows(self, table: type[Any]) -> list[Any]:
        """Return all rows of a table in order."""
        with self.database.read() as session:
            return list(session.scalars(select(table).order_by(*table.__table__.primary_key)))

    def holding(self, *words: str) -> dict[str, list[str]]:
        """Return for each word the tables that hold it anywhere."""
        found: dict[str, list[str]] = {word: [] for word in words}
        with self.database.read() as session:
            for table in Base.metadata.sorted_tables:
                text = repr(session.execute(select(table)).all())
                for word in words:
                    if word in text:
                        found[word].append(table.name)
        return found

    def file_bytes(self) -> bytes:
        """Return all bytes of a SQLite database, with its write-ahead log."""
        path = Path(self.url.removeprefix("sqlite:///"))
        return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


def write(worker: Worker, text: str = TEXT) -> list[str]:
    """Write a text, and return its route."""
    assert worker.claim("writing")
    route: list[str] = worker.view["route"]
    worker.write(SPOT, text)
    return route


def propagate_all(worker: Worker) -> int:
    """Do all propagation units, and return how many there were."""
    count = 0
    while worker.claim("propagation"):
        worker.act("occluded")
        worker.submit()
        count += 1
    return count


def validate(worker: Worker, route: list[str], misses: int = 0) -> None:
    """Follow a text to the bear."""
    assert worker.claim("validation")
    worker.search(route, SPOT, misses)


def segment(worker: Worker) -> None:
    """Divide a text."""
    assert worker.claim("segmentation")
    worker.act("way", end=len(WAY.split()))
    worker.act("bear", begin=len(WAY.split()))
    worker.submit()


def miss_all(worker: Worker, route: list[str]) -> None:
    """Follow a text and never find the bear."""
    validate(worker, route, 5)


__all__ = ["SPOT", "Study", "click_at", "miss_all", "propagate_all", "segment", "validate", "write"]

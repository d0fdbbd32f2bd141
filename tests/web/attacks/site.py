"""A server with projects of all families and two people: one who works, and one who attacks."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from sqlalchemy import select

from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Answer, Attempt, Base, Event, Worker
from bearleft.web.operations.options import Limits, Operations, Rate
from bearleft.web.people import COOKIE
from bearleft.web.play import create_games
from bearleft.web.projects import create_project
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.server import run_server
from bearleft.web.settings import Settings
from tests.web.app.test_play import POINT, act, open_unit, submit
from tests.web.touchdown.driver import NAME as NAME
from tests.web.touchdown.driver import TEXT

WORLD, PLACE = "city/3/4x5", "c000203"
ROOMS = "rooms"
SECRET = "the secret that signs the cookies of this site"
PARAMETER = re.compile(r"{(\w+)(?::\w+)?}")
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
PATIENCE = 300  # seconds: a first request may wait for compilation
ENDLESS = Rate(1e6, 10**9)


@dataclass(frozen=True)
class Route:
    """A route of the application: a method, and a path with names of parameters in braces."""

    method: str
    path: str

    @property
    def parameters(self) -> list[str]:
        """Return the names of the parameters."""
        return PARAMETER.findall(self.path)

    def fill(self, values: dict[str, str], other: str = "x") -> str:
        """Return the path with values of its parameters."""
        return PARAMETER.sub(lambda match: values.get(match[1], other), self.path)


def _inner_routes(routes: Any) -> Iterator[Any]:
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            yield from _inner_routes(included.routes)
        else:
            yield route


def routes_of(app: FastAPI) -> list[Route]:
    """Return all routes of an application, in whichever module they are; files of folders are none."""
    found = {
        Route(method, route.path)
        for route in _inner_routes(app.routes)
        for method in getattr(route, "methods", None) or ()
        if method not in ("HEAD", "OPTIONS")
    }
    return sorted(found, key=lambda route: (route.path, route.method))


def site_settings(folder: Path) -> Settings:
    """Return the settings of a site that does not limit how many requests come."""
    operations = Operations(Limits(ENDLESS, ENDLESS, ENDLESS))
    return Settings(
        database=str(folder / "web.sqlite"), cache=folder / "panoramas", secret=SECRET, operations=operations
    )


def create_site(settings: Settings) -> None:
    """Create a game, and a project of each paper."""
    create_games(settings, ["city/sdr/small", "city/touchdown/small"])
    database = open_database(settings.database)
    worlds = SceneWorlds()
    create_project(database, worlds, NAME, "touchdown", {"qualification": False, "limit": 2})
    create_project(database, worlds, ROOMS, "refer360", {"hiring": False, "limit": 4})
    database.close()


@dataclass
class Victim:
    """A person who has answered a unit, and is in the middle of another.

    Attributes:
        client: The person's browser.
        active: The unit that is open, as its page has it.
        done: The unit that is answered.
        secrets: What nobody else may see.
    """

    client: httpx.Client
    active: dict[str, Any]
    done: dict[str, Any]
    secrets: list[str] = field(default_factory=list)

    def state(self, database: Database, besides: tuple[str, ...] = ()) -> str:
        """Return a digest of all that the person has stored, besides some columns."""
        worker = int(self.client.cookies[COOKIE].partition(".")[0])
        with database.read() as session:
            attempts = select(Attempt.id).where(Attempt.worker_id == worker)
            rows: list[Any] = []
            for table, condition in (
                (Worker, Worker.id == worker),
                (Attempt, Attempt.worker_id == worker),
                (Answer, Answer.worker_id == worker),
                (Event, Event.attempt_id.in_(attempts)),
            ):
                columns = [c for c in Base.metadata.tables[table.__tablename__].c if c.name not in besides]
                rows += session.execute(select(*columns).where(condition).order_by(table.id)).all()
        return hashlib.sha256(repr(rows).encode()).hexdigest()


def new_victim(client: httpx.Client) -> Victim:
    """Let a person answer a unit and begin another."""
    done = open_unit(client, f"/play/{POINT}")
    while not done["view"]["done"]:
        done["view"] = act(client, done, "point", heading=12.345678, pitch=1.234567)
    code = submit(client, done, "key of the victim").json()["code"]
    claimed = client.post(f"/api/projects/{NAME}/claim", json={}).json()
    active = open_unit(client, claimed["url"])
    act(client, active, "draft", text=f"{TEXT} what only the victim knows")
    database_secrets = [done["token"], active["token"], code, "what only the victim knows", "12.345678"]
    signature = client.cookies[COOKIE].partition(".")[2]
    return Victim(client, active, done, [*database_secrets, signature, SECRET])


def body_for(unit: dict[str, Any]) -> dict[str, Any]:
    """Return a body that fits every operation on a unit, as far as other fields are allowed."""
    return {"token": unit["token"]}


BODIES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "events": lambda unit: body_for(unit) | {"number": unit["events"], "kind": "draft", "data": {"text": "mine"}},
    "submit": lambda unit: body_for(unit) | {"key": "mine", "data": {}},
    "claim": lambda _unit: {},
}


def body_of(route: Route, unit: dict[str, Any]) -> dict[str, Any]:
    """Return the body of a request that a unit's own page would send."""
    return BODIES.get(route.path.rpartition("/")[2], body_for)(unit)


def get_panorama(client: httpx.Client, width: int) -> httpx.Response:
    """Ask for a panorama until it is rendered; a busy server asks to come again."""
    while True:
        answer = client.get(f"/api/worlds/{WORLD}/panoramas/{PLACE}.webp", params={"width": width}, timeout=PATIENCE)
        if answer.status_code != 503:
            return answer


def main() -> None:
    """Serve a site that exists: `python -m tests.web.attacks.site FOLDER`; the address is printed."""
    settings = site_settings(Path(sys.argv[1]))
    run_server(settings, port=0, log=lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()

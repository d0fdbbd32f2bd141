"""Workers of a Touchdown project over HTTP, and what they do when they know the answers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

import httpx

from bearleft.records import Direction
from bearleft.web.database.engines import open_database
from bearleft.web.projects import create_project
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings

NAME = "study"
WORLD = "city/3/4x5"
# Where the embedded texts of these routes have their targets.
BEARS = {"0": Direction(274.7, -2.9), "1": Direction(40.2, 31.7)}
TEXT = (
    "Turn so that the row of parked cars is on your left and walk ahead to the next crossing. Go straight across it "
    "and stop before the glass shelter on your right. Touchdown is on the lower half of the white door."
)
OTHER_TEXT = (
    "Walk with the flow of traffic past the park and its white fence, then go left at the third crossing and look up. "
    "The bear hides in the middle of the awning above the corner door, well over the green planters."
)
WAY, BEAR = TEXT.split(". Touchdown")[0] + ".", "Touchdown" + TEXT.split(". Touchdown")[1]


def create_study(settings: Settings, limit: int = 1, **more: Any) -> None:
    """Create a project of the first routes of the embedded dataset."""
    database = open_database(settings.database)
    create_project(database, SceneWorlds(), NAME, "touchdown", {"qualification": False, "limit": limit, **more})
    database.close()


def click_at(direction: Direction, width: int = 900, height: int = 600, vfov: float = 60.0) -> dict[str, Any]:
    """Return the click of somebody who looks straight at a direction."""
    view = {"heading": direction.heading, "pitch": direction.pitch, "vfov": vfov, "width": width, "height": height}
    return {"heading": direction.heading, "pitch": direction.pitch, "view": view}


@dataclass
class Worker:
    """A person with an open unit; everything that the server sent is kept in `traffic`."""

    client: httpx.Client
    unit: dict[str, Any] = field(default_factory=dict)
    traffic: list[tuple[str, str]] = field(default_factory=list)  # the kind of the unit, and a response

    @property
    def view(self) -> dict[str, Any]:
        """Return the view of the open unit."""
        found: dict[str, Any] = self.unit["view"]
        return found

    def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        """Post JSON."""
        response = self.client.post(path, json=body)
        self.traffic.append((self.unit.get("kind", ""), response.text))
        return response

    def claim(self, kind: str | None = None) -> bool:
        """Claim a unit, of a kind or of any, and open its page; return whether there is one."""
        self.unit = {}
        body = {} if kind is None else {"kinds": [f"touchdown/{kind}"]}
        answer = self.post(f"/api/projects/{NAME}/claim", body)
        assert answer.status_code == 200, answer.text
        if answer.json()["url"] is None:
            return False
        self.open(answer.json()["url"])
        return True

    def open(self, path: str) -> None:
        """Open the page of a unit."""
        page = self.client.get(path)
        assert page.status_code == 200, page.text
        found = re.search(r'<script type="application/json" id="unit">(.*?)</script>', page.text, re.DOTALL)
        assert found, page.text[:1000]
        self.unit = json.loads(found[1])
        self.traffic.append((self.unit["kind"], page.text))

    def reload(self) -> None:
        """Load the page of the open unit again."""
        self.open(f"/work/{self.unit['attempt']}")

    def try_act(self, kind: str, data: dict[str, Any]) -> httpx.Response:
        """Send an action, whatever the answer is."""
        body = {"token": self.unit["token"], "number": self.unit["events"], "kind": kind, "data": data}
        response = self.post(f"/api/attempts/{self.unit['attempt']}/events", body)
        self.unit["events"] += response.status_code == 200
        return response

    def act(self, kind: str, **data: Any) -> dict[str, Any]:
        """Send an action that is possible, and return its result."""
        response = self.try_act(kind, data)
        assert response.status_code == 200, response.text
        result: dict[str, Any] = response.json()["result"]
        return result

    def refused(self, kind: str, **data: Any) -> str:
        """Send an action that is not possible, and return why."""
        response = self.try_act(kind, data)
        assert response.status_code == 422, response.text
        detail: str = response.json()["detail"]
        return detail

    def try_submit(self, key: str = "key", **data: Any) -> httpx.Response:
        """Submit, whatever the answer is."""
        body = {"token": self.unit["token"], "key": key, "data": data}
        return self.post(f"/api/attempts/{self.unit['attempt']}/submit", body)

    def submit(self, **data: Any) -> dict[str, Any]:
        """Submit, and return what the server answers."""
        response = self.try_submit(**data)
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    def not_submitted(self, **data: Any) -> str:
        """Submit what is refused, and return why."""
        response = self.try_submit(**data)
        assert response.status_code == 422, response.text
        detail: str = response.json()["detail"]
        return detail

    def walk(self, route: list[str]) -> dict[str, Any]:
        """Walk from the start of a route to its end."""
        result: dict[str, Any] = {}
        for place in route[1:]:
            result = self.act("move", place=place)
        return result

    def write(self, bear: Direction, text: str = TEXT, confirmed: tuple[str, ...] = ()) -> dict[str, Any]:
        """Do the open writing unit."""
        self.walk(self.view["route"])
        self.act("draft", text=text)
        self.act("place", **click_at(bear))
        return self.submit(confirmed=list(confirmed))

    def search(self, route: list[str], bear: Direction, misses: int = 0) -> dict[str, Any]:
        """Do the open validation or qualification unit: walk a route and click, wrongly at first."""
        self.walk(route)
        for _ in range(misses):
            self.act("guess", **click_at(Direction(bear.heading + 120, bear.pitch)))
        if misses < 5:
            self.act("guess", **click_at(bear))
        return self.submit()

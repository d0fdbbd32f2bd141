"""The study over HTTP: hostile content, what is told to people who rank, and who may see the analysis."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from bearleft.experiments.ndtw.study import THRESHOLD_EDGES, edge_lengths
from bearleft.web.analyses import analysis_address
from bearleft.web.app import create_app
from bearleft.web.database.models import Project, Unit
from bearleft.web.projects import create_project
from bearleft.web.settings import Settings
from bearleft.web.tasks.ndtw_study import path_set_of
from tests.web.ndtw_study.people import Rater
from tests.web.refer360.test_http import HOSTILE, Worker
from tests.web.server import person, serving

SECRET = "a secret of the server"
SECRET_WORDS = ("unconstrained", "constrained", "SDTW", "places", "shown", "repeats", "mirrored", "queries", "seed")


class Site:
    """A server with one project."""

    def __init__(self, address: str, app: Any) -> None:
        self.address, self.database, self.worlds = address, app.state.database, app.state.worlds


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("site")
    app = create_app(Settings(database=str(folder / "web.sqlite"), cache=folder / "panoramas", secret=SECRET))
    settings = {"limit": 2, "session": 2}
    create_project(app.state.database, app.state.worlds, "study", "ndtw-study", settings, answers=4)
    with app.state.database.write() as session:
        session.add(Project(name="rooms", family="refer360"))
    with serving(app) as address:
        yield Site(address, app)


def move(worker: Worker, path: Any, rank: Any, by: Any = "drag") -> httpx.Response:
    return worker.act("move", {"path": path, "rank": rank, "by": by})


def test_hostile_content_is_refused(site: Site) -> None:
    with person(site.address) as client:
        worker = Worker(client)
        worker.open_next()
        for bad in HOSTILE:
            assert move(worker, bad, 1).status_code == 422
            assert move(worker, "A", bad).status_code == 422
            assert move(worker, "A", 1, bad).status_code == 422
            assert worker.act(bad, {"path": "A", "rank": 1, "by": "drag"}).status_code == 422
            for data in ({"ranking": bad}, {"ranking": [bad] * 5}, {"ranking": list("ABCDE"), "confirmed": bad}):
                assert worker.post("submit", key="k", data=data).status_code == 422, data
        assert worker.unit["events"] == 0
        assert move(worker, "A", 5).json()["result"] == {"order": list("BCDEA")}
        worker.open_next()
        assert worker.unit["view"]["order"] == list("BCDEA")
        first = worker.post("submit", key="k", data={"ranking": list("BCDEA")})
        assert first.status_code == 200
        assert worker.post("submit", key="k", data={}).json() == first.json()
        assert worker.post("submit", key="other", data={}).status_code == 409
        assert move(worker, "A", 1).status_code == 409


def test_nobody_who_ranks_is_told_a_metric_or_the_set(site: Site) -> None:
    secrets: set[str] = {f'"{word}"' for word in SECRET_WORDS}
    with site.database.read() as session:
        for payload in session.scalars(select(Unit.payload).where(Unit.kind == "ndtw-study/ranking")):
            path_set = path_set_of(payload)
            secrets |= {path_set.id, f"{THRESHOLD_EDGES * edge_lengths(path_set.graph).mean():.5f}"}
            values = [float(value) for scores in path_set.scores().values() for value in scores]
            secrets |= {f"{abs(value):.5f}" for value in values if round(value, 3) != value}
            secrets |= {f'"{place}"' for place in path_set.reference}
    with person(site.address) as client:
        worker = Worker(client)
        kinds = set()
        for k in range(4):  # the second one and the fourth come again
            worker.open_next()
            unit = worker.unit
            kinds.add((unit["kind"], *sorted(unit), *sorted(unit["view"])))
            move(worker, "A", 9)
            assert move(worker, "E", 1).status_code == 200
            worker.open_next()
            worker.post("submit", key="k", data={"ranking": list("ABCDE")})
            answer = worker.post("submit", key="k", data={"ranking": list("EABCD")}).json()
            assert set(answer) == {"answer", "code", "accepted", "feedback"}
            assert set(answer["feedback"]) == {"message"}
            assert ("complete" in answer["feedback"]["message"]) == (k % 2 == 1)
        assert len(kinds) == 1  # a set that comes again looks like any other
        for path in ("/", "/projects/study", f"/work/{worker.unit['attempt']}", "/openapi.json"):
            worker.received.append(client.get(path).text)
        everything = "\n".join(worker.received)
        for secret in secrets:
            assert secret not in everything, secret


def test_the_analysis_is_for_whoever_has_its_address(site: Site) -> None:
    Rater(site.database, site.worlds, "study").rank_all(lambda _: [1, 2, 3, 4, 5], 3)
    right = analysis_address(SECRET, "study")
    with person(site.address) as client:
        other = analysis_address(SECRET, "rooms").partition("?key=")[2]
        for query in ("", "?key=", "?key=1", f"?key={'0' * 64}", f"?key={other}", "?key=%00é"):
            assert client.get(f"/projects/study/analysis{query}").status_code == 403
        assert client.get(analysis_address(SECRET, "rooms")).status_code == 404
        assert client.get(analysis_address(SECRET, "nothing")).status_code == 404
        assert client.get(analysis_address("another secret!!", "study")).status_code == 403
        assert right not in client.get("/projects/study").text
        page = client.get(right)
    assert page.status_code == 200
    assert "nDTW against PL" in page.text
    assert "242/17" in page.text
    assert len(re.findall(r"<rect", page.text)) == 12
    assert json.dumps("place_0") not in page.text

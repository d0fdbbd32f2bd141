"""A server with a study and admins, shared by the tests of a file; and admins who are signed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

pytest.importorskip("argon2")

from bearleft.web.app import create_app
from tests.web.admin.study import AdminClient, add_admins, add_project, collect
from tests.web.attacks.site import site_settings
from tests.web.server import serving

SignIn = Callable[[str], AdminClient]


class Site:
    """A server with a study."""

    def __init__(self, address: str, app: FastAPI) -> None:
        self.address, self.app, self.database = address, app, app.state.database


@pytest.fixture(scope="session")
def panorama_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of rendered panoramas that the tests of a process share."""
    return tmp_path_factory.mktemp("panoramas")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, panorama_folder: Path) -> Iterator[Site]:
    """Serve a study in which one text has gone through all tasks."""
    database = tmp_path_factory.mktemp("admin") / "web.sqlite"
    settings = replace(site_settings(database.parent), cache=panorama_folder)
    add_admins(settings)
    add_project(settings)
    app = create_app(settings)
    collect(app.state.database, app.state.worlds)
    with serving(app) as address:
        yield Site(address, app)


@pytest.fixture
def browse(site: Site) -> Iterator[Callable[[], AdminClient]]:
    """Return a function that opens a browser in which nobody is signed in."""
    with ExitStack() as stack:

        def opened() -> AdminClient:
            client = httpx.Client(base_url=site.address, headers={"Accept": "text/html"}, timeout=60)
            return AdminClient(stack.enter_context(client))

        yield opened


@pytest.fixture
def signed_in(browse: Callable[[], AdminClient]) -> SignIn:
    """Return a function that opens a browser in which an account of a role is signed in."""

    def sign_in(name: str) -> AdminClient:
        client = browse()
        answer = client.sign_in(name)
        assert (answer.status_code, answer.headers["location"]) == (303, "/admin"), answer.text
        return client

    return sign_in

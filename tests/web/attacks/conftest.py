"""A site that the tests of a file attack."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import httpx
import pytest

pytest.importorskip("fastapi")

from fastapi import FastAPI

from bearleft.web.app import create_app
from bearleft.web.database.engines import Database
from tests.web.attacks.site import PATIENCE, Route, Victim, create_site, new_victim, routes_of, site_settings
from tests.web.server import person, serving


@dataclass
class Site:
    """A site with its victim; `attacker` is another worker."""

    address: str
    app: FastAPI
    victim: Victim
    attacker: httpx.Client
    routes: list[Route] = field(default_factory=list)

    @property
    def database(self) -> Database:
        """Return the database of the site."""
        found: Database = self.app.state.database
        return found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    settings = site_settings(tmp_path_factory.mktemp("site"))
    create_site(settings)
    app = create_app(settings)
    with serving(app) as address, ExitStack() as stack:
        victim, attacker = (stack.enter_context(person(address)) for _ in range(2))
        victim.timeout = attacker.timeout = PATIENCE
        yield Site(address, app, new_victim(victim), attacker, routes_of(app))


def check_answer(site: Site, answer: httpx.Response) -> None:
    """Check that the server did not fail, and that nothing of the victim is in an answer."""
    busy = answer.status_code == 503 and "retry-after" in answer.headers  # a picture that takes long
    assert answer.status_code < 500 or busy, (answer.request.method, answer.request.url, answer.status_code)
    received = answer.text + str(answer.headers)
    for secret in site.victim.secrets:
        assert secret not in received, (answer.request.method, answer.request.url, secret)

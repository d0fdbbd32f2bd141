"""A leaderboard that the tests of a file share, and browsers of its teams."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("argon2")

from tests.web.admin.study import AdminClient
from tests.web.leaderboard.pages.site import Board, TeamBrowser, make_board
from tests.web.server import serving

Browse = Callable[..., TeamBrowser]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    app, made = make_board(tmp_path_factory.mktemp("board"))
    with serving(app) as address:
        yield Board(address, app, made)


@pytest.fixture
def browse(board: Board) -> Iterator[Browse]:
    """Return a function that opens a browser of a team that is signed in, or of nobody."""
    with ExitStack() as stack:

        def opened(team: str = "") -> TeamBrowser:
            client = httpx.Client(base_url=board.address, headers={"Accept": "text/html"}, timeout=120)
            browser = TeamBrowser(stack.enter_context(client))
            if team:
                answer = browser.sign_in(board.token(team))
                assert (answer.status_code, answer.headers["location"]) == (303, "/team?said=in"), answer.text
            return browser

        yield opened


@pytest.fixture
def organiser(board: Board) -> Iterator[Callable[[str], AdminClient]]:
    """Return a function that opens a browser in which an account of a role is signed in."""
    with ExitStack() as stack:

        def opened(role: str) -> AdminClient:
            client = httpx.Client(base_url=board.address, headers={"Accept": "text/html"}, timeout=120)
            admin = AdminClient(stack.enter_context(client))
            assert admin.sign_in(role).headers["location"] == "/admin"
            return admin

        yield opened

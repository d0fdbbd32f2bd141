"""A served leaderboard with a public and a hidden track, and the browsers and programs of its teams."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from bearleft.records import Trace, to_json_line
from bearleft.web.app import create_app
from bearleft.web.database.engines import Database, open_database
from bearleft.web.leaderboard import teams
from bearleft.web.leaderboard.folders import private_folder
from bearleft.web.leaderboard.scoring.scorer import Scorer
from bearleft.web.settings import Settings
from tests.web.admin.study import add_admins
from tests.web.attacks.site import site_settings
from tests.web.leaderboard.scoring.entries import add_hidden_track, add_public_track, traces, write_hidden

FORM_TOKEN = re.compile(r'name="form_token" value="([^"]+)"')
KEY = re.compile(r'data-key="([^"]+)"')
HIDDEN_FILE = "city-touchdown-test.jsonl"


def board_settings(folder: Path) -> Settings:
    """Return the settings of a site with a leaderboard."""
    return replace(site_settings(folder), leaderboard=private_folder(folder / "leaderboard"))


@dataclass
class Board:
    """A leaderboard that is served.

    Attributes:
        address: The address of its first page.
        app: The application.
        made: The folder of the hidden dataset.
        tokens: The token of each team.
    """

    address: str
    app: FastAPI
    made: Path
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def database(self) -> Database:
        """Return the database."""
        found: Database = self.app.state.database
        return found

    @property
    def folder(self) -> Path:
        """Return the private folder."""
        return Path(self.app.state.settings.leaderboard)

    def score(self) -> None:
        """Score all submissions that wait."""
        with Scorer(self.database, self.folder) as scorer:
            while scorer.score_next():
                pass

    def code(self, **options: Any) -> str:
        """Return the code of a new invitation."""
        with self.database.write() as session:
            return teams.invite(session, actor="cli", now=self.database.now(), **options)

    def token(self, name: str) -> str:
        """Return the token of a team, which is founded first."""
        if name not in self.tokens:
            code = self.code()
            with self.database.write() as session:
                self.tokens[name] = teams.redeem(session, code, name=name, now=self.database.now())[1]
        return self.tokens[name]

    def api(self, name: str = "") -> httpx.Client:
        """Return a program of a team, or of nobody."""
        headers = {"Authorization": f"Bearer {self.token(name)}"} if name else {}
        return httpx.Client(base_url=f"{self.address}/api/leaderboard", headers=headers, timeout=120)

    def submit(self, name: str, track: str, *files: bytes, publish: bool = False, **details: Any) -> str:
        """Submit files by the API, score them, and return the id of the submission."""
        with self.api(name) as client:
            rows = [{"seed": seed, "sha256": upload(client, track, content)} for seed, content in enumerate(files)]
            digest = hashlib.sha256(repr((name, track, rows, details)).encode()).hexdigest()
            body = {"title": "System", "key": digest, "files": rows} | details
            answer = client.post(f"/tracks/{track}/submissions", json=body)
            assert answer.status_code == 201, answer.text
            submission: str = answer.json()["id"]
            self.score()
            if publish:
                assert client.post(f"/submissions/{submission}/publish").status_code == 200
            return submission

    def walks(self, agent: str = "random", seed: int = 0) -> bytes:
        """Return traces of the hidden track."""
        return file_of(traces(self.made / "entrants" / HIDDEN_FILE, agent, seed))


def make_board(folder: Path) -> tuple[FastAPI, Path]:
    """Return an application with tracks `public` and `hidden` and admins, and the folder of the hidden dataset."""
    settings = board_settings(folder)
    assert settings.leaderboard is not None
    made = write_hidden(folder / "made")
    add_admins(settings)
    database = open_database(settings.database)
    add_public_track(database, settings.leaderboard, max_bytes=3_000_000)
    add_hidden_track(database, settings.leaderboard, made)
    database.close()
    return create_app(settings), made


def file_of(rows: Sequence[Trace]) -> bytes:
    """Return a file of traces."""
    return "".join(f"{to_json_line(trace)}\n" for trace in rows).encode()


def public_walks(seed: int = 0, agent: str = "random") -> bytes:
    """Return traces of the public track."""
    return gzip.compress(file_of(traces("city/touchdown/small", agent, seed)), mtime=0)


def upload(client: httpx.Client, track: str, content: bytes) -> str:
    """Upload a file by the API, and return its hash."""
    digest = hashlib.sha256(content).hexdigest()
    answer = client.put(f"/tracks/{track}/files/{digest}", content=content)
    assert answer.status_code == 200, answer.text
    return digest


class TeamBrowser:
    """The browser of a member of a team, without scripts.

    Attributes:
        http: The client; `http.cookies` holds the session.
        form_token: The token of the session's forms.
    """

    def __init__(self, http: httpx.Client) -> None:
        self.http, self.form_token = http, ""

    def sign_in(self, token: str) -> httpx.Response:
        """Sign in with a token of a team."""
        answer = self.http.post("/team/sign-in", data={"token": token})
        found = FORM_TOKEN.search(self.http.get("/team").text)
        self.form_token = found[1] if found else ""
        return answer

    def get(self, path: str, **options: Any) -> httpx.Response:
        """Load a page."""
        return self.http.get(path, **options)

    def post(self, path: str, form_token: str | None = None, **fields: str) -> httpx.Response:
        """Send a form."""
        token = self.form_token if form_token is None else form_token
        return self.http.post(path, data={"form_token": token, **fields})

    def send(self, method: str, path: str, form_token: str | None = None, **options: Any) -> httpx.Response:
        """Send a request as the script of a page does."""
        headers = {"X-Form-Token": self.form_token if form_token is None else form_token}
        return self.http.request(method, path, headers=headers, **options)

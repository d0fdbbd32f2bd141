"""Attacks on the leaderboard: other teams' submissions, scripts, foreign forms, large uploads, guesses, paths."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import socket
import zipfile
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select

from bearleft.web.database.admins import SignInDelay
from bearleft.web.database.leaderboard import Submission, Team, Token
from bearleft.web.security import MAX_BODY_BYTES, max_body_bytes
from tests.web.admin.study import AdminClient
from tests.web.attacks.site import PARAMETER, Route, routes_of
from tests.web.attacks.test_requests import ask
from tests.web.leaderboard.pages.conftest import Browse
from tests.web.leaderboard.pages.site import Board, public_walks, upload
from tests.web.logs import captured_log

SCRIPT = "'\"><img src=x onerror=alert(1)> {{ 7 * 7 }} -->"
BAD_LINKS = (
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "//evil.example/",
    "https://user:pass@evil.example/",
    'https://evil.example/"onmouseover="alert(1)',
    "https://evil.example/<script>",
)
TRAVERSALS = ("..", "../../web.sqlite", "..%2f..%2fweb.sqlite", "%2e%2e", "....//", "/etc/passwd", "answers", "a\0b")


def routes(app: FastAPI) -> list[Route]:
    """Return the routes of the leaderboard."""
    return [route for route in routes_of(app) if re.match(r"(/api|/admin)?/leaderboard|/team", route.path)]


def count(board: Board, table: type = Submission) -> int:
    with board.database.read() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


@pytest.fixture(scope="module")
def private(board: Board) -> str:
    """A scored submission of the victims that is not published."""
    return board.submit("Victims", "hidden", board.walks(), title="Secret system", note="only ours")


@pytest.fixture(scope="module")
def public(board: Board) -> str:
    """A published entry of the victims."""
    return board.submit("Victims", "public", public_walks(), title="Open system", publish=True)


@pytest.mark.slow
def test_submissions_of_other_teams_do_not_exist(board: Board, private: str, public: str, browse: Browse) -> None:
    attacker, nobody = browse("Attackers"), browse()
    page = f"/leaderboard/hidden/entries/{private}"
    for client in (attacker, nobody):
        for path in (page, f"{page}/state", f"{page}/report.html"):
            answer = client.get(path)
            assert answer.status_code == 404 or answer.headers.get("location") == "/team/sign-in", path
            assert "Secret system" not in answer.text
    for submission in (private, public):
        for action in ("publish", "unpublish", "withdraw"):
            assert attacker.post(f"/team/submissions/{submission}", action=action).status_code == 404
    with board.api("Attackers") as program:
        for submission in (private, public):
            assert program.get(f"/submissions/{submission}").status_code == 404
            for action in ("publish", "unpublish", "withdraw"):
                assert program.post(f"/submissions/{submission}/{action}").status_code == 404
        assert program.get("/submissions").json() == []
    with board.api("Victims") as owner:  # the same question is answered to its own team
        row = owner.get(f"/submissions/{private}").json()
        assert row["figures"] and not row["published"] and not row["withdrawn"]


def test_files_of_other_teams_cannot_be_submitted(board: Board) -> None:
    content = public_walks(7)
    with board.api("Victims") as owner, board.api("Attackers") as attacker:
        digest = upload(owner, "public", content)
        assert owner.get(f"/tracks/public/files/{digest}").status_code == 200
        assert attacker.get(f"/tracks/public/files/{digest}").status_code == 404
        body = {"title": "Stolen", "key": "stolen", "files": [{"seed": 0, "sha256": digest}]}
        assert attacker.post("/tracks/public/submissions", json=body).status_code == 422
        assert owner.post("/tracks/hidden/submissions", json=body).status_code == 422  # it was sent to another track


@pytest.mark.slow
def test_private_and_hidden_entries_are_in_no_table(
    board: Board, private: str, browse: Browse, organiser: Callable[[str], AdminClient]
) -> None:
    client, reviewer = browse(), organiser("reviewer")
    shown = board.submit("Shown", "hidden", board.walks(seed=1), title="Shown system", publish=True)
    places = [
        "/leaderboard",
        "/leaderboard/hidden",
        "/api/leaderboard/tracks/hidden/table",
        *[f"/leaderboard/hidden/table.{kind}" for kind in ("csv", "md", "tex")],
    ]
    assert "Shown system" in client.get("/leaderboard/hidden").text
    assert all("Secret system" not in client.get(path).text for path in places)
    pair = [("entry", private), ("entry", shown)]
    assert client.get("/leaderboard/hidden/compare", params=pair).status_code == 404
    assert browse("Victims").get("/leaderboard/hidden/compare", params=pair).status_code == 200  # its own with another
    assert reviewer.post(f"/admin/leaderboard/submissions/{shown}", action="hide").status_code == 303
    assert all("Shown system" not in client.get(path).text for path in places)
    assert client.get(f"/leaderboard/hidden/entries/{shown}").status_code == 404
    assert "hidden by the organisers" in browse("Shown").get(f"/leaderboard/hidden/entries/{shown}").text
    assert reviewer.post(f"/admin/leaderboard/submissions/{shown}", action="show").status_code == 303
    assert "Shown system" in client.get("/leaderboard/hidden").text


def test_drafts_are_for_organisers_only(
    board: Board, public: str, browse: Browse, organiser: Callable[[str], AdminClient]
) -> None:
    owner = organiser("owner")
    limits = {"daily_limit": "1", "total_limit": "1", "max_files": "1", "time_limit_s": "60", "memory_limit_mb": "512"}
    form = {"name": "draft", "title": "Draft track", "dataset": "town/dev", **limits}
    assert (
        owner.post("/admin/leaderboard/new", **form).headers["location"].startswith("/admin/leaderboard/tracks/draft")
    )
    client = browse("Attackers")
    assert "Draft track" not in client.get("/leaderboard").text
    for path in ("", "/submit", "/table.csv", "/entrants.zip", f"/entries/{public}", "/compare?entry=a&entry=b"):
        assert client.get(f"/leaderboard/draft{path}").status_code == 404, path
    with board.api("Attackers") as program:
        assert program.get("/tracks/draft").status_code == 404
        assert program.put(f"/tracks/draft/files/{'0' * 64}", content=b"{}").status_code == 404


def test_scripts_are_texts_and_links_are_addresses(board: Board, browse: Browse) -> None:
    name = "Rock & Roll '\"{{ 7 * 7 }}"
    board.submit(
        "Rock & Roll '\"{{ 7 * 7 }}", "public", public_walks(11), title=SCRIPT.replace("<", "").replace(">", "")
    )
    with board.api(name) as program:
        digest = upload(program, "public", public_walks(12))
        body = {"title": "System", "key": "links", "files": [{"seed": 0, "sha256": digest}]}
        for link in BAD_LINKS:
            for field in ("code_url", "paper_url"):
                answer = program.post("/tracks/public/submissions", json={**body, field: link})
                assert answer.status_code == 422, (field, link)
        assert program.post("/tracks/public/submissions", json={**body, "title": SCRIPT}).status_code == 422
        fields = {"note": SCRIPT, "cost": SCRIPT, "code_url": "https://example.org/a?b=1&c='2"}
        answer = program.post("/tracks/public/submissions", json={**body, **fields})
        assert answer.status_code == 201, answer.text
        submission = answer.json()["id"]
        board.score()
        program.post(f"/submissions/{submission}/publish")
    client = browse()
    for path in (f"/leaderboard/public/entries/{submission}", "/leaderboard/public", "/leaderboard"):
        page = client.get(path).text
        assert "<img" not in page.replace('<img src="/static/web/bear.svg"', "") and "49" not in re.findall(
            r">49<", page
        )
        assert 'rel="noopener noreferrer nofollow ugc"' in page or path == "/leaderboard"
    code = board.code()
    for hostile in (SCRIPT, "\u202edlrow", "a\u200bb", "\x00", "x" * 500):
        answer = client.post("/team/join", code=code, name=hostile, affiliation=SCRIPT)
        assert answer.status_code == 422 and "<img src=x" not in answer.text


def test_no_route_takes_writes_from_other_sites(board: Board, private: str, browse: Browse) -> None:
    client, before = browse("Victims"), count(board)
    values = {"track": "hidden", "submission": private, "sha256": "0" * 64, "name": "hidden", "public_id": private}
    written = [route for route in routes(board.app) if route.method != "GET"]
    assert len(written) > 15
    for route in written:
        for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
            data = {"form_token": client.form_token, "action": "withdraw"}
            headers = {**headers, "X-Form-Token": client.form_token}
            answer = client.http.request(route.method, route.fill(values, "1"), data=data, headers=headers)
            assert answer.status_code == 403, (route, headers)
    assert count(board) == before


def test_forms_need_the_token_of_the_session(board: Board, private: str, browse: Browse) -> None:
    client, other = browse("Victims"), browse("Attackers")
    for token in ("", "x", other.form_token, client.form_token[:-1]):
        assert client.post(f"/team/submissions/{private}", token, action="withdraw").status_code == 403
        assert client.post("/team/tokens", token, label="x").status_code == 403
        assert client.post("/team/sign-out", token).status_code == 403
        assert client.send("PUT", "/leaderboard/public/files", token, content=public_walks()).status_code == 403
        body = {"title": "x", "key": "x", "files": [{"seed": 0, "sha256": "0" * 64}]}
        assert client.send("POST", "/leaderboard/public/submissions", token, json=body).status_code == 403
    with board.api("Victims") as owner:
        assert not owner.get(f"/submissions/{private}").json()["withdrawn"]


def test_the_cookie_is_no_token_and_the_token_no_cookie(board: Board, browse: Browse) -> None:
    client = browse("Victims")
    cookie = client.http.cookies["bearleft_team"]
    set_cookie = client.http.post("/team/sign-in", data={"token": board.token("Victims")}).headers["set-cookie"]
    assert "HttpOnly" in set_cookie and "SameSite=strict" in set_cookie
    with board.api() as program:
        assert program.get("/submissions").status_code == 401
        assert program.get("/submissions", params={"token": board.token("Victims")}).status_code == 401
        assert program.get("/submissions", headers={"Authorization": f"Bearer {cookie}"}).status_code == 401
        assert (
            program.get("/submissions", headers={"Authorization": f"Basic {board.token('Victims')}"}).status_code == 401
        )
        program.cookies.set("bearleft_team", cookie)
        assert program.get("/submissions").status_code == 401
    with httpx.Client(base_url=board.address) as thief:
        thief.cookies.set("bearleft_team", board.token("Victims"))
        assert thief.get("/team").status_code == 303


def test_secrets_are_stored_as_hashes_and_never_logged(board: Board, browse: Browse) -> None:
    token, code = board.token("Victims"), board.code()
    with captured_log() as stream:
        client = browse("Victims")
        client.get(f"/team/join?code={code}")
        client.get(f"/team?token={token}")
        client.get(f"/leaderboard/{token}")
        client.post("/team/join", code=code, name="Victims")  # the name is taken
        with board.api("Victims") as program:
            program.get(f"/submissions/{token}")
            program.get(f"/tracks/public/files/{token}?token={token}")
        cookie = client.http.cookies["bearleft_team"]
    for secret in (token, code, cookie):
        assert secret not in stream.getvalue()
    for path in board.folder.parent.glob("web.sqlite*"):
        content = path.read_bytes()
        assert token.encode() not in content and code.encode() not in content and cookie.encode() not in content
    assert "Not here" in client.get(f"/leaderboard/{token}").text  # and answers do not repeat an address
    assert token not in client.get(f"/leaderboard/{token}").text


def test_large_uploads_are_refused_before_they_are_read(board: Board) -> None:
    token, parts = board.token("Victims"), urlsplit(board.address)
    path = f"/api/leaderboard/tracks/public/files/{'0' * 64}"
    cases = [
        (path, token, 3_000_001, b"413"),
        (path, token, 10**15, b"413"),
        (path, "", 1000, b"401"),  # of nobody, nothing is read
        ("/api/leaderboard/tracks/public/submissions", token, MAX_BODY_BYTES + 1, b"413"),
        ("/team/join", token, MAX_BODY_BYTES + 1, b"413"),
        ("/leaderboard/public/files", "", 1000, b"401"),
    ]
    for target, secret, length, status in cases:
        method = "PUT" if target.endswith(("0" * 64, "files")) else "POST"
        authorization = f"Authorization: Bearer {secret}\r\n" if secret else ""
        head = f"{method} {target} HTTP/1.1\r\nHost: {parts.netloc}\r\n{authorization}Content-Length: {length}\r\n\r\n"
        with socket.create_connection((str(parts.hostname), parts.port or 80), timeout=30) as connection:
            connection.sendall(head.encode())  # and no byte of the body
            assert connection.recv(65536).startswith(b"HTTP/1.1 " + status), target


def test_uploads_that_turn_out_to_be_too_large_leave_nothing(board: Board) -> None:
    bomb = gzip.compress(b'{"a": "' + b" " * 20_000_000, 9)
    assert len(bomb) < 100_000
    before = sorted(board.folder.rglob("uploads/*/*"))

    def endless() -> Iterator[bytes]:
        for _ in range(200):
            yield b'{"a": "' + b"x" * 65_536

    with board.api("Victims") as program:
        for content in (bomb, endless()):
            digest = hashlib.sha256(bomb).hexdigest()
            answer = program.put(f"/tracks/public/files/{digest}", content=content)
            assert answer.status_code == 413, answer.text
        damaged = program.put(f"/tracks/public/files/{'0' * 64}", content=public_walks())
        assert damaged.status_code == 422 and "damaged" in damaged.json()["detail"]
        for content in (b"", b"PK\x03\x04zip", b"\x80\x04\x95pickle", b"[]", b"https://evil.example/"):
            digest = hashlib.sha256(content).hexdigest()
            assert program.put(f"/tracks/public/files/{digest}", content=content).status_code == 422, content
    assert sorted(board.folder.rglob("uploads/*/*")) == before
    assert max_body_bytes("/leaderboard/a/b/files") == max_body_bytes("/team/join") == MAX_BODY_BYTES


@pytest.mark.slow
def test_a_team_cannot_fill_the_disk_with_files_that_it_does_not_submit(board: Board) -> None:
    with board.api("Hoarders") as program:
        digests = [upload(program, "public", public_walks(seed)) for seed in range(20, 35)]
        kept = [program.get(f"/tracks/public/files/{digest}").status_code == 200 for digest in digests]
    assert kept[-1] and sum(kept) <= 13  # five of a submission, and eight besides


def test_guesses_wait_longer_and_longer(board: Board, browse: Browse) -> None:
    client = browse()
    code, token = board.code(), board.token("Victims")
    answers = [client.post("/team/join", code=f"guess {k}", name="Guess").status_code for k in range(30)]
    assert answers[0] == 422 and answers[-1] == 429
    waiting = client.post("/team/join", code=code, name="Guess")
    assert waiting.status_code == 429 and int(waiting.headers["retry-after"]) >= 1
    assert client.post("/team/sign-in", token="guess").status_code == 429
    with board.api() as program:
        wrong = program.get("/submissions", headers={"Authorization": "Bearer guess"})
        assert wrong.status_code == 429
        right = program.get("/submissions", headers={"Authorization": f"Bearer {token}"})
        assert right.status_code == 200  # who has a token works on
    with board.database.write() as session:  # of this address; other tests guess, too
        for row in session.scalars(select(SignInDelay)):
            session.delete(row)


def test_no_path_leads_to_answers_or_uploads(board: Board, private: str, browse: Browse) -> None:
    client = browse("Attackers")
    secrets = [path.read_bytes()[200:600] for path in board.folder.rglob("answers/*.jsonl")]
    assert secrets
    values = [*TRAVERSALS, "tracks", "uploads", "hidden/answers"]
    for route in routes(board.app):
        if route.method != "GET":
            continue
        for name in PARAMETER.findall(route.path):
            for value in values:
                known = {"track": "hidden", "submission": private, "kind": "csv", "name": "hidden"}
                target = route.fill({**known, name: value.replace("\0", "%00")})
                received = ask(
                    board.address, target, f"Cookie: bearleft_team={client.http.cookies['bearleft_team']}\r\n"
                )
                assert re.match(rb"HTTP/1\.1 (303|307|400|401|404|422) ", received), (target, received[:100])
                assert not any(secret in received for secret in secrets)
    archive = client.get("/leaderboard/hidden/entrants.zip").content
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        names = opened.namelist()
        assert names and not any("answers" in name or name.startswith(("/", "..")) for name in names)
        texts = b"".join(opened.read(name) for name in names)
    assert b'"hidden": true' in texts and not any(secret in texts for secret in secrets)


def test_nothing_of_the_private_folder_is_told(board: Board, private: str, browse: Browse) -> None:
    """Neither pages nor the API name folders of the server, nor values of episodes."""
    with board.api("Victims") as program:
        texts = [program.get(path).text for path in ("/tracks", "/tracks/hidden", f"/submissions/{private}")]
    texts += [
        browse("Victims").get(path).text for path in ("/leaderboard/hidden", "/team", "/leaderboard/hidden/submit")
    ]
    for text in texts:
        assert str(board.folder) not in text and "answers_folder" not in text and "uploads/" not in text


def test_disabled_teams_are_signed_out(board: Board, browse: Browse, organiser: Callable[[str], AdminClient]) -> None:
    client, owner = browse("Cheaters"), organiser("owner")
    with board.database.read() as session:
        public_id = session.scalars(select(Team.public_id).where(Team.name == "Cheaters")).one()
    assert owner.post(f"/admin/leaderboard/teams/{public_id}", action="disable").status_code == 303
    assert client.get("/team").status_code == 303
    with board.api("Cheaters") as program:
        assert program.get("/submissions").status_code == 401
    assert owner.post(f"/admin/leaderboard/teams/{public_id}", action="enable").status_code == 303
    assert client.get("/team").status_code == 200


def test_admin_pages_need_their_roles(
    board: Board, private: str, browse: Browse, organiser: Callable[[str], AdminClient]
) -> None:
    team, viewer, reviewer = browse("Victims"), organiser("viewer"), organiser("reviewer")
    assert team.get("/admin/leaderboard").headers["location"] == "/admin/sign-in"
    assert (
        viewer.get("/admin/leaderboard").status_code
        == viewer.get("/admin/leaderboard/tracks/hidden").status_code
        == 200
    )
    assert viewer.get("/admin/leaderboard/new").status_code == 403
    assert viewer.post(f"/admin/leaderboard/submissions/{private}", action="hide").status_code == 403
    for client in (viewer, reviewer):
        assert client.get("/admin/leaderboard/log").status_code == 403
        assert client.post("/admin/leaderboard/invitations").status_code == 403
        assert client.post("/admin/leaderboard/tracks/hidden", state="closed").status_code == 403
        assert client.post("/admin/leaderboard/new", name="x").status_code == 403
    before = count(board, Token)
    assert reviewer.post("/admin/leaderboard/teams/x", action="disable").status_code == 403
    assert count(board, Token) == before

"""Pages of the leaderboard without a browser: tables, entries, teams, downloads."""

from __future__ import annotations

import csv
import io
import re

import pytest

from bearleft.web.leaderboard.routes.common import SAID
from tests.web.leaderboard.pages.conftest import Browse
from tests.web.leaderboard.pages.site import Board, public_walks


@pytest.fixture(scope="module")
def entries(board: Board) -> dict[str, str]:
    """Two published entries of the public track, one with two seeds, and one of the hidden track."""
    details = {"code_url": "https://example.org/code", "tags": ["pictures"], "cost": "3 USD"}
    return {
        "Walker": board.submit(
            "Bears", "public", public_walks(0), public_walks(1), title="Walker", publish=True, **details
        ),
        "Stander": board.submit("Foxes", "public", public_walks(agent="stop"), title="Stander", publish=True),
        "Hidden": board.submit("Bears", "hidden", board.walks(), title="Hidden", publish=True),
    }


@pytest.mark.slow
@pytest.mark.usefixtures("entries")
def test_tracks_are_listed_with_their_best_entry(browse: Browse) -> None:
    page = browse().get("/leaderboard").text
    assert "hidden answers" in page and "2 entries" in page and "1 entry" in page
    assert re.search(r"best nDTW \d", page)


@pytest.mark.usefixtures("entries")
def test_a_table_is_sorted_and_filtered(browse: Browse) -> None:
    client = browse()
    page = client.get("/leaderboard/public").text
    assert page.index("Walker") < page.index("Stander")  # by nDTW
    assert "± " in page and " to " in page and "https://example.org/code" in page and "3 USD" in page
    by_distance = client.get("/leaderboard/public?sort=SPD").text
    assert 'aria-sort="ascending"' in by_distance
    names = re.findall(r'/entries/[0-9a-f]{32}">(\w+)</a>', by_distance)
    figures = [float(text) for text in re.findall(r'<td class="number"><span[^>]*>([\d.]+)</span>', by_distance)]
    columns = len(figures) // 2
    assert len(names) == 2 and figures[columns - 1] <= figures[-1]  # SPD is the last column
    assert 'aria-label="Compare Stander"' not in client.get("/leaderboard/public?tag=pictures").text
    assert 'aria-label="Compare Walker"' not in client.get("/leaderboard/public?without=pictures").text
    assert "No entry fits" in client.get("/leaderboard/public?tag=language_model").text
    assert client.get("/leaderboard/public?sort=nothing&tag=%3Cscript%3E").status_code == 200
    assert "Walker" in client.get("/leaderboard/public?convention=r4r").text
    assert client.get("/leaderboard/public?convention=nothing").status_code == 404
    assert client.get("/leaderboard/nothing").status_code == 404


@pytest.mark.usefixtures("entries")
def test_tables_are_downloaded(browse: Browse) -> None:
    client = browse()
    answer = client.get("/leaderboard/public/table.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="public.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["system"] for row in rows] == ["Walker", "Stander"] and rows[0]["seeds"] == "2"
    assert "| Walker | Bears | pictures |" in client.get("/leaderboard/public/table.md").text
    assert r"\toprule" in client.get("/leaderboard/public/table.tex").text
    assert client.get("/leaderboard/public/table.py").status_code == 404
    figures = client.get("/api/leaderboard/tracks/public/table").json()
    assert figures[0]["nDTW"] == float(rows[0]["nDTW"])


def test_hidden_tracks_show_rounded_figures_everywhere(board: Board, entries: dict[str, str], browse: Browse) -> None:
    client = browse()
    (row,) = client.get("/api/leaderboard/tracks/hidden/table").json()
    assert row["nDTW"] == round(row["nDTW"], 3) and row["nDTW low"] == round(row["nDTW low"], 3)
    assert row["SPD"] == round(row["SPD"], 1)
    with board.api("Bears") as program:
        figures = program.get(f"/submissions/{entries['Hidden']}").json()["figures"]
    assert figures and all(len(f"{one['value']:.12g}".partition(".")[2]) <= 3 for one in figures), figures
    page = client.get(f"/leaderboard/hidden/entries/{entries['Hidden']}").text
    shown = re.findall(r'<td class="number">([\d.]+)</td>', page)
    assert shown and all(len(text.partition(".")[2]) <= 3 for text in shown)


def test_two_entries_are_compared(entries: dict[str, str], browse: Browse) -> None:
    client = browse()
    both = [("entry", entries["Walker"]), ("entry", entries["Stander"])]
    page = client.get("/leaderboard/public/compare", params=both).text
    assert "Walker and Stander" in page and "p permutation" in page and "nDTW" in page
    assert client.get("/leaderboard/public/compare", params=both[:1]).status_code == 422
    assert client.get("/leaderboard/public/compare", params=[both[0], both[0]]).status_code == 422
    other = [both[0], ("entry", entries["Hidden"])]
    assert client.get("/leaderboard/public/compare", params=other).status_code == 404
    assert client.get("/leaderboard/hidden/compare", params=both).status_code == 404


def test_the_page_of_an_entry_has_its_figures_by_convention_and_seed(entries: dict[str, str], browse: Browse) -> None:
    page = browse().get(f"/leaderboard/public/entries/{entries['Walker']}").text
    for words in ("Convention paper", "Convention r4r", "Seed 0", "Seed 1", "3 USD", "Bears", "bearleft 0"):
        assert words in page, words
    assert "Publish" not in page and "report.html" not in page
    assert browse().get(f"/leaderboard/hidden/entries/{entries['Walker']}").status_code == 404


@pytest.mark.slow
def test_a_report_is_for_the_team_and_for_public_answers_only(entries: dict[str, str], browse: Browse) -> None:
    mine, other, nobody = browse("Foxes"), browse("Bears"), browse()
    path = f"/leaderboard/public/entries/{entries['Stander']}"
    assert "report.html" in mine.get(path).text
    answer = mine.get(f"{path}/report.html")
    assert answer.status_code == 200 and "Stander" in answer.text
    assert "sandbox allow-scripts" in answer.headers["content-security-policy"]
    assert other.get(f"{path}/report.html").status_code == 404
    assert nobody.get(f"{path}/report.html").headers["location"] == "/team/sign-in"
    hidden = f"/leaderboard/hidden/entries/{entries['Hidden']}"
    assert "report.html" not in other.get(hidden).text
    assert other.get(f"{hidden}/report.html").status_code == 404


def test_entrants_download_the_archive_of_a_hidden_track(browse: Browse) -> None:
    client = browse()
    answer = client.get("/leaderboard/hidden/entrants.zip")
    assert answer.headers["content-type"] == "application/zip" and b"entrants/" in answer.content
    assert client.get("/api/leaderboard/tracks/hidden/entrants.zip").content == answer.content
    assert client.get("/leaderboard/public/entrants.zip").status_code == 404
    assert "hidden.zip" in client.get("/leaderboard/hidden").text


def test_a_team_is_founded_by_an_invitation(board: Board, browse: Browse) -> None:
    client = browse()
    code = board.code()
    assert client.post("/team/join", code="wrong", name="Wolves").status_code == 422
    refused = client.post("/team/join", code=code, name="")
    assert refused.status_code == 422 and 'value="' + code in refused.text
    page = client.post("/team/join", code=code, name="Wolves", affiliation="Forest")
    assert page.status_code == 200 and "Welcome, Wolves" in page.text
    found = re.search(r'id="token">([^<]+)<', page.text)
    assert found
    assert "Forest" in client.get("/team").text  # the browser is signed in
    assert client.post("/team/join", code=code, name="Others").status_code == 422  # it was used
    with board.api() as program:
        program.headers["Authorization"] = f"Bearer {found[1]}"
        assert program.get("/tracks/public").json()["team"] == "Wolves"


def test_tokens_are_made_and_revoked(browse: Browse) -> None:
    first, second = browse("Lynxes"), browse()
    page = first.post("/team/tokens", label="cluster")
    token = re.search(r'id="token">([^<]+)<', page.text)
    assert token and second.sign_in(token[1]).status_code == 303
    assert "this browser" in second.get("/team").text
    numbers = re.findall(r"/team/tokens/(\d+)/revoke", second.get("/team").text)
    assert len(numbers) == 2
    assert second.post(f"/team/tokens/{numbers[1]}/revoke").headers["location"] == "/team?said=revoked"
    assert second.get("/team").headers["location"] == "/team/sign-in"  # signed out with its token
    assert SAID["revoked"] in first.get("/team?said=revoked").text
    assert first.post("/team/tokens", label="x" * 500).status_code == 422
    assert first.post("/team/sign-out").headers["location"] == "/team/sign-in?said=out"
    assert first.get("/team").status_code == 303


@pytest.mark.slow
def test_submissions_are_published_and_withdrawn_on_the_page(board: Board, browse: Browse) -> None:
    submission = board.submit("Otters", "public", public_walks(3), title="Swimmer")
    client = browse("Otters")
    page = client.get("/team").text
    assert "private" in page and re.search(r"nDTW \d", page)
    assert "Swimmer" not in browse().get("/leaderboard/public").text
    for action, shown in (("publish", True), ("unpublish", False), ("publish", True), ("withdraw", False)):
        assert client.post(f"/team/submissions/{submission}", action=action).status_code == 303
        assert ("Swimmer" in browse().get("/leaderboard/public").text) == shown, action
    assert "withdrawn" in client.get("/team").text
    assert client.post(f"/team/submissions/{submission}", action="publish").status_code == 422
    assert client.post(f"/team/submissions/{submission}", action="explode").status_code == 422

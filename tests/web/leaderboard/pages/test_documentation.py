"""The pages for organisers and entrants, done: their commands are typed, and what they click is clicked in Chromium."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bearleft.web import server
from bearleft.web.admin.sessions import SIGN_IN
from bearleft.web.app import create_app
from bearleft.web.leaderboard import baselines
from bearleft.web.settings import Settings
from bearleft.web.templating import TEMPLATES
from tests.browser.report_page import chromium
from tests.commands import run_command
from tests.test_docs import commands
from tests.web.attacks.site import site_settings
from tests.web.leaderboard.pages.site import Board
from tests.web.leaderboard.pages.test_stories import Window
from tests.web.leaderboard.pages.test_submit import scoring
from tests.web.leaderboard.scoring.entries import write_hidden
from tests.web.scene_page import browser_missing
from tests.web.server import serving

DOCS = Path(__file__).parents[4] / "docs"
PAGES = ("leaderboard", "leaderboard-organiser", "leaderboard-entrant")
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
ADDRESS = "http://127.0.0.1:8360"
PASSWORD = "correct horse battery"


def typed(page: str) -> list[str]:
    """Return the commands of a page."""
    blocks = CONSOLE.findall((DOCS / f"{page}.md").read_text())
    return [command for block in blocks for command, _ in commands(block)]


def served_by(command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Settings:
    """Return the settings of the server that a command starts, which is not started."""
    served: list[Settings] = []
    played: list[Path] = []
    with monkeypatch.context() as patched:
        patched.setattr(baselines, "add_baselines", lambda _database, folder, _progress: played.append(folder))
        patched.setattr(server, "run_server", lambda settings, *_places, **_options: served.append(settings))
        code, _, err = run_command(capsys, *shlex.split(command)[1:])
    assert (code, len(played), len(served)) == (0, 1, 1), err
    return served[0]


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_says_to_click_is_on_the_pages(page: str) -> None:
    folders = ("leaderboard", "admin")
    shown = " ".join(
        re.sub(r"\s+", " ", file.read_text()) for folder in folders for file in TEMPLATES.joinpath(folder).iterdir()
    )
    text = re.sub(
        r"\*\*.*?\*\*|`[^`]*`|^```.*?^```", "", (DOCS / f"{page}.md").read_text(), flags=re.DOTALL | re.MULTILINE
    )
    labels = [" ".join(label.split()) for label in re.findall(r"(?<!\*)\*([^*]+)\*", text)]
    assert labels
    for label in labels:
        assert label in shown, label


@pytest.mark.skipif(bool(browser_missing()), reason=browser_missing())
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_both_pages_are_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BEARLEFT_ADMIN_PASSWORD", PASSWORD)
    for name in ("BEARLEFT_TOKEN", "BEARLEFT_DATABASE", "BEARLEFT_LEADERBOARD"):
        monkeypatch.delenv(name, raising=False)
    printed: dict[str, str] = {}

    def run(command: str) -> None:
        words = shlex.split(command)
        if words[0] != "bearleft":
            subprocess.run(words, check=True, capture_output=True)
        elif words[1:3] == ["data", "make"]:  # takes minutes; tests/generate make such datasets
            write_hidden(Path(words[words.index("-o") + 1]))
            Path(words[words.index("--secret") + 1]).touch(0o600)
        elif words[1:3] != ["serve", "start"]:  # the server is started below
            code, out, err = run_command(capsys, *words[1:])
            assert code == 0, (command, err)
            printed[command] = out

    for command in typed("leaderboard-organiser"):
        run(command)
    link = next(word for word in "".join(printed.values()).split() if len(word) == 43)
    started = next(command for command in typed("leaderboard-organiser") if command.startswith("bearleft serve start"))
    served = served_by(started, monkeypatch, capsys)
    app = create_app(replace(site_settings(tmp_path), database=served.database, leaderboard=served.leaderboard))
    with serving(app) as address, chromium() as browser:
        board = Board(address, app, tmp_path)
        window, organiser = Window(browser, board), Window(browser, board)
        organiser.goto(SIGN_IN)
        organiser.page.get_by_label("Name").fill("ada")
        organiser.page.get_by_label("Password").fill(PASSWORD)
        organiser.send("Sign in")
        organiser.goto("/admin/leaderboard/new")
        organiser.page.get_by_label("Hidden dataset").select_option("walks")
        window.goto(f"/team/join#code={link}")
        window.page.get_by_label("Name of a new team").fill("Bears")
        window.click("Use it")
        token = window.page.locator("#token").inner_text()
        with scoring(board):
            for command in typed("leaderboard-entrant"):
                if command.startswith("export "):
                    monkeypatch.setenv("BEARLEFT_TOKEN", token)
                    continue
                replaced = command.replace(ADDRESS, address)
                run(re.sub(r"^python ", f"{sys.executable} ", replaced))
                if "submit" in command:
                    submitted = printed[replaced]
        assert "nDTW" in submitted
        window.goto("/team")
        window.click("Drunkard", "link")
        window.send("Publish")
        window.goto("/leaderboard/walks")
        row = window.page.get_by_role("row").filter(has_text="Drunkard").inner_text()
        assert "Bears" in row and "±" in row  # two seeds
        organiser.goto("/admin/leaderboard/tracks/walks")
        assert "Drunkard" in organiser.page.locator("main").inner_text()
        for opened in (window, organiser):
            opened.close()
    assert os.stat("leaderboard").st_mode & 0o777 == 0o700

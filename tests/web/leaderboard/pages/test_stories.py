"""What an organiser and an entrant do in Chromium, from a hidden dataset to a row in its table."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.accessibility import axe_missing, violations
from tests.browser.report_page import DESK, PHONE, Browser, chromium
from tests.browser.waiting import expect
from tests.web.admin.study import PASSWORD
from tests.web.leaderboard.pages.site import HIDDEN_FILE, Board, file_of, public_walks
from tests.web.leaderboard.scoring.entries import traces, write_hidden
from tests.web.scene_page import browser_missing

pytestmark = [
    pytest.mark.skipif(bool(browser_missing()), reason=browser_missing()),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
SHOTS = os.environ.get("BEARLEFT_SHOTS")  # a folder, to look at the pages
SCRIPT = "Rock & Roll '\"{{ 7 * 7 }}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


class Window:
    """A browser window; `faults` are errors of pages and requests that leave the machine."""

    def __init__(self, browser: Browser, board: Board, size: tuple[int, int] = DESK, dark: bool = False) -> None:
        phone = size == PHONE
        self.context = browser.chromium.new_context(
            viewport={"width": size[0], "height": size[1]},
            is_mobile=phone,
            has_touch=phone,
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
        )
        self.board, self.page, self.phone = board, self.context.new_page(), phone
        self.page.set_default_timeout(60_000)
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda line: self._on_console(line.type, line.text))
        self.page.on("request", lambda request: self._on_request(request.url))

    def _on_console(self, kind: str, text: str) -> None:
        if kind == "error" and not re.search(r"\b4(03|09|22)\b", text):
            self.faults.append(text)

    def _on_request(self, url: str) -> None:
        if not url.startswith((self.board.address, "data:", "blob:")):
            self.faults.append(f"request: {url}")

    def goto(self, path: str) -> None:
        """Open a page."""
        self.page.goto(f"{self.board.address}{path}")

    def check(self, shot: str) -> None:
        """Check that axe finds nothing severe, and that the page is not wider than its window."""
        self.page.wait_for_load_state()
        if not axe_missing():
            assert violations(self.page) == [], self.page.url
        assert not self.page.evaluate("() => document.documentElement.scrollWidth > innerWidth"), self.page.url
        if SHOTS:
            name = f"{shot}{'-phone' if self.phone else ''}.png"
            self.page.screenshot(path=Path(SHOTS) / name, full_page=True)

    def click(self, name: str, role: str = "button") -> None:
        """Click a button or a link."""
        self.page.get_by_role(role, name=name, exact=True).first.click()

    def send(self, name: str) -> None:
        """Click a button that sends a form, and wait for the page that answers it."""
        with self.page.expect_navigation():
            self.click(name)

    def download(self, name: str, folder: Path) -> Path:
        """Click a link to a file, and return the file."""
        with self.page.expect_download() as download:
            self.click(name, "link")
        path: Path = folder / download.value.suggested_filename
        download.value.save_as(path)
        return path

    def close(self) -> None:
        """Close the window; fail if there were faults."""
        self.context.close()
        assert self.faults == []


def organise(window: Window, name: str) -> str:
    """Add a track from a folder of the server, open it, and invite a team; return the link."""
    page = window.page
    window.goto("/admin")
    page.get_by_label("Name").fill("owner")
    page.get_by_label("Password").fill(PASSWORD)
    window.send("Sign in")
    window.click("Leaderboard", "link")
    window.check("admin-leaderboard")
    window.click("New track", "link")
    page.get_by_label("Name in addresses").fill(name)
    page.get_by_label("Title").fill(f"City walks, {name}")
    page.get_by_label("Description and rules").fill("Walks in a city that nobody has seen.")
    page.get_by_label("Submissions of a team a day").fill("0")
    page.get_by_label("Hidden dataset").select_option("walks")
    window.check("admin-new-track")
    window.send("Add as a draft")
    expect(page.get_by_role("alert")).to_contain_text("from 1 to 1,000")
    expect(page.get_by_label("Hidden dataset")).to_have_value("walks")  # what was typed is still there
    page.get_by_label("Submissions of a team a day").fill("2")
    window.send("Add as a draft")
    expect(page.locator(".lead")).to_contain_text("Draft, hidden answers")
    window.send("Open")
    expect(page.locator(".message")).to_contain_text("The track is open.")
    window.check("admin-track")
    window.click("Leaderboard", "link")
    page.get_by_label("For whom").fill("Ada")
    window.send("Make a link")
    window.check("admin-invitation")
    return str(page.locator("#invitation").inner_text())


def enter(window: Window, link: str, name: str, team: str, folder: Path) -> Path:
    """Use an invitation, download the episodes, upload traces of two seeds, and return the archive."""
    page = window.page
    page.goto(link)
    assert "#" not in page.url  # the code is in the field, and no longer in the address
    page.get_by_label("Name of a new team").fill(team)
    page.get_by_label("Affiliation").fill("Forest")
    window.check("join")
    window.click("Use it")
    window.check("token")
    expect(page.locator("#token")).to_have_text(re.compile(r"^\S{43}$"))
    window.click("To the team's page", "link")
    window.check("team-empty")
    window.click("Leaderboard", "link")
    window.click(f"City walks, {name}", "link")
    window.check("track-empty")
    archive = window.download(f"{name}.zip", folder)
    window.click("Submit the traces", "link")
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    window.check("submit")
    page.get_by_label("Name of the system").fill("Walker")
    (folder / "wrong.jsonl").write_bytes(b"this is no trace\n")
    page.get_by_label("Traces").set_input_files(folder / "wrong.jsonl")
    window.click("Submit")
    page.locator("#message", has_text="no JSON object").wait_for()
    files = []
    for seed in range(2):
        files.append(folder / f"seed{seed}.jsonl")
        files[-1].write_bytes(file_of(traces(folder / "entrants" / HIDDEN_FILE, "random", seed)))
    page.get_by_label("Traces").set_input_files(files)
    expect(page.locator("#chosen li")).to_have_count(2)
    page.get_by_label("ground truth of the scene").check()
    page.get_by_label("Cost of a run").fill("0 USD")
    page.get_by_label("Code").fill("https://example.org/code")
    window.check("submit-filled")
    window.click("Submit")
    page.wait_for_url("**/entries/*")
    window.check("entry-queued")
    expect(page.locator("#state")).to_have_attribute("data-state", "queued")
    window.board.score()
    page.get_by_role("button", name="Publish").wait_for()  # the page has loaded again by itself
    window.check("entry-scored")
    window.send("Publish")
    window.check("team")
    return archive


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_from_a_hidden_dataset_to_a_row(
    board: Board, browser: Browser, size: tuple[int, int], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    name = str(request.node.callspec.id)
    place = board.folder / "datasets" / "walks"
    if not place.is_dir():
        write_hidden(place)
    organiser, entrant = Window(browser, board, size), Window(browser, board, size)
    link = organise(organiser, name)
    enter(entrant, link, name, f"Bears on {name}", tmp_path)
    page = entrant.page
    entrant.goto(f"/leaderboard/{name}")
    row = page.get_by_role("row").filter(has_text="Walker").inner_text()
    assert "Bears on" in row and "0 USD" in row and "±" in row
    rows = entrant.download("CSV", tmp_path).read_text().splitlines()
    assert len(rows) == 2 and "Walker" in rows[1]
    organiser.goto(f"/admin/leaderboard/tracks/{name}")
    organiser.check("admin-track-filled")
    organiser.send("Hide Walker")
    expect(organiser.page.locator(".message")).to_contain_text("The entry is hidden.")
    entrant.goto(f"/leaderboard/{name}")
    expect(page.locator("main")).to_contain_text("No entry is published yet.")
    organiser.send("Show")
    organiser.click("Log", "link")
    organiser.check("admin-log")
    actions = organiser.page.locator("tbody td:nth-child(3)").all_inner_texts()
    assert actions[:2] == ["show", "hide"] and "submit" in actions and "add track" in actions
    organiser.goto(f"/admin/leaderboard/tracks/{name}")
    organiser.send("Close")
    entrant.goto(f"/leaderboard/{name}/submit")
    expect(page.locator("main")).to_contain_text("takes no submissions")
    for window in (organiser, entrant):
        window.close()


@pytest.fixture(scope="module")
def filled(board: Board) -> Board:
    """The board with entries of the public track, whose texts are hostile."""
    tags = {"tags": ["pictures", "language_model"], "cost": "3 USD", "code_url": "https://example.org/code"}
    board.submit("Bears", "public", public_walks(0), public_walks(1), title="Walker", publish=True, **tags)
    board.submit("Foxes", "public", public_walks(agent="stop"), title="Stander", publish=True)
    board.submit(SCRIPT, "public", public_walks(2), title=SCRIPT, note=f"<script>{SCRIPT}</script>", publish=True)
    board.submit(SCRIPT, "hidden", board.walks(), title=SCRIPT)
    return board


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(("size", "dark"), [(DESK, False), (PHONE, True)], ids=["desk", "phone-dark"])
def test_pages_are_accessible_and_run_no_scripts_of_strangers(
    filled: Board, browser: Browser, size: tuple[int, int], dark: bool
) -> None:
    window = Window(browser, filled, size, dark)
    page, suffix = window.page, "-dark" if dark else ""
    window.goto("/team/sign-in")
    window.check(f"sign-in{suffix}")
    page.get_by_label("Token").fill("wrong")
    window.send("Sign in")
    expect(page.get_by_role("alert")).to_contain_text("No team has this token")
    page.get_by_label("Token").fill(filled.token(SCRIPT))
    window.send("Sign in")
    page.wait_for_url("**/team?said=in")
    window.check(f"team-filled{suffix}")
    for path, shot in (("/leaderboard", "tracks"), ("/leaderboard/public", "track")):
        window.goto(path)
        window.check(f"{shot}{suffix}")
    page.get_by_role("columnheader", name="SPD").get_by_role("link").click()
    expect(page.locator("th[aria-sort=ascending]")).to_have_text(re.compile(r"^\s*SPD"))
    page.locator("select[name=tag]").select_option("pictures")
    window.send("Show")
    expect(page.locator("#entries tbody tr")).to_have_count(1)
    window.goto("/leaderboard/public")
    for name in ("Walker", SCRIPT):
        page.get_by_label(f"Compare {name}", exact=True).check()
    window.send("Compare two entries")
    window.check(f"compare{suffix}")
    assert page.locator("h1").inner_text() == f"Walker and {SCRIPT}" or SCRIPT in page.locator("h1").inner_text()
    window.goto("/leaderboard/public")
    page.locator("#entries").get_by_role("link", name=SCRIPT, exact=True).first.click()
    window.check(f"entry{suffix}")
    expect(page.locator("main")).to_contain_text(f"<script>{SCRIPT}</script>")
    window.close()


@pytest.mark.slow
def test_an_interrupted_upload_goes_on(filled: Board, browser: Browser, tmp_path: Path) -> None:
    window = Window(browser, filled)
    page = window.page
    window.goto("/team/sign-in")
    page.get_by_label("Token").fill(filled.token("Interrupted"))
    window.send("Sign in")
    window.goto("/leaderboard/public/submit")
    (tmp_path / "a.jsonl.gz").write_bytes(public_walks(40))
    page.get_by_label("Name of the system").fill("Interrupted")
    page.get_by_label("Traces").set_input_files(tmp_path / "a.jsonl.gz")
    lost: list[Any] = []

    def lose(route: Any) -> None:
        """Let the server accept the first submission, and lose its answer."""
        if lost:
            route.continue_()
            return
        lost.append(route.fetch())
        route.abort()

    page.route("**/leaderboard/public/submissions", lose)
    window.click("Submit")
    page.locator("#message", has_text="The connection broke").wait_for()
    window.click("Submit")
    page.wait_for_url("**/entries/*")
    assert lost[0].status == 201 and lost[0].json()["id"] in page.url
    with filled.api("Interrupted") as program:
        assert len(program.get("/submissions").json()) == 1
    window.faults = [fault for fault in window.faults if "Failed to load resource" not in fault]
    window.close()

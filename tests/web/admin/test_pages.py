"""The admin pages in Chromium, from signing in to export and import, on SQLite and on PostgreSQL."""

from __future__ import annotations

import io
import os
import random
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bearleft.web.app import create_app
from bearleft.web.settings import Settings
from tests.browser.accessibility import axe_missing, violations
from tests.browser.report_page import DESK, PHONE, Browser, chromium
from tests.browser.waiting import expect
from tests.web.admin.conftest import Site
from tests.web.admin.study import NAME, PASSWORD, add_admins, add_project, collect, sign_in
from tests.web.postgresql import run_sql
from tests.web.scene_page import browser_missing, direction_picture
from tests.web.server import serving
from tests.web.touchdown.driver import TEXT

pytestmark = [
    pytest.mark.skipif(bool(browser_missing()), reason=browser_missing()),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
# What the button of a replay said: on a busy machine a replay may have ended before one looks.
KEEP_LABELS = """() => {
  window.labels = [];
  const button = document.getElementById('play');
  const options = { childList: true, characterData: true, subtree: true };
  new MutationObserver(() => labels.push(button.textContent)).observe(button, options);
}"""
SHOTS = os.environ.get("BEARLEFT_SHOTS")  # a folder, to look at the pages


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def pages(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, panorama_folder: Path
) -> Iterator[Site]:
    """A server with a study on each kind of database."""
    if request.param == "sqlite":
        url = str(tmp_path_factory.mktemp("pages") / "web.sqlite")
    else:
        server = request.getfixturevalue("postgresql_server")
        url = f"{server}/admin_{os.getpid()}_{random.randrange(10**9)}"
        run_sql(f"{server}/template1", f"CREATE DATABASE {url.rpartition('/')[2]} TEMPLATE template0")
    settings = Settings(database=url, cache=panorama_folder, secret="0123456789abcdef")
    add_admins(settings)
    add_project(settings)
    app = create_app(settings)
    collect(app.state.database, app.state.worlds)
    with serving(app) as address:
        yield Site(address, app)


class Window:
    """The browser window of somebody who signs in; `faults` are errors and requests that leave the machine."""

    def __init__(self, browser: Browser, site: Site, size: tuple[int, int], dark: bool = False) -> None:
        view, phone = {"width": size[0], "height": size[1]}, size == PHONE
        scheme = "dark" if dark else "light"
        self.context = browser.chromium.new_context(
            viewport=view, is_mobile=phone, has_touch=phone, color_scheme=scheme, accept_downloads=True
        )
        self.site, self.page = site, self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda line: self._on_console(line.type, line.text))
        self.page.on("request", lambda request: self._on_request(request.url))
        picture = io.BytesIO()
        direction_picture(512).save(picture, "WEBP")
        self.page.route(
            re.compile(r"/panoramas/"), lambda route: route.fulfill(body=picture.getvalue(), content_type="image/webp")
        )

    def _on_console(self, kind: str, text: str) -> None:
        if kind == "error" and "403" not in text and "422" not in text:
            self.faults.append(text)

    def _on_request(self, url: str) -> None:
        if not url.startswith((self.site.address, "data:", "blob:")):
            self.faults.append(f"request: {url}")

    def sign_in(self, name: str, password: str = PASSWORD) -> None:
        sign_in(self.page, self.site.address, name, password)

    def goto(self, path: str) -> None:
        self.page.goto(f"{self.site.address}{path}")

    def check(self, shot: str = "") -> None:
        """Check that axe finds nothing serious, and that a page is not wider than its window."""
        found = violations(self.page)
        assert found == [], (self.page.url, found)
        assert not self.page.evaluate("() => document.documentElement.scrollWidth > innerWidth"), self.page.url
        if SHOTS and shot:
            self.page.screenshot(path=Path(SHOTS) / f"{shot}.png")

    def close(self) -> None:
        self.context.close()
        assert self.faults == []


def open_answer(window: Window, kind: str) -> None:
    """Open the first answer of a kind from the list."""
    page = window.page
    window.goto(f"/admin/projects/{NAME}/answers?kind=touchdown/{kind}&state=submitted")
    page.locator("table tbody th a").last.click()
    page.wait_for_selector("html[data-replay]")


def test_from_signing_in_to_export_and_import(pages: Site, browser: Browser, tmp_path: Path) -> None:
    window = Window(browser, pages, DESK)
    page = window.page
    window.sign_in("owner", "a wrong password")
    expect(page.get_by_role("alert")).to_contain_text("is wrong")
    window.sign_in("owner")
    expect(page.get_by_role("heading", level=1)).to_have_text("Projects")

    page.get_by_role("link", name="New project").click()
    page.get_by_label("Name").fill("Bad Name")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#name-problem")).to_contain_text("expected a name of a project")
    page.get_by_label("Name").fill("second")
    page.get_by_label("At most").fill("1")
    page.get_by_label("Answers wanted").fill("2")
    page.get_by_label("Further settings").fill('{"qualification": false}')
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("status").filter(has_text="Added.")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="Hide the bear").locator("td").first).to_have_text("2")
    page.get_by_role("button", name="Close the project").click()
    expect(page.locator("h1 .chip")).to_have_text("closed")

    open_answer(window, "validation")
    last = int(page.locator("#step").get_attribute("max"))
    assert last > 5
    for _ in range(last):
        page.get_by_role("button", name="Step ahead").click()
    expect(page.locator("#step-text")).to_contain_text("submit")
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_role("alert")).to_contain_text("expected a reason")
    page.get_by_label("Reason").fill("Five clicks, all far away.")
    page.get_by_label("and ask somebody else").check()
    page.get_by_role("button", name="Reject", exact=True).click()
    expect(page.locator(".facts li").first).to_contain_text("Five clicks, all far away.")

    window.goto(f"/admin/projects/{NAME}")
    page.get_by_role("link", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("link", name=f"{NAME}.zip").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert f"city/touchdown/{NAME}.jsonl" in archive.namelist()
    with page.expect_download() as download:
        page.get_by_role("link", name=f"{NAME}.bearleft.gz").click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    page.get_by_role("link", name="imports").click()
    page.get_by_label("File").set_input_files(saved)
    page.get_by_role("button", name="Import").click()
    page.get_by_text("a name that no project has").wait_for()
    page.get_by_label("Name").fill("copied")
    page.get_by_role("button", name="Import").click()
    page.wait_for_url("**/projects/copied?said=imported")
    expect(page.get_by_text("Imported.")).to_be_visible()

    window.goto("/admin/audit")
    lines = page.locator("table tbody").inner_text()
    for action in ("import", "export", "reject", "requeue", "close project", "create project", "failed sign-in"):
        assert action in lines, action
    page.get_by_role("link", name="owner (owner)").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="You are signed out.")).to_be_visible()
    page.go_back()
    window.goto("/admin")
    assert page.url.endswith("/admin/sign-in")
    window.close()


@pytest.mark.slow
def test_a_replay_by_keyboard(pages: Site, browser: Browser) -> None:
    if pages.database.name.startswith("postgresql"):
        pytest.skip("a replay does not depend on the database")
    window = Window(browser, pages, DESK)
    page = window.page
    window.sign_in("viewer")
    open_answer(window, "writing")
    expect(page.locator("blockquote")).to_contain_text(TEXT)
    assert page.get_by_role("button", name="Reject").count() == 0, "a viewer does not decide"
    page.wait_for_selector(".viewer[data-picture]")
    first = page.locator(".viewer").get_attribute("data-picture")
    page.locator("h1").click()
    page.keyboard.press("End")
    last = page.locator("#step").get_attribute("max")
    expect(page.locator("#step")).to_have_value(last)
    page.wait_for_function("(first) => document.querySelector('.viewer').dataset.picture !== first", arg=first)
    page.keyboard.press(",")
    expect(page.locator("#step")).to_have_value(str(int(last) - 1))
    page.keyboard.press("Home")
    page.keyboard.press(".")
    expect(page.locator("#step")).to_have_value("1")
    page.get_by_label("Speed").select_option("16")
    page.locator("h1").click()
    page.evaluate(KEEP_LABELS)
    page.keyboard.press("Space")
    page.wait_for_function("() => labels.includes('Pause')")
    page.wait_for_function("(last) => document.getElementById('step').value === last", arg=last)
    page.wait_for_function("() => document.getElementById('play').textContent === 'Play'")
    page.locator("#step").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#step")).to_have_value(str(int(last) - 1))
    expect(page.locator("#step")).to_have_attribute("aria-valuetext", re.compile(f"^Step {int(last) - 1} of {last}"))
    window.close()


PATHS = {
    "projects": "/admin",
    "new": "/admin/new",
    "project": f"/admin/projects/{NAME}",
    "statistics": f"/admin/projects/{NAME}/statistics",
    "units": f"/admin/projects/{NAME}/units",
    "unit": "/admin/units/1",
    "answers": f"/admin/projects/{NAME}/answers",
    "answer": "/admin/answers/1",
    "export": f"/admin/projects/{NAME}/export",
    "import": "/admin/import",
    "account": "/admin/account",
    "accounts": "/admin/accounts",
    "audit": "/admin/audit",
}


@pytest.mark.slow(keep=1)
@pytest.mark.skipif(bool(axe_missing()), reason=axe_missing())
@pytest.mark.parametrize(("size", "dark"), [(DESK, False), (PHONE, True)])
def test_pages_are_accessible(pages: Site, browser: Browser, size: tuple[int, int], dark: bool) -> None:
    if pages.database.name.startswith("postgresql"):
        pytest.skip("pages do not depend on the database")
    window = Window(browser, pages, size, dark)
    name = "phone" if size == PHONE else "desk"
    window.goto("/admin/sign-in")
    window.check(f"sign-in-{name}")
    window.sign_in("owner")
    for shot, path in PATHS.items():
        window.goto(path)
        if shot == "answer":
            window.page.wait_for_selector("html[data-replay]")
            window.page.wait_for_selector(".viewer[data-picture]")
        window.check(f"{shot}-{name}")
    window.close()

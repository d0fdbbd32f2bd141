"""The pages of people in Chromium: consent, one's own page, deletion, and the ways from and to the platforms."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from bearleft.web.database.models import Answer, Attempt
from bearleft.web.database.models import Worker as WorkerRow
from bearleft.web.payments.batches import export_batch
from bearleft.web.people import COOKIE
from tests.browser.accessibility import axe_missing, violations
from tests.browser.report_page import DESK, PHONE, chromium
from tests.browser.waiting import expect
from tests.web.people.study import SPOT, Study, click_at, propagate_all, segment, validate
from tests.web.scene_page import browser_missing, direction_picture
from tests.web.server import serving
from tests.web.touchdown.driver import NAME, TEXT, Worker

pytestmark = [
    pytest.mark.skipif(bool(browser_missing()), reason=browser_missing()),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
SHOTS = os.environ.get("BEARLEFT_SHOTS")  # a folder, to look at the pages
PID = "5f3a9c1b2d4e6f7a8b9c0d1e"
START = f"/start/{NAME}?PROLIFIC_PID={PID}&STUDY_ID=study0001&SESSION_ID=session0001"
SANDBOX = "https://workersandbox.mturk.com"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened.chromium


@pytest.fixture
def study(new_app: FastAPI, database_url: str) -> Iterator[Study]:
    """A server without a project."""
    with ExitStack() as stack:
        made = Study(new_app, database_url, stack)
        made.address = stack.enter_context(serving(new_app))
        yield made


@cache
def picture() -> bytes:
    """Return a panorama that is not rendered."""
    stream = io.BytesIO()
    direction_picture(256).save(stream, "WEBP")
    return stream.getvalue()


class Tab:
    """A window; `faults` are errors of the page and requests that leave the machine."""

    def __init__(self, page: Any, study: Study, hosts: tuple[str, ...] = ()) -> None:
        self.page, self.study = page, study
        self.allowed = (f"{study.address}/", "data:", "blob:", *hosts)
        self.faults: list[str] = []
        page.set_default_timeout(180_000)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda m: self.faults.append(m.text) if m.type == "error" else None)
        page.on("request", lambda r: None if r.url.startswith(self.allowed) else self.faults.append(r.url))
        page.context.route(
            re.compile(r"/panoramas/"), lambda route: route.fulfill(body=picture(), content_type="image/webp")
        )

    def goto(self, path: str) -> None:
        self.page.goto(self.study.address + path)

    def click(self, name: str) -> None:
        """Follow a link or press a button."""
        control = self.page.get_by_role("link", name=name).or_(self.page.get_by_role("button", name=name))
        control.first.click()

    def is_titled(self, title: str) -> None:
        """Wait until a page with a title is shown."""
        expect(self.page.locator("h1")).to_have_text(title)

    def says(self, text: str, where: str = "main") -> None:
        """Wait until a text is shown."""
        expect(self.page.locator(where)).to_contain_text(text)

    def check(self, name: str) -> None:
        """Check a page for what people cannot use, on a desktop and on a phone; take a picture if wanted."""
        for size, device in ((DESK, "desk"), (PHONE, "phone")):
            self.page.set_viewport_size({"width": size[0], "height": size[1]})
            wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
            assert not self.page.evaluate(wide), f"{name} is too wide on a {device}"
            for theme in ("light", "dark"):
                self.page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
                if SHOTS:
                    self.page.screenshot(path=Path(SHOTS) / f"{name}-{device}-{theme}.png", full_page=True)
                if not axe_missing():
                    assert violations(self.page) == [], f"{name}, {device}, {theme}"
        self.page.evaluate("document.documentElement.dataset.theme = 'light'")
        self.page.set_viewport_size({"width": DESK[0], "height": DESK[1]})

    def client(self) -> httpx.Client:
        """Return a client with the cookies of the window."""
        client = self.study.browser()
        for cookie in self.page.context.cookies():
            client.cookies.set(cookie["name"], cookie["value"])
        return client

    def work(self) -> Worker:
        """Return a worker who does the open unit."""
        worker = Worker(self.client())
        worker.unit = json.loads(self.page.locator("#unit").text_content())
        return worker

    def write(self) -> None:
        """Do the open writing unit."""
        self.page.wait_for_selector("[data-kind='touchdown/writing']")
        worker = self.work()
        worker.walk(worker.view["route"])
        worker.act("draft", text=TEXT)
        worker.act("place", **click_at(SPOT))
        worker.submit()


@contextmanager
def opened(browser: Any, study: Study, *hosts: str, agent: Any = None) -> Iterator[Tab]:
    """Open a window; faults fail at the end."""
    context = agent or browser.new_context(viewport={"width": DESK[0], "height": DESK[1]}, ignore_https_errors=True)
    try:
        tab = Tab(context.new_page(), study, hosts)
        yield tab
        assert not tab.faults, tab.faults
    finally:
        if agent is None:
            context.close()


def test_from_consent_to_ones_own_page_and_deletion(browser: Any, study: Study, tmp_path: Path) -> None:
    study.add(consent=True)
    with opened(browser, study) as tab:
        tab.goto("/")
        tab.click(NAME)
        tab.click("Start")
        tab.is_titled("Before you begin")
        tab.check("consent")
        with tab.page.expect_navigation():
            tab.click("I do not agree")
        assert not study.rows(Attempt)
        tab.goto(f"/next/{NAME}")
        button = tab.page.get_by_role("button", name="I have read this and agree")
        button.focus()
        tab.page.keyboard.press("Enter")
        tab.write()
        route = study.rows(Answer)[0].data["route"]
        helpers = [study.hire(agree=True) for _ in range(2)]
        propagate_all(helpers[0])
        validate(helpers[1], route)
        segment(helpers[0])
        tab.goto("/me")
        facts = tab.page.locator("dl.facts").inner_text()
        assert "1 × Hide the bear" in facts
        assert "0.60 USD and 0.25 USD of bonuses" in facts
        assert "In payment\n0.00 USD" in facts
        assert "version 1" in facts
        tab.check("me")
        export_batch(study.url, NAME, "direct", tmp_path / "direct.csv")
        tab.page.reload()
        assert "In payment\n0.85 USD" in tab.page.locator("dl.facts").inner_text()
        with tab.page.expect_download() as download:
            tab.click("Download my data")
        data = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
        assert data["work"][0]["answer"]["content"]["text"] == TEXT
        tab.click("Leave this project")
        tab.page.wait_for_url("**/me/withdraw/*")
        tab.check("withdraw")
        tab.click("Stay")
        tab.page.wait_for_url("**/me")
        tab.click("Delete everything")
        tab.page.wait_for_url("**/me/delete")
        tab.check("delete")
        number = study.worker_id(tab.client())
        tab.page.get_by_label("to confirm").fill("nothing")
        tab.click("Delete everything")
        expect(tab.page.get_by_role("alert")).to_contain_text("Nothing is deleted yet")
        tab.page.get_by_label("to confirm").fill("delete")
        tab.page.keyboard.press("Enter")
        tab.page.get_by_role("heading", name="Everything is deleted").wait_for()
        assert number not in [row.id for row in study.rows(WorkerRow)]
        assert not [cookie for cookie in tab.page.context.cookies() if cookie["name"] == COOKIE]
        assert study.holding(TEXT[:40]) == {TEXT[:40]: []}


@pytest.mark.slow
def test_leaving_a_project_and_the_private_link(browser: Any, study: Study) -> None:
    study.add(consent=True, limit=2)
    with opened(browser, study) as tab:
        tab.goto(f"/consent/{NAME}")
        tab.click("I have read this and agree")
        tab.write()
        tab.goto("/me")
        tab.page.get_by_text("Show my private link").click()
        link = tab.page.locator("code.private").inner_text()
        with opened(browser, study) as other:
            other.page.goto(link)
            assert "#" not in other.page.url
            other.check("private-link")
            other.click("Yes, open it in this browser")
            other.says("1 × Hide the bear", "dl.facts")
        tab.click("Leave this project")
        tab.page.get_by_label("They stay, under your random name.").check()
        tab.click("Leave the project")
        tab.says("You have left this project")
        assert len(study.rows(Answer)) == 1
        tab.goto(f"/next/{NAME}")
        tab.says("You have left this project")


@pytest.mark.slow
def test_from_prolific_to_its_completion(browser: Any, study: Study) -> None:
    study.add(platform="prolific", completion_code="C0DE1234", consent=True)
    received: list[str] = []
    with opened(browser, study, "https://app.prolific.com/") as tab:
        tab.page.on("response", lambda r: received.append(r.text()) if "text/html" in str(r.headers) else None)

        def prolific(route: Any) -> None:
            route.fulfill(body="<h1>Thank you from Prolific</h1>", content_type="text/plain")

        tab.page.context.route("https://app.prolific.com/**", prolific)
        tab.goto(START)
        tab.click("Start")
        tab.click("I have read this and agree")
        tab.page.wait_for_selector("[data-kind='touchdown/writing']")
        tab.goto(f"/finish/{NAME}")
        tab.is_titled("Not done yet")
        tab.click("Go on")
        tab.write()
        assert not any("C0DE1234" in text for text in received)
        tab.goto(f"/next/{NAME}")
        tab.is_titled("Done. Thank you!")
        expect(tab.page.locator("code")).to_have_text("C0DE1234")
        tab.check("finish")
        tab.click("Complete the study on Prolific")
        tab.page.wait_for_url("https://app.prolific.com/submissions/complete?cc=C0DE1234")


@pytest.mark.slow
def test_from_the_preview_on_mturk_to_the_submit(browser: Any, study: Study) -> None:
    """MTurk's own page, with the frame, is the test's; no request reaches MTurk."""
    study.add(platform="mturk", consent=True)
    submitted: list[str] = []
    shown = {"query": "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=HIT1"}
    accepted = f"assignmentId=ASSIGNMENT1&hitId=HIT1&workerId=A1WORKER&turkSubmitTo={SANDBOX}"

    def mturk(route: Any) -> None:
        if route.request.url.endswith("/mturk/externalSubmit"):
            submitted.append(route.request.post_data)
            route.fulfill(body="<h1>Submitted</h1>", content_type="text/html")
        else:
            frame = f"{study.address}/start/{NAME}?{shown['query']}".replace("&", "&amp;")
            body = f"<!doctype html><iframe title=HIT width=1000 height=700 src='{frame}'></iframe>"
            route.fulfill(body=body, content_type="text/html")

    with opened(browser, study, SANDBOX) as tab:
        tab.page.context.grant_permissions(["local-network-access"])
        tab.page.context.route(f"{SANDBOX}/**", mturk)
        tab.page.goto(f"{SANDBOX}/projects/HIT1/tasks")
        frame = tab.page.frame_locator("iframe")
        frame.get_by_text("This is a preview").wait_for()
        assert not tab.page.context.cookies()
        assert not study.rows(WorkerRow)
        shown["query"] = accepted
        tab.page.reload()
        with tab.page.context.expect_page() as window:
            frame.get_by_role("link", name="Begin in a new window").click()
        work = Tab(window.value, study)
        work.click("Start")
        work.click("I have read this and agree")
        work.write()
        work.goto(f"/next/{NAME}")
        work.is_titled("Done. Thank you!")
        work.page.close()
        # The page in the frame may have looked by itself again.
        finished, submit = frame.get_by_role("link", name="I have finished"), frame.get_by_role("button", name="Submit")
        finished.or_(submit).first.wait_for()
        finished.evaluate_all("links => links.forEach((link) => link.click())")
        submit.click()
        frame.get_by_text("Submitted").wait_for()
        tab.faults = [fault for fault in tab.faults if not fault.startswith(study.address)]
    (form,) = submitted
    assert form.startswith("assignmentId=ASSIGNMENT1&code=")

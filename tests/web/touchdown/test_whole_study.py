"""A whole study through the real pages by scripted people: careful and careless ones, and one who leaves.

It runs on PostgreSQL where that is installed; the tests of the single pages run on SQLite.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi import FastAPI

from bearleft import load
from bearleft.agents.follower import find_route
from bearleft.evaluation.score import score
from bearleft.language.descriptions.locate import locate_target
from bearleft.language.descriptions.parse import parse_description
from bearleft.language.scene_index import open_scene_index
from bearleft.records import Direction, Point, Reach
from bearleft.web.app import create_app
from bearleft.web.exports import export_project, project_statistics
from bearleft.web.projects import create_project
from bearleft.web.settings import Settings
from tests.browser.report_page import Browser, chromium
from tests.web.postgresql import programs
from tests.web.scene_page import browser_missing
from tests.web.server import serving
from tests.web.touchdown.driver import NAME, WORLD
from tests.web.touchdown.tab import Tab, pixel_of

pytestmark = [
    pytest.mark.skipif(bool(browser_missing()), reason=browser_missing()),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

EPISODES = list(load("city/touchdown-complete/small"))
LEASE = 600  # seconds


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.])\s+", text)


def text_of(index: int) -> str:
    """Return the text of an episode: the way, and the sentence that names the spot."""
    way, spot = (leg.text for leg in EPISODES[index].legs)
    return f"{way} {sentences(spot)[-1]}"


def spot_of(index: int) -> Direction:
    goal = EPISODES[index].legs[1].goal
    assert isinstance(goal, Point)
    return goal.direction


@dataclass
class Site:
    """A served study of one route with three texts; what people did is counted by task."""

    app: FastAPI
    address: str
    browser: Browser
    stack: ExitStack
    people: list[Person] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    searches: list[tuple[bool, int]] = field(default_factory=list)  # found, clicks

    def hire(self, text: str) -> Person:
        context = self.browser.chromium.new_context(viewport={"width": 640, "height": 480})
        self.stack.callback(context.close)
        self.people.append(Person(self, Tab(context.new_page(), self.address), text))
        self.people[-1].tab.page.goto(self.address)
        return self.people[-1]

    def advance(self, seconds: float) -> None:
        """Let time go by for the server."""
        now = self.app.state.database.clock
        self.app.state.database.clock = lambda: now() + timedelta(seconds=seconds)


@dataclass
class Person:
    """Somebody who writes a given text, and follows those of others as the rule-based follower reads them."""

    site: Site
    tab: Tab
    text: str

    def work(self) -> None:
        """Do whatever there is to do."""
        while kind := self.next_kind():
            getattr(self, kind)()
            self.tab.code()
            self.site.done[kind] += 1

    def next_kind(self) -> str | None:
        self.tab.page.goto(f"{self.tab.address}/next/{NAME}")
        task = self.tab.page.locator(".task")
        return task.get_attribute("data-kind").partition("/")[2] if task.count() else None

    def click(self, spot: Direction) -> None:
        self.tab.turn_to(spot.heading)
        x, y = pixel_of(self.tab, spot)
        self.tab.page.locator("#scene > .viewer").click(position={"x": x, "y": y})

    def writing(self) -> None:
        page = self.tab.page
        self.tab.walk(self.tab.view("writing")["route"], by_key=True)
        self.click(spot_of(0))
        page.locator("#step-bear.complete").wait_for()
        page.locator("#text").fill(self.text)
        page.locator("#submit").click()
        page.locator("#done:visible, #confirm:visible").first.wait_for()
        if page.locator("#confirm").is_visible():
            page.locator("#confirm").click()

    def propagation(self) -> None:
        self.tab.view("propagation")
        self.tab.page.locator("#occluded").click()
        self.tab.page.locator("#submit:enabled").click()

    def validation(self) -> None:
        page, view = self.tab.page, self.tab.view("validation")
        scene = open_scene_index(WORLD)
        graph, parts = scene.city.graph, sentences(view["text"])
        self.tab.heading = view["walk"]["heading"]
        route = find_route(scene, " ".join(parts[:-1]), graph.place_index(view["walk"]["place"]), self.tab.heading)
        self.tab.walk([graph.ids[k] for k in route], by_key=False)
        spot = locate_target(parse_description(" ".join(parts[-2:])), scene, route[-1], self.tab.heading)
        for clicks in range(1, 6):
            aim = spot if spot is not None and clicks == 1 else Direction(40.0 * clicks)
            self.click(Direction(aim.heading, max(min(aim.pitch, 30.0), -30.0)))
            page.locator("#guess:enabled").click()
            self.tab.saved()
            if page.locator("#done").is_visible():
                break
        self.site.searches.append(("You found the bear!" in page.locator("#done").text_content(), clicks))

    def segmentation(self) -> None:
        tokens = self.tab.view("segmentation")["tokens"]
        words = self.tab.page.locator(".token")
        spot = len(tokens) - len(sentences(" ".join(tokens))[-1].split())
        words.nth(spot - 1).click()
        self.tab.page.locator("input[value=bear]:checked").wait_for()
        words.nth(spot).click()
        self.tab.page.locator("#submit:enabled").click()


@pytest.fixture
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    url = request.getfixturevalue("postgresql_url") if programs() else str(tmp_path / "web.sqlite")
    settings = Settings(database=url, cache=tmp_path / "panoramas", lease_seconds=LEASE)
    app = create_app(settings)
    chosen = {"qualification": False, "limit": 1}
    create_project(app.state.database, app.state.worlds, NAME, "touchdown", chosen, answers=3)
    with chromium() as browser, serving(app) as address, ExitStack() as stack:
        opened = Site(app, address, browser, stack)
        yield opened
        assert not [fault for person in opened.people for fault in person.tab.faults]


@pytest.mark.slow
def test_a_study_from_the_first_text_to_the_exported_dataset(site: Site, tmp_path: Path) -> None:
    careful, careless, leaver = site.hire(text_of(0)), site.hire(text_of(2)), site.hire("")
    for person in (careful, careless, leaver):
        assert person.next_kind() == "writing"
    # One leaves after two steps; the unit is somebody else's later.
    leaver.tab.walk(leaver.tab.view("writing")["route"][:3], by_key=True)
    leaver.tab.page.close()
    # One tries a text that is too short, then writes that of another route.
    careless.tab.view("writing")
    careless.tab.page.locator("#text").fill("Go there.")
    careless.tab.page.locator("#submit").click()
    careless.tab.page.locator("#findings li.error").first.wait_for()
    for person in (careful, careless):
        assert person.next_kind() == "writing"
        person.writing()
        person.tab.code()
        site.done["writing"] += 1
    site.advance(LEASE + 1)
    others = [site.hire(f"Please read on. {text_of(0)}") for _ in range(4)]
    for person in others:
        person.work()

    texts = site.done["writing"]
    assert texts == 3
    found = [is_found for is_found, _ in site.searches]
    assert (found.count(True), found.count(False)) == (2, 2)  # two people could not follow the text of another route
    rows = project_statistics(site.app.state.settings.database, NAME, "touchdown")
    section = {row["metric"]: row["ours"] for row in rows if row["table"] == "section 5"}
    assert (section["texts"], section["validated texts"], section["discarded texts"]) == (texts, 2, 1)
    assert (section["segmented texts"], section["texts under way"]) == (site.done["segmentation"], 0)
    assert section["clicks per search, mean"] == sum(clicks for _, clicks in site.searches) / len(found)
    table = {(row["row"], row["metric"]): row["ours"] for row in rows if row["table"] == "Table 1"}
    for task, kind in (
        ("Instruction Writing", "writing"),
        ("Target Propagation", "propagation"),
        ("Validation", "validation"),
        ("Instruction Segmentation", "segmentation"),
    ):
        assert table[f"{NAME}, {task}", "answers"] == site.done[kind]
    assert table[f"{NAME}, Instruction Writing", "workers"] == 3

    export_project(site.app.state.settings, NAME, tmp_path / "out")
    episodes = list(load(f"city/touchdown/{NAME}", data=tmp_path / "out"))
    assert len(episodes) == 2
    for episode in episodes:
        assert episode.legs[0].text.endswith(EPISODES[0].legs[0].text)
        goal = episode.legs[0].goal
        assert isinstance(goal, Reach) and goal.route == EPISODES[0].legs[0].goal.route  # type: ignore[union-attr]
    rows_of_scores = score(tmp_path / "out" / f"{NAME}-traces-1.jsonl", data=tmp_path / "out", resamples=1).rows
    scores = {row["metric"]: row["value"] for row in rows_of_scores}
    assert (scores["TC"], scores["Found@80px"]) == (100.0, 100.0)

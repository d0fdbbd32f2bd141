"""What a report's page says of each kind of example: by which measure, from where, and who is followed first."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bearleft import evaluate
from bearleft.data import write
from bearleft.records import Assemble, Collect, Direction, Episode, Leg, LegTrace, Point, Pose, Trace, to_json_line
from bearleft.reports.html.report import report as make_report
from bearleft.world.worlds import open_world
from tests.browser.page import missing
from tests.browser.report_page import PHONE, example_hash, made_once, opened, report_data_of, summary_of
from tests.browser.waiting import expect

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

DATASETS = (("stop", "town/dev"), ("gold", "town/dev"), ("gold", "town/look"), ("uniform", "town/point"))


def _make(folder: Path) -> None:
    for agent, dataset in DATASETS:
        evaluate(agent, dataset, folder / f"{agent}-{dataset.replace('/', '-')}.jsonl", limit=2)
    _stray(folder)
    # By name, so that the one who never moves comes first.
    files = [folder / f"{agent}-{dataset.replace('/', '-')}.jsonl" for agent, dataset in DATASETS]
    make_report(*files, folder / "lost.jsonl", output=folder / "report.html", with_pictures=False)
    goals = Collect(((0, 0, 0), (1, 0, 0)), "Mug", (1, 2, 0)), Assemble((3, 1, 2))
    legs = tuple(Leg(f"leg {k}", goals[k % 2]) for k in range(4))
    start = Pose(Direction(0), None, (0, 0, 0))
    write("jsonl", [Episode("7", "mine", "arramon/7", start, legs)], folder / "mine.jsonl")
    leg_trace = {"path_gen": [[[0, 0, 0], [1, 0, 0]]] * 2, "placement": [[3, 1, 2], [4, 1, 2]], "ctc0": [1, 0]}
    (folder / "done.json").write_text(json.dumps({"7": leg_trace}))
    make_report(folder / "done.json", dataset=str(folder / "mine.jsonl"), output=folder / "items.html", data="my data")


def _stray(folder: Path) -> None:
    """One points from where it should not stand."""
    goal_place, other_place = open_world("town/0").ids[3:5]
    leg = Leg("There.", Point(Direction(30.0), goal_place))
    write("jsonl", [Episode("1", "stray", "town/0", Pose(Direction(0), goal_place), (leg,))], folder / "stray.jsonl")
    leg_trace = LegTrace(("point",), (other_place,), (), Direction(31.0))
    (folder / "lost.jsonl").write_text(
        to_json_line(Trace("1", str(folder / "stray.jsonl"), "lost", (leg_trace,))) + "\n"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory.getbasetemp(), "words", _make)


def _first(file: Path, dataset: str) -> str:
    number = next(k for k, row in enumerate(summary_of(file)["datasets"]) if dataset in row["name"])
    return example_hash(
        number, next(example["id"] for example in report_data_of(file)["examples"] if example["dataset"] == number)
    )


def test_overview_shows_the_main_metric_of_each_dataset(browser: Any, folder: Path) -> None:
    with opened(browser, folder / "report.html", PHONE) as report:
        heads = report.page.locator("[aria-labelledby=glance] th .sorter")
        columns = dict(
            heads.evaluate_all("all => all.map((e) => ['.path', 'small'].map((s) => e.querySelector(s).textContent))")
        )
        assert {name: columns[name] for name in ("town/dev", "town/look", "town/point")} == {
            "town/dev": "TC %",
            "town/look": "Acc@11deg %",
            "town/point": "A@40px %",
        }
        assert report.too_wide() == []
        all_of = summary_of(folder / "report.html")["datasets"][0]["episodes"]
        assert f"2 of {all_of} episodes, 2 agents" in report.page.locator("main").text_content()


def test_first_moving_agent_is_followed(browser: Any, folder: Path) -> None:
    file = folder / "report.html"
    with opened(browser, file, where=_first(file, "town/dev")) as report:
        assert report.page.locator(".lane").first.text_content().startswith("stop")
        assert report.page.locator(".lane.chosen").text_content().startswith("gold")
        assert not report.page.locator(".player input").is_disabled()
        assert "gold-town-dev.jsonl" in report.page.locator("code.command").text_content()
        report.go(_first(file, "town/look"))
        expect(report.page.locator("code.command")).to_contain_text("gold-town-look.jsonl")


def test_cards_of_tasks_show_the_placing_metric(browser: Any, folder: Path) -> None:
    with opened(browser, folder / "items.html", where="#/examples") as report:
        assert "PTC 0.5" in report.page.locator(".card").first.text_content()


def test_answer_from_another_place_is_labelled(browser: Any, folder: Path) -> None:
    file = folder / "report.html"
    with opened(browser, file, where=_first(file, "stray")) as report:
        assert "pointed from another place" in report.page.locator(".lane").text_content()
        assert "pointed from another place" in report.page.locator("canvas.flat").get_attribute("aria-label")
        assert "from another place" in report.page.locator(".keyline").text_content()


def test_items_and_cells_are_described(browser: Any, folder: Path) -> None:
    file = folder / "items.html"
    with opened(browser, file, where=_first(file, "")) as report:
        assert report.page.locator(".things li").first.text_content().startswith("Mugasked for")
        assert " --data 'my data' -o film.gif" in report.page.locator("code.command").text_content()
        report.page.get_by_role("button", name="4 · assemble").click()
        told = re.compile("asked for column 3, row 2; done put Mug on column 4, row 2")
        expect(report.page.locator(".room")).to_have_attribute("aria-label", told)

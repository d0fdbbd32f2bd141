"""ArraMon's tasks in a report, in Chromium: the section's map, the room, and the steps through both."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft import evaluate
from bearleft.reports.html.pictures import Limits
from bearleft.reports.html.report import report as make_report
from tests.browser.accessibility import axe_missing
from tests.browser.page import missing
from tests.browser.report_page import (
    DESK,
    NARROW,
    Report,
    example_hash,
    made_once,
    opened,
    report_data_of,
    summary_of,
)
from tests.browser.waiting import expect, until

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())
COLLECT, ASSEMBLE, AGAIN = 0, 1, 2
TILE, WALL = 64, 30  # of the room's drawing


def _make(folder: Path) -> None:
    for agent in ("random", "shortest"):
        evaluate(agent, "city/arramon/small", folder / f"{agent}.jsonl", limit=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Limits, "default", classmethod(lambda cls: cls(0.5, 30e6)))
        make_report(*sorted(folder.glob("*.jsonl")), output=folder / "report.html", title="Tasks")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory.getbasetemp(), "tasks", _make) / "report.html"


def _step(report: Report, step: int) -> None:
    report.page.locator(".player input").fill(str(step))


def _centre(report: Report, selector: str) -> list[tuple[float, float]]:
    circles = report.page.locator(selector).all()
    return [(float(circle.get_attribute("cx")), float(circle.get_attribute("cy"))) for circle in circles]


def _middle(cell: list[int]) -> tuple[float, float]:
    return WALL + (cell[0] + 0.5) * TILE, WALL + (4 - cell[2] - 0.5) * TILE


@pytest.mark.slow
def test_walk_moves_on_the_map_and_items_have_tooltips(browser: Any, file: Path) -> None:
    example = report_data_of(file)["examples"][0]
    shortest = example["traces"][1]
    where = example_hash(example["dataset"], example["id"], agent=1, leg=COLLECT)
    with opened(browser, file, DESK, where) as report:
        steps = len(shortest["legs"][COLLECT]["places"])
        expect(report.page.locator(".counter")).to_have_text(f"0 / {steps - 1}")
        listed = report.page.locator(".things li").all_text_contents()
        names = [text.split(" · ")[0].removesuffix("asked for") for text in listed]
        assert names == [item[0] for item in example["items"]]
        assert "asked for" in listed[0] and "picked up by shortest" in listed[0]
        report.page.wait_for_function("() => document.querySelector('.atlas')?.dataset.view")
        before = report.still(".atlas .over")
        _step(report, steps - 1)
        until(report.page, lambda: np.abs(before.astype(int) - report.pixels(".atlas .over")).sum() > 1000)
        expect(report.page.locator(".stepwords")).to_contain_text("picked up")
        expect(report.page.locator(".large.whole")).to_have_attribute("src", re.compile("^blob:"))
        # Whoever points at a thing is told what it is.
        report.page.locator(".atlas").scroll_into_view_if_needed()
        view = [float(part) for part in report.page.locator(".atlas").get_attribute("data-view").split()]
        places, thing = report_data_of(file)["places"][0], example["items"][0]
        box = report.page.locator(".atlas").bounding_box()
        x = box["x"] + box["width"] / 2 + (places["x"][thing[4]] - view[0]) * view[2]
        y = box["y"] + box["height"] / 2 - (places["y"][thing[4]] - view[1]) * view[2]
        report.page.mouse.move(x, y)
        expect(report.page.locator(".maptip")).to_have_text(f"{thing[0]}, asked for")
        assert "render episode" in report.page.locator(".command").text_content()
        # What was taken in the first turn does not lie there in the second.
        report.page.get_by_role("button", name="3 · collect").click()
        expect(report.page.locator(".things li")).to_have_count(len(example["items"]) - 1)


def test_room_shows_targets_and_placed_items(browser: Any, file: Path) -> None:
    head, example = summary_of(file), report_data_of(file)["examples"][0]
    leg = max((ASSEMBLE, 3), key=lambda k: len(example["traces"][1]["legs"][k]["cells"]))
    where = example_hash(example["dataset"], example["id"], agent=1, leg=leg)
    placed = [trace["legs"][leg]["cell"] for trace in example["traces"]]
    item_count = len(example["room_items"]) + leg // 2
    with opened(browser, file, DESK, where) as report:
        named = report.page.locator(".room .wall text").all_text_contents()
        assert named == [f"{wall[0]} wall" for wall in head["room"]["walls"]]
        assert _centre(report, ".room .asked") == [_middle(example["legs"][leg]["cell"])]
        assert _centre(report, ".room .put") == [_middle(cell) for cell in placed]
        items = report.page.locator(".room .standing")
        assert items.count() == item_count
        marker = report.page.locator(".room .viewer-mark")
        before = marker.get_attribute("transform")
        last = len(example["traces"][1]["legs"][leg]["cells"]) - 1
        _step(report, last)
        expect(items).to_have_count(item_count + 1)
        expect(marker).not_to_have_attribute("transform", before)
        label = report.page.locator(".room").get_attribute("aria-label")
        cell = example["legs"][leg]["cell"]
        assert f"asked for column {cell[0]}, row {cell[2]}" in label
        items.first.focus()
        expect(report.page.locator("#tip")).to_have_text(items.first.get_attribute("aria-label"))
        # Each agent has its own room in the second turn.
        for agent in (0, 1):
            report.go(example_hash(example["dataset"], example["id"], agent=agent, leg=3))
            labels = [item.get_attribute("aria-label") for item in report.page.locator(".room .standing").all()]
            own = [label for label in labels if "put there by the agent" in label]
            assert any(label.startswith(example["traces"][agent]["legs"][ASSEMBLE]["carried"][0]) for label in own)


@pytest.mark.slow(keep=1)
@pytest.mark.skipif(bool(axe_missing()), reason=axe_missing())
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_task_pages_are_accessible_and_fit_a_phone(browser: Any, file: Path, scheme: str) -> None:
    example = report_data_of(file)["examples"][0]
    with opened(browser, file, NARROW, color_scheme=scheme) as report:
        for leg in (COLLECT, ASSEMBLE, AGAIN):
            report.go(example_hash(example["dataset"], example["id"], leg=leg))
            assert not report.too_wide() and not report.violations()

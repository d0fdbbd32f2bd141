"""The conversation with a language model in a report: prompt, answer, tokens and cost of each step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bearleft.agents.llm import LanguageModelAgent, LanguageModelOptions, Prices, in_process
from bearleft.data import load
from bearleft.envs.legs import EnvOptions
from bearleft.evaluation.evaluate import evaluate
from bearleft.reports.html.report import report
from tests.browser.accessibility import axe_missing
from tests.browser.page import missing
from tests.browser.report_page import NARROW, Report, example_hash, made_once, opened
from tests.browser.waiting import expect

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())
SPLIT = "town/dev"
EPISODE = load(SPLIT)[0]
HOSTILE = "<img src=x onerror=alert(1)>\u202e" + "A" * 500


def _make(folder: Path) -> None:
    answers = iter(("I walk.\nACTION: forward", HOSTILE, "ACTION: right", "ACTION: stop"))
    agent = LanguageModelAgent(
        "m", in_process(lambda _: next(answers)), LanguageModelOptions(landmarks="none"), prices=Prices(1, 1)
    )
    evaluate(agent, SPLIT, folder / "m.jsonl", options=EnvOptions(horizon=9), limit=1)
    evaluate("stop", SPLIT, folder / "stop.jsonl", limit=1)
    report(folder / "m.jsonl", folder / "stop.jsonl", output=folder / "report.html", with_pictures=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory.getbasetemp(), "conversation", _make)


def at_step(page: Report, step: int) -> Any:
    page.page.locator(".player input").evaluate(
        "(slider, step) => { slider.value = step; slider.dispatchEvent(new Event('input')); }", str(step)
    )
    return page.page.locator(".conversation")


@pytest.mark.slow
def test_each_step_shows_its_prompt_and_answer(browser: Any, folder: Path) -> None:
    with opened(browser, folder / "report.html", where=example_hash(0, EPISODE.id)) as page:
        page.page.get_by_role("radio", name="llm:m").check()
        panel = at_step(page, 0)
        panel.wait_for()
        text = panel.inner_text()
        assert f"Instruction: {EPISODE.legs[0].text}"[:60] in text and "I walk." in text and "Read as forward" in text
        assert "4 requests" in text and "1 unreadable" in text and "cost 0.000000" in text
        assert panel.locator("details pre").inner_text() == ""  # the system's message is folded
        panel.locator("summary").click()
        expect(panel.locator("details pre")).to_contain_text("You follow an instruction", use_inner_text=True)
        # An unreadable answer and the one after it belong to the same step; hostile words stay words.
        text = at_step(page, 1).inner_text()
        assert "<img src=x onerror=alert(1)>" in text and "unreadable: no action" in text and "Read as right" in text
        assert panel.locator("img").count() == 0 and "could not be used: no action" in text
        expect(at_step(page, 2)).to_contain_text("Read as stop")
        page.page.get_by_role("radio", name="stop", exact=True).check()
        expect(panel).to_be_hidden()


@pytest.mark.slow
def test_on_a_phone_it_fits(browser: Any, folder: Path) -> None:
    with opened(browser, folder / "report.html", NARROW, where=example_hash(0, EPISODE.id)) as page:
        page.page.get_by_role("radio", name="llm:m").check()
        at_step(page, 1).wait_for()
        assert page.too_wide() == []
        if not axe_missing():
            assert page.violations() == []

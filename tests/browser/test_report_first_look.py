"""What a new reader of a report sees first: ticks, agents, pairs, map and view, film commands, and phones."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bearleft import evaluate
from bearleft.cli import cli
from bearleft.data import load
from bearleft.records import Reach
from bearleft.reports.html.pictures import Limits
from bearleft.reports.html.report import report as make_report
from tests.browser.page import missing
from tests.browser.report_page import PHONE, example_hash, made_once, opened, report_data_of, summary_of

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

DESKTOP = (1440, 900)
LONG = "a-very-long-name-of-an-agent-that-nobody-would-type-twice-" * 2
# Value of each axis label, and its position as a share of the axis.
TICKS = """() => [...document.querySelectorAll('.plot-row.axis, .paired-tests thead .forest')].map((axis) =>
  [...axis.querySelectorAll('text')].map((text) =>
    [Number(text.textContent.replace('%', '').replace('\u2212', '-')), parseFloat(text.getAttribute('x'))]))"""
BOXES = """(names) => names.map((name) => {
  const box = document.querySelector(name).getBoundingClientRect();
  return [box.left, box.top, box.right, box.bottom];
})"""


def _make(folder: Path) -> None:
    for agent in ("average", "colour-blind", "follower"):
        evaluate(agent, "city/pairs/colour", folder / f"{agent}.jsonl", limit=8)
    evaluate("follower", "city/refer360/small", folder / "rooms-follower.jsonl", limit=2)
    for agent in ("random", "follower"):
        evaluate(agent, "city/touchdown/small", folder / f"walks-{agent}.jsonl", limit=2)
    routes = {episode.id: episode.legs[0].goal for episode in load("city/touchdown/small")[:2]}
    walked = {name: list(goal.route) for name, goal in routes.items() if isinstance(goal, Reach)}
    theirs = folder / "theirs.json"
    theirs.write_text(json.dumps(walked))
    rows = [json.loads(line) for line in (folder / "walks-random.jsonl").read_text().splitlines()]
    lines = [json.dumps({**row, "agent": LONG}) + "\n" for row in rows]
    (folder / "walks-long.jsonl").write_text("".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Limits, "default", classmethod(lambda cls: cls(1.0, 30e6)))
        make_report(*sorted(folder.glob("*.jsonl")), output=folder / "report.html", title="First look")
        walks = folder / "walks-follower.jsonl"
        make_report(walks, theirs, output=folder / "predictions.html", dataset="city/touchdown/small")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report; its traces lie beside it."""
    return made_once(tmp_path_factory.getbasetemp(), "first-look", _make) / "report.html"


def _example(file: Path, dataset: str, number: int = 0) -> dict[str, Any]:
    names = [row["name"] for row in summary_of(file)["datasets"]]
    chosen: dict[str, Any] = [row for row in report_data_of(file)["examples"] if names[row["dataset"]] == dataset][
        number
    ]
    return chosen


@pytest.mark.slow
def test_marked_words_of_a_card_open_its_example(browser: Any, file: Path) -> None:
    with opened(browser, file, DESKTOP, "#/examples") as report:
        report.page.locator(".card .marked").first.click(force=True)  # the link of the card lies above
        report.page.wait_for_url("**#/example/**")
        assert "#/example/" in report.page.url


def test_labels_of_ticks_are_their_values(browser: Any, file: Path) -> None:
    with opened(browser, file, DESKTOP) as report:
        names = [metric["name"] for metric in summary_of(file)["metrics"]]
        for name in ("TC", "nDTW"):
            report.page.locator("section[aria-labelledby=differ] select").select_option(str(names.index(name)))
            axes = report.page.evaluate(TICKS)
            assert len(axes) > 2
            for labels in axes:
                (first, begin), (last, end) = labels[0], labels[-1]
                for value, position in labels:
                    expected = first + (last - first) * (position - begin) / (end - begin)
                    assert value == pytest.approx(expected, abs=2e-3 * abs(last - first)), (name, labels)


@pytest.mark.slow
def test_an_example_opens_with_the_best_agent(browser: Any, file: Path) -> None:
    for dataset in ("city/pairs/colour", "city/touchdown/small"):
        example = _example(file, dataset, 1)
        with opened(browser, file, DESKTOP, example_hash(example["dataset"], example["id"])) as report:
            assert report.page.locator(".lane.chosen .follow b").text_content() == "follower"


def test_every_agent_is_explained_in_a_line(browser: Any, file: Path) -> None:
    with opened(browser, file, DESKTOP) as report:
        panel = report.page.locator("section[aria-labelledby=agents]")
        names, lines = panel.locator("dt").all_text_contents(), panel.locator("dd").all_text_contents()
        assert len(names) == len(lines) == len(summary_of(file)["agents"])
        shown = dict(zip(names, lines, strict=True))
        assert "every word" in shown["follower"] and "true scene" in shown["follower"]
        assert shown[LONG] == "The traces in walks-long.jsonl."


def test_minimal_pairs_are_judged_by_pairs_at_a_glance(browser: Any, file: Path) -> None:
    with opened(browser, file, DESKTOP) as report:
        heads = report.page.locator("[aria-labelledby=glance] thead th").all_text_contents()
        assert any("city/pairs/colour" in head and "Pairs" in head for head in heads)
        rows = report.page.locator("table.pairs tbody tr").evaluate_all(
            "all => all.map((row) => [row.querySelector('th').textContent, row.querySelector('.value').textContent])"
        )
        both = {summary_of(file)["agents"][row["agent"]]["name"]: row["both"] for row in summary_of(file)["pairs"]}
        assert dict(rows) == {name: f"{count} of 4" for name, count in both.items()}
        assert both["follower"] == 4 and both["average"] == 0
        report.page.locator("table.pairs thead a").click()
        report.shown()
        assert report.page.locator(".card").count() == 8


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("dataset", ["city/touchdown/small", "city/pairs/colour", "city/refer360/small"])
def test_text_map_and_view_are_in_the_first_screen(browser: Any, file: Path, dataset: str) -> None:
    example = _example(file, dataset)
    with opened(browser, file, DESKTOP, example_hash(example["dataset"], example["id"])) as report:
        for left, top, right, bottom in report.page.evaluate(BOXES, [".legtext", ".atlas", ".stage .viewer"]):
            assert 0 <= left < right <= DESKTOP[0] and top >= 0 and bottom <= DESKTOP[1]


@pytest.mark.slow
def test_film_commands_work(browser: Any, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    predictions = file.with_name("predictions.html")
    example = _example(predictions, "city/touchdown/small")
    commands = []
    for trace in example["traces"]:
        where = example_hash(example["dataset"], example["id"], agent=trace["agent"])
        with opened(browser, predictions, DESKTOP, where) as report:
            commands.append(report.page.locator("code.command").text_content())
    assert ["--dataset city/touchdown/small" in command for command in commands] == [False, True]
    for command in commands:
        arguments = shlex.split(command)
        assert arguments[0] == "bearleft" and arguments[-2:] == ["-o", "film.gif"]
        quick = ["--size", "320", "--fps", "1", "--seconds-per-step", "0.1"]
        result = CliRunner().invoke(cli, [*arguments[1:], *quick])
        assert result.exit_code == 0, (command, result.output, result.exception)
        assert Path("film.gif").stat().st_size > 1000
        Path("film.gif").unlink()


def test_no_film_is_offered_where_none_can_be_made(browser: Any, file: Path, tmp_path: Path) -> None:
    text = file.read_text(encoding="utf-8")
    worlds = len(summary_of(file)["worlds"])
    hidden = tmp_path / "report.html"
    hidden.write_text(
        text.replace(f'"film_options":{json.dumps([[]] * worlds, separators=(",", ":"))}', '"film_options":[null]'),
        encoding="utf-8",
    )
    assert 'film_options":[null]' in hidden.read_text(encoding="utf-8")
    example = report_data_of(hidden)["examples"][0]
    with opened(browser, hidden, DESKTOP, example_hash(example["dataset"], example["id"])) as report:
        assert report.page.locator("code.command").text_content() == ""
        assert report.page.get_by_text("Copy film command").is_hidden()


def test_phones_show_long_names_and_tables_without_scrolling_the_page(browser: Any, file: Path) -> None:
    walk = _example(file, "city/touchdown/small")
    with opened(browser, file, PHONE) as report:
        assert report.too_wide() == []
        # Names of datasets break at their slashes, never inside a word.
        lines = report.page.locator("[aria-labelledby=glance] .path").evaluate_all(
            """all => all.flatMap((path) => [...path.childNodes].filter((node) => node.nodeType === 3).map((node) => {
              const range = document.createRange();
              range.selectNodeContents(node);
              return [node.data, new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size];
            }))"""
        )
        assert lines and all(count == 1 for text, count in lines if "-" not in text), lines
        for selector in (".measures .name", ".scores .name"):
            name = report.page.locator(selector, has_text=LONG[:20]).first
            box, title = name.bounding_box(), name.get_attribute("title")
            assert box and box["x"] + box["width"] <= PHONE[0] and LONG in title
        report.go(example_hash(walk["dataset"], walk["id"]))
        assert report.too_wide() == []

"""A report of real traces in Chromium: what it shows is what `score` says, and everything in it can be used."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft import evaluate, geometry, score
from bearleft.records import Direction
from bearleft.reports.html.pictures import Limits
from bearleft.reports.html.report import report as make_report
from bearleft.world.city.city import open_city
from bearleft.world.pictures import RenderedPictures
from tests.browser.accessibility import axe_missing
from tests.browser.page import missing
from tests.browser.report_page import (
    DESK,
    NARROW,
    PHONE,
    Report,
    example_hash,
    made_once,
    opened,
    picture,
    report_data_of,
    summary_of,
)
from tests.browser.waiting import expect, until

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

# Dataset, agents, episodes.
PLAYED = (
    ("city/touchdown/small", ("follower", "random", "frequent"), 2),
    ("city/sdr/small", ("follower", "center", "average"), 3),
    ("city/refer360/small", ("center", "random"), 2),
    ("city/pairs/left-right", ("follower", "center"), 20),
)
# Dataset, agent, measure and value of every cell of the tables.
SHOWN = """() => {
  const panels = [...document.querySelectorAll('.panel[aria-labelledby^=dataset-]')];
  return panels.flatMap((panel) => {
    const heads = [...panel.querySelectorAll('.scores thead th')];
    const own = (node) => [...node.childNodes].filter((one) => one.nodeType === 3).map((one) => one.data).join('');
    const names = heads.map((th) => own(th.querySelector('button') ?? th));
    return [...panel.querySelectorAll('.scores tbody tr')].flatMap((row) => [...row.querySelectorAll('td')]
      .map((td, k) => [panel.querySelector('h2').textContent, row.querySelector('th').textContent, names[k + 1],
        td.querySelector('.value') && own(td.querySelector('.value'))]).filter((cell) => cell[3]));
  });
}"""
SECONDS = 2.0  # for pictures


def _make(folder: Path) -> None:
    for dataset, agents, limit in PLAYED:
        for agent in agents:
            evaluate(agent, dataset, folder / f"{agent}-{dataset.replace('/', '-')}.jsonl", limit=limit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Limits, "default", classmethod(lambda cls: cls(SECONDS, 30e6)))
        make_report(*sorted(folder.glob("*.jsonl")), output=folder / "report.html", title="Four datasets")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report; its traces lie beside it."""
    return made_once(tmp_path_factory.getbasetemp(), "report", _make) / "report.html"


def _examples(file: Path, dataset: str) -> list[dict[str, Any]]:
    names = [dataset_row["name"] for dataset_row in summary_of(file)["datasets"]]
    return [example for example in report_data_of(file)["examples"] if names[example["dataset"]] == dataset]


def _address(example: dict[str, Any], **state: int) -> str:
    return example_hash(example["dataset"], example["id"], **state)


def _one(file: Path, dataset: str) -> dict[str, Any]:
    return _examples(file, dataset)[0]


def _expect_ids(report: Report, ids: list[str]) -> None:
    """Wait until the cards are those of examples."""
    expect(report.page.locator(".card h3 a")).to_have_text(ids)


def _ids(report: Report) -> list[str]:
    found: list[str] = report.page.locator(".card h3 a").all_text_contents()
    return found


@pytest.mark.slow
def test_scores_are_those_of_score(browser: Any, file: Path) -> None:
    expected = {}
    head = summary_of(file)
    files = sorted(file.parent.glob("*.jsonl"))
    for row in score(*files).rows:
        agent = next(k for k, agent_row in enumerate(head["agents"]) if row["file"] in agent_row["files"])
        dataset = next(name for name, _, _ in PLAYED if name.replace("/", "-") in Path(row["file"]).stem)
        expected[dataset, head["agents"][agent]["name"], row["metric"]] = row
    names = [dataset_row["name"] for dataset_row in head["datasets"]]
    report_scores = {
        (names[s["dataset"]], head["agents"][s["agent"]]["name"], head["metrics"][s["metric"]]["name"]): s
        for s in head["scores"]
    }
    assert report_scores.keys() == expected.keys()
    for key, row in report_scores.items():
        for name in ("value", "low", "high", "n"):
            assert row[name] == pytest.approx(expected[key][name], abs=1e-6), (key, name)
    with opened(browser, file) as report:
        shown = report.page.evaluate(SHOWN)
        assert {tuple(cell[:3]) for cell in shown} == expected.keys()
        for dataset, agent, metric, text in shown:
            digits = len(text.partition(".")[2])
            value = expected[dataset, agent, metric]["value"]
            assert abs(float(text.replace("−", "-")) - value) <= 0.5001 * 10**-digits, (dataset, agent, metric)
        # A column sorts its rows, and the charts lead to their examples.
        report.page.locator(".scores .sorter").first.click()
        expect(report.page.locator(".scores th[aria-sort]")).to_have_count(1)
        bar = report.page.locator(".plot-row a").first
        name = bar.text_content()
        bar.click()
        report.page.locator(".card").first.wait_for()
        report.shown()
        group = report.hash().partition("g.")[2].partition("=")
        chosen = report.page.locator(f"select[name='g.{group[0]}']")
        assert chosen.evaluate("e => e.selectedOptions[0].textContent") == name
        assert _ids(report)


@pytest.mark.slow
def test_values_of_examples_make_up_the_scores(browser: Any, file: Path) -> None:
    head, rows = summary_of(file), report_data_of(file)["examples"]
    metrics = [metric["name"] for metric in head["metrics"]]
    for row in head["scores"]:
        if metrics[row["metric"]].startswith(("C@", "Pairs", "Changed")):  # of several examples together
            continue
        values = [
            trace["values"][row["metric"]]
            for example in rows
            for trace in example["traces"]
            if example["dataset"] == row["dataset"] and trace["agent"] == row["agent"]
        ]
        assert np.mean([v for v in values if v is not None]) == pytest.approx(row["value"], abs=0.02, rel=0.002)
    walk = _one(file, "city/touchdown/small")
    with opened(browser, file, where=_address(walk)) as report:
        shown = report.page.locator("table.values tr").evaluate_all(
            "all => all.map((row) => [...row.children].map((cell) => cell.textContent))"
        )
        for trace, line in zip(walk["traces"], shown[1:], strict=True):
            cells = dict(zip(shown[0], line, strict=True))
            for name, value in zip(metrics, trace["values"], strict=True):
                if value is not None:
                    assert float(cells[name].rstrip(" %")) == pytest.approx(
                        value, abs=0.51 if "%" in cells[name] else 0.06
                    )
        # The command that films it names the file that holds it.
        name = head["agents"][walk["traces"][0]["agent"]]["name"]
        assert f"{name}-city-touchdown-small.jsonl" in report.page.locator("code.command").text_content()


@pytest.mark.slow
def test_search_filters_and_sort(browser: Any, file: Path) -> None:
    rows, head = report_data_of(file)["examples"], summary_of(file)
    with opened(browser, file, where="#/examples") as report:
        page = report.page
        _expect_ids(report, [example["id"] for example in rows[:24]])
        page.locator("#search").fill('LEFT "one"')
        page.wait_for_function("() => location.hash.includes('q=')")
        expected = [
            example["id"] for example in rows if "left" in _words(head, example) and "one" in _words(head, example)
        ]
        assert 0 < len(expected) < len(rows)
        _expect_ids(report, expected[:24])
        assert page.locator(".found [role=status]").text_content().startswith(f"{len(expected)} of {len(rows)} ")
        page.locator("#search").fill("no such words 123")
        page.get_by_text("No example is like that").wait_for()
        page.get_by_role("link", name="Clear filters").click()
        page.wait_for_function("() => location.hash === '#/examples'")
        expect(page.locator("#search")).to_have_value("")
        for name in page.locator(".filters select").evaluate_all("all => all.map((e) => e.name)"):
            _try_filter(report, rows, name)
        page.locator("select[name=sort]").select_option("length")
        page.locator("select[name=dir]").select_option("down")
        lengths = sorted((example["length"] for example in rows), reverse=True)
        by_id = {example["id"]: example["length"] for example in rows}
        until(page, lambda: [by_id[name] for name in _ids(report)] == lengths[:24])
        # Everything stands in the address: a reload shows the same.
        before = _ids(report)
        page.reload()
        report.shown()
        _expect_ids(report, before)


def _words(head: dict[str, Any], example: dict[str, Any]) -> str:
    where = [example["id"], head["worlds"][example["world"]], head["datasets"][example["dataset"]]["name"]]
    return "\n".join([*where, *(leg["text"] for leg in example["legs"])]).lower()


def _try_filter(report: Report, rows: list[dict[str, Any]], name: str) -> None:
    """Chooses the last option of a filter, and compares with what Python finds."""
    field = report.page.locator(f"select[name='{name}']")
    if not field.is_visible() or name in ("sort", "dir"):
        return
    value = field.evaluate("e => e.options[e.options.length - 1].value")
    field.select_option(value)
    report.page.wait_for_function("() => location.hash.includes('=')")
    if name == "data":
        expected = [example for example in rows if example["dataset"] == int(value)]
    elif name in ("is", "and"):
        right, agent = value.split("-")
        expected = [
            example
            for example in rows
            if (right == "right") in [t["success"] for t in example["traces"] if t["agent"] == int(agent)]
        ]
    elif name == "pair":
        expected = [example for example in rows if example["pair"] and example["pair"]["kind"] == value]
    else:
        expected = [example for example in rows if int(value) in example["groups"].get(name.removeprefix("g."), [])]
    _expect_ids(report, [example["id"] for example in expected[:24]])
    report.go("#/examples")
    expect(report.page.locator(".card h3 a")).to_have_count(min(24, len(rows)))


@pytest.mark.slow
def test_pages_addresses_and_history(browser: Any, file: Path) -> None:
    rows = report_data_of(file)["examples"]
    assert len(rows) > 24
    with opened(browser, file, where="#/examples") as report:
        page = report.page
        page.get_by_role("link", name="Next →").click()
        page.wait_for_function("() => location.hash.includes('page=2')")
        _expect_ids(report, [example["id"] for example in rows[24:48]])
        page.locator(".card h3 a").first.click()
        page.wait_for_function("() => location.hash.startsWith('#/example/')")
        report.shown()
        expect(page.locator("main h2").first).to_contain_text(rows[24]["id"])
        page.get_by_role("link", name="Previous").click()
        page.wait_for_function(
            "name => document.querySelector('main h2').textContent.includes(name)", arg=rows[23]["id"]
        )
        page.go_back()
        page.wait_for_function(
            "name => document.querySelector('main h2').textContent.includes(name)", arg=rows[24]["id"]
        )
        page.go_back()
        page.wait_for_function("() => document.querySelectorAll('.card').length > 0")
        _expect_ids(report, [example["id"] for example in rows[24:48]])
        page.go_forward()
        page.wait_for_function(
            "name => document.querySelector('main h2').textContent.includes(name)", arg=rows[24]["id"]
        )
        # A deep link, opened anew.
        walk = _one(file, "city/touchdown/small")
        agent = walk["traces"][1]["agent"]
        report.open(_address(walk, agent=agent, step=3))
        expect(page.locator(".player .counter")).to_contain_text("3 /")
        assert page.locator(".lane.chosen").text_content().startswith(summary_of(file)["agents"][agent]["name"])
        report.open("#/example/0/nobody")
        page.get_by_text("There is no such example").wait_for()


@pytest.mark.slow
def test_keys_and_themes(browser: Any, file: Path) -> None:
    rows = report_data_of(file)["examples"]
    with opened(browser, file) as report:
        page = report.page
        page.keyboard.press("?")
        expect(page.locator("dialog[open]")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)
        page.keyboard.press("/")
        page.wait_for_function("() => document.activeElement?.id === 'search'")
        page.keyboard.type("jk?n")
        expect(page.locator("#search")).to_have_value("jk?n")
        page.get_by_text("No example is like that").wait_for()
        page.locator("#search").fill("")
        page.keyboard.press("Escape")
        page.wait_for_function("() => document.querySelectorAll('.card').length === 24")
        for key, at in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
            page.keyboard.press(key)
            expect(page.locator(":focus")).to_have_text(rows[at]["id"])
        page.keyboard.press("Enter")
        for key, at in (("", 1), ("n", 2), ("n", 3), ("p", 2)):
            if key:
                page.keyboard.press(key)
            page.wait_for_function(
                "name => document.querySelector('main h2')?.textContent.includes(name)", arg=rows[at]["id"]
            )
        page.keyboard.press("Escape")
        page.wait_for_function("() => location.hash === '#/examples' && document.querySelectorAll('.card').length > 0")
        light = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        page.locator("#theme").click()
        assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
        assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") != light
        page.keyboard.press("t")
        assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == light


def test_a_key_right_after_the_help_was_closed_is_heard(browser: Any, file: Path) -> None:
    with opened(browser, file) as report:
        page = report.page
        page.keyboard.press("?")
        # The keyboard is still on the closed dialog's button until the next frame is drawn.
        focus_in_dialog = page.evaluate(
            """() => {
              document.querySelector('dialog').close();
              const at = document.activeElement;
              at.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true }));
              return at.closest('dialog') !== null;
            }"""
        )
        assert focus_in_dialog
        page.wait_for_function("() => document.activeElement?.id === 'search'")


def test_a_walk(browser: Any, file: Path) -> None:
    walk = _one(file, "city/touchdown/small")
    with opened(browser, file, where=_address(walk)) as report:
        page = report.page
        page.locator(".atlas").scroll_into_view_if_needed()
        until(page, lambda: len(np.unique(report.pixels(".atlas").reshape(-1, 3), axis=0)) > 50)
        before = report.still(".atlas")
        # Pictures come when they are looked at, and are pictures.
        for k in range(len(walk["traces"])):
            strip = page.locator(".lane").nth(k).locator(".strip img")
            expect(strip).to_have_count(len(walk["traces"][k]["legs"][0]["strip"]))
            strip.first.scroll_into_view_if_needed()
            strip.first.evaluate("e => e.decode?.call(e).catch(() => new Promise((r) => { e.onload = r; }))")
            page.wait_for_function(
                "k => document.querySelectorAll('.lane')[k].querySelector('.strip img').naturalWidth > 0", arg=k
            )
        slider = page.locator(".player input[type=range]")
        most = int(slider.get_attribute("max"))
        assert most == len(walk["traces"][0]["legs"][0]["places"]) - 1
        slider.fill(str(most // 2))
        expect(page.locator(".player .counter")).to_have_text(f"{most // 2} / {most}")
        until(page, lambda: (np.abs(report.pixels(".atlas").astype(int) - before).max(axis=2) > 30).sum() > 100)
        changed = np.abs(report.still(".atlas").astype(int) - before).max(axis=2) > 30
        assert 100 < changed.sum() < changed.size / 4
        page.wait_for_function(f"() => location.hash.includes('step={most // 2}')")
        # The panorama of the place one is at, looked at as one did.
        places = report_data_of(file)["places"][walk["world"]]
        done = walk["traces"][0]["legs"][0]
        number = places["panorama"][done["places"][most // 2]]
        if number >= 0:
            page.wait_for_function(f"() => document.querySelector('.viewer').dataset.picture === '{number}'")
            heading = page.evaluate("() => bearleftReport.viewer().state().heading")
            assert abs(geometry.turn(heading, done["headings"][most // 2])) < 0.6
        page.keyboard.press(".")
        expect(page.locator(".player .counter")).to_have_text(f"{most // 2 + 1} / {most}")
        page.locator(".player button[aria-label=Play]").click()
        page.wait_for_function(f"() => Number(document.querySelector('.player input').value) > {most // 2 + 1}")
        page.locator(".player button[aria-label=Pause]").click()
        # Zooming and dragging move the map.
        page.locator(".atlas button").first.click()
        zoomed = page.locator(".atlas").get_attribute("data-view")
        page.locator(".atlas").focus()
        page.keyboard.press("ArrowLeft")
        page.wait_for_function("old => document.querySelector('.atlas').dataset.view !== old", arg=zoomed)


@pytest.mark.slow
def test_pointing_with_ring_answers_and_heat(browser: Any, file: Path) -> None:
    point = _one(file, "city/sdr/small")
    leg, head = point["legs"][0], summary_of(file)
    assert any("heatmap" in trace["legs"][0] for trace in point["traces"])
    with opened(browser, file, where=_address(point)) as report:
        page = report.page
        page.locator("canvas.flat").scroll_into_view_if_needed()
        page.wait_for_function("() => document.querySelector('.viewer').dataset.picture !== undefined")
        until(page, lambda: len(np.unique(report.pixels("canvas.flat").reshape(-1, 3), axis=0)) > 500)
        plain = report.still("canvas.flat")
        # The ring lies where geometry says, in the colour of goals.
        height, width = plain.shape[:2]
        heading, pitch = leg["target"]
        x, y = geometry.to_equirectangular(heading, pitch, width, height, leg["yaw"])
        goal = page.evaluate("() => getComputedStyle(document.documentElement).getPropertyValue('--goal').trim()")
        expected = np.array([int(goal[k : k + 2], 16) for k in (1, 3, 5)]) if goal.startswith("#") else None
        assert expected is not None
        rows, columns = np.nonzero(np.abs(plain.astype(int) - expected).max(axis=2) < 12)
        far = np.hypot(columns - float(x), rows - float(y))
        assert ((far > 10) & (far < 17)).sum() > 30
        for trace in point["traces"]:
            assert head["agents"][trace["agent"]]["name"] in page.locator(".lanes").text_content()

        def changed() -> float:
            """Return the share of pixels that changed."""
            return float((np.abs(report.pixels("canvas.flat").astype(int) - plain).max(axis=2) > 20).mean())

        page.locator(".panorama select").select_option(index=1)
        until(page, lambda: changed() > 0.02)
        page.locator(".panorama select").select_option(index=0)
        until(page, lambda: changed() < 0.001)


def test_the_viewer_has_our_geometry(browser: Any, file: Path) -> None:
    rng = np.random.default_rng(0)
    point = _one(file, "city/sdr/small")
    with opened(browser, file, where=_address(point)) as report:
        page = report.page
        for _ in range(20):
            look = Direction(rng.uniform(0, 360), rng.uniform(-80, 80))
            ours = geometry.View(look, 640, 400, rng.uniform(30, 115))
            view = {"heading": look.heading, "pitch": look.pitch, "fov": ours.fov, "width": 640, "height": 400}
            x, y = rng.uniform(0, 640), rng.uniform(0, 400)
            heading, pitch = page.evaluate("([x, y, v]) => bearleftReport.unproject(x, y, v)", [x, y, view])
            assert geometry.angular_distance(heading, pitch, *ours.direction(x, y)) < 0.1
            back = page.evaluate("([h, p, v]) => bearleftReport.project(h, p, v)", [heading, pitch, view])
            assert back == pytest.approx([x, y], abs=0.01)
            flat = page.evaluate("([h, p]) => bearleftReport.toFlat(h, p, 2000, 1000, 77)", [heading, pitch])
            assert flat == pytest.approx(
                [float(v) for v in geometry.to_equirectangular(heading, pitch, 2000, 1000, 77)]
            )
            assert (
                page.evaluate("([h, p, v]) => bearleftReport.project(h, p, v)", [look.heading + 180, -look.pitch, view])
                is None
            )


@pytest.mark.slow
def test_the_viewer_shows_what_our_renderer_sees(browser: Any, file: Path) -> None:
    point, head = _one(file, "city/sdr/small"), summary_of(file)
    world, place = head["worlds"][point["world"]], point["legs"][0]["place"]
    eyes = RenderedPictures(open_city(world))
    number = eyes.place_index(report_data_of(file)["places"][point["world"]]["id"][place])
    with opened(browser, file, where=_address(point)) as report:
        page = report.page
        page.locator(".viewer").scroll_into_view_if_needed()
        page.wait_for_function("() => document.querySelector('.viewer').dataset.picture !== undefined")
        assert page.evaluate("() => bearleftReport.viewer().state().webgl")
        for heading, pitch in ((10.0, 0.0), (150.0, 20.0), (275.0, -25.0)):
            page.evaluate("([h, p]) => bearleftReport.viewer().look([h, p], 90)", [heading, pitch])
            report.frame()
            theirs = picture(_png(page.evaluate("() => document.querySelector('canvas.globe').toDataURL('image/png')")))
            height, width = theirs.shape[:2]
            ours = eyes.views([number], [heading], pitch, (width, height), 90.0)[0]
            off = np.abs(theirs.astype(int) - ours)
            # A turn by two degrees is a difference as large as all others together.
            turned = np.abs(theirs.astype(int) - eyes.views([number], [heading + 2], pitch, (width, height), 90.0)[0])
            assert off.mean() < 16, (heading, off.mean())
            assert np.median(off) < 8
            assert off.mean() < 0.8 * turned.mean()


def _png(url: str) -> bytes:
    return base64.b64decode(url.partition(",")[2])


def _routes(file: Path) -> list[str]:
    return ["#/", "#/examples", *(_address(_one(file, name)) for name, _, _ in PLAYED)]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "dark"), (NARROW, "light"), (DESK, "dark")], ids=["phone", "narrow", "desk"]
)
def test_no_window_scrolls_sideways(browser: Any, file: Path, size: tuple[int, int], scheme: str) -> None:
    touch: dict[str, Any] = {} if size == DESK else {"has_touch": True}
    with opened(browser, file, size, color_scheme=scheme, **touch) as report:
        assert report.page.evaluate("() => document.documentElement.dataset.theme") == scheme
        for where in _routes(file):
            report.go(where)
            assert not report.too_wide(), (where, report.too_wide())


@pytest.mark.slow(keep=1)
@pytest.mark.skipif(bool(axe_missing()), reason=axe_missing())
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing_grave(browser: Any, file: Path, size: tuple[int, int]) -> None:
    with opened(browser, file, size, reduced_motion="reduce") as report:
        for where in _routes(file):
            report.go(where)
            report.frame()
            violations = report.violations()
            assert not violations, (where, violations)
            if size == DESK:
                # The schemes differ in nothing but their colours.
                report.page.emulate_media(color_scheme="dark")
                report.page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
                violations = report.violations("color-contrast", "link-in-text-block")
                assert not violations, (where, "dark", violations)
                report.page.emulate_media(color_scheme="light")
                report.page.wait_for_function("() => document.documentElement.dataset.theme === 'light'")


def test_without_javascript_the_scores_are_there(browser: Any, file: Path) -> None:
    head = summary_of(file)
    with opened(browser, file, java_script_enabled=False) as report:
        page = report.page
        assert page.locator("h1").text_content() == "Four datasets"
        assert page.locator("table").count() == len(PLAYED)
        shown = page.locator("table").first.inner_text()
        for row in head["scores"]:
            if row["dataset"] == 0:
                assert head["agents"][row["agent"]]["name"] in shown
                assert f"{row['value']:.4g}" in shown
        assert "need" in page.locator("noscript").inner_text()

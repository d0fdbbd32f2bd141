"""What an agent's network computed, step by step: shaded words, the ring of views and the bars of actions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bearleft.data import load, open_dataset
from bearleft.envs.game import Action, Decision
from bearleft.envs.reach import ReachGame, actions_along
from bearleft.policy import POLICY_ACTIONS
from bearleft.records import Episode, LegTrace, Reach, Trace, to_json_line
from bearleft.reports.html.report import report
from bearleft.world.album.importers import import_album
from bearleft.world.worlds import open_world
from tests.browser.accessibility import axe_missing
from tests.browser.page import missing
from tests.browser.report_page import NARROW, Report, example_hash, made_once, opened, summary_of
from tests.browser.waiting import expect, until

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())
SPLIT = "town/dev"
EPISODE = load(SPLIT)[0]
VIEWS = 8
HORIZON = 6
# The weight of each token by which the text is shaded; 0 where it is not.
SHADING = """() => Object.fromEntries([...document.querySelectorAll('.legtext .token')]
  .map((node) => [node.dataset.tokens, Number(getComputedStyle(node).getPropertyValue('--attention'))]))"""
BARS = """() => Object.fromEntries([...document.querySelectorAll('.chance[data-action]')]
  .map((row) => [row.dataset.action, [row.querySelector('.share').textContent, row.querySelector('i').style.width,
    row.querySelector('.pick').textContent]]))"""
SECTORS = "() => [...document.querySelectorAll('.viewring .sector')].map((node) => node.getAttribute('fill-opacity'))"


def spans(text: str) -> tuple[tuple[int, int], ...]:
    """Words, and a token for the end that stands for none."""
    ends = np.cumsum([len(word) + 1 for word in text.split(" ")]) - 1
    return (*((int(end) - len(word), int(end)) for word, end in zip(text.split(" "), ends, strict=True)), (0, 0))


def walk(episode: Episode, decides: bool, horizon: int = 200) -> LegTrace:
    """The reference, walked with random attention or without."""
    graph, goal = open_world(episode.world), episode.legs[0].goal
    assert isinstance(goal, Reach)
    game, rng = ReachGame(episode.legs[0], episode.start, graph, horizon), np.random.default_rng(4)
    tokens = spans(episode.legs[0].text)
    for action in actions_along(graph, episode.start, goal.route):
        if game.done:
            break
        step: Action = action
        if decides:
            weights = rng.dirichlet(np.full(len(tokens), 0.3))
            step = Decision(action, rng.dirichlet(np.ones(4)), weights, tokens, rng.dirichlet(np.ones(VIEWS)))
        game.step(step)
    return game.trace()


def _make(folder: Path) -> None:
    sha256, traces = open_dataset(SPLIT).sha256, {}
    for name, decides, horizon in (("decides", True, 200), ("plain", False, 200), ("short", True, HORIZON)):
        traces[name] = walk(EPISODE, decides, horizon)
        trace = Trace(EPISODE.id, SPLIT, name, (traces[name],), 0, sha256, horizon=horizon)
        (folder / f"{name}.jsonl").write_text(to_json_line(trace) + "\n")
    (folder / "pictures").mkdir()
    for place in set(traces["decides"].path):
        Image.new("RGB", (128, 64), (90, 90, 90)).save(folder / "pictures" / f"{place}.png")
    import_album(folder / "pictures", folder / "album", world=EPISODE.world)
    files = [folder / f"{name}.jsonl" for name in traces]
    report(*files, output=folder / "report.html", pictures=[str(folder / "album")])
    report(folder / "plain.jsonl", output=folder / "plain.html", with_pictures=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory.getbasetemp(), "policy", _make)


def address(folder: Path, agent: str, step: int = 0) -> str:
    names = [row["name"] for row in summary_of(folder / "report.html")["agents"]]
    return example_hash(0, EPISODE.id, agent=names.index(agent), step=step)


def move_slider(page: Report, step: int) -> None:
    page.page.locator(".player input").evaluate(
        "(slider, step) => { slider.value = step; slider.dispatchEvent(new Event('input')); }", str(step)
    )


@pytest.mark.slow
def test_the_slider_shows_the_decision_of_each_step(browser: Any, folder: Path) -> None:
    trace = walk(EPISODE, decides=True)
    assert trace.policy is not None
    shown_bars = set()
    with opened(browser, folder / "report.html", where=address(folder, "decides")) as page:
        page.page.wait_for_selector(".policy")
        for k, step in enumerate(trace.policy.steps):
            move_slider(page, k)
            expect(page.page.locator(".policy h3")).to_have_text(re.compile(rf"^Decision at step {k}\b"))
            bars = page.page.evaluate(BARS)
            assert list(bars) == list(POLICY_ACTIONS)
            for name, probability in zip(POLICY_ACTIONS, step.probabilities, strict=True):
                share, width, chosen = bars[name]
                assert abs(float(share.removesuffix(" %")) - 100 * probability) <= 0.5001
                assert float(width.removesuffix("%")) == pytest.approx(100 * probability, abs=0.01)
                assert bool(chosen) == (name == trace.actions[k])
            shading = page.page.evaluate(SHADING)
            assert shading == {
                str(token): pytest.approx(weight / max(step.words), abs=0.001)
                for token, weight in enumerate(step.words[:-1])
            }
            assert [float(opacity) for opacity in page.page.evaluate(SECTORS)] == pytest.approx(
                [0.85 * weight / max(step.views) for weight in step.views], abs=0.001
            )
            # The same in words: the most attended view and word, and the action.
            view = ["ahead", "ahead right", "right", "behind right", "behind", "behind left", "left", "ahead left"]
            label = page.page.locator(".viewring").get_attribute("aria-label")
            assert label.startswith(f"Attention over views: {view[int(np.argmax(list(step.views)))]} ")
            top = int(np.argmax(list(step.words[:-1])))
            begin, end = trace.policy.spans[top]
            first = page.page.locator(".words .chance").first
            assert first.locator(".name").inner_text() == EPISODE.legs[0].text[begin:end].strip()
            outside = 100 * step.words[-1] / sum(step.words)
            note = page.page.locator(".policyparts p").all_inner_texts()
            assert bool(note) == (outside >= 0.5), outside
            chosen = f"chose {trace.actions[k]} ("
            assert chosen in page.page.locator(".player input").get_attribute("aria-valuetext")
            shown_bars.add(str(bars))
        assert len(shown_bars) == len(trace.actions)


@pytest.mark.slow
def test_the_panel_is_that_of_the_followed_agent(browser: Any, folder: Path) -> None:
    with opened(browser, folder / "report.html", where=address(folder, "decides", 2)) as page:
        panel = page.page.locator(".policy")
        panel.wait_for()
        page.page.get_by_role("radio", name="plain").check()
        expect(panel).to_be_hidden()
        expect(page.page.locator(".token")).to_have_count(0)
        assert "chose" not in page.page.locator(".stepwords").inner_text()
        page.page.get_by_role("radio", name="decides").check()
        expect(panel).to_be_visible()
        until(page.page, lambda: len(page.page.evaluate(SHADING)) == len(EPISODE.legs[0].text.split()))
        # After the last action of a walk that was cut off there is no decision.
        page.page.get_by_role("radio", name="short").check()
        move_slider(page, HORIZON - 1)
        expect(page.page.locator(".chances").first).to_be_visible()
        move_slider(page, HORIZON)
        expect(page.page.locator(".chances").first).to_be_hidden()
        expect(page.page.locator(".token")).to_have_count(0)
        expect(panel).to_contain_text("no further decision")
    with opened(browser, folder / "plain.html", where=example_hash(0, EPISODE.id)) as page:
        page.page.wait_for_selector(".player")
        assert page.page.locator(".policy").count() == page.page.locator(".token").count() == 0


@pytest.mark.slow
def test_attention_over_views_lies_on_the_ground_of_the_panorama(browser: Any, folder: Path) -> None:
    trace = walk(EPISODE, decides=True)
    assert trace.policy is not None
    step = 1
    with opened(browser, folder / "report.html", where=address(folder, "decides", step)) as page:
        page.page.wait_for_selector(".viewer[data-picture]")
        heading = page.page.evaluate("() => bearleftReport.viewer().state().heading")
        views = list(trace.policy.steps[step].views)
        for k in (int(np.argmax(views)), int(np.argmin(views))):
            for on in (True, False):
                page.page.locator(".policycontrol input").set_checked(on)
                page.page.evaluate("([heading]) => bearleftReport.viewer().look([heading, -21])", [heading + 45 * k])
                page.frame()
                pixels = page.pixels(".viewer .globe").astype(int)
                expected = 0.9 * views[k] / max(views) if on else 0.0
                for beside in (-15, 15):  # the sector is centred on its direction
                    red, _, blue = pixels[pixels.shape[0] // 2, pixels.shape[1] // 2 + beside]
                    assert (red - blue) / 235 == pytest.approx(expected, abs=0.05), (k, on, beside)


@pytest.mark.slow(keep=1)
@pytest.mark.skipif(bool(axe_missing()), reason=axe_missing())
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_panel_is_accessible_and_narrow_enough(browser: Any, folder: Path, scheme: str) -> None:
    with opened(browser, folder / "report.html", NARROW, address(folder, "decides", 3), color_scheme=scheme) as page:
        page.page.wait_for_selector(".policy")
        assert not page.too_wide()
        assert not page.violations()


def test_phenomena_and_attention_share_the_text(browser: Any, folder: Path) -> None:
    with opened(browser, folder / "report.html", where=address(folder, "decides")) as page:
        page.page.wait_for_selector(".token")
        words = page.page.evaluate(
            """() => { const copy = document.querySelector('.legtext').cloneNode(true);
              copy.querySelectorAll('sup').forEach((node) => node.remove()); return copy.textContent; }"""
        )
        assert words == EPISODE.legs[0].text
        before = page.page.evaluate(SHADING)
        assert before
        page.page.get_by_role("button", name="hide all").click()
        expect(page.page.locator(".legtext .marked")).to_have_count(0)
        assert page.page.evaluate(SHADING) == before

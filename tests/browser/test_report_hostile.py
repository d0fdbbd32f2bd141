"""A report of texts and names that were made to break it: they are shown as text, and nothing of them runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from bearleft.data import write
from bearleft.errors import InputError
from bearleft.records import Direction, Episode, Leg, LegTrace, Point, Pose, Reach, Trace, to_json_line
from bearleft.reports.html.report import report
from bearleft.world.graphs.shortest_paths import shortest_route
from bearleft.world.worlds import open_world
from tests.browser.page import missing
from tests.browser.report_page import DESK, NARROW, example_hash, made_once, opened, report_data_of, summary_of

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

SCRIPT = "</script><script>window.hit=1;alert(1)</script>"
IMAGE = "<img src=x onerror=\"window.hit=1\"><svg onload='window.hit=1'>"
MARKUP = (
    "<!-- <script> --!> ]]> <![CDATA[ &lt;b&gt; &amp;#x3c; <style>*{display:none}</style> <base href='//x.invalid/'>"
)
QUOTES = '"\'`${window.hit=1}`\'" \\u003c \\" \\'
WRITING = "\u202eright to left\u202c \u05e9\u05dc\u05d5\u05dd \u2066x\u2069 \u2028 \u2029 \ufeff \u0301 e\u0301\u0301"
CONTROLS = "a\x00b\x01c\x07d\x1be\x7ff\x85g\r\nh\ti"
EMOJI = "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f9f8\U0001f3fd \U0001f1eb\U0001f1f7"
LONG_WORD = "W" * 100_000
LONG_TEXT = "Turn left at the second light and pass two red cars. " * 1_900
ORDER = "Turn left at the first light , then stop in front of two blue cars ."
TEXTS = (
    SCRIPT,
    IMAGE,
    MARKUP,
    QUOTES,
    WRITING,
    CONTROLS,
    EMOJI + " " + ORDER + " " + EMOJI + " " + ORDER,
    LONG_WORD,
    LONG_TEXT,
    "javascript:window.hit=1",
    "",
)
IDS = (
    SCRIPT,
    IMAGE,
    MARKUP,
    QUOTES,
    WRITING,
    CONTROLS,
    EMOJI,
    "i" * 2_000,
    "../../%2e%2e/%00?agent=0&x=1#/examples",
    "javascript:window.hit=1",
    "constructor",
)
AGENTS = (IMAGE + SCRIPT, QUOTES + EMOJI + "A" * 5_000)
FILES = ("<script>alert(1)<.jsonl", "\"'&lt;\u2028\U0001f9f8.jsonl")
TITLE = "</title>" + SCRIPT + IMAGE + QUOTES + EMOJI
WORLD = "town/7"


def _episodes() -> list[Episode]:
    """Walks in a town, and things to point at in a world that has an evil name."""
    town = open_world(WORLD)
    episodes = []
    for k, (name, text) in enumerate(zip(IDS, TEXTS, strict=True)):
        route = tuple(shortest_route(town, k, 30 + k))
        if k % 2:
            legs = (Leg(text, Point(Direction(40.0, 5.0), SCRIPT, 30.0)),)
            start, world = Pose(Direction(30.0), SCRIPT), IMAGE
        else:
            legs = (Leg(text, Reach(route)),)
            start, world = Pose(Direction(0.0), route[0]), WORLD
        episodes.append(
            Episode(name, "mine", world, start, legs, {"kind": SCRIPT, "pair": k // 2, "changed": bool(k % 2)})
        )
    return episodes


def _traces(episodes: list[Episode], agent: str, dataset: Path) -> list[Trace]:
    html_file = []
    for episode in episodes:
        goal = episode.legs[0].goal
        if isinstance(goal, Reach):
            traces = LegTrace(("stop",), goal.route[:1])
        else:
            traces = LegTrace((), (), (), Direction(60.0, 0.0))
        html_file.append(Trace(episode.id, str(dataset), agent, (traces,)))
    return html_file


def _make(folder: Path) -> None:
    dataset = folder / "<img src=x onerror='window.hit=1'>`${hit}` \u202e.jsonl"
    episodes = _episodes()
    write("jsonl", episodes, dataset)
    files = [folder / name for name in FILES]
    for agent, file in zip(AGENTS, files, strict=True):
        file.write_text("".join(to_json_line(trace) + "\n" for trace in _traces(episodes, agent, dataset)), "utf-8")
    report(*files, output=folder / "report.html", title=TITLE)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report."""
    return made_once(tmp_path_factory.getbasetemp(), "hostile", _make) / "report.html"


def _assert_nothing_ran(page: Any) -> None:
    assert page.evaluate("() => typeof window.hit") == "undefined"
    assert page.evaluate("() => document.querySelectorAll('img[src=x], [onerror], [onload], base').length") == 0


def test_hostile_input_is_shown_as_text(browser: Any, hostile: Path) -> None:
    rows = report_data_of(hostile)
    assert [example["id"] for example in rows["examples"]] == list(IDS)
    with opened(browser, hostile) as open_report:
        page = open_report.page
        assert "</title></script><script>window.hit=1" in page.title()
        assert SCRIPT in page.locator("h1").first.text_content()
        assert IMAGE in page.locator("main").text_content()  # the agent's name
        _assert_nothing_ran(page)
        open_report.go("#/examples")
        page.get_by_text("javascript:window.hit=1").first.wait_for()
        assert MARKUP in page.locator("main").text_content()
        _assert_nothing_ran(page)
        for k, name in enumerate(IDS):
            open_report.go(example_hash(0, name))
            assert _visible_text(page)[:300] == TEXTS[k][:300], k
            assert name[:250] in page.locator("main h2").first.text_content()
            _assert_nothing_ran(page)
        # What cannot be is said, not run.
        for wrong in ("example/0/" + SCRIPT, "example/9/x", "example/0/__proto__", IMAGE, "examples?page=-3&sort=x"):
            open_report.go("#/" + wrong)
            _assert_nothing_ran(page)
        open_report.go("#/examples?q=" + "%3Cimg%20src%3Dx")
        assert page.locator("main input[type=search]").input_value() == "<img src=x"
        assert page.locator("main .card").count() >= 1
        _assert_nothing_ran(page)


def _visible_text(page: Any) -> str:
    """The text of the leg that is shown, without the numbers of marks and sentences in it."""
    text: str = page.evaluate(
        """() => {
          const copy = document.querySelector('main .legtext .coloured').cloneNode(true);
          copy.querySelectorAll('sup, .sentence').forEach((node) => node.remove());
          return copy.textContent;
        }"""
    )
    return text


@pytest.mark.slow
def test_layout_is_stable(browser: Any, hostile: Path) -> None:
    long = (LONG_WORD, LONG_TEXT, WRITING, QUOTES)
    routes = ["#/", "#/examples", *(example_hash(0, IDS[TEXTS.index(text)]) for text in long)]
    for size in (DESK, NARROW):
        with opened(browser, hostile, size) as open_report:
            for where in routes:
                open_report.go(where)
                assert not open_report.too_wide(), (size, where[:40], open_report.too_wide())
                tall = open_report.page.evaluate("() => document.documentElement.scrollHeight")
                assert tall < 16_000, (size, where[:40], tall)


@pytest.mark.slow
def test_long_text_can_be_expanded(browser: Any, hostile: Path) -> None:
    with opened(browser, hostile, where=example_hash(0, IDS[TEXTS.index(LONG_TEXT)])) as open_report:
        page = open_report.page
        assert len(page.locator("main").text_content()) < 30_000
        assert _visible_text(page) == LONG_TEXT[:4000] + "…"
        page.get_by_role("button", name="show all").first.click()
        assert _visible_text(page) == LONG_TEXT


def test_marks_after_emoji_cover_their_words(browser: Any, hostile: Path) -> None:
    example = report_data_of(hostile)["examples"][IDS.index(EMOJI)]
    leg = example["legs"][0]
    assert leg["text"] == TEXTS[IDS.index(EMOJI)]
    assert len(leg["phenomena"]) >= 6
    with opened(browser, hostile, where=example_hash(0, EMOJI)) as open_report:
        page = open_report.page
        assert _visible_text(page) == leg["text"]
        # A piece has the marks of all that lies under it; put together again they are the marks that Python found.
        pieces = page.evaluate(
            """() => [...document.querySelectorAll('main .legtext .marked')].map((piece) => {
              const copy = piece.cloneNode(true);
              copy.querySelectorAll('sup').forEach((node) => node.remove());
              return [copy.textContent, piece.dataset.marks.split(' ').map(Number)];
            })"""
        )
    covered = [
        sorted(kind for kind, begin, end in leg["phenomena"] if begin <= at < end) for at in range(len(leg["text"]))
    ]
    marked = [(letter, kinds) for letter, kinds in zip(leg["text"], covered, strict=True) if kinds]
    assert [(letter, sorted(kinds)) for words, kinds in pieces for letter in words] == marked


def test_names_from_other_tools(tmp_path: Path, hostile: Path) -> None:
    """A file name that is no Unicode, a title with half a surrogate pair, and a text with one."""
    source = hostile.parent / FILES[0]
    odd = tmp_path / os.fsdecode(b"\xff\xfe.jsonl")
    try:
        odd.write_bytes(source.read_bytes())
    except OSError:
        pytest.skip("needs a file system that takes any name")
    html_file = tmp_path / "odd.html"
    report(odd, output=html_file, title="half \ud800 of a pair")
    assert summary_of(html_file)["title"].startswith("half ")
    html_file.read_text(encoding="utf-8")
    half = tmp_path / "half.jsonl"
    trace = Trace("0", "town/dev", "somebody", (LegTrace(("stop",), ("p00457",)),))
    half.write_text(to_json_line(trace).replace("somebody", r"\ud800"))
    with pytest.raises(InputError, match="Unicode"):
        report(half, output=tmp_path / "half.html")
    assert not (tmp_path / "half.html").exists()

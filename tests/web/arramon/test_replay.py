"""What reviewers see of an attempt of ArraMon: its steps, and their replay in the 3-D view by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

pytest.importorskip("argon2")

from bearleft.records import Assemble, Collect
from bearleft.web.admin.replays import replay
from bearleft.web.database.models import Answer, Event, Unit
from tests.browser.report_page import chromium
from tests.browser.waiting import expect
from tests.web import window
from tests.web.admin.study import add_admins, sign_in
from tests.web.arramon.people import GOOD_TEXTS, Person, reference_actions
from tests.web.arramon.site import Site, pages_missing, served

pytestmark = pytest.mark.skipif(bool(pages_missing()), reason=pages_missing())

# The number of colours in the background of the map.
COLOURS = """async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const canvas = document.querySelector(".atlas .ground");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened.chromium


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, short_maps: Path, model_cache: Path) -> Iterator[Site]:
    """A server with one map that is written, and followed once: the first item was put elsewhere."""
    url = f"sqlite:///{tmp_path_factory.mktemp('replay') / 'study.sqlite'}"
    with served(url, short_maps, model_cache) as opened:
        add_admins(opened.settings)
        writer, follower = opened.person(), opened.person()
        writer.write(writer.prepare())
        lease = follower.prepare()
        follower.act(lease, "flags", flags=["unclear"])
        follower.follow(lease, well=False)
        yield opened


def stored(site: Site, kind: str) -> tuple[Answer, Unit, list[Event]]:
    ((answer, unit),) = site.answers(kind)
    with site.database.read() as session:
        query = select(Event).where(Event.attempt_id == answer.attempt_id).order_by(Event.number)
        return answer, unit, list(session.scalars(query))


@pytest.mark.slow
def test_steps_hold_poses_scenes_and_what_was_to_be_found(site: Site) -> None:
    person: Person = site.person()
    answer, unit, events = stored(site, "arramon/following")
    content = replay(site.worlds, person.project, unit, events, answer, answer.worker_id)
    episode = site.worlds.episode(unit.payload["dataset"], unit.payload["episode"])
    steps, legs = content["steps"], content["goal"]["legs"]
    assert len(steps) == len(events) + 2
    assert [content["scenes"][step["scene"]]["place"] for step in (steps[1], steps[-1])] == ["city", "room"]
    assert len(content["scenes"]) == 4
    walked = [step for step in steps if step["leg"] == 0]
    path = episode.legs[0].goal.path
    assert {tuple(step["pose"]["position"][:2]) for step in walked} == {(round(x, 3), round(y, 3)) for x, y, _ in path}
    taken = [step["action"] for step in walked if step["action"] not in ("start", "flags")]
    assert taken == reference_actions(episode)[0][:-1]
    for leg, goal in zip(episode.legs, legs, strict=True):
        if isinstance(leg.goal, Collect):
            assert goal["target"] == {"item": leg.goal.item, "at": [round(value, 3) for value in leg.goal.at]}
            assert len(goal["line"]) == len(leg.goal.path)
        else:
            assert isinstance(leg.goal, Assemble)
            assert goal["outline"]["cell"] == list(leg.goal.cell)
    assert {step["text"] for step in steps} == set(GOOD_TEXTS)
    assert "flags: unclear" in {step["result"] for step in steps}
    assert steps[-1]["result"] == "does not meet the rules"


def test_the_text_of_a_leg_ends_with_it(site: Site) -> None:
    answer, unit, events = stored(site, "arramon/writing")
    steps = replay(site.worlds, site.person().project, unit, events, answer, answer.worker_id)["steps"]
    begins = [k for k in range(1, len(steps)) if steps[k]["leg"] > steps[k - 1]["leg"]]
    assert [steps[k]["action"] for k in begins] == ["next"] * 3
    assert [steps[k + 1]["text"] for k in begins] == [""] * 3


def test_a_quiz_has_actions_only(site: Site) -> None:
    (answer, unit), *_ = site.answers("arramon/writing-quiz")
    content = replay(site.worlds, site.person().project, unit, [], answer, answer.worker_id)
    assert (content["world"], content["scenes"]) == (None, [])


@pytest.mark.slow
def test_an_attempt_is_replayed_in_3d_by_keyboard(site: Site, browser: Any) -> None:
    answer, _, events = stored(site, "arramon/following")
    with window.window(browser, site, window.Window, (560, 480), reduced_motion="reduce") as view:
        page = view.page
        sign_in(page, site.address, "viewer")
        page.goto(f"{site.address}/admin/answers/{answer.id}")
        canvas = page.locator("canvas.stage")
        page.locator("canvas.stage[data-step='0'][data-place='city']").wait_for()
        assert page.locator("blockquote p").all_inner_texts() == list(GOOD_TEXTS)
        page.locator(".atlas[data-marks]").wait_for()
        assert page.evaluate(COLOURS) > 3
        view.check_layout()
        page.locator("h1").click()
        page.keyboard.press("End")
        last = len(events) + 1
        page.locator(f"canvas.stage[data-step='{last}'][data-place='room']").wait_for()
        expect(page.locator(".diagram")).to_be_visible()
        expect(page.locator("#step-text")).to_contain_text("does not meet the rules")
        page.keyboard.press(",")
        expect(page.locator("#step")).to_have_value(str(last - 1))
        page.locator("#goal").uncheck()
        page.locator("h1").click()
        page.keyboard.press("Home")
        page.locator("canvas.stage[data-step='0'][data-place='city']").wait_for()
        page.get_by_label("Speed").select_option("16")
        page.locator("h1").click()
        page.keyboard.press("Space")
        expect(page.locator("#play")).to_have_text("Pause")
        page.wait_for_function("() => Number(document.getElementById('step').value) > 2")
        page.keyboard.press("Space")
        expect(page.locator("#play")).to_have_text("Play")
        number = int(page.locator("#step").input_value())
        page.locator(f"canvas.stage[data-step='{number}']").wait_for()
        view.frame()
        x, _, z, heading = (float(value) for value in canvas.get_attribute("data-pose").split())
        pose = events[number - 1].result["pose"]
        assert (x, -z, heading) == (*pose["position"][:2], pose["heading"])

"""ArraMon's pages in Chromium, from the first page to the export: keys, mouse, a phone; poses as in Python.

`make test-full` plays 50 random tasks by keys instead of two, on all embedded maps.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bearleft.data import load
from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import CollectGame
from bearleft.evaluation.play import EpisodeRun
from bearleft.records import Episode
from bearleft.web.exports import export_project
from bearleft.web.projects import get_project
from bearleft.web.queue import slots
from bearleft.web.queue.slots import NewUnit, add_units
from bearleft.web.tasks.arramon import following, kinds
from bearleft.world.arramon.astar import shortest_actions
from bearleft.world.arramon.moves import PICK, PLACE
from tests.browser.report_page import DESK, PHONE, chromium
from tests.browser.waiting import expect, until
from tests.sizes import sized
from tests.web.arramon.conftest import DATASET
from tests.web.arramon.people import GOOD_TEXTS, Person, placement_actions, reference_actions
from tests.web.arramon.site import Site, pages_missing, served
from tests.web.arramon.windows import Window, open_window

pytestmark = pytest.mark.skipif(bool(pages_missing()), reason=pages_missing())

FEW = 2  # on the first map of the short dataset
TASKS = sized(FEW, 50)
MILLIMETRE = 1e-3


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened.chromium


@pytest.fixture
def site(study_url: str, short_maps: Path, model_cache: Path) -> Iterator[Site]:
    with served(study_url, short_maps, model_cache) as opened:
        yield opened


def episode_of(site: Site, view: Window) -> Episode:
    payload = site.payload(view.unit()["attempt"])
    episode: Episode = site.worlds.episode(payload["dataset"], payload["episode"])
    return episode


@pytest.mark.parametrize("study_url", ["sqlite", "postgresql"], indirect=True)
def test_from_the_first_page_to_the_export(site: Site, browser: Any, tmp_path: Path) -> None:
    with open_window(browser, site) as writer:
        writer.start()
        writer.pass_quiz(kinds.WRITING_QUIZ)
        writer.shown("city")
        episode = episode_of(site, writer)
        for k, (actions, text) in enumerate(zip(reference_actions(episode), GOOD_TEXTS, strict=True)):
            writer.shown(("city", "room")[k % 2])
            expect(writer.page.locator("#progress")).to_have_text(f"Part {k + 1} of 4")
            writer.play(actions)
            expect(writer.page.locator("#hint")).to_contain_text("Read your text once more")
            writer.page.locator("#text").fill(text)
            writer.page.locator("#next").click()
            expect(writer.page.locator("#text")).to_have_value("")
        writer.page.locator("#submit").click()
        writer.page.locator("#done .code").wait_for()
    with open_window(browser, site) as follower:
        follower.start()
        follower.pass_quiz(kinds.FOLLOWING_QUIZ)
        follower.shown("room")
        follower.play([PLACE])
        expect(follower.page.locator("#message")).to_contain_text("another place")
        follower.play(placement_actions())
        follower.page.locator("#submit").click()
        follower.next()
        follower.shown("city")
        for number, actions in enumerate(reference_actions(episode)):
            expect(follower.page.locator("#text-to-follow")).to_have_text(GOOD_TEXTS[number])
            follower.play(actions)
        follower.page.get_by_label("It is not clear what is meant.").check()
        follower.page.locator("#submit").click()
        expect(follower.page.locator("#done")).to_contain_text("as their writer meant it")
    for _ in range(2):  # the others need no browser
        other = site.person()
        other.follow(other.prepare())
    assert [answer.accepted for answer, _ in site.answers(kinds.FOLLOWING)] == [True] * 3
    assert site.answers(kinds.FOLLOWING)[0][0].data["flags"] == ["unclear"]
    export_project(site.settings, "study", tmp_path / "out")
    (collected,) = load("city/arramon/study", tmp_path / "out")
    assert [leg.text for leg in collected.legs] == list(GOOD_TEXTS)
    assert [leg.goal for leg in collected.legs] == [leg.goal for leg in episode.legs]


@pytest.mark.slow
def test_the_line_the_arrow_the_preview_and_the_outline(site: Site, browser: Any) -> None:
    person = site.person()
    lease = person.prepare()
    with open_window(browser, site, person, DESK) as view:
        view.open(lease.attempt_id)
        view.check_layout()
        legs = reference_actions(person.episode(lease))
        needle = view.page.locator(".guide path")
        before = needle.get_attribute("transform")
        view.play(["right"])
        turned = float(needle.get_attribute("transform")[7:-1]) - float(before[7:-1])
        assert turned % 360 == pytest.approx(330)
        view.play(["left"])
        expect(view.page.locator(".preview figcaption")).to_have_text("Next: the room")
        expect(view.page.locator(".preview")).to_be_visible()
        # Off the line a key changes nothing.
        free = person.view(lease)["pose"]["free"]
        blocked = next(k for k, flag in enumerate(free) if not flag)
        view.play(["right"] * blocked)
        at = view.pose()
        view.play(["forward"])
        assert view.pose() == at
        expect(view.page.locator("#message")).to_contain_text("Stay on the blue line")
        view.play(["left"] * blocked)
        view.play(legs[0])
        # Each text is checked while one writes, and blocks.
        view.page.locator("#text").fill("Go to the item.")
        rules = view.page.locator("#findings li")
        expect(rules.first).to_be_visible()
        assert {rule.get_attribute("data-rule") for rule in rules.all()} >= {"words", "item"}
        view.page.locator("#next").click()
        expect(view.page.locator("#text")).to_be_focused()
        assert person.view(lease)["leg"] == 0
        # A page that is loaded again goes on where it was.
        view.page.reload()
        view.shown("city")
        expect(view.page.locator("#text")).to_have_value("Go to the item.")
        expect(rules.first).to_be_visible()
        view.page.locator("#text").fill(GOOD_TEXTS[0])
        view.page.locator("#next").click()
        view.shown("room")
        expect(view.page.locator(".preview figcaption")).to_have_text("Next: the streets")
        expect(view.page.locator(".guide")).to_be_visible()
        expect(view.page.locator("#carried")).to_contain_text("You carry:")
        view.play(legs[1])
        expect(view.page.locator(".guide")).to_be_hidden()
        view.check_layout()


def new_follower(site: Site, number: int = 0, dataset: str = DATASET) -> tuple[Person, slots.Lease]:
    """Return a worker with a set to follow: the texts of the map's own legs.

    Of the short dataset it is always the first map, so that one section's 3-D model is made.
    """
    with site.database.write() as session:
        project = get_project(session, "study")
        maps = list(site.worlds.episodes(dataset).values())
        episode = maps[0 if dataset == DATASET else number % len(maps)]
        texts = [leg.text for leg in episode.legs]
        payload = {"world": episode.world, "dataset": dataset, "episode": episode.id, "texts": texts}
        add_units(session, project.id, [NewUnit(kinds.FOLLOWING, payload, priority=number)])
        project_id = project.id
    person = site.person()
    lease = slots.claim(site.database, project_id, person.id, [kinds.FOLLOWING])
    assert lease is not None
    return person, lease


def random_actions(run: EpisodeRun, rng: random.Random) -> Iterator[str]:
    """Yield random actions of a leg, then those that lead to a random item, or that place where it is possible."""
    leg, game = len(run.finished), run.game
    for _ in range(rng.randrange(4, 10)):
        if len(run.finished) == leg:
            yield rng.choice(("forward", "forward", "left", "right"))
    if isinstance(game, CollectGame):
        places = [item.at[:2] for item in game.task_state.city_items]
        found = None
        while found is None:
            target = min(rng.sample(places, 3), key=lambda at: math.dist(at, game.position[:2]))
            others = [at for at in places if at != target]
            found = shortest_actions(game.ground, game.position[:2], game.heading, target, others)
        yield from found
    else:
        assert isinstance(game, AssembleGame)
        while not game.can_place():
            yield "right"
        yield PLACE


def expected_pose(run: EpisodeRun) -> tuple[float, float, float]:
    """Return x and z of three.js and the heading where Python's game is."""
    game = run.game
    if isinstance(game, CollectGame):
        return game.position[0], -game.position[1], game.heading
    assert isinstance(game, AssembleGame)
    return 1.5 * (game.cell[0] - 2), -1.5 * game.cell[2], game.heading


@pytest.mark.slow
def test_keys_and_the_same_actions_in_python_end_at_the_same_pose(site: Site, browser: Any) -> None:
    worst = 0.0
    for number in range(TASKS):
        rng = random.Random(number)
        person, lease = new_follower(site, number, DATASET if TASKS <= FEW else "city/arramon/small")
        run = following.replay(person.context, person.unit(lease), [])
        with open_window(browser, site, person) as view:
            view.open(lease.attempt_id)
            for _ in range(2 if number % 2 else 4):
                leg, last = len(run.finished), ""
                for action in random_actions(run, rng):
                    last = action
                    if action in (PICK, PLACE):
                        x, _, z, heading = view.pose()
                        away = math.dist((x, z), expected_pose(run)[:2])
                        turn = (heading - expected_pose(run)[2] + 180) % 360 - 180
                        worst = max(worst, away)
                        assert away < MILLIMETRE
                        assert abs(turn) < 1e-6
                    view.play([action])
                    run.step(action)
                assert last in (PICK, PLACE)
                assert len(run.finished) == leg + 1
                if not run.done:
                    carried = run.game.task_state.carried  # type: ignore[union-attr]
                    said = f"You carry: {carried.lower()}" if carried else ""
                    expect(view.page.locator("#carried")).to_have_text(said)
                    assert (carried is not None) == (last == PICK)
        stored = following.replay(person.context, person.unit(lease), person.events(lease))
        assert stored.legs == run.legs
    print(f"{TASKS} random tasks by keys: at most {1000 * worst:.4f} mm from Python's pose")


@pytest.mark.slow
def test_no_answer_of_the_server_tells_what_a_follower_is_to_find(site: Site, browser: Any) -> None:
    person, lease = new_follower(site)
    episode = person.episode(lease)
    legs = reference_actions(episode)
    with open_window(browser, site, person) as view:
        view.open(lease.attempt_id)
        for k, actions in enumerate(legs):
            view.play(["forward", "left", "right"])
            view.play([] if k % 2 else [PICK][: not _in_reach(person, lease)])
            until(view.page, partial(_has_received, view, [leg.text for leg in episode.legs[: k + 1]]))
            text = "\n".join(view.received)
            assert not any(leg.text in text for leg in episode.legs[k + 1 :])
            goal = episode.legs[k].goal
            for name in ("target", "line", "outline", "goal", "reference", "PTC", "nDTW", "CTC"):
                assert f'"{name}"' not in text
            path = getattr(goal, "path", ())
            seen = {tuple(value) for value in _positions(text)}
            walked = {tuple(round(v, 3) for v in position) for position in path} if k % 2 == 0 else set()
            assert len(seen & walked) <= 3, "only where the follower was"
            _follow(person, lease, view, k, actions)
        view.page.reload()
        view.page.locator("#submit").click()
        view.page.locator("#done .code").wait_for()
        until(view.page, lambda: "PTC" in "\n".join(view.received))


def _has_received(view: Window, texts: Sequence[str]) -> bool:
    received = "\n".join(view.received)
    return all(text in received for text in texts)


def _in_reach(person: Person, lease: slots.Lease) -> bool:
    game = following.replay(person.context, person.unit(lease), person.events(lease)).game
    return isinstance(game, CollectGame) and game.reached() is not None


def _positions(text: str) -> Iterator[list[float]]:
    decoder = json.JSONDecoder()
    key = '"position":'
    at = text.find(key)
    while at >= 0:
        yield decoder.raw_decode(text[at + len(key) :].lstrip())[0]
        at = text.find(key, at + 1)


def _follow(person: Person, lease: slots.Lease, view: Window, leg: int, actions: Sequence[str]) -> None:
    """End a leg: by A* to its item from where the person is, or by placing ahead."""
    run = following.replay(person.context, person.unit(lease), person.events(lease))
    game = run.game
    if isinstance(game, CollectGame):
        item = game.task_state.city_items[0]
        found = shortest_actions(game.ground, game.position[:2], game.heading, item.at[:2])
        assert found is not None
        person.move(lease, *found)
    else:
        assert isinstance(game, AssembleGame)
        while not game.can_place():
            person.move(lease, "right")
            game.step("right")
        person.move(lease, PLACE)
    assert actions
    view.open(lease.attempt_id) if leg < 3 else None


@pytest.mark.slow
def test_following_on_a_phone_by_touch_in_the_dark(site: Site, browser: Any) -> None:
    person, lease = new_follower(site, 1)
    with open_window(browser, site, person, PHONE, has_touch=True, color_scheme="dark") as view:
        view.open(lease.attempt_id)
        view.check_layout()
        heading = view.pose()[3]
        view.page.get_by_role("button", name="Turn right").tap()
        view.shown()
        assert (view.pose()[3] - heading) % 360 == pytest.approx(30)
        view.page.reload()
        view.shown("city")
        assert (view.pose()[3] - heading) % 360 == pytest.approx(30)


@pytest.mark.slow
def test_in_the_room_the_diagram_shows_where_a_thing_would_be_put(site: Site, browser: Any) -> None:
    person, lease = new_follower(site, 2)
    legs = reference_actions(person.episode(lease))
    person.move(lease, *legs[0])
    with open_window(browser, site, person, DESK) as view:
        view.open(lease.attempt_id)
        ahead = view.page.locator(".diagram .ahead")
        for action in [*legs[1][:-1], "left", "forward", "right"]:
            view.play([action])
            pose = person.view(lease)["pose"]
            assert (ahead.get_attribute("display") == "inline") == (pose["ahead"] is not None)
            if pose["ahead"]:
                column = round((float(ahead.get_attribute("x")) - 25) / 40)
                row = 3 - round((float(ahead.get_attribute("y")) - 25) / 40)
                assert [column, row] == [pose["ahead"][0], pose["ahead"][2]]
        view.check_layout()


def test_without_three_js_the_page_says_what_to_type(site: Site, browser: Any) -> None:
    person, lease = new_follower(site, 3)
    with open_window(browser, site, person) as view:
        view.page.route("**/static/three/*", lambda route: route.fulfill(status=404))
        view.page.goto(f"{site.address}/work/{lease.attempt_id}")
        expect(view.page.locator("#message")).to_contain_text("make frontend")
        view.faults.clear()  # the browser reports the missing file

"""Scripted people of a whole study: writers, and followers who read texts by rules, careful or careless.

They act by `Hands`: those of a browser, or of the queue as the server uses it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from bearleft.agents.follower import Follower
from bearleft.records import Direction, Episode, Leg, Point, Pose
from bearleft.web.queue.slots import Lease
from bearleft.web.tasks.arramon import kinds
from bearleft.world.arramon.moves import FORWARD, PICK, PLACE, RIGHT, TURN_DEGREES, TURNS_PER_CIRCLE
from bearleft.world.arramon.walkable import WalkableGrid, step_forward
from bearleft.world.arramon.walkable_grids import load_walkable_grid
from tests.web.arramon.people import ANSWERS, Person, placement_actions

Manner = Literal["careful", "astray", "misplacing"]
FAR = 12  # metres that a follower strays from the way
# Of the episode that a follower is given: the pose and the texts are what is shown.
START, LEGS = Pose(Direction(0.0), position=(0.0, 0.0, 0.0)), (Leg("", Point(Direction(0.0))),)


class Hands(Protocol):
    """What a person can do in a project."""

    def next(self) -> str | None:
        """Get the next unit, and return its kind; None if there is none."""

    def see(self, leg: int) -> dict[str, Any]:
        """Return what is shown at the beginning of a leg: the scene, the pose and, to followers, the text."""

    def act(self, actions: Sequence[str]) -> None:
        """Take actions of the environments."""

    def answer_quiz(self, kind: str) -> None:
        """Answer a quiz, and submit it."""

    def write(self, text: str) -> list[str]:
        """Go on with a text; return the rules by which it is blocked."""

    def submit(self) -> None:
        """Submit the unit."""

    def leave(self) -> None:
        """Go away."""

    def rejections(self) -> str:
        """Return what the project's page tells of texts that are not accepted."""


class QueueHands:
    """Hands of a person without a browser."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.lease: Lease | None = None

    @property
    def held(self) -> Lease:
        assert self.lease is not None
        return self.lease

    def next(self) -> str | None:
        self.lease = self.person.claim()
        return self.lease.kind if self.lease else None

    def see(self, leg: int) -> dict[str, Any]:
        view = self.person.view(self.held)
        assert view.get("leg", 0) == leg
        return view

    def act(self, actions: Sequence[str]) -> None:
        self.person.move(self.held, *actions)

    def answer_quiz(self, kind: str) -> None:
        self.person.submit(self.held, answers=ANSWERS[kind])

    def write(self, text: str) -> list[str]:
        return [problem["rule"] for problem in self.person.act(self.held, "next", text=text)["problems"]]

    def submit(self) -> None:
        self.person.submit(self.held)

    def leave(self) -> None:
        self.lease = None

    def rejections(self) -> str:
        return "\n".join(self.person.rejections())


class PageHands:
    """Hands of a person with a browser, a `windows.Window`."""

    def __init__(self, window: Any) -> None:
        self.window, self.page = window, window.page
        self.page.goto(window.site.address)
        with self.page.expect_navigation():
            self.page.get_by_role("link", name="study").click()

    def next(self) -> str | None:
        self.page.goto(f"{self.window.site.address}/next/study")
        if not self.page.locator("#unit").count():
            return None
        kind: str = self.window.unit()["kind"]
        if kind not in ANSWERS:
            self.window.shown()
        return kind

    def see(self, leg: int) -> dict[str, Any]:
        from tests.browser.waiting import expect, until

        until(self.page, lambda: self._seen().get("leg", 0) == leg)
        seen = self._seen()
        self.window.shown(seen["scene"]["place"])
        if "text" in seen and seen.get("stage") != "writing":
            expect(self.page.locator("#text-to-follow")).to_have_text(seen["text"])
        return seen

    def _seen(self) -> dict[str, Any]:
        """Return what the server has sent last of a scene: with an answer to an action, or with the page."""
        for text in reversed(self.window.received):
            if not text.startswith("{"):
                break
            result: dict[str, Any] = json.loads(text).get("result", {})
            if "scene" in result:
                return result
        view: dict[str, Any] = self.window.unit()["view"]
        return view

    def act(self, actions: Sequence[str]) -> None:
        self.window.play(actions)

    def answer_quiz(self, kind: str) -> None:
        self.window.pass_quiz(kind)

    def write(self, text: str) -> list[str]:
        from tests.browser.waiting import expect

        self.page.locator("#text").fill(text)
        with self.page.expect_response(_is_answer_to_next) as sent:
            self.page.locator("#next").click()
        result = sent.value.json()["result"]
        rules = [problem["rule"] for problem in result["problems"]]
        assert result["accepted"] == (not rules)
        expect(self.page.locator("#findings li")).to_have_count(len(rules))
        expect(self.page.locator("#text")).to_have_value(text if rules else "")
        return rules

    def submit(self) -> None:
        self.page.locator("#submit").click()
        self.page.locator("#done .code").wait_for()

    def leave(self) -> None:
        self.page.close()

    def rejections(self) -> str:
        self.page.goto(f"{self.window.site.address}/projects/study")
        text: str = self.page.locator("main").inner_text()
        return text


def _is_answer_to_next(response: Any) -> bool:
    return bool(response.url.endswith("/events") and response.request.post_data_json["kind"] == "next")


@dataclass
class Scripted:
    """Somebody with hands; `done` are the kinds of all units that were submitted, `blocked` the rules that blocked."""

    hands: Hands
    done: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)

    def begin(self, wanted: str) -> None:
        """Pass the quizzes and the test that come next, and get a unit of a kind."""
        while (kind := self.hands.next()) in (*ANSWERS, kinds.PLACEMENT_TEST):
            if kind == kinds.PLACEMENT_TEST:
                self.hands.act(placement_actions())
                self.hands.submit()
            else:
                self.hands.answer_quiz(kind)
            self.done.append(kind)
        assert kind == wanted, (kind, wanted)

    def write(self, lines: Sequence[Sequence[str]], texts: Sequence[Sequence[str]]) -> None:
        """Write the next map: for each leg its line is walked, and texts are tried until one is accepted."""
        self.begin(kinds.WRITING)
        for leg, (line, tried) in enumerate(zip(lines, texts, strict=True)):
            self.hands.see(leg)
            self.hands.act(line)
            for number, text in enumerate(tried, 1):
                rules = self.hands.write(text)
                assert bool(rules) == (number < len(tried)), (text, rules)
                self.blocked += rules[:1]
        self._submit(kinds.WRITING)

    def follow(self, manner: Manner = "careful") -> None:
        """Follow the next texts as the rule-based follower reads them: "astray" goes a long way round."""
        self.begin(kinds.FOLLOWING)
        world = self.hands.see(0)["scene"]["world"]
        for leg in range(kinds.LEGS):
            seen = self.hands.see(leg)
            actions = _read(seen, world)
            if manner == "misplacing" and leg == 1:
                actions = [PLACE] if actions != [PLACE] else [FORWARD, PLACE]
            if manner == "astray" and actions[-1] == PICK:
                actions = _way_round(load_walkable_grid(world), seen["pose"]) + actions
            self.hands.act(actions)
        self._submit(kinds.FOLLOWING)

    def _submit(self, kind: str) -> None:
        self.hands.submit()
        self.done.append(kind)


def _read(seen: dict[str, Any], world: str) -> list[str]:
    """Return the actions of a leg as the rule-based follower reads the text; it gets what is shown, and no more."""
    scene, pose = seen["scene"], seen["pose"]
    observation = {"leg": 0, "text": seen["text"], "heading": pose["heading"]}
    if scene["place"] == kinds.ROOM:
        room_items = [(item["item"], item["cell"]) for item in scene["items"]]
        observation |= {"kind": "assemble", "room_items": room_items, "carried": scene["carried"]}
    else:
        city_items = [(item["item"], item["at"], item["facing"]) for item in scene["items"]]
        observation |= {"kind": "collect", "position": pose["position"], "city_items": city_items}
    follower = Follower()
    follower.begin(Episode("shown", "study", world, START, LEGS), np.random.default_rng(0))
    actions: list[str] = []
    while actions[-1:] not in ([PICK], [PLACE]):
        actions.append(str(follower.act(observation)))
    return actions


def _way_round(ground: WalkableGrid, pose: dict[str, Any]) -> list[str]:
    """Return actions that lead as far as possible straight away, and back to the same pose."""
    most, turns = max((_free_steps(ground, pose, turns), -turns) for turns in range(TURNS_PER_CIRCLE))
    half, steps = [RIGHT] * (TURNS_PER_CIRCLE // 2), [FORWARD] * most
    last = (TURNS_PER_CIRCLE // 2 + turns) % TURNS_PER_CIRCLE
    return [*[RIGHT] * -turns, *steps, *half, *steps, *[RIGHT] * last]


def _free_steps(ground: WalkableGrid, pose: dict[str, Any], turns: int) -> int:
    """Return how many steps, at most FAR, are free after some turns to the right."""
    east, north = pose["position"][:2]
    for steps in range(FAR):
        to_east, to_north, moved = step_forward(ground, east, north, pose["heading"] + turns * TURN_DEGREES)
        if not bool(moved):
            return steps
        east, north = float(to_east), float(to_north)
    return FAR

"""Texts of writers: every rule has its own message and blocks; hostile content is stored as text or refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from bearleft.language.analysis.quality import Phase, begins_with_turn, problem_rules
from bearleft.records import Collect, Episode
from bearleft.web.app import create_app
from bearleft.web.projects import create_project
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings
from bearleft.web.tasks.arramon.kinds import FOLLOWING_QUIZ, PHASES, WRITING, WRITING_QUIZ
from bearleft.web.tasks.arramon.writing import WritingTask
from bearleft.web.tasks.base import EventData, TaskContext, UnitData
from tests.language.analysis.test_quality import BAD_TEXTS
from tests.web.arramon.conftest import DATASET
from tests.web.arramon.people import ANSWERS, GOOD_TEXTS, reference_actions
from tests.web.server import person, serving

HOSTILE: list[Any] = [
    "x" * 100_000,
    "🐻" * 400,
    "<img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}",
    "\x00",
    "\ud800",
    {"a": [1]},
    None,
]
HOSTILE += [[], 2**70, -1, True]
SMALL = "city/arramon/small"
NO_TURN = "Walk past the cone to the bench. Pick up the dotted red mug."


def walked(
    worlds: SceneWorlds, phase: Phase, turn_first: bool = False
) -> tuple[TaskContext, UnitData, list[EventData]]:
    """Return a map's attempt in which the item of a phase is picked up, or placed."""
    dataset = SMALL if turn_first else DATASET
    maps = [one for one in worlds.episodes(dataset).values() if not turn_first or _turns_first(one)]
    payload = {"world": maps[0].world, "dataset": dataset, "episode": maps[0].id}
    context, unit = TaskContext(worlds, {}, 1), UnitData(1, WRITING, payload)
    events: list[EventData] = []
    for k in range(PHASES.index(phase) + 1):
        if k:
            events.append(EventData("next", {"text": GOOD_TEXTS[0]}, {"accepted": True, "problems": []}))
        events += [EventData("act", {"action": action}, {}) for action in reference_actions(maps[0])[k]]
    return context, unit, events


def _turns_first(episode: Episode) -> bool:
    goal = episode.legs[0].goal
    return isinstance(goal, Collect) and begins_with_turn(goal.actions)


def test_every_rule_has_its_own_message_and_blocks(worlds: SceneWorlds) -> None:
    task, messages = WritingTask(), {}
    attempts = {phase: walked(worlds, phase) for phase in ("navigation", "assembly")}
    for phase, rule, text in [*BAD_TEXTS, ("navigation", "turn", NO_TURN)]:
        context, unit, events = walked(worlds, "navigation", turn_first=True) if rule == "turn" else attempts[phase]
        for kind in ("draft", "next"):
            result = task.act(context, unit, events, kind, {"text": text})
            assert not result["accepted"], (rule, text)
            found = {problem["rule"]: problem["message"] for problem in result["problems"]}
            assert rule in found, (rule, text)
            messages[phase, rule] = found[rule]
        assert task.act(context, unit, events, "next", {"text": GOOD_TEXTS[phase == "assembly"]})["accepted"]
    assert {rule for _, rule in messages} == {rule for phase in attempts for rule in problem_rules(phase)}  # type: ignore[arg-type]
    advice = {rule: re.sub('"[^"]*"', "", message) for (_, rule), message in messages.items()}  # without the found word
    assert len(set(advice.values())) == len(advice)


@pytest.mark.slow
def test_hostile_content_is_stored_as_text_or_refused(short_maps: Path, tmp_path: Path) -> None:
    app = create_app(Settings(database=str(tmp_path / "web.sqlite"), data=short_maps, cache=tmp_path / "models"))
    create_project(app.state.database, app.state.worlds, "study", "arramon", {"dataset": DATASET, "limit": 1})
    with serving(app) as address, person(address) as client:
        worker = _Worker(client)
        worker.open_next()
        assert worker.unit["kind"] == WRITING_QUIZ
        assert FOLLOWING_QUIZ not in worker.page
        for bad in HOSTILE:
            assert worker.act("check", {"answers": bad}).status_code == 422
            assert worker.act(bad, {}).status_code == 422
            assert worker.post("submit", key="k", data={"answers": [bad] * 5}).status_code == 422
        assert worker.post("submit", key="k", data={"answers": ANSWERS[WRITING_QUIZ]}).status_code == 200
        worker.open_next()
        for bad in HOSTILE:
            assert worker.act("act", {"action": bad}).status_code == 422
            assert worker.act("next", {"text": bad}).status_code in (200, 422)  # a text with problems is a draft
            assert worker.act("flags", {"flags": bad}).status_code == 422
            assert worker.post("submit", key="s", data={"texts": bad}).status_code == 422
            worker.open_next()
        for text in ("<script>alert(1)</script>", "{{ 7 * 7 }}"):
            assert worker.act("draft", {"text": text}).status_code == 200
            worker.open_next()
            assert worker.unit["view"]["text"] == text
        for path in (
            "/api/models/items/nothing.glb",
            "/api/models/items/%00.glb",
            "/api/worlds/sections/0/sections/8.glb",
        ):
            assert client.get(path).status_code == 404, path
        assert client.get("/api/worlds/sections/1/sections/1.glb").status_code == 404  # no project is in it
        with httpx.Client(base_url=address) as stranger:
            assert stranger.get("/api/models/room.glb").status_code == 401


class _Worker:
    """A worker who sends requests."""

    def __init__(self, client: httpx.Client) -> None:
        self.client, self.page = client, ""
        self.unit: dict[str, Any] = {}

    def open_next(self) -> None:
        self.page = self.client.get("/next/study").text
        found = re.search(r'id="unit">(.*?)</script>', self.page, re.DOTALL)
        assert found, self.page
        self.unit = json.loads(found[1])

    def post(self, path: str, **content: Any) -> httpx.Response:
        body = json.dumps({"token": self.unit["token"], **content})
        headers = {"Content-Type": "application/json"}
        return self.client.post(f"/api/attempts/{self.unit['attempt']}/{path}", content=body, headers=headers)

    def act(self, kind: Any, data: Any) -> httpx.Response:
        answer = self.post("events", number=self.unit["events"], kind=kind, data=data)
        self.unit["events"] += answer.status_code == 200
        return answer

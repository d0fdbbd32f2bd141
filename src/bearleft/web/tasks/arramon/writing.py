"""ArraMon's stage 1: walk along the guide line, put things in their places, and write how others do the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from bearleft.errors import InputError
from bearleft.language.analysis.screening import GUIDELINES
from bearleft.records import Assemble, Collect
from bearleft.runtime.json_fields import Fields
from bearleft.web.tasks.arramon.following import FOLLOWERS
from bearleft.web.tasks.arramon.guided_walk import GuidedWalk, GuideLine
from bearleft.web.tasks.arramon.kinds import FOLLOWING, LEGS, WRITING, city_scene, room_scene
from bearleft.web.tasks.arramon.rules import (
    MAX_CHARACTERS,
    clean,
    parse_text,
    phase_of,
    review_notes,
    text_problems,
)
from bearleft.web.tasks.base import (
    Data,
    EventData,
    NewUnit,
    Outcome,
    Task,
    TaskContext,
    UnitData,
    register,
    unknown_action,
)
from bearleft.world.arramon.task_setup import TaskSetup

ACTIONS = ("act", "draft", "next")


@register
class WritingTask(Task):
    """Write the four texts of a map while walking it.

    Payload: world, dataset and episode of the map.
    Actions: "act" with an action of the environments; "draft" with the text so far; "next" with the text of the leg,
        which begins the next leg if it breaks no rule.
    Answer: the texts, the notes for a reviewer, and where the writer placed the items.
    """

    kind = WRITING
    title = "Write"
    template: ClassVar[str] = "arramon/writing.html"
    summary = "Walk along a blue line to two things, put each in its place, and write the way for somebody else."
    minutes = 8
    one_answer = True

    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return the leg with its line or outline, the pose, and the text so far."""
        walk = replay(context, unit, events)
        draft, problems = _draft(events)
        return {
            "stage": "writing",
            **_state(walk),
            **_scene(walk),
            "text": draft,
            "problems": problems,
            "limit": MAX_CHARACTERS,
            "guidelines": [one.to_json() for one in GUIDELINES],
        }

    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Walk, keep a draft with what blocks it, or go on to the next leg."""
        walk = replay(context, unit, events)
        if kind == "act":
            ended = walk.ended
            note = walk.act(Fields(dict(data)).nonempty_text("action"))
            return {**_state(walk), "note": note, **(_scene(walk) if walk.ended and not ended else {})}
        if walk.done:
            raise InputError("no text after the end of the task", "one more")
        if kind not in ACTIONS:
            raise unknown_action(kind, ACTIONS)
        text = parse_text(data.get("text"))
        problems = text_problems(text, walk.leg, walk.episode.legs[walk.leg])
        if kind == "draft" or problems:
            return {"problems": problems, "accepted": False}
        walk.finish(clean(text))
        return {"problems": [], "accepted": True, **_state(walk), **_scene(walk)}

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Store the texts; three others follow them, and doubtful ones are listed for review."""
        walk = replay(context, unit, events)
        if not walk.done:
            raise InputError(f"texts for all {LEGS} parts", f"{len(walk.texts)}", hint="Go on to the next part.")
        notes = review_notes(walk.texts)
        answer = {"texts": walk.texts, "review": notes, "placed": [list(cell) for cell in walk.placed]}
        payload = {name: unit.payload[name] for name in ("world", "dataset", "episode")} | {"texts": walk.texts}
        following = NewUnit(FOLLOWING, payload, FOLLOWERS, writer_id=context.worker_id)
        message = "Thank you! Three people will now try your texts."
        return Outcome(answer, {"message": message}, True, (following,))


def replay(context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> GuidedWalk:
    """Return the attempt after the actions so far."""
    walk = GuidedWalk(context.worlds.episode(unit.payload["dataset"], unit.payload["episode"]))
    for event in events:
        if event.kind == "act":
            walk.act(event.data["action"])
        elif event.kind == "next" and event.result["accepted"]:
            walk.finish(clean(parse_text(event.data["text"])))
    return walk


def _draft(events: Sequence[EventData]) -> tuple[str, list[dict[str, str]]]:
    """Return the text of the current leg as it was saved last, and what blocks it."""
    for event in reversed(events):
        if event.kind == "next" and event.result["accepted"]:
            break
        if event.kind in ("draft", "next"):
            return event.data["text"], event.result["problems"]
    return "", []


def _state(walk: GuidedWalk) -> dict[str, Any]:
    """Return what the browser knows of the current leg."""
    if walk.done:
        return {"done": True, "leg": walk.leg}
    return {"done": False, "leg": walk.leg, "phase": phase_of(walk.leg), "ended": walk.ended, "pose": walk.pose()}


def _scene(walk: GuidedWalk) -> dict[str, Any]:
    """Return what stands around, the line or the outline, and a preview of the next leg."""
    if walk.done:
        return {}
    goal = walk.goal
    if isinstance(goal, Collect):
        scene = _city(walk) | {
            "line": [[round(value, 3) for value in position[:2]] for position in goal.path],
            "target": None if walk.ended else {"item": goal.item, "at": [round(value, 3) for value in goal.at]},
        }
        return {"scene": scene, "preview": {"scene": _room(walk, walk.leg + 1, goal.item)}}
    scene = _room(walk, walk.leg, None if walk.ended else walk.room.carried)
    preview = None
    if walk.leg + 1 < LEGS:
        following = walk.episode.legs[walk.leg + 1].goal
        assert isinstance(following, Collect)
        line = GuideLine(following, walk.start_heading(walk.leg + 1), walk.ground)
        preview = {"scene": _city(walk), "pose": line.pose()}
    return {"scene": scene, "preview": preview}


def _city(walk: GuidedWalk) -> dict[str, Any]:
    section = TaskSetup.from_episode(walk.episode).section
    return city_scene(walk.episode.world, section, walk.task_state.city_items)


def _room(walk: GuidedWalk, leg: int, carried: str | None) -> dict[str, Any]:
    goal = walk.episode.legs[leg].goal
    assert isinstance(goal, Assemble)
    outline = {"item": carried, "cell": list(goal.cell)} if carried else None
    return room_scene(walk.task_state.room_items, carried) | {"outline": outline}

"""ArraMon's stage 2: collect and assemble as somebody else's texts say, without a line, an arrow or an outline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from bearleft.data import open_dataset
from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import CollectGame
from bearleft.envs.legs import EnvOptions
from bearleft.errors import InputError, format_value, unknown_name
from bearleft.evaluation.play import EpisodeRun
from bearleft.metrics.trace_columns import ColumnBuilder, EpisodeIndex
from bearleft.metrics.trace_values import compute_values
from bearleft.records import REFUSED, Episode, LegTrace, Trace
from bearleft.runtime.json_fields import Fields, items
from bearleft.version import VERSION
from bearleft.web.tasks.arramon.kinds import (
    FOLLOWING,
    collect_pose,
    room_pose,
    room_scene,
)
from bearleft.web.tasks.arramon.kinds import city_scene as scene_of_city
from bearleft.web.tasks.arramon.placement import CANNOT_PLACE
from bearleft.web.tasks.base import Data, EventData, Outcome, Task, TaskContext, UnitData, register, unknown_action
from bearleft.world.arramon.task_setup import TaskSetup

PERSON = "person"  # the agent's name in traces of people
SEED = 0
FOLLOWERS = 3  # of each set of texts
MIN_NDTW = 0.2  # a follower's walks must be above it in both turns
TURNS = (1, 2)
HORIZON = 1_500  # actions of a leg: people look around more than the environments' defaults allow
OPTIONS = EnvOptions(collect_horizon=HORIZON, assemble_horizon=HORIZON, retry_pick=True)
FLAGS = {
    "unclear": "It is not clear what is meant.",
    "wrong": "What it says is not there, or not so.",
    "several": "It fits several things or places.",
    "language": "Spelling or grammar make it hard to read.",
    "interface": "It speaks of lines, arrows, keys or counts of moves.",
}
NOTHING_IN_REACH = "Nothing is within reach: go closer, and face it."


@register
class FollowingTask(Task):
    """Follow a set of four texts.

    Payload: world, dataset and episode of the map, and the four texts.
    Actions: "act" with an action of the environments; "flags" with the names of what is wrong with the texts.
    Answer: the trace, the metrics of both turns, whether the set was followed well, and the flags.
    """

    kind = FOLLOWING
    title = "Follow"
    template: ClassVar[str] = "arramon/following.html"
    summary = "Collect two things in the city, and put each in its place in a room, as somebody's texts say."
    minutes = 5

    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return the state of the current leg, and what stands around."""
        run = replay(context, unit, events)
        return {"stage": "following", "flags": FLAGS, "flagged": last_flags(events), **_state(run), **_scene(run)}

    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Take one action of the environments, and return the state after it; or keep the flags."""
        if kind == "flags":
            return {"flags": _parse_flags(data)}
        run = replay(context, unit, events)
        leg = len(run.finished)
        take_action(run, kind, data)
        if len(run.finished) > leg:
            return {**_state(run), **_scene(run)}
        return {**_state(run), "note": _note(run)}

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Judge the walks and placings of all four legs."""
        run = replay(context, unit, events)
        if not run.done:
            raise InputError("all four texts followed to their end", f"{len(run.finished)} of {len(run.episode.legs)}")
        turns = score_turns(run.episode, run.legs)
        accepted = is_followed(turns)
        sha256 = open_dataset(unit.payload["dataset"], context.worlds.data).sha256
        trace = Trace(run.episode.id, unit.payload["dataset"], PERSON, run.legs, SEED, sha256, VERSION, HORIZON)
        answer = {"trace": trace.to_json(), "turns": turns, "followed": accepted, "flags": last_flags(events)}
        feedback = {"turns": [{name: turn[name] for name in ("nDTW", "CTC-0", "PTC")} for turn in turns]}
        return Outcome(answer, feedback, accepted)


def collected_episode(context: TaskContext, unit: UnitData) -> Episode:
    """Return the map of a unit with the collected texts."""
    return with_texts(context.worlds.episode(unit.payload["dataset"], unit.payload["episode"]), unit.payload["texts"])


def with_texts(episode: Episode, texts: Sequence[str]) -> Episode:
    """Return an episode with other texts."""
    legs = tuple(replace(leg, text=text) for leg, text in zip(episode.legs, texts, strict=True))
    return replace(episode, legs=legs)


def replay(context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> EpisodeRun:
    """Return the episode after the actions so far; the same actions in Python give the same trace."""
    run = EpisodeRun(collected_episode(context, unit), SEED, context.worlds.data, OPTIONS)
    run.start()
    for event in events:
        if event.kind == "act":
            take_action(run, event.kind, event.data)
    return run


def take_action(run: EpisodeRun, kind: str, data: Data) -> None:
    """Take an action that a browser sent.

    Raises:
        InputError: The action is unknown or of another leg, or the episode has ended.
    """
    if kind != "act":
        raise unknown_action(kind, ("act", "flags"))
    if run.done:
        raise InputError("no action after the end of the task", "one more")
    run.step(Fields(dict(data)).nonempty_text("action"))


def score_turns(episode: Episode, legs: Sequence[LegTrace]) -> list[dict[str, float]]:
    """Return nDTW, CTC-0, rPOD and PTC of both turns, by the scorer of `bearleft score`."""
    builder = ColumnBuilder(EpisodeIndex.build("tasks", "", [episode], {}))
    builder.add(Trace(episode.id, "tasks", PERSON, tuple(legs), SEED).to_json())
    values = compute_values(builder.build(), [episode], {})
    names = ("nDTW", "CTC-0", "rPOD", "PTC")
    return [{name: float(values.of_turn(turn).by_metric[name].numbers.mean()) for name in names} for turn in TURNS]


def is_followed(turns: Sequence[dict[str, float]]) -> bool:
    """Return whether a follower shows that a set of texts is good: nDTW above 0.2 and PTC 1 in both turns."""
    return all(turn["nDTW"] > MIN_NDTW and turn["PTC"] == 1.0 for turn in turns)


def last_flags(events: Sequence[EventData]) -> list[str]:
    """Return the flags that were set last."""
    flags = [event.result["flags"] for event in events if event.kind == "flags"]
    return list(flags[-1]) if flags else []


def _parse_flags(data: Data) -> list[str]:
    given = items(data.get("flags"), "flags")
    for name in given:
        if not isinstance(name, str):
            raise InputError("names of flags", format_value(name), "flags")
        if name not in FLAGS:
            raise unknown_name("flag", name[:40], FLAGS)
    return [name for name in FLAGS if name in given]


def _state(run: EpisodeRun) -> dict[str, Any]:
    """Return what the browser knows of the current leg."""
    state: dict[str, Any] = {"done": run.done, "leg": len(run.finished)}
    if not run.done:
        game = run.game
        assert isinstance(game, CollectGame | AssembleGame)
        state["pose"] = collect_pose(game) if isinstance(game, CollectGame) else room_pose(game)
    return state


def _scene(run: EpisodeRun) -> dict[str, Any]:
    """Return what stands around, and the text of the current leg."""
    if run.done:
        return {}
    game = run.game
    assert isinstance(game, CollectGame | AssembleGame)
    task_state = game.task_state
    if isinstance(game, CollectGame):
        section = TaskSetup.from_episode(run.episode).section
        scene = scene_of_city(run.episode.world, section, task_state.city_items)
    else:
        scene = room_scene(task_state.room_items, task_state.carried)
    return {"scene": scene, "text": game.leg.text}


def _note(run: EpisodeRun) -> str:
    """Return why the last action changed nothing."""
    game = run.game
    assert isinstance(game, CollectGame | AssembleGame)
    if run.done or game.actions[-1:] != [REFUSED]:
        return ""
    return NOTHING_IN_REACH if isinstance(game, CollectGame) else CANNOT_PLACE

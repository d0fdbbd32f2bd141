"""Playing episodes of a dataset: walk, point, both, or look; by the rules that agents play by.

The game is the one that `bearleft eval` runs (`evaluation/play.py`), so a person's trace equals that of an agent that
takes the same actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from bearleft.data import open_dataset
from bearleft.envs.legs import EnvOptions
from bearleft.envs.look import LookGame
from bearleft.envs.point import PointGame
from bearleft.envs.reach import ReachGame
from bearleft.errors import InputError, format_value
from bearleft.evaluation.play import EpisodeRun
from bearleft.metrics.milestones import NEXT
from bearleft.records import Direction, Episode, Point, Reach, Trace
from bearleft.runtime.json_fields import Fields
from bearleft.version import VERSION
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

PERSON = "person"  # the agent's name in traces of people
HORIZON = 400  # actions of a walk: people look around more than the tests of the papers allow
SEED = 0


def play_units(dataset: str, kind: str, episodes: Sequence[Episode]) -> list[NewUnit]:
    """Return a unit for each episode of a dataset."""
    return [NewUnit(kind, {"dataset": dataset, "episode": episode.id}) for episode in episodes]


def parse_direction(data: Data) -> Direction:
    """Return the direction of an action: its fields "heading" and "pitch"."""
    fields = Fields(dict(data), "")
    return Direction(fields.number("heading"), fields.number("pitch", -90, 90))


class PlayTask(Task):
    """Play an episode by the rules that agents play by."""

    template: ClassVar[str] = "play/game.html"

    def view(self, context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> dict[str, Any]:
        """Return the state of the current leg."""
        episode = _episode(context, unit)
        run = start_run(context, episode)
        for event in events:
            take_action(run, event.kind, event.data)
        return {"dataset": unit.payload["dataset"], "world": episode.world, **_state(context, run)}

    def act(
        self, context: TaskContext, unit: UnitData, events: Sequence[EventData], kind: str, data: Data
    ) -> dict[str, Any]:
        """Take one action of the game and return the state after it."""
        run = replay(context, unit, events)
        if run.done:
            raise InputError("no action after the end of the episode", "one more")
        take_action(run, kind, data)
        return _state(context, run)

    def submit(self, context: TaskContext, unit: UnitData, events: Sequence[EventData], data: Data) -> Outcome:
        """Store the trace of a finished episode."""
        run = replay(context, unit, events)
        if not run.done:
            raise InputError("an episode that has been played to its end", "one that goes on")
        return Outcome({"trace": make_trace(context, unit.payload["dataset"], run).to_json()})


def _episode(context: TaskContext, unit: UnitData) -> Episode:
    return context.worlds.episode(unit.payload["dataset"], unit.payload["episode"])


def start_run(context: TaskContext, episode: Episode) -> EpisodeRun:
    """Return an episode at its beginning."""
    run = EpisodeRun(episode, SEED, context.worlds.data, EnvOptions(horizon=HORIZON, look_horizon=HORIZON))
    run.start()
    return run


def replay(context: TaskContext, unit: UnitData, events: Sequence[EventData]) -> EpisodeRun:
    """Return the episode after the actions so far."""
    run = start_run(context, _episode(context, unit))
    for event in events:
        take_action(run, event.kind, event.data)
    return run


def take_action(run: EpisodeRun, kind: str, data: Data) -> None:
    """Take an action that the browser sent.

    Args:
        run: The episode.
        kind: "walk" with an action of ReachGame, "point" with a direction, or "next" with the view at a sentence's end.
        data: The fields of the action.

    Raises:
        InputError: The action is unknown, does not belong to the leg, or is not possible.
    """
    game = run.game
    if kind == "walk" and isinstance(game, ReachGame):
        run.step(Fields(dict(data), "").nonempty_text("action"))
    elif kind == "point" and isinstance(game, PointGame):
        run.step(parse_direction(data))
    elif kind == "next" and isinstance(game, LookGame):
        run.step(parse_direction(data))
        if not game.done:
            run.step(NEXT)
    else:
        expected = {ReachGame: "walk", PointGame: "point", LookGame: "next"}[type(game)]
        raise unknown_action(kind, [expected])


def _state(context: TaskContext, run: EpisodeRun) -> dict[str, Any]:
    """Return what the browser knows of the current leg."""
    state: dict[str, Any] = {"done": run.done, "legs": len(run.episode.legs), "leg": len(run.finished)}
    if run.done:
        return state
    observation = run.observe()
    state |= {"kind": observation["kind"], "text": observation["text"]}
    if observation["kind"] == "reach":
        walk = context.worlds.walk(run.episode.world, observation["place"], observation["heading"])
        return state | {"walk": walk, "step": observation["step"], "horizon": observation["horizon"]}
    if "sentence" in observation:
        state["earlier"] = list(run.episode.legs[len(run.finished)].sentences[: observation["sentence"]])
    names = ("place", "heading", "pitch", "sentence", "sentences")
    return state | {name: observation[name] for name in names if name in observation}


def make_trace(context: TaskContext, dataset: str, run: EpisodeRun) -> Trace:
    """Return the trace of an episode that a person has played."""
    sha256 = open_dataset(dataset, context.worlds.data).sha256
    walks = any(isinstance(leg.goal, Reach) for leg in run.episode.legs)
    return Trace(run.episode.id, dataset, PERSON, run.legs, SEED, sha256, VERSION, HORIZON if walks else None)


def play_kind(episodes: Sequence[Episode]) -> str:
    """Return the kind of units that episodes of a dataset are played as."""
    goals = {tuple(type(leg.goal) for leg in episode.legs) for episode in episodes}
    if goals == {(Reach,)}:
        return "play/walk"
    if goals == {(Reach, Point)}:
        return "play/both"
    if goals == {(Point,)}:
        return "play/look" if any(leg.sentences for episode in episodes for leg in episode.legs) else "play/point"
    names = ", ".join(sorted({goal.__name__ for legs in goals for goal in legs}))
    raise InputError("a dataset of walks and spots, such as city/touchdown/small", f"one with legs of {names}")


def named(trace: Trace, agent: str) -> Trace:
    """Return a trace under the name of another agent."""
    return replace(trace, agent=agent)


def trace_from(answer: Mapping[str, Any]) -> Trace:
    """Return the trace of a stored answer."""
    if "trace" not in answer:
        raise InputError("an answer with a trace", format_value(sorted(answer)))
    return Trace.from_json(answer["trace"])


@register
class WalkTask(PlayTask):
    """Walk as a text says."""

    kind = "play/walk"
    title = "Walk"
    summary = "Walk through the city as the text says, and stop where it ends."


@register
class PointTask(PlayTask):
    """Find the spot that a text describes."""

    kind = "play/point"
    title = "Point"
    summary = "Find the spot that the text describes, in the panorama around you."
    minutes = 1


@register
class BothTask(PlayTask):
    """Walk as a text says, then find the spot."""

    kind = "play/both"
    title = "Walk and point"
    summary = "Walk as the text says, then find the spot that it describes."


@register
class LookTask(PlayTask):
    """Find a point sentence by sentence."""

    kind = "play/look"
    title = "Look"
    summary = "Turn your view sentence by sentence until it rests on the hidden point."
    minutes = 1

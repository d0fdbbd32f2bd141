"""Replays of what a worker did: the recorded actions step by step, as the viewer and the map show them.

Every task records moves, looks and clicks in the same fields, so one replay serves all of them. A step holds the state
after its action. Places are followed from the first view of the task. ArraMon's tasks have poses and scenes instead, as
the server sent them to the worker's 3-D view. A task without either has a list of actions only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bearleft.errors import InputError
from bearleft.records import Assemble, Collect, Direction, Episode, LegTrace, Point, Reach, Trace
from bearleft.web.database.models import Answer, Event, Project, Unit
from bearleft.web.projects import task_context
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.tasks.base import REGISTERED, UnitData

MAX_TEXT = 4000  # characters of a step's text
NO_REPLAY: dict[str, Any] = {
    "world": None,
    "scenes": [],
    "steps": [],
    "goal": {"route": [], "targets": [], "legs": []},
}


def replay(
    worlds: SceneWorlds, project: Project, unit: Unit, events: Sequence[Event], answer: Answer | None, worker_id: int
) -> dict[str, Any]:
    """Return the steps of an attempt, and what was to be found, for the page of an answer.

    Returns:
        world: The world; None for a task without places.
        scenes: What stood around the worker in a 3-D view, one after another.
        steps: Action, seconds since the start, place, heading, pitch and vfov of the view, click, text, and result; in
            a 3-D view also leg, pose and the number of the scene.
        goal: Route and targets, and of each leg in a 3-D view line and target or outline, which only reviewers see
            beside what a worker did.
    """
    view = _first_view(worlds, project, unit, worker_id)
    scenes: list[dict[str, Any]] = []
    state = _first_state(view) | _in_stage(view, scenes)
    begin = events[0].time if events else None
    steps = [{**state, "action": "start", "seconds": 0.0, "click": None, "result": ""}]
    for event in events:
        seconds = (event.time - begin).total_seconds() if begin is not None else 0.0
        stage = _in_stage(event.result, scenes)
        ended = stage.get("leg", state["leg"]) != state["leg"] and "text" not in event.result
        state = {**state, **_after(event.data, event.result), **stage}
        steps.append(
            {
                **state,
                "action": str(event.data.get("action", event.kind)) if event.kind == "act" else event.kind,
                "seconds": round(seconds, 2),
                "click": _click(event.kind, event.data),
                "result": _result(event.result),
            }
        )
        if ended:
            state["text"] = ""  # it was of the leg before
    if answer is not None:
        seconds = (answer.created - begin).total_seconds() if begin is not None else 0.0
        final = _answer_click(answer.data)
        steps.append(
            {
                **state,
                **(_direction(answer.data.get("view")) if final else {}),
                "action": "submit",
                "seconds": round(max(seconds, 0.0), 2),
                "click": final,
                "result": "meets the rules" if answer.accepted else "does not meet the rules",
            }
        )
    world = _world(worlds, unit)
    return {
        "world": world if any(step["place"] for step in steps) else None,
        "scenes": scenes,
        "steps": steps,
        "goal": _goal(worlds, unit),
    }


def _world(worlds: SceneWorlds, unit: Unit) -> str | None:
    payload = unit.payload
    if "world" in payload:
        return str(payload["world"])
    if "dataset" in payload and "episode" in payload:
        try:
            return worlds.episode(payload["dataset"], payload["episode"]).world
        except InputError:
            return None  # a dataset that is no longer there
    return None


def _first_view(worlds: SceneWorlds, project: Project, unit: Unit, worker_id: int) -> dict[str, Any]:
    """Return what a worker's page begins with; nothing if a world or a dataset is no longer there."""
    task = REGISTERED.get(unit.kind)
    if task is None:
        return {}
    try:
        return task.view(task_context(worlds, project, worker_id), UnitData(unit.id, unit.kind, unit.payload), ())
    except InputError:
        return {}


def _first_state(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state that a worker's page begins with."""
    state: dict[str, Any] = {"place": None, "heading": 0.0, "pitch": 0.0, "vfov": None, "text": ""}
    state |= {"leg": 0, "pose": None, "scene": None, "where": ""}
    if isinstance(view.get("look"), dict) and "place" in view:
        state |= {"place": view["place"]} | _direction(view["look"])
    return state | _after({}, view)


def _in_stage(result: Mapping[str, Any], scenes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what an answer of the server changes in a 3-D view; a scene in it is added to those before."""
    changes: dict[str, Any] = {}
    pose, scene = result.get("pose"), result.get("scene")
    if isinstance(pose, dict):
        shown: dict[str, Any] = {"place": str(pose["place"]), "heading": float(pose["heading"])}
        for name in ("position", "cell", "ahead"):
            if pose.get(name) is not None:
                shown[name] = [float(value) for value in pose[name]]
        changes = {"pose": shown, "heading": shown["heading"], "leg": int(result.get("leg", 0)), "where": _where(shown)}
    if isinstance(scene, dict):
        scenes.append(scene)
        changes["scene"] = len(scenes) - 1
    return changes


def _where(pose: Mapping[str, Any]) -> str:
    """Return where a pose in a 3-D view is, for the table of actions."""
    if "position" in pose:
        return "{:.1f} m east, {:.1f} m north".format(*pose["position"])
    return "cell {:.0f}, {:.0f}, {:.0f}".format(*pose["cell"])


def _after(data: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an action changes of the place, the view and the text."""
    changes: dict[str, Any] = {}
    walk = result.get("walk")
    if isinstance(walk, dict):
        changes |= {"place": walk["place"], "heading": walk["heading"], "pitch": 0.0, "vfov": None}
    elif isinstance(result.get("place"), str):
        changes["place"] = result["place"]
        changes |= _direction(result)
    view = data.get("view") if isinstance(data.get("view"), dict) else data
    changes |= _direction(view)
    for source in (result, data):
        if isinstance(source.get("sentences"), list):
            changes["text"] = " ".join(map(str, source["sentences"]))[:MAX_TEXT]
        elif isinstance(source.get("text"), str):
            changes["text"] = source["text"][:MAX_TEXT]
    if isinstance(result.get("sentence"), str):
        changes["text"] = result["sentence"][:MAX_TEXT]
    return changes


def _direction(value: Any) -> dict[str, Any]:
    """Return heading, pitch and field of view of an object that holds them."""
    if not isinstance(value, Mapping) or not all(_is_number(value.get(name)) for name in ("heading", "pitch")):
        return {}
    vfov = value.get("vfov")
    return {"heading": value["heading"], "pitch": value["pitch"], "vfov": vfov if _is_number(vfov) else None}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _click(kind: str, data: Mapping[str, Any]) -> list[float] | None:
    """Return the direction that an action points at; looks and ends of sentences point at nothing."""
    if kind in ("look", "next") or not all(_is_number(data.get(name)) for name in ("heading", "pitch")):
        return None
    return [data["heading"], data["pitch"]]


def _answer_click(data: Mapping[str, Any]) -> list[float] | None:
    """Return the direction of a trace's last answer."""
    if not isinstance(data.get("trace"), dict):
        return None
    try:
        last: LegTrace = Trace.from_json(data["trace"]).legs[-1]
    except (InputError, IndexError):
        return None
    return list(last.answer.to_json()) if isinstance(last.answer, Direction) else None


def _result(result: Mapping[str, Any]) -> str:
    """Return the judgement that a result holds, in words."""
    if "found" in result:
        return "found" if result["found"] else "not found"
    if isinstance(result.get("note"), str) and result["note"]:
        return str(result["note"])[:MAX_TEXT]
    if isinstance(result.get("flags"), list):
        return f"flags: {', '.join(map(str, result['flags'])) or 'none'}"
    if isinstance(result.get("problems"), list):
        return ", ".join(str(one.get("rule")) for one in result["problems"])
    return "done" if result.get("done") is True else ""


def _goal(worlds: SceneWorlds, unit: Unit) -> dict[str, Any]:
    """Return the route and the targets of a unit: [{place, direction}]."""
    payload = unit.payload
    goal: dict[str, Any] = {"route": list(payload.get("route") or ()), "targets": [], "legs": []}
    if isinstance(payload.get("targets"), list):
        goal["targets"] = [
            {"place": one["place"], "direction": [one["heading"], one["pitch"]]} for one in payload["targets"]
        ]
    elif isinstance(payload.get("original"), dict):
        one = payload["original"]
        goal["targets"] = [{"place": one["place"], "direction": [one["heading"], one["pitch"]]}]
    elif isinstance(payload.get("target"), list) and "place" in payload:
        goal["targets"] = [{"place": payload["place"], "direction": list(payload["target"])}]
    elif "dataset" in payload and "episode" in payload:
        goal |= _episode_goal(worlds, payload["dataset"], payload["episode"])
    return goal


def _episode_goal(worlds: SceneWorlds, dataset: str, name: str) -> dict[str, Any]:
    try:
        episode = worlds.episode(dataset, name)
    except InputError:
        return {}
    route: list[str] = []
    targets: list[dict[str, Any]] = []
    for leg in episode.legs:
        if isinstance(leg.goal, Reach):
            route = list(leg.goal.route)
        elif isinstance(leg.goal, Point):
            targets += [
                {"place": point.place or episode.start.place, "direction": point.direction.to_json()}
                for point in (leg.goal, *leg.goal.propagated)
            ]
    return {"route": route, "targets": targets, "legs": _stage_goals(episode)}


def _stage_goals(episode: Episode) -> list[dict[str, Any]]:
    """Return what a 3-D view shows of the goals of ArraMon's legs."""
    legs: list[dict[str, Any]] = []
    item = None
    for leg in episode.legs:
        if isinstance(leg.goal, Collect):
            item = leg.goal.item
            line = [[round(value, 3) for value in position[:2]] for position in leg.goal.path]
            target = {"item": item, "at": [round(value, 3) for value in leg.goal.at]}
            legs.append({"line": line, "target": target})
        elif isinstance(leg.goal, Assemble) and item is not None:
            legs.append({"outline": {"item": item, "cell": list(leg.goal.cell)}})
    return legs

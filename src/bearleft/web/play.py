"""Pages of `bearleft play`: choose a game, play an episode, see how it went, and read a report of everything."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response

from bearleft.records import Direction, Episode, LegTrace, Point, Reach, Trace, to_json_line
from bearleft.reports.html.quality import Limits
from bearleft.reports.html.report import report
from bearleft.web.agent_traces import AgentTraces
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Answer, Attempt, Project, Unit
from bearleft.web.projects import PLAY, create_project, is_closed
from bearleft.web.queue import slots
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.scoring import SUCCESS_OF, is_solved, score_traces, summarise
from bearleft.web.security import page_json
from bearleft.web.settings import Settings
from bearleft.web.tasks.play import named, play_kind, trace_from
from bearleft.web.tasks.registry import get_task
from bearleft.web.templating import render
from bearleft.web.work import open_project, open_tools, own_attempt, require_owner

router = APIRouter(include_in_schema=False)
YOU, YOU_BEFORE = "you", "you, before"
MAX_OTHERS = 8  # other people whose newest traces a result shows
MAX_ANSWERS = 100  # answers of other people that are looked through for them
REPORT_LIMITS = Limits(seconds=20.0, bytes=20e6)
# The report is one file with scripts and styles in it, and allows exactly those by a policy of its own.
REPORT_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


def create_games(settings: Settings, datasets: Sequence[str]) -> None:
    """Create a game for each dataset, unless it exists.

    Raises:
        InputError: A dataset is unknown or cannot be played, or the database cannot be opened.
    """
    worlds = SceneWorlds(settings.data, settings.pictures, settings.city, settings.device)
    database = open_database(settings.database)
    try:
        for dataset in datasets:
            kind = play_kind(list(worlds.episodes(dataset).values()))
            name = re.sub(r"[^a-z0-9]+", "-", dataset.lower()).strip("-")[-41:].strip("-")
            create_project(database, worlds, name, PLAY, {"dataset": dataset, "kind": kind})
    finally:
        database.close()


@router.get("/play/{name}")
def play(request: Request, name: str, episode: Annotated[str | None, Query(max_length=200)] = None) -> Response:
    """Begin an episode: the one that is named, else one that the person has not played yet."""
    worker_id = require_owner(request)
    database, _, settings = open_tools(request)
    with database.read() as session:
        project = _find_game(session, name)
        if is_closed(session, project):
            raise HTTPException(404, "This game is closed.")
        unit_id = _choose_unit(session, project, worker_id, episode)
    lease = slots.open_play(database, unit_id, worker_id, settings.lease_seconds)
    return RedirectResponse(f"/work/{lease.attempt_id}", 303)


def _find_game(session: Session, name: str) -> Project:
    project = open_project(session, name)
    if project.family != PLAY:
        raise HTTPException(404, "There is no such game.")
    return project


def _choose_unit(session: Session, project: Project, worker_id: int, episode: str | None) -> int:
    """Return the unit of an episode, or a random one of those that the person has played least often."""
    if episode is not None:
        units = session.scalars(select(Unit).where(Unit.project_id == project.id)).all()
        chosen = [unit.id for unit in units if unit.payload["episode"] == episode]
        if not chosen:
            raise HTTPException(404, "There is no such episode here.")
        return chosen[0]
    active = session.scalars(
        select(Attempt.unit_id)
        .join(Unit, Unit.id == Attempt.unit_id)
        .where(Unit.project_id == project.id, Attempt.worker_id == worker_id, Attempt.state == "active")
        .order_by(Attempt.started.desc())
    ).first()
    if active is not None:
        return active
    ended = Attempt.state.in_(("submitted", "returned"))  # an episode that was skipped comes again after all others
    played = dict(
        session.execute(
            select(Attempt.unit_id, func.count(Attempt.id))
            .where(Attempt.worker_id == worker_id, ended)
            .group_by(Attempt.unit_id)
        ).all()
    )
    units_of = session.scalars(select(Unit.id).where(Unit.project_id == project.id)).all()
    least = min(played.get(unit, 0) for unit in units_of)
    return random.choice([unit for unit in units_of if played.get(unit, 0) == least])


@router.get("/play/{name}/result/{attempt}")
def result(request: Request, name: str, attempt: str) -> HTMLResponse:
    """Show how an episode went: the path and the score, what agents did, and other people."""
    worker_id = require_owner(request)
    database, worlds, _ = open_tools(request)
    agents: AgentTraces = request.app.state.agents
    with database.read() as session:
        project = _find_game(session, name)
        row = own_attempt(session, attempt, worker_id)
        answer = session.scalars(select(Answer).where(Answer.attempt_id == row.id)).one_or_none()
        unit = session.get_one(Unit, row.unit_id)
        if answer is None or unit.project_id != project.id:
            raise HTTPException(404, "This episode has not been played to its end.")
        dataset, episode_id = unit.payload["dataset"], unit.payload["episode"]
        traces = {YOU: trace_from(answer.data)}
        traces |= {name: named(trace, name) for name, trace in agents.of(dataset, episode_id).items()}
        traces |= _before(session, unit, answer)
        traces |= _other_people(session, unit, worker_id)
        scores = dict(zip(traces, score_traces(list(traces.values()), worlds.data), strict=True))
        episode = worlds.episode(dataset, episode_id)
        content = {
            "kind": unit.kind,
            "world": episode.world,
            "texts": [leg.text for leg in episode.legs],
            "reference": _reference(episode),
            "traces": [
                {
                    "name": who,
                    "solved": is_solved(unit.kind, scores[who]),
                    "scores": scores[who],
                    "legs": [_leg_json(leg) for leg in trace.legs],
                }
                for who, trace in traces.items()
            ],
        }
        numbers = _numbers(session, project, worker_id, worlds)
        return render(
            request,
            "play/result.html",
            project=project,
            task=get_task(unit.kind),
            metric=SUCCESS_OF[unit.kind],
            episode=episode,
            traces=content["traces"],
            content=page_json(content),
            numbers=numbers,
            summary=summarise(scores[YOU]),
        )


def _before(session: Session, unit: Unit, answer: Answer) -> dict[str, Trace]:
    """Return the person's own trace of the time before in an episode, if there is one."""
    query = select(Answer).where(Answer.unit_id == unit.id, Answer.worker_id == answer.worker_id, Answer.id < answer.id)
    before = session.scalars(query.order_by(Answer.id.desc()).limit(1)).one_or_none()
    return {YOU_BEFORE: trace_from(before.data)} if before else {}


def _other_people(session: Session, unit: Unit, worker_id: int) -> dict[str, Trace]:
    """Return the newest trace of each of the last other people in an episode."""
    query = select(Answer).where(Answer.unit_id == unit.id, Answer.worker_id != worker_id).order_by(Answer.id.desc())
    newest: dict[int, Answer] = {}
    for answer in session.scalars(query.limit(MAX_ANSWERS)):
        newest.setdefault(answer.worker_id, answer)
    chosen = list(newest.values())[:MAX_OTHERS]
    return {f"person {k}": trace_from(answer.data) for k, answer in enumerate(chosen, start=1)}


def _reference(episode: Episode) -> list[dict[str, Any]]:
    """Return the goals of an episode, which the person may see now."""
    rows: list[dict[str, Any]] = []
    for leg in episode.legs:
        if isinstance(leg.goal, Reach):
            rows.append({"route": list(leg.goal.route)})
        elif isinstance(leg.goal, Point):
            place = leg.goal.place or episode.start.place
            seen = [{"place": other.place, "target": other.direction.to_json()} for other in leg.goal.propagated]
            rows.append({"place": place, "target": leg.goal.direction.to_json(), "propagated": seen})
    return rows


def _leg_json(leg: LegTrace) -> dict[str, Any]:
    answer = leg.answer.to_json() if isinstance(leg.answer, Direction) else None
    return {"path": list(leg.path), "looks": [look.to_json() for look in leg.looks], "answer": answer}


def _numbers(session: Session, project: Project, worker_id: int, worlds: SceneWorlds) -> dict[str, int]:
    """Return how many episodes a game has, how many the person has played and solved, and how many in a row."""
    units = session.scalar(select(func.count(Unit.id)).where(Unit.project_id == project.id)) or 0
    answers = [(answer, unit) for answer, _, unit, of in _answers(session, worker_id) if of.id == project.id]
    scores = score_traces([trace_from(answer.data) for answer, _ in answers], worlds.data)
    solved = [is_solved(unit.kind, row) for (_, unit), row in zip(answers, scores, strict=True)]
    streak = solved.index(False) if False in solved else len(solved)
    return {"episodes": units, "played": len(solved), "solved": sum(solved), "streak": streak}


@router.get("/played")
def played(request: Request) -> HTMLResponse:
    """List everything that the person has played, with scores."""
    worker_id = require_owner(request)
    database, worlds, _ = open_tools(request)
    with database.read() as session:
        answers = _answers(session, worker_id)
        every = score_traces([trace_from(answer.data) for answer, *_ in answers], worlds.data)
        rows = [
            {
                "project": project,
                "task": get_task(unit.kind),
                "attempt": attempt.id,
                "time": answer.created,
                "solved": is_solved(unit.kind, scores),
                "summary": summarise(scores),
                "scores": scores,
            }
            for (answer, attempt, unit, project), scores in zip(answers, every, strict=True)
        ]
        return render(request, "play/played.html", rows=rows)


@router.get("/played/report.html")
def played_report(request: Request) -> Response:
    """Return a report of everything that the person has played, with the agents on the same episodes."""
    worker_id = require_owner(request)
    database, worlds, settings = open_tools(request)
    agents: AgentTraces = request.app.state.agents
    with database.read() as session:
        mine: dict[str, dict[str, Trace]] = {}  # the last trace of each episode
        for answer, _, unit, _ in reversed(_answers(session, worker_id)):
            trace = trace_from(answer.data)
            mine.setdefault(unit.payload["dataset"], {})[trace.episode] = named(trace, YOU)
    if not mine:
        raise HTTPException(404, "You have not played anything yet.")
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for k, (dataset, traces) in enumerate(mine.items()):
            files.append(_write(Path(folder) / f"{k}-you.jsonl", list(traces.values())))
            beside: dict[str, list[Trace]] = {}
            for episode in traces:
                for agent, trace in agents.of(dataset, episode).items():
                    beside.setdefault(agent, []).append(trace)
            files += [_write(Path(folder) / f"{k}-{agent}.jsonl", rows) for agent, rows in beside.items()]
        page = Path(folder) / "report.html"
        report(
            *files,
            output=page,
            title="What you played",
            pictures=list(settings.pictures) or None,
            city=settings.city,
            device=settings.device,
            data=worlds.data,
            limits=REPORT_LIMITS,
        )
        content = page.read_bytes()
    return HTMLResponse(content, headers={"Content-Security-Policy": REPORT_POLICY, "Cache-Control": "no-store"})


def _answers(session: Session, worker_id: int) -> Sequence[tuple[Answer, Attempt, Unit, Project]]:
    """Return what a person has played, the newest first."""
    rows = session.execute(
        select(Answer, Attempt, Unit, Project)
        .join(Attempt, Attempt.id == Answer.attempt_id)
        .join(Unit, Unit.id == Answer.unit_id)
        .join(Project, Project.id == Unit.project_id)
        .where(Answer.worker_id == worker_id, Project.family == PLAY)
        .order_by(Answer.id.desc())
    ).all()
    return [(answer, attempt, unit, project) for answer, attempt, unit, project in rows]


def _write(path: Path, traces: Sequence[Trace]) -> Path:
    path.write_text("".join(to_json_line(trace) + "\n" for trace in traces), encoding="utf-8")
    return path

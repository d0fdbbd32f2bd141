"""A trace as a film: what one sees, the map with the way so far, and the text with the part that is followed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image

from bearleft.data import open_dataset
from bearleft.data.json_stream import Reader
from bearleft.envs.arramon.pictures import ArraMonEyes
from bearleft.errors import InputError, nearest, shown
from bearleft.records import Collect, Direction, Episode, LegTrace, Point, Pose, Reach, Trace
from bearleft.report.arramon_replay import played
from bearleft.report.film.arramon import TaskStage, task_script
from bearleft.report.film.files import ENDINGS, Frames, gif, mp4
from bearleft.report.film.frame import Stage
from bearleft.report.film.sheet import Sheet
from bearleft.report.film.shots import Pace, Shot, look_shots, states_of, total, walk_shots
from bearleft.report.film.text import SENTENCES, parts_of
from bearleft.report.html.pictures import has_streets, is_ours
from bearleft.report.pictures.output import Written, checked_output
from bearleft.runtime.store import existing_file
from bearleft.world.album.album import Album
from bearleft.world.album.importers import REFER360
from bearleft.world.arramon.task_setup import RELEASED
from bearleft.world.city.city import City, open_city
from bearleft.world.graphs.graph import Graph
from bearleft.world.pictures import AlbumEyes, Eyes, Sees
from bearleft.world.render.cpu import check_samples
from bearleft.world.render.devices import check_device
from bearleft.world.worlds import open_world

Progress = Callable[[str, int, int], None]
USUAL_FPS = {".gif": 5.0, ".mp4": 12.0}
TASKS_FPS = 4.0  # in MP4: a picture of each of ArraMon's hundred short steps, since encoding one takes longer than it
NARROWEST, WIDEST = 320, 1920  # pixels
SAMPLED = 12  # frames whose colours a GIF's palette is made of


@dataclass(frozen=True)
class Filming:
    """How a film is made: `size` pixels across, `fps` pictures a second (by the file's kind), `seconds` per step.

    `pictures` is an album to look at, `city` the seed of the one on streets that have none of their own. `agent` says
    whose trace it is where a file has several of one episode.
    """

    size: int = 880
    fps: float | None = None
    seconds: float = 0.6
    samples: int = 1
    device: str = "cpu"
    pictures: str | os.PathLike[str] | None = None
    city: int | None = None
    agent: str | None = None

    def __post_init__(self) -> None:
        if not NARROWEST <= self.size <= WIDEST:
            raise InputError(f"a film of {NARROWEST} to {WIDEST} pixels across", shown(self.size), "size")
        check_samples(self.samples)
        check_device(self.device)
        self.pace(".gif")

    def pace(self, kind: str, tasks: bool = False) -> Pace:
        """How fast it goes in a kind of file; `tasks` are ArraMon's."""
        usual = TASKS_FPS if tasks and kind == ".mp4" else USUAL_FPS[kind]
        return Pace(usual if self.fps is None else self.fps, self.seconds)


def write_film(
    traces: str | os.PathLike[str],
    episode: str | None = None,
    output: str | os.PathLike[str] | None = None,
    filming: Filming | None = None,
    data: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Written:
    """Films what was done in an episode (default: the first of the file), as GIF or MP4 by the file's name."""
    begin, filming = time.perf_counter(), filming or Filming()
    trace = find_trace(traces, episode, filming.agent)
    path = checked_output(output or f"{trace.episode.replace('/', '-')}.gif", ENDINGS)
    asked = find_episode(trace, data)
    remarks: list[str] = []
    kind = path.suffix.lower()
    pace = filming.pace(kind, _is_task(asked))
    stage, shots, how = _staged(asked, trace, filming, pace, data, remarks, progress)
    with _file(path, kind, stage, shots, pace) as (add, drawn):
        for k, shot in enumerate(shots):
            if progress:
                progress("filming", k, len(shots))
            add(drawn.pop(k) if k in drawn else stage.frame(shot), shot.seconds)
    row = {
        "file": str(path),
        "episode": asked.id,
        "dataset": asked.dataset,
        "agent": trace.agent,
        "world": asked.world,
        "frames": len(shots),
        "film_seconds": round(total(shots), 2),
        "width": stage.width,
        "height": stage.height,
        "bytes": path.stat().st_size,
        "parts": how,
        "verdict": shots[-1].verdict,
        "seconds": round(time.perf_counter() - begin, 2),
    }
    return Written([row], remarks)


def find_trace(file: str | os.PathLike[str], episode: str | None = None, agent: str | None = None) -> Trace:
    """The first trace of an episode (of any, where none is named) by an agent (or any) in a file."""

    def fail(error: InputError) -> None:
        raise error

    ids: list[str] = []
    for line, value in Reader(existing_file(file, "a file of traces"), fail).lines():
        try:
            trace = Trace.from_json(value)
        except InputError as error:
            raise error.at(file=str(file), line=line) from None
        if episode in (None, trace.episode) and agent in (None, trace.agent):
            return trace
        ids.append(trace.episode)
    expected = " ".join(["a trace", *(["of episode " + shown(episode)] if episode is not None else [])])
    by = f" by {shown(agent)}" if agent is not None else ""
    raise InputError(expected + by, f"{len(ids):,} others", file=str(file), hint=nearest(episode or "", ids[:2000]))


def find_episode(trace: Trace, data: str | os.PathLike[str] | None = None) -> Episode:
    """What a trace was asked."""
    for episode in open_dataset(trace.dataset, data):
        if episode.id == trace.episode:
            return episode
    raise InputError(f"an episode of {trace.dataset}", shown(trace.episode), "episode")


def _is_task(asked: Episode) -> bool:
    return any(isinstance(leg.goal, Collect) for leg in asked.legs)


def _staged(
    asked: Episode,
    trace: Trace,
    filming: Filming,
    pace: Pace,
    data: str | os.PathLike[str] | None,
    remarks: list[str],
    progress: Progress | None,
) -> tuple[Sheet, Sequence[Shot], str]:
    """What draws the film's pictures, what they show, and by what the text is cut into parts."""
    width = filming.size // 2 * 2
    if _is_task(asked):
        if filming.pictures is not None or filming.city is not None:
            field = "city" if filming.pictures is None else "pictures"
            raise InputError("a world of places for an album or a city", shown(asked.world), field)
        tasks = task_script(asked, trace, pace)
        if not tasks:
            raise InputError("a trace with at least one leg", "none", "legs")
        if asked.world.startswith(RELEASED):
            remarks.append("Released files hold no city: the film shows open ground, and what is known to lie there.")
        eyes = ArraMonEyes(asked.world, filming.device, samples=filming.samples)
        around = {one.leg: one for one in played(asked, trace)}
        return TaskStage(asked, trace.legs, trace.agent, width, around, eyes), tasks, SENTENCES
    graph, city, sees = _world(asked, filming, data, remarks, progress)
    shots, how = script(asked, trace.legs, graph, pace, isinstance(sees, Eyes))
    return Stage(asked, trace.legs, trace.agent, width, graph, city.plan if city else None, sees), shots, how


def _world(
    asked: Episode,
    filming: Filming,
    data: str | os.PathLike[str] | None,
    remarks: list[str],
    progress: Progress | None,
) -> tuple[Graph | None, City | None, Sees | None]:
    """Where one walks, the city there, and who looks at it; each may be missing."""
    ours = is_ours(asked.world) or asked.world.startswith("town/")
    graph = None if asked.world == REFER360 else open_world(asked.world, data)
    if filming.city is not None and not (ours or has_streets(asked.world)):
        raise InputError("a world of streets to build a city on", shown(asked.world), "city")
    city = None
    if ours or filming.city is not None:
        city = open_city(asked.world, filming.city, data, progress)
        graph = city.graph
        if not is_ours(asked.world):
            remarks.append(
                f"The city on the streets of {asked.world} is bearleft's: what the text tells of is not there."
            )
    if filming.pictures is not None:
        return graph, city, AlbumEyes(Album.open(filming.pictures), asked.world, data)
    if city is not None:
        return graph, city, Eyes(city, filming.device, samples=filming.samples)
    if graph is None:
        raise InputError(f"pictures of {asked.world}", "none", "pictures", hint="Say --pictures FOLDER.")
    more = ", or --city 0 for bearleft's city on its streets" if has_streets(asked.world) else ""
    remarks.append(
        f"There are no pictures of {asked.world}: the film shows the map alone. Say --pictures FOLDER{more}."
    )
    return graph, None, None


def script(
    asked: Episode, legs: Sequence[LegTrace], graph: Graph | None, pace: Pace, between: bool
) -> tuple[list[Shot], str]:
    """All shots of what was done, and by what the text is cut into parts."""
    shots: list[Shot] = []
    pose, how = asked.start, SENTENCES
    if not legs:
        raise InputError("a trace with at least one leg", "none", "legs")
    for k, (leg, done) in enumerate(zip(asked.legs, legs, strict=False)):
        if isinstance(leg.goal, Reach):
            if graph is None:
                raise InputError("a walk in a world with places", shown(asked.world))
            states = states_of(leg, done, pose, graph)
            walked = [place for n, (place, _) in enumerate(states) if not n or place != states[n - 1][0]]
            parts = parts_of(leg, walked, pose, asked.world, graph)
            how = parts.how if not shots else how
            shots += walk_shots(k, leg, done, pose, graph, parts, pace, between)
            pose = Pose(Direction(states[-1][1]), states[-1][0])
        elif isinstance(leg.goal, Point):
            here = replace(pose, place=pose.place or leg.goal.place)
            shots += look_shots(k, leg, done, here, pace)
        else:
            raise InputError("legs to walk or to point, for a film", type(leg.goal).__name__.lower())
    return shots, how


@contextmanager
def _file(
    path: Path, kind: str, stage: Sheet, shots: Sequence[Shot], pace: Pace
) -> Iterator[tuple[Frames, dict[int, Image.Image]]]:
    """What takes the frames, and those that are drawn already, by number."""
    if kind == ".mp4":
        with mp4(path, (stage.width, stage.height), pace.fps) as add:
            yield add, {}
        return
    step = max((len(shots) - 1) / (SAMPLED - 1), 1.0)
    drawn = {k: stage.frame(shots[k]) for k in {min(round(n * step), len(shots) - 1) for n in range(SAMPLED)}}
    with gif(path, [drawn[k] for k in sorted(drawn)], stage.colours) as add:
        yield add, drawn

"""Films of traces: the view, the map with the path so far, and the text with the part being followed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image

from bearleft.data import open_dataset
from bearleft.data.json_stream import Reader
from bearleft.envs.arramon.pictures import ArraMonPictures
from bearleft.errors import InputError, format_value, suggest_name
from bearleft.evaluation.predictions import read_predictions
from bearleft.evaluation.score import trace_dataset
from bearleft.records import Collect, Direction, Episode, LegTrace, Point, Pose, Reach, Trace, check_goals
from bearleft.reports.arramon_replay import replay
from bearleft.reports.film.arramon import TaskLayout, task_shots
from bearleft.reports.film.files import ENDINGS, AddFrame, open_gif, open_mp4
from bearleft.reports.film.frame import SceneLayout
from bearleft.reports.film.layout import FrameLayout
from bearleft.reports.film.shots import Pace, Shot, look_shots, total_seconds, walk_shots, walk_states
from bearleft.reports.film.text import SENTENCES, split_text
from bearleft.reports.pictures.output import Written, check_output
from bearleft.types import DataFolder, Progress
from bearleft.world.album.album import open_albums
from bearleft.world.city.city import City, open_city
from bearleft.world.graphs.graph import Graph
from bearleft.world.pictures import AlbumPictures, PictureSource, RenderedPictures, required_album
from bearleft.world.render.cpu import check_samples
from bearleft.world.render.devices import check_device
from bearleft.world.worlds import open_world, world_kind

DEFAULT_FPS = {".gif": 5.0, ".mp4": 12.0}
TASKS_FPS = 4.0  # in MP4: ArraMon's tasks have hundreds of short steps, and encoding is slow
MIN_WIDTH, MAX_WIDTH = 320, 1920  # pixels
MAX_NAME_BYTES = 200  # of the default name of a film
PALETTE_FRAMES = 12  # frames that a GIF's palette is computed from


@dataclass(frozen=True)
class FilmConfig:
    """How a film is made.

    Args:
        size: width in pixels.
        fps: frames per second; the default depends on the file's type.
        seconds: seconds per step.
        samples: rays per side of a pixel.
        device: "cpu" or "cuda", for rendering.
        pictures: a folder of panoramas to show.
        city: the seed of the city to build on a street graph that has none.
        agent: whose trace to film where a file has several of one episode.
        dataset: the dataset of predictions by other programs; traces name theirs.
    """

    size: int = 880
    fps: float | None = None
    seconds: float = 0.6
    samples: int = 1
    device: str = "cpu"
    pictures: str | os.PathLike[str] | None = None
    city: int | None = None
    agent: str | None = None
    dataset: str | None = None

    def __post_init__(self) -> None:
        if not MIN_WIDTH <= self.size <= MAX_WIDTH:
            raise InputError(f"a film of {MIN_WIDTH} to {MAX_WIDTH} pixels across", format_value(self.size), "size")
        check_samples(self.samples)
        check_device(self.device)
        self.pace(".gif")

    def pace(self, kind: str, tasks: bool = False) -> Pace:
        """Return the pace in a type of file; `tasks` are ArraMon's."""
        default_fps = TASKS_FPS if tasks and kind == ".mp4" else DEFAULT_FPS[kind]
        return Pace(default_fps if self.fps is None else self.fps, self.seconds)


def write_film(
    traces: str | os.PathLike[str],
    episode: str | None = None,
    output: str | os.PathLike[str] | None = None,
    config: FilmConfig | None = None,
    data: DataFolder = None,
    progress: Progress | None = None,
) -> Written:
    """Write a film of a trace as GIF or MP4.

    Args:
        traces: File of traces, or of other programs' predictions, whose dataset `config` names.
        episode: Id of the episode; by default that of the first trace.
        output: File to write, ending in .gif or .mp4; by default EPISODE.gif.
        config: Size, pace, agent and pictures of the film.
        data: Data folder.
        progress: Called with a label, the frames done, and their total.

    Returns:
        One row that describes the file, and remarks.

    Raises:
        InputError: If there is no such trace, or the episode cannot be filmed.
    """
    began, config = time.perf_counter(), config or FilmConfig()
    trace = find_trace(traces, episode, config.agent, config.dataset, data)
    path = check_output(output or default_output(trace.episode), ENDINGS)
    filmed_episode = find_episode(trace, data)
    remarks: list[str] = []
    kind = path.suffix.lower()
    pace = config.pace(kind, _is_task(filmed_episode))
    layout, shots, text_parts = _make_layout(filmed_episode, trace, config, pace, data, remarks, progress)
    with _open_file(path, kind, layout, shots, pace) as (add, drawn):
        for k, shot in enumerate(shots):
            if progress:
                progress("filming", k, len(shots))
            add(drawn.pop(k) if k in drawn else layout.frame(shot), shot.seconds)
    row = {
        "file": str(path),
        "episode": filmed_episode.id,
        "dataset": filmed_episode.dataset,
        "agent": trace.agent,
        "world": filmed_episode.world,
        "frames": len(shots),
        "film_seconds": round(total_seconds(shots), 2),
        "width": layout.width,
        "height": layout.height,
        "bytes": path.stat().st_size,
        "parts": text_parts,
        "outcome": shots[-1].outcome,
        "seconds": round(time.perf_counter() - began, 2),
    }
    return Written([row], remarks)


def default_output(episode: str) -> Path:
    """Return EPISODE.gif in the working folder, or raise InputError for an id that is no name of a file."""
    name = f"{episode.replace('/', '-')}.gif"
    if "\0" in name or len(os.fsencode(name)) > MAX_NAME_BYTES:
        raise InputError("an episode id that can name a file", format_value(episode), hint="Say -o FILE.gif instead.")
    return Path(name)


def find_trace(
    file: str | os.PathLike[str],
    episode: str | None = None,
    agent: str | None = None,
    dataset: str | None = None,
    data: DataFolder = None,
) -> Trace:
    """Return the first trace in a file of an episode (default: any) by an agent (default: any).

    Args:
        file: File of traces or predictions.
        episode: Id of the episode.
        agent: Name of the agent.
        dataset: Dataset of predictions; traces name theirs.
        data: Data folder.

    Raises:
        InputError: If the file has no such trace, or cannot be read.
    """
    named = trace_dataset(file)
    if named is not None and dataset not in (None, named):
        raise InputError(f"traces of {dataset}", f"traces of {named}", file=str(file))
    if named is not None:
        traces = _read_traces(file)
    elif dataset is not None:
        traces = read_predictions(file, dataset, list(open_dataset(dataset, data)))
    else:
        hint = "Traces are made by bearleft eval. For predictions of another program add --dataset DATASET/SPLIT."
        raise InputError("a file of traces", "predictions without their dataset", file=str(file), hint=hint)
    ids: list[str] = []
    for trace in traces:
        if episode in (None, trace.episode) and agent in (None, trace.agent):
            return trace
        ids.append(trace.episode)
    expected = " ".join(["a trace", *(["of episode " + format_value(episode)] if episode is not None else [])])
    by = f" by {format_value(agent)}" if agent is not None else ""
    raise InputError(
        expected + by, f"{len(ids):,} others", file=str(file), hint=suggest_name(episode or "", ids[:2000])
    )


def _read_traces(file: str | os.PathLike[str]) -> Iterator[Trace]:
    """Yield the traces of a file; an invalid line is an error when it is reached."""

    def fail(error: InputError) -> None:
        raise error

    for line, value in Reader(file, fail).lines():
        try:
            yield Trace.from_json(value)
        except InputError as error:
            raise error.at(file=str(file), line=line) from None


def find_episode(trace: Trace, data: DataFolder = None) -> Episode:
    """Return the episode of a trace."""
    for episode in open_dataset(trace.dataset, data):
        if episode.id == trace.episode:
            check_goals([episode], "to show")
            return episode
    raise InputError(f"an episode of {trace.dataset}", format_value(trace.episode), "episode")


def _is_task(episode: Episode) -> bool:
    return any(isinstance(leg.goal, Collect) for leg in episode.legs)


def _make_layout(
    episode: Episode,
    trace: Trace,
    config: FilmConfig,
    pace: Pace,
    data: DataFolder,
    remarks: list[str],
    progress: Progress | None,
) -> tuple[FrameLayout, Sequence[Shot], str]:
    """Return the layout of the frames, the shots, and how the text is split into parts."""
    width = config.size // 2 * 2
    if _is_task(episode):
        if config.pictures is not None or config.city is not None:
            field = "city" if config.pictures is None else "pictures"
            raise InputError("a world of places for an album or a city", format_value(episode.world), field)
        tasks = task_shots(episode, trace, pace)
        if not tasks:
            raise InputError("a trace with at least one leg", "none", "legs")
        if world_kind(episode.world).from_release:
            remarks.append("Released files hold no city: the film shows open ground, and what is known to lie there.")
        task_pictures = ArraMonPictures(episode.world, config.device, samples=config.samples)
        replayed_legs = {replayed_leg.leg: replayed_leg for replayed_leg in replay(episode, trace)}
        return TaskLayout(episode, trace.legs, trace.agent, width, replayed_legs, task_pictures), tasks, SENTENCES
    graph, city, pictures = _open_world(episode, config, data, remarks, progress)
    shots, text_parts = episode_shots(episode, trace.legs, graph, pace, isinstance(pictures, RenderedPictures))
    return (
        SceneLayout(episode, trace.legs, trace.agent, width, graph, city.plan if city else None, pictures),
        shots,
        text_parts,
    )


def _open_world(
    episode: Episode,
    config: FilmConfig,
    data: DataFolder,
    remarks: list[str],
    progress: Progress | None,
) -> tuple[Graph | None, City | None, PictureSource | None]:
    """Return the graph, the city, and the picture source of an episode's world; each may be missing."""
    ours = world_kind(episode.world).generated
    graph = None if not world_kind(episode.world).has_graph else open_world(episode.world, data)
    if config.city is not None and not (ours or world_kind(episode.world).buildable):
        raise InputError("a world of streets to build a city on", format_value(episode.world), "city")
    city = None
    if ours or config.city is not None:
        city = open_city(episode.world, config.city, data, progress)
        graph = city.graph
        if not world_kind(episode.world).rendered:
            remarks.append(
                f"The city on the streets of {episode.world} is bearleft's: what the text tells of is not there."
            )
    if config.pictures is not None:
        return (
            graph,
            city,
            AlbumPictures(required_album(episode.world, open_albums([config.pictures])), episode.world, data),
        )
    if city is not None:
        return graph, city, RenderedPictures(city, config.device, samples=config.samples)
    if graph is None:
        raise InputError(f"pictures of {episode.world}", "none", "pictures", hint="Say --pictures FOLDER.")
    option = ", or --city 0 for bearleft's city on its streets" if world_kind(episode.world).buildable else ""
    remarks.append(
        f"There are no pictures of {episode.world}: the film shows the map alone. Say --pictures FOLDER{option}."
    )
    return graph, None, None


def episode_shots(
    episode: Episode, legs: Sequence[LegTrace], graph: Graph | None, pace: Pace, between: bool
) -> tuple[list[Shot], str]:
    """Return all shots of a trace, and how the text is split into parts."""
    shots: list[Shot] = []
    pose, text_parts = episode.start, SENTENCES
    if not legs:
        raise InputError("a trace with at least one leg", "none", "legs")
    for leg_index, (leg, leg_trace) in enumerate(zip(episode.legs, legs, strict=False)):
        if isinstance(leg.goal, Reach):
            if graph is None:
                raise InputError("a walk in a world with places", format_value(episode.world))
            states = walk_states(leg, leg_trace, pose, graph)
            walked_places = [place for n, (place, _) in enumerate(states) if not n or place != states[n - 1][0]]
            parts = split_text(leg, walked_places, pose, episode.world, graph)
            text_parts = parts.kind if not shots else text_parts
            shots += walk_shots(leg_index, leg, leg_trace, pose, graph, parts, pace, between)
            pose = Pose(Direction(states[-1][1]), states[-1][0])
        elif isinstance(leg.goal, Point):
            start = replace(pose, place=pose.place or leg.goal.place)
            shots += look_shots(leg_index, leg, leg_trace, start, pace)
        else:
            raise InputError("legs to walk or to point, for a film", type(leg.goal).__name__.lower())
    return shots, text_parts


@contextmanager
def _open_file(
    path: Path, kind: str, layout: FrameLayout, shots: Sequence[Shot], pace: Pace
) -> Iterator[tuple[AddFrame, dict[int, Image.Image]]]:
    """Open the film's file; return what adds frames, and the frames that are drawn already, by index."""
    if kind == ".mp4":
        with open_mp4(path, (layout.width, layout.height), pace.fps) as add:
            yield add, {}
        return
    step = max((len(shots) - 1) / (PALETTE_FRAMES - 1), 1.0)
    drawn = {k: layout.frame(shots[k]) for k in {min(round(n * step), len(shots) - 1) for n in range(PALETTE_FRAMES)}}
    with open_gif(path, [drawn[k] for k in sorted(drawn)], layout.colours) as add:
        yield add, drawn

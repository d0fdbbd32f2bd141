"""`evaluate`: run an agent on a dataset; its traces are appended to a file, and a killed run can be resumed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from itertools import islice
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TYPE_CHECKING

from bearleft.agents.agent import Agent, BatchAgent, ConcurrentAgent
from bearleft.agents.registry import canonical_name, open_agent
from bearleft.agents.user_file import is_agent_file
from bearleft.data import open_dataset
from bearleft.envs.legs import EnvOptions
from bearleft.envs.reach import default_horizon
from bearleft.errors import InputError, format_value
from bearleft.evaluation.play import play, play_batch, play_concurrently
from bearleft.evaluation.trace_files import RunConfig, append_trace, open_for_append, read_finished
from bearleft.records import Collect, Episode, Leg, Point, Reach, Trace
from bearleft.runtime.processes import process_pool
from bearleft.types import DataFolder, Progress

if TYPE_CHECKING:
    from bearleft.evaluation.observation_pictures import ObservationPictures
    from bearleft.world.pictures import PictureOptions

CHUNK = 16  # episodes that a process plays at a time


def evaluate(
    agent: str | Agent | ConcurrentAgent,
    dataset: str,
    output: str | os.PathLike[str] | None = None,
    seed: int = 0,
    data: DataFolder = None,
    processes: int = 1,
    options: EnvOptions | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
    pictures: PictureOptions | None = None,
) -> list[Trace]:
    """Run an agent on a dataset.

    The traces are the same for every number of processes.

    Args:
        agent: An agent, or its name: a built-in agent, the path of a Python file or checkpoint, `pipe:COMMAND`
            or `llm:MODEL`.
        dataset: The dataset and split, such as "city/touchdown/small", or the path of a file of episodes.
        output: A file of JSON lines; each trace is appended to it as soon as its episode ends. A run whose file exists
            is resumed: episodes that it holds are not played again.
        seed: The seed of everything random.
        data: The folder of real datasets; BEARLEFT_DATA or the system's data folder by default.
        processes: The number of processes; agents that are objects play in this one.
        options: The options of the environment, such as the horizon; those of the dataset by default.
        limit: Maximum number of episodes, from the beginning of the dataset; None for all.
        progress: Called with a label, the episodes done and the total.
        pictures: Adds pictures to the observations of your own agent: {"see": "view"} or {"see": "panorama"}, with
            other options of `bearleft.world.pictures.PictureOptions`.

    Returns:
        A trace for each episode, in the order of the dataset.

    Raises:
        InputError: The agent, the dataset or an option is invalid, or the file holds traces of another run.
        RuntimeError: A worker process was killed; run the same call again to resume.
    """
    if processes < 1:
        raise InputError("at least one process", str(processes))
    agent, config, episodes = prepare_run(agent, dataset, seed, data, options, limit, pictures)
    if output is None:
        return list(_traces(agent, config, episodes, processes, progress, 0))
    path = Path(output)
    with open_for_append(path) as stream:
        done = {trace.episode: trace for trace in read_finished(stream, path, config)}
        ids = {episode.id for episode in episodes}
        remaining = [episode for episode in episodes if episode.id not in done]
        played = sum(name in ids for name in done)
        for trace in _traces(agent, config, remaining, processes, progress, played):
            done[trace.episode] = trace
            append_trace(stream, path, trace)
        os.fsync(stream.fileno())
    return [done[episode.id] for episode in episodes]


def prepare_run(
    agent: str | Agent | ConcurrentAgent,
    dataset: str,
    seed: int = 0,
    data: DataFolder = None,
    options: EnvOptions | None = None,
    limit: int | None = None,
    pictures: PictureOptions | None = None,
) -> tuple[str | Agent | ConcurrentAgent, RunConfig, list[Episode]]:
    """Check the arguments of `evaluate`; return the agent, what its traces have in common, and the episodes."""
    if not 0 <= seed < 2**63:
        raise InputError("a seed from 0 to 2**63 - 1", str(seed))
    if limit is not None and limit < 1:
        raise InputError("a limit of at least one episode", str(limit))
    if isinstance(agent, str):
        agent = canonical_name(agent)
    opened = open_dataset(dataset, data)
    name = agent if isinstance(agent, str) else getattr(agent, "label", type(agent).__name__)
    episodes = list(islice(opened, limit))
    # Episodes of a file of bearleft name their dataset.
    defaults = EnvOptions(horizon=default_horizon(episodes[0].dataset if episodes else dataset))
    options = options or defaults
    options = replace(options, horizon=options.horizon or defaults.horizon)
    walks = any(isinstance(leg.goal, Reach) for episode in episodes for leg in episode.legs)
    extra = tuple(getattr(agent, "label_options", ()))
    config = RunConfig(name, dataset, opened.sha256, seed, data, options, defaults, walks, pictures, extra)
    _check_pictures(agent, config, episodes)
    for rule, is_set, hint in (
        ("perfect navigation", options.perfect_navigation, "Collect legs then follow the demonstration."),
        ("retry_pick", options.retry_pick, "Collect legs then continue after a pick with nothing in reach."),
    ):
        if is_set and not any(isinstance(leg.goal, Collect) for episode in episodes for leg in episode.legs):
            got, hint = f"{dataset}, without any", f"{hint} Use a dataset such as city/arramon."
            raise InputError(f"{rule} on a dataset with legs to collect", got, hint=hint)
    if options.interactive and not any(_has_views(leg) for episode in episodes for leg in episode.legs):
        hint = "It needs the view recorded after each sentence, which refer360 and city/refer360 have."
        raise InputError("--interactive on a dataset with recorded views", f"{dataset}, without any", hint=hint)
    return agent, config, episodes


def open_player(agent: str | Agent | ConcurrentAgent, config: RunConfig) -> Agent | ConcurrentAgent:
    """Return the agent of a run, loaded if it is a name.

    Raises:
        InputError: It cannot be loaded, or was trained with another rule of junctions.
    """
    player = open_agent(agent, config.dataset, config.data) if isinstance(agent, str) else agent
    if getattr(player, "auto_turn", config.options.auto_turn) != config.options.auto_turn:
        expected = "the rule of junctions that the network was trained with"
        hint = "Add --no-auto-turn." if config.options.auto_turn else "Leave out --no-auto-turn."
        raise InputError(expected, f"auto_turn {config.options.auto_turn}", "auto_turn", hint=hint)
    return player


def _check_pictures(agent: str | Agent | ConcurrentAgent, config: RunConfig, episodes: Sequence[Episode]) -> None:
    """Raise InputError if pictures are asked for by an agent that would not see them, or if there are none."""
    if config.pictures is None:
        return
    if isinstance(agent, str) and not is_agent_file(agent) and not agent.startswith(("pipe:", "llm:")):
        hint = "Other agents take no pictures, or their own."
        raise InputError(
            "see with your own agent, FILE.py, pipe:COMMAND or llm:MODEL", format_value(agent), "see", hint=hint
        )
    source = _open_pictures(config)
    if source is not None and episodes:
        source.open(episodes[0])


def _open_pictures(config: RunConfig) -> ObservationPictures | None:
    """Return what adds pictures to observations; None if they have none."""
    if config.pictures is None:
        return None
    from bearleft.evaluation.observation_pictures import ObservationPictures  # imports the renderer, which is slow

    return ObservationPictures(config.pictures, config.data)


def _has_views(leg: Leg) -> bool:
    return isinstance(leg.goal, Point) and bool(leg.goal.views) and len(leg.goal.views) == len(leg.sentences)


def _traces(
    agent: str | Agent | ConcurrentAgent,
    config: RunConfig,
    episodes: Sequence[Episode],
    processes: int,
    progress: Progress | None,
    finished: int,
) -> Iterator[Trace]:
    """Yield the traces in order, from this process or from several; `finished` episodes were played before."""
    total = finished + len(episodes)

    def report_progress(done: int) -> None:
        if progress is not None:
            progress(config.label, finished + done, total)

    report_progress(0)
    # Loaded here in any case, so that errors of an agent are raised before any process is started.
    player = open_player(agent, config)
    if processes == 1 or not isinstance(agent, str) or isinstance(player, ConcurrentAgent) or len(episodes) <= CHUNK:
        try:
            for done, trace in enumerate(play_all(player, config, episodes), 1):
                yield trace
                report_progress(done)
        finally:
            getattr(player, "close", lambda: None)()
        return
    chunks = [episodes[begin : begin + CHUNK] for begin in range(0, len(episodes), CHUNK)]
    done = 0
    with process_pool(min(processes, len(chunks)), _initialize_process, config) as pool:
        try:
            for traces in pool.map(_play_chunk, chunks):
                for trace in traces:
                    yield trace
                    done += 1
                report_progress(done)
        except BrokenProcessPool as error:
            pool.shutdown(wait=False, cancel_futures=True)
            raise RuntimeError("a playing process was killed; run the same command again to resume") from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


_config: RunConfig  # of this process
_player: Agent | ConcurrentAgent


def _initialize_process(config: RunConfig) -> None:
    global _config, _player
    _config, _player = config, open_agent(config.agent, config.dataset, config.data)
    if hasattr(_player, "close"):
        Finalize(None, _player.close, exitpriority=1)  # called when the process ends


def _play_chunk(episodes: Sequence[Episode]) -> list[Trace]:
    return list(play_all(_player, _config, episodes))


def play_all(agent: Agent | ConcurrentAgent, config: RunConfig, episodes: Sequence[Episode]) -> Iterator[Trace]:
    """Play episodes and yield their traces in order; a batch agent plays `batch_size` episodes at a time.

    An agent with a method `prepare` gets the episodes first, so that it can work in batches.
    """
    getattr(agent, "prepare", lambda _: None)(episodes)
    settings = config.seed, config.data, config.options, _open_pictures(config)
    if isinstance(agent, ConcurrentAgent):
        for episode, legs in zip(episodes, play_concurrently(agent, episodes, *settings), strict=True):
            yield config.trace(episode.id, legs)
        return
    size = agent.batch_size if isinstance(agent, BatchAgent) else 1
    for begin in range(0, len(episodes), size):
        batch = episodes[begin : begin + size]
        if isinstance(agent, BatchAgent):
            played = play_batch(agent, batch, *settings)
        else:
            played = [play(agent, batch[0], *settings)]
        for episode, legs in zip(batch, played, strict=True):
            yield config.trace(episode.id, legs)

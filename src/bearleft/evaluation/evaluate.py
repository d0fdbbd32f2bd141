"""`evaluate`: run an agent on a dataset; its traces are appended to a file, and a killed run can be resumed."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import islice
from multiprocessing.util import Finalize
from pathlib import Path

from bearleft.agents.agent import Agent, BatchAgent
from bearleft.agents.checkpoints import file_hash
from bearleft.agents.pointing import is_checkpoint
from bearleft.agents.registry import canonical_name, make_agent
from bearleft.agents.user_file import agent_file_hash, is_agent_file
from bearleft.data import open_dataset
from bearleft.data.json_stream import MAX_ITEM_BYTES
from bearleft.envs.legs import EnvOptions
from bearleft.envs.reach import HORIZON, default_horizon
from bearleft.errors import InputError, format_value
from bearleft.evaluation.play import play, play_batch
from bearleft.records import Collect, Episode, Leg, Point, Reach, Trace, to_json_line
from bearleft.runtime.processes import process_pool
from bearleft.types import DataFolder, Progress
from bearleft.version import VERSION

CHUNK = 16  # episodes that a process plays at a time
LINE_PREFIX = b'{"format":'  # of every trace


@dataclass(frozen=True)
class RunConfig:
    """What all traces of one file have in common.

    Attributes:
        agent: The name of the agent.
        dataset: The name of the dataset and split.
        sha256: The hash of the dataset file.
        seed: The seed of the run.
        data: The folder of real datasets.
        options: The options of the environment.
        defaults: The default options; those that differ are part of the label.
        walks: Whether the dataset has Reach legs.
    """

    agent: str
    dataset: str
    sha256: str
    seed: int
    data: DataFolder
    options: EnvOptions
    defaults: EnvOptions
    walks: bool

    @property
    def horizon(self) -> int | None:
        """Return the horizon of walks; None if there are none."""
        return self.options.horizon if self.walks else None

    @cached_property
    def label(self) -> str:
        """Return the agent's name with the options that differ, so that no file mixes two configurations."""
        changed = [
            f"{field.name}={getattr(self.options, field.name):g}"
            for field in fields(self.options)
            if getattr(self.options, field.name) != getattr(self.defaults, field.name)
        ]
        if is_agent_file(self.agent):
            changed.insert(0, agent_file_hash(self.agent))
        elif is_checkpoint(self.agent):
            changed.insert(0, file_hash(self.agent))
        return f"{self.agent}[{','.join(changed)}]" if changed else self.agent

    def traces(self, agent: Agent, episodes: Sequence[Episode]) -> Iterator[Trace]:
        """Play episodes and yield their traces in order; a batch agent plays `batch_size` episodes at a time."""
        settings = self.seed, self.data, self.options
        size = agent.batch_size if isinstance(agent, BatchAgent) else 1
        for begin in range(0, len(episodes), size):
            batch = episodes[begin : begin + size]
            if isinstance(agent, BatchAgent):
                played = play_batch(agent, batch, *settings)
            else:
                played = [play(agent, batch[0], *settings)]
            for episode, legs in zip(batch, played, strict=True):
                yield Trace(episode.id, self.dataset, self.label, legs, self.seed, self.sha256, VERSION, self.horizon)


def evaluate(
    agent: str | Agent,
    dataset: str,
    output: str | os.PathLike[str] | None = None,
    seed: int = 0,
    data: DataFolder = None,
    processes: int = 1,
    options: EnvOptions | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> list[Trace]:
    """Run an agent on a dataset.

    The traces are the same for every number of processes.

    Args:
        agent: An agent, or its name: a built-in agent, the path of a Python file or checkpoint, or `pipe:COMMAND`.
        dataset: The dataset and split, such as "city/touchdown/small", or the path of a file of episodes.
        output: A file of JSON lines; each trace is appended to it as soon as its episode ends. A run whose file exists
            is resumed: episodes that it holds are not played again.
        seed: The seed of everything random.
        data: The folder of real datasets; BEARLEFT_DATA or the system's data folder by default.
        processes: The number of processes; agents that are objects play in this one.
        options: The options of the environment, such as the horizon; those of the dataset by default.
        limit: Maximum number of episodes, from the beginning of the dataset; None for all.
        progress: Called with a label, the episodes done and the total.

    Returns:
        A trace for each episode, in the order of the dataset.

    Raises:
        InputError: The agent, the dataset or an option is invalid, or the file holds traces of another run.
        RuntimeError: A worker process was killed; run the same call again to resume.
    """
    if processes < 1:
        raise InputError("at least one process", str(processes))
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
    config = RunConfig(name, dataset, opened.sha256, seed, data, options, defaults, walks)
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
    if output is None:
        return list(_traces(agent, config, episodes, processes, progress, 0))
    path = Path(output)
    with _open_for_append(path) as stream:
        done = _read_finished(stream, path, config)
        ids = {episode.id for episode in episodes}
        remaining = [episode for episode in episodes if episode.id not in done]
        played = sum(name in ids for name in done)
        for trace in _traces(agent, config, remaining, processes, progress, played):
            done[trace.episode] = trace
            _append(stream, path, to_json_line(trace) + "\n")
        os.fsync(stream.fileno())
    return [done[episode.id] for episode in episodes]


def _has_views(leg: Leg) -> bool:
    return isinstance(leg.goal, Point) and bool(leg.goal.views) and len(leg.goal.views) == len(leg.sentences)


def _traces(
    agent: str | Agent,
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
    player = make_agent(agent, config.dataset, config.data) if isinstance(agent, str) else agent
    if processes == 1 or not isinstance(agent, str) or len(episodes) <= CHUNK:
        try:
            _prepare(player, episodes)
            for done, trace in enumerate(config.traces(player, episodes), 1):
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
_player: Agent


def _initialize_process(config: RunConfig) -> None:
    global _config, _player
    _config, _player = config, make_agent(config.agent, config.dataset, config.data)
    if hasattr(_player, "close"):
        Finalize(None, _player.close, exitpriority=1)  # called when the process ends


def _prepare(player: Agent, episodes: Sequence[Episode]) -> None:
    """Pass the episodes to an agent with a method `prepare`, so that it can work in batches."""
    getattr(player, "prepare", lambda _: None)(episodes)


def _play_chunk(episodes: Sequence[Episode]) -> list[Trace]:
    _prepare(_player, episodes)
    return list(_config.traces(_player, episodes))


@contextlib.contextmanager
def _open_for_append(path: Path) -> Iterator[io.FileIO]:
    """Open a file for appending and lock it."""
    if path.exists() and not path.is_file():
        got = "a folder" if path.is_dir() else "a device or a pipe"
        raise InputError("a file to write traces to", got, file=str(path))
    is_new = not path.exists()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Unbuffered: a failed write is not repeated when the file is closed.
        stream = open(path, "ab", buffering=0)  # noqa: SIM115  (closed below)
    except OSError as error:
        raise InputError("a file that can be written", format_value(error.strerror or ""), file=str(path)) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError("a file that no other run writes", "one in use", file=str(path)) from None
        try:
            yield stream
        finally:
            # A run that failed before its first trace leaves no file.
            if is_new and not path.stat().st_size:
                path.unlink()


def _append(stream: io.FileIO, path: Path, line: str) -> None:
    remaining = line.encode()
    try:
        while remaining:
            remaining = remaining[stream.write(remaining) :]
    except OSError as error:
        advice = "The traces written before are complete; free some space and run the same command again."
        hint = advice if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else ""
        raise InputError("room to write", format_value(error.strerror or ""), file=str(path), hint=hint) from error


def _read_finished(stream: io.FileIO, path: Path, config: RunConfig) -> dict[str, Trace]:
    """Return the traces that a file holds; an incomplete last line of a killed run is truncated."""
    done: dict[str, Trace] = {}
    valid_bytes = 0
    with open(path, "rb") as lines:
        for number, line in enumerate(iter(lambda: lines.readline(MAX_ITEM_BYTES + 1), b""), 1):
            if len(line) > MAX_ITEM_BYTES:
                got = f"a longer one: {format_value(line[:80].decode(errors='replace'))}"
                raise InputError(f"lines of at most {MAX_ITEM_BYTES:,} bytes", got, file=str(path), line=number)
            if not line.endswith(b"\n"):
                if not (line.startswith(LINE_PREFIX) or LINE_PREFIX.startswith(line)):
                    got = format_value(line.decode(errors="replace"))
                    raise InputError("a file of traces", got, file=str(path), line=number)
                break
            trace = read_trace(line, path, number)
            _check_same_run(trace, config, path, number)
            done[trace.episode] = trace
            valid_bytes += len(line)
    stream.truncate(valid_bytes)
    return done


def read_trace(line: bytes, path: Path, number: int) -> Trace:
    """Return the trace of one line; errors name the file and the line.

    Args:
        line: The line.
        path: Its file.
        number: Its number, counted from 1.
    """
    try:
        return Trace.from_json(json.loads(line))
    except InputError as error:
        raise error.at(file=str(path), line=number) from None
    except (ValueError, RecursionError):
        got = format_value(line.decode(errors="replace"))
        raise InputError("a trace in JSON", got, file=str(path), line=number) from None


def _check_same_run(trace: Trace, config: RunConfig, path: Path, line: int) -> None:
    for field, expected, got in (
        ("dataset", config.dataset, trace.dataset),
        ("sha256", config.sha256, trace.sha256),
        ("agent", config.label, trace.agent),
        ("seed", config.seed, trace.seed),
        ("horizon", config.horizon, trace.horizon),
    ):
        # Traces of earlier versions have no horizon: it was HORIZON unless the name of their agent contains another.
        if (
            field == "horizon"
            and got is None
            and (expected in (None, HORIZON) or f"[horizon={expected:g}" in trace.agent)
        ):
            continue
        if expected != got:
            same_file = field == "agent" and is_agent_file(config.agent) and trace.agent.startswith(f"{config.agent}[")
            edited = same_file and agent_file_hash(config.agent) not in trace.agent
            reason = f"{config.agent} has changed since (the label includes a hash of it). " if edited else ""
            raise InputError(
                f"traces of this run ({field} {format_value(expected)})",
                format_value(got),
                field,
                str(path),
                line,
                hint=f"{reason}Write to another file, or delete this one.",
            )

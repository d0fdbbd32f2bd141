"""`evaluate`: an agent plays a dataset, and what it did is appended to a file that survives a kill."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

from bearleft.agents.agent import Agent, BatchAgent
from bearleft.agents.checkpoints import file_hash
from bearleft.agents.pointing import is_checkpoint
from bearleft.agents.registry import canonical_name, make_agent
from bearleft.agents.user_file import agent_file_hash, is_agent_file
from bearleft.data import open_dataset
from bearleft.envs.legs import EnvOptions
from bearleft.envs.reach import HORIZON, default_horizon
from bearleft.errors import InputError, format_value
from bearleft.evaluation.play import play, play_batch
from bearleft.records import Collect, Episode, Leg, Point, Reach, Trace, to_json_line
from bearleft.runtime.processes import process_pool
from bearleft.version import VERSION

Data = str | os.PathLike[str] | None
Progress = Callable[[str, int, int], None]
CHUNK = 16
BEGINNING = b'{"format":'  # of every line of ours


@dataclass(frozen=True)
class Job:
    """What all traces of one file have in common."""

    agent: str
    dataset: str
    sha256: str
    seed: int
    data: Data
    options: EnvOptions
    defaults: EnvOptions
    walks: bool

    @property
    def horizon(self) -> int | None:
        """The horizon of its walks; None where nothing walks."""
        return self.options.horizon if self.walks else None

    @cached_property
    def label(self) -> str:
        """The agent's name with whatever rule was changed, so that no file mixes two games."""
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
        """Play episodes one after another; an agent that plays several side by side is given as many as it takes."""
        given = self.seed, self.data, self.options
        size = agent.batch_size if isinstance(agent, BatchAgent) else 1
        for begin in range(0, len(episodes), size):
            some = episodes[begin : begin + size]
            if isinstance(agent, BatchAgent):
                played = play_batch(agent, some, *given)
            else:
                played = [play(agent, some[0], *given)]
            for episode, legs in zip(some, played, strict=True):
                yield Trace(episode.id, self.dataset, self.label, legs, self.seed, self.sha256, VERSION, self.horizon)


def evaluate(
    agent: str | Agent,
    dataset: str,
    out: str | os.PathLike[str] | None = None,
    seed: int = 0,
    data: Data = None,
    processes: int = 1,
    options: EnvOptions | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> list[Trace]:
    """Lets an agent (by name, or an object) play a dataset; the traces, in the dataset's order.

    With `out` each trace is appended to that file as soon as it is there, and a file that is there already is
    continued: what it holds is not played again. The result is the same for every number of processes.
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
    # Episodes of a file of ours say themselves which dataset they are of.
    defaults = EnvOptions(horizon=default_horizon(episodes[0].dataset if episodes else dataset))
    chosen = options or defaults
    chosen = replace(chosen, horizon=chosen.horizon or defaults.horizon)
    walks = any(isinstance(leg.goal, Reach) for episode in episodes for leg in episode.legs)
    job = Job(name, dataset, opened.sha256, seed, data, chosen, defaults, walks)
    for rule, set_, hint in (
        ("perfect navigation", job.options.perfect_navigation, "It leaves legs to collect to the reference, as those"),
        ("retry_pick", job.options.retry_pick, "It lets a walk go on after a pick with nothing in reach, as those"),
    ):
        if set_ and not any(isinstance(leg.goal, Collect) for episode in episodes for leg in episode.legs):
            got, hint = f"{dataset}, without any", f"{hint} of city/arramon."
            raise InputError(f"{rule} on a dataset with legs to collect", got, hint=hint)
    if job.options.interactive and not any(_has_views(leg) for episode in episodes for leg in episode.legs):
        hint = "It gives sentences one by one as their recorded views are reached, as in refer360 and city/refer360."
        raise InputError("--interactive on a dataset with recorded views", f"{dataset}, without any", hint=hint)
    if out is None:
        return list(_traces(agent, job, episodes, processes, progress, 0))
    with _appending(Path(out)) as stream:
        done = _continue(stream, Path(out), job)
        known = {episode.id for episode in episodes}
        left = [episode for episode in episodes if episode.id not in done]
        played = sum(name in known for name in done)
        for trace in _traces(agent, job, left, processes, progress, played):
            done[trace.episode] = trace
            _append(stream, Path(out), to_json_line(trace) + "\n")
        os.fsync(stream.fileno())
    return [done[episode.id] for episode in episodes]


def _has_views(leg: Leg) -> bool:
    return isinstance(leg.goal, Point) and bool(leg.goal.views) and len(leg.goal.views) == len(leg.sentences)


def _traces(
    agent: str | Agent, job: Job, episodes: Sequence[Episode], processes: int, progress: Progress | None, before: int
) -> Iterator[Trace]:
    """The traces in order, from this process or from several."""
    total = before + len(episodes)

    def tell(done: int) -> None:
        if progress is not None:
            progress(job.label, before + done, total)

    tell(0)
    # Made here in any case: what is wrong with an agent is said before any process is started.
    player = make_agent(agent, job.dataset, job.data) if isinstance(agent, str) else agent
    if processes == 1 or not isinstance(agent, str) or len(episodes) <= CHUNK:
        try:
            _prepare(player, episodes)
            for done, trace in enumerate(job.traces(player, episodes), 1):
                yield trace
                tell(done)
        finally:
            getattr(player, "close", lambda: None)()
        return
    chunks = [episodes[begin : begin + CHUNK] for begin in range(0, len(episodes), CHUNK)]
    done = 0
    with process_pool(min(processes, len(chunks)), _begin_process, job) as pool:
        try:
            for traces in pool.map(_play_chunk, chunks):
                for trace in traces:
                    yield trace
                    done += 1
                tell(done)
        except BrokenProcessPool as error:
            pool.shutdown(wait=False, cancel_futures=True)
            raise RuntimeError("a playing process was killed; run the same command again to go on") from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


_job: Job
_player: Agent


def _begin_process(job: Job) -> None:
    global _job, _player
    _job, _player = job, make_agent(job.agent, job.dataset, job.data)


def _prepare(player: Agent, episodes: Sequence[Episode]) -> None:
    """Tells an agent that wants to know what comes, so that it can work in batches."""
    getattr(player, "prepare", lambda _: None)(episodes)


def _play_chunk(episodes: Sequence[Episode]) -> list[Trace]:
    _prepare(_player, episodes)
    return list(_job.traces(_player, episodes))


@contextlib.contextmanager
def _appending(path: Path) -> Iterator[io.FileIO]:
    """The file, open for appending, and nobody else's while it is ours."""
    if path.exists() and not path.is_file():
        got = "a folder" if path.is_dir() else "a device or a pipe"
        raise InputError("a file to write traces to", got, file=str(path))
    new = not path.exists()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Without a buffer: what could not be written is not tried again when the file is closed.
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
            # A run that failed before its first trace leaves nothing behind.
            if new and not path.stat().st_size:
                path.unlink()


def _append(stream: io.FileIO, path: Path, line: str) -> None:
    left = line.encode()
    try:
        while left:
            left = left[stream.write(left) :]
    except OSError as error:
        kept = "What was written before is whole; free some space and run the same command again."
        hint = kept if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else ""
        raise InputError("room to write", format_value(error.strerror or ""), file=str(path), hint=hint) from error


def _continue(stream: io.FileIO, path: Path, job: Job) -> dict[str, Trace]:
    """The traces a file holds already; half a line at its end, left by a kill, is cut off."""
    done: dict[str, Trace] = {}
    good = 0
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                if not (line.startswith(BEGINNING) or BEGINNING.startswith(line)):
                    got = format_value(line.decode(errors="replace"))
                    raise InputError("a file of traces", got, file=str(path), line=number)
                break
            trace = read_trace(line, path, number)
            _same_run(trace, job, path, number)
            done[trace.episode] = trace
            good += len(line)
    stream.truncate(good)
    return done


def read_trace(line: bytes, path: Path, number: int) -> Trace:
    """The trace of one line; an error names the file and the line."""
    try:
        return Trace.from_json(json.loads(line))
    except InputError as error:
        raise error.at(file=str(path), line=number) from None
    except (ValueError, RecursionError):
        got = format_value(line.decode(errors="replace"))
        raise InputError("a trace in JSON", got, file=str(path), line=number) from None


def _same_run(trace: Trace, job: Job, path: Path, line: int) -> None:
    for field, ours, theirs in (
        ("dataset", job.dataset, trace.dataset),
        ("sha256", job.sha256, trace.sha256),
        ("agent", job.label, trace.agent),
        ("seed", job.seed, trace.seed),
        ("horizon", job.horizon, trace.horizon),
    ):
        # Traces of earlier versions do not say their horizon: it was HORIZON unless their agent's name says another.
        if field == "horizon" and theirs is None and (ours in (None, HORIZON) or f"[horizon={ours:g}" in trace.agent):
            continue
        if ours != theirs:
            same = field == "agent" and is_agent_file(job.agent) and trace.agent.startswith(f"{job.agent}[")
            edited = same and agent_file_hash(job.agent) not in trace.agent
            why = f"{job.agent} has changed since (the letters stand for what is in it). " if edited else ""
            raise InputError(
                f"traces of this run ({field} {format_value(ours)})",
                format_value(theirs),
                field,
                str(path),
                line,
                hint=f"{why}Write to another file, or delete this one.",
            )

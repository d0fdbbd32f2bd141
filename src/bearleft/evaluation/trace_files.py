"""Files of traces that one run writes: what their traces have in common, and how a run is resumed."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bearleft.agents.checkpoints import file_hash
from bearleft.agents.pipeline import split_pipeline
from bearleft.agents.pointing import is_checkpoint
from bearleft.agents.user_file import agent_file_hash, is_agent_file
from bearleft.data.json_stream import MAX_ITEM_BYTES
from bearleft.envs.legs import EnvOptions
from bearleft.envs.reach import HORIZON
from bearleft.errors import InputError, format_value
from bearleft.records import LegTrace, Trace, to_json_line
from bearleft.types import DataFolder
from bearleft.version import VERSION

if TYPE_CHECKING:
    from bearleft.world.pictures import PictureOptions

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
        pictures: The options of the pictures in observations; None for no pictures.
        agent_options: The agent's own options that are part of the label.
    """

    agent: str
    dataset: str
    sha256: str
    seed: int
    data: DataFolder
    options: EnvOptions
    defaults: EnvOptions
    walks: bool
    pictures: PictureOptions | None = None
    agent_options: tuple[str, ...] = ()

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
        changed += [
            f"{name}={value:g}"
            if isinstance(value, int | float)
            else f"{name}={'+'.join(map(str, value)) if isinstance(value, list | tuple) else value}"
            for name in ("see", "size", "fov", "city", "samples", "shadows", "pictures")
            if (value := (self.pictures or {}).get(name)) is not None
        ]
        names = split_pipeline(self.agent, os.path.exists) or (self.agent,)
        changed = [*filter(None, map(_file_hash, names)), *self.agent_options, *changed]
        return f"{self.agent}[{','.join(changed)}]" if changed else self.agent

    def trace(self, episode: str, legs: tuple[LegTrace, ...]) -> Trace:
        """Return the trace of an episode."""
        return Trace(episode, self.dataset, self.label, legs, self.seed, self.sha256, VERSION, self.horizon)


def _file_hash(agent: str) -> str:
    """Return what changes with the file of an agent; empty if it has none."""
    if is_agent_file(agent):
        return agent_file_hash(agent)
    return file_hash(agent) if is_checkpoint(agent) else ""


@contextlib.contextmanager
def open_for_append(path: Path) -> Iterator[io.FileIO]:
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
            hint = "An environment that records traces to it is closed by env.close()."
            raise InputError("a file that no other run writes", "one in use", file=str(path), hint=hint) from None
        try:
            yield stream
        finally:
            # A run that failed before its first trace leaves no file.
            if is_new and not path.stat().st_size:
                path.unlink()


def append_trace(stream: io.FileIO, path: Path, trace: Trace) -> None:
    """Append a trace to its file."""
    remaining = f"{to_json_line(trace)}\n".encode()
    try:
        while remaining:
            remaining = remaining[stream.write(remaining) :]
    except OSError as error:
        advice = "The traces written before are complete; free some space and run the same command again."
        hint = advice if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else ""
        raise InputError("room to write", format_value(error.strerror or ""), file=str(path), hint=hint) from error


def read_finished(stream: io.FileIO, path: Path, config: RunConfig) -> list[Trace]:
    """Return the traces that a file holds; an incomplete last line of a killed run is truncated."""
    done: list[Trace] = []
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
            check_same_run(trace, config, path, number)
            done.append(trace)
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


def check_same_run(trace: Trace, config: RunConfig, path: Path, line: int) -> None:
    """Raise InputError if a trace is of another run."""
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

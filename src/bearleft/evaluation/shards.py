"""Runs of agents in shards: each plays some episodes, and writes their traces to a file of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from bearleft.agents.agent import Agent, ConcurrentAgent
from bearleft.data.json_stream import MAX_ITEM_BYTES
from bearleft.envs.legs import EnvOptions
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import CHUNK, open_player, play_all, prepare_run
from bearleft.evaluation.trace_files import check_same_run, read_trace
from bearleft.records import Episode, to_json_line
from bearleft.runtime.shards import STATE_FOLDER, JobResult, ShardedJob
from bearleft.runtime.store import atomic_write, existing_file
from bearleft.types import DataFolder, Progress
from bearleft.world.pictures import PictureOptions

MAX_SHARDS = 4096  # a folder with more files is slow on network file systems


class EvaluationShards(ShardedJob):
    """A run of an agent, in shards of 16 episodes, of more where there are very many.

    Args:
        agent: The agent, or its name.
        dataset: The dataset and split, or a file of episodes.
        output: The file of traces.
        seed: The seed of everything random.
        data: The folder of real datasets.
        options: The options of the environment.
        limit: Maximum number of episodes.
        pictures: The options of the pictures in observations.
    """

    label = "episodes, in shards"

    def __init__(
        self,
        agent: str | Agent | ConcurrentAgent,
        dataset: str,
        output: str | os.PathLike[str],
        seed: int = 0,
        data: DataFolder = None,
        options: EnvOptions | None = None,
        limit: int | None = None,
        pictures: PictureOptions | None = None,
    ) -> None:
        self.output = Path(output)
        self.folder = Path(f"{output}{STATE_FOLDER}")
        self.agent, self.config, self.episodes = prepare_run(agent, dataset, seed, data, options, limit, pictures)
        size = CHUNK * max(1, -(-len(self.episodes) // (CHUNK * MAX_SHARDS)))
        starts = range(0, len(self.episodes), size)
        self.shards = {f"episodes-{k:05d}": self.episodes[begin : begin + size] for k, begin in enumerate(starts)}

    @cached_property
    def _player(self) -> Agent | ConcurrentAgent:
        return open_player(self.agent, self.config)

    @cached_property
    def _is_joined(self) -> bool:
        """Whether the file of traces is there."""
        if not self.output.exists():
            return False
        for _ in self._checked_lines(self.output, self.episodes):
            pass
        return True

    def path(self, shard: str) -> Path:
        """Return the file of a shard's traces."""
        return self.folder / f"{shard}.jsonl"

    def pending(self) -> list[str]:
        """Return the shards whose file is missing."""
        return [] if self._is_joined else [name for name in self.shards if not self.path(name).exists()]

    def run(self, shard: str) -> None:
        """Play the episodes of a shard."""
        if not self.path(shard).exists():
            traces = play_all(self._player, self.config, self.shards[shard])
            with atomic_write(self.path(shard), "wb") as stream:
                stream.writelines(f"{to_json_line(trace)}\n".encode() for trace in traces)

    def folders(self) -> list[Path]:
        """Return the folder of the shards."""
        return [self.folder]

    def join(self, progress: Progress | None = None) -> JobResult:
        """Check every trace, write all into one file in the order of the dataset, and remove the shards."""
        if not self._is_joined:
            with atomic_write(self.output, "wb") as stream:
                for done, (name, episodes) in enumerate(self.shards.items(), 1):
                    stream.writelines(self._checked_lines(self.path(name), episodes))
                    if progress is not None:
                        progress("joining", done, len(self.shards))
        for name in self.shards:
            self.path(name).unlink(missing_ok=True)
        row = {"path": str(self.output), "agent": self.config.label, "traces": len(self.episodes)}
        return JobResult("Traces", [row], [f"Next: bearleft score {self.output}"])

    def _checked_lines(self, path: Path, episodes: Sequence[Episode]) -> Iterator[bytes]:
        """Yield the lines of a file of traces, which have to be those of the episodes, in their order."""
        hint = "Delete this file and run the same command again."
        with open(existing_file(path, "a file of traces"), "rb") as stream:
            for number, episode in enumerate(episodes, 1):
                line = stream.readline(MAX_ITEM_BYTES + 1)
                if not line.endswith(b"\n"):
                    raise InputError(f"{len(episodes):,} traces", f"{number - 1:,}", file=str(path), hint=hint)
                trace = read_trace(line, path, number)
                check_same_run(trace, self.config, path, number)
                if trace.episode != episode.id:
                    expected = f"the trace of episode {episode.id}"
                    raise InputError(expected, f"that of {trace.episode}", file=str(path), line=number, hint=hint)
                yield line
            if stream.read(1):
                raise InputError(f"{len(episodes):,} traces", "more", file=str(path), hint=hint)

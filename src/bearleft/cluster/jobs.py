"""Run shares of a job's shards in this process or in several, and join finished shards."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path

from bearleft.cluster.kinds import open_job
from bearleft.errors import InputError
from bearleft.runtime.processes import process_pool
from bearleft.runtime.shards import (
    JobResult,
    JobSpec,
    ShardedJob,
    Share,
    begun_in,
    find_manifests,
    read_manifest,
)
from bearleft.runtime.store import remove_abandoned_in
from bearleft.types import Progress

Execute = Callable[[list[str]], Iterable[object]]  # yields something after each shard


@dataclass(frozen=True)
class ShareResult:
    """What one share did.

    Attributes:
        finished: The shards that were computed.
        others: The shards of other shares that are not finished yet, as far as they are known.
    """

    finished: int
    others: int


def run_share(spec: JobSpec, share: Share, processes: int = 1, progress: Progress | None = None) -> ShareResult:
    """Compute the unfinished shards of one share; the same share may be run again, or twice at once.

    Args:
        spec: What was asked for.
        share: The share.
        processes: The number of processes.
        progress: Called with a label, the shards done and the total.

    Raises:
        InputError: An option is invalid, or other work was begun in the output.
        RuntimeError: A worker process was killed; the same share goes on.
    """
    if processes < 1:
        raise InputError("at least one process", str(processes), "processes")
    job = open_job(spec)
    spec.begin()
    if processes == 1 or job.threads:
        finished = run_pending(job, lambda shards: map(job.run, shards), share, progress)
    else:
        with _pool(spec, processes) as execute:
            finished = run_pending(job, execute, share, progress)
    return ShareResult(finished, len(job.pending()))


@contextlib.contextmanager
def _pool(spec: JobSpec, processes: int) -> Iterator[Execute]:
    """Yield a function that computes shards in worker processes."""
    with process_pool(processes, _open_worker, spec) as pool:

        def execute(shards: list[str]) -> Iterator[object]:
            for future in as_completed([pool.submit(_run_shard, shard) for shard in shards]):
                yield future.result()

        try:
            yield execute
        except BrokenProcessPool as error:
            pool.shutdown(wait=False, cancel_futures=True)
            raise RuntimeError("a process was killed; run the same command again to continue") from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


_job: ShardedJob  # of a worker process


def _open_worker(spec: JobSpec) -> None:
    global _job
    _job = open_job(spec)


def _run_shard(shard: str) -> None:
    _job.run(shard)


def run_pending(job: ShardedJob, execute: Execute, share: Share | None = None, progress: Progress | None = None) -> int:
    """Compute shards until none is pending, of one share or of all; return how many were computed.

    Args:
        job: The job.
        execute: Computes shards; yields after each.
        share: The share; None for all shards.
        progress: Called with a label, the shards done and the total.
    """
    done = 0
    while shards := job.pending() if share is None else share.select(job.pending()):
        total = done + len(shards)
        if progress is not None:
            progress(job.label, done, total)
        for _ in execute(shards):
            done += 1
            if progress is not None:
                progress(job.label, done, total)
    return done


def gather(output: str | os.PathLike[str], progress: Progress | None = None) -> list[JobResult]:
    """Verify and join the finished shards of an output; the result is that of one process without shards.

    Args:
        output: The output of a command that was run with shares, or a data folder with several of them.
        progress: Called with a label, the work done and the total.

    Returns:
        What the command reports without shares, for each of the works that were begun there.

    Raises:
        InputError: There are no shards, some are missing, or one is not what it should be.
    """
    results = []
    for path in [path.absolute() for path in find_manifests(output)]:
        with _begun_folder(path):
            written = read_manifest(path).output
            relative = os.path.relpath(written)
            spec = replace(read_manifest(path), output=written if relative.startswith("..") else relative)
            job = open_job(spec)
            if missing := job.missing():
                names = ", ".join(missing[:3]) + (f" and {len(missing) - 3:,} more" if len(missing) > 3 else "")
                hint = f"Run `bearleft {spec.kind}` with the missing --shard K/N again; finished shards are kept."
                raise InputError("all shards to be finished", f"{names} missing", file=spec.output, hint=hint)
            results.append(join(job, spec, progress))
    return results


def join(job: ShardedJob, spec: JobSpec, progress: Progress | None = None) -> JobResult:
    """Join the finished shards of a job, and remove what is no part of the result."""
    result = job.join(progress)
    for folder in job.folders():
        remove_abandoned_in(folder)
    spec.end()
    return result


@contextlib.contextmanager
def _begun_folder(manifest: Path) -> Iterator[None]:
    """Work in the folder in which the work was begun, by which relative names of files are meant."""
    folder = begun_in(manifest)
    with contextlib.chdir(folder if os.path.isdir(folder) else "."):
        yield

"""Options of commands that work on several machines."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import click

from bearleft.cli.common import echo, pluralize, progress
from bearleft.errors import InputError
from bearleft.reports.table import print_rows, score_table
from bearleft.runtime.shards import SCORES, JobResult, JobSpec, Share

LOCAL = "local"  # the address of a Ray cluster that is started here


@dataclass(frozen=True)
class ClusterOptions:
    """The options --shard and --ray with what belongs to them."""

    shard: str | None = None
    ray: str | None = None
    task_cpus: float | None = None
    task_gpus: float | None = None
    task_memory: float | None = None

    @property
    def given(self) -> bool:
        """Return whether the work is one of several machines."""
        return self.shard is not None or self.ray is not None


def cluster_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add --shard and --ray to a command, which gets them as `cluster`."""

    def wrapped(shard: Any, ray: Any, task_cpus: Any, task_gpus: Any, task_memory: Any, **options: Any) -> None:
        cluster = ClusterOptions(shard, ray, task_cpus, task_gpus, task_memory)
        if shard is not None and ray is not None:
            raise InputError("--shard or --ray", "both")
        if ray is None and (task_cpus, task_gpus, task_memory) != (None, None, None):
            raise InputError("--task-cpus, --task-gpus and --task-memory with --ray", "them without it")
        command(cluster=cluster, **options)

    wrapped.__doc__ = command.__doc__
    wrapped.__name__ = command.__name__
    if hasattr(command, "__click_params__"):
        wrapped.__click_params__ = command.__click_params__  # type: ignore[attr-defined]
    for option in (
        click.option("--task-memory", type=click.FloatRange(min=0), metavar="GB", help="--ray: memory of each task."),
        click.option("--task-gpus", type=click.FloatRange(min=0), metavar="N", help="--ray: GPUs of each task."),
        click.option("--task-cpus", type=click.FloatRange(min=0), metavar="N", help="--ray: cores of each task."),
        click.option(
            "--ray",
            is_flag=False,
            flag_value=LOCAL,
            metavar="[ADDRESS]",
            help="Work on a Ray cluster: auto, HOST:PORT, or alone on this machine.",
        ),
        click.option(
            "--shard", metavar="K/N", help="Do one of N shares only, on any machine; join them by `bearleft gather`."
        ),
    ):
        wrapped = option(wrapped)
    return wrapped


def run_sharded(spec: JobSpec, cluster: ClusterOptions, processes: int, as_json: bool) -> None:
    """Run one share of the work, or all of it on a Ray cluster."""
    spec = replace(spec, options=json.loads(json.dumps(spec.options)))  # as other processes read them
    if cluster.ray is not None:
        from bearleft.cluster import RayOptions, run_on_ray

        resources = cluster.task_cpus, cluster.task_gpus, cluster.task_memory
        with progress("starting Ray") as bar:
            result = run_on_ray(spec, RayOptions(cluster.ray, *resources), bar)
        print_result(result, as_json)
        echo(result.notes)
        return
    from bearleft.cluster import run_share

    assert cluster.shard is not None
    share = Share.parse(cluster.shard)
    with progress("planning") as bar:
        done = run_share(spec, share, processes, bar)
    row = {"path": spec.output, "share": cluster.shard, "written": done.finished, "pending": done.others}
    print_rows([row], as_json, "Share")
    waiting = f"{pluralize(done.others, 'shard')} of other shares are not finished. Then" if done.others else "Next"
    echo([f"{waiting}: bearleft gather {spec.output}"])


def print_result(result: JobResult, as_json: bool) -> None:
    """Print the rows of a job as its command does."""
    title, rows = score_table(result.rows) if result.title == SCORES and not as_json else (result.title, result.rows)
    print_rows(rows, as_json, title)

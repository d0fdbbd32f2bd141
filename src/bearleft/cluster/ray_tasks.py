"""Shards as tasks of a Ray cluster (Ray Core).

A task computes one shard, writes it to the folder that all nodes share, and returns its path. So neither the driver nor
the object store holds any results. Tasks that a lost node took with it are submitted again. If the driver is lost, Ray
ends its tasks; finished shards stay, and the same command goes on.
"""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import socket
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bearleft.cluster.jobs import join, run_pending
from bearleft.cluster.kinds import open_job
from bearleft.errors import InputError, format_value
from bearleft.runtime.extras import install_command
from bearleft.runtime.progress import announce
from bearleft.runtime.shards import JobResult, JobSpec, ShardedJob
from bearleft.types import Progress
from bearleft.version import VERSION

OLDEST = (2, 9)  # version of Ray
LOCAL, RUNNING = "local", "auto"  # addresses: a cluster of this machine alone, and the one that runs on it
MAX_ATTEMPTS = 8  # of a shard; the tasks of lost nodes count
TASKS_PER_SLOT = 2  # in flight, so that a free core finds the next task at once
CONNECT_SECONDS, PROBE_SECONDS, WAIT_SECONDS = 5.0, 60.0, 30.0
STORE_BYTES = 100 * 2**20  # of the object store of a local cluster: paths only
ENVIRONMENT = ("BEARLEFT_DATA", "BEARLEFT_CACHE", "NUMBA_CACHE_DIR")  # of the driver, for all tasks
START_HINT = "Start one with `ray start --head`, and name its address, HOST:PORT; --ray alone uses this machine only."


@dataclass(frozen=True)
class RayOptions:
    """The cluster, and what each task takes of it.

    Attributes:
        address: "local" for this machine alone, "auto" for the cluster that runs on it, or HOST:PORT.
        cpus: The cores of a task (default: 1).
        gpus: The GPUs of a task (default: 1 if the work names the device cuda).
        memory: The memory of a task in GB, by which Ray places it (default: none is reserved).
    """

    address: str = LOCAL
    cpus: float | None = None
    gpus: float | None = None
    memory: float | None = None

    def resources(self, spec: JobSpec) -> dict[str, float]:
        """Return the resources of a task as Ray's options."""
        config = spec.options.get("config")
        device = config.get("device") if isinstance(config, dict) else spec.options.get("device")
        gpus = self.gpus if self.gpus is not None else float(device == "cuda")
        resources = {"num_cpus": 1.0 if self.cpus is None else self.cpus, "num_gpus": gpus}
        return resources | ({} if self.memory is None else {"memory": int(self.memory * 1e9)})


def run_on_ray(spec: JobSpec, options: RayOptions | None = None, progress: Progress | None = None) -> JobResult:
    """Compute all unfinished shards of a job on a Ray cluster, and join them.

    Args:
        spec: What was asked for. Its output lies in a folder that all nodes share.
        options: The cluster, and the resources of a task.
        progress: Called with a label, the shards done on all nodes and the total.

    Raises:
        InputError: Ray or the cluster is missing or of another version, a node does not share the folder, or an option
            of the work is invalid.
        RuntimeError: A shard failed on every attempt.
    """
    options = options or RayOptions()
    ray = import_ray()
    if options.address not in (LOCAL, RUNNING):
        check_address(options.address)
    job = open_job(spec)
    with connection(ray, options.address):
        resources = options.resources(spec)
        check_resources(ray, resources)
        spec.begin()
        check_nodes(ray, spec)
        tasks = RayTasks(ray, spec, resources)
        try:
            run_pending(job, tasks.execute, progress=progress)
        except BaseException:
            tasks.cancel()
            raise
    return join(job, spec, progress)


def import_ray() -> Any:
    """Return the module ray, or raise InputError with what to type."""
    if find_spec("ray") is None:
        raise InputError("Ray", "none in this installation", hint=f"Type: {install_command('cluster')}")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else it hides GPUs, and warns of it
    import ray

    found = tuple(int(part) for part in re.findall(r"[0-9]+", ray.__version__)[:2])
    if found < OLDEST:
        expected = f"Ray {'.'.join(map(str, OLDEST))} or newer"
        raise InputError(expected, ray.__version__, hint=f"Type: {install_command('cluster')}")
    return ray


def check_address(address: str) -> None:
    """Raise InputError if nothing answers at an address, before Ray tries for a minute."""
    match = re.fullmatch(r"\[?([^\[\]]+)\]?:([0-9]{1,5})", address)
    if not match or "/" in address:
        raise InputError("the address of a Ray cluster: auto or HOST:PORT", format_value(address), hint=START_HINT)
    try:
        with socket.create_connection((match[1], int(match[2])), CONNECT_SECONDS):
            pass
    except (OSError, OverflowError) as error:
        got = f"no answer from {address} ({getattr(error, 'strerror', None) or error})"
        raise InputError("a Ray cluster", got, hint=START_HINT) from None


@contextmanager
def connection(ray: Any, address: str) -> Iterator[None]:
    """Connect to a cluster, and disconnect in the end; a program that is connected stays so."""
    if ray.is_initialized():
        yield
        return
    settings: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": "error"}
    if address == LOCAL:
        from bearleft.runtime.compiled import num_threads

        settings |= {"num_cpus": num_threads(), "include_dashboard": False, "object_store_memory": STORE_BYTES}
    try:
        ray.init(**settings)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError, OSError) as error:
        reason = " ".join(str(error).split())[:200].rstrip(".")
        raise InputError("a Ray cluster", f"none: {reason}", hint=START_HINT) from None
    try:
        yield
    finally:
        ray.shutdown()


def alive_nodes(ray: Any) -> list[dict[str, Any]]:
    """Return the nodes that can run tasks."""
    return [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) > 0]


def check_resources(ray: Any, resources: Mapping[str, float]) -> None:
    """Raise InputError if no node has what a task takes: Ray would wait for one without end."""
    names = {"num_cpus": "CPU", "num_gpus": "GPU", "memory": "memory"}
    nodes = [node["Resources"] for node in alive_nodes(ray)]
    if not any(all(node.get(names[key], 0) >= amount for key, amount in resources.items()) for node in nodes):
        units = {"num_cpus": "cores", "num_gpus": "GPUs", "memory": "bytes of memory"}
        expected = ", ".join(f"{amount:g} {units[key]}" for key, amount in resources.items() if amount)
        found = ", ".join(f"{node.get('CPU', 0):g} cores and {node.get('GPU', 0):g} GPUs" for node in nodes[:4])
        hint = "Ask for less with --task-cpus, --task-gpus and --task-memory."
        raise InputError(f"a node with {expected}", found or "no node", hint=hint)


def check_nodes(ray: Any, spec: JobSpec) -> None:
    """Raise InputError if a node does not share the output's folder, or has no or another bearleft."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    token = spec.state_folder.absolute() / f".node-{secrets.token_hex(8)}"
    folder = os.getcwd()

    def probe() -> tuple[bool, str]:  # sent by value: bearleft may be missing there
        import importlib
        import os

        try:
            version = importlib.import_module("bearleft.version").VERSION
        except ImportError:
            version = "none"
        return os.path.exists(token) and os.path.isdir(folder), version

    probes = {}
    token.touch()
    try:
        for node in alive_nodes(ray):
            strategy = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            task = ray.remote(probe).options(num_cpus=0, max_retries=0, scheduling_strategy=strategy)
            probes[task.remote()] = node["NodeManagerAddress"]
        for task, name in probes.items():
            try:
                shared, version = ray.get(task, timeout=PROBE_SECONDS)
            except ray.exceptions.RayError:
                continue  # lost since: its tasks will go elsewhere
            if not shared:
                got = f"one that node {name} does not see"
                hint = "Name an output on a file system that all nodes mount under the same path, and start from one."
                raise InputError("a folder that all nodes share", got, file=str(token.parent), hint=hint)
            if version != VERSION:
                raise InputError(f"bearleft {VERSION} on node {name}", version, hint="Install the same version there.")
    finally:
        token.unlink(missing_ok=True)


class RayTasks:
    """The tasks of one job in flight.

    Args:
        ray: The module.
        spec: The job.
        resources: The resources of a task.
    """

    def __init__(self, ray: Any, spec: JobSpec, resources: Mapping[str, float]) -> None:
        self.ray, self.cpus = ray, resources["num_cpus"]
        # Retried here, where attempts are counted and reported, not by Ray.
        self.task = ray.remote(run_task).options(max_retries=0, **resources)
        environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
        environment["BEARLEFT_THREADS"] = str(max(1, math.floor(self.cpus)))
        self.arguments = (spec.kind, spec.output, json.dumps(spec.options), environment, os.getcwd())
        self.in_flight: dict[Any, str] = {}
        self.attempts: Counter[str] = Counter()

    def execute(self, shards: Sequence[str]) -> Iterator[str]:
        """Compute shards; yield the path of each as it is finished."""
        queue = deque(shards)
        while queue or self.in_flight:
            while queue and len(self.in_flight) < self._limit():
                shard = queue.popleft()
                self.attempts[shard] += 1
                self.in_flight[self.task.remote(shard, *self.arguments)] = shard
            ready, _ = self.ray.wait(list(self.in_flight), num_returns=1, timeout=WAIT_SECONDS)
            if not ready and not alive_nodes(self.ray):
                announce("No node of the Ray cluster is left; waiting for one. Ctrl-C stops, the same command resumes.")
            for reference in ready:
                shard = self.in_flight.pop(reference)
                try:
                    path = self.ray.get(reference)
                except self.ray.exceptions.RayError as error:
                    self._check_retry(shard, error)
                    queue.append(shard)
                else:
                    yield path

    def _limit(self) -> int:
        """Return how many tasks may be in flight."""
        cores: float = sum(node["Resources"]["CPU"] for node in alive_nodes(self.ray))
        return max(TASKS_PER_SLOT, math.ceil(TASKS_PER_SLOT * cores / max(self.cpus, 0.01)))

    def _check_retry(self, shard: str, error: Exception) -> None:
        """Raise the error of a shard that is not tried again."""
        cause = getattr(error, "cause", None)
        if isinstance(cause, InputError):
            raise cause from None
        if self.attempts[shard] >= MAX_ATTEMPTS:
            reason = str(error).strip().splitlines()[-1][:300]
            raise RuntimeError(f"shard {shard} failed {MAX_ATTEMPTS} times, the last time by: {reason}") from error

    def cancel(self) -> None:
        """End all tasks in flight."""
        for reference in self.in_flight:
            with suppress(Exception):  # the cluster may be gone
                self.ray.cancel(reference, force=True)


def run_task(shard: str, kind: str, output: str, options: str, environment: Mapping[str, str], folder: str) -> str:
    """Compute a shard in a worker of Ray; return the output, in which it lies."""
    os.environ.update(environment)
    os.chdir(folder)
    _open_once(kind, output, options).run(shard)
    return str(Path(output) / shard)


@lru_cache(maxsize=1)
def _open_once(kind: str, output: str, options: str) -> ShardedJob:
    """Return the job, which a worker opens for its first task."""
    return open_job(JobSpec(kind, output, json.loads(options)))

"""Benchmarks against named peers: `bench("metrics")`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bearleft.bench.harness import BenchResult, check_cuda
from bearleft.errors import InputError, format_value, unknown_name
from bearleft.runtime.extras import require_torch
from bearleft.types import DataFolder

__all__ = ["GPU_BENCHMARKS", "BenchResult", "bench", "cpu_benchmarks"]

POINTING, WALKING, REINFORCE, WEB, LLM, CLUSTER = "pointing", "walking", "reinforce", "web", "llm", "cluster"
GPU_BENCHMARKS = ("arramon", "render", "views")


def cpu_benchmarks() -> dict[str, Callable[[int, DataFolder], BenchResult]]:
    """Return the benchmarks of a CPU by name.

    Modules are imported here, since each contender's process imports this package for one of them.
    """
    from bearleft.bench.arramon.bench import arramon
    from bearleft.bench.distances import distances
    from bearleft.bench.evaluation import evaluation
    from bearleft.bench.generation import generation
    from bearleft.bench.metrics import metrics
    from bearleft.bench.render.bench import render_bench
    from bearleft.bench.stepping import stepping
    from bearleft.bench.views.bench import views

    return {
        "metrics": lambda rounds, _: metrics(rounds),
        "stepping": lambda rounds, _: stepping(rounds),
        "distances": lambda rounds, _: distances(rounds),
        "eval": evaluation,
        "render": lambda rounds, _: render_bench(rounds),
        "views": lambda rounds, _: views(rounds),
        "generation": lambda rounds, _: generation(rounds),
        "arramon": lambda rounds, _: arramon(rounds),
    }


def bench(
    name: str, rounds: int = 9, data: DataFolder = None, device: str | None = None, only: Sequence[str] = ()
) -> BenchResult:
    """Run a benchmark.

    Args:
        name: "metrics", "stepping", "distances", "eval", "render", "views", "generation", "arramon", "pointing",
            "walking", "reinforce", "web", "llm" or "cluster".
        rounds: Timed rounds; medians are reported.
        data: Data folder, which "eval", "reinforce" and "cluster" use, and "render" on a GPU.
        device: "cuda" times arramon, render, views, pointing, walking and reinforce on a GPU; by default the last three
            use a GPU where there is one, and all others the CPU.
        only: Parts of a benchmark of a GPU, or of pointing, walking, reinforce, web and cluster; all where empty.

    Raises:
        InputError: If the benchmark, device or part is unknown, or a requirement is missing.
    """
    known = cpu_benchmarks()
    others = (POINTING, WALKING, REINFORCE, WEB, LLM, CLUSTER)
    if name not in (*known, *others):
        raise unknown_name("benchmark", name, (*known, *others))
    if name == WEB:
        from bearleft.bench.web import web  # imports the web application

        return web(only)
    if name == CLUSTER:
        from bearleft.bench.cluster.bench import cluster

        return cluster(rounds, data, only)
    if name == LLM:
        from bearleft.bench.language_models import language_models  # imports the client of endpoints

        return language_models()
    if name == POINTING:
        require_torch()
        from bearleft.bench.pointing.bench import pointing  # imports torch

        return pointing(rounds, device, only=only)
    if name == WALKING:
        require_torch()
        from bearleft.bench.walking.bench import walking  # imports torch

        return walking(rounds, device, only)
    if name == REINFORCE:
        require_torch()
        from bearleft.bench.reinforce.bench import reinforce  # imports torch

        return reinforce(rounds, device, data, only)
    if device == "cuda":
        return _gpu_benchmark(name, rounds, data, only)
    if device not in (None, "cpu"):
        raise InputError("cpu or cuda", format_value(device), "device")
    if only:
        raise InputError(
            "parts of pointing, walking, reinforce, web or cluster, or of a benchmark on cuda",
            format_value(name),
            "only",
        )
    return known[name](rounds, data)


def _gpu_benchmark(name: str, rounds: int, data: DataFolder, only: Sequence[str]) -> BenchResult:
    if name not in GPU_BENCHMARKS:
        raise InputError(
            f"cuda with {', '.join(GPU_BENCHMARKS)}, {POINTING}, {WALKING} or {REINFORCE}", format_value(name), "device"
        )
    check_cuda()
    if name == "arramon":
        from bearleft.bench.arramon.gpu import arramon_gpu

        return arramon_gpu(rounds, only)
    if name == "render":
        from bearleft.bench.render.gpu import render_gpu

        return render_gpu(rounds, data, only)
    from bearleft.bench.views.gpu import views_gpu

    return views_gpu(rounds, only)

"""Load on the web application: many workers at once, some of whom walk away, with every answer sent twice."""

from __future__ import annotations

from bearleft.bench.harness import BenchResult


def web() -> BenchResult:
    """Put load on servers with SQLite and, if BEARLEFT_DATABASE names an empty one, with PostgreSQL."""
    from bearleft.bench.web.load import bench_web
    from bearleft.web import require_web

    require_web()
    return BenchResult(bench_web(), ["Of 200 workers, a tenth walk away from a unit; every answer is sent twice."])

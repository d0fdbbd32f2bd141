"""Load on the web application, and how soon its pages answer."""

from __future__ import annotations

from collections.abc import Sequence

from bearleft.bench.harness import BenchResult, check_parts

PARTS = ("load", "pages", "arramon", "leaderboard")


def web(only: Sequence[str] = ()) -> BenchResult:
    """Put load on a server, and measure pages in Chromium.

    Args:
        only: "load": 200 workers on SQLite and, if BEARLEFT_DATABASE names an empty one, on PostgreSQL; "pages": the
            first page, and the steps of a walk; "arramon": frames per second of the 3-D view without a GPU;
            "leaderboard": 50 teams with 20 submissions each, and one of 1,409 walks, on the same databases.
            All by default.

    Raises:
        InputError: A part is unknown, or something is not installed.
    """
    from bearleft.bench.web.arramon import bench_arramon
    from bearleft.bench.web.leaderboard import bench_leaderboard
    from bearleft.bench.web.load import bench_web
    from bearleft.bench.web.pages import bench_pages
    from bearleft.web import require_web

    require_web()
    parts = check_parts(only, PARTS)
    result = BenchResult()
    if "load" in parts:
        result.rows += bench_web()
        result.remarks.append("Of 200 workers, a tenth walk away from a unit; every answer is sent twice.")
    if "pages" in parts:
        result.rows += bench_pages()
    if "arramon" in parts:
        result.rows += bench_arramon()
    if "leaderboard" in parts:
        result.rows += bench_leaderboard()
    return result

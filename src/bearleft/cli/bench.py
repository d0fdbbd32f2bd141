"""`bearleft bench`."""

from __future__ import annotations

import click

from bearleft.cli.common import as_json, data_option, echo
from bearleft.reports.table import print_rows


@click.command()
@click.argument("name")
@click.option("--rounds", default=9, show_default=True, help="Alternating rounds; medians are printed.")
@click.option("--device", help="cuda: arramon, render, views; pointing, walking, reinforce (by default a GPU if any).")
@click.option("--only", multiple=True, metavar="PART", help="Only this part of one with parts, or of a GPU benchmark.")
@data_option
@as_json
def bench(name: str, rounds: int, device: str | None, only: tuple[str, ...], data: str | None, as_json: bool) -> None:
    """Measure speed against named peers.

    They are metrics, stepping, distances, render, views, arramon, pointing, walking and reinforce; eval and generation
    measure whole runs, web the load of 200 workers on a server and how soon pages answer, llm language models on a
    slow server, cluster work in shards. Parts of pointing are networks, pictures, backbone, chain, and evaluation,
    which runs only by name; of walking they are networks, hogwild, loop and evaluation; of reinforce they are rollouts,
    updates, pictures and loop; of web load, pages, arramon and leaderboard; of cluster overhead, memory and scoring.
    """
    from bearleft.bench import bench as run_bench

    result = run_bench(name, rounds, data, device, only)
    print_rows(result.rows, as_json, f"bench {name}")
    echo(result.remarks)

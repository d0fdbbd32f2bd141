"""`bearleft score`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bearleft.cli.cluster import ClusterOptions, cluster_options, run_sharded
from bearleft.cli.common import NON_NEGATIVE, as_json, data_option, echo, progress
from bearleft.errors import InputError
from bearleft.reports.table import comparison_tables, cost_tables, print_rows, score_table
from bearleft.runtime.shards import JobSpec


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--dataset", metavar="DATASET/SPLIT", help="The dataset of predictions; traces name their own.")
@click.option(
    "--convention",
    multiple=True,
    metavar="NAME",
    help="Which definitions (default: paper); repeatable; 'all' for each. Points: paper, cells. ArraMon: paper, "
    "strict, released.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME|FILE.py",
    help="Only this metric, in any case; repeatable. nDTW-fast, SDTW-fast, DTW and, in streets, PL, ONE, OSR, AD, MD "
    "are computed by name only. A Python file has a METRIC of your own.",
)
@click.option(
    "--per-episode", metavar="FILE", help="Write a row for each leg of each trace to this .csv or .json file."
)
@click.option("--inspect", metavar="FILE.json", help="Write the traces and scores of one file as a log of Inspect.")
@click.option("--keep-impossible", is_flag=True, help="Score walks with jumps or a wrong start as they are written.")
@click.option("--turns", is_flag=True, help="ArraMon: rows of turn 1 and turn 2 beside the total.")
@click.option("--seed", default=0, show_default=True, type=NON_NEGATIVE, help="Seed of the bootstrap.")
@click.option("--resamples", default=1000, show_default=True, help="Resamples of the bootstrap, up to a million.")
@data_option
@as_json
@cluster_options
def score(
    files: tuple[str, ...],
    as_json: bool,
    per_episode: str | None,
    inspect: str | None,
    cluster: ClusterOptions,
    **options: Any,
) -> None:
    """Score traces or predictions, with confidence intervals; several files are compared by paired tests.

    Reads traces of bearleft, R2R submissions, the outputs of VELMA and ArraMon, lists of places, and points.
    """
    if cluster.given:
        score_in_shards(files, as_json, per_episode, inspect, cluster, options)
        return
    from bearleft import score as compute_scores
    from bearleft.evaluation.episode_scores import check_episode_file, write_episode_rows
    from bearleft.evaluation.inspect_log import check_log_name, write_inspect_log

    if per_episode is not None:
        check_episode_file(per_episode)
    if inspect is not None:
        check_log_name(inspect)
        if len(files) != 1:
            raise InputError("one file of traces, for a log of Inspect", str(len(files)))
    rows_of_episodes = per_episode is not None or inspect is not None
    with progress("scoring") as bar:
        scores = compute_scores(*files, progress=bar, per_episode=rows_of_episodes, **options)
    if inspect is not None:
        write_inspect_log(inspect, files[0], scores, options["data"])
    if per_episode is not None:
        write_episode_rows(per_episode, scores.episodes)
    if as_json:
        print_rows(scores.rows + scores.comparisons + scores.costs, as_json)
    else:
        tables = score_table(scores.rows), *comparison_tables(scores.comparisons), *cost_tables(scores.costs)
        for title, rows in tables:
            print_rows(rows, as_json, title)
    echo(scores.notes)
    if per_episode is not None:
        echo([f"Wrote {len(scores.episodes):,} rows to {per_episode}."])
    if inspect is not None:
        echo([f"Wrote {inspect}. To look at it: inspect view --log-dir {Path(inspect).parent}"])


def score_in_shards(
    files: tuple[str, ...],
    as_json: bool,
    per_episode: str | None,
    inspect: str | None,
    cluster: ClusterOptions,
    options: dict[str, Any],
) -> None:
    """Score one file on several machines, or in bounded memory."""
    from bearleft.runtime.compiled import num_threads
    from bearleft.runtime.store import existing_file

    conventions, turns = options.pop("convention"), options.pop("turns")
    if len(files) != 1 or len(conventions) > 1 or per_episode or inspect or turns:
        expected = "one file and one convention, without --per-episode, --inspect and --turns, to be scored in shards"
        raise InputError(expected, "others")
    size = existing_file(files[0], "a file of traces").stat().st_size
    values = {**options, "metrics": list(options["metrics"]), "size": size}
    values |= {"convention": conventions[0]} if conventions else {}
    run_sharded(JobSpec("score", files[0], values), cluster, num_threads(), as_json)

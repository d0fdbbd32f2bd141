"""`bearleft data`."""

from __future__ import annotations

import click

from bearleft.cli.common import Verbs, as_json, data_option, progress, say
from bearleft.report.table import print_rows


@click.group(cls=Verbs)
def data() -> None:
    """Datasets: list, check, stats."""


@data.command("list")
@data_option
@as_json
def data_list(data: str | None, as_json: bool) -> None:
    """The datasets that are there, and where their files lie."""
    from bearleft.data import datasets

    print_rows(datasets(data), as_json, "Datasets")


@data.command("check")
@click.argument("names", nargs=-1, metavar="[DATASET/SPLIT]...")
@data_option
@as_json
def data_check(names: tuple[str, ...], data: str | None, as_json: bool) -> None:
    """Read every file to its end, check it against its world, count what is left out and what is wrong."""
    from bearleft.data import check

    with progress("checking") as bar:
        result = check(data, names, bar)
    print_rows(result.rows, as_json, "Checked")
    say(result.notes)
    if result.errors:
        say(result.errors)
        raise SystemExit(2)


@data.command("stats")
@click.argument("names", nargs=-1, metavar="[DATASET/SPLIT]...")
@data_option
@as_json
def data_stats(names: tuple[str, ...], data: str | None, as_json: bool) -> None:
    """The papers' statistics of a dataset, beside the published figures."""
    from bearleft.data.stats import REMARKS, stats

    with progress("counting") as bar:
        rows = stats(data, names, bar)
    print_rows(rows, as_json, "Statistics")
    for name in dict.fromkeys(row["dataset"].partition("/")[0] for row in rows):
        say(REMARKS.get(name, ()))

"""`bearleft data`."""

from __future__ import annotations

import shlex

import click

from bearleft.cli.common import WHOLE, Verbs, as_json, data_option, progress, say
from bearleft.reports.table import print_rows


@click.group(cls=Verbs)
def data() -> None:
    """Datasets: list, check, stats, quality, make, show."""


@data.command("list")
@data_option
@as_json
def data_list(data: str | None, as_json: bool) -> None:
    """The datasets that are there, and where their files lie."""
    from bearleft.data import list_datasets

    print_rows(list_datasets(data), as_json, "Datasets")


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
    from bearleft.data.stats import PAPER_NOTES, counted_splits, stats
    from bearleft.generate.datasets import ensure_samples
    from bearleft.language.analysis.statistics import PAPER

    with progress("counting") as bar:
        rows = stats(data, ensure_samples(names, data, bar), bar)
    print_rows(rows, as_json, "Statistics")
    say(counted_splits(names, rows))
    for name in dict.fromkeys(row["dataset"].removeprefix("city/").partition("/")[0] for row in rows):
        say(PAPER_NOTES.get(name, ()))
    said = [row for row in rows if row["dataset"].startswith("city/") and row["statistic"] in PAPER]
    if any("real" not in row for row in said):
        say(["Touchdown's own files are not there: a city's language stands without that of real texts beside it."])


@data.command("quality")
@click.argument("name", metavar="DATASET/SPLIT|FILE")
@data_option
@as_json
def data_quality(name: str, data: str | None, as_json: bool) -> None:
    """How many navigation and assembly texts fail which of ArraMon's checks: those that block, and those for review.

    FILE is a .jsonl file of episodes, or a .json file in ArraMon's format.
    """
    from bearleft.data import open_dataset, read
    from bearleft.language.analysis.quality import quality_table

    file = name.endswith(".json")
    print_rows(
        quality_table(read("arramon", name) if file else open_dataset(name, data)), as_json, "Texts that fail a check"
    )


@data.command("make")
@click.argument("dataset", metavar="DATASET")
@click.argument("splits", nargs=-1, metavar="[SPLIT]...")
@click.option("--size", type=click.IntRange(min=1), help="Examples of each split (default: the paper's; 200 pairs).")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of routes, targets and words.")
@click.option(
    "--world",
    metavar="city/SEED[/AxB]|sections/SEED",
    help="The world (default: a large city, or city/0 for up to 1,000; of city/arramon sections/0).",
)
@click.option("--rooms", metavar="rooms/SEED/COUNT", help="Where city/refer360's indoor scenes lie (default: by size).")
@click.option(
    "--decoys",
    help="city/arramon: distinct (default), or random: as in the paper, so that several in a room may look alike.",
)
@click.option("--style", default="plain", show_default=True, help="plain, or loose: with typos and careless marks.")
@click.option("-o", "--output", metavar="DIR", help="The data folder it goes to (default: bearleft's cache folder).")
@click.option("--processes", type=click.IntRange(min=1), help="How many at once (default: all cores).")
@as_json
def data_make(
    dataset: str,
    splits: tuple[str, ...],
    size: int | None,
    seed: int,
    world: str | None,
    rooms: str | None,
    decoys: str | None,
    style: str,
    output: str | None,
    processes: int | None,
    as_json: bool,
) -> None:
    """Make a dataset of bearleft's own cities; the same command goes on with what was begun.

    DATASET is city/touchdown, city/sdr, city/refer360, city/arramon or city/pairs. Splits are the paper's, all of them
    where none is named (city/touchdown and city/sdr: train, dev, test, dev_unseen, test_unseen; city/refer360: train,
    validation.seen, ...; city/arramon: train, val_seen, val_unseen, test_unseen; city/pairs: its kinds). By name
    only there are small, which comes with bearleft, and sample, which stats counts. Where a world has fewer examples
    than asked for, those it has are written, with a warning. What is made in a folder of your own (-o DIR) is found
    there by --data DIR.
    """
    from bearleft.generate.datasets import make_dataset

    with progress("planning") as bar:
        made = make_dataset(dataset, splits, size, seed, world, style, output, processes, bar, rooms, decoys)
    print_rows(made.rows, as_json, "Made")
    names = shlex.join([row["dataset"] for row in made.rows] + (["--data", output] if output else []))
    say([*made.notes, f"Next: bearleft data check {names}"])


@data.command("show")
@click.argument("name", metavar="DATASET/SPLIT")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("-o", "--output", required=True, metavar="DIR", help="Where the pictures and README.md go.")
@click.option("--count", default=10, show_default=True, type=click.IntRange(min=1), help="How many, without ids.")
@click.option("--seed", default=0, show_default=True, help="Which ones.")
@data_option
@as_json
def data_show(
    name: str, ids: tuple[str, ...], output: str, count: int, seed: int, data: str | None, as_json: bool
) -> None:
    """Examples of a city's dataset to look at: texts, maps, views on the way, targets in their panoramas."""
    from bearleft.reports.pictures.examples import examples

    with progress("drawing") as bar:
        rows = examples(name, output, ids, count, seed, data, bar)
    print_rows(rows, as_json, "Examples")
    say([f"{output}/README.md shows them."])

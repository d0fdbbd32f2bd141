"""`bearleft data`: list, validate, measure, generate and show datasets."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from bearleft.cli.cluster import ClusterOptions, cluster_options, run_sharded
from bearleft.cli.common import (
    NON_NEGATIVE,
    POSITIVE,
    CommandGroup,
    as_json,
    city_option,
    data_option,
    echo,
    progress,
    reject_options,
)
from bearleft.errors import InputError
from bearleft.reports.table import print_rows
from bearleft.runtime.shards import JobSpec


@click.group(cls=CommandGroup)
def data() -> None:
    """List, validate, measure, generate and show datasets."""


@data.command("list")
@data_option
@as_json
def data_list(data: str | None, as_json: bool) -> None:
    """List available datasets and their files."""
    from bearleft.data import list_datasets

    print_rows(list_datasets(data), as_json, "Datasets")


@data.command("check")
@click.argument("names", nargs=-1, metavar="[DATASET/SPLIT]...")
@data_option
@as_json
def data_check(names: tuple[str, ...], data: str | None, as_json: bool) -> None:
    """Validate datasets: read every file, check it against its world, and count omissions and errors."""
    from bearleft.data import check

    with progress("checking") as bar:
        result = check(data, names, bar)
    print_rows(result.rows, as_json, "Validated")
    echo(result.notes)
    if result.errors:
        echo(result.errors)
        raise SystemExit(2)


@data.command("stats")
@click.argument("names", nargs=-1, metavar="[DATASET/SPLIT]...")
@data_option
@as_json
def data_stats(names: tuple[str, ...], data: str | None, as_json: bool) -> None:
    """Print the papers' statistics of a dataset beside the published figures."""
    from bearleft.data.stats import PAPER_NOTES, counted_splits, stats
    from bearleft.generate.datasets import expand_dataset_names
    from bearleft.language.analysis.statistics import PAPER

    with progress("counting") as bar:
        rows = stats(data, expand_dataset_names(names, data, bar), bar)
    print_rows(rows, as_json, "Statistics")
    echo(counted_splits(names, rows))
    for name in dict.fromkeys(row["dataset"].removeprefix("city/").partition("/")[0] for row in rows):
        echo(PAPER_NOTES.get(name, ()))
    language_rows = [row for row in rows if row["dataset"].startswith("city/") and row["statistic"] in PAPER]
    if any("real" not in row for row in language_rows):
        echo(["Touchdown's files are not available, so the statistics of real texts are missing."])


@data.command("quality")
@click.argument("name", metavar="DATASET/SPLIT|FILE")
@data_option
@as_json
def data_quality(name: str, data: str | None, as_json: bool) -> None:
    """Count the navigation and assembly texts that fail each of ArraMon's checks, blocking or for review.

    FILE is a .jsonl file of episodes, or a .json file in ArraMon's format.
    """
    from bearleft.data import open_dataset, read
    from bearleft.language.analysis.quality import quality_table

    file = name.endswith(".json")
    print_rows(
        quality_table(read("arramon", name) if file else open_dataset(name, data)), as_json, "Texts that fail a check"
    )


@data.command("realism")
@click.argument("names", nargs=-1, required=True, metavar="DATASET/SPLIT...")
@click.option("--expressions", is_flag=True, help="List the rate of every expression, not only the ten farthest off.")
@click.option(
    "--half",
    type=click.Choice(["report", "tune"]),
    default="report",
    show_default=True,
    help="Half of the real texts to compare with; tune while you change a generator.",
)
@click.option("--real", metavar="DIR", help="The data folder of the real texts (default: BEARLEFT_DATA, or --data).")
@data_option
@as_json
def data_realism(
    names: tuple[str, ...], expressions: bool, half: str, real: str | None, data: str | None, as_json: bool
) -> None:
    """Compare generated texts with those that people wrote.

    Prints how well a classifier tells masked sentences of both apart (AUC; 0.5: not at all), the expressions that give
    them away, trigram coverage, vocabulary, habits within a text, and the share of texts that use each expression. Real
    texts are split in two by a fixed hash: generators are tuned on one half, and the other is reported on. Needs the
    real files and scikit-learn (pip install -e '.[realism]').
    """
    from bearleft.data.realism import realism

    with progress("reading") as bar:
        result = realism(names, data, real or (None if os.environ.get("BEARLEFT_DATA") else data), half, bar)
    if as_json:
        tables = ("figures", result.rows), ("telling", result.telling), ("expressions", result.rates)
        print_rows([{"table": name, **row} for name, rows in tables for row in rows], as_json)
        return
    print_rows(result.rows, as_json, "Generated texts beside real ones")
    print_rows(result.telling, as_json, "Expressions that tell them apart")
    print_rows(
        result.rates if expressions else result.farthest_rates(10), as_json, "Share of texts that use an expression"
    )


@data.command("make")
@click.argument("dataset", metavar="DATASET")
@click.argument("splits", nargs=-1, metavar="[SPLIT]...")
@click.option(
    "--size",
    type=POSITIVE,
    help="Examples per split (default: the paper's number; 200 pairs). Of SDR: panoramas, up to three of a text.",
)
@click.option("--seed", default=0, show_default=True, type=NON_NEGATIVE, help="Seed of routes, targets and texts.")
@click.option(
    "--world",
    metavar="city/SEED[/AxB]|sections/SEED|touchdown|town/SEED",
    help="The world (default: a large city, or city/0 for up to 1,000; of city/arramon sections/0).",
)
@city_option
@click.option("--rooms", metavar="rooms/SEED/COUNT", help="Indoor scenes of city/refer360 (default: by size).")
@click.option(
    "--decoys",
    help="city/arramon: distinct (default), or random: as in the paper, so that several in a room may look alike.",
)
@click.option(
    "--style", default="plain", show_default=True, help="plain, or loose: with typos and careless punctuation."
)
@click.option(
    "--facing",
    default="north",
    show_default=True,
    help="city/touchdown: where walkers look at the start; route, as in map2seq: texts do not orient them.",
)
@click.option("--pictures", is_flag=True, help="Render the panoramas too, and name their files in the records.")
@click.option(
    "--picture-size", metavar="WIDTHxHEIGHT", help="--pictures: pixels of each panorama (default: 2048x1024)."
)
@click.option(
    "--channel",
    default="rgb",
    show_default=True,
    help="--pictures: rgb, depth, instances, classes, parts, separated by commas, or all.",
)
@click.option(
    "--secret",
    metavar="FILE",
    help="Hide the goals: draw routes and targets from the key in this file, which is made if it does not exist.",
)
@click.option("-o", "--output", metavar="DIR", help="The data folder (default: bearleft's cache folder).")
@click.option("--processes", type=POSITIVE, help="Worker processes (default: all cores).")
@click.option("--device", default="cpu", show_default=True, help="cpu or cuda, for visibility tables and pictures.")
@click.option("--data", metavar="DIR", help="--world touchdown: folder of the real graph (default: $BEARLEFT_DATA).")
@as_json
@cluster_options
def data_make(
    dataset: str,
    splits: tuple[str, ...],
    size: int | None,
    pictures: bool,
    picture_size: str | None,
    channel: str,
    device: str,
    output: str | None,
    secret: str | None,
    as_json: bool,
    cluster: ClusterOptions,
    **options: Any,
) -> None:
    """Generate a dataset in generated worlds; an interrupted command is resumed by typing it again.

    DATASET is city/touchdown, city/sdr, city/refer360, city/arramon or city/pairs. Splits are the paper's, all of them
    by default (city/touchdown and city/sdr: train, dev, test, dev_unseen, test_unseen; city/refer360: train,
    validation.seen, ...; city/arramon: train, val_seen, val_unseen, test_unseen; city/pairs: its kinds). Two
    more splits are generated only by name: small, which is part of the package, and sample, which `data stats` counts.
    Where a world has fewer examples than requested, all of them are written, with a warning. Datasets in a folder of
    your own (-o DIR) are found with --data DIR. With --pictures the panoramas are rendered to DATASET/pictures in that
    folder, and the field `pictures` of each record names the files; all datasets but city/arramon have panoramas.

    With --world touchdown --city SEED, routes of city/touchdown and city/sdr lead through the real places of Touchdown,
    and texts describe the city that is built on its streets from SEED; likewise --world town/SEED --city SEED.

    With --secret FILE -o DIR the goals are hidden, as in the test files of a competition: DIR/entrants holds texts,
    starts and the world, which agents can be run on, and DIR/answers holds the goals, to score their traces. Splits
    have to be named. city/touchdown, city/touchdown-complete, city/sdr and city/refer360 can be hidden.
    """
    if cluster.given:
        if secret is not None or pictures:
            name = "--pictures" if pictures else "--secret"
            hint = (
                "Type it again with --pictures after `bearleft gather`; existing splits are kept." if pictures else ""
            )
            raise InputError(f"no {name} with --shard or --ray", name, hint=hint)
        reject_options(("picture_size", "channel"), "pictures, with --pictures")
        if output is None:
            raise InputError("the data folder, which all machines share", "none", hint="Type, for example: -o DIR")
        from bearleft.runtime.compiled import num_threads

        processes = options.pop("processes") or num_threads()
        values = {"dataset": dataset, "splits": list(splits), "size": size, "device": device, **options}
        run_sharded(JobSpec("data make", output, values), cluster, processes, as_json)
        return
    if secret is not None:
        _make_hidden(dataset, splits, size, secret, output, device, as_json, pictures, options)
        return
    from bearleft import make_dataset

    config = None
    if not pictures:
        reject_options(("picture_size", "channel"), "pictures, with --pictures")
    else:
        from bearleft.reports.pictures.output import parse_size
        from bearleft.world.album.layout import CHANNELS
        from bearleft.world.album.write import AlbumConfig

        channels = CHANNELS if channel == "all" else tuple(channel.split(","))
        config = AlbumConfig(parse_size(picture_size) or AlbumConfig.size, channels, device=device)
    with progress("planning") as bar:
        result = make_dataset(
            dataset,
            splits,
            size,
            pictures=config,
            out=output,
            device=device,
            progress=bar,
            report=lambda line: echo([line]),
            **options,
        )
    print_rows(result.rows, as_json, "Generated")
    names = shlex.join([row["dataset"] for row in result.rows] + (["--data", output] if output else []))
    echo([*result.notes, f"Next: bearleft data check {names}"])


def _make_hidden(
    dataset: str,
    splits: tuple[str, ...],
    size: int | None,
    secret: str,
    output: str | None,
    device: str,
    as_json: bool,
    pictures: bool,
    options: dict[str, Any],
) -> None:
    """Generate splits with hidden goals, and print a row for each."""
    from bearleft import InputError, make_hidden_dataset

    seed, decoys = options.pop("seed"), options.pop("decoys")
    if output is None:
        raise InputError("the folder of the hidden dataset", "none", hint="Type, for example: -o hidden")
    if seed or decoys is not None:
        reject_options(("seed", "decoys"), "goals that are not hidden: --secret holds the seed")
    if pictures:
        hint = "bearleft render --all draws every place of the world."
        raise InputError("no --pictures with --secret", "pictures of routes, which tell the goals", hint=hint)
    reject_options(("picture_size", "channel"), "pictures, with --pictures")
    with progress("planning") as bar:
        result = make_hidden_dataset(
            dataset, splits, size, secret=secret, out=output, device=device, progress=bar, **options
        )
    print_rows(result.rows, as_json, "Generated")
    file = shlex.quote(result.rows[0]["entrants"])
    echo([*result.notes, f"Next: bearleft eval random {file} -o random.jsonl"])


@data.command("show")
@click.argument("name", metavar="DATASET/SPLIT")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("-o", "--output", required=True, metavar="DIR", help="Folder of the pictures and README.md.")
@click.option("--count", default=10, show_default=True, type=POSITIVE, help="How many, if you name no ids.")
@click.option("--seed", default=0, show_default=True, help="Seed of their choice.")
@city_option
@data_option
@as_json
def data_show(
    name: str,
    ids: tuple[str, ...],
    output: str,
    count: int,
    seed: int,
    city: int | None,
    data: str | None,
    as_json: bool,
) -> None:
    """Draw examples of a generated dataset: texts, maps, views along the route, targets in panoramas."""
    from bearleft.reports.pictures.examples import examples

    with progress("drawing") as bar:
        rows = examples(name, output, ids, count, seed, data, bar, city)
    print_rows(rows, as_json, "Examples")
    echo([f"{output}/README.md shows them."])

"""`bearleft paper`: the papers' tables and figures, and the experiments behind them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from bearleft.cli.common import NON_NEGATIVE, POSITIVE, CommandGroup, as_json, city_option, data_option, echo, progress
from bearleft.errors import InputError, format_value, unknown_name
from bearleft.reports.table import print_rows
from bearleft.runtime.extras import require_torch


@click.group(cls=CommandGroup)
def paper() -> None:
    """Print a paper's tables, published and measured, or train its models."""


figures_option = click.option("--figures", metavar="DIR", help="Draw the paper's figures into this folder too.")
MINUTES = 8.0
DATABASE = "bearleft.sqlite"


def project_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options for what people have collected."""
    for option in (
        click.option("--database", metavar="URL", help="--project: its database (default bearleft.sqlite)."),
        click.option("--project", metavar="NAME", help="Statistics of a project of `bearleft serve`."),
    ):
        function = option(function)
    return function


def _project_statistics(
    family: str, project: str, database: str | None, as_json: bool, data: str | None = None
) -> None:
    """Print a paper's statistics of a project, published and ours."""
    from bearleft.web import require_web

    require_web()
    from bearleft.web.exports import project_statistics

    rows = project_statistics(database or DATABASE, project, family, data)
    print_rows(rows, as_json, f"{project}: what people have collected")


def training_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options that `--train` of several papers share."""
    for option in (
        click.option(
            "--batch-size", type=POSITIVE, help="--train: examples of an update (default 10; walks: the network's)."
        ),
        click.option("--epochs", type=POSITIVE, help="--train: epochs of each network."),
        click.option("--train-size", type=POSITIVE, help="--train: training examples (default: all)."),
        click.option("--eval-size", type=POSITIVE, help="--train: examples of each split to evaluate on."),
        click.option("--minutes", type=click.FloatRange(min=0), help=f"--train: stop after this time ({MINUTES:g})."),
        click.option("--device", help="--train: cuda (default) or cpu."),
        click.option("--backbone", metavar="NAME|FILE", help="--train: city (default), or a file of weights."),
    ):
        function = option(function)
    return function


def split_commas(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of a repeatable option, each value a comma-separated list."""
    return tuple(name for value in values for name in value.split(",") if name)


def set_options(**options: Any) -> dict[str, Any]:
    """Return the options that were set."""
    return {name: value for name, value in options.items() if not (value is None or value is False or value == ())}


def only_with(flag: str, options: dict[str, Any]) -> None:
    """Raise InputError where options were set that need another one."""
    if options:
        raise InputError(f"--{min(options).replace('_', '-')} with {flag}", f"no {flag}")


@paper.command("ndtw")
@data_option
@click.option("--walks", default=1_000_000, show_default=True, help="Random walks for each row.")
@click.option("--seed", default=0, show_default=True, type=NON_NEGATIVE, help="Seed of the walks.")
@figures_option
@click.option("--results", metavar="PATH", help="Table 2 of trained agents: a folder of walks, or rows.json.")
@click.option("--examples", metavar="DIR", help="--results: write traces of short cuts, and a report of them.")
@click.option("--train", metavar="DIR", help="Train the agents of Table 2; the same command resumes.")
@click.option("--epochs", type=POSITIVE, help="--train: epochs of each agent (default 30).")
@click.option("--epoch-size", type=POSITIVE, help="--train: walks of an epoch (default 25,600).")
@click.option("--batch-size", type=POSITIVE, help="--train: walks of an update (default 128).")
@click.option("--learning-rate", type=float, help="--train: learning rate at the beginning (default 0.0005).")
@click.option("--select", type=click.Choice(["nDTW", "SDTW"]), help="--train: score of the best epoch (default SDTW).")
@click.option("--train-size", type=POSITIVE, help="--train: training walks (default: all).")
@click.option("--eval-size", type=POSITIVE, help="--train: walks of validation unseen (default: all).")
@click.option("--set", "overrides", multiple=True, metavar="NAME=VALUE", help="--train: sizes of the network.")
@click.option("--only", multiple=True, callback=split_commas, metavar="NAME", help="--train: runs, as r4r-goal-0.")
@click.option("--minutes", type=click.FloatRange(min=0), help=f"--train: stop after this time ({MINUTES:g}).")
@click.option("--processes", type=POSITIVE, help="--train: runs that are trained at once (default 1).")
@click.option("--device", help="--train: cuda (default) or cpu.")
@as_json
def paper_ndtw(
    data: str | None,
    walks: int,
    seed: int,
    figures: str | None,
    results: str | None,
    examples: str | None,
    train: str | None,
    as_json: bool,
    **training: Any,
) -> None:
    """Table 2 on R2R and R4R validation unseen, ours for the random agent; Figures 1 and 3.

    With --train, the paper's agents are trained with goal- and fidelity-oriented rewards, and others for comparison.
    With --results, Table 2 of trained agents; --figures then draws learning curves.
    """
    if not train:
        only_with("--train", set_options(**training))
    if not results:
        only_with("--results", set_options(examples=examples))
    if train:
        _train_ndtw(train, data, set_options(**training))
    elif results:
        _ndtw_results(results, data, walks, seed, figures, examples, as_json)
    else:
        from bearleft.experiments.ndtw.tables import REMARKS, table_2
        from bearleft.experiments.text_figures import ndtw_figures, write_figures

        with progress("walking") as bar:
            rows = table_2(data, walks, seed, bar)
        print_rows(rows, as_json, "General Evaluation for Instruction Conditioned Navigation, Table 2 (percent)")
        echo(REMARKS)
        if figures:
            echo(write_figures(ndtw_figures(), figures))


def _train_ndtw(folder: str, data: str | None, options: dict[str, Any]) -> None:
    require_torch()
    from bearleft.cli.train import parse_override
    from bearleft.experiments.ndtw.agents.runs import AgentConfig
    from bearleft.experiments.ndtw.agents.train import train_agents

    call = {name: options.pop(name) for name in ("device", "minutes", "only", "processes") if name in options}
    if "overrides" in options:
        options["overrides"] = dict(map(parse_override, options["overrides"]))
    remaining = train_agents(folder, AgentConfig(**options), data=data, log=lambda line: echo([line]), **call)
    echo([_remaining(remaining), f"Next: bearleft paper ndtw --results {folder}/walks"])


def _ndtw_results(
    path: str, data: str | None, random_walks: int, seed: int, figures: str | None, examples: str | None, as_json: bool
) -> None:
    """Print Table 2 of saved walks, in Markdown; draw learning curves and write traces of short cuts."""
    from bearleft.experiments.ndtw.agents.markdown import markdown
    from bearleft.experiments.ndtw.agents.results import CONVENTION, results
    from bearleft.experiments.ndtw.agents.saved_walks import HINT, read_walks_folder
    from bearleft.experiments.systems.markdown import read_rows

    walks = read_walks_folder(path) if Path(path).is_dir() else []
    for option, value in (("--figures", figures), ("--examples", examples)):
        if value and not walks:
            raise InputError(f"a folder of walks beside {option}", format_value(path), "results", hint=HINT)
    with progress("scoring") as bar:
        rows = results(walks, data, random_walks, seed, bar) if walks else read_rows(path)
    if as_json:
        print_rows(rows, as_json, "")
    else:
        click.echo(markdown(rows))
    if figures:
        from bearleft.experiments.ndtw.agents.figures import write_figures

        echo(write_figures(walks, figures))
    if examples:
        from bearleft import report
        from bearleft.experiments.ndtw.agents.examples import write_examples

        for split, files in write_examples(walks, examples, data).items():
            page = f"{examples}/{split.replace('/', '-')}.html"
            title = f"Short cuts and paths that are followed: {split}"
            with progress("reporting") as bar:
                report(*files, output=page, title=title, data=data, progress=bar, convention=CONVENTION)
            echo([*files, page])


@paper.command("ndtw-study")
@click.option("-o", "--output", metavar="DIR", help="Write both questionnaires: pictures and sets.jsonl.")
@click.option("--rankings", metavar="FILE", help="Lines of people's rankings, to be analysed as Table 1.")
@click.option("--seed", default=0, show_default=True, type=NON_NEGATIVE, help="Seed of environments and paths.")
@project_options
@as_json
def paper_ndtw_study(
    output: str | None, rankings: str | None, seed: int, project: str | None, database: str | None, as_json: bool
) -> None:
    """The human study: its questionnaires, its analysis, and Table 1's own p-values.

    With --project, Table 1 of what people have ranked in the browser, and the address of its page.
    """
    if not project:
        only_with("--project", set_options(database=database))
    else:
        _project_study(project, database or DATABASE, as_json)
        return
    from bearleft.experiments.ndtw.study import SETS_PER_STUDY, path_sets, published_rows, read_rankings, sign_test_rows
    from bearleft.experiments.ndtw.study_figures import write_study

    if output:
        with progress("drawing") as bar:
            write_study(output, seed, bar)
        echo([f"{output}/README.txt says how to ask people."])
    if rankings:
        path_sets_of_seed = (path_set for study in SETS_PER_STUDY for path_set in path_sets(study, seed))
        rows = sign_test_rows(path_sets_of_seed, read_rankings(rankings))
        print_rows(rows, as_json, "Table 1 from your rankings (two-sided sign test, ties discarded)")
    else:
        print_rows(published_rows(), as_json, "Table 1: the printed p-values, and those of its own counts")


def _project_study(project: str, database: str, as_json: bool) -> None:
    """Print Table 1 of a project, and where its page is."""
    from bearleft.web import require_web

    require_web()
    from bearleft.web.analyses import analysis_address, project_analysis
    from bearleft.web.secret import read_secret
    from bearleft.web.settings import user_folder

    analysis = project_analysis(database, project)
    print_rows(analysis.table, as_json, f"{project}: Table 1, published and ours (two-sided sign test, no ties)")
    echo([analysis.remark, f"Page: {analysis_address(read_secret(user_folder()), project)}"])


@paper.command("touchdown")
@data_option
@figures_option
@click.option("--results", metavar="PATH", help="Table 4 of trained systems: a folder of answers, or rows.json.")
@click.option("--train", metavar="DIR", help="Train the systems of Table 4 on a city; the same command resumes.")
@click.option("--small", metavar="DIR", help="Train two small networks on minimal pairs, on a CPU.")
@click.option(
    "--train-navigation", metavar="DIR", help="Train the walking systems on a city; the same command resumes."
)
@click.option("--navigation-results", metavar="PATH", help="Navigation tables: a folder of walks, or rows.json.")
@click.option(
    "--datasets",
    multiple=True,
    callback=split_commas,
    metavar="NAME|FILE",
    help="--train-navigation: training walks (default city/touchdown/train).",
)
@click.option("--other-city", metavar="DIR", help="Navigation: data folder of a city that is not trained on.")
@click.option("--processes", type=POSITIVE, help="--train-navigation: runs that are trained at once (default 1).")
@city_option
@training_options
@click.option("--epoch-size", type=POSITIVE, help="--train: examples of an epoch (default: all).")
@click.option("--only", multiple=True, callback=split_commas, metavar="NAME", help="--train: runs, such as lingunet-0.")
@click.option("--seed", type=NON_NEGATIVE, help="--small: seed of networks and texts (default 0).")
@project_options
@as_json
def paper_touchdown(
    data: str | None,
    figures: str | None,
    results: str | None,
    train: str | None,
    small: str | None,
    train_navigation: str | None,
    navigation_results: str | None,
    datasets: tuple[str, ...],
    other_city: str | None,
    processes: int | None,
    city: int | None,
    seed: int | None,
    project: str | None,
    database: str | None,
    as_json: bool,
    **training: Any,
) -> None:
    """All tables as published, with ours where they need no picture; Figure 5.

    It measures on every split that the data folder has. With --results, Table 4 of trained systems. With --train, those
    systems are trained; --small compares two small networks on a CPU. --train-navigation trains the systems of Tables
    5, 7 and 8, with the options of --train, and --navigation-results makes their tables; --figures then draws paths.
    With --project, Tables 1 and 2 and section 5 of what people have collected in the browser.
    """
    if not project:
        only_with("--project", set_options(database=database))
    if not (train or train_navigation):
        only_with("--train", set_options(**training))
    if not train_navigation:
        only_with("--train-navigation", set_options(datasets=datasets, city=city, processes=processes))
    if not (train_navigation or navigation_results):
        only_with("--train-navigation", set_options(other_city=other_city))
    if not small:
        only_with("--small", set_options(seed=seed))
    if project:
        _project_statistics("touchdown", project, database, as_json)
    elif train_navigation:
        walking = set_options(datasets=datasets, other_city=other_city, city=city, processes=processes)
        _train_navigation(train_navigation, data, set_options(**training) | walking)
    elif navigation_results:
        _navigation_results(navigation_results, data, other_city, figures, as_json)
    elif train:
        _train_touchdown(train, data, set_options(**training))
    elif small:
        _small_touchdown(small, seed or 0, as_json)
    elif results:
        _touchdown_results(results, data, as_json)
    else:
        _touchdown_tables(data, figures, as_json)


def _touchdown_tables(data: str | None, figures: str | None, as_json: bool) -> None:
    from bearleft.experiments.text_figures import touchdown_figures, write_figures
    from bearleft.experiments.touchdown.tables import TITLES, remarks, tables

    with progress("Touchdown") as bar:
        rows = tables(data, bar)
    if as_json:
        print_rows(rows, as_json)
    for table, title in TITLES.items() if not as_json else ():
        of_table = [row for row in rows if row["table"] == table]
        print_rows([{name: row[name] for name in row if name != "table"} for row in of_table], as_json, title)
    echo(remarks())
    if figures:
        echo(write_figures(touchdown_figures(data), figures))


def _touchdown_results(path: str, data: str | None, as_json: bool) -> None:
    """Print Table 4 of saved predictions and what follows from it, in Markdown."""
    from bearleft.experiments.systems.markdown import read_rows
    from bearleft.experiments.touchdown.markdown import markdown
    from bearleft.experiments.touchdown.predictions import read_folder
    from bearleft.experiments.touchdown.results import results

    rows = results(read_folder(path), data) if Path(path).is_dir() else read_rows(path)
    if as_json:
        print_rows(rows, as_json, "")
    else:
        click.echo(markdown(rows))


def _train_touchdown(folder: str, data: str | None, options: dict[str, Any]) -> None:
    require_torch()
    from bearleft.experiments.touchdown.train import Table4Config, train_systems

    call = {name: options.pop(name) for name in ("backbone", "device", "minutes", "only") if name in options}
    remaining = train_systems(folder, Table4Config(**options), data=data, log=lambda line: echo([line]), **call)
    echo([_remaining(remaining), f"Next: bearleft paper touchdown --results {folder}/answers"])


def _train_navigation(folder: str, data: str | None, options: dict[str, Any]) -> None:
    require_torch()
    from bearleft.experiments.touchdown.navigation.runs import NavigationConfig
    from bearleft.experiments.touchdown.navigation.train import train_navigation

    names = ("backbone", "city", "datasets", "device", "minutes", "only", "other_city", "processes")
    call = {name: options.pop(name) for name in names if name in options}
    config = NavigationConfig(**options)
    remaining = train_navigation(folder, config, data=data, log=lambda line: echo([line]), **call)
    echo([_remaining(remaining), f"Next: bearleft paper touchdown --navigation-results {folder}/walks"])


def _navigation_results(
    path: str, data: str | None, other_city: str | None, figures: str | None, as_json: bool
) -> None:
    """Print the navigation tables of saved walks, in Markdown, and draw pictures of the walks."""
    from bearleft.experiments.systems.markdown import read_rows
    from bearleft.experiments.touchdown.navigation.markdown import markdown
    from bearleft.experiments.touchdown.navigation.results import results
    from bearleft.experiments.touchdown.navigation.saved_walks import HINT, read_walks_folder

    walks = read_walks_folder(path) if Path(path).is_dir() else []
    if figures:
        from bearleft.experiments.touchdown.navigation.figures import check_drawable, write_figures

        if not walks:
            raise InputError("a folder of walks beside --figures", format_value(path), "navigation-results", hint=HINT)
        check_drawable(walks)
    rows = results(walks, data, other_city) if walks else read_rows(path)
    if as_json:
        print_rows(rows, as_json, "")
    else:
        click.echo(markdown(rows))
    if figures:
        with progress("drawing") as bar:
            written = write_figures(walks, rows, figures, data, bar)
        echo(written)


def _small_touchdown(folder: str, seed: int, as_json: bool) -> None:
    require_torch()
    from bearleft.experiments.touchdown.small import SmallConfig, small_experiment

    result = small_experiment(folder, SmallConfig(seed))
    print_rows(result.rows(), as_json, "Table 4 at a small size: minimal pairs at unseen places")
    echo([f"{result.training_examples:,} examples to learn from"])


def _remaining(names: list[str]) -> str:
    return f"left: {', '.join(names)}" if names else "all done"


@paper.command("refer360")
@data_option
@figures_option
@click.option("--results", metavar="FILE", help="Tables 7 and 9 of trained models: the refer360.json of --train.")
@click.option("--markdown", metavar="PAGE", help="--results: write the tables between this page's marks.")
@click.option("--train", metavar="DIR", help="Train the models of Tables 7 and 9; the same command resumes.")
@training_options
@click.option("--family", metavar="DATASET", help="--train: city/refer360 (default), or refer360 for real files.")
@click.option("--train-split", metavar="SPLIT", help="--train: the split to train on (default train).")
@click.option("--splits", multiple=True, callback=split_commas, metavar="SPLIT", help="--train: evaluate on these.")
@click.option("--networks", multiple=True, callback=split_commas, metavar="NAME", help="--train: static networks.")
@click.option("--level", multiple=True, callback=split_commas, metavar="LEVEL", help="--train: region, pixel, object.")
@click.option("--learning-rate", multiple=True, metavar="NETWORK=RATE", help="--train: another learning rate.")
@click.option("--look-epochs", type=POSITIVE, help="--train: epochs of the dynamic agent.")
@click.option("--slices", metavar="NAME", help="--train: the static networks' slices (default tall).")
@click.option("--train-shortened", is_flag=True, help="--train: train networks on shortened texts, too.")
@click.option("--compile", is_flag=True, help="--train: compile static networks by torch.")
@click.option("--pictures", multiple=True, metavar="FOLDER", help="--train: panoramas of real places.")
@click.option("--seed", type=NON_NEGATIVE, help="--train: seed of all models (default 0).")
@project_options
@as_json
def paper_refer360(
    data: str | None,
    figures: str | None,
    results: str | None,
    markdown: str | None,
    train: str | None,
    project: str | None,
    database: str | None,
    as_json: bool,
    **training: Any,
) -> None:
    """Tables 2, 4, 5 and 7 of every available split, 9 and 10 as published; Figure 3.

    With --train, the models of Tables 7 and 9 are trained; with --results, their tables are printed or written into a
    page. Options that take several names take them separated by commas. With --project, Tables 4, 7 and 10 of what
    people have collected in the browser.
    """
    if not project:
        only_with("--project", set_options(database=database))
    if not train:
        only_with("--train", set_options(**training))
    if markdown and not results:
        only_with("--results", {"markdown": markdown})
    if project:
        _project_statistics("refer360", project, database, as_json)
    elif train:
        _train_refer360(train, data, set_options(**training))
    elif results:
        _refer360_results(results, markdown, as_json)
    else:
        from bearleft.experiments.refer360.tables import REMARKS, tables
        from bearleft.experiments.text_figures import refer360_figures, write_figures

        print_rows(tables(data), as_json, "Refer360")
        echo(REMARKS)
        if figures:
            echo(write_figures(refer360_figures(data), figures))


def _refer360_results(path: str, page: str | None, as_json: bool) -> None:
    from bearleft.experiments.refer360.results import markdown, read_results, write_page

    results = read_results(path)
    if page:
        write_page(page, results)
    elif as_json:
        print_rows(results["rows"] + results["differences"], as_json, "")
    else:
        click.echo(markdown(results))


def _train_refer360(folder: str, data: str | None, options: dict[str, Any]) -> None:
    require_torch()
    from bearleft.experiments.refer360.results import markdown
    from bearleft.experiments.refer360.train import Refer360Config, train_models
    from bearleft.world.slices import SLICINGS

    call = {name: options.pop(name) for name in ("backbone", "device", "minutes", "pictures") if name in options}
    defaults = Refer360Config()
    if "level" in options:
        options["levels"] = options.pop("level")
    if "look_epochs" in options:
        options["look"] = replace(defaults.look, epochs=options.pop("look_epochs"))
    if (slices := options.pop("slices", defaults.slicing.name)) not in SLICINGS:
        raise unknown_name("kind of slices", slices, SLICINGS)
    options["slicing"] = SLICINGS[slices]
    options["learning_rates"] = dict(map(_learning_rate, options.pop("learning_rate", ())))
    config = Refer360Config(**options)
    results, remaining = train_models(folder, config, data=data, log=lambda line: echo([line]), **call)
    click.echo(markdown(results))
    echo([_remaining(remaining)])


def _learning_rate(text: str) -> tuple[str, float]:
    network, _, rate = text.partition("=")
    try:
        return network, float(rate)
    except ValueError:
        raise InputError("NETWORK=RATE, as in lingunet=0.001", format_value(text), "learning-rate") from None


@paper.command("refer360-city")
@click.argument("world", default="city/3/4x5")
@click.option("--count", default=300, show_default=True, type=POSITIVE, help="Sequences.")
@click.option("--seed", default=0, show_default=True, type=NON_NEGATIVE, help="Seed of places, targets and words.")
@as_json
def paper_refer360_city(world: str, count: int, seed: int, as_json: bool) -> None:
    """Table 7 in a city: the last sentence, the last two, and all, read by rules."""
    from bearleft.experiments.refer360.ablation import ablation, city_sequences
    from bearleft.language.scene_index import open_scene_index

    scene = open_scene_index(world)
    print_rows(ablation(scene, city_sequences(scene, count, seed)), as_json, "Refer360, Table 7, in a city")


@paper.command("follower")
@click.argument("names", nargs=-1, metavar="[DATASET/SPLIT]...")
@click.option("--seed", default=0, show_default=True, type=NON_NEGATIVE, help="Seed of the other texts.")
@city_option
@data_option
@as_json
def paper_follower(names: tuple[str, ...], seed: int, city: int | None, data: str | None, as_json: bool) -> None:
    """Measure how well the rule-based follower follows generated texts, an episode's own and another's."""
    from bearleft.experiments.follower_accuracy import follower_accuracy

    with progress("following") as bar:
        rows = follower_accuracy(names or ("city/touchdown/small", "city/sdr/small"), seed, data, bar, city)
    print_rows(rows, as_json, "The follower")


@paper.command("arramon")
@click.argument("names", nargs=-1, metavar="[DATASET/SPLIT]...")
@data_option
@figures_option
@project_options
@click.option(
    "--results", metavar="PATH", help="Tables 2, 3, 5 and 6 of trained agents: a folder of plays, or rows.json."
)
@click.option("--train", metavar="DIR", help="Train the agents of these tables; the same command resumes.")
@training_options
@click.option(
    "--view-memory", type=float, metavar="GB", help="--train: feature maps that are kept instead of rendered."
)
@click.option("--only", multiple=True, callback=split_commas, metavar="NAME", help="--train: runs, such as memory-0.")
@click.option("--processes", type=POSITIVE, help="--train: runs that are trained at once (default 1).")
@as_json
def paper_arramon(
    names: tuple[str, ...],
    data: str | None,
    figures: str | None,
    project: str | None,
    database: str | None,
    results: str | None,
    train: str | None,
    as_json: bool,
    **training: Any,
) -> None:
    """Tables 1, 2, 3, 5 and 6 and Figures 5, 6 and 9 on any split of ArraMon's tasks, released or ours.

    Default: arramon/val_unseen if available, and city/arramon/small. Rows of the paper's own models have no measured
    figure. With --train, V/L, V/O, L/O and bearleft's own agent are trained on city/arramon with three seeds, and play
    its other splits. With --results, the tables of these plays, theirs and ours, in Markdown; --figures then draws
    scores by turn, what words are worth, and learning curves. With --project, Table 1, people's
    scores, and sections 4 and 5 of what people have collected in the browser.
    """
    if project:
        _project_statistics("arramon", project, database, as_json, data)
        return
    only_with("--project", set_options(database=database))
    if not train:
        only_with("--train", set_options(**training))
    if train:
        _train_arramon(train, data, set_options(**training))
        return
    if results:
        _arramon_results(results, data, figures, as_json)
        return
    from bearleft.experiments.arramon.tables import REMARKS, tables
    from bearleft.experiments.text_figures import arramon_figures, write_figures

    with progress("ArraMon") as bar:
        rows = tables(names, data, bar)
    print_rows(rows, as_json, "ArraMon")
    echo(REMARKS)
    if figures:
        echo(write_figures(arramon_figures(names, data), figures))


def _train_arramon(folder: str, data: str | None, options: dict[str, Any]) -> None:
    require_torch()
    from bearleft.experiments.arramon.agents.runs import AgentConfig
    from bearleft.experiments.arramon.agents.train import train_agents

    names = ("device", "minutes", "only", "processes", "backbone")
    call = {name: options.pop(name) for name in names if name in options}
    remaining = train_agents(folder, AgentConfig(**options), data=data, log=lambda line: echo([line]), **call)
    echo([_remaining(remaining), f"Next: bearleft paper arramon --results {folder}/plays"])


def _arramon_results(path: str, data: str | None, figures: str | None, as_json: bool) -> None:
    """Print the tables of saved plays, in Markdown, and draw their charts."""
    from bearleft.experiments.arramon.agents.markdown import markdown
    from bearleft.experiments.arramon.agents.results import results
    from bearleft.experiments.arramon.agents.saved_plays import HINT, read_plays_folder
    from bearleft.experiments.systems.markdown import read_rows

    plays = read_plays_folder(path) if Path(path).is_dir() else []
    if figures and not plays:
        raise InputError("a folder of plays beside --figures", format_value(path), "results", hint=HINT)
    with progress("scoring") as bar:
        rows = results(plays, data, bar) if plays else read_rows(path)
    if as_json:
        print_rows(rows, as_json, "")
    else:
        click.echo(markdown(rows))
    if figures:
        from bearleft.experiments.arramon.agents.figures import write_figures

        echo(write_figures(plays, rows, figures))


@paper.command("texts")
@click.argument("names", nargs=-1, metavar="[DATASET/SPLIT]...")
@data_option
@figures_option
@as_json
def paper_texts(names: tuple[str, ...], data: str | None, figures: str | None, as_json: bool) -> None:
    """Lengths, vocabulary, common nouns and phenomena of texts: the papers', real ones and ours."""
    from bearleft.experiments.analysis_figures import text_figures
    from bearleft.experiments.text_figures import write_figures
    from bearleft.experiments.texts import OUR_DATASETS, REMARKS, our_texts, real_texts, tables

    with progress("reading") as bar:
        real, ours = real_texts(data, bar), our_texts(names or OUR_DATASETS, data, bar)
    rows = tables(real, ours)
    print_rows(rows, as_json, "Texts: Touchdown, Refer360, ArraMon")
    echo(REMARKS)
    if figures:
        echo(write_figures(text_figures(real, ours, rows), figures))


@paper.command("objects")
@click.option("--world", default="city/3/4x5", show_default=True, help="The city whose streets are looked at.")
@click.option("--rooms", default="rooms/0/42", show_default=True, help="The rooms that are looked at.")
@click.option("--count", default=400, show_default=True, type=click.IntRange(min=4), help="Targets of each kind.")
@click.option("--seed", default=0, show_default=True, type=NON_NEGATIVE, help="Seed of places, targets and words.")
@data_option
@figures_option
@as_json
def paper_objects(
    world: str, rooms: str, count: int, seed: int, data: str | None, figures: str | None, as_json: bool
) -> None:
    """Refer360's Tables 3 and 6, Figures 6 and 7: objects near chosen and random targets."""
    from bearleft.experiments.analysis_figures import object_figures
    from bearleft.experiments.refer360.objects import REMARKS, measure_objects, open_worlds, real_texts, tables
    from bearleft.experiments.text_figures import write_figures

    real = real_texts(data)
    with progress("looking") as bar:
        ours = measure_objects(*open_worlds(world, rooms), count, seed, bar)
    rows = tables(ours, real)
    print_rows(rows, as_json, "Refer360: objects and targets")
    echo(REMARKS)
    if figures:
        echo(write_figures(object_figures(ours, real, rows), figures))

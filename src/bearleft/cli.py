"""The command line: one verb = one short function that calls the Python function of the same name.

Figures go to standard output (with --json as one array of flat objects), everything else to standard error. Exit codes:
0 done, 1 the work failed, 2 the user's input was wrong.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from bearleft.errors import InputError, nearest
from bearleft.report.table import print_rows
from bearleft.version import VERSION

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON array of flat objects and nothing else.")
data_option = click.option("--data", metavar="DIR", help="Folder of the real datasets (default: BEARLEFT_DATA).")

WHOLE = click.IntRange(min=0)


class Verbs(click.Group):
    """A group that offers the nearest verb for a mistyped one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"No such verb {args[0]!r}. {nearest(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="bearleft")
@click.option("-v", "--verbose", count=True, help="Say more on standard error (-vv: everything).")
def cli(verbose: int) -> None:
    """People and models follow language through 360-degree worlds, and are scored by every published measure."""
    level = [logging.WARNING, logging.INFO, logging.DEBUG][min(verbose, 2)]
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on standard error: call it with a label, how much is done, and how much there is."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda label, done, total: bar.update(task, description=label, completed=done, total=total or None)


def say(lines: Sequence[str]) -> None:
    """Remarks for people, on standard error."""
    for line in lines:
        click.echo(line, err=True)


@cli.command()
@click.option("-o", "--output", default="demo", show_default=True, metavar="DIR", help="Where pictures and tables go.")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of whoever errs or walks at random.")
@as_json
def demo(output: str, seed: int, as_json: bool) -> None:
    """A generated town, agents that walk it, their scores, and a picture."""
    from bearleft.demo import demo as run

    with progress("walking") as bar:
        result = run(output, seed, bar)
    print_rows(result.scores, as_json, "Five agents in a generated town (paper's definitions, hops)")
    if not as_json:
        print_rows(result.conventions, as_json, "Sixty erring walks under each convention of the field")
    say(result.remarks)


@cli.group(cls=Verbs)
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


@cli.command("eval")
@click.argument("agent")
@click.argument("dataset", metavar="DATASET/SPLIT")
@click.option("-o", "--output", required=True, metavar="FILE", help="Where traces go; a file that is there goes on.")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of everything random.")
@click.option(
    "--processes",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many play at once; the traces are the same.",
)
@click.option(
    "--horizon",
    default=None,
    type=click.IntRange(min=1),
    help="Actions after which a leg ends by itself (default 200).",
)
@click.option("--border", is_flag=True, help="Keep off places with fewer than two links, as Touchdown's program does.")
@click.option(
    "--look-step",
    default=None,
    type=float,
    help="Degrees of a turn of the view (default 15).",
)
@click.option("--limit", default=None, type=click.IntRange(min=1), help="Only the first so many episodes.")
@data_option
def eval_(
    agent: str, dataset: str, output: str, seed: int, processes: int, horizon: int | None, border: bool,
    look_step: float | None, limit: int | None, data: str | None,
) -> None:  # fmt: skip
    """Let AGENT play a dataset and append what it did to a file; then type: bearleft score FILE

    AGENT is stop, random or frequent (they walk), uniform, center, average or average:DATASET (they point), gold or
    shortest (they know the answer), the path of a Python file with your own, or pipe:COMMAND for any program.
    """
    from bearleft.envs.legs import Options
    from bearleft.evaluate.run import run

    changed: dict[str, Any] = {"horizon": horizon, "look_horizon": horizon, "look_step": look_step, "border": border}
    options = Options(**{name: value for name, value in changed.items() if value is not None})
    there = Path(output).read_bytes().count(b"\n") if Path(output).is_file() else 0
    with progress(agent) as bar:
        run(agent, dataset, output, seed, data, processes, options, limit, bar)
    holds = Path(output).read_bytes().count(b"\n")
    say([f"{holds - there:,} episodes played; {output} holds {holds:,} traces. Next: bearleft score {output}"])


@cli.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--dataset", metavar="DATASET/SPLIT", help="What others' predictions are of; traces say it.")
@click.option("--convention", default="paper", show_default=True, help="Whose definitions; 'all' for each in turn.")
@click.option("--metric", "metrics", multiple=True, help="Only this measure; may be given several times.")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of the bootstrap.")
@click.option("--resamples", default=1000, show_default=True, help="Resamples of the bootstrap, up to a million.")
@data_option
@as_json
def score(
    files: tuple[str, ...], dataset: str | None, convention: str, metrics: tuple[str, ...], seed: int, resamples: int,
    data: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Score traces, or others' predictions, with intervals; several files are compared by paired tests.

    Reads bearleft's traces, R2R submissions, VELMA's and ArraMon's outputs, lists of places, and points.
    """
    from bearleft.evaluate.score import score

    with progress("scoring") as bar:
        scores = score(
            *files, dataset=dataset, convention=convention, metrics=metrics, data=data, seed=seed, resamples=resamples,
            progress=bar,
        )  # fmt: skip
    print_rows(scores.rows + (scores.pairs if as_json else []), as_json, "Scores, with 95 % intervals")
    if scores.pairs and not as_json:
        print_rows(scores.pairs, as_json, "Differences on the same episodes")
    say(scores.notes)


@cli.command()
@click.argument("world", default="city/0")
@click.option("-o", "--output", required=True, metavar="FILE.png", help="Where the picture goes.")
@click.option("--place", metavar="ID", help="Stand at this place, by id or number (default: the middle of the world).")
@click.option("--at", metavar="EAST,NORTH[,UP]", help="Stand there instead, in metres.")
@click.option("--heading", type=float, help="Degrees clockwise from north (default: along a street).")
@click.option("--pitch", default=0.0, help="Degrees up.")
@click.option("--roll", default=0.0, help="Degrees clockwise.")
@click.option("--fov", default=90.0, show_default=True, help="Degrees across a view.")
@click.option("--size", metavar="WIDTHxHEIGHT", help="Pixels (default: panorama 1024x512, view 640x480, cube 512).")
@click.option("--panorama", "form", flag_value="panorama", default="panorama", help="All around (the default).")
@click.option("--view", "form", flag_value="view", help="As through a lens.")
@click.option("--cube", "form", flag_value="cube", help="Six faces in a row: ahead, right, back, left, up, down.")
@click.option("--what", default="rgb", help="rgb, depth, instances, classes, parts, or all, each in a file.")
@click.option("--legend", is_flag=True, help="Name the classes below their picture.")
@click.option("--hour", default=14.0, show_default=True, help="Time of day, 0 to 24.")
@click.option("--fog", default=0.1, show_default=True, help="From 0 to 1.")
@click.option("--clouds", default=0.35, show_default=True, help="From 0 to 1.")
@click.option("--samples", default=2, show_default=True, help="Rays a side for each pixel, 1 to 8.")
@click.option("--shadows/--no-shadows", default=True, help="Whether the sun throws shadows.")
@click.option("--seed", type=int, help="The city on the streets of a world that is none itself (default 0).")
@click.option("--device", default="cpu", show_default=True, help="cpu or cuda.")
@data_option
@as_json
def render(
    world: str, output: str, seed: int | None, device: str, data: str | None, as_json: bool, hour: float, fog: float,
    clouds: float, **shot: Any,
) -> None:  # fmt: skip
    """A picture of a city from any place: WORLD is city/SEED, city/SEED/6x9, town/SEED or touchdown.

    WORLD may also be "classes": a sheet of every class of thing that cities hold.
    """
    from bearleft.report.views import Shot, views
    from bearleft.world.render.light import Light

    taken = Shot(light=Light(hour, fog, clouds), **shot)
    with progress("planning") as bar:
        result = views(output, world, seed, taken, device, data, bar)
    print_rows(result.rows, as_json, "Pictures")
    say(result.remarks)


@cli.group(cls=Verbs)
def paper() -> None:
    """A paper's tables, theirs and ours side by side."""


figures_option = click.option("--figures", metavar="DIR", help="Draw the paper's figures into this folder too.")


@paper.command("ndtw")
@data_option
@click.option("--walks", default=1_000_000, show_default=True, help="Random walks for each row.")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of the walks.")
@figures_option
@as_json
def paper_ndtw(data: str | None, walks: int, seed: int, figures: str | None, as_json: bool) -> None:
    """Table 2's random rows on R2R and R4R validation unseen; Figure 3."""
    from bearleft.experiments.ndtw import REMARKS, random_rows
    from bearleft.report.figures import ndtw_figures, write_figures

    with progress("walking") as bar:
        rows = random_rows(data, walks, seed, bar)
    print_rows(rows, as_json, "General Evaluation for Instruction Conditioned Navigation, Table 2 (percent)")
    say(REMARKS)
    if figures:
        say(write_figures(ndtw_figures(), figures))


@paper.command("ndtw-study")
@click.option("-o", "--output", metavar="DIR", help="Write both questionnaires: pictures and sets.jsonl.")
@click.option("--rankings", metavar="FILE", help="Lines of people's rankings, to be analysed as Table 1.")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of environments and paths.")
@as_json
def paper_ndtw_study(output: str | None, rankings: str | None, seed: int, as_json: bool) -> None:
    """The human study: its questionnaires, its analysis, and Table 1's own p-values."""
    from bearleft.experiments.study import SETS, compare, path_sets, published, read_rankings
    from bearleft.report.study import write_study

    if output:
        with progress("drawing") as bar:
            write_study(output, seed, bar)
        say([f"{output}/README.txt says how to ask people."])
    if rankings:
        given = read_rankings(rankings)
        rows = compare((asked for study in SETS for asked in path_sets(study, seed)), given)
        print_rows(rows, as_json, "Table 1 from your rankings (two-sided sign test, ties discarded)")
    else:
        print_rows(published(), as_json, "Table 1: the printed p-values, and those of its own counts")


@paper.command("touchdown")
@data_option
@figures_option
@as_json
def paper_touchdown(data: str | None, figures: str | None, as_json: bool) -> None:
    """Tables 2, 4 and 5 as far as they need no picture; Figure 5."""
    from bearleft.experiments.touchdown import REMARKS, tables
    from bearleft.report.figures import touchdown_figures, write_figures

    with progress("Touchdown") as bar:
        rows = tables(data, bar)
    print_rows(rows, as_json, "Touchdown")
    say(REMARKS)
    if figures:
        say(write_figures(touchdown_figures(data), figures))


@paper.command("refer360")
@data_option
@figures_option
@as_json
def paper_refer360(data: str | None, figures: str | None, as_json: bool) -> None:
    """Tables 2, 4, 5 and 7 as far as they need no picture; Figure 3."""
    from bearleft.experiments.refer360 import REMARKS, tables
    from bearleft.report.figures import refer360_figures, write_figures

    print_rows(tables(data), as_json, "Refer360")
    say(REMARKS)
    if figures:
        say(write_figures(refer360_figures(data), figures))


@paper.command("arramon")
@data_option
@figures_option
@as_json
def paper_arramon(data: str | None, figures: str | None, as_json: bool) -> None:
    """Tables 1 and 2 as far as they need no picture; Figures 5 and 6."""
    from bearleft.experiments.arramon import REMARKS, tables
    from bearleft.report.figures import arramon_figures, write_figures

    with progress("ArraMon") as bar:
        rows = tables(data, bar)
    print_rows(rows, as_json, "ArraMon")
    say(REMARKS)
    if figures:
        say(write_figures(arramon_figures(data), figures))


@cli.command()
@click.argument("name")
@click.option("--rounds", default=9, show_default=True, help="Alternating rounds; medians are printed.")
@data_option
@as_json
def bench(name: str, rounds: int, data: str | None, as_json: bool) -> None:
    """Time us against named peers in one run: metrics, stepping, distances, render; whole runs and scores: eval."""
    from bearleft.bench import bench

    result = bench(name, rounds, data)
    print_rows(result.rows, as_json, f"bench {name}")
    say(result.remarks)


@cli.command()
@data_option
@as_json
def doctor(data: str | None, as_json: bool) -> None:
    """What is installed, what is missing, and what to type."""
    from bearleft.doctor import doctor

    rows = doctor(data)
    print_rows(rows, as_json, "doctor")
    if not all(row["ok"] for row in rows):
        raise SystemExit(1)


def main(args: Sequence[str] | None = None) -> Any:
    """The entry point: a user's mistake is one line on standard error and exit code 2."""
    try:
        return cli.main(args=None if args is None else list(args), prog_name="bearleft", standalone_mode=False)
    except InputError as error:
        click.echo(f"bearleft: {error}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("bearleft: stopped", err=True)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        sys.exit(0)


if __name__ == "__main__":
    main()

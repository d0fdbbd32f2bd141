"""The command line: one verb = one short function that calls the Python function of the same name.

Figures go to standard output (with --json as one array of flat objects), everything else to standard error. Exit codes: 0 done, 1 the work failed, 2
the user's input was wrong.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from bearleft.errors import InputError, nearest
from bearleft.report.table import print_rows
from bearleft.version import VERSION

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON array of flat objects and nothing else.")
data_option = click.option("--data", metavar="DIR", help="Folder of the real datasets (default: BEARLEFT_DATA).")


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
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda label, done, total: bar.update(task, description=label, completed=done, total=total or None)


def say(lines: Sequence[str]) -> None:
    """Remarks for people, on standard error."""
    for line in lines:
        click.echo(line, err=True)


@cli.command()
@click.option("-o", "--output", default="demo", show_default=True, metavar="DIR", help="Where pictures and tables go.")
@click.option("--seed", default=0, show_default=True, help="Another seed, another town.")
@as_json
def demo(output: str, seed: int, as_json: bool) -> None:
    """A generated town, walks through it, every measure of them, and a picture."""
    from bearleft.demo import demo as run

    result = run(output, seed)
    print_rows(result.scores, as_json, "Walks through a generated town")
    if not as_json:
        print_rows(result.conventions, as_json, "The same wandering walks under each convention of the field")
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
    from bearleft.data import stats

    with progress("counting") as bar:
        rows = stats(data, names, bar)
    print_rows(rows, as_json, "Statistics")


@cli.group(cls=Verbs)
def paper() -> None:
    """A paper's tables, theirs and ours side by side."""


@paper.command("ndtw")
@data_option
@click.option("--walks", default=1_000_000, show_default=True, help="Random walks for each row.")
@click.option("--seed", default=0, show_default=True, help="Seed of the walks.")
@as_json
def paper_ndtw(data: str | None, walks: int, seed: int, as_json: bool) -> None:
    """Table 2's random rows on R2R and R4R validation unseen."""
    from bearleft.experiments.ndtw import REMARKS, random_rows

    with progress("walking") as bar:
        rows = random_rows(data, walks, seed, bar)
    print_rows(rows, as_json, "General Evaluation for Instruction Conditioned Navigation, Table 2 (percent)")
    say(REMARKS)


BENCHES = ("metrics", "stepping", "distances")


@cli.command()
@click.argument("name")
@click.option("--rounds", default=9, show_default=True, help="Alternating rounds; medians are printed.")
@as_json
def bench(name: str, rounds: int, as_json: bool) -> None:
    """Time us against named peers in one run: metrics, stepping or distances."""
    from bearleft.bench import BENCHES, bench

    result = bench(name, rounds)
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

"""What the verbs share: options, progress bars, remarks, and groups that offer the nearest verb."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence

import click

from bearleft.errors import nearest

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON array of flat objects and nothing else.")
data_option = click.option(
    "--data", metavar="DIR", help="Folder of datasets, real ones or your own (default: BEARLEFT_DATA)."
)

WHOLE = click.IntRange(min=0)
city_option = click.option(
    "--city", type=WHOLE, metavar="SEED", help="touchdown, town/SEED: build this city on its streets (default 0)."
)


class Verbs(click.Group):
    """A group that offers the nearest verb for a mistyped one, and says of each in whole sentences what it does."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        verbs = [(name, self.commands[name]) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, verb.get_short_help_str(limit=200)) for name, verb in verbs])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"No such verb {args[0]!r}. {nearest(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


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


class Timed:
    """Passes progress on, and tells how long it took, start-up apart."""

    def __init__(self, tell: Callable[[str, int, int], None]) -> None:
        self.tell, self.begin = tell, time.perf_counter()
        self.before: int | None = None
        self.first = self.last = self.begin

    def __call__(self, label: str, done: int, total: int) -> None:
        self.before = done if self.before is None else self.before
        now = time.perf_counter()
        if done > self.before:
            self.first = now if self.first == self.begin else self.first
            self.last = now
        self.tell(label, done, total)

    def __str__(self) -> str:
        return f"in {self.last - self.begin:.1f} s, the first after {self.first - self.begin:.1f} s"


def say(lines: Sequence[str]) -> None:
    """Remarks for people, on standard error."""
    for line in lines:
        click.echo(line, err=True)


def counted(number: int, what: str) -> str:
    """1 trace, 2 traces."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"

"""Options, progress bars, messages and command classes that the commands share."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click

from bearleft.errors import InputError, suggest_name
from bearleft.runtime.progress import ProgressLines, costs_log

NON_NEGATIVE = click.IntRange(min=0)
POSITIVE = click.IntRange(min=1)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON array of flat objects and nothing else.")
data_option = click.option(
    "--data", metavar="DIR", help="Folder of datasets, real or your own (default: $BEARLEFT_DATA)."
)
device_option = click.option("--device", default="cpu", show_default=True, help="cpu or cuda.")
city_option = click.option(
    "--city", type=NON_NEGATIVE, metavar="SEED", help="touchdown, town/SEED: build this city on the streets."
)
pictures_option = click.option(
    "--pictures", multiple=True, metavar="DIR", help="Read panoramas from this album; repeatable."
)


class CommandGroup(click.Group):
    """A group that suggests the nearest command for a mistyped one, and lists each with its complete summary."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands with their summaries."""
        commands = [(name, self.commands[name]) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(limit=200)) for name, command in commands])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names; fail with a suggestion for an unknown one."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"No such command {args[0]!r}. {suggest_name(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


class CommandWithSubcommands(click.Command):
    """A command with arguments of its own whose first argument may also name a subcommand: `render episode`."""

    def __init__(self, *args: Any, subcommands: Mapping[str, click.Command], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.subcommands = subcommands

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context of this command, or of the subcommand that the first argument names."""
        if args and args[0] in self.subcommands:
            return self.subcommands[args[0]].make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@contextlib.contextmanager
def progress(label: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show progress on standard error: a bar on a terminal, lines in a log file.

    Yields:
        A function to call with a label, the work done, and the total.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    if not console.is_terminal:
        is_main = os.environ.get("RANK", "0") == "0"  # of several processes the first one reports
        yield ProgressLines(lambda line: echo([line])) if is_main else lambda *_: None
        return
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda label, done, total: bar.update(task, description=label, completed=done, total=total or None)


class TimedProgress:
    """Forward progress, and measure how long the work took and when its first item was done."""

    def __init__(self, forward: Callable[[str, int, int], None]) -> None:
        self.forward, self.begin = forward, time.perf_counter()
        self.initial: int | None = None
        self.first = self.last = self.begin

    def __call__(self, label: str, done: int, total: int) -> None:
        """Forward one report of progress."""
        self.initial = done if self.initial is None else self.initial
        now = time.perf_counter()
        if done > self.initial:
            self.first = now if self.first == self.begin else self.first
            self.last = now
        self.forward(label, done, total)

    def __str__(self) -> str:
        return f"in {self.last - self.begin:.1f} s, the first after {self.first - self.begin:.1f} s"


class EchoHandler(logging.Handler):
    """Print log records to standard error as they are, also above a progress bar."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the message of a record."""
        click.echo(record.getMessage(), err=True)


def print_announcements() -> None:
    """Print announcements of long work to standard error from now on."""
    if not any(isinstance(handler, EchoHandler) for handler in costs_log.handlers):
        costs_log.addHandler(EchoHandler())
        costs_log.setLevel(logging.INFO)
        costs_log.propagate = False


def reject_options(names: Sequence[str], expected: str) -> None:
    """Raise InputError for options on the command line that have no effect on what is rendered."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = next(p for p in context.command.params if p.name == name)
            raise InputError(f"{option.opts[0]} for {expected}", "it for something else")


def echo(lines: Sequence[str]) -> None:
    """Print messages for people to standard error."""
    for line in lines:
        click.echo(line, err=True)


def pluralize(number: int, noun: str) -> str:
    """Return "1 trace" or "2 traces"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

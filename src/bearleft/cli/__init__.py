"""The command line. Each command is a module that calls the public function of the same name.

Results go to standard output (with --json as one array of flat objects), everything else to standard error. Exit codes:
0 done, 1 the work failed, 2 the input was invalid.
"""

from __future__ import annotations

import errno
import logging
import sys
from collections.abc import Sequence
from typing import Any

import click

from bearleft.cli.album import album
from bearleft.cli.bench import bench
from bearleft.cli.cache import cache
from bearleft.cli.common import CommandGroup, print_announcements
from bearleft.cli.data import data
from bearleft.cli.demo import demo
from bearleft.cli.doctor import doctor
from bearleft.cli.eval import eval_
from bearleft.cli.features import features
from bearleft.cli.gather import gather
from bearleft.cli.map import map_
from bearleft.cli.models import models
from bearleft.cli.paper import paper
from bearleft.cli.play import play
from bearleft.cli.render import render
from bearleft.cli.report import report
from bearleft.cli.score import score
from bearleft.cli.serve import serve
from bearleft.cli.submit import submit
from bearleft.cli.tiles import tiles
from bearleft.cli.train import train
from bearleft.cli.visible import visible
from bearleft.errors import InputError
from bearleft.version import VERSION

# What the user's files and folders can do wrong in any command.
PATH_ERRORS = {
    errno.EACCES,
    errno.EDQUOT,
    errno.EFBIG,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.ENOSPC,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
}


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="bearleft")
@click.option("-v", "--verbose", count=True, help="Log more to standard error (-vv: everything).")
def cli(verbose: int) -> None:
    """Follow natural-language instructions in 360-degree environments, and score agents by every published metric."""
    level = [logging.WARNING, logging.INFO, logging.DEBUG][min(verbose, 2)]
    print_announcements()
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)


for command in (
    demo,
    eval_,
    score,
    report,
    play,
    serve,
    submit,
    data,
    train,
    features,
    models,
    paper,
    bench,
    render,
    map_,
    tiles,
    visible,
    album,
    doctor,
    gather,
    cache,
):
    cli.add_command(command)


def main(args: Sequence[str] | None = None) -> Any:
    """Run the command line: an invalid input is one line on standard error and exit code 2."""
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
    except OSError as error:
        if error.errno not in PATH_ERRORS:
            raise
        file = str(error.filename) if error.filename else ""
        click.echo(f"bearleft: {InputError('a path that can be used', error.strerror or '', file=file)}", err=True)
        sys.exit(2)

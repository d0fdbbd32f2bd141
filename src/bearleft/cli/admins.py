"""`bearleft serve admin`: accounts of those who run a study."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import click

from bearleft.cli.common import CommandGroup, as_json
from bearleft.errors import InputError
from bearleft.reports.table import print_rows

PASSWORD = "BEARLEFT_ADMIN_PASSWORD"
database_option = click.option(
    "--database",
    default="bearleft.sqlite",
    show_default=True,
    envvar="BEARLEFT_DATABASE",
    metavar="URL",
    help="postgresql://USER@HOST/NAME, or a file of SQLite.",
)


@click.group(cls=CommandGroup)
def admin() -> None:
    """Accounts that sign in at /admin: add, list, set-password, disable, enable."""


@admin.command()
@click.argument("name")
@click.option("--role", type=click.Choice(["viewer", "reviewer", "owner"]), required=True, help="What it may do.")
@database_option
@as_json
def add(name: str, role: str, database: str, as_json: bool) -> None:
    """Add an account; asks for its password twice.

    Scripts give the password in BEARLEFT_ADMIN_PASSWORD, or as the first line of standard input.
    """
    from bearleft.web.admin.accounts import new_account

    _change(database, as_json, new_account(name, role, _read_password(), _COMMAND_LINE))


@admin.command("list")
@database_option
@as_json
def list_(database: str, as_json: bool) -> None:
    """List the accounts."""
    _change(database, as_json, None)


@admin.command("set-password")
@click.argument("name")
@database_option
@as_json
def set_password(name: str, database: str, as_json: bool) -> None:
    """Set another password, and sign the account out everywhere."""
    from bearleft.web.admin.accounts import new_password

    _change(database, as_json, new_password(name, _read_password(), _COMMAND_LINE))


@admin.command()
@click.argument("names", nargs=-1, required=True)
@database_option
@as_json
def disable(names: tuple[str, ...], database: str, as_json: bool) -> None:
    """Disable accounts, and sign them out everywhere."""
    from bearleft.web.admin.accounts import disabling

    _change(database, as_json, disabling(names, True, _COMMAND_LINE))


@admin.command()
@click.argument("names", nargs=-1, required=True)
@database_option
@as_json
def enable(names: tuple[str, ...], database: str, as_json: bool) -> None:
    """Enable accounts that were disabled."""
    from bearleft.web.admin.accounts import disabling

    _change(database, as_json, disabling(names, False, _COMMAND_LINE))


_COMMAND_LINE = "command line"


def _change(database: str, as_json: bool, change: Callable[[Any], Any] | None) -> None:
    from bearleft.web.admin.accounts import change_accounts

    print_rows(change_accounts(database, change), as_json, "Accounts")


def _read_password() -> str:
    """Return a password: from the environment, from standard input of a script, or typed twice without echo."""
    if given := os.environ.get(PASSWORD):
        return given
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password: str = click.prompt("Password", hide_input=True, err=True)
    if click.prompt("Once more", hide_input=True, err=True) != password:
        raise InputError("the same password twice", "two different ones")
    return password

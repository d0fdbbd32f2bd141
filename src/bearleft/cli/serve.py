"""`bearleft serve`: projects of data collection."""

from __future__ import annotations

import json
from typing import Any

import click

from bearleft.cli.common import (
    POSITIVE,
    CommandGroup,
    as_json,
    city_option,
    data_option,
    device_option,
    echo,
    pictures_option,
)
from bearleft.cli.play import PORT
from bearleft.errors import InputError
from bearleft.reports.table import print_rows

database_option = click.option(
    "--database",
    default="bearleft.sqlite",
    show_default=True,
    envvar="BEARLEFT_DATABASE",
    metavar="URL",
    help="postgresql://USER@HOST/NAME, or a file of SQLite.",
)


@click.group(cls=CommandGroup)
def serve() -> None:
    """Collect data with people in the browser: projects, workers, answers, exports."""
    from bearleft.web import require_web

    require_web()


@serve.command()
@database_option
@click.option("--port", type=PORT, default=8360, show_default=True, help="Port; 0 takes a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--lease", "lease_seconds", type=POSITIVE, default=600, show_default=True, help="Seconds of a lease.")
@click.option("--secure-cookies", is_flag=True, help="Send cookies over HTTPS only.")
@pictures_option
@city_option
@device_option
@data_option
def start(database: str, port: int, host: str, **options: Any) -> None:
    """Serve all projects of a database until Ctrl-C."""
    from bearleft.warmup import compile_for_pictures
    from bearleft.web.secret import read_secret
    from bearleft.web.server import run_server
    from bearleft.web.settings import Settings, user_folder

    settings = Settings(database=database, secret=read_secret(user_folder()), **options)
    if not settings.pictures:
        compile_for_pictures()  # or the first worker would wait for it
    run_server(settings, host, port, log=lambda line: echo([line]))


@serve.command()
@click.argument("name")
@click.option(
    "--task", type=click.Choice(["play", "touchdown", "refer360", "arramon"]), required=True, help="Whose tasks."
)
@click.option("--dataset", required=True, metavar="DATASET/SPLIT", help="Where routes and scenes come from.")
@click.option("--limit", type=POSITIVE, metavar="N", help="At most N routes or scenes.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=JSON", help="A setting of the task; repeatable.")
@database_option
@pictures_option
@city_option
@data_option
@as_json
def add(
    name: str,
    task: str,
    dataset: str,
    limit: int | None,
    assignments: tuple[str, ...],
    database: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Add a project with its units of work; a running server offers it at once."""
    from bearleft.web.projects import add_project
    from bearleft.web.settings import Settings

    values: dict[str, Any] = {"dataset": dataset, **({"limit": limit} if limit else {})}
    values |= dict(_parse_assignment(text) for text in assignments)
    rows = add_project(Settings(database=database, **options), name, task, values)
    print_rows(rows, as_json, name)


@serve.command()
@database_option
@as_json
def status(database: str, as_json: bool) -> None:
    """Print the progress of all projects."""
    from bearleft.web.projects import project_rows

    print_rows(project_rows(database), as_json, "Projects")


@serve.command()
@click.argument("name")
@click.option("-o", "--output", required=True, metavar="DIR", help="Folder to write.")
@database_option
@pictures_option
@city_option
@data_option
@as_json
def export(name: str, output: str, database: str, as_json: bool, **options: Any) -> None:
    """Write what a project has collected: in the paper's format, as episodes, and as traces."""
    from bearleft.web.exports import export_project
    from bearleft.web.settings import Settings

    rows = export_project(Settings(database=database, **options), name, output)
    print_rows(rows, as_json, f"Export of {name}")


@serve.command()
@click.argument("name")
@click.option("--accept", metavar="ID", help="Refer360: the worker may go on. ArraMon: the set of texts is good.")
@click.option("--reject", metavar="ID", help="Refer360: the worker may not. ArraMon: the set is discarded.")
@click.option("--reason", default="", metavar="TEXT", help="--reject: what the worker is told.")
@database_option
@as_json
def review(name: str, accept: str | None, reject: str | None, reason: str, database: str, as_json: bool) -> None:
    """List what waits for a review, or decide on it: Refer360's new workers, ArraMon's doubtful texts."""
    from bearleft.web.reviews import review_rows, store_review

    if accept and reject:
        raise InputError("--accept or --reject", "both")
    if reason and not reject:
        raise InputError("--reason with --reject", "no --reject")
    if reviewed := accept or reject:
        store_review(database, name, reviewed, bool(accept), reason)
        echo([f"{'accepted' if accept else 'rejected'}: {reviewed}"])
    print_rows(review_rows(database, name), as_json, f"{name}: texts that wait for a review")


def _parse_assignment(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise InputError("NAME=JSON, such as qualification=false", f'"{text}"', "--set")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value  # a plain text needs no quotes

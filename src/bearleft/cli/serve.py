"""`bearleft serve`: projects of data collection."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from bearleft.cli.admins import admin, database_option
from bearleft.cli.common import (
    POSITIVE,
    CommandGroup,
    as_json,
    city_option,
    data_option,
    device_option,
    echo,
    pictures_option,
    progress,
)
from bearleft.cli.leaderboard import leaderboard
from bearleft.cli.play import PORT
from bearleft.errors import InputError
from bearleft.reports.table import print_rows

folder_option = click.option(
    "--folder",
    default="leaderboard",
    show_default=True,
    envvar="BEARLEFT_LEADERBOARD",
    metavar="DIR",
    help="Private folder of the leaderboard: answers and uploads.",
)


@click.group(cls=CommandGroup)
def serve() -> None:
    """Collect data with people in the browser: projects, workers, answers, exports."""
    from bearleft.web import require_web

    require_web()


serve.add_command(admin)
serve.add_command(leaderboard)


@serve.command()
@database_option
@click.option("--port", type=PORT, default=8360, show_default=True, help="Port; 0 takes a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--lease", "lease_seconds", type=POSITIVE, default=600, show_default=True, help="Seconds of a lease.")
@click.option("--secure-cookies", is_flag=True, help="Behind HTTPS: cookies and pages over HTTPS only.")
@click.option("--workers", type=POSITIVE, default=1, show_default=True, help="Server processes.")
@click.option("--proxy", "proxies", multiple=True, metavar="ADDRESS", help="Believe its X-Forwarded-For; repeatable.")
@click.option("--leaderboard", is_flag=True, help="Serve the leaderboard, too, and score its submissions.")
@click.option("--no-baselines", is_flag=True, help="Do not add tracks with baselines to the leaderboard.")
@click.option("--scorers", type=POSITIVE, default=1, show_default=True, help="Processes that score submissions.")
@folder_option
@pictures_option
@city_option
@device_option
@data_option
def start(
    database: str,
    port: int,
    host: str,
    workers: int,
    proxies: tuple[str, ...],
    leaderboard: bool,
    no_baselines: bool,
    scorers: int,
    folder: str,
    **options: Any,
) -> None:
    """Serve all projects of a database until Ctrl-C; the log goes to standard error, in JSON lines."""
    from bearleft.warmup import compile_for_pictures
    from bearleft.web.leaderboard.folders import private_folder
    from bearleft.web.operations.options import Operations
    from bearleft.web.scenes.prepare import prepare_models
    from bearleft.web.secret import read_secret
    from bearleft.web.server import run_server
    from bearleft.web.settings import Settings, user_folder

    operations = Operations(
        proxies=proxies, metrics_token=os.environ.get("BEARLEFT_METRICS_TOKEN", ""), log_requests=True
    )
    options["leaderboard"] = private_folder(folder) if leaderboard else None
    settings = Settings(database=database, secret=read_secret(user_folder()), operations=operations, **options)
    # Or the first worker would wait for it.
    if not settings.pictures:
        compile_for_pictures()
    with progress("3-D models") as bar:
        prepare_models(settings, bar)
    if leaderboard and not no_baselines:
        from bearleft.web.leaderboard.organise import add_baseline_rows

        with progress("baselines") as bar:
            add_baseline_rows(database, folder, progress=bar)
    scorers = scorers if leaderboard else 0
    run_server(settings, host, port, log=lambda line: echo([line]), workers=workers, scorers=scorers)


@serve.command()
@database_option
@city_option
@data_option
@as_json
def prepare(database: str, as_json: bool, **options: Any) -> None:
    """Make the 3-D models that pages will show, as start does; for projects that a running server gets."""
    from bearleft.web.scenes.prepare import prepare_models
    from bearleft.web.settings import Settings

    with progress("3-D models") as bar:
        rows = prepare_models(Settings(database=database, **options), bar)
    print_rows(rows, as_json, "3-D models")


@serve.command()
@click.option("-o", "--output", required=True, metavar="FILE", help="File to write; it holds everything.")
@database_option
@as_json
def backup(output: str, database: str, as_json: bool) -> None:
    """Write a copy of a database into one file, while servers go on."""
    from bearleft.web.operations.backup import write_backup

    print_rows(write_backup(database, output), as_json, f"Backup in {output}")


@serve.command()
@click.argument("file", metavar="FILE")
@database_option
@as_json
def restore(file: str, database: str, as_json: bool) -> None:
    """Restore a backup into an empty database of either kind."""
    from bearleft.web.operations.backup import restore_backup

    print_rows(restore_backup(file, database), as_json, f"Restored from {file}")


@serve.command()
@click.option("--to", "revision", default="head", show_default=True, metavar="REVISION", help="Such as 0001.")
@click.option("--discard", is_flag=True, help="Also remove what the older tables cannot hold.")
@database_option
@as_json
def migrate(revision: str, discard: bool, database: str, as_json: bool) -> None:
    """Bring the tables of a database to a revision, up or down, while no server uses it."""
    from bearleft.web.operations.migrate import migrate

    print_rows(migrate(database, revision, discard), as_json, "Migration")


@serve.command()
@click.argument("name")
@click.option(
    "--task",
    type=click.Choice(["play", "touchdown", "refer360", "arramon", "ndtw-study"]),
    required=True,
    help="Whose tasks.",
)
@click.option("--dataset", metavar="DATASET/SPLIT", help="Where routes and scenes come from; ndtw-study has none.")
@click.option("--limit", type=POSITIVE, metavar="N", help="At most N routes, scenes, or sets of each study.")
@click.option("--answers", type=POSITIVE, default=1, show_default=True, help="Answers wanted of each unit.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=JSON", help="A setting of the task; repeatable.")
@database_option
@pictures_option
@city_option
@data_option
@as_json
def add(
    name: str,
    task: str,
    dataset: str | None,
    limit: int | None,
    answers: int,
    assignments: tuple[str, ...],
    database: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Add a project with its units of work; a running server offers it at once."""
    from bearleft.web.people.consent import add_study
    from bearleft.web.settings import Settings

    if dataset is None and task != "ndtw-study":
        raise InputError("--dataset DATASET/SPLIT", f"--task {task} without it")
    values: dict[str, Any] = {**({"dataset": dataset} if dataset else {}), **({"limit": limit} if limit else {})}
    values |= dict(_parse_assignment(text) for text in assignments)
    rows = add_study(Settings(database=database, **options), name, task, values, answers)
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
@click.option("-o", "--output", required=True, metavar="PATH", help="Folder to write; with --archive, the file.")
@click.option("--archive", is_flag=True, help="Write the project itself: one file, which serve import reads.")
@database_option
@pictures_option
@city_option
@data_option
@as_json
def export(name: str, output: str, archive: bool, database: str, as_json: bool, **options: Any) -> None:
    """Write what a project has collected: in the paper's format, as episodes, and as traces."""
    if archive:
        from bearleft.web.exports.archive import archive_project

        print_rows(archive_project(database, name, output), as_json, f"Archive of {name}")
        return
    from bearleft.web.exports import export_project
    from bearleft.web.settings import Settings

    rows = export_project(Settings(database=database, **options), name, output)
    print_rows(rows, as_json, f"Export of {name}")


@serve.command("import")
@click.argument("file", type=click.Path())
@click.option("--name", default="", metavar="NAME", help="Name of the project (default: as it was).")
@database_option
@as_json
def import_(file: str, name: str, database: str, as_json: bool) -> None:
    """Make a project from a file that export --archive, or the export page, has written: all of it or nothing."""
    from bearleft.web.exports.archive import import_project

    print_rows(import_project(database, file, name), as_json, "Import")


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


@serve.command()
@click.argument("name")
@click.argument("file", required=False)
@database_option
@as_json
def consent(name: str, file: str | None, database: str, as_json: bool) -> None:
    """List the versions of a project's consent text; or add FILE as a new one, which everybody is asked to agree to."""
    from bearleft.web.people.consent import consent_rows

    print_rows(consent_rows(database, name, file), as_json, f"{name}: consent")


@serve.command()
@click.argument("name")
@database_option
@as_json
def checks(name: str, database: str, as_json: bool) -> None:
    """List how workers did the units with a known answer."""
    from bearleft.web.projects import check_rows

    print_rows(check_rows(database, name), as_json, f"{name}: attention checks")


@serve.command()
@click.argument("name")
@click.option("--for", "way", type=click.Choice(["prolific", "mturk", "direct"]), help="Pay what is owed in this way.")
@click.option("--study", metavar="ID", help="--for prolific: the study, if people came from several.")
@click.option("--batch", "number", type=POSITIVE, metavar="N", help="Write the file of this batch again.")
@click.option("-o", "--output", metavar="FILE", help="CSV to write.")
@database_option
@as_json
def payments(
    name: str, way: str | None, study: str | None, number: int | None, output: str | None, database: str, as_json: bool
) -> None:
    """List what workers earned, what is owed and what is paid; or write a batch of payments."""
    from bearleft.web.payments.batches import export_batch, payment_rows, rewrite_batch

    if way and number:
        raise InputError("--for or --batch", "both")
    if (way or number) and not output:
        raise InputError("-o FILE with --for and --batch", "none")
    if output and not (way or number):
        raise InputError("--for or --batch with -o", "neither")
    if study and not way:
        raise InputError("--study with --for prolific", "no --for")
    if number and output:
        print_rows(rewrite_batch(database, name, number, output), as_json, f"{name}: payments")
        return
    if way and output:
        rows = export_batch(database, name, way, output, study)
        if not rows:
            echo([f"Nothing is owed to people who are paid by {way}; no file was written."])
        print_rows(rows, as_json, f"{name}: payments")
        return
    print_rows(payment_rows(database, name), as_json, f"{name}: payments")


def _parse_assignment(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise InputError("NAME=JSON, such as qualification=false", f'"{text}"', "--set")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value  # a plain text needs no quotes

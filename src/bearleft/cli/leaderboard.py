"""`bearleft serve leaderboard`: tracks, teams and submissions, for organisers who work in a shell."""

from __future__ import annotations

from typing import Any

import click

from bearleft.cli.admins import database_option
from bearleft.cli.common import NON_NEGATIVE, POSITIVE, CommandGroup, as_json, data_option, echo, progress
from bearleft.errors import InputError
from bearleft.reports.table import print_rows

folder_option = click.option(
    "--folder",
    default="leaderboard",
    show_default=True,
    envvar="BEARLEFT_LEADERBOARD",
    metavar="DIR",
    help="Private folder of answers and uploads.",
)
track_option = click.option("--track", default="", metavar="NAME", help="Only those of this track.")
team_option = click.option("--team", default="", metavar="NAME", help="Only those of this team.")


@click.group(cls=CommandGroup)
def leaderboard() -> None:
    """Compare agents of several teams: tracks, invitations, submissions."""


@leaderboard.command("add-track")
@click.argument("name")
@click.option("--hidden", metavar="FOLDER", help="Hidden answers: the folder that data make --secret wrote.")
@click.option("--dataset", default="", metavar="DATASET/SPLIT", help="Public answers; or which one of FOLDER.")
@click.option("--title", default="", metavar="TEXT", help="Title of its page (default: NAME).")
@click.option("--description", default="", metavar="TEXT", help="What it is about, and its rules.")
@click.option("--convention", default="paper", show_default=True, metavar="NAME", help="Scoring convention.")
@click.option("--metric", "measures", multiple=True, metavar="NAME", help="Metric of its table; repeatable.")
@click.option("--primary", default="", metavar="NAME", help="Metric that sorts it (default: the first one).")
@click.option("--decimals", type=NON_NEGATIVE, metavar="N", help="Of shown figures (default: 1 if hidden, else all).")
@click.option("--daily", type=POSITIVE, default=3, show_default=True, help="Submissions of a team on a day in UTC.")
@click.option("--total", type=POSITIVE, default=30, show_default=True, help="Submissions of a team altogether.")
@click.option("--seeds", type=POSITIVE, default=5, show_default=True, help="Files of a submission, one for each seed.")
@click.option("--max-mb", type=POSITIVE, default=64, show_default=True, help="Size of a file, decompressed.")
@click.option("--time-limit", type=POSITIVE, default=600, show_default=True, help="Seconds of a scoring.")
@click.option("--memory", type=POSITIVE, default=4096, show_default=True, help="MB of memory of a scoring.")
@click.option("--open", "is_open", is_flag=True, help="Take submissions at once; otherwise it is a draft.")
@database_option
@folder_option
@data_option
@as_json
def add_track(
    name: str,
    hidden: str | None,
    dataset: str,
    primary: str,
    daily: int,
    total: int,
    seeds: int,
    max_mb: int,
    time_limit: int,
    memory: int,
    is_open: bool,
    database: str,
    folder: str,
    data: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Add a track with hidden answers, or one of a dataset with public answers."""
    from bearleft.web.leaderboard.organise import add_track_rows
    from bearleft.web.leaderboard.tracks import TrackSettings

    if hidden is not None and data is not None:
        raise InputError("--data with public answers", "--hidden")
    settings = TrackSettings(
        name,
        primary_measure=primary,
        daily_limit=daily,
        total_limit=total,
        max_files=seeds,
        max_bytes=max_mb * 2**20,
        time_limit_s=time_limit,
        memory_limit_mb=memory,
        **options,
    )
    state = "open" if is_open else "draft"
    rows = add_track_rows(database, folder, settings, hidden=hidden, dataset=dataset, data=data, state=state)
    print_rows(rows, as_json, "Track")
    if not is_open and not as_json:
        echo([f"Only organisers see it. Open it with: bearleft serve leaderboard state {name} open"])


@leaderboard.command("add-baselines")
@click.argument("results", nargs=-1, metavar="[RESULTS]...")
@database_option
@folder_option
@data_option
@as_json
def add_baselines(results: tuple[str, ...], database: str, folder: str, data: str | None, as_json: bool) -> None:
    """Add tracks of the embedded datasets with rule-based agents, as the first start of a server does.

    With RESULTS, files or folders of saved predictions or walks such as papers/answers, add trained systems instead.
    """
    from bearleft.web.leaderboard.organise import add_baseline_rows

    with progress("baselines") as bar:
        rows = add_baseline_rows(database, folder, results, data, bar)
    print_rows(rows, as_json, "Baselines")


@leaderboard.command("tracks")
@database_option
@as_json
def tracks_(database: str, as_json: bool) -> None:
    """List the tracks."""
    from bearleft.web.leaderboard.organise import track_rows

    print_rows(track_rows(database), as_json, "Tracks")


@leaderboard.command()
@click.argument("name")
@click.argument("state", type=click.Choice(["draft", "open", "closed"]))
@database_option
@as_json
def state(name: str, state: str, database: str, as_json: bool) -> None:
    """Open a track, close it (its table stays), or make it a draft again."""
    from bearleft.web.leaderboard.organise import set_track_state

    print_rows(set_track_state(database, name, state), as_json, "Track")


@leaderboard.command()
@click.option("--team", default="", metavar="NAME", help="The team to join (default: found a new one).")
@click.option("--uses", type=POSITIVE, default=1, show_default=True, help="How often the code can be used.")
@click.option("--days", type=POSITIVE, default=30, show_default=True, help="Days until it expires.")
@click.option("--note", default="", metavar="TEXT", help="For whom it is; the log keeps it.")
@database_option
@as_json
def invite(team: str, uses: int, days: int, note: str, database: str, as_json: bool) -> None:
    """Print an invitation code, with which a team is founded or joined; it is stored nowhere."""
    from bearleft.web.leaderboard.organise import invite_rows

    print_rows(invite_rows(database, team=team, uses=uses, days=days, note=note), as_json, "Invitation")


@leaderboard.command("teams")
@database_option
@as_json
def teams_(database: str, as_json: bool) -> None:
    """List the teams."""
    from bearleft.web.leaderboard.organise import list_teams

    print_rows(list_teams(database), as_json, "Teams")


@leaderboard.command()
@click.argument("names", nargs=-1, required=True)
@database_option
@as_json
def disable(names: tuple[str, ...], database: str, as_json: bool) -> None:
    """Disable teams: their tokens are refused; their entries stay."""
    from bearleft.web.leaderboard.organise import disable_teams

    print_rows(disable_teams(database, names, True), as_json, "Teams")


@leaderboard.command()
@click.argument("names", nargs=-1, required=True)
@database_option
@as_json
def enable(names: tuple[str, ...], database: str, as_json: bool) -> None:
    """Enable teams that were disabled."""
    from bearleft.web.leaderboard.organise import disable_teams

    print_rows(disable_teams(database, names, False), as_json, "Teams")


@leaderboard.command("submissions")
@track_option
@team_option
@database_option
@as_json
def submissions_(track: str, team: str, database: str, as_json: bool) -> None:
    """List the submissions, the newest first."""
    from bearleft.web.leaderboard.organise import list_submissions

    print_rows(list_submissions(database, track=track, team=team), as_json, "Submissions")


@leaderboard.command()
@click.argument("submission")
@database_option
@as_json
def hide(submission: str, database: str, as_json: bool) -> None:
    """Hide an entry from everybody but its team."""
    from bearleft.web.leaderboard.organise import hide_submission

    print_rows(hide_submission(database, submission, True), as_json, "Submission")


@leaderboard.command()
@click.argument("submission")
@database_option
@as_json
def show(submission: str, database: str, as_json: bool) -> None:
    """Show an entry again that was hidden."""
    from bearleft.web.leaderboard.organise import hide_submission

    print_rows(hide_submission(database, submission, False), as_json, "Submission")


@leaderboard.command()
@track_option
@team_option
@click.option("--limit", type=POSITIVE, metavar="N", help="At most N lines.")
@database_option
@as_json
def log(track: str, team: str, limit: int | None, database: str, as_json: bool) -> None:
    """List who did what, the newest first; nobody can change this log."""
    from bearleft.web.leaderboard.organise import list_log

    print_rows(list_log(database, track=track, team=team, limit=limit), as_json, "Log")


@leaderboard.command()
@click.option("--clean", is_flag=True, help="Also remove uploads that no submission names and that are a day old.")
@database_option
@folder_option
@as_json
def check(clean: bool, database: str, folder: str, as_json: bool) -> None:
    """List files that are missing or were changed, such as after a restored backup; exit code 1 if there are any."""
    from bearleft.web.leaderboard.organise import check_files

    rows = check_files(database, folder, remove_abandoned=clean)
    print_rows(rows, as_json, "Files that are missing or were changed")
    if rows:
        raise SystemExit(1)

"""`bearleft submit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bearleft.cli.common import as_json, echo, progress
from bearleft.errors import InputError, format_value, unknown_name
from bearleft.reports.table import print_rows

TAGS = ("pictures", "ground_truth", "language_model", "generator_grammar")
MAX_SEED = 2**31 - 1


@click.command()
@click.argument("file", required=False, metavar="[FILE]")
@click.option("--to", "url", required=True, metavar="URL", help="Address of the server.")
@click.option("--track", required=True, metavar="NAME", help="Track to submit to.")
@click.option("--title", required=True, metavar="TEXT", help="Name of the system.")
@click.option("--seed", "seeds", multiple=True, metavar="N=FILE", help="Traces of the system with seed N; repeatable.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help=f"What it uses: {', '.join(TAGS)}; repeatable.")
@click.option("--cost", default="", metavar="TEXT", help='What a run costs, such as "3 USD".')
@click.option("--code", "code_url", default="", metavar="URL", help="Address of the code.")
@click.option("--paper", "paper_url", default="", metavar="URL", help="Address of the paper.")
@click.option("--note", default="", metavar="TEXT", help="Anything else.")
@click.option("--token-file", metavar="FILE", help="File with the token, mode 0600 (default: $BEARLEFT_TOKEN).")
@click.option("--wait", is_flag=True, help="Wait until it is scored, and print the figures.")
@click.option("--publish", is_flag=True, help="With --wait: let everybody see it in the table.")
@as_json
def submit(
    file: str | None,
    url: str,
    track: str,
    seeds: tuple[str, ...],
    token_file: str | None,
    wait: bool,
    publish: bool,
    as_json: bool,
    **details: Any,
) -> None:
    """Submit traces (JSON lines, plain or .gz) to a track of a leaderboard; the same command again continues.

    FILE is that of seed 0; a system that was run with several seeds has a --seed N=FILE for each.
    """
    from bearleft.web.leaderboard.client import Entry, LeaderboardClient, read_token, submit_files

    if publish and not wait:
        raise InputError("--wait with --publish", "no --wait")
    for tag in details["tags"]:
        if tag not in TAGS:
            raise unknown_name("tag", tag, TAGS).at(field="--tag")
    files = _files(file, seeds)
    client = LeaderboardClient(url, read_token(token_file))
    _check_track(client.track(track), files)
    with progress("uploading") as bar:
        submission = submit_files(client, track, files, Entry(**details), bar)
    page = f"{client.url}/leaderboard/{track}/entries/{submission['id']}"
    if not as_json:
        echo([f"{submission['state']}: {page}"])
    if wait:
        submission = client.wait(submission["id"])
    if wait and submission["state"] == "failed":
        raise click.ClickException(f"the scoring failed: {submission['error']}")
    if publish and not submission["published"]:
        submission = client.publish(submission["id"])
    rows = submission.get("figures") or []
    if not rows:
        rows = [{"submission": submission["id"], "state": submission["state"], "page": page}]
        print_rows(rows, as_json, track)
        return
    columns = {"submission": submission["id"]} if as_json else {}
    print_rows([{**columns, **row} for row in rows], as_json, f"{submission['title']} on {track}")


def _files(file: str | None, seeds: tuple[str, ...]) -> dict[int, Path]:
    """Return the file of each seed."""
    files = {} if file is None else {0: Path(file)}
    for text in seeds:
        number, sign, name = text.partition("=")
        if not (sign and name and number.isascii() and number.isdigit() and int(number[:11]) <= MAX_SEED):
            raise InputError("N=FILE, such as 1=traces-1.jsonl", format_value(text), "--seed")
        if int(number) in files:
            hint = "FILE is that of seed 0." if file is not None and not int(number) else ""
            raise InputError("one file for each seed", f"seed {int(number)} twice", "--seed", hint=hint)
        files[int(number)] = Path(name)
    if not files:
        raise InputError("FILE, or --seed N=FILE", "neither")
    for path in files.values():
        if not path.is_file():
            raise InputError("a file of traces", "a folder" if path.is_dir() else "no such file", file=str(path))
    return files


def _check_track(track: dict[str, Any], files: dict[int, Path]) -> None:
    """Refuse before the upload what the server would refuse after it."""
    if track["state"] != "open":
        raise InputError("a track that is open", f"{track['state']}", "--track")
    if len(files) > track["max_files"]:
        raise InputError(f"at most {track['max_files']} files on this track", str(len(files)), "--seed")
    for path in files.values():
        if path.stat().st_size > track["max_bytes"]:
            got = f"{path.stat().st_size:,} bytes"
            raise InputError(f"a file of at most {track['max_bytes']:,} bytes", got, file=str(path))

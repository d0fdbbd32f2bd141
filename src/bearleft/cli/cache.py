"""`bearleft cache`: what is cached, and how large it is; `bearleft cache clear` deletes it."""

from __future__ import annotations

from typing import Any

import click

from bearleft.cli.common import CommandGroup, as_json, echo
from bearleft.reports.table import print_rows
from bearleft.runtime.progress import format_size


def _rest(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("files", "path", "content")}


@click.group(cls=CommandGroup, invoke_without_command=True)
@as_json
@click.pass_context
def cache(context: click.Context, as_json: bool) -> None:
    """List cached files with their sizes: compiled code, distances, visibility tables, generated datasets.

    Everything in the folder can be made again. BEARLEFT_CACHE names another folder.
    """
    if context.invoked_subcommand is not None:
        return
    from bearleft.runtime.cache import cache_rows

    rows = cache_rows()
    if not as_json:
        rows = [{"kind": row["kind"], "size": format_size(row["bytes"]), **_rest(row)} for row in rows]
    print_rows(rows, as_json, "Cache")
    if not as_json:
        echo(["Next: bearleft cache clear, or bearleft cache clear KIND"])


@cache.command()
@click.argument("kinds", nargs=-1, metavar="[KIND]...")
@click.option("-y", "--yes", is_flag=True, help="Delete without asking.")
@as_json
def clear(kinds: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Delete cached files of each KIND, or all but generated datasets; `bearleft cache` lists the kinds.

    Only the folders of these kinds are deleted, and no link is followed.
    """
    from bearleft.errors import unknown_name
    from bearleft.runtime.cache import DATASETS, KINDS, cache_rows, clear_cache

    for kind in kinds:
        if kind not in KINDS:
            raise unknown_name("kind of cached file", kind, KINDS)
    chosen = kinds or tuple(kind for kind in KINDS if kind != DATASETS)
    rows = [row for row in cache_rows() if row["kind"] in chosen and row["files"]]
    if rows and not yes:
        echo([f"{row['path']}: {format_size(row['bytes'])}, {row['content']}" for row in rows])
        click.confirm("Delete these folders?", abort=True, err=True)
    cleared = clear_cache(chosen)
    if as_json:
        print_rows(cleared, as_json)
    echo([f"Deleted {format_size(sum(row['bytes'] for row in cleared))}."])

"""The tracks, the table of a track, comparisons of two entries, and downloads."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Query, Request
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, Response

from bearleft.errors import InputError
from bearleft.web.database.leaderboard import Track
from bearleft.web.leaderboard import tracks
from bearleft.web.leaderboard.charts import Point, history_chart
from bearleft.web.leaderboard.routes.api import entrants_archive
from bearleft.web.leaderboard.routes.common import (
    TAG_WORDS,
    Short,
    address_of,
    page,
    submission_of,
    track_of,
)
from bearleft.web.leaderboard.routes.views import filtered_rows, sorted_rows, table_view
from bearleft.web.leaderboard.sessions import current_team, database_of
from bearleft.web.leaderboard.tables import Table, compare, conventions_of, history, track_table
from bearleft.web.leaderboard.tables.rounding import Rounding

router = APIRouter(prefix="/leaderboard", include_in_schema=False)
FORMATS = {"csv": "text/csv", "md": "text/markdown", "tex": "application/x-tex"}


@router.get("")
def tracks_page(request: Request) -> HTMLResponse:
    """List the tracks, each with its best entry."""
    with database_of(request).read() as session:
        rows = []
        for track in tracks.list_tracks(session):
            table = track_table(session, track)
            rows.append({"track": track, "entries": len(table.rows), "best": _best(table, track)})
        return page(request, "tracks.html", rows=rows)


def _best(table: Table, track: Track) -> str:
    """Return the best figure of the primary metric; empty if there is none."""
    cell = table.rows[0].cells.get(track.primary_measure) if table.rows else None
    return "" if cell is None else f"{cell.value:.{Rounding(track.decimals).digits(track.primary_measure)}f}"


@router.get("/{track}")
def track_page(
    request: Request, track: str, convention: Short = "", sort: Short = "", tag: Short = "", without: Short = ""
) -> HTMLResponse:
    """Show the table of a track, its history, and how to enter."""
    with database_of(request).read() as session:
        found = track_of(session, track)
        table = _table(session, found, convention)
        metrics = [column.metric for column in table.columns]
        metric = sort if sort in metrics else found.primary_measure
        tag, without = (one if one in TAG_WORDS else "" for one in (tag, without))
        rows = filtered_rows(sorted_rows(table, metric), tag, without)
        chosen = {"convention": table.convention, "tag": tag, "without": without}
        chosen = {name: value for name, value in chosen.items() if value}
        return page(
            request,
            "track.html",
            track=found,
            view=table_view(table, rows, metric, chosen),
            conventions=conventions_of(session, found),
            tag_words=TAG_WORDS,
            chosen={"tag": tag, "without": without},
            query=urlencode({"convention": table.convention}),
            history=_history(session, found) if rows else "",
            dataset=found.dataset,
            file=f"entrants/{found.dataset.rpartition('/')[0].replace('/', '-')}-{found.split}.jsonl",
            address=address_of(request),
        )


def _table(session: Session, track: Track, convention: str) -> Table:
    try:
        return track_table(session, track, convention=convention or None)
    except InputError:
        raise HTTPException(404, "This track has no figures under such a convention.") from None


def _history(session: Session, track: Track) -> Any:
    """Return the picture of a track's history; nothing of fewer than two entries."""
    points = [Point(one.at, one.value, one.title, one.team, one.builtin) for one in history(session, track)]
    if len(points) < 2:
        return ""
    table = track_table(session, track)
    column = next(one for one in table.columns if one.primary)
    return history_chart(points, column.metric, column.digits, column.higher_is_better is False)


@router.get("/{track}/table.{kind}")
def download(request: Request, track: str, kind: str, convention: Short = "") -> Response:
    """Return the table of a track as CSV, Markdown or LaTeX."""
    if kind not in FORMATS:
        raise HTTPException(404, "There is table.csv, table.md and table.tex.")
    with database_of(request).read() as session:
        found = track_of(session, track)
        table = _table(session, found, convention)
    content = {"csv": table.to_csv, "md": table.to_markdown, "tex": table.to_latex}[kind]()
    headers = {"Content-Disposition": f'attachment; filename="{found.name}.{kind}"', "Cache-Control": "no-store"}
    return Response(content, media_type=f"{FORMATS[kind]}; charset=utf-8", headers=headers)


@router.get("/{track}/entrants.zip")
def entrants(request: Request, track: str) -> Response:
    """Return the archive that entrants download."""
    return entrants_archive(request, track)


@router.get("/{track}/compare")
def compare_page(
    request: Request,
    track: str,
    entry: Annotated[list[str] | None, Query(max_length=20)] = None,
    convention: Short = "",
) -> HTMLResponse:
    """Compare two entries of a track by paired tests."""
    names = list(dict.fromkeys(entry or ()))
    if len(names) != 2:
        raise HTTPException(422, f"expected two entries, got {len(names)}. Go back, and tick two of them.")
    team = current_team(request)
    with database_of(request).read() as session:
        found = track_of(session, track)
        pair = [submission_of(session, name, team)[0] for name in names]
        if any(one.track_id != found.id for one in pair):
            raise HTTPException(404, "There is no such submission.")
        comparison = compare(session, pair[0], pair[1], convention=convention or None)
        table = track_table(session, found, convention=comparison.convention)
        digits = {column.metric: column.digits for column in table.columns}
        columns = list(comparison.rows[0]) if comparison.rows else []
        return page(
            request,
            "compare.html",
            track=found,
            titles=(comparison.first_title, comparison.second_title),
            ids=(comparison.first, comparison.second),
            convention=comparison.convention,
            columns=[name.replace("_", " ") for name in columns],
            rows=[
                [_shown(name, row.get(name), digits.get(row["metric"], 2)) for name in columns]
                for row in comparison.rows
            ],
        )


def _shown(name: str, value: Any, digits: int) -> str:
    """Return a value of a comparison for people."""
    if isinstance(value, float):
        return f"{value:.4g}" if name.startswith("p_") else f"{value:.{digits}f}"
    return "–" if value is None else str(value)

"""What the rankings of a project say, on a page for who runs the study: people who still rank must not see it."""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse

from bearleft.experiments.ndtw.study import COMPARISONS
from bearleft.web.database.engines import open_database
from bearleft.web.database.models import Project
from bearleft.web.exports.ndtw_study import FAMILY, Analysis, analyse
from bearleft.web.projects import get_project
from bearleft.web.templating import render
from bearleft.web.work import open_project, open_tools

router = APIRouter(include_in_schema=False)
BAR_STEP, BAR_WIDTH = 30, 300  # pixels of the chart; the width is that of a correlation of 1


def analysis_key(secret: str, project: str) -> str:
    """Return the key of a project's analysis: whoever has the server's secret can make it, and nobody else."""
    return hmac.new(secret.encode(), f"analysis {project}".encode(), sha256).hexdigest()


def analysis_address(secret: str, project: str) -> str:
    """Return the address of a project's analysis on its server."""
    return f"/projects/{quote(project)}/analysis?key={analysis_key(secret, project)}"


def project_analysis(url: str, name: str) -> Analysis:
    """Return what the rankings of a project say.

    Args:
        url: The database.
        name: The project.

    Raises:
        InputError: There is no such project, or it is of another family.
    """
    database = open_database(url)
    try:
        with database.read() as session:
            return analyse(session, get_project(session, name))
    finally:
        database.close()


@router.get("/projects/{name}/analysis")
def analysis_page(request: Request, name: str, key: str = "") -> HTMLResponse:
    """Show Table 1 of a project to whoever has the address that `bearleft paper ndtw-study --project` prints."""
    database, _, settings = open_tools(request)
    if not hmac.compare_digest(key.encode(), analysis_key(settings.secret, name).encode()):
        hint = "Who runs the study gets its address by: bearleft paper ndtw-study --project NAME"
        raise HTTPException(403, f"This page is not for people who rank. {hint}")
    with database.read() as session:
        project = open_project(session, name)
        if project.family != FAMILY:
            raise HTTPException(404, "This project has no rankings.")
        return render(request, "ndtw_study/analysis.html", **analysis_values(session, project))


def analysis_values(session: Session, project: Project) -> dict[str, Any]:
    """Return the values of the template of an analysis."""
    analysis = analyse(session, project)
    charts = [
        {"study": study, "bars": bars, "left": min(bar["x"] for bar in bars), "height": len(bars) * BAR_STEP}
        for study, (first, _) in COMPARISONS.items()
        if (bars := _bars(analysis, study, first))
    ]
    return {"project": project, "analysis": analysis, "charts": charts}


def _bars(analysis: Analysis, study: str, first: str) -> list[dict[str, Any]]:
    """Return the bars of a chart of correlations, the longest on top; those below 0 go to the left."""
    rows = [row for row in analysis.agreement if row["study"] == study]
    rows.sort(key=lambda row: -float(row["correlation"]))
    return [
        {
            "metric": row["metric"],
            "value": row["correlation"],
            "width": round(abs(row["correlation"]) * BAR_WIDTH, 1),
            "x": round(min(row["correlation"], 0.0) * BAR_WIDTH, 1),
            "y": k * BAR_STEP,
            "first": row["metric"] == first,
        }
        for k, row in enumerate(rows)
    ]

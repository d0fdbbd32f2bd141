"""Pages from templates."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse

TEMPLATES = files("bearleft.web").joinpath("templates")


@cache
def environment() -> Environment:
    """Return the environment of the templates: everything is escaped, and unknown names are errors."""
    loader = FunctionLoader(lambda name: TEMPLATES.joinpath(name).read_text(encoding="utf-8"))
    made = Environment(
        loader=loader,
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["score"] = format_score
    made.filters["cents"] = format_cents
    return made


def format_cents(cents: int) -> str:
    """Return an amount of money with two decimals."""
    return f"{cents // 100}.{cents % 100:02d}"


def format_score(value: float) -> str:
    """Return a score with at most two decimals; whole numbers have none."""
    return f"{value:.0f}" if value == round(value) else f"{value:.2f}"


def render(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page."""
    page = environment().get_template(template).render(request=request, **values)
    return HTMLResponse(page, status, headers={"Cache-Control": "no-store"})

"""Forms that a page posts."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import HTTPException, Request

MAX_FIELDS = 20


async def form_fields(request: Request) -> dict[str, str]:
    """Return the fields of a form; of several with one name the last. Answer 400 for what no form sends."""
    try:
        body = (await request.body()).decode("utf-8")
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict"))
    except ValueError:
        raise HTTPException(400, "expected the fields of a form, got something else.") from None

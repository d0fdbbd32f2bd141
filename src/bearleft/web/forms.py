"""Forms that a page posts."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends, HTTPException, Request

FORM_TYPE = "application/x-www-form-urlencoded"
MAX_FIELDS = 100


async def form_fields(request: Request) -> dict[str, str]:
    """Return the fields of a form; of several with one name the last. Answer 415 or 422 for what no form sends."""
    body = await request.body()
    kind = request.headers.get("content-type", FORM_TYPE if not body else "").partition(";")[0]
    if kind.strip().lower() != FORM_TYPE:
        raise HTTPException(415, f"expected the fields of a form ({FORM_TYPE}), got another type.")
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict"))
    except ValueError:
        raise HTTPException(422, "expected the fields of a form, got something else.") from None


Form = Annotated[dict[str, str], Depends(form_fields)]

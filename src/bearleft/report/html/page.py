"""The report as one HTML file that needs nothing else: the page's script and style, the data, and then the pictures.

A policy in the file lets the page run the script and the style in it and nothing else, and ask no network for anything.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import os
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from bearleft.runtime.json_fields import Json
from bearleft.runtime.store import atomic_write

FIRST = "main.js"
STATIC = files("bearleft.report.html").joinpath("static")
# The tables for whoever has no JavaScript make room for the page.
PLAIN_ENDS = "document.getElementById('plain').remove();\n"
IMPORT = re.compile(r"^import \{[^}]*\} from '\./([\w-]+\.js)';\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?function|class|const|let)", re.MULTILINE)
# What no HTML may hold, nor a file in UTF-8.
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def write_page(
    path: str | os.PathLike[str],
    head: Mapping[str, Any],
    rows: Json,
    grounds: Sequence[Json],
    pictures: Sequence[bytes],
) -> None:
    """Writes the file whole; pictures stand last, so that the page is there before they are."""
    app, style = script(), styles()
    with atomic_write(path, "wb") as stream:
        stream.write(_top(head, app, style).encode())
        stream.write(f'<script type="application/json" id="head">{in_script(head)}</script>\n'.encode())
        stream.write(b'<script type="text/plain" id="rows">' + packed(rows) + b"</script>\n")
        for k, ground in enumerate(grounds):
            stream.write(b'<script type="text/plain" id="g%d">' % k + packed(ground) + b"</script>\n")
        stream.write(f"<script>{app}</script>\n".encode())
        for k, picture in enumerate(pictures):
            stream.write(b'<script type="text/plain" id="p%d">' % k + base64.b64encode(picture) + b"</script>\n")
        stream.write(b"</body>\n</html>\n")


def in_script(value: Json) -> str:
    """JSON that may stand in a script element: ASCII, and nothing in it begins a tag."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def packed(value: Json) -> bytes:
    """JSON, gzip, base64; the same value gives the same bytes."""
    plain = json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(plain, 6, mtime=0))


def static_text(name: str) -> str:
    """A file of the page."""
    return STATIC.joinpath(name).read_text(encoding="utf-8")


def styles() -> str:
    """The page's style: the shell's, then what its parts add to it."""
    names = sorted(one.name for one in STATIC.iterdir() if one.name.endswith(".css"))
    return "".join(static_text(name) for name in sorted(names, key=lambda name: name != "style.css"))


def script() -> str:
    """All modules of the page as one plain script: each after those that it imports, without the words for that."""
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        text = static_text(name)
        parts[name] = ""  # so that two that import each other come to an end
        for other in IMPORT.findall(text):
            if other not in parts:
                add(other)
        del parts[name]
        parts[name] = EXPORT.sub("", IMPORT.sub("", text))

    add(FIRST)
    return "(() => {\n'use strict';\n" + PLAIN_ENDS + "\n".join(parts.values()) + "})();\n"


def policy(app: str, style: str) -> str:
    """Nothing may be run, shown or asked for but what the file itself holds."""
    return (
        f"default-src 'none'; script-src '{_sha256(app)}'; style-src '{_sha256(style)}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _sha256(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def safe(text: str) -> str:
    """Any text as HTML."""
    return html.escape(UNWRITABLE.sub("\ufffd", text))


def _top(head: Mapping[str, Any], app: str, style: str) -> str:
    """Everything before the data: for whoever has no JavaScript the scores are there as tables."""
    title = safe(head["title"])
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(app, style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="bearleft {safe(head["version"])}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="plain">
<main class="wrap">
<h1>{title}</h1>
<noscript><p>Without JavaScript this file shows its scores only; examples, maps and pictures need it.</p></noscript>
{"".join(_table(head, k) for k in range(len(head["datasets"])))}</main>
</div>
"""


def _table(head: Mapping[str, Any], dataset: int) -> str:
    """The scores on one dataset: a row for each agent, a column for each measure."""
    cells = {(row["agent"], row["metric"]): row for row in head["scores"] if row["dataset"] == dataset}
    metrics = sorted({metric for _, metric in cells})
    agents = sorted({agent for agent, _ in cells})
    names = "".join(f'<th scope="col">{safe(_named(head["metrics"][m]))}</th>' for m in metrics)
    lines = []
    for agent in agents:
        values = "".join(f"<td>{_cell(cells.get((agent, m)))}</td>" for m in metrics)
        lines.append(f'<tr><th scope="row">{safe(head["agents"][agent]["name"])}</th>{values}</tr>\n')
    caption = f"Scores on {safe(head['datasets'][dataset]['name'])}, with 95 % intervals"
    return (
        f'<div class="scroll"><table>\n<caption>{caption}</caption>\n<thead><tr><th scope="col">agent</th>{names}'
        f"</tr></thead>\n<tbody>\n{''.join(lines)}</tbody>\n</table></div>\n"
    )


def _named(metric: Mapping[str, Any]) -> str:
    return f"{metric['name']} (%)" if metric["percent"] else str(metric["name"])


def _cell(row: Mapping[str, Any] | None) -> str:
    return "" if row is None else f"{row['value']:.4g} ({row['low']:.4g} to {row['high']:.4g})"

"""The report as one self-contained HTML file: script, style, data and pictures.

A content security policy allows only the script and style in the file, and no network access.
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

ENTRY_MODULE = "main.js"
STATIC = files("bearleft.reports.html").joinpath("static")
SHARED = files("bearleft").joinpath("static")  # what reports and the web application both use
SHARED_STYLE = "base.css"
# The score tables shown without JavaScript are replaced by the page.
REMOVE_FALLBACK = "document.getElementById('plain').remove();\n"
IMPORT = re.compile(r"^import \{[^}]*\} from '\./([\w-]+\.js)';\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?function|class|const|let)", re.MULTILINE)
# Characters that are invalid in HTML or UTF-8.
FORBIDDEN_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def write_page(
    path: str | os.PathLike[str],
    summary: Mapping[str, Any],
    examples: Json,
    maps: Sequence[Json],
    pictures: Sequence[bytes],
) -> None:
    """Write the page atomically; pictures come last, so that the page is shown before they are loaded.

    Args:
        path: File to write.
        summary: Result of `summary_data`.
        examples: Result of `examples_data`.
        maps: Map of each world, see `map_data`.
        pictures: Pictures as WebP files.
    """
    app, style = script(), styles()
    with atomic_write(path, "wb") as stream:
        stream.write(_page_top(summary, app, style).encode())
        stream.write(f'<script type="application/json" id="summary">{script_json(summary)}</script>\n'.encode())
        stream.write(b'<script type="text/plain" id="examples">' + pack(examples) + b"</script>\n")
        for k, map_data in enumerate(maps):
            stream.write(b'<script type="text/plain" id="map%d">' % k + pack(map_data) + b"</script>\n")
        stream.write(f"<script>{app}</script>\n".encode())
        for k, picture in enumerate(pictures):
            stream.write(b'<script type="text/plain" id="picture%d">' % k + base64.b64encode(picture) + b"</script>\n")
        stream.write(b"</body>\n</html>\n")


def script_json(value: Json) -> str:
    """Return JSON that may stand in a script element: ASCII, without "<"."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def pack(value: Json) -> bytes:
    """Return a value as base64 of gzipped JSON; the same value gives the same bytes."""
    plain = json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(plain, 6, mtime=0))


def static_text(name: str) -> str:
    """Return the text of a file of the page, from the report's own folder or the shared one."""
    own = STATIC.joinpath(name)
    return (own if own.is_file() else SHARED.joinpath(name)).read_text(encoding="utf-8")


def styles() -> str:
    """Return all style sheets as one: the shared one, style.css, the others."""
    names = sorted(file.name for file in STATIC.iterdir() if file.name.endswith(".css"))
    own = sorted(names, key=lambda name: name != "style.css")
    return "".join(static_text(name) for name in (SHARED_STYLE, *own))


def script() -> str:
    """Bundle all modules into one plain script, in the order of their imports; shared ones are imported as own ones."""
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        text = static_text(name)
        parts[name] = ""  # so that circular imports end
        for other in IMPORT.findall(text):
            if other not in parts:
                add(other)
        del parts[name]
        parts[name] = EXPORT.sub("", IMPORT.sub("", text))

    add(ENTRY_MODULE)
    return "(() => {\n'use strict';\n" + REMOVE_FALLBACK + "\n".join(parts.values()) + "})();\n"


def policy(app: str, style: str) -> str:
    """Return the content security policy: nothing may run or load but what the file holds."""
    return (
        f"default-src 'none'; script-src '{_sha256(app)}'; style-src '{_sha256(style)}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _sha256(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def escape_html(text: str) -> str:
    """Return any text as HTML."""
    return html.escape(FORBIDDEN_CHARACTERS.sub("\ufffd", text))


def _page_top(summary: Mapping[str, Any], app: str, style: str) -> str:
    """Return everything before the data; without JavaScript it shows the scores as tables."""
    title = escape_html(summary["title"])
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(app, style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="bearleft {escape_html(summary["version"])}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="plain">
<main class="wrap">
<h1>{title}</h1>
<noscript><p>Without JavaScript this file shows its scores only; examples, maps and pictures need it.</p></noscript>
{"".join(_scores_table(summary, k) for k in range(len(summary["datasets"])))}</main>
</div>
"""


def _scores_table(summary: Mapping[str, Any], dataset: int) -> str:
    """Return the scores on one dataset as a table of agents by metrics."""
    cells = {(row["agent"], row["metric"]): row for row in summary["scores"] if row["dataset"] == dataset}
    metrics = sorted({metric for _, metric in cells})
    agents = sorted({agent for agent, _ in cells})
    names = "".join(f'<th scope="col">{escape_html(_metric_heading(summary["metrics"][m]))}</th>' for m in metrics)
    lines = []
    for agent in agents:
        values = "".join(f"<td>{_cell(cells.get((agent, m)))}</td>" for m in metrics)
        lines.append(f'<tr><th scope="row">{escape_html(summary["agents"][agent]["name"])}</th>{values}</tr>\n')
    caption = f"Scores on {escape_html(summary['datasets'][dataset]['name'])}, with 95 % intervals"
    return (
        f'<div class="scroll"><table>\n<caption>{caption}</caption>\n<thead><tr><th scope="col">agent</th>{names}'
        f"</tr></thead>\n<tbody>\n{''.join(lines)}</tbody>\n</table></div>\n"
    )


def _metric_heading(metric: Mapping[str, Any]) -> str:
    return f"{metric['name']} (%)" if metric["percent"] else str(metric["name"])


def _cell(row: Mapping[str, Any] | None) -> str:
    return "" if row is None else f"{row['value']:.4g} ({row['low']:.4g} to {row['high']:.4g})"

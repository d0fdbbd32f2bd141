from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from bearleft.reports.html import page
from bearleft.reports.html.page import escape_html, pack, script, script_json, styles, write_page

HOSTILE_TEXT = (
    "</script><script>alert(1)</script> \"quotes\" 'too' & <b> \U0001f43b \u2028 \ud800 \x00 \x1b " + "x" * 100_000
)
SUMMARY: dict[str, Any] = {
    "title": HOSTILE_TEXT,
    "version": "0",
    "datasets": [{"name": HOSTILE_TEXT, "episodes": 1, "shown": 1}],
    "agents": [{"name": HOSTILE_TEXT, "files": [HOSTILE_TEXT], "traces": 1}],
    "metrics": [{"name": "TC", "percent": True, "higher_is_better": True, "definition": HOSTILE_TEXT}],
    "scores": [
        {"agent": 0, "dataset": 0, "metric": 0, "value": 50.0, "low": 25.5, "high": 75.0, "n": 4, "convention": "paper"}
    ],
}


class ParsedPage(HTMLParser):
    """The tags, scripts and visible text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.visible_text = ""
        self.inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside = tag if tag in ("script", "style", "title") else self.inside
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self.inside = "" if tag == self.inside else self.inside

    def handle_data(self, data: str) -> None:
        if self.inside == "script":
            attributes, before = self.scripts[-1]
            self.scripts[-1] = attributes, before + data
        elif self.inside != "style":
            self.visible_text += data

    def block(self, name: str) -> str:
        (document,) = [text for attributes, text in self.scripts if attributes.get("id") == name]
        return document

    def unpacked(self, name: str) -> Any:
        return json.loads(gzip.decompress(base64.b64decode(self.block(name), validate=True)))


def write_and_parse(tmp_path: Path, rows: Any = None, pictures: tuple[bytes, ...] = ()) -> tuple[bytes, ParsedPage]:
    path = tmp_path / "page.html"
    write_page(path, SUMMARY, rows, [{"marks": [["words", HOSTILE_TEXT]]}, {"marks": []}], pictures)
    raw = path.read_bytes()
    return raw, ParsedPage(raw.decode())


def test_blocks_round_trip(tmp_path: Path) -> None:
    rows = {"examples": [{"id": HOSTILE_TEXT}], "places": []}
    pictures = (b"RIFF....WEBP", bytes(range(256)) * 100)
    _, document = write_and_parse(tmp_path, rows, pictures)
    assert json.loads(document.block("summary")) == SUMMARY and document.unpacked("examples") == rows
    assert document.unpacked("map0") == {"marks": [["words", HOSTILE_TEXT]]} and document.unpacked("map1") == {
        "marks": []
    }
    assert [base64.b64decode(document.block(f"picture{k}"), validate=True) for k in range(2)] == list(pictures)
    names = [attributes.get("id") for attributes, _ in document.scripts]
    assert names == ["summary", "examples", "map0", "map1", None, "picture0", "picture1"]


def test_policy_allows_only_the_own_script_and_style(tmp_path: Path) -> None:
    raw, document = write_and_parse(tmp_path)
    (policy,) = [a["content"] for tag, a in document.tags if tag == "meta" and "http-equiv" in a]
    (app,) = re.findall(rb"<script>(.*?)</script>", raw, re.S)
    (style,) = re.findall(rb"<style>(.*?)</style>", raw, re.S)
    app_hash, style_hash = (base64.b64encode(hashlib.sha256(part).digest()).decode() for part in (app, style))
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{app_hash}'; style-src 'sha256-{style_hash}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    assert b"\r" not in app + style  # an HTML parser would change it
    assert not any(name.startswith("on") or name == "style" for _, attributes in document.tags for name in attributes)
    assert not any(name in ("src", "href") for _, attributes in document.tags for name in attributes)
    assert all(a.get("type") in ("application/json", "text/plain") for a, _ in document.scripts if a)


def test_hostile_text_is_escaped(tmp_path: Path) -> None:
    raw, document = write_and_parse(tmp_path)
    assert sum(tag == "script" for tag, _ in document.tags) == 5 and not any(tag == "b" for tag, _ in document.tags)
    assert "<script>alert(1)</script>" in document.visible_text and "\U0001f43b" in document.visible_text
    assert not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", raw)


def test_scores_are_shown_without_javascript(tmp_path: Path) -> None:
    _, document = write_and_parse(tmp_path)
    assert {"h1", "table", "caption", "noscript"} <= {tag for tag, _ in document.tags}
    assert (
        "TC (%)" in document.visible_text
        and "50 (25.5 to 75)" in document.visible_text
        and "Without JavaScript" in document.visible_text
    )
    (body,) = [a for tag, a in document.tags if tag == "html"]
    assert body == {"lang": "en"}


def test_modules_follow_their_imports() -> None:
    text = script()
    assert text.startswith("(() => {\n'use strict';\n") and text.endswith("})();\n")
    assert not re.search(r"^\s*(?:import|export)\b", text, re.MULTILINE)
    places = [
        text.index(f"\n{name}") for name in ("const summary = JSON.parse", "function pageHeader()", "function start()")
    ]
    assert places == sorted(places)
    assert text.rstrip().removesuffix("})();").rstrip().endswith("start();")
    assert "</script" not in text and "<!--" not in text and "</style" not in styles()


def test_script_contains_every_module() -> None:
    own = {path.name for path in page.STATIC.iterdir() if path.name.endswith(".js")}
    shared = {path.name for path in page.SHARED.iterdir() if path.name.endswith(".js")}
    assert not own & shared
    imported = {name for module in own | shared for name in page.IMPORT.findall(page.static_text(module))}
    text = script()
    for name in own | shared & imported:
        # Every exported function is defined exactly once.
        defined = re.findall(r"^export (?:async )?function (\w+)", page.static_text(name), re.MULTILINE)
        for function in defined:
            definitions = re.findall(rf"^(?:async )?function {function}\(", text, re.MULTILINE)
            assert len(definitions) == 1, (name, function)


def test_top_level_names_are_unique() -> None:
    """Modules share one scope in the file."""
    names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", script(), re.MULTILINE)
    assert len(names) > 50 and len(names) == len(set(names))


def test_circular_imports_are_bundled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "main.js": "import { b } from './b.js';\nexport const a = 1;\nb();\n",
        "b.js": "import { c } from './c.js';\nimport { a } from './main.js';\nexport function b() { return a + c; }\n",
        "c.js": "export async function c() {}\n",
    }
    monkeypatch.setattr(page, "static_text", texts.__getitem__)
    body = script().split(page.REMOVE_FALLBACK)[1]
    assert body == "async function c() {}\n\nfunction b() { return a + c; }\n\nconst a = 1;\nb();\n})();\n"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nan_is_rejected(value: float) -> None:
    """JSON has no NaN, so the page could not be read."""
    with pytest.raises(ValueError):
        script_json({"x": value})
    with pytest.raises(ValueError):
        pack([value])


def test_pack_is_deterministic() -> None:
    assert pack({"a": [1, 2]}) == pack({"a": [1, 2]})


def test_html_is_escaped() -> None:
    assert escape_html("a\x00b\ud83d<&\"'\n") == "a\ufffdb\ufffd&lt;&amp;&quot;&#x27;\n"


def test_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "old.html").write_text("old")
    with pytest.raises(ValueError):
        write_page(tmp_path / "old.html", SUMMARY, {"x": float("nan")}, [], [])
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old.html", "old")]

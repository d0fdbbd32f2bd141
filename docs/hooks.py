"""MkDocs hooks: add pages outside docs/ to the site, make links to them work, and list the modules of packages.

On GitHub a link such as `../papers/ndtw.md` leads to the file in the repository. In the site the same file is a page
with another address; links are rewritten when the page is read.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")

# Repository path -> path in the site.
PAGES = {
    **{f"papers/{page.name}": f"papers/{page.name}" for page in sorted(ROOT.glob("papers/*.md"))},
    **{name: f"project/{name}" for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")},
    "benchmarks/README.md": "project/benchmarks.md",
    **{f"examples/{script.name}": f"scripts/{script.name}" for script in sorted(ROOT.glob("examples/*.py"))},
}
PACKAGE = re.compile(r"^::: (bearleft[\w.]*)\.\*$", re.MULTILINE)
SOURCES = {site: source for source, site in PAGES.items()}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and scripts of `PAGES`."""
    for source, site in PAGES.items():
        files.append(File.generated(config, site, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Rewrite relative links from repository paths to site paths, and expand `::: PACKAGE.*` to its modules."""
    site = page.file.src_uri
    source = PurePosixPath(SOURCES.get(site, f"docs/{site}"))

    def rewrite(link: re.Match[str]) -> str:
        text, target, anchor = link[1], link[2], link[3] or ""
        path = os.path.normpath(source.parent / target)
        if path in PAGES:
            path = PAGES[path]
        elif path.startswith("docs/"):
            path = path.removeprefix("docs/")
        elif (ROOT / path).exists():  # a folder or file that the site does not hold
            return text[1:-1]
        return f"{text}({os.path.relpath(path, PurePosixPath(site).parent)}{anchor})"

    return PACKAGE.sub(lambda package: list_modules(package[1]), LINK.sub(rewrite, markdown))


def list_modules(package: str) -> str:
    """Return a mkdocstrings directive for every public module of a package."""
    folder = ROOT / "src" / package.replace(".", "/")
    modules = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
    return "\n\n".join(f"::: {package}.{module}" for module in modules)

"""Names in the documentation exist: modules, functions and classes of bearleft, commands, options and files."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import bearleft
from bearleft.cli import cli

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "bearleft"
HISTORY = {"CHANGELOG.md", "docs/design/renaming.md"}  # they name what no longer exists
FOLDERS = (".", ".github", "benchmarks", "docs", "papers")

BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
INLINE_CODE = re.compile(r"`([^`\n]+)`")
DOTTED_NAME = re.compile(r"(?<![\w./-])bearleft(?:\.[A-Za-z_]\w*)+")
IMPORT = re.compile(r"^from (bearleft[\w.]*) import (.+)$", re.MULTILINE)
COMMAND = re.compile(r"(?:^|-m )bearleft (?=[a-z-])([^|;>`]+)")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[a-z](?![\w-]))")
MODULE_RUN = re.compile(r"python -m (bearleft[\w.]*)")
REPOSITORY_PATH = re.compile(r"(?:src|tests|tools|benchmarks|papers)/[\w./-]*\w|examples/\w+\.py")
PACKAGE_PATH = re.compile(r"([a-z_0-9]+(?:/[a-z_0-9]+)*\.py)")


def markdown_pages() -> list[Path]:
    """Return the Markdown pages of the repository, without those that list old names."""
    pages = [
        page
        for folder in FOLDERS
        for page in (ROOT / folder).glob("*.md" if folder in (".", "benchmarks", "papers") else "**/*.md")
    ]
    return [page for page in sorted(pages) if page.relative_to(ROOT).as_posix() not in HISTORY]


def inline_code(text: str) -> list[str]:
    """Return the inline code of a page, without its code blocks."""
    return INLINE_CODE.findall(BLOCK.sub("", text))


def names_of_page(text: str) -> Iterator[str]:
    """Yield the dotted names of a page: those in inline code, imports, and modules run by `python -m`."""
    for code in inline_code(text):
        yield from DOTTED_NAME.findall(code)
    for module, imported in IMPORT.findall(text):
        for name in imported.partition("#")[0].strip("() ").split(","):
            yield f"{module}.{name.partition(' as ')[0].strip()}"
    yield from MODULE_RUN.findall(text)


def paths_of_page(text: str) -> Iterator[Path]:
    """Yield the repository files that a page names in inline code; `metrics/registry.py` is below src/bearleft."""
    for code in inline_code(text):
        yield from (ROOT / path for path in REPOSITORY_PATH.findall(code))
        path = PACKAGE_PATH.fullmatch(code)
        if path and (PACKAGE / code.partition("/")[0]).is_dir():
            yield PACKAGE / path[1]


def commands_of_page(text: str) -> Iterator[str]:
    """Yield the bearleft commands of a page: lines of console blocks, and inline code such as `bearleft eval`."""
    lines = text.replace("\\\n>", "").splitlines()
    for line in [*(line[2:] for line in lines if line.startswith("$ ")), *inline_code(text)]:
        command = COMMAND.search(line.partition("  #")[0])
        if command:
            yield command[1].strip()


def unknown_words(line: str) -> list[str]:
    """Return the subcommand and the options of a command line that do not exist."""
    command: click.Command = cli
    words = line.split()
    while words and words[0] in (subcommands := getattr(command, "commands", getattr(command, "subcommands", {}))):
        command = subcommands[words.pop(0)]
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    unknown = [name for name in OPTION.findall(" ".join(words)) if name not in {*known, "--help", "--version"}]
    is_name = isinstance(command, click.Group) and words and re.fullmatch(r"[a-z][a-z-]*", words[0])
    return [words[0], *unknown] if is_name else unknown


def resolve(name: str) -> object:
    """Import the object of a dotted name.

    Raises:
        AttributeError: If there is no such name.
    """
    parts = name.split(".")
    found: object = importlib.import_module(parts[0])
    for k, part in enumerate(parts[1:], 2):
        try:
            found = getattr(found, part)
        except AttributeError:
            module = ".".join(parts[:k])
            try:
                found = importlib.import_module(module)
            except ModuleNotFoundError as error:
                if error.name and not error.name.startswith("bearleft"):
                    raise  # an optional dependency, such as torch
                raise AttributeError(f"bearleft has no {module}") from error
    return found


TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in markdown_pages()}


def test_names_and_paths_are_found_in_a_page() -> None:
    text = (
        "See `bearleft.metrics.dtw(a, b)`, `metrics/registry.py`, `tests/metrics/test_dtw.py`; not bearleft.nothing.\n"
        "```text\nfrom bearleft.data import load, write  # twice\n`bearleft.ignored`\n```\n`mine.bearleft.py`\n"
        "$ python -m bearleft.cli --help\n"
    )
    expected = ["bearleft.metrics.dtw", "bearleft.data.load", "bearleft.data.write", "bearleft.cli"]
    assert list(names_of_page(text)) == expected
    assert list(paths_of_page(text)) == [PACKAGE / "metrics/registry.py", ROOT / "tests/metrics/test_dtw.py"]


def test_unknown_names_do_not_resolve() -> None:
    assert resolve("bearleft.records.Direction").__name__ == "Direction"  # type: ignore[attr-defined]
    for name in ("bearleft.nothing", "bearleft.records.nothing", "bearleft.nothing.Direction"):
        with pytest.raises(AttributeError):
            resolve(name)


def test_names_in_the_documentation_exist() -> None:
    names = {name for text in TEXTS.values() for name in names_of_page(text)}
    assert len(names) > 200
    unknown, needs_extra = list[str](), list[str]()
    for name in sorted(names):
        try:
            resolve(name)
        except AttributeError:
            unknown.append(name)
        except ModuleNotFoundError as error:
            needs_extra.append(f"{name} needs {error.name}")
    assert not unknown
    if needs_extra:
        pytest.skip(", ".join(needs_extra))


def test_commands_are_found_in_a_page() -> None:
    console = "```console\n$ bearleft data nothing  # --no\n$ x -m bearleft map -o a | b\n```\n"
    text = f"`bearleft eval --limit`, `bearleft`\n{console}"
    assert list(commands_of_page(text)) == ["data nothing", "map -o a", "eval --limit"]
    assert [unknown_words(line) for line in commands_of_page(text)] == [["nothing"], [], []]
    assert unknown_words("train look X --turn-degrees 5 --what") == ["--what"]


def test_commands_in_the_documentation_exist() -> None:
    commands = [(page, command) for page, text in TEXTS.items() for command in commands_of_page(text)]
    assert len(commands) > 100
    assert not [(page, command, unknown) for page, command in commands if (unknown := unknown_words(command))]


def test_files_named_in_the_documentation_exist() -> None:
    paths = [(page, path) for page, text in TEXTS.items() for path in paths_of_page(text)]
    assert len(paths) > 50
    assert not [(page, path) for page, path in paths if not path.exists()]


def test_the_reference_lists_the_public_api() -> None:
    text = (ROOT / "docs" / "reference" / "bearleft.md").read_text(encoding="utf-8")
    missing = [name for name in bearleft.__all__ if f"[`{name}`](" not in text and name != "__version__"]
    assert not missing


def test_the_commands_page_names_a_function_for_each_command() -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `bearleft ")]
    assert rows and all(DOTTED_NAME.search(row.rpartition("| `")[2]) for row in rows)


def test_prose_is_wrapped_at_120_columns() -> None:
    lines = [(page, line) for page, text in TEXTS.items() for line in BLOCK.sub("", text).splitlines()]
    assert not [(page, line) for page, line in lines if len(line) > 120 and not line.startswith(("|", "!["))]

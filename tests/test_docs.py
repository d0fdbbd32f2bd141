"""What the docs show is run: Python blocks, examples, and the commands of pages that say so.

A page with `<!-- runs -->` among its first lines is a story: its Python and console blocks are run in order in one
folder. A Python block that begins with `# NAME.py` is saved under that name first (`# NAME.py, continued` is added to
it). A block after `<!-- needs data -->` is run by itself, where the real datasets are. Each Python block and each
command is a process of its own.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bearleft import evaluate, score
from bearleft.cli import cli
from bearleft.runtime.extras import install_command
from tests.fork_server import Teller

ROOT = Path(__file__).parents[1]
DOCS = sorted(ROOT.glob("docs/*.md"))
PAGES = [*DOCS, ROOT / "README.md"]
DATA = Path(os.environ.get("BEARLEFT_DATA") or ROOT.parent / "shared" / "data")
WORDS = ("direction", "pose", "world", "episode", "leg", "trace", "metric", "report")
BLOCK = re.compile(r"^(<!-- needs data -->\n+)?```(python|console)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SAVED = re.compile(r"# (\w+\.py)(, continued)?\n")
# Each block of a page in a folder and a namespace of its own, in one process: Python starts once for a page.
EACH = """
import json, os, sys
for k, (name, block) in enumerate(json.load(open(sys.argv[1]))):
    os.mkdir(str(k)), os.chdir(str(k))
    print(f"<<{k}>>", flush=True)
    exec(compile(block, name, "exec"), {"__name__": "__main__"})
    os.chdir("..")
"""


@dataclass(frozen=True)
class Block:
    """A block of a page: `what` is python or console."""

    name: str
    what: str
    text: str
    needs_data: bool


def blocks(page: Path) -> list[Block]:
    found = BLOCK.finditer(page.read_text())
    return [Block(f"{page.name}-{k}", one[2], one[3], bool(one[1])) for k, one in enumerate(found)]


def runs(page: Path) -> bool:
    return "<!-- runs -->" in page.read_text().splitlines()[:5]


def python_blocks(page: Path) -> list[Block]:
    return [one for one in blocks(page) if one.what == "python"]


def test_the_blocks_of_a_page_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# page\n<!-- runs -->\n```console\n$ a\n```\n\n<!-- needs data -->\n```python\nb\n```\n```text\nc\n```\n"
    )
    assert blocks(page) == [Block("page.md-0", "console", "$ a\n", False), Block("page.md-1", "python", "b\n", True)]
    assert runs(page)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if python_blocks(page) and not runs(page)], ids=lambda p: p.name
)
def test_every_python_block_runs(page: Path, tmp_path: Path, teller: Teller) -> None:
    listed = [one for one in python_blocks(page) if not one.needs_data]
    (tmp_path / "blocks.json").write_text(json.dumps([(one.name, one.text) for one in listed]))
    done = finished(teller.python(EACH, tmp_path, "blocks.json"))
    said = re.split(r"^<<\d+>>\n", done, flags=re.MULTILINE)[1:]
    assert len(said) == len(listed)
    for one, printed in zip(listed, said, strict=True):
        keeps(one.name, promised(one), printed)


@pytest.mark.parametrize("page", [page for page in PAGES if runs(page)], ids=lambda path: path.name)
def test_a_story_runs_from_its_beginning_to_its_end(page: Path, tmp_path: Path, teller: Teller) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    assert sum(tell(one, tmp_path, teller) for one in blocks(page) if not one.needs_data) > 0


@pytest.mark.parametrize(
    "block", [one for page in PAGES for one in blocks(page) if one.needs_data], ids=lambda one: one.name
)
def test_blocks_that_need_data_run(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, teller: Teller
) -> None:
    if not (DATA / "touchdown").is_dir():
        pytest.skip("no real datasets: BEARLEFT_DATA")
    monkeypatch.setenv("BEARLEFT_DATA", str(DATA))
    assert tell(block, tmp_path, teller) > 0


def tell(block: Block, folder: Path, teller: Teller) -> int:
    """Runs a block in a folder, and checks what it promises; how many programs that were."""
    if block.what == "python":
        saved = SAVED.match(block.text)
        if saved:
            with (folder / saved[1]).open("a" if saved[2] else "w") as stream:
                stream.write(block.text)
        text = f"import {saved[1][:-3]}" if saved else block.text
        keeps(block.name, promised(block), finished(teller.python(text, folder)))
        return 1
    listed = list(commands(block.text))
    for command, lines in listed:
        keeps(f"{block.name}: {command}", lines, run_command(command, folder, teller))
    return len(listed)


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of a console block, without their comments, each with the lines that it is said to print."""
    command, lines = "", list[str]()
    for line in text.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, lines
            command, lines = re.sub(r"  +#.*", "", line[2:]), []
        elif line.startswith("> "):
            command += "\n" + line[2:]
        else:
            lines.append(line.removeprefix("#> "))
    if command:
        yield command, lines


def test_commands_lose_their_comments_and_keep_their_lines() -> None:
    text = "$ one -o '#1'   # says why\nA  B\n...\n$ for k in 1 2; do\n>   echo $k; done\n#> 1\n"
    assert list(commands(text)) == [("one -o '#1'", ["A  B", "..."]), ("for k in 1 2; do\n  echo $k; done", ["1"])]


def promised(block: Block) -> list[str]:
    """What a Python block says its lines begin with."""
    return re.findall(r"#> (.*)", block.text)


def keeps(name: str, lines: list[str], printed: str) -> None:
    """Lines that are promised come in this order, and begin as promised; blanks count as one, "..." as any lines."""
    said = iter([" ".join(line.split()) for line in printed.splitlines()])
    for line in lines:
        expected = " ".join(line.split())
        if expected and expected != "...":
            there = any(one.startswith(expected) for one in said)
            assert there, f"{name}: {line!r} is not printed, or not in this order:\n{printed}"


def test_a_promise_can_be_broken() -> None:
    keeps("page", ["A  1", "...", "C"], "A 1.0\nB\n  C 3\n")
    for wrong in (["C", "A"], ["A 2"], ["D"]):
        with pytest.raises(AssertionError, match="not in this order"):
            keeps("page", wrong, "A 1.0\nB\nC 3\n")


@pytest.fixture(scope="module")
def teller(shared_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Teller]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BEARLEFT_CACHE", str(shared_cache))
        started = Teller(tmp_path_factory.mktemp("teller"))
        yield started
        started.close()


def run_command(command: str, folder: Path, teller: Teller) -> str:
    """What a command prints: a plain one of ours is told, and what needs a shell gets one."""
    if re.fullmatch(r"bearleft [\w ./:=@'-]+", command):
        return finished(teller.bearleft(shlex.split(command)[1:], folder))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "160"},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return finished((done.returncode, done.stdout, done.stderr))


def finished(done: tuple[int, str, str]) -> str:
    """What a program prints that ends well."""
    code, out, err = done
    assert code == 0, out + err
    return out


def test_what_is_told_is_as_if_it_was_typed(tmp_path: Path, teller: Teller) -> None:
    (tmp_path / "beside.py").write_text("import sys\nprint(__name__, sys.argv)\n")
    assert teller.python("import beside; kept = 1", tmp_path, "a b") == (0, "beside ['-c', 'a b']\n", "")
    assert teller.python("print(kept)", tmp_path)[0] == 1
    code, _, err = teller.python("import warnings; warnings.warn('rain')", tmp_path)
    assert code == 1 and "UserWarning: rain" in err
    # Environments have names once their module is imported, and not before.
    assert "NamespaceNotFound" in teller.python("import gymnasium; gymnasium.make('bearleft/Reach-v0')", tmp_path)[2]
    assert teller.bearleft(["score", "nothing"], tmp_path)[0] == 2
    for words in (["data", "list", "--json"], ["--version"]):
        assert run_command(f"bearleft {' '.join(words)}", tmp_path, teller) == run_command(
            f"bearleft {' '.join(words)} | cat", tmp_path, teller
        )


@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.stem)
def test_every_example_runs(example: Path, tmp_path: Path, teller: Teller) -> None:
    program = f"import runpy; runpy.run_path({str(example)!r}, run_name='__main__')"
    assert finished(teller.python(program, tmp_path))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in links(page):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def links(page: Path) -> list[str]:
    return re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text())


def test_extras_are_typed_as_they_can_be_installed() -> None:
    """bearleft is not on PyPI: they come from its folder."""
    told = [path.read_text() for path in (*PAGES, ROOT / "CHANGELOG.md", *(ROOT / "src").rglob("*.py"))]
    assert not re.findall(r"bearleft\[\w+\]", "".join(told))
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = set(re.findall(r"pip install -e '\.\[(\w+)\]'", "".join(told)))
    assert {"learn", "tensorboard"} <= named <= set(known)
    assert "pip install -e '.[learn]'" in install_command("learn")


def test_every_verb_is_in_the_list_of_commands() -> None:
    assert "docs/commands.md" in links(ROOT / "README.md")
    text = (ROOT / "docs" / "commands.md").read_text()
    for name, command in cli.commands.items():
        assert f"`bearleft {name}" in text
        for inner in getattr(command, "commands", {}):
            assert f"`{inner}`" in text or f"`bearleft {name} {inner}`" in text, f"{name} {inner}"


@pytest.mark.parametrize("name", [*cli.commands, *WORDS])
def test_every_verb_and_every_word_has_its_page(name: str) -> None:
    page = ROOT / "docs" / f"{name}.md"
    assert page.is_file()
    assert name in page.read_text().splitlines()[0].lower()
    if name in cli.commands:
        assert f"bearleft {name}" in page.read_text()


def test_the_contents_name_every_page() -> None:
    listed = set(links(ROOT / "docs" / "README.md"))
    missing = {page.name for page in DOCS if page.name != "README.md"} - listed
    assert not missing


def test_every_page_can_be_reached_and_leads_on() -> None:
    for page in DOCS:
        assert links(page), f"{page.name} is a dead end"


def test_the_documented_agent_has_at_most_twenty_lines_and_is_the_example() -> None:
    shown = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "own-agent.md").read_text(), re.DOTALL)
    assert shown is not None
    lines = [line for line in shown[1].splitlines() if line.strip()]
    assert len(lines) <= 20
    assert shown[1].strip() in (ROOT / "examples" / "own_agent.py").read_text()


def test_the_example_agents_play(tmp_path: Path) -> None:
    own = evaluate(str(ROOT / "examples" / "own_agent.py"), "town/dev", tmp_path / "own.jsonl")
    assert {row["metric"]: row["value"] for row in score(tmp_path / "own.jsonl").rows}["TC"] == 100
    assert len(own) == 100
    piped = evaluate(f"pipe:{sys.executable} {ROOT / 'examples' / 'piped_agent.py'}", "town/dev", limit=5)
    assert {trace.legs[0].actions for trace in piped} == {("forward",) * 10 + ("stop",)}

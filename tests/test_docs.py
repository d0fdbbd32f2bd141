"""Tests that run the documentation: Python blocks, examples, and the commands of tutorial pages.

A tutorial page has `<!-- runs -->` among its first lines: its Python and console blocks are run in order in one folder.
A Python block that begins with `# NAME.py` is saved under that name first (`# NAME.py, continued` is appended to it). A
block after `<!-- needs data -->` is run alone, if the real datasets are available, and one after `<!-- takes long -->`
by `make test-full` only. Each Python block and each command
is a process of its own. Printed lines that a page shows (`#> ...`, or the lines below a command) are checked.
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
from tests.fork_server import ForkServer
from tests.sizes import FULL, sized

ROOT = Path(__file__).parents[1]
DOCS = sorted(ROOT.glob("docs/*.md"))
PAGES = [*DOCS, ROOT / "README.md"]
DATA = Path(os.environ.get("BEARLEFT_DATA") or ROOT.parent / "shared" / "data")
CONCEPTS = ("direction", "pose", "world", "episode", "leg", "trace", "metric", "report")
BLOCK_PATTERN = re.compile(
    r"^(?:<!-- (needs data|takes long) -->\n+)?```(python|console)\n(.*?)^```", re.DOTALL | re.MULTILINE
)
FILE_NAME_PATTERN = re.compile(r"# (\w+\.py)(, continued)?\n")
# Runs each block of a page in a folder and a namespace of its own; all in one process, so that Python starts once.
RUN_EACH_BLOCK = """
import json, os, sys
for k, (name, block) in enumerate(json.load(open(sys.argv[1]))):
    os.mkdir(str(k)), os.chdir(str(k))
    print(f"<<{k}>>", flush=True)
    exec(compile(block, name, "exec"), {"__name__": "__main__"})
    os.chdir("..")
"""


@dataclass(frozen=True)
class Block:
    """A block of a page; its language is python or console."""

    name: str
    language: str
    text: str
    needs_data: bool
    takes_long: bool = False


def blocks(page: Path) -> list[Block]:
    matches = BLOCK_PATTERN.finditer(page.read_text())
    return [
        Block(f"{page.name}-{k}", match[2], match[3], match[1] == "needs data", match[1] == "takes long")
        for k, match in enumerate(matches)
    ]


def is_tutorial(page: Path) -> bool:
    return "<!-- runs -->" in page.read_text().splitlines()[:5]


def python_blocks(page: Path) -> list[Block]:
    return [block for block in blocks(page) if block.language == "python"]


def test_blocks_of_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# page\n<!-- runs -->\n```console\n$ a\n```\n\n<!-- needs data -->\n```python\nb\n```\n```text\nc\n```\n"
        "<!-- takes long -->\n```console\n$ d\n```\n"
    )
    assert blocks(page) == [
        Block("page.md-0", "console", "$ a\n", False),
        Block("page.md-1", "python", "b\n", True),
        Block("page.md-2", "console", "$ d\n", False, True),
    ]
    assert is_tutorial(page)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if python_blocks(page) and not is_tutorial(page)], ids=lambda path: path.name
)
def test_python_blocks_run(page: Path, tmp_path: Path, fork_server: ForkServer) -> None:
    page_blocks = [block for block in python_blocks(page) if not block.needs_data and (FULL or not block.takes_long)]
    (tmp_path / "blocks.json").write_text(json.dumps([(block.name, block.text) for block in page_blocks]))
    output = check_success(fork_server.python(RUN_EACH_BLOCK, tmp_path, "blocks.json"))
    outputs = re.split(r"^<<\d+>>\n", output, flags=re.MULTILINE)[1:]
    assert len(outputs) == len(page_blocks)
    for block, printed in zip(page_blocks, outputs, strict=True):
        check_output(block.name, expected_output(block), printed)


@pytest.mark.parametrize("page", [page for page in PAGES if is_tutorial(page)], ids=lambda path: path.name)
def test_tutorial_page_runs(page: Path, tmp_path: Path, fork_server: ForkServer) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    chosen = [block for block in blocks(page) if not block.needs_data and (FULL or not block.takes_long)]
    assert sum(run_block(block, tmp_path, fork_server) for block in chosen) > 0


@pytest.mark.parametrize(
    "block", [block for page in PAGES for block in blocks(page) if block.needs_data], ids=lambda block: block.name
)
def test_blocks_that_need_data_run(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fork_server: ForkServer
) -> None:
    if not (DATA / "touchdown").is_dir():
        pytest.skip("no real datasets: BEARLEFT_DATA")
    monkeypatch.setenv("BEARLEFT_DATA", str(DATA))
    assert run_block(block, tmp_path, fork_server) > 0


def run_block(block: Block, folder: Path, fork_server: ForkServer) -> int:
    """Run a block in a folder, check its expected output, and return the number of programs that were run."""
    if block.language == "python":
        file_name = FILE_NAME_PATTERN.match(block.text)
        if file_name:
            with (folder / file_name[1]).open("a" if file_name[2] else "w") as stream:
                stream.write(block.text)
        code = f"import {file_name[1][:-3]}" if file_name else block.text
        check_output(block.name, expected_output(block), check_success(fork_server.python(code, folder)))
        return 1
    block_commands = list(commands(block.text))
    for command, lines in block_commands:
        check_output(f"{block.name}: {command}", lines, run_command(command, folder, fork_server))
    return len(block_commands)


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of a console block, without comments, each with the lines that it should print."""
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


def test_commands_have_expected_lines_and_no_comments() -> None:
    text = "$ one -o '#1'   # says why\nA  B\n...\n$ for k in 1 2; do\n>   echo $k; done\n#> 1\n"
    assert list(commands(text)) == [("one -o '#1'", ["A  B", "..."]), ("for k in 1 2; do\n  echo $k; done", ["1"])]


def expected_output(block: Block) -> list[str]:
    """Return the beginnings of lines that a Python block should print."""
    return re.findall(r"#> (.*)", block.text)


def check_output(name: str, expected_lines: list[str], printed: str) -> None:
    """Check that lines beginning as expected are printed in this order; white space is merged, "..." is skipped."""
    printed_lines = iter([" ".join(line.split()) for line in printed.splitlines()])
    for line in expected_lines:
        expected = " ".join(line.split())
        if expected and expected != "...":
            is_printed = any(printed_line.startswith(expected) for printed_line in printed_lines)
            assert is_printed, f"{name}: {line!r} is not printed, or not in this order:\n{printed}"


def test_check_output_rejects_wrong_lines() -> None:
    check_output("page", ["A  1", "...", "C"], "A 1.0\nB\n  C 3\n")
    for wrong in (["C", "A"], ["A 2"], ["D"]):
        with pytest.raises(AssertionError, match="not in this order"):
            check_output("page", wrong, "A 1.0\nB\nC 3\n")


@pytest.fixture(scope="module")
def fork_server(shared_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BEARLEFT_CACHE", str(shared_cache))
        server = ForkServer(tmp_path_factory.mktemp("fork_server"))
        yield server
        server.close()


def run_command(command: str, folder: Path, fork_server: ForkServer) -> str:
    """Return what a command prints; a plain `bearleft` command runs in the fork server, any other in a shell."""
    if re.fullmatch(r"bearleft [\w ./:=@'-]+", command):
        return check_success(fork_server.bearleft(shlex.split(command)[1:], folder))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "160"},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return check_success((process.returncode, process.stdout, process.stderr))


def check_success(result: tuple[int, str, str]) -> str:
    """Check that a program succeeded, and return its standard output."""
    code, out, err = result
    assert code == 0, out + err
    return out


def test_fork_server_equals_separate_processes(tmp_path: Path, fork_server: ForkServer) -> None:
    (tmp_path / "beside.py").write_text("import sys\nprint(__name__, sys.argv)\n")
    assert fork_server.python("import beside; x = 1", tmp_path, "a b") == (0, "beside ['-c', 'a b']\n", "")
    assert fork_server.python("print(x)", tmp_path)[0] == 1
    code, _, err = fork_server.python("import warnings; warnings.warn('rain')", tmp_path)
    assert code == 1 and "UserWarning: rain" in err
    # Environments are registered only once their module is imported.
    assert (
        "NamespaceNotFound" in fork_server.python("import gymnasium; gymnasium.make('bearleft/Reach-v0')", tmp_path)[2]
    )
    assert fork_server.bearleft(["score", "nothing"], tmp_path)[0] == 2
    for command in ("bearleft data list --json", "bearleft --version"):
        in_shell = run_command(f"{command} | cat", tmp_path, fork_server)
        assert run_command(command, tmp_path, fork_server) == in_shell


@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.stem)
def test_examples_run(example: Path, tmp_path: Path, fork_server: ForkServer) -> None:
    if "import torch" in example.read_text():
        pytest.importorskip("torch")
    program = f"import runpy; runpy.run_path({str(example)!r}, run_name='__main__')"
    assert check_success(fork_server.python(program, tmp_path))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_exist(page: Path) -> None:
    for target in links(page):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def links(page: Path) -> list[str]:
    return re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text())


def test_extras_are_installed_from_the_folder() -> None:
    """bearleft is not on PyPI, so `pip install bearleft[extra]` would fail."""
    texts = [path.read_text() for path in (*PAGES, ROOT / "CHANGELOG.md", *(ROOT / "src").rglob("*.py"))]
    assert not re.findall(r"bearleft\[\w+\]", "".join(texts))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    installed = set(re.findall(r"pip install -e '\.\[(\w+)\]'", "".join(texts)))
    assert {"learn", "tensorboard"} <= installed <= set(extras)
    assert "pip install -e '.[learn]'" in install_command("learn")


def test_list_of_commands_is_complete() -> None:
    assert "docs/commands.md" in links(ROOT / "README.md")
    text = (ROOT / "docs" / "commands.md").read_text()
    for name, command in cli.commands.items():
        assert f"`bearleft {name}" in text
        for inner in getattr(command, "commands", {}):
            assert f"`{inner}`" in text or f"`bearleft {name} {inner}`" in text, f"{name} {inner}"


@pytest.mark.parametrize("name", [*cli.commands, *CONCEPTS])
def test_every_command_and_record_has_a_page(name: str) -> None:
    page = ROOT / "docs" / f"{name}.md"
    assert page.is_file()
    assert name in page.read_text().splitlines()[0].lower()
    if name in cli.commands:
        assert f"bearleft {name}" in page.read_text()


def test_contents_list_every_page() -> None:
    listed = set(links(ROOT / "docs" / "README.md"))
    missing = {page.name for page in DOCS if page.name != "README.md"} - listed
    assert not missing


def test_every_page_has_links() -> None:
    for page in DOCS:
        assert links(page), f"{page.name} is a dead end"


def test_documented_agent_is_short_and_equals_the_example() -> None:
    match = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "own-agent.md").read_text(), re.DOTALL)
    assert match is not None
    lines = [line for line in match[1].splitlines() if line.strip()]
    assert len(lines) <= 20
    assert match[1].strip() in (ROOT / "examples" / "own_agent.py").read_text()


def test_example_agents(tmp_path: Path) -> None:
    traces = evaluate(str(ROOT / "examples" / "own_agent.py"), "town/dev", tmp_path / "own.jsonl", limit=sized(25, 100))
    assert {row["metric"]: row["value"] for row in score(tmp_path / "own.jsonl").rows}["TC"] == 100
    assert len(traces) == sized(25, 100)
    piped = evaluate(f"pipe:{sys.executable} {ROOT / 'examples' / 'piped_agent.py'}", "town/dev", limit=5)
    assert {trace.legs[0].actions for trace in piped} == {("forward",) * 10 + ("stop",)}

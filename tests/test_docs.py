"""Every Python block in the docs and every example is run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bearleft import run, score
from bearleft.cli import cli

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("docs/*.md")), ROOT / "README.md"]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{k}")
    for page in PAGES
    for k, block in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_every_block_of_the_docs_runs(block: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", block], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # What a block says its lines begin with, they begin with, in this order.
    promised = re.findall(r"#> (.*)", block)
    printed = iter(done.stdout.splitlines())
    for line in promised:
        there = any(said.strip().startswith(line.strip()) for said in printed)
        assert there, f"{line!r} is not printed, or not in this order"


@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.stem)
def test_every_example_runs(example: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(example)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_verb_is_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text()
    for name, command in cli.commands.items():
        assert f"`bearleft {name}" in text
        for inner in getattr(command, "commands", {}):
            assert f"`{inner}`" in text or f"`bearleft {name} {inner}`" in text, f"{name} {inner}"


def test_the_documented_agent_has_at_most_twenty_lines_and_is_the_example() -> None:
    shown = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "own-agent.md").read_text(), re.DOTALL)
    assert shown is not None
    lines = [line for line in shown[1].splitlines() if line.strip()]
    assert len(lines) <= 20
    assert shown[1].strip() in (ROOT / "examples" / "own_agent.py").read_text()


def test_the_example_agents_play(tmp_path: Path) -> None:
    own = run(str(ROOT / "examples" / "own_agent.py"), "town/dev", tmp_path / "own.jsonl")
    assert {row["metric"]: row["value"] for row in score(tmp_path / "own.jsonl").rows}["TC"] == 100
    assert len(own) == 100
    piped = run(f"pipe:{sys.executable} {ROOT / 'examples' / 'piped_agent.py'}", "town/dev", limit=5)
    assert {trace.legs[0].actions for trace in piped} == {("forward",) * 10 + ("stop",)}

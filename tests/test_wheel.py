"""The wheel, installed into an empty environment outside the checkout, is all a user needs."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from tests.sizes import FULL

ROOT = Path(__file__).parents[1]


def link_requirements(packages: Path) -> None:
    """Link what the installed distribution requires, and what that requires, from our environment."""
    (own,) = metadata.distributions(name="bearleft", path=[str(packages)])
    waiting, linked = list(own.requires or ()), set[str]()
    while waiting:
        requirement = Requirement(waiting.pop())
        if requirement.name in linked or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        linked.add(requirement.name)
        distribution = metadata.distribution(requirement.name)
        assert distribution.version in requirement.specifier
        for name in {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}:
            if not (packages / name).exists():
                (packages / name).symlink_to(Path(str(distribution.locate_file(name))))
        waiting += distribution.requires or ()


def test_the_wheel_plays_scores_and_reports(tmp_path: Path) -> None:
    # `build` would make the isolated build environment anew each time; setuptools is in ours already.
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT],
        check=True,
        capture_output=True,
        cwd=tmp_path,
    )
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "empty", symlinks=True)
    python = tmp_path / "empty" / "bin" / "python"
    constraints = ROOT / "constraints.txt"
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("BEARLEFT", "PYTHON", "NUMBA"))
    } | {"BEARLEFT_CACHE": str(tmp_path / "cache")}
    # Our pip fills it, and leaves what is never imported uncompiled.
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-compile"]
    options = () if FULL else ("--no-deps",)
    subprocess.run([*pip, *options, "-c", constraints, wheel], check=True, cwd=tmp_path, env=environment)
    if not FULL:
        link_requirements(*(tmp_path / "empty").glob("lib/python*/site-packages"))

    def typed(*words: str) -> str:
        done = subprocess.run(
            [tmp_path / "empty" / "bin" / "bearleft", *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    # What the demo does, without the minute in which renderer and city are compiled: tests/test_demo.py has all of it.
    assert "report" in typed("demo", "--help")
    typed("eval", "average", "city/pairs/left-right", "-o", "average.jsonl")
    assert '"A@80px"' in typed("score", "average.jsonl", "--json")
    # Scores of walks take several seconds more to compile than those of points.
    agent, dataset = ("stop", "town/dev") if FULL else ("uniform", "town/point")
    typed("eval", agent, dataset, "-o", "town.jsonl", "--limit", "5")
    assert typed("report", "town.jsonl", "-o", "report.html", "--no-pictures", "--json").startswith("[\n")
    page = (tmp_path / "report.html").read_text()
    assert agent in page and "<style" in page and page.rstrip().endswith("</html>")
    where = subprocess.run(
        [python, "-c", "import bearleft.demo; print(bearleft.demo.__file__)"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    assert str(tmp_path) in where.stdout

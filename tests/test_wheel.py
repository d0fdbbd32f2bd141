"""The wheel, installed into an empty environment outside the checkout, is all a user needs."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_wheel_runs_the_demo(tmp_path: Path) -> None:
    # `build` would make the isolated build environment anew each time; setuptools is in ours already.
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT],
        check=True, capture_output=True, cwd=tmp_path,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / "bin" / "python"
    constraints = ROOT / "constraints.txt"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "-c", constraints, wheel], check=True, cwd=tmp_path)
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("BEARLEFT", "PYTHON", "NUMBA"))
    }
    done = subprocess.run(
        [tmp_path / "empty" / "bin" / "bearleft", "demo", "-o", "shown", "--json"],
        capture_output=True, text=True, cwd=tmp_path, env=environment | {"BEARLEFT_CACHE": str(tmp_path / "cache")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[\n")
    assert (tmp_path / "shown" / "walks.png").stat().st_size > 10_000
    where = subprocess.run(
        [python, "-c", "import bearleft; print(bearleft.__file__)"], capture_output=True, text=True, cwd=tmp_path
    )
    assert str(tmp_path) in where.stdout

"""Scripts of tools/, run with a program that only writes down how it is called."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

TOOLS = Path(__file__).parents[1] / "tools"
# It writes down its arguments, and says what training would.
STUB = """#!/bin/sh
printf '%s\\n' "$*" >> "$CALLS"
case "$*" in *--train*) echo "$SAID" >&2 ;; *broken*) exit 2 ;; esac
"""


def run_script(
    script: str, folder: Path, said: str, *arguments: str, **variables: str
) -> tuple[int, list[list[str]], str]:
    """Run a script with a program instead of bearleft; return its exit code, the calls and its messages."""
    stub, calls = folder / "stub", folder / "calls"
    stub.write_text(STUB)
    stub.chmod(0o755)
    out = folder / "out"
    out.mkdir(exist_ok=True)
    environment = {**os.environ, "BEARLEFT": str(stub), "CALLS": str(calls), "SAID": said, **variables}
    command = ["bash", str(TOOLS / script), *(arguments or [str(out)])]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    lines = calls.read_text().splitlines() if calls.exists() else []
    return ended.returncode, [shlex.split(line) for line in lines], ended.stderr

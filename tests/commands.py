"""Run the command line within a test."""

from __future__ import annotations

import pytest

from bearleft import cli


def run_command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Return the exit code, standard output and standard error of `bearleft ARGUMENTS`."""
    code = 0
    try:
        cli.main([str(argument) for argument in arguments])
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    captured = capsys.readouterr()
    return code, captured.out, captured.err

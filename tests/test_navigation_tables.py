"""The script behind the navigation tables: its commands exist, and it ends with what is left to do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bearleft.cli import cli
from bearleft.experiments.touchdown.train import PAIRS
from tests.shell_scripts import run_script

SCRIPT = "navigation_tables.sh"


@pytest.mark.skipif(sys.platform == "darwin", reason="needs GNU timeout")
class TestScript:
    """The script with a program that only writes down how it is called."""

    def test_every_command_exists(self, tmp_path: Path) -> None:
        code, calls, _ = run_script(SCRIPT, tmp_path, "all runs are finished", BEARLEFT_DATA=str(tmp_path))
        assert code == 0 and len(calls) > 20
        for call in calls:
            # Options are parsed before the help text is printed.
            result = CliRunner().invoke(cli, [*call, "--help"])
            assert result.exit_code == 0, (call, result.output)
        evaluated = [call[1].split("/")[-2] for call in calls if call[0] == "eval"]
        pairs = [call[3:] for call in calls if call[:3] == ["data", "make", "city/pairs"]]
        made = {f"city/pairs/{kind}" for kinds in pairs for kind in kinds}
        assert made.issuperset(PAIRS)  # which pointing networks are trained and evaluated on
        assert evaluated == ["lingunet-0", "bearing-0", "lingunet-0", "lingunet-0", "bearing-0"]

    def test_runs_that_are_left_end_it(self, tmp_path: Path) -> None:
        code, calls, said = run_script(SCRIPT, tmp_path, "left: compass-0", BEARLEFT_DATA="")
        assert code == 75 and "type the same command again" in said
        assert "--train-navigation" in calls[-1]

    def test_some_steps(self, tmp_path: Path) -> None:
        code, calls, _ = run_script(SCRIPT, tmp_path, "all done", STEPS="runs complete", CITIES="", BEARLEFT_DATA="")
        assert code == 0 and [call[0] for call in calls] == ["paper", "paper", *["eval"] * 5]

    def test_no_time_ends_it_at_once(self, tmp_path: Path) -> None:
        code, calls, said = run_script(SCRIPT, tmp_path, "", str(tmp_path / "out"), "0", BEARLEFT_DATA="")
        assert code == 75 and not calls and "the time is over" in said

    def test_a_mistake_ends_it(self, tmp_path: Path) -> None:
        code, calls, _ = run_script(SCRIPT, tmp_path, "", CITIES="broken", BEARLEFT_DATA="")
        assert code == 2 and "city/broken/8x40" in calls[-1]
        code, _, said = run_script(SCRIPT, tmp_path, "", "")
        assert code == 2 and "expected a folder, got none" in said

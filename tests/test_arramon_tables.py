"""The script behind the tables of ArraMon's agents: its commands exist, and it ends with what is left to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bearleft.cli import cli
from tests.shell_scripts import run_script

SCRIPT = "arramon_tables.sh"
# What the script needs where Gymnasium is not installed; data, training and evaluation import nothing else.
WITHOUT_GYMNASIUM = """
import sys
sys.modules["gymnasium"] = None
import bearleft.agents.arramon, bearleft.bench.arramon.policy, bearleft.cli, bearleft.envs.arramon.pictures
import bearleft.experiments.arramon.agents.figures, bearleft.experiments.arramon.agents.markdown
import bearleft.experiments.arramon.agents.train, bearleft.generate.datasets, bearleft.training.arramon.train
assert not any(name.startswith("gymnasium.") for name in sys.modules)
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="needs GNU timeout")
class TestScript:
    """The script with a program that only writes down how it is called."""

    def test_every_command_exists(self, tmp_path: Path) -> None:
        settings = {"ONLY": "vl-0,memory-0", "EPOCHS": "2", "EVAL_SIZE": "5", "SIZE": "9"}
        code, calls, _ = run_script(SCRIPT, tmp_path, "all runs are finished", **settings)
        assert code == 0 and [call[0] for call in calls] == ["data", "paper", "bench"]
        for call in calls:
            # Options are parsed before the help text is printed.
            result = CliRunner().invoke(cli, [*call, "--help"])
            assert result.exit_code == 0, (call, result.output)

    def test_runs_that_are_left_end_it(self, tmp_path: Path) -> None:
        code, calls, said = run_script(SCRIPT, tmp_path, "left: memory-0")
        assert code == 75 and "type the same command again" in said and "--train" in calls[-1]

    def test_on_a_cpu_nothing_is_timed(self, tmp_path: Path) -> None:
        code, calls, _ = run_script(SCRIPT, tmp_path, "all done", STEPS="runs bench", DEVICE="cpu")
        assert code == 0 and [call[0] for call in calls] == ["paper"]

    def test_no_time_ends_it_at_once(self, tmp_path: Path) -> None:
        code, calls, said = run_script(SCRIPT, tmp_path, "", str(tmp_path / "out"), "0")
        assert code == 75 and not calls and "the time is over" in said

    def test_a_mistake_ends_it(self, tmp_path: Path) -> None:
        code, calls, _ = run_script(SCRIPT, tmp_path, "", STEPS="data", SIZE="broken")
        assert code == 2 and len(calls) == 1
        code, _, said = run_script(SCRIPT, tmp_path, "", "")
        assert code == 2 and "expected a folder, got none" in said


@pytest.mark.slow
def test_nothing_needs_gymnasium() -> None:
    pytest.importorskip("torch")
    subprocess.run([sys.executable, "-c", WITHOUT_GYMNASIUM], check=True)

"""Train walkers in child processes that are killed, then in two that share the work; a program, because it forks.

child_processes.py FOLDER SEED: FOLDER/FORCING is a run that SIGKILL ended, FOLDER/shared one of two processes.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

import torch

from bearleft.training import run
from bearleft.training.walking.train import train_walker
from tests.training.child_processes import fork_child
from tests.training.walking.test_resume import CONFIGS, SHARED, shared_task
from tests.training.walking.turn_task import turn_task

KILLS = 2


def run_killed(forcing: str, folder: Path, rng: random.Random) -> None:
    """Kill a run at random moments, then let it finish; states are written often, also within epochs."""
    inputs = turn_task()
    assert inputs.table.distances is not None
    for _ in range(KILLS):
        pid = fork_child(lambda: train_walker(CONFIGS[forcing], inputs, folder))
        time.sleep(rng.uniform(0.1, 1.0))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    train_walker(CONFIGS[forcing], inputs, folder)


def run_shared(folder: Path) -> None:
    """Run two processes as torchrun does; one of them has no walks in the last update."""
    inputs = shared_task()
    assert inputs.table.distances is not None  # computed by threads, which a forked process does not have
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    os.environ |= {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}

    def train_rank(rank: int) -> Any:
        os.environ["RANK"] = os.environ["LOCAL_RANK"] = str(rank)
        return train_walker(SHARED, inputs, folder)

    pids = [fork_child(lambda rank=rank: train_rank(rank)) for rank in range(2)]  # type: ignore[misc]
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    if any(codes):
        raise SystemExit(1)
    for name in ("WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        del os.environ[name]


if __name__ == "__main__":
    torch.set_num_threads(1)
    run.SAVE_INTERVAL = 0.05
    # Imports much that every child would import.
    train_walker(CONFIGS["teacher"], turn_task(), Path(sys.argv[1]) / "first", minutes=0)
    run_shared(Path(sys.argv[1]) / "shared")
    generator = random.Random(int(sys.argv[2]))
    for name in CONFIGS:
        run_killed(name, Path(sys.argv[1]) / name, generator)

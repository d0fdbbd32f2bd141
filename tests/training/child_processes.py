"""Train in child processes that are killed, then in two that share the work; a program, because it forks.

child_processes.py FOLDER SEED: FOLDER/killed is a run that SIGKILL ended four times, FOLDER/shared one of two
processes.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch

from bearleft.training.pointing.train import train
from tests.training.synthetic_task import CONFIG, SHARED, make_task

KILLS = 4


def fork_child(work: Callable[[], object]) -> int:
    """Fork a process that runs `work` and exits; return its pid."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def run_killed(folder: Path, seed: int) -> None:
    """Kill a run at random moments, then let it finish."""
    rng, data = random.Random(seed), make_task()
    for _ in range(KILLS):
        pid = fork_child(lambda: train(CONFIG, *data, folder))
        time.sleep(rng.uniform(0.02, 0.3))  # a whole run takes about 0.4 s
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    train(CONFIG, *data, folder)


def run_shared(folder: Path) -> None:
    """Run two processes as torchrun does; one has no examples in the last update and in the validation split."""
    data = make_task(59)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    os.environ |= {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}

    def train_rank(rank: int) -> None:
        os.environ["RANK"] = os.environ["LOCAL_RANK"] = str(rank)
        train(SHARED, *data, folder)

    pids = [fork_child(lambda rank=rank: train_rank(rank)) for rank in range(2)]  # type: ignore[misc]
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    if any(codes):
        raise SystemExit(1)


if __name__ == "__main__":
    torch.set_num_threads(1)
    train(CONFIG, *make_task(), Path(sys.argv[1]) / "first", minutes=0)  # imports much that every child would import
    run_shared(Path(sys.argv[1]) / "shared")
    for name in ("WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        del os.environ[name]
    run_killed(Path(sys.argv[1]) / "killed", int(sys.argv[2]))

"""A program that forks trainings that are killed, and others that share the work.

It has imported what trainings need, so that these start at once. Each line of its input names a module, a folder and a
seed; it forks a process that calls the module's `train_children(folder, rng)`, and prints its exit code.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import torch

from bearleft.training import run

IMPORTS = ("pytest", "torch._dynamo", "torch.utils.tensorboard")  # the second is what the first optimizer would import
SAVE_SECONDS = 0.05  # between two states, also within epochs


def fork_child(work: Callable[[], object]) -> int:
    """Fork a process that runs `work` and exits; return its pid."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def exit_code(pid: int) -> int:
    """Wait for a process, and return its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def run_killed(
    train: Callable[[], object], rng: random.Random, kills: int = 2, seconds: tuple[float, float] = (0.1, 0.6)
) -> None:
    """Kill a training at random moments, then let it finish; states are written often.

    Args:
        train: Trains, or goes on with a training.
        rng: Where the moments come from.
        kills: How often it is killed.
        seconds: The least and the most until it is killed.
    """
    run.SAVE_INTERVAL = SAVE_SECONDS
    for _ in range(kills):
        pid = fork_child(train)
        time.sleep(rng.uniform(*seconds))
        os.kill(pid, signal.SIGKILL)
        exit_code(pid)
    train()


def run_shared(train: Callable[[], object]) -> None:
    """Run two processes as torchrun does."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    os.environ |= {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}

    def train_rank(rank: int) -> object:
        os.environ["RANK"] = os.environ["LOCAL_RANK"] = str(rank)
        return train()

    pids = [fork_child(lambda rank=rank: train_rank(rank)) for rank in range(2)]  # type: ignore[misc]
    codes = [exit_code(pid) for pid in pids]
    if any(codes):
        raise RuntimeError("one of two processes failed")
    for name in ("WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        del os.environ[name]


def run_module(module: str, folder: str, seed: int) -> None:
    """Call a module's `train_children`; what it prints goes to standard error."""
    os.dup2(2, 1)
    import_module(module).train_children(Path(folder), random.Random(seed))


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name in IMPORTS:
        with suppress(ImportError):  # of TensorBoard
            import_module(name)
    for line in sys.stdin:
        arguments = json.loads(line)
        print(exit_code(fork_child(lambda: run_module(*arguments))), flush=True)  # noqa: B023  (used within the loop)

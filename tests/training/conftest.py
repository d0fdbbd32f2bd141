"""Tests of training use one thread and oneDNN, so that sums are added in the same order everywhere."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TIMEOUT = 600.0  # seconds for the children of a module


@pytest.fixture(autouse=True, scope="package")
def same_sums() -> Iterator[None]:
    try:
        import torch
    except ImportError:
        yield
        return
    threads, enabled = torch.get_num_threads(), torch.backends.mkldnn.enabled
    torch.set_num_threads(1)
    # An earlier test in bfloat16 may have turned it off, as torch does on ARM.
    torch.backends.mkldnn.enabled = True  # type: ignore[assignment]
    yield
    torch.set_num_threads(threads)
    torch.backends.mkldnn.enabled = enabled


@pytest.fixture(scope="session")
def run_children(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Path]]:
    """Return a function that calls a module's `train_children` in a process without threads, and returns its folder."""
    command, errors = (
        [sys.executable, "-m", "tests.training.child_processes"],
        tmp_path_factory.mktemp("server") / "err",
    )
    with (
        errors.open("w") as file,
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file, text=True
        ) as server,
    ):
        assert server.stdin is not None and server.stdout is not None

        def run(module: str) -> Path:
            assert server.stdin is not None and server.stdout is not None
            folder, seed = tmp_path_factory.mktemp("children"), random.SystemRandom().randrange(10**6)
            timer = threading.Timer(TIMEOUT, server.kill)
            timer.start()
            print(json.dumps([module, str(folder), seed]), file=server.stdin, flush=True)
            code = server.stdout.readline().strip()
            timer.cancel()
            assert code == "0", f"seed {seed}: {errors.read_text()}"
            return folder

        yield run
        server.stdin.close()

"""Runs one contender of a benchmark in its own process; started by `harness` in the interpreter that it needs.

    python runner.py MODULE:FUNCTION INPUTS.npz RESULT.npy CORE

The file imports nothing of bearleft, since the peers' interpreter does not have it. FUNCTION takes the inputs and
returns the function to time, without arguments, or that and a function that converts its result into an array. The
function is called once to warm up, and its result is written. For every number N on standard input, it is then called N
times, and the wall-clock seconds and the processor seconds of all threads are printed.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np


def load_module(name: str) -> ModuleType:
    """Import a module by its name or by its file."""
    if not name.endswith(".py"):
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location("contender", name)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(function: str, inputs: str, result: str, core: str) -> None:
    """Run a contender until standard input ends."""
    # Output of libraries must not mix with the replies.
    reply = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if core != "any" and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(core)})
    # The script's folder comes first on the path, and its names could hide other modules.
    own = os.path.dirname(os.path.realpath(__file__))
    sys.path = [folder for folder in sys.path if os.path.realpath(folder) != own]
    module, _, name = function.rpartition(":")
    with np.load(inputs, allow_pickle=False) as stored:
        returned: Any = getattr(load_module(module), name)(dict(stored))
    work, finish = returned if isinstance(returned, tuple) else (returned, np.asarray)
    np.save(result, finish(work()))
    print(json.dumps(time_calls(work, 1)), file=reply, flush=True)
    for line in sys.stdin:
        print(json.dumps(time_calls(work, int(line))), file=reply, flush=True)


def time_calls(work: Callable[[], Any], calls: int) -> dict[str, float]:
    """Return the wall-clock and processor seconds of some calls."""
    began, used = time.perf_counter(), time.process_time()
    for _ in range(calls):
        work()
    return {"seconds": time.perf_counter() - began, "core_seconds": time.process_time() - used}


if __name__ == "__main__":
    main(*sys.argv[1:])

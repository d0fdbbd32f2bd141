"""One contender of a benchmark in a process of its own; run by `rounds`, in whichever interpreter has what it needs.

    python runner.py MODULE:FUNCTION INPUTS.npz RESULT.npy CORE

Imports nothing of bearleft itself, since the peers' interpreter does not have it. FUNCTION takes the inputs and returns
what is timed, a function without arguments; or that and a function that turns its result into an array to compare. It
is called once for warming up, its result is written down, and then it waits: for every number that comes on standard
input it is called so many times and the seconds go out, by the clock and of all the process's threads together.
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


def load(name: str) -> ModuleType:
    """A module by its name, or by its file."""
    if not name.endswith(".py"):
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location("contender", name)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(function: str, inputs: str, result: str, core: str) -> None:
    # What libraries print must not come between our lines.
    reply = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if core != "any" and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(core)})
    # A script's own folder comes first on the path; its names must not hide anyone's modules.
    own = os.path.dirname(os.path.realpath(__file__))
    sys.path = [folder for folder in sys.path if os.path.realpath(folder) != own]
    module, _, name = function.rpartition(":")
    with np.load(inputs, allow_pickle=False) as stored:
        made: Any = getattr(load(module), name)(dict(stored))
    work, finish = made if isinstance(made, tuple) else (made, np.asarray)
    np.save(result, finish(work()))
    print(json.dumps(timed(work, 1)), file=reply, flush=True)
    for line in sys.stdin:
        print(json.dumps(timed(work, int(line))), file=reply, flush=True)


def timed(work: Callable[[], Any], calls: int) -> dict[str, float]:
    began, used = time.perf_counter(), time.process_time()
    for _ in range(calls):
        work()
    return {"seconds": time.perf_counter() - began, "core_seconds": time.process_time() - used}


if __name__ == "__main__":
    main(*sys.argv[1:])

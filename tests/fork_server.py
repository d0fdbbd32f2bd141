"""A process that has imported most of the package and forks for each program, which then starts at once.

A program sees a clean interpreter, as with `python -c` or `bearleft`; only the seconds for imports, for the plan of
the city that most pages use, and for a first episode in it are saved.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

# The child leaves the loop and ends like any program: an error is printed, exit handlers run, and what the program
# still holds is freed. Only the modules are left as they are: taking down an interpreter of that size takes longer than
# most programs.
# Modules that register something on import (environments) are not imported here: forgetting them must fail.
SERVER = """
import atexit, gc, json, os, sys, threading, types, warnings
import numba
import platformdirs  # imported with the first default folder, which BEARLEFT_CACHE and BEARLEFT_DATA spare
import rich.console, rich.progress, rich.table
import bearleft.cli, bearleft.evaluation.evaluate, bearleft.evaluation.score, bearleft.reports.html.report
import bearleft.agents.follower  # and with it the grammars of all texts
import bearleft.world.city.streets  # open_city imports it with the first city
import bearleft.data.loaders.town, bearleft.world.graphs.grid  # imported with the first town
numba.njit(lambda x: x)(1)  # numba imports its larger half with the first function it compiles
from bearleft.language.lexicon.object_colours import main_colours
before = set(sys.modules)
from bearleft.world.render.camera import panorama
from bearleft.world.render.devices import renderer
from bearleft.world.city.city import open_city
city = open_city("city/3/4x5")
renderer(city.scene, "cpu")(city.poses([0]), panorama(16), shadows=False)
main_colours(city.plan)
# What a first episode costs whoever plays it: the patterns of grammars, and compiled functions read from the cache.
for agent, dataset in (("follower", "city/touchdown/small"), ("follower", "city/sdr/small"), ("stop", "town/dev")):
    bearleft.evaluation.evaluate.evaluate(agent, dataset, limit=1)
assert set(sys.modules) == before  # nothing is imported that a program might forget to import
gc.freeze()  # the garbage collector of a child skips these objects
print("ready", flush=True)
for line in sys.stdin:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's idle threads
        child = os.fork()
    if not child:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
request = json.loads(line)
os.chdir(request["folder"])
os.environ.clear(), os.environ.update(request["environment"])
for descriptor, file in ((0, os.devnull), (1, request["stdout"]), (2, request["stderr"])):
    os.dup2(os.open(file, os.O_RDWR | os.O_CREAT, 0o600), descriptor)
exit_code, main = 0, types.ModuleType("__main__")
try:
    if request["code"] is None:
        sys.path.remove("")  # modules in the folder are not visible to the command
        bearleft.cli.main(request["args"])
    else:
        sys.argv = ["-c", *request["args"]]
        sys.modules["__main__"] = main
        exec(compile(request["code"], "<string>", "exec"), main.__dict__)
except SystemExit as stop:
    exit_code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    if not isinstance(stop.code, int | None):
        print(stop.code, file=sys.stderr)
except BaseException:
    exit_code = 1
    sys.excepthook(*sys.exc_info())
threading._shutdown()
atexit._run_exitfuncs()
main.__dict__.clear()
gc.collect()
sys.stdout.flush(), sys.stderr.flush()
os._exit(exit_code)
"""


class ForkServer:
    """Run programs one after another; each returns its exit code, standard output and standard error."""

    def __init__(self, folder: Path) -> None:
        self.stdout, self.stderr = folder / "out", folder / "err"
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=_environment(),
        )
        assert self._pipe(self.process.stdout).readline() == "ready\n"

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None
        return pipe

    def python(self, code: str, folder: Path, *args: str) -> tuple[int, str, str]:
        """Run `python -W error -c CODE ARGS`."""
        return self._run(code, args, folder)

    def bearleft(self, args: Sequence[str], folder: Path) -> tuple[int, str, str]:
        """Run `bearleft ARGS`."""
        return self._run(None, args, folder)

    def _run(self, code: str | None, args: Sequence[str], folder: Path) -> tuple[int, str, str]:
        for file in (self.stdout, self.stderr):
            file.write_text("")
        request = {
            "code": code,
            "args": args,
            "folder": str(folder),
            "environment": _environment(),
            "stdout": str(self.stdout),
            "stderr": str(self.stderr),
        }
        self._pipe(self.process.stdin).write(json.dumps(request) + "\n")
        self._pipe(self.process.stdin).flush()
        exit_code = int(self._pipe(self.process.stdout).readline())
        return exit_code, self.stdout.read_text(), self.stderr.read_text()

    def close(self) -> None:
        """End the server."""
        self._pipe(self.process.stdin).close()
        self._pipe(self.process.stdout).close()
        self.process.wait()


def _environment() -> dict[str, str]:
    return {**os.environ, "COLUMNS": "160"}

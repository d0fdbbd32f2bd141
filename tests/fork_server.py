"""A process that has imported what most programs of ours need, and forks: each program starts at once, and alone.

What is run sees a clean interpreter, as `python -c` or `bearleft` give it; only the seconds are saved in which modules
are imported and the city of most pages is planned.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

# The child leaves the loop and ends as any program does, so that exit handlers run and warnings are errors.
# What registers itself when it is imported (environments) is not imported here: forgetting it must fail.
SERVER = """
import gc, json, os, sys, types, warnings
import numba
import bearleft.cli, bearleft.evaluation.evaluate, bearleft.evaluation.score, bearleft.reports.html.report
import bearleft.world.city.streets  # open_city imports it with the first city
numba.njit(lambda x: x)(1)  # numba imports its larger half with the first function it compiles
from bearleft.language.lexicon.object_colours import main_colours
before = set(sys.modules)
from bearleft.world.render.camera import panorama
from bearleft.world.render.devices import renderer
from bearleft.world.city.city import open_city
city = open_city("city/3/4x5")
renderer(city.scene, "cpu")(city.poses([0]), panorama(16), shadows=False)
main_colours(city.plan)
assert set(sys.modules) == before  # nothing is imported that a program might forget to import
gc.freeze()  # a child that ends does not go through all of it
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
asked = json.loads(line)
os.chdir(asked["folder"])
os.environ.clear(), os.environ.update(asked["around"])
for stream, where in ((0, os.devnull), (1, "OUT"), (2, "ERR")):
    where = asked.get(where, where)
    os.dup2(os.open(where, os.O_RDWR | os.O_CREAT, 0o600), stream)
if asked["verb"]:
    sys.path.remove("")  # what lies in the folder is no part of us
    bearleft.cli.main(asked["words"])
else:
    sys.argv = ["-c", *asked["words"]]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(asked["text"], "<string>", "exec"), main.__dict__)
"""


class Teller:
    """Runs programs one after another; each gives its exit code, and what it printed."""

    def __init__(self, folder: Path) -> None:
        self.out, self.err = folder / "out", folder / "err"
        self.around = {**os.environ, "COLUMNS": "160"}
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self.around,
        )
        assert self._pipe(self.process.stdout).readline() == "ready\n"

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None
        return pipe

    def python(self, text: str, folder: Path, *words: str) -> tuple[int, str, str]:
        """As `python -W error -c TEXT WORDS` does."""
        return self._run(folder, text=text, words=words, verb=False)

    def bearleft(self, words: Sequence[str], folder: Path) -> tuple[int, str, str]:
        """As `bearleft WORDS` does."""
        return self._run(folder, words=words, verb=True)

    def _run(self, folder: Path, **what: object) -> tuple[int, str, str]:
        for printed in (self.out, self.err):
            printed.write_text("")
        around = {**os.environ, "COLUMNS": "160"}
        asked = {"folder": str(folder), "around": around, "OUT": str(self.out), "ERR": str(self.err), **what}
        self._pipe(self.process.stdin).write(json.dumps(asked) + "\n")
        self._pipe(self.process.stdin).flush()
        code = int(self._pipe(self.process.stdout).readline())
        return code, self.out.read_text(), self.err.read_text()

    def close(self) -> None:
        self._pipe(self.process.stdin).close()
        self._pipe(self.process.stdout).close()
        self.process.wait()

"""An agent that is any program: one JSON line goes in for each observation, one comes back with the action.

In:  {"begin": {"episode": ..., "dataset": ..., "world": ..., "seed": ...}}   (no answer is expected)
In:  {"observe": {...}}            Out: {"action": "forward"}   or   {"heading": 12.5, "pitch": -3}
     {"heading": 12.5, "pitch": -3, "heat": {"width": 64, "height": 32, "values": "base64"}} holds a heat map too.
In:  {"end": true}                 (no answer; the program may exit)
"""

from __future__ import annotations

import contextlib
import json
import selectors
import shlex
import subprocess
from typing import Any

import numpy as np

from bearleft.envs.game import Action, Guess, Observation
from bearleft.errors import InputError, shown
from bearleft.records import Direction, Episode, Heat
from bearleft.runtime.json_fields import Fields

SECONDS = 60.0
LONGEST = 1_000_000  # bytes of one answer


class Pipe:
    """Starts the program with the first episode and keeps it; what it prints on standard error is shown as it is."""

    def __init__(self, command: str, seconds: float = SECONDS) -> None:
        self.command, self.seconds = command, seconds
        self.process: subprocess.Popen[bytes] | None = None
        self.waiting = b""

    def _start(self) -> subprocess.Popen[bytes]:
        if self.process is None:
            try:
                words = shlex.split(self.command)
                self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
            except (OSError, ValueError, IndexError) as error:
                raise InputError("a program that can be started", shown(str(error) or self.command)) from error
        return self.process

    def _send(self, message: dict[str, Any]) -> None:
        process = self._start()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
        except OSError as error:
            raise self._gone() from error

    def _gone(self) -> InputError:
        assert self.process is not None
        code = self.process.wait(self.seconds)
        return InputError("a program that answers every observation", f"its end (exit code {code})")

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        seed = int(rng.integers(2**31))
        about = {"episode": episode.id, "dataset": episode.dataset, "world": episode.world, "seed": seed}
        self._send({"begin": about})

    def act(self, observation: Observation) -> Action:
        self._send({"observe": observation})
        return read_action(self._answer())

    def _answer(self) -> bytes:
        process = self._start()
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.waiting:
                if not selector.select(self.seconds):
                    raise InputError(f"an answer within {self.seconds:g} seconds", "none")
                piece = process.stdout.read(65536)
                if not piece:
                    raise self._gone()
                self.waiting += piece
                if len(self.waiting) > LONGEST:
                    raise InputError("an answer of one line", f"{len(self.waiting):,} bytes without a line's end")
        line, _, self.waiting = self.waiting.partition(b"\n")
        return line

    def close(self) -> None:
        """Tells the program that there is no more, and waits for it a little."""
        if self.process is None:
            return
        try:
            self._send({"end": True})
            assert self.process.stdin is not None
            self.process.stdin.close()
            self.process.wait(5)
        except (InputError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        finally:
            for stream in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(OSError):
                    assert stream is not None
                    stream.close()
            self.process = None


def read_action(line: bytes) -> Action:
    """The action that an answer holds."""
    try:
        row = Fields(json.loads(line))
        if "action" in row:
            return row.text("action")
        direction = Direction(row.number("heading"), row.number("pitch", -90, 90))
        return Guess(direction, Heat.from_json(row["heat"], "heat")) if "heat" in row else direction
    except InputError as error:
        expected = 'an answer like {"action": "forward"} or {"heading": 12.5, "pitch": -3}'
        raise InputError(expected, shown(line.decode(errors="replace")), hint=str(error)) from None
    except (ValueError, RecursionError):
        raise InputError("an answer in JSON", shown(line.decode(errors="replace"))) from None

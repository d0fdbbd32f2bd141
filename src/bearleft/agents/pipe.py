"""An agent in another process: it reads observations as JSON lines and answers with actions as JSON lines.

In:  {"begin": {"episode": ..., "dataset": ..., "world": ..., "seed": ...}}   (no answer is expected)
In:  {"observe": {...}}            Out: {"action": "forward"}   or   {"heading": 12.5, "pitch": -3}
     {"heading": 12.5, "pitch": -3, "heat": {"width": 64, "height": 32, "values": "base64"}} holds a heat map too,
     {"action": "forward", "probabilities": [0.7, 0.2, 0.1, 0], "words": [...], "spans": [...], "views": [...]} what a
     network computed (see Decision); words with their spans, and views, may be missing.
In:  {"end": true}                 (no answer; the program may exit)

A picture in an observation is a PNG file in base64.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import selectors
import shlex
import signal
import subprocess
import time
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from bearleft.envs.game import Action, Decision, Observation, Prediction
from bearleft.errors import InputError, format_value
from bearleft.records import Direction, Episode, Heatmap
from bearleft.runtime.json_fields import Fields
from bearleft.runtime.processes import defer_interrupt

TIMEOUT_SECONDS = 60.0
EXIT_SECONDS = 5.0
MAX_ANSWER_BYTES = 1_000_000


class Pipe:
    """Play by a program, which is started with the first episode and keeps running.

    The program's standard error is not redirected.

    Args:
        command: The command line of the program.
        timeout: Seconds to wait for each answer.
    """

    def __init__(self, command: str, timeout: float = TIMEOUT_SECONDS) -> None:
        self.command, self.timeout = command, timeout
        self.process: subprocess.Popen[bytes] | None = None
        self.buffer = bytearray()

    def _start(self) -> subprocess.Popen[bytes]:
        if self.process is None:
            try:
                # A session of its own, so that `close` ends the processes that the program has started, too.
                with defer_interrupt():
                    self.process = subprocess.Popen(
                        shlex.split(self.command),
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        bufsize=0,
                        start_new_session=True,
                    )
            except (OSError, ValueError, IndexError) as error:
                raise InputError("a program that can be started", format_value(str(error) or self.command)) from error
            assert self.process.stdin is not None
            os.set_blocking(self.process.stdin.fileno(), False)
        return self.process

    def _send(self, message: dict[str, Any]) -> None:
        stdin = self._start().stdin
        assert stdin is not None
        remaining = memoryview(json.dumps(message, ensure_ascii=False, default=encode_picture).encode() + b"\n")
        end = time.monotonic() + self.timeout
        with selectors.DefaultSelector() as selector:
            selector.register(stdin, selectors.EVENT_WRITE)
            while remaining:
                if not selector.select(max(end - time.monotonic(), 0)):
                    raise InputError(
                        f"a program that reads its input within {self.timeout:g} seconds", "one that does not"
                    )
                try:
                    remaining = remaining[stdin.write(remaining) or 0 :]
                except OSError as error:
                    raise self._exit_error() from error

    def _exit_error(self) -> InputError:
        assert self.process is not None
        try:
            got = f"its end (exit code {self.process.wait(EXIT_SECONDS)})"
        except subprocess.TimeoutExpired:
            got = "a program that closed its input or output and still runs"
        return InputError("a program that answers every observation", got)

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Announce an episode to the program, with a seed."""
        seed = int(rng.integers(2**31))
        message = {"episode": episode.id, "dataset": episode.dataset, "world": episode.world, "seed": seed}
        self._send({"begin": message})

    def act(self, observation: Observation) -> Action:
        """Send an observation to the program and return its action.

        Raises:
            InputError: The program has ended, is too slow, or its answer is not an action.
        """
        self._send({"observe": observation})
        return read_action(self._read_line())

    def _read_line(self) -> bytes:
        process = self._start()
        assert process.stdout is not None
        end = time.monotonic() + self.timeout  # of the whole answer, also if it comes byte by byte
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.buffer:
                if not selector.select(max(end - time.monotonic(), 0)):
                    got = f"only {format_value(self.buffer.decode(errors='replace'))}" if self.buffer else "none"
                    raise InputError(f"an answer within {self.timeout:g} seconds", got)
                chunk = process.stdout.read(65536)
                if not chunk:
                    raise self._exit_error()
                self.buffer += chunk
                if len(self.buffer) > MAX_ANSWER_BYTES:
                    raise InputError("an answer of one line", f"{len(self.buffer):,} bytes without a line break")
        line, _, rest = bytes(self.buffer).partition(b"\n")
        self.buffer = bytearray(rest)
        return line

    def close(self) -> None:
        """Tell the program to end, wait up to 5 seconds, then kill it and the processes that it has started."""
        if self.process is None:
            return
        process, self.process = self.process, None
        assert process.stdin is not None and process.stdout is not None
        try:
            with contextlib.suppress(OSError):
                process.stdin.write(b'{"end": true}\n')
            with contextlib.suppress(OSError):
                process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(EXIT_SECONDS)
        finally:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()


def encode_picture(picture: npt.NDArray[np.uint8]) -> str:
    """Return a picture (height, width, 3) as a PNG file in base64."""
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "png", compress_level=1)
    return base64.b64encode(buffer.getvalue()).decode()


def read_action(line: bytes) -> Action:
    """Return the action of an answer, a line of JSON.

    Raises:
        InputError: The line is not an action.
    """
    try:
        row = Fields(json.loads(line))
        if "action" in row and "probabilities" in row:
            words, spans, views = (row.items(name) if name in row else () for name in ("words", "spans", "views"))
            return Decision(row.text("action"), row["probabilities"], words, spans, views)
        if "action" in row:
            return row.text("action")
        direction = Direction(row.number("heading"), row.number("pitch", -90, 90))
        return Prediction(direction, Heatmap.from_json(row["heat"], "heat")) if "heat" in row else direction
    except InputError as error:
        expected = 'an answer like {"action": "forward"} or {"heading": 12.5, "pitch": -3}'
        raise InputError(expected, format_value(line.decode(errors="replace")), hint=str(error)) from None
    except (ValueError, RecursionError):
        raise InputError("an answer in JSON", format_value(line.decode(errors="replace"))) from None

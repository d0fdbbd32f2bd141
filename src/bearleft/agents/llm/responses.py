"""The file of answers: a content-addressed cache that is also the replay file of a run.

Each line is one answer under the key of its request. A line is written, in one call to the system, before its answer is
used, so that a run that was killed does not pay for it again. The file holds no key of an account and no prompt.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
from pathlib import Path

from bearleft.agents.llm.requests import ChatAnswer, ChatRequest
from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import Fields
from bearleft.runtime.store import existing_file

FORMAT = 1


class ResponseFile:
    """Answers by the keys of their requests.

    Args:
        path: The file; a new one is made with the first answer, and an incomplete last line of a killed run is removed.
        replay: Whether to read only.

    Raises:
        InputError: The file is damaged, is used by another run, or is to be replayed and does not exist.
    """

    def __init__(self, path: str | os.PathLike[str], replay: bool = False) -> None:
        self.path, self.replay = Path(path), replay
        self.answers: dict[str, ChatAnswer] = {}
        self._stream: io.FileIO | None = None
        if replay:
            existing_file(path, "a file of answers to replay")
            self._read()
        elif self.path.exists():  # one that does not exist is made with the first answer
            stream = self._open()
            try:
                stream.truncate(self._read())
            except BaseException:
                self.close()
                raise

    def _open(self) -> io.FileIO:
        """Open and lock the file."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            stream = open(self.path, "ab", buffering=0)  # noqa: SIM115  (closed by close)
        except OSError as error:
            raise InputError("a file that can be written", error.strerror or "", file=str(self.path)) from error
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.close()
            raise InputError("a file of answers that no other run uses", "one in use", file=str(self.path)) from None
        self._stream = stream
        return stream

    def _read(self) -> int:
        """Read all answers; return the number of bytes of complete lines."""
        complete = 0
        with open(self.path, "rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n"):
                    break
                try:
                    row = Fields(json.loads(line))
                    row.integer("format", FORMAT, FORMAT)
                    self.answers[row.text("key")] = ChatAnswer(
                        row.text("text"),
                        row.text("finish"),
                        row.integer("input_tokens", 0),
                        row.integer("output_tokens", 0),
                        row.number("seconds", 0),
                        row.integer("attempts", 1),
                    )
                except InputError as error:
                    raise error.at(file=str(self.path), line=number) from None
                except (ValueError, RecursionError):
                    got = format_value(line.decode(errors="replace"))
                    raise InputError("an answer in JSON", got, file=str(self.path), line=number) from None
                complete += len(line)
        return complete

    def get(self, request: ChatRequest) -> ChatAnswer | None:
        """Return the answer to a request; None if there is none.

        Raises:
            InputError: The file is replayed and has no answer.
        """
        answer = self.answers.get(request.key)
        if answer is None and self.replay:
            hint = "Replay with the same dataset, model, URL and options, or leave out --replay."
            raise InputError(
                "an answer to every request of this run", "none to one of them", "", str(self.path), hint=hint
            )
        return answer

    def add(self, request: ChatRequest, answer: ChatAnswer) -> None:
        """Write an answer."""
        stream = self._stream or self._open()
        row = {
            "format": FORMAT,
            "key": request.key,
            "model": request.model,
            "text": answer.text,
            "finish": answer.finish,
            "input_tokens": answer.input_tokens,
            "output_tokens": answer.output_tokens,
            "seconds": answer.seconds,
            "attempts": answer.attempts,
        }
        remaining = f"{json.dumps(row, ensure_ascii=False, separators=(',', ':'))}\n".encode()
        try:
            while remaining:
                remaining = remaining[stream.write(remaining) :]
        except OSError as error:
            raise InputError("room to write", error.strerror or "", file=str(self.path)) from error
        self.answers[request.key] = answer

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

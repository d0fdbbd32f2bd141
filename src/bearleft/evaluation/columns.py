"""Read files of traces as columns, on all cores: a million walks become a few arrays."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from bearleft.data.json_stream import MAX_ITEM_BYTES
from bearleft.errors import InputError, format_value
from bearleft.metrics.trace_columns import ColumnBuilder, EpisodeIndex, TraceColumns
from bearleft.records import FORMAT, Trace
from bearleft.runtime.compiled import num_threads
from bearleft.runtime.processes import process_pool
from bearleft.runtime.store import existing_file
from bearleft.types import Progress

CHUNK_BYTES = 8 * 2**20  # bytes of a file that one process reads at a time


def read_traces(path: str | os.PathLike[str], index: EpisodeIndex, progress: Progress | None = None) -> TraceColumns:
    """Read a file of traces, on all cores if it is large.

    Args:
        path: The file.
        index: The episodes and places of the dataset.
        progress: Called with a label, the chunks done and the total.

    Raises:
        InputError: A line is not a trace of this dataset.
    """
    path = existing_file(path, "a file of traces")
    size = path.stat().st_size
    chunks = [(path, begin, min(begin + CHUNK_BYTES, size)) for begin in range(0, size, CHUNK_BYTES)]
    parts: list[TraceColumns] = []
    if len(chunks) <= 1 or num_threads() == 1:
        _initialize_process(index)
        parts = _collect(map(_read_chunk, chunks), len(chunks), path, progress)
    else:
        with process_pool(min(num_threads(), len(chunks)), _initialize_process, index) as pool:
            parts = _collect(pool.map(_read_chunk, chunks), len(chunks), path, progress)
    return TraceColumns.join(parts or [ColumnBuilder(index).build()])


def _collect(columns: Iterable[TraceColumns], count: int, path: Path, progress: Progress | None) -> list[TraceColumns]:
    parts = []
    for part in columns:
        parts.append(part)
        if progress is not None:
            progress(f"reading {path.name}", len(parts), count)
    return parts


_index: EpisodeIndex  # of this process


def _initialize_process(index: EpisodeIndex) -> None:
    global _index
    _index = index


def _read_chunk(chunk: tuple[Path, int, int]) -> TraceColumns:
    """Return the traces of the lines that begin within a chunk of the file, in a process of `read_traces`."""
    return read_lines(*chunk, _index)


def read_lines(path: Path, begin: int, end: int, index: EpisodeIndex) -> TraceColumns:
    """Return the traces of the lines that begin from `begin` to before `end`."""
    builder = ColumnBuilder(index)
    with open(path, "rb") as stream:
        if begin:
            # A line that begins before the chunk belongs to the chunk before.
            stream.seek(begin - 1)
            while stream.tell() < end and not stream.readline(CHUNK_BYTES).endswith(b"\n"):
                pass
        while stream.tell() < end and (line := stream.readline(MAX_ITEM_BYTES + 1)):
            try:
                row = json.loads(line)
                if not (type(row) is dict and row.get("format") == FORMAT):
                    Trace.from_json(row)
                builder.add(row)
            except (InputError, KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
                raise _as_input_error(error, line, path, stream.tell() - len(line)) from None
    return builder.build()


def _as_input_error(error: Exception, line: bytes, path: Path, at: int) -> InputError:
    """Return the error of a line as the record's own parser reports it, with the number of the line."""
    with open(path, "rb") as stream:
        number = 1 + sum(stream.read(min(CHUNK_BYTES, at - k)).count(b"\n") for k in range(0, at, CHUNK_BYTES))
    if isinstance(error, InputError):
        return error.at(file=str(path), line=number)
    try:
        Trace.from_json(json.loads(line))
    except InputError as invalid:
        return invalid.at(file=str(path), line=number)
    except (ValueError, RecursionError):
        pass
    hint = "" if line.endswith(b"\n") else "The file ends within a line; run the same eval again to complete it."
    got = format_value(line.decode(errors="replace"))
    return InputError("a trace in JSON", got, file=str(path), line=number, hint=hint)

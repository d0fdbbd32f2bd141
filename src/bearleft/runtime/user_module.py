"""Import a user's Python file by its path."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from bearleft.errors import InputError, format_value
from bearleft.runtime.store import existing_file


def import_file(path: Path, kind: str, expected: str) -> tuple[ModuleType, bytes]:
    """Run a Python file as a module; it can import modules of its own folder.

    Args:
        path: The file.
        kind: The prefix of the module's name, such as "agent".
        expected: What the file should be, for error messages.

    Returns:
        The module, and the source that was run.

    Raises:
        InputError: The file is missing or cannot be imported.
    """
    path = existing_file(path, expected)
    name = f"bearleft_{kind}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up by name
    if (folder := str(path.absolute().parent)) not in sys.path:
        sys.path.append(folder)
    source = path.read_bytes()
    try:
        # Not by the module's loader: its cache of bytecode misses an edit of the same size within a second.
        exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))
    except SyntaxError as error:
        raise _import_error(path, error, error.lineno if error.filename == str(path) else 0) from error
    except (Exception, SystemExit) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise _import_error(path, error, last.lineno if last.filename == str(path) else 0) from error
    return module, source


def _import_error(path: Path, error: BaseException, line: int | None) -> InputError:
    got = format_value(f"{type(error).__name__}: {error}")
    return InputError("a Python file that can be imported", got, file=str(path), line=line or 0)

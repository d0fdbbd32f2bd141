"""Import a Python file that a user names: an agent, a network or a metric."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from bearleft.errors import InputError, format_value
from bearleft.runtime.store import existing_file


def import_python_file(path: Path, expected: str, prefix: str) -> ModuleType:
    """Import a Python file; it can import other modules of its folder.

    Args:
        path: The file.
        expected: What the file is expected to be, for the error message.
        prefix: The prefix of the module's name, which keeps it apart from installed modules.

    Raises:
        InputError: The file is missing, or it raises an error when it is imported.
    """
    path = existing_file(path, expected)
    module_name = f"{prefix}_{path.stem}"
    module_spec = importlib.util.spec_from_file_location(module_name, path)
    assert module_spec is not None and module_spec.loader is not None
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[module_name] = module
    if (folder := str(path.absolute().parent)) not in sys.path:
        sys.path.append(folder)
    try:
        module_spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise InputError(
            "a Python file that can be imported",
            format_value(f"{type(error).__name__}: {error}"),
            file=str(path),
            line=last.lineno or 0 if last.filename == str(path) else 0,
        ) from error
    return module

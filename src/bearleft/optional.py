"""The one message about a part that is not installed."""

from __future__ import annotations

import importlib
from types import ModuleType

from bearleft.errors import InputError


def require(module: str, extra: str) -> ModuleType:
    """Imports `module`, or says which extra of bearleft brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if error.name is not None and not module.startswith(error.name.partition(".")[0]):
            raise
        raise InputError(
            f"the Python package {module}", "none", hint=f"Type: pip install 'bearleft[{extra}]'"
        ) from error

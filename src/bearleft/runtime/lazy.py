"""Lazy exports of a package: its public names are imported on first use, so that importing the package is fast."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_exports(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions `__getattr__` and `__dir__` of a package.

    Args:
        package: The package's `__name__`.
        modules: The module of each public name. `dir()` shows what the package lists in `__all__`.
    """

    def get_attribute(name: str) -> Any:
        if name in modules:
            return getattr(importlib.import_module(modules[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get_attribute, lambda: sys.modules[package].__all__

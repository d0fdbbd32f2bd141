"""bearleft: people and models follow language through 360-degree worlds."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from bearleft.version import VERSION

if TYPE_CHECKING:
    from bearleft.data import load as load
    from bearleft.evaluation.run import run as run
    from bearleft.evaluation.score import score as score

__version__ = VERSION
# Loaded when first asked for, so that `import bearleft` stays light.
_HOMES = {"load": "bearleft.data", "run": "bearleft.evaluation.run", "score": "bearleft.evaluation.score"}

__all__ = ["__version__", "load", "run", "score"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'bearleft' has no attribute {name!r}")

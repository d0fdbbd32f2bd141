"""Follow natural-language instructions in 360-degree environments: worlds, datasets, agents, metrics, reports.

The names below are the public API. They are imported on first use, so `import bearleft` is fast:

    import bearleft

    bearleft.evaluate("random", "city/touchdown/small", "random.jsonl", limit=5)
    print(bearleft.score("random.jsonl"))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from bearleft.version import VERSION

if TYPE_CHECKING:
    from bearleft import metrics as metrics
    from bearleft.agents.agent import Agent as Agent
    from bearleft.data import load as load
    from bearleft.errors import InputError as InputError
    from bearleft.evaluation.evaluate import evaluate as evaluate
    from bearleft.evaluation.score import score as score
    from bearleft.generate.datasets import make_dataset as make_dataset
    from bearleft.records import Assemble as Assemble
    from bearleft.records import Collect as Collect
    from bearleft.records import Direction as Direction
    from bearleft.records import Episode as Episode
    from bearleft.records import Leg as Leg
    from bearleft.records import LegTrace as LegTrace
    from bearleft.records import Point as Point
    from bearleft.records import Pose as Pose
    from bearleft.records import Reach as Reach
    from bearleft.records import Trace as Trace
    from bearleft.reports.html.report import report as report
    from bearleft.world.worlds import open_world as open_world

__version__ = VERSION
# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Agent": "bearleft.agents.agent",
    "Assemble": "bearleft.records",
    "Collect": "bearleft.records",
    "Direction": "bearleft.records",
    "Episode": "bearleft.records",
    "InputError": "bearleft.errors",
    "Leg": "bearleft.records",
    "LegTrace": "bearleft.records",
    "Point": "bearleft.records",
    "Pose": "bearleft.records",
    "Reach": "bearleft.records",
    "Trace": "bearleft.records",
    "evaluate": "bearleft.evaluation.evaluate",
    "load": "bearleft.data",
    "make_dataset": "bearleft.generate.datasets",
    "open_world": "bearleft.world.worlds",
    "report": "bearleft.reports.html.report",
    "score": "bearleft.evaluation.score",
}

__all__ = sorted(["__version__", "metrics", *_MODULES])


def __getattr__(name: str) -> Any:
    if name == "metrics":
        return importlib.import_module("bearleft.metrics")
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'bearleft' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

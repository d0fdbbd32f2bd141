"""Follow natural-language instructions in 360-degree environments: worlds, datasets, agents, metrics, reports.

The names below are the public API. They are imported on first use, so `import bearleft` is fast:

    import bearleft

    bearleft.evaluate("random", "city/touchdown/small", "random.jsonl", limit=5)
    print(bearleft.score("random.jsonl"))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from bearleft.runtime.lazy import lazy_exports
from bearleft.version import VERSION

if TYPE_CHECKING:
    from bearleft import metrics as metrics
    from bearleft.agents.agent import Agent as Agent
    from bearleft.data import load as load
    from bearleft.errors import InputError as InputError
    from bearleft.evaluation.evaluate import evaluate as evaluate
    from bearleft.evaluation.replay import replay_trace as replay_trace
    from bearleft.evaluation.score import score as score
    from bearleft.generate.datasets import make_dataset as make_dataset
    from bearleft.generate.hidden import make_hidden_dataset as make_hidden_dataset
    from bearleft.models.features.write import features as features
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
    from bearleft.reports.film.film import FilmConfig as FilmConfig
    from bearleft.reports.film.film import write_film as write_film
    from bearleft.reports.html.report import report as report
    from bearleft.reports.pictures.maps import MapConfig as MapConfig
    from bearleft.reports.pictures.maps import draw_map as draw_map
    from bearleft.reports.pictures.render import RenderConfig as RenderConfig
    from bearleft.reports.pictures.render import render as render
    from bearleft.training.inputs import TrainInputs as TrainInputs
    from bearleft.training.train import train as train
    from bearleft.world.album.importers import import_album as import_album
    from bearleft.world.album.write import write_album as write_album
    from bearleft.world.tiles.export import tiles as tiles
    from bearleft.world.visibility.visible import visible as visible
    from bearleft.world.worlds import open_world as open_world

__version__ = VERSION
# The module of each public name, imported on first use.
_MODULES = {
    "Agent": "bearleft.agents.agent",
    "Assemble": "bearleft.records",
    "Collect": "bearleft.records",
    "Direction": "bearleft.records",
    "Episode": "bearleft.records",
    "FilmConfig": "bearleft.reports.film.film",
    "InputError": "bearleft.errors",
    "Leg": "bearleft.records",
    "LegTrace": "bearleft.records",
    "MapConfig": "bearleft.reports.pictures.maps",
    "Point": "bearleft.records",
    "Pose": "bearleft.records",
    "Reach": "bearleft.records",
    "RenderConfig": "bearleft.reports.pictures.render",
    "Trace": "bearleft.records",
    "TrainInputs": "bearleft.training.inputs",
    "draw_map": "bearleft.reports.pictures.maps",
    "evaluate": "bearleft.evaluation.evaluate",
    "features": "bearleft.models.features.write",
    "import_album": "bearleft.world.album.importers",
    "load": "bearleft.data",
    "make_dataset": "bearleft.generate.datasets",
    "make_hidden_dataset": "bearleft.generate.hidden",
    "open_world": "bearleft.world.worlds",
    "render": "bearleft.reports.pictures.render",
    "replay_trace": "bearleft.evaluation.replay",
    "report": "bearleft.reports.html.report",
    "score": "bearleft.evaluation.score",
    "tiles": "bearleft.world.tiles.export",
    "train": "bearleft.training.train",
    "visible": "bearleft.world.visibility.visible",
    "write_album": "bearleft.world.album.write",
    "write_film": "bearleft.reports.film.film",
}

__all__ = sorted(["__version__", "metrics", *_MODULES])

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    _import_name, __dir__ = lazy_exports(__name__, _MODULES)

    def __getattr__(name: str) -> Any:
        return importlib.import_module("bearleft.metrics") if name == "metrics" else _import_name(name)

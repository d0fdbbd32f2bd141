"""Dataset generation in generated worlds: routes, splits, scenes, examples and whole datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.generate.datasets import SIZES as SIZES
    from bearleft.generate.datasets import GeneratedDataset as GeneratedDataset
    from bearleft.generate.datasets import expand_dataset_names as expand_dataset_names
    from bearleft.generate.datasets import make_dataset as make_dataset
    from bearleft.generate.datasets import splits_or_sample as splits_or_sample
    from bearleft.generate.examples import STYLES as STYLES
    from bearleft.generate.examples import ExampleBuilder as ExampleBuilder
    from bearleft.generate.examples import ExampleResult as ExampleResult
    from bearleft.generate.hidden import HiddenDataset as HiddenDataset
    from bearleft.generate.hidden import make_hidden_dataset as make_hidden_dataset
    from bearleft.generate.minimal_pairs import KINDS as KINDS
    from bearleft.generate.minimal_pairs import pair_episodes as pair_episodes
    from bearleft.generate.routes import Route as Route
    from bearleft.generate.routes import bands as bands
    from bearleft.generate.routes import make_route as make_route
    from bearleft.generate.routes import r2r_routes as r2r_routes
    from bearleft.generate.routes import r4r_routes as r4r_routes
    from bearleft.generate.routes import routes_by_region as routes_by_region
    from bearleft.generate.routes import touchdown_routes as touchdown_routes
    from bearleft.generate.routes import touchdown_stream as touchdown_stream
    from bearleft.generate.scenes import Scene as Scene
    from bearleft.generate.scenes import SceneSampler as SceneSampler
    from bearleft.generate.scenes import SequenceSpec as SequenceSpec
    from bearleft.generate.splits import RouteSampler as RouteSampler
    from bearleft.generate.splits import RouteSpec as RouteSpec

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "ExampleBuilder": "bearleft.generate.examples",
    "ExampleResult": "bearleft.generate.examples",
    "GeneratedDataset": "bearleft.generate.datasets",
    "HiddenDataset": "bearleft.generate.hidden",
    "KINDS": "bearleft.generate.minimal_pairs",
    "Route": "bearleft.generate.routes",
    "RouteSampler": "bearleft.generate.splits",
    "RouteSpec": "bearleft.generate.splits",
    "SIZES": "bearleft.generate.datasets",
    "STYLES": "bearleft.generate.examples",
    "Scene": "bearleft.generate.scenes",
    "SceneSampler": "bearleft.generate.scenes",
    "SequenceSpec": "bearleft.generate.scenes",
    "splits_or_sample": "bearleft.generate.datasets",
    "bands": "bearleft.generate.routes",
    "expand_dataset_names": "bearleft.generate.datasets",
    "make_dataset": "bearleft.generate.datasets",
    "make_hidden_dataset": "bearleft.generate.hidden",
    "make_route": "bearleft.generate.routes",
    "pair_episodes": "bearleft.generate.minimal_pairs",
    "r2r_routes": "bearleft.generate.routes",
    "r4r_routes": "bearleft.generate.routes",
    "routes_by_region": "bearleft.generate.routes",
    "touchdown_routes": "bearleft.generate.routes",
    "touchdown_stream": "bearleft.generate.routes",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

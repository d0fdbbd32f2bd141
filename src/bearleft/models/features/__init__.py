"""Feature maps of panoramas: computed on demand, cached on the device, or stored on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.models.features.base import Features as Features
    from bearleft.models.features.base import panoramas_of as panoramas_of
    from bearleft.models.features.cached import CachedFeatures as CachedFeatures
    from bearleft.models.features.computed import ComputedFeatures as ComputedFeatures
    from bearleft.models.features.quantize import Quantizer as Quantizer
    from bearleft.models.features.sources import features_for as features_for
    from bearleft.models.features.sources import open_store as open_store
    from bearleft.models.features.store import FeatureStore as FeatureStore
    from bearleft.models.features.store import StoreInfo as StoreInfo
    from bearleft.models.features.write import WriteSummary as WriteSummary
    from bearleft.models.features.write import write_store as write_store

# The module of each public name, imported on first use: most of them import torch.
_MODULES = {
    "CachedFeatures": "bearleft.models.features.cached",
    "ComputedFeatures": "bearleft.models.features.computed",
    "FeatureStore": "bearleft.models.features.store",
    "Features": "bearleft.models.features.base",
    "Quantizer": "bearleft.models.features.quantize",
    "StoreInfo": "bearleft.models.features.store",
    "WriteSummary": "bearleft.models.features.write",
    "features_for": "bearleft.models.features.sources",
    "open_store": "bearleft.models.features.sources",
    "panoramas_of": "bearleft.models.features.base",
    "write_store": "bearleft.models.features.write",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

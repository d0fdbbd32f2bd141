"""Select a feature source: computed on demand, cached on the device, or stored on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable

import torch

from bearleft.errors import InputError
from bearleft.models.backbones.registry import Backbone, load_backbone
from bearleft.models.examples import Examples, Panorama
from bearleft.models.features.base import Features, panoramas_of
from bearleft.models.features.cached import CachedFeatures, cache_bytes
from bearleft.models.features.computed import ComputedFeatures
from bearleft.models.features.store import FeatureStore, StoreInfo, check_compatible
from bearleft.runtime.progress import announce, format_size
from bearleft.types import Progress
from bearleft.world.pictures import RENDERED, PictureConfig, open_pictures
from bearleft.world.slices import PAPER, Slicing

__all__ = ["CachedFeatures", "ComputedFeatures", "FeatureStore", "Features", "features_for", "panoramas_of"]

GPU_CACHE_SHARE = 0.7  # of a GPU's free memory
CPU_CACHE_BYTES = 2 << 30


def features_for(
    examples: Examples | Iterable[Examples | Panorama],
    backbone: Backbone | str,
    slicing: Slicing = PAPER,
    device: str | torch.device = "cpu",
    store: str | os.PathLike[str] | None = None,
    cache: bool | None = None,
    pictures: PictureConfig = RENDERED,
    progress: Progress | None = None,
) -> Features:
    """Return features of the panoramas of examples, of one split or of several.

    Args:
        examples: Examples, or several of them, or panoramas.
        backbone: The backbone, or its name.
        slicing: How panoramas are cut into slices.
        device: Where features are computed and cached.
        store: Folder of a feature store, which must hold all panoramas; by default features are computed.
        cache: Whether all features are computed at once and cached on the device in 8 bits; by default if they fit.
        pictures: Where pictures come from, if features are computed.
        progress: Called with a label, the panoramas done and their total.

    Raises:
        InputError: There are no panoramas, or some have no picture or no features in the store.
    """
    panoramas = panoramas_of(examples)
    if not panoramas:
        raise InputError("at least one panorama", "none")
    loaded = load_backbone(backbone, device) if isinstance(backbone, str) else backbone
    source: Features
    if store is not None:
        if pictures.city is not None:
            raise InputError("a store of features, or a city to compute them in", "both", "city")
        source = open_store(panoramas, loaded, slicing, device, store)
    else:
        sources = open_pictures((panorama.world for panorama in panoramas), pictures)
        source = ComputedFeatures(panoramas, loaded, slicing, device, sources)
    if cache is None:
        cache = cache_bytes(len(panoramas), source) <= cache_limit(source.device)
    if not cache:
        return source
    if store is None:
        size = format_size(cache_bytes(len(panoramas), source))
        announce(
            f"Computing the features of {len(panoramas):,} panoramas into {size} of memory. To keep them "
            "for other trainings: bearleft features DATASET -o STORE, then --features STORE"
        )
    return CachedFeatures.from_source(source, panoramas, progress)


def open_store(
    panoramas: Iterable[Panorama],
    backbone: Backbone,
    slicing: Slicing,
    device: str | torch.device,
    folder: str | os.PathLike[str],
) -> FeatureStore:
    """Open a store that holds features of these panoramas by this backbone.

    Raises:
        InputError: The store is of another backbone or slicing, or a panorama is missing.
    """
    store = FeatureStore(folder, device)
    requested = StoreInfo(backbone.name, backbone.hash, slicing, backbone.channels, store.info.dtype)
    check_compatible(store.info, requested, store.folder, reading=True)
    store.slicing = slicing  # `released` changes how cells are read, not how they were computed
    for panorama in panoramas:
        store.index(panorama)
    return store


def cache_limit(device: torch.device) -> int:
    """Return the bytes of features that may be cached on a device."""
    if device.type != "cuda":
        return CPU_CACHE_BYTES
    free, _ = torch.cuda.mem_get_info(device)
    return int(GPU_CACHE_SHARE * free)

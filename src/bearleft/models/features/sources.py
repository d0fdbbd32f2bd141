"""Features of panoramas, wherever they come from: made as they are needed, kept on the device, or stored on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable

import torch

from bearleft.errors import InputError
from bearleft.models.backbones.registry import Trunk
from bearleft.models.backbones.registry import trunk as open_trunk
from bearleft.models.examples import Examples, Panorama
from bearleft.models.features.base import Features, Progress, panoramas_of
from bearleft.models.features.cached import Kept, needed
from bearleft.models.features.computed import Made
from bearleft.models.features.pictures import Paths, open_eyes
from bearleft.models.features.store import About, Stored, check_same
from bearleft.world.slices import PAPER, Slicing

__all__ = ["Features", "Kept", "Made", "Stored", "features_for", "panoramas_of"]

SHARE = 0.7  # of a GPU's free memory that may be kept
HOST = 2 << 30  # bytes that may be kept in the CPU's memory


def features_for(
    asked: Examples | Iterable[Examples | Panorama],
    trunk: Trunk | str,
    slicing: Slicing = PAPER,
    device: str | torch.device = "cpu",
    store: str | os.PathLike[str] | None = None,
    keep: bool | None = None,
    pictures: Paths = (),
    city: int | None = None,
    data: str | os.PathLike[str] | None = None,
    tell: Progress | None = None,
) -> Features:
    """Features of the panoramas of examples, of one split or of several.

    From a `store` where one is named, which must hold them all; else pictures are rendered, or cut from the folders of
    `pictures`. With `keep` all are made at once and kept on the device in 8 bits; left open, where they fit. `city` is
    the seed of the one on streets that have none of their own.
    """
    panoramas = panoramas_of(asked)
    if not panoramas:
        raise InputError("at least one panorama", "none")
    seeing = open_trunk(trunk, device) if isinstance(trunk, str) else trunk
    source: Features
    if store is not None:
        if city is not None:
            raise InputError("a store of features, or a city to make them in", "both", "city")
        source = stored_for(panoramas, seeing, slicing, device, store)
    else:
        eyes = open_eyes((panorama.world for panorama in panoramas), pictures, city, data)
        source = Made(panoramas, seeing, slicing, device, eyes)
    if keep is None:
        keep = needed(len(panoramas), source) <= room(source.device)
    return Kept.of(source, panoramas, tell) if keep else source


def stored_for(
    panoramas: Iterable[Panorama],
    trunk: Trunk,
    slicing: Slicing,
    device: str | torch.device,
    store: str | os.PathLike[str],
) -> Stored:
    """A store that holds features of these panoramas by this trunk; an error where one is missing."""
    found = Stored(store, device)
    asked = About(trunk.name, trunk.hash, slicing, trunk.channels, found.about.form)
    check_same(found.about, asked, found.folder, reading=True)
    found.slicing = slicing  # `released` says how cells are read, not how they were made
    for panorama in panoramas:
        found.number(panorama)
    return found


def room(device: torch.device) -> int:
    """Bytes that may be kept on a device."""
    if device.type != "cuda":
        return HOST
    free, _ = torch.cuda.mem_get_info(device)
    return int(SHARE * free)

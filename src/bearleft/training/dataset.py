"""Training by a dataset's name: its examples, their features from a store or made here, then `point.train`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from bearleft.data import load
from bearleft.models.examples import examples
from bearleft.models.eyes import Paths
from bearleft.models.features import features_for
from bearleft.models.levels import check_level
from bearleft.models.stored import read_about
from bearleft.models.trunk import trunk as open_trunk
from bearleft.training.curve import Tell, silent
from bearleft.training.parallel import own_device
from bearleft.training.point import Recipe, Trained, train
from bearleft.world.slices import PAPER, Slicing


def train_on(
    recipe: Recipe,
    dataset: str,
    folder: str | os.PathLike[str],
    device: str = "cpu",
    minutes: float | None = None,
    limit: int | None = None,
    store: str | None = None,
    trunk: str | None = None,
    slicing: Slicing | None = None,
    pictures: Paths = (),
    city: int | None = None,
    data: str | os.PathLike[str] | None = None,
    tell: Tell = silent,
    progress: Callable[[str, int, int], None] | None = None,
) -> Trained:
    """Trains a network on a dataset's legs that point; `bearleft train`.

    Features come from `store`, whose trunk and slices are taken too; else they are made on the device and kept there
    where they fit. `city` is the one that is built on streets that have none of their own.
    """
    asked = examples(load(dataset, data)[:limit])
    check_level(recipe.level, (one.world for one in asked.panoramas))  # before features are made
    if store is not None:
        about = read_about(Path(store))
        trunk, slicing = trunk or about.trunk, slicing or about.slicing
    where = own_device(device)
    seeing = open_trunk(trunk or "city", str(where))
    seen = features_for(asked, seeing, slicing or PAPER, where, store, None, pictures, city, data, progress)
    return train(recipe, asked, seen, folder, where, minutes, tell, seeing)

"""Training by a dataset's name: its examples, their features from a store or made here, then `point.train`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bearleft.data import load
from bearleft.models.backbones.registry import trunk as open_trunk
from bearleft.models.examples import coverage, examples
from bearleft.models.features.pictures import Paths
from bearleft.models.features.sources import features_for
from bearleft.models.features.store import read_about
from bearleft.models.pointing.levels import check_level
from bearleft.training.distributed import own_device
from bearleft.training.history import Tell, Told, silent
from bearleft.training.pointing.train import Recipe, Trained, train
from bearleft.world.slices import RELEASED, Slicing, default_slicing


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
    where they fit. Without `slicing` a store's own is taken, or the dataset's default; `recipe.released` reads its
    cells as `released` does. `city` is the one that is built on streets that have none of their own.
    """
    episodes = load(dataset, data)[:limit]
    asked = examples(episodes)
    check_level(recipe.level, (one.world for one in asked.panoramas))  # before features are made
    about = read_about(Path(store)) if store is not None else None
    if slicing is None:
        usual = RELEASED if recipe.released else default_slicing([episodes[0].dataset])
        slicing = usual if about is None else replace(about.slicing, released=recipe.released or about.slicing.released)
    trunk = trunk or (about.trunk if about is not None else None)
    if os.environ.get("RANK", "0") == "0":  # of several processes the first one speaks
        tell(Told(line=coverage(asked, slicing, dataset)))
    where = own_device(device)
    seeing = open_trunk(trunk or "city", str(where))
    seen = features_for(asked, seeing, slicing, where, store, None, pictures, city, data, progress)
    return train(recipe, asked, seen, folder, where, minutes, tell, seeing)

"""What a network is trained on: a dataset, and how its pictures become features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike

from bearleft.types import DataFolder
from bearleft.world.pictures import PictureConfig
from bearleft.world.slices import Slicing


@dataclass(frozen=True)
class TrainInputs:
    """A dataset split and the source of its features.

    Args:
        dataset: Name of the split, such as "city/sdr/train".
        limit: Maximum number of episodes, from the beginning of the split; None for all.
        features: Folder of a feature store that `bearleft features` wrote; by default features are computed. For a
            panoramic network, a tab-separated file of Matterport features; by default it sees no pictures.
        backbone: Name or file of the backbone; by default that of the store, else "city".
        slicing: How panoramas are cut into slices; by default that of the store, else of the dataset.
        pictures: Folders of albums with stored panoramas.
        city: Seed of the city that is built on street graphs without buildings.
        data: Folder of the datasets.
        validation: Name of the split to validate walking and panoramic networks on; by default a share of the walks is
            held out.
    """

    dataset: str
    limit: int | None = None
    features: str | None = None
    backbone: str | None = None
    slicing: Slicing | None = None
    pictures: Sequence[str | PathLike[str]] = ()
    city: int | None = None
    data: DataFolder = None
    validation: str | None = None

    @property
    def picture_config(self) -> PictureConfig:
        """Where pictures come from."""
        return PictureConfig(self.pictures, self.city, self.data)

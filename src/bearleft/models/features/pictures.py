"""Picture numbers of panoramas in the sources that provide them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError
from bearleft.models.examples import Panorama
from bearleft.models.features.base import describe_panorama
from bearleft.world.pictures import AlbumPictures, PictureSource


def picture_numbers(sources: Mapping[str, PictureSource], panoramas: Sequence[Panorama]) -> npt.NDArray[np.int64]:
    """Return the number of each panorama in the source of its world.

    Raises:
        InputError: Some panoramas have no picture; the message says how many.
    """
    numbers = np.full(len(panoramas), -1, np.int64)
    for k, panorama in enumerate(panoramas):
        source = sources[panorama.world]
        index = source.album.numbers if isinstance(source, AlbumPictures) else source.graph.index_by_id
        numbers[k] = index.get(panorama.place, -1)
    if len(missing := np.flatnonzero(numbers < 0)):
        first = panoramas[missing[0]]
        source = sources[first.world]
        folder = str(source.album.folder) if isinstance(source, AlbumPictures) else ""
        hint = "The file name of a picture is its place's id." if folder else ""
        got = f"none of {len(missing):,} of them, the first being {describe_panorama(first)}"
        raise InputError(f"pictures of all {len(panoramas):,} panoramas", got, file=folder, hint=hint)
    return numbers

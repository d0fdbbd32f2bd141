"""Which objects the texts of walks mention, and in which sectors each place of the route shows them.

Networks that ground words learn from it what a word looks like. Generated datasets say which object a phrase of an
instruction means, and a world's visibility table says where it is seen; walks without either have no sightings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from torch import Tensor

from bearleft.language.scene_index import open_visibility_table
from bearleft.models.walking.network import SECTORS
from bearleft.records import Episode, Reach
from bearleft.types import DataFolder, Progress
from bearleft.world.city.city import City, open_city
from bearleft.world.visibility.table import VisibilityTable
from bearleft.world.worlds import world_kind

MENTIONS = 12  # of a text, the first ones
MIN_SHARE = 3e-4  # of the sphere: smaller objects count as not visible
TEXT_KEY = "navigation_text"
Ints = npt.NDArray[np.int16]
Mention = tuple[int, int]  # the number of an object, and the end of the phrase in the text


@dataclass(frozen=True, eq=False)
class Sightings:
    """Sightings of mentioned objects; row k of both arrays is walk k.

    Attributes:
        ends: End of each mention in the text (n, MENTIONS); 0 where there is none.
        boxes: Sectors in which each place of the route shows it (n, MENTIONS, longest route), as `box` packs them;
            0 where it does not.
    """

    ends: Ints
    boxes: Ints

    def subset(self, indices: npt.NDArray[np.int64]) -> Sightings:
        """Return the sightings of walks of these indices."""
        return Sightings(self.ends[indices], self.boxes[indices])

    def pad(self, length: int) -> Sightings:
        """Return the same sightings for routes of up to `length` places."""
        return Sightings(self.ends, np.pad(self.boxes, ((0, 0), (0, 0), (0, length - self.boxes.shape[2]))))


def empty_sightings(count: int, length: int = 1) -> Sightings:
    """Return the sightings of walks whose texts mention nothing that is known."""
    return Sightings(np.zeros((count, MENTIONS), np.int16), np.zeros((count, MENTIONS, length), np.int16))


def concatenate_sightings(parts: Sequence[Sightings | None], counts: Sequence[int]) -> Sightings | None:
    """Return the sightings of several sets of walks as one; None if no set has any.

    Args:
        parts: The sightings of each set.
        counts: The number of walks of each set.
    """
    if all(part is None for part in parts):
        return None
    length = max(part.boxes.shape[2] for part in parts if part is not None)
    padded = [
        empty_sightings(count, length) if part is None else part.pad(length)
        for part, count in zip(parts, counts, strict=True)
    ]
    return Sightings(np.concatenate([part.ends for part in padded]), np.concatenate([part.boxes for part in padded]))


def find_sightings(
    episodes: Sequence[Episode], data: DataFolder = None, device: str = "cpu", progress: Progress | None = None
) -> Sightings | None:
    """Return the sightings of the mentioned objects along episodes' routes; None if nothing is known of any of them.

    Args:
        episodes: Episodes whose first leg is a walk.
        data: The folder of real datasets.
        device: "cpu" or "cuda", for a visibility table that is not there yet.
        progress: Called with the progress of computing one.
    """
    mentions = [mentions_of(episode) for episode in episodes]
    if not any(mentions):
        return None
    routes = [goal.route if isinstance(goal := episode.legs[0].goal, Reach) else () for episode in episodes]
    sightings = empty_sightings(len(episodes), max(map(len, routes)))
    for world in dict.fromkeys(episode.world for episode in episodes):
        own = [k for k, episode in enumerate(episodes) if episode.world == world and mentions[k]]
        if not own or world_kind(world).buildable:  # streets without a city of their own
            continue
        city = open_city(world, data=data)
        finder = BoxFinder(city, open_visibility_table(city, progress, device))
        for k in own:
            places = np.array([city.graph.place_index(place) for place in routes[k]])
            for column, (instance, end) in enumerate(mentions[k][:MENTIONS]):
                sightings.ends[k, column] = end
                sightings.boxes[k, column, : len(places)] = finder(places, instance)
    return sightings


def mentions_of(episode: Episode) -> list[Mention]:
    """Return the objects that an episode's instruction mentions, in the order of the text."""
    rows = episode.extra.get("landmarks", {}).get(TEXT_KEY, [])
    return sorted(((int(instance), int(end)) for instance, _, end in rows), key=lambda mention: mention[1])


class BoxFinder:
    """Finds the sectors of panoramas in which objects of a city are seen."""

    def __init__(self, city: City, table: VisibilityTable) -> None:
        rows = table.rows()
        rows = rows[(rows["part"] == 0) & (rows["instance"] > 0) & (rows["share"] >= MIN_SHARE)]
        self.size = int(rows["instance"].max(initial=0)) + 1
        keys = rows["place"].astype(np.int64) * self.size + rows["instance"]
        order = np.argsort(keys, kind="stable")
        self.keys = keys[order]
        # Sector 0 of a panorama begins at its left edge, opposite to the yaw.
        left = (rows["left"][order] - city.graph.yaw[rows["place"][order]] + 180.0) % 360.0
        self.boxes = box(left, rows["width"][order])

    def __call__(self, places: npt.NDArray[np.int64], instance: int) -> Ints:
        """Return the box of an object at each place; 0 where it is not seen."""
        if not len(self.keys) or not 0 < instance < self.size:
            return np.zeros(len(places), np.int16)
        wanted = places * self.size + instance
        index = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.asarray(np.where(self.keys[index] == wanted, self.boxes[index], 0), np.int16)


def box(left: npt.NDArray[np.floating], width: npt.NDArray[np.floating]) -> Ints:
    """Pack the sectors from `left` to `left + width`, in degrees from a panorama's left edge; 0 stands for none."""
    first = np.floor(left / 360.0 * SECTORS).astype(np.int64)
    last = np.floor((left + width) / 360.0 * SECTORS).astype(np.int64)
    count = np.minimum(last - first + 1, SECTORS)
    return np.asarray(1 + first % SECTORS * SECTORS + count - 1, np.int16)


def in_box(boxes: Tensor, sectors: Tensor) -> Tensor:
    """Return whether sectors of panoramas are in boxes; the shapes broadcast. Nothing is in box 0."""
    first, count = (boxes - 1).clamp(min=0) // SECTORS, (boxes - 1).clamp(min=0) % SECTORS + 1
    return ((sectors - first) % SECTORS < count) & (boxes > 0)


def mentioned_tokens(spans: Sequence[tuple[int, int]], ends: Ints) -> npt.NDArray[np.int64]:
    """Return the last token of each mention.

    Args:
        spans: Begin and end of each token in the text.
        ends: Ends of the mentions (m,).
    """
    begins = np.array([begin for begin, _ in spans])
    return np.maximum(np.searchsorted(begins, ends.astype(np.int64)) - 1, 0)

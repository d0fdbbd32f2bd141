"""Pictures in the observations of agents that are evaluated: the view ahead, or the panorama around."""

from __future__ import annotations

from typing import Any

from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import CollectGame
from bearleft.envs.arramon.observations import ArraMonEnvPictures
from bearleft.envs.arramon.pictures import Viewpoints, city_viewpoint, room_viewpoint
from bearleft.envs.game import Game
from bearleft.errors import InputError, format_value, unknown_name
from bearleft.records import Collect, Episode
from bearleft.types import DataFolder, Observation
from bearleft.world.pictures import EnvPictures, PictureOptions, make_lens
from bearleft.world.worlds import world_kind


class ObservationPictures:
    """Adds pictures to observations, as the environments of Gymnasium do.

    Args:
        options: The options, of which `see` says what is seen.
        data: The folder of real datasets.

    Raises:
        InputError: An option is unknown or invalid.
    """

    def __init__(self, options: PictureOptions, data: DataFolder = None) -> None:
        if extra := set(options) - set(PictureOptions.__annotations__):
            raise unknown_name("picture option", min(extra), PictureOptions.__annotations__)
        make_lens(options.get("see") or "none", options.get("size"), options.get("fov", 90.0))
        self.options, self.data = options, data
        self._places: dict[str, EnvPictures] = {}  # of each world, once it is played
        self._arramon: dict[str, ArraMonEnvPictures] = {}

    def open(self, episode: Episode) -> None:
        """Open the pictures of an episode's world.

        Raises:
            InputError: There are none.
        """
        world = episode.world
        if not any(isinstance(leg.goal, Collect) for leg in episode.legs):
            if world not in self._places:
                self._places[world] = EnvPictures({world}, None, self.data, **self.options)
        elif world not in self._arramon:
            if self.options.get("see") != "view":
                raise InputError("see view in ArraMon's tasks", format_value(self.options.get("see")), "see")
            if other := {"pictures", "city"} & set(self.options):
                raise InputError("rendered pictures of ArraMon's tasks", f"the option {min(other)}", min(other))
            options: dict[str, Any] = dict(self.options)
            self._arramon[world] = ArraMonEnvPictures(world, None, **options)

    def add(self, observation: Observation, episode: Episode, game: Game) -> Observation:
        """Return the observation with the picture that belongs to it, as bytes (height, width, 3)."""
        self.open(episode)
        if isinstance(game, CollectGame | AssembleGame):
            pictures = self._arramon[episode.world]
            return pictures.add(observation, lambda: _viewpoints(game, episode), single=True)
        return self._places[episode.world].add(observation, episode.world, observation)


def _viewpoints(game: CollectGame | AssembleGame, episode: Episode) -> Viewpoints:
    if isinstance(game, AssembleGame):
        return room_viewpoint(game.cell, game.heading, game.task_state.room_items)
    start = episode.start.position if world_kind(episode.world).from_release else None
    return city_viewpoint(
        game.position[:2], game.heading, game.task_state.city_items, start[:2] if start else (0.0, 0.0)
    )

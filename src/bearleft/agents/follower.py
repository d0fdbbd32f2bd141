"""The rule-based follower: parses a text, looks its objects up in the true scene, and acts accordingly."""

from __future__ import annotations

import os
import re
from functools import lru_cache

import numpy as np

from bearleft.agents.agent import unsupported_leg
from bearleft.envs.arramon.assemble import FLOOR_CELLS
from bearleft.envs.game import Action, Observation, Prediction
from bearleft.envs.reach import actions_along
from bearleft.errors import InputError, format_value
from bearleft.geometry import from_equirectangular, turn
from bearleft.heatmap import smooth
from bearleft.language import arramon_assembly
from bearleft.language.analysis.function_words import COLOURS
from bearleft.language.arramon_navigation.follow import follow_instruction
from bearleft.language.arramon_navigation.scene import open_scene
from bearleft.language.descriptions.locate import locate_target
from bearleft.language.descriptions.parse import parse_description
from bearleft.language.descriptions.semantics import Meaning, Scorer, Viewpoint
from bearleft.language.instructions.parse import parse_frames
from bearleft.language.instructions.semantics import follow_frames
from bearleft.language.referring.parse import follow_sentences
from bearleft.language.scene_index import SceneIndex, open_scene_index
from bearleft.records import Direction, Episode, Heatmap, Pose
from bearleft.types import DataFolder
from bearleft.world.arramon.moves import FLOOR, PLACE
from bearleft.world.arramon.room_search import room_actions
from bearleft.world.arramon.task_setup import CityItem, RoomItem
from bearleft.world.arramon.walkable_grids import load_walkable_grid
from bearleft.world.city.traffic_flow import drivable_links
from bearleft.world.graphs.shortest_paths import PathFinder
from bearleft.world.worlds import world_kind

WIDTH, HEIGHT = 64, 32  # of a heat map
COLOUR_WORD = re.compile(rf"\b(?:{'|'.join(sorted(COLOURS, key=len, reverse=True))})\b ?", re.IGNORECASE)


class Follower:
    """Follow texts by rules, in bearleft's own cities, rooms and sections, and in a city on streets without buildings.

    The follower reads the text or the sentences, its pose, and the objects of the world. It does not read the goal, the
    route, or how the text was generated.

    Args:
        city: Seed of the city on streets without buildings: touchdown or town/SEED.
        data: Folder of the datasets, for streets that are read from files.
    """

    label = "follower"

    def __init__(self, city: int | None = None, data: DataFolder = None) -> None:
        self.city, self.data = city, data

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Begin an episode.

        Raises:
            InputError: The world is not one of bearleft's own, or the seed of the city on its streets is missing.
        """
        self.world = episode.world
        kind = world_kind(self.world)
        if not kind.rendered and not (kind.buildable and self.city is not None):
            expected = "a world that the agent follower can play in: city/SEED, rooms/SEED or sections/SEED"
            hint = f"Name the city that is built on the streets of {self.world}: --city SEED" if kind.buildable else ""
            raise InputError(expected, format_value(self.world), hint=hint)
        self.sentences = [leg.sentences for leg in episode.legs]
        self.plans: dict[int, list[Action]] = {}

    def act(self, observation: Observation) -> Action:
        """Return the next action of the leg's plan, which is made at its first observation."""
        leg = observation["leg"]
        if leg not in self.plans:
            self.plans[leg] = self._plan(observation)
        if observation.get("refused"):
            return "next"  # looking again would lead to the same direction
        return self.plans[leg].pop(0)

    def _plan(self, observation: Observation) -> list[Action]:
        """Return all actions of a leg."""
        if observation["kind"] == "collect":
            city_items = [
                CityItem(item, (at[0], at[1], at[2]), facing) for item, at, facing in observation["city_items"]
            ]
            section_scene, ground = open_scene(self.world), load_walkable_grid(self.world)
            return list(
                follow_instruction(
                    observation["text"],
                    section_scene,
                    ground,
                    observation["position"],
                    observation["heading"],
                    city_items,
                )
            )
        if observation["kind"] == "assemble":
            return list(_assembly_actions(observation))
        city = None if world_kind(self.world).rendered else self.city
        scene = open_scene_index(self.world, city, None if self.data is None else os.fspath(self.data))
        graph, facing = scene.city.graph, Direction(observation["heading"], observation.get("pitch", 0.0))
        place = graph.place_index(observation["place"])
        if observation["kind"] == "reach":
            route = find_route(scene, observation["text"], place, facing.heading)
            return list(actions_along(graph, Pose(facing, observation["place"]), [graph.ids[k] for k in route]))
        if observation["kind"] == "point":
            meaning = parse_description(observation["text"])
            target = locate_target(meaning, scene, place, facing.heading)
            if target is None:
                return [facing]
            return [Prediction(target, _render_heatmap(meaning, scene, place, facing.heading, observation["yaw"]))]
        if observation["kind"] == "look":
            views = follow_sentences(self.sentences[observation["leg"]] or (observation["text"],), scene, place, facing)
            return [action for view in views for action in (view, "next")]
        raise unsupported_leg("follower", observation["kind"])


class ColourBlind(Follower):
    """A `Follower` that ignores colour words: what it gets wrong depends on colours."""

    label = "colour-blind"

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Begin an episode, with colour words removed from its sentences."""
        super().begin(episode, rng)
        self.sentences = [tuple(COLOUR_WORD.sub("", sentence) for sentence in leg) for leg in self.sentences]

    def act(self, observation: Observation) -> Action:
        """Return the next action, with colour words removed from the text."""
        return super().act(observation | {"text": COLOUR_WORD.sub("", observation["text"])})


def _assembly_actions(observation: Observation) -> list[str]:
    """Return the actions that place the item on the cell of the text, or else on any cell that can be reached."""
    room_items = [RoomItem(item, (cell[0], cell[1], cell[2])) for item, cell in observation["room_items"]]
    cell = arramon_assembly.find_cell(observation["text"], room_items, observation["carried"])
    floor_cells = [(column, FLOOR, row) for column, row in FLOOR_CELLS]
    plans = (room_actions(room_items, target) for target in ([] if cell is None else [cell]) + floor_cells)
    return next((plan for plan in plans if plan is not None), [PLACE])


def find_route(scene: SceneIndex, text: str, place: int, heading: float) -> list[int]:
    """Return the places of the walk that a text describes, from a place and heading on."""
    return follow_frames(parse_frames(text), scene, street_paths(scene), place, heading)


@lru_cache(maxsize=2)
def street_paths(scene: SceneIndex) -> PathFinder:
    """Return the path finder of a scene's streets; its allowed links are those in the direction of traffic."""
    return PathFinder.make(scene.city.graph, drivable_links(scene.plan, scene.city.graph))


def _render_heatmap(meaning: Meaning, scene: SceneIndex, place: int, heading: float, yaw: float) -> Heatmap:
    """Return a heat map of the objects that a description may refer to, weighted by how well each one fits."""
    assert meaning.spot is not None
    visible = scene.at(place)
    rows, scores = Scorer(Viewpoint(scene, visible, heading), meaning).scores(meaning.spot.ref_index)
    east, up = from_equirectangular(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5, WIDTH, HEIGHT, yaw)
    values = np.zeros((HEIGHT, WIDTH))
    for row, score in zip(rows.tolist(), scores - scores.max(initial=0.0), strict=True):
        centre, half_width = visible.left[row] + visible.width[row] / 2, max(visible.width[row], 360 / WIDTH) / 2
        level, half_height = (
            (visible.top[row] + visible.bottom[row]) / 2,
            max(visible.top[row] - visible.bottom[row], 180 / HEIGHT) / 2,
        )
        inside = (np.abs(up - level) <= half_height)[:, None] & (np.abs(turn(centre, east)) <= half_width)
        values[inside] = np.maximum(values[inside], np.exp(score))
    return Heatmap.from_array(smooth(values))

"""The rule-based follower: reads a text, looks at the true scene, and walks, points, picks and places by the two."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from bearleft.agents.agent import unsupported_leg
from bearleft.envs.arramon.assemble import ROOM_SPOTS
from bearleft.envs.game import Action, Guess, Observation
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
from bearleft.world.arramon.moves import FLOOR, PLACE
from bearleft.world.arramon.room_search import room_actions
from bearleft.world.arramon.task_setup import CityItem, RoomItem
from bearleft.world.arramon.walkable_grids import load_walkable_grid
from bearleft.world.city.traffic_flow import drivable_links
from bearleft.world.graphs.shortest_paths import PathFinder
from bearleft.world.worlds import world_kind

WIDTH, HEIGHT = 64, 32  # of a heat map
COLOUR = re.compile(rf"\b(?:{'|'.join(sorted(COLOURS, key=len, reverse=True))})\b ?", re.IGNORECASE)


class Follower:
    """Does what texts of bearleft's own cities, rooms and sections say.

    It gets the text or the sentences, where it stands and looks, and the world itself with what lies and stands there;
    nothing of the goal, of how the text was made, or of the route.
    """

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.world = episode.world
        kind = world_kind(self.world)
        if not (kind.rendered and kind.matches(self.world)):
            expected = "a world that the agent follower can play in: city/SEED, rooms/SEED or sections/SEED"
            raise InputError(expected, format_value(self.world))
        self.sentences = [leg.sentences for leg in episode.legs]
        self.plans: dict[int, list[Action]] = {}

    def act(self, observation: Observation) -> Action:
        leg = observation["leg"]
        if leg not in self.plans:
            self.plans[leg] = self._plan(observation)
        if observation.get("refused"):
            return "next"  # it has read the sentence as well as it can
        return self.plans[leg].pop(0)

    def _plan(self, seen: Observation) -> list[Action]:
        """All actions of a leg."""
        if seen["kind"] == "collect":
            lying = [CityItem(item, (at[0], at[1], at[2]), facing) for item, at, facing in seen["lying"]]
            section_scene, ground = open_scene(self.world), load_walkable_grid(self.world)
            return list(
                follow_instruction(seen["text"], section_scene, ground, seen["position"], seen["heading"], lying)
            )
        if seen["kind"] == "assemble":
            return list(_placing(seen))
        scene = open_scene_index(self.world)
        graph, facing = scene.city.graph, Direction(seen["heading"], seen.get("pitch", 0.0))
        place = graph.number(seen["place"])
        if seen["kind"] == "reach":
            walked = follow_frames(parse_frames(seen["text"]), scene, _ways(scene), place, facing.heading)
            return list(actions_along(graph, Pose(facing, seen["place"]), [graph.ids[k] for k in walked]))
        if seen["kind"] == "point":
            said = parse_description(seen["text"])
            found = locate_target(said, scene, place, facing.heading)
            if found is None:
                return [facing]
            return [Guess(found, _weighed(said, scene, place, facing.heading, seen["yaw"]))]
        if seen["kind"] == "look":
            views = follow_sentences(self.sentences[seen["leg"]] or (seen["text"],), scene, place, facing)
            return [action for view in views for action in (view, "next")]
        raise unsupported_leg("follower", seen["kind"])


class ColourBlind(Follower):
    """The same, but passes over every word for a colour: what it misses is what colours say."""

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        super().begin(episode, rng)
        self.sentences = [tuple(COLOUR.sub("", one) for one in told) for told in self.sentences]

    def act(self, observation: Observation) -> Action:
        return super().act(observation | {"text": COLOUR.sub("", observation["text"])})


def _placing(seen: Observation) -> list[str]:
    """The way to the cell that a text names, or to any that can be reached where it names none that can."""
    standing = [RoomItem(item, (cell[0], cell[1], cell[2])) for item, cell in seen["standing"]]
    cell = arramon_assembly.find_cell(seen["text"], standing, seen["carried"])
    some = [(column, FLOOR, row) for column, row in ROOM_SPOTS]
    ways = (room_actions(standing, one) for one in ([] if cell is None else [cell]) + some)
    return next((way for way in ways if way is not None), [PLACE])


@lru_cache(maxsize=2)
def _ways(scene: SceneIndex) -> PathFinder:
    return PathFinder.make(scene.city.graph, drivable_links(scene.plan, scene.city.graph))


def _weighed(said: Meaning, scene: SceneIndex, place: int, heading: float, yaw: float) -> Heatmap:
    """The things that a description may speak of, each as warm as it fits."""
    assert said.spot is not None
    sight = scene.at(place)
    rows, scores = Scorer(Viewpoint(scene, sight, heading), said).scores(said.spot.thing)
    east, up = from_equirectangular(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5, WIDTH, HEIGHT, yaw)
    warm = np.zeros((HEIGHT, WIDTH))
    for row, score in zip(rows.tolist(), scores - scores.max(initial=0.0), strict=True):
        middle, half = sight.left[row] + sight.width[row] / 2, max(sight.width[row], 360 / WIDTH) / 2
        level, reach = (
            (sight.top[row] + sight.bottom[row]) / 2,
            max(sight.top[row] - sight.bottom[row], 180 / HEIGHT) / 2,
        )
        inside = (np.abs(up - level) <= reach)[:, None] & (np.abs(turn(middle, east)) <= half)
        warm[inside] = np.maximum(warm[inside], np.exp(score))
    return Heatmap.from_array(smooth(warm))

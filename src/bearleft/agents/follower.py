"""The rule-based follower: reads a text, looks at the true scene, and walks or points by the two alone."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from bearleft.agents.agent import cannot
from bearleft.data.wording.around import Around, open_around
from bearleft.data.wording.looking.read import look as follow
from bearleft.data.wording.pointing.read import point
from bearleft.data.wording.walking.read import scan
from bearleft.data.wording.walking.walk import meaning
from bearleft.envs.game import Action, Observation
from bearleft.envs.reach import actions_along
from bearleft.errors import InputError, shown
from bearleft.records import Direction, Episode, Pose
from bearleft.world.city.flow import may_drive
from bearleft.world.routes import Ways


class Follower:
    """Does what texts of bearleft's own cities say.

    It gets the text or the sentences, where it stands and looks, and the city itself; nothing of the goal, of how the
    text was made, or of the route.
    """

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        if not re.fullmatch(r"city/\d+(/\d+x\d+)?|rooms/\d+(/\d+)?", episode.world):
            raise InputError("a world that the agent follower can play in: city/SEED", shown(episode.world))
        self.around = open_around(episode.world)
        self.sentences = [leg.sentences for leg in episode.legs]
        self.plans: dict[int, list[Action]] = {}

    def act(self, observation: Observation) -> Action:
        leg = observation["leg"]
        if leg not in self.plans:
            self.plans[leg] = self._plan(observation)
        return self.plans[leg].pop(0)

    def _plan(self, seen: Observation) -> list[Action]:
        """All actions of a leg."""
        graph, look = self.around.city.graph, Direction(seen["heading"], seen.get("pitch", 0.0))
        place = graph.number(seen["place"])
        if seen["kind"] == "reach":
            walked = meaning(scan(seen["text"]), self.around, _ways(self.around), place, look.heading)
            return list(actions_along(graph, Pose(look, seen["place"]), [graph.ids[k] for k in walked]))
        if seen["kind"] == "point":
            return [point(seen["text"], self.around, place, look.heading) or look]
        if seen["kind"] == "look":
            said = self.sentences[seen["leg"]] or (seen["text"],)
            views = follow(said, self.around, place, look)
            return [action for view in views for action in (view, "next")]
        raise cannot("follower", seen["kind"])


@lru_cache(maxsize=2)
def _ways(around: Around) -> Ways:
    return Ways.make(around.city.graph, may_drive(around.plan, around.city.graph))

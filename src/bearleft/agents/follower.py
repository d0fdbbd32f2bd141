"""The rule-based follower: reads a text, looks at the true scene, and walks or points by the two alone."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from bearleft.agents.agent import cannot
from bearleft.data.frame_words import COLOURS
from bearleft.data.wording.around import Around, open_around
from bearleft.data.wording.looking.read import look as follow
from bearleft.data.wording.pointing.locate import point
from bearleft.data.wording.pointing.meaning import Meaning, Scorer, Stand
from bearleft.data.wording.pointing.read import read
from bearleft.data.wording.walking.read import scan
from bearleft.data.wording.walking.walk import meaning
from bearleft.envs.game import Action, Guess, Observation
from bearleft.envs.reach import actions_along
from bearleft.errors import InputError, shown
from bearleft.geometry import from_equirectangular, turn
from bearleft.heat import smooth
from bearleft.records import Direction, Episode, Heat, Pose
from bearleft.world.city.flow import may_drive
from bearleft.world.routes import Ways

WIDTH, HEIGHT = 64, 32  # of a heat map
COLOUR = re.compile(rf"\b(?:{'|'.join(sorted(COLOURS, key=len, reverse=True))})\b ?", re.IGNORECASE)


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
            said = read(seen["text"])
            found = point(said, self.around, place, look.heading)
            return [
                look if found is None else Guess(found, _weighed(said, self.around, place, look.heading, seen["yaw"]))
            ]
        if seen["kind"] == "look":
            views = follow(self.sentences[seen["leg"]] or (seen["text"],), self.around, place, look)
            return [action for view in views for action in (view, "next")]
        raise cannot("follower", seen["kind"])


class ColourBlind(Follower):
    """The same, but passes over every word for a colour: what it misses is what colours say."""

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        super().begin(episode, rng)
        self.sentences = [tuple(COLOUR.sub("", one) for one in told) for told in self.sentences]

    def act(self, observation: Observation) -> Action:
        return super().act(observation | {"text": COLOUR.sub("", observation["text"])})


@lru_cache(maxsize=2)
def _ways(around: Around) -> Ways:
    return Ways.make(around.city.graph, may_drive(around.plan, around.city.graph))


def _weighed(said: Meaning, around: Around, place: int, heading: float, yaw: float) -> Heat:
    """The things that a description may speak of, each as warm as it fits."""
    assert said.spot is not None
    sight = around.at(place)
    rows, scores = Scorer(Stand(around, sight, heading), said).scores(said.spot.thing)
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
    return Heat.of(smooth(warm))

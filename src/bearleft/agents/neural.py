"""A trained network as an agent: it points where its map of cells is highest, and leaves the map in its trace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bearleft.agents.agent import cannot
from bearleft.agents.looker import Looking, is_looker
from bearleft.agents.trained import USUAL, WANTED, Path_, Seeing, opened
from bearleft.envs.game import Action, Guess, Observation
from bearleft.errors import InputError, shown
from bearleft.extras import needs_torch
from bearleft.models import BEST
from bearleft.models.examples import Examples, Panorama, examples
from bearleft.records import Episode, Point

if TYPE_CHECKING:  # torch is loaded when a checkpoint is
    from bearleft.models.features import Features

ENDING = ".pt"
HEAT = 128, 64  # columns and rows: a trace of 11 KB
ON_CPU, ON_GPU = 8, 64  # examples that are looked at together
Question = tuple[Panorama, str]


def is_checkpoint(spec: str) -> bool:
    """Whether an agent's name is the path of a checkpoint."""
    return not spec.startswith("pipe:") and spec.endswith(ENDING)


class Neural:
    """Plays legs that point, and those that look: there it reads all sentences, and looks once.

    Who knows what comes next says so by `prepare`: then episodes are answered in batches.
    """

    name = "neural"

    def __init__(self, file: Path_, seeing: Seeing = USUAL) -> None:
        from bearleft.models.checkpoint import load

        made = opened(file, load, seeing)
        self.pointer, self.trunk, self.device, self.label = made.held, made.trunk, made.device, made.label
        self.seeing = seeing
        self.together = ON_GPU if self.device.startswith("cuda") else ON_CPU
        self.coming: list[Question] = []
        self.answered: dict[Question, Guess] = {}
        self.features: Features | None = None

    def prepare(self, episodes: Sequence[Episode]) -> None:
        """What will be asked next, in this order."""
        asked = examples([one for one in episodes if any(isinstance(leg.goal, Point) for leg in one.legs)])
        pairs = zip(asked.pictures.tolist(), asked.texts, strict=True)
        self.coming = list(dict.fromkeys((asked.panoramas[k], text) for k, text in pairs))
        self.answered = {}
        self.features = self._features(asked.panoramas) if len(asked) else None

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.world = episode.world
        self.told: dict[int, str] = {}
        self.looked = False

    def act(self, observation: Observation) -> Action:
        if observation["kind"] not in ("point", "look"):
            raise cannot(self.name, observation["kind"])
        if observation["kind"] == "point":
            return self._answer(observation["place"], observation["yaw"], observation["text"])
        number = observation["sentence"]
        self.told[number] = observation["text"]
        if number + 1 < observation["sentences"] or self.looked:
            return "next"
        self.looked = True
        # Pictures that are looked around in have north in the middle.
        return self._answer(observation["place"], 0.0, " ".join(self.told.values()))

    def _answer(self, place: str | None, yaw: float, text: str) -> Guess:
        if place is None:
            raise InputError("a place to point from", "none")
        question = Panorama(self.world, place, yaw), text
        if question not in self.answered:
            self._predict(question)
        return self.answered[question]

    def _predict(self, question: Question) -> None:
        """Answers a question, and with it those that come next."""
        from bearleft.models.predict import predict

        if question in self.coming:
            first = self.coming.index(question)
            some = self.coming[first : first + self.together]
        else:  # nobody said that it would be asked
            some, self.features = [question], None
        panoramas = tuple(dict.fromkeys(panorama for panorama, _ in some))
        features = self.features or self._features(panoramas)
        asked = Examples(
            tuple(str(k) for k in range(len(some))),
            tuple(text for _, text in some),
            panoramas,
            np.array([panoramas.index(panorama) for panorama, _ in some], np.int64),
            np.zeros((len(some), 2)),  # where it is, nobody knows
        )
        found = predict(self.pointer, asked, features, self.together, heat=True, size=HEAT)
        for key, direction, heat in zip(some, asked.directions(found.answers), found.heats(), strict=True):
            assert heat is not None
            self.answered[key] = Guess(direction, heat)

    def _features(self, panoramas: Sequence[Panorama]) -> Features:
        from bearleft.models.features import features_for

        return features_for(
            panoramas, self.trunk, self.pointer.slicing, self.device, self.seeing.store,
            keep=False, pictures=self.seeing.pictures, city=self.seeing.city, data=self.seeing.data,
        )  # fmt: skip


def from_checkpoint(spec: str, seeing: Seeing = USUAL) -> Neural | Looking:
    """An agent from the path of a checkpoint."""
    if not Path(spec).is_file():
        hint = f"bearleft train NETWORK DATASET -o FOLDER writes FOLDER/{BEST}."
        raise InputError(WANTED, f"no file {shown(spec)}", file=spec, hint=hint)
    needs_torch()
    return Looking(spec, seeing) if is_looker(spec) else Neural(spec, seeing)

"""A trained network as an agent: it points where its map of cells is highest, and leaves the map in its trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bearleft.agents.agent import cannot
from bearleft.agents.checkpoints import USUAL, WANTED, Path_, Seeing, opened
from bearleft.agents.looking import Looking, is_looker
from bearleft.envs.game import Action, Guess, Observation
from bearleft.errors import InputError, shown
from bearleft.models import BEST
from bearleft.models.examples import Examples, Panorama, examples
from bearleft.records import Episode, Heat, Point
from bearleft.runtime.extras import needs_torch

if TYPE_CHECKING:  # torch is loaded when a checkpoint is
    from bearleft.models.features.sources import Features

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
        self.batch_size = ON_GPU if self.device.startswith("cuda") else ON_CPU
        self.answered: dict[Question, Guess] = {}
        self.coming: set[Question] = set()
        self.batches: Iterator[list[tuple[Question, Guess]]] = iter(())

    def prepare(self, episodes: Sequence[Episode]) -> None:
        """What will be asked next, in this order."""
        asked = examples([one for one in episodes if any(isinstance(leg.goal, Point) for leg in one.legs)])
        pairs = zip(asked.pictures.tolist(), asked.texts, strict=True)
        coming = list(dict.fromkeys((asked.panoramas[k], text) for k, text in pairs))
        self.coming, self.answered = set(coming), {}
        self.batches = self._predicted(coming) if coming else iter(())

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.world = episode.world
        self.told: dict[int, str] = {}
        self.looked = False
        self.tried: set[int] = set()

    def act(self, observation: Observation) -> Action:
        if observation["kind"] not in ("point", "look"):
            raise cannot(self.name, observation["kind"])
        if observation["kind"] == "point":
            return self._answer(observation["place"], observation["yaw"], observation["text"])
        number = observation["sentence"]
        self.told[number] = observation["text"]
        if observation.get("refused") and number not in self.tried:
            # Interactive: the next sentence comes only where this one leads.
            self.tried.add(number)
            return self._answer(observation["place"], 0.0, " ".join(self.told.values()))
        if number + 1 < observation["sentences"] or self.looked:
            return "next"
        self.looked = True
        # Pictures that are looked around in have north in the middle.
        return self._answer(observation["place"], 0.0, " ".join(self.told.values()))

    def _answer(self, place: str | None, yaw: float, text: str) -> Guess:
        if place is None:
            raise InputError("a place to point from", "none")
        question = Panorama(self.world, place, yaw), text
        while question not in self.answered:
            # What nobody said would be asked is answered alone.
            source = self.batches if question in self.coming else self._predicted([question])
            self.answered.update(next(source))
        return self.answered[question]

    def _predicted(self, questions: Sequence[Question]) -> Iterator[list[tuple[Question, Guess]]]:
        """Return an iterator over questions with their answers, batch after batch."""
        number = {panorama: k for k, panorama in enumerate(dict.fromkeys(panorama for panorama, _ in questions))}
        asked = Examples(
            tuple(str(k) for k in range(len(questions))),
            tuple(text for _, text in questions),
            tuple(number),
            np.array([number[panorama] for panorama, _ in questions], np.int64),
            np.zeros((len(questions), 2)),  # where it is, nobody knows
        )
        return self._answers(questions, asked, self._features(asked.panoramas))

    def _answers(
        self, questions: Sequence[Question], asked: Examples, features: Features
    ) -> Iterator[list[tuple[Question, Guess]]]:
        from bearleft.models.pointing.predict import predict_batches

        for which, answers, maps in predict_batches(self.pointer, asked, features, self.batch_size, True, HEAT):
            assert maps is not None
            towards = asked.some(which).directions(answers)
            yield [
                (questions[k], Guess(direction, Heat(*HEAT, heat.tobytes())))
                for k, direction, heat in zip(which, towards, maps, strict=True)
            ]

    def _features(self, panoramas: Sequence[Panorama]) -> Features:
        from bearleft.models.features.sources import features_for

        return features_for(
            panoramas,
            self.trunk,
            self.pointer.slicing,
            self.device,
            self.seeing.store,
            keep=False,
            pictures=self.seeing.pictures,
            city=self.seeing.city,
            data=self.seeing.data,
        )


def from_checkpoint(spec: str, seeing: Seeing = USUAL) -> Neural | Looking:
    """An agent from the path of a checkpoint."""
    if not Path(spec).is_file():
        hint = f"bearleft train NETWORK DATASET -o FOLDER writes FOLDER/{BEST}."
        raise InputError(WANTED, f"no file {shown(spec)}", file=spec, hint=hint)
    needs_torch()
    return Looking.open(spec, seeing) if is_looker(spec) else Neural(spec, seeing)

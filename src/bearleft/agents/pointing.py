"""The agent of a pointing network: points where its score map is highest, and records the map in its trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bearleft.agents.agent import unsupported_leg
from bearleft.agents.arramon import ArraMonAgent
from bearleft.agents.checkpoints import DEFAULT_OPTIONS, EXPECTED, CheckpointOptions, FilePath, load_checkpoint
from bearleft.agents.looking import LookAgent
from bearleft.agents.panoramic import PanoramicAgent
from bearleft.agents.walking import WalkAgent
from bearleft.envs.game import Action, Prediction
from bearleft.errors import InputError, format_value
from bearleft.models import BEST
from bearleft.models.examples import Examples, Panorama, build_examples
from bearleft.models.pretrained import checkpoint_file, is_pretrained
from bearleft.records import Episode, Heatmap, Leg, Point
from bearleft.runtime.extras import require_torch
from bearleft.types import Observation

if TYPE_CHECKING:  # torch is imported when a checkpoint is loaded
    from bearleft.models.features.base import Features

SUFFIX = ".pt"
HEATMAP_SIZE = 128, 64  # columns and rows: a trace of 11 KB
CPU_BATCH, GPU_BATCH = 8, 64
Question = tuple[Panorama, str]


def is_checkpoint(spec: str) -> bool:
    """Return whether an agent's name is that of a pretrained agent, or a checkpoint's path."""
    return is_pretrained(spec) or (not spec.startswith(("pipe:", "llm:")) and spec.endswith(SUFFIX))


def _has_known_place(leg: Leg) -> bool:
    """Return whether a leg is to point, and not from a place that is hidden."""
    return isinstance(leg.goal, Point) and not (leg.goal.hidden and leg.goal.place is None)


class PointAgent:
    """Play point legs; and look legs, by reading all sentences and then looking once.

    `prepare` announces the next episodes, so that they are predicted in batches.
    """

    name = "neural"

    def __init__(self, file: FilePath, options: CheckpointOptions = DEFAULT_OPTIONS) -> None:
        from bearleft.models.checkpoint import PointCheckpoint

        def load(file: FilePath, device: str) -> PointCheckpoint:
            return PointCheckpoint.load(file, device, options.network)

        loaded = load_checkpoint(file, load, options)
        self.checkpoint, self.backbone = loaded.checkpoint, loaded.backbone
        self.device, self.label = loaded.device, loaded.label
        self.options = options
        self.batch_size = GPU_BATCH if self.device.startswith("cuda") else CPU_BATCH
        self.answers: dict[Question, Prediction] = {}
        self.prepared: set[Question] = set()
        self.batches: Iterator[list[tuple[Question, Prediction]]] = iter(())

    def prepare(self, episodes: Sequence[Episode]) -> None:
        """Announce the next episodes, in the order in which they are played."""
        pointing = [episode for episode in episodes if any(map(_has_known_place, episode.legs))]
        examples = build_examples(pointing)
        pairs = zip(examples.panorama_indices.tolist(), examples.texts, strict=True)
        questions = list(dict.fromkeys((examples.panoramas[k], text) for k, text in pairs))
        self.prepared, self.answers = set(questions), {}
        self.batches = self._predict(questions) if questions else iter(())

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Begin an episode."""
        self.world = episode.world
        self.sentences: dict[int, str] = {}
        self.has_looked = False
        self.tried: set[int] = set()

    def act(self, observation: Observation) -> Action:
        """Return the predicted direction with its heat map, or "next" in a look leg."""
        if observation["kind"] not in ("point", "look"):
            raise unsupported_leg(self.name, observation["kind"])
        if observation["kind"] == "point":
            return self._answer(observation["place"], observation["yaw"], observation["text"])
        number = observation["sentence"]
        self.sentences[number] = observation["text"]
        if observation.get("refused") and number not in self.tried:
            # In interactive play the next sentence is given only if this one's direction was found.
            self.tried.add(number)
            return self._answer(observation["place"], 0.0, " ".join(self.sentences.values()))
        if number + 1 < observation["sentences"] or self.has_looked:
            return "next"
        self.has_looked = True
        # Panoramas of look legs have north in the middle.
        return self._answer(observation["place"], 0.0, " ".join(self.sentences.values()))

    def answer_all(self, worlds: Sequence[str], observations: Sequence[Observation]) -> list[Prediction]:
        """Return the predictions of point legs in several episodes at once."""
        questions = []
        for world, observation in zip(worlds, observations, strict=True):
            if observation["kind"] != "point":
                raise unsupported_leg(self.name, observation["kind"])
            questions.append((Panorama(world, observation["place"], observation["yaw"]), observation["text"]))
        new = [question for question in dict.fromkeys(questions) if question not in self.answers]
        for batch in self._predict(new) if new else ():
            self.answers.update(batch)
        return [self.answers[question] for question in questions]

    def _answer(self, place: str | None, yaw: float, text: str) -> Prediction:
        if place is None:
            raise InputError("a place to point from", "none")
        question = Panorama(self.world, place, yaw), text
        while question not in self.answers:
            # A question that was not announced is predicted by itself.
            batches = self.batches if question in self.prepared else self._predict([question])
            self.answers.update(next(batches))
        return self.answers[question]

    def _predict(self, questions: Sequence[Question]) -> Iterator[list[tuple[Question, Prediction]]]:
        """Return an iterator over questions with their answers, batch after batch."""
        index = {panorama: k for k, panorama in enumerate(dict.fromkeys(panorama for panorama, _ in questions))}
        examples = Examples(
            tuple(str(k) for k in range(len(questions))),
            tuple(text for _, text in questions),
            tuple(index),
            np.array([index[panorama] for panorama, _ in questions], np.int64),
            np.zeros((len(questions), 2)),  # targets are unknown
        )
        return self._predict_batches(questions, examples, self._features(examples.panoramas))

    def _predict_batches(
        self, questions: Sequence[Question], examples: Examples, features: Features
    ) -> Iterator[list[tuple[Question, Prediction]]]:
        from bearleft.models.pointing.predict import predict_batches

        batches = predict_batches(self.checkpoint, examples, features, self.batch_size, True, HEATMAP_SIZE)
        for indices, answers, heatmaps in batches:
            assert heatmaps is not None
            directions = examples.subset(indices).to_directions(answers)
            yield [
                (questions[k], Prediction(direction, Heatmap(*HEATMAP_SIZE, heatmap.tobytes())))
                for k, direction, heatmap in zip(indices, directions, heatmaps, strict=True)
            ]

    def _features(self, panoramas: Sequence[Panorama]) -> Features:
        from bearleft.models.features.sources import features_for

        return features_for(
            panoramas,
            self.backbone,
            self.checkpoint.slicing,
            self.device,
            self.options.features,
            cache=False,
            pictures=self.options.picture_config,
        )


def from_checkpoint(
    spec: str, options: CheckpointOptions = DEFAULT_OPTIONS
) -> PointAgent | LookAgent | WalkAgent | PanoramicAgent | ArraMonAgent:
    """Load the agent of a pointing, look, walking, panoramic or ArraMon network.

    Args:
        spec: Path of the checkpoint, or the name of a pretrained agent.
        options: Device, and where features and pictures come from.

    Raises:
        InputError: The file is missing or damaged, or torch is not installed.
    """
    file = checkpoint_file(spec)
    if not file.is_file():
        hint = f"bearleft train NETWORK DATASET -o FOLDER writes FOLDER/{BEST}."
        raise InputError(EXPECTED, f"no file {format_value(spec)}", file=spec, hint=hint)
    require_torch()
    from bearleft.models.checkpoint import ARRAMON, LOOK, PANORAMIC, WALK, checkpoint_kind

    kind = checkpoint_kind(file)
    if kind == WALK:
        return WalkAgent.from_checkpoint(file, options)
    if kind == ARRAMON:
        return ArraMonAgent.from_checkpoint(file, options)
    if kind == PANORAMIC:
        return PanoramicAgent.from_checkpoint(file, options)
    return LookAgent.from_checkpoint(file, options) if kind == LOOK else PointAgent(file, options)

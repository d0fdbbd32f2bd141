"""Training of Refer360's models (sections 5.4 and 6): `train_models`, or `bearleft paper refer360 --train DIR`.

Static networks see the whole panorama; the dynamic agent turns its view. Both are evaluated with all sentences and with
the last ones only. A call ends after a number of minutes; the next call resumes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any

from bearleft.data import load
from bearleft.envs.game import Action
from bearleft.envs.legs import episode_generators, make_game
from bearleft.experiments.refer360.ablation import SENTENCE_COUNTS
from bearleft.experiments.refer360.results import (
    ALL_SENTENCES,
    CONTINUOUS,
    DISCRETE,
    SPLITS,
    STATIC,
    keep_last_sentences,
    predictions_of,
    texts_label,
    write_results,
)
from bearleft.experiments.systems.saved_results import Folder
from bearleft.experiments.touchdown.predictions import SavedPredictions, save_predictions
from bearleft.models.backbones.registry import load_backbone
from bearleft.models.examples import build_examples, coverage
from bearleft.models.features.sources import Features, features_for
from bearleft.models.looking.examples import place_of
from bearleft.models.looking.player import LookCheckpoint
from bearleft.models.looking.views import Views
from bearleft.models.pointing.levels import REGION, check_level
from bearleft.models.pointing.predict import predict
from bearleft.models.pointing.registry import network_spec
from bearleft.records import Direction, Episode, Trace, to_json_line
from bearleft.runtime.store import write_text
from bearleft.training.history import TrainProgress
from bearleft.training.looking import LookTrainConfig, play_episodes
from bearleft.training.looking import train as train_look
from bearleft.training.pointing.train import TrainConfig, train
from bearleft.types import DataFolder
from bearleft.version import VERSION
from bearleft.world.pictures import PictureConfig
from bearleft.world.slices import TALL, Slicing

DYNAMIC_AGENT = "looker"

Log = Callable[[str], None]


@dataclass(frozen=True)
class Refer360Config:
    """Models to train, and the data to train and evaluate them on."""

    family: str = "city/refer360"  # or refer360, for real files
    train_split: str = "train"
    splits: tuple[str, ...] = SPLITS
    networks: tuple[str, ...] = ("lingunet", "bearing")
    seed: int = 0
    epochs: int = 6  # of static networks
    batch_size: int = 10  # of static networks
    train_size: int | None = None  # training episodes; None: all
    eval_size: int | None = None  # episodes of each split that are evaluated; None: all
    train_shortened: bool = False  # train networks on shortened texts, too
    slicing: Slicing = TALL
    look: LookTrainConfig = field(default_factory=LookTrainConfig)  # of the dynamic agent
    compile: bool = False
    overrides: dict[str, Any] = field(default_factory=dict)  # of the networks' configs
    learning_rates: dict[str, float] = field(default_factory=dict)  # by network; others use their default
    levels: tuple[str, ...] = (REGION,)  # of training targets; every network is trained once for each

    def __post_init__(self) -> None:
        for name in (*self.networks, *self.learning_rates):
            network_spec(name)  # raises for an unknown network

    @property
    def datasets(self) -> list[str]:
        """Return the names of the evaluated datasets."""
        return [f"{self.family}/{split}" for split in self.splits]


def train_models(
    folder: Folder,
    config: Refer360Config | None = None,
    *,
    data: DataFolder = None,
    backbone: str = "city",
    device: str = "cuda",
    minutes: float = 8.0,
    pictures: Sequence[Folder] = (),
    log: Log = print,
) -> tuple[dict[str, Any], list[str]]:
    """Train the dynamic agent and static networks, save their predictions and traces, and score them.

    Args:
        folder: Where runs, traces and predictions go; the same call resumes.
        config: Models, splits and settings.
        data: Data folder of the datasets.
        backbone: "city", or a file of weights.
        device: "cuda" or "cpu".
        minutes: Time after which the call ends.
        pictures: Folders of panoramas, for real places.
        log: Called with each line of progress.

    Returns:
        The results, as written to FOLDER/refer360.json, and the names of the unfinished models.
    """
    started = time.monotonic()
    config = config or Refer360Config()
    trainer = Refer360Trainer(Path(folder), config, backbone, device, data, pictures, log)
    for name in config.datasets:
        trainer.episodes(name)  # raises for a missing split before anything is trained
    unfinished = trainer.train_all(minutes - (time.monotonic() - started) / 60.0)
    return write_results(
        Path(folder), {name: trainer.episodes(name) for name in config.datasets}, config.slicing
    ), unfinished


class Refer360Trainer:
    """Episodes, their features, and a folder that fills with predictions and traces."""

    def __init__(
        self,
        folder: Path,
        config: Refer360Config,
        backbone: str = "city",
        device: str = "cuda",
        data: DataFolder = None,
        pictures: Sequence[str | os.PathLike[str]] = (),
        log: Log = print,
    ) -> None:
        self.folder, self.config, self.device, self.data, self.pictures = folder, config, device, data, pictures
        self.log = log
        self.backbone = load_backbone(backbone, device)
        self.training = list(load(f"{config.family}/{config.train_split}", data))[: config.train_size]
        for level in config.levels:
            check_level(level, (episode.world for episode in self.training))
        self._episodes: dict[str, list[Episode]] = {}

    def episodes(self, name: str) -> list[Episode]:
        """Return the evaluated episodes of a dataset."""
        if name not in self._episodes:
            self._episodes[name] = list(load(name, self.data))[: self.config.eval_size]
        return self._episodes[name]

    def train_all(self, minutes: float) -> list[str]:
        """Train and evaluate all models until the time is over; return the names of those that are unfinished."""
        end = time.monotonic() + 60.0 * minutes
        models: dict[str, Callable[[float], bool]] = {DYNAMIC_AGENT: self.train_dynamic_agent}
        texts = SENTENCE_COUNTS if self.config.train_shortened else (ALL_SENTENCES,)
        for level, network, training_texts in product(self.config.levels, self.config.networks, texts):
            suffix = "" if training_texts == ALL_SENTENCES else f", {training_texts}"
            name = system_name(network, level) + suffix
            models[name] = partial(self.train_network, network, training_texts, level)
        unfinished = list(models)
        while unfinished and (remaining := (end - time.monotonic()) / 60.0) > 0 and models[unfinished[0]](remaining):
            unfinished.pop(0)
        return unfinished

    def train_dynamic_agent(self, minutes: float) -> bool:
        """Train the dynamic agent and evaluate it with continuous and discrete turns; return whether it is done."""
        look_config = replace(self.config.look, seed=self.config.seed)
        variants = [(CONTINUOUS, texts) for texts in SENTENCE_COUNTS] + [(DISCRETE, ALL_SENTENCES)]
        evaluations = [(name, *variant) for name in self.config.datasets for variant in variants]
        if all(self._file(name, DYNAMIC_AGENT, setting, texts).exists() for name, setting, texts in evaluations):
            return True
        started = time.monotonic()
        views = Views(
            map(place_of, self.training),
            self.backbone,
            look_config.network_config(1, self.backbone.channels),
            self.device,
            pictures=PictureConfig(self.pictures, data=self.data),
        )
        trained = train_look(
            look_config,
            self.training,
            self.backbone,
            self.folder / f"{DYNAMIC_AGENT}-{self.config.seed}",
            self.device,
            minutes,
            self._report,
            views,
        )
        if not trained.finished:
            return False
        for name, setting, texts in evaluations:
            if self._file(name, DYNAMIC_AGENT, setting, texts).exists():
                continue
            if time.monotonic() - started > 60.0 * minutes:
                return False
            self._play(replace(trained.checkpoint, turn_mode=setting), name, texts, views)
        return True

    def _play(self, checkpoint: LookCheckpoint, name: str, texts: str, views: Views) -> None:
        started, episodes = time.monotonic(), keep_last_sentences(self.episodes(name), SENTENCE_COUNTS[texts])
        traces = play_episodes(checkpoint, episodes, views, self.config.seed, heatmaps=texts == ALL_SENTENCES)
        metadata = {"way": checkpoint.turn_mode, "part": texts, "learnt": ALL_SENTENCES}
        self._save(traces, predictions_of(traces, episodes, DYNAMIC_AGENT, self.config.seed, **metadata))
        self.log(f"{DYNAMIC_AGENT}, {checkpoint.turn_mode}, {texts}, {name}: {time.monotonic() - started:.1f} s")

    def train_network(self, network: str, training_texts: str, level: str, minutes: float) -> bool:
        """Train a static network on some of the sentences and evaluate it; return whether it is done.

        A network that is trained on all sentences is evaluated with the last ones, too.
        """
        system = system_name(network, level)
        eval_texts = list(SENTENCE_COUNTS) if training_texts == ALL_SENTENCES else [training_texts]
        evaluations = [(dataset, texts) for dataset in self.config.datasets for texts in eval_texts]
        if all(self._file(dataset, system, STATIC, texts, training_texts).exists() for dataset, texts in evaluations):
            return True
        config, count = self.config, SENTENCE_COUNTS[training_texts]
        train_config = TrainConfig(
            network,
            config.seed,
            config.epochs,
            batch_size=config.batch_size,
            learning_rate=config.learning_rates.get(network),
            compile=config.compile,
            overrides=config.overrides,
            level=level,
        )
        folder = self.folder / f"{system}{'' if training_texts == ALL_SENTENCES else f'-last{count}'}-{config.seed}"
        training = build_examples(keep_last_sentences(self.training, count))
        started = time.monotonic()
        features = self.features
        remaining = minutes - (time.monotonic() - started) / 60.0
        trained = train(train_config, training, features, folder, self.device, remaining, self._report, self.backbone)
        if not trained.finished:
            return False
        for dataset, texts in evaluations:
            episodes = keep_last_sentences(self.episodes(dataset), SENTENCE_COUNTS[texts])
            predicted = predict(trained.checkpoint, inputs := build_examples(episodes), features)
            directions = inputs.to_directions(predicted.answers)
            traces = traces_of_answers(episodes, directions, f"{system}-static", config.seed)
            metadata = {
                "way": STATIC,
                "part": texts,
                "learnt": training_texts,
                "epochs": len(trained.history),
                "level": level,
            }
            self._save(traces, predictions_of(traces, episodes, system, config.seed, **metadata))
        return True

    @cached_property
    def features(self) -> Features:
        """Return the features of all panoramas, computed once per call."""
        started, config = time.monotonic(), self.config
        parts = [(f"{config.family}/{config.train_split}", build_examples(self.training))]
        parts += [(name, build_examples(self.episodes(name))) for name in config.datasets]
        for name, inputs in parts:
            self.log(coverage(inputs, config.slicing, name))
        features = features_for(
            [inputs for _, inputs in parts],
            self.backbone,
            config.slicing,
            self.device,
            pictures=PictureConfig(self.pictures, data=self.data),
        )
        self.log(f"{len(features.panoramas):,} panoramas: {time.monotonic() - started:.0f} s")
        return features

    def _report(self, progress: TrainProgress) -> None:
        if progress.message:
            self.log(progress.message)

    def _file(self, dataset: str, system: str, setting: str, texts: str, training_texts: str = ALL_SENTENCES) -> Path:
        """Return the file of a system's predictions."""
        label = texts_label(setting, texts, training_texts)
        parts = system, dataset.replace("/", "-"), str(self.config.seed), label
        return self.folder / "answers" / f"{'_'.join(parts)}.npz"

    def _save(self, traces: Sequence[Trace], predictions: SavedPredictions) -> None:
        """Write traces, then predictions, whose file marks the evaluation as done."""
        path = self.folder / "traces" / f"{Path(predictions.file_name).stem}.jsonl"
        write_text(path, "".join(to_json_line(trace) + "\n" for trace in traces))
        save_predictions(self.folder / "answers", predictions)


def system_name(network: str, level: str) -> str:
    """Return the name of a network in tables; its level is left out where it is the usual one, a region."""
    return network if level == REGION else f"{network}-{level}"


def traces_of_answers(
    episodes: Sequence[Episode], answers: Sequence[Direction], agent: str, seed: int = 0
) -> list[Trace]:
    """Return answers as traces of a player that reads to the last sentence, looks at the answer, and ends."""
    traces = []
    for episode, answer in zip(episodes, answers, strict=True):
        leg = episode.legs[-1]
        game = make_game(leg, episode.start, episode, episode_generators(seed, episode.id)[0])
        actions: list[Action] = [answer]
        if leg.sentences:
            actions = [*["next"] * (len(leg.sentences) - 1), answer, "next"]
        for action in actions:
            game.step(action)
        traces.append(Trace(episode.id, episode.dataset, agent, (game.trace(),), seed, "", VERSION))
    return traces

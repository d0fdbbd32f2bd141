"""Training of the systems of Touchdown's Table 4 on a city: `train_systems`, or `bearleft paper touchdown --train DIR`.

Systems are trained one after another, and their predictions are saved. Minimal pairs at training places are trained on,
by all systems; those at other places are predicted. A call ends after a number of minutes; the next call resumes.
Features of panoramas are computed once per call and stay on the device. `experiments.touchdown.results` makes tables of
the predictions; docs/point.md has the commands that generate the data.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bearleft.data import load
from bearleft.errors import InputError
from bearleft.experiments.systems.saved_results import OWN_TEXTS, SHUFFLED_TEXTS, Folder
from bearleft.experiments.touchdown.predictions import SavedPredictions, save_predictions
from bearleft.models.backbones.registry import Backbone, load_backbone
from bearleft.models.examples import Examples, build_examples, concatenate
from bearleft.models.features.base import panoramas_of
from bearleft.models.features.sources import Features, features_for
from bearleft.models.pointing.predict import predict
from bearleft.models.pointing.registry import network_spec
from bearleft.runtime.store import write_text
from bearleft.training.history import ACCURACY, TrainProgress
from bearleft.training.pointing.batches import shuffle_texts
from bearleft.training.pointing.train import TrainConfig, TrainResult, train
from bearleft.types import DataFolder
from bearleft.world.slices import PAPER, Slicing

TRAIN = "city/sdr/train"
SPLITS = ("city/sdr/dev", "city/sdr/test", "city/sdr/dev_unseen", "city/sdr/test_unseen")
PAIRS = tuple(f"city/pairs/{kind}" for kind in ("left-right", "first-second", "colour", "above-below", "count"))
DONE_FILE = "done"
SHUFFLED_SPLITS = ("city/sdr/dev_unseen", "city/sdr/small")  # predicted with shuffled texts, too
LINGUNET_RATES = (0.0002, 0.0004, 0.0008)  # the paper's is 0.0005

Log = Callable[[str], None]


@dataclass(frozen=True)
class SystemRun:
    """One system, trained with one seed.

    With several `learning_rates`, each is tried for a few epochs, and the one with the best validation accuracy is
    trained to the end; further seeds use it too.
    """

    system: str
    network: str
    seed: int = 0
    learning_rate: float | None = None
    overrides: dict[str, Any] = field(default_factory=dict)  # of the network's config
    learning_rates: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """Return the name of the run's folder."""
        rate = "" if self.learning_rate is None else f"-rate{self.learning_rate:g}"
        return f"{self.system.lower()}{rate}-{self.seed}"


@dataclass(frozen=True)
class Table4Config:
    """Settings that all runs share."""

    epochs: int = 5
    epoch_size: int | None = None  # examples of an epoch; None: all
    batch_size: int = 10
    train_size: int | None = None  # training examples; None: all
    eval_size: int = 2000  # examples of each split that are predicted; of each kind of pairs, half as many
    splits: tuple[str, ...] = SPLITS
    pairs: tuple[str, ...] = PAIRS  # trained on at training places, predicted at others
    trial_epochs: int = 2  # epochs after which the best of several learning rates is chosen


def system_runs(seeds: Sequence[int] = (0, 1, 2)) -> list[SystemRun]:
    """Return a run of every learning system, then further seeds of the two that matter most."""
    first = [
        SystemRun("BEARING", "bearing"),
        SystemRun("LINGUNET", "lingunet", learning_rates=LINGUNET_RATES),
        SystemRun("UNET", "unet"),
        SystemRun("CONCAT", "concat"),
        SystemRun("CONCATCONV", "concatconv"),
        SystemRun("TEXT2CONV", "text2conv"),
    ]
    return first + [replace(run, seed=seed) for seed in seeds[1:] for run in first[:2]]


def train_systems(
    folder: Folder,
    config: Table4Config | None = None,
    *,
    data: DataFolder = None,
    backbone: str = "city",
    device: str = "cuda",
    minutes: float = 8.0,
    only: Sequence[str] = (),
    log: Log = print,
) -> list[str]:
    """Train the systems of Table 4 on a city and save their predictions in FOLDER/answers.

    Args:
        folder: Where runs and predictions go; the same call resumes.
        config: Settings that all runs share.
        data: Data folder of city/sdr and city/pairs.
        backbone: "city", or a file of weights.
        device: "cuda" or "cpu".
        minutes: Time after which the call ends.
        only: Names of runs, such as "lingunet-0"; all where empty.
        log: Called with each line of progress.

    Returns:
        The names of the runs that are left to do.

    Raises:
        InputError: If `only` names a run that does not exist.
    """
    begin = time.monotonic()
    runs = system_runs()
    if only:
        by_name = {run.name: run for run in runs}
        if unknown := [name for name in only if name not in by_name]:
            raise InputError(f"rows: {', '.join(by_name)}", unknown[0], "only")
        runs = [by_name[name] for name in only]
    trainer = Table4Trainer(
        Path(folder), config or Table4Config(), load_backbone(backbone, device), device, data=data, log=log
    )
    return [run.name for run in trainer.train_all(runs, minutes - (time.monotonic() - begin) / 60.0)]


class Table4Trainer:
    """Examples and features on a device, and a folder that fills with runs and predictions."""

    def __init__(
        self,
        folder: Path,
        config: Table4Config,
        backbone: Backbone,
        device: str,
        slicing: Slicing = PAPER,
        data: DataFolder = None,
        log: Log = print,
    ) -> None:
        self.folder, self.config, self.backbone, self.device, self.log = folder, config, backbone, device, log
        described = build_examples(load(TRAIN, data)[: config.train_size])
        self.evaluation = {name: _first(build_examples(load(name, data)), config.eval_size) for name in config.splits}
        training = [described]
        for name in config.pairs:
            seen, unseen = split_by_place(build_examples(load(name, data)), described)
            training.append(seen)
            self.evaluation[name] = _first(unseen, config.eval_size // 2)
        self.training = concatenate(training)
        self.features = self._compute_features([self.training, *self.evaluation.values()], slicing)

    def _compute_features(self, parts: Iterable[Examples], slicing: Slicing) -> Features:
        begin = time.monotonic()
        features = features_for(list(parts), self.backbone, slicing, self.device, cache=True)
        if self.device == "cuda":
            torch.cuda.synchronize()
        seconds, count = time.monotonic() - begin, len(features.panoramas)
        self.log(f"{count:,} panoramas, {count / seconds:.0f}/s, {seconds:.0f} s")
        return features

    def train_all(self, runs: Iterable[SystemRun], minutes: float) -> list[SystemRun]:
        """Train runs until the time is over; return those that are unfinished."""
        end = time.monotonic() + 60.0 * minutes
        unfinished = list(runs)
        while unfinished and time.monotonic() < end:
            if not self.train(unfinished[0], (end - time.monotonic()) / 60.0):
                break
            unfinished.pop(0)
        return unfinished

    def train(self, run: SystemRun, minutes: float) -> bool:
        """Train a run and save its predictions; return False where the time ended before."""
        begin = time.monotonic()
        if self.is_done(run):
            return True
        end = begin + 60.0 * minutes
        best = self._with_best_rate(run, end)
        trained = None if best is None else self._train_epochs(best, self.config.epochs, end)
        if best is None or trained is None:
            return False
        self._save_predictions(best, trained)
        (self.folder / run.name).mkdir(exist_ok=True)
        (self.folder / run.name / DONE_FILE).touch()
        self.log(f"{run.name} finished, {time.monotonic() - begin:.0f} s")
        return True

    def is_done(self, run: SystemRun) -> bool:
        """Return whether a run is trained and its predictions are saved."""
        return (self.folder / run.name / DONE_FILE).exists()

    def _with_best_rate(self, run: SystemRun, end: float) -> SystemRun | None:
        """Return the run with its learning rate chosen; None where the time ended before."""
        if not run.learning_rates:
            return run
        rate_file = self.folder / f"{run.system.lower()}-rate.txt"
        if rate_file.exists():
            return replace(run, learning_rate=float(rate_file.read_text()), learning_rates=())
        accuracies: dict[float, float] = {}
        # A learning rate that decays to 0 can be judged only at its end.
        config = self.config
        epochs = config.epochs if network_spec(run.network).cosine_decay else min(config.trial_epochs, config.epochs)
        for rate in run.learning_rates:
            trained = self._train_epochs(replace(run, learning_rate=rate, learning_rates=()), epochs, end)
            if trained is None:
                return None
            accuracies[rate] = trained.checkpoint.training_info.get(ACCURACY, 0.0)
        best = max(accuracies, key=lambda rate: accuracies[rate])
        write_text(rate_file, f"{best}\n")
        return replace(run, learning_rate=best, learning_rates=())

    def _train_epochs(self, run: SystemRun, epochs: int, end: float) -> TrainResult | None:
        """Train a run up to a number of epochs, resuming; return None where the time ended before."""
        config, minutes = self.config, (end - time.monotonic()) / 60.0
        train_config = TrainConfig(
            run.network,
            run.seed,
            epochs,
            config.epoch_size,
            batch_size=config.batch_size,
            learning_rate=run.learning_rate,
            overrides=run.overrides,
        )
        folder = self.folder / run.name
        trained = train(
            train_config, self.training, self.features, folder, self.device, minutes, self._report, self.backbone
        )
        return trained if trained.finished else None

    def _report(self, progress: TrainProgress) -> None:
        if progress.message:
            self.log(progress.message)

    def _save_predictions(self, run: SystemRun, trained: TrainResult) -> None:
        """Predict every evaluation split, and some with shuffled texts."""
        metadata = {
            "network": run.network,
            "rate": run.learning_rate or "",
            "epochs": len(trained.history),
            "batch": self.config.batch_size,
            "examples": len(self.training),
            "seconds": round(sum(float(epoch["seconds"]) for epoch in trained.history), 1),
            "trunk": self.backbone.hash,
            "updates": trained.history[-1]["update"],
        }
        for name, split in self.evaluation.items():
            for texts, inputs in ((OWN_TEXTS, split), (SHUFFLED_TEXTS, shuffle_texts(split, 0))):
                if texts == SHUFFLED_TEXTS and name not in SHUFFLED_SPLITS:
                    continue
                predicted = predict(trained.checkpoint, inputs, self.features)
                predictions = SavedPredictions(
                    run.system, name, run.seed, inputs.ids, predicted.answers, predicted.seconds, texts, metadata
                )
                save_predictions(self.folder / "answers", predictions)


def split_by_place(inputs: Examples, training: Examples) -> tuple[Examples, Examples]:
    """Return the examples at places that training panoramas show, and those at other places."""
    places = {(panorama.world, panorama.place) for panorama in panoramas_of(training)}
    seen = np.array([(panorama.world, panorama.place) in places for panorama in inputs.panoramas], bool)[
        inputs.panorama_indices
    ]
    return inputs.subset(np.flatnonzero(seen)), inputs.subset(np.flatnonzero(~seen))


def _first(inputs: Examples, count: int) -> Examples:
    return inputs.subset(np.arange(min(count, len(inputs))))

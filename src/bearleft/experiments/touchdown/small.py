"""Table 4's question at a size for two CPU cores: does a network that reads point better than one that cannot?

`small_experiment`, or `bearleft paper touchdown --small DIR`. Texts are minimal pairs of a small city ("the left one",
"the right one"), so that the picture alone never tells which of two things is meant. Networks are those of
`experiments.touchdown.train`, only narrower, on small slices; they are evaluated at places that no training picture
shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from bearleft.experiments.rows import Row
from bearleft.experiments.systems.saved_results import OWN_TEXTS, SHUFFLED_TEXTS, Folder
from bearleft.experiments.touchdown.predictions import SavedPredictions
from bearleft.experiments.touchdown.results import MAIN_METRIC, ResultTable
from bearleft.experiments.touchdown.scoring import SplitScorer
from bearleft.experiments.touchdown.train import SystemRun
from bearleft.generate.minimal_pairs import pair_episodes
from bearleft.language.scene_index import open_scene_index
from bearleft.models.backbones.registry import load_backbone
from bearleft.models.examples import build_examples, point_leg
from bearleft.models.features.sources import features_for
from bearleft.models.features.write import write_store
from bearleft.models.pointing.predict import predict
from bearleft.records import Episode
from bearleft.training.pointing.batches import shuffle_texts
from bearleft.training.pointing.train import TrainConfig, train
from bearleft.world.slices import Slicing

KIND = "left-right"
UNSEEN_SHARE = 0.3  # share of places that are evaluated only
# 8 x 64 cells, which see 24 degrees up and down: few targets lie higher.
SLICING = Slicing(58, 64)
SIGMA = 1.0  # cells, which are large here
OURS = SystemRun(
    "BEARING", "bearing", learning_rate=0.003, overrides={"width": 64, "layers": 1, "heads": 2, "cell_width": 16}
)
TEXT_BLIND = SystemRun("UNET", "unet", overrides={"width": 16})
EPOCHS = {OURS.system: 4, TEXT_BLIND.system: 2}


@dataclass(frozen=True)
class SmallConfig:
    """Settings of the small experiment."""

    seed: int = 0  # of the first training; the others have the next ones
    trainings: int = 3  # of each network; one alone depends much on its seed
    world: str = "city/3/4x5"
    pairs: int = 750  # nearly as many as this city has


@dataclass(frozen=True, eq=False)
class SmallResult:
    """Both networks at unseen places, and ours with shuffled texts."""

    table: ResultTable
    training_examples: int

    def rows(self) -> list[Row]:
        """Return a row for each system: accuracies, and how much better ours is, with its interval."""
        ours = self.table.estimate(OURS.system, MAIN_METRIC)
        rows = []
        for system, texts in self.table.metrics:
            estimate = self.table.estimate(system, MAIN_METRIC, texts)
            low, high = (ours - estimate).interval
            rows.append(
                {
                    "system": system,
                    "texts": texts,
                    "examples": len(self.table.scorer),
                    MAIN_METRIC: round(estimate.value, 2),
                    "A@120px": round(self.table.estimate(system, "A@120px", texts).value, 2),
                    "ours better by": round(ours.value - estimate.value, 2),
                    "from": round(low, 2),
                    "to": round(high, 2),
                }
            )
        return rows


def split_places(episodes: Sequence[Episode], seed: int = 0) -> tuple[list[Episode], list[Episode]]:
    """Return training and evaluation episodes that share no place."""
    place_of = np.array([point_leg(episode)[1].place for episode in episodes])
    places = np.unique(place_of)
    unseen = np.random.default_rng([seed, 17]).permutation(places)[: round(UNSEEN_SHARE * len(places))]
    held_out = np.isin(place_of, unseen)
    return (
        [episode for episode, is_held_out in zip(episodes, held_out, strict=True) if not is_held_out],
        [episode for episode, is_held_out in zip(episodes, held_out, strict=True) if is_held_out],
    )


def small_experiment(folder: Folder, config: SmallConfig | None = None) -> SmallResult:
    """Generate texts, pictures and features, train both networks in a folder, and evaluate them."""
    config = config or SmallConfig()
    seen, unseen = split_places(pair_episodes(open_scene_index(config.world), KIND, config.pairs)[0])
    training, held_out = build_examples(seen), build_examples(unseen)
    backbone = load_backbone("city")
    store = Path(folder) / "features"  # kept in the folder, so that an interrupted run resumes
    write_store(store, [training, held_out], backbone, SLICING)
    features = features_for([training, held_out], backbone, SLICING, store=store, cache=True)
    predictions = []
    seeds = range(config.seed, config.seed + config.trainings)
    for run, seed in product((OURS, TEXT_BLIND), seeds):
        epochs = EPOCHS[run.system]
        train_config = TrainConfig(
            run.network,
            seed,
            epochs=epochs,
            learning_rate=run.learning_rate,
            patience=epochs,
            sigma=SIGMA,
            overrides=run.overrides,
        )
        run_folder = Path(folder) / f"{run.system.lower()}-{seed}"
        checkpoint = train(train_config, training, features, run_folder, backbone=backbone).checkpoint
        for texts, inputs in ((OWN_TEXTS, held_out), (SHUFFLED_TEXTS, shuffle_texts(held_out, seed))):
            if texts == OWN_TEXTS or run is OURS:  # a network that reads no text answers the same
                predicted = predict(checkpoint, inputs, features)
                predictions.append(
                    SavedPredictions(run.system, KIND, seed, inputs.ids, predicted.answers, predicted.seconds, texts)
                )
    return SmallResult(ResultTable(SplitScorer(KIND, unseen), predictions), len(training))

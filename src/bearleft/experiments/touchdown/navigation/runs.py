"""Systems of the navigation tables, and the settings that all of their trainings share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

TRAIN, VALIDATION = "city/touchdown/train", "city/touchdown/dev_unseen"
SPLITS = ("city/touchdown/dev", "city/touchdown/test", "city/touchdown/dev_unseen", "city/touchdown/test_unseen")
TEST_UNSEEN = SPLITS[3]
PAIRS = ("city/pairs/turn-left-right", "city/pairs/first-second-crossing")
REAL_SPLITS = ("touchdown/unseen_dev", "map2seq/seen_dev", "map2seq/unseen_dev")
OTHER_CITY = "other-city/"  # prefix of the names of datasets of another data folder
NO_TEXT, NO_IMAGE, WITH_RGB = "NO-TEXT", "NO-IMAGE", "RGB"
RCONCAT, GA, ORAR, COMPASS = "RCONCAT", "GA", "ORAR", "COMPASS"
SEEDS = (0, 1, 2)
# Of RCONCAT and GA, which the paper trains with 0.00025 on single walks. RCONCAT NO-IMAGE had the least loss with it
# after three epochs of 40,000 walks (0.330; 0.332 to 0.353 with batches of 64 or 128 and rates of 0.0005 to 0.002).
PAPER_TRAINING: dict[str, Any] = {"epochs": 4, "epoch_size": 100_000, "batch_size": 64, "learning_rate": 0.001}
# Of ORAR: Compass's number of updates; its own are batches of 64 and 0.0005.
ORAR_TRAINING: dict[str, Any] = {"epochs": 10, "batch_size": 256, "learning_rate": 0.001}
# Of Compass. On 64,000 walks, batches of 128 had a TC of 54.5 % on dev_unseen after 6 epochs, batches of 256 had 41.1 %
# with three layers and 43.7 % with four; all of these with a rate of 0.001 that decays over 14 epochs.
COMPASS_TRAINING: dict[str, Any] = {"epochs": 8, "batch_size": 128, "learning_rate": 0.001}


@dataclass(frozen=True)
class NavigationRun:
    """One system, trained with one seed.

    Attributes:
        system: Name of the system in tables.
        network: Name of the network.
        seed: Seed of weights, order and dropout.
        overrides: Fields of the network's Config.
        forcing: Whose walks it learns along; None for the network's own setting.
        learning_rate: The learning rate; None for the network's own.
        epochs: Maximum number of epochs, unless NavigationConfig has one; None for the network's own, and so below.
        epoch_size: Training walks of an epoch.
        batch_size: Walks of an update.
    """

    system: str
    network: str
    seed: int = 0
    overrides: dict[str, Any] = field(default_factory=dict)
    forcing: str | None = None
    learning_rate: float | None = None
    epochs: int | None = None
    epoch_size: int | None = None
    batch_size: int | None = None

    @property
    def name(self) -> str:
        """Return the name of the run's folder."""
        return f"{self.system.lower().replace(' ', '-')}-{self.seed}"


@dataclass(frozen=True)
class NavigationConfig:
    """Settings that all runs share; None stands for the run's own setting, or for all walks.

    Attributes:
        epochs: Maximum number of epochs.
        epoch_size: Training walks of an epoch.
        batch_size: Walks of an update.
        patience: Epochs without a new least validation SPD after which training ends.
        train_size: Number of training walks, drawn from all.
        validation_size: Walks of the validation split that are walked after each epoch.
        eval_size: Episodes of each split that are walked at the end.
        pair_size: Minimal pairs of each kind that are walked at the end.
        validation: The split that epochs are chosen on.
        splits: Splits that are walked at the end.
        shuffled: Of these, the splits that are also walked with texts of other episodes.
        pairs: Minimal pairs; those at places of training walks are left out.
        real: Splits with real texts, which systems without pictures walk.
    """

    epochs: int | None = None
    epoch_size: int | None = None
    batch_size: int | None = None
    patience: int = 5
    train_size: int | None = None
    validation_size: int = 1000
    eval_size: int | None = None
    pair_size: int = 500
    validation: str = VALIDATION
    splits: tuple[str, ...] = SPLITS
    shuffled: tuple[str, ...] = (TEST_UNSEEN,)
    pairs: tuple[str, ...] = PAIRS
    real: tuple[str, ...] = REAL_SPLITS


def navigation_runs(seeds: Sequence[int] = SEEDS) -> list[NavigationRun]:
    """Return the runs of all systems with each seed, one seed after the other; RGB views have the first seed only."""
    no_text, no_image, rgb = {"text": False}, {"image": False}, {"rgb": True}
    systems = [
        NavigationRun(RCONCAT, "rconcat", **PAPER_TRAINING),
        NavigationRun(GA, "ga", **PAPER_TRAINING),
        NavigationRun(ORAR, "orar", **ORAR_TRAINING),
        NavigationRun(COMPASS, "compass", **COMPASS_TRAINING),
        NavigationRun(f"{RCONCAT} {NO_TEXT}", "rconcat", overrides=no_text, **PAPER_TRAINING),
        NavigationRun(f"{RCONCAT} {NO_IMAGE}", "rconcat", overrides=no_image, **PAPER_TRAINING),
        NavigationRun(f"{GA} {NO_TEXT}", "ga", overrides=no_text, **PAPER_TRAINING),
        NavigationRun(f"{GA} {NO_IMAGE}", "ga", overrides=no_image, **PAPER_TRAINING),
        NavigationRun(f"{ORAR} {NO_IMAGE}", "orar", overrides=no_image, **ORAR_TRAINING),
        NavigationRun(f"{COMPASS} {NO_TEXT}", "compass", overrides=no_text, **COMPASS_TRAINING),
        NavigationRun(f"{COMPASS} {NO_IMAGE}", "compass", overrides=no_image, **COMPASS_TRAINING),
    ]
    with_rgb = [
        NavigationRun(f"{RCONCAT} {WITH_RGB}", "rconcat", overrides=rgb, **PAPER_TRAINING),
        NavigationRun(f"{GA} {WITH_RGB}", "ga", overrides=rgb, **PAPER_TRAINING),
    ]
    first, *others = [[replace(run, seed=seed) for run in systems] for seed in seeds]
    return [*first, *(replace(run, seed=seeds[0]) for run in with_rgb), *(run for part in others for run in part)]

"""Agents of ArraMon's tables, and the settings that all of their trainings share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bearleft.envs.arramon.assemble import HORIZON as ASSEMBLE_HORIZON
from bearleft.envs.arramon.collect import HORIZON as COLLECT_HORIZON

if TYPE_CHECKING:  # it imports torch, which tables of saved plays do not need
    from bearleft.training.arramon.config import ArraMonTrainConfig

VL, VO, LO, OURS, OURS_LO, RANDOM, SHORTEST = "V/L", "V/O", "L/O", "ours", "ours, L/O", "R/W", "S/P"
ONE_MODULE = "ours, one module"  # for both phases
SYSTEMS = (VL, VO, LO, OURS, ONE_MODULE, OURS_LO, RANDOM, SHORTEST)  # in the order of tables
BLIND = (LO, OURS_LO)  # which are evaluated on real texts, too
BASELINES = {RANDOM: "random", SHORTEST: "shortest"}  # agents that are not trained
SEEDS = (0, 1, 2)
TRAIN, VALIDATION = "city/arramon/train", "city/arramon/val_seen"
SPLITS = ("city/arramon/val_seen", "city/arramon/val_unseen", "city/arramon/test_unseen")
REAL_SPLIT = "arramon/val_unseen"
CASCADE, PERFECT = "own", "perfect-navigation"  # how tasks are played: whole, or in the room alone (Table 6)
READERS = (VL, LO, OURS, OURS_LO)  # which are also evaluated with changed texts


def mode_of(change: str, perfect: bool) -> str:
    """Return the mode of plays with changed texts, whole or in the room alone."""
    return f"{PERFECT}-{change}" if perfect else change


def parse_mode(mode: str) -> tuple[str, bool]:
    """Return the change of texts of a mode ("" for none), and whether the reference navigates."""
    perfect = mode.startswith(PERFECT)
    change = mode.removeprefix(PERFECT).removeprefix("-") if perfect else mode
    return "" if change == CASCADE else change, perfect


@dataclass(frozen=True)
class AgentRun:
    """One system with one seed.

    Attributes:
        system: Name of the system in tables.
        word: What stands for it in names of runs.
        network: Name of its network; empty for an agent that is not trained.
        seed: Seed of weights, order and dropout, or of random walks.
        overrides: Fields of the network's Config.
    """

    system: str
    word: str
    network: str
    seed: int = 0
    overrides: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name of the run's folder."""
        return f"{self.word}-{self.seed}"


@dataclass(frozen=True)
class AgentConfig:
    """Settings that all runs share.

    Attributes:
        epochs: Number of epochs; None for the network's own.
        batch_size: Turns of an update; None for the network's own.
        train_size: Training tasks, from the beginning; None for all.
        validation_size: Tasks that are played after each epoch.
        eval_size: Tasks of each split, from the beginning; None for all.
        view_size: Pixels of a view.
        rows: Rows of a feature map; None for the network's own.
        view_memory: Gigabytes of feature maps that are kept; None for half of a GPU's memory.
        train: Training tasks.
        validation: Tasks of which the best epoch is chosen.
        splits: Splits to evaluate on.
        changed: Of these, the splits that agents which read also play with changed texts.
        horizons: Actions after which a leg in the city and in the room ends, in evaluation.
        overrides: Fields of each network's Config, by the network's name.
    """

    epochs: int | None = None
    batch_size: int | None = None
    train_size: int | None = None
    validation_size: int = 200
    eval_size: int | None = None
    view_size: int = 224
    rows: int | None = None
    view_memory: float | None = None
    train: str = TRAIN
    validation: str = VALIDATION
    splits: tuple[str, ...] = SPLITS
    changed: tuple[str, ...] = SPLITS[1:2]
    horizons: tuple[int, int] = (COLLECT_HORIZON, ASSEMBLE_HORIZON)
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def training(self, run: AgentRun) -> ArraMonTrainConfig:
        """Return the training configuration of a run."""
        from bearleft.training.arramon import config

        return config.ArraMonTrainConfig(
            run.network,
            collect_horizon=min(config.COLLECT_HORIZON, self.horizons[0]),
            assemble_horizon=min(config.ASSEMBLE_HORIZON, self.horizons[1]),
            seed=run.seed,
            epochs=self.epochs,
            batch_size=self.batch_size,
            max_validation=self.validation_size,
            view_size=self.view_size,
            rows=self.rows,
            view_memory=self.view_memory,
            overrides={**self.overrides.get(run.network, {}), **run.overrides},
        )


def agent_runs(seeds: Sequence[int] = SEEDS) -> list[AgentRun]:
    """Return the runs of all systems, one seed after the other; one module with the first seed; then no training."""
    runs = []
    for seed in seeds:
        runs += [
            AgentRun(VL, "vl", "arramon-vl", seed),
            AgentRun(OURS, "memory", "arramon-memory", seed),
            AgentRun(LO, "lo", "arramon-lo", seed),
            AgentRun(VO, "vo", "arramon-vo", seed),
            AgentRun(OURS_LO, "memory-lo", "arramon-memory", seed, {"image": False}),
        ]
    runs.append(AgentRun(ONE_MODULE, "memory-one", "arramon-memory", seeds[0], {"shared": True}))
    return [*runs, *(AgentRun(RANDOM, "random", "", seed) for seed in seeds), AgentRun(SHORTEST, "shortest", "")]

"""Agents of Table 2, and the settings that all of their trainings share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bearleft.training.reinforcement.config import ReinforceConfig

GOAL, FIDELITY, SDTW, CLS = "goal-oriented", "fidelity-oriented", "SDTW-oriented", "CLS-oriented"
IMITATION = "imitation only"
AGENTS = (GOAL, FIDELITY, SDTW, CLS, IMITATION)  # in the order of tables
SEEDS, OTHER_SEEDS = (0, 1, 2, 3, 4), (0, 1)  # of the paper's two agents, and of the others
NO_LIMIT = 1_000_000  # epochs: all runs are trained equally long


@dataclass(frozen=True)
class Task:
    """A dataset of the table: its name there, and the splits that agents are trained and evaluated on."""

    name: str
    train: str
    evaluation: str


R2R = Task("R2R", "r2r/train", "r2r/val_unseen")
R4R = Task("R4R", "r4r/train", "r4r/val_unseen")
TASKS = (R2R, R4R)


@dataclass(frozen=True)
class AgentRun:
    """One agent, trained on one dataset with one seed.

    Attributes:
        task: The dataset.
        system: Name of the agent in tables.
        word: What stands for it in names of runs.
        reward: Its reward, a key of REWARDS.
        seed: Seed of weights, order, samples and dropout.
        imitation: Probability of an episode to be learned from the reference.
    """

    task: Task
    system: str
    word: str
    reward: str
    seed: int = 0
    imitation: float = 0.5

    @property
    def name(self) -> str:
        """Return the name of the run's folder."""
        return f"{self.task.name.lower()}-{self.word}-{self.seed}"


@dataclass(frozen=True)
class AgentConfig:
    """Settings that all runs share.

    Attributes:
        epochs: Number of epochs; the one with the best score on held-out walks is evaluated.
        epoch_size: Training walks of an epoch.
        batch_size: Walks of an update.
        learning_rate: The learning rate at the beginning.
        select: The score by which the best epoch is chosen, for all agents: nDTW or SDTW.
        validation_share: Share of the training split's walks whose buildings are held out.
        validation_size: Held-out walks that are walked after each epoch, at most.
        train_size: Number of training walks, drawn from all; None for all.
        eval_size: Walks of the evaluation split, evenly spaced; None for all.
        overrides: Fields of the network's Config.
    """

    epochs: int = 30
    epoch_size: int = 25_600
    batch_size: int = 128
    learning_rate: float = 5e-4
    select: str = "SDTW"
    validation_share: float = 0.07
    validation_size: int = 2500
    train_size: int | None = None
    eval_size: int | None = None
    overrides: dict[str, Any] = field(default_factory=dict)

    def training(self, run: AgentRun) -> ReinforceConfig:
        """Return the training configuration of a run."""
        return ReinforceConfig(
            reward=run.reward,
            seed=run.seed,
            epochs=self.epochs,
            examples_per_epoch=self.epoch_size,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            imitation=run.imitation,
            select=self.select,
            patience=NO_LIMIT,
            validation_share=self.validation_share,
            max_validation=self.validation_size,
            overrides=self.overrides,
        )


def agent_runs(
    tasks: Sequence[Task] = TASKS, seeds: Sequence[int] = SEEDS, other_seeds: Sequence[int] = OTHER_SEEDS
) -> list[AgentRun]:
    """Return the runs of the paper's two agents with each seed, one seed after the other, then those of the others."""
    paper = [
        AgentRun(task, system, word, word)
        for task in tasks
        for system, word in ((GOAL, "goal"), (FIDELITY, "fidelity"))
    ]
    others = [
        run
        for task in tasks
        for run in (
            AgentRun(task, IMITATION, "imitation", "fidelity", imitation=1.0),  # no reward is learned from
            AgentRun(task, SDTW, "sdtw", "sdtw"),
            AgentRun(task, CLS, "cls", "cls"),
        )
    ]
    first = [replace(run, seed=seed) for seed in seeds for run in paper]
    return first + [replace(run, seed=seed) for seed in other_seeds for run in others]

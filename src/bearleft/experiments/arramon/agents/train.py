"""Training of the tables' agents: `train_agents`, or `bearleft paper arramon --train RUNS`.

Runs are trained on the same tasks; when one is trained, it plays all tasks of each split, whole and in the room alone,
and its plays are saved. A call ends after a number of minutes; the same call resumes. Several processes may train in
the same folder. `agents.results` makes tables of the plays.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bearleft.agents.registry import make_agent
from bearleft.data import load
from bearleft.envs.arramon.vector import VectorArraMon
from bearleft.envs.legs import EnvOptions
from bearleft.evaluation.play import play
from bearleft.experiments.arramon.agents.runs import (
    BASELINES,
    BLIND,
    CASCADE,
    PERFECT,
    READERS,
    REAL_SPLIT,
    AgentConfig,
    AgentRun,
    agent_runs,
    mode_of,
    parse_mode,
)
from bearleft.experiments.arramon.agents.saved_plays import PLAYS, SavedPlays, codes_of, plays_file, save_plays
from bearleft.experiments.arramon.changed_texts import CHANGES, change_texts
from bearleft.experiments.systems.saved_results import Folder
from bearleft.experiments.systems.train import Log, RunTrainer, choose_runs, log_to_stderr, train_runs
from bearleft.experiments.texts import available_datasets
from bearleft.models import BEST
from bearleft.models.arramon.checkpoint import ArraMonCheckpoint
from bearleft.models.arramon.legs import NO_LABEL, Codes, reference_actions
from bearleft.models.arramon.rollout import Texts, roll_out
from bearleft.models.arramon.views import ViewMaps, open_backbone
from bearleft.records import Episode
from bearleft.runtime.store import check_writable_folder
from bearleft.training.arramon.config import SCORES, ArraMonTrainConfig
from bearleft.training.arramon.loop import ArraMonInputs, reference_maps
from bearleft.training.arramon.train import prepare_inputs, sees, train_arramon
from bearleft.training.distributed import local_device
from bearleft.training.history import read_history
from bearleft.types import DataFolder

PLAYERS = {"cpu": 64, "cuda": 2048}  # tasks that are played side by side
DIGITS = 4  # of the rows of histories
HISTORY = ("epoch", "loss", *SCORES)  # what saved plays keep of them
EvaluationSet = tuple[str, str]  # split and mode


def train_agents(
    folder: Folder,
    config: AgentConfig | None = None,
    *,
    data: DataFolder = None,
    backbone: str = "city",
    device: str = "cuda",
    minutes: float = 8.0,
    only: Sequence[str] = (),
    processes: int = 1,
    log: Log = print,
    runs: Sequence[AgentRun] | None = None,
) -> list[str]:
    """Train the agents of the tables and save their plays in FOLDER/plays.

    Args:
        folder: Where runs and plays go; the same call resumes.
        config: Settings that all runs share.
        data: Folder of the datasets.
        backbone: "city", or a file of weights.
        device: "cuda" or "cpu".
        minutes: Time after which the call ends.
        only: Names of runs, such as "memory-0"; all where empty.
        processes: Number of runs that are trained at once; several share a GPU.
        log: Called with each line of progress; with several processes, their lines go to standard error instead.
        runs: The runs; by default those of the tables.

    Returns:
        The names of the runs that are left to do.

    Raises:
        InputError: `only` names a run that does not exist, a dataset is missing, or a finished run had other settings.
    """
    chosen = choose_runs(only, agent_runs() if runs is None else runs)
    config = config or AgentConfig()
    for run in chosen:
        if run.network:
            config.training(run)  # checked before anything is read
    arguments = check_writable_folder(folder), config, local_device(device)
    options = {"data": data, "backbone": backbone}
    return train_runs(AgentTrainer, chosen, minutes, processes, arguments, options, log)


class AgentTrainer(RunTrainer[AgentRun, EvaluationSet]):
    """Tasks and views on a device, and a folder that fills with runs and saved plays.

    Args:
        folder: The folder.
        config: Settings that all runs share.
        device: Where to train.
        data: Folder of the datasets.
        backbone: "city", or a file of weights.
        log: Called with each line of progress.
        log_inputs: Whether lines say what the runs read.
    """

    def __init__(
        self,
        folder: Path,
        config: AgentConfig,
        device: torch.device,
        *,
        data: DataFolder = None,
        backbone: str = "city",
        log: Log = log_to_stderr,
        log_inputs: bool = True,
    ) -> None:
        super().__init__(folder, log)
        self.config, self.device, self.data, self.backbone = config, device, data, backbone
        self.log_inputs = log_inputs
        self._load = cache(lambda name: load(name, data))
        self._backbone = cache(lambda: open_backbone(backbone, str(device)))
        self._views: dict[tuple[str, int], ViewMaps] = {}
        self._prepared: dict[tuple[bool, int], ArraMonInputs] = {}  # by whether they are seen, and rows of maps

    def train_network(self, run: AgentRun, end: float) -> bool:
        """Train a run, or go on with it; return False where the time ended before."""
        if run.system in BASELINES:
            return True
        training = self.config.training(run)
        inputs = self._inputs(training)
        minutes = (end - time.monotonic()) / 60.0
        if minutes <= 0:
            return False
        report = self.report_messages(run)
        if not sees(training):
            reference_maps.cache_clear()  # a GPU that several processes share has room for the maps of a few runs
        return train_arramon(training, inputs, self.folder / run.name, minutes, report).finished

    def _inputs(self, training: ArraMonTrainConfig) -> ArraMonInputs:
        """Return what runs of a kind of views read; it is read when the first of them is trained."""
        config, key = self.config, (sees(training), int(training.resolved()["rows"]))
        if key not in self._prepared:
            episodes = self._load(config.train)[: config.train_size]
            validation = self._load(config.validation)[: config.validation_size]
            inputs = prepare_inputs(training, episodes, validation, self.backbone, self.device)
            self._prepared[key] = inputs
            if self.log_inputs:
                sizes = f"{len(episodes):,} tasks to train on, {len(validation):,} to validate on"
                self.log(f"{sizes}, {len(inputs.legs.actions):,} steps")
        return self._prepared[key]

    def settings(self, run: AgentRun) -> dict[str, Any]:
        """Return everything that a run's result depends on, as plain values."""
        own: dict[str, Any] = {"train": self.config.train, "train_size": self.config.train_size}
        if run.system in BASELINES:
            return {"system": run.system}
        settings = asdict(self.config.training(run))
        settings.pop("view_memory")
        return {**settings, **own, "backbone": self._backbone().hash}

    def missing_sets(self, run: AgentRun) -> list[EvaluationSet]:
        """Return what a run has no saved plays of: whole tasks and the room alone, changed texts, and real texts."""
        wanted = [(split, mode) for split in self.config.splits for mode in (CASCADE, PERFECT)]
        if run.system in READERS:
            modes = [mode_of(change, perfect) for change in CHANGES for perfect in (False, True)]
            wanted += [(split, mode) for split in self.config.changed for mode in modes]
        if run.system in BLIND and available_datasets((REAL_SPLIT,), self.data):
            wanted.append((REAL_SPLIT, PERFECT))
        plays = self.folder / PLAYS
        return [one for one in wanted if not (plays / plays_file(run.system, one[0], run.seed, one[1])).exists()]

    def save_walks(self, run: AgentRun, one: EvaluationSet, end: float) -> bool:
        """Play all tasks of a split."""
        split, mode = one
        change, perfect = parse_mode(mode)
        episodes = self._load(split)[: self.config.eval_size]
        if change:
            episodes = change_texts(episodes, change)
        begin = time.monotonic()
        metadata: dict[str, Any] = {"run": run.name}
        if run.system in BASELINES:
            agent = make_agent(BASELINES[run.system], split, self.data)
            collect, assemble = self.config.horizons
            rules = EnvOptions(collect_horizon=collect, assemble_horizon=assemble, perfect_navigation=perfect)
            codes = codes_of([play(agent, episode, run.seed, self.data, rules) for episode in episodes])
        else:
            folder = self.folder / run.name
            checkpoint = ArraMonCheckpoint.load(folder / BEST, self.device)
            codes = self._play(checkpoint, episodes, perfect)
            history = read_history(folder)
            metadata |= {
                "network": run.network,
                "parameters": checkpoint.network.parameter_count,
                "backbone": checkpoint.backbone,
                "epochs": len(history),
                "best epoch": checkpoint.training_info.get("epoch"),
                "seconds": round(sum(float(row["seconds"]) for row in history), 1),
                "history": [{name: round(float(row[name]), DIGITS) for name in HISTORY} for row in history],
            }
        seconds = time.monotonic() - begin
        ids = tuple(episode.id for episode in episodes)
        horizons = self.config.horizons
        saved = SavedPlays(run.system, split, run.seed, ids, codes, round(seconds, 3), mode, horizons, metadata)
        save_plays(self.folder / PLAYS, saved)
        self.log(f"{run.name}: {len(saved):,} tasks of {split}, {mode}, {seconds:.1f} s")
        return True

    def _play(self, checkpoint: ArraMonCheckpoint, episodes: Sequence[Episode], perfect: bool) -> Codes:
        """Return the codes of a network's actions."""
        texts = Texts.build(episodes, checkpoint.vocabulary, self.device)
        given = reference_actions(episodes) if perfect else None
        parts = []
        for numbers in np.array_split(np.arange(len(episodes)), -(-len(episodes) // PLAYERS[self.device.type])):
            players = VectorArraMon(episodes, len(numbers), "all", *self.config.horizons)
            views = self._open_views(checkpoint, players.world) if checkpoint.network.sees else None
            own = None if given is None else given[numbers]
            parts.append(roll_out(checkpoint.network, players, numbers, texts, views, own))
        longest = max(part.shape[2] for part in parts)
        padded = [np.pad(p, ((0, 0), (0, 0), (0, longest - p.shape[2])), constant_values=NO_LABEL) for p in parts]
        return np.concatenate(padded)

    def _open_views(self, checkpoint: ArraMonCheckpoint, world: str) -> ViewMaps:
        key = world, int(checkpoint.config.shape.rows)
        if key not in self._views:
            self._views[key] = ViewMaps(world, self._backbone(), self.device, key[1], checkpoint.view_size)
        return self._views[key]

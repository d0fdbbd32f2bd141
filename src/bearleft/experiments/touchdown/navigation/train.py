"""Training of the navigation systems: `train_navigation`, or `bearleft paper touchdown --train-navigation RUNS`.

Runs are trained on the same walks, and their walks are saved when they are finished. A call ends after a number of
minutes; the same call resumes. Several processes may train in the same folder: each takes the next run that no other
has taken, and examples and views are computed by the first one that needs them. `navigation.results` makes tables of
the walks.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import torch

from bearleft.experiments.touchdown.navigation.evaluation import EvaluationSet, Log, evaluation_sets, walk_all
from bearleft.experiments.touchdown.navigation.runs import TRAIN, NavigationConfig, NavigationRun, choose_runs
from bearleft.experiments.touchdown.navigation.saved_walks import HORIZON, SavedWalks, save_walks, walks_file
from bearleft.experiments.touchdown.navigation.view_files import ViewFiles
from bearleft.experiments.touchdown.navigation.walk_files import load_all_walks, load_walks
from bearleft.experiments.touchdown.saved_results import Folder
from bearleft.models import BEST
from bearleft.models.backbones.registry import load_backbone
from bearleft.models.walking.checkpoint import WalkCheckpoint
from bearleft.models.walking.examples import WalkExamples, open_graphs
from bearleft.models.walking.network import NO_VIEW
from bearleft.models.walking.states import StateTable
from bearleft.models.walking.views import Views
from bearleft.runtime.processes import process_pool
from bearleft.runtime.store import check_writable_folder, try_file_lock, write_text
from bearleft.training.checks import check_settings
from bearleft.training.distributed import local_device
from bearleft.training.history import TrainProgress, read_history
from bearleft.training.walking.config import HORIZON as TRAIN_HORIZON
from bearleft.training.walking.config import WalkTrainConfig
from bearleft.training.walking.train import WalkInputs, make_config, train_walker
from bearleft.types import DataFolder
from bearleft.world.graphs.graph import Graph
from bearleft.world.pictures import PictureConfig
from bearleft.world.slices import PAPER, Slicing

WALKS, VIEWS, EXAMPLES, LOCKS, TRAINED_FILE = "walks", "views", "examples", "locks", "trained.json"


def train_navigation(
    folder: Folder,
    config: NavigationConfig | None = None,
    *,
    data: DataFolder = None,
    datasets: Sequence[str] = (TRAIN,),
    other_city: DataFolder = None,
    backbone: str = "city",
    city: int | None = None,
    device: str = "cuda",
    minutes: float = 8.0,
    only: Sequence[str] = (),
    processes: int = 1,
    log: Log = print,
) -> list[str]:
    """Train navigation systems on a city and save their walks in FOLDER/walks.

    Args:
        folder: Where runs, views and walks go; the same call resumes.
        config: Settings that all runs share.
        data: Folder of city/touchdown and city/pairs, and of real datasets.
        datasets: Names of the training walks, or files of episodes or walks.
        other_city: Folder of city/touchdown in a city that is not trained on.
        backbone: "city", or a file of weights.
        city: Seed of the city on streets that have none of their own.
        device: "cuda" or "cpu".
        minutes: Time after which the call ends.
        only: Names of runs, such as "compass-0"; all where empty.
        processes: Number of runs that are trained at once; several share a GPU.
        log: Called with each line of progress; with several processes, their lines go to standard error instead.

    Returns:
        The names of the runs that are left to do.

    Raises:
        InputError: `only` names a run that does not exist, or a dataset is missing.
    """
    runs = choose_runs(only)
    arguments = check_writable_folder(folder), config or NavigationConfig(), datasets or (TRAIN,), local_device(device)
    options: dict[str, Any] = {"data": data, "other_city": other_city, "backbone": backbone, "city": city}
    if processes < 2:
        return _train_runs(runs, minutes, arguments, {**options, "log": log})
    with process_pool(processes, torch.set_num_threads, 1) as pool:
        calls = [pool.submit(_train_runs, runs, minutes, arguments, options, k == 0) for k in range(processes)]
        unfinished = [call.result() for call in calls]
    return [run.name for run in runs if all(run.name in names for names in unfinished)]


def _train_runs(
    runs: Sequence[NavigationRun],
    minutes: float,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    is_first: bool = True,
) -> list[str]:
    """Train runs in this process, the first or another of several; return the names of those that are left to do."""
    begin = time.monotonic()
    if not is_first:  # the first says what they all read
        options = {**options, "log_inputs": False}
    trainer = NavigationTrainer(*arguments, **options)
    if is_first:
        trainer.log(f"ready after {time.monotonic() - begin:.0f} s")
    return [run.name for run in trainer.train_all(runs, minutes - (time.monotonic() - begin) / 60.0)]


def log_to_stderr(line: str) -> None:
    """Write a line of progress to standard error."""
    print(line, file=sys.stderr, flush=True)


class NavigationTrainer:
    """Walks, states and views on a device, and a folder that fills with runs and saved walks."""

    def __init__(
        self,
        folder: Path,
        config: NavigationConfig,
        datasets: Sequence[str],
        device: torch.device,
        *,
        data: DataFolder = None,
        other_city: DataFolder = None,
        backbone: str = "city",
        city: int | None = None,
        slicing: Slicing = PAPER,
        log: Log = log_to_stderr,
        log_inputs: bool = True,
    ) -> None:
        self.folder, self.config, self.device, self.data, self.log = folder, config, device, data, log
        self.slicing = replace(slicing, released=False)
        examples = folder / EXAMPLES
        self.walks = load_all_walks(
            datasets, TRAIN_HORIZON, examples, data, config.train_size, sightings=True, device=device.type
        )
        validation = load_walks(config.validation, TRAIN_HORIZON, examples, data)
        self.validation = validation.subset(torch.arange(len(validation))[: config.validation_size].numpy())
        say = log if log_inputs else lambda _: None
        say(f"{len(self.walks):,} walks to train on, {len(self.validation):,} to validate on")
        self.sets = evaluation_sets(config, self.walks, data, other_city, say)
        self.graphs = open_graphs([*self.walks.worlds, *self.validation.worlds], data)
        self.table = StateTable.build(self.graphs, [*self.walks.starts, *self.validation.starts], device)
        self.examples_hash = self.walks.fingerprint() + self.validation.fingerprint()
        load = cache(lambda: load_backbone(backbone, str(device)))
        self.view_files = ViewFiles(folder / VIEWS, device, load, self.slicing, PictureConfig((), city, data), log)
        self._views: dict[tuple[str, ...], Views | None] = {}  # by kind and worlds
        self._tables: dict[tuple[str, ...], StateTable] = {}  # of evaluation, by worlds

    def train_all(self, runs: Sequence[NavigationRun], minutes: float) -> list[NavigationRun]:
        """Train the runs that no other process trains, until the time is over; return those that are unfinished."""
        end = time.monotonic() + 60.0 * minutes
        for run in runs:
            if time.monotonic() >= end:
                break
            with try_file_lock(self.folder / LOCKS / run.name) as is_ours:
                if is_ours:
                    self.train(run, (end - time.monotonic()) / 60.0)
                    torch.cuda.empty_cache()  # other processes may share the GPU; nothing happens without one
        return [run for run in runs if not self.is_done(run)]

    def train(self, run: NavigationRun, minutes: float) -> bool:
        """Train a run and save its walks; return False where the time ended before."""
        begin = time.monotonic()
        end = begin + 60.0 * minutes
        if self.is_done(run):
            return True
        if not self._is_trained(run):
            self.log(f"{run.name}: training")
            if not self._train(run, end):
                return False
            write_text(self.folder / run.name / TRAINED_FILE, json.dumps(self._settings(run)) + "\n")
        for one in self._missing_sets(run):
            if time.monotonic() >= end or not self._save_walks(run, one, end):
                return False
        self.log(f"{run.name}: finished, {time.monotonic() - begin:.0f} s")
        return True

    def _train(self, run: NavigationRun, end: float) -> bool:
        """Train a run, or go on with it; return False where the time ended before."""
        kind = self.view_kind(run)
        try:
            views = self._open_views(kind, self.graphs, end)
        except TimeoutError as error:
            self.log(f"the time ended before the {error}")
            return False
        backbone = self.view_files.backbone(kind)
        inputs = WalkInputs(self.walks, self.validation, self.table, views, backbone, self.slicing)

        def report(progress: TrainProgress) -> None:
            if progress.message:
                self.log(f"{run.name}: {progress.message}")

        minutes = (end - time.monotonic()) / 60.0
        return train_walker(self.train_config(run), inputs, self.folder / run.name, minutes, report).finished

    def is_done(self, run: NavigationRun) -> bool:
        """Return whether a run is trained and all of its walks are saved."""
        return self._is_trained(run) and not self._missing_sets(run)

    def train_config(self, run: NavigationRun) -> WalkTrainConfig:
        """Return the training configuration of a run."""
        config = self.config
        return WalkTrainConfig(
            run.network,
            run.seed,
            config.epochs or run.epochs,
            config.epoch_size or run.epoch_size,
            config.batch_size or run.batch_size,
            run.learning_rate,
            config.patience,
            max_validation=config.validation_size,
            forcing=run.forcing,
            overrides=run.overrides,
        )

    def view_kind(self, run: NavigationRun) -> str:
        """Return the kind of views that a run's network reads."""
        config = self.train_config(run)
        return config.spec.build(make_config(config), None).views

    def _settings(self, run: NavigationRun) -> dict[str, Any]:
        settings = {**self.train_config(run).resolved(), "examples": self.examples_hash}
        return dict(json.loads(json.dumps(settings)))

    def _is_trained(self, run: NavigationRun) -> bool:
        """Return whether a run's training has ended; raise InputError if it had other settings."""
        file = self.folder / run.name / TRAINED_FILE
        if not file.exists():
            return False
        check_settings(json.loads(file.read_text(encoding="utf-8")), self._settings(run), file.parent)
        return True

    def _missing_sets(self, run: NavigationRun) -> list[EvaluationSet]:
        """Return what a run has no saved walks of; only runs without pictures walk where there are none."""
        is_blind = self.view_kind(run) == NO_VIEW
        folder = self.folder / WALKS
        return [
            one
            for one in self.sets
            if (one.has_pictures or is_blind)
            and not (folder / walks_file(run.system, one.dataset, run.seed, one.texts)).exists()
        ]

    def _open_views(self, kind: str, graphs: Sequence[Graph], end: float = math.inf) -> Views | None:
        """Return the views of worlds, which stay on the device."""
        key = (kind, *(graph.name for graph in graphs))
        if key not in self._views:
            begin = time.monotonic()
            visible = [one.walks for one in self.sets if one.has_pictures]
            starts = [start for walks in (self.walks, self.validation, *visible) for start in walks.starts]
            self._views[key] = self.view_files.open(kind, graphs, starts, end)
            if kind != NO_VIEW:
                self.log(f"{kind} views of {', '.join(key[1:])}: {time.monotonic() - begin:.0f} s")
        return self._views[key]

    def _evaluation_graphs(self, walks: WalkExamples) -> list[Graph]:
        """Return the graphs to walk in: those of training, whose views are there, if they contain all worlds."""
        if set(walks.worlds) <= {graph.name for graph in self.graphs}:
            return self.graphs
        return open_graphs(walks.worlds, self.data)

    def _evaluation_table(self, graphs: Sequence[Graph]) -> StateTable:
        """Return the states of worlds, with the starts of all walks that are evaluated there."""
        key = tuple(graph.name for graph in graphs)
        if key not in self._tables:
            starts = [start for one in self.sets for start in one.walks.starts if start[0] in key]
            self._tables[key] = StateTable.build(graphs, starts, self.device)
        return self._tables[key]

    def _save_walks(self, run: NavigationRun, one: EvaluationSet, end: float) -> bool:
        """Walk in all episodes of a set; return False where the time ended before."""
        folder = self.folder / run.name
        checkpoint = WalkCheckpoint.load(folder / BEST, self.device)
        graphs = self._evaluation_graphs(one.walks)
        try:
            views = self._open_views(checkpoint.network.views, graphs, end)
        except TimeoutError as error:
            self.log(f"the time ended before the {error}")
            return False
        table = self._evaluation_table(graphs)
        begin = time.monotonic()
        actions, places = walk_all(checkpoint, one.walks, table, views)
        seconds = time.monotonic() - begin
        history = read_history(folder)
        metadata = {
            "network": run.network,
            "epochs": len(history),
            "best epoch": checkpoint.training_info.get("epoch"),
            "walks": len(self.walks),
            "updates": history[-1]["update"],
            "seconds": round(sum(float(row["seconds"]) for row in history), 1),
            "backbone": checkpoint.backbone_hash,
            "horizon": HORIZON,
        }
        names = {graph.name: len(graph) for graph in graphs if graph.name in set(one.walks.worlds)}
        numbers = {name: k for k, name in enumerate(names)}
        indices = torch.tensor([numbers[world] for world in one.walks.worlds]).numpy()
        saved = SavedWalks(
            run.system,
            one.dataset,
            run.seed,
            one.walks.ids,
            names,
            indices,
            actions,
            places,
            round(seconds, 3),
            one.texts,
            metadata,
        )
        save_walks(self.folder / WALKS, saved)
        self.log(f"{run.name}: {len(saved):,} walks of {one.dataset}, {one.texts} texts, {seconds:.1f} s")
        return True

"""Training of the navigation systems: `train_navigation`, or `bearleft paper touchdown --train-navigation RUNS`.

Runs are trained on the same walks, and their walks are saved when they are finished. A call ends after a number of
minutes; the same call resumes. Several processes may train in the same folder: each takes the next run that no other
has taken, and examples and views are computed by the first one that needs them. `navigation.results` makes tables of
the walks.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import torch

from bearleft.experiments.systems.saved_results import Folder
from bearleft.experiments.systems.train import (
    EXAMPLES,
    WALKS,
    Log,
    RunTrainer,
    choose_runs,
    log_to_stderr,
    train_runs,
)
from bearleft.experiments.touchdown.navigation.evaluation import EvaluationSet, evaluation_sets, walk_all
from bearleft.experiments.touchdown.navigation.runs import TRAIN, NavigationConfig, NavigationRun, navigation_runs
from bearleft.experiments.touchdown.navigation.saved_walks import HORIZON, SavedWalks, walks_file
from bearleft.experiments.touchdown.navigation.saved_walks import save_walks as write_walks
from bearleft.experiments.touchdown.navigation.view_files import ViewFiles
from bearleft.experiments.touchdown.navigation.walk_files import load_all_walks, load_walks
from bearleft.models import BEST
from bearleft.models.backbones.registry import load_backbone
from bearleft.models.walking.checkpoint import WalkCheckpoint
from bearleft.models.walking.examples import WalkExamples, open_graphs
from bearleft.models.walking.network import NO_VIEW
from bearleft.models.walking.states import StateTable
from bearleft.models.walking.views import Views
from bearleft.runtime.store import check_writable_folder
from bearleft.training.distributed import local_device
from bearleft.training.history import read_history
from bearleft.training.walking.config import HORIZON as TRAIN_HORIZON
from bearleft.training.walking.config import WalkTrainConfig
from bearleft.training.walking.train import WalkInputs, make_config, train_walker
from bearleft.types import DataFolder
from bearleft.world.graphs.graph import Graph
from bearleft.world.pictures import PictureConfig
from bearleft.world.slices import PAPER, Slicing

VIEWS = "views"


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
    runs = choose_runs(only, navigation_runs())
    arguments = check_writable_folder(folder), config or NavigationConfig(), datasets or (TRAIN,), local_device(device)
    options: dict[str, Any] = {"data": data, "other_city": other_city, "backbone": backbone, "city": city}
    return train_runs(NavigationTrainer, runs, minutes, processes, arguments, options, log)


class NavigationTrainer(RunTrainer[NavigationRun, EvaluationSet]):
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
        super().__init__(folder, log)
        self.config, self.device, self.data = config, device, data
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

    def train_network(self, run: NavigationRun, end: float) -> bool:
        """Train a run, or go on with it; return False where the time ended before."""
        kind = self.view_kind(run)
        try:
            views = self._open_views(kind, self.graphs, end)
        except TimeoutError as error:
            self.log(f"the time ended before the {error}")
            return False
        backbone = self.view_files.backbone(kind)
        inputs = WalkInputs(self.walks, self.validation, self.table, views, backbone, self.slicing)
        minutes, report = (end - time.monotonic()) / 60.0, self.report_messages(run)
        return train_walker(self.train_config(run), inputs, self.folder / run.name, minutes, report).finished

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

    def settings(self, run: NavigationRun) -> dict[str, Any]:
        """Return everything that a run's result depends on, as plain values."""
        return {**self.train_config(run).resolved(), "examples": self.examples_hash}

    def missing_sets(self, run: NavigationRun) -> list[EvaluationSet]:
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

    def save_walks(self, run: NavigationRun, one: EvaluationSet, end: float) -> bool:
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
        write_walks(self.folder / WALKS, saved)
        self.log(f"{run.name}: {len(saved):,} walks of {one.dataset}, {one.texts} texts, {seconds:.1f} s")
        return True

"""Training of the agents of Table 2: `train_agents`, or `bearleft paper ndtw --train RUNS`.

Runs of one dataset are trained on the same walks, and their walks on validation unseen are saved when they are
finished. A call ends after a number of minutes; the same call resumes. Several processes may train in the same folder.
`agents.results` makes tables of the walks.

The epoch that is evaluated is chosen on walks of the training split. Whole buildings are held out for it, the same for
all runs: a path has several texts, and R4R joins paths, so walks that are held out one by one would still be along
paths that were trained on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bearleft.data import open_dataset
from bearleft.envs.rewards import REWARDS, DistanceTable, WalkRewards
from bearleft.errors import InputError
from bearleft.experiments.ndtw.agents.runs import AgentConfig, AgentRun, Task, agent_runs
from bearleft.experiments.ndtw.agents.saved_walks import AgentWalks, walks_file
from bearleft.experiments.ndtw.agents.saved_walks import save_walks as write_walks
from bearleft.experiments.systems.bootstrap import Bools
from bearleft.experiments.systems.saved_results import Folder
from bearleft.experiments.systems.saved_walks import Ints, ragged
from bearleft.experiments.systems.train import EXAMPLES, WALKS, Log, RunTrainer, choose_runs, log_to_stderr, train_runs
from bearleft.experiments.systems.walk_files import cached_walks
from bearleft.metrics.ragged_paths import Ragged
from bearleft.models import BEST
from bearleft.models.panoramic.checkpoint import PanoramicCheckpoint
from bearleft.models.panoramic.examples import PanoramicWalks, build_panoramic_walks
from bearleft.models.panoramic.links import STOP, LinkTable
from bearleft.models.panoramic.rollout import walk
from bearleft.models.walking.examples import WalkExamples, open_graphs
from bearleft.runtime.store import check_writable_folder
from bearleft.training.distributed import local_device
from bearleft.training.history import read_history
from bearleft.training.reinforcement.loop import VALIDATION_BATCH
from bearleft.training.reinforcement.train import ReinforceInputs, spread, train_panoramic
from bearleft.types import DataFolder

HISTORY = ("epoch", "update", "loss", "return", "entropy", "nDTW", "SDTW", "SR", "seconds")  # kept with the walks


def train_agents(
    folder: Folder,
    config: AgentConfig | None = None,
    *,
    data: DataFolder = None,
    device: str = "cuda",
    minutes: float = 8.0,
    only: Sequence[str] = (),
    processes: int = 1,
    log: Log = print,
    runs: Sequence[AgentRun] | None = None,
) -> list[str]:
    """Train the agents of Table 2 and save their walks in FOLDER/walks.

    Args:
        folder: Where runs and walks go; the same call resumes.
        config: Settings that all runs share.
        data: Folder of R2R.
        device: "cuda" or "cpu".
        minutes: Time after which the call ends.
        only: Names of runs, such as "r4r-fidelity-0"; all where empty.
        processes: Number of runs that are trained at once; several share a GPU.
        log: Called with each line of progress; with several processes, their lines go to standard error instead.
        runs: The runs; by default those of the table.

    Returns:
        The names of the runs that are left to do.

    Raises:
        InputError: `only` names a run that does not exist, a dataset is missing, a finished run had other settings, or
            a policy has collapsed.
    """
    chosen = choose_runs(only, agent_runs() if runs is None else runs)
    config = config or AgentConfig()
    for run in chosen:
        config.training(run)  # checked before anything is read
    arguments = check_writable_folder(folder), config, local_device(device)
    return train_runs(AgentTrainer, chosen, minutes, processes, arguments, {"data": data}, log)


@dataclass(frozen=True, eq=False)
class TaskInputs:
    """What all runs of one dataset read, on one device."""

    training: ReinforceInputs
    evaluation: WalkExamples
    links: LinkTable  # of the evaluation split


class AgentTrainer(RunTrainer[AgentRun, str]):
    """Walks and links on a device, and a folder that fills with runs and saved walks.

    Args:
        folder: The folder.
        config: Settings that all runs share.
        device: Where to train.
        data: Folder of the datasets.
        log: Called with each line of progress.
        log_inputs: Whether lines say what the runs of a dataset read.
    """

    def __init__(
        self,
        folder: Path,
        config: AgentConfig,
        device: torch.device,
        *,
        data: DataFolder = None,
        log: Log = log_to_stderr,
        log_inputs: bool = True,
    ) -> None:
        super().__init__(folder, log)
        self.config, self.device, self.data, self.log_inputs = config, device, data, log_inputs
        self._inputs: dict[Task, TaskInputs] = {}
        self._hashes: dict[str, str] = {}  # of datasets, by name

    def inputs(self, task: Task) -> TaskInputs:
        """Return what the runs of a dataset read; it is read when the first of them is trained."""
        if task in self._inputs:
            return self._inputs[task]
        begin, config = time.monotonic(), self.config
        walks = self._load(task.train)
        training, held_out = hold_out(walks, config.validation_share, config.validation_size)
        if config.train_size is not None and config.train_size < len(training):
            training = np.sort(np.random.default_rng(0).permutation(training)[: config.train_size])
        parts = walks.subset(training), walks.subset(held_out)
        evaluation = self._load(task.evaluation)
        chosen = spread(range(len(evaluation)), config.eval_size or len(evaluation))
        evaluation = evaluation.subset(np.array(chosen, np.int64))
        links = LinkTable.build(open_graphs([*parts[0].worlds, *parts[1].worlds], self.data), self.device)
        others = LinkTable.build(open_graphs(evaluation.worlds, self.data), self.device)
        inputs = TaskInputs(ReinforceInputs(*parts, links), evaluation, others)
        if self.log_inputs:
            sizes = (
                f"{len(parts[0]):,} walks to train on, {len(parts[1]):,} to validate on, {len(chosen):,} to evaluate on"
            )
            self.log(f"{task.name}: {sizes}; {time.monotonic() - begin:.0f} s")
        self._inputs[task] = inputs
        return inputs

    def _load(self, name: str) -> WalkExamples:
        dataset = open_dataset(name, self.data)
        key = ["panoramic", name, self._sha256(name)]
        return cached_walks(key, self.folder / EXAMPLES, lambda: build_panoramic_walks(list(dataset), self.data))

    def train_network(self, run: AgentRun, end: float) -> bool:
        """Train a run, or go on with it; return False where the time ended before."""
        inputs, report = self.inputs(run.task).training, self.report_messages(run)
        minutes = (end - time.monotonic()) / 60.0
        if minutes <= 0:
            return False
        return train_panoramic(self.config.training(run), inputs, self.folder / run.name, minutes, report).finished

    def settings(self, run: AgentRun) -> dict[str, Any]:
        """Return everything that a run's result depends on, as plain values."""
        own = {"train": run.task.train, "train_size": self.config.train_size, "sha256": self._sha256(run.task.train)}
        return {**asdict(self.config.training(run)), **own}

    def _sha256(self, name: str) -> str:
        if name not in self._hashes:
            self._hashes[name] = open_dataset(name, self.data).sha256
        return self._hashes[name]

    def missing_sets(self, run: AgentRun) -> list[str]:
        """Return the evaluation split if a run has no saved walks of it."""
        split = run.task.evaluation
        return [] if (self.folder / WALKS / walks_file(run.system, split, run.seed)).exists() else [split]

    def save_walks(self, run: AgentRun, one: str, end: float) -> bool:
        """Walk in all episodes of the evaluation split."""
        folder, inputs = self.folder / run.name, self.inputs(run.task)
        checkpoint = PanoramicCheckpoint.load(folder / BEST, self.device)
        begin = time.monotonic()
        places, stopped = walk_all(checkpoint, inputs.evaluation, inputs.links)
        seconds = time.monotonic() - begin
        history, settings = read_history(folder), self.config.training(run)
        metadata = {
            "run": run.name,
            "reward": run.reward,
            "imitation": run.imitation,
            "epochs": len(history),
            "best epoch": checkpoint.training_info.get("epoch"),
            "walks": len(inputs.training.walks),
            "updates": history[-1]["update"],
            "batch size": settings.batch_size,
            "learning rate": settings.learning_rate,
            "seconds": round(sum(float(row["seconds"]) for row in history), 1),
            "horizon": checkpoint.horizon,
            "history": [{name: _rounded(row[name]) for name in HISTORY} for row in history],
        }
        graphs = inputs.links.places.graphs
        numbers = {graph.name: k for k, graph in enumerate(graphs)}
        indices = np.array([numbers[world] for world in inputs.evaluation.worlds], np.int64)
        worlds = {graph.name: len(graph) for graph in graphs}
        ids = inputs.evaluation.ids
        saved = AgentWalks(
            run.system, one, run.seed, ids, worlds, indices, places, stopped, round(seconds, 3), metadata=metadata
        )
        write_walks(self.folder / WALKS, saved)
        self.log(f"{run.name}: {len(saved):,} walks of {one}, {seconds:.1f} s")
        return True


def _rounded(value: float) -> float:
    return value if isinstance(value, int) else float(f"{value:.6g}")


def hold_out(walks: WalkExamples, share: float, limit: int) -> tuple[Ints, Ints]:
    """Return the indices of walks to train on, and of walks to validate on: no world of theirs is trained on.

    Where all walks are in one world, whole routes are held out instead.

    Args:
        walks: The walks.
        share: The share of the walks that is held out, at least.
        limit: The largest number of walks to validate on; they are evenly spaced.

    Raises:
        InputError: All walks are along one route.
    """
    keys: Sequence[Any] = walks.worlds if len(set(walks.worlds)) > 1 else walks.routes
    names = list(dict.fromkeys(keys))
    if len(names) < 2:
        raise InputError("walks along at least two routes", "all along one", "walks")
    numbers = {name: k for k, name in enumerate(names)}
    groups = np.array([numbers[key] for key in keys], np.int64)
    order = np.random.default_rng(0).permutation(len(names))
    before = np.cumsum(np.bincount(groups)[order]) - np.bincount(groups)[order]
    count = min(int((before < share * len(walks)).sum()), len(names) - 1)
    is_held_out = np.isin(groups, order[:count])
    held_out = np.flatnonzero(is_held_out)
    chosen = np.array(spread(range(len(held_out)), limit), np.int64)
    return np.flatnonzero(~is_held_out), held_out[chosen]


@torch.no_grad()
def walk_all(checkpoint: PanoramicCheckpoint, walks: WalkExamples, links: LinkTable) -> tuple[Ragged, Bools]:
    """Let a network walk by its most probable options.

    Returns:
        The places of each walk, as indices of its world's graph, and whether it ended with the stop.
    """
    network = checkpoint.network.eval()
    rewards = WalkRewards(REWARDS["fidelity"], DistanceTable.build(links.places.graphs, links.device))
    examples = PanoramicWalks.build(walks, links, checkpoint.vocabulary, checkpoint.horizon)
    paths: list[Ints] = [np.zeros(0, np.int64)] * len(walks)
    stopped = np.zeros(len(walks), np.bool_)
    # Texts of similar lengths are walked together.
    order = torch.argsort(examples.host_lengths, stable=True)
    for batch in torch.split(order, VALIDATION_BATCH[links.device.type]):
        indices = batch.to(links.device)
        text = examples.encode(network, indices, examples.max_length(batch))
        done = walk(network, examples, indices, text, checkpoint.horizon, rewards)
        after = torch.cat([done.places, done.final[:, None]], 1)
        steps = done.running.sum(1)
        stops = done.options.gather(1, steps[:, None] - 1)[:, 0] == STOP
        places, lengths = links.place_in_world(after).cpu().numpy(), (steps + (~stops).long()).cpu().numpy()
        stopped[batch.numpy()] = stops.cpu().numpy()
        for k, own, length in zip(batch.tolist(), places, lengths.tolist(), strict=True):
            paths[k] = own[:length]
    return ragged(paths, np.int32), stopped

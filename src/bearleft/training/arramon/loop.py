"""Training loop of ArraMon's networks: both modules along legs of the same turns; validation plays whole tasks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from bearleft.envs.arramon.vector import VectorArraMon
from bearleft.errors import InputError
from bearleft.evaluation.recorded import means, score_codes
from bearleft.models.arramon.checkpoint import ArraMonCheckpoint
from bearleft.models.arramon.legs import NO_LABEL, Indices, LegMaps, Legs, join_batches
from bearleft.models.arramon.network import ASSEMBLE, COLLECT, PHASE_NAMES, ArraMonShape
from bearleft.models.arramon.registry import DAGGER
from bearleft.models.arramon.rollout import Texts, roll_out
from bearleft.models.arramon.views import ViewMaps
from bearleft.models.backbones.base import Backbone
from bearleft.models.vocabulary import Vocabulary
from bearleft.records import Episode
from bearleft.training.arramon.config import (
    MEMORY_GB,
    MEMORY_SHARE,
    SCORES,
    ArraMonTrainConfig,
    format_scores,
    score_of,
)
from bearleft.training.arramon.dagger import labelled_legs
from bearleft.training.checks import check_finite, check_resumable, divergence_error, mean_loss
from bearleft.training.distributed import ProcessGroup
from bearleft.training.history import ProgressCallback, Row, TrainProgress, write_history
from bearleft.training.pointing.loop import update_seed
from bearleft.training.run import Pause
from bearleft.training.walking.batches import bucket_by_length, epoch_order
from bearleft.world.slices import PAPER

WARMUP_SHARE = 0.03  # of all updates, for rates that fall
CHECK_INTERVAL = 20  # updates between two checks of the loss
TURN_LEGS = np.array([[0, 1], [2, 3]])


@dataclass(frozen=True, eq=False)
class ArraMonInputs:
    """Tasks to train and validate on, the legs of the references, and what players see, on one device."""

    episodes: Sequence[Episode]
    validation: Sequence[Episode]
    legs: Legs  # of all episodes, four each, in their order
    vocabulary: Vocabulary
    device: torch.device
    backbone: Backbone | None = None
    views: ViewMaps | None = None
    validation_views: ViewMaps | None = None

    @property
    def backbone_hash(self) -> str:
        """Hash of the backbone's weights; empty for a blind network."""
        return "" if self.backbone is None else self.backbone.hash


class ArraMonTrainer:
    """A network in training, and everything that its state on disk holds."""

    def __init__(
        self,
        config: ArraMonTrainConfig,
        inputs: ArraMonInputs,
        examples_hash: str,
        group: ProcessGroup,
        folder: Path,
        report: ProgressCallback,
    ) -> None:
        if group.world_size > 1:
            raise InputError("one process: a network of ArraMon trains on one GPU", f"{group.world_size} processes")
        self.config, self.inputs, self.folder, self.report = config, inputs, folder, report
        self.settings: dict[str, Any] = config.resolved()
        self.examples_hash, self.device, self.notes = examples_hash, inputs.device, list[str]()
        self.episodes = list(inputs.episodes)
        texts = Texts.build(self.episodes, inputs.vocabulary, self.device)
        if config.shuffle_texts:
            order = torch.from_numpy(np.random.default_rng([config.seed, 4]).permutation(len(self.episodes)))
            texts = Texts(texts.words[order.to(self.device)], texts.lengths[order])
        self.texts = texts
        self.validation_texts = Texts.build(inputs.validation, inputs.vocabulary, self.device)
        spec = config.spec
        channels = ArraMonShape.channels if inputs.views is None else inputs.views.channels
        shape = ArraMonShape(len(inputs.vocabulary), channels, self.settings["rows"])
        self.network_config = spec.make_config({"shape": shape, **config.overrides})
        self.network = spec.build(self.network_config, config.seed).to(self.device)
        kind = torch.optim.AdamW if spec.weight_decay else torch.optim.Adam
        self.optimizer = kind(
            self.network.parameters(), lr=self.settings["learning_rate"], weight_decay=spec.weight_decay
        )
        views = inputs.views
        maps = None if views is None else reference_maps(inputs.legs, views, config.view_memory)
        self.sources: list[tuple[Legs, LegMaps | None]] = [(inputs.legs, maps)]
        self.rounds: list[dict[str, Any]] = []  # tasks that the network played itself
        self.epochs_done, self.updates_done, self.seconds = 0, 0, 0.0
        self.total_updates = 0  # since the beginning
        self.losses: list[Tensor] = []  # of both phases, in this epoch
        self.history: list[Row] = []
        self.best: dict[str, Any] | None = None
        self.epochs_without_best, self.has_new_best = 0, False

    @property
    def turns(self) -> Indices:
        """The turns to learn from: (n, 3) source, and its legs in the city and in the room."""
        rows = []
        for k, (legs, _) in enumerate(self.sources):
            first = 4 * np.arange(len(legs) // 4)[:, None, None] + TURN_LEGS
            rows.append(np.insert(first.reshape(-1, 2), 0, k, axis=1))
        return np.concatenate(rows)

    @property
    def epoch_size(self) -> int:
        """Turns of the present epoch."""
        count = sum(len(legs) // 2 for legs, _ in self.sources)
        return self.config.examples_per_epoch or count

    @property
    def updates_per_epoch(self) -> int:
        """Updates of the present epoch."""
        return -(-self.epoch_size // int(self.settings["batch_size"]))

    @property
    def ended(self) -> bool:
        """Return whether all epochs are done or patience has run out."""
        return self.epochs_done >= self.settings["epochs"] or self.epochs_without_best >= self.config.patience

    def scheduled_rate(self) -> float:
        """Return the learning rate of the next update."""
        rate = float(self.settings["learning_rate"])
        if not self.config.spec.cosine_decay:
            return rate
        done = (self.epochs_done + self.updates_done / self.updates_per_epoch) / self.settings["epochs"]
        warmup = min(1.0, max(done, 1e-3) / WARMUP_SHARE)
        return float(rate * warmup * 0.5 * (1 + math.cos(math.pi * min(done, 1.0))))

    def run_epoch(self, should_pause: Callable[[], Pause]) -> Pause:
        """Run the rest of an epoch and append its row; return why it paused before its end."""
        self.has_new_best = False
        begin, seconds_before, first = time.perf_counter(), self.seconds, self.updates_done
        if self.updates_done == 0:
            self._play_round()
        turns, order, size = self.turns, self._order(), int(self.settings["batch_size"])
        checked = len(self.losses)
        while self.updates_done < self.updates_per_epoch:
            pause = should_pause()
            if pause and (pause != Pause.SAVE or self.updates_done > first):  # without an update, nothing is new
                self._check(checked)
                self.seconds = seconds_before + time.perf_counter() - begin
                return pause
            self._step(turns[order[self.updates_done * size : (self.updates_done + 1) * size]])
            if self.updates_done % CHECK_INTERVAL == 0 or self.updates_done == self.updates_per_epoch:
                loss = self._check(checked)
                checked, self.seconds = len(self.losses), seconds_before + time.perf_counter() - begin
                speed = min(self.updates_done * size, self.epoch_size) / max(self.seconds, 1e-9)
                epochs = self.settings["epochs"]
                self.report(
                    TrainProgress(self.epochs_done + 1, epochs, self.updates_done, self.updates_per_epoch, loss, speed)
                )
        self._finish_epoch(begin, seconds_before)
        return Pause.NO

    def _order(self) -> Indices:
        """Return the indices of the epoch's turns; batches of it have texts and walks of similar lengths."""
        turns, seed, epoch = self.turns, self.config.seed, self.epochs_done
        order = epoch_order(len(turns), seed, epoch, self.epoch_size).numpy()
        texts, steps = np.empty(len(turns), np.int64), np.empty(len(turns), np.int64)
        for k, (legs, _) in enumerate(self.sources):
            rows = turns[:, 0] == k
            leg = turns[rows, 1]
            steps[rows] = legs.lengths[leg]
            texts[rows] = self.texts.lengths.numpy()[legs.tasks[leg], legs.legs[leg]]
        rng = np.random.default_rng([seed, 8, epoch])
        buckets = bucket_by_length(texts[order], steps[order], int(self.settings["batch_size"]), rng)
        chosen: Indices = order[buckets.numpy()]
        return chosen

    def _step(self, turns: Indices) -> None:
        """Update on some turns: the mean of the losses of both modules (E.2)."""
        torch.manual_seed(update_seed(self.config.seed, self.total_updates, 0))
        self.network.train()
        losses = torch.stack([self._loss(turns[:, 0], turns[:, 1 + phase], phase) for phase in (COLLECT, ASSEMBLE)])
        for group in self.optimizer.param_groups:
            group["lr"] = self.scheduled_rate()
        self.optimizer.zero_grad(set_to_none=True)
        losses.mean().backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), self.config.spec.max_grad_norm)
        self.optimizer.step()
        self.losses.append(losses.detach())
        self.updates_done, self.total_updates = self.updates_done + 1, self.total_updates + 1

    def _loss(self, sources: Indices, chosen: Indices, phase: int) -> Tensor:
        """Return the mean negative log-likelihood of the actions to learn in some legs of one phase."""
        half, batches, tasks, legs_of_tasks = self.config.spec.half and self.device.type == "cuda", [], [], []
        for k in np.unique(sources):
            (legs, maps), rows = self.sources[k], chosen[sources == k]
            batches.append(legs.batch(rows, self.device, None if maps is None else maps(rows)))
            tasks.append(legs.tasks[rows])
            legs_of_tasks.append(legs.legs[rows])
        steps, labels = join_batches(batches)
        words, lengths = self.texts.batch(np.concatenate(tasks), np.concatenate(legs_of_tasks))
        with torch.autocast(self.device.type, torch.bfloat16, enabled=half):
            policy = self.network(self.network.encode(words, lengths, phase), steps, phase)
        log_probs = policy.log_probs.float().transpose(1, 2)
        total = nn.functional.nll_loss(log_probs, labels, ignore_index=NO_LABEL, reduction="sum")
        return total / (labels != NO_LABEL).sum().clamp(min=1)

    def _play_round(self) -> None:
        """Play tasks before an epoch of DAgger, and learn from them what the oracle would have done."""
        epoch, config = self.epochs_done, self.config
        begins = max(1, math.ceil(config.dagger_after * self.settings["epochs"]))
        if self.settings["forcing"] != DAGGER or epoch < begins or any(r["epoch"] == epoch for r in self.rounds):
            return
        rng = np.random.default_rng([config.seed, 9, epoch])
        size = min(config.dagger_tasks, len(self.episodes))
        numbers = np.sort(rng.permutation(len(self.episodes))[:size]).astype(np.int32)
        self.network.eval()
        generator = torch.Generator().manual_seed(update_seed(config.seed, epoch, 1))
        players = self._players(self.episodes, size)
        actions = roll_out(self.network, players, numbers, self.texts, self.inputs.views, sample=generator)
        legs = labelled_legs(players, numbers, actions)
        share = float((legs.labels == legs.actions).mean())
        note = f"epoch {epoch + 1}: {size:,} tasks played, {100 * share:.1f} % of their actions are the oracle's"
        self.report(TrainProgress(message=note))
        self.rounds.append({"epoch": epoch, "tasks": numbers, "actions": actions, "labels": legs.labels})
        self._use_rounds(legs)

    def _players(self, episodes: Sequence[Episode], count: int) -> VectorArraMon:
        config = self.config
        return VectorArraMon(episodes, count, "all", config.collect_horizon, config.assemble_horizon)

    def _use_rounds(self, newest: Legs | None = None) -> None:
        """Learn from the kept rounds; all but a newest one are replayed where they are not in use yet."""
        dropped = max(0, len(self.rounds) - self.config.dagger_rounds)
        self.rounds = self.rounds[dropped:]
        if newest is not None:
            del self.sources[1 : 1 + dropped]
            self._add_source(newest)
            return
        del self.sources[1:]
        for kept in self.rounds:
            players = self._players(self.episodes, len(kept["tasks"]))
            legs = labelled_legs(players, kept["tasks"], kept["actions"], kept["labels"])
            self._add_source(legs)

    def _add_source(self, legs: Legs) -> None:
        views = self.inputs.views
        used = sum(maps.kept.nbytes for _, maps in self.sources if maps is not None)
        self.sources.append((legs, None if views is None else leg_maps(legs, views, self.config.view_memory, used)))

    def _check(self, since: int) -> float:
        """Return the mean loss since the last check; raise InputError if one is not finite."""
        losses = torch.stack(self.losses[since:]).mean(1) if len(self.losses) > since else torch.zeros(0)

        def diverged(first: int, value: float) -> InputError:
            update = self.total_updates - len(losses) + first + 1
            return divergence_error(str(value), update, self.settings["learning_rate"], self.folder)

        return mean_loss(losses, diverged)

    def check_weights(self) -> None:
        """Raise InputError if a weight is not finite: such a state is never written."""
        rate = self.settings["learning_rate"]
        check_finite(self.network, lambda got: divergence_error(got, self.total_updates, rate, self.folder))

    def _finish_epoch(self, begin: float, seconds_before: float) -> None:
        """Append an epoch's row, and keep its weights if it is the best."""
        losses, rate = torch.stack(self.losses).double().mean(0).tolist(), self.scheduled_rate()
        size, seconds = self.epoch_size, seconds_before + time.perf_counter() - begin
        scores = self.validate()
        self.epochs_done, self.updates_done, self.losses = self.epochs_done + 1, 0, []
        row = {
            "epoch": self.epochs_done,
            "update": self.total_updates,
            "loss": sum(losses) / len(losses),
            **{f"{name} loss": loss for name, loss in zip(PHASE_NAMES, losses, strict=True)},
            **scores,
            "rate": rate,
            "examples": size,
            "examples/s": round(size / max(seconds, 1e-9), 2),
            "seconds": round(seconds_before + time.perf_counter() - begin, 3),
            "time": round(time.time(), 3),
        }
        self.history.append(row)
        self.seconds, self.epochs_without_best = 0.0, self.epochs_without_best + 1
        if self.best is None or score_of(scores) > score_of(self.best):
            self.epochs_without_best, self.has_new_best = 0, True
            self.best = {"epoch": row["epoch"], **scores, "weights": self._weights()}
        self.report(TrainProgress(message=format_row(row)))

    def validate(self) -> dict[str, float]:
        """Return the SCORES of the validation tasks, which the network plays from their beginning to their end."""
        self.network.eval()
        count = len(self.inputs.validation)
        players = self._players(self.inputs.validation, count)
        views = self.inputs.validation_views
        codes = roll_out(self.network, players, np.arange(count), self.validation_texts, views)
        return dict(means(score_codes(self.inputs.validation, codes, self.config.env_options), SCORES))

    def _weights(self) -> dict[str, Tensor]:
        return {name: value.detach().cpu().clone() for name, value in self.network.state_dict().items()}

    def checkpoint(self) -> ArraMonCheckpoint:
        """Return the best epoch's network, or the present one before there is any."""
        network = self.config.spec.build(self.network_config, None).to(self.device)
        network.load_state_dict(self._weights() if self.best is None else self.best["weights"])
        info = {
            "seed": self.config.seed,
            "train_config": self.config.resume_key(),
            "examples_hash": self.examples_hash,
            "examples": len(self.episodes),
            "notes": self.notes,
        }
        if self.best is not None:
            info |= {name: self.best[name] for name in ("epoch", *SCORES)}
        backbone = self.inputs.backbone
        return ArraMonCheckpoint(
            network.eval(),
            self.config.network,
            self.network_config,
            self.inputs.vocabulary,
            "" if backbone is None else backbone.name,
            self.inputs.backbone_hash,
            self.config.view_size,
            info,
        )

    def state(self) -> dict[str, Any]:
        """Return the training state as tensors and plain values; seeds follow from the update's number."""
        return {
            "train_config": self.config.resume_key(),
            "examples_hash": self.examples_hash,
            "backbone_hash": self.inputs.backbone_hash,
            "epochs_done": self.epochs_done,
            "updates_done": self.updates_done,
            "total_updates": self.total_updates,
            "seconds": self.seconds,
            "weights": self._weights(),
            "optimizer": self.optimizer.state_dict(),
            "losses": torch.stack(self.losses).cpu() if self.losses else torch.zeros(0, len(PHASE_NAMES)),
            "rounds": [
                {name: torch.from_numpy(value) if isinstance(value, np.ndarray) else value for name, value in r.items()}
                for r in self.rounds
            ],
            "history": self.history,
            "best": self.best,
            "epochs_without_best": self.epochs_without_best,
        }

    def write_history(self, folder: Path) -> None:
        """Write the history files."""
        write_history(folder, self.history, SCORES)

    def resume(self, state: dict[str, Any], folder: Path) -> None:
        """Load a state.

        Raises:
            InputError: It is of another configuration, or of other tasks or another backbone.
        """
        check_resumable(state, folder, self.config.resume_key(), self.examples_hash, self.inputs.backbone_hash, PAPER)
        self.network.load_state_dict(state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epochs_done, self.updates_done = state["epochs_done"], state["updates_done"]
        self.total_updates, self.seconds = state["total_updates"], state["seconds"]
        self.losses = list(state["losses"].to(self.device))
        self.rounds = [
            {name: value.numpy() if isinstance(value, Tensor) else value for name, value in kept.items()}
            for kept in state["rounds"]
        ]
        self._use_rounds()
        self.history, self.best = state["history"], state["best"]
        self.epochs_without_best = state["epochs_without_best"]


def leg_maps(legs: Legs, views: ViewMaps, gigabytes: float | None, used: int = 0) -> LegMaps:
    """Return the maps of legs, with a limit of memory: MEMORY_SHARE of what a GPU has left, or MEMORY_GB on a CPU.

    Args:
        legs: The legs.
        views: What is seen.
        gigabytes: The limit for all maps of a training, if it is given.
        used: Bytes that the training's other maps have.
    """
    limit = max(1e9 * (MEMORY_GB if gigabytes is None else gigabytes) - used, 0.0)
    if gigabytes is None and views.device.type == "cuda":
        limit = MEMORY_SHARE * torch.cuda.mem_get_info(views.device)[0]
    return LegMaps(legs, views, limit)


@lru_cache(maxsize=1)
def reference_maps(legs: Legs, views: ViewMaps, gigabytes: float | None) -> LegMaps:
    """Return the maps of the references' legs; trainings on the same tasks and views, one after another, share them."""
    return leg_maps(legs, views, gigabytes)


def format_row(row: Row) -> str:
    """Return an epoch's row as a line for people."""
    return (
        f"epoch {row['epoch']}: loss {row['loss']:.4f}, validation {format_scores(row)}, "
        f"{row['examples/s']:,.1f} turns/s, {row['seconds']:.0f} s"
    )

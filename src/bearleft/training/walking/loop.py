"""Training loop of walking networks: imitation in batches, walks of the network itself, validation, patience.

An update reads all steps of its walks in one call. With the forcing "mixed" or "dagger", the network first walks half
of the training episodes in each of the last epochs, with the weights at the beginning of the epoch; an oracle says what
would have been right in every state that it came to, and the network learns these actions along its own walks.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from bearleft.envs.rewards import WalkRewards
from bearleft.errors import InputError
from bearleft.models.backbones.registry import Backbone
from bearleft.models.subwords import Subwords
from bearleft.models.vocabulary import Vocabulary
from bearleft.models.walking.cells import cell_dim
from bearleft.models.walking.checkpoint import WalkCheckpoint
from bearleft.models.walking.examples import (
    NO_LABEL,
    StepReader,
    Tokenizer,
    WalkExamples,
    WalkTable,
)
from bearleft.models.walking.network import NO_VIEW, RGB, WalkNetwork, WalkShape
from bearleft.models.walking.registry import DAGGER, MIXED, TEACHER
from bearleft.models.walking.rollout import Walks, oracle_actions, walk
from bearleft.models.walking.states import StateTable
from bearleft.models.walking.views import RGB_SIDE, Views
from bearleft.runtime.store import atomic_write
from bearleft.training.checks import check_finite, check_resumable, divergence_error, mean_loss
from bearleft.training.distributed import ProcessGroup
from bearleft.training.history import ProgressCallback, Row, TrainProgress, write_history
from bearleft.training.pointing.loop import update_seed
from bearleft.training.run import Pause
from bearleft.training.walking.batches import (
    STEP_MULTIPLE,
    bucket_by_length,
    epoch_order,
    shuffle_texts,
    walk_lengths,
)
from bearleft.training.walking.config import SUBWORD_DROPOUT, TEST_HORIZON, WalkTrainConfig
from bearleft.training.walking.init import check_features, feature_hashes, load_init, load_weights, network_settings
from bearleft.training.walking.losses import action_weights, imitation_loss
from bearleft.world.slices import Slicing

if TYPE_CHECKING:
    pass

LOSS_CHECK_INTERVAL = 25  # updates between two reads of the losses, which synchronize with the device
OWN_SHARES = {TEACHER: 0.0, MIXED: 0.25, DAGGER: 0.5}  # of the epochs, in which networks learn from their own walks
WALK_BATCH = {"cpu": 64, "cuda": 1024}  # walks side by side; a text encoder needs up to 9 MiB for each of them
BAD_BATCH = "nan-batch.pt"


class OwnWalks:
    """Walks of the network itself with the oracle's actions; row k is of example k, NO_LABEL where it did not walk."""

    def __init__(self, states: Tensor, actions: Tensor, labels: Tensor) -> None:
        self.states, self.actions, self.labels = states, actions, labels

    @cached_property
    def lengths(self) -> Tensor:
        """Numbers of steps, on the CPU; read when all walks are there."""
        return walk_lengths(self.labels)

    def to_state(self) -> dict[str, Tensor]:
        """Return the walks as small tensors on the CPU."""
        return {
            "states": self.states.to(torch.int32).cpu(),
            "actions": self.actions.to(torch.int8).cpu(),
            "labels": self.labels.to(torch.int8).cpu(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Tensor], device: torch.device) -> OwnWalks:
        """Return the walks of the output of `to_state`."""
        return cls(*(state[name].to(device, torch.int64) for name in ("states", "actions", "labels")))


class WalkTrainer:
    """A walking network in training, and everything that its state on disk holds."""

    scores: ClassVar[tuple[str, ...]] = ("SPD", "TC")

    def __init__(
        self,
        config: WalkTrainConfig,
        walks: WalkExamples,
        validation: WalkExamples,
        table: StateTable,
        views: Views | None,
        group: ProcessGroup,
        folder: Path,
        report: ProgressCallback,
        backbone: Backbone | None = None,
        slicing: Slicing | None = None,
    ) -> None:
        self.config, self.group, self.folder, self.report = config, group, folder, report
        self.settings, self.spec, self.table = config.resolved(), config.spec, table
        self.device, self.slicing, self.notes = table.device, slicing or Slicing(), list[str]()
        self.backbone_name = "" if backbone is None else backbone.name
        self.backbone_hash, self.cells_hash = feature_hashes(backbone, NO_VIEW if views is None else views.kind)
        self.examples_hash = walks.fingerprint() + validation.fingerprint()
        if config.shuffle_texts:
            walks = shuffle_texts(walks, config.seed)
        if cut := int((walks.actions[:, -1] != NO_LABEL).sum()):
            self.notes.append(f"{cut:,} of {len(walks):,} walks reach the horizon of {config.horizon} actions")
        init = load_init(config)
        self.walks, self.validation_walks = walks, validation
        self.tokenizer = make_tokenizer(walks, self.spec.subwords) if init is None else init.tokenizer
        self.examples = WalkTable.build(walks, table, self.tokenizer)
        self.validation = WalkTable.build(validation, table, self.tokenizer)
        self.lengths = walk_lengths(self.examples.actions)
        self.hops = goal_hops(validation, table)
        self.half = self.spec.half and self.device.type == "cuda"
        self.epoch_size = config.examples_per_epoch or len(walks)
        self.updates_per_epoch: int = -(-self.epoch_size // self.settings["batch_size"])
        self._build(views, backbone, init)
        self.epochs_done, self.updates_done, self.seconds = 0, 0, 0.0
        self.losses = torch.zeros(self.updates_per_epoch, device=self.device)
        self.own_walks: list[OwnWalks] = []
        self.walked_epoch = -1  # for which the network has last walked itself
        self.history: list[Row] = []
        self.best: dict[str, Any] | None = None
        self.epochs_without_best, self.has_new_best = 0, False

    def _build(self, views: Views | None, backbone: Backbone | None, init: WalkCheckpoint | None) -> None:
        rows = RGB_SIDE if views is not None and views.kind == RGB else self.slicing.rows
        channels = cell_dim(backbone) if backbone is not None else WalkShape.cell_channels
        shape = WalkShape(len(self.tokenizer), rows, channels)
        self.network_config = self.spec.make_config({"shape": shape, **network_settings(self.config, init)})
        self.network = self.spec.build(self.network_config, self.config.seed)
        if init is not None:
            if backbone is not None:
                check_features(self.config, init, backbone, self.slicing)
            load_weights(self.config, init, self.network)
        self.network.to(self.device)
        self.reader = StepReader.make(self.network, self.table.places, views, self.device)
        self.optimizer = make_optimizer(self.network, self.spec.weight_decay, self.settings["learning_rate"])

    @property
    def update(self) -> int:
        """Return the number of updates since the beginning."""
        return self.epochs_done * self.updates_per_epoch + self.updates_done

    @property
    def ended(self) -> bool:
        """Return whether all epochs are done or patience has run out."""
        return bool(self.epochs_done >= self.settings["epochs"]) or self.epochs_without_best >= self.config.patience

    def scheduled_rate(self) -> float:
        """Return the learning rate of the next update: linear warm-up, then cosine decay if the network has it."""
        rate, total = self.settings["learning_rate"], self.settings["epochs"] * self.updates_per_epoch
        warmup = self.spec.warmup_share * total
        if self.update < warmup:
            return float(rate * (self.update + 1) / warmup)
        if not self.spec.cosine_decay:
            return float(rate)
        return float(rate * 0.5 * (1.0 + math.cos(math.pi * (self.update - warmup) / max(1.0, total - warmup))))

    def run_epoch(self, should_pause: Callable[[], Pause]) -> Pause:
        """Run the rest of an epoch and append its row; return why it paused before its end."""
        self.has_new_best = False
        begin, seconds_before, checked = time.perf_counter(), self.seconds, self.updates_done
        first = self.updates_done
        if self.updates_done == 0 and self.walked_epoch != self.epochs_done:
            self._begin_epoch()
            self.walked_epoch = self.epochs_done
        self._encode_texts()
        sources = self._sources()
        order = self.order(sources)
        self.network.train()
        while self.updates_done < self.updates_per_epoch:
            if self.updates_done % LOSS_CHECK_INTERVAL == 0 or self.group.world_size == 1:
                pause = Pause(self.group.all_reduce_max(should_pause(), self.device))
                if pause and (pause != Pause.SAVE or self.updates_done > first):  # without an update, nothing is new
                    self._check_losses(checked)
                    self.seconds = seconds_before + time.perf_counter() - begin
                    return pause
            self._step(order, sources)
            if self.updates_done % LOSS_CHECK_INTERVAL == 0 or self.updates_done == self.updates_per_epoch:
                loss = self._check_losses(checked)
                checked, self.seconds = self.updates_done, seconds_before + time.perf_counter() - begin
                done = min(self.updates_done * self.settings["batch_size"], self.epoch_size)
                self.report(
                    TrainProgress(
                        self.epochs_done + 1,
                        self.settings["epochs"],
                        self.updates_done,
                        self.updates_per_epoch,
                        loss,
                        done / max(self.seconds, 1e-9),
                    )
                )
        self._finish_epoch(begin, seconds_before)
        return Pause.NO

    def _begin_epoch(self) -> None:
        """Let the network walk half of the examples, if it is to learn from its own mistakes in this epoch."""
        forcing = self.settings["forcing"]
        if self.epochs_done < first_own_epoch(forcing, self.settings["epochs"]):
            return
        if forcing != DAGGER:
            self.own_walks.clear()
        torch.manual_seed(update_seed(self.config.seed, self.update, 1 << 20))
        rng = np.random.default_rng([self.config.seed, 5, self.epochs_done])
        chosen = torch.from_numpy(np.sort(rng.permutation(len(self.examples))[: max(1, len(self.examples) // 2)]))
        own = OwnWalks(
            self.examples.states.clone(),
            self.examples.actions.clone(),
            torch.full_like(self.examples.actions, NO_LABEL),
        )
        for indices, walks in self._walk(self.examples, chosen, self.config.horizon, sample=True):
            device_indices = indices.to(self.device)
            labels = oracle_actions(self.examples, device_indices, walks.states)
            own.states[device_indices], own.actions[device_indices] = walks.states, walks.actions
            own.labels[device_indices] = torch.where(walks.actions != NO_LABEL, labels, NO_LABEL)
        self.own_walks.append(own)

    def _walk(
        self,
        examples: WalkTable,
        indices: Tensor,
        horizon: int,
        sample: bool = False,
        rewards: WalkRewards | None = None,
    ) -> list[tuple[Tensor, Walks]]:
        """Return indices and the network's walks in these episodes, batch by batch, the shortest texts first."""
        self.network.eval()
        by_length = indices[torch.argsort(examples.host_lengths[indices], stable=True)]
        return [
            (batch, walk(self.network, self.reader, examples, batch, horizon, sample, self.half, rewards))
            for batch in torch.split(by_length, WALK_BATCH[self.device.type])
        ]

    def order(self, sources: Tensor, size: int | None = None) -> Tensor:
        """Return the indices of the epoch's walks; batches of it have walks and texts of similar lengths."""
        order = epoch_order(len(self.examples), self.config.seed, self.epochs_done, size or self.epoch_size)
        if self.settings["batch_size"] == 1:
            return order
        rng = np.random.default_rng([self.config.seed, 8, self.epochs_done])
        texts, walks = self.examples.host_lengths, self._step_counts(torch.arange(len(self.examples)), sources)
        return order[bucket_by_length(texts[order].numpy(), walks[order].numpy(), self.settings["batch_size"], rng)]

    def _step_counts(self, indices: Tensor, sources: Tensor) -> Tensor:
        """Return the numbers of steps of the walks that are learned from, on the CPU."""
        lengths = self.lengths[indices]
        for k, own in enumerate(self.own_walks, 1):
            lengths = torch.where(sources[indices] == k, own.lengths[indices], lengths)
        return lengths

    def _sources(self) -> Tensor:
        """Return for each example which walk is learned from: 0 the reference, k the network's own walk k - 1."""
        sources, walks = np.zeros(len(self.examples), np.int64), np.ones(len(self.examples))
        rng = np.random.default_rng([self.config.seed, 6, self.epochs_done])
        for k, own in enumerate(self.own_walks, 1):
            walked = (own.labels[:, 0] != NO_LABEL).cpu().numpy()
            if self.settings["forcing"] == DAGGER:  # the reference and all walks so far are equally probable
                walks += walked
                walked = walked & (rng.random(len(sources)) < 1.0 / walks)
            sources = np.where(walked, k, sources)
        return torch.from_numpy(sources)

    def _encode_texts(self) -> None:
        """Draw other pieces of words in every epoch, for a network that reads subwords."""
        if isinstance(self.tokenizer, Subwords):
            rng = np.random.default_rng([self.config.seed, 7, self.epochs_done])
            words, lengths = self.tokenizer.draw(self.walks.texts, SUBWORD_DROPOUT, rng)
            values = vars(self.examples) | {
                "words": torch.from_numpy(words).to(self.device),
                "lengths": torch.from_numpy(lengths).to(self.device),
                "host_lengths": torch.from_numpy(lengths),
            }
            self.examples = WalkTable(**values)

    def _step(self, order: Tensor, sources: Tensor) -> None:
        """Update on one batch, of which this process takes its share; nothing here synchronizes with the device."""
        size = self.settings["batch_size"]
        begin = self.updates_done * size
        batch = order[begin : begin + size]
        indices = self.group.share(batch)
        torch.manual_seed(update_seed(self.config.seed, self.update, self.group.rank))
        for group in self.optimizer.param_groups:
            group["lr"] = self.scheduled_rate()
        self.optimizer.zero_grad(set_to_none=True)
        if len(indices):
            states, actions, labels = self._gather(indices, sources)
            loss = self.loss(indices, states, actions, labels) * self._share(labels, batch, sources)
            loss.backward()  # type: ignore[no-untyped-call]
            self.losses[self.updates_done] = loss.detach()
        self.group.sum_gradients(self.network)
        if self.spec.max_grad_norm is not None:
            nn.utils.clip_grad_norm_(self.network.parameters(), self.spec.max_grad_norm)
        self.optimizer.step()
        self.updates_done += 1

    def _share(self, labels: Tensor, batch: Tensor, sources: Tensor) -> Tensor | float:
        """Return the share of a batch's actions to learn that this process has, since losses are means over actions."""
        if self.group.world_size == 1:
            return 1.0
        everything = self._gather(batch, sources)[2]
        own, whole = (action_weights(part, self.spec.start_weight).sum() for part in (labels, everything))
        return own / whole.clamp(min=1)

    def _gather(self, host_indices: Tensor, sources: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return states, actions taken and actions to learn (b, t) of some examples, up to the longest walk's end."""
        examples, indices = self.examples, host_indices.to(self.device)
        longest = int(self._step_counts(host_indices, sources).max())
        steps = slice(min(-(-longest // STEP_MULTIPLE) * STEP_MULTIPLE, examples.actions.shape[1]))
        states, actions = examples.states[indices, steps], examples.actions[indices, steps]
        labels = actions
        for k, own in enumerate(self.own_walks, 1):
            chosen = (sources[host_indices] == k).to(self.device)[:, None]
            states = torch.where(chosen, own.states[indices, steps], states)
            actions = torch.where(chosen, own.actions[indices, steps], actions)
            labels = torch.where(chosen, own.labels[indices, steps], labels)
        return states, actions, labels

    def loss(self, host_indices: Tensor, states: Tensor, actions: Tensor, labels: Tensor) -> Tensor:
        """Return the mean negative log-likelihood of the actions to learn."""
        return imitation_loss(
            self.reader, self.examples, host_indices, states, actions, labels, self.half, self.spec.start_weight
        )

    def _check_losses(self, since: int) -> float:
        """Return the mean loss since the last check; raise InputError if one is not finite."""
        losses = self.group.all_reduce_sum(self.losses[since : self.updates_done].clone())
        return mean_loss(losses, lambda k, loss: self._diverged_at(since + k, loss))

    def _diverged_at(self, update: int, loss: float) -> InputError:
        """Write the batch of an update of this epoch, whose loss is not finite, and return the error to raise."""
        saved = f"The batch is in {self._save_bad_batch(update)}."
        return self._diverged(f"{loss:f}", self.epochs_done * self.updates_per_epoch + update + 1, saved)

    def _save_bad_batch(self, update: int) -> Path:
        """Write the batch of an update of this epoch, as ids, texts, states and actions."""
        sources, size = self._sources(), self.settings["batch_size"]
        indices = self.order(sources)[update * size : (update + 1) * size]
        states, actions, labels = self._gather(indices, sources)
        content = {
            "epoch": self.epochs_done + 1,
            "update": update + 1,
            "ids": [self.walks.ids[k] for k in indices.tolist()],
            "texts": [self.walks.texts[k] for k in indices.tolist()],
            "places": self.table.place[states].cpu(),
            "headings": self.table.heading[states].cpu(),
            "actions": actions.cpu(),
            "labels": labels.cpu(),
        }
        path = self.folder / BAD_BATCH
        if self.group.is_main:
            with atomic_write(path, "wb") as stream:
                torch.save(content, stream)
        return path

    def check_weights(self) -> None:
        """Raise InputError if a weight is not finite: such a state is never written."""
        check_finite(self.network, lambda got: self._diverged(got, self.update))

    def _diverged(self, got: str, update: int, saved: str = "") -> InputError:
        return divergence_error(got, update, self.settings["learning_rate"], self.folder, saved=saved)

    def _finish_epoch(self, begin: float, seconds_before: float) -> None:
        """Append an epoch's row, and keep its weights if it is the best."""
        means = self.training_means()
        rate, speed = self.optimizer.param_groups[0]["lr"], self.epoch_size / max(self.seconds, 1e-9)
        scores = self.validate()
        self.epochs_done, self.updates_done = self.epochs_done + 1, 0
        row = {
            "epoch": self.epochs_done,
            "update": self.update,
            **means,
            **scores,
            "rate": float(rate),
            "examples": self.epoch_size,
            "examples/s": round(speed, 2),
            "seconds": round(seconds_before + time.perf_counter() - begin, 3),
            "time": round(time.time(), 3),
        }
        self.add_row(row)

    def training_means(self) -> dict[str, float]:
        """Return means over the updates of an epoch."""
        return {"loss": float(self.group.all_reduce_sum(self.losses.clone()).double().mean())}

    def is_better(self, row: Row, best: Mapping[str, Any]) -> bool:
        """Return whether an epoch is better than the best one so far."""
        return bool(row["SPD"] < best["SPD"])

    def add_row(self, row: Row) -> None:
        """Append an epoch's row, and keep its weights if it is the best."""
        self.history.append(row)
        self.losses.zero_()
        self.seconds, self.epochs_without_best = 0.0, self.epochs_without_best + 1
        if self.best is None or self.is_better(row, self.best):
            self.epochs_without_best, self.has_new_best = 0, True
            scores = {name: row[name] for name in self.scores}
            self.best = {"epoch": row["epoch"], **scores, "weights": self._weights()}
        self.report(TrainProgress(message=self.format_row(row)))

    def format_row(self, row: Row) -> str:
        """Return an epoch's row as a line for people."""
        return (
            f"epoch {row['epoch']}: loss {row['loss']:.4f}, validation SPD {row['SPD']:.2f}, TC {row['TC']:.1f} %, "
            f"{row['examples/s']:,.0f} walks/s, {row['seconds']:.0f} s"
        )

    def validate(self) -> dict[str, float]:
        """Return the scores of the network's walks in the validation episodes."""
        return self.score(self._walk(self.validation, torch.arange(len(self.validation)), TEST_HORIZON))

    def score(self, batches: Sequence[tuple[Tensor, Walks]]) -> dict[str, float]:
        """Return SPD (hops) and TC (%) of walks in all validation episodes."""
        places = np.zeros(len(self.validation), np.int64)
        for indices, walks in batches:
            places[indices.numpy()] = self.table.place[walks.final].cpu().numpy()
        hops = self.hops(places)
        return {"SPD": float(hops.mean()), "TC": 100.0 * float((hops <= 1).mean())}

    def _weights(self) -> dict[str, Tensor]:
        return {name: value.detach().cpu().clone() for name, value in self.network.state_dict().items()}

    def checkpoint(self) -> WalkCheckpoint:
        """Return the best epoch's network, or the present one before there is any."""
        network = self.spec.build(self.network_config, None).to(self.device)
        network.load_state_dict(self._weights() if self.best is None else self.best["weights"])
        info = {
            "seed": self.config.seed,
            "train_config": self.config.resume_key(),
            "examples_hash": self.examples_hash,
            "examples": len(self.walks),
            "notes": self.notes,
        }
        if self.best is not None:
            info |= {name: self.best[name] for name in ("epoch", *self.scores)}
        return WalkCheckpoint(
            network.eval(),
            self.config.network,
            self.network_config,
            self.tokenizer,
            self.slicing,
            self.backbone_name,
            self.backbone_hash,
            self.cells_hash,
            self.config.auto_turn,
            info,
        )

    def state(self) -> dict[str, Any]:
        """Return the training state as tensors and plain values; seeds follow from the update's number."""
        return {
            "train_config": self.config.resume_key(),
            "examples_hash": self.examples_hash,
            "backbone_hash": self.backbone_hash + self.cells_hash,
            "slicing": asdict(self.slicing),
            "epochs_done": self.epochs_done,
            "updates_done": self.updates_done,
            "seconds": self.seconds,
            "losses": self.group.all_reduce_sum(self.losses.clone()),
            "weights": self._weights(),
            "optimizer": self.optimizer.state_dict(),
            "own_walks": [own.to_state() for own in self.own_walks],
            "walked_epoch": self.walked_epoch,
            "history": self.history,
            "best": self.best,
            "epochs_without_best": self.epochs_without_best,
        }

    def write_history(self, folder: Path) -> None:
        """Write the history files."""
        write_history(folder, self.history, self.scores)

    def resume(self, state: dict[str, Any], folder: Path) -> None:
        """Load a state.

        Raises:
            InputError: It is of another configuration, other walks, slices or another backbone.
        """
        backbone_hash = self.backbone_hash + self.cells_hash
        check_resumable(state, folder, self.config.resume_key(), self.examples_hash, backbone_hash, self.slicing)
        self.network.load_state_dict(state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epochs_done, self.updates_done = state["epochs_done"], state["updates_done"]
        self.seconds = state["seconds"]
        if self.group.is_main:  # they include the other processes' shares
            self.losses.copy_(state["losses"])
        self.own_walks = [OwnWalks.from_state(own, self.device) for own in state["own_walks"]]
        self.walked_epoch = state.get("walked_epoch", -1)
        self.history, self.best = state["history"], state["best"]
        self.epochs_without_best = state["epochs_without_best"]


def first_own_epoch(forcing: str, epochs: int) -> int:
    """Return the number of epochs before the first one in which the network learns from its own walks."""
    return epochs - math.ceil(OWN_SHARES[forcing] * epochs)


def make_optimizer(network: WalkNetwork, weight_decay: float, learning_rate: float) -> torch.optim.Optimizer:
    """Return Adam, or AdamW with a weight decay."""
    kind = torch.optim.AdamW if weight_decay else torch.optim.Adam
    fused = all(parameter.device.type == "cuda" for parameter in network.parameters())
    return kind(network.parameters(), lr=learning_rate, weight_decay=weight_decay, fused=fused)


def make_tokenizer(walks: WalkExamples, subwords: bool) -> Tokenizer:
    """Return the tokenizer of training texts."""
    return Subwords.from_texts(walks.texts) if subwords else Vocabulary.from_texts(walks.texts, min_count=2)


def goal_hops(walks: WalkExamples, table: StateTable) -> Callable[[npt.NDArray[np.int64]], npt.NDArray[np.float64]]:
    """Return a function from final places of walks to their distances from the goals, in hops."""
    graphs = {graph.name: graph for graph in table.places.graphs}
    goals = [graphs[world].place_index(route[-1]) for world, route in zip(walks.worlds, walks.routes, strict=True)]
    first = np.array([table.places.offsets[world] for world in walks.worlds])
    rows = [graphs[world].hops(goal) for world, goal in zip(walks.worlds, goals, strict=True)]

    def distances(places: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return np.array([row[place] for row, place in zip(rows, places - first, strict=True)], np.float64)

    return distances

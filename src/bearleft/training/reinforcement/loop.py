"""Reinforcement learning of panoramic networks: actor-critic with V-trace, mixed with imitation.

In an update the network walks in a batch of episodes: in some of them, drawn for each anew, along the reference as the
teacher does, in the others by its own samples. Then it reads all walks in one call. It learns the teacher's options of
the former, and from the rewards of the latter. Episodes, rewards and network lie on one device; nothing is read back
within an update, and on a GPU a CUDA graph replays the whole of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from bearleft.envs.rewards import REWARDS, DistanceTable, Progress, WalkRewards
from bearleft.errors import InputError
from bearleft.models.panoramic.checkpoint import PanoramicCheckpoint
from bearleft.models.panoramic.examples import PanoramicWalks
from bearleft.models.panoramic.links import LinkTable
from bearleft.models.panoramic.network import PanoramicNetwork, PanoramicShape, Policy, build_network, make_config
from bearleft.models.panoramic.rollout import Rollout, policy_along, walk
from bearleft.models.vocabulary import Vocabulary
from bearleft.models.walking.examples import WalkExamples
from bearleft.training.checks import check_finite, check_resumable, collapse_error, divergence_error, mean_loss
from bearleft.training.cuda_graphs import GraphedStep
from bearleft.training.distributed import ProcessGroup
from bearleft.training.history import ProgressCallback, Row, TrainProgress, write_history
from bearleft.training.pointing.loop import update_seed
from bearleft.training.reinforcement.config import SCORES, ReinforceConfig, format_scores
from bearleft.training.reinforcement.vtrace import vtrace
from bearleft.training.run import Pause
from bearleft.training.walking.loop import bucket_by_length, epoch_order, shuffle_texts
from bearleft.world.slices import PAPER

CHECK_INTERVAL = 25  # updates between two reads of their statistics, which synchronize with the device
VALIDATION_BATCH = {"cpu": 128, "cuda": 4096}  # walks side by side
STATISTICS = ("loss", "return", "entropy", "value", "gradient")
# Means over CHECK_INTERVAL updates beyond which a policy has collapsed: nats of a choice, returns, and their gradient.
MIN_ENTROPY, MAX_VALUE, MAX_GRADIENT = 1e-6, 1e4, 1e6


@dataclass(frozen=True)
class Losses:
    """The loss of a batch of walks, and what is watched; all are scalars on the device."""

    loss: Tensor  # the sum over steps, and the mean over walks
    returns: Tensor  # mean sum of the rewards of a walk by the network's own samples
    entropy: Tensor  # mean over steps
    value: Tensor  # mean absolute estimate


def mixed_loss(policy: Policy, rollout: Rollout, rewards: Tensor, imitate: Tensor, config: ReinforceConfig) -> Losses:
    """Return the loss of walks.

    Args:
        policy: The network's output at all steps, with gradients.
        rollout: The walks.
        rewards: Their rewards (n, t).
        imitate: Which of them (n,) took the teacher's options, which are learned by cross entropy.
        config: Weights and discount.
    """
    running, count = rollout.running, len(imitate)
    chosen = policy.log_probs.gather(2, rollout.options[:, :, None])[:, :, 0]
    targets = vtrace(chosen.detach() - rollout.log_probs, rewards, policy.values.detach(), running, config.discount)
    entropy = -(policy.log_probs.exp() * policy.log_probs).sum(2)
    actor = -chosen * targets.advantages - config.entropy_weight * entropy
    critic = 0.5 * (targets.values - policy.values) ** 2
    loss = torch.where(imitate[:, None], -chosen, actor + config.value_weight * critic)
    steps, own = running.sum().clamp(min=1), ~imitate
    return Losses(
        torch.where(running, loss, 0.0).sum() / count,
        (rewards.sum(1) * own).sum() / own.sum().clamp(min=1),
        torch.where(running, entropy.detach(), 0.0).sum() / steps,
        torch.where(running, policy.values.detach().abs(), 0.0).sum() / steps,
    )


class ReinforceTrainer:
    """A panoramic network in training, and everything that its state on disk holds."""

    def __init__(
        self,
        config: ReinforceConfig,
        walks: WalkExamples,
        validation: WalkExamples,
        links: LinkTable,
        group: ProcessGroup,
        folder: Path,
        report: ProgressCallback,
    ) -> None:
        self.config, self.links, self.group, self.folder, self.report = config, links, group, folder, report
        self.device, self.notes = links.device, list[str]()
        self.examples_hash = examples_hash(walks, validation, links)
        self.horizon = config.horizon or 2 * max(map(len, walks.routes))
        if cut := sum(len(route) > self.horizon for route in walks.routes):
            self.notes.append(f"{cut:,} of {len(walks):,} references are longer than {self.horizon} actions")
        if config.shuffle_texts:
            walks = shuffle_texts(walks, config.seed)
        self.vocabulary, self.examples, self.validation = encode_walks(walks, validation, links, self.horizon)
        distances = DistanceTable.build(links.places.graphs, self.device)
        self.rewards = WalkRewards(REWARDS[config.reward], distances)
        self.scores = WalkRewards(REWARDS["fidelity"], distances)  # tracks nDTW
        self._build()
        self.epoch_size = config.examples_per_epoch or len(self.examples)
        self.updates_per_epoch = -(-self.epoch_size // config.batch_size)
        self.epochs_done, self.updates_done, self.seconds = 0, 0, 0.0
        self.statistics = torch.zeros(self.updates_per_epoch, len(STATISTICS), device=self.device)
        self.history: list[Row] = []
        self.best: dict[str, Any] | None = None
        self.epochs_without_best, self.has_new_best = 0, False

    def _build(self) -> None:
        config, cuda = self.config, self.device.type == "cuda"
        shape = PanoramicShape(len(self.vocabulary), self.links.view_dim)
        self.network_config = make_config(shape, config.overrides)
        self.network: PanoramicNetwork = build_network(self.network_config, config.seed).to(self.device)
        # On a GPU the learning rate is a tensor there, so that a captured step reads the present one.
        self.rate = torch.tensor(config.learning_rate, device=self.device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=self.rate, capturable=cuda, fused=cuda or None)
        captures = cuda and self.group.world_size == 1
        self.graphed_step = GraphedStep(self._update, config.batch_size, self.device) if captures else None

    @property
    def update(self) -> int:
        """Return the number of updates since the beginning."""
        return self.epochs_done * self.updates_per_epoch + self.updates_done

    @property
    def ended(self) -> bool:
        """Return whether all epochs are done or patience has run out."""
        return self.epochs_done >= self.config.epochs or self.epochs_without_best >= self.config.patience

    def scheduled_rate(self) -> float:
        """Return the learning rate of the next update."""
        return self.config.learning_rate * self.config.decay ** (self.update // self.config.decay_updates)

    def run_epoch(self, should_pause: Callable[[], Pause]) -> Pause:
        """Run the rest of an epoch and append its row; return why it paused before its end."""
        self.has_new_best = False
        begin, seconds_before, checked = time.perf_counter(), self.seconds, self.updates_done
        first = self.updates_done
        host_indices = self.order()
        device_indices = host_indices.to(self.device)
        while self.updates_done < self.updates_per_epoch:
            if self.updates_done % CHECK_INTERVAL == 0 or self.group.world_size == 1:
                pause = Pause(self.group.all_reduce_max(should_pause(), self.device))
                if pause and (pause != Pause.SAVE or self.updates_done > first):  # without an update, nothing is new
                    self._check_statistics(checked)
                    self.seconds = seconds_before + time.perf_counter() - begin
                    return pause
            self._step(host_indices, device_indices)
            if self.updates_done % CHECK_INTERVAL == 0 or self.updates_done == self.updates_per_epoch:
                loss = self._check_statistics(checked)
                checked, self.seconds = self.updates_done, seconds_before + time.perf_counter() - begin
                speed = min(self.updates_done * self.config.batch_size, self.epoch_size) / max(self.seconds, 1e-9)
                epoch, epochs = self.epochs_done + 1, self.config.epochs
                self.report(TrainProgress(epoch, epochs, self.updates_done, self.updates_per_epoch, loss, speed))
        self._finish_epoch(begin, seconds_before)
        return Pause.NO

    def order(self) -> Tensor:
        """Return the indices of the epoch's walks; batches of it have texts of similar lengths."""
        order = epoch_order(len(self.examples), self.config.seed, self.epochs_done, self.epoch_size)
        rng = np.random.default_rng([self.config.seed, 8, self.epochs_done])
        lengths = self.examples.host_lengths[order].numpy()
        return order[bucket_by_length(lengths, np.zeros_like(lengths), self.config.batch_size, rng)]

    def _step(self, host_indices: Tensor, device_indices: Tensor) -> None:
        """Update on one batch, of which this process takes its share; nothing here synchronizes with the device."""
        batch_size = self.config.batch_size
        begin = self.updates_done * batch_size
        size = min(batch_size, len(host_indices) - begin)
        host_indices, device_indices = (
            self.group.share(indices[begin : begin + size]) for indices in (host_indices, device_indices)
        )
        torch.manual_seed(update_seed(self.config.seed, self.update, self.group.rank))
        self.rate.fill_(self.scheduled_rate())
        if self.graphed_step is not None and size == batch_size:
            statistics = self.graphed_step(device_indices, self.examples.max_length(host_indices))
            self.statistics[self.updates_done] = statistics
        elif len(host_indices):
            share = len(host_indices) / size
            statistics = self._update(device_indices, self.examples.max_length(host_indices), share)
            self.statistics[self.updates_done] = statistics * share
        else:  # other processes have the last walks
            self.optimizer.zero_grad(set_to_none=True)
            self._optimize()
        self.updates_done += 1

    def _update(self, indices: Tensor, max_length: int, share: float = 1.0) -> Tensor:
        """Let the network walk in episodes, update it, and return its STATISTICS.

        Args:
            indices: The episodes, on the device.
            max_length: The number of words of the longest text.
            share: The share of the batch that these episodes are.
        """
        self.optimizer.zero_grad(set_to_none=True)
        imitate = torch.rand(len(indices), device=self.device) < self.config.imitation
        half = self.config.precision == "bfloat16"
        self.network.train()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=half):
            text = self.examples.encode(self.network, indices, max_length)
        self.network.eval()
        rollout = walk(
            self.network,
            self.examples,
            indices,
            text,
            self.horizon,
            self.rewards,
            sample=True,
            imitate=imitate,
            half=half,
        )
        self.network.train()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=half):
            policy = policy_along(self.network, self.links, text, rollout.places, rollout.headings, rollout.options)
        rewards = rollout.rewards / self.examples.sizes[indices][:, None]
        losses = mixed_loss(policy, rollout, rewards, imitate, self.config)
        (losses.loss * share).backward()  # type: ignore[no-untyped-call]
        gradient = self._optimize()
        return torch.stack([losses.loss.detach(), losses.returns, losses.entropy, losses.value, gradient])

    def _optimize(self) -> Tensor:
        """Sum gradients over processes, clip them and update the parameters; return their norm before."""
        self.group.sum_gradients(self.network)
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), self.config.max_grad_norm)
        self.optimizer.step()
        return norm

    def _check_statistics(self, since: int) -> float:
        """Return the mean loss since the last check; raise InputError if the policy has collapsed."""
        statistics = self.group.all_reduce_sum(self.statistics[since : self.updates_done].clone()).cpu()
        first = self.epochs_done * self.updates_per_epoch + since + 1
        loss = mean_loss(statistics[:, 0], lambda k, value: self._diverged(f"{value:f}", first + k))
        if len(statistics):
            entropy, value, gradient = statistics[:, 2:].mean(0).tolist()
            for name, got, is_valid, expected in (
                ("entropy", entropy, entropy >= MIN_ENTROPY, f"at least {MIN_ENTROPY:g}"),
                ("value", value, value <= MAX_VALUE, f"at most {MAX_VALUE:g}"),
                ("gradient", gradient, gradient <= MAX_GRADIENT, f"at most {MAX_GRADIENT:g}"),
            ):
                if not is_valid:
                    raise collapse_error(name, expected, got, self.update, self.config.learning_rate, self.folder)
        return loss

    def check_weights(self) -> None:
        """Raise InputError if a weight is not finite: such a state is never written."""
        check_finite(self.network, lambda got: self._diverged(got, self.update))

    def _diverged(self, got: str, update: int) -> InputError:
        return divergence_error(
            got, update, self.config.learning_rate, self.folder, "--learning-rate or --max-grad-norm"
        )

    def _finish_epoch(self, begin: float, seconds_before: float) -> None:
        """Append an epoch's row, and keep its weights if it is the best."""
        statistics = self.group.all_reduce_sum(self.statistics.clone()).double().mean(0).tolist()
        speed, rate = self.epoch_size / max(self.seconds, 1e-9), self.scheduled_rate()
        scores = self.validate()
        self.epochs_done, self.updates_done = self.epochs_done + 1, 0
        row = {
            "epoch": self.epochs_done,
            "update": self.update,
            **dict(zip(STATISTICS[:3], statistics, strict=False)),
            **scores,
            "rate": rate,
            "examples": self.epoch_size,
            "examples/s": round(speed, 2),
            "seconds": round(seconds_before + time.perf_counter() - begin, 3),
            "time": round(time.time(), 3),
        }
        self.history.append(row)
        self.statistics.zero_()
        self.seconds, self.epochs_without_best = 0.0, self.epochs_without_best + 1
        if self.best is None or row[self.config.select] > self.best[self.config.select]:
            self.epochs_without_best, self.has_new_best = 0, True
            self.best = {"epoch": row["epoch"], **scores, "weights": self._weights()}
        self.report(TrainProgress(message=format_row(row)))

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return the SCORES of the network's most probable walks in the validation episodes."""
        self.network.eval()
        by_length = torch.argsort(self.validation.host_lengths, stable=True)
        totals = torch.zeros(len(SCORES), dtype=torch.float64, device=self.device)
        for batch in torch.split(by_length, VALIDATION_BATCH[self.device.type]):
            indices = batch.to(self.device)
            text = self.validation.encode(self.network, indices, self.validation.max_length(batch))
            rollout = walk(self.network, self.validation, indices, text, self.horizon, self.scores)
            end = Progress(self.scores.table, rollout.walks)
            is_success = (end.goal_distance <= self.scores.table.threshold).double()
            totals += torch.stack([end.ndtw.sum(), end.sdtw.sum(), is_success.sum()])
        ndtw, sdtw, success = (totals / len(by_length)).tolist()
        return {"nDTW": ndtw, "SDTW": sdtw, "SR": 100.0 * success}

    def _weights(self) -> dict[str, Tensor]:
        return {name: value.detach().cpu().clone() for name, value in self.network.state_dict().items()}

    def checkpoint(self) -> PanoramicCheckpoint:
        """Return the best epoch's network, or the present one before there is any."""
        network = build_network(self.network_config, None).to(self.device)
        network.load_state_dict(self._weights() if self.best is None else self.best["weights"])
        info = {
            "seed": self.config.seed,
            "train_config": self.config.resume_key(),
            "examples_hash": self.examples_hash,
            "examples": len(self.examples),
            "notes": self.notes,
        }
        if self.best is not None:
            info |= {name: self.best[name] for name in ("epoch", *SCORES)}
        return PanoramicCheckpoint(network.eval(), self.network_config, self.vocabulary, self.horizon, info)

    def state(self) -> dict[str, Any]:
        """Return the training state as tensors and plain values; seeds follow from the update's number."""
        return {
            "train_config": self.config.resume_key(),
            "examples_hash": self.examples_hash,
            "backbone_hash": "",
            "epochs_done": self.epochs_done,
            "updates_done": self.updates_done,
            "seconds": self.seconds,
            "statistics": self.group.all_reduce_sum(self.statistics.clone()),
            "weights": self._weights(),
            "optimizer": self.optimizer.state_dict(),
            "history": self.history,
            "best": self.best,
            "epochs_without_best": self.epochs_without_best,
        }

    def write_history(self, folder: Path) -> None:
        """Write the history files."""
        write_history(folder, self.history, ("return", "entropy", *SCORES))

    def resume(self, state: dict[str, Any], folder: Path) -> None:
        """Load a state.

        Raises:
            InputError: It is of another configuration, or of other walks or features.
        """
        check_resumable(state, folder, self.config.resume_key(), self.examples_hash, "", PAPER)
        self.network.load_state_dict(state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate
        self.epochs_done, self.updates_done = state["epochs_done"], state["updates_done"]
        self.seconds = state["seconds"]
        if self.group.is_main:  # they include the other processes' shares
            self.statistics.copy_(state["statistics"])
        self.history, self.best = state["history"], state["best"]
        self.epochs_without_best = state["epochs_without_best"]


@lru_cache(maxsize=2)
def encode_walks(
    walks: WalkExamples, validation: WalkExamples, links: LinkTable, horizon: int
) -> tuple[Vocabulary, PanoramicWalks, PanoramicWalks]:
    """Return the vocabulary of walks, and all walks on the device; trainings on the same walks share them."""
    vocabulary = Vocabulary.from_texts(walks.texts, min_count=2)
    examples, others = (PanoramicWalks.build(part, links, vocabulary, horizon) for part in (walks, validation))
    return vocabulary, examples, others


@lru_cache(maxsize=2)
def examples_hash(walks: WalkExamples, validation: WalkExamples, links: LinkTable) -> str:
    """Return a hash of everything that training reads: walks, and features if there are any."""
    return walks.fingerprint() + validation.fingerprint() + ("" if links.views is None else links.views.hash)


def format_row(row: Row) -> str:
    """Return an epoch's row as a line for people."""
    return (
        f"epoch {row['epoch']}: loss {row['loss']:.4f}, return {row['return']:.3f}, entropy {row['entropy']:.3f}, "
        f"validation {format_scores(row)}, {row['examples/s']:,.0f} walks/s, {row['seconds']:.0f} s"
    )

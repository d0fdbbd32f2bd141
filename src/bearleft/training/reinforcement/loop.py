"""Training loop of panoramic networks: actor-critic with V-trace, mixed with imitation; validation, patience."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bearleft.envs.rewards import REWARDS, DistanceTable, Progress, WalkRewards
from bearleft.models.panoramic.checkpoint import PanoramicCheckpoint
from bearleft.models.panoramic.examples import PanoramicWalks
from bearleft.models.panoramic.links import LinkTable
from bearleft.models.panoramic.network import PanoramicNetwork, PanoramicShape, build_network, make_config
from bearleft.models.panoramic.rollout import policy_along, walk
from bearleft.models.vocabulary import Vocabulary
from bearleft.models.walking.examples import WalkExamples
from bearleft.training.checks import check_finite, check_resumable
from bearleft.training.distributed import ProcessGroup
from bearleft.training.history import ProgressCallback, Row, TrainProgress, write_history
from bearleft.training.pointing.loop import update_seed
from bearleft.training.reinforcement.actor_critic import (
    CHECK_INTERVAL,
    ActorCritic,
    Experience,
    Losses,
    mixed_loss,
    order_by_text,
)
from bearleft.training.reinforcement.config import SCORES, ReinforceConfig, format_scores
from bearleft.training.run import Pause
from bearleft.training.walking.batches import shuffle_texts
from bearleft.world.slices import PAPER

VALIDATION_BATCH = {"cpu": 128, "cuda": 4096}  # walks side by side


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
        self.epochs_done, self.updates_done, self.seconds = 0, 0, 0.0
        self.history: list[Row] = []
        self.best: dict[str, Any] | None = None
        self.epochs_without_best, self.has_new_best = 0, False

    def _build(self) -> None:
        config = self.config
        shape = PanoramicShape(len(self.vocabulary), self.links.view_dim)
        self.network_config = make_config(shape, config.overrides)
        self.network: PanoramicNetwork = build_network(self.network_config, config.seed).to(self.device)
        self.epoch_size = config.examples_per_epoch or len(self.examples)
        self.updates_per_epoch = -(-self.epoch_size // config.batch_size)
        self.updates = ActorCritic(
            self.network,
            self.losses,
            config.learning_rate,
            config.max_grad_norm,
            config.batch_size,
            self.updates_per_epoch,
            self.group,
        )

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
        return self.config.scheduled_rate(self.config.learning_rate, self.update)

    def run_epoch(self, should_pause: Callable[[], Pause]) -> Pause:
        """Run the rest of an epoch and append its row; return why it paused before its end."""
        self.has_new_best = False
        begin, seconds_before, checked = time.perf_counter(), self.seconds, self.updates_done
        first = self.updates_done
        order = self.order()
        while self.updates_done < self.updates_per_epoch:
            if self.updates_done % CHECK_INTERVAL == 0 or self.group.world_size == 1:
                pause = Pause(self.group.all_reduce_max(should_pause(), self.device))
                if pause and (pause != Pause.SAVE or self.updates_done > first):  # without an update, nothing is new
                    self._check(checked)
                    self.seconds = seconds_before + time.perf_counter() - begin
                    return pause
            self._step(order)
            if self.updates_done % CHECK_INTERVAL == 0 or self.updates_done == self.updates_per_epoch:
                loss = self._check(checked)
                checked, self.seconds = self.updates_done, seconds_before + time.perf_counter() - begin
                speed = min(self.updates_done * self.config.batch_size, self.epoch_size) / max(self.seconds, 1e-9)
                epoch, epochs = self.epochs_done + 1, self.config.epochs
                self.report(TrainProgress(epoch, epochs, self.updates_done, self.updates_per_epoch, loss, speed))
        self._finish_epoch(begin, seconds_before)
        return Pause.NO

    def order(self) -> Tensor:
        """Return the indices of the epoch's walks; batches of it have texts of similar lengths."""
        config, lengths = self.config, self.examples.host_lengths
        return order_by_text(lengths, config.seed, self.epochs_done, self.epoch_size, config.batch_size)

    def _step(self, order: Tensor) -> None:
        """Update on the next batch of an order."""
        begin = self.updates_done * self.config.batch_size
        batch = order[begin : begin + self.config.batch_size]
        seed = update_seed(self.config.seed, self.update, self.group.rank)
        self.updates.step(batch, self.updates_done, self.scheduled_rate(), seed, self.examples.max_length)
        self.updates_done += 1

    def losses(self, indices: Tensor, max_length: int) -> Losses:
        """Let the network walk in episodes, and return their loss."""
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
        experience = Experience(rollout.options, rollout.running, rollout.log_probs, rewards, imitate)
        return mixed_loss(policy.log_probs, policy.values, experience, self.config)

    def _check(self, since: int) -> float:
        """Return the mean loss since the last check; raise InputError if the policy has collapsed."""
        return self.updates.check(since, self.updates_done, self.update, self.folder)

    def check_weights(self) -> None:
        """Raise InputError if a weight is not finite: such a state is never written."""
        check_finite(self.network, lambda got: self.updates.diverged(got, self.update, self.folder))

    def _finish_epoch(self, begin: float, seconds_before: float) -> None:
        """Append an epoch's row, and keep its weights if it is the best."""
        means, speed, rate = self.updates.means(), self.epoch_size / max(self.seconds, 1e-9), self.scheduled_rate()
        scores = self.validate()
        self.epochs_done, self.updates_done = self.epochs_done + 1, 0
        row = {
            "epoch": self.epochs_done,
            "update": self.update,
            **means,
            **scores,
            "rate": rate,
            "examples": self.epoch_size,
            "examples/s": round(speed, 2),
            "seconds": round(seconds_before + time.perf_counter() - begin, 3),
            "time": round(time.time(), 3),
        }
        self.history.append(row)
        self.updates.statistics.zero_()
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
            "weights": self._weights(),
            **self.updates.state(),
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
        self.updates.resume(state)
        self.epochs_done, self.updates_done = state["epochs_done"], state["updates_done"]
        self.seconds = state["seconds"]
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

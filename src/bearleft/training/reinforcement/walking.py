"""Training of walking networks by rewards: `WalkTrainer` with the updates of actor and critic.

The network walks by the actions that it draws from its policy, in whole worlds whose views are there. The critic is one
layer on the features that the network chooses an action by. It lies beside the network, in the training state: agents
do not need it, and checkpoints of imitation have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from bearleft.envs.rewards import REWARDS, DistanceTable, Progress, WalkRewards
from bearleft.errors import InputError
from bearleft.models.backbones.registry import Backbone
from bearleft.models.walking.checkpoint import WalkCheckpoint
from bearleft.models.walking.examples import NO_LABEL, steps_along
from bearleft.models.walking.network import full_precision
from bearleft.models.walking.rollout import roll_out
from bearleft.models.walking.views import FeatureViews, RgbViews, Views
from bearleft.training.checks import check_finite
from bearleft.training.history import Row, write_history
from bearleft.training.pointing.loop import update_seed
from bearleft.training.reinforcement.actor_critic import ActorCritic, Experience, Losses, mixed_loss, order_by_text
from bearleft.training.reinforcement.config import WalkReinforceConfig
from bearleft.training.walking.config import TEST_HORIZON
from bearleft.training.walking.loop import WalkTrainer


class WalkReinforceTrainer(WalkTrainer):
    """A walking network in training by rewards; it takes the arguments of `WalkTrainer`."""

    config: WalkReinforceConfig
    scores: ClassVar[tuple[str, ...]] = ("nDTW", "SDTW", "SPD", "TC")

    def _build(self, views: Views | None, backbone: Backbone | None, init: WalkCheckpoint | None) -> None:
        super()._build(views, backbone, init)
        config = self.config
        distances = DistanceTable.build(self.table.places.graphs, self.device)
        self.rewards = WalkRewards(REWARDS[config.reward], distances)
        self.fidelity = WalkRewards(REWARDS["fidelity"], distances)  # tracks nDTW
        if not self.network.feature_dim:
            raise InputError("a network whose policy has features, for the critic", config.network, "network")
        self.value = nn.Linear(self.network.feature_dim, 1, device=self.device)
        # At first its gradient changes the critic alone, and not a network that has been trained before.
        nn.init.zeros_(self.value.weight)
        nn.init.zeros_(self.value.bias)
        self.actor_critic = nn.ModuleDict({"network": self.network, "value": self.value})
        self.updates = ActorCritic(
            self.actor_critic,
            self.walk_losses,
            self.settings["learning_rate"],
            config.max_grad_norm,
            self.settings["batch_size"],
            self.updates_per_epoch,
            self.group,
            self.spec.weight_decay,
            captures=views is None or isinstance(views, FeatureViews | RgbViews),  # look-ups of what is prepared
        )
        self.optimizer = self.updates.optimizer

    def scheduled_rate(self) -> float:
        """Return the learning rate of the next update."""
        return self.config.scheduled_rate(self.settings["learning_rate"], self.update)

    def order(self, sources: Tensor, size: int | None = None) -> Tensor:
        """Return the indices of the epoch's walks; batches of it have texts of similar lengths."""
        lengths, batch_size = self.examples.host_lengths, self.settings["batch_size"]
        return order_by_text(lengths, self.config.seed, self.epochs_done, size or self.epoch_size, batch_size)

    def _encode_texts(self) -> None:
        """Keep the pieces of words: CUDA graphs read them where they are."""

    def _step(self, order: Tensor, sources: Tensor) -> None:
        """Update on the next batch of an order."""
        size = self.settings["batch_size"]
        batch = order[self.updates_done * size : (self.updates_done + 1) * size]
        seed = update_seed(self.config.seed, self.update, self.group.rank)
        self.updates.step(batch, self.updates_done, self.scheduled_rate(), seed, self.examples.max_length)
        self.updates_done += 1

    def walk_losses(self, indices: Tensor, max_length: int) -> Losses:
        """Let the network walk in episodes, and return their loss."""
        examples, network = self.examples, self.network
        imitate = torch.rand(len(indices), device=self.device) < self.config.imitation
        network.train()
        with self._autocast():
            text = examples.encode(network, indices, max_length)
        network.eval()
        walks = roll_out(
            network,
            self.reader,
            examples,
            indices,
            text,
            self.config.horizon,
            sample=True,
            half=self.half,
            rewards=self.rewards,
            imitate=imitate,
            temperature=self.config.temperature,
        )
        network.train()
        steps = steps_along(self.reader, self.table, walks.states, walks.actions)
        with self._autocast():
            policy = network(text, steps)
        assert policy.features is not None and walks.rewards is not None
        values = self.value(full_precision(policy.features))[:, :, 0]
        rewards = walks.rewards / examples.route_lengths[indices][:, None]
        running = walks.actions != NO_LABEL
        experience = Experience(walks.actions.clamp(min=0), running, walks.log_probs, rewards, imitate)
        # References are learned as by imitation alone.
        log_probs = torch.where(imitate[:, None, None], policy.log_probs, policy.sharpened(self.config.temperature))
        return mixed_loss(full_precision(log_probs), values, experience, self.config)

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.half)

    def _check_losses(self, since: int) -> float:
        """Return the mean loss since the last check; raise InputError if the policy has collapsed."""
        return self.updates.check(since, self.updates_done, self.update, self.folder)

    def check_weights(self) -> None:
        """Raise InputError if a weight is not finite: such a state is never written."""
        check_finite(self.actor_critic, lambda got: self.updates.diverged(got, self.update, self.folder))

    def training_means(self) -> dict[str, float]:
        """Return the means over an epoch of loss, return and entropy."""
        return self.updates.means()

    def is_better(self, row: Row, best: Mapping[str, Any]) -> bool:
        """Return whether an epoch is better than the best one so far."""
        name = self.config.select
        return bool(row[name] < best[name] if name == "SPD" else row[name] > best[name])

    def add_row(self, row: Row) -> None:
        """Append an epoch's row, and keep its weights if it is the best."""
        super().add_row(row)
        self.updates.statistics.zero_()

    def validate(self) -> dict[str, float]:
        """Return the scores of the network's walks in the validation episodes."""
        indices = torch.arange(len(self.validation))
        batches = self._walk(self.validation, indices, TEST_HORIZON, rewards=self.fidelity)
        ends = [Progress(self.fidelity.table, walks.rewarded) for _, walks in batches if walks.rewarded is not None]
        sums = [torch.stack([end.ndtw.sum(), end.sdtw.sum()]) for end in ends]
        ndtw, sdtw = (torch.stack(sums).sum(0) / len(indices)).tolist()
        return {"nDTW": ndtw, "SDTW": sdtw, **self.score(batches)}

    def state(self) -> dict[str, Any]:
        """Return the training state as tensors and plain values; seeds follow from the update's number."""
        value = {name: tensor.detach().cpu().clone() for name, tensor in self.value.state_dict().items()}
        return super().state() | self.updates.state() | {"value": value}

    def resume(self, state: dict[str, Any], folder: Path) -> None:
        """Load a state.

        Raises:
            InputError: It is of another configuration, other walks, slices or another backbone.
        """
        super().resume(state, folder)
        self.value.load_state_dict(state["value"])
        self.updates.resume(state)

    def write_history(self, folder: Path) -> None:
        """Write the history files."""
        write_history(folder, self.history, ("return", "entropy", *self.scores))

    def format_row(self, row: Row) -> str:
        """Return an epoch's row as a line for people."""
        return (
            f"epoch {row['epoch']}: loss {row['loss']:.4f}, return {row['return']:.4f}, entropy {row['entropy']:.3f}, "
            f"validation {format_walk_scores(row)}, {row['examples/s']:,.0f} walks/s, {row['seconds']:.0f} s"
        )


def format_walk_scores(scores: Mapping[str, float]) -> str:
    """Return the scores of walks through streets for people."""
    return f"nDTW {scores['nDTW']:.3f}, SDTW {scores['SDTW']:.3f}, SPD {scores['SPD']:.2f}, TC {scores['TC']:.1f} %"

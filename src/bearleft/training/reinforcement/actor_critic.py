"""What trainings by rewards share: the loss of walks, the optimizer, statistics, and a policy that has collapsed.

In an update a network walks in a batch of episodes: in some of them, drawn for each anew, along the reference as the
teacher does, in the others by its own samples. Then it reads all walks in one call. It learns the teacher's actions of
the former, and from the rewards of the latter. Episodes, rewards and network lie on one device; nothing is read back
within an update, and on a GPU a CUDA graph replays the whole of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from bearleft.errors import InputError
from bearleft.training.checks import collapse_error, divergence_error, mean_loss
from bearleft.training.cuda_graphs import GraphedStep
from bearleft.training.distributed import ProcessGroup
from bearleft.training.reinforcement.config import ActorCriticConfig
from bearleft.training.reinforcement.vtrace import vtrace
from bearleft.training.walking.batches import bucket_by_length, epoch_order

CHECK_INTERVAL = 25  # updates between two reads of their statistics, which synchronize with the device
STATISTICS = ("loss", "return", "entropy", "value", "gradient")
# Means over CHECK_INTERVAL updates beyond which a policy has collapsed: nats of a choice, returns, and their gradient.
MIN_ENTROPY, MAX_VALUE, MAX_GRADIENT = 1e-6, 1e4, 1e6
MIN_ADVANTAGE = 1e-6  # root mean square by which advantages are divided at least


@dataclass(frozen=True, eq=False)
class Experience:
    """Walks to learn from; row k is walk k."""

    actions: Tensor  # (n, t); any valid one behind the end
    running: Tensor  # (n, t): False behind the end
    log_probs: Tensor  # (n, t) of the actions, by the policy that walked
    rewards: Tensor  # (n, t)
    imitate: Tensor  # (n,): which took the teacher's actions


@dataclass(frozen=True)
class Losses:
    """The loss of a batch of walks, and what is watched; all are scalars on the device."""

    loss: Tensor  # the sum over steps, and the mean over walks
    returns: Tensor  # mean sum of the rewards of a walk by the network's own samples
    entropy: Tensor  # mean over steps
    value: Tensor  # mean absolute estimate


def mixed_loss(log_probs: Tensor, values: Tensor, experience: Experience, config: ActorCriticConfig) -> Losses:
    """Return the loss of walks: cross entropy where the teacher walked, else that of actor and critic.

    Args:
        log_probs: The network's policy at all steps (n, t, actions), with gradients.
        values: Its estimated returns (n, t), with gradients.
        experience: The walks.
        config: Weights and discount.
    """
    running, imitate, rewards = experience.running, experience.imitate, experience.rewards
    own = ~imitate
    chosen = log_probs.gather(2, experience.actions[:, :, None])[:, :, 0]
    targets = vtrace(chosen.detach() - experience.log_probs, rewards, values.detach(), running, config.discount)
    advantages = targets.advantages
    if config.normalize_advantages:
        counts = running & own[:, None]
        mean_square = (advantages**2 * counts).sum() / counts.sum().clamp(min=1)
        advantages = advantages / mean_square.sqrt().clamp(min=MIN_ADVANTAGE)
    entropy = -(log_probs.exp() * log_probs).sum(2)
    actor = -chosen * advantages - config.entropy_weight * entropy
    critic = 0.5 * (targets.values - values) ** 2
    loss = torch.where(imitate[:, None], -chosen, actor + config.value_weight * critic)
    steps = running.sum().clamp(min=1)
    return Losses(
        torch.where(running, loss, 0.0).sum() / len(imitate),
        (rewards.sum(1) * own).sum() / own.sum().clamp(min=1),
        torch.where(running, entropy.detach(), 0.0).sum() / steps,
        torch.where(running, values.detach().abs(), 0.0).sum() / steps,
    )


def order_by_text(lengths: Tensor, seed: int, epoch: int, size: int, batch_size: int) -> Tensor:
    """Return the indices of an epoch's walks; batches of it have texts of similar lengths (n,)."""
    order = epoch_order(len(lengths), seed, epoch, size)
    texts, rng = lengths[order].numpy(), np.random.default_rng([seed, 8, epoch])
    return order[bucket_by_length(texts, np.zeros_like(texts), batch_size, rng)]


class ActorCritic:
    """The updates of actor and critic: their optimizer, and the STATISTICS of the updates of an epoch.

    Args:
        network: All that is trained, on its device.
        losses: Lets the network walk in the episodes of some indices, and returns their loss; the second argument is
            the number of tokens of the longest text.
        learning_rate: The rate of the first update.
        max_grad_norm: The norm to which gradients are clipped.
        batch_size: Episodes of an update.
        updates_per_epoch: Updates of an epoch.
        group: The processes that share the updates.
        weight_decay: With any, the optimizer is AdamW instead of Adam.
        captures: Whether an update may be recorded as a CUDA graph.
    """

    def __init__(
        self,
        network: nn.Module,
        losses: Callable[[Tensor, int], Losses],
        learning_rate: float,
        max_grad_norm: float,
        batch_size: int,
        updates_per_epoch: int,
        group: ProcessGroup,
        weight_decay: float = 0.0,
        captures: bool = True,
    ) -> None:
        self.network, self.losses, self.group = network, losses, group
        self.learning_rate, self.max_grad_norm, self.batch_size = learning_rate, max_grad_norm, batch_size
        self.device = next(network.parameters()).device
        cuda = self.device.type == "cuda"
        # On a GPU the learning rate is a tensor there, so that a captured step reads the present one.
        self.rate = torch.tensor(learning_rate, device=self.device)
        settings: dict[str, Any] = {"lr": self.rate, "capturable": cuda, "fused": cuda or None}
        self.optimizer: torch.optim.Optimizer = (
            torch.optim.AdamW(network.parameters(), weight_decay=weight_decay, **settings)
            if weight_decay
            else torch.optim.Adam(network.parameters(), **settings)
        )
        captures = captures and cuda and group.world_size == 1
        self.graphed_step = GraphedStep(self.update, batch_size, self.device) if captures else None
        self.statistics = torch.zeros(updates_per_epoch, len(STATISTICS), device=self.device)

    def step(self, batch: Tensor, position: int, rate: float, seed: int, max_length: Callable[[Tensor], int]) -> None:
        """Update on one batch, of which this process takes its share; nothing here synchronizes with the device.

        Args:
            batch: Indices of the episodes, on the CPU.
            position: Number of the update in its epoch.
            rate: The learning rate.
            seed: Of all that is drawn.
            max_length: Returns the number of tokens of the longest of some texts.
        """
        host_indices = self.group.share(batch)
        indices = host_indices.to(self.device, non_blocking=True)
        torch.manual_seed(seed)
        self.rate.fill_(rate)
        if self.graphed_step is not None and len(batch) == self.batch_size:
            self.statistics[position] = self.graphed_step(indices, max_length(host_indices))
        elif len(host_indices):
            share = len(host_indices) / len(batch)
            self.statistics[position] = self.update(indices, max_length(host_indices), share) * share
        else:  # other processes have the last walks
            self.optimizer.zero_grad(set_to_none=True)
            self._optimize()

    def update(self, indices: Tensor, max_length: int, share: float = 1.0) -> Tensor:
        """Update the network on episodes, the given share of a batch, and return the STATISTICS."""
        self.optimizer.zero_grad(set_to_none=True)
        losses = self.losses(indices, max_length)
        (losses.loss * share).backward()  # type: ignore[no-untyped-call]
        gradient = self._optimize()
        return torch.stack([losses.loss.detach(), losses.returns, losses.entropy, losses.value, gradient])

    def _optimize(self) -> Tensor:
        """Sum gradients over processes, clip them and update the parameters; return their norm before."""
        self.group.sum_gradients(self.network)
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), self.max_grad_norm)
        self.optimizer.step()
        return norm

    def means(self) -> dict[str, float]:
        """Return the means over an epoch of loss, return and entropy."""
        values = self.group.all_reduce_sum(self.statistics.clone()).double().mean(0).tolist()
        return dict(zip(STATISTICS[:3], values, strict=False))

    def check(self, since: int, until: int, update: int, folder: Path) -> float:
        """Return the mean loss of consecutive updates of an epoch.

        Args:
            since: Number of the first one in its epoch.
            until: Number behind the last one.
            update: Number behind the last one since the beginning.
            folder: The folder of the training.

        Raises:
            InputError: A loss is not finite, or the policy has collapsed.
        """
        statistics = self.group.all_reduce_sum(self.statistics[since:until].clone()).cpu()
        first = update - (until - since) + 1
        loss = mean_loss(statistics[:, 0], lambda k, value: self.diverged(f"{value:f}", first + k, folder))
        if len(statistics):
            entropy, value, gradient = statistics[:, 2:].mean(0).tolist()
            for name, got, is_valid, expected in (
                ("entropy", entropy, entropy >= MIN_ENTROPY, f"at least {MIN_ENTROPY:g}"),
                ("value", value, value <= MAX_VALUE, f"at most {MAX_VALUE:g}"),
                ("gradient", gradient, gradient <= MAX_GRADIENT, f"at most {MAX_GRADIENT:g}"),
            ):
                if not is_valid:
                    raise collapse_error(name, expected, got, update, self.learning_rate, folder)
        return loss

    def diverged(self, got: str, update: int, folder: Path) -> InputError:
        """Return the error for a loss or weights that are not finite."""
        return divergence_error(got, update, self.learning_rate, folder, "--learning-rate or --max-grad-norm")

    def state(self) -> dict[str, Any]:
        """Return the state of optimizer and statistics."""
        return {
            "optimizer": self.optimizer.state_dict(),
            "statistics": self.group.all_reduce_sum(self.statistics.clone()),
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Load a state."""
        self.optimizer.load_state_dict(state["optimizer"])
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate
        if self.group.is_main:  # they include the other processes' shares
            self.statistics.copy_(state["statistics"])

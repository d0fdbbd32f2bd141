"""The peer of batched imitation: a plain loop, one walk at a time and one call of the network for each step."""

from __future__ import annotations

import torch
from torch import Tensor

from bearleft.models.walking.examples import NO_LABEL, StepReader
from bearleft.models.walking.network import NO_ACTION
from bearleft.training.walking.loop import WalkTrainer, make_optimizer


class StepLoop:
    """Updates of a network of its own on the walks of a trainer, on the same device.

    The negative log-likelihoods of a walk's steps are summed, and there is one update per walk. Nothing is computed
    behind the end of a walk, and nothing waits for the device.
    """

    def __init__(self, trainer: WalkTrainer) -> None:
        spec = trainer.spec
        self.network = spec.build(trainer.network_config, trainer.config.seed).to(trainer.device).train()
        self.reader = StepReader.make(self.network, trainer.table.places, trainer.reader.views, trainer.table.device)
        self.table, self.examples = trainer.table, trainer.examples
        self.optimizer = make_optimizer(self.network, spec.weight_decay, trainer.settings["learning_rate"])
        self.lengths: list[int] = (self.examples.actions != NO_LABEL).sum(1).tolist()
        self.next = 0

    def loss(self, walk: int) -> Tensor:
        """Return the sum of the negative log-likelihoods of a walk's actions."""
        table, words = self.table, int(self.examples.host_lengths[walk])
        text = self.network.encode(self.examples.words[walk : walk + 1, :words], self.examples.lengths[walk : walk + 1])
        states, actions = self.examples.states[walk : walk + 1], self.examples.actions[walk : walk + 1]
        total = torch.zeros((), device=table.device)
        previous = torch.full_like(actions[:, :1], NO_ACTION)
        before, memory = table.heading[states[:, :1]], None
        for step in range(self.lengths[walk]):
            state, action = states[:, step : step + 1], actions[:, step : step + 1]
            heading = table.heading[state]
            policy = self.network(text, self.reader(table.place[state], heading, before, previous, step), memory)
            total = total - policy.log_probs.gather(2, action[:, :, None]).sum()
            before, previous, memory = heading, action, policy.state
        return total

    def __call__(self) -> None:
        """Update on the next walk."""
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(self.next).backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.next = (self.next + 1) % len(self.lengths)

"""The interface of ArraMon's networks: two modules, one that collects in the city and one that assembles in the room.

A module reads all steps of a leg in one call, or one step after another with the state of the call before; both give
the same probabilities. Tensors of steps are (b, t, ...): legs of one batch, and time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from bearleft.models.walking.network import EncodedText

ACTION_COUNT = 4  # forward, left, right, and pick or place
NO_ACTION = 4  # before the first action of a leg
COLLECT, ASSEMBLE = range(2)  # phases
PHASE_NAMES = ("navigation", "assembly")
POSE_DIM = 4  # metres to the right and ahead since the leg began, sine and cosine of the rotation


@dataclass(frozen=True)
class ArraMonShape:
    """Sizes of a network's inputs."""

    vocabulary_size: int
    channels: int = 256  # of a feature map
    rows: int = 7  # of a feature map, as many as columns


@dataclass(frozen=True)
class Steps:
    """Consecutive steps of legs, on one device."""

    previous_actions: Tensor  # (b, t) int64; NO_ACTION at the first step
    poses: Tensor  # (b, t, POSE_DIM) relative to the pose in which the leg began
    numbers: Tensor  # (t,) int64, counted from 0
    maps: Tensor | None = None  # (b, t, channels, rows, rows) feature maps of the views; None for a blind network


@dataclass(frozen=True)
class Policy:
    """Output of a module for some steps."""

    log_probs: Tensor  # (b, t, actions)
    state: Any  # for the next steps
    words: Tensor | None = None  # (b, t, l): attention over words
    views: Tensor | None = None  # (b, t, rows, rows): attention over the view


class PhaseModule(nn.Module, ABC):
    """A module that chooses the actions of one phase, or of both."""

    @abstractmethod
    def encode(self, words: Tensor, lengths: Tensor) -> EncodedText:
        """Encode texts (b, l) int64, padded with 0, of lengths (b,)."""

    @abstractmethod
    def forward(
        self, text: EncodedText, steps: Steps, phase: int, state: Any = None, attention: bool = False
    ) -> Policy:
        """Return the policy for consecutive steps.

        Args:
            text: The encoded texts.
            steps: The steps.
            phase: COLLECT or ASSEMBLE.
            state: The state that the call for the steps before returned; None at the beginning of legs.
            attention: Whether attention weights are returned, by modules that have some.
        """


class ArraMonNetwork(nn.Module):
    """A module for each phase, or one for both.

    Args:
        navigation: Chooses actions in the city.
        assembly: Chooses actions in the room; the same module may serve both.
        sees: Whether the modules read feature maps.
    """

    def __init__(self, navigation: PhaseModule, assembly: PhaseModule, sees: bool) -> None:
        super().__init__()
        self.navigation, self.assembly, self.sees = navigation, assembly, sees

    def module(self, phase: int) -> PhaseModule:
        """Return the module of a phase."""
        return self.navigation if phase == COLLECT else self.assembly

    def encode(self, words: Tensor, lengths: Tensor, phase: int) -> EncodedText:
        """Encode texts (b, l) of one phase."""
        return self.module(phase).encode(words, lengths)

    def forward(
        self, text: EncodedText, steps: Steps, phase: int, state: Any = None, attention: bool = False
    ) -> Policy:
        """Return the policy of a phase's module for consecutive steps."""
        policy: Policy = self.module(phase)(text, steps, phase, state, attention)
        return policy

    @property
    def parameter_count(self) -> int:
        """Number of trainable parameters, those of a shared module once."""
        return sum(parameter.numel() for parameter in self.parameters() if parameter.requires_grad)


def relative_poses(positions: Tensor, headings: Tensor, start: Tensor, start_heading: Tensor) -> Tensor:
    """Return poses (b, t, POSE_DIM) relative to where legs began.

    Args:
        positions: Metres east and north (b, t, 2).
        headings: Degrees clockwise from north (b, t).
        start: Position (b, 2) at the beginning of the leg.
        start_heading: Heading (b,) at the beginning of the leg.
    """
    angle, turned = torch.deg2rad(start_heading)[:, None], torch.deg2rad(headings - start_heading[:, None])
    east, north = (positions - start[:, None]).unbind(2)
    right = east * angle.cos() - north * angle.sin()
    ahead = east * angle.sin() + north * angle.cos()
    return torch.stack([right, ahead, turned.sin(), turned.cos()], 2).float()

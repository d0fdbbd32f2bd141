"""The interface of walking networks: texts and the steps of walks go in, probabilities of actions come out.

A network reads all steps of a walk in one call (teacher forcing), or one step after another with the state of the call
before; both give the same probabilities. Tensors of steps are (b, t, ...): walks of one batch, and time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from bearleft.world.graphs.transitions import ACTIONS, STOP

ACTION_COUNT = len(ACTIONS)
NO_ACTION = ACTION_COUNT  # the previous action of a first step
MAX_LINKS = 8  # places with more links count as this many
MAX_REMAINING = 15  # actions before stop that networks tell apart
MAX_STEPS = 64  # steps that networks have an embedding for; later steps share the last one
SECTORS = 64  # directions around a walker, clockwise from the heading
BANDS = 4  # of pitch, from top to bottom
MIN_REACHED = 1e-6  # probabilities of having reached the place to stop are this far from 0 and 1, as logits
# Kinds of views, as `bearleft.models.walking.views` computes them.
NO_VIEW, MEAN_MAP, RGB, CELLS = "none", "mean map", "rgb", "cells"


@dataclass(frozen=True)
class WalkShape:
    """Sizes of a network's inputs."""

    vocabulary_size: int
    view_rows: int = 100  # of a mean map or an RGB view, as many as columns
    cell_channels: int = 256  # of a cell


@dataclass(frozen=True)
class Steps:
    """Consecutive steps of walks, on one device."""

    previous_actions: Tensor  # (b, t) int64; NO_ACTION at the first step
    junctions: Tensor  # (b, t) int64: links of the place
    heading_changes: Tensor  # (b, t) degrees since the step before, -180 to 180
    numbers: Tensor  # (t,) int64: number of each step
    views: Tensor | None = None  # (b, t, ...), of the network's kind
    links: Tensor | None = None  # (b, t, SECTORS): number of links in each direction


@dataclass(frozen=True)
class EncodedText:
    """A batch of texts after the text encoder."""

    tokens: Tensor  # (b, l, d); (b, 1, d) if the encoder makes one vector of a text
    mask: Tensor  # (b, l): True where there is a token


@dataclass(frozen=True)
class Policy:
    """Output of a network for some steps."""

    log_probs: Tensor  # (b, t, actions)
    state: Any  # for the next steps
    words: Tensor | None = None  # (b, t, l): attention over tokens, if it was asked for
    views: Tensor | None = None  # (b, t, v): attention over sectors clockwise from the heading, if it was asked for
    remaining: Tensor | None = None  # (b, t, MAX_REMAINING + 1): log-probabilities of the number of actions before stop
    reached: Tensor | None = None  # (b, t): probability that the place to stop is here or was passed
    features: Tensor | None = None  # (b, t, feature_dim): what the last layers that choose an action read
    grounding: Tensor | None = None  # (b, t, l, sectors x bands + 1): scores of what a token names; the last: not seen

    def probabilities(self, step: int = 0) -> Tensor:
        """Return what the choice of each walk at a step is made of: probabilities (b, actions).

        Stopping has, by networks that compute it, the probability that the place to stop is here or was passed.
        """
        log_probs = self.log_probs[:, step]
        if self.reached is None:
            return log_probs.exp()
        reached = self.reached[:, step, None]
        return torch.cat([(1 - reached) * log_probs[:, :STOP].softmax(1), reached], 1)

    def sharpened(self, temperature: float) -> Tensor:
        """Return log-probabilities (b, t, actions) of which `choose` takes the mode of each decision.

        With a temperature of 1 they are those of `probabilities`, with lower ones the choice gets more probable.
        """
        if self.reached is None:
            return (self.log_probs / temperature).log_softmax(2)
        logit = self.reached[:, :, None].logit(MIN_REACHED) / temperature
        move = (self.log_probs[:, :, :STOP] / temperature).log_softmax(2)
        return torch.cat([logsigmoid(-logit) + move, logsigmoid(logit)], 2)

    def choose(self, step: int = 0) -> Tensor:
        """Return the action (b,) of each walk at a step.

        A walker stops if that is the most probable action or, by networks that compute it, as soon as the place to
        stop is more probably here or passed than ahead.
        """
        log_probs = self.log_probs[:, step]
        if self.reached is None:
            return log_probs.argmax(1)
        return torch.where(self.reached[:, step] >= 0.5, STOP, log_probs[:, :STOP].argmax(1))


class WalkNetwork(nn.Module, ABC):
    """A network that chooses actions."""

    view_kind: ClassVar[str] = NO_VIEW
    uses_links: ClassVar[bool] = False

    @property
    def views(self) -> str:
        """Kind of the views that this network reads; NO_VIEW if its config says that it reads none."""
        return self.view_kind

    @property
    def grounds_words(self) -> bool:
        """Whether the network estimates where the things that words name are seen."""
        return False

    @property
    def feature_dim(self) -> int:
        """Size of the features of a step, which the critic of learning by rewards reads; 0 if policies have none."""
        return 0

    @abstractmethod
    def encode(self, words: Tensor, lengths: Tensor) -> EncodedText:
        """Encode texts (b, l) int64, padded with 0, of lengths (b,)."""

    @abstractmethod
    def forward(self, text: EncodedText, steps: Steps, state: Any = None, attention: bool = False) -> Policy:
        """Return the policy for consecutive steps.

        Args:
            text: The encoded texts.
            steps: The steps.
            state: The state that the call for the steps before returned; None at the beginning of walks.
            attention: Whether attention weights are returned, by networks that have some.
        """


def full_precision(x: Tensor) -> Tensor:
    """Return values of bfloat16 in float32, and others as they are."""
    return x.float() if x.dtype in (torch.bfloat16, torch.float16) else x


def mask_of(words: Tensor, lengths: Tensor) -> Tensor:
    """Return (b, l): True where there is a token."""
    return torch.arange(words.shape[1], device=words.device) < lengths[:, None]


def last_states(states: Tensor, lengths: Tensor) -> Tensor:
    """Return the states (b, d) of the last tokens, of states (b, l, d)."""
    index = (lengths - 1)[:, None, None].expand(-1, 1, states.shape[2])
    return states.gather(1, index)[:, 0]


def bidirectional(lstm: nn.LSTM, inputs: Tensor, mask: Tensor) -> Tensor:
    """Return the states (b, l, 2 x d) of a bidirectional LSTM that does not read the padding behind texts.

    Each text is read twice, aligned to the start of its row and to the end: the forward states are taken from the
    first, the backward states from the second. So no length has to be known on the host.
    """
    count, length = mask.shape
    lengths = mask.sum(1)
    shift = length - lengths
    to_right = (torch.arange(length, device=mask.device) - shift[:, None]).clamp(min=0)
    right = inputs.gather(1, to_right[:, :, None].expand_as(inputs))
    states = lstm(torch.cat([inputs, right]))[0].view(2 * count, length, 2, -1)
    to_left = (torch.arange(length, device=mask.device) + shift[:, None]).clamp(max=length - 1)
    backward = states[count:, :, 1]
    backward = backward.gather(1, to_left[:, :, None].expand_as(backward))
    return torch.cat([states[:count, :, 0], backward], 2) * mask[:, :, None]


def step_embedding(embedding: nn.Embedding, numbers: Tensor, count: int) -> Tensor:
    """Return the embeddings (b, t, d) of steps by their numbers (t,)."""
    vectors: Tensor = embedding(numbers.clamp(max=embedding.num_embeddings - 1))
    return vectors.expand(count, -1, -1)

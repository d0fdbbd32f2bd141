"""What RCONCAT and GA (Touchdown, appendix E.1) share: text and view encoders, the LSTM over steps and its output."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from bearleft.models.walking.network import (
    ACTION_COUNT,
    MAX_STEPS,
    MEAN_MAP,
    NO_VIEW,
    RGB,
    EncodedText,
    Policy,
    Steps,
    WalkNetwork,
    WalkShape,
    full_precision,
    last_states,
    step_embedding,
)
from bearleft.models.walking.paper_cnn import ViewEncoder


@dataclass(frozen=True)
class PaperConfig:
    """Sizes that both networks have; the defaults are the paper's."""

    shape: WalkShape
    text: bool = True  # False: NO-TEXT
    image: bool = True  # False: NO-IMAGE
    rgb: bool = False  # RGB views of 60 degrees (appendix F.1) instead of features
    word_dim: int = 32
    text_dim: int = 256
    time_dim: int = 32
    hidden_dim: int = 256


class PaperNetwork(WalkNetwork):
    """Text and view of a step -> LSTM; [its state; time] -> one layer -> four actions.

    A subclass adds its layers in the order in which they are applied: those for texts, `add_view_encoder`, its own,
    and last `add_policy`. Weights are drawn in this order.
    """

    config: PaperConfig

    def __init__(self, config: PaperConfig) -> None:
        super().__init__()
        self.config = config
        if config.text:
            self.embedding = nn.Embedding(config.shape.vocabulary_size, config.word_dim, padding_idx=0)
            self.text_lstm = nn.LSTM(config.word_dim, config.text_dim, batch_first=True)

    def add_view_encoder(self, filters: tuple[int, int], strides: tuple[int, int], output_dim: int) -> None:
        """Add the view's encoder, unless the network sees nothing."""
        if self.config.image:
            channels = 3 if self.config.rgb else 1
            self.view_encoder = ViewEncoder(self.config.shape.view_rows, channels, filters, strides, output_dim)

    def add_policy(self, input_dim: int) -> None:
        """Add the LSTM over steps and the output layer, for inputs of a size."""
        config = self.config
        self.time_embedding = nn.Embedding(MAX_STEPS, config.time_dim)
        self.lstm = nn.LSTM(input_dim, config.hidden_dim, batch_first=True)
        self.output = nn.Linear(config.hidden_dim + config.time_dim, ACTION_COUNT)

    @property
    def views(self) -> str:
        """Kind of the views that this network reads."""
        return (RGB if self.config.rgb else MEAN_MAP) if self.config.image else NO_VIEW

    @property
    def feature_dim(self) -> int:
        """Size of the features of a step."""
        return self.output.in_features

    def encode(self, words: Tensor, lengths: Tensor) -> EncodedText:
        """Return each text as one token."""
        mask = torch.ones(len(words), 1, dtype=torch.bool, device=words.device)
        if not self.config.text:
            return EncodedText(self.without_text(len(words), words.device)[:, None], mask)
        with torch.autocast(words.device.type, enabled=False):  # an LSTM's small steps gain nothing from bfloat16
            final = last_states(self.text_lstm(self.embedding(words))[0], lengths)
        return EncodedText(self.text_vectors(final)[:, None], mask)

    def forward(self, text: EncodedText, steps: Steps, state: Any = None, attention: bool = False) -> Policy:
        """Return the policy for consecutive steps."""
        count, length = steps.previous_actions.shape
        views = None
        if self.config.image:
            assert steps.views is not None
            views = full_precision(self.view_encoder(steps.views))
        inputs = self.step_inputs(full_precision(text.tokens.expand(-1, length, -1)), views, steps)
        with torch.autocast(inputs.device.type, enabled=False):
            hidden, state = self.lstm(full_precision(inputs), state)
        time = step_embedding(self.time_embedding, steps.numbers, count)
        features = torch.cat([hidden, time.to(hidden.dtype)], 2)
        return Policy(full_precision(self.output(features)).log_softmax(2), state, features=features)

    @abstractmethod
    def text_vectors(self, final: Tensor) -> Tensor:
        """Return the vectors (b, d) of texts, of the final states (b, text_dim) of the text's LSTM."""

    @abstractmethod
    def without_text(self, count: int, device: torch.device) -> Tensor:
        """Return what takes the place of texts (b, d) in the ablation NO-TEXT."""

    @abstractmethod
    def step_inputs(self, text: Tensor, views: Tensor | None, steps: Steps) -> Tensor:
        """Return the inputs (b, t, d) of the LSTM over steps.

        Args:
            text: (b, t, d): The text, at every step.
            views: (b, t, d): The encoded views; None in the ablation NO-IMAGE.
            steps: The steps.
        """

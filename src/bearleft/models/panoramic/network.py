"""The panoramic network: a language-attention agent that chooses among the links of a place, or stops.

A bidirectional LSTM reads the text. A two-layer LSTM reads what the walker observes and the link that it came by; its
state attends to the words, and the attended words to the views, if there are pictures. The dot product of all of it
with each projected link, and with a vector that stands for stopping, is the score of that option. The value head, for
reinforcement learning, reads the attended words.

The network reads all steps of a walk in one call, or one step after another with the state of the call before; both
give the same probabilities. Tensors of steps are (b, t, ...): walks of one batch, and time. Under torch.autocast links,
attention and choice are computed in half precision; the LSTMs, probabilities and values stay in single precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bearleft.models.panoramic.links import DIRECTION_DIM, STOP, VIEW_DIRECTION_DIM, Observation
from bearleft.models.pointing.spec import check_setting, make_dataclass
from bearleft.models.walking.network import bidirectional, full_precision, mask_of

LSTM_LAYERS = 2
State = tuple[Tensor, Tensor]  # of the LSTM


@dataclass(frozen=True)
class PanoramicShape:
    """Sizes of the network's inputs."""

    vocabulary_size: int
    view_dim: int = 0  # of the features of a view; 0 without pictures


@dataclass(frozen=True)
class Config:
    """Sizes of the network."""

    shape: PanoramicShape
    word_dim: int = 300
    text_dim: int = 256  # of each direction
    hidden_dim: int = 512
    link_dim: int = 256  # of a projected link
    text_attention_dim: int = 512
    view_attention_dim: int = 256
    dropout: float = 0.0


@dataclass(frozen=True)
class EncodedText:
    """A batch of texts after the text encoder."""

    words: Tensor  # (b, l, 2 x text_dim)
    keys: Tensor  # (b, l, text_attention_dim)
    mask: Tensor  # (b, l): True where there is a word


@dataclass(frozen=True)
class Policy:
    """Output of the network for some steps."""

    log_probs: Tensor  # (b, t, options); the smallest number where there is no option
    values: Tensor  # (b, t): estimated return
    state: State  # for the next steps
    words: Tensor  # (b, t, l): attention over words


class PanoramicNetwork(nn.Module):
    """The language-attention agent."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        text_dim, view_dim = 2 * config.text_dim, config.shape.view_dim
        self.embedding = nn.Embedding(config.shape.vocabulary_size, config.word_dim, padding_idx=0)
        self.text_lstm = nn.LSTM(config.word_dim, config.text_dim, batch_first=True, bidirectional=True)
        self.link_layer = nn.Sequential(
            nn.Linear(DIRECTION_DIM + view_dim, config.link_dim), nn.ReLU(), nn.Linear(config.link_dim, config.link_dim)
        )
        self.stop = nn.Parameter(torch.randn(config.link_dim) / config.link_dim**0.5)
        self.lstm = nn.LSTM(2 * config.link_dim, config.hidden_dim, LSTM_LAYERS, batch_first=True)
        self.text_query = nn.Linear(config.hidden_dim, config.text_attention_dim)
        self.text_key = nn.Linear(text_dim, config.text_attention_dim)
        size = config.hidden_dim + text_dim
        if view_dim:
            self.view_key = nn.Linear(view_dim + VIEW_DIRECTION_DIM, config.view_attention_dim)
            self.view_query = nn.Linear(text_dim, config.view_attention_dim)
            size += config.view_attention_dim
        self.choice = nn.Linear(size, config.link_dim)
        self.value = nn.Linear(text_dim, 1)
        self.dropout = nn.Dropout(config.dropout)

    def encode(self, words: Tensor, lengths: Tensor) -> EncodedText:
        """Encode texts (b, l) int64, padded with 0, of lengths (b,)."""
        mask = mask_of(words, lengths)
        with torch.autocast(words.device.type, enabled=False):
            states = self.dropout(bidirectional(self.text_lstm, self.dropout(self.embedding(words)), mask))
        keys = self.text_key(states)
        return EncodedText(states.to(keys.dtype), keys, mask)  # of one type, so that no step converts all words

    def forward(
        self, text: EncodedText, observation: Observation, previous: Tensor, state: State | None = None
    ) -> Policy:
        """Return the policy for consecutive steps.

        Args:
            text: The encoded texts, one for each walker, or for each of equally many consecutive walkers.
            observation: What walkers observe, of shape (b, t).
            previous: Features (b, t, f) of the links that walkers came by; 0 at the first step.
            state: The state that the call for the steps before returned; None at the beginning of walks.
        """
        links = self.link_layer(observation.options)
        is_link = observation.mask.clone()
        is_link[..., STOP] = False
        around = (is_link.to(links.dtype)[:, :, None] @ links)[:, :, 0] / is_link.sum(2, keepdim=True).clamp(min=1)
        inputs = full_precision(torch.cat([self.link_layer(previous), around], 2))
        with torch.autocast(inputs.device.type, enabled=False):
            hidden, state = self.lstm(self.dropout(inputs), state)
        hidden = self.dropout(hidden)
        queries = self.text_query(hidden)
        weights = attention(queries.reshape(len(text.keys), -1, queries.shape[2]), text.keys, text.mask[:, None])
        attended = (weights @ text.words).view(*hidden.shape[:2], -1)
        parts = [hidden, attended]
        if observation.views is not None:
            keys = self.view_key(observation.views)
            seen = attention(self.view_query(attended)[:, :, None], keys)
            parts.append((seen @ keys)[:, :, 0])
        choice = self.choice(torch.cat(parts, 2))
        scores = torch.where(is_link, (links @ choice[..., None])[..., 0], (choice @ self.stop)[..., None]).float()
        scores = scores.masked_fill(~observation.mask, torch.finfo(scores.dtype).min)
        values = self.value(attended)[..., 0].float()
        return Policy(scores.log_softmax(2), values, state, weights.view(*hidden.shape[:2], -1))


def attention(queries: Tensor, keys: Tensor, mask: Tensor | None = None) -> Tensor:
    """Return the weights (..., q, k) of keys (..., k, d) for queries (..., q, d), where the mask (..., k) is True."""
    scores = queries @ keys.transpose(-1, -2) / keys.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights: Tensor = scores.softmax(-1)
    return weights


def make_config(shape: PanoramicShape, overrides: dict[str, object]) -> Config:
    """Return the network's Config; raise InputError for a setting that is unknown, or has an invalid value."""
    config = make_dataclass(Config, {"shape": shape, **overrides}, "config", check_setting)
    assert isinstance(config, Config)
    return config


def build_network(config: Config, seed: int | None) -> PanoramicNetwork:
    """Return a new network on the CPU; without a seed its weights are arbitrary, since others will be loaded."""
    with torch.random.fork_rng(devices=[]):
        if seed is not None:
            torch.manual_seed(seed)
        return PanoramicNetwork(config)

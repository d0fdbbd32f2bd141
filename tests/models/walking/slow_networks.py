"""Walking networks in plain double-precision code: one walk, one step, one filter and one head at a time.

RCONCAT and GA follow appendix E.1 of Touchdown's paper, ORAR and Compass the descriptions of their modules. Only the
values and names of parameters are the networks' own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Weights = dict[str, Floats]
MAX_STEP = 63  # later steps share the embedding of this one


@dataclass(frozen=True)
class SlowStep:
    """What a walker knows at one step."""

    number: int
    previous_action: int  # 4 at the first step
    junction: int
    heading_change: float  # degrees
    view: Floats | None = None
    links: Floats | None = None


def sigmoid(x: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-x))


def relu(x: Floats) -> Floats:
    return np.maximum(x, 0.0)


def softmax(x: Floats) -> Floats:
    powers = np.exp(x - x.max())
    return powers / powers.sum()  # type: ignore[no-any-return]


def log_softmax(x: Floats) -> Floats:
    return x - x.max() - math.log(np.exp(x - x.max()).sum())  # type: ignore[no-any-return]


def gelu(x: Floats) -> Floats:
    return np.array([0.5 * v * (1.0 + math.erf(v / math.sqrt(2.0))) for v in x.ravel()]).reshape(x.shape)


def layer(weights: Weights, name: str, x: Floats) -> Floats:
    """Return W x + b."""
    return weights[f"{name}.weight"] @ x + weights[f"{name}.bias"]


def norm(weights: Weights, name: str, x: Floats) -> Floats:
    normed = (x - x.mean()) / math.sqrt(((x - x.mean()) ** 2).mean() + 1e-5)
    return normed * weights[f"{name}.weight"] + weights[f"{name}.bias"]  # type: ignore[no-any-return]


class Lstm:
    """One layer of LSTM cells, with its state."""

    def __init__(self, weights: Weights, name: str, suffix: str = "") -> None:
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        self.input, self.recurrent, self.bias, other = (weights[f"{name}.{part}_l0{suffix}"] for part in names)
        self.bias = self.bias + other
        self.h = np.zeros(self.recurrent.shape[1])
        self.c = np.zeros_like(self.h)

    def __call__(self, x: Floats) -> Floats:
        gates = self.input @ x + self.recurrent @ self.h + self.bias
        into, forget, new, out = np.split(gates, 4)
        self.c = sigmoid(forget) * self.c + sigmoid(into) * np.tanh(new)
        self.h = sigmoid(out) * np.tanh(self.c)
        return self.h


def last_state(weights: Weights, words: list[int]) -> Floats:
    """Return the hidden state at the final token of a unidirectional LSTM."""
    lstm = Lstm(weights, "text_lstm")
    for word in words:
        state = lstm(weights["embedding.weight"][word])
    return state


def both_ways(weights: Weights, words: list[int]) -> list[Floats]:
    """Return the states of a bidirectional LSTM at all tokens."""
    forward, backward = Lstm(weights, "text_lstm"), Lstm(weights, "text_lstm", "_reverse")
    ahead = [forward(weights["embedding.weight"][word]) for word in words]
    back = [backward(weights["embedding.weight"][word]) for word in reversed(words)]
    return [np.concatenate(pair) for pair in zip(ahead, reversed(back), strict=True)]


def conv(weights: Weights, name: str, picture: Floats, stride: int) -> Floats:
    """Return the convolution of a picture (channels, rows, columns) without padding."""
    kernels, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    size = kernels.shape[-1]
    rows, columns = ((length - size) // stride + 1 for length in picture.shape[1:])
    out = np.zeros((len(kernels), rows, columns))
    for k, kernel in enumerate(kernels):
        for row in range(rows):
            for column in range(columns):
                top, left = stride * row, stride * column
                out[k, row, column] = (kernel * picture[:, top : top + size, left : left + size]).sum() + bias[k]
    return out


def see(weights: Weights, view: Floats, strides: tuple[int, int]) -> Floats:
    """Return the representation of a mean map (rows, columns) or an RGB view (3, rows, columns)."""
    picture = view if view.ndim == 3 else view[None]
    picture = relu(conv(weights, "view_encoder.conv1", picture, strides[0]))
    picture = relu(conv(weights, "view_encoder.conv2", picture, strides[1]))
    return layer(weights, "view_encoder.linear", picture.ravel())


def choose(weights: Weights, hidden: Floats, number: int) -> Floats:
    """Return log-probabilities of the actions from the LSTM's state and the embedding of the time step."""
    time = weights["time_embedding.weight"][min(number, MAX_STEP)]
    return log_softmax(layer(weights, "output", np.concatenate([hidden, time])))


def rconcat(weights: Weights, config: Any, words: list[int], steps: list[SlowStep]) -> list[Floats]:
    """Return the log-probabilities of each step."""
    text = last_state(weights, words) if config.text else np.zeros(0)
    lstm = Lstm(weights, "lstm")
    out = []
    for step in steps:
        # The LSTM's input weights are ordered as text, previous action, view.
        parts = [text, weights["action_embedding.weight"][step.previous_action]]
        if config.image:
            assert step.view is not None
            parts.append(see(weights, step.view, (4, 4)))
        out.append(choose(weights, lstm(np.concatenate(parts)), step.number))
    return out


def ga(weights: Weights, config: Any, words: list[int], steps: list[SlowStep]) -> list[Floats]:
    """Return the log-probabilities of each step."""
    gate = sigmoid(layer(weights, "gate", last_state(weights, words))) if config.text else np.ones(config.gate_dim)
    lstm = Lstm(weights, "lstm")
    out = []
    for step in steps:
        gated = gate
        if config.image:
            assert step.view is not None
            gated = gate * see(weights, step.view, (4, 2))
        out.append(choose(weights, lstm(relu(layer(weights, "linear", gated))), step.number))
    return out


def attend(queries: Floats, keys: list[Floats], values: list[Floats], heads: int) -> tuple[Floats, Floats]:
    """Return the attended values and the mean weights of heads, of projected queries, keys and values."""
    size, attended, means = len(queries) // heads, [], np.zeros(len(keys))
    for head in range(heads):
        own = slice(head * size, (head + 1) * size)
        weights = softmax(np.array([queries[own] @ key[own] / math.sqrt(size) for key in keys]))
        attended.append(sum(w * value[own] for w, value in zip(weights, values, strict=True)))
        means += weights / heads
    return np.concatenate(attended), means


def orar_attention(weights: Weights, name: str, query: Floats, inputs: list[Floats], heads: int) -> Any:
    keys = [layer(weights, f"{name}.key", x) for x in inputs]
    values = [layer(weights, f"{name}.value", x) for x in inputs]
    return attend(layer(weights, f"{name}.query", query), keys, values, heads)


def orar_slices(weights: Weights, view: Floats) -> list[Floats]:
    """Return five slices of 45 degrees from left to right, of cells (64 sectors clockwise from the heading, 4, d)."""
    out = []
    for number in range(5):
        first = -20 + 8 * number
        mean = sum(view[sector % 64] for sector in range(first, first + 8)) / 8.0
        out.append(relu(layer(weights, "slice_layer", mean.ravel())))
    return out


def orar(weights: Weights, config: Any, words: list[int], steps: list[SlowStep]) -> tuple[list[Floats], Any, Any]:
    """Return the log-probabilities of each step, and its attention over words and over sectors."""
    tokens = both_ways(weights, words)
    first, second = Lstm(weights, "first"), Lstm(weights, "second")
    out, seen_words, seen_sectors = [], [], []
    for step in steps:
        parts = [weights["action_embedding.weight"][step.previous_action]]
        if config.junctions:
            parts += [weights["junction_embedding.weight"][step.junction], np.array([step.heading_change / 180.0])]
        if config.image:
            assert step.view is not None
            slices = orar_slices(weights, step.view)
            parts.append(relu(layer(weights, "view_layer", np.concatenate(slices))))
        h = first(np.concatenate(parts))
        attended, over_words = orar_attention(weights, "word_attention", h, tokens, config.heads)
        parts = [h, attended, weights["time_embedding.weight"][min(step.number, MAX_STEP)]]
        if config.image:
            view, over_slices = orar_attention(weights, "view_attention", attended, slices, 1)
            parts.append(view)
            sectors = np.zeros(64)
            for number, weight in enumerate(over_slices):
                for sector in range(-20 + 8 * number, -12 + 8 * number):
                    sectors[sector % 64] = weight / 8.0
            seen_sectors.append(sectors)
        out.append(log_softmax(layer(weights, "output", second(np.concatenate(parts)))))
        seen_words.append(over_words)
    return out, seen_words, seen_sectors


def compass_directions() -> Floats:
    """Return sines and cosines of multiples of the angle of each cell's middle, and its band, cell by cell."""
    rows = []
    for sector in range(64):
        angle = math.radians(5.625 * (sector + 0.5))
        for band in range(4):
            waves = [wave(k * angle) for k in (1, 2, 3, 4, 6, 8, 12, 16) for wave in (math.sin, math.cos)]
            rows.append([*waves, *(float(band == other) for other in range(4))])
    return np.array(rows)


def compass_views(weights: Weights, name: str, config: Any, x: Floats, cells: list[Floats]) -> tuple[Floats, Floats]:
    """Return attention to cells, by what they show and where they are."""
    queries, wheres = layer(weights, f"{name}.query", x), layer(weights, f"{name}.direction_query", x)
    directions = np.stack([layer(weights, "direction_layer", row) for row in weights["direction_features"]])
    means, out, channels = np.zeros(len(cells)), [], config.shape.cell_channels
    for head in range(config.heads):
        query = queries[head * channels : (head + 1) * channels]
        where = wheres[head * config.direction_dim : (head + 1) * config.direction_dim]
        scores = [
            query @ cell / math.sqrt(channels) + where @ direction / math.sqrt(config.direction_dim)
            for cell, direction in zip(cells, directions, strict=True)
        ]
        own = softmax(np.array(scores))
        out += [own @ np.stack(cells), own @ directions]
        means += own / config.heads
    return layer(weights, f"{name}.output", np.concatenate(out)), means


def compass_grounding(weights: Weights, config: Any, token: Floats, cells: list[Floats]) -> tuple[Floats, Floats]:
    """Return the scores of what a token names, and where that is seen: the mean direction, and the share unseen."""
    query = layer(weights, "grounding.query", token)
    scores = [query @ layer(weights, "grounding.key", cell) / math.sqrt(config.grounding_dim) for cell in cells]
    scores.append(layer(weights, "grounding.unseen", token)[0])
    shares = softmax(np.array(scores))
    directions = np.stack([layer(weights, "direction_layer", row) for row in weights["direction_features"]])
    return np.array(scores), np.concatenate([shares[:-1] @ directions, shares[-1:]])


def compass_words(
    weights: Weights, name: str, config: Any, x: Floats, tokens: list[Floats], seen: list[Floats]
) -> tuple[Floats, Floats]:
    """Return attention to words, by what they mean and by where the thing that they name is seen."""
    pairs = [np.split(layer(weights, f"{name}.words_kv", token), 2) for token in tokens]
    query, seen_query = layer(weights, f"{name}.words.query", x), layer(weights, f"{name}.words.seen_query", x)
    size, seen_size = config.dim // config.heads, config.direction_dim + 1
    attended: list[Any] = []
    where: list[Any] = []
    means = np.zeros(len(tokens))
    for head in range(config.heads):
        part, seen_part = slice(head * size, (head + 1) * size), slice(head * seen_size, (head + 1) * seen_size)
        scores = [
            query[part] @ key[part] / math.sqrt(size) + seen_query[seen_part] @ here / math.sqrt(seen_size)
            for (key, _), here in zip(pairs, seen, strict=True)
        ]
        own = softmax(np.array(scores))
        attended += list(own @ np.stack([value[part] for _, value in pairs]))
        where += list(own @ np.stack(seen))
        means += own / config.heads
    out = layer(weights, f"{name}.words.output", np.array(attended))
    return out + layer(weights, f"{name}.words.seen_output", np.array(where)), means


def compass(weights: Weights, config: Any, words: list[int], steps: list[SlowStep]) -> tuple[list[Floats], Any, Any]:
    """Return the log-probabilities of each step, and the last layer's attention over words and over sectors."""
    tokens = [norm(weights, "text_norm", state) for state in both_ways(weights, words)] if config.text else []
    memories: list[tuple[list[Floats], list[Floats]]] = [([], []) for _ in range(config.layers)]
    out, seen_words, seen_sectors = [], [], []
    for step in steps:
        turn = math.radians(step.heading_change)
        x = weights["action_embedding.weight"][step.previous_action]
        x = x + weights["junction_embedding.weight"][step.junction]
        x = x + weights["time_embedding.weight"][min(step.number, MAX_STEP)]
        x = x + layer(weights, "turn_layer", np.array([math.sin(turn), 1.0 - math.cos(turn)]))
        assert step.links is not None
        x = x + layer(weights, "link_layer", step.links)
        if config.image:
            assert step.view is not None
            cells = list(step.view.reshape(64 * 4, -1))
            if config.grounding:
                seen = [compass_grounding(weights, config, token, cells)[1] for token in tokens]
        for number, (keys, values) in enumerate(memories):
            name = f"layers.{number}"
            normed = norm(weights, f"{name}.norms.0", x)
            key, value = np.split(layer(weights, f"{name}.memory_kv", normed), 2)
            keys.append(key)
            values.append(value)
            attended, _ = attend(layer(weights, f"{name}.memory.query", normed), keys, values, config.heads)
            x = x + layer(weights, f"{name}.memory.output", attended)
            if config.text and config.image and config.grounding:
                normed = norm(weights, f"{name}.norms.1", x)
                attended, over_words = compass_words(weights, name, config, normed, tokens, seen)
                x = x + attended
            elif config.text:
                pairs = [np.split(layer(weights, f"{name}.words_kv", token), 2) for token in tokens]
                query = layer(weights, f"{name}.words.query", norm(weights, f"{name}.norms.1", x))
                attended, over_words = attend(query, [k for k, _ in pairs], [v for _, v in pairs], config.heads)
                x = x + layer(weights, f"{name}.words.output", attended)
            if config.image:
                normed = norm(weights, f"{name}.norms.2", x)
                attended, over_cells = compass_views(weights, f"{name}.views", config, normed, cells)
                x = x + attended
            hidden = gelu(layer(weights, f"{name}.mlp.0", norm(weights, f"{name}.norms.3", x)))
            x = x + layer(weights, f"{name}.mlp.2", hidden)
        x = norm(weights, "norm", x)
        remaining = softmax(layer(weights, "remaining.2", gelu(layer(weights, "remaining.0", x))))
        moves = softmax(layer(weights, "move.2", gelu(layer(weights, "move.0", x))))
        out.append(np.log(np.array([*((1.0 - remaining[0]) * moves), remaining[0]])))
        seen_words.append(over_words if config.text else None)
        seen_sectors.append(over_cells.reshape(64, 4).sum(1) if config.image else None)
    return out, seen_words, seen_sectors

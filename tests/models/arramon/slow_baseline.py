"""Slow V/L, V/O and L/O: one leg, one step, one cell and one word at a time, in double precision with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from bearleft.models.arramon.baseline import Baseline

Array = Any


def weights(module: Baseline) -> dict[str, Array]:
    return {name: value.detach().double().numpy() for name, value in module.state_dict().items()}


def softmax(values: Array) -> Array:
    shares = np.exp(values - np.max(values))
    return shares / shares.sum()


def linear(w: dict[str, Array], name: str, x: Array) -> Array:
    return w[f"{name}.weight"] @ x + w[f"{name}.bias"]


def lstm(w: dict[str, Array], name: str, inputs: list[Array]) -> list[Array]:
    """Return the hidden states of an LSTM; torch's gates are input, forget, cell, output."""
    size = w[f"{name}.weight_hh_l0"].shape[1]
    hidden, cell, states = np.zeros(size), np.zeros(size), []
    for x in inputs:
        gates = w[f"{name}.weight_ih_l0"] @ x + w[f"{name}.bias_ih_l0"]
        gates = gates + w[f"{name}.weight_hh_l0"] @ hidden + w[f"{name}.bias_hh_l0"]
        i, f, g, o = np.split(gates, 4)
        cell = cell / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        hidden = np.tanh(cell) / (1 + np.exp(-o))
        states.append(hidden)
    return states


def cross_attention(w: dict[str, Array], cells: list[Array], words: list[Array]) -> tuple[list[Array], list[Array]]:
    """Return fused cells and words, Eq. 7 to 11."""
    s = np.array([[w["cross_attention.similarity"] @ (v * word) for word in words] for v in cells])
    fused_words, fused_cells = [], []
    for j, word in enumerate(words):
        seen = sum(share * v for share, v in zip(softmax(s[:, j]), cells, strict=True))
        fused_words.append(linear(w, "cross_attention.words", np.concatenate([word, seen, word * seen])))
    for i, v in enumerate(cells):
        read = sum(share * word for share, word in zip(softmax(s[i]), words, strict=True))
        fused_cells.append(linear(w, "cross_attention.cells", np.concatenate([v, read, v * read])))
    return fused_cells, fused_words


def attend(hidden: Array, keys: list[Array]) -> Array:
    """Return the attended value, Eq. 12 to 14."""
    shares = softmax(np.array([key @ hidden for key in keys]))
    return sum(share * key for share, key in zip(shares, keys, strict=True))


def log_probs(module: Baseline, words: list[int], previous: list[int], maps: Array | None) -> Array:
    """Return the log-probabilities (t, actions) of one leg; `maps` are (t, channels, rows, rows)."""
    w, config = weights(module), module.config
    states = lstm(w, "text_lstm", [w["embedding.weight"][k] for k in words]) if config.text else []
    hidden = lstm(w, "action_lstm", [w["action_embedding.weight"][k] for k in previous])
    out = []
    for t, h in enumerate(hidden):
        cells, read = [], states
        if maps is not None:
            rows = maps.shape[2]
            cells = [linear(w, "view_layer", maps[t, :, r, c]) for r in range(rows) for c in range(rows)]
        if config.text and config.image:
            cells, read = cross_attention(w, cells, states)
        parts = [attend(h, keys) for keys in (cells, read) if keys] + ([h] if config.state else [])
        out.append(np.log(softmax(linear(w, "output", np.concatenate(parts)))))
    return np.array(out)

"""Readers for names that files of earlier versions use: file keys, configuration fields and weights.

Checkpoints of format 1 and feature stores call the backbone "trunk", and format 1 has other field and module names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

KEYS = {"trunk": "backbone", "trunk_hash": "backbone_hash"}

# Fields of network and training configurations.
FIELDS = {
    "words": "vocabulary_size",
    "vector": "embedding_dim",
    "state": "lstm_dim",
    "deep": "map_dropout",
    "fine": "cell_width",
    "longest": "max_words",
    "changes": "overrides",
    "rate": "learning_rate",
    "batch": "batch_size",
    "epoch": "examples_per_epoch",
    "tuning": "tuning_share",
    "clip": "max_grad_norm",
    "shuffled": "shuffle_texts",
    "decay": "weight_decay",
    "warm": "warmup_share",
    "variants": "views_per_goal",
    "side": "view_size",
    "step": "turn_degrees",
}

Prefixes = Sequence[tuple[str, str]]  # patterns of the beginnings of state-dict keys, and what replaces them
POINTING: Prefixes = (
    (r"text\.(vectors|words)\.", "text.embedding."),
    (r"text\.order$", "text.positions"),
    (r"text\.nothing$", "text.null_word"),
    (r"text\.near\.", "text.convs."),
    (r"single\.seen\.", "cell_encoder.projection."),
    (r"single\.words\.", "cell_encoder.attention."),
    (r"single\.fits\.", "cell_encoder.gate."),
    (r"single\.told\.", "cell_encoder.output."),
    (r"single\.think\.", "cell_encoder.mlp."),
    (r"first\.", "conv1."),
    (r"second\.", "conv2."),
    (r"place\.", "position."),
    (r"layers\.(\d+)\.words\.", r"layers.\1.word_attention."),
    (r"layers\.(\d+)\.cells\.", r"layers.\1.self_attention."),
    (r"layers\.(\d+)\.fits\.", r"layers.\1.gate."),
    (r"layers\.(\d+)\.told\.", r"layers.\1.word_output."),
    (r"layers\.(\d+)\.heard\.", r"layers.\1.self_output."),
    (r"layers\.(\d+)\.near\.", r"layers.\1.depthwise."),
    (r"layers\.(\d+)\.think\.", r"layers.\1.mlp."),
    (r"layers\.(\d+)\.after\.each_other\.", r"layers.\1.word_layer.self_attention."),
    (r"layers\.(\d+)\.after\.where\.", r"layers.\1.word_layer.token_attention."),
    (r"layers\.(\d+)\.after\.told\.", r"layers.\1.word_layer.self_output."),
    (r"layers\.(\d+)\.after\.heard\.", r"layers.\1.word_layer.token_output."),
    (r"layers\.(\d+)\.after\.think\.", r"layers.\1.word_layer.mlp."),
    (r"(.*attention\.)said\.", r"\1key_value."),
    (r"told\.", "token_head."),
    (r"seen\.", "cell_head."),
    (r"mixed\.", "mixer."),
)
LOOKING: Prefixes = (
    (r"text\.words\.", "text.embedding."),
    (r"text\.ages\.", "text.age_embedding."),
    (r"text\.order\.", "text.gru."),
    (r"enter\.", "map_projection."),
    (r"layers\.", "map_layers."),
    (r"score\.", "map_head."),
    (r"close\.", "view_projection."),
    (r"finer\.", "view_layers."),
    (r"fine\.", "view_head."),
    (r"turn\.", "turn_head."),
    (r"(\w+_layers\.\d+)\.asked\.", r"\1.query_norm."),
    (r"(\w+_layers\.\d+)\.heard\.", r"\1.conv_norm."),
    (r"(\w+_layers\.\d+)\.asks\.", r"\1.query."),
    (r"(\w+_layers\.\d+)\.says\.", r"\1.key_value."),
    (r"(\w+_layers\.\d+)\.takes\.", r"\1.output."),
    (r"(\w+_layers\.\d+)\.joins\.", r"\1.conv."),
    (r"(\w+_layers\.\d+)\.thinks\.", r"\1.pointwise."),
)


def upgrade_keys(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's mapping with the keys of today."""
    return {KEYS.get(name, name): value for name, value in values.items()}


def upgrade_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration, with those inside it, with the field names of today."""
    return {
        FIELDS.get(name, name): upgrade_fields(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
    }


def upgrade_weights(weights: Mapping[str, Any], prefixes: Prefixes) -> dict[str, Any]:
    """Return a state dict with the module names of today."""
    upgraded = {}
    for name, value in weights.items():
        for old, new in prefixes:
            name = re.sub(f"^{old}", new, name)
        upgraded[name] = value
    return upgraded


def upgrade_checkpoint(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a checkpoint of format 1 (pointer, looker or training state) as format 2 has it."""
    upgraded = upgrade_keys(content)
    looks = content.get("kind") == "looker" or ("recipe" not in content and content.get("kind") == "training")
    prefixes = LOOKING if looks else POINTING
    if isinstance(about := upgraded.get("about"), Mapping):
        upgraded["about"] = _upgrade_configs(upgrade_keys(about))
    if isinstance(weights := upgraded.get("weights"), Mapping):
        upgraded["weights"] = upgrade_weights(weights, prefixes)
    if isinstance(best := upgraded.get("best"), Mapping):
        upgraded["best"] = {**best, "weights": upgrade_weights(best["weights"], prefixes)}
    return _upgrade_configs({**upgraded, "format": 2})


def _upgrade_configs(values: dict[str, Any]) -> dict[str, Any]:
    for name in ("config", "recipe"):
        if isinstance(fields := values.get(name), Mapping):
            values[name] = upgrade_fields(fields)
    return values

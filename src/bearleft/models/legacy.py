"""Upgrades of files that earlier versions wrote: keys, configuration fields and module names that were renamed.

These are checkpoints and training states of format 1 and early ones of format 2, and feature stores of version 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

KEYS = {"trunk": "backbone", "trunk_hash": "backbone_hash"}  # in all files
KINDS = {"pointer": "point", "looker": "look"}
CHECKPOINT_KEYS = {"words": "vocabulary", "way": "turn_mode", "step": "turn_degrees", "about": "training_info"}
POINT_STATE_KEYS = {
    "recipe": "train_config",
    "examples": "examples_hash",
    "backbone": "backbone_hash",
    "epochs": "epochs_done",
    "done": "updates_done",
    "optimiser": "optimizer",
    "rows": "history",
    "waited": "epochs_without_best",
}
LOOK_STATE_KEYS = {"about": "settings", "curve": "history"}
# In the training information of checkpoints, and in the settings of look states.
INFO_KEYS = {
    "recipe": "train_config",
    "config": "network_config",
    "examples": "examples_hash",
    "data": "episodes_hash",
    "backbone": "backbone_hash",
    "remarks": "notes",
}
STORE_KEYS = {"form": "dtype", "seen": "pictures"}

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
    "tuning": "validation_share",
    "clip": "max_grad_norm",
    "shuffled": "shuffle_texts",
    "decay": "weight_decay",
    "warm": "warmup_share",
    "variants": "views_per_goal",
    "side": "view_size",
    "step": "turn_degrees",
}

FIELDS_OF_FORMAT_2 = {"tuning_share": "validation_share"}  # of training configurations

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
    (r"text\.ages\.", "text.offset_embedding."),
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

PREFIXES_OF_FORMAT_2: Prefixes = ((r"text\.age_embedding\.", "text.offset_embedding."),)  # of look networks


def upgrade_keys(values: Mapping[str, Any], keys: Mapping[str, str] = KEYS) -> dict[str, Any]:
    """Return a file's mapping with its keys renamed, by default those that all files have."""
    return {keys.get(name, name): value for name, value in values.items()}


def upgrade_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration, and those nested in it, with the current field names."""
    return {
        FIELDS.get(name, name): upgrade_fields(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
    }


def upgrade_weights(weights: Mapping[str, Any], prefixes: Prefixes) -> dict[str, Any]:
    """Return a state dict with the current module names."""
    upgraded = {}
    for name, value in weights.items():
        for old, new in prefixes:
            name = re.sub(f"^{old}", new, name)
        upgraded[name] = value
    return upgraded


def upgrade_store_info(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the about.json of a feature store of version 1 as version 2 has it."""
    return {**upgrade_keys(upgrade_keys(values), STORE_KEYS), "version": 2}


def upgrade_checkpoint(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a checkpoint or training state of format 1 as format 2 has it."""
    kind = content.get("kind")
    is_state, looks = kind == "training", kind == "looker" or (kind == "training" and "recipe" not in content)
    upgraded = upgrade_keys(content)
    if isinstance(about := upgraded.get("about"), Mapping):
        upgraded["about"] = _upgrade_configs(upgrade_keys(upgrade_keys(about), INFO_KEYS))
    prefixes = LOOKING if looks else POINTING
    if isinstance(weights := upgraded.get("weights"), Mapping):
        upgraded["weights"] = upgrade_weights(weights, prefixes)
    if isinstance(best := upgraded.get("best"), Mapping):
        upgraded["best"] = {**best, "weights": upgrade_weights(best["weights"], prefixes)}
    keys = CHECKPOINT_KEYS if not is_state else LOOK_STATE_KEYS if looks else POINT_STATE_KEYS
    return _upgrade_configs({**upgrade_keys(upgraded, keys), "kind": KINDS.get(str(kind), kind), "format": 2})


def upgrade_format_2(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a file of format 2 with the fields and modules that were renamed since."""
    upgraded = dict(content)
    if isinstance(weights := upgraded.get("weights"), Mapping):
        upgraded["weights"] = upgrade_weights(weights, PREFIXES_OF_FORMAT_2)
    if isinstance(config := upgraded.get("train_config"), Mapping):
        upgraded["train_config"] = upgrade_keys(config, FIELDS_OF_FORMAT_2)
    if isinstance(info := upgraded.get("training_info"), Mapping):
        upgraded["training_info"] = upgrade_format_2(info)
    return upgraded


def _upgrade_configs(values: dict[str, Any]) -> dict[str, Any]:
    for name in ("config", "network_config", "train_config"):
        if isinstance(fields := values.get(name), Mapping):
            values[name] = upgrade_fields(fields)
    return values

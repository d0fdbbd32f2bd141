"""The commands that work in shards, and how each opens its job from the options that were typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bearleft.errors import unknown_name
from bearleft.runtime.shards import JobSpec, ShardedJob


def open_job(spec: JobSpec) -> ShardedJob:
    """Return the job that a manifest or a command line describes.

    Raises:
        InputError: The kind is unknown, an option is invalid, or the output holds other work.
    """
    if spec.kind not in KINDS:
        raise unknown_name("command that works in shards", spec.kind, KINDS)
    return KINDS[spec.kind](spec.output, spec.options)


def _dataset(output: str, options: Mapping[str, Any]) -> ShardedJob:
    from bearleft.generate.dataset_shards import DatasetShards

    return DatasetShards(output, **options)


def _album(output: str, options: Mapping[str, Any]) -> ShardedJob:
    from bearleft.world.album.shards import AlbumShards
    from bearleft.world.album.write import AlbumConfig
    from bearleft.world.render.light import Light

    values = dict(options)
    config = dict(values.pop("config"))
    size, channels = tuple(config.pop("size")), tuple(config.pop("channels"))
    light = Light(*config.pop("light"))
    return AlbumShards(output, config=AlbumConfig(size=size, channels=channels, light=light, **config), **values)


def _visibility(output: str, options: Mapping[str, Any]) -> ShardedJob:
    from bearleft.world.visibility.shards import VisibilityShards

    return VisibilityShards(output, **options)


def _features(output: str, options: Mapping[str, Any]) -> ShardedJob:
    from bearleft.models.features.shards import FeatureShards
    from bearleft.world.slices import Slicing

    values = dict(options)
    slicing = values.pop("slicing")
    return FeatureShards(output, slicing=None if slicing is None else Slicing(*slicing), **values)


def _evaluation(output: str, options: Mapping[str, Any]) -> ShardedJob:
    from bearleft.agents.command_options import env_options, load_player, picture_options
    from bearleft.agents.registry import canonical_name
    from bearleft.evaluation.shards import EvaluationShards

    agent, dataset, data = canonical_name(options["agent"]), options["dataset"], options["data"]
    pictures = picture_options(options["see"], options["no_shadows"], options["sources"])
    player = load_player(agent, dataset, data, options["networks"])
    rules = env_options(**options["rules"])
    return EvaluationShards(player, dataset, output, options["seed"], data, rules, options["limit"], pictures)


def _scores(output: str, options: Mapping[str, Any]) -> ShardedJob:
    from bearleft.evaluation.score_shards import ScoreShards

    return ScoreShards(output, **options)


KINDS: dict[str, Callable[[str, Mapping[str, Any]], ShardedJob]] = {
    "data make": _dataset,
    "render": _album,
    "visible": _visibility,
    "features": _features,
    "eval": _evaluation,
    "score": _scores,
}

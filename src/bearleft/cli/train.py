"""`bearleft train`: a pointing network; look and walking networks, backbones and cells have commands of their own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from bearleft.cli.common import (
    NON_NEGATIVE,
    POSITIVE,
    CommandWithSubcommands,
    as_json,
    city_option,
    data_option,
    device_option,
    echo,
    pictures_option,
    pluralize,
    progress,
)
from bearleft.cli.features import parse_slicing, slice_options
from bearleft.errors import InputError, format_value
from bearleft.models import BEST
from bearleft.reports.table import print_rows
from bearleft.runtime.extras import require_torch

if TYPE_CHECKING:
    from bearleft.training.arramon.config import ArraMonTrainConfig
    from bearleft.training.history import ProgressCallback, TrainProgress
    from bearleft.training.inputs import TrainInputs
    from bearleft.training.pointing.train import TrainConfig
    from bearleft.training.reinforcement.config import ReinforceConfig
    from bearleft.training.walking.config import WalkTrainConfig
    from bearleft.world.slices import Slicing

LEVELS = click.Choice(["region", "pixel", "object"])
output_option = click.option(
    "-o", "--output", required=True, metavar="DIR", help="Folder of the training; an existing one is resumed."
)
minutes_option = click.option(
    "--minutes", type=click.FloatRange(min=0), help="Time limit in minutes; the same command resumes."
)
limit_option = click.option("--limit", type=POSITIVE, help="Maximum number of episodes.")
learning_rate_option = click.option("--learning-rate", type=float, help="Learning rate (default: the network's own).")
backbone_option = click.option(
    "--backbone", metavar="NAME|FILE", help="The backbone: city (default), or a file of weights."
)
INPUT_OPTIONS = ("limit", "features", "backbone", "pictures", "city", "data", "validation")


def epoch_options(examples: str, epochs: int | None, batch_size: int | None, patience: int) -> Sequence[Any]:
    """Return the options of trainings epoch by epoch, the last one in the help first.

    Args:
        examples: What the examples are called.
        epochs: Default number of epochs; None for the network's own.
        batch_size: Default number of examples of an update; None for the network's own.
        patience: Default number of epochs without a better one after which training ends.
    """
    own = " (default: the network's own)"
    return (
        click.option(
            "--set",
            "overrides",
            multiple=True,
            metavar="NAME=VALUE",
            help="Override a setting of the network: dropout=0.1.",
        ),
        click.option("--shuffle-texts", is_flag=True, help=f"Give {examples} each other's texts: an ablation."),
        click.option(
            "--validation-share",
            default=0.07,
            show_default=True,
            help=f"Share of {examples} held out for early stopping.",
        ),
        click.option(
            "--patience",
            default=patience,
            show_default=True,
            type=POSITIVE,
            help="Epochs without a new best, then stop.",
        ),
        learning_rate_option,
        click.option(
            "--batch-size",
            default=batch_size,
            show_default=True,
            type=POSITIVE,
            help=f"{examples.capitalize()} of an update, on all GPUs together{'' if batch_size else own}.",
        ),
        click.option(
            "--examples-per-epoch", type=POSITIVE, help=f"{examples.capitalize()} of an epoch (default: all)."
        ),
        click.option(
            "--epochs",
            default=epochs,
            show_default=True,
            type=POSITIVE,
            help=f"Maximum number of epochs{'' if epochs else own}.",
        ),
        click.option(
            "--seed",
            default=0,
            show_default=True,
            type=NON_NEGATIVE,
            help="Seed of weights, order, dropout and split.",
        ),
        limit_option,
        minutes_option,
    )


def training_options(
    examples: str, epochs: int | None, batch_size: int | None, patience: int
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds the options of pointing and walking networks' training.

    The arguments are those of `epoch_options`.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        for option in (
            *epoch_options(examples, epochs, batch_size, patience),
            slice_options,
            backbone_option,
            click.option(
                "--features", metavar="DIR", help="A feature store that `bearleft features` wrote (default: compute)."
            ),
            output_option,
        ):  # the last is the first in the help
            command = option(command)
        return command

    return decorate


def take_inputs(dataset: str, options: dict[str, Any], slicing: Slicing | None = None) -> TrainInputs:
    """Take the options of INPUT_OPTIONS out of all options, and return the training's inputs."""
    from bearleft.training.inputs import TrainInputs

    chosen = {name: options.pop(name) for name in INPUT_OPTIONS if name in options}
    return TrainInputs(dataset, slicing=slicing, **chosen)


def train_and_print(
    config: TrainConfig | WalkTrainConfig | ReinforceConfig | ArraMonTrainConfig,
    inputs: TrainInputs,
    label: str,
    output: str,
    device: str,
    minutes: float | None,
    as_json: bool,
) -> dict[str, Any]:
    """Train, and print the history.

    Args:
        config: The configuration.
        inputs: The inputs.
        label: What is computed first.
        output: Folder of the training.
        device: Where to train.
        minutes: Time limit.
        as_json: Whether the history is printed as JSON.

    Returns:
        The best epoch's information; nothing if training is not finished, or if another process prints.
    """
    from bearleft import train as train_network
    from bearleft.training.run import RunResult

    with training_progress(label) as (bar, report):
        result = train_network(config, inputs, output, device, minutes, report, bar)
    assert isinstance(result, RunResult)
    if os.environ.get("RANK", "0") != "0":  # of several processes the first one prints
        return {}
    rows = [{name: value for name, value in row.items() if name != "time"} for row in result.history]
    print_rows(rows, as_json, f"{config.network} on {inputs.dataset}, epoch by epoch")
    if result.stopped:
        print_stopped(result.history)
        if result.stopped == "signal":
            raise SystemExit(130)
        return {}
    info: dict[str, Any] = result.checkpoint.training_info
    return info


def print_stopped(history: Sequence[Any]) -> None:
    """Print that a training is not finished."""
    echo([f"Stopped after {pluralize(len(history), 'epoch')}; the same command resumes."])


@contextmanager
def training_progress(label: str) -> Iterator[tuple[Callable[[str, int, int], None], ProgressCallback]]:
    """Show a progress bar of a training; yield a function for the bar, and one for reports."""
    with progress(label) as bar:

        def report(state: TrainProgress) -> None:
            if state.message:
                echo([state.message])
            else:
                bar(f"epoch {state.epoch}/{state.epochs}, loss {state.loss:.3f}", state.update, state.updates)

        yield bar, report


@click.command()
@click.argument("dataset", metavar="DATASET/SPLIT")
@output_option
@backbone_option
@pictures_option
@city_option
@device_option
@minutes_option
@limit_option
@click.option("--seed", type=NON_NEGATIVE, help="Seed of weights, order and dropout (default 0).")
@click.option("--epochs", type=POSITIVE, help="Epochs (default 12).")
@click.option("--batch-size", type=POSITIVE, help="Sentences of an update (default 192).")
@learning_rate_option
@click.option("--dropout", type=float, help="Dropout probability (default 0.2).")
@click.option("--width", type=POSITIVE, help="Channels of the network (default 128).")
@click.option("--views-per-goal", type=POSITIVE, help="Views rendered around each goal (default 2).")
@click.option("--view-size", type=POSITIVE, help="Pixels across a view (default 448).")
@click.option("--pool", type=POSITIVE, help="Pooling of a view's feature map (default 2).")
@click.option("--turn-degrees", type=float, help="Degrees of a turn, for agents that turn in fixed steps (default 15).")
@data_option
@as_json
def look(dataset: str, output: str, device: str, minutes: float | None, as_json: bool, **options: Any) -> None:
    """Train a look network: it turns its view sentence by sentence, as in Refer360.

    DIR/best.pt is the trained agent; DIR/steps.pt is the same network turning in fixed steps. An interrupted training
    is resumed by typing the command again.
    """
    require_torch()
    from bearleft import train as train_network
    from bearleft.training.looking import LookTrainConfig, LookTrainResult

    inputs = take_inputs(dataset, options)
    config = LookTrainConfig(**{name: value for name, value in options.items() if value is not None})
    with training_progress("views") as (bar, report):
        result = train_network(config, inputs, output, device, minutes, report, bar)
    assert isinstance(result, LookTrainResult)
    print_rows(result.history, as_json, f"look on {dataset}, epoch by epoch")
    if not result.finished:
        print_stopped(result.history)
        return
    echo([f"Next: bearleft eval {output}/{BEST} DATASET/SPLIT -o traces.jsonl"])


def rendered_training_options(minutes: float, batch_size: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds the options of trainings on rendered slices.

    Args:
        minutes: Default time limit.
        batch_size: Default number of slices of an update.
    """
    options = (
        click.option(
            "-o", "--output", required=True, metavar="FILE.pt", help="The weights; a model card is written beside."
        ),
        click.option("--seed", type=NON_NEGATIVE, help="Seed of weights, poses and order (default 0)."),
        click.option("--minutes", type=click.FloatRange(min=0), help=f"Time limit in minutes (default {minutes:g})."),
        click.option("--steps", type=POSITIVE, help="Maximum number of updates."),
        click.option("--batch-size", type=POSITIVE, help=f"Slices of an update (default {batch_size})."),
        click.option("--size", metavar="WIDTHxHEIGHT", help="Pixels of a slice (default 460x800)."),
        learning_rate_option,
        device_option,
        as_json,
    )

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def train_on_slices(
    make_config: Callable[..., Any], output: str, size: str | None, device: str, options: dict[str, Any]
) -> dict[str, Any]:
    """Train on rendered slices and return the model card."""
    from bearleft import train as train_network
    from bearleft.reports.pictures.output import parse_size

    chosen = {name: value for name, value in options.items() if value is not None}
    if (pixels := parse_size(size, panorama=False)) is not None:
        chosen |= {"width": pixels[0], "height": pixels[1]}
    with training_progress("scenes") as (bar, report):
        card = train_network(make_config(**chosen), None, output, device, None, report, bar)
    assert isinstance(card, dict)
    return card


@click.command()
@click.option("--world", help="The city whose streets are rendered (default city/0/8x40).")
@click.option("--rooms", help="The rooms that are rendered (default rooms/0/630).")
@rendered_training_options(minutes=1.5, batch_size=32)
def backbone(output: str, size: str | None, device: str, as_json: bool, **options: Any) -> None:
    """Train a backbone on rendered pictures of a city and of rooms, labelled by their objects' classes.

    Needs no dataset. Use the weights with --backbone FILE.pt in `bearleft features` and `bearleft train`.
    """
    require_torch()
    from bearleft.training.backbone.train import BackboneTrainConfig, card_rows

    card = train_on_slices(BackboneTrainConfig, output, size, device, options)
    print_rows(card_rows(card), as_json, "Backbone")
    echo([f"Next: bearleft features DATASET/SPLIT --backbone {output} -o features"])


@click.command()
@click.option("--world", "worlds", multiple=True, help="A city; repeat it (default city/0/8x40 to city/4/8x40).")
@click.option(
    "--backbone", metavar="NAME|FILE", help="The backbone whose features it reads: city (default), or a file."
)
@rendered_training_options(minutes=4.0, batch_size=64)
def cells(output: str, size: str | None, device: str, as_json: bool, worlds: tuple[str, ...], **options: Any) -> None:
    """Train a cell encoder, which names the objects, colours and parts in each direction around a walker.

    Needs no dataset. The encoder that comes with bearleft was trained by this command; Compass and ORAR see with it.
    """
    require_torch()
    from bearleft.training.cells import CellTrainConfig, card_rows

    card = train_on_slices(CellTrainConfig, output, size, device, {**options, "worlds": worlds or None})
    print_rows(card_rows(card), as_json, "Cell encoder")


def walk_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a walking network's training."""
    for option in (
        click.option(
            "--select",
            type=click.Choice(["SDTW", "SPD"]),
            help="With a reward: validation score of the best epoch (default SDTW).",
        ),
        click.option("--temperature", type=float, help="Of the policy that draws actions (default 0.25)."),
        *actor_critic_options(discount=0.99),
        click.option("--reward", metavar="NAME", help="Learn by a reward, too: goal, fidelity, sdtw, ... (see docs)."),
        click.option("--init", metavar="FILE|DIR", help="Begin with a checkpoint's weights, tokenizer and sizes."),
        click.option("--rgb", is_flag=True, help="rconcat, ga: RGB views of 60 degrees instead of features."),
        click.option("--no-image", is_flag=True, help="Ablation: the network does not see."),
        click.option("--no-text", is_flag=True, help="Ablation: the network does not read."),
        click.option("--no-auto-turn", is_flag=True, help="Walkers keep their heading on entering a junction."),
        click.option("--clients", default=0, type=NON_NEGATIVE, help="HOGWILD! processes on a CPU (6 in the paper)."),
        click.option(
            "--forcing",
            type=click.Choice(["teacher", "mixed", "dagger"]),
            help="Whose walks it learns along (see docs).",
        ),
        click.option("--horizon", default=55, show_default=True, type=POSITIVE, help="Actions of a walk in training."),
        click.option("--validation", metavar="DATASET/SPLIT", help="Split to validate on (default: held-out walks)."),
        training_options("walks", epochs=None, batch_size=None, patience=5),
    ):  # the last is the first in the help
        command = option(command)
    return command


def make_walk_config(network: str, reward: str | None, **options: Any) -> WalkTrainConfig:
    """Return the configuration of a walking network's training; without a reward, by imitation alone."""
    from bearleft.training.reinforcement.config import WalkReinforceConfig
    from bearleft.training.walking.config import WalkTrainConfig

    names = ("imitation", "discount", "entropy_weight", "value_weight", "max_grad_norm", "temperature", "select")
    chosen = {name: value for name in names if (value := options.pop(name)) is not None}
    if reward is not None:
        return WalkReinforceConfig(network, reward=reward, **chosen, **options)
    for name in chosen:
        raise InputError("a reward to learn by", "none", name, hint="Add --reward NAME, such as --reward fidelity.")
    return WalkTrainConfig(network, **options)


def walk_command(network: str, description: str) -> click.Command:
    """Return the command that trains a walking network."""

    @click.command(network, help=WALK_HELP.format(description=description))
    @click.argument("dataset", metavar="DATASET/SPLIT")
    @walk_options
    @data_option
    @as_json
    def command(
        dataset: str,
        output: str,
        slices: str | None,
        size: str | None,
        device: str,
        minutes: float | None,
        no_auto_turn: bool,
        no_text: bool,
        no_image: bool,
        rgb: bool,
        overrides: tuple[str, ...],
        as_json: bool,
        **options: Any,
    ) -> None:
        require_torch()
        ablations = {"text": False} if no_text else {}
        ablations |= {"image": False} if no_image else {}
        ablations |= {"rgb": True} if rgb else {}
        settings = {**ablations, **dict(map(parse_override, overrides))}
        inputs = take_inputs(dataset, options, parse_slicing(slices, size))
        config = make_walk_config(network, auto_turn=not no_auto_turn, overrides=settings, **options)
        if best := train_and_print(config, inputs, "views", output, device, minutes, as_json):
            sdtw = f"SDTW {best['SDTW']:.3f}, " if "SDTW" in best else ""
            scores = f"{sdtw}SPD {best['SPD']:.2f}, TC {best['TC']:.1f} %"
            echo([f"Epoch {best['epoch']} is the best, {scores} in validation."])
            echo([f"Next: bearleft eval {output}/{BEST} DATASET/SPLIT -o traces.jsonl"])

    return command


def actor_critic_options(discount: float) -> Sequence[Any]:
    """Return the options of learning by rewards, the last one in the help first.

    Args:
        discount: The default discount.
    """
    return (
        click.option("--max-grad-norm", type=float, help="Clip gradients to this norm (default 40)."),
        click.option("--value-weight", type=float, help="Weight of the value's error in the loss (default 0.5)."),
        click.option("--entropy-weight", type=float, help="Weight of the policy's entropy (default 0.0001)."),
        click.option("--discount", type=float, help=f"Of a reward one step later (default {discount:g})."),
        click.option("--imitation", type=float, help="Share of episodes learned from the reference (default 0.5)."),
    )


def panoramic_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a panoramic network's training; weights and rates default to those of its config."""
    for option in (
        *epoch_options("walks", epochs=200, batch_size=128, patience=20),
        *actor_critic_options(discount=0.95),
        click.option("--horizon", type=POSITIVE, help="Actions of a walk (default: twice the longest reference)."),
        click.option("--precision", type=click.Choice(["bfloat16", "float32"]), help="Of updates (default: float32)."),
        click.option(
            "--select",
            default="nDTW",
            show_default=True,
            type=click.Choice(["nDTW", "SDTW"]),
            help="Validation score of the best epoch.",
        ),
        click.option("--validation", metavar="DATASET/SPLIT", help="Split to validate on (default: held-out walks)."),
        click.option("--reward", default="fidelity", show_default=True, help="The reward: goal, fidelity, sdtw, ..."),
        device_option,
        click.option("--features", metavar="FILE.tsv", help="Features of your Matterport pictures (default: none)."),
        output_option,
    ):  # the last is the first in the help
        command = option(command)
    return command


@click.command()
@click.argument("dataset", metavar="DATASET/SPLIT")
@panoramic_options
@data_option
@as_json
def panoramic(
    dataset: str,
    output: str,
    device: str,
    minutes: float | None,
    overrides: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Train a panoramic network, which chooses among the links of a place, by reinforcement learning and imitation.

    It is made for R2R and R4R. DIR/best.pt is the epoch with the highest nDTW or SDTW in validation. An interrupted
    training is resumed by typing the command again, with the same result. On several GPUs: torchrun -m bearleft train
    ...
    """
    require_torch()
    from bearleft.training.reinforcement.config import ReinforceConfig, format_scores

    inputs = take_inputs(dataset, options)
    chosen = {name: value for name, value in options.items() if value is not None}
    config = ReinforceConfig(overrides=dict(map(parse_override, overrides)), **chosen)
    if best := train_and_print(config, inputs, "walks", output, device, minutes, as_json):
        echo([f"Epoch {best['epoch']} is the best, {format_scores(best)} in validation."])
        features = "" if inputs.features is None else f" --features {inputs.features}"
        echo([f"Next: bearleft eval {output}/{BEST} DATASET/SPLIT{features} -o traces.jsonl"])


ARRAMON_HELP = """Train {description}.

DATASET is a split of ArraMon's tasks. DIR/best.pt is the epoch with the best mean of nDTW, CTC-3, rPOD and PTC in
validation tasks, which the network plays from their beginning to their end. An interrupted training is resumed by
typing the command again, with the same result."""


def arramon_command(network: str, description: str) -> click.Command:
    """Return the command that trains a network of ArraMon."""

    @click.command(network, help=ARRAMON_HELP.format(description=description))
    @click.argument("dataset", metavar="DATASET/SPLIT")
    @arramon_options
    @data_option
    @as_json
    def command(
        dataset: str,
        output: str,
        device: str,
        minutes: float | None,
        overrides: tuple[str, ...],
        as_json: bool,
        **options: Any,
    ) -> None:
        require_torch()
        from bearleft.training.arramon.config import ArraMonTrainConfig, format_scores

        inputs = take_inputs(dataset, options)
        chosen = {name: value for name, value in options.items() if value is not None}
        config = ArraMonTrainConfig(network, overrides=dict(map(parse_override, overrides)), **chosen)
        if best := train_and_print(config, inputs, "views", output, device, minutes, as_json):
            echo([f"Epoch {best['epoch']} is the best, {format_scores(best)} in validation."])
            echo([f"Next: bearleft eval {output}/{BEST} DATASET/SPLIT -o traces.jsonl"])

    return command


def arramon_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of the training of a network of ArraMon."""
    for option in (
        *epoch_options("turns", epochs=None, batch_size=None, patience=5),
        click.option("--view-memory", type=float, metavar="GB", help="Feature maps that are kept instead of rendered."),
        click.option("--rows", type=POSITIVE, help="Rows of a feature map (default: the network's own)."),
        click.option("--view-size", type=POSITIVE, help="Pixels across and down a view (default 224)."),
        click.option("--dagger-rounds", type=POSITIVE, help="dagger: rounds of own tasks that are kept (default 4)."),
        click.option("--dagger-tasks", type=POSITIVE, help="dagger: tasks it plays before an epoch (default 512)."),
        click.option("--dagger-after", type=float, help="dagger: share of the epochs before it plays (default 0.3)."),
        click.option("--forcing", type=click.Choice(["teacher", "dagger"]), help="Whose actions it learns along."),
        click.option("--validation", metavar="DATASET/SPLIT", help="Split to validate on (default: held-out tasks)."),
        device_option,
        backbone_option,
        output_option,
    ):  # the last is the first in the help
        command = option(command)
    return command


WALK_HELP = """Train the walking network {description}.

DIR/best.pt is the epoch with the lowest SPD in validation; with --reward, the one with the highest SDTW. An
interrupted training is resumed by typing the command again, with the same result. On several GPUs: torchrun -m bearleft
train ..."""
# As in bearleft.models.walking.registry, whose import is slow.
WALK_COMMANDS = {
    "rconcat": "RCONCAT of Touchdown: text, view and action concatenated, read by an LSTM",
    "ga": "GA of Touchdown: the text gates the view",
    "orar": "ORAR of Schumann and Riezler: attention over words and views between two LSTMs",
    "compass": "Compass, bearleft's own: a transformer over steps that attends to its past, words and views",
}
# As in bearleft.models.arramon.registry, whose import is slow.
ARRAMON_COMMANDS = {
    "arramon-vl": "V/L of ArraMon: a vision-and-language network for each phase",
    "arramon-vo": "V/O of ArraMon: V/L without language",
    "arramon-lo": "L/O of ArraMon: V/L without vision",
    "arramon-memory": "bearleft's own network for ArraMon: a transformer over steps, trained on its own mistakes too",
}
SUBCOMMANDS = {"look": look, "panoramic": panoramic, "backbone": backbone, "cells": cells}
SUBCOMMANDS |= {name: walk_command(name, description) for name, description in WALK_COMMANDS.items()}
SUBCOMMANDS |= {name: arramon_command(name, description) for name, description in ARRAMON_COMMANDS.items()}


@click.command(cls=CommandWithSubcommands, subcommands=SUBCOMMANDS)
@click.argument("network")
@click.argument("dataset", metavar="DATASET/SPLIT")
@training_options("examples", epochs=30, batch_size=10, patience=4)
@click.option(
    "--level", default="region", show_default=True, type=LEVELS, help="Target: a Gaussian, a cell, or an object."
)
@click.option("--sigma", default=3.0, show_default=True, help="Cells: standard deviation of the Gaussian target.")
@click.option("--max-grad-norm", type=float, help="Clip gradients to this norm (default: the network's own).")
@click.option("--precision", type=click.Choice(["bfloat16", "float32"]), help="Default: bfloat16 on a GPU.")
@click.option("--compile", is_flag=True, help="Compile the network with torch.compile, which takes a while first.")
@click.option("--released", is_flag=True, help="Network, validation split and slices as in Touchdown's released code.")
@data_option
@as_json
def train(
    network: str,
    dataset: str,
    output: str,
    slices: str | None,
    size: str | None,
    released: bool,
    device: str,
    minutes: float | None,
    overrides: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Train NETWORK to point: unet, concat, concatconv, text2conv, lingunet, bearing, or your own FILE.py.

    Other kinds of training have their own options: `bearleft train compass --help`, and the same for rconcat, ga and
    orar (agents that walk), `bearleft train arramon-vl --help`, and the same for arramon-vo, arramon-lo and
    arramon-memory (agents of ArraMon), `bearleft train panoramic --help` (agents of R2R and R4R, by reinforcement
    learning), `bearleft train look --help` (agents that turn their view), `bearleft train backbone --help` and
    `bearleft train cells --help`. DIR/best.pt is the epoch with the best accuracy on held-out examples. An interrupted
    training is resumed by typing the command again, with the same result. On several GPUs: torchrun -m bearleft train
    ...
    """
    require_torch()
    from bearleft.models.pointing.network_file import is_network_file
    from bearleft.training.pointing.train import TrainConfig

    inputs = take_inputs(dataset, options, parse_slicing(slices, size, released))
    config = TrainConfig(network, released=released, overrides=dict(map(parse_override, overrides)), **options)
    if best := train_and_print(config, inputs, "features", output, device, minutes, as_json):
        echo([f"Epoch {best['epoch']} is the best, {best['A@80px']:.2f} % within 80 px on held-out examples."])
        own = f" --network {network}" if is_network_file(network) else ""
        echo([f"Next: bearleft eval {output}/{BEST} DATASET/SPLIT{own} -o traces.jsonl"])


def parse_override(text: str) -> tuple[str, Any]:
    """Parse NAME=VALUE; a value is a number, true, false, or a word."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise InputError("a setting like m=3", format_value(text), "set")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value

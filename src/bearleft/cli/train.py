"""`bearleft train`: a network that points, trained on a dataset."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click

from bearleft.cli.common import WHOLE, as_json, counted, data_option, progress, say
from bearleft.cli.features import seeing_options, slicing_of
from bearleft.errors import InputError, shown
from bearleft.models import BEST
from bearleft.reports.table import print_rows
from bearleft.runtime.extras import needs_torch

if TYPE_CHECKING:
    from bearleft.training.history import TrainProgress

SOME = click.IntRange(min=1)
LEVELS = click.Choice(["region", "pixel", "object"])


@click.command("train")
@click.argument("network")
@click.argument("dataset", metavar="DATASET/SPLIT")
@click.option("-o", "--output", required=True, metavar="DIR", help="Where it goes; a training that is there goes on.")
@click.option("--store", metavar="DIR", help="Features that `bearleft features` wrote; else they are made here.")
@click.option("--backbone", metavar="NAME|FILE", help="What reads pictures: city (default), or a resnet18 file.")
@seeing_options
@click.option("--minutes", type=click.FloatRange(min=0), help="Stop after so long; the same command goes on.")
@click.option("--limit", type=SOME, help="Only the first so many examples.")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of weights, order, dropout and split.")
@click.option("--epochs", default=30, show_default=True, type=SOME, help="Most epochs.")
@click.option(
    "--epoch", "examples_per_epoch", type=SOME, metavar="EXAMPLES", help="Examples of an epoch (default: all)."
)
@click.option(
    "--batch",
    "batch_size",
    default=10,
    show_default=True,
    type=SOME,
    help="Examples of an update, on all GPUs together.",
)
@click.option("--rate", "learning_rate", type=float, help="Learning rate (default: the network's own).")
@click.option("--patience", default=4, show_default=True, type=SOME, help="Epochs without a new best, then it ends.")
@click.option(
    "--tuning", "tuning_share", default=0.07, show_default=True, help="Share of examples that are held back to tune by."
)
@click.option("--level", default="region", show_default=True, type=LEVELS, help="Aim at a Gaussian, a cell, a thing.")
@click.option("--sigma", default=3.0, show_default=True, help="Cells: how wide the Gaussian around a target is.")
@click.option("--clip", "max_grad_norm", type=float, help="Longest gradient (default: the network's own).")
@click.option("--precision", type=click.Choice(["bfloat16", "float32"]), help="Default: bfloat16 on a GPU.")
@click.option("--compile", is_flag=True, help="Compile a GPU's steps by torch.compile, which takes a while first.")
@click.option("--released", is_flag=True, help="Network, tuning split and slices as in Touchdown's released code.")
@click.option(
    "--shuffled",
    "shuffle_texts",
    is_flag=True,
    help="Deal texts out anew among examples: what is learnt without language?",
)
@click.option("--set", "overrides", multiple=True, metavar="NAME=VALUE", help="A setting of the network, as in m=3.")
@data_option
@as_json
def train_(
    network: str,
    dataset: str,
    output: str,
    store: str | None,
    backbone: str | None,
    slices: str | None,
    size: str | None,
    released: bool,
    pictures: tuple[str, ...],
    city: int | None,
    device: str,
    minutes: float | None,
    limit: int | None,
    overrides: tuple[str, ...],
    data: str | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Train NETWORK to point: unet, concat, concatconv, text2conv, lingunet, or bearleft's own bearing.

    DIR/best.pt is the result, the epoch with the best accuracy on examples held back. Stopped, killed or out of
    minutes, the same command goes on to the same result. Several GPUs: torchrun -m bearleft.cli train ...
    """
    needs_torch()
    from bearleft.training.pointing.dataset import train_on
    from bearleft.training.pointing.train import TrainConfig

    recipe = TrainConfig(network, released=released, overrides=dict(map(setting, overrides)), **asked)
    slicing = slicing_of(slices, size, released)
    with progress("features") as bar:

        def tell(told: TrainProgress) -> None:
            if told.message:
                say([told.message])
            else:
                bar(f"epoch {told.epoch}/{told.epochs}, loss {told.loss:.3f}", told.update, told.updates)

        out = train_on(
            recipe, dataset, output, device, minutes, limit, store, backbone, slicing, pictures, city, data, tell, bar
        )
    if os.environ.get("RANK", "0") != "0":  # of several processes the first one speaks
        return
    rows = [{name: value for name, value in row.items() if name != "time"} for row in out.rows]
    print_rows(rows, as_json, f"{network} on {dataset}, epoch by epoch")
    if out.stopped:
        say([f"Stopped after {counted(len(out.rows), 'epoch')}; the same command goes on."])
        if out.stopped == "signal":
            raise SystemExit(130)
        return
    best = out.checkpoint.about
    say([f"Epoch {best['epoch']} is the best, {best['A@80px']:.2f} % within 80 px on examples held back."])
    say([f"Next: bearleft eval {output}/{BEST} DATASET/SPLIT -o traces.jsonl"])


def setting(text: str) -> tuple[str, Any]:
    """NAME=VALUE; a value is a number, true, false, or a word."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise InputError("a setting like m=3", shown(text), "set")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value

"""`bearleft models`: trained agents by name; `card` prints a model card, `export` writes smaller weights with one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from bearleft.cli.common import CommandGroup, as_json, echo
from bearleft.errors import InputError, format_value
from bearleft.reports.table import print_rows
from bearleft.runtime.progress import format_size

TRAIN_HINT = "Next: bearleft train NETWORK DATASET -o FOLDER; --runs DIR looks elsewhere"


@click.group(cls=CommandGroup, invoke_without_command=True)
@click.option("--runs", default=".", show_default=True, metavar="DIR", help="List the trainings below this folder too.")
@as_json
@click.pass_context
def models(context: click.Context, runs: str, as_json: bool) -> None:
    """List trained agents: those that come with bearleft, and your own trainings.

    The first column is a name for bearleft eval.
    """
    if context.invoked_subcommand is not None:
        return
    from bearleft.models.listing import model_rows

    rows = model_rows(runs)
    if not as_json:
        rows = [{name: value for name, value in row.items() if name != "bytes"} | _size(row) for row in rows]
    print_rows(rows, as_json, "Trained agents")
    if not rows:
        echo([f"No agent comes with this installation, and there is no training below {runs}.", TRAIN_HINT])
    elif not as_json:
        echo(["Next: bearleft eval MODEL DATASET -o FILE.jsonl, or bearleft models card MODEL"])


def _size(row: dict[str, Any]) -> dict[str, str]:
    return {"size": format_size(row["bytes"])}


@models.command()
@click.argument("model")
def card(model: str) -> None:
    """Print the model card of MODEL as JSON: data, settings, scores, hash, licence.

    MODEL is an agent that comes with bearleft, or a file that bearleft models export wrote.
    """
    from bearleft.models.pretrained import agent_card

    click.echo(json.dumps(agent_card(model), indent=1, ensure_ascii=False))


@models.command()
@click.argument("training", type=click.Path())
@click.option(
    "-o", "--output", required=True, metavar="FILE.pt", help="The weights; the card is FILE.json beside them."
)
@click.option("--bits", type=click.Choice(("8", "32")), default="8", show_default=True, help="Bits of a weight.")
@click.option(
    "--scores", multiple=True, metavar="FILE.json", help="Rows of bearleft score --json, for the card; repeatable."
)
@click.option("--about", multiple=True, metavar="NAME=TEXT", help="A further entry of the card; repeatable.")
def export(training: str, output: str, bits: str, scores: tuple[str, ...], about: tuple[str, ...]) -> None:
    """Write the network of TRAINING, a folder or CHECKPOINT.pt, with 8-bit weights and a model card.

    The file is a checkpoint like any other, of a fourth of the size.
    """
    from bearleft.runtime.extras import require_torch

    require_torch()
    from bearleft.models.export import export_checkpoint

    rows = [row for file in scores for row in _read_rows(Path(file))]
    written = export_checkpoint(training, output, int(bits), rows, dict(map(_entry, about)))
    before, after = format_size(written["source_bytes"]), format_size(written["bytes"])
    echo([f"{output}: {after} (before: {before}). Next: bearleft eval {output} DATASET -o FILE.jsonl"])


def _entry(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise InputError("NAME=TEXT", format_value(text), "--about", hint="For example: --about data=city/sdr/train")
    return name, value


def _read_rows(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a file that `bearleft score --json` wrote."""
    expected, hint = "rows of scores in JSON", f"Type: bearleft score TRACES.jsonl --json > {file}"
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(expected, "no file", file=str(file), hint=hint) from None
    except ValueError as error:
        raise InputError(expected, format_value(str(error)), file=str(file), hint=hint) from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(expected, "JSON of another form", file=str(file), hint=hint)
    return rows

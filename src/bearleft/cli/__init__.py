"""The command line: one verb = one short function that calls the Python function of the same name.

Figures go to standard output (with --json as one array of flat objects), everything else to standard error. Exit codes:
0 done, 1 the work failed, 2 the user's input was wrong.
"""

from __future__ import annotations

import logging
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from bearleft.cli.album import album
from bearleft.cli.common import WHOLE, Timed, Verbs, as_json, counted, data_option, progress, say
from bearleft.cli.data import data
from bearleft.cli.features import features_
from bearleft.cli.map import map_
from bearleft.cli.paper import paper
from bearleft.cli.render import render, visible
from bearleft.cli.report import report_
from bearleft.cli.tiles import tiles
from bearleft.cli.train import train_
from bearleft.errors import InputError, shown
from bearleft.reports.table import print_rows
from bearleft.version import VERSION


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="bearleft")
@click.option("-v", "--verbose", count=True, help="Say more on standard error (-vv: everything).")
def cli(verbose: int) -> None:
    """People and models follow language through 360-degree worlds, and are scored by every published measure."""
    level = [logging.WARNING, logging.INFO, logging.DEBUG][min(verbose, 2)]
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)


@cli.command()
@click.option("-o", "--output", default="demo", show_default=True, metavar="DIR", help="Where everything goes.")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of whoever walks or points at random.")
@as_json
def demo(output: str, seed: int, as_json: bool) -> None:
    """A generated city, agents that walk and point in it, their scores, a film, and a report to look at.

    What is in the folder already is not played again.
    """
    from bearleft.demo import demo as run

    with progress("demo") as bar:
        result = run(output, seed, bar, lambda line: say([line]))
    print_rows(result.scores, as_json, "How often agents did what was asked, in percent, with 95 % intervals")
    say(result.remarks)


@cli.command("eval")
@click.argument("agent")
@click.argument("dataset", metavar="DATASET/SPLIT")
@click.option("-o", "--output", required=True, metavar="FILE", help="Where traces go; a file that is there goes on.")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of everything random.")
@click.option(
    "--processes",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many play at once; the traces are the same.",
)
@click.option(
    "--horizon",
    default=None,
    type=click.IntRange(min=1),
    help="Actions after which a leg ends by itself (default 200; Touchdown 50, collecting 250, assembling 60).",
)
@click.option("--border", is_flag=True, help="Keep off places with fewer than two links, as Touchdown's program does.")
@click.option(
    "--look-step",
    default=None,
    type=float,
    help="Degrees of a turn of the view (default 15; Refer360's released program 5).",
)
@click.option("--look-lattice", default=None, type=float, help="Look at fixed views only, so many degrees apart.")
@click.option("--interactive", is_flag=True, help="Give the next sentence only within 11 degrees of the recorded view.")
@click.option(
    "--perfect-navigation", is_flag=True, help="ArraMon: the reference collects, and AGENT plays in the room only."
)
@click.option(
    "--released-decoder",
    is_flag=True,
    help="ArraMon: by the rules of the released decoder: a pick with nothing in reach does not end the walk,"
    " and a leg ends after 150 actions.",
)
@click.option("--limit", default=None, type=click.IntRange(min=1), help="Only the first so many episodes.")
@click.option("--pictures", multiple=True, metavar="FOLDER", help="CHECKPOINT.pt: look at this album; several, too.")
@click.option("--store", metavar="DIR", help="CHECKPOINT.pt: features that `bearleft features` wrote.")
@click.option("--city", type=WHOLE, metavar="SEED", help="CHECKPOINT.pt: build this city on streets that have none.")
@click.option("--backbone", metavar="FILE", help="CHECKPOINT.pt: the file of the backbone that it was trained with.")
@click.option("--device", help="CHECKPOINT.pt: cpu or cuda (default: a GPU where there is one).")
@data_option
def eval_(
    agent: str,
    dataset: str,
    output: str,
    seed: int,
    processes: int,
    horizon: int | None,
    border: bool,
    look_step: float | None,
    look_lattice: float | None,
    interactive: bool,
    perfect_navigation: bool,
    released_decoder: bool,
    limit: int | None,
    data: str | None,
    **seeing: Any,
) -> None:
    """Let AGENT play a dataset and append what it did to a file; then type: bearleft score FILE

    AGENT is stop, random or frequent (they walk; stop and random collect and assemble too), uniform, center, average or
    average:DATASET (they point), gold or shortest (they know the answer), follower (it reads texts of bearleft's own
    cities, rooms and sections) or colour-blind (it passes over colours), CHECKPOINT.pt (what `bearleft train` wrote,
    or its folder), the path of a Python file with your own, or pipe:COMMAND for any program.
    """
    from bearleft.agents.registry import AGENTS, meant
    from bearleft.envs.legs import RELEASED_OPTIONS, EnvOptions
    from bearleft.evaluation.evaluate import evaluate

    if dataset in AGENTS and agent not in AGENTS:
        hint = f"Type: bearleft eval {shlex.join([dataset, agent])} -o {shlex.quote(output)}"
        raise InputError("an agent, then a dataset", f"{shown(agent)}, then the agent {dataset}", hint=hint)
    agent = meant(agent)
    changed: dict[str, Any] = {"look_step": look_step, "border": border, "perfect_navigation": perfect_navigation}
    changed |= {"look_lattice": look_lattice, "interactive": interactive}
    changed |= dict.fromkeys(("horizon", "look_horizon", "collect_horizon", "assemble_horizon"), horizon)
    rules = RELEASED_OPTIONS if released_decoder else EnvOptions()
    options = replace(rules, **{name: value for name, value in changed.items() if value is not None})
    there = Path(output).read_bytes().count(b"\n") if Path(output).is_file() else 0
    with progress(agent) as bar:
        timed = Timed(bar)
        evaluate(seer(agent, data, seeing), dataset, output, seed, data, processes, options, limit, timed)
    holds = Path(output).read_bytes().count(b"\n")
    played = f"{counted(holds - there, 'episode')} played {timed}" if holds > there else "Nothing was left to play"
    words = shlex.join([output, *(["--data", data] if data else [])])
    held = f"{output} holds {counted(holds, 'trace')}"
    say([f"{played}; {held}. Next: bearleft score {words}, or bearleft report {words}"])


def seer(agent: str, data: str | None, seeing: dict[str, Any]) -> Any:
    """The agent as it is named; a trained network that is told how to see."""
    from bearleft.agents.checkpoints import CheckpointOptions
    from bearleft.agents.pointing import from_checkpoint, is_checkpoint

    given = {name: value for name, value in seeing.items() if value not in (None, ())}
    if given and not is_checkpoint(agent):
        raise InputError(f"--{min(given)} with a trained network, CHECKPOINT.pt", f"with {shown(agent)}")
    return from_checkpoint(agent, CheckpointOptions(data=data, **given)) if given else agent


@cli.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--dataset", metavar="DATASET/SPLIT", help="What others' predictions are of; traces say it.")
@click.option(
    "--convention",
    default="paper",
    show_default=True,
    help="Whose definitions; 'all' for each in turn. Points: paper, cells. ArraMon: paper, strict, released.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    help="Only this measure; may be given several times. nDTW-fast and SDTW-fast (FastDTW) on request only.",
)
@click.option("--turns", is_flag=True, help="ArraMon: rows of turn 1 and turn 2 beside the total.")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of the bootstrap.")
@click.option("--resamples", default=1000, show_default=True, help="Resamples of the bootstrap, up to a million.")
@data_option
@as_json
def score(
    files: tuple[str, ...],
    dataset: str | None,
    convention: str,
    metrics: tuple[str, ...],
    turns: bool,
    seed: int,
    resamples: int,
    data: str | None,
    as_json: bool,
) -> None:
    """Score traces, or others' predictions, with intervals; several files are compared by paired tests.

    Reads bearleft's traces, R2R submissions, VELMA's and ArraMon's outputs, lists of places, and points.
    """
    from bearleft.evaluation.score import score

    with progress("scoring") as bar:
        scores = score(
            *files,
            dataset=dataset,
            convention=convention,
            metrics=metrics,
            data=data,
            seed=seed,
            resamples=resamples,
            progress=bar,
            turns=turns,
        )
    print_rows(scores.rows + (scores.pairs if as_json else []), as_json, "Scores, with 95 % intervals")
    if scores.pairs and not as_json:
        print_rows(scores.pairs, as_json, "Differences on the same episodes")
    say(scores.notes)


@cli.command()
@click.argument("name")
@click.option("--rounds", default=9, show_default=True, help="Alternating rounds; medians are printed.")
@click.option("--device", help="cuda: arramon, render, views and pointing on a GPU (default of pointing: if any).")
@click.option("--only", multiple=True, metavar="NAME", help="This part of pointing, or of a benchmark on cuda.")
@data_option
@as_json
def bench(name: str, rounds: int, device: str | None, only: tuple[str, ...], data: str | None, as_json: bool) -> None:
    """Measure speed against named peers: metrics, stepping, distances, render, views, arramon, pointing.

    Whole runs: eval, generation. Parts of pointing are networks, pictures, backbone and chain; or evaluation alone.
    """
    from bearleft.bench import bench

    result = bench(name, rounds, data, device, only)
    print_rows(result.rows, as_json, f"bench {name}")
    say(result.remarks)


@cli.command()
@data_option
@as_json
def doctor(data: str | None, as_json: bool) -> None:
    """What is installed, what is missing, and what to type."""
    from bearleft.doctor import doctor

    rows = doctor(data)
    print_rows(rows, as_json, "doctor")
    if not all(row["ok"] for row in rows):
        raise SystemExit(1)


for verb in (data, paper, render, visible, tiles, map_, album, report_, features_, train_):
    cli.add_command(verb)


def main(args: Sequence[str] | None = None) -> Any:
    """The entry point: a user's mistake is one line on standard error and exit code 2."""
    try:
        return cli.main(args=None if args is None else list(args), prog_name="bearleft", standalone_mode=False)
    except InputError as error:
        click.echo(f"bearleft: {error}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("bearleft: stopped", err=True)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        sys.exit(0)

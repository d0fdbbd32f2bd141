"""`bearleft eval`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bearleft.agents.command_options import env_options, load_player, picture_options
from bearleft.cli.cluster import ClusterOptions, cluster_options, run_sharded
from bearleft.cli.common import (
    NON_NEGATIVE,
    POSITIVE,
    TimedProgress,
    data_option,
    echo,
    pictures_option,
    pluralize,
    progress,
)
from bearleft.cli.language_models import (
    PREFIX,
    check_unused,
    language_model_options,
    make_language_model,
    option_names,
)
from bearleft.errors import InputError, format_value
from bearleft.runtime.shards import JobSpec

if TYPE_CHECKING:
    from bearleft.agents.agent import Agent, ConcurrentAgent

PICTURE_KINDS = ("view", "panorama")  # as of bearleft.world.pictures, whose import is slow


@click.command("eval")
@click.argument("agent")
@click.argument("dataset", metavar="DATASET/SPLIT")
@click.option("-o", "--output", required=True, metavar="FILE", help="The file of traces; an existing one is resumed.")
@click.option("--seed", default=0, show_default=True, type=NON_NEGATIVE, help="Seed of everything random.")
@click.option(
    "--processes", default=1, show_default=True, type=POSITIVE, help="Worker processes; the traces are the same."
)
@click.option(
    "--horizon",
    type=POSITIVE,
    help="Actions after which a leg ends (default 200; Touchdown 50, collecting 250, assembling 60).",
)
@click.option("--border", is_flag=True, help="Keep off places with fewer than two links, as Touchdown's program does.")
@click.option(
    "--no-auto-turn", is_flag=True, help="Keep the heading on entering a junction, instead of turning to a link."
)
@click.option(
    "--look-step", type=float, help="Degrees of a turn of the view (default 15; Refer360's released program 5)."
)
@click.option("--look-lattice", type=float, help="Look at fixed views only; degrees between them.")
@click.option("--interactive", is_flag=True, help="Give the next sentence only within 11 degrees of the recorded view.")
@click.option("--perfect-navigation", is_flag=True, help="ArraMon: the ground truth collects; AGENT only assembles.")
@click.option(
    "--released-decoder",
    is_flag=True,
    help="ArraMon: follow the rules of the released decoder: a pick with nothing in reach does not end the walk,"
    " and a leg ends after 150 actions.",
)
@click.option("--limit", type=POSITIVE, help="Maximum number of episodes.")
@click.option(
    "--see",
    type=click.Choice(PICTURE_KINDS),
    help="FILE.py, pipe:COMMAND, llm:MODEL: add this picture to each observation.",
)
@click.option("--no-shadows", is_flag=True, help="--see: render without the sun's shadows, which is faster.")
@pictures_option
@click.option(
    "--features",
    metavar="DIR|FILE.tsv",
    help="CHECKPOINT.pt: a feature store that `bearleft features` wrote; of a panoramic network, Matterport features.",
)
@click.option(
    "--city",
    type=NON_NEGATIVE,
    metavar="SEED",
    help="CHECKPOINT.pt, follower, llm:MODEL, --see: build this city on streets without buildings.",
)
@click.option("--backbone", metavar="FILE", help="CHECKPOINT.pt: the weights of the backbone it was trained with.")
@click.option(
    "--network",
    metavar="FILE.py",
    help="CHECKPOINT.pt: the file of your own network; it is run, so name only one that you trust.",
)
@click.option("--device", help="CHECKPOINT.pt, --see: cpu or cuda (default: a GPU if there is one; --see: cpu).")
@language_model_options
@data_option
@cluster_options
def eval_(
    agent: str,
    dataset: str,
    output: str,
    seed: int,
    processes: int,
    limit: int | None,
    data: str | None,
    pictures: tuple[str, ...],
    features: str | None,
    city: int | None,
    backbone: str | None,
    network: str | None,
    device: str | None,
    see: str | None,
    no_shadows: bool,
    cluster: ClusterOptions,
    **rules: Any,
) -> None:
    """Run AGENT on a dataset and append its traces to a file. Then score them: bearleft score FILE.

    AGENT is one of: stop, random, frequent (walk; stop and random also collect and assemble); uniform, center, average,
    average:DATASET (point); gold, shortest (know the ground truth); follower (reads the texts of generated worlds),
    colour-blind (the same, ignoring colours); a trained network that comes with bearleft (listed by bearleft models);
    CHECKPOINT.pt (your own trained network, or its folder); the path of a Python file with your own agent; pipe:COMMAND
    for a program in any language; llm:MODEL for a language model behind an OpenAI-compatible endpoint; WALKER+POINTER,
    two of them for tasks of a walk and a target, such as gold+CHECKPOINT.pt.
    """
    from bearleft import evaluate
    from bearleft.agents.registry import AGENTS, canonical_name

    if dataset in AGENTS and agent not in AGENTS:
        hint = f"Type: bearleft eval {shlex.join([dataset, agent])} -o {shlex.quote(output)}"
        raise InputError("an agent, then a dataset", f"{format_value(agent)}, then the agent {dataset}", hint=hint)
    agent = canonical_name(agent)
    sources = {"pictures": pictures, "city": city, "device": device}
    observed = picture_options(see, no_shadows, sources)
    networks = {"features": features, "backbone": backbone, "network": network} | ({} if observed else sources)
    asked = {name: rules.pop(name) for name in option_names()}
    if cluster.given:
        if agent.startswith(PREFIX):
            hint = "Its requests run at once: --concurrency N."
            raise InputError("an agent that plays on each machine", format_value(agent), hint=hint)
        check_unused(agent, asked)
        values = {"agent": agent, "dataset": dataset, "seed": seed, "data": data, "limit": limit, "see": see}
        values |= {"no_shadows": no_shadows, "sources": sources, "networks": networks, "rules": rules}
        run_sharded(JobSpec("eval", output, values), cluster, processes, as_json=False)
        return
    player: str | Agent | ConcurrentAgent
    if agent.startswith(PREFIX):
        unused = {name: value for name, value in networks.items() if name not in sources}
        for name in (name for name, value in unused.items() if value is not None):
            raise InputError(f"--{name} with a trained network, CHECKPOINT.pt", f"with {format_value(agent)}")
        player = make_language_model(agent, output, asked, observed, city, data)
    else:
        check_unused(agent, asked)
        player = load_player(agent, dataset, data, networks)
    path = Path(output)
    count_before = count_lines(path)
    with progress(agent) as bar:
        timed = TimedProgress(bar)
        try:
            evaluate(player, dataset, output, seed, data, processes, env_options(**rules), limit, timed, observed)
        finally:
            getattr(player, "close", lambda: None)()
    count = count_lines(path)
    new = f"{pluralize(count - count_before, 'new episode')} {timed}" if count > count_before else "No episode was left"
    arguments = shlex.join([output, *(["--data", data] if data else [])])
    total = f"{output} holds {pluralize(count, 'trace')}"
    echo([f"{new}; {total}. Next: bearleft score {arguments}, or bearleft report {arguments}"])


def count_lines(path: Path) -> int:
    """Return the number of complete lines of a file; 0 if there is none."""
    return path.read_bytes().count(b"\n") if path.is_file() else 0

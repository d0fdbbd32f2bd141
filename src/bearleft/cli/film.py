"""`bearleft render episode`: a trace as a film."""

from __future__ import annotations

from typing import Any

import click

from bearleft.cli.common import WHOLE, as_json, data_option, progress, say
from bearleft.reports.table import print_rows


@click.command("episode")
@click.argument("traces", metavar="TRACES.jsonl")
@click.option("--id", "episode", metavar="EPISODE", help="Of this episode (default: the file's first trace).")
@click.option("--agent", metavar="NAME", help="By this agent, where the file has several traces of an episode.")
@click.option("-o", "--output", metavar="FILE.gif|FILE.mp4", help="Where the film goes (default: EPISODE.gif).")
@click.option("--size", default=880, show_default=True, help="Pixels across, 320 to 1920.")
@click.option("--fps", type=float, help="Pictures a second, 1 to 60 (default: GIF 5, MP4 12, of ArraMon's tasks 4).")
@click.option("--seconds-per-step", "seconds", default=0.6, show_default=True, help="How long a step takes.")
@click.option("--pictures", metavar="FOLDER", help="Look at this album instead of the renderer's pictures.")
@click.option("--city", type=WHOLE, metavar="SEED", help="touchdown, town/SEED: build this city on its streets.")
@click.option("--samples", default=1, show_default=True, help="Rays a side for each pixel, 1 to 8; 2 is smooth.")
@click.option("--device", default="cpu", show_default=True, help="cpu or cuda.")
@data_option
@as_json
def episode_(
    traces: str, episode: str | None, output: str | None, data: str | None, as_json: bool, **filming: Any
) -> None:
    """A film of what was done in an episode: the view, the map, and the text with the part that is followed lit."""
    from bearleft.reports.film.film import FilmConfig, write_film

    with progress("planning") as bar:
        done = write_film(traces, episode, output, FilmConfig(**filming), data, bar)
    print_rows(done.rows, as_json, "Film")
    say(done.remarks)

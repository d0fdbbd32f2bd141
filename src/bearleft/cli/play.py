"""`bearleft play`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bearleft.cli.common import city_option, data_option, device_option, echo, pictures_option

DATASETS = ("city/touchdown/small", "city/touchdown-complete/small", "city/sdr/small", "city/refer360/small")
PORT = click.IntRange(0, 65535)


@click.command()
@click.argument("datasets", nargs=-1, metavar="[DATASET/SPLIT]...")
@click.option("--port", type=PORT, default=8360, show_default=True, help="Port; 0 takes a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--database", metavar="URL", help="postgresql://... or a file (default: one of your own).")
@click.option("--browser/--no-browser", default=True, help="Open the first page in a browser.")
@pictures_option
@city_option
@device_option
@data_option
def play(datasets: tuple[str, ...], port: int, host: str, database: str | None, browser: bool, **options: Any) -> None:
    """Play episodes in the browser, by the rules and scores of agents.

    Without a dataset: the four games of the embedded city. What you play is kept, and compared with agents and with
    everybody who plays on the same server. Nothing leaves this machine.
    """
    from bearleft.web import require_web

    require_web()
    from bearleft.web.play import create_games
    from bearleft.web.secret import read_secret
    from bearleft.web.server import run_server
    from bearleft.web.settings import Settings, user_folder

    folder = user_folder()
    settings = Settings(database=database or str(Path(folder) / "play.sqlite"), secret=read_secret(folder), **options)
    create_games(settings, datasets or DATASETS)
    run_server(settings, host, port, browser, lambda line: echo([line]))

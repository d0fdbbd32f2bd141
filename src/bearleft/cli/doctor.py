"""`bearleft doctor`."""

from __future__ import annotations

import click

from bearleft.cli.common import as_json, data_option
from bearleft.reports.table import print_rows


@click.command()
@data_option
@as_json
def doctor(data: str | None, as_json: bool) -> None:
    """List what is installed and what is missing, and what to type."""
    from bearleft.doctor import doctor as run_doctor

    rows = run_doctor(data)
    print_rows(rows, as_json, "doctor")
    if not all(row["ok"] for row in rows):
        raise SystemExit(1)

"""A server of several processes, with the task of the load benchmark: `python -m ... DATABASE SECRET WORKERS`.

Each process imports this module, and with it the task. The address of the first page is printed.
"""

from __future__ import annotations

import sys

import bearleft.bench.web.server as load
from bearleft.web.operations.options import Operations
from bearleft.web.server import run_server
from bearleft.web.settings import Settings


def main() -> None:
    """Serve until SIGTERM."""
    assert load.KIND
    database, secret, workers = sys.argv[1:]
    settings = Settings(database=database, secret=secret, operations=Operations(log_requests=True))
    run_server(settings, port=0, workers=int(workers), log=lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()

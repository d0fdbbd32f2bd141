"""A demonstration in the included generated city: worlds, agents, scores, a film and a report."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bearleft.data import load
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.language.scene_index import open_visibility_table
from bearleft.metrics.registry import METRICS
from bearleft.reports.film.film import FilmConfig, write_film
from bearleft.reports.html.quality import Limits
from bearleft.reports.html.report import report
from bearleft.reports.table import to_json
from bearleft.runtime.store import write_text
from bearleft.types import Progress
from bearleft.version import VERSION
from bearleft.warmup import compile_in_background
from bearleft.world.city.city import open_city
from bearleft.world.worlds import world_kind

Log = Callable[[str], None]
STAGES = 5
TITLE = "Agents in a city of bearleft's own"
EXAMPLES = 120  # in the report; all are scored
REPORT_LIMITS = Limits(seconds=75.0, bytes=20e6)  # large pictures of few examples, a file below 30 MB


@dataclass(frozen=True)
class DemoPart:
    """One dataset of the demonstration.

    Attributes:
        name: The prefix of its file names.
        dataset: The dataset and split.
        agents: The agents that play it.
        metric: The metric of success.
    """

    name: str
    dataset: str
    agents: tuple[str, ...]
    metric: str


PARTS = (
    DemoPart("walks", "city/touchdown/small", ("stop", "random", "frequent", "colour-blind", "follower"), "TC"),
    DemoPart("spots", "city/sdr/small", ("uniform", "center", "average", "colour-blind", "follower"), "A@40px"),
    DemoPart("views", "city/refer360/small", ("uniform", "center", "average", "colour-blind", "follower"), "Acc@11deg"),
    DemoPart("tasks", "city/arramon/small", ("stop", "random", "colour-blind", "follower"), "PTC"),
    DemoPart("turns", "city/pairs/turn-left-right", ("random", "colour-blind", "follower"), "Pairs"),
    DemoPart("sides", "city/pairs/left-right", ("average", "colour-blind", "follower"), "Pairs"),
    DemoPart("colours", "city/pairs/colour", ("average", "colour-blind", "follower"), "Pairs"),
)

AGENT = '''"""An agent to begin with: it looks for the words left, right and behind, and points there."""

from bearleft.records import Direction

WAYS = {"left": -90, "right": 90, "behind": 180}


class Mine:
    def begin(self, episode, rng):
        pass

    def act(self, seen):
        turns = [turn for word, turn in WAYS.items() if word in seen["text"].lower()]
        return Direction(seen["heading"] + (turns[0] if turns else 0), -5)
'''


@dataclass(frozen=True)
class Demo:
    """The results of the demonstration.

    Attributes:
        scores: A row for each agent and dataset.
        remarks: Lines that say what to look at and to type next.
    """

    scores: list[dict[str, Any]]
    remarks: list[str]


def demo(
    folder: str | os.PathLike[str] = "demo", seed: int = 0, progress: Progress | None = None, log: Log | None = None
) -> Demo:
    """Let agents play the included datasets, and write scores, a film and a report into a folder.

    Episodes that were played before are not played again, and a report of the same traces is kept.

    Args:
        folder: The folder to write.
        seed: The seed of the agents.
        progress: Called with a label, the units done and the total.
        log: Called with a line at the end of each stage.
    """
    folder, stages = Path(folder), Stages(progress, log)
    files = {(part, agent): folder / f"{part.name}-{agent}-{seed}.jsonl" for part in PARTS for agent in part.agents}
    if not (folder / "my_agent.py").exists():  # first, so that a folder that cannot be written is an error at once
        write_text(folder / "my_agent.py", AGENT)
    with compile_in_background() as (wait_for_renderer, wait_for_metrics):
        with stages.stage("a city, rooms, and their visibility tables") as report_progress:
            for world in sorted({episode.world for part in PARTS for episode in load(part.dataset)}):
                city = open_city(world, progress=report_progress)
                wait_for_renderer()
                if not world_kind(world).free_movement:  # these worlds have no places
                    open_visibility_table(city, report_progress)
        with stages.stage(f"{len(files)} times an agent plays a dataset") as report_progress:
            for (part, agent), file in files.items():
                evaluate(agent, part.dataset, file, seed, progress=report_progress)
        wait_for_metrics()
    with stages.stage("scores"):
        scores = [_score_agent(part, agent, file, seed) for (part, agent), file in files.items()]
        write_text(folder / "scores.json", to_json(scores) + "\n")
    film, page, stamp = folder / "walk.gif", folder / "report.html", folder / "made-of.txt"
    fingerprint = _fingerprint(files.values())
    is_current = film.exists() and page.exists() and stamp.exists() and stamp.read_text() == fingerprint
    with stages.stage("a film of a walk") as report_progress:
        if not is_current:
            write_film(
                files[PARTS[0], "follower"], None, film, FilmConfig(size=560, seconds=0.4), progress=report_progress
            )
    with stages.stage("the report") as report_progress:
        if not is_current:
            report(
                *files.values(),
                output=page,
                title=TITLE,
                examples=EXAMPLES,
                progress=report_progress,
                limits=REPORT_LIMITS,
            )
            write_text(stamp, fingerprint)
    return Demo(scores, _next_steps(folder, seed))


class Stages:
    """Numbered stages of a long computation: labels of progress begin with the number, and each end is logged."""

    def __init__(self, progress: Progress | None, log: Log | None, total: int = STAGES) -> None:
        self.progress, self.log, self.total, self.done = progress, log, total, 0

    @contextmanager
    def stage(self, title: str) -> Iterator[Progress]:
        """Enter the next stage; yield its progress callback."""
        self.done += 1
        number, start = f"[{self.done}/{self.total}]", time.perf_counter()

        def report_progress(label: str, done: int, total: int) -> None:
            if self.progress:
                self.progress(f"{number} {label}", done, total)

        report_progress(title, 0, 0)
        yield report_progress
        if self.log:
            self.log(f"{number} {title}: {time.perf_counter() - start:.1f} s")


def _score_agent(part: DemoPart, agent: str, file: Path, seed: int) -> dict[str, Any]:
    """Return the success rate of an agent in percent, with a 95 % interval."""
    (row,) = score(file, metrics=[part.metric], seed=seed).rows
    scale = 1.0 if METRICS[part.metric].percent else 100.0  # ArraMon's metrics are fractions
    numbers = {name: round(scale * row[name], 1) for name in ("value", "low", "high")}
    return {"dataset": part.dataset, "agent": agent, "n": row["n"], "metric": part.metric, **numbers}


def _fingerprint(files: Iterable[Path]) -> str:
    """Return a hash of what a report depends on: the traces and the code that writes it."""
    digest = hashlib.sha256(VERSION.encode())
    code = Path(__file__).parent / "reports"
    for path in [*files, *sorted(path for path in code.rglob("*.*") if path.suffix in (".py", ".js", ".css"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _next_steps(folder: Path, seed: int) -> list[str]:
    def quoted(name: str) -> str:
        return shlex.quote(str(folder / name))

    scripts = Path(sys.executable).parent
    on_path = shutil.which("bearleft") or not (scripts / "bearleft").exists()
    path = [] if on_path else [f'  export PATH={shlex.quote(str(scripts))}:"$PATH"    # where bearleft is']
    walks, spots = f"walks-follower-{seed}.jsonl", f"spots-follower-{seed}.jsonl"
    return [
        f"Look at the report: {(folder / 'report.html').absolute().as_uri()}",
        f"A walk of the follower as a film: {folder / 'walk.gif'}",
        "What to try next:",
        *path,
        f"  bearleft eval {quoted('my_agent.py')} city/sdr/small -o {quoted('mine.jsonl')}    # an agent of your own",
        f"  bearleft report {quoted('mine.jsonl')} {quoted(spots)} -o {quoted('mine.html')}",
        f"  bearleft score {quoted(f'walks-random-{seed}.jsonl')} {quoted(walks)}    # every measure",
        f"  bearleft score {quoted(f'walks-random-{seed}.jsonl')} --convention all    # every definition of the field",
        f"  bearleft render episode {quoted(walks)} -o {quoted('walk.mp4')}    # a film of a walk",
        f"  bearleft render city/0 -o {quoted('city.png')}    # another city",
        "  bearleft data make city/touchdown dev --size 100    # more to play: city/touchdown/dev",
    ]

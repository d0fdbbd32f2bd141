"""The whole story on the city that comes with bearleft: worlds, agents that play, scores, a film, and a report."""

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
from bearleft.metrics.table import METRICS
from bearleft.reports.film.film import FilmConfig, write_film
from bearleft.reports.html.report import report
from bearleft.reports.table import to_json
from bearleft.runtime.store import write_text
from bearleft.version import VERSION
from bearleft.warmup import compiling
from bearleft.world.city.city import open_city
from bearleft.world.worlds import world_kind

Progress = Callable[[str, int, int], None]
Say = Callable[[str], None]
STAGES = 5
TITLE = "Agents in a city of bearleft's own"


@dataclass(frozen=True)
class Part:
    """A dataset, who plays it, and the measure that says who did what was asked; `name` begins the files' names."""

    name: str
    dataset: str
    agents: tuple[str, ...]
    measure: str


PARTS = (
    Part("walks", "city/touchdown/small", ("stop", "random", "frequent", "colour-blind", "follower"), "TC"),
    Part("spots", "city/sdr/small", ("uniform", "center", "average", "colour-blind", "follower"), "A@80px"),
    Part("views", "city/refer360/small", ("uniform", "center", "average", "colour-blind", "follower"), "Acc@11deg"),
    Part("tasks", "city/arramon/small", ("stop", "random", "colour-blind", "follower"), "PTC"),
    Part("turns", "city/pairs/turn-left-right", ("random", "colour-blind", "follower"), "TC"),
    Part("sides", "city/pairs/left-right", ("average", "colour-blind", "follower"), "A@80px"),
    Part("colours", "city/pairs/colour", ("average", "colour-blind", "follower"), "A@80px"),
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
    """A row of scores for each agent and dataset, and what to look at and type next."""

    scores: list[dict[str, Any]]
    remarks: list[str]


def demo(
    folder: str | os.PathLike[str] = "demo", seed: int = 0, progress: Progress | None = None, say: Say | None = None
) -> Demo:
    """Lets agents play the datasets that come with bearleft, and writes scores, a film and a report into `folder`.

    What is there already is not played again, and a report of the same traces is kept. `say` gets a line at the end of
    each stage.
    """
    folder, stages = Path(folder), Stages(progress, say)
    files = {(part, agent): folder / f"{part.name}-{agent}-{seed}.jsonl" for part in PARTS for agent in part.agents}
    if not (folder / "my_agent.py").exists():  # first of all, so that a folder that cannot be written is told at once
        write_text(folder / "my_agent.py", AGENT)
    with compiling() as (renderer, measures):
        with stages.stage("a city, rooms, and what is seen from every place") as tell:
            for world in sorted({episode.world for part in PARTS for episode in load(part.dataset)}):
                city = open_city(world, progress=tell)
                renderer()
                if not world_kind(world).arramon:  # there nobody stands at places
                    open_visibility_table(city, tell)
        with stages.stage(f"{len(files)} times an agent plays a dataset") as tell:
            for (part, agent), file in files.items():
                evaluate(agent, part.dataset, file, seed, progress=tell)
        measures()
    with stages.stage("scores"):
        scores = [_scored(part, agent, file, seed) for (part, agent), file in files.items()]
        write_text(folder / "scores.json", to_json(scores) + "\n")
    film, page, made = folder / "walk.gif", folder / "report.html", folder / "made-of.txt"
    expected = _fingerprint(files.values())
    there = film.exists() and page.exists() and made.exists() and made.read_text() == expected
    with stages.stage("a film of a walk") as tell:
        if not there:
            write_film(files[PARTS[0], "follower"], None, film, FilmConfig(size=560, seconds=0.4), progress=tell)
    with stages.stage("the report") as tell:
        if not there:
            report(*files.values(), output=page, title=TITLE, progress=tell)
            write_text(made, expected)
    return Demo(scores, _next(folder, seed))


class Stages:
    """Numbers the stages of a long work: what a bar says begins with the number, and a line says when one is done."""

    def __init__(self, progress: Progress | None, say: Say | None, total: int = STAGES) -> None:
        self.progress, self.say, self.total, self.done = progress, say, total, 0

    @contextmanager
    def stage(self, what: str) -> Iterator[Progress]:
        """One stage; yields what tells how far it is."""
        self.done += 1
        number, begin = f"[{self.done}/{self.total}]", time.perf_counter()

        def tell(label: str, done: int, total: int) -> None:
            if self.progress:
                self.progress(f"{number} {label}", done, total)

        tell(what, 0, 0)
        yield tell
        if self.say:
            self.say(f"{number} {what}: {time.perf_counter() - begin:.1f} s")


def _scored(part: Part, agent: str, file: Path, seed: int) -> dict[str, Any]:
    """How often an agent did what was asked, in percent, with a 95 % interval."""
    (row,) = score(file, metrics=[part.measure], seed=seed).rows
    scale = 1.0 if METRICS[part.measure].percent else 100.0  # ArraMon's measures are shares
    numbers = {name: round(scale * row[name], 1) for name in ("value", "low", "high")}
    return {"dataset": part.dataset, "agent": agent, "n": row["n"], "measure": part.measure, **numbers}


def _fingerprint(files: Iterable[Path]) -> str:
    """What a report is made of: the traces, and the code that makes it."""
    digest = hashlib.sha256(VERSION.encode())
    code = Path(__file__).parent / "report"
    for path in [*files, *sorted(path for path in code.rglob("*.*") if path.suffix in (".py", ".js", ".css"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _next(folder: Path, seed: int) -> list[str]:
    def typed(name: str) -> str:
        return shlex.quote(str(folder / name))

    scripts = Path(sys.executable).parent
    found = shutil.which("bearleft") or not (scripts / "bearleft").exists()
    path = [] if found else [f'  export PATH={shlex.quote(str(scripts))}:"$PATH"    # where bearleft is']
    walks, spots = f"walks-follower-{seed}.jsonl", f"spots-follower-{seed}.jsonl"
    return [
        f"Look at the report: {(folder / 'report.html').absolute().as_uri()}",
        f"A walk of the follower as a film: {folder / 'walk.gif'}",
        "What to try next:",
        *path,
        f"  bearleft eval {typed('my_agent.py')} city/sdr/small -o {typed('mine.jsonl')}    # an agent of your own",
        f"  bearleft report {typed('mine.jsonl')} {typed(spots)} -o {typed('mine.html')}",
        f"  bearleft score {typed(f'walks-random-{seed}.jsonl')} {typed(walks)}    # every measure",
        f"  bearleft score {typed(f'walks-random-{seed}.jsonl')} --convention all    # every definition of the field",
        f"  bearleft render episode {typed(walks)} -o {typed('walk.mp4')}    # a film of a walk",
        f"  bearleft render city/0 -o {typed('city.png')}    # another city",
        "  bearleft data make city/touchdown dev --size 100    # more to play: city/touchdown/dev",
    ]

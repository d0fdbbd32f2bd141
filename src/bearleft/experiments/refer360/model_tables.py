"""Refer360's Table 9 for models, Table 7 for models, and both settings on the same episodes: from answers to rows.

Static networks see everything at once and all sentences; the dynamic agent sees 90 degrees and reads one after the
other (continuous or discrete turns). Parts of the text are the last sentence, the last two, and all.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

from bearleft.errors import InputError, one_line, unknown
from bearleft.experiments.refer360.ablation import PARTS
from bearleft.experiments.refer360.ablation import PUBLISHED as PEOPLE
from bearleft.experiments.refer360.levels import LENGTHS, LEVELS, OBJECT, PIXEL, REGION, Floats, measures
from bearleft.experiments.rows import Row
from bearleft.experiments.touchdown.answers import Answers, read_folder
from bearleft.metrics.statistics import bootstrap_rows, paired_bootstrap
from bearleft.models.examples import examples, point_leg, unreachable
from bearleft.records import Direction, Episode, Trace
from bearleft.runtime.store import existing_file, write_text
from bearleft.world.slices import TALL, Slicing

ALL = "all sentences"
TABLE_9 = {"Acc@11deg": 13.0, "Dist": 1235.0}
REMARK_9 = "the paper's LingUNet on Refer360; it names neither unit"
STATIC, CONTINUOUS, DISCRETE = "static", "continuous", "discrete"
COLUMNS = ("Acc@11deg", "Dist-deg", "A@40px", "A@80px", "Dist", "Slice", "Object")
AIMS = REGION, PIXEL, OBJECT  # what networks are taught to answer, the usual first
BY_PARTS, BY_WAYS, BY_AIMS = "parts", "ways", "levels"  # what differs between the two that are compared
BEGIN, END = "<!-- refer360-models -->", "<!-- /refer360-models -->"
SPLITS = ("validation.seen", "validation.unseen", "test.seen", "test.unseen")


def shortened(episodes: Iterable[Episode], count: int | None) -> list[Episode]:
    """The same targets, told by the last `count` sentences alone (None: by all)."""
    return [_shorter(episode, count) for episode in episodes]


def _shorter(episode: Episode, count: int | None) -> Episode:
    leg = episode.legs[-1]
    if count is None or not leg.sentences:
        return episode
    _, goal = point_leg(episode)
    kept = leg.sentences[-count:]
    shorter = replace(leg, text=" ".join(kept), sentences=kept, goal=replace(goal, views=goal.views[-count:]))
    return replace(episode, legs=(*episode.legs[:-1], shorter))


def outside(episodes: Sequence[Episode], slicing: Slicing = TALL) -> int:
    """How many targets lie in none of the eight slices, too high or too low: these no static network can find."""
    return len(unreachable(examples(episodes), slicing))


@dataclass(frozen=True, eq=False)
class Asked:
    """A system's answers on one dataset, told by some of the sentences."""

    system: str
    way: str  # STATIC, CONTINUOUS or DISCRETE
    part: str  # a key of PARTS: what it was asked with
    learnt: str  # a key of PARTS: what it was trained with
    seed: int
    values: Mapping[str, Floats]  # by measure, in the dataset's order
    aim: str = AIMS[0]  # the level of what it was taught to answer

    @property
    def network(self) -> str:
        """A system's name, whatever it aims at."""
        return self.system.removesuffix(f"-{self.aim}")

    @property
    def name(self) -> str:
        trained = "" if self.learnt == ALL else f", trained on {self.learnt}"
        return f"{self.system}, {self.way}{trained}"


def asked_of(answers: Answers, episodes: Sequence[Episode]) -> Asked:
    """Measures of saved answers, whose `about` says how they came about."""
    if list(answers.ids) != [episode.id for episode in episodes]:
        raise InputError(f"answers to all {len(episodes)} episodes, in order", f"{len(answers.ids)} others")
    yaws = [point_leg(episode)[1].yaw for episode in episodes]
    pointed = [
        Direction(float(heading + yaw) % 360.0, float(pitch))
        for (heading, pitch), yaw in zip(answers.answers, yaws, strict=True)
    ]
    about = answers.about
    how = str(about["way"]), str(about["part"]), str(about["learnt"])
    if (aim := str(about.get("level", AIMS[0]))) not in AIMS:
        raise unknown("level", aim, AIMS)
    return Asked(answers.system, *how, answers.seed, measures(episodes, pointed), aim)


def answers_of(traces: Sequence[Trace], episodes: Sequence[Episode], system: str, seed: int, **about: Any) -> Answers:
    """What players answered; one who did not is taken by the last view."""
    found = []
    for trace, episode in zip(traces, episodes, strict=True):
        answer = trace.legs[-1].answer
        if trace.episode != episode.id or not isinstance(answer, Direction):
            raise InputError("an answer to each episode, in order", trace.episode)
        yaw = point_leg(episode)[1].yaw
        found.append(((answer.heading - yaw + 180.0) % 360.0 - 180.0, answer.pitch))
    ids = tuple(episode.id for episode in episodes)
    return Answers(
        system,
        episodes[0].dataset,
        seed,
        ids,
        np.array(found),
        texts=texts_of(about["way"], about["part"], about["learnt"]),
        about=about,
    )


def texts_of(way: str, part: str, learnt: str) -> str:
    """A word for a file's name: how it turns, what it was asked with, and what it learnt from."""
    short = {"last sentence": "last1", "last 2 sentences": "last2", ALL: "all"}
    return f"{way}-{short[part]}-{short[learnt]}"


def rows(asked: Sequence[Asked], dataset: str, seed: int = 0) -> list[Row]:
    """One row for each system, part and measure, with its interval; all are drawn over the same episodes."""
    found = []
    for one in asked:
        names = list(one.values)
        rng = np.random.default_rng(seed)
        for name, interval in zip(names, bootstrap_rows([one.values[name] for name in names], rng), strict=True):
            scale = 1.0 if name in LENGTHS else 100.0
            found.append(
                {
                    "table": "9" if one.part == one.learnt == ALL else "7",
                    "dataset": dataset,
                    "row": one.name,
                    "texts": one.part,
                    "seed": one.seed,
                    "metric": name,
                    "level": LEVELS[name],
                    "paper": _paper(one, name),
                    "ours": round(scale * interval.mean, 2),
                    "low": round(scale * interval.low, 2),
                    "high": round(scale * interval.high, 2),
                    "n": len(one.values[name]),
                    "remark": REMARK_9 if _paper(one, name) is not None and one.way == STATIC else "",
                }
            )
    return found


def _paper(one: Asked, metric: str) -> float | None:
    """The paper's figure: its LingUNet's where all is read; people's where a part is."""
    if one.part == ALL:
        return TABLE_9.get(metric) if one.system == "lingunet" and one.way == STATIC and one.learnt == ALL else None
    return PEOPLE[one.part].get(metric)


def differences(asked: Sequence[Asked], dataset: str, seed: int = 0) -> list[Row]:
    """Pairs on the same episodes, as `compared` names them; `ours` is the first minus the second."""
    found = []
    for between, one, other in compared(asked):
        for name in (key for key in one.values if key in other.values):
            scale = 1.0 if name in LENGTHS else 100.0
            apart = paired_bootstrap(one.values[name], other.values[name], np.random.default_rng(seed))
            found.append(
                {
                    "table": "differences",
                    "between": between,
                    "dataset": dataset,
                    "row": f"{one.name}: {one.part}",
                    "against": f"{other.name}: {other.part}",
                    "seed": one.seed,
                    "metric": name,
                    "level": LEVELS[name],
                    "ours": round(scale * apart.mean, 2),
                    "low": round(scale * apart.low, 2),
                    "high": round(scale * apart.high, 2),
                    "p": round(apart.p, 4),
                    "n": len(one.values[name]),
                }
            )
    return found


def compared(asked: Sequence[Asked]) -> list[tuple[str, Asked, Asked]]:
    """Who is set against whom: each part against the next longer one, each dynamic agent against each network, and
    a network that aims at one level against itself aiming at another.
    """
    found = []
    order = list(PARTS)
    for one, other in product(asked, asked):
        same = (one.way, one.seed) == (other.way, other.seed)
        step = order.index(one.part) - order.index(other.part) == 1
        # Asked with less by the same network, or by one that learnt from as little.
        fair = one.learnt == other.learnt or (one.learnt, other.learnt) == (one.part, other.part)
        if same and one.system == other.system and step and fair:
            found.append((BY_PARTS, one, other))
        whole = one.part == other.part == other.learnt == ALL
        if one.way != STATIC and other.way == STATIC and whole:
            found.append((BY_WAYS, one, other))
        later = AIMS.index(one.aim) > AIMS.index(other.aim)
        if same and one.network == other.network and later and whole and one.learnt == ALL:
            found.append((BY_AIMS, one, other))
    return found


def ordered(asked: Sequence[Asked], metric: str = "Acc@11deg") -> dict[str, bool]:
    """Whether the ablation has the paper's order, last < last two < all, for each system that was asked all three."""
    found = {}
    for one in asked:
        parts = {
            other.part: float(other.values[metric].mean())
            for other in asked
            if (other.system, other.way, other.seed, other.learnt) == (one.system, one.way, one.seed, one.learnt)
        }
        if len(parts) == len(PARTS):
            means = [parts[part] for part in PARTS]
            found[one.name] = all(a < b for a, b in pairwise(means))
    return found


def table(found: Sequence[Row], metrics: Sequence[str] = COLUMNS) -> str:
    """Rows of one dataset in Markdown: a line for each system and part."""
    lines = [f"| | texts | {' | '.join(metrics)} |", f"| --- | --- |{' --- |' * len(metrics)}"]
    keys = dict.fromkeys((row["row"], row["texts"], row["seed"]) for row in found if row["table"] in "79")
    for name, texts, seed in keys:
        cells = {
            row["metric"]: row
            for row in found
            if (row["row"], row.get("texts"), row.get("seed")) == (name, texts, seed)
        }
        lines.append(f"| {name} | {texts} | {_cells(cells, metrics)} |")
    return "\n".join(lines) + "\n"


def _cells(found: Mapping[str, Row], metrics: Sequence[str], sign: str = "") -> str:
    """Values and intervals of rows by metric, nothing where there is none."""
    told = (found.get(name) for name in metrics)
    return " | ".join(f"{row['ours']:{sign}g} ({row['low']:g} to {row['high']:g})" if row else "" for row in told)


def aims_table(apart: Sequence[Row], metrics: Sequence[str] = COLUMNS) -> str:
    """Differences between levels that networks aim at, of one dataset, in Markdown; nothing where all aim at one."""
    some = [row for row in apart if row.get("between") == BY_AIMS]
    if not some:
        return ""
    lines = [f"| | less | {' | '.join(metrics)} |", f"| --- | --- |{' --- |' * len(metrics)}"]
    for key in dict.fromkeys(map(_sides, some)):
        cells = {row["metric"]: row for row in some if _sides(row) == key}
        one, other = (side.partition(",")[0] for side in key[:2])
        lines.append(f"| {one} | {other} | {_cells(cells, metrics, '+')} |")
    return f"\nWhat it changes to aim at another level, on the same episodes:\n\n{chr(10).join(lines)}\n"


def _sides(row: Row) -> tuple[str, str, int]:
    return row["row"], row["against"], row["seed"]


def _place(one: Asked) -> tuple[Any, ...]:
    """The order of a table's lines."""
    return one.way != STATIC, one.system, one.way, one.seed, list(PARTS).index(one.learnt), list(PARTS).index(one.part)


def filled(page: str, found: Mapping[str, Any]) -> str:
    """A page with the tables of `refer360.json` between its two marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise InputError(f"a page with the marks {BEGIN} and {END}", "one without")
    told = []
    for dataset, counted in found["outside"].items():
        some = [row for row in found["rows"] if row["dataset"] == dataset]
        apart = [row for row in found["differences"] if row["dataset"] == dataset]
        head = f"{dataset}: {counted['targets']:,} sequences, {counted['in no slice']:,} targets in no slice"
        head += f" ({counted['slices']})" if "slices" in counted else ""
        told.append(f"{head}\n\n{table(some)}{aims_table(apart)}")
    return f"{before}{begin}\n" + "\n".join(told) + f"{end}{after}"


def report(folder: Path, episodes: Mapping[str, Sequence[Episode]], slicing: Slicing = TALL) -> str:
    """Tables of all answers in a folder, which also go to refer360.json there; `slicing` is that of its networks."""
    found: dict[str, Any] = {"rows": [], "differences": [], "ordered": {}, "outside": {}}
    told = []
    saved = read_folder(folder / "answers") if (folder / "answers").exists() else []
    for dataset, asked in episodes.items():
        known = [one for one in saved if one.dataset == dataset]
        each = sorted((asked_of(one, asked) for one in known), key=_place)
        if not each:
            continue
        some, apart = rows(each, dataset), differences(each, dataset)
        found["rows"] += some
        found["differences"] += apart
        found["ordered"][dataset] = ordered(each)
        lost = outside(asked, slicing)
        found["outside"][dataset] = {"targets": len(asked), "in no slice": lost, "slices": slicing.name}
        head = f"{dataset}, {len(asked)} episodes, {lost} targets in no slice ({slicing.name})"
        told.append(f"{head}\n\n{table(some)}{aims_table(apart)}")
    write_text(folder / "refer360.json", json.dumps(found, indent=1) + "\n")
    return "\n".join(told)


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the tables of a run into a page: refer360.json, and the page."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if len(given) != 2:
        raise InputError("two files: refer360.json of a run, and the page to fill", f"{len(given)}")
    file, page = existing_file(given[0], "a run's refer360.json"), existing_file(given[1], "a page to fill")
    write_text(page, filled(page.read_text(encoding="utf-8"), json.loads(file.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    with one_line():
        main()

"""Touchdown's Table 4 on a city, from saved answers: every system beside the paper's figures, and what follows.

Each function gives rows of plain values. Means are over episodes and seeds; intervals are 95 % of resamples that draw
the panoramas of one text together; differences and shares are of two systems on the same resamples.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from bearleft.data import load
from bearleft.errors import InputError, shown
from bearleft.experiments.rows import Row
from bearleft.experiments.touchdown.answers import OWN, Answers, Floats, baselines
from bearleft.experiments.touchdown.published import TABLE_4
from bearleft.experiments.touchdown.rows import (
    COLUMNS,
    PAIR_COLUMNS,
    Estimate,
    Measured,
    Split,
    over_seeds,
    share,
)
from bearleft.records import Episode

Data = str | os.PathLike[str] | None
Load = Callable[[str], Sequence[Episode]]
AGAINST, OURS, BLIND = "LINGUNET", "BEARING", "UNET"
NEAR = "A@80px"
FEWEST = 20  # episodes with a phenomenon that are worth a row
PAIRS = "city/pairs/"


@dataclass(frozen=True)
class Told:
    """What is known of one system on one split: its mean over seeds, and each seed's."""

    seeds: tuple[int, ...]
    mean: dict[str, Measured]
    each: tuple[dict[str, Measured], ...]


class Table:
    """All systems on one split, by name and by which texts they had."""

    def __init__(self, split: Split, answers: Iterable[Answers]) -> None:
        self.split = split
        by: dict[tuple[str, str], dict[int, Floats]] = {}
        for one in answers:
            by.setdefault((one.system, one.texts), {})[one.seed] = split.distances(one)
        self.told = {
            key: self._told(dict(sorted(found.items())))
            for key, found in sorted(by.items(), key=lambda item: (_rank(item[0][0]), item[0]))
        }
        self._estimates: dict[tuple[str, str, str], Estimate] = {}

    def _told(self, found: Mapping[int, Floats]) -> Told:
        each = []
        for away in found.values():
            pairs = self.split.pair_measures(away) if len(self.split.pairs) else {}
            each.append({**self.split.measures(away), **pairs})
        return Told(tuple(found), over_seeds(each), tuple(each))

    def has(self, system: str, texts: str = OWN) -> bool:
        return (system, texts) in self.told

    @property
    def systems(self) -> list[str]:
        """Those that had their own texts, in the order of the paper's table."""
        return [system for system, texts in self.told if texts == OWN]

    def estimate(self, system: str, metric: str, texts: str = OWN) -> Estimate:
        """A measure of a system, in percent or pixels."""
        key = (system, metric, texts)
        if key not in self._estimates:
            found = self.split.estimate(self.told[system, texts].mean[metric])
            self._estimates[key] = _scaled(found, _scale(metric))
        return self._estimates[key]

    def gain(self, system: str, metric: str, texts: str) -> Estimate:
        """How much better a system is with its own texts, by the seeds that had both."""
        own, other = self.told[system, OWN], self.told[system, texts]
        both = [seed for seed in own.seeds if seed in other.seeds]
        means = []
        for told in (own, other):
            chosen = [one for seed, one in zip(told.seeds, told.each, strict=True) if seed in both or not both]
            means.append(self.split.estimate(over_seeds(chosen)[metric]))
        return _scaled(means[0] - means[1], _scale(metric))

    def errors(self, system: str, metric: str) -> Estimate:
        """What is missing from 100 %."""
        found = self.estimate(system, metric)
        return Estimate(100.0 - found.value, 100.0 - found.drawn)


def results(
    answers: Sequence[Answers],
    data: Data = None,
    ours: str = OURS,
    against: str = AGAINST,
    episodes: Load | None = None,
) -> list[Row]:
    """All rows that these answers allow: see the functions below. `episodes` opens a dataset by name."""
    opened = cache(episodes or (lambda name: load(name, data)))  # one training split serves several others
    rows: list[Row] = []
    asked = list(dict.fromkeys(one.dataset for one in answers))
    for name in (one for one in asked if not one.startswith(PAIRS)):
        known = opened(name)
        plain = baselines(name, known, _training(name, known, opened))
        split = Split(name, _asked(name, known, answers))
        table = Table(split, [*plain, *(one for one in answers if one.dataset == name)])
        rows += [*scores(table), *differences(table, against), *fewer_errors(table, ours, against)]
        rows += [*by_phenomenon(table, ours, against), *other_texts(table), *order(table)]
    kinds = [name for name in asked if name.startswith(PAIRS)]
    return rows + pair_rows({name: opened(name) for name in kinds}, answers, ours, against)


def scores(table: Table) -> list[Row]:
    """Table 4: every column of every system, with the interval, the spread over seeds, and the paper's figure."""
    rows = []
    for system in table.systems:
        for metric in COLUMNS:
            paper = paper_figure(table.split.name, system, metric)
            rows.append({**_row(table, "score", system, metric), **_told(table, system, metric), "paper": paper})
    return rows


def differences(table: Table, against: str = AGAINST) -> list[Row]:
    """Every system less another, on the same episodes."""
    if not table.has(against):
        return []
    rows = []
    for system in table.systems:
        for metric in COLUMNS if system != against else ():
            apart = table.estimate(system, metric) - table.estimate(against, metric)
            rows.append(
                {**_row(table, "difference", system, metric, against), **_values(apart), "p": round(apart.p, 4)}
            )
    return rows


def fewer_errors(table: Table, ours: str = OURS, against: str = AGAINST) -> list[Row]:
    """By how many percent the errors of one system are fewer than those of another."""
    if not (table.has(ours) and table.has(against)):
        return []
    rows = []
    for metric in ("A@40px", NEAR, "A@120px"):
        left = share(table.errors(ours, metric), table.errors(against, metric))
        fewer = Estimate(100.0 * (1 - left.value), 100.0 * (1 - left.drawn))
        rows.append({**_row(table, "fewer errors", ours, metric, against), **_values(fewer)})
    return rows


def by_phenomenon(table: Table, ours: str = OURS, against: str = AGAINST) -> list[Row]:
    """A@80px of texts with each phenomenon: two systems, and their difference."""
    rows = []
    for what, where in table.split.phenomena.items():
        if where.sum() < FEWEST:
            continue
        found = {
            system: _scaled(table.split.estimate(table.told[system, OWN].mean[NEAR], where), 100.0)
            for system in (against, ours, BLIND)
            if table.has(system)
        }
        many = {"phenomenon": what, "n": int(where.sum())}
        rows += [{**_row(table, "phenomenon", who, NEAR), **_values(one), **many} for who, one in found.items()]
        if ours in found and against in found:
            apart = found[ours] - found[against]
            rows.append({**_row(table, "phenomenon difference", ours, NEAR, against), **_values(apart), **many})
    return rows


def other_texts(table: Table) -> list[Row]:
    """Systems with other texts than their own, and how much better they are with their own."""
    rows = []
    for system, texts in table.told:
        if texts == OWN:
            continue
        for metric in ("A@40px", NEAR, "A@120px", "Dist"):
            row = {**_row(table, "texts", system, metric), **_told(table, system, metric, texts), "texts": texts}
            if table.has(system):
                row |= {f"own {name}": value for name, value in _values(table.gain(system, metric, texts)).items()}
            rows.append(row)
    return rows


def order(table: Table, metric: str = NEAR) -> list[Row]:
    """Pairs of systems that stand the other way round than in the paper, and whether ours are surely so."""
    rows = []
    for above, below in combinations(table.systems, 2):
        first, second = (paper_figure(table.split.name, one, metric) for one in (above, below))
        if first is None or second is None or first == second:
            continue
        better, worse = (above, below) if first > second else (below, above)
        apart = table.estimate(worse, metric) - table.estimate(better, metric)
        if apart.value > 0:
            row = {**_row(table, "reversal", worse, metric, better), **_values(apart), "sure": apart.interval[0] > 0}
            rows.append(row | {"paper": -round(abs(first - second), 2)})
    return rows


def pair_rows(
    kinds: Mapping[str, Sequence[Episode]], answers: Sequence[Answers], ours: str = OURS, against: str = AGAINST
) -> list[Row]:
    """Minimal pairs by kind and all together: both texts right, the changed one right, and the share of errors left."""
    if not kinds:
        return []
    rows = []
    asked = {name: _asked(name, known, answers) for name, known in kinds.items()}
    groups = {name.removeprefix(PAIRS): [name] for name in asked}
    groups |= {"all": list(asked)} if len(asked) > 1 else {}
    for group, names in groups.items():
        split = Split(f"{PAIRS}{group}", [one for name in names for one in asked[name]])
        table = Table(split, joined(answers, names))
        for system in table.systems:
            rows += [{**_row(table, "pairs", system, one), **_told(table, system, one)} for one in PAIR_COLUMNS]
        if table.has(ours) and table.has(against):
            for metric in PAIR_COLUMNS:
                left = share(table.errors(ours, metric), table.errors(against, metric))
                rows.append({**_row(table, "errors left", ours, metric, against), **_values(left, 3)})
    return rows


def joined(answers: Sequence[Answers], names: Sequence[str]) -> list[Answers]:
    """Answers of several datasets as one, of those systems and seeds that have all of them."""
    parts: dict[tuple[str, str, int], dict[str, Answers]] = {}
    for one in answers:
        if one.dataset in names:
            parts.setdefault((one.system, one.texts, one.seed), {})[one.dataset] = one
    found = []
    for (system, texts, seed), some in parts.items():
        if len(some) == len(names):
            ids = tuple(one for name in names for one in some[name].ids)
            told = np.concatenate([some[name].answers for name in names])
            found.append(Answers(system, ", ".join(names), seed, ids, told, texts=texts))
    return found


def paper_figure(split: str, system: str, metric: str) -> float | None:
    """What the paper prints, of its development or test split; None where it prints nothing."""
    held = TABLE_4["test" if split.rpartition("/")[2].startswith("test") else "dev"].get(system)
    return None if held is None or metric not in COLUMNS else held[COLUMNS.index(metric)]


def _asked(name: str, known: Sequence[Episode], answers: Iterable[Answers]) -> list[Episode]:
    """The episodes that somebody answered: a run may ask a part of a dataset, such as pairs in places never seen."""
    ids = {one for some in answers if some.dataset == name for one in some.ids}
    if odd := ids - {one.id for one in known}:
        hint = "Name the data folder whose examples were asked: --data DIR"
        raise InputError(f"answers to {name}'s own {len(known)} episodes", shown(min(odd)), "ids", hint=hint)
    return [one for one in known if one.id in ids]


def _training(name: str, known: Sequence[Episode], opened: Load) -> Sequence[Episode]:
    """The training split beside a split; the split itself where there is none."""
    try:
        return opened(f"{name.rpartition('/')[0]}/train")
    except InputError:
        return known


def _rank(system: str) -> int:
    names = list(TABLE_4["dev"])
    return names.index(system) if system in names else len(names)


def _scale(metric: str) -> float:
    return 1.0 if metric == "Dist" else 100.0


def _scaled(found: Estimate, scale: float) -> Estimate:
    return Estimate(scale * found.value, scale * found.drawn)


def _row(table: Table, kind: str, system: str, metric: str, against: str = "") -> Row:
    row: Row = {"kind": kind, "split": table.split.name, "system": system, "metric": metric}
    return row | ({"against": against} if against else {})


def _told(table: Table, system: str, metric: str, texts: str = OWN) -> Row:
    """A measure, its spread over seeds (the standard deviation; None of one seed), and of how many values it is."""
    told = table.told[system, texts]
    each = [_scale(metric) * float(one[metric].values.mean()) for one in told.each]
    spread = round(float(np.std(each, ddof=1)), 2) if len(each) > 1 else None
    many = {"seeds": len(each), "spread": spread, "n": len(told.mean[metric].values)}
    return _values(table.estimate(system, metric, texts)) | many


def _values(found: Estimate, digits: int = 2) -> Row:
    """A value and its interval; None where there is none, as for a share of no errors at all."""
    if not np.isfinite(found.value):
        return {"value": None, "low": None, "high": None}
    low, high = found.interval
    return {"value": round(found.value, digits), "low": round(low, digits), "high": round(high, digits)}

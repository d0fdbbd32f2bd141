"""Trains the systems of Touchdown's Table 4 and ours on a city, one row after another, and saves their answers.

    python -m bearleft.experiments.touchdown.train --data DATA --epoch 12500 --device cuda --minutes 8 -o runs

Minimal pairs whose places are training's are trained on, with all systems; those of other places are asked. A call ends
after so many minutes and the next one goes on where it was. Panoramas' features are made once a call and stay on the
device. `experiments.pointing` makes tables of the answers; docs/point.md has the commands that
make DATA.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bearleft.data import load
from bearleft.errors import InputError, one_line
from bearleft.experiments.touchdown.answers import Answers, save_answers
from bearleft.models.backbones.registry import Trunk
from bearleft.models.backbones.registry import trunk as open_trunk
from bearleft.models.examples import Examples, examples, joined
from bearleft.models.features.base import panoramas_of
from bearleft.models.features.sources import Features, features_for
from bearleft.models.pointing.predict import predict
from bearleft.models.pointing.registry import kind
from bearleft.runtime.store import write_text
from bearleft.training.history import ACCURACY, Told
from bearleft.training.pointing.batches import shuffled
from bearleft.training.pointing.train import Recipe, Trained, train
from bearleft.world.slices import PAPER, Slicing

TRAIN = "city/sdr/train"
SPLITS = ("city/sdr/dev", "city/sdr/test", "city/sdr/dev_unseen", "city/sdr/test_unseen")
PAIRS = tuple(f"city/pairs/{kind}" for kind in ("left-right", "first-second", "colour", "above-below", "count"))
SHUFFLED, DONE = "shuffled", "done"
MIXED_UP = ("city/sdr/dev_unseen", "city/sdr/small")  # where systems are asked by others' texts too


@dataclass(frozen=True)
class Row:
    """One system, trained with one seed.

    Of several rates, each tried for a few epochs, the one with the best tuning accuracy goes on; further seeds take it
    too.
    """

    system: str
    network: str
    seed: int = 0
    rate: float | None = None
    changes: dict[str, Any] = field(default_factory=dict)
    rates: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """Its folder's."""
        rate = "" if self.rate is None else f"-rate{self.rate:g}"
        return f"{self.system.lower()}{rate}-{self.seed}"


@dataclass(frozen=True)
class Plan:
    """What all rows share."""

    epochs: int = 5
    epoch: int | None = None  # examples of an epoch, all where none is given
    batch: int = 10
    size: int | None = None  # training examples, all where none is given
    asked: int = 2000  # examples of a split that systems are asked; of a kind of pairs half as many
    splits: tuple[str, ...] = SPLITS
    pairs: tuple[str, ...] = PAIRS  # of the training's places they are trained on, of others asked
    trial: int = 2  # epochs after which the best of several rates is known


RATES = (0.0002, 0.0004, 0.0008)  # of LingUNet; the paper's is 0.0005


def rows(seeds: Sequence[int] = (0, 1, 2)) -> list[Row]:
    """Every learning system once, then further seeds of the two that matter most."""
    once = [
        Row("BEARING", "bearing"),
        Row("LINGUNET", "lingunet", rates=RATES),
        Row("UNET", "unet"),
        Row("CONCAT", "concat"),
        Row("CONCATCONV", "concatconv"),
        Row("TEXT2CONV", "text2conv"),
    ]
    return once + [replace(row, seed=seed) for seed in seeds[1:] for row in once[:2]]


class Runs:
    """Examples and features on a device, and a folder that fills with answers."""

    def __init__(
        self, folder: Path, plan: Plan, trunk: Trunk, device: str, slicing: Slicing = PAPER, data: str | None = None
    ) -> None:
        self.folder, self.plan, self.trunk, self.device = folder, plan, trunk, device
        described = examples(load(TRAIN, data)[: plan.size])
        self.asked = {name: _first(examples(load(name, data)), plan.asked) for name in plan.splits}
        lessons = [described]
        for name in plan.pairs:
            known, new = by_place(examples(load(name, data)), described)
            lessons.append(known)
            self.asked[name] = _first(new, plan.asked // 2)
        self.training = joined(lessons)
        self.features = self._features([self.training, *self.asked.values()], slicing)

    def _features(self, asked: Iterable[Examples], slicing: Slicing) -> Features:
        begin = time.monotonic()
        made = features_for(list(asked), self.trunk, slicing, self.device, keep=True)
        if self.device == "cuda":
            torch.cuda.synchronize()
        seconds = time.monotonic() - begin
        print(f"{len(made.panoramas):,} panoramas, {len(made.panoramas) / seconds:.0f}/s, {seconds:.0f} s", flush=True)
        return made

    def row(self, row: Row, minutes: float) -> bool:
        """Trains a row and asks it everything; False where there was not time enough."""
        begin = time.monotonic()
        if self.done(row):
            return True
        end = begin + 60.0 * minutes
        best = self._best(row, end)
        trained = None if best is None else self._trained(best, self.plan.epochs, end)
        if best is None or trained is None:
            return False
        self._ask(best, trained)
        (self.folder / row.name).mkdir(exist_ok=True)
        (self.folder / row.name / DONE).touch()
        print(f"{row.name} finished, {time.monotonic() - begin:.0f} s", flush=True)
        return True

    def _chosen(self, row: Row) -> Path:
        """The file that holds the rate of a system."""
        return self.folder / f"{row.system.lower()}-rate.txt"

    def _best(self, row: Row, end: float) -> Row | None:
        """The row with the rate that it is to have; None where the time ended before one was found."""
        if not row.rates:
            return row
        chosen = self._chosen(row)
        if chosen.exists():
            return replace(row, rate=float(chosen.read_text()), rates=())
        found: dict[float, float] = {}
        # A rate that falls to nothing is known only at its end.
        epochs = self.plan.epochs if kind(row.network).decay else min(self.plan.trial, self.plan.epochs)
        for rate in row.rates:
            trained = self._trained(replace(row, rate=rate, rates=()), epochs, end)
            if trained is None:
                return None
            found[rate] = trained.pointer.about.get(ACCURACY, 0.0)
        best = max(found, key=lambda rate: found[rate])
        write_text(chosen, f"{best}\n")
        return replace(row, rate=best, rates=())

    def _trained(self, row: Row, epochs: int, end: float) -> Trained | None:
        """A row after so many epochs, from where it was; None where the time ended before them."""
        plan, minutes = self.plan, (end - time.monotonic()) / 60.0
        recipe = Recipe(row.network, row.seed, epochs, plan.epoch, batch=plan.batch, rate=row.rate, changes=row.changes)
        folder = self.folder / row.name
        trained = train(recipe, self.training, self.features, folder, self.device, minutes, tell, self.trunk)
        return trained if trained.finished else None

    def _ask(self, row: Row, trained: Trained) -> None:
        """Saves a system's answers to everything."""
        about = {
            "network": row.network,
            "rate": row.rate or "",
            "epochs": len(trained.rows),
            "batch": self.plan.batch,
            "examples": len(self.training),
            "seconds": round(sum(float(one["seconds"]) for one in trained.rows), 1),
            "trunk": self.trunk.hash,
            "updates": trained.rows[-1]["update"],
        }
        for name, split in self.asked.items():
            for texts, one in (("own", split), (SHUFFLED, shuffled(split, 0))):
                if texts == SHUFFLED and name not in MIXED_UP:
                    continue
                found = predict(trained.pointer, one, self.features)
                save_answers(
                    self.folder / "answers",
                    Answers(row.system, name, row.seed, one.ids, found.answers, found.seconds, texts, about),
                )

    def done(self, row: Row) -> bool:
        return (self.folder / row.name / DONE).exists()


def by_place(given: Examples, training: Examples) -> tuple[Examples, Examples]:
    """Examples of places that training panoramas show, and those of others."""
    places = {(one.world, one.place) for one in panoramas_of(training)}
    known = np.array([(one.world, one.place) in places for one in given.panoramas], bool)[given.pictures]
    return given.some(np.flatnonzero(known)), given.some(np.flatnonzero(~known))


def _first(given: Examples, many: int) -> Examples:
    return given.some(np.arange(min(many, len(given))))


def tell(told: Told) -> None:
    """Lines only."""
    if told.line:
        print(told.line, flush=True)


def go(runs: Runs, expected: Iterable[Row], minutes: float) -> list[Row]:
    """Trains rows until the time is over; what is left to do."""
    end = time.monotonic() + 60.0 * minutes
    left = list(expected)
    while left and time.monotonic() < end:
        if not runs.row(left[0], (end - time.monotonic()) / 60.0):
            break
        left.pop(0)
    return left


def main(arguments: Sequence[str] | None = None) -> None:
    """The command above."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", help="a data folder")
    parser.add_argument("--trunk", default="city", help="city, or a file of weights")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--epochs", type=int, default=Plan.epochs)
    parser.add_argument("--epoch", type=int, help="examples of an epoch (default: all)")
    parser.add_argument("--size", type=int, help="training examples (default: all)")
    parser.add_argument("--batch", type=int, default=Plan.batch)
    parser.add_argument("--asked", type=int, default=Plan.asked, help="examples of a split that systems are asked")
    parser.add_argument("--only", nargs="*", help="rows by name, such as lingunet-0")
    parser.add_argument("-o", "--output", default="runs", type=Path)
    given = parser.parse_args(arguments)
    begin = time.monotonic()
    expected = rows()
    if given.only:
        known = {row.name: row for row in expected}
        if odd := [name for name in given.only if name not in known]:
            raise InputError(f"rows: {', '.join(known)}", odd[0], "only")
        expected = [known[name] for name in given.only]
    plan = Plan(given.epochs, given.epoch, given.batch, given.size, given.asked)
    runs = Runs(given.output, plan, open_trunk(given.trunk, given.device), given.device, data=given.data)
    left = go(runs, expected, given.minutes - (time.monotonic() - begin) / 60.0)
    print("all done" if not left else f"left: {', '.join(row.name for row in left)}", flush=True)


if __name__ == "__main__":
    with one_line():
        main()

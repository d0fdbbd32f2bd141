"""Refer360's sections 5.4 and 6 for models: networks that see everything at once, an agent that turns its view, and how
many sentences they need. Trains, asks and counts everything; a call goes on where the one before it stopped:

    python -m bearleft.experiments.refer360.train --data DATA --device cuda --minutes 8 -o runs/refer360
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any

from bearleft.data import load
from bearleft.envs.game import Action
from bearleft.envs.legs import begin
from bearleft.errors import InputError, one_line, shown
from bearleft.evaluate.play import generators
from bearleft.experiments.refer360.ablation import PARTS
from bearleft.experiments.refer360.model_tables import (
    ALL,
    CONTINUOUS,
    DISCRETE,
    SPLITS,
    STATIC,
    answers_of,
    report,
    shortened,
    texts_of,
)
from bearleft.experiments.refer360.model_tables import rows as rows
from bearleft.experiments.touchdown.answers import Answers, save_answers
from bearleft.models.backbones.registry import trunk as open_trunk
from bearleft.models.examples import coverage, examples
from bearleft.models.features.sources import Features, features_for
from bearleft.models.looking.examples import spot_of
from bearleft.models.looking.player import Finder
from bearleft.models.looking.views import Views
from bearleft.models.pointing.levels import LEVELS, REGION, check_level
from bearleft.models.pointing.predict import predict
from bearleft.models.pointing.registry import kind
from bearleft.records import Direction, Episode, Trace, to_line
from bearleft.runtime.store import write_text
from bearleft.training.history import Told
from bearleft.training.looking import Recipe as LookRecipe
from bearleft.training.looking import find
from bearleft.training.looking import train as train_look
from bearleft.training.pointing.train import Recipe, train
from bearleft.version import VERSION
from bearleft.world.slices import SLICINGS, TALL, Slicing

LOOKER = "looker"
Data = str | os.PathLike[str] | None


@dataclass(frozen=True)
class Plan:
    """What is trained and asked."""

    family: str = "city/refer360"
    train: str = "train"
    splits: tuple[str, ...] = SPLITS
    networks: tuple[str, ...] = ("lingunet", "bearing")
    seed: int = 0
    epochs: int = 6
    batch: int = 10
    size: int | None = None  # training episodes
    limit: int | None = None  # episodes asked of each split
    shortened: bool = False  # networks are trained on shortened texts, too
    slicing: Slicing = TALL
    look: LookRecipe = field(default_factory=LookRecipe)
    compile: bool = False
    changes: dict[str, Any] = field(default_factory=dict)  # of networks' Config
    rates: dict[str, float] = field(default_factory=dict)  # of networks that do not take their usual one
    levels: tuple[str, ...] = (REGION,)  # what networks are taught to aim at; each is trained once for each

    def __post_init__(self) -> None:
        for name in (*self.networks, *self.rates):
            kind(name)  # an error where there is none of that name

    @property
    def names(self) -> list[str]:
        """The datasets that are asked."""
        return [f"{self.family}/{split}" for split in self.splits]


class Runs:
    """Episodes, what is seen of them, and a folder that fills with answers and traces."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        trunk: str = "city",
        device: str = "cuda",
        data: Data = None,
        pictures: Sequence[str | os.PathLike[str]] = (),
    ) -> None:
        self.folder, self.plan, self.device, self.data, self.pictures = folder, plan, device, data, pictures
        self.trunk = open_trunk(trunk, device)
        self.training = list(load(f"{plan.family}/{plan.train}", data))[: plan.size]
        for level in plan.levels:
            check_level(level, (episode.world for episode in self.training))
        self._asked: dict[str, list[Episode]] = {}

    def episodes(self, name: str) -> list[Episode]:
        """A split that is asked."""
        if name not in self._asked:
            self._asked[name] = list(load(name, self.data))[: self.plan.limit]
        return self._asked[name]

    def go(self, minutes: float) -> list[str]:
        """Works until the time is over; what is left to do."""
        end = time.monotonic() + 60.0 * minutes
        work: dict[str, Callable[[float], bool]] = {LOOKER: self.looker}
        parts = PARTS if self.plan.shortened else (ALL,)
        for level, name, part in product(self.plan.levels, self.plan.networks, parts):
            key = system_of(name, level) + ("" if part == ALL else f", {part}")
            work[key] = partial(self.network, name, part, level)
        left = list(work)
        while left and (rest := (end - time.monotonic()) / 60.0) > 0 and work[left[0]](rest):
            left.pop(0)
        return left

    def looker(self, minutes: float) -> bool:
        """The dynamic agent: trained, and asked in both ways."""
        recipe = replace(self.plan.look, seed=self.plan.seed)
        expected = [(CONTINUOUS, part) for part in PARTS] + [(DISCRETE, ALL)]
        asked = [(name, *one) for name in self.plan.names for one in expected]
        if all(self._file(name, LOOKER, way, part).exists() for name, way, part in asked):
            return True
        began = time.monotonic()
        views = Views(
            map(spot_of, self.training),
            self.trunk,
            recipe.config(1, self.trunk.channels),
            self.device,
            None,
            self.pictures,
            self.data,
        )
        done = train_look(
            recipe,
            self.training,
            self.trunk,
            self.folder / f"{LOOKER}-{self.plan.seed}",
            self.device,
            minutes,
            tell_line,
            views,
        )
        if not done.whole:
            return False
        for name, way, part in asked:
            if self._file(name, LOOKER, way, part).exists():
                continue
            if time.monotonic() - began > 60.0 * minutes:
                return False
            self._play(replace(done.finder, way=way), name, part, views)
        return True

    def _play(self, finder: Finder, name: str, part: str, views: Views) -> None:
        start, told = time.monotonic(), shortened(self.episodes(name), PARTS[part])
        traces = find(finder, told, views, self.plan.seed, heat=part == ALL)
        about = {"way": finder.way, "part": part, "learnt": ALL}
        self._keep(traces, answers_of(traces, told, LOOKER, self.plan.seed, **about))
        tell_line(f"{LOOKER}, {finder.way}, {part}, {name}: {time.monotonic() - start:.1f} s")

    def network(self, name: str, part: str, level: str, minutes: float) -> bool:
        """A static network that learnt from some of the sentences: asked with them, and with others if from all."""
        system = system_of(name, level)
        parts = list(PARTS) if part == ALL else [part]
        asked = [(dataset, one) for dataset in self.plan.names for one in parts]
        if all(self._file(dataset, system, STATIC, one, part).exists() for dataset, one in asked):
            return True
        plan = self.plan
        recipe = Recipe(
            name,
            plan.seed,
            plan.epochs,
            batch=plan.batch,
            rate=plan.rates.get(name),
            compile=plan.compile,
            changes=plan.changes,
            level=level,
        )
        folder = self.folder / f"{system}{'' if part == ALL else f'-last{PARTS[part]}'}-{plan.seed}"
        lessons = examples(shortened(self.training, PARTS[part]))
        began = time.monotonic()
        features = self.features
        rest = minutes - (time.monotonic() - began) / 60.0
        trained = train(recipe, lessons, features, folder, self.device, rest, _told, self.trunk)
        if not trained.finished:
            return False
        for dataset, one in asked:
            told = shortened(self.episodes(dataset), PARTS[one])
            found = predict(trained.pointer, questions := examples(told), features)
            traces = pointed(told, questions.directions(found.answers), f"{system}-static", plan.seed)
            about = {"way": STATIC, "part": one, "learnt": part, "epochs": len(trained.rows), "level": level}
            self._keep(traces, answers_of(traces, told, system, plan.seed, **about))
        return True

    @cached_property
    def features(self) -> Features:
        """Of all panoramas, made once a call."""
        start = time.monotonic()
        names = [f"{self.plan.family}/{self.plan.train}", *self.plan.names]
        all_of = [examples(self.training), *(examples(self.episodes(name)) for name in self.plan.names)]
        for name, some in zip(names, all_of, strict=True):
            tell_line(coverage(some, self.plan.slicing, name))
        made = features_for(
            all_of, self.trunk, self.plan.slicing, self.device, pictures=list(self.pictures), data=self.data
        )
        tell_line(f"{len(made.panoramas):,} panoramas: {time.monotonic() - start:.0f} s")
        return made

    def _file(self, dataset: str, system: str, way: str, part: str, learnt: str = ALL) -> Path:
        """Where answers are kept."""
        parts = system, dataset.replace("/", "-"), str(self.plan.seed), texts_of(way, part, learnt)
        return self.folder / "answers" / f"{'_'.join(parts)}.npz"

    def _keep(self, traces: Sequence[Trace], answers: Answers) -> None:
        """Traces first: answers say that all is done."""
        path = self.folder / "traces" / f"{Path(answers.file).stem}.jsonl"
        write_text(path, "".join(to_line(trace) + "\n" for trace in traces))
        save_answers(self.folder / "answers", answers)


def system_of(network: str, level: str) -> str:
    """What a network is called in tables: by its name alone if it learnt as usual, to aim at a region."""
    return network if level == REGION else f"{network}-{level}"


def pointed(episodes: Sequence[Episode], answers: Sequence[Direction], agent: str, seed: int = 0) -> list[Trace]:
    """Answers as traces: who sees everything at once reads on to the last sentence, looks there, and is done."""
    found = []
    for episode, answer in zip(episodes, answers, strict=True):
        leg = episode.legs[-1]
        game = begin(leg, episode.start, episode, generators(seed, episode.id)[0])
        acts: list[Action] = [answer]
        if leg.sentences:
            acts = [*["next"] * (len(leg.sentences) - 1), answer, "next"]
        for action in acts:
            game.step(action)
        found.append(Trace(episode.id, episode.dataset, agent, (game.trace(),), seed, "", VERSION))
    return found


def tell_line(line: str) -> None:
    """To who waits for it."""
    print(line, flush=True)


def _told(told: Told) -> None:
    if told.line:
        tell_line(told.line)


def _rate(text: str) -> tuple[str, float]:
    name, _, rate = text.partition("=")
    try:
        return name, float(rate)
    except ValueError:
        raise InputError("NETWORK=RATE, as in lingunet=0.001", shown(text), "rate") from None


def main(arguments: Sequence[str] | None = None) -> None:
    """The command above."""
    usual = Plan()
    parser = argparse.ArgumentParser(description="Refer360: static networks, the dynamic agent, the sentence ablation.")
    parser.add_argument("--data", help="folder of the datasets")
    parser.add_argument("--family", default=usual.family, help="city/refer360, or refer360 for real files")
    parser.add_argument("--pictures", action="append", default=[], help="folder of panoramas, for real places")
    parser.add_argument("--trunk", default="city")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--networks", nargs="*", default=list(usual.networks))
    parser.add_argument("--splits", nargs="*", default=list(usual.splits))
    parser.add_argument("--train", default=usual.train, help="the split to learn from")
    parser.add_argument("--size", type=int, help="training episodes (default: all)")
    parser.add_argument("--limit", type=int, help="episodes asked of each split (default: all)")
    parser.add_argument("--epochs", type=int, default=usual.epochs, help="of static networks")
    parser.add_argument("--rate", action="append", default=[], metavar="NETWORK=RATE", help="another learning rate")
    parser.add_argument("--batch", type=int, default=usual.batch, help="of static networks")
    parser.add_argument("--compile", action="store_true", help="static networks, by torch")
    parser.add_argument("--look-epochs", type=int, default=usual.look.epochs)
    parser.add_argument("--level", nargs="+", default=[REGION], choices=LEVELS, help="what static networks aim at")
    parser.add_argument("--slices", default=usual.slicing.name, choices=list(SLICINGS), help="of static networks")
    parser.add_argument("--shortened", action="store_true", help="train on shortened texts, too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--out", type=Path, default=Path("runs/refer360"))
    given = parser.parse_args(arguments)
    look = replace(usual.look, epochs=given.look_epochs)
    asked = tuple(given.splits), tuple(given.networks)
    rates = dict(map(_rate, given.rate))
    plan = Plan(
        given.family,
        given.train,
        *asked,
        given.seed,
        given.epochs,
        given.batch,
        given.size,
        given.limit,
        given.shortened,
        look=look,
        compile=given.compile,
        rates=rates,
        levels=tuple(given.level),
        slicing=SLICINGS[given.slices],
    )
    began = time.monotonic()
    runs = Runs(given.out, plan, given.trunk, given.device, given.data, given.pictures)
    for name in plan.names:
        runs.episodes(name)  # a split that is not there is told before anything is trained
    left = runs.go(given.minutes - (time.monotonic() - began) / 60.0)
    print(report(given.out, {name: runs.episodes(name) for name in plan.names}, plan.slicing), flush=True)
    print(f"left: {', '.join(left)}" if left else "all done", flush=True)


if __name__ == "__main__":
    with one_line():
        main()

"""Training a looker, the agent that finds by turning its view: `python -m bearleft.training.looking DATASET -o FOLDER`.

It learns from where people (or our writer) looked after each sentence, all sentences of a batch side by side. Views are
a little off the mark, as its own will be. What is seen does not change while it learns, so it is seen once before.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bearleft.agents.looking import Looking
from bearleft.data import load
from bearleft.envs.legs import Options
from bearleft.envs.look import HORIZON, STEP, check_step
from bearleft.errors import InputError, one_line
from bearleft.evaluate.play import play_batch
from bearleft.models import BEST
from bearleft.models.backbones.registry import Trunk
from bearleft.models.backbones.registry import trunk as open_trunk
from bearleft.models.looking.examples import Pool, Rows, around, rows, sentences_of, spot_of
from bearleft.models.looking.network import TURNS, Belief, Config, Looker, Told
from bearleft.models.looking.player import DISCRETE, Finder
from bearleft.models.looking.sphere import Memory, degrees, in_view, near
from bearleft.models.looking.views import Views
from bearleft.models.pointing.target_maps import divergence
from bearleft.models.vocabulary import Vocabulary
from bearleft.records import Episode, Trace
from bearleft.runtime.store import only_writer
from bearleft.training.state import found, keep, last_good
from bearleft.version import VERSION

STEPS = "steps.pt"  # the same looker as BEST, turning by steps
COARSE, FINE = 5.0, 3.0  # degrees around a goal that are right as well
LEAST, SHARE = 16, 0.03  # sentences, and the share of episodes, that are held out to see how learning goes
ASTRAY, LOST, OFTEN = 4.0, 25.0, 0.15  # degrees off where the last sentence led: usually, and how often so much
STANDS = 4  # directions on the way to a goal, from each of which a turn is learnt
CLOSE = 11.0
HEADS = Config.heads
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Recipe:
    """How to learn: everything that the result depends on, beside the episodes."""

    seed: int = 0
    epochs: int = 12
    batch: int = 192  # sentences
    rate: float = 1e-3
    decay: float = 0.02
    warm: float = 0.05  # of all updates
    variants: int = 2  # views of each sentence's goal
    width: int = 128
    dropout: float = 0.2
    side: int = 448
    pool: int = 2
    columns: int = 60  # of the map of the sphere, with a third as many rows
    step: float = STEP  # degrees of a turn, of who turns by steps

    def __post_init__(self) -> None:
        least = {"epochs": 1, "batch": 1, "variants": 1, "width": 1, "pool": 1, "side": 8 * self.pool, "columns": 3}
        for name, many in least.items():
            if getattr(self, name) < many:
                raise InputError(f"at least {many}", str(getattr(self, name)), name)
        if self.width % HEADS:
            raise InputError(f"a multiple of {HEADS}, one share for each head", str(self.width), "width")
        if not 0.0 < self.rate < 1e6:
            raise InputError("a number above 0 and below a million", str(self.rate), "rate")
        check_step(self.step)
        if not 0.0 <= self.dropout < 1.0:
            raise InputError("a number from 0 up to 1, without 1", str(self.dropout), "dropout")

    def config(self, words: int, channels: int) -> Config:
        """Of the looker."""
        return Config(
            words,
            channels,
            self.width,
            dropout=self.dropout,
            side=self.side,
            pool=self.pool,
            rows=self.columns // 3,
            columns=self.columns,
        )


@dataclass(frozen=True, eq=False)
class Lessons:
    """All that is learnt from, on the device."""

    rows: Rows
    told: Told
    lengths: torch.Tensor  # on the CPU, so that nothing waits for them
    memory: Memory  # by place
    pool: Pool
    goal: Tensor
    spot: Tensor
    before: Tensor

    @classmethod
    def of(cls, episodes: Sequence[Episode], vocabulary: Vocabulary, views: Views, recipe: Recipe) -> Lessons:
        asked = rows(episodes, views)
        told = asked.read(vocabulary, views.device)
        numbers = [torch.from_numpy(one).to(views.device) for one in (asked.goal, asked.spot, asked.before)]
        pool = Pool.of(asked, views, recipe.variants, recipe.seed)
        return cls(asked, told, told.lengths.cpu(), around(views, recipe.seed), pool, *numbers)

    def some(self, which: Tensor) -> Told:
        """The sentences of some rows."""
        longest = int(self.lengths[which.cpu()].max())
        told = self.told
        return Told(told.words[which, :longest], told.ages[which, :longest], told.lengths[which])


@dataclass(frozen=True, eq=False)
class Trained:
    """What came of it."""

    finder: Finder
    curve: list[dict[str, Any]]
    whole: bool  # all epochs are done


def fingerprint(episodes: Sequence[Episode]) -> str:
    """A hash of all that is asked."""
    found = hashlib.sha256()
    for episode in episodes:
        found.update(
            json.dumps([episode.world, episode.start.to_json(), [leg.to_json() for leg in episode.legs]]).encode()
        )
    return found.hexdigest()


def train(
    recipe: Recipe,
    episodes: Sequence[Episode],
    trunk: Trunk,
    folder: str | os.PathLike[str],
    device: str | torch.device = "cpu",
    minutes: float | None = None,
    tell: Tell = print,
    views: Views | None = None,
    vocabulary: Vocabulary | None = None,
) -> Trained:
    """Trains, or goes on where the folder's last state stands; stops cleanly after so many minutes.

    A run that was stopped ends as one that was not: all that is drawn follows from the seed and the epoch.
    """
    began, home = time.monotonic(), Path(folder)
    words = vocabulary or Vocabulary.of((episode.legs[-1].text for episode in episodes), least=2)
    config = recipe.config(len(words), trunk.channels)
    with only_writer(home, "a training"):
        torch.manual_seed(recipe.seed)
        looker = Looker(config)
        looker.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        optimizer = torch.optim.AdamW(looker.parameters(), recipe.rate, weight_decay=recipe.decay)
        curve: list[dict[str, Any]] = []
        state = found(home, tell)
        about: dict[str, Any] = {
            "recipe": asdict(recipe),
            "config": asdict(config),
            "trunk": trunk.hash,
            "data": fingerprint(episodes),
        }
        if state is not None:
            if state["about"] != about:
                hint = "Take another folder, or remove this one."
                raise InputError("the recipe and data that training began with", "others", file=str(home), hint=hint)
            looker.load_state_dict(state["weights"])
            optimizer.load_state_dict(state["optimizer"])
            curve = list(state["curve"])
        if len(curve) < recipe.epochs:
            seen = views or Views(map(spot_of, episodes), trunk, config, device)
            lessons = Lessons.of(episodes, words, seen, recipe)
            tell(
                f"{len(lessons.rows):,} sentences at {len(seen.spots):,} places seen: {time.monotonic() - began:.0f} s"
            )
            _epochs(recipe, looker, optimizer, lessons, curve, home, about, began, minutes, tell)
        about["epochs"] = len(curve)
        finder = Finder(looker.eval(), words, trunk.name, trunk.hash, about=about, step=recipe.step)
        finder.save(home / BEST)
        replace(finder, way=DISCRETE).save(home / STEPS)
    return Trained(finder, curve, len(curve) >= recipe.epochs)


def _epochs(
    recipe: Recipe,
    looker: Looker,
    optimizer: torch.optim.Optimizer,
    lessons: Lessons,
    curve: list[dict[str, Any]],
    home: Path,
    about: dict[str, Any],
    began: float,
    minutes: float | None,
    tell: Tell,
) -> None:
    """Epoch after epoch, each kept, until all are done or time is up."""
    learnt, held = _parted(lessons.rows)
    for epoch in range(len(curve), recipe.epochs):
        start = time.monotonic()
        if minutes is not None and curve and start - began > 60.0 * minutes:
            break
        lost = _epoch(recipe, looker, optimizer, lessons, learnt, epoch)
        if not np.isfinite(lost).all():
            raise InputError("a finite loss", f"{lost[0]} in epoch {epoch + 1}", hint=f"{last_good(home)}.")
        row = {"epoch": epoch + 1, **dict(zip(("sphere", "view", "turn"), map(float, lost), strict=True))}
        row |= measured(looker, lessons, held, recipe.seed)
        curve.append(row)
        tensors = {name: value.detach().cpu() for name, value in looker.state_dict().items()}
        keep(home, {"weights": tensors, "optimizer": optimizer.state_dict(), "curve": curve, "about": about})
        shown = ", ".join(f"{name} {value:.3f}" for name, value in row.items() if name != "epoch")
        tell(f"epoch {epoch + 1} of {recipe.epochs}: {shown}, {time.monotonic() - start:.1f} s")


def _parted(asked: Rows) -> tuple[np.ndarray[Any, np.dtype[np.int64]], np.ndarray[Any, np.dtype[np.int64]]]:
    """Rows to learn from, and those of the last episodes, which are held out."""
    last = int(asked.episode[-1])
    first = last + 1 - max(1, round(SHARE * (last + 1)))
    if last == 0:
        first = 1
    learnt, held = np.flatnonzero(asked.episode < first), np.flatnonzero(asked.episode >= first)
    return learnt, held if len(held) else learnt[:LEAST]


def _epoch(
    recipe: Recipe, looker: Looker, optimizer: torch.optim.Optimizer, lessons: Lessons, learnt: Any, epoch: int
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """One time through all sentences; the mean losses."""
    rng = np.random.default_rng([recipe.seed, 3, epoch])
    torch.manual_seed(int(rng.integers(2**31)))
    device = lessons.goal.device
    order = rng.permutation(learnt)
    beside = torch.from_numpy(lessons.rows.beside(rng)).to(device)
    updates = -(-len(order) // recipe.batch)
    total = torch.zeros(3, device=device)
    looker.train()
    for k in range(updates):
        which = torch.from_numpy(order[k * recipe.batch : (k + 1) * recipe.batch]).to(device)
        for group in optimizer.param_groups:
            group["lr"] = recipe.rate * _pace(epoch * updates + k, updates * recipe.epochs, recipe.warm)
        losses = _losses(looker, lessons, which, beside[which], recipe.step)
        optimizer.zero_grad(set_to_none=True)
        (losses * losses.new_tensor([1.0, 1.0, 0.5])).sum().backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(looker.parameters(), 1.0)
        optimizer.step()
        total += losses.detach() * len(which)
    return np.asarray((total / len(order)).cpu().numpy(), np.float64)


def _pace(update: int, updates: int, warm: float) -> float:
    """The rate's share: up, then down along a cosine."""
    first = max(1.0, warm * updates)
    if update < first:
        return (update + 1) / first
    return 0.5 * (1.0 + float(np.cos(np.pi * (update - first) / max(1.0, updates - first))))


def believed(looker: Looker, lessons: Lessons, which: Tensor, beside: Tensor | None = None) -> Belief:
    """What the map tells of sentences, to who stands where the sentence before led, or nearly."""
    pool, sphere, before = lessons.pool, looker.sphere, lessons.before[which]
    memory, variants = lessons.memory.some(lessons.spot[which]), len(pool.looks)
    led, had = before >= 0, before.clamp(min=0)
    drawn = torch.randint(variants, had.shape, device=had.device)
    memory = _where(led, memory.and_view(sphere, pool.cells[drawn, had], pool.looks[drawn, had]), memory)
    if beside is not None:  # one has also looked elsewhere
        also = torch.rand(len(which), device=had.device) < 0.5
        memory = _where(also, memory.and_view(sphere, pool.cells[drawn, beside], pool.looks[drawn, beside]), memory)
    there = lessons.goal[had]
    if beside is not None:  # and has not found all that was told before
        off = torch.where(torch.rand(len(which), 1, device=had.device) < OFTEN, LOST, ASTRAY)
        there = there + off * torch.randn(len(which), 2, device=had.device)
    there = torch.stack([there[:, 0] % 360.0, there[:, 1].clamp(-90.0, 90.0)], 1)
    above = torch.stack([360.0 * torch.rand_like(there[:, 0]), torch.full_like(there[:, 0], 90.0)], 1)
    return looker(lessons.some(which), memory, torch.where(led[:, None], there, above))  # type: ignore[no-any-return]


def _where(which: Tensor, one: Memory, other: Memory) -> Memory:
    some = which[:, None, None, None]
    return Memory(torch.where(some, one.cells, other.cells), torch.where(some, one.seen, other.seen))


def _losses(looker: Looker, lessons: Lessons, which: Tensor, beside: Tensor, step: float = STEP) -> Tensor:
    """Of the map, of the view, and of turns: (3,)."""
    goal, device = lessons.goal[which], lessons.goal.device
    drawn = torch.randint(len(lessons.pool.looks), which.shape, device=device)
    view, look = lessons.pool.cells[drawn, which], lessons.pool.looks[drawn, which]
    with torch.autocast(device.type, torch.bfloat16, device.type == "cuda"):
        belief = believed(looker, lessons, which, beside)
        pointed = looker.pointed(belief, view, look)
    ahead = torch.stack([goal[:, 0] - belief.focus[:, 0], goal[:, 1]], 1)
    coarse = divergence(belief.scores, near(looker.ways[None], ahead, COARSE)).mean()
    _, inside = in_view(look, goal[:, None])
    fine = divergence(pointed, near(looker.view_ways(look), goal, FINE)) * inside[:, 0]
    many = goal.repeat_interleave(STANDS, 0)
    stands = standing(many)
    again = replace(
        belief, scores=belief.scores.repeat_interleave(STANDS, 0), focus=belief.focus.repeat_interleave(STANDS, 0)
    )
    turn = functional.cross_entropy(looker.turned(again, stands), right_turn(stands, many, step))
    return torch.stack([coarse, fine.sum() / inside.sum().clamp(min=1), turn])


def standing(goal: Tensor) -> Tensor:
    """Directions (n, 2) in which one may look on the way to a goal: anywhere, on its level, or close by."""
    n, device = len(goal), goal.device
    kind = torch.rand(n, device=device)
    anywhere = torch.stack([360.0 * torch.rand(n, device=device), 180.0 * torch.rand(n, device=device) - 90.0], 1)
    by = torch.where((kind < 0.5)[:, None], goal.new_tensor([12.0, 45.0]), goal.new_tensor([12.0, 12.0]))
    close = goal + by * (2 * torch.rand(n, 2, device=device) - 1)
    look = torch.where((kind < 0.25)[:, None], anywhere, close)
    return torch.stack([look[:, 0] % 360.0, look[:, 1].clamp(-90.0, 90.0)], 1)


def right_turn(look: Tensor, goal: Tensor, step: float = STEP) -> Tensor:
    """(n,) numbers of TURNS: first to the side, then up or down, then next."""
    aside = (goal[:, 0] - look[:, 0] + 180.0) % 360.0 - 180.0
    up = goal[:, 1] - look[:, 1]
    number = {name: k for k, name in enumerate(TURNS)}
    turn = torch.full(aside.shape, number["next"], device=look.device)
    turn = torch.where(up > step / 2, number["up"], torch.where(up < -step / 2, number["down"], turn))
    return torch.where(aside > step / 2, number["right"], torch.where(aside < -step / 2, number["left"], turn))


@torch.no_grad()
def measured(looker: Looker, lessons: Lessons, held: Any, seed: int) -> dict[str, float]:
    """How often the likeliest direction of the map is close to where held-out sentences led."""
    looker.eval()
    device = lessons.goal.device
    torch.manual_seed(seed)
    right = []
    for first in range(0, len(held), 256):
        which = torch.from_numpy(held[first : first + 256]).to(device)
        with torch.autocast(device.type, torch.bfloat16, device.type == "cuda"):
            belief = believed(looker, lessons, which)
        right.append((degrees(looker.best(belief), lessons.goal[which]) < CLOSE).float().cpu())
    return {"held out, within 11 degrees": 100.0 * float(torch.cat(right).mean())}


def find(
    finder: Finder,
    episodes: Sequence[Episode],
    views: Views,
    seed: int = 0,
    heat: bool = False,
    sha256: str = "",
    label: str = "",
    options: Options | None = None,
) -> list[Trace]:
    """All episodes played side by side: those of the agent, but for last digits that depend on the batch.

    Unless `options` say otherwise, turns are as large as those that the looker learnt, with a horizon to match.
    """
    finer = max(1.0, STEP / finder.step)
    rules = options or Options(look_step=finder.step, look_horizon=round(HORIZON * finer))
    agent = Looking(finder, views, label, heat)
    return [
        Trace(episode.id, episode.dataset, agent.label, legs, seed, sha256, VERSION)
        for episode, legs in zip(episodes, play_batch(agent, episodes, seed, options=rules), strict=True)
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains from the command line."""
    usual = Recipe()
    parser = argparse.ArgumentParser(description="Trains the agent that finds by turning its view.")
    parser.add_argument("dataset", help="episodes to learn from, such as city/refer360/train")
    parser.add_argument("-o", "--out", required=True, help=f"folder for states and the trained agent ({BEST})")
    parser.add_argument("--trunk", default="city", help="what reads pictures: city, random:SEED or a file")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--minutes", type=float, help="stop cleanly after so long; the same command goes on")
    parser.add_argument("--limit", type=int, help="take so many episodes only")
    parser.add_argument("--data", help="folder of the datasets")
    parser.add_argument("--pictures", action="append", default=[], help="folder of panoramas, for real places")
    for name in ("seed", "epochs", "batch", "variants", "width", "side", "pool"):
        parser.add_argument(f"--{name}", type=int, default=getattr(usual, name))
    for name in ("rate", "dropout", "step"):
        parser.add_argument(f"--{name}", type=float, default=getattr(usual, name))
    asked = parser.parse_args(arguments)
    given = {name: getattr(asked, name) for name in asdict(usual) if hasattr(asked, name)}
    episodes = list(load(asked.dataset, asked.data))[: asked.limit]
    seeing = open_trunk(asked.trunk, asked.device)
    recipe = Recipe(**given)
    config = recipe.config(1, seeing.channels)
    views = Views(map(spot_of, episodes), seeing, config, asked.device, None, asked.pictures, asked.data)
    print(f"{len(episodes):,} episodes, {sum(len(sentences_of(one)) for one in episodes):,} sentences")
    done = train(recipe, episodes, seeing, asked.out, asked.device, asked.minutes, views=views)
    print(f"{Path(asked.out) / BEST}: {'all' if done.whole else len(done.curve)} epochs")


if __name__ == "__main__":
    with one_line():
        main()

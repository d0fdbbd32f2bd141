"""Trains a trunk on a city's own classes, from slices rendered as needed.

    python -m bearleft.training.backbone.train --world city/0/8x40 --minutes 1.5 --seed 0 -o trunk.pt

Linear heads on the 128 channels of every cell say what it shows (see `cellmaps`); they are thrown away in the end. What
is written are the weights in half precision and, beside them, a card that says where they come from.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from bearleft.errors import InputError
from bearleft.models.backbones.base import fill, read, weights_hash
from bearleft.models.backbones.registry import CITY, ResNet18, drawn
from bearleft.models.backbones.resnet import Block
from bearleft.runtime.store import atomic_write, sha256, write_text
from bearleft.training.backbone.heads import WEIGHTS, Frequencies, Heads, figures, losses, rows_of
from bearleft.training.backbone.labels import SORTS, Seen, goals, sorts
from bearleft.training.backbone.slices import Feed, Share, seen_places
from bearleft.version import VERSION
from bearleft.world.city.city import open_city
from bearleft.world.render.devices import check_device
from bearleft.world.slices import Slicing

LICENCE = "Apache-2.0"
# Shares of the full size of slices, and how often: small slices see the same with fewer pixels.
SIZES, OFTEN = (1.0, 0.75, 0.5, 0.25), (0.6, 0.15, 0.15, 0.1)
TOP, PERCENTILE = 4.0, 0.999  # what so many of a channel's values stay below: 8 bits then hold them well
Tell = Callable[[str], object]


@dataclass(frozen=True)
class Recipe:
    """How a trunk is trained. `steps` or `minutes` of training, whichever ends first."""

    world: str = "city/0/8x40"
    rooms: str = "rooms/0/630"
    seed: int = 0
    minutes: float | None = 1.5
    steps: int | None = None
    width: int = 460
    height: int = 800
    batch: int = 32  # slices of the full size; of smaller ones up to three times as many
    together: int = 4  # batches that are rendered in one go
    rate: float = 3e-3
    decay: float = 0.02
    settled: int = 8  # rounds that batch norms' last statistics are of
    held_out: int = 384  # slices that are tested


class Past(NamedTuple):
    """What a run has done."""

    steps: int
    slices: int
    seconds: float
    curve: list[float]  # the loss now and then


class Training:
    """A run: slices, trunk, heads, and what moves them."""

    def __init__(self, recipe: Recipe, device: str) -> None:
        if check_device(device) == "cuda" and not torch.cuda.is_available():
            raise InputError("a CUDA GPU", "none that torch can use", hint="Leave out --device to train on the CPU.")
        self.recipe, self.device = recipe, device
        self.rng = np.random.default_rng(recipe.seed)
        cities = [open_city(recipe.world), open_city(recipe.rooms)]
        self.feed = Feed([Share(c, seen_places(c), n) for c, n in zip(cities, (2, 1), strict=True)], device)
        self.test = [Share(c, seen_places(c, 1), 1) for c in cities]
        self.trunk = drawn(f"random:{recipe.seed}").to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.heads = Heads(self.trunk.channels, recipe.seed).to(device)
        self.generator = torch.Generator(device).manual_seed(recipe.seed)
        self.often = self._often()

    @torch.no_grad()
    def _often(self) -> Frequencies:
        lens = Slicing(max(self.recipe.width // 2, 8), max(self.recipe.height // 2, 8)).lens
        seen = self.feed.round(np.random.default_rng(self.recipe.seed), 16 * self.recipe.batch, lens)
        middle = sorts(seen, self.feed.tables)
        return Frequencies.of(torch.bincount(middle.flatten(), minlength=SORTS))

    def batches(self, usual: bool = False) -> list[Seen]:
        """A round of slices of one size, in batches that each have of every scene."""
        share = float(self.rng.choice(SIZES, p=OFTEN))
        lens = Slicing(max(round(self.recipe.width * share), 8), max(round(self.recipe.height * share), 8)).lens
        count = self.recipe.together * int(self.recipe.batch * min(share**-2, 3.0))
        seen = self.feed.round(self.rng, count, lens, usual)
        return [seen.some(k, self.recipe.together) for k in range(self.recipe.together)]

    def through(self, pictures: Tensor) -> Tensor:
        """The trunk's cells; brighter, darker and tinted a little where it learns."""
        if self.trunk.training:
            gain = torch.rand((len(pictures), 1, 1, 4), device=self.device, generator=self.generator)
            gain = (0.85 + 0.3 * gain[..., :1]) * (0.95 + 0.1 * gain[..., 1:])
            pictures = (pictures * gain).clamp_(0, 255).to(torch.uint8)
        with self.autocast():
            cells: Tensor = self.trunk(pictures)
        return cells

    def autocast(self) -> torch.autocast:
        return torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda")

    def run(self, tell: Tell) -> Past:
        """Trains until steps or minutes are over."""
        recipe = self.recipe
        if recipe.minutes is None and recipe.steps is None:
            raise InputError("steps or minutes to train for", "neither")
        weights = torch.tensor(WEIGHTS, device=self.device)
        rows = [*self.trunk.parameters(), *self.heads.parameters()]
        mover = torch.optim.AdamW(rows, recipe.rate, weight_decay=recipe.decay, fused=self.device == "cuda")
        for module in self.trunk.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.momentum = 0.02
        self.trunk.train()
        curve: list[float] = []
        step = slices = 0
        done = 0.0
        begin = told = time.monotonic()
        while done < 1.0:
            for seen in self.batches():
                if recipe.steps is not None and step >= recipe.steps:
                    break
                for group in mover.param_groups:
                    group["lr"] = recipe.rate * one_cycle(done)
                expected = goals(seen, self.feed.tables, self.often.rank)
                cells = self.through(seen.rgb)
                with self.autocast():
                    parts = losses(cells, self.heads, expected, self.often, self.generator)
                mover.zero_grad(set_to_none=True)
                (parts * weights).sum().backward()  # type: ignore[no-untyped-call]
                mover.step()
                step, slices = step + 1, slices + len(seen.rgb)
                done = self._done(step, time.monotonic() - begin)
            if time.monotonic() - told > 5.0 or done >= 1.0 or not curve:
                values = parts.tolist()
                curve.append(sum(w * v for w, v in zip(WEIGHTS, values, strict=True)))
                if not math.isfinite(curve[-1]):
                    raise InputError("a finite loss", str(curve[-1]), hint="Try another seed or a smaller rate.")
                told = time.monotonic()
                tell(
                    f"step {step}  {told - begin:.0f} s  loss {curve[-1]:.3f}  " + " ".join(f"{v:.3f}" for v in values)
                )
        return Past(step, slices, time.monotonic() - begin, curve)

    def _done(self, step: int, seconds: float) -> float:
        """The share of the run that is over."""
        shares = [step / self.recipe.steps] if self.recipe.steps is not None else []
        if self.recipe.minutes is not None:
            shares.append(seconds / max(60.0 * self.recipe.minutes, 1e-9))
        return min(max(shares), 1.0)

    @torch.no_grad()
    def settle(self) -> None:
        """Takes batch norms' statistics anew, of all sizes alike: running ones remember mostly the last batches."""
        norms = [module for module in self.trunk.modules() if isinstance(module, nn.BatchNorm2d)]
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None  # the mean of all
        for _ in range(self.recipe.settled):
            for seen in self.batches():
                self.through(seen.rgb)
        self.trunk.eval()

    @torch.no_grad()
    def scale(self) -> None:
        """Scales channels so that nearly all values stay below TOP; the heads take it back."""
        lens = Slicing(self.recipe.width, self.recipe.height).lens
        seen = self.feed.round(self.rng, self.recipe.batch, lens, usual=True)
        values = self.through(seen.rgb).float().transpose(0, 1).flatten(1)
        high = values.kthvalue(max(int(PERCENTILE * values.shape[1]), 1), dim=1).values
        factor = torch.where(high > 1e-3, TOP / high, 1.0)
        rescale(self.trunk, factor)
        for layer in self.heads.layers:
            layer.weight /= factor

    def halve(self) -> dict[str, Tensor]:
        """The weights as they are written; the trunk has from now on what half precision keeps of them."""
        own = self.trunk.state_dict()
        kept = {k: v.half().cpu().contiguous() for k, v in own.items() if not k.endswith("num_batches_tracked")}
        fill(self.trunk, kept, "trained weights")
        return kept

    @torch.no_grad()
    def figures(self) -> dict[str, float]:
        """How well cells of places that were never trained on are told, by heads on the weights as written."""
        feed = Feed(self.test, self.device)
        lens = Slicing(self.recipe.width, self.recipe.height).lens
        rng = np.random.default_rng(self.recipe.seed)
        told: list[tuple[Tensor, ...]] = []
        for _ in range(-(-self.recipe.held_out // self.recipe.batch)):
            seen = feed.round(rng, self.recipe.batch, lens, usual=True)
            expected = goals(seen, feed.tables, self.often.rank)
            heads, cells = self.heads, rows_of(self.through(seen.rgb)).float()
            size = (expected.box.expm1()[..., 0::2] + expected.box.expm1()[..., 1::2] + 0.25).prod(3)
            near = (heads.shape(cells)[:, 0] - expected.depth.flatten()).abs()
            said = (layer(cells).argmax(1) for layer in (heads.centre, heads.rarest, heads.colour))
            asked = (x.flatten() for x in (expected.centre, expected.rarest, expected.colour))
            told.append(tuple(x.cpu() for x in (*said, *asked, near, size.flatten())))
        return figures(*(torch.cat(x).numpy() for x in zip(*told, strict=True)))


@torch.no_grad()
def rescale(trunk: ResNet18, factor: Tensor) -> None:
    """Multiplies the last channels by factors above 0, exactly: through both blocks, whose ReLU let factors pass."""
    first, last = trunk.layer2
    assert isinstance(first, Block) and isinstance(last, Block) and first.downsample is not None
    for norm in (first.bn2, first.downsample[1], last.bn2):
        assert isinstance(norm, nn.BatchNorm2d)
        norm.weight.mul_(factor)
        norm.bias.mul_(factor)
    last.conv1.weight.div_(factor[None, :, None, None])


def one_cycle(done: float, warm: float = 0.1) -> float:
    """The share of the highest rate: up in a line, then down in half a cosine."""
    if done < warm:
        return 0.05 + 0.95 * done / warm
    return 0.5 + 0.5 * math.cos(math.pi * (done - warm) / (1.0 - warm))


def train(recipe: Recipe, out: str | Path, device: str = "cpu", tell: Tell = print) -> dict[str, Any]:
    """Trains, writes weights and card, and gives the card."""
    begin = time.monotonic()
    run = Training(recipe, device)
    tell(f"scenes ready after {time.monotonic() - begin:.0f} s")
    return finish(run, run.run(tell), Path(out))


def finish(run: Training, past: Past, out: Path) -> dict[str, Any]:
    """Makes a trained trunk ready for use, tests it, and writes it with its card."""
    run.settle()
    run.scale()
    kept, recipe = run.halve(), run.recipe
    with atomic_write(out, "wb") as stream:
        torch.save(kept, stream)
    card = {
        "name": "bearleft city trunk",
        "network": "ResNet-18 up to layer2, names as in torchvision; half precision",
        "licence": LICENCE,
        "data": f"slices rendered of {recipe.world} and {recipe.rooms}, places of the seen splits only; no photographs",
        "bearleft": VERSION,
        "hash": weights_hash(run.trunk),
        "sha256": sha256(out),
        "bytes": out.stat().st_size,
        "recipe": asdict(recipe),
        "steps": past.steps,
        "slices": past.slices,
        "seconds": round(past.seconds, 1),
        "slices/s": round(past.slices / past.seconds, 1),
        "device": torch.cuda.get_device_name() if run.device == "cuda" else "cpu",
        "loss": [round(x, 4) for x in past.curve],
        "figures on held-out places": {name: round(x, 4) for name, x in run.figures().items()},
    }
    write_text(out.with_suffix(".json"), json.dumps(card, indent=1) + "\n")
    return card


def ship(path: str | Path, to: Path = CITY) -> None:
    """Puts trained weights and their card where `trunk("city")` finds them."""
    path = Path(path)
    card = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    made = ResNet18()
    fill(made, read(path), str(path))
    if weights_hash(made) != card["hash"]:
        raise InputError(f"weights whose hash is {card['hash'][:12]}…, as their card says", "others", file=str(path))
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, to)
    shutil.copyfile(path.with_suffix(".json"), to.with_suffix(".json"))


def table(card: dict[str, Any]) -> str:
    """What a card says, in lines."""
    rows = [(name, f"{value:.3f}") for name, value in card["figures on held-out places"].items()]
    rows += [(name, str(card[name])) for name in ("steps", "slices", "seconds", "slices/s", "bytes", "hash")]
    return "\n".join(f"{name:24} {value}" for name, value in rows)


def main() -> None:
    usual = Recipe()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default=usual.world)
    parser.add_argument("--rooms", default=usual.rooms)
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--minutes", type=float, default=usual.minutes)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--batch", type=int, default=usual.batch)
    parser.add_argument("--size", type=int, nargs=2, default=(usual.width, usual.height), metavar=("WIDTH", "HEIGHT"))
    parser.add_argument("--rate", type=float, default=usual.rate)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("-o", "--out", required=True)
    asked = parser.parse_args()
    recipe = Recipe(
        world=asked.world,
        rooms=asked.rooms,
        seed=asked.seed,
        minutes=asked.minutes,
        steps=asked.steps,
        width=asked.size[0],
        height=asked.size[1],
        batch=asked.batch,
        rate=asked.rate,
    )
    try:
        print(table(train(recipe, asked.out, asked.device, lambda line: print(line, flush=True))))
    except InputError as error:
        print(f"bearleft: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()

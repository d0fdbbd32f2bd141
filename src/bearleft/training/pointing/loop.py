"""Epoch after epoch: updates without waiting for the device, the tuning accuracy, patience, the best weights."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from bearleft.errors import InputError, shown
from bearleft.metrics.pointing import a_80px, pixel_distances, pixels
from bearleft.models.checkpoint import Pointer
from bearleft.models.examples import Examples, Floats
from bearleft.models.pointing.levels import Wanted
from bearleft.models.pointing.network import Batch, Shape
from bearleft.models.pointing.registry import kind, network
from bearleft.models.pointing.target_maps import answers, divergence, modes
from bearleft.models.vocabulary import Vocabulary
from bearleft.training.cuda_graphs import Graphs
from bearleft.training.distributed import Ranks
from bearleft.training.history import ACCURACY, Row, Tell, Told, told_row
from bearleft.training.pointing.batches import fingerprint, order, shuffled, split, table
from bearleft.training.pointing.config import Recipe
from bearleft.training.state import last_good
from bearleft.world.slices import PAPER, SLICINGS, TALL, Slicing

if TYPE_CHECKING:
    from bearleft.models.backbones.registry import Trunk
    from bearleft.models.features.base import Features

LOOK = 25  # updates between two looks at the losses, which wait for the device
TUNED_AT_ONCE = 32


class Stop(IntEnum):
    """Why updates pause, the weightiest last."""

    NO = 0
    SAVE = 1
    MINUTES = 2
    SIGNAL = 3


class Run:
    """A network that is being trained, and all that its state on disk holds."""

    def __init__(
        self,
        recipe: Recipe,
        examples: Examples,
        features: Features,
        device: torch.device,
        among: Ranks,
        trunk: Trunk | None,
        folder: Path,
        tell: Tell,
    ) -> None:
        self.recipe, self.device, self.among, self.folder, self.tell = recipe, device, among, folder, tell
        self.kind = kind(recipe.network)
        self.slicing, self.remarks = features.slicing, list[str]()
        self.trunk = (trunk.name, trunk.hash) if trunk is not None else ("", "")
        self.data = fingerprint(examples)
        trains, tunes = split(examples.texts, recipe.tuning, recipe.seed, recipe.released)  # shuffled or not
        if recipe.shuffled:
            examples = shuffled(examples, recipe.seed)
        _, inside = examples.cells(self.slicing)
        if out := int((~inside[trains]).sum()):
            self.remarks.append(f"{out:,} of {len(trains):,} training examples left out: their targets lie in no slice")
        trains = trains[inside[trains]]
        self.vocabulary = Vocabulary.of(examples.texts[k] for k in trains)
        precision = recipe.precision or ("bfloat16" if device.type == "cuda" else "float32")
        self.half = precision == "bfloat16"
        dtype = torch.bfloat16 if self.half else torch.float32
        self.examples = table(examples.some(trains), self.vocabulary, features, device, dtype)
        self.tuning = table(examples.some(tunes), self.vocabulary, features, device, dtype)
        self.tuning_targets = examples.targets[tunes]
        if not len(self.examples):
            raise InputError("a training example whose target lies in the slices", "none")
        self.expected = Wanted(recipe.level, examples.some(trains), self.examples.targets, self.slicing, recipe.sigma)
        self.remarks += self.expected.remarks
        self.size = recipe.epoch or len(self.examples)
        self.updates = -(-self.size // recipe.batch)
        self._build(features)
        self.epochs_done, self.done, self.seconds = 0, 0, 0.0
        self.losses = torch.zeros(self.updates, device=device)
        self.rows: list[Row] = []
        self.best: dict[str, Any] | None = None
        self.waited, self.fresh = 0, False

    def _build(self, features: Features) -> None:
        """The network as the seed makes it, and what updates it."""
        recipe, cuda = self.recipe, self.device.type == "cuda"
        slicing = self.slicing
        aspect = slicing.height / slicing.width
        shape = Shape(len(self.vocabulary), slicing.rows, slicing.columns, features.channels, aspect)
        self.network = network(recipe.network, shape, recipe.seed, **self._changes()).to(self.device)
        if cuda:
            self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.forward: Callable[..., Tensor] = self.network
        if cuda and recipe.compile:
            self.forward = torch.compile(self.network)
        self.rate, self.clip = recipe.rate or self.kind.rate, recipe.clip or self.kind.clip
        make = torch.optim.AdamW if self.kind.weight_decay else torch.optim.Adam
        # On a card the rate lies there too, so that a recorded update reads the present one.
        rate = torch.tensor(self.rate, device=self.device) if cuda else self.rate
        self.optimiser = make(
            self.network.parameters(),
            lr=rate,
            weight_decay=self.kind.weight_decay,
            fused=True if cuda else None,
            capturable=cuda,
        )
        # What is gathered on the card alone can be recorded once and then repeated.
        whole = cuda and self.among.world == 1 and self.examples.pictures.device.type == "cuda"
        self.graphs = Graphs(self._recorded, recipe.batch, self.device) if whole else None

    def _changes(self) -> dict[str, Any]:
        """Of the network's Config."""
        return {**({"released": True} if self.recipe.released else {}), **self.recipe.changes}

    @property
    def update(self) -> int:
        """Updates since the beginning."""
        return self.epochs_done * self.updates + self.done

    @property
    def ended(self) -> bool:
        return self.epochs_done >= self.recipe.epochs or self.waited >= self.recipe.patience

    def rate_now(self) -> float:
        """The learning rate of the next update: up in a line, then down along half a cosine, where the kind says so."""
        warm, total = self.kind.warm, self.recipe.epochs * self.updates
        if self.update < warm:
            return self.rate * (self.update + 1) / warm
        if not self.kind.decay:
            return self.rate
        way = (self.update - warm) / max(1, total - warm)
        return self.rate * 0.5 * (1.0 + math.cos(math.pi * min(1.0, way)))

    def epoch(self, stop: Callable[[], Stop]) -> Stop:
        """The rest of an epoch, and its row; or why it stopped before its end."""
        self.network.train()
        self.fresh = False
        here = order(len(self.examples), self.recipe.seed, self.epochs_done, self.size)
        there = here.to(self.device)
        before, looked = self.seconds, self.done
        begin = time.perf_counter()
        while self.done < self.updates:
            # Several processes have to agree, which takes a message.
            if (self.among.world == 1 or self.done % LOOK == 0) and (why := self._agreed(stop())):
                self._look(looked)
                self.seconds = before + time.perf_counter() - begin
                return why
            self._update(here, there)
            if self.done % LOOK == 0 or self.done == self.updates:
                loss = self._look(looked)
                looked, self.seconds = self.done, before + time.perf_counter() - begin
                self._progress(loss)
        self._close(begin, before)
        return Stop.NO

    def _agreed(self, mine: Stop) -> Stop:
        return Stop(self.among.largest(mine, self.device))

    def _update(self, here: Tensor, there: Tensor) -> None:
        """One step on one batch, of which this process takes its share; nothing here waits for the device."""
        begin, size = self.done * self.recipe.batch, self.recipe.batch
        size = min(size, len(here) - begin)
        after = self.among.share(here[begin + size : begin + size + self.recipe.batch])
        here, there = (self.among.share(rows[begin : begin + size]) for rows in (here, there))
        torch.manual_seed(drawn(self.recipe.seed, self.update, self.among.rank))
        self._set_rate(self.rate_now())
        if self.graphs is not None and size == self.recipe.batch:
            self.losses[self.done] = self.graphs(there, self.examples.longest(here))
        else:
            self.optimiser.zero_grad(set_to_none=True)
            if len(here):
                # A batch of another size than the others is not worth compiling anew.
                forward = self.forward if size == self.recipe.batch else self.network
                batch = self.examples.batch(here, there)
                self.examples.begin(after)
                self.losses[self.done] = self._backward(forward, batch, there, size)
            self._move()
        self.done += 1

    def _recorded(self, there: Tensor, longest: int) -> Tensor:
        """A whole update of examples that lie on the card."""
        self.optimiser.zero_grad(set_to_none=True)
        batch = self.examples.gathered(there, there, longest)
        loss = self._backward(self.forward, batch, there, self.recipe.batch)
        self._move()
        return loss

    def _backward(self, forward: Callable[..., Tensor], batch: Batch, there: Tensor, size: int) -> Tensor:
        """Gradients of a batch of so many, or of a share of it; and its loss."""
        # Weights that are cast once and kept would be forgotten by a recorded update.
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half, cache_enabled=self.graphs is None):
            scores = forward(batch)
        loss = divergence(scores, self.expected(there)).sum() / size
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def _move(self) -> None:
        """Parameters follow their gradients."""
        self.among.sum_gradients(self.network)
        if self.clip is not None:
            nn.utils.clip_grad_norm_(self.network.parameters(), self.clip)
        self.optimiser.step()

    def _set_rate(self, rate: float) -> None:
        for group in self.optimiser.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate

    def _look(self, since: int) -> float:
        """The mean loss since the last look; an error that names the update where one is no number."""
        losses = self.among.total(self.losses[since : self.done].clone()).cpu()
        bad = (~torch.isfinite(losses)).nonzero()
        if len(bad):
            first = int(bad[0])
            raise self._diverged(f"{losses[first]:f}", self.epochs_done * self.updates + since + first + 1)
        return float(losses.mean()) if len(losses) else 0.0

    def check_weights(self) -> None:
        """An error where a weight is no number: such a state is never written."""
        sums = torch.stack([one.detach().abs().sum(dtype=torch.float32) for one in self.network.parameters()])
        if not torch.isfinite(sums).all():
            raise self._diverged("weights that are no numbers", self.update)

    def _diverged(self, got: str, update: int) -> InputError:
        hint = f"{last_good(self.folder)}. Try a lower rate (--rate), or shorter gradients (--clip), in another folder."
        return InputError("a finite loss", f"{got} at update {update:,}, learning rate {self.rate:g}", hint=hint)

    def _progress(self, loss: float) -> None:
        speed = min(self.done * self.recipe.batch, self.size) / max(self.seconds, 1e-9)
        self.tell(Told(self.epochs_done + 1, self.recipe.epochs, self.done, self.updates, loss, speed))

    def _close(self, begin: float, before: float) -> None:
        """An epoch's row, and whether it is the best."""
        speed, rate = self.size / max(self.seconds, 1e-9), self.optimiser.param_groups[0]["lr"]
        sizes = np.full(self.updates, self.recipe.batch)
        sizes[-1] = self.size - (self.updates - 1) * self.recipe.batch
        losses = self.among.total(self.losses.clone()).double().cpu().numpy()
        accuracy = self.tune()
        self.epochs_done, self.done = self.epochs_done + 1, 0
        row = {
            "epoch": self.epochs_done,
            "update": self.update,
            "loss": float((losses * sizes).sum() / sizes.sum()),
            ACCURACY: accuracy,
            "rate": float(rate),
            "examples": self.size,
            "examples/s": round(speed, 2),
            "seconds": round(before + time.perf_counter() - begin, 3),
            "time": round(time.time(), 3),
        }
        self.rows.append(row)
        self.losses.zero_()
        self.seconds, self.waited = 0.0, self.waited + 1
        if self.best is None or accuracy > self.best["accuracy"]:
            self.waited, self.fresh = 0, True
            self.best = {"epoch": self.epochs_done, "accuracy": accuracy, "weights": self._weights()}
        self.tell(Told(line=told_row(row)))

    @torch.no_grad()
    def tune(self) -> float:
        """The tuning accuracy at 80 pixels, in percent."""
        self.network.eval()
        cells = torch.zeros(len(self.tuning), 2, dtype=torch.int64, device=self.device)
        size = max(TUNED_AT_ONCE, self.recipe.batch)
        mine = torch.arange(self.among.rank, len(self.tuning), self.among.world)
        for begin in range(0, len(mine), size):  # none where there are more processes than examples
            here = mine[begin : begin + size]
            there = here.to(self.device)
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
                scores = self.network(self.tuning.batch(here, there))
            cells[there] = modes(scores)
        return accuracy(answers(self.among.total(cells), self.slicing), self.tuning_targets)

    def _weights(self) -> dict[str, Tensor]:
        return {name: value.detach().cpu().clone() for name, value in self.network.state_dict().items()}

    def pointer(self) -> Pointer:
        """The best epoch's network, or the present one before there is any, on this device and ready to be asked."""
        made = network(self.recipe.network, self.network.shape, **self._changes()).to(self.device)
        made.load_state_dict(self._weights() if self.best is None else self.best["weights"])
        about = {"seed": self.recipe.seed, "recipe": self.key(), "examples": self.data, "remarks": self.remarks}
        if self.best is not None:
            about |= {"epoch": self.best["epoch"], ACCURACY: self.best["accuracy"]}
        trunk, trunk_hash = self.trunk
        return Pointer(
            made.eval(), self.recipe.network, made.config, self.vocabulary, self.slicing, trunk, trunk_hash, about
        )

    def key(self) -> dict[str, Any]:
        """What must be the same when training goes on."""
        # A rate that falls to nothing at the end depends on how many epochs there are.
        free = {"compile"} if self.kind.decay else {"compile", "epochs"}
        return {name: value for name, value in asdict(self.recipe).items() if name not in free}

    def state(self) -> dict[str, Any]:
        """Where training stands, as tensors and plain values; what is drawn follows from the update's number."""
        return {
            "recipe": self.key(),
            "examples": self.data,
            "trunk": self.trunk[1],
            "slicing": asdict(self.slicing),
            "epochs": self.epochs_done,
            "done": self.done,
            "seconds": self.seconds,
            "losses": self.among.total(self.losses.clone()),
            "weights": self._weights(),
            "optimiser": self.optimiser.state_dict(),
            "rows": self.rows,
            "best": self.best,
            "waited": self.waited,
        }

    def go_on(self, state: dict[str, Any], folder: Path) -> None:
        """Takes up a state; an error where it is one of another recipe, other examples or another trunk."""
        hint = "Name another folder, or repeat the first command as it was."
        was, now = state["recipe"], self.key()
        for name in {**was, **now}:
            if was.get(name) != now.get(name):
                got = f"{shown(now.get(name))}"
                expected = f"{name} {shown(was.get(name))}, as the training in this folder has it"
                raise InputError(expected, got, name, file=str(folder), hint=hint)
        for name, value in (("examples", self.data), ("trunk", self.trunk[1])):
            if state[name] != value:
                raise InputError(
                    f"the {name} that training in this folder began with", "others", file=str(folder), hint=hint
                )
        now = asdict(self.slicing)
        # States of older versions have none, and tall slices came later.
        was = state.get("slicing") or (asdict(PAPER) if self.slicing == TALL else now)
        if was != now:
            named = Slicing(**was)
            typed = named.name if named.name in SLICINGS else "released" if named.released else "paper"
            size = "" if named.name in SLICINGS else f" --size {named.width}x{named.height}"
            hint = f"Add --slices {typed}{size}, or name another folder."
            expected = f"{named.name} slices, as the training in this folder has them"
            raise InputError(expected, self.slicing.name, "slices", file=str(folder), hint=hint)
        self.network.load_state_dict(state["weights"])
        self.optimiser.load_state_dict(state["optimiser"])
        for group in self.optimiser.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"] = group["lr"].to(self.device)
        self.epochs_done, self.done, self.seconds = state["epochs"], state["done"], state["seconds"]
        if self.among.first:  # the others' shares are in it
            self.losses.copy_(state["losses"])
        self.rows, self.best, self.waited = state["rows"], state["best"], state["waited"]


def accuracy(given: Floats, targets: Floats) -> float:
    """Percent of answers (n, 2), headings from the yaw and pitches, strictly within 80 of the papers' pixels."""
    at, expected = (np.column_stack(pixels(one[:, 0], one[:, 1], 0.0)) for one in (given, targets))
    right = a_80px(pixel_distances(at, expected))
    return 100.0 * float(right.sum()) / len(right)


def drawn(seed: int, update: int, rank: int) -> int:
    """A seed for all that one process draws in one update."""
    return int(np.random.SeedSequence([seed, update, rank]).generate_state(1, np.uint64)[0])

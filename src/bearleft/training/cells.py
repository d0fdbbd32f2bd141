"""Training of the cell encoder: it learns to name the objects, colours and parts in each cell of rendered slices.

The backbone is frozen. A linear layer predicts from a cell's vector which labels the cell shows: classes of objects,
classes with their colours, parts, and the first two once more for what is near. It is discarded in the end. A second
linear layer, on the mean and maximum of the backbone's own channels, is trained beside it as the baseline.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bearleft.errors import InputError
from bearleft.models.backbones.base import weights_hash
from bearleft.models.backbones.registry import load_backbone
from bearleft.models.walking.cells import BAND_EDGES, CELL_DIM, HIDDEN_DIM, SLICE_SECTORS, CellEncoder, pool_cells
from bearleft.models.walking.network import BANDS
from bearleft.runtime.store import check_writable_folder
from bearleft.training.backbone.labels import FIRST_PART, PARTS, InstanceTables, RenderedSlices
from bearleft.training.backbone.slices import SceneShare, SliceStream, places_of_band
from bearleft.training.backbone.train import one_cycle
from bearleft.training.history import ProgressCallback, TrainProgress, no_report
from bearleft.training.model_card import write_with_card
from bearleft.world.city.city import open_city
from bearleft.world.city.palette import COLOUR_NAMES
from bearleft.world.city.scene_builder import CLASS_BASE
from bearleft.world.render.devices import check_device
from bearleft.world.slices import Slicing

PIXEL_STEP = 4  # labels are read from every fourth pixel of every fourth row
MIN_PIXELS = 2  # of those, that a cell must show of an object
NEAR = 15.0  # metres
CLASS_CODES = 256
# Families of labels, and how many there could be of each.
FAMILIES = {
    "class": CLASS_CODES,
    "class and colour": CLASS_CODES * len(COLOUR_NAMES),
    "part": PARTS,
    "near class": CLASS_CODES,
    "near class and colour": CLASS_CODES * len(COLOUR_NAMES),
}
FIRST_LABEL = dict(zip(FAMILIES, np.cumsum([0, *FAMILIES.values()]).tolist(), strict=False))
MIN_LABEL_CELLS = 12  # a label is learned if it occurs in as many cells of the first renders
MIN_MEASURED = 10  # cells with a label on which its average precision is measured
MAX_POSITIVE_WEIGHT = 10.0


@dataclass(frozen=True)
class CellTrainConfig:
    """Training configuration. Training ends after `steps` or `minutes`, whichever comes first."""

    worlds: tuple[str, ...] = ("city/0/8x40", "city/1/8x40", "city/2/8x40", "city/3/8x40", "city/4/8x40")
    backbone: str = "city"
    seed: int = 0
    minutes: float | None = 4.0
    steps: int | None = None
    width: int = 460
    height: int = 800
    batch_size: int = 64  # slices
    batches_per_render: int = 4
    learning_rate: float = 2e-3
    hidden_dim: int = HIDDEN_DIM
    dim: int = CELL_DIM
    held_out: int = 512  # slices that average precisions are measured on


def pixel_labels(slices: RenderedSlices, tables: InstanceTables) -> Tensor:
    """Return the labels of sampled pixels (n, rows, columns, families), numbered through; -1 for none."""
    kind, instance, number, depth = (
        x[:, ::PIXEL_STEP, ::PIXEL_STEP] for x in (slices.kind, slices.instance, slices.part, slices.depth)
    )
    kind, instance, number = kind.long(), instance.long(), number.long() & 255
    colour = torch.where(instance > 0, tables.colour[instance.clamp(min=0)], -1)
    pair = torch.where(colour >= 0, kind * len(COLOUR_NAMES) + colour.clamp(min=0), -1)
    first = torch.from_numpy(FIRST_PART).to(kind.device)
    index = (kind - CLASS_BASE).clamp(min=0)
    has_part = (kind >= CLASS_BASE) & (number > 0) & (number < (first[1:] - first[:-1])[index])
    part = torch.where(has_part, first[:-1][index] + number, -1)
    is_near = (depth < NEAR) & (instance > 0)
    values = (kind, pair, part, torch.where(is_near, kind, -1), torch.where(is_near, pair, -1))
    return torch.stack(
        [
            torch.where(value >= 0, value + first_label, -1)
            for value, first_label in zip(values, FIRST_LABEL.values(), strict=True)
        ],
        -1,
    )


def count_labels(labels: Tensor, chosen: Tensor, count: int) -> Tensor:
    """Return how many sampled pixels of each cell show each label (n, SLICE_SECTORS, BANDS, count).

    Args:
        labels: Labels of pixels (n, rows, columns, families).
        chosen: The column of each label in the result; -1 if it has none.
        count: The number of columns.
    """
    n, rows, columns, families = labels.shape
    device = labels.device
    edges = torch.tensor([edge * rows for edge in BAND_EDGES[1:-1]], device=device)
    band = torch.bucketize(torch.arange(rows, device=device).float(), edges, right=True)
    sector = torch.arange(columns, device=device) * SLICE_SECTORS // columns
    cell = (torch.arange(n, device=device)[:, None, None] * SLICE_SECTORS + sector) * BANDS + band[:, None]
    column = torch.where(labels >= 0, chosen[labels.clamp(min=0)], -1)
    index = cell[..., None].expand(-1, -1, -1, families) * (count + 1) + torch.where(column >= 0, column, count)
    counts = torch.bincount(index.flatten(), minlength=n * SLICE_SECTORS * BANDS * (count + 1))
    return counts.view(n, SLICE_SECTORS, BANDS, count + 1)[..., :count]


class CellTrainer:
    """Slices, the frozen backbone, the encoder and both linear layers of a training run."""

    def __init__(self, config: CellTrainConfig, device: str) -> None:
        if check_device(device) == "cuda" and not torch.cuda.is_available():
            raise InputError("a CUDA GPU", "none that torch can use", hint="Leave out --device to train on the CPU.")
        self.config, self.device = config, torch.device(device)
        self.rng = np.random.default_rng(config.seed)
        self.lens = Slicing(config.width, config.height).lens
        self.cities = [open_city(world) for world in config.worlds]
        self.stream = SliceStream([SceneShare(city, places_of_band(city), 1) for city in self.cities], device)
        backbone = load_backbone(config.backbone, device)
        self.backbone_hash, self.channels = backbone.hash, backbone.channels
        self.backbone = backbone.for_inference(device)
        self.chosen, self.prior = self._choose_labels()
        self.label_count = len(self.prior)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.encoder = CellEncoder(self.channels, config.hidden_dim, config.dim).to(device)
            self.head = nn.Linear(config.dim, self.label_count).to(device)
            self.plain_head = nn.Linear(2 * self.channels, self.label_count).to(device)
        with torch.no_grad():
            for head in (self.head, self.plain_head):
                head.bias.copy_(torch.logit(self.prior))

    @cached_property
    def positive_weight(self) -> Tensor:
        """Weight of cells that show a label, larger for rare ones."""
        return ((1 - self.prior) / self.prior).sqrt().clamp(1.0, MAX_POSITIVE_WEIGHT)

    @torch.no_grad()
    def _choose_labels(self) -> tuple[Tensor, Tensor]:
        """Return the column of every label, -1 for rare ones, and the shares of cells that show those with a column."""
        total = sum(FAMILIES.values())
        every = torch.arange(total, device=self.device)
        shown, cells = torch.zeros(total, device=self.device), 0
        for _ in range(16):
            slices = self.stream.render(self.rng, self.config.batch_size, self.lens)
            for k in range(0, len(slices.rgb), 8):
                part = RenderedSlices(*(x[k : k + 8] for x in _channels(slices)))
                present = count_labels(pixel_labels(part, self.stream.tables), every, total) >= MIN_PIXELS
                shown += present.flatten(0, 2).sum(0)
                cells += present.shape[:-1].numel()
        kept = shown >= MIN_LABEL_CELLS
        columns = torch.where(kept, kept.cumsum(0) - 1, -1)
        return columns, (shown[kept] / cells).clamp(1e-5, 1 - 1e-3)

    def targets(self, slices: RenderedSlices) -> Tensor:
        """Return which labels each cell shows (cells, labels), as 0 and 1."""
        labels = pixel_labels(slices, self.stream.tables)
        return (count_labels(labels, self.chosen, self.label_count) >= MIN_PIXELS).flatten(0, 2).float()

    @torch.no_grad()
    def maps(self, slices: RenderedSlices) -> Tensor:
        """Return the backbone's feature maps."""
        with self.autocast():
            maps: Tensor = self.backbone(slices.rgb)
        return maps.clone()

    def autocast(self) -> torch.autocast:
        """Return a context that computes in bfloat16 on a GPU."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")

    def scores(self, maps: Tensor) -> tuple[Tensor, Tensor]:
        """Return the scores (cells, labels) of the encoder and of the baseline."""
        with self.autocast():
            cells = self.encoder(maps)
            plain = pool_cells(maps, SLICE_SECTORS)
            plain = functional.layer_norm(plain, plain.shape[-1:])
            return self.head(cells).flatten(0, 2).float(), self.plain_head(plain).flatten(0, 2).float()

    def run(self, report: ProgressCallback = no_report) -> tuple[int, float]:
        """Train until steps or minutes are over; return the number of updates and the last loss."""
        config = self.config
        if config.minutes is None and config.steps is None:
            raise InputError("steps or minutes to train for", "neither")
        modules = (self.encoder, self.head, self.plain_head)
        parameters = [parameter for module in modules for parameter in module.parameters()]
        optimizer = torch.optim.AdamW(
            parameters, config.learning_rate, weight_decay=0.01, fused=self.device.type == "cuda"
        )
        step, done, loss = 0, 0.0, math.nan
        begin = logged = time.monotonic()
        while done < 1.0:
            size = config.batch_size * config.batches_per_render
            slices = self.stream.render(self.rng, size, self.lens)
            for k in range(config.batches_per_render):
                if config.steps is not None and step >= config.steps:
                    break
                batch = slices.every(k, config.batches_per_render)
                targets = self.targets(batch)
                for group in optimizer.param_groups:
                    group["lr"] = config.learning_rate * one_cycle(done)
                losses = [
                    functional.binary_cross_entropy_with_logits(scores, targets, pos_weight=self.positive_weight)
                    for scores in self.scores(self.maps(batch))
                ]
                optimizer.zero_grad(set_to_none=True)
                (1000.0 * (losses[0] + losses[1])).backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                step += 1
                shares = [step / config.steps] if config.steps is not None else []
                if config.minutes is not None:
                    shares.append((time.monotonic() - begin) / max(60.0 * config.minutes, 1e-9))
                done = min(max(shares), 1.0)
            if time.monotonic() - logged > 5.0 or done >= 1.0 or step <= config.batches_per_render:
                values = [float(value.detach()) for value in losses]
                loss, logged = values[0], time.monotonic()
                if not math.isfinite(loss):
                    raise InputError("a finite loss", str(loss), hint="Try another seed or a smaller rate.")
                note = f"step {step}  {logged - begin:.0f} s  loss {loss:.5f}, of the baseline {values[1]:.5f}"
                report(TrainProgress(message=note))
            report(TrainProgress(1, 1, round(100 * done), 100, loss))
        return step, loss

    @torch.no_grad()
    def measure(self) -> dict[str, float]:
        """Return mean average precisions at places that were never trained on, for each family of labels."""
        stream = SliceStream([SceneShare(city, places_of_band(city, 1), 1) for city in self.cities], self.device.type)
        rng = np.random.default_rng(self.config.seed)
        targets, scores, plain_scores = [], [], []
        for _ in range(-(-self.config.held_out // self.config.batch_size)):
            slices = stream.render(rng, self.config.batch_size, self.lens, canonical=True)
            targets.append(self.targets(slices).bool().cpu())
            own, plain = self.scores(self.maps(slices))
            scores.append(own.cpu())
            plain_scores.append(plain.cpu())
        shown = torch.cat(targets)
        column_family = torch.bucketize(
            (self.chosen >= 0).nonzero()[:, 0].cpu(), torch.tensor(list(FIRST_LABEL.values())[1:]), right=True
        )
        measured: dict[str, float] = {}
        for name, predicted in (("encoder", torch.cat(scores)), ("mean and maximum", torch.cat(plain_scores))):
            precision = average_precisions(predicted, shown)
            for k, family in enumerate(FAMILIES):
                chosen = (column_family == k) & (shown.sum(0) >= MIN_MEASURED)
                measured[f"{family}, {name}"] = float(precision[chosen].mean()) if chosen.any() else math.nan
        return measured


def average_precisions(scores: Tensor, shown: Tensor) -> Tensor:
    """Return the average precision (labels,) of scores (cells, labels) for what cells show (cells, labels)."""
    out = []
    for column, expected in zip(scores.T, shown.T, strict=True):
        hits = expected[column.argsort(descending=True, stable=True)]
        precision = hits.cumsum(0) / torch.arange(1, len(hits) + 1)
        out.append((precision * hits).sum() / hits.sum().clamp(min=1))
    return torch.stack(out)


def _channels(slices: RenderedSlices) -> tuple[Tensor, ...]:
    return slices.rgb, slices.depth, slices.instance, slices.part, slices.kind


def train_cells(
    config: CellTrainConfig,
    output: str | os.PathLike[str],
    device: str = "cpu",
    report: ProgressCallback = no_report,
) -> dict[str, Any]:
    """Train a cell encoder, write its weights and model card, and return the card.

    Args:
        config: The training configuration.
        output: File of the weights; the card is written beside it as JSON.
        device: cpu or cuda.
        report: Called with the progress of training, and with notes.

    Raises:
        InputError: An argument is invalid, or the file cannot be written.
    """
    path = Path(output)
    check_writable_folder(path.parent)
    begin = time.monotonic()
    trainer = CellTrainer(config, device)
    report(TrainProgress(message=f"scenes ready after {time.monotonic() - begin:.0f} s"))
    begin = time.monotonic()
    steps, loss = trainer.run(report)
    seconds = time.monotonic() - begin
    weights = {name: value.half().cpu() for name, value in trainer.encoder.state_dict().items()}
    trainer.encoder.load_state_dict({name: value.float() for name, value in weights.items()})
    card = {
        "name": "bearleft city cell encoder",
        "network": "three convolutions, two residual, mean and maximum in each cell, a linear layer; half precision",
        "data": f"slices rendered of {', '.join(config.worlds)}, places of the seen splits only; no photographs",
        "backbone_hash": trainer.backbone_hash,
        "hidden_dim": config.hidden_dim,
        "dim": config.dim,
        "labels": trainer.label_count,
        "hash": weights_hash(trainer.encoder),
        "train_config": asdict(config),
        "steps": steps,
        "loss": loss,
        "seconds": round(seconds, 1),
        "mean average precision": {name: round(value, 4) for name, value in trainer.measure().items()},
    }
    return write_with_card(path, weights, card, trainer.device.type)


def card_rows(card: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a model card as rows of a name and a value, for a table."""
    names = ("labels", "steps", "loss", "seconds", "bytes", "hash")
    values = card["mean average precision"] | {name: card[name] for name in names}
    return [{"name": name, "value": value} for name, value in values.items()]

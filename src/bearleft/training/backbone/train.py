"""Training of a backbone on the classes of a city's objects, from slices rendered on the fly.

Linear heads predict the labels of every cell (see `labels`) from its 128 channels; they are discarded in the end. The
weights are written in half precision with a model card beside them.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from bearleft.errors import InputError
from bearleft.models.backbones.base import load_weights, read_weights, weights_hash
from bearleft.models.backbones.registry import CITY, ResNet18, random_resnet18
from bearleft.models.backbones.resnet import BasicBlock
from bearleft.runtime.store import check_writable_folder
from bearleft.training.backbone.heads import LOSS_WEIGHTS, Frequencies, Heads, accuracies, flatten_cells, losses
from bearleft.training.backbone.labels import FINE_CLASSES, RenderedSlices, cell_labels, fine_classes
from bearleft.training.backbone.slices import SceneShare, SliceStream, places_of_band
from bearleft.training.history import ProgressCallback, TrainProgress, no_report
from bearleft.training.model_card import write_with_card
from bearleft.world.city.city import open_city
from bearleft.world.render.devices import check_device
from bearleft.world.slices import Slicing

# Sizes of slices as shares of the full size, and their probabilities: small slices show the same with fewer pixels.
SIZE_SHARES, SIZE_PROBABILITIES = (1.0, 0.75, 0.5, 0.25), (0.6, 0.15, 0.15, 0.1)
# Channels are scaled so that this share of their values stays below the maximum.
SCALED_MAX, SCALED_SHARE = 4.0, 0.999


@dataclass(frozen=True)
class BackboneTrainConfig:
    """Training configuration. Training ends after `steps` or `minutes`, whichever comes first."""

    world: str = "city/0/8x40"
    rooms: str = "rooms/0/630"
    seed: int = 0
    minutes: float | None = 1.5
    steps: int | None = None
    width: int = 460
    height: int = 800
    batch_size: int = 32  # slices of the full size; of smaller ones up to three times as many
    batches_per_render: int = 4
    learning_rate: float = 3e-3
    weight_decay: float = 0.02
    calibration_renders: int = 8  # from which the final statistics of batch norms are computed
    held_out: int = 384  # slices that accuracies are measured on


class TrainSummary(NamedTuple):
    """Summary of a training run."""

    steps: int
    slices: int
    seconds: float
    losses: list[float]  # about every 5 seconds


class BackboneTrainer:
    """Slices, backbone and heads of a training run."""

    def __init__(self, config: BackboneTrainConfig, device: str) -> None:
        if check_device(device) == "cuda" and not torch.cuda.is_available():
            raise InputError("a CUDA GPU", "none that torch can use", hint="Leave out --device to train on the CPU.")
        self.config, self.device = config, device
        self.rng = np.random.default_rng(config.seed)
        cities = [open_city(config.world), open_city(config.rooms)]
        scenes = [SceneShare(city, places_of_band(city), n) for city, n in zip(cities, (2, 1), strict=True)]
        self.stream = SliceStream(scenes, device)
        self.test_scenes = [SceneShare(city, places_of_band(city, 1), 1) for city in cities]
        backbone = random_resnet18(f"random:{config.seed}")
        self.backbone = backbone.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.heads = Heads(self.backbone.channels, config.seed).to(device)
        self.generator = torch.Generator(device).manual_seed(config.seed)
        self.frequencies = self._measure_frequencies()

    @torch.no_grad()
    def _measure_frequencies(self) -> Frequencies:
        lens = Slicing(max(self.config.width // 2, 8), max(self.config.height // 2, 8)).lens
        rng = np.random.default_rng(self.config.seed)
        slices = self.stream.render(rng, 16 * self.config.batch_size, lens)
        sampled = fine_classes(slices, self.stream.tables)
        return Frequencies.from_counts(torch.bincount(sampled.flatten(), minlength=FINE_CLASSES))

    def batches(self, canonical: bool = False) -> list[RenderedSlices]:
        """Render slices of one random size, and return them in batches that each contain every scene."""
        share = float(self.rng.choice(SIZE_SHARES, p=SIZE_PROBABILITIES))
        lens = Slicing(max(round(self.config.width * share), 8), max(round(self.config.height * share), 8)).lens
        number = self.config.batches_per_render
        count = number * int(self.config.batch_size * min(share**-2, 3.0))
        slices = self.stream.render(self.rng, count, lens, canonical)
        return [slices.every(k, number) for k in range(number)]

    def encode(self, pictures: Tensor) -> Tensor:
        """Return the backbone's feature maps; in training, brightness and tint vary a little."""
        if self.backbone.training:
            gain = torch.rand((len(pictures), 1, 1, 4), device=self.device, generator=self.generator)
            gain = (0.85 + 0.3 * gain[..., :1]) * (0.95 + 0.1 * gain[..., 1:])
            pictures = (pictures * gain).clamp_(0, 255).to(torch.uint8)
        with self.autocast():
            maps: Tensor = self.backbone(pictures)
        return maps

    def autocast(self) -> torch.autocast:
        """Return a context that computes in bfloat16 on a GPU."""
        return torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda")

    def run(self, report: ProgressCallback = no_report) -> TrainSummary:
        """Train until steps or minutes are over."""
        config = self.config
        if config.minutes is None and config.steps is None:
            raise InputError("steps or minutes to train for", "neither")
        weights = torch.tensor(LOSS_WEIGHTS, device=self.device)
        parameters = [*self.backbone.parameters(), *self.heads.parameters()]
        optimizer = torch.optim.AdamW(
            parameters, config.learning_rate, weight_decay=config.weight_decay, fused=self.device == "cuda"
        )
        for module in self.backbone.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.momentum = 0.02
        self.backbone.train()
        history: list[float] = []
        step = slice_count = 0
        done = 0.0
        begin = logged = time.monotonic()
        while done < 1.0:
            for slices in self.batches():
                if config.steps is not None and step >= config.steps:
                    break
                for group in optimizer.param_groups:
                    group["lr"] = config.learning_rate * one_cycle(done)
                labels = cell_labels(slices, self.stream.tables, self.frequencies.rank)
                maps = self.encode(slices.rgb)
                with self.autocast():
                    parts = losses(maps, self.heads, labels, self.frequencies, self.generator)
                optimizer.zero_grad(set_to_none=True)
                (parts * weights).sum().backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                step, slice_count = step + 1, slice_count + len(slices.rgb)
                done = self._progress(step, time.monotonic() - begin)
            if time.monotonic() - logged > 5.0 or done >= 1.0 or not history:
                values = parts.tolist()
                history.append(sum(w * v for w, v in zip(LOSS_WEIGHTS, values, strict=True)))
                if not math.isfinite(history[-1]):
                    raise InputError("a finite loss", str(history[-1]), hint="Try another seed or a smaller rate.")
                logged = time.monotonic()
                losses_text = " ".join(f"{value:.3f}" for value in values)
                note = f"step {step}  {logged - begin:.0f} s  loss {history[-1]:.3f}  {losses_text}"
                report(TrainProgress(message=note))
            report(TrainProgress(1, 1, round(100 * done), 100, history[-1]))  # percent of steps or minutes
        return TrainSummary(step, slice_count, time.monotonic() - begin, history)

    def _progress(self, step: int, seconds: float) -> float:
        """Return the share of the run that is over."""
        shares = [step / self.config.steps] if self.config.steps is not None else []
        if self.config.minutes is not None:
            shares.append(seconds / max(60.0 * self.config.minutes, 1e-9))
        return min(max(shares), 1.0)

    @torch.no_grad()
    def recalibrate_norms(self) -> None:
        """Recompute batch norms' statistics over all sizes: running ones are dominated by the last batches."""
        norms = [module for module in self.backbone.modules() if isinstance(module, nn.BatchNorm2d)]
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None  # a cumulative mean
        for _ in range(self.config.calibration_renders):
            for slices in self.batches():
                self.encode(slices.rgb)
        self.backbone.eval()

    @torch.no_grad()
    def scale_channels(self) -> None:
        """Scale channels so that nearly all values stay below SCALED_MAX; the heads compensate."""
        lens = Slicing(self.config.width, self.config.height).lens
        slices = self.stream.render(self.rng, self.config.batch_size, lens, canonical=True)
        values = self.encode(slices.rgb).float().transpose(0, 1).flatten(1)
        high = values.kthvalue(max(int(SCALED_SHARE * values.shape[1]), 1), dim=1).values
        factor = torch.where(high > 1e-3, SCALED_MAX / high, 1.0)
        rescale(self.backbone, factor)
        for layer in self.heads.layers:
            layer.weight /= factor

    def to_half(self) -> dict[str, Tensor]:
        """Return the weights in half precision, and round the backbone's own weights to them."""
        own = self.backbone.state_dict()
        weights = {k: v.half().cpu().contiguous() for k, v in own.items() if not k.endswith("num_batches_tracked")}
        load_weights(self.backbone, weights, "trained weights")
        return weights

    @torch.no_grad()
    def accuracies(self) -> dict[str, float]:
        """Return accuracies of the heads at places that were never trained on, with the weights as written."""
        stream = SliceStream(self.test_scenes, self.device)
        lens = Slicing(self.config.width, self.config.height).lens
        rng = np.random.default_rng(self.config.seed)
        batches: list[tuple[Tensor, ...]] = []
        for _ in range(-(-self.config.held_out // self.config.batch_size)):
            slices = stream.render(rng, self.config.batch_size, lens, canonical=True)
            labels = cell_labels(slices, stream.tables, self.frequencies.rank)
            heads, cells = self.heads, flatten_cells(self.encode(slices.rgb)).float()
            box_size = (labels.box.expm1()[..., 0::2] + labels.box.expm1()[..., 1::2] + 0.25).prod(3)
            depth_error = (heads.shape(cells)[:, 0] - labels.depth.flatten()).abs()
            predicted = (layer(cells).argmax(1) for layer in (heads.centre, heads.rarest, heads.colour))
            expected = (x.flatten() for x in (labels.centre, labels.rarest, labels.colour))
            batches.append(tuple(x.cpu() for x in (*predicted, *expected, depth_error, box_size.flatten())))
        return accuracies(*(torch.cat(x).numpy() for x in zip(*batches, strict=True)))


@torch.no_grad()
def rescale(backbone: ResNet18, factor: Tensor) -> None:
    """Multiply the last channels by positive factors, exactly: ReLU commutes with them in both blocks."""
    first, last = backbone.layer2
    assert isinstance(first, BasicBlock) and isinstance(last, BasicBlock) and first.downsample is not None
    for norm in (first.bn2, first.downsample[1], last.bn2):
        assert isinstance(norm, nn.BatchNorm2d)
        norm.weight.mul_(factor)
        norm.bias.mul_(factor)
    last.conv1.weight.div_(factor[None, :, None, None])


def one_cycle(done: float, warmup: float = 0.1) -> float:
    """Return the factor of the learning rate: linear warm-up, then cosine decay."""
    if done < warmup:
        return 0.05 + 0.95 * done / warmup
    return 0.5 + 0.5 * math.cos(math.pi * (done - warmup) / (1.0 - warmup))


def train(
    config: BackboneTrainConfig,
    output: str | os.PathLike[str],
    device: str = "cpu",
    report: ProgressCallback = no_report,
) -> dict[str, Any]:
    """Train a backbone, write its weights and model card, and return the card.

    Args:
        config: The training configuration.
        output: File of the weights; the card is written beside it as JSON.
        device: cpu or cuda.
        report: Called with the progress of training, and with notes.

    Raises:
        InputError: An argument is invalid, or the file cannot be written.
    """
    check_writable_folder(Path(output).parent)
    begin = time.monotonic()
    trainer = BackboneTrainer(config, device)
    report(TrainProgress(message=f"scenes ready after {time.monotonic() - begin:.0f} s"))
    return finish(trainer, trainer.run(report), Path(output))


def finish(trainer: BackboneTrainer, summary: TrainSummary, output: Path) -> dict[str, Any]:
    """Prepare a trained backbone for inference, measure it, and write it with its model card."""
    trainer.recalibrate_norms()
    trainer.scale_channels()
    weights, config = trainer.to_half(), trainer.config
    card = {
        "name": "bearleft city backbone",
        "network": "ResNet-18 up to layer2, names as in torchvision; half precision",
        "data": f"slices rendered of {config.world} and {config.rooms}, places of the seen splits only; no photographs",
        "hash": weights_hash(trainer.backbone),
        "train_config": asdict(config),
        "steps": summary.steps,
        "slices": summary.slices,
        "seconds": round(summary.seconds, 1),
        "slices/s": round(summary.slices / summary.seconds, 1),
        "loss": [round(x, 4) for x in summary.losses],
        "held-out metrics": {name: round(x, 4) for name, x in trainer.accuracies().items()},
    }
    return write_with_card(output, weights, card, trainer.device)


def install(path: str | Path, target: Path = CITY) -> None:
    """Copy trained weights and their card to where `load_backbone("city")` finds them."""
    path = Path(path)
    card = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    backbone = ResNet18()
    load_weights(backbone, read_weights(path), str(path))
    if weights_hash(backbone) != card["hash"]:
        raise InputError(f"weights whose hash is {card['hash'][:12]}…, as their card says", "others", file=str(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
    shutil.copyfile(path.with_suffix(".json"), target.with_suffix(".json"))


def card_rows(card: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a model card as rows of a name and a value, for a table."""
    accuracies = card["held-out metrics"]
    names = ("steps", "slices", "seconds", "slices/s", "bytes", "hash")
    return [
        {"name": name, "value": value} for name, value in (accuracies | {name: card[name] for name in names}).items()
    ]

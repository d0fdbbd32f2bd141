"""Training loop of pointing networks: epochs, updates without host synchronization, validation accuracy, patience."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from bearleft.errors import InputError
from bearleft.metrics.pointing import a_80px, pixel_distances, pixels
from bearleft.models.checkpoint import PointCheckpoint
from bearleft.models.examples import Examples
from bearleft.models.pointing.loss import kl_divergence
from bearleft.models.pointing.network import Batch, Shape
from bearleft.models.pointing.registry import network_spec
from bearleft.models.pointing.target_maps import TargetMaps, argmax_cells, cell_directions
from bearleft.models.pointing.text_encoder import compile_network
from bearleft.models.vocabulary import Vocabulary
from bearleft.training.checks import check_finite, check_resumable, divergence_error, mean_loss
from bearleft.training.cuda_graphs import GraphedStep
from bearleft.training.distributed import ProcessGroup
from bearleft.training.history import ACCURACY, ProgressCallback, Row, TrainProgress, format_row, write_history
from bearleft.training.pointing.batches import build_table, epoch_order, fingerprint, shuffle_texts, split
from bearleft.training.pointing.config import TrainConfig, network_overrides, resume_key
from bearleft.training.run import Pause

if TYPE_CHECKING:
    from bearleft.models.backbones.registry import Backbone
    from bearleft.models.features.base import Features
    from bearleft.types import Floats

LOSS_CHECK_INTERVAL = 25  # updates between two reads of the losses, which synchronize with the device
REPORT_SECONDS = 5.0  # between two reports of progress if updates are slow
VALIDATION_BATCH = 32


class Trainer:
    """A network in training, and everything that its state on disk holds."""

    def __init__(
        self,
        config: TrainConfig,
        examples: Examples,
        features: Features,
        device: torch.device,
        group: ProcessGroup,
        backbone: Backbone | None,
        folder: Path,
        report: ProgressCallback,
    ) -> None:
        self.config, self.device, self.group, self.folder, self.report = config, device, group, folder, report
        self.spec = network_spec(config.network)
        self.slicing, self.notes = features.slicing, list[str]()
        self.backbone_name, self.backbone_hash = (backbone.name, backbone.hash) if backbone is not None else ("", "")
        self.examples_hash = fingerprint(examples)
        # The split is the same whether texts are shuffled or not.
        training, validation = split(examples.texts, config.validation_share, config.seed, config.released)
        if config.shuffle_texts:
            examples = shuffle_texts(examples, config.seed)
        _, inside = examples.target_cells(self.slicing)
        if outside := int((~inside[training]).sum()):
            left_out = f"{outside:,} of {len(training):,} training examples left out"
            self.notes.append(f"{left_out}: their targets lie in no slice")
        training = training[inside[training]]
        self.vocabulary = Vocabulary.from_texts(examples.texts[k] for k in training)
        precision = config.precision or ("bfloat16" if device.type == "cuda" else "float32")
        self.half = precision == "bfloat16"
        dtype = torch.bfloat16 if self.half else torch.float32
        self.examples = build_table(examples.subset(training), self.vocabulary, features, device, dtype)
        self.validation = build_table(examples.subset(validation), self.vocabulary, features, device, dtype)
        self.validation_targets = examples.targets[validation]
        if not len(self.examples):
            raise InputError("a training example whose target lies in the slices", "none")
        self.target_maps = TargetMaps(
            config.level, examples.subset(training), self.examples.targets, self.slicing, config.sigma
        )
        self.notes += self.target_maps.notes
        self.epoch_size = config.examples_per_epoch or len(self.examples)
        self.updates_per_epoch = -(-self.epoch_size // config.batch_size)
        self._build(features)
        self.epochs_done, self.updates_done, self.seconds = 0, 0, 0.0
        self.losses = torch.zeros(self.updates_per_epoch, device=device)
        self.history: list[Row] = []
        self.best: dict[str, Any] | None = None
        self.epochs_without_best, self.has_new_best = 0, False

    def _build(self, features: Features) -> None:
        """Build the network from the seed, and its optimizer."""
        config, cuda = self.config, self.device.type == "cuda"
        slicing = self.slicing
        aspect = slicing.height / slicing.width
        shape = Shape(len(self.vocabulary), slicing.rows, slicing.columns, features.channels, aspect)
        self.network_config = self.spec.make_config({"shape": shape, **network_overrides(config)})
        self.network = self.spec.build(self.network_config, config.seed).to(self.device)
        if cuda:
            self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.forward: Callable[..., Tensor] = self.network
        if cuda and config.compile:
            self.forward = compile_network(self.network)
        self.learning_rate = config.learning_rate or self.spec.learning_rate
        self.max_grad_norm = config.max_grad_norm or self.spec.max_grad_norm
        optimizer_class = torch.optim.AdamW if self.spec.weight_decay else torch.optim.Adam
        # On a GPU the learning rate is a tensor there, so that a captured step reads the present one.
        rate = torch.tensor(self.learning_rate, device=self.device) if cuda else self.learning_rate
        self.optimizer = optimizer_class(
            self.network.parameters(),
            lr=rate,
            weight_decay=self.spec.weight_decay,
            fused=True if cuda else None,
            capturable=cuda,
        )
        # A step that gathers its batch on the GPU alone can be captured as a CUDA graph.
        # A user's network may synchronize with the host, which capturing does not permit.
        own, on_gpu = bool(self.spec.file), self.examples.panorama_indices.device.type == "cuda"
        capturable = cuda and self.group.world_size == 1 and on_gpu and not own
        self.graphed_step = GraphedStep(self._captured_step, config.batch_size, self.device) if capturable else None

    @property
    def update(self) -> int:
        """Return the number of updates since the beginning."""
        return self.epochs_done * self.updates_per_epoch + self.updates_done

    @property
    def ended(self) -> bool:
        """Return whether all epochs are done or patience has run out."""
        return self.epochs_done >= self.config.epochs or self.epochs_without_best >= self.config.patience

    def scheduled_rate(self) -> float:
        """Return the learning rate of the next update: linear warm-up, then cosine decay if the network has it."""
        warmup, total = self.spec.warmup_updates, self.config.epochs * self.updates_per_epoch
        if self.update < warmup:
            return self.learning_rate * (self.update + 1) / warmup
        if not self.spec.cosine_decay:
            return self.learning_rate
        done = (self.update - warmup) / max(1, total - warmup)
        return self.learning_rate * 0.5 * (1.0 + math.cos(math.pi * min(1.0, done)))

    def run_epoch(self, should_pause: Callable[[], Pause]) -> Pause:
        """Run the rest of an epoch and append its row; return why it paused before its end."""
        self.network.train()
        self.has_new_best = False
        host_indices = epoch_order(len(self.examples), self.config.seed, self.epochs_done, self.epoch_size)
        device_indices = host_indices.to(self.device)
        seconds_before, checked = self.seconds, self.updates_done
        begin = reported = time.perf_counter()
        while self.updates_done < self.updates_per_epoch:
            # Several processes have to agree, which takes a message.
            if (self.group.world_size == 1 or self.updates_done % LOSS_CHECK_INTERVAL == 0) and (
                pause := self._agree(should_pause())
            ):
                self._check_losses(checked)
                self.seconds = seconds_before + time.perf_counter() - begin
                return pause
            self._step(host_indices, device_indices)
            # Slow updates are reported by time; several processes check together, so by their number only.
            is_slow = self.group.world_size == 1 and time.perf_counter() - reported > REPORT_SECONDS
            is_last = self.updates_done == self.updates_per_epoch
            if self.updates_done % LOSS_CHECK_INTERVAL == 0 or is_last or is_slow:
                loss = self._check_losses(checked)
                checked, self.seconds = self.updates_done, seconds_before + time.perf_counter() - begin
                self._report_progress(loss)
                reported = time.perf_counter()
        self._finish_epoch(begin, seconds_before)
        return Pause.NO

    def _agree(self, own: Pause) -> Pause:
        return Pause(self.group.all_reduce_max(own, self.device))

    def _step(self, host_indices: Tensor, device_indices: Tensor) -> None:
        """Update on one batch, of which this process takes its share; nothing here synchronizes with the device."""
        batch_size = self.config.batch_size
        begin = self.updates_done * batch_size
        size = min(batch_size, len(host_indices) - begin)
        next_indices = self.group.share(host_indices[begin + size : begin + size + batch_size])
        host_indices, device_indices = (
            self.group.share(indices[begin : begin + size]) for indices in (host_indices, device_indices)
        )
        torch.manual_seed(update_seed(self.config.seed, self.update, self.group.rank))
        self._set_learning_rate(self.scheduled_rate())
        if self.graphed_step is not None and size == batch_size:
            self.losses[self.updates_done] = self.graphed_step(device_indices, self.examples.max_length(host_indices))
        else:
            self.optimizer.zero_grad(set_to_none=True)
            if len(host_indices):
                # A batch of another size than the others is not worth compiling for.
                forward = self.forward if size == batch_size else self.network
                batch = self.examples.batch(host_indices, device_indices)
                self.examples.prefetch(next_indices)
                self.losses[self.updates_done] = self._backward(forward, batch, device_indices, size)
            self._optimize()
        self.updates_done += 1

    def _captured_step(self, device_indices: Tensor, max_length: int) -> Tensor:
        """Run a whole update on examples that lie on the GPU."""
        self.optimizer.zero_grad(set_to_none=True)
        batch = self.examples.gather(device_indices, device_indices, max_length)
        loss = self._backward(self.forward, batch, device_indices, self.config.batch_size)
        self._optimize()
        return loss

    def _backward(self, forward: Callable[..., Tensor], batch: Batch, device_indices: Tensor, size: int) -> Tensor:
        """Compute the gradients of a batch of `size` examples, or of a share of it; return its loss."""
        # A captured step would not see weights that autocast had cached before.
        cache = self.graphed_step is None
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half, cache_enabled=cache):
            scores = forward(batch)
        loss = kl_divergence(scores, self.target_maps(device_indices)).sum() / size
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def _optimize(self) -> None:
        """Sum gradients over processes, clip them and update the parameters."""
        self.group.sum_gradients(self.network)
        if self.max_grad_norm is not None:
            nn.utils.clip_grad_norm_(self.network.parameters(), self.max_grad_norm)
        self.optimizer.step()

    def _set_learning_rate(self, rate: float) -> None:
        for group in self.optimizer.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate

    def _check_losses(self, since: int) -> float:
        """Return the mean loss since the last check; raise InputError if one is not finite."""
        first = self.epochs_done * self.updates_per_epoch + since + 1
        losses = self.group.all_reduce_sum(self.losses[since : self.updates_done].clone())
        return mean_loss(losses, lambda k, loss: self._diverged(f"{loss:f}", first + k))

    def check_weights(self) -> None:
        """Raise InputError if a weight is not finite: such a state is never written."""
        check_finite(self.network, lambda got: self._diverged(got, self.update))

    def _diverged(self, got: str, update: int) -> InputError:
        return divergence_error(got, update, self.learning_rate, self.folder, "--learning-rate or --max-grad-norm")

    def _report_progress(self, loss: float) -> None:
        speed = min(self.updates_done * self.config.batch_size, self.epoch_size) / max(self.seconds, 1e-9)
        epoch, epochs = self.epochs_done + 1, self.config.epochs
        self.report(TrainProgress(epoch, epochs, self.updates_done, self.updates_per_epoch, loss, speed))

    def _finish_epoch(self, begin: float, seconds_before: float) -> None:
        """Append an epoch's row, and keep its weights if it is the best."""
        speed, rate = self.epoch_size / max(self.seconds, 1e-9), self.optimizer.param_groups[0]["lr"]
        sizes = np.full(self.updates_per_epoch, self.config.batch_size)
        sizes[-1] = self.epoch_size - (self.updates_per_epoch - 1) * self.config.batch_size
        losses = self.group.all_reduce_sum(self.losses.clone()).double().cpu().numpy()
        accuracy = self.validation_accuracy()
        self.epochs_done, self.updates_done = self.epochs_done + 1, 0
        row = {
            "epoch": self.epochs_done,
            "update": self.update,
            "loss": float((losses * sizes).sum() / sizes.sum()),
            ACCURACY: accuracy,
            "rate": float(rate),
            "examples": self.epoch_size,
            "examples/s": round(speed, 2),
            "seconds": round(seconds_before + time.perf_counter() - begin, 3),
            "time": round(time.time(), 3),
        }
        self.history.append(row)
        self.losses.zero_()
        self.seconds, self.epochs_without_best = 0.0, self.epochs_without_best + 1
        if self.best is None or accuracy > self.best["accuracy"]:
            self.epochs_without_best, self.has_new_best = 0, True
            self.best = {"epoch": self.epochs_done, "accuracy": accuracy, "weights": self._weights()}
        self.report(TrainProgress(message=format_row(row)))

    @torch.no_grad()
    def validation_accuracy(self) -> float:
        """Return the validation accuracy at 80 pixels, in percent."""
        self.network.eval()
        cells = torch.zeros(len(self.validation), 2, dtype=torch.int64, device=self.device)
        size = max(VALIDATION_BATCH, self.config.batch_size)
        own_indices = torch.arange(self.group.rank, len(self.validation), self.group.world_size)
        for begin in range(0, len(own_indices), size):  # none if there are more processes than examples
            host_indices = own_indices[begin : begin + size]
            device_indices = host_indices.to(self.device)
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
                scores = self.network(self.validation.batch(host_indices, device_indices))
            cells[device_indices] = argmax_cells(scores)
        answers = cell_directions(self.group.all_reduce_sum(cells), self.slicing)
        return accuracy_80px(answers, self.validation_targets)

    def _weights(self) -> dict[str, Tensor]:
        return {name: value.detach().cpu().clone() for name, value in self.network.state_dict().items()}

    def checkpoint(self) -> PointCheckpoint:
        """Return the best epoch's network, or the present one before there is any, on this device."""
        network = self.spec.build(self.network_config, None).to(self.device)
        network.load_state_dict(self._weights() if self.best is None else self.best["weights"])
        training_info = {
            "seed": self.config.seed,
            "train_config": self.resume_key(),
            "examples_hash": self.examples_hash,
            "notes": self.notes,
        }
        if self.best is not None:
            training_info |= {"epoch": self.best["epoch"], ACCURACY: self.best["accuracy"]}
        return PointCheckpoint(
            network.eval(),
            self.spec.file or self.config.network,
            self.network_config,
            self.vocabulary,
            self.slicing,
            self.backbone_name,
            self.backbone_hash,
            training_info,
            self.spec.file_hash,
        )

    def resume_key(self) -> dict[str, Any]:
        """Return the settings that must be the same when training resumes."""
        return resume_key(self.config, self.spec)

    def state(self) -> dict[str, Any]:
        """Return the training state as tensors and plain values; seeds follow from the update's number."""
        return {
            "train_config": self.resume_key(),
            "examples_hash": self.examples_hash,
            "backbone_hash": self.backbone_hash,
            "slicing": asdict(self.slicing),
            "epochs_done": self.epochs_done,
            "updates_done": self.updates_done,
            "seconds": self.seconds,
            "losses": self.group.all_reduce_sum(self.losses.clone()),
            "weights": self._weights(),
            "optimizer": self.optimizer.state_dict(),
            "history": self.history,
            "best": self.best,
            "epochs_without_best": self.epochs_without_best,
        }

    def write_history(self, folder: Path) -> None:
        """Write the history files."""
        write_history(folder, self.history)

    def resume(self, state: dict[str, Any], folder: Path) -> None:
        """Load a state.

        Raises:
            InputError: It is of another configuration, other examples, slices or another backbone.
        """
        check_resumable(state, folder, self.resume_key(), self.examples_hash, self.backbone_hash, self.slicing)
        self.network.load_state_dict(state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        for group in self.optimizer.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"] = group["lr"].to(self.device)
        self.epochs_done, self.updates_done = state["epochs_done"], state["updates_done"]
        self.seconds = state["seconds"]
        if self.group.is_main:  # they include the other processes' shares
            self.losses.copy_(state["losses"])
        self.history, self.best = state["history"], state["best"]
        self.epochs_without_best = state["epochs_without_best"]


def accuracy_80px(answers: Floats, targets: Floats) -> float:
    """Return the percentage of answers (n, 2), headings from the yaw and pitches, strictly within 80 pixels."""
    points, expected = (
        np.column_stack(pixels(directions[:, 0], directions[:, 1], 0.0)) for directions in (answers, targets)
    )
    right = a_80px(pixel_distances(points, expected))
    return 100.0 * float(right.sum()) / len(right)


def update_seed(seed: int, update: int, rank: int) -> int:
    """Return the seed of everything that one process draws in one update."""
    return int(np.random.SeedSequence([seed, update, rank]).generate_state(1, np.uint64)[0])

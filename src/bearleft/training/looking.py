"""Training of the look network.

The network is trained on where people (or the generator) looked after each sentence, all sentences of a batch side by
side. Views are a little off the goal, as the player's own will be. Views do not depend on the network, so they are
computed once before training.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from bearleft.agents.looking import LookAgent
from bearleft.data import load
from bearleft.envs.legs import EnvOptions
from bearleft.envs.look import HORIZON, TURN_DEGREES, check_turn_degrees
from bearleft.errors import InputError
from bearleft.evaluation.play import play_batch
from bearleft.models import BEST
from bearleft.models.backbones.registry import Backbone, load_backbone
from bearleft.models.looking.examples import (
    LookExamples,
    ViewPool,
    build_look_examples,
    initial_memory,
    place_of,
    sentences_of,
)
from bearleft.models.looking.network import TURNS, Belief, LookConfig, LookNetwork, Sentences
from bearleft.models.looking.player import DISCRETE, LookCheckpoint
from bearleft.models.looking.sphere import Memory, angular_distance, project, spherical_gaussian
from bearleft.models.looking.views import Views
from bearleft.models.pointing.loss import kl_divergence
from bearleft.models.vocabulary import Vocabulary
from bearleft.records import Episode, Trace
from bearleft.runtime.store import check_writable_folder, exclusive_writer
from bearleft.training.history import ProgressCallback, TrainProgress, no_report
from bearleft.training.inputs import TrainInputs
from bearleft.training.state import describe_last_state, load_state, save_state
from bearleft.version import VERSION

DISCRETE_FILE = "steps.pt"  # the same network as BEST, turning by fixed steps
MAP_SIGMA, VIEW_SIGMA = 5.0, 3.0  # degrees: widths of the target distributions
MIN_HELD_OUT, HELD_OUT_SHARE = 16, 0.03  # sentences, and share of episodes, that measure progress
# Degrees that the start is off where the previous sentence led: usually, and more for a share of the examples.
START_NOISE, LARGE_START_NOISE, LARGE_NOISE_SHARE = 4.0, 25.0, 0.15
STARTS_PER_GOAL = 4  # directions on the way to a goal, from each of which a turn is trained
HIT_DEGREES = 11.0
MEASURE_BATCH = 256
REPORT_EVERY = 10  # updates


@dataclass(frozen=True)
class LookTrainConfig:
    """Everything that the result depends on beside the episodes."""

    seed: int = 0
    epochs: int = 12
    batch_size: int = 192  # sentences
    learning_rate: float = 1e-3
    weight_decay: float = 0.02
    warmup_share: float = 0.05  # of all updates
    views_per_goal: int = 2
    width: int = 128
    dropout: float = 0.2
    view_size: int = 448
    pool: int = 2
    columns: int = 60  # of the grid over the sphere, with a third as many rows
    turn_degrees: float = TURN_DEGREES  # of a turn, for players that turn by fixed steps

    def __post_init__(self) -> None:
        minimum = {"epochs": 1, "batch_size": 1, "views_per_goal": 1, "width": 1, "pool": 1}
        minimum |= {"view_size": 8 * self.pool, "columns": 3}
        for name, least in minimum.items():
            if getattr(self, name) < least:
                raise InputError(f"at least {least}", str(getattr(self, name)), name)
        if self.width % LookConfig.heads:
            raise InputError(f"a multiple of {LookConfig.heads}, the number of heads", str(self.width), "width")
        if not 0.0 < self.learning_rate < 1e6:
            raise InputError("a number above 0 and below a million", str(self.learning_rate), "learning_rate")
        check_turn_degrees(self.turn_degrees)
        if not 0.0 <= self.dropout < 1.0:
            raise InputError("a number from 0 up to 1, without 1", str(self.dropout), "dropout")

    def network_config(self, vocabulary_size: int, channels: int) -> LookConfig:
        """Return the network's configuration."""
        return LookConfig(
            vocabulary_size,
            channels,
            self.width,
            dropout=self.dropout,
            view_size=self.view_size,
            pool=self.pool,
            rows=self.columns // 3,
            columns=self.columns,
        )


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Everything that the network is trained on, on the device."""

    examples: LookExamples
    sentences: Sentences
    host_lengths: Tensor  # on the CPU, so that reading them synchronizes nothing
    memory: Memory  # by place
    pool: ViewPool
    goal: Tensor
    place: Tensor
    previous: Tensor

    @classmethod
    def build(
        cls, episodes: Sequence[Episode], vocabulary: Vocabulary, views: Views, config: LookTrainConfig
    ) -> TrainingData:
        """Encode the sentences of episodes and render the views that they are trained with."""
        examples = build_look_examples(episodes, views)
        sentences = examples.encode(vocabulary, views.device)
        arrays = (examples.goal, examples.place, examples.previous)
        tensors = [torch.from_numpy(array).to(views.device) for array in arrays]
        pool = ViewPool.build(examples, views, config.views_per_goal, config.seed)
        memory = initial_memory(views, config.seed)
        return cls(examples, sentences, sentences.lengths.cpu(), memory, pool, *tensors)

    def batch_sentences(self, indices: Tensor) -> Sentences:
        """Return the sentences at these indices."""
        max_length = int(self.host_lengths[indices.cpu()].max())
        words, sentence_offsets = self.sentences.words, self.sentences.sentence_offsets
        return Sentences(
            words[indices, :max_length], sentence_offsets[indices, :max_length], self.sentences.lengths[indices]
        )


@dataclass(frozen=True, eq=False)
class LookTrainResult:
    """A trained network and its history."""

    checkpoint: LookCheckpoint
    history: list[dict[str, Any]]
    finished: bool  # all epochs are done


def fingerprint(episodes: Sequence[Episode]) -> str:
    """Return a hash of everything that training reads of episodes but the pictures."""
    digest = hashlib.sha256()
    for episode in episodes:
        digest.update(
            json.dumps([episode.world, episode.start.to_json(), [leg.to_json() for leg in episode.legs]]).encode()
        )
    return digest.hexdigest()


def train(
    config: LookTrainConfig,
    episodes: Sequence[Episode],
    backbone: Backbone,
    folder: str | os.PathLike[str],
    device: str | torch.device = "cpu",
    minutes: float | None = None,
    report: ProgressCallback = no_report,
    views: Views | None = None,
    vocabulary: Vocabulary | None = None,
) -> LookTrainResult:
    """Train a look network, or resume from the folder's last state; stop when the time limit is over.

    A stopped and resumed run ends as an uninterrupted one: seeds follow from the configuration's seed and the epoch.

    Args:
        config: The training configuration.
        episodes: Episodes to train on.
        backbone: The backbone that encodes views.
        folder: Where states and the trained network are written.
        device: Where to train.
        minutes: Time limit in minutes; the epoch in progress is finished.
        report: Called with the progress of training, and with notes.
        views: Views of the episodes' places; by default they are opened.
        vocabulary: By default all words that occur twice.

    Raises:
        InputError: The folder holds a training of other settings, or the loss is not finite.
    """
    began, path = time.monotonic(), Path(folder)
    words = vocabulary or Vocabulary.from_texts((episode.legs[-1].text for episode in episodes), min_count=2)
    network_config = config.network_config(len(words), backbone.channels)
    with exclusive_writer(path, "a training"):
        torch.manual_seed(config.seed)
        network = LookNetwork(network_config)
        network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        optimizer = torch.optim.AdamW(network.parameters(), config.learning_rate, weight_decay=config.weight_decay)
        history: list[dict[str, Any]] = []
        state = load_state(path, lambda line: report(TrainProgress(message=line)))
        settings: dict[str, Any] = {
            "train_config": asdict(config),
            "network_config": asdict(network_config),
            "backbone_hash": backbone.hash,
            "episodes_hash": fingerprint(episodes),
        }
        if state is not None:
            if state["settings"] != settings:
                hint = "Take another folder, or remove this one."
                expected = "the configuration and data that training began with"
                raise InputError(expected, "others", file=str(path), hint=hint)
            network.load_state_dict(state["weights"])
            optimizer.load_state_dict(state["optimizer"])
            history = list(state["history"])
        if len(history) < config.epochs:
            open_views = views or Views(map(place_of, episodes), backbone, network_config, device)
            data = TrainingData.build(episodes, words, open_views, config)
            seconds = time.monotonic() - began
            note = (
                f"{len(data.examples):,} sentences, views of {len(open_views.places):,} places ready: {seconds:.0f} s"
            )
            report(TrainProgress(message=note))
            deadline = None if minutes is None else began + 60.0 * minutes
            _train_epochs(config, network, optimizer, data, history, path, settings, deadline, report)
        training_info = {**settings, "epochs": len(history)}
        checkpoint = LookCheckpoint(
            network.eval(),
            words,
            backbone.name,
            backbone.hash,
            training_info=training_info,
            turn_degrees=config.turn_degrees,
        )
        checkpoint.save(path / BEST)
        replace(checkpoint, turn_mode=DISCRETE).save(path / DISCRETE_FILE)
    return LookTrainResult(checkpoint, history, len(history) >= config.epochs)


def _train_epochs(
    config: LookTrainConfig,
    network: LookNetwork,
    optimizer: torch.optim.Optimizer,
    data: TrainingData,
    history: list[dict[str, Any]],
    folder: Path,
    settings: dict[str, Any],
    deadline: float | None,
    report: ProgressCallback,
) -> None:
    """Train epoch by epoch, saving each, until all are done or time is up."""
    training, held_out = _hold_out(data.examples)
    for epoch in range(len(history), config.epochs):
        start = time.monotonic()
        if deadline is not None and history and start > deadline:
            break
        losses = _train_epoch(config, network, optimizer, data, training, epoch, report)
        if not np.isfinite(losses).all():
            got = f"{losses[0]} in epoch {epoch + 1}"
            raise InputError("a finite loss", got, hint=f"{describe_last_state(folder)}.")
        row = {"epoch": epoch + 1, **dict(zip(("sphere", "view", "turn"), map(float, losses), strict=True))}
        row |= measure(network, data, held_out, config.seed)
        history.append(row)
        weights = {name: value.detach().cpu() for name, value in network.state_dict().items()}
        state = {"weights": weights, "optimizer": optimizer.state_dict(), "history": history, "settings": settings}
        save_state(folder, state)
        values = ", ".join(f"{name} {value:.3f}" for name, value in row.items() if name != "epoch")
        note = f"epoch {epoch + 1} of {config.epochs}: {values}, {time.monotonic() - start:.1f} s"
        report(TrainProgress(message=note))


def _hold_out(examples: LookExamples) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the indices to train on, and those of the last episodes, which are held out."""
    last = int(examples.episode[-1])
    first = last + 1 - max(1, round(HELD_OUT_SHARE * (last + 1)))
    if last == 0:
        first = 1
    training, held_out = np.flatnonzero(examples.episode < first), np.flatnonzero(examples.episode >= first)
    return training, held_out if len(held_out) else training[:MIN_HELD_OUT]


def _train_epoch(
    config: LookTrainConfig,
    network: LookNetwork,
    optimizer: torch.optim.Optimizer,
    data: TrainingData,
    training: npt.NDArray[np.int64],
    epoch: int,
    report: ProgressCallback,
) -> npt.NDArray[np.float64]:
    """Train on all sentences once; return the mean losses."""
    rng = np.random.default_rng([config.seed, 3, epoch])
    torch.manual_seed(int(rng.integers(2**31)))
    device = data.goal.device
    order = rng.permutation(training)
    same_place = torch.from_numpy(data.examples.sample_same_place(rng)).to(device)
    updates = -(-len(order) // config.batch_size)
    total = torch.zeros(3, device=device)
    network.train()
    for k in range(updates):
        indices = torch.from_numpy(order[k * config.batch_size : (k + 1) * config.batch_size]).to(device)
        factor = _schedule(epoch * updates + k, updates * config.epochs, config.warmup_share)
        for group in optimizer.param_groups:
            group["lr"] = config.learning_rate * factor
        losses = _losses(network, data, indices, same_place[indices], config.turn_degrees)
        optimizer.zero_grad(set_to_none=True)
        (losses * losses.new_tensor([1.0, 1.0, 0.5])).sum().backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        total += losses.detach() * len(indices)
        if (k + 1) % REPORT_EVERY == 0 or k + 1 == updates:
            loss = float(losses.detach().sum())
            report(TrainProgress(epoch + 1, config.epochs, k + 1, updates, loss))
    return np.asarray((total / len(order)).cpu().numpy(), np.float64)


def _schedule(update: int, updates: int, warmup_share: float) -> float:
    """Return the factor of the learning rate: linear warm-up, then cosine decay."""
    warmup = max(1.0, warmup_share * updates)
    if update < warmup:
        return (update + 1) / warmup
    return 0.5 * (1.0 + float(np.cos(np.pi * (update - warmup) / max(1.0, updates - warmup))))


def compute_belief(
    network: LookNetwork, data: TrainingData, indices: Tensor, same_place: Tensor | None = None
) -> Belief:
    """Return the belief about sentences of players that look where the previous sentence led.

    In training, `same_place` are the indices of other sentences of the same places: half of the players have seen one
    more view there, and all start a little off the previous goal.
    """
    pool, grid, previous = data.pool, network.grid, data.previous[indices]
    memory, views_per_goal = data.memory.subset(data.place[indices]), len(pool.looks)
    has_previous, before = previous >= 0, previous.clamp(min=0)
    drawn = torch.randint(views_per_goal, before.shape, device=before.device)
    seen = memory.add_view(grid, pool.features[drawn, before], pool.looks[drawn, before])
    memory = _select_memory(has_previous, seen, memory)
    if same_place is not None:
        also = torch.rand(len(indices), device=before.device) < 0.5
        seen = memory.add_view(grid, pool.features[drawn, same_place], pool.looks[drawn, same_place])
        memory = _select_memory(also, seen, memory)
    start = data.goal[before]
    if same_place is not None:
        large = torch.rand(len(indices), 1, device=before.device) < LARGE_NOISE_SHARE
        noise = torch.where(large, LARGE_START_NOISE, START_NOISE)
        start = start + noise * torch.randn(len(indices), 2, device=before.device)
    start = torch.stack([start[:, 0] % 360.0, start[:, 1].clamp(-90.0, 90.0)], 1)
    up = torch.stack([360.0 * torch.rand_like(start[:, 0]), torch.full_like(start[:, 0], 90.0)], 1)
    start = torch.where(has_previous[:, None], start, up)
    return network(data.batch_sentences(indices), memory, start)  # type: ignore[no-any-return]


def _select_memory(condition: Tensor, first: Memory, second: Memory) -> Memory:
    mask = condition[:, None, None, None]
    features = torch.where(mask, first.features, second.features)
    return Memory(features, torch.where(mask, first.view_count, second.view_count))


def _losses(
    network: LookNetwork, data: TrainingData, indices: Tensor, same_place: Tensor, turn_degrees: float = TURN_DEGREES
) -> Tensor:
    """Return the losses of the map, of the view, and of turns: (3,)."""
    goal, device = data.goal[indices], data.goal.device
    drawn = torch.randint(len(data.pool.looks), indices.shape, device=device)
    view, look = data.pool.features[drawn, indices], data.pool.looks[drawn, indices]
    with torch.autocast(device.type, torch.bfloat16, device.type == "cuda"):
        belief = compute_belief(network, data, indices, same_place)
        view_scores = network.score_view(belief, view, look)
    centred_goal = torch.stack([goal[:, 0] - belief.start[:, 0], goal[:, 1]], 1)
    map_target = spherical_gaussian(network.cell_directions[None], centred_goal, MAP_SIGMA)
    map_loss = kl_divergence(belief.scores, map_target).mean()
    _, inside = project(look, goal[:, None])
    view_target = spherical_gaussian(network.view_directions(look), goal, VIEW_SIGMA)
    view_loss = kl_divergence(view_scores, view_target) * inside[:, 0]
    goals = goal.repeat_interleave(STARTS_PER_GOAL, 0)
    looks = sample_looks(goals)
    repeated = replace(
        belief,
        scores=belief.scores.repeat_interleave(STARTS_PER_GOAL, 0),
        start=belief.start.repeat_interleave(STARTS_PER_GOAL, 0),
    )
    turn_loss = functional.cross_entropy(network.score_turns(repeated, looks), expert_turns(looks, goals, turn_degrees))
    return torch.stack([map_loss, view_loss.sum() / inside.sum().clamp(min=1), turn_loss])


def sample_looks(goal: Tensor) -> Tensor:
    """Return random directions (n, 2) on the way to goals: anywhere, at the goal's heading, or close to it."""
    n, device = len(goal), goal.device
    kind = torch.rand(n, device=device)
    anywhere = torch.stack([360.0 * torch.rand(n, device=device), 180.0 * torch.rand(n, device=device) - 90.0], 1)
    spread = torch.where((kind < 0.5)[:, None], goal.new_tensor([12.0, 45.0]), goal.new_tensor([12.0, 12.0]))
    close = goal + spread * (2 * torch.rand(n, 2, device=device) - 1)
    look = torch.where((kind < 0.25)[:, None], anywhere, close)
    return torch.stack([look[:, 0] % 360.0, look[:, 1].clamp(-90.0, 90.0)], 1)


def expert_turns(look: Tensor, goal: Tensor, turn_degrees: float = TURN_DEGREES) -> Tensor:
    """Return the indices (n,) of TURNS that lead to goals: first to the side, then up or down, then next."""
    aside = (goal[:, 0] - look[:, 0] + 180.0) % 360.0 - 180.0
    up = goal[:, 1] - look[:, 1]
    index = {name: k for k, name in enumerate(TURNS)}
    half = turn_degrees / 2
    turn = torch.full(aside.shape, index["next"], device=look.device)
    turn = torch.where(up > half, index["up"], torch.where(up < -half, index["down"], turn))
    return torch.where(aside > half, index["right"], torch.where(aside < -half, index["left"], turn))


@torch.no_grad()
def measure(network: LookNetwork, data: TrainingData, held_out: npt.NDArray[np.int64], seed: int) -> dict[str, float]:
    """Return how often the map's most probable direction is close to where held-out sentences led, in percent."""
    network.eval()
    device = data.goal.device
    torch.manual_seed(seed)
    hits = []
    for begin in range(0, len(held_out), MEASURE_BATCH):
        indices = torch.from_numpy(held_out[begin : begin + MEASURE_BATCH]).to(device)
        with torch.autocast(device.type, torch.bfloat16, device.type == "cuda"):
            belief = compute_belief(network, data, indices)
        distance = angular_distance(network.best_direction(belief), data.goal[indices])
        hits.append((distance < HIT_DEGREES).float().cpu())
    return {"held out, within 11 degrees": 100.0 * float(torch.cat(hits).mean())}


def train_on_dataset(
    config: LookTrainConfig,
    inputs: TrainInputs,
    folder: str | os.PathLike[str],
    device: str = "cpu",
    minutes: float | None = None,
    report: ProgressCallback = no_report,
) -> LookTrainResult:
    """Train a look network on a dataset by name, or resume its training.

    Args:
        config: The training configuration.
        inputs: The dataset and the source of its pictures. A look network sees views, so a feature store or a slicing
            is an error.
        folder: Where states and the trained network are written.
        device: cpu or cuda.
        minutes: Time limit in minutes; the epoch in progress is finished.
        report: Called with the progress of training, and with notes.

    Raises:
        InputError: The folder holds a training of other settings, or an input is invalid.
    """
    if inputs.features is not None or inputs.slicing is not None:
        raise InputError("a dataset and its pictures for a look network, which sees views", "a feature store or slices")
    check_writable_folder(folder)
    episodes = list(load(inputs.dataset, inputs.data))[: inputs.limit]
    backbone = load_backbone(inputs.backbone or "city", device)
    network_config = config.network_config(1, backbone.channels)
    places = map(place_of, episodes)
    views = Views(places, backbone, network_config, device, pictures=inputs.picture_config)
    sentences = sum(len(sentences_of(episode)) for episode in episodes)
    report(TrainProgress(message=f"{len(episodes):,} episodes, {sentences:,} sentences"))
    return train(config, episodes, backbone, folder, device, minutes, report, views)


def play_episodes(
    checkpoint: LookCheckpoint,
    episodes: Sequence[Episode],
    views: Views,
    seed: int = 0,
    heatmaps: bool = False,
    sha256: str = "",
    label: str = "",
    options: EnvOptions | None = None,
) -> list[Trace]:
    """Play all episodes side by side; equal to the agent's traces but for last digits that depend on the batch.

    By default turns are as large as those that the network was trained with, with a horizon to match.
    """
    finer = max(1.0, TURN_DEGREES / checkpoint.turn_degrees)
    rules = options or EnvOptions(look_step=checkpoint.turn_degrees, look_horizon=round(HORIZON * finer))
    agent = LookAgent(checkpoint, views, label, heatmaps)
    return [
        Trace(episode.id, episode.dataset, agent.label, legs, seed, sha256, VERSION)
        for episode, legs in zip(episodes, play_batch(agent, episodes, seed, options=rules), strict=True)
    ]

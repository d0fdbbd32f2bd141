"""Players of the looking task that use a `LookNetwork`, one episode or thousands side by side.

Both modes begin by looking around once (INITIAL_VIEWS views). The features of all views taken so far are averaged into
a grid on the sphere, the memory. For each sentence the network gives a score map over the cells of that grid (a
`Belief`).

CONTINUOUS: the player can turn to any direction at once. For each sentence it turns to the most probable direction of
the score map, takes a view there, and turns to the most probable direction within that view.

DISCRETE: the player turns left, right, up or down by the environment's step (usually 15 degrees) and takes a view after
each turn, until the network chooses "next". It chooses a direction within its view only once: the answer, after the
last sentence.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.envs.game import Action, Prediction
from bearleft.envs.look import TURN_DEGREES
from bearleft.errors import InputError, format_value
from bearleft.models.checkpoint import KIND_NAMES, LOOK, Device, read_checkpoint, write_checkpoint
from bearleft.models.looking.network import TURNS, Belief, LookConfig, LookNetwork, Sentences
from bearleft.models.looking.sphere import Memory
from bearleft.models.looking.views import Views
from bearleft.models.vocabulary import Vocabulary
from bearleft.records import Direction, Heatmap
from bearleft.types import Observation

INITIAL_VIEWS = 6  # level views, evenly spaced, that a player takes after the view at the start
START_PITCH = 90.0  # degrees; as in Refer360, an episode starts looking straight up
CONTINUOUS, DISCRETE = "continuous", "discrete"
TURN_MODES = (CONTINUOUS, DISCRETE)
MAX_TURN_DEGREES = 270.0  # of turns for one sentence: half around and from the ceiling to the floor
HEATMAP_SIZE = 60, 30  # columns and rows
MAX_BATCH = 1024  # players whose network runs at once


@dataclass(frozen=True, eq=False)
class LookCheckpoint:
    """A trained look network with everything that a player needs."""

    network: LookNetwork
    vocabulary: Vocabulary
    backbone: str
    backbone_hash: str
    turn_mode: str = CONTINUOUS
    training_info: dict[str, Any] = field(default_factory=dict)  # plain values: configuration, hashes, epochs
    turn_degrees: float = TURN_DEGREES  # of a turn, in DISCRETE mode

    def __post_init__(self) -> None:
        if self.turn_mode not in TURN_MODES:
            raise InputError(f"a turn mode: {' or '.join(TURN_MODES)}", format_value(self.turn_mode), "turn_mode")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the checkpoint atomically."""
        weights = {name: value.detach().cpu() for name, value in self.network.state_dict().items()}
        write_checkpoint(path, {"kind": LOOK, **self.metadata(), "weights": weights})

    def metadata(self) -> dict[str, Any]:
        """Return everything but the weights, as plain values."""
        return {
            "config": asdict(self.network.config),
            "vocabulary": list(self.vocabulary.words),
            "backbone": self.backbone,
            "backbone_hash": self.backbone_hash,
            "turn_mode": self.turn_mode,
            "turn_degrees": self.turn_degrees,
            "training_info": dict(self.training_info),
        }

    @classmethod
    def load(cls, path: str | os.PathLike[str], device: Device = "cpu") -> LookCheckpoint:
        """Read a checkpoint; its network is in evaluation mode.

        Raises:
            InputError: The file is missing, damaged, of another kind, or of a version that cannot be read.
        """
        content = read_checkpoint(path, device, LOOK)
        try:
            network = LookNetwork(LookConfig(**content["config"]))
            network.load_state_dict(content["weights"])
            return cls(
                network.to(device).eval(),
                Vocabulary(tuple(content["vocabulary"])),
                str(content["backbone"]),
                str(content["backbone_hash"]),
                str(content["turn_mode"]),
                dict(content["training_info"]),
                float(content.get("turn_degrees", TURN_DEGREES)),
            )
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            got = f"one that does not fit: {format_value(str(error).partition(chr(10))[0])}"
            raise InputError(KIND_NAMES[LOOK], got, file=str(path)) from error


def encode_sentences(vocabulary: Vocabulary, sentences: Sequence[Sequence[str]], device: Device) -> Sentences:
    """Return each player's sentences up to the present one as ids."""
    encoded = [[vocabulary.encode(sentence) for sentence in of_player] for of_player in sentences]
    lengths = np.array([sum(map(len, of_player)) for of_player in encoded], np.int64)
    padded = np.zeros((2, len(encoded), int(lengths.max(initial=1))), np.int64)
    for k, of_player in enumerate(encoded):
        padded[0, k, : lengths[k]] = [word for sentence in of_player for word in sentence]
        padded[1, k, : lengths[k]] = [len(of_player) - 1 - s for s, sentence in enumerate(of_player) for _ in sentence]
    words, sentence_offsets = torch.from_numpy(padded).to(device)
    return Sentences(words, sentence_offsets, torch.from_numpy(lengths).to(device))


@dataclass
class PlayerState:
    """State of one player between two actions."""

    place: int
    queue: deque[tuple[Action, bool]] = field(default_factory=deque)  # actions, with whether to look before each
    sentences: list[str] = field(default_factory=list)
    start: tuple[float, float] | None = None  # the direction in which the sentence began
    decisions: int = 0  # of this sentence


class BatchedLookPlayer:
    """Play many look legs side by side; `act` returns the next action of some of them."""

    def __init__(self, checkpoint: LookCheckpoint, views: Views, places: Sequence[int], heatmaps: bool = True) -> None:
        self.checkpoint, self.network, self.views = checkpoint, checkpoint.network, views
        self.turn_mode, self.heatmaps = checkpoint.turn_mode, heatmaps
        self.players = [PlayerState(place) for place in places]
        parameter = next(self.network.parameters())
        like = torch.empty(0, device=parameter.device, dtype=views.dtype)
        self.memory = Memory.empty(self.network.grid, len(places), self.network.config.channels, like)

    @torch.no_grad()
    def act(self, indices: Sequence[int], observations: Sequence[Observation]) -> list[Action]:
        """Return the next action of some players."""
        actions: list[Action] = []
        for begin in range(0, len(indices), MAX_BATCH):
            batch = slice(begin, begin + MAX_BATCH)
            actions += self._act(list(indices[batch]), observations[batch])
        return actions

    def _act(self, indices: list[int], observations: Sequence[Observation]) -> list[Action]:
        by_player = dict(zip(indices, observations, strict=True))
        for k in indices:
            if not self.players[k].sentences:
                self.players[k].queue.extend(look_around_actions(by_player[k], self.turn_mode))
        looking = [k for k in indices if not self.players[k].queue or self.players[k].queue[0][1]]
        view = self._take_views(looking, by_player)
        deciding = [n for n, k in enumerate(looking) if not self.players[k].queue]
        if deciding:
            self._decide([looking[n] for n in deciding], view[torch.tensor(deciding, device=view.device)], by_player)
        return [self._next_action(k, by_player[k]) for k in indices]

    def _take_views(self, indices: list[int], observations: dict[int, Observation]) -> Tensor:
        """Return the views of players and add them to their memory."""
        directions = np.array([[observations[k]["heading"], observations[k]["pitch"]] for k in indices]).reshape(-1, 2)
        places = np.array([self.players[k].place for k in indices], np.int64)
        view = self.views(places, directions)
        if indices:
            players = torch.tensor(indices, device=view.device)
            view_centres = torch.from_numpy(directions).to(view.device, torch.float32)
            self.memory.assign(players, self.memory.subset(players).add_view(self.network.grid, view, view_centres))
        return view

    def _next_action(self, k: int, observation: Observation) -> Action:
        player = self.players[k]
        action, _ = player.queue.popleft()
        if not player.sentences:
            player.sentences.append(observation["text"])  # looking around comes before reading on
        if action == "next":
            player.start, player.decisions = None, 0
        return action

    def _decide(self, indices: list[int], view: Tensor, observations: dict[int, Observation]) -> None:
        """Fill the queues of players that have no action left."""
        directions = np.array([[observations[k]["heading"], observations[k]["pitch"]] for k in indices])
        for k, (heading, pitch) in zip(indices, directions, strict=True):
            player = self.players[k]
            if player.start is None:
                # Before the first sentence the player has looked around, and no direction was described yet.
                player.start = (float(heading), float(pitch) if observations[k]["sentence"] else START_PITCH)
                player.sentences[observations[k]["sentence"] :] = [observations[k]["text"]]
        device = view.device
        view_centres = torch.from_numpy(directions).to(device, torch.float32)
        start = torch.tensor([self.players[k].start for k in indices], device=device)
        sentences = encode_sentences(self.checkpoint.vocabulary, [self.players[k].sentences for k in indices], device)
        with torch.autocast(device.type, torch.bfloat16, device.type == "cuda"):
            belief = self.network(sentences, self.memory.subset(torch.tensor(indices, device=device)), start)
            turns = self.network.score_turns(belief, view_centres).argmax(1).tolist()
        best = self.network.best_direction(belief).cpu().numpy()
        arrived = [
            n
            for n, k in enumerate(indices)
            if self._has_arrived(self.players[k], TURNS[turns[n]], observations[k]["turn_degrees"])
        ]
        for n, k in enumerate(indices):
            if n not in arrived:
                action = _direction(best[n]) if self.turn_mode == CONTINUOUS else TURNS[turns[n]]
                self.players[k].queue.append((action, False))
        if arrived:
            chosen = torch.tensor(arrived, device=device)
            answers = self._answers(belief.subset(chosen), view[chosen], view_centres[chosen])
            for n, answer in zip(arrived, answers, strict=True):
                observation = observations[indices[n]]
                last = observation["sentence"] + 1 == observation["sentences"]
                if not last and isinstance(answer, Prediction):
                    answer = answer.direction
                points = last or self.turn_mode == CONTINUOUS
                self.players[indices[n]].queue.extend([(answer, False)] * points + [("next", False)])

    def _has_arrived(self, player: PlayerState, turn: str, degrees: float) -> bool:
        """Count a decision, and return whether the player looks where the sentence leads."""
        player.decisions += 1
        if self.turn_mode == CONTINUOUS:
            return player.decisions > 1
        return turn == "next" or player.decisions > MAX_TURN_DEGREES / degrees

    def _answers(self, belief: Belief, view: Tensor, look: Tensor) -> list[Action]:
        """Return where players point in their views."""
        with torch.autocast(look.device.type, torch.bfloat16, look.device.type == "cuda"):
            scores = self.network.score_view(belief, view, look)
        best = self.network.best_view_direction(scores, look).cpu().numpy()
        directions = [_direction(heading_pitch) for heading_pitch in best]
        if not self.heatmaps:
            return list(directions)
        heatmaps = self._render_heatmaps(scores, look)
        return [
            Prediction(direction, Heatmap.from_array(heat))
            for direction, heat in zip(directions, heatmaps, strict=True)
        ]

    def _render_heatmaps(self, scores: Tensor, look: Tensor) -> npt.NDArray[np.float32]:
        """Return heat maps (n, rows, columns) of the sphere: the highest probability of the view's cells in each."""
        columns, rows = HEATMAP_SIZE
        directions = self.network.view_directions(look).flatten(1, 2)
        probability = torch.softmax(scores.flatten(1), 1)
        column = ((directions[..., 0] + 180.0) % 360.0 / 360.0 * columns).long().clamp(0, columns - 1)
        row = ((90.0 - directions[..., 1]) / 180.0 * rows).long().clamp(0, rows - 1)
        maps = torch.zeros(len(look), rows * columns, device=look.device)
        maps.scatter_reduce_(1, row * columns + column, probability, "amax")
        return maps.reshape(-1, rows, columns).cpu().numpy()


def look_around_actions(observation: Observation, turn_mode: str) -> list[tuple[Action, bool]]:
    """Return the actions of looking around once, each with whether to look before it."""
    spacing = 360.0 / INITIAL_VIEWS
    if turn_mode == CONTINUOUS:
        directions = [Direction(observation["heading"] + k * spacing, 0.0) for k in range(INITIAL_VIEWS)]
        return [(direction, True) for direction in directions]
    degrees = observation["turn_degrees"]
    level, full_circle = round(observation["pitch"] / degrees), max(1, round(360.0 / degrees))
    turns_per_view = max(1, round(spacing / degrees))
    actions: list[tuple[Action, bool]] = [("down" if level > 0 else "up", k == 0) for k in range(abs(level))]
    return actions + [("right", k % turns_per_view == 0) for k in range(full_circle)]


def _direction(heading_pitch: npt.NDArray[np.float32]) -> Direction:
    return Direction(float(heading_pitch[0]), float(np.clip(heading_pitch[1], -90.0, 90.0)))

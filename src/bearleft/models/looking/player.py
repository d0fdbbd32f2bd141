"""Playing the finding task with a `Looker`, one game or thousands side by side: see, remember, think, turn.

CONTINUOUS: look around once (GLANCES views), then for each sentence turn to where the map of the sphere believes it to
lead, look, and turn to the best spot of that view. DISCRETE: the same by steps, the game's turns (usually 15 degrees),
looking after each; only after the last sentence does it point within its view, as people click.
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

from bearleft.envs.game import Action, Guess, Observation
from bearleft.envs.look import STEP
from bearleft.errors import InputError, shown
from bearleft.models.checkpoint import Device, read, write
from bearleft.models.looking.network import TURNS, Belief, Config, Looker, Told
from bearleft.models.looking.sphere import Memory
from bearleft.models.looking.views import Views
from bearleft.models.vocabulary import Vocabulary
from bearleft.records import Direction, Heat

GLANCES = 6  # views around that are taken first
CONTINUOUS, DISCRETE = "continuous", "discrete"
WAYS = (CONTINUOUS, DISCRETE)
FARTHEST = 270.0  # degrees of turns for one sentence: half around and from the ceiling to the floor
HEAT = 60, 30  # columns and rows of a heat map that is kept
BATCH = 1024  # players who think at once


@dataclass(frozen=True, eq=False)
class Finder:
    """A trained looker, with all that is needed to let it play."""

    looker: Looker
    vocabulary: Vocabulary
    trunk: str
    trunk_hash: str
    way: str = CONTINUOUS  # how it turns
    about: dict[str, Any] = field(default_factory=dict)
    step: float = STEP  # degrees of a turn, where it turns by steps

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise InputError(f"a way to turn: {' or '.join(WAYS)}", shown(self.way), "way")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it whole or not at all."""
        weights = {name: value.detach().cpu() for name, value in self.looker.state_dict().items()}
        write(path, {"kind": "looker", **self.described(), "weights": weights})

    def described(self) -> dict[str, Any]:
        """All but the weights, as plain values."""
        return {
            "config": asdict(self.looker.config),
            "words": list(self.vocabulary.words),
            "trunk": self.trunk,
            "trunk_hash": self.trunk_hash,
            "way": self.way,
            "step": self.step,
            "about": dict(self.about),
        }

    @classmethod
    def load(cls, path: str | os.PathLike[str], device: Device = "cpu") -> Finder:
        """Reads one, ready to play."""
        content = read(path, device, "looker")
        try:
            looker = Looker(Config(**content["config"]))
            looker.load_state_dict(content["weights"])
            words, trunk = Vocabulary(tuple(content["words"])), (str(content["trunk"]), str(content["trunk_hash"]))
            way, step = str(content["way"]), float(content.get("step", STEP))
            return cls(looker.to(device).eval(), words, *trunk, way, dict(content["about"]), step)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            got = f"one that does not fit: {shown(str(error).partition(chr(10))[0])}"
            raise InputError("a looker's checkpoint", got, file=str(path)) from error


def read_told(vocabulary: Vocabulary, told: Sequence[Sequence[str]], device: Device) -> Told:
    """Sentences up to the present one, of each player, as numbers."""
    words = [[vocabulary.read(sentence) for sentence in one] for one in told]
    lengths = np.array([sum(map(len, one)) for one in words], np.int64)
    rows = np.zeros((2, len(words), int(lengths.max(initial=1))), np.int64)
    for k, one in enumerate(words):
        rows[0, k, : lengths[k]] = [word for sentence in one for word in sentence]
        rows[1, k, : lengths[k]] = [len(one) - 1 - s for s, sentence in enumerate(one) for _ in sentence]
    numbers, ages = torch.from_numpy(rows).to(device)
    return Told(numbers, ages, torch.from_numpy(lengths).to(device))


@dataclass
class Player:
    """One game's mind between two actions."""

    spot: int
    queue: deque[tuple[Action, bool]] = field(default_factory=deque)  # with whether to look before it
    told: list[str] = field(default_factory=list)
    began: tuple[float, float] | None = None  # the direction in which the sentence began
    steps: int = 0  # decisions of this sentence


class Mind:
    """Plays many look legs side by side; `act` takes those whose turn it is."""

    def __init__(self, finder: Finder, views: Views, spots: Sequence[int], heat: bool = True) -> None:
        self.finder, self.looker, self.views, self.way, self.heat = finder, finder.looker, views, finder.way, heat
        self.players = [Player(spot) for spot in spots]
        some = next(self.looker.parameters())
        like = torch.empty(0, device=some.device, dtype=views.dtype)
        self.memory = Memory.empty(self.looker.sphere, len(spots), self.looker.config.channels, like)

    @torch.no_grad()
    def act(self, which: Sequence[int], observations: Sequence[Observation]) -> list[Action]:
        """The next action of some players."""
        acts: list[Action] = []
        for begin in range(0, len(which), BATCH):
            some = slice(begin, begin + BATCH)
            acts += self._act(list(which[some]), observations[some])
        return acts

    def _act(self, which: list[int], observations: Sequence[Observation]) -> list[Action]:
        seen = dict(zip(which, observations, strict=True))
        for k in which:
            if not self.players[k].told:
                self.players[k].queue.extend(around(seen[k], self.way))
        looking = [k for k in which if not self.players[k].queue or self.players[k].queue[0][1]]
        view = self._look(looking, seen)
        thinking = [n for n, k in enumerate(looking) if not self.players[k].queue]
        if thinking:
            self._think([looking[n] for n in thinking], view[torch.tensor(thinking, device=view.device)], seen)
        return [self._next(k, seen[k]) for k in which]

    def _look(self, which: list[int], seen: dict[int, Observation]) -> Tensor:
        """Views of players, remembered."""
        looks = np.array([[seen[k]["heading"], seen[k]["pitch"]] for k in which]).reshape(-1, 2)
        numbers = np.array([self.players[k].spot for k in which], np.int64)
        view = self.views(numbers, looks)
        if which:
            at = torch.tensor(which, device=view.device)
            look = torch.from_numpy(looks).to(view.device, torch.float32)
            self.memory.put(at, self.memory.some(at).and_view(self.looker.sphere, view, look))
        return view

    def _next(self, k: int, seen: Observation) -> Action:
        player = self.players[k]
        action, _ = player.queue.popleft()
        if not player.told:
            player.told.append(seen["text"])  # it looks around before it reads on
        if action == "next":
            player.began, player.steps = None, 0
        return action

    def _think(self, which: list[int], view: Tensor, seen: dict[int, Observation]) -> None:
        """Fills the queues of players who have to decide."""
        looks = np.array([[seen[k]["heading"], seen[k]["pitch"]] for k in which])
        for k, look in zip(which, looks, strict=True):
            player = self.players[k]
            if player.began is None:
                # Before the first sentence one has looked around, at nothing of which anything was said.
                player.began = float(look[0]), float(look[1]) if seen[k]["sentence"] else 90.0
                player.told[seen[k]["sentence"] :] = [seen[k]["text"]]
        device = view.device
        look = torch.from_numpy(looks).to(device, torch.float32)
        focus = torch.tensor([self.players[k].began for k in which], device=device)
        told = read_told(self.finder.vocabulary, [self.players[k].told for k in which], device)
        with torch.autocast(device.type, torch.bfloat16, device.type == "cuda"):
            belief = self.looker(told, self.memory.some(torch.tensor(which, device=device)), focus)
            turns = self.looker.turned(belief, look).argmax(1).tolist()
        best = self.looker.best(belief).cpu().numpy()
        done = [
            n for n, k in enumerate(which) if self._arrives(self.players[k], TURNS[turns[n]], seen[k]["turn_degrees"])
        ]
        for n, k in enumerate(which):
            if n not in done:
                self.players[k].queue.append(
                    (_direction(best[n]) if self.way == CONTINUOUS else TURNS[turns[n]], False)
                )
        if done:
            at = torch.tensor(done, device=device)
            answers = self._answers(belief.some(at), view[at], look[at])
            for n, answer in zip(done, answers, strict=True):
                seen_now = seen[which[n]]
                last = seen_now["sentence"] + 1 == seen_now["sentences"]
                if not last and isinstance(answer, Guess):
                    answer = answer.direction
                points = last or self.way == CONTINUOUS
                self.players[which[n]].queue.extend([(answer, False)] * points + [("next", False)])

    def _arrives(self, player: Player, turn: str, degrees: float) -> bool:
        """Whether a player has turned to where the sentence leads, as far as one knows."""
        player.steps += 1
        if self.way == CONTINUOUS:
            return player.steps > 1
        return turn == "next" or player.steps > FARTHEST / degrees

    def _answers(self, belief: Belief, view: Tensor, look: Tensor) -> list[Action]:
        """Where players point in their views."""
        with torch.autocast(look.device.type, torch.bfloat16, look.device.type == "cuda"):
            pointed = self.looker.pointed(belief, view, look)
        spots = [_direction(one) for one in self.looker.best_of_view(pointed, look).cpu().numpy()]
        if not self.heat:
            return list(spots)
        return [Guess(one, Heat.of(heat)) for one, heat in zip(spots, self._heats(pointed, look), strict=True)]

    def _heats(self, pointed: Tensor, look: Tensor) -> npt.NDArray[np.float32]:
        """(n, rows, columns) heat maps of the sphere: each cell's best spot of the view."""
        columns, rows = HEAT
        ways = self.looker.view_ways(look).flatten(1, 2)
        chance = torch.softmax(pointed.flatten(1), 1)
        column = ((ways[..., 0] + 180.0) % 360.0 / 360.0 * columns).long().clamp(0, columns - 1)
        row = ((90.0 - ways[..., 1]) / 180.0 * rows).long().clamp(0, rows - 1)
        maps = torch.zeros(len(look), rows * columns, device=look.device)
        maps.scatter_reduce_(1, row * columns + column, chance, "amax")
        return maps.reshape(-1, rows, columns).cpu().numpy()


def around(seen: Observation, way: str) -> list[tuple[Action, bool]]:
    """The actions of looking around once, from wherever one looks; each but the first comes after a look."""
    apart = 360.0 / GLANCES
    if way == CONTINUOUS:
        ways = [Direction(seen["heading"] + k * apart, 0.0) for k in range(GLANCES)]
        return [(one, True) for one in ways]
    level, all_around = round(seen["pitch"] / seen["turn_degrees"]), max(1, round(360.0 / seen["turn_degrees"]))
    steps = max(1, round(apart / seen["turn_degrees"]))
    acts: list[tuple[Action, bool]] = [("down" if level > 0 else "up", k == 0) for k in range(abs(level))]
    return acts + [("right", k % steps == 0) for k in range(all_around)]


def _direction(look: npt.NDArray[np.float32]) -> Direction:
    return Direction(float(look[0]), float(np.clip(look[1], -90.0, 90.0)))

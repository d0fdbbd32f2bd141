"""Environments of ArraMon with pictures and a policy: every step renders, sees, reads and chooses.

Players are in all four legs at once, each at a step of its own: both modules of V/L act, each on its own players, and
the state of a player begins anew with every leg. Weights are random; the choice is biased towards steps and turns, so
that legs last as long as real ones. The same code runs on a CPU.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bearleft.bench.arramon.bench import ACTION_SHARES
from bearleft.envs.arramon.pictures import batch_viewpoints
from bearleft.envs.arramon.tasks import LEGS
from bearleft.envs.arramon.vector import VectorArraMon
from bearleft.models.arramon.network import ASSEMBLE, COLLECT, NO_ACTION, ArraMonShape, Steps
from bearleft.models.arramon.registry import arramon_spec
from bearleft.models.arramon.rollout import Texts
from bearleft.models.arramon.views import ViewMaps
from bearleft.models.backbones.registry import load_backbone
from bearleft.models.vocabulary import Vocabulary
from bearleft.models.walking.network import EncodedText
from bearleft.records import Episode

NETWORK = "arramon-vl"
PARTS = ("step", "view", "policy")


class PolicyPlayers:
    """Environments whose actions a network chooses.

    Args:
        episodes: Tasks of one world that players draw from.
        count: Environments.
        device: Where pictures are rendered and the network computes.
        image_size: Pixels a side of a picture.
        backbone: The backbone.
        seed: Seed of weights, tasks and actions.
    """

    def __init__(
        self,
        episodes: Sequence[Episode],
        count: int,
        device: str,
        image_size: int = 224,
        backbone: str = "city",
        seed: int = 0,
    ) -> None:
        self.envs, self.device, self.rng = (
            VectorArraMon(episodes, count),
            torch.device(device),
            np.random.default_rng(seed),
        )
        self.views = ViewMaps(self.envs.world, load_backbone(backbone, device), device, 7, image_size)
        vocabulary = Vocabulary.from_texts(leg.text for episode in episodes for leg in episode.legs)
        spec = arramon_spec(NETWORK)
        config = spec.make_config({"shape": ArraMonShape(len(vocabulary), self.views.channels, 7)})
        self.network = spec.build(config, seed).to(self.device).eval()
        with torch.no_grad():
            for phase in (COLLECT, ASSEMBLE):
                shares = torch.tensor(ACTION_SHARES, device=self.device)
                self.network.module(phase).output.bias.copy_(shares.log())  # type: ignore[operator, union-attr]
        texts = Texts.build(episodes, vocabulary, self.device)
        self.text = [self._encode(texts, phase) for phase in (COLLECT, ASSEMBLE)]
        self.state = torch.zeros(2, count, config.hidden_dim, device=self.device)
        self.previous = torch.full((count,), NO_ACTION, device=self.device)
        self.seconds = dict.fromkeys(PARTS, 0.0)

    @torch.no_grad()
    def _encode(self, texts: Texts, phase: int) -> EncodedText:
        """Return all texts (tasks x LEGS, l) as a module reads them; it is given those of its own phase only."""
        words, lengths = texts.words.flatten(0, 1), texts.lengths.flatten().to(self.device)
        return self.network.encode(words, lengths, phase)

    def reset(self) -> None:
        """Begin a random task in every environment."""
        self.envs.reset(self.rng.integers(len(self.envs.episodes), size=len(self.envs)))
        self._begin(np.ones(len(self.envs), np.bool_))

    def _begin(self, mask: Any) -> None:
        """Begin a leg for the players of a mask."""
        chosen = torch.from_numpy(np.flatnonzero(mask)).to(self.device)
        self.state[:, chosen] = 0.0
        self.previous[chosen] = NO_ACTION

    @torch.no_grad()
    def step(self) -> None:
        """Choose and take an action everywhere; environments that end begin another task."""
        begin, envs = self._now(), self.envs
        maps = self.views(batch_viewpoints(envs.tasks, envs.state, envs.world))
        seen = self._now()
        actions = self.choose(maps)
        codes = actions.cpu().numpy()
        chosen = self._now()
        episode, leg = envs.state.episode.copy(), envs.state.leg.copy()
        envs.step(codes)
        ended = envs.state.ended.copy()
        if ended.any():
            envs.reset(self.rng.integers(len(envs.episodes), size=int(ended.sum())), ended)
        self.previous = actions
        self._begin(ended | (envs.state.leg != leg) | (envs.state.episode != episode))
        self.seconds["step"] += self._now() - chosen
        self.seconds["view"] += seen - begin
        self.seconds["policy"] += chosen - seen

    def choose(self, maps: Tensor) -> Tensor:
        """Return a drawn action of every player, by what it sees (n, channels, rows, rows)."""
        state = self.envs.state
        out = torch.empty(len(self.envs), dtype=torch.int64, device=self.device)
        for phase in (COLLECT, ASSEMBLE):
            rows = np.flatnonzero(state.leg % 2 == phase)
            if not len(rows):
                continue
            indices = torch.from_numpy(rows).to(self.device)
            text = torch.from_numpy(state.episode[rows].astype(np.int64) * LEGS + state.leg[rows]).to(self.device)
            encoded = EncodedText(self.text[phase].tokens[text], self.text[phase].mask[text])
            poses = torch.zeros(len(rows), 1, 4, device=self.device)
            steps = Steps(self.previous[indices, None], poses, torch.zeros(1, dtype=torch.int64), maps[indices, None])
            hidden, cell = self.state[:, None, indices]
            policy = self.network(encoded, steps, phase, (hidden.contiguous(), cell.contiguous()))
            self.state[:, indices] = torch.stack([part[0] for part in policy.state])
            out[indices] = torch.multinomial(policy.log_probs[:, 0].exp(), 1)[:, 0]
        return out

    def _now(self) -> float:
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()


def time_policy(players: PolicyPlayers, rounds: int, steps: int = 8) -> dict[str, Any]:
    """Return steps per second with pictures and policy, and the milliseconds of each part of a step.

    Args:
        players: Environments that were reset.
        rounds: Timed rounds, of which the median counts; one more before them is not timed.
        steps: Steps of a round.
    """
    count, rates = len(players.envs), []
    for k in range(rounds + 1):
        if k == 1:
            players.seconds = dict.fromkeys(PARTS, 0.0)
        before = sum(players.seconds.values())
        for _ in range(steps):
            players.step()
        rates.append(count * steps / (sum(players.seconds.values()) - before))
    return {
        "row": f"{count:,} environments, {players.views.lens.width} x {players.views.lens.height}, policy {NETWORK}",
        "steps_per_second": round(median(rates[1:])),
        "slowest": round(min(rates[1:])),
        "fastest": round(max(rates[1:])),
        **{
            f"milliseconds_{part}": round(1000 * spent / (rounds * steps), 2) for part, spent in players.seconds.items()
        },
        "in_the_room": round(float((players.envs.state.leg % 2).mean()), 3),
    }

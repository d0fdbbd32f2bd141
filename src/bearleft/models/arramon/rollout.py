"""Whole tasks that a network plays: many side by side in the vector environment, leg by leg.

Turn 2 starts where the walk of turn 1 ended, and the room keeps what was placed. A leg begins for all players at once:
those that ended it wait for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.envs.arramon.pictures import Viewpoints, batch_viewpoints
from bearleft.envs.arramon.tasks import LEGS
from bearleft.envs.arramon.vector import VectorArraMon
from bearleft.errors import InputError
from bearleft.models.arramon.legs import NO_LABEL, Codes
from bearleft.models.arramon.network import NO_ACTION, ArraMonNetwork, Policy, Steps, relative_poses
from bearleft.models.arramon.views import ViewMaps, take
from bearleft.models.vocabulary import Vocabulary, pad
from bearleft.records import Episode

LENGTH_STEP = 8  # tokens: lengths of batches are rounded up to a multiple
DIGITS = 3  # of the positions that players see from, as observations have them


@dataclass(frozen=True, eq=False)
class Texts:
    """The instructions of tasks as ids (n, LEGS, l), padded with 0, and their lengths (n, LEGS)."""

    words: Tensor
    lengths: Tensor

    @classmethod
    def build(cls, episodes: Sequence[Episode], vocabulary: Vocabulary, device: torch.device) -> Texts:
        """Encode the instructions of tasks."""
        rows, lengths = pad([vocabulary.encode(leg.text) for episode in episodes for leg in episode.legs])
        words = torch.from_numpy(rows).view(len(episodes), LEGS, -1).to(device)
        return cls(words, torch.from_numpy(lengths).view(len(episodes), LEGS))

    def batch(self, tasks: npt.ArrayLike, legs: npt.ArrayLike) -> tuple[Tensor, Tensor]:
        """Return the ids (b, l) and their numbers (b,) of some legs, on the device."""
        task, leg = (torch.from_numpy(np.asarray(values, np.int64)) for values in np.broadcast_arrays(tasks, legs))
        lengths = self.lengths[task, leg]
        longest = -(-int(lengths.max()) // LENGTH_STEP) * LENGTH_STEP
        device = self.words.device
        return self.words[task.to(device), leg.to(device), :longest], lengths.to(device)


class LegPlayer:
    """Legs of one phase that begin together, and the network's state along them."""

    def __init__(self, network: ArraMonNetwork, words: Tensor, lengths: Tensor, phase: int) -> None:
        self.network, self.phase, self.device = network, phase, words.device
        with torch.inference_mode():
            self.text = network.encode(words, lengths, phase)
        self.previous = torch.full((len(words), 1), NO_ACTION, device=self.device)
        self.start: Tensor | None = None  # camera of each player at the beginning
        self.state: object = None
        self.step = 0

    def act(self, cameras: npt.NDArray[np.float32], maps: Tensor | None, attention: bool = False) -> Policy:
        """Return the policy of the next step of all legs; `take_actions` goes on from there.

        Args:
            cameras: The cameras (b, 6) of the players.
            maps: Feature maps of their views (b, channels, rows, rows), for networks that see.
            attention: Whether attention weights are returned.
        """
        camera = torch.from_numpy(cameras.astype(np.float64))
        if self.start is None:
            self.start = camera
        poses = relative_poses(camera[:, None, :2], camera[:, None, 3], self.start[:, :2], self.start[:, 3])
        steps = Steps(
            self.previous,
            poses.to(self.device),
            torch.tensor([self.step], device=self.device),
            None if maps is None else maps[:, None],
        )
        with torch.inference_mode():
            policy: Policy = self.network(self.text, steps, self.phase, self.state, attention)
        self.state, self.step = policy.state, self.step + 1
        return policy

    def take_actions(self, codes: Tensor) -> None:
        """Note the actions (b,) that were taken."""
        self.previous = codes.to(self.device)[:, None].long()


def rounded(viewpoints: Viewpoints) -> Viewpoints:
    """Return viewpoints at positions to the millimetre, as observations have them."""
    poses = viewpoints.poses.copy()
    poses[:, :2] = np.round(poses[:, :2], DIGITS)
    return Viewpoints(poses, viewpoints.inside, viewpoints.objects, viewpoints.count)


def roll_out(
    network: ArraMonNetwork,
    players: VectorArraMon,
    episodes: npt.ArrayLike,
    texts: Texts,
    views: ViewMaps | None,
    given: Codes | None = None,
    sample: torch.Generator | None = None,
) -> Codes:
    """Let a network play tasks; return the codes of its actions (players, LEGS, t), NO_LABEL behind the ends.

    Args:
        network: The network, in evaluation mode.
        players: The environment, with the phase "all" and a player for each task.
        episodes: The number of each player's episode.
        texts: The instructions of all episodes.
        views: What players see; None for a blind network.
        given: Actions (players, LEGS, t) that are taken in the city instead of the network's own: perfect navigation.
        sample: Draws actions by their probabilities; by default the most probable one is taken.
    """
    if network.sees and views is None:
        raise InputError("views, for a network that sees", "none")
    chosen = np.asarray(episodes, np.int32)
    players.reset(chosen)
    state, count = players.state, len(players)
    out = np.full((count, LEGS, int(players.horizons.max())), NO_LABEL, np.int8)
    for leg in range(LEGS):
        phase = leg % 2
        is_given = given is not None and phase == 0
        player = None if is_given else LegPlayer(network, *texts.batch(chosen, leg), phase)
        for step in range(int(players.horizons[phase])):
            playing = (state.leg == leg) & ~state.ended
            if not playing.any():
                break
            if player is None:
                assert given is not None
                codes = np.where(playing, given[:, leg, min(step, given.shape[2] - 1)], 0).clip(min=0)
            else:
                codes = _choose(player, players, playing, views if network.sees else None, sample)
            out[playing, leg, step] = codes[playing]
            players.step(codes.astype(np.int64), playing)
    used = int((out != NO_LABEL).any(axis=(0, 1)).sum())
    return out[:, :, : max(used, 1)]


def _choose(
    player: LegPlayer,
    players: VectorArraMon,
    playing: npt.NDArray[np.bool_],
    views: ViewMaps | None,
    sample: torch.Generator | None,
) -> npt.NDArray[np.int64]:
    """Return the codes of all players' next actions; those of players who wait mean nothing."""
    viewpoints = rounded(batch_viewpoints(players.tasks, players.state, players.world))
    maps = None
    if views is not None:
        rows = np.flatnonzero(playing)
        seen = views(take(viewpoints, rows))
        maps = seen.new_zeros(len(players), *seen.shape[1:])
        maps[torch.from_numpy(rows).to(seen.device)] = seen
    policy = player.act(viewpoints.poses, maps)
    log_probs = policy.log_probs[:, 0]
    if sample is None:
        codes = log_probs.argmax(1).cpu()
    else:
        codes = torch.multinomial(log_probs.exp().cpu(), 1, generator=sample)[:, 0]
    player.take_actions(codes)
    return codes.numpy().astype(np.int64)

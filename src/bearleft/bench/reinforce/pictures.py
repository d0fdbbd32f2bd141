"""Walks in a city with pictures of 84 x 84 pixels: rollouts of RCONCAT with views rendered live or kept.

An untrained network stops after a few steps, so its stop is made improbable: walkers then walk up to the horizon.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from bearleft.bench.reinforce.sizes import Sizes
from bearleft.bench.reinforce.timing import GRAPH_WARMUP_CALLS, Call, Contender
from bearleft.bench.walking.inputs import make_episodes
from bearleft.envs.rewards import REWARDS, DistanceTable, WalkRewards
from bearleft.envs.rewards.tracking import VectorWalkTracker
from bearleft.envs.vector import VectorReach
from bearleft.models.walking.examples import NO_LABEL, StepReader, WalkTable, build_walks
from bearleft.models.walking.live_views import LiveRgbViews
from bearleft.models.walking.network import WalkShape
from bearleft.models.walking.registry import WALK_NETWORKS
from bearleft.models.walking.rollout import Walks, roll_out
from bearleft.models.walking.states import StateTable
from bearleft.models.walking.views import RGB_SIDE, RgbViews, Views
from bearleft.training.cuda_graphs import GraphedStep
from bearleft.training.walking.loop import make_tokenizer
from bearleft.world.city.city import open_city
from bearleft.world.graphs.transitions import STOP

NETWORK, REWARD = "rconcat", "fidelity"
PICTURES = "pictures"
LIVE, NO_SHADOWS, KEPT = "views rendered live", "views rendered live, no shadows", "views kept"
STOP_BIAS = -10.0  # of an untrained network, whose scores are near 0
TOLERANCE = 1e-6  # of rewards
SAME_BYTES = 0.999  # share of bytes of pictures that are the same, up to 1
CHECKED_VIEWS = 64


class PictureInputs:
    """Walks in a city, RCONCAT on RGB views, and the reward.

    Args:
        sizes: The sizes.
        device: Where everything lies.
    """

    def __init__(self, sizes: Sizes, device: torch.device) -> None:
        self.sizes, self.device, self.half = sizes, device, device.type == "cuda"
        self.episodes = make_episodes(sizes.city, "train", sizes.routes)
        walks = build_walks(self.episodes, sizes.horizon)
        self.graph = open_city(sizes.city).graph
        self.table = StateTable.build([self.graph], walks.starts, device)
        self.tokenizer = make_tokenizer(walks, False)
        self.examples = WalkTable.build(walks, self.table, self.tokenizer)
        spec = WALK_NETWORKS[NETWORK]
        shape = WalkShape(len(self.tokenizer), RGB_SIDE)
        self.network = spec.build(spec.make_config({"shape": shape, "rgb": True, **sizes.rconcat}), 0).to(device).eval()
        with torch.no_grad():
            self.network.get_parameter("output.bias")[STOP] = STOP_BIAS
        self.rewards = WalkRewards(REWARDS[REWARD], DistanceTable.build(self.table.places.graphs, device))
        self.max_length = self.examples.max_length(torch.arange(len(self.episodes)))

    @property
    def precision(self) -> str:
        """The network's precision."""
        return "bfloat16" if self.half else "float32"

    def indices(self, count: int) -> Tensor:
        """Return the numbers of episodes, repeated if there are fewer."""
        return torch.arange(count, device=self.device) % len(self.episodes)

    @cached_property
    def live(self) -> LiveRgbViews:
        """Views that are rendered when they are seen."""
        return LiveRgbViews(self.table.places, self.device)

    @cached_property
    def live_without_shadows(self) -> LiveRgbViews:
        """The same without shadows."""
        return LiveRgbViews(self.table.places, self.device, shadows=False)

    @cached_property
    def states(self) -> Tensor:
        """All states that walkers can come to."""
        reached = torch.zeros_like(self.table.place, dtype=torch.bool)
        reached[self.examples.starts] = True
        for _ in range(self.sizes.horizon):
            reached[self.table.next_state[reached]] = True
        return reached.nonzero()[:, 0]

    @cached_property
    def kept(self) -> RgbViews:
        """Views of these states, rendered before."""
        views, (places, headings) = RgbViews(self.table.places, self.device), self.poses
        views.prepare(places.cpu().numpy(), headings.cpu().numpy().astype(np.float64))
        return views

    @property
    def poses(self) -> tuple[Tensor, Tensor]:
        """The places and headings of these states."""
        return self.table.place[self.states], self.table.heading[self.states]

    def rollouts(self, form: str, walkers: int, graph: bool) -> PictureRollouts:
        """Return rollouts with views of a form."""
        views: dict[str, str] = {LIVE: "live", NO_SHADOWS: "live_without_shadows", KEPT: "kept"}
        return PictureRollouts(self, getattr(self, views[form]), walkers, graph)

    def contenders(self) -> list[Contender]:
        """Return what is timed; graphs come last."""
        contenders, largest = [], max(self.sizes.live)
        chosen = [(form, walkers, False) for walkers in self.sizes.live for form in (LIVE, KEPT)]
        chosen.append((NO_SHADOWS, largest, False))
        if self.device.type == "cuda":
            chosen += [(form, walkers, True) for form in (KEPT, LIVE) for walkers in self.sizes.live]
        for form, walkers, graph in chosen:

            def make(form: str = form, walkers: int = walkers, graph: bool = graph) -> Call:
                return self.rollouts(form, walkers, graph)

            contenders.append(Contender(NETWORK, self.sizes.city, form, walkers, make, self.precision, graph))
        return contenders

    def check(self) -> None:
        """Raise RuntimeError where live views are not those that are kept, or walks not those of `VectorReach`."""
        every = -(-len(self.states) // CHECKED_VIEWS)
        places, headings = (values[::every] for values in self.poses)
        difference = (self.live(places, headings) - self.kept(places, headings)).abs() * 255.0
        if not float((difference < 1.5).float().mean()) >= SAME_BYTES:
            raise RuntimeError("views that are rendered live differ from those that are kept")
        for form in (LIVE, KEPT):
            self.check_walks(form, graph=False)

    def check_walks(self, form: str, graph: bool) -> None:
        """Raise RuntimeError where walks, as a graph replays them if there is one, are not those of `VectorReach`."""
        rollouts = self.rollouts(form, min(self.sizes.live), graph)
        for _ in range(GRAPH_WARMUP_CALLS if graph else 1):
            rollouts()
        check_walks(self, rollouts.indices.tolist(), rollouts.walked)


class PictureRollouts:
    """Walks of all walkers from the texts on, up to the horizon, and their rewards.

    Args:
        inputs: Walks and network.
        views: What walkers see.
        walkers: How many walk side by side.
        graph: Whether a CUDA graph replays the walks.
    """

    def __init__(self, inputs: PictureInputs, views: Views, walkers: int, graph: bool) -> None:
        self.inputs, self.indices = inputs, inputs.indices(walkers)
        self.reader = StepReader.make(inputs.network, inputs.table.places, views, inputs.device)
        self.step = GraphedStep(self._walk, walkers, inputs.device) if graph else self._walk
        self.walked: Walks

    @torch.no_grad()
    def _walk(self, indices: Tensor, max_length: int) -> Tensor:
        inputs, examples = self.inputs, self.inputs.examples
        with torch.autocast(inputs.device.type, torch.bfloat16, enabled=inputs.half):
            text = examples.encode(inputs.network, indices, max_length)
        self.walked = roll_out(
            inputs.network,
            self.reader,
            examples,
            indices,
            text,
            inputs.sizes.horizon,
            sample=True,
            half=inputs.half,
            rewards=inputs.rewards,
        )
        return (self.walked.actions != NO_LABEL).sum()

    def __call__(self) -> Tensor:
        """Let all walkers walk, and return the number of their steps."""
        return self.step(self.indices, self.inputs.max_length)


def check_walks(inputs: PictureInputs, numbers: Sequence[int], walked: Walks) -> None:
    """Raise RuntimeError where walks differ from those of `VectorReach` with the same actions, or their rewards do."""
    walkers = VectorReach(inputs.episodes, inputs.graph, len(numbers), walked.actions.shape[1])
    walkers.reset(np.array(numbers))
    tracker = VectorWalkTracker(REWARDS[REWARD], walkers)
    table, states = inputs.table, torch.cat([walked.states, walked.final[:, None]], 1)
    places, headings = table.place[states].cpu().numpy(), table.heading[states].cpu().numpy()
    assert walked.rewards is not None
    actions, rewards = walked.actions.cpu().numpy(), walked.rewards.cpu().numpy()
    for step in range(actions.shape[1] + 1):
        same = (walkers.places == places[:, step]) & np.isclose(walkers.observe().heading, headings[:, step], atol=1e-3)
        if not same.all():
            raise RuntimeError(f"step {step}: walker {int(np.argmin(same))} is elsewhere in the batch of a network")
        if step == actions.shape[1]:
            break
        running = ~walkers.ended
        if not np.array_equal(running, actions[:, step] != NO_LABEL):
            raise RuntimeError(f"step {step}: other walkers have stopped in the batch of a network")
        expected = tracker.step(*walkers.step(np.where(running, actions[:, step], STOP)))
        if not np.allclose(np.where(running, expected, 0.0), rewards[:, step], rtol=0, atol=TOLERANCE):
            raise RuntimeError(f"step {step}: rewards differ from those of VectorReach")

"""Walks along links without pictures: rollouts and updates of the panoramic network, checks, and a plain loop.

An untrained network stops after a few steps, so its stop is made improbable: walkers then walk up to the horizon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from bearleft.bench.reinforce.sizes import FALLBACK, Sizes
from bearleft.bench.reinforce.timing import GRAPH_WARMUP_CALLS, LOOP, Call, Contender
from bearleft.data import load
from bearleft.envs.rewards import REWARDS, DistanceTable, WalkRewards
from bearleft.envs.rewards.tracking import WalkTracker
from bearleft.errors import InputError
from bearleft.models.draw import draw
from bearleft.models.panoramic.examples import build_panoramic_walks
from bearleft.models.panoramic.links import STOP, LinkTable, Observation
from bearleft.models.panoramic.network import PanoramicNetwork
from bearleft.models.panoramic.rollout import Rollout, taken, walk
from bearleft.models.walking.examples import open_graphs
from bearleft.records import Episode
from bearleft.training.cuda_graphs import GraphedStep
from bearleft.training.distributed import ProcessGroup
from bearleft.training.history import no_report
from bearleft.training.reinforcement.config import ReinforceConfig
from bearleft.training.reinforcement.loop import ReinforceTrainer
from bearleft.training.reinforcement.train import spread
from bearleft.types import DataFolder

NETWORK, REWARD = "panoramic", "fidelity"
ROLLOUTS, UPDATES = "rollouts", "updates"
PRECISIONS = ("float32", "bfloat16")
CHECKED = 64  # walks that are walked again, one at a time
TOLERANCE = 1e-6  # of rewards
STILL = 1e-9  # a learning rate that changes nothing, so that walks keep their lengths
STOP_SCORE = 8.0  # by about how much less the stop scores than a link


class LinkInputs:
    """Walks of a dataset, and a trainer of the panoramic network on them.

    Args:
        sizes: The sizes.
        device: Where everything lies.
        folder: A folder for the trainer.
        data: The folder of real datasets; without R4R there, walks of a generated street graph are taken.
    """

    def __init__(self, sizes: Sizes, device: torch.device, folder: Path, data: DataFolder) -> None:
        self.sizes, self.device = sizes, device
        self.dataset, self.missing = sizes.dataset, ""
        try:
            episodes = load(sizes.dataset, data)
        except InputError as error:
            self.dataset, self.missing, episodes = FALLBACK, str(error), load(FALLBACK, data)
        short = [episode for episode in episodes if len(episode.legs[0].text.split()) <= sizes.max_words]
        self.episodes = spread(short, sizes.walks)
        walks = build_panoramic_walks(self.episodes, data)
        links = LinkTable.build(open_graphs(walks.worlds, data), device)
        config = ReinforceConfig(
            reward=REWARD, learning_rate=STILL, horizon=sizes.options, overrides=dict(sizes.panoramic)
        )
        validation = walks.subset(np.arange(1))
        self.trainer = ReinforceTrainer(config, walks, validation, links, ProcessGroup(), folder, no_report)
        keep_walking(self.trainer.network)
        self.max_length = self.trainer.examples.max_length(torch.arange(len(walks)))

    def indices(self, count: int) -> Tensor:
        """Return the numbers of episodes, repeated if there are fewer."""
        return torch.arange(count, device=self.device) % len(self.episodes)

    def check(self) -> None:
        """Raise RuntimeError where rollouts are not the walks of single walkers; half of them follow the reference."""
        walkers, texts = self.sizes.rollouts[0]
        for precision in PRECISIONS:
            LinkRollouts(self, walkers, texts, precision, imitation=0.5).check()

    def contenders(self, parts: Sequence[str]) -> list[Contender]:
        """Return what is timed."""
        contenders, graph = [], self.device.type == "cuda"
        if LOOP in parts:
            count, form = self.sizes.loop_walkers, f"{LOOP}: environments on the CPU, a call for each step"
            contenders.append(Contender(NETWORK, self.dataset, form, count, lambda: LinkLoop(self, count)))
        for precision in PRECISIONS:
            for walkers, texts in self.sizes.rollouts if ROLLOUTS in parts else ():

                def rollouts(walkers: int = walkers, texts: int = texts, precision: str = precision) -> Call:
                    return LinkRollouts(self, walkers, texts, precision)

                form = f"{ROLLOUTS}, {walkers // texts} to a text" if walkers > texts else ROLLOUTS
                contenders.append(Contender(NETWORK, self.dataset, form, walkers, rollouts, precision, graph))
            for walkers in self.sizes.updates if UPDATES in parts else ():

                def updates(walkers: int = walkers, precision: str = precision) -> Call:
                    return LinkUpdates(self, walkers, precision)

                contenders.append(Contender(NETWORK, self.dataset, UPDATES, walkers, updates, precision, graph))
        return sorted(contenders, key=lambda contender: contender.walkers)  # what may not fit comes last


def keep_walking(network: PanoramicNetwork) -> None:
    """Make the stop improbable, whatever the network reads."""
    size = network.config.link_dim
    with torch.no_grad():
        network.choice.bias.fill_(2.0 / size**0.5)
        network.stop.fill_(-STOP_SCORE / 2.0 / size**0.5)


class LinkRollouts:
    """Walks of all walkers from the texts on, up to the horizon; on a GPU one CUDA graph replays them."""

    def __init__(
        self, inputs: LinkInputs, walkers: int, texts: int, precision: str = "float32", imitation: float = 0.0
    ) -> None:
        self.inputs, self.trainer = inputs, inputs.trainer
        self.half, self.imitation = precision == "bfloat16", imitation
        self.share = walkers // texts
        self.indices = inputs.indices(texts)
        self.step = GraphedStep(self._walk, texts, inputs.device) if inputs.device.type == "cuda" else self._walk
        self.rollout: Rollout

    @torch.no_grad()
    def _walk(self, indices: Tensor, max_length: int) -> Tensor:
        trainer = self.trainer
        trainer.network.eval()
        with torch.autocast(indices.device.type, torch.bfloat16, enabled=self.half):
            text = trainer.examples.encode(trainer.network, indices, max_length)
        episodes = indices.repeat_interleave(self.share)
        imitate = torch.rand(len(episodes), device=indices.device) < self.imitation if self.imitation else None
        self.rollout = walk(
            trainer.network,
            trainer.examples,
            episodes,
            text,
            trainer.horizon,
            trainer.rewards,
            sample=True,
            imitate=imitate,
            half=self.half,
        )
        return self.rollout.running.sum()

    def __call__(self) -> Tensor:
        """Let all walkers walk, and return the number of their steps."""
        return self.step(self.indices, self.inputs.max_length)

    def check(self) -> None:
        """Raise RuntimeError where walks are not those of single walkers, with the rewards of Gymnasium's wrappers."""
        for _ in range(GRAPH_WARMUP_CALLS if self.inputs.device.type == "cuda" else 1):
            self()  # the last one replays the graph
        numbers = self.indices.repeat_interleave(self.share).tolist()
        check_walks(self.rollout, [self.inputs.episodes[k] for k in numbers[:CHECKED]], self.trainer.links)


def check_walks(rollout: Rollout, episodes: Sequence[Episode], links: LinkTable) -> None:
    """Raise RuntimeError where the first walks differ from those of walkers who step alone in the graphs."""
    tracker, index = WalkTracker(REWARDS[REWARD]), links.places
    graphs = {graph.name: graph for graph in index.graphs}
    places = torch.cat([rollout.places, rollout.final[:, None]], 1)[: len(episodes)].tolist()
    options, rewards = rollout.options[: len(episodes)].tolist(), rollout.rewards[: len(episodes)].tolist()
    running, horizon = rollout.running[: len(episodes)].tolist(), rollout.options.shape[1]
    for row, episode in enumerate(episodes):
        graph = graphs[episode.world]
        place, first = graph.place_index(str(episode.start.place)), index.offsets[graph.name]
        tracker.begin(episode, graph, place)
        for step in range(horizon):
            if not running[row][step]:
                break
            option = options[row][step]
            if option != STOP:
                place = int(graph.target[graph.link_offsets[place] + option - 1])
            reward = tracker.step(place, option == STOP, option != STOP and step == horizon - 1)
            if places[row][step + 1] != first + place or not abs(rewards[row][step] - reward) <= TOLERANCE:
                got = f"({places[row][step + 1] - first}, {rewards[row][step]:g})"
                raise RuntimeError(
                    f"episode {episode.id}, step {step}: ({place}, {reward:g}) alone, {got} in the batch"
                )


class LinkUpdates:
    """Updates of the trainer: half of the walks are sampled, half along the reference, and all are learned from."""

    def __init__(self, inputs: LinkInputs, walkers: int, precision: str) -> None:
        self.inputs, self.trainer = inputs, inputs.trainer
        config = self.trainer.config = replace(inputs.trainer.config, precision=precision)
        self.indices = inputs.indices(walkers)
        update, device = self.trainer.updates.update, inputs.device
        self.step = GraphedStep(update, walkers, device) if device.type == "cuda" else update
        once = LinkRollouts(inputs, walkers, walkers, precision, config.imitation)
        self.steps = once._walk(self.indices, inputs.max_length)  # of each update, up to chance

    def __call__(self) -> Tensor:
        """Update once, and return the number of steps walked."""
        self.step(self.indices, self.inputs.max_length)
        return self.steps


class LinkLoop:
    """The peer: at each step observations are copied to the network's device, and its choices back.

    Environments are stepped in numpy, all walkers at once.
    """

    def __init__(self, inputs: LinkInputs, walkers: int) -> None:
        self.inputs, self.trainer = inputs, inputs.trainer
        self.links = LinkTable.build(inputs.trainer.links.places.graphs, torch.device("cpu"))
        self.rewards = WalkRewards(REWARDS[REWARD], DistanceTable.build(self.links.places.graphs))
        self.indices = inputs.indices(walkers)

    @torch.no_grad()
    def __call__(self) -> int:
        """Let all walkers walk, and return the number of their steps."""
        trainer, examples, device = self.trainer, self.trainer.examples, self.inputs.device
        trainer.network.eval()
        text = examples.encode(trainer.network, self.indices, self.inputs.max_length)
        tensors = (getattr(examples, name)[self.indices].cpu() for name in ("places", "headings"))
        place, heading = tensors
        arrays = (getattr(examples, name)[self.indices].cpu().numpy() for name in ("worlds", "routes", "sizes"))
        world, routes, sizes = arrays
        walks = self.rewards.start(world, self.links.place_in_world(place).numpy(), routes, sizes)
        running, steps = np.ones(len(place), np.bool_), 0
        previous, state = None, None
        for step in range(trainer.horizon):
            observed = self.links.observe(place[:, None], heading[:, None])
            observation = Observation(observed.options.to(device), observed.mask.to(device))
            if previous is None:
                previous = torch.zeros_like(observation.options[:, :, 0])
            policy = trainer.network(text, observation, previous, state)
            state, drawn = policy.state, draw(policy.log_probs[:, 0])
            previous = taken(observation, drawn[:, None])
            option = torch.where(torch.from_numpy(running), drawn.cpu(), STOP)
            place, heading = self.links.step(place, heading, option)
            stopped = running & (option.numpy() == STOP)
            timed_out = running & ~stopped & (step == trainer.horizon - 1)
            walks, _ = self.rewards.step(walks, self.links.place_in_world(place).numpy(), stopped, timed_out)
            steps += int(running.sum())
            running = running & ~stopped
            if not running.any():
                break
        return steps

"""The agent of a walking network: thousands of walks side by side, each step with what the network computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bearleft.agents.checkpoints import DEFAULT_OPTIONS, CheckpointOptions, FilePath, checkpoint_label, load_checkpoint
from bearleft.agents.walking_groups import GroupedWalker, WalkGroup
from bearleft.envs.game import Action, Decision
from bearleft.errors import InputError
from bearleft.types import DataFolder, Observation
from bearleft.world.graphs.transitions import ACTIONS
from bearleft.world.worlds import open_world

if TYPE_CHECKING:  # torch is imported when a checkpoint is loaded
    from bearleft.models.backbones.registry import Backbone
    from bearleft.models.walking.checkpoint import WalkCheckpoint
    from bearleft.models.walking.examples import StepReader
    from bearleft.models.walking.states import PlaceIndex

CPU_BATCH, GPU_BATCH = 64, 2048  # episodes per batch
VIEW_SECTORS = 16  # of the attention over views in traces


class WalkAgent(GroupedWalker):
    """Play reach legs by the actions that a network chooses.

    Args:
        checkpoint: The network.
        backbone: The backbone of its views, if it reads features.
        device: Where it computes.
        options: Where pictures and features come from.
        label: The agent's name in traces.
        explain: Whether traces hold the probabilities of actions and the attention of each step.
    """

    name = "walker"

    def __init__(
        self,
        checkpoint: WalkCheckpoint,
        backbone: Backbone | None,
        device: str,
        options: CheckpointOptions = DEFAULT_OPTIONS,
        label: str = "",
        explain: bool = True,
    ) -> None:
        super().__init__()
        self.checkpoint, self.backbone, self.device, self.options = checkpoint, backbone, device, options
        self.label, self.explain = label or checkpoint.name, explain
        self.auto_turn = checkpoint.auto_turn
        self.batch_size = GPU_BATCH if device.startswith("cuda") else CPU_BATCH
        self.places: PlaceIndex | None = None
        self.reader: StepReader | None = None

    @classmethod
    def from_checkpoint(cls, file: FilePath, options: CheckpointOptions = DEFAULT_OPTIONS) -> WalkAgent:
        """Load the agent of a checkpoint file."""
        import torch

        from bearleft.models.device import check_torch_device
        from bearleft.models.walking.cells import encoder_hash
        from bearleft.models.walking.checkpoint import WalkCheckpoint
        from bearleft.models.walking.network import CELLS

        if options.network is not None:
            raise InputError(
                "no network file: walking networks are bearleft's", str(options.network), "network", str(file)
            )
        device = str(check_torch_device(options.device or ("cuda" if torch.cuda.is_available() else "cpu")))
        checkpoint = WalkCheckpoint.load(file, device)
        if checkpoint.backbone:
            loaded = load_checkpoint(file, lambda _file, _device: checkpoint, options)
            if checkpoint.network.views == CELLS and encoder_hash(loaded.backbone) != checkpoint.cells_hash:
                hint = "It was trained with another version of bearleft; train it again."
                expected = f"the cell encoder that it was trained with ({checkpoint.cells_hash[:8] or 'none'})"
                got = encoder_hash(loaded.backbone)[:8] or "none"
                raise InputError(expected, got, file=str(file), hint=hint)
            return cls(checkpoint, loaded.backbone, device, options, loaded.label)
        return cls(checkpoint, None, device, options, checkpoint_label(file, options))

    def open_worlds(self, worlds: Iterable[str]) -> None:
        """Make places and views of some worlds available, besides those that already are."""
        import torch

        from bearleft.models.walking.examples import StepReader
        from bearleft.models.walking.states import PlaceIndex
        from bearleft.models.walking.views import open_views

        known = {} if self.places is None else dict.fromkeys(graph.name for graph in self.places.graphs)
        needed = known | dict.fromkeys(worlds)
        if self.reader is not None and needed.keys() == known.keys():
            return
        data: DataFolder = self.options.data
        self.places = PlaceIndex(tuple(open_world(world, data) for world in needed))
        network = self.checkpoint.network
        views = open_views(
            network.views,
            self.places,
            self.backbone,
            self.checkpoint.slicing,
            self.device,
            self.options.features,
            self.options.picture_config,
        )
        self.reader = StepReader.make(network, self.places, views, torch.device(self.device))

    def begin_group(self, worlds: Sequence[str], texts: Sequence[str]) -> WalkGroup:
        """Return walks that begin now."""
        return _Group(self, worlds, texts)


class _Group:
    """Walks of a walking network that began together."""

    def __init__(self, agent: WalkAgent, worlds: Sequence[str], texts: Sequence[str]) -> None:
        import torch

        from bearleft.models.walking.network import NO_ACTION

        self.agent, self.worlds = agent, worlds
        tokenizer, device = agent.checkpoint.tokenizer, torch.device(agent.device)
        self.spans = [tokenizer.spans(text) for text in texts]
        words, lengths = tokenizer.encode_batch(texts)
        network = agent.checkpoint.network
        with torch.inference_mode():
            self.text = network.encode(torch.from_numpy(words).to(device), torch.from_numpy(lengths).to(device))
        count = len(texts)
        self.state: Any = None
        self.step = 0
        self.place, self.heading = np.zeros(count, np.int64), np.zeros(count)
        self.before = np.zeros(count)
        self.previous = np.full(count, NO_ACTION, np.int64)

    def act(self, rows: Sequence[int], observations: Sequence[Observation]) -> list[Action]:
        """Return the actions of some of the walks; all of them are at the same step."""
        import torch

        agent = self.agent
        assert agent.places is not None and agent.reader is not None
        for row, observation in zip(rows, observations, strict=True):
            self.place[row] = agent.places.number(self.worlds[row], observation["place"])
            self.before[row] = observation["heading"] if self.step == 0 else self.heading[row]
            self.heading[row] = observation["heading"]
        if self.step == 0:
            missing = sorted(set(range(len(self.place))) - set(rows))
            self.place[missing] = self.place[rows[0]]
        if agent.reader.views is not None:
            agent.reader.views.prepare(self.place, self.heading)
        device = torch.device(agent.device)
        place, heading, before, previous = (
            torch.from_numpy(values).to(device)[:, None]
            for values in (self.place, self.heading.astype(np.float32), self.before.astype(np.float32), self.previous)
        )
        with torch.inference_mode():
            steps = agent.reader(place, heading, before, previous, self.step)
            policy = agent.checkpoint.network(self.text, steps, self.state, agent.explain)
        self.state, self.step = policy.state, self.step + 1
        probabilities = policy.probabilities().float().cpu().numpy().astype(np.float64)
        chosen = policy.choose().cpu().numpy()
        self.previous[list(rows)] = chosen[list(rows)]
        if not agent.explain:
            return [ACTIONS[chosen[row]] for row in rows]
        probabilities /= probabilities.sum(1, keepdims=True)
        words = None if policy.words is None else policy.words[:, 0].float().cpu().numpy()
        views = None if policy.views is None else _merge_sectors(policy.views[:, 0].float().cpu().numpy())
        return [
            Decision(
                ACTIONS[chosen[row]],
                probabilities[row],
                () if words is None else words[row, : len(self.spans[row])],
                () if words is None else self.spans[row],
                () if views is None else views[row],
            )
            for row in rows
        ]


def _merge_sectors(weights: Any) -> Any:
    """Return weights (n, VIEW_SECTORS) of weights (n, sectors), the first sector centred on the heading."""
    size = weights.shape[1] // VIEW_SECTORS
    return np.roll(weights, size // 2, 1).reshape(len(weights), VIEW_SECTORS, size).sum(2)

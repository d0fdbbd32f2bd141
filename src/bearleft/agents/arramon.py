"""The agent of a network of ArraMon: it collects and assembles, by what it sees and reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bearleft.agents.agent import unsupported_leg
from bearleft.agents.checkpoints import DEFAULT_OPTIONS, CheckpointOptions, FilePath, checkpoint_label
from bearleft.envs.game import Action, Decision
from bearleft.errors import InputError, format_value
from bearleft.records import Episode
from bearleft.types import Observation
from bearleft.world.arramon.moves import FORWARD, LEFT, PICK, PLACE, RIGHT
from bearleft.world.arramon.task_setup import CityItem, RoomItem
from bearleft.world.worlds import world_kind

if TYPE_CHECKING:  # torch is imported when a checkpoint is loaded, the renderer when something is seen
    from bearleft.envs.arramon.pictures import Viewpoints
    from bearleft.models.arramon.checkpoint import ArraMonCheckpoint
    from bearleft.models.arramon.views import ViewMaps
    from bearleft.models.backbones.base import Backbone

KINDS = ("collect", "assemble")  # of legs, by phase
NAMES = ((FORWARD, LEFT, RIGHT, PICK), (FORWARD, LEFT, RIGHT, PLACE))  # of actions, by phase
CPU_BATCH, GPU_BATCH = 32, 1024  # episodes per batch
VIEW_SECTORS, FOV = 24, 90.0  # of the attention over views in traces; degrees of a view


class ArraMonAgent:
    """Play ArraMon's tasks by the actions that a network chooses.

    Args:
        checkpoint: The network.
        backbone: The backbone of its views; None for a blind network.
        device: Where it computes.
        label: The agent's name in traces.
        explain: Whether traces hold the probabilities of actions and the attention of each step.
    """

    name = "arramon"

    def __init__(
        self,
        checkpoint: ArraMonCheckpoint,
        backbone: Backbone | None,
        device: str,
        label: str = "",
        explain: bool = True,
    ) -> None:
        self.checkpoint, self.backbone, self.device = checkpoint, backbone, device
        self.label, self.explain = label or checkpoint.name, explain
        self.batch_size = GPU_BATCH if device.startswith("cuda") else CPU_BATCH
        self.views: dict[str, ViewMaps] = {}  # by world
        self.episodes: list[Episode] = []
        self.groups: dict[int, tuple[_Group, int]] = {}  # by episode: its group, and its row there

    @classmethod
    def from_checkpoint(cls, file: FilePath, options: CheckpointOptions = DEFAULT_OPTIONS) -> ArraMonAgent:
        """Load the agent of a checkpoint file."""
        import torch

        from bearleft.models.arramon.checkpoint import ArraMonCheckpoint
        from bearleft.models.arramon.views import open_backbone
        from bearleft.models.device import check_torch_device

        for name in ("network", "features", "city", "pictures"):
            if (value := getattr(options, name)) not in (None, ()):
                expected = f"no {name}: a network of ArraMon sees what is rendered"
                raise InputError(expected, format_value(str(value)), name, str(file))
        device = str(check_torch_device(options.device or ("cuda" if torch.cuda.is_available() else "cpu")))
        checkpoint = ArraMonCheckpoint.load(file, device)
        backbone = None
        if checkpoint.backbone:
            backbone = open_backbone(str(options.backbone or checkpoint.backbone), device)
            if backbone.hash != checkpoint.backbone_hash:
                expected = (
                    f"the backbone that it was trained with, {checkpoint.backbone} ({checkpoint.backbone_hash[:8]})"
                )
                got, hint = f"{backbone.name} ({backbone.hash[:8]})", "Name its file with --backbone FILE."
                raise InputError(expected, got, file=str(file), hint=hint)
        return cls(checkpoint, backbone, device, checkpoint_label(file))

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        """Begin an episode that is played alone."""
        self.begin_batch([episode], [rng])

    def act(self, observation: Observation) -> Action:
        """Return the next action of an episode that is played alone."""
        return self.act_batch([0], [observation])[0]

    def begin_batch(self, episodes: Sequence[Episode], rngs: Sequence[np.random.Generator]) -> None:
        """Begin a batch of episodes."""
        self.episodes, self.groups = list(episodes), {}

    def act_batch(self, indices: Sequence[int], observations: Sequence[Observation]) -> list[Action]:
        """Return the next actions of some episodes of the batch."""
        by_episode = dict(zip(indices, observations, strict=True))
        for observation in observations:
            if observation["kind"] not in KINDS:
                raise unsupported_leg(self.name, observation["kind"])
        for phase, kind in enumerate(KINDS):
            new = [k for k in indices if by_episode[k]["kind"] == kind and by_episode[k]["step"] == 0]
            if new:
                group = _Group(self, phase, [by_episode[k]["text"] for k in new])
                self.groups |= {k: (group, row) for row, k in enumerate(new)}
        viewpoints = {k: self._viewpoint(k, by_episode[k]) for k in indices}
        maps = self._maps(viewpoints) if self.checkpoint.network.sees else {}
        actions: dict[int, Action] = {}
        for group in dict.fromkeys(self.groups[k][0] for k in indices):
            chosen = [k for k in indices if self.groups[k][0] is group]
            rows = [self.groups[k][1] for k in chosen]
            poses = np.concatenate([viewpoints[k].poses for k in chosen])
            decided = group.act(rows, poses, [maps[k] for k in chosen] if maps else None)
            actions |= dict(zip(chosen, decided, strict=True))
        return [actions[k] for k in indices]

    def _viewpoint(self, index: int, observation: Observation) -> Viewpoints:
        """Return what a player sees, as the vector environment has it."""
        from bearleft.envs.arramon.pictures import city_viewpoint, room_viewpoint
        from bearleft.models.arramon.rollout import rounded

        if observation["kind"] == "assemble":
            items = [RoomItem(item, tuple(cell)) for item, cell in observation["room_items"]]
            return rounded(room_viewpoint(tuple(observation["cell"]), observation["heading"], items))
        episode = self.episodes[index]
        origin = (0.0, 0.0)
        if world_kind(episode.world).from_release and episode.start.position is not None:
            origin = episode.start.position[:2]
        city_items = [CityItem(item, tuple(at), facing) for item, at, facing in observation["city_items"]]
        east, north, _ = observation["position"]
        return rounded(city_viewpoint((east, north), observation["heading"], city_items, origin))

    def _maps(self, viewpoints: dict[int, Viewpoints]) -> dict[int, Any]:
        """Return the feature maps of the views of players, rendered together for each world."""
        from bearleft.models.arramon.views import ViewMaps, join

        checkpoint, out = self.checkpoint, dict[int, Any]()
        assert self.backbone is not None
        by_world: dict[str, list[int]] = {}
        for k in viewpoints:
            by_world.setdefault(self.episodes[k].world, []).append(k)
        for world, members in by_world.items():
            if world not in self.views:
                rows = checkpoint.config.shape.rows
                self.views[world] = ViewMaps(world, self.backbone, self.device, rows, checkpoint.view_size)
            maps = self.views[world](join([viewpoints[k] for k in members]))
            out |= dict(zip(members, maps, strict=True))
        return out


class _Group:
    """Legs of one phase that began together; those that ended are computed on and ignored."""

    def __init__(self, agent: ArraMonAgent, phase: int, texts: Sequence[str]) -> None:
        import torch

        from bearleft.models.arramon.rollout import LegPlayer

        self.agent, self.phase, self.count = agent, phase, len(texts)
        vocabulary = agent.checkpoint.vocabulary
        words, lengths = vocabulary.encode_batch(texts)
        self.spans = [vocabulary.spans(text) for text in texts]
        device = torch.device(agent.device)
        network = agent.checkpoint.network
        self.player = LegPlayer(
            network, torch.from_numpy(words).to(device), torch.from_numpy(lengths).to(device), phase
        )
        self.poses = np.zeros((self.count, 6), np.float32)
        self.codes = torch.zeros(self.count, dtype=torch.int64)

    def act(self, rows: Sequence[int], poses: Any, maps: Sequence[Any] | None) -> list[Action]:
        """Return the actions of some of the legs; all of them are at the same step."""
        import torch

        self.poses[list(rows)] = poses
        seen = None
        if maps is not None:
            seen = maps[0].new_zeros(self.count, *maps[0].shape)
            seen[torch.tensor(list(rows), device=seen.device)] = torch.stack(list(maps))
        policy = self.player.act(self.poses, seen, self.agent.explain)
        log_probs = policy.log_probs[:, 0].float().cpu()
        codes = log_probs.argmax(1)
        self.player.take_actions(codes)
        names = [NAMES[self.phase][code] for code in codes.tolist()]
        if not self.agent.explain:
            return [names[row] for row in rows]
        probabilities = log_probs.exp().numpy().astype(np.float64)
        probabilities /= probabilities.sum(1, keepdims=True)
        words = None if policy.words is None else policy.words[:, 0].float().cpu().numpy()
        views = None if policy.views is None else to_sectors(policy.views[:, 0].float().cpu().numpy())
        return [
            Decision(
                names[row],
                probabilities[row],
                () if words is None else words[row, : len(self.spans[row])],
                () if words is None else self.spans[row],
                () if views is None else views[row],
            )
            for row in rows
        ]


def to_sectors(weights: Any) -> Any:
    """Return weights (n, VIEW_SECTORS) around the player of weights (n, rows, columns) of the cells of its view."""
    columns = weights.shape[2]
    across = ((np.arange(columns) + 0.5) / columns * 2 - 1) * np.tan(np.radians(FOV / 2))
    sectors = np.rint(np.degrees(np.arctan(across)) / (360 / VIEW_SECTORS)).astype(int) % VIEW_SECTORS
    out = np.zeros((len(weights), VIEW_SECTORS))
    for column, sector in enumerate(sectors):
        out[:, sector] += weights[:, :, column].sum(1)
    return out

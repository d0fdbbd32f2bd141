"""The agent of a panoramic network: it walks along links, by the ids of the places that they lead to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bearleft.agents.checkpoints import DEFAULT_OPTIONS, CheckpointOptions, FilePath, checkpoint_label
from bearleft.agents.walking_groups import GroupedWalker, WalkGroup
from bearleft.envs.game import Action
from bearleft.errors import InputError, format_value
from bearleft.types import Observation
from bearleft.world.worlds import open_world

if TYPE_CHECKING:  # torch is imported when a checkpoint is loaded
    from bearleft.models.panoramic.checkpoint import PanoramicCheckpoint
    from bearleft.models.panoramic.links import LinkTable

CPU_BATCH, GPU_BATCH = 128, 4096  # episodes per batch


class PanoramicAgent(GroupedWalker):
    """Play reach legs by the links that a network chooses.

    It looks along the link that it came by, whatever the environment's rule of junctions is, and stops after the
    horizon that it was trained with.

    Args:
        checkpoint: The network.
        device: Where it computes.
        options: Where datasets and features of pictures come from.
        label: The agent's name in traces.
    """

    name = "panoramic"

    def __init__(
        self,
        checkpoint: PanoramicCheckpoint,
        device: str,
        options: CheckpointOptions = DEFAULT_OPTIONS,
        label: str = "",
    ) -> None:
        super().__init__()
        self.checkpoint, self.device, self.options, self.label = checkpoint, device, options, label or self.name
        self.batch_size = GPU_BATCH if device.startswith("cuda") else CPU_BATCH
        self.links: LinkTable | None = None

    @classmethod
    def from_checkpoint(cls, file: FilePath, options: CheckpointOptions = DEFAULT_OPTIONS) -> PanoramicAgent:
        """Load the agent of a checkpoint file."""
        import torch

        from bearleft.models.device import check_torch_device
        from bearleft.models.panoramic.checkpoint import PanoramicCheckpoint

        for name in ("network", "backbone", "city", "pictures"):
            if getattr(options, name) not in (None, ()):
                raise InputError(
                    f"no {name}: a panoramic network has none", str(getattr(options, name)), name, str(file)
                )
        device = str(check_torch_device(options.device or ("cuda" if torch.cuda.is_available() else "cpu")))
        checkpoint = PanoramicCheckpoint.load(file, device)
        has_views = checkpoint.config.shape.view_dim > 0
        if has_views and options.features is None:
            hint = "Add --features FILE.tsv, with features of the same kind."
            raise InputError(
                "features of Matterport views, as in its training", "none", "features", str(file), hint=hint
            )
        if not has_views and options.features is not None:
            got = format_value(str(options.features))
            raise InputError("no features: it was trained without", got, "features", str(file))
        return cls(checkpoint, device, options, checkpoint_label(file))

    def open_worlds(self, worlds: Iterable[str]) -> None:
        """Make the links of some worlds available, besides those that already are."""
        import torch

        from bearleft.models.panoramic.links import LinkTable
        from bearleft.models.panoramic.views import read_views
        from bearleft.models.walking.states import PlaceIndex

        known = {} if self.links is None else dict.fromkeys(graph.name for graph in self.links.places.graphs)
        needed = known | dict.fromkeys(worlds)
        if self.links is not None and needed.keys() == known.keys():
            return
        graphs, device = tuple(open_world(world, self.options.data) for world in needed), torch.device(self.device)
        features, view_dim = self.options.features, self.checkpoint.config.shape.view_dim
        views = None if features is None else read_views(features, PlaceIndex(graphs), device)
        if views is not None and views.dim != view_dim:
            raise InputError(f"{view_dim} values for each view, as in training", str(views.dim), file=str(features))
        self.links = LinkTable.build(graphs, device, views)

    def begin_group(self, worlds: Sequence[str], texts: Sequence[str]) -> WalkGroup:
        """Return walks that begin now."""
        return _Group(self, worlds, texts)


class _Group:
    """Walks of a panoramic network that began together."""

    def __init__(self, agent: PanoramicAgent, worlds: Sequence[str], texts: Sequence[str]) -> None:
        import torch

        self.agent, self.worlds = agent, worlds
        words, lengths = agent.checkpoint.vocabulary.encode_batch(texts)
        self.device = torch.device(agent.device)
        with torch.inference_mode():
            self.text = agent.checkpoint.network.encode(
                torch.from_numpy(words).to(self.device), torch.from_numpy(lengths).to(self.device)
            )
        self.place = torch.zeros(len(texts), dtype=torch.int64)
        self.heading = torch.zeros(len(texts))
        self.previous: Any = None
        self.state: Any = None
        self.step = 0

    def act(self, rows: Sequence[int], observations: Sequence[Observation]) -> list[Action]:
        """Return the actions of some of the walks; all of them are at the same step."""
        import torch

        from bearleft.models.panoramic.links import STOP
        from bearleft.models.panoramic.rollout import taken

        links, checkpoint = self.agent.links, self.agent.checkpoint
        assert links is not None
        if self.step >= checkpoint.horizon:
            return ["stop"] * len(rows)
        for row, observation in zip(rows, observations, strict=True):
            self.place[row] = links.places.number(self.worlds[row], observation["place"])
            if self.step == 0:
                self.heading[row] = observation["heading"]
        place, heading = self.place.to(self.device), self.heading.to(self.device)
        with torch.inference_mode():
            seen = links.observe(place[:, None], heading[:, None])
            previous = torch.zeros_like(seen.options[:, :, 0]) if self.previous is None else self.previous
            policy = checkpoint.network(self.text, seen, previous, self.state)
            option = policy.log_probs[:, 0].argmax(1)
            self.previous, self.state, self.step = taken(seen, option[:, None]), policy.state, self.step + 1
            target, heading = links.step(place, heading, option)
        self.heading = heading.cpu()
        options, targets, places = option.tolist(), target.tolist(), links.places
        graphs = {graph.name: graph for graph in places.graphs}
        return [
            "stop"
            if options[row] == STOP
            else graphs[self.worlds[row]].ids[targets[row] - places.offsets[self.worlds[row]]]
            for row in rows
        ]

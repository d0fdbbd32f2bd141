"""Inputs of the benchmark of walking networks: routes of a generated city, and what walkers see there."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from bearleft.data import load
from bearleft.generate.splits import RouteSampler
from bearleft.models.backbones.registry import Backbone, load_backbone
from bearleft.models.walking.examples import WalkExamples, build_walks
from bearleft.models.walking.network import WalkShape
from bearleft.models.walking.registry import WALK_NETWORKS
from bearleft.models.walking.states import StateTable
from bearleft.models.walking.views import FeatureViews
from bearleft.records import Direction, Episode, Leg, Pose, Reach
from bearleft.training.distributed import ProcessGroup
from bearleft.training.history import no_report
from bearleft.training.walking.config import HORIZON, TEST_HORIZON, WalkTrainConfig
from bearleft.training.walking.hogwild import HogwildTrainer
from bearleft.training.walking.loop import WalkTrainer
from bearleft.world.city.city import open_city
from bearleft.world.slices import PAPER, Slicing

TEXTS = "city/touchdown/small"  # instructions, repeated: generating others takes minutes
BACKBONE = "city"
TrainerT = TypeVar("TrainerT", bound=WalkTrainer)
VALIDATION = 4  # walks that a trainer needs and the benchmark does not


@dataclass(frozen=True)
class WalkSizes:
    """Sizes of what is timed."""

    world: str = "city/0/8x40"
    slicing: Slicing = PAPER
    walks: int = 1024  # to train on
    horizon: int = HORIZON
    batch_size: int = 256  # beside each network's own; 0 for none
    client_walks: int = 16  # of each HOGWILD! client in a round
    round_seconds: float = 1.0
    episodes: int = 1409  # of an evaluation, as many as Touchdown's test split has
    eval_horizon: int = TEST_HORIZON
    warmup_places: int = 80  # whose views are computed before an evaluation
    overrides: dict[str, int] = field(default_factory=dict)  # of every Config that has such a field

    def settings(self, network: str) -> dict[str, Any]:
        """Return the overrides that a network has."""
        known = {config_field.name for config_field in fields(WALK_NETWORKS[network].config)}  # type: ignore[arg-type]
        return {name: value for name, value in self.overrides.items() if name in known}


TINY = WalkSizes(
    "city/3/4x5",
    Slicing(92, 160),
    3,
    4,
    0,
    1,
    0.0,
    2,
    2,
    2,
    {"word_dim": 8, "text_dim": 8, "view_dim": 8, "gate_dim": 8, "hidden_dim": 8, "dim": 16, "layers": 1, "heads": 2},
)


def make_walks(world: str, split: str, count: int, horizon: int) -> WalkExamples:
    """Return walks along routes of a split of a city, with instructions of other routes."""
    return build_walks(make_episodes(world, split, count), horizon)


def make_episodes(world: str, split: str, count: int) -> list[Episode]:
    """Return episodes along routes of a split of a city, with instructions of other routes."""
    city, texts = open_city(world), [episode.legs[0].text for episode in load(TEXTS)]
    episodes = []
    for k, route in enumerate(islice(RouteSampler(city, 0).routes(split), count)):
        places = tuple(city.graph.ids[place] for place in route.places)
        start = Pose(Direction(route.facing), places[0])
        episodes.append(Episode(str(k), "bench", world, start, (Leg(texts[k % len(texts)], Reach(places)),)))
    return episodes


class BenchInputs:
    """Walks to train on, and trainers of them on a device or on the CPU, with the same views.

    Args:
        sizes: The sizes.
        device: Where views are computed.
        folder: A folder that trainers may write to.
    """

    def __init__(self, sizes: WalkSizes, device: torch.device, folder: Path) -> None:
        self.sizes, self.device, self.folder = sizes, device, folder
        self.walks = make_walks(sizes.world, "train", sizes.walks, sizes.horizon)
        self.table = self.build_table(self.walks, device)
        self._views: dict[str, FeatureViews] = {}

    def build_table(self, walks: WalkExamples, device: torch.device) -> StateTable:
        """Return the states of walks."""
        return StateTable.build([open_city(self.sizes.world).graph], walks.starts, device)

    @cached_property
    def backbone(self) -> Backbone:
        """The backbone of features."""
        return load_backbone(BACKBONE, str(self.device))

    def open_views(self, kind: str, table: StateTable) -> FeatureViews:
        """Return views of a table's places that are not computed yet."""
        return FeatureViews(kind, table.places, self.backbone, self.sizes.slicing, self.device)

    def views(self, kind: str) -> FeatureViews:
        """Return views of the places that the walks pass."""
        if kind not in self._views:
            self._views[kind] = self.open_views(kind, self.table)
            starts = np.array([self.table.start_states[start] for start in self.walks.starts])
            self._views[kind].prepare(reachable_places(self.table, starts, self.walks.actions))
        return self._views[kind]

    def trainer(self, network: str, batch_size: int | None = None) -> WalkTrainer:
        """Return a trainer that learns in batches on the device."""
        overrides = self.sizes.settings(network)
        config = WalkTrainConfig(
            network, batch_size=batch_size, forcing="teacher", horizon=self.sizes.horizon, overrides=overrides
        )
        return self._make(WalkTrainer, config, self.table, self.views(view_kind(network)))

    def hogwild(self, network: str, clients: int) -> HogwildTrainer:
        """Return a trainer with HOGWILD! clients on the CPU."""
        overrides = self.sizes.settings(network)
        config = WalkTrainConfig(network, clients=clients, horizon=self.sizes.horizon, overrides=overrides)
        table = self.build_table(self.walks, torch.device("cpu"))
        return self._make(HogwildTrainer, config, table, on_cpu(self.views(view_kind(network))))

    def _make(
        self, kind: Callable[..., TrainerT], config: WalkTrainConfig, table: StateTable, views: FeatureViews
    ) -> TrainerT:
        validation = self.walks.subset(np.arange(min(VALIDATION, len(self.walks))))
        backbone, slicing = self.backbone, self.sizes.slicing
        return kind(
            config, self.walks, validation, table, views, ProcessGroup(), self.folder, no_report, backbone, slicing
        )


def view_kind(network: str) -> str:
    """Return the kind of views that a network reads."""
    spec = WALK_NETWORKS[network]
    return spec.build(spec.make_config({"shape": WalkShape(2)}), None).views


def on_cpu(views: FeatureViews) -> FeatureViews:
    """Return a copy of views on the CPU, in float32."""
    result = copy.copy(views)
    result.device = torch.device("cpu")
    for name, value in vars(views).items():
        if isinstance(value, torch.Tensor):
            setattr(result, name, value.float().cpu() if value.is_floating_point() else value.cpu())
    return result


def reachable_places(
    table: StateTable, starts: npt.NDArray[np.int64], actions: npt.NDArray[np.int64] | int
) -> npt.NDArray[np.int64]:
    """Return the places of walks with these actions (n, t), or of any walks of so many actions."""
    next_state, place = table.next_state.cpu().numpy(), table.place.cpu().numpy()
    states = np.unique(starts)
    if isinstance(actions, int):
        frontier = states
        for _ in range(actions):
            frontier = np.setdiff1d(next_state[frontier], states)
            states = np.union1d(states, frontier)
        return np.unique(place[states])
    passed = [starts]
    for column in actions.T:
        passed.append(np.where(column >= 0, next_state[passed[-1], column], passed[-1]))
    return np.unique(place[np.concatenate(passed)])

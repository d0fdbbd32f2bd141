"""What trained walkers are evaluated on: splits, texts of other episodes, minimal pairs, another city, real texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from bearleft.data import load
from bearleft.errors import InputError
from bearleft.experiments.systems.saved_results import OWN_TEXTS, SHUFFLED_TEXTS
from bearleft.experiments.systems.saved_walks import Ints, ragged
from bearleft.experiments.systems.train import Log
from bearleft.experiments.touchdown.navigation.runs import OTHER_CITY, TEST_UNSEEN, NavigationConfig
from bearleft.experiments.touchdown.navigation.saved_walks import HORIZON, walks_from_states
from bearleft.experiments.touchdown.navigation.walk_files import other_texts, unseen_pairs
from bearleft.metrics.ragged_paths import Ragged
from bearleft.models.walking.checkpoint import WalkCheckpoint
from bearleft.models.walking.examples import StepReader, WalkExamples, WalkTable, build_walks
from bearleft.models.walking.rollout import walk
from bearleft.models.walking.states import StateTable
from bearleft.models.walking.views import Views
from bearleft.records import Episode
from bearleft.training.walking.loop import WALK_BATCH
from bearleft.types import DataFolder


@dataclass(frozen=True, eq=False)
class EvaluationSet:
    """Walks that systems are evaluated on.

    Attributes:
        dataset: Name of the dataset in saved walks.
        walks: The walks.
        texts: "own", or "shuffled" if they have the texts of other walks.
        has_pictures: Whether the world can be seen; only systems without pictures walk where it cannot.
    """

    dataset: str
    walks: WalkExamples
    texts: str = OWN_TEXTS
    has_pictures: bool = True


def evaluation_sets(
    config: NavigationConfig,
    training: WalkExamples,
    data: DataFolder = None,
    other_city: DataFolder = None,
    log: Log = print,
) -> list[EvaluationSet]:
    """Return everything that finished runs are evaluated on; minimal pairs and real texts only if they are available.

    Args:
        config: Names and sizes of the splits.
        training: The training walks.
        data: Folder of the datasets.
        other_city: Folder of city/touchdown in a city that no training walk is in.
        log: Called with a line for each dataset that is missing.

    Raises:
        InputError: A split is missing, or the other city is one of training walks.
    """

    def walks_of(episodes: Sequence[Episode], folder: DataFolder = data) -> WalkExamples:
        return build_walks(episodes[: config.eval_size], HORIZON, folder)

    sets = [EvaluationSet(name, walks_of(load(name, data))) for name in config.splits]
    shuffled = [one for one in sets if one.dataset in config.shuffled]
    sets += [EvaluationSet(one.dataset, other_texts(one.walks), SHUFFLED_TEXTS) for one in shuffled]
    for name in config.pairs:
        episodes = _load_available(name, [data], log)
        unseen = unseen_pairs(episodes, training, config.pair_size)
        if episodes:
            log(f"{name}: {len(unseen) // 2:,} of {len(episodes) // 2:,} pairs at places that no training walk visits")
        if unseen:
            sets.append(EvaluationSet(name, build_walks(unseen, HORIZON, data)))
    if other_city is not None:
        walks = walks_of(load(TEST_UNSEEN, other_city), other_city)
        if common := set(walks.worlds) & set(training.worlds):
            raise InputError("a city that no training walk is in", min(common), "other-city")
        sets.append(EvaluationSet(f"{OTHER_CITY}{TEST_UNSEEN}", walks))
    for name in config.real:
        if episodes := _load_available(name, [data, None], log):
            sets.append(EvaluationSet(name, walks_of(episodes), has_pictures=False))
    return sets


def _load_available(name: str, folders: Sequence[DataFolder], log: Log) -> list[Episode]:
    """Return the episodes of a dataset in the first folder that has it; none if no folder has."""
    for folder in folders:
        try:
            return load(name, folder)
        except InputError:
            continue
    log(f"{name} is not available, and not evaluated")
    return []


def walk_all(
    checkpoint: WalkCheckpoint, walks: WalkExamples, table: StateTable, views: Views | None
) -> tuple[Ragged, Ragged]:
    """Let a network walk by its most probable actions; return actions, and places as indices of each world's graph."""
    network = checkpoint.network.eval()
    reader = StepReader.make(network, table.places, views, table.device)
    examples = WalkTable.build(walks, table, checkpoint.tokenizer)
    first = np.array([table.places.offsets[world] for world in walks.worlds], np.int64)
    place: Ints = table.place.cpu().numpy()
    actions: list[Ints] = []
    places: list[Ints] = []
    # Texts of similar lengths are walked together.
    order = torch.argsort(examples.host_lengths, stable=True)
    for indices in torch.split(order, WALK_BATCH[table.device.type]):
        done = walk(network, reader, examples, indices, HORIZON)
        states, final, taken = (part.cpu().numpy() for part in (done.states, done.final, done.actions))
        own_actions, own_places = walks_from_states(place, states, final, taken)
        actions += list(own_actions)
        places += [path - first[k] for k, path in zip(indices.tolist(), own_places, strict=True)]
    back = np.argsort(order.numpy()).tolist()
    return ragged([actions[k] for k in back], np.int8), ragged([places[k] for k in back], np.int32)

"""Every way of training learns to follow texts: it beats the same network that is trained with shuffled texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from bearleft.models.walking.examples import StepReader, WalkTable  # noqa: E402
from bearleft.training.walking.config import WalkTrainConfig  # noqa: E402
from bearleft.training.walking.losses import imitation_loss, remaining_actions  # noqa: E402
from bearleft.training.walking.train import WalkTrainResult, train_walker  # noqa: E402
from tests.training.walking.turn_task import misleading_seed, turn_config, turn_task  # noqa: E402

PATHS: dict[str, tuple[str, dict[str, Any]]] = {
    "rconcat": ("rconcat", {"epochs": 5}),
    "ga": ("ga", {"epochs": 5}),
    "orar": ("orar", {}),
    "compass": ("compass", {"forcing": "teacher"}),
    "mixed": ("compass", {"forcing": "mixed"}),
    "dagger": ("orar", {"forcing": "dagger", "epochs": 3}),
}


def held_out_loss(result: WalkTrainResult) -> float:
    """Return the mean negative log-likelihood of the reference actions of the walks that are held out."""
    task, checkpoint = turn_task(), result.checkpoint
    examples = WalkTable.build(task.validation, task.table, checkpoint.tokenizer)
    reader = StepReader.make(checkpoint.network, task.table.places, None, task.table.device)
    indices = torch.arange(len(task.validation))
    with torch.no_grad():
        return float(imitation_loss(reader, examples, indices, examples.states, examples.actions, examples.actions))


def check_beats_shuffled(config: WalkTrainConfig, folder: Path) -> None:
    """Train a network with its texts and with shuffled ones, and compare both in walks that are held out."""
    results = [
        train_walker(replace(config, shuffle_texts=shuffled), turn_task(), folder / str(shuffled))
        for shuffled in (False, True)
    ]
    told, misled = (result.checkpoint.training_info for result in results)
    assert told["TC"] >= 95.0 and misled["TC"] <= 60.0
    assert told["SPD"] <= 0.2 and misled["SPD"] >= 1.5
    assert held_out_loss(results[0]) < 0.5 * held_out_loss(results[1])
    assert all(result.finished for result in results)


@pytest.mark.parametrize("path", PATHS)
def test_every_way_of_training_beats_shuffled_texts(path: str, tmp_path: Path) -> None:
    """HOGWILD! clients are in test_hogwild.py."""
    network, options = PATHS[path]
    check_beats_shuffled(turn_config(network, seed=misleading_seed(), **options), tmp_path)


def test_remaining_actions_of_walks_without_a_mistake() -> None:
    actions = torch.tensor([[0, 1, 0, 3, -1], [0, 0, 3, -1, -1], [0, 0, 0, 0, 0]])
    labels = torch.tensor([[0, 1, 0, 3, -1], [0, 3, 3, -1, -1], [0, 0, 0, 0, 0]])
    expected = [[3, 2, 1, 0, -1], [-1] * 5, [-1] * 5]  # the second made a mistake, the third was cut
    assert remaining_actions(actions, labels).tolist() == expected
    long = torch.tensor([[0] * 20 + [3]])
    assert remaining_actions(long, long).tolist() == [[15] * 6 + list(range(14, -1, -1))]

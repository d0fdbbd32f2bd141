"""Batches have walks and texts of similar lengths; what is cut off a batch is padding only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from bearleft.models.walking.examples import NO_LABEL  # noqa: E402
from bearleft.training.distributed import ProcessGroup  # noqa: E402
from bearleft.training.walking.config import WalkTrainConfig  # noqa: E402
from bearleft.training.walking.loop import (  # noqa: E402
    STEP_MULTIPLE,
    WalkTrainer,
    bucket_by_length,
    imitation_loss,
    walk_lengths,
)
from tests.training.walking import synthetic_walks  # noqa: E402


@given(st.integers(1, 400), st.integers(1, 12), st.integers(0, 5))
def test_buckets_hold_every_example_once(count: int, batch_size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    texts, walks = rng.integers(1, 200, count), rng.integers(1, 56, count)
    order, again = (bucket_by_length(texts, walks, batch_size, np.random.default_rng(seed)) for _ in range(2))
    assert sorted(order.tolist()) == list(range(count)) and order.tolist() == again.tolist()


def test_buckets_pad_less() -> None:
    rng = np.random.default_rng(0)
    walks = rng.integers(10, 55, 4000)
    texts = 2 * walks + rng.integers(0, 60, 4000)
    batches = bucket_by_length(texts, walks, 50, rng).numpy().reshape(-1, 50)
    assert texts[batches].max(1).mean() < 0.75 * texts.reshape(-1, 50).max(1).mean()
    assert walks[batches].max(1).mean() < 0.75 * walks.reshape(-1, 50).max(1).mean()
    means = walks[batches].mean(1)
    assert abs(np.corrcoef(means[:-1], means[1:])[0, 1]) < 0.3  # short and long batches alternate at random


def test_examples_that_are_padded_alike_keep_their_order() -> None:
    texts, walks = np.array([3, 15, 1, 16, 9, 12]), np.array([5, 2, 7, 1, 8, 3])
    assert bucket_by_length(texts, walks, 2, np.random.default_rng(0)).tolist() == list(range(6))


def test_lengths_of_walks() -> None:
    labels = torch.tensor([[0, 1, 3, -1], [-1, -1, -1, -1], [3, -1, -1, -1], [0, 0, 0, 0]])
    assert walk_lengths(labels).tolist() == [3, 0, 1, 4]


@pytest.mark.parametrize("forcing", ["teacher", "dagger"])
def test_batches_end_with_the_longest_walk(forcing: str, tmp_path: Path) -> None:
    task = synthetic_walks.make_task(count=12, horizon=55)
    config = WalkTrainConfig("rconcat", batch_size=3, epochs=4, forcing=forcing, overrides=synthetic_walks.SMALL)
    trainer = WalkTrainer(
        config,
        task.walks,
        task.validation,
        task.table,
        task.views,
        ProcessGroup(),
        tmp_path,
        lambda _: None,
        slicing=task.slicing,
    )
    trainer.epochs_done = 3
    trainer._begin_epoch()
    sources = trainer._sources()
    assert sources.any() == (forcing == "dagger")
    trainer.network.eval()
    for batch in trainer.order(sources).reshape(-1, 3):
        states, actions, labels = trainer._gather(batch, sources)
        whole_states, whole_actions = trainer.examples.states[batch], trainer.examples.actions[batch]
        whole_labels = whole_actions
        for k, own in enumerate(trainer.own_walks, 1):
            chosen = (sources[batch] == k)[:, None]
            whole_states = torch.where(chosen, own.states[batch], whole_states)
            whole_actions = torch.where(chosen, own.actions[batch], whole_actions)
            whole_labels = torch.where(chosen, own.labels[batch], whole_labels)
        steps = labels.shape[1]
        assert torch.equal(labels, whole_labels[:, :steps]) and (whole_labels[:, steps:] == NO_LABEL).all()
        assert (labels[:, -STEP_MULTIPLE:] != NO_LABEL).any()
        cut = imitation_loss(trainer.reader, trainer.examples, batch, states, actions, labels)
        whole = imitation_loss(trainer.reader, trainer.examples, batch, whole_states, whole_actions, whole_labels)
        torch.testing.assert_close(cut, whole)

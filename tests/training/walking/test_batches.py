"""Batches have walks and texts of similar lengths; what is cut off a batch is padding only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from bearleft.models.walking.examples import NO_LABEL  # noqa: E402
from bearleft.training.distributed import ProcessGroup  # noqa: E402
from bearleft.training.walking import loop  # noqa: E402
from bearleft.training.walking.batches import STEP_MULTIPLE, bucket_by_length, walk_lengths  # noqa: E402
from bearleft.training.walking.config import TEST_HORIZON, WalkTrainConfig  # noqa: E402
from bearleft.training.walking.loop import WalkTrainer  # noqa: E402
from bearleft.training.walking.losses import imitation_loss  # noqa: E402
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


def make_trainer(folder: Path, count: int, horizon: int, forcing: str = "teacher") -> WalkTrainer:
    """Return a small trainer of synthetic walks."""
    task = synthetic_walks.make_task(count, horizon)
    config = WalkTrainConfig("rconcat", batch_size=3, epochs=4, forcing=forcing, overrides=synthetic_walks.SMALL)
    return WalkTrainer(
        config,
        task.walks,
        task.validation,
        task.table,
        task.views,
        ProcessGroup(),
        folder,
        lambda _: None,
        slicing=task.slicing,
    )


def test_walks_of_a_network_do_not_depend_on_the_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = make_trainer(tmp_path, 24, 12)
    lengths = torch.randperm(len(trainer.examples), generator=torch.Generator().manual_seed(0)) % 7 + 1
    monkeypatch.setattr(trainer, "examples", replace(trainer.examples, lengths=lengths, host_lengths=lengths))
    indices = torch.arange(1, len(trainer.examples))
    alone = [trainer._walk(trainer.examples, indices[k : k + 1], 12)[0][1] for k in range(len(indices))]
    monkeypatch.setitem(loop.WALK_BATCH, "cpu", 5)
    batches = trainer._walk(trainer.examples, indices, 12)
    assert [len(batch) for batch, _ in batches] == [5, 5, 5, 5, 3]
    longest = [int(lengths[batch].max()) for batch, _ in batches]
    assert longest == sorted(longest) and longest[0] < longest[-1]
    for batch, walks in batches:
        for row, k in enumerate(batch.tolist()):
            assert torch.equal(walks.actions[row], alone[k - 1].actions[0])
            assert walks.final[row] == alone[k - 1].final[0]
    assert sorted(k for batch, _ in batches for k in batch.tolist()) == indices.tolist()


@pytest.mark.slow
def test_validation_does_not_depend_on_the_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = make_trainer(tmp_path, 24, 12)
    count = len(trainer.validation)
    lengths = torch.arange(count, 0, -1) % 5 + 1
    monkeypatch.setattr(trainer, "validation", replace(trainer.validation, lengths=lengths, host_lengths=lengths))
    alone = [trainer._walk(trainer.validation, torch.tensor([k]), TEST_HORIZON)[0][1] for k in range(count)]
    hops = trainer.hops(np.array([int(trainer.table.place[walks.final]) for walks in alone]))
    assert len(set(hops)) > 1
    for size in (2, 64):
        monkeypatch.setitem(loop.WALK_BATCH, "cpu", size)
        assert trainer.validate() == {"SPD": hops.mean(), "TC": 100.0 * (hops <= 1).mean()}


@pytest.mark.parametrize("forcing", ["teacher", "dagger"])
def test_batches_end_with_the_longest_walk(forcing: str, tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, 12, 55, forcing)
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

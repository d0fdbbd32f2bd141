"""Training learns, with the rules of the paper."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.errors import InputError  # noqa: E402
from bearleft.models.checkpoint import PointCheckpoint, read_checkpoint  # noqa: E402
from bearleft.models.examples import Examples  # noqa: E402
from bearleft.models.pointing.network import Batch  # noqa: E402
from bearleft.models.pointing.predict import predict  # noqa: E402
from bearleft.models.pointing.registry import build_network  # noqa: E402
from bearleft.training.distributed import ProcessGroup  # noqa: E402
from bearleft.training.history import read_history  # noqa: E402
from bearleft.training.pointing.batches import epoch_order, fingerprint, shuffle_texts, split  # noqa: E402
from bearleft.training.pointing.loop import Trainer, accuracy_80px  # noqa: E402
from bearleft.training.pointing.train import TrainConfig, train  # noqa: E402
from bearleft.training.tensorboard import EVENT_FILE  # noqa: E402
from tests.training.synthetic_task import CONFIG, PLAIN, SLICING, make_task  # noqa: E402

LEARNING_CONFIG = replace(CONFIG, batch_size=20, epochs=12, patience=12)


def make_trainer(config: TrainConfig) -> Trainer:
    examples, features = make_task(40)
    return Trainer(config, examples, features, torch.device("cpu"), ProcessGroup(), None, Path(), lambda _: None)


@pytest.mark.slow
def test_training_learns_to_point(tmp_path: Path) -> None:
    examples, features = make_task(200)
    result = train(LEARNING_CONFIG, examples, features, tmp_path)
    best = max(row["A@80px"] for row in result.history)
    assert best > 80.0 and result.history == read_history(tmp_path)
    # The saved network has the accuracy of the history on the validation split.
    checkpoint = PointCheckpoint.load(tmp_path / "best.pt")
    validation = examples.subset(split(examples.texts, 0.2, 0)[1])
    assert (
        accuracy_80px(predict(checkpoint, validation, features).answers, validation.targets)
        == best
        == checkpoint.training_info["A@80px"]
    )
    new_examples, new_features = make_task(60, seed=9)
    assert accuracy_80px(predict(checkpoint, new_examples, new_features).answers, new_examples.targets) > 80.0
    assert (
        accuracy_80px(predict(checkpoint, shuffle_texts(new_examples, 0), new_features).answers, new_examples.targets)
        < 50.0
    )


@pytest.mark.slow
def test_shuffled_texts_cannot_be_learnt(tmp_path: Path) -> None:
    examples, features = make_task(200)
    result = train(replace(LEARNING_CONFIG, shuffle_texts=True, epochs=9), examples, features, tmp_path)
    assert max(row["A@80px"] for row in result.history) < 50.0


def test_loss_is_the_mean_kl_divergence_over_examples(tmp_path: Path) -> None:
    examples, features = make_task(40)
    result = train(replace(PLAIN, batch_size=100, epochs=1), examples, features, tmp_path)
    train_indices, _ = split(examples.texts, PLAIN.validation_share, PLAIN.seed)
    untrained = build_network("lingunet", result.checkpoint.network.shape, PLAIN.seed, **PLAIN.overrides)
    losses = []
    for k in train_indices:
        words = torch.tensor([result.checkpoint.vocabulary.encode(examples.texts[k])])
        with torch.no_grad():
            scores = (
                untrained(Batch(features.maps[k : k + 1], words, torch.tensor([words.shape[1]])))[0].double().numpy()
            )
        log_probabilities = scores - np.log(np.exp(scores).sum())
        target_cell = [int(np.floor(coordinate)) for coordinate in SLICING.to_cells(*examples.targets[k])]
        distance = np.hypot(*np.meshgrid(np.arange(8) - target_cell[0], np.arange(32) - target_cell[1], indexing="ij"))
        expected = np.exp(-(distance**2) / (2 * PLAIN.sigma**2))
        expected /= expected.sum()
        nonzero = expected > 0
        losses.append((expected[nonzero] * (np.log(expected[nonzero]) - log_probabilities[nonzero])).sum())
    assert result.history[0]["loss"] == pytest.approx(np.mean(losses), rel=1e-4)
    assert result.history[0]["update"] == 1 and result.history[0]["examples"] == 32


def test_patience_resets_and_the_best_epoch_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    accuracies = iter([10.0, 5.0, 5.0, 20.0, 20.0, 1.0, 1.0, 99.0])
    monkeypatch.setattr(Trainer, "validation_accuracy", lambda _: next(accuracies))
    result = train(replace(CONFIG, epochs=30, patience=3), *make_task(30), tmp_path / "early")
    assert [row["A@80px"] for row in result.history] == [10.0, 5.0, 5.0, 20.0, 20.0, 1.0, 1.0]
    assert (
        result.checkpoint.training_info["epoch"] == 4
        and PointCheckpoint.load(tmp_path / "early" / "best.pt").training_info["epoch"] == 4
    )
    accuracies = iter([1.0] * 4)
    train(replace(CONFIG, epochs=4, patience=9), *make_task(30), tmp_path / "four")
    fourth = read_checkpoint(tmp_path / "four" / "last.pt", kind="training")["weights"]
    torch.testing.assert_close(result.checkpoint.network.state_dict(), fourth, rtol=0, atol=0)


def test_validation_split_is_random_or_the_first_examples() -> None:
    texts = [str(k) for k in range(1000)]
    train_indices, validation_indices = split(texts, 0.07, 3)
    assert len(validation_indices) == 70 and sorted([*train_indices, *validation_indices]) == list(range(1000))
    assert list(validation_indices) != list(split(texts, 0.07, 4)[1]) and list(validation_indices) == list(
        split(texts, 0.07, 3)[1]
    )
    assert list(split(["the same"] * 1000, 0.07, 3, released=True)[1]) == list(range(70))


@pytest.mark.parametrize("seed", range(5))
def test_examples_of_one_text_stay_together(seed: int) -> None:
    texts = [f"text {k // 3 if k < 600 else k}" for k in range(1000)]  # 200 of three panoramas, 400 of one
    train_indices, validation_indices = split(texts, 0.07, seed)
    validation_texts = {texts[k] for k in validation_indices}
    assert not validation_texts & {texts[k] for k in train_indices}
    assert (
        70 <= len(validation_indices) < 73
        and len(validation_texts) < len(validation_indices)
        and len(train_indices) + len(validation_indices) == 1000
    )


def test_one_text_cannot_be_split() -> None:
    for texts, share in ((["the same"] * 9, 0.2), (["a", "b", "c"], 0.1), (["a", "b"], 0.9)):
        with pytest.raises(InputError, match=f"{len(texts)} examples of {len(set(texts))} texts"):
            split(texts, share, 0)


def test_shuffled_texts_have_the_same_split() -> None:
    plain, shuffled = make_trainer(CONFIG), make_trainer(replace(CONFIG, shuffle_texts=True))
    assert np.array_equal(plain.validation_targets, shuffled.validation_targets)


def test_each_epoch_has_its_own_order() -> None:
    first, second = epoch_order(50, 0, 0).tolist(), epoch_order(50, 0, 1).tolist()
    assert sorted(first) == sorted(second) == list(range(50)) and first != second == epoch_order(50, 0, 1).tolist()
    # Five epochs of 20 examples are two passes.
    short_epochs = [k for epoch in range(5) for k in epoch_order(50, 0, epoch, 20).tolist()]
    assert short_epochs == first + second


@pytest.mark.parametrize("size", [7, 20, 50, 120])
def test_epochs_of_any_length_cover_all_examples(size: int) -> None:
    epochs = [epoch_order(50, 3, k, size).tolist() for k in range(20)]
    assert all(len(order) == size for order in epochs)
    all_rows = [row for order in epochs for row in order]
    for k in range(len(all_rows) // 50):
        assert all_rows[50 * k : 50 * (k + 1)] == epoch_order(50, 3, k).tolist()
    trainer = make_trainer(replace(CONFIG, examples_per_epoch=15))
    assert (trainer.updates_per_epoch, make_trainer(CONFIG).updates_per_epoch) == (2, 4)


def test_accuracy_uses_the_papers_pixels() -> None:
    """A pixel is 360 / 3712 degrees across and 180 / 800 down, and the picture's ends are not joined."""
    degrees_across, degrees_down = 360 / 3712, 180 / 800
    targets = np.zeros((5, 2))
    answers = np.array(
        [[79 * degrees_across, 0], [81 * degrees_across, 0], [0, 79 * degrees_down], [0, -81 * degrees_down], [0, 0]]
    )
    assert accuracy_80px(answers, targets) == 60.0
    assert accuracy_80px(np.array([[179.9, 0.0]]), np.array([[-179.9, 0.0]])) == 0.0


def test_targets_outside_the_slices_are_skipped_and_counted(tmp_path: Path) -> None:
    examples, features = make_task(40)
    targets = examples.targets.copy()
    train_indices, validation_indices = split(examples.texts, CONFIG.validation_share, CONFIG.seed)
    targets[[train_indices[0], train_indices[1], validation_indices[0]], 1] = 89.0
    changed = Examples(examples.ids, examples.texts, examples.panoramas, examples.panorama_indices, targets)
    result = train(replace(CONFIG, epochs=1), changed, features, tmp_path)
    assert result.notes == ["2 of 32 training examples left out: their targets lie in no slice"]
    assert result.history[0]["examples"] == 30 and result.checkpoint.training_info["notes"] == result.notes


def test_learning_rate_schedule_of_each_network() -> None:
    bearing = make_trainer(
        replace(CONFIG, network="bearing", epochs=200, overrides={"width": 16, "layers": 1, "heads": 2})
    )
    rates = []
    for bearing.epochs_done in range(201):
        rates.append(bearing.scheduled_rate())
    warmup, total = bearing.spec.warmup_updates, 200 * bearing.updates_per_epoch
    assert rates[0] == pytest.approx(0.03 / warmup)
    assert max(rates) == pytest.approx(0.03, rel=0.01) and np.argmax(rates) == pytest.approx(
        warmup / bearing.updates_per_epoch, abs=1
    )
    middle = (total + warmup) / 2 / bearing.updates_per_epoch
    assert rates[round(middle)] == pytest.approx(0.015, rel=0.05) and rates[200] == pytest.approx(0.0, abs=1e-9)
    assert isinstance(bearing.optimizer, torch.optim.AdamW) and bearing.max_grad_norm == bearing.spec.max_grad_norm
    lingunet = make_trainer(CONFIG)
    lingunet.epochs_done = 2
    assert lingunet.scheduled_rate() == 0.03 and type(lingunet.optimizer) is torch.optim.Adam
    assert make_trainer(replace(CONFIG, learning_rate=None)).learning_rate == 0.0005


def test_gradients_are_clipped() -> None:
    gradient_norms = []
    for clip in (None, 1e-9):
        trainer = make_trainer(replace(PLAIN, max_grad_norm=clip, batch_size=40))
        order = epoch_order(len(trainer.examples), 0, 0)
        trainer._step(order, order)
        gradient_norms.append(
            sum(float(p.grad.square().sum()) for p in trainer.network.parameters() if p.grad is not None) ** 0.5
        )
    assert gradient_norms[0] > 1e-3 and gradient_norms[1] == pytest.approx(1e-9, rel=0.01)


def test_bfloat16_loss_is_close_to_single_precision(tmp_path: Path) -> None:
    mkldnn_enabled = torch.backends.mkldnn.enabled
    half_history = train(
        replace(PLAIN, learning_rate=0.01, precision="bfloat16", epochs=2), *make_task(40), tmp_path / "half"
    ).history
    full_history = train(replace(PLAIN, learning_rate=0.01, epochs=2), *make_task(40), tmp_path / "full").history
    assert half_history[0]["loss"] != full_history[0]["loss"] == pytest.approx(half_history[0]["loss"], rel=0.02)
    assert torch.backends.mkldnn.enabled == mkldnn_enabled  # torch turns it off on CPUs without bfloat16


def test_batch_length_is_that_of_the_longest_text() -> None:
    trainer = make_trainer(CONFIG)
    indices = torch.tensor([0, 3])
    batch = trainer.examples.batch(indices, indices)
    assert batch.words.shape[1] >= int(batch.lengths.max()) and batch.features.shape == (2, 8, 8, 32)
    assert torch.equal(trainer.examples.words[indices, : batch.words.shape[1]], batch.words)


def test_shuffle_texts_permutes_texts() -> None:
    examples, _ = make_task(40)
    shuffled = shuffle_texts(examples, 1)
    assert sorted(shuffled.texts) == sorted(examples.texts) and shuffled.texts != examples.texts
    assert shuffled.texts == shuffle_texts(examples, 1).texts != shuffle_texts(examples, 2).texts
    assert fingerprint(shuffled) != fingerprint(examples) == fingerprint(make_task(40)[0])


def test_tensorboard_reads_the_event_file(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    rows = train(replace(CONFIG, epochs=2), *make_task(30), tmp_path).history
    events = accumulator.EventAccumulator(str(tmp_path / EVENT_FILE)).Reload()
    tags = {"loss": "loss", "validation/A@80px": "A@80px", "rate": "rate", "examples_per_second": "examples/s"}
    assert set(events.Tags()["scalars"]) == set(tags)
    for tag, name in tags.items():
        events_of_tag = [(event.wall_time, event.step, event.value) for event in events.Scalars(tag)]
        assert events_of_tag == [
            (pytest.approx(row["time"]), row["update"], pytest.approx(row[name], rel=1e-6)) for row in rows
        ]

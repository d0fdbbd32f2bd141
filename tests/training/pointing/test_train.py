"""What training does when nothing goes wrong: it learns, by the paper's rules."""

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

LEARNS = replace(CONFIG, batch_size=20, epochs=12, patience=12)


def run(config: TrainConfig) -> Trainer:
    examples, features = make_task(40)
    return Trainer(config, examples, features, torch.device("cpu"), ProcessGroup(), None, Path(), lambda _: None)


def test_training_learns_to_point(tmp_path: Path) -> None:
    examples, features = make_task(200)
    out = train(LEARNS, examples, features, tmp_path)
    best = max(row["A@80px"] for row in out.history)
    assert best > 80.0 and out.history == read_history(tmp_path)
    # The file's network points as well as the curve says, at the examples of the validation split.
    pointer = PointCheckpoint.load(tmp_path / "best.pt")
    validation = examples.subset(split(examples.texts, 0.2, 0)[1])
    assert (
        accuracy_80px(predict(pointer, validation, features).answers, validation.targets)
        == best
        == pointer.training_info["A@80px"]
    )
    new, seen = make_task(60, seed=9)
    assert accuracy_80px(predict(pointer, new, seen).answers, new.targets) > 80.0
    assert accuracy_80px(predict(pointer, shuffle_texts(new, 0), seen).answers, new.targets) < 50.0


def test_shuffled_texts_cannot_be_learnt(tmp_path: Path) -> None:
    examples, features = make_task(200)
    out = train(replace(LEARNS, shuffle_texts=True, epochs=9), examples, features, tmp_path)
    assert max(row["A@80px"] for row in out.history) < 50.0


def test_loss_is_the_mean_kl_divergence_over_examples(tmp_path: Path) -> None:
    examples, features = make_task(40)
    out = train(replace(PLAIN, batch_size=100, epochs=1), examples, features, tmp_path)
    trains, _ = split(examples.texts, PLAIN.validation_share, PLAIN.seed)
    fresh = build_network("lingunet", out.checkpoint.network.shape, PLAIN.seed, **PLAIN.overrides)
    losses = []
    for k in trains:
        words = torch.tensor([out.checkpoint.vocabulary.encode(examples.texts[k])])
        with torch.no_grad():
            scores = fresh(Batch(features.maps[k : k + 1], words, torch.tensor([words.shape[1]])))[0].double().numpy()
        told = scores - np.log(np.exp(scores).sum())
        at = [int(np.floor(one)) for one in SLICING.to_cells(*examples.targets[k])]
        away = np.hypot(*np.meshgrid(np.arange(8) - at[0], np.arange(32) - at[1], indexing="ij"))
        expected = np.exp(-(away**2) / (2 * PLAIN.sigma**2))
        expected /= expected.sum()
        some = expected > 0
        losses.append((expected[some] * (np.log(expected[some]) - told[some])).sum())
    assert out.history[0]["loss"] == pytest.approx(np.mean(losses), rel=1e-4)
    assert out.history[0]["update"] == 1 and out.history[0]["examples"] == 32


def test_patience_resets_and_the_best_epoch_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = iter([10.0, 5.0, 5.0, 20.0, 20.0, 1.0, 1.0, 99.0])
    monkeypatch.setattr(Trainer, "validation_accuracy", lambda _: next(told))
    out = train(replace(CONFIG, epochs=30, patience=3), *make_task(30), tmp_path / "early")
    assert [row["A@80px"] for row in out.history] == [10.0, 5.0, 5.0, 20.0, 20.0, 1.0, 1.0]
    assert (
        out.checkpoint.training_info["epoch"] == 4
        and PointCheckpoint.load(tmp_path / "early" / "best.pt").training_info["epoch"] == 4
    )
    told = iter([1.0] * 4)
    train(replace(CONFIG, epochs=4, patience=9), *make_task(30), tmp_path / "four")
    fourth = read_checkpoint(tmp_path / "four" / "last.pt", kind="training")["weights"]
    torch.testing.assert_close(out.checkpoint.network.state_dict(), fourth, rtol=0, atol=0)


def test_validation_split_is_random_or_the_first_examples() -> None:
    texts = [str(k) for k in range(1000)]
    trains, validates = split(texts, 0.07, 3)
    assert len(validates) == 70 and sorted([*trains, *validates]) == list(range(1000))
    assert list(validates) != list(split(texts, 0.07, 4)[1]) and list(validates) == list(split(texts, 0.07, 3)[1])
    assert list(split(["the same"] * 1000, 0.07, 3, released=True)[1]) == list(range(70))


@pytest.mark.parametrize("seed", range(5))
def test_examples_of_one_text_stay_together(seed: int) -> None:
    texts = [f"text {k // 3 if k < 600 else k}" for k in range(1000)]  # 200 of three panoramas, 400 of one
    trains, validates = split(texts, 0.07, seed)
    held = {texts[k] for k in validates}
    assert not held & {texts[k] for k in trains}
    assert 70 <= len(validates) < 73 and len(held) < len(validates) and len(trains) + len(validates) == 1000


def test_one_text_cannot_be_split() -> None:
    for texts, share in ((["the same"] * 9, 0.2), (["a", "b", "c"], 0.1), (["a", "b"], 0.9)):
        with pytest.raises(InputError, match=f"{len(texts)} examples of {len(set(texts))} texts"):
            split(texts, share, 0)


def test_shuffled_texts_have_the_same_split() -> None:
    one, other = run(CONFIG), run(replace(CONFIG, shuffle_texts=True))
    assert np.array_equal(one.validation_targets, other.validation_targets)


def test_each_epoch_has_its_own_order() -> None:
    one, two = epoch_order(50, 0, 0).tolist(), epoch_order(50, 0, 1).tolist()
    assert sorted(one) == sorted(two) == list(range(50)) and one != two == epoch_order(50, 0, 1).tolist()
    short = [
        k for epoch in range(5) for k in epoch_order(50, 0, epoch, 20).tolist()
    ]  # 20 an epoch: five make two passes
    assert short == one + two


@pytest.mark.parametrize("size", [7, 20, 50, 120])
def test_epochs_of_any_length_cover_all_examples(size: int) -> None:
    epochs = [epoch_order(50, 3, k, size).tolist() for k in range(20)]
    assert all(len(one) == size for one in epochs)
    together = [row for one in epochs for row in one]
    for k in range(len(together) // 50):
        assert together[50 * k : 50 * (k + 1)] == epoch_order(50, 3, k).tolist()
    out = run(replace(CONFIG, examples_per_epoch=15))
    assert (out.updates_per_epoch, run(CONFIG).updates_per_epoch) == (2, 4)


def test_accuracy_uses_the_papers_pixels() -> None:
    """A pixel is 360 / 3712 degrees across and 180 / 800 down, and the picture's ends are not joined."""
    across, down = 360 / 3712, 180 / 800
    targets = np.zeros((5, 2))
    given = np.array([[79 * across, 0], [81 * across, 0], [0, 79 * down], [0, -81 * down], [0, 0]])
    assert accuracy_80px(given, targets) == 60.0
    assert accuracy_80px(np.array([[179.9, 0.0]]), np.array([[-179.9, 0.0]])) == 0.0


def test_targets_outside_the_slices_are_skipped_and_counted(tmp_path: Path) -> None:
    examples, features = make_task(40)
    targets = examples.targets.copy()
    trains, validates = split(examples.texts, CONFIG.validation_share, CONFIG.seed)
    targets[[trains[0], trains[1], validates[0]], 1] = 89.0
    moved = Examples(examples.ids, examples.texts, examples.panoramas, examples.panorama_indices, targets)
    out = train(replace(CONFIG, epochs=1), moved, features, tmp_path)
    assert out.notes == ["2 of 32 training examples left out: their targets lie in no slice"]
    assert out.history[0]["examples"] == 30 and out.checkpoint.training_info["notes"] == out.notes


def test_learning_rate_schedule_of_each_network() -> None:
    ours = run(replace(CONFIG, network="bearing", epochs=200, overrides={"width": 16, "layers": 1, "heads": 2}))
    rates = []
    for ours.epochs_done in range(201):
        rates.append(ours.scheduled_rate())
    warm, total = ours.spec.warmup_updates, 200 * ours.updates_per_epoch
    assert rates[0] == pytest.approx(0.03 / warm)
    assert max(rates) == pytest.approx(0.03, rel=0.01) and np.argmax(rates) == pytest.approx(
        warm / ours.updates_per_epoch, abs=1
    )
    middle = (total + warm) / 2 / ours.updates_per_epoch
    assert rates[round(middle)] == pytest.approx(0.015, rel=0.05) and rates[200] == pytest.approx(0.0, abs=1e-9)
    assert isinstance(ours.optimizer, torch.optim.AdamW) and ours.max_grad_norm == ours.spec.max_grad_norm
    theirs = run(CONFIG)
    theirs.epochs_done = 2
    assert theirs.scheduled_rate() == 0.03 and type(theirs.optimizer) is torch.optim.Adam
    assert run(replace(CONFIG, learning_rate=None)).learning_rate == 0.0005


def test_gradient_clipping() -> None:
    moved = []
    for clip in (None, 1e-9):
        one = run(replace(PLAIN, max_grad_norm=clip, batch_size=40))
        here = epoch_order(len(one.examples), 0, 0)
        one._step(here, here)
        moved.append(sum(float(p.grad.square().sum()) for p in one.network.parameters() if p.grad is not None) ** 0.5)
    assert moved[0] > 1e-3 and moved[1] == pytest.approx(1e-9, rel=0.01)


def test_bfloat16_learns_too(tmp_path: Path) -> None:
    mkldnn_enabled = torch.backends.mkldnn.enabled
    rows = train(
        replace(PLAIN, learning_rate=0.01, precision="bfloat16", epochs=2), *make_task(40), tmp_path / "half"
    ).history
    full = train(replace(PLAIN, learning_rate=0.01, epochs=2), *make_task(40), tmp_path / "full").history
    assert rows[0]["loss"] != full[0]["loss"] == pytest.approx(rows[0]["loss"], rel=0.02)
    assert torch.backends.mkldnn.enabled == mkldnn_enabled  # torch turns it off on CPUs without bfloat16


def test_batch_length_is_that_of_the_longest_text() -> None:
    one = run(CONFIG)
    here = torch.tensor([0, 3])
    batch = one.examples.batch(here, here)
    assert batch.words.shape[1] >= int(batch.lengths.max()) and batch.features.shape == (2, 8, 8, 32)
    assert torch.equal(one.examples.words[here, : batch.words.shape[1]], batch.words)


def test_shuffle_texts_permutes_texts() -> None:
    examples, _ = make_task(40)
    other = shuffle_texts(examples, 1)
    assert sorted(other.texts) == sorted(examples.texts) and other.texts != examples.texts
    assert other.texts == shuffle_texts(examples, 1).texts != shuffle_texts(examples, 2).texts
    assert fingerprint(other) != fingerprint(examples) == fingerprint(make_task(40)[0])


def test_tensorboard_reads_the_event_file(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    rows = train(replace(CONFIG, epochs=2), *make_task(30), tmp_path).history
    events = accumulator.EventAccumulator(str(tmp_path / EVENT_FILE)).Reload()
    tags = {"loss": "loss", "validation/A@80px": "A@80px", "rate": "rate", "examples_per_second": "examples/s"}
    assert set(events.Tags()["scalars"]) == set(tags)
    for tag, name in tags.items():
        found = [(one.wall_time, one.step, one.value) for one in events.Scalars(tag)]
        assert found == [
            (pytest.approx(row["time"]), row["update"], pytest.approx(row[name], rel=1e-6)) for row in rows
        ]

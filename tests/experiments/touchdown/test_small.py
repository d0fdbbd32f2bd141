"""Learning to point at a small size: a network that reads beats one that does not, and itself with others' texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from bearleft.experiments.systems.saved_results import SHUFFLED_TEXTS  # noqa: E402
from bearleft.experiments.touchdown import small  # noqa: E402
from bearleft.experiments.touchdown.results import MAIN_METRIC  # noqa: E402
from bearleft.experiments.touchdown.small import (  # noqa: E402
    OURS,
    TEXT_BLIND,
    SmallConfig,
    SmallResult,
    small_experiment,
    split_places,
)
from bearleft.models.examples import build_examples  # noqa: E402
from tests.conftest import PERSISTENT_CACHE  # noqa: E402
from tests.sizes import sized  # noqa: E402

PAIRS = sized(400, 750)


@pytest.fixture(scope="module")
def result(shared_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallResult]:
    """Run the experiment with two trainings of one epoch each, which is enough to tell the networks apart.

    One thread, so that sums are added in the same order everywhere; the city's table is shared with other tests, and
    features are kept for the next run of the same sources.
    """
    folder = tmp_path_factory.mktemp("small")
    if PERSISTENT_CACHE is not None:
        (PERSISTENT_CACHE / "small-features").mkdir(parents=True, exist_ok=True)
        (folder / "features").symlink_to(PERSISTENT_CACHE / "small-features", target_is_directory=True)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BEARLEFT_CACHE", str(shared_cache))
        patch.setattr(small, "EPOCHS", dict.fromkeys(small.EPOCHS, 1))
        yield small_experiment(folder, SmallConfig(trainings=2, pairs=PAIRS))
    torch.set_num_threads(threads)


@pytest.mark.slow
def test_reading_beats_looking_only(result: SmallResult) -> None:
    gain = result.table.estimate(OURS.system, MAIN_METRIC) - result.table.estimate(TEXT_BLIND.system, MAIN_METRIC)
    assert gain.interval[0] > 0, result.rows()


def test_own_texts_beat_shuffled_texts(result: SmallResult) -> None:
    gain = result.table.gain(OURS.system, MAIN_METRIC, SHUFFLED_TEXTS)
    assert gain.interval[0] > 0, result.rows()


def test_splits_share_no_place(result: SmallResult) -> None:
    episodes = result.table.scorer.episodes
    training, held_out = split_places(episodes)
    seen, unseen = (build_examples(part).panoramas for part in (training, held_out))
    assert seen and unseen and not set(seen) & set(unseen)
    assert len(episodes) > 0.55 * PAIRS and result.training_examples > 2 * len(episodes)

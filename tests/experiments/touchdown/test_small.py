"""Learning to point at a small size: a network that reads beats one that does not, and itself with others' texts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

torch = pytest.importorskip("torch")

from bearleft.experiments.touchdown.pointing import NEAR  # noqa: E402
from bearleft.experiments.touchdown.small import BLIND, OURS, Small, parted, small  # noqa: E402
from bearleft.experiments.touchdown.train import SHUFFLED  # noqa: E402
from bearleft.models.examples import examples  # noqa: E402


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    """One thread, so that sums are added in the same order everywhere; the city's table is shared with other tests."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BEARLEFT_CACHE", str(tmp_path_factory.getbasetemp().parent / "city-cache"))
        yield small(tmp_path_factory.mktemp("small"))
    torch.set_num_threads(threads)


def test_who_reads_points_better_than_who_only_looks(found: Small) -> None:
    gain = found.table.estimate(OURS.system, NEAR) - found.table.estimate(BLIND.system, NEAR)
    assert gain.interval[0] > 0, found.lines()


def test_who_reads_needs_the_right_text(found: Small) -> None:
    gain = found.table.gain(OURS.system, NEAR, SHUFFLED)
    assert gain.interval[0] > 0, found.lines()


def test_parts_share_no_place(found: Small) -> None:
    asked = found.table.split.episodes
    learnt, held = parted(asked)
    seen, unseen = (examples(some).panoramas for some in (learnt, held))
    assert seen and unseen and not set(seen) & set(unseen)
    assert len(asked) > 400 and found.trained > 2 * len(asked)

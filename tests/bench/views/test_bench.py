"""The benchmark of views: ours and bare remap see the same, before anything is timed."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from bearleft.bench.views import peers as views_peers
from bearleft.bench.views.bench import TOLERANCE, make_inputs, ours, ours_new_poses, stored_panorama
from bearleft.bench.views.gpu import smooth_panorama
from bearleft.world.render.camera import view


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = cv2.getNumThreads()
    yield
    cv2.setNumThreads(before)


def test_the_contenders_agree() -> None:
    inputs = make_inputs(smooth_panorama(0, 256, 512), 4)
    functions = (ours, ours_new_poses, views_peers.remap, views_peers.remap_fixed)
    workloads = [function(inputs) for function in functions]
    results = [finish(work()) for work, finish in workloads]
    assert results[0].shape == (4, 30, 40, 3)
    assert results[0].std() > 20
    for other in results[1:]:
        assert np.abs(other - results[0]).max() < TOLERANCE
    work, finish = workloads[1]
    assert np.abs(finish(work()) - results[1]).max() > 0  # every call looks elsewhere


@pytest.mark.slow
def test_the_picture_is_stored_and_read() -> None:
    assert stored_panorama(64).shape == (32, 64, 3)


@pytest.mark.slow
def test_the_gpu_script_runs_on_the_cpu() -> None:
    pytest.importorskip("torch")
    from bearleft.bench.views.gpu import agreement, speed

    row = agreement(view(64, 48, 75.0), "cpu")
    assert row["largest"] == 0
    assert row["opencv_share_beyond_2"] < 0.001
    assert speed(1, 2, view(16, 16), "cpu", rounds=1)["views_per_second"] > 0

"""Tests of training use one thread and oneDNN, so that sums are added in the same order everywhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="package")
def same_sums() -> Iterator[None]:
    try:
        import torch
    except ImportError:
        yield
        return
    threads, enabled = torch.get_num_threads(), torch.backends.mkldnn.enabled
    torch.set_num_threads(1)
    # An earlier test in bfloat16 may have turned it off, as torch does on ARM.
    torch.backends.mkldnn.enabled = True  # type: ignore[assignment]
    yield
    torch.set_num_threads(threads)
    torch.backends.mkldnn.enabled = enabled

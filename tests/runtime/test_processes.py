"""Processes beside ours."""

from __future__ import annotations

import os
import signal
import time

import pytest

from bearleft.runtime.processes import process_pool


def _nothing() -> None:
    pass


def test_ctrl_c_ends_a_process_beside_ours_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    with process_pool(1, _nothing) as pool:
        number = pool.submit(os.getpid).result()
        process = pool._processes[number]
        os.kill(number, signal.SIGINT)
        # The pool waits for it too, and who of both comes second learns a moment later how it ended.
        end = time.monotonic() + 30
        while process.exitcode is None and time.monotonic() < end:
            time.sleep(0.01)
        assert process.exitcode == 130
    assert capfd.readouterr().err == ""

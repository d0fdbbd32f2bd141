"""Random requests over a socket: none makes the server fail, and none shows or changes what is somebody else's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sizes import sized
from tests.web.attacks.fuzz import attacked

NUMBER = sized(300, 3000)


@pytest.mark.slow
def test_random_requests_neither_break_nor_show_anything(tmp_path: Path) -> None:
    with attacked(tmp_path) as site:
        before = site.victim_state()
        site.fuzzer.run(NUMBER)
        assert site.fuzzer.faults == []
        assert site.victim_state() == before
        statuses = site.fuzzer.statuses
        assert sum(statuses.values()) == NUMBER
        assert {200, 303, 401, 404, 405, 409, 422} <= set(statuses), statuses  # it came as far as the tasks
        assert statuses[0] < NUMBER // 20
        assert '"level": "error"' not in site.log() and "Traceback" not in site.log()

"""Prepare a run of all tests on the core that `python -m bearleft.warmup` leaves idle; a failure costs only time.

Python compiles the tests, and numba what plans a city on another CPU (tests/world/city/test_determinism.py).
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

from tests.world.city.test_determinism import GENERIC_CPU, hash_in_subprocess


def main() -> None:
    """Collect all tests, then plan a city on the other CPU: both keep what they compile."""
    # Second, so that numba does not compile the same functions for both CPUs at a time and write the same files.
    subprocess.run([sys.executable, "-m", "pytest", "--collect-only", "-qq"], stdout=subprocess.DEVNULL, check=False)
    with suppress(AssertionError):
        hash_in_subprocess(sys.executable, **GENERIC_CPU)


if __name__ == "__main__":
    main()

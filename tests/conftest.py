"""Fixtures for all tests."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

if "PYTEST_XDIST_WORKER" in os.environ:
    # There is a process for every core: with more threads than one each, torch's wait for each other, and busily. What
    # bearleft would start by itself on other cores would only import and open again what is open here; tests of several
    # threads and processes ask for them.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("BEARLEFT_THREADS", "1")

import pytest
from hypothesis import settings

from bearleft.data import open_dataset
from bearleft.data.dataset import Dataset
from bearleft.records import Episode
from bearleft.runtime.compiled import CACHED
from bearleft.runtime.store import cache_folder
from tests.data.sample_files import make
from tests.sizes import FULL, sized, skip_slow

# Examples of a property whose test names no number.
settings.register_profile("bearleft", max_examples=sized(25, 100), deadline=None)
settings.load_profile("bearleft")
ROOT = Path(__file__).parents[1]
# Only a folder of compiled code that bearleft chose is named by a hash of all sources.
_compiled = Path(os.environ["NUMBA_CACHE_DIR"]) if CACHED else None
# A folder for what is expensive to compute and is kept for the next run of the same sources, or None.
PERSISTENT_CACHE = _compiled if _compiled and _compiled.parent == cache_folder() / "numba" else None
# The slowest files come first, so that at the end no process is left alone with one of them. Those that begin with what
# is visible in a city come behind others: whoever else needs that table while it is made would wait for it.
SLOW = (
    "test_docs.py",
    "test_wheel.py",
    "test_demo.py",
    "experiments/touchdown/test_small.py",
    "generate/test_datasets.py",
    "language",
    "bench/render/test_bench.py",
    "world/city/test_determinism.py",
    "browser/test_report.py",
    "browser/test_tiles.py",
    "world/city/test_real_streets.py",
    "world/render/test_gpu.py",
    "data/test_real.py",
    "browser",
    "world/test_targets.py",
    "experiments/test_texts.py",
    "training/pointing/test_resume.py",
    "world/tiles",
)
# The files of each row share what is to be made in one process only: cities with all that is seen there, or programs.
TOGETHER = (
    (
        "language",
        "agents/test_follower.py",
        "experiments/refer360/test_objects.py",
        "experiments/refer360/test_ablation.py",
    ),
    # One process forks their children.
    (
        "training/pointing/test_resume.py",
        "training/walking/test_resume.py",
        "training/reinforcement/test_resume.py",
        "training/reinforcement/test_walking_resume.py",
    ),
)

_FAILED = pytest.StashKey[bool]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not FULL:
        skip_slow(items)
    folder = Path(__file__).parent
    items.sort(key=lambda item: _turn(item.path.relative_to(folder).as_posix()))
    # Chromium is another program: on a busy machine of two cores it may crash, or stand still for longer than any wait.
    # As Playwright's own test runner advises for continuous integration, a test with a browser that fails is tried once
    # more. The summary lists it under RERUN, so that a test that needs this is seen and mended.
    for item in items:
        if _uses_browser(item):
            item.add_marker(pytest.mark.flaky(reruns=1))


def _uses_browser(item: pytest.Item) -> bool:
    """Return whether a test opens Chromium: by the fixture that is so named everywhere, or else by itself."""
    module = getattr(item, "module", None)
    opens_itself = hasattr(module, "chromium") and not hasattr(module, "browser")
    return opens_itself or "browser" in getattr(item, "fixturenames", ())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """End all fixtures but those of the session where a test with a browser has failed.

    A second try, and the next test, then get a new browser instead of one that has crashed, and a site without what the
    first try has left there; by itself, pytest-rerunfailures makes only fixtures of the function anew.
    """
    if item.get_closest_marker("flaky") and item.stash.get(_FAILED, False):
        item.stash[_FAILED] = False
        state: Any = item.session._setupstate
        state.teardown_exact(item.session)


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over all modules and tests, which stay until the end."""
    gc.collect()
    gc.freeze()


def _turn(path: str) -> int:
    return next((k for k, name in enumerate(SLOW) if path.startswith(name)), len(SLOW))


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    if config.getvalue("dist") != "loadfile":
        return None
    made: Any = import_module("xdist.scheduler").LoadFileScheduling(config, log)
    file_of = made._split_scope

    def together(test: str) -> str:
        file = str(file_of(test))
        return next((row[0] for row in TOGETHER if file.removeprefix("tests/").startswith(row)), file)

    made._split_scope = together
    return made


@pytest.fixture(scope="session")
def sample_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a small file of every format; nobody writes into it."""
    return make(tmp_path_factory.mktemp("made") / "data")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the real datasets: BEARLEFT_DATA, or ../shared/data beside the checkout."""
    folder = Path(os.environ.get("BEARLEFT_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("needs the real datasets: name their folder with BEARLEFT_DATA")
    return folder


@pytest.fixture(scope="session")
def released(real_data: Path) -> tuple[Dataset, list[Episode]]:
    """ArraMon's released tasks, read once: with what the reader noted, and as episodes."""
    if not (real_data / "arramon" / "val_unseen.json").exists():
        pytest.skip("needs ArraMon's val_unseen.json")
    dataset = open_dataset("arramon/val_unseen", real_data)
    return dataset, list(dataset)


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache folder that the processes of a test run share.

    Visibility tables are kept for the next run of the same sources, beside the compiled code of these sources. Compiled
    code and distances are those of the user's own cache folder.
    """
    folder = tmp_path_factory.getbasetemp().parent / "city-cache"
    folder.mkdir(exist_ok=True)
    if PERSISTENT_CACHE is not None:
        own = PERSISTENT_CACHE.parents[1]
        kept = {"visible": PERSISTENT_CACHE / "visible", "numba": own / "numba", "distances": own / "distances"}
        for name, target in kept.items():
            target.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                (folder / name).symlink_to(target, target_is_directory=True)
    return folder


@pytest.fixture(scope="session", autouse=True)
def _one_cache(shared_cache: Path) -> Iterator[None]:
    """Make what is visible in a city once for all tests, also for those that choose no cache folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BEARLEFT_CACHE", str(shared_cache))
        yield


@pytest.fixture
def city_cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make cities in the shared cache, and find datasets in no data folder."""
    monkeypatch.setenv("BEARLEFT_CACHE", str(shared_cache))
    monkeypatch.delenv("BEARLEFT_DATA", raising=False)

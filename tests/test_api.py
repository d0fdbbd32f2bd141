"""The public API: names of `bearleft` and of its packages, and their relation to the command line."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bearleft
from bearleft.cli import cli

ROOT = Path(__file__).parents[1]
REQUIRED = [
    *("Agent", "InputError", "metrics"),
    *("Assemble", "Collect", "Direction", "Episode", "Leg", "Point", "Pose", "Reach", "Trace"),
    *("evaluate", "load", "make_dataset", "open_world", "render", "report", "score", "train"),
]
# Commands whose function has another name, because theirs is one of Python's builtins, and groups of several functions.
RENAMED = {"eval": "evaluate", "map": "draw_map", "play": "run_server", "submit": "submit_files"}
GROUPS = {"data", "album", "paper", "cache", "serve", "models"}
IN_MODULES = {
    "bench": "bearleft.bench",
    "demo": "bearleft.demo",
    "doctor": "bearleft.doctor",
    "gather": "bearleft.cluster",
    "play": "bearleft.web.server",
    "submit": "bearleft.web.leaderboard.client",
}
PACKAGES = sorted(path.parent.name for path in (ROOT / "src" / "bearleft").glob("*/__init__.py"))


def needs_torch(name: str) -> None:
    if name in ("features", "train"):
        pytest.importorskip("torch")


@pytest.mark.parametrize("name", REQUIRED)
def test_public_names_are_listed_and_exist(name: str) -> None:
    needs_torch(name)
    assert name in bearleft.__all__ and name in dir(bearleft)
    assert getattr(bearleft, name) is not None


def test_dir_lists_exactly_all() -> None:
    assert dir(bearleft) == sorted(bearleft.__all__)


@pytest.mark.parametrize("name", sorted(set(bearleft.__all__) - {"__version__", "metrics"}))
def test_public_names_are_documented_and_keep_their_name(name: str) -> None:
    needs_torch(name)
    value = getattr(bearleft, name)
    assert value.__name__ == name and inspect.getdoc(value)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        _ = bearleft.evalute  # type: ignore[attr-defined]


@pytest.mark.slow
def test_public_names_survive_the_import_of_every_submodule() -> None:
    """A function whose name is also that of a submodule would be replaced by it on import."""
    code = (
        "import bearleft, importlib, pkgutil\n"
        "for name in ('bearleft.evaluation.evaluate', 'bearleft.evaluation.score', 'bearleft.reports.html.report',\n"
        "             'bearleft.cli', 'bearleft.world.visibility.visible'):\n"
        "    importlib.import_module(name)\n"
        "modules = {module.name for module in pkgutil.iter_modules(bearleft.__path__)}\n"
        "clashes = modules & set(bearleft.__all__) - {'metrics'}\n"
        "assert not clashes, clashes\n"
        "assert callable(bearleft.evaluate) and callable(bearleft.report) and callable(bearleft.score)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_star_import_and_type_checkers_see_the_same_names() -> None:
    source = (ROOT / "src" / "bearleft" / "__init__.py").read_text()
    for name in set(bearleft.__all__) - {"__version__"}:
        assert f"import {name} as {name}\n" in source, f"type checkers do not see bearleft.{name}"


@pytest.mark.parametrize("command", sorted(set(cli.commands) - GROUPS))
def test_every_command_has_a_public_function_of_its_name(command: str) -> None:
    needs_torch(command)
    name = RENAMED.get(command, command)
    module = importlib.import_module(IN_MODULES.get(command, "bearleft"))
    assert callable(getattr(module, name))
    source = (ROOT / "src" / "bearleft" / "cli" / f"{command}.py").read_text()
    imported = rf"from {re.escape(module.__name__)} import (.*, )?{name}\b"
    assert re.search(imported, source), f"cli/{command}.py does not call {module.__name__}.{name}"


@pytest.mark.parametrize("package", sorted(set(PACKAGES) - {"cli"}))
def test_every_package_exports_names_that_exist(package: str) -> None:
    module = importlib.import_module(f"bearleft.{package}")
    assert module.__doc__ and module.__all__, f"bearleft.{package} exports nothing"
    if package in ("models", "training"):
        pytest.importorskip("torch")
    for name in module.__all__:
        assert hasattr(module, name), f"bearleft.{package} has no {name}"
    assert set(module.__all__) <= set(dir(module))

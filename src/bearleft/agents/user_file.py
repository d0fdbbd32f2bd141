"""An agent of the user's own, from a Python file."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
import traceback
from pathlib import Path
from typing import cast

from bearleft.agents.agent import Agent
from bearleft.errors import InputError, nearest, shown
from bearleft.runtime.store import existing_file

WANTED = "a Python file with an agent"


def is_file(spec: str) -> bool:
    """Whether an agent's name is the path of a Python file."""
    return not spec.startswith("pipe:") and (spec.endswith(".py") or ".py:" in spec)


ONE, BATCH = ("begin", "act"), ("batch_size", "begin_batch", "act_batch")


def from_file(spec: str) -> Agent:
    """`my_agent.py` holds one class with `begin` and `act`; `my_agent.py:Name` says which where there are several.

    One that plays episodes in batches has a BatchAgent's methods instead.
    """
    path_text, _, name = spec.partition(".py:") if ".py:" in spec else (spec.removesuffix(".py"), "", "")
    path = existing_file(Path(f"{path_text}.py"), WANTED)
    module_name = f"bearleft_agent_{path.stem}"
    found = importlib.util.spec_from_file_location(module_name, path)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[module_name] = module
    if (beside := str(path.absolute().parent)) not in sys.path:
        sys.path.append(beside)  # so that an agent may import what lies beside it
    try:
        found.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise InputError(
            "a Python file that can be imported",
            shown(f"{type(error).__name__}: {error}"),
            file=str(path),
            line=last.lineno or 0 if last.filename == str(path) else 0,
        ) from error
    classes = {k: v for k, v in vars(module).items() if inspect.isclass(v) and v.__module__ == module_name}
    agents = {key: value for key, value in classes.items() if not _lacks(value)}
    if name:
        if name not in agents:
            raise InputError("an agent of this file", shown(name), file=str(path), hint=nearest(name, agents))
        return _made(agents[name], path)
    if len(agents) != 1:
        halves = [f"{key} without {_lacks(value)[0]}" for key, value in classes.items() if len(_lacks(value)) == 1]
        got = ", ".join(list(agents) or halves) or "none"
        hint = f"Type: {path}:NAME" if agents else "docs/own-agent.md has a short one."
        raise InputError("one class with begin and act", got, file=str(path), hint=hint)
    return _made(next(iter(agents.values())), path)


def _lacks(kind: type) -> list[str]:
    """The methods that a class needs to be an agent, and has not; one that plays in batches has others."""
    lacking = [[method for method in needed if not hasattr(kind, method)] for needed in (ONE, BATCH)]
    return min(lacking, key=len)


def _made(kind: type, path: Path) -> Agent:
    try:
        return cast(Agent, kind())
    except (Exception, SystemExit) as error:
        got = shown(f"{type(error).__name__}: {error}")
        raise InputError("an agent that can be made without arguments", got, file=str(path)) from error


def fingerprint(spec: str) -> str:
    """A few letters that change with the file's content, so that a run does not go on with another agent's traces."""
    path = Path(f"{spec.partition('.py')[0]}.py")
    return hashlib.sha256(existing_file(path, WANTED).read_bytes()).hexdigest()[:8]

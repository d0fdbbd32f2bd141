"""Load an agent from a Python file."""

from __future__ import annotations

import hashlib
import inspect
from pathlib import Path
from typing import cast

from bearleft.agents.agent import Agent
from bearleft.errors import InputError, format_value, suggest_name
from bearleft.runtime.store import existing_file
from bearleft.runtime.user_module import import_file

EXPECTED = "a Python file with an agent"
AGENT_METHODS, BATCH_AGENT_MEMBERS = ("begin", "act"), ("batch_size", "begin_batch", "act_batch")


def is_agent_file(spec: str) -> bool:
    """Return whether an agent's name is the path of a Python file."""
    return not spec.startswith(("pipe:", "llm:")) and (spec.endswith(".py") or ".py:" in spec)


def from_file(spec: str) -> Agent:
    """Import a Python file and return an instance of the agent class in it.

    Args:
        spec: Path of the file, such as `my_agent.py`; or `my_agent.py:Name` if the file has several agent classes. An
            agent class has the members of `Agent` or `BatchAgent`, and can be called without arguments.

    Raises:
        InputError: The file is missing or cannot be imported, or it does not have exactly one such class.
    """
    path_text, _, name = spec.partition(".py:") if ".py:" in spec else (spec.removesuffix(".py"), "", "")
    path = Path(f"{path_text}.py")
    module, _ = import_file(path, "agent", EXPECTED)
    classes = {k: v for k, v in vars(module).items() if inspect.isclass(v) and v.__module__ == module.__name__}
    agents = {key: value for key, value in classes.items() if not _missing_members(value)}
    if name:
        if name not in agents:
            raise InputError(
                "an agent of this file", format_value(name), file=str(path), hint=suggest_name(name, agents)
            )
        return _instantiate(agents[name], path)
    if len(agents) != 1:
        missing = {key: _missing_members(value) for key, value in classes.items()}
        incomplete = [f"{key} without {names[0]}" for key, names in missing.items() if len(names) == 1]
        got = ", ".join(list(agents) or incomplete) or "none"
        hint = f"Type: {path}:NAME" if agents else "docs/own-agent.md has a short example."
        raise InputError("one class with begin and act", got, file=str(path), hint=hint)
    return _instantiate(next(iter(agents.values())), path)


def _missing_members(cls: type) -> list[str]:
    """Return the members of `Agent`, or of `BatchAgent` if those are fewer, that a class does not have."""
    missing = [[name for name in names if not hasattr(cls, name)] for names in (AGENT_METHODS, BATCH_AGENT_MEMBERS)]
    return min(missing, key=len)


def _instantiate(cls: type, path: Path) -> Agent:
    try:
        return cast(Agent, cls())
    except (Exception, SystemExit) as error:
        got = format_value(f"{type(error).__name__}: {error}")
        raise InputError("an agent class that can be called without arguments", got, file=str(path)) from error


def agent_file_hash(spec: str) -> str:
    """Return 8 hexadecimal digits that change with the file, so that a run is not resumed with another agent."""
    path = Path(f"{spec.partition('.py')[0]}.py")
    return hashlib.sha256(existing_file(path, EXPECTED).read_bytes()).hexdigest()[:8]

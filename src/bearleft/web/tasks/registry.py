"""All tasks by kind. A new task is a module that is imported here."""

from __future__ import annotations

import bearleft.web.tasks.arramon
import bearleft.web.tasks.ndtw_study
import bearleft.web.tasks.play
import bearleft.web.tasks.refer360
import bearleft.web.tasks.touchdown  # noqa: F401
from bearleft.errors import unknown_name
from bearleft.web.tasks.base import REGISTERED, Task


def get_task(kind: str) -> Task:
    """Return the task of a kind of unit."""
    if kind not in REGISTERED:
        raise unknown_name("task", kind, REGISTERED)
    return REGISTERED[kind]


def task_kinds() -> tuple[str, ...]:
    """Return the kinds of all tasks."""
    return tuple(REGISTERED)

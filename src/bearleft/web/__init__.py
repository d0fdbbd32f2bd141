"""People in the browser: play, and collect data, on the same worlds, games, records and metrics as agents."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from bearleft.errors import InputError
from bearleft.runtime.extras import install_command
from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.web.app import create_app as create_app
    from bearleft.web.settings import Settings as Settings

_MODULES = {"Settings": "bearleft.web.settings", "create_app": "bearleft.web.app"}
PACKAGES = ("fastapi", "uvicorn", "sqlalchemy", "alembic", "jinja2", "argon2")


def require_web() -> None:
    """Raise InputError with the command to type if a package of the extra `web` is not installed."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise InputError(", ".join(PACKAGES), f"no {', '.join(missing)}", hint=f"Type: {install_command('web')}")


__all__ = [*sorted(_MODULES), "require_web"]

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

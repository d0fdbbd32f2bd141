"""Films of traces as GIF or MP4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.reports.film.film import FilmConfig as FilmConfig
    from bearleft.reports.film.film import find_episode as find_episode
    from bearleft.reports.film.film import find_trace as find_trace
    from bearleft.reports.film.film import write_film as write_film
    from bearleft.reports.film.layout import FrameLayout as FrameLayout
    from bearleft.reports.film.shots import Pace as Pace
    from bearleft.reports.film.shots import Shot as Shot

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "FilmConfig": "bearleft.reports.film.film",
    "FrameLayout": "bearleft.reports.film.layout",
    "Pace": "bearleft.reports.film.shots",
    "Shot": "bearleft.reports.film.shots",
    "find_episode": "bearleft.reports.film.film",
    "find_trace": "bearleft.reports.film.film",
    "write_film": "bearleft.reports.film.film",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

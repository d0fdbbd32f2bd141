"""Reports, films and pictures of traces and worlds.

`report` writes one HTML file with scores and every episode, `write_film` a film of one trace, `render` a picture of a
place, `draw_map` a map, `examples` pictures of episodes, and `heatmaps` the answers of several systems side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.reports.film.film import FilmConfig as FilmConfig
    from bearleft.reports.film.film import write_film as write_film
    from bearleft.reports.html.report import report as report
    from bearleft.reports.pictures.classes import contact_sheet as contact_sheet
    from bearleft.reports.pictures.examples import examples as examples
    from bearleft.reports.pictures.heatmaps import heatmaps as heatmaps
    from bearleft.reports.pictures.maps import MapConfig as MapConfig
    from bearleft.reports.pictures.maps import draw_map as draw_map
    from bearleft.reports.pictures.output import Written as Written
    from bearleft.reports.pictures.render import RenderConfig as RenderConfig
    from bearleft.reports.pictures.render import RenderResult as RenderResult
    from bearleft.reports.pictures.render import render as render

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "FilmConfig": "bearleft.reports.film.film",
    "MapConfig": "bearleft.reports.pictures.maps",
    "RenderConfig": "bearleft.reports.pictures.render",
    "RenderResult": "bearleft.reports.pictures.render",
    "Written": "bearleft.reports.pictures.output",
    "contact_sheet": "bearleft.reports.pictures.classes",
    "draw_map": "bearleft.reports.pictures.maps",
    "examples": "bearleft.reports.pictures.examples",
    "heatmaps": "bearleft.reports.pictures.heatmaps",
    "render": "bearleft.reports.pictures.render",
    "report": "bearleft.reports.html.report",
    "write_film": "bearleft.reports.film.film",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

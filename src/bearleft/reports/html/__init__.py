"""The HTML report; `bearleft.report` writes it.

Python writes the data of the page as JSON; the modules in `static/` are bundled into one script that shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.reports.html.data import examples_data as examples_data
    from bearleft.reports.html.data import summary_data as summary_data
    from bearleft.reports.html.loading import ReportData as ReportData
    from bearleft.reports.html.loading import load_report_data as load_report_data
    from bearleft.reports.html.maps import map_data as map_data
    from bearleft.reports.html.page import write_page as write_page
    from bearleft.reports.html.pictures import ReportPictures as ReportPictures
    from bearleft.reports.html.pictures import ReportWorlds as ReportWorlds
    from bearleft.reports.html.pictures import make_pictures as make_pictures
    from bearleft.reports.html.pictures import open_worlds as open_worlds
    from bearleft.reports.html.quality import Limits as Limits

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Limits": "bearleft.reports.html.quality",
    "ReportData": "bearleft.reports.html.loading",
    "ReportPictures": "bearleft.reports.html.pictures",
    "ReportWorlds": "bearleft.reports.html.pictures",
    "examples_data": "bearleft.reports.html.data",
    "load_report_data": "bearleft.reports.html.loading",
    "make_pictures": "bearleft.reports.html.pictures",
    "map_data": "bearleft.reports.html.maps",
    "open_worlds": "bearleft.reports.html.pictures",
    "summary_data": "bearleft.reports.html.data",
    "write_page": "bearleft.reports.html.page",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

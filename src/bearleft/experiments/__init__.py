"""Experiments of the papers: published tables and figures beside our own measurements.

`touchdown`, `refer360`, `arramon` and `ndtw` hold one paper each; the names below compare the texts of several.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.experiments.charts import draw_bars as draw_bars
    from bearleft.experiments.charts import draw_grouped_bars as draw_grouped_bars
    from bearleft.experiments.charts import draw_lines as draw_lines
    from bearleft.experiments.charts import histogram as histogram
    from bearleft.experiments.phenomena import phenomena_rows as phenomena_rows
    from bearleft.experiments.phenomena import phenomena_statistics as phenomena_statistics
    from bearleft.experiments.rows import comparison_rows as comparison_rows
    from bearleft.experiments.rows import statistics_rows as statistics_rows
    from bearleft.experiments.rows import three_way_rows as three_way_rows
    from bearleft.experiments.texts import common_nouns as common_nouns
    from bearleft.experiments.texts import length_statistics as length_statistics
    from bearleft.experiments.texts import our_texts as our_texts
    from bearleft.experiments.texts import real_texts as real_texts
    from bearleft.experiments.texts import texts_by_kind as texts_by_kind
    from bearleft.experiments.texts import token_counts as token_counts
    from bearleft.experiments.texts import vocabulary as vocabulary

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "common_nouns": "bearleft.experiments.texts",
    "comparison_rows": "bearleft.experiments.rows",
    "draw_bars": "bearleft.experiments.charts",
    "draw_grouped_bars": "bearleft.experiments.charts",
    "draw_lines": "bearleft.experiments.charts",
    "histogram": "bearleft.experiments.charts",
    "length_statistics": "bearleft.experiments.texts",
    "our_texts": "bearleft.experiments.texts",
    "phenomena_rows": "bearleft.experiments.phenomena",
    "phenomena_statistics": "bearleft.experiments.phenomena",
    "real_texts": "bearleft.experiments.texts",
    "statistics_rows": "bearleft.experiments.rows",
    "texts_by_kind": "bearleft.experiments.texts",
    "three_way_rows": "bearleft.experiments.rows",
    "token_counts": "bearleft.experiments.texts",
    "vocabulary": "bearleft.experiments.texts",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

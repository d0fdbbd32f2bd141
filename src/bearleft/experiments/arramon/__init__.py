"""ArraMon paper: tables and figures.

Which module reproduces what:

- `tables`: Tables 1 (lengths), 2 and 3 (baselines), 5 (turn by turn) and 6 (assembly after perfect navigation);
  the data of Figures 5, 6 and 9.
- `agents`: Tables 2, 3, 5 and 6 of trained agents: V/L, V/O, L/O and bearleft's own; real texts.
- `published`: printed numbers of Tables 2, 3, 5 and 6.
- `bearleft.experiments.phenomena`: Table 4 (linguistic phenomena).
- `bearleft.experiments.text_figures`: Figures 5 (common words), 6 (lengths) and 9 (rPOD) as pictures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.experiments.arramon.published import published_rows as published_rows
    from bearleft.experiments.arramon.tables import agent_rows as agent_rows
    from bearleft.experiments.arramon.tables import playable_agents as playable_agents
    from bearleft.experiments.arramon.tables import rpod_curve as rpod_curve

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "agent_rows": "bearleft.experiments.arramon.tables",
    "playable_agents": "bearleft.experiments.arramon.tables",
    "published_rows": "bearleft.experiments.arramon.published",
    "rpod_curve": "bearleft.experiments.arramon.tables",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

"""nDTW paper: tables, figures and the human study.

Which module reproduces what:

- `study`: Table 1 (sign tests of the human study), with questionnaires and the analysis of rankings.
- `tables`: Table 2 (R2R and R4R), measured for random agents and as published for trained ones.
- `agents`: Table 2 with trained agents: their training, tables of their walks, learning curves, and examples.
- `warping`: Figure 1 (alignment of two paths).
- `study_figures`: Figure 3 (pairs of paths by nDTW) and the pictures of the questionnaires.

Table 3 defines the metrics; they are in `bearleft.metrics`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.experiments.ndtw.study import PathSet as PathSet
    from bearleft.experiments.ndtw.study import Ranking as Ranking
    from bearleft.experiments.ndtw.study import path_sets as path_sets
    from bearleft.experiments.ndtw.study import read_rankings as read_rankings
    from bearleft.experiments.ndtw.study import sign_test_p as sign_test_p
    from bearleft.experiments.ndtw.study import sign_test_rows as sign_test_rows
    from bearleft.experiments.ndtw.study import spearman as spearman
    from bearleft.experiments.ndtw.study_figures import figure_3 as figure_3
    from bearleft.experiments.ndtw.study_figures import write_study as write_study
    from bearleft.experiments.ndtw.tables import ReferencePaths as ReferencePaths
    from bearleft.experiments.ndtw.tables import random_scores as random_scores
    from bearleft.experiments.ndtw.tables import reference_paths as reference_paths
    from bearleft.experiments.ndtw.tables import table_2 as table_2
    from bearleft.experiments.ndtw.warping import figure_1 as figure_1

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "PathSet": "bearleft.experiments.ndtw.study",
    "Ranking": "bearleft.experiments.ndtw.study",
    "ReferencePaths": "bearleft.experiments.ndtw.tables",
    "figure_1": "bearleft.experiments.ndtw.warping",
    "figure_3": "bearleft.experiments.ndtw.study_figures",
    "path_sets": "bearleft.experiments.ndtw.study",
    "random_scores": "bearleft.experiments.ndtw.tables",
    "read_rankings": "bearleft.experiments.ndtw.study",
    "reference_paths": "bearleft.experiments.ndtw.tables",
    "sign_test_p": "bearleft.experiments.ndtw.study",
    "sign_test_rows": "bearleft.experiments.ndtw.study",
    "spearman": "bearleft.experiments.ndtw.study",
    "table_2": "bearleft.experiments.ndtw.tables",
    "write_study": "bearleft.experiments.ndtw.study_figures",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

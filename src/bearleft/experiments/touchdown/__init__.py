"""Touchdown paper: tables, figures, and training of the systems of Table 4.

Which module reproduces what:

- `tables`: Tables 1 (workers), 2 (data), 4 (SDR), 5, 7 and 8 (navigation), measured for agents that do not learn;
  `published` has the printed numbers.
- `results`: Table 4 for trained systems in a generated city, from the predictions that `train` saves and `predictions`
  reads; `scoring` has its metrics, `markdown` writes it as a page.
- `bearleft.experiments.systems`: files, intervals and rows that Table 4 and `navigation` share.
- `navigation`: Tables 5, 7 and 8 and the complete task for trained walking agents in a generated city.
- `small`: Table 4's comparison of two networks at a size for a CPU.
- `bearleft.experiments.phenomena`: Tables 3 and 6 (linguistic phenomena).
- `bearleft.experiments.texts`: Figures 5 (lengths of texts) and 8 (common nouns).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.experiments.systems.table import SystemMetrics as SystemMetrics
    from bearleft.experiments.touchdown.predictions import SavedPredictions as SavedPredictions
    from bearleft.experiments.touchdown.predictions import read_folder as read_folder
    from bearleft.experiments.touchdown.predictions import read_predictions as read_predictions
    from bearleft.experiments.touchdown.predictions import save_predictions as save_predictions
    from bearleft.experiments.touchdown.results import ResultTable as ResultTable
    from bearleft.experiments.touchdown.small import SmallConfig as SmallConfig
    from bearleft.experiments.touchdown.small import SmallResult as SmallResult
    from bearleft.experiments.touchdown.small import small_experiment as small_experiment
    from bearleft.experiments.touchdown.tables import Release as Release
    from bearleft.experiments.touchdown.train import SystemRun as SystemRun
    from bearleft.experiments.touchdown.train import Table4Config as Table4Config
    from bearleft.experiments.touchdown.train import Table4Trainer as Table4Trainer
    from bearleft.experiments.touchdown.train import system_runs as system_runs
    from bearleft.experiments.touchdown.train import train_systems as train_systems

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Release": "bearleft.experiments.touchdown.tables",
    "ResultTable": "bearleft.experiments.touchdown.results",
    "SavedPredictions": "bearleft.experiments.touchdown.predictions",
    "SmallConfig": "bearleft.experiments.touchdown.small",
    "SmallResult": "bearleft.experiments.touchdown.small",
    "SystemMetrics": "bearleft.experiments.systems.table",
    "SystemRun": "bearleft.experiments.touchdown.train",
    "Table4Config": "bearleft.experiments.touchdown.train",
    "Table4Trainer": "bearleft.experiments.touchdown.train",
    "read_folder": "bearleft.experiments.touchdown.predictions",
    "read_predictions": "bearleft.experiments.touchdown.predictions",
    "save_predictions": "bearleft.experiments.touchdown.predictions",
    "small_experiment": "bearleft.experiments.touchdown.small",
    "system_runs": "bearleft.experiments.touchdown.train",
    "train_systems": "bearleft.experiments.touchdown.train",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

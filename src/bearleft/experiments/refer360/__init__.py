"""Refer360 paper: tables, figures, and training of the models of Tables 7 and 9.

Which module reproduces what:

- `tables`: Tables 2 (scenes), 4 (language), 5 (splits) and 7 (human followers); 9 and 10 as published.
- `objects`: Tables 3 and 6 (objects), Figures 6 and 7.
- `results`: Tables 7 and 9 for trained models, from the predictions that `train` saves; `levels` has their metrics.
- `ablation`: Table 7 in a generated city, for the rule-based parser.
- `bearleft.experiments.phenomena`: Table 8 (linguistic phenomena).
- `bearleft.experiments.text_figures`: Figure 3 (lengths of texts).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.experiments.refer360.levels import level_metrics as level_metrics
    from bearleft.experiments.refer360.objects import ObjectStudy as ObjectStudy
    from bearleft.experiments.refer360.objects import measure_objects as measure_objects
    from bearleft.experiments.refer360.objects import perplexity as perplexity
    from bearleft.experiments.refer360.results import SystemScores as SystemScores
    from bearleft.experiments.refer360.results import keep_last_sentences as keep_last_sentences
    from bearleft.experiments.refer360.train import Refer360Config as Refer360Config
    from bearleft.experiments.refer360.train import Refer360Trainer as Refer360Trainer
    from bearleft.experiments.refer360.train import train_models as train_models

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "ObjectStudy": "bearleft.experiments.refer360.objects",
    "Refer360Config": "bearleft.experiments.refer360.train",
    "Refer360Trainer": "bearleft.experiments.refer360.train",
    "SystemScores": "bearleft.experiments.refer360.results",
    "keep_last_sentences": "bearleft.experiments.refer360.results",
    "level_metrics": "bearleft.experiments.refer360.levels",
    "measure_objects": "bearleft.experiments.refer360.objects",
    "perplexity": "bearleft.experiments.refer360.objects",
    "train_models": "bearleft.experiments.refer360.train",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

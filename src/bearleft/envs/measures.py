"""Measures of played episodes: the metrics that `bearleft score` reports for each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bearleft.metrics.trace_columns import ColumnBuilder, EpisodeIndex
from bearleft.metrics.trace_values import compute_values
from bearleft.records import Episode, LegTrace, Trace
from bearleft.world.graphs.graph import Graph

NAME = "measures"  # of the dataset and the agent of traces that are measured at once


class EpisodeMeasures:
    """Computes the metrics of episodes, under the convention `paper`.

    Args:
        graphs: The graph of each world in which episodes walk.
    """

    def __init__(self, graphs: Mapping[str, Graph]) -> None:
        self.graphs = graphs
        self._places = EpisodeIndex.build(NAME, "", (), graphs).places

    def compute(self, episodes: Sequence[Episode], legs: Sequence[tuple[LegTrace, ...]]) -> list[dict[str, float]]:
        """Return the metrics of each episode by name; rates are from 0 to 1.

        A metric of several legs, such as ArraMon's, is the mean over those of the episode. Metrics of several episodes
        are left out.

        Args:
            episodes: The episodes.
            legs: What was done in the legs of each.
        """
        index = EpisodeIndex(
            NAME,
            "",
            {str(k): k for k in range(len(episodes))},
            [episode.world for episode in episodes],
            [tuple(type(leg.goal) for leg in episode.legs) for episode in episodes],
            self._places,
        )
        builder = ColumnBuilder(index)
        for k, played in enumerate(legs):
            row = Trace(str(k), NAME, NAME, played).to_json()
            assert isinstance(row, dict)
            builder.add(row)
        values = compute_values(builder.build(), episodes, self.graphs)
        measures: list[dict[str, float]] = [{} for _ in episodes]
        for metric, (traces, _) in values.legs.items():
            numbers = values.by_metric[metric].numbers
            for k in np.unique(traces).tolist():
                measures[k][metric] = float(np.mean(numbers[traces == k]))
        return measures

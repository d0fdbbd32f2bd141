"""Traces of ArraMon's tasks from the codes of actions that were taken in the vector environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from bearleft.envs.legs import EnvOptions
from bearleft.evaluation.play import repeat
from bearleft.metrics.trace_columns import ColumnBuilder, EpisodeIndex
from bearleft.metrics.trace_values import MetricValues, compute_values
from bearleft.records import Episode, LegTrace, Trace
from bearleft.world.arramon.moves import FORWARD, LEFT, PICK, PLACE, RIGHT

NAMES = ((FORWARD, LEFT, RIGHT, PICK), (FORWARD, LEFT, RIGHT, PLACE))  # of the codes, in the city and in the room


def played_legs(
    episodes: Sequence[Episode], codes: npt.NDArray[np.int8], options: EnvOptions | None = None
) -> Iterator[tuple[LegTrace, ...]]:
    """Yield the traces of tasks.

    Args:
        episodes: The tasks.
        codes: Codes of the actions (n, legs, t), negative behind the ends.
        options: The rules by which they were played.
    """
    for episode, rows in zip(episodes, codes.tolist(), strict=True):
        actions = [[NAMES[leg % 2][code] for code in row if code >= 0] for leg, row in enumerate(rows)]
        yield repeat(actions, episode, options=options)


def score_codes(
    episodes: Sequence[Episode], codes: npt.NDArray[np.int8], options: EnvOptions | None = None
) -> MetricValues:
    """Return the metrics of tasks from the codes of their actions; the arguments are those of `played_legs`."""
    builder = ColumnBuilder(EpisodeIndex.build("tasks", "", episodes, {}))
    for episode, legs in zip(episodes, played_legs(episodes, codes, options), strict=True):
        builder.add(Trace(episode.id, "tasks", "agent", legs, 0).to_json())
    return compute_values(builder.build(), episodes, {})


def means(values: MetricValues, names: Sequence[str]) -> Mapping[str, float]:
    """Return the mean of each metric over all turns."""
    return {name: float(values.by_metric[name].numbers.mean()) for name in names}

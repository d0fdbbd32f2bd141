"""Episodes in which the goal-oriented agent takes a short cut and the fidelity-oriented one follows the path.

Both succeed: SR does not tell them apart, nDTW does. Their traces are written for `bearleft report`. In R2R references
are shortest paths, so that short cuts are rare; R4R has them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bearleft.data import open_dataset
from bearleft.errors import InputError
from bearleft.experiments.ndtw.agents.results import open_scorer
from bearleft.experiments.ndtw.agents.runs import FIDELITY, GOAL
from bearleft.experiments.ndtw.agents.saved_walks import HINT, AgentWalks
from bearleft.experiments.systems.saved_results import episodes_with_results
from bearleft.experiments.systems.saved_walks import NAME, Ints
from bearleft.experiments.systems.scoring import PathScorer
from bearleft.records import to_json_line
from bearleft.runtime.store import write_text
from bearleft.types import DataFolder

MAX_SHORT_CUT, MIN_FOLLOWED = 0.5, 0.8  # nDTW of a short cut, and of a walk along the path
COUNT = 20  # episodes of a split


def write_examples(
    walks: Sequence[AgentWalks],
    folder: str | os.PathLike[str],
    data: DataFolder = None,
    count: int = COUNT,
) -> dict[str, list[str]]:
    """Write the traces of both agents in the episodes with the clearest short cuts of each split.

    Args:
        walks: Saved walks, as `read_walks_folder` returns them; the first seed that both agents have is taken.
        folder: The folder, which is made if it is missing.
        data: Folder of R2R.
        count: The largest number of episodes of a split.

    Returns:
        The two files of each split, by its name.

    Raises:
        InputError: No split has both agents, or there is no such episode.
    """
    written: dict[str, list[str]] = {}
    pairs = {name: pair for name in dict.fromkeys(one.dataset for one in walks) if (pair := _pair(walks, name))}
    if not pairs:
        found = ", ".join(sorted({f"{one.system} on {one.dataset}" for one in walks})) or "none"
        raise InputError(f"walks of the {GOAL} and the {FIDELITY} agent with the same seed", found, hint=HINT)
    for name, pair in pairs.items():
        dataset = open_dataset(name, data)
        scorer = open_scorer(name, episodes_with_results(name, list(dataset), pair, NAME), data)
        chosen = short_cuts(scorer, *pair)[:count]
        for one in pair if len(chosen) else ():
            rows = scorer.rows_of(one, NAME)[chosen].tolist()
            lines = (to_json_line(trace) + "\n" for trace in one.traces(scorer.graphs, dataset.sha256, rows))
            path = Path(folder) / f"{name.replace('/', '-')}-{one.system}.jsonl"
            write_text(path, "".join(lines))
            written.setdefault(name, []).append(str(path))
    if not written:
        expected = (
            f"a short cut to the goal (nDTW of at most {MAX_SHORT_CUT}) where the {FIDELITY} agent follows the path"
        )
        raise InputError(expected, f"none in {', '.join(pairs)}", "examples")
    return written


def _pair(walks: Sequence[AgentWalks], dataset: str) -> tuple[AgentWalks, AgentWalks] | None:
    """Return the walks of both agents with the first seed that both have; None if there is none."""
    by_key = {(one.system, one.seed): one for one in walks if one.dataset == dataset}
    for seed in sorted(seed for system, seed in by_key if system == GOAL):
        if (FIDELITY, seed) in by_key:
            return by_key[GOAL, seed], by_key[FIDELITY, seed]
    return None


def short_cuts(scorer: PathScorer, goal: AgentWalks, fidelity: AgentWalks) -> Ints:
    """Return the indices of the episodes in which both agents succeed, one by a shorter way and one along the path.

    The largest differences in nDTW come first; of the instructions of one path only the first is taken.
    """
    short, along = scorer.scores(goal), scorer.scores(fidelity)
    both = (short["SR"] > 0) & (along["SR"] > 0)
    found = np.flatnonzero(both & (short["nDTW"] <= MAX_SHORT_CUT) & (along["nDTW"] >= MIN_FOLLOWED))
    rows = scorer.rows_of(goal, NAME)
    is_shorter = [
        _metres(scorer, k, goal.places[int(rows[k])].tolist()) < _metres(scorer, k, scorer.routes[k].tolist())
        for k in found.tolist()
    ]
    found = found[np.array(is_shorter, np.bool_)]
    gaps = (along["nDTW"] - short["nDTW"])[found]
    first: dict[tuple[str, tuple[int, ...]], int] = {}
    for k in found[np.argsort(-gaps, kind="stable")].tolist():
        first.setdefault((scorer.worlds[k], tuple(scorer.routes[k].tolist())), k)
    return np.array(list(first.values()), np.int64)


def _metres(scorer: PathScorer, index: int, places: Sequence[int]) -> float:
    """Return the length of a walk in the world of an episode."""
    positions = scorer.graphs[scorer.worlds[index]].positions[np.array(places, np.int64)]
    return float(np.linalg.norm(np.diff(positions, axis=0), axis=1).sum())

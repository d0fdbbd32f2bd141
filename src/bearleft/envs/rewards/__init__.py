"""Rewards of walks by name: for success, for progress, and for fidelity to the reference.

| name               | at each step                    | at the end                                             |
| ------------------ | ------------------------------- | ------------------------------------------------------ |
| `success`          | 0                               | 1 for a stop at the goal or next to it, else 0         |
| `goal`             | how much closer the goal is now | 1 for a stop within the threshold of the goal, else -1 |
| `fidelity`         | the gain in nDTW                | 1 - distance / threshold for such a stop, else 0       |
| `sdtw`             | the gain in SDTW                | 0                                                      |
| `cls`              | the gain in CLS                 | as `fidelity`                                          |
| `distance_to_goal` | how much closer, from -1 to 1   | 4 at the goal, else -4, without the step's reward      |
| `dense_dtw`        | the reduction of DTW            | 0                                                      |
| `streetview`       | how much closer, less 0.2       | 1 for a stop at the goal, -1 for a stop elsewhere      |

`goal` and `fidelity` are those of the nDTW paper (section 3.2); the last three are those that VALAN, the framework of
its authors, was released with. Distances are those of the convention `paper`: hops with a threshold of 1 in streets,
metres with a threshold of 3 in buildings.

- `definitions`: the rewards, as functions of what is known before and after a step
- `progress`: what is known, updated step by step for a batch of walks, as numpy arrays or torch tensors
- `tracking`: the rewards of the walkers of an environment
- `wrappers`: Gymnasium wrappers that give any Reach environment any of them
"""

from __future__ import annotations

from bearleft.envs.rewards.definitions import (
    REWARD_NAMES,
    REWARDS,
    SUCCESS,
    Reward,
    Transition,
    WalkRewards,
    find_reward,
)
from bearleft.envs.rewards.progress import COVERAGE, DTW, DistanceTable, Progress, Walks, goal_distances

__all__ = [
    "COVERAGE",
    "DTW",
    "REWARDS",
    "REWARD_NAMES",
    "SUCCESS",
    "DistanceTable",
    "Progress",
    "Reward",
    "Transition",
    "WalkRewards",
    "Walks",
    "find_reward",
    "goal_distances",
]

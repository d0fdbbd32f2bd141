"""Long work on several machines: shares of shards in plain shells or Slurm, tasks on a Ray cluster, and joining.

`run_share` computes one of N equal shares of the shards, `run_on_ray` all of them as Ray tasks, and `gather` verifies
and joins them. The bytes of the result do not depend on who computed which shard.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.cluster.jobs import gather as gather
    from bearleft.cluster.jobs import run_share as run_share
    from bearleft.cluster.ray_tasks import RayOptions as RayOptions
    from bearleft.cluster.ray_tasks import run_on_ray as run_on_ray
    from bearleft.runtime.shards import JobSpec as JobSpec
    from bearleft.runtime.shards import Share as Share

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "JobSpec": "bearleft.runtime.shards",
    "RayOptions": "bearleft.cluster.ray_tasks",
    "Share": "bearleft.runtime.shards",
    "gather": "bearleft.cluster.jobs",
    "run_on_ray": "bearleft.cluster.ray_tasks",
    "run_share": "bearleft.cluster.jobs",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

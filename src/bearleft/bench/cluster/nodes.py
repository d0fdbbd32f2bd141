"""A Ray cluster of several nodes on this machine, for measurements and tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from bearleft.cluster.ray_tasks import import_ray

STORE_BYTES = 80 * 2**20  # of the object store of a node: paths only
# By default nodes are asked for their health so rarely that work waits long for one that is gone, and workers run with
# niceness 15, behind everything else on the machine.
SETTINGS = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 1000,
    "health_check_failure_threshold": 3,
    "worker_niceness": 0,
}


@contextmanager
def local_cluster(nodes: int = 2) -> Iterator[Any]:
    """Start a head without cores and nodes with one core each; yield the `ray.cluster_utils.Cluster`.

    Args:
        nodes: The number of nodes.
    """
    import_ray()
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": STORE_BYTES, "_system_config": SETTINGS}
    cluster: Any = Cluster(initialize_head=True, head_node_args=head)
    try:
        for _ in range(nodes):
            add_node(cluster)
        yield cluster
    finally:
        cluster.shutdown()


def add_node(cluster: Any) -> None:
    """Add a node with one core to a cluster."""
    cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES)


def object_store_bytes(address: str) -> int:
    """Return the used bytes of the object stores of all nodes.

    Args:
        address: HOST:PORT of the cluster.
    """
    api: Any = import_module("ray._private.internal_api")  # what `ray memory` prints
    return int(api.get_memory_info_reply(api.get_state_from_address(address)).store_stats.object_store_bytes_used)

"""Train a network on the nodes of a Ray cluster: one process of `bearleft train` per GPU, as torchrun starts them.

python examples/cluster/train_on_ray.py 8 auto lingunet city/sdr/train -o /shared/run --device cuda --batch-size 80

The first two arguments are the number of processes and the cluster's address, the others those of `bearleft train`. Its
folder lies where all nodes see it. If a process or a node is lost, the others are ended; run the same command again to
resume.
"""

import os
import socket
import subprocess
import sys

import ray
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy


def free_address():
    """Return host and free port of the node on which the first process will run."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        return ray.util.get_node_ip_address(), probe.getsockname()[1]


def train(arguments, rank, processes, host, port, folder):
    """Run one process of the training; each sees its own GPU only, so its local rank is 0."""
    group = {"RANK": rank, "WORLD_SIZE": processes, "LOCAL_RANK": 0, "MASTER_ADDR": host, "MASTER_PORT": port}
    environment = {**os.environ, **{name: str(value) for name, value in group.items()}}
    command = [sys.executable, "-m", "bearleft", "train", *arguments]
    ended = subprocess.run(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(f"process {rank} of {processes} failed: {ended.stderr[-2000:]}")


def main(processes, address, arguments):
    """Start the processes together, and wait for all of them."""
    ray.init(address=address, log_to_driver=False)
    bundle = {"CPU": 1, "GPU": 1} if "cuda" in arguments else {"CPU": 1}
    group = placement_group([bundle] * processes)  # all or none: a part of the processes would wait for the others
    ray.get(group.ready())

    def on(rank):
        strategy = PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=rank)
        return {
            "num_cpus": 1,
            "num_gpus": bundle.get("GPU", 0),
            "max_retries": 0,
            "scheduling_strategy": strategy,
        }

    host, port = ray.get(ray.remote(free_address).options(**on(0)).remote())
    tasks = [
        ray.remote(train).options(**on(rank)).remote(arguments, rank, processes, host, port, os.getcwd())
        for rank in range(processes)
    ]
    try:
        waiting = tasks
        while waiting:
            ready, waiting = ray.wait(waiting)
            ray.get(ready)
    finally:
        for task in tasks:
            ray.cancel(task, force=True)
        remove_placement_group(group)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])

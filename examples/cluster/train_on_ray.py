"""Train a network on the nodes of a Ray cluster: a process of `bearleft train` for each GPU, as torchrun starts them.

python examples/cluster/train_on_ray.py 8 auto lingunet city/sdr/train -o /shared/run --device cuda --batch-size 80

The first two arguments are the number of processes and the address of the cluster, the others those of `bearleft
train`. Its folder lies where all nodes see it. If a process or a node is lost, the others are ended; run the same
command again to resume.
"""

import os
import socket
import sys

import ray
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy


def free_address():
    """Return the host of this node and a free port."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        return ray.util.get_node_ip_address(), probe.getsockname()[1]


def train(arguments, rank, processes, address, folder):
    """Run one process of the training; it sees its own GPU only, so its local rank is 0."""
    host, port = address
    group = {"RANK": rank, "WORLD_SIZE": processes, "LOCAL_RANK": 0, "MASTER_ADDR": host, "MASTER_PORT": port}
    os.environ.update({name: str(value) for name, value in group.items()})
    os.chdir(folder)
    from bearleft.cli import cli

    cli.main(["train", *arguments], standalone_mode=False)


def main(processes, address, arguments):
    """Start all processes together, and wait for them."""
    ray.init(address=address)
    gpus = int("cuda" in arguments)
    # All or none: some of the processes would wait for the others without end.
    group = placement_group([{"CPU": 1, "GPU": gpus} if gpus else {"CPU": 1}] * processes)
    ray.get(group.ready())

    def start(function, rank, *values):
        place = PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=rank)
        options = {"num_cpus": 1, "num_gpus": gpus, "max_retries": 0, "max_calls": 1, "scheduling_strategy": place}
        return ray.remote(**options)(function).remote(*values)

    rendezvous = ray.get(start(free_address, 0))
    waiting = [start(train, rank, arguments, rank, processes, rendezvous, os.getcwd()) for rank in range(processes)]
    try:
        while waiting:
            ready, waiting = ray.wait(waiting)
            ray.get(ready)  # raises what a process raised
    finally:
        for process in waiting:
            ray.cancel(process, force=True)
        remove_placement_group(group)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])

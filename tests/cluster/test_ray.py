"""Shards as tasks of a local Ray cluster of several nodes: the bytes of one process, also while nodes are killed."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bearleft import evaluate, make_dataset, visible
from bearleft.bench.cluster.nodes import add_node, local_cluster
from bearleft.cluster import ray_tasks
from bearleft.cluster.ray_tasks import RayOptions, RayTasks, check_address, import_ray, run_on_ray
from bearleft.data import load, write
from bearleft.errors import InputError
from bearleft.runtime.shards import JobSpec
from bearleft.world.album.write import AlbumConfig, write_album
from tests.cluster.test_jobs import EVAL, WORKS, Work, hashes
from tests.commands import run_command
from tests.sizes import sized

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install -e '.[cluster]'")
pytestmark = [
    pytest.mark.usefixtures("city_cache"),
    pytest.mark.filterwarnings("ignore"),  # of Ray's own sockets and processes
]
KILLS = sized(2, 20)
LONGEST_SLEEP = 0.5  # seconds before a kill
# Work with enough shards for all kills.
CITY, SMALL, SIZE = sized("city/3/4x5", "city/0"), AlbumConfig((32, 16), samples=1), 200
ALBUM = {**asdict(SMALL), "light": list(asdict(SMALL.light).values())}
LARGE = {
    "render": Work(
        "render",
        {"world": CITY, "config": ALBUM, "city": None, "places": None, "data": None},
        lambda output: write_album(output, CITY, SMALL),
    ),
    "visible": Work("visible", {"world": CITY, "width": 32}, lambda output: visible(CITY, output, 32)),
    "data make": Work(
        "data make",
        {"dataset": "city/sdr", "splits": ["dev", "dev_unseen"], "size": SIZE, "world": "city/3/4x5"},
        lambda output: make_dataset(
            "city/sdr", ["dev", "dev_unseen"], SIZE, world="city/3/4x5", out=output, processes=1
        ),
    ),
}


def many_walks(path: Path) -> Work:
    """A run on a file of episodes with enough shards for all kills."""
    episodes = [replace(e, id=f"{k}-{e.id}") for k in range(sized(1, 8)) for e in load("town/dev")]
    write("jsonl", episodes, path)
    return Work("eval", {**EVAL, "dataset": str(path)}, lambda output: evaluate("random", str(path), output))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of a head without cores and two nodes with one core each; this program is connected to it."""
    ray = import_ray()
    with local_cluster() as made:
        ray.init(address=made.address, log_to_driver=False, logging_level="error")
        yield made
        ray.shutdown()


@needs_ray
@pytest.mark.parametrize("name", sized(["eval", "render"], ["eval", *LARGE]))
def test_nodes_killed_at_random_moments_change_no_byte(name: str, cluster: Any, tmp_path: Path) -> None:
    work, rng = LARGE.get(name) or many_walks(tmp_path / "walks.jsonl"), random.Random(name)
    suffix = ".jsonl" if work.kind == "eval" else ""
    work.plain(tmp_path / f"plain{suffix}")
    killed = 0

    def kill(_label: str, done: int, total: int) -> None:
        """Kill a node while it works, some time after a shard was finished, and add another one."""
        nonlocal killed
        if killed < KILLS and done < total and rng.random() < 0.8:
            time.sleep(rng.uniform(0, LONGEST_SLEEP))
            killed += 1
            nodes = sorted(cluster.worker_nodes, key=lambda node: node.unique_id)
            cluster.remove_node(rng.choice(nodes), allow_graceful=False)
            add_node(cluster)

    for run in range(KILLS):  # the work is done again until there were enough
        spec = JobSpec(work.kind, str(tmp_path / f"sharded-{run}{suffix}"), work.options)
        run_on_ray(spec, RayOptions("auto"), kill)
        assert hashes(Path(spec.output)) == hashes(tmp_path / f"plain{suffix}")
        assert not spec.manifest.exists()
        if killed == KILLS:
            break
    assert killed == KILLS


@needs_ray
@pytest.mark.usefixtures("cluster")
def test_an_interrupted_driver_resumes(tmp_path: Path) -> None:
    work = WORKS["eval"]
    work.plain(tmp_path / "plain.jsonl")
    output = tmp_path / "sharded.jsonl"

    def interrupt(_label: str, done: int, _total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_on_ray(work.spec(output), RayOptions("auto"), interrupt)
    assert not output.exists() and len(list((tmp_path / "sharded.jsonl.shards").glob("*.jsonl"))) >= 3
    first: list[int] = []
    run_on_ray(work.spec(output), RayOptions("auto"), lambda *report: first.append(report[2]))
    assert first[0] <= 4  # of 7 shards
    assert hashes(output) == hashes(tmp_path / "plain.jsonl")


@needs_ray
@pytest.mark.usefixtures("cluster")
def test_what_no_node_has_is_refused(tmp_path: Path) -> None:
    spec = WORKS["eval"].spec(tmp_path / "traces.jsonl")
    for options in (RayOptions("auto", cpus=2), RayOptions("auto", gpus=1), RayOptions("auto", memory=1e6)):
        with pytest.raises(InputError, match=r"expected a node with .*, got 1 cores and 0 GPUs"):
            run_on_ray(spec, options)
    assert not list(tmp_path.iterdir())


@needs_ray
@pytest.mark.usefixtures("cluster")
def test_errors_of_the_user_are_not_tried_again(tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text("class Agent:\n    def act(self, observation):\n        return 7\n")
    options = {**WORKS["eval"].options, "agent": str(agent), "limit": 20}
    with pytest.raises((InputError, RuntimeError), match="act"):
        run_on_ray(JobSpec("eval", str(tmp_path / "traces.jsonl"), options), RayOptions("auto"))


def test_absent_or_old_ray_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr(ray_tasks, "find_spec", lambda _: None)
    code, _, err = run_command(capsys, "eval", "stop", "town/dev", "-o", tmp_path / "x.jsonl", "--ray")
    assert code == 2 and "expected Ray, got none in this installation. Type: pip install -e '.[cluster]'" in err
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(ray_tasks, "find_spec", lambda _: True)
    monkeypatch.setitem(__import__("sys").modules, "ray", SimpleNamespace(__version__="1.13.0"))
    with pytest.raises(InputError, match=r"expected Ray 2\.9 or newer, got 1\.13\.0\. Type: pip install"):
        import_ray()


@pytest.mark.parametrize("address", ["x", "ray://host:10001", "host:", "host:123456", "http://host:80/a"])
def test_texts_that_are_no_address_are_refused(address: str) -> None:
    with pytest.raises(InputError, match="expected the address of a Ray cluster"):
        check_address(address)


def test_an_address_that_does_not_answer_is_one_line() -> None:
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(InputError, match=r"got no answer from 127\.0\.0\.1:.*Start one with `ray start --head`"):
            check_address(f"127.0.0.1:{taken.getsockname()[1]}")


class FakeRay:
    """A cluster of one node whose tasks fail as often as they are told to."""

    class exceptions:  # noqa: N801
        class RayError(Exception):
            pass

    def __init__(self, failures: int) -> None:
        self.failures, self.most, self.open = failures, 0, 0

    def remote(self, _: Any) -> Any:
        return self

    def options(self, **_: Any) -> Any:
        return SimpleNamespace(remote=self.submit)

    def submit(self, shard: str, *_: Any) -> tuple[str, float]:
        self.open += 1
        self.most = max(self.most, self.open)
        return shard, random.random()

    def nodes(self) -> list[dict[str, Any]]:
        return [{"Alive": True, "Resources": {"CPU": 2.0}}]

    def wait(self, references: list[Any], **_: Any) -> tuple[list[Any], list[Any]]:
        return references[-1:], references[:-1]

    def get(self, reference: tuple[str, float]) -> str:
        self.open -= 1
        if self.failures:
            self.failures -= 1
            raise self.exceptions.RayError("the node died")
        return reference[0]


def test_lost_tasks_are_tried_again_and_few_are_in_flight() -> None:
    shards = [f"places-{k:05d}" for k in range(40)]
    ray = FakeRay(failures=7)
    tasks = RayTasks(ray, JobSpec("visible", "table", {}), {"num_cpus": 1.0})
    assert sorted(tasks.execute(shards)) == shards
    assert ray.most == 4  # two for each core
    assert max(tasks.attempts.values()) <= ray_tasks.MAX_ATTEMPTS


def test_a_shard_that_always_fails_ends_the_work() -> None:
    tasks = RayTasks(FakeRay(failures=10**9), JobSpec("visible", "table", {}), {"num_cpus": 1.0})
    with pytest.raises(RuntimeError, match="shard places-00000 failed 8 times, the last time by: the node died"):
        list(tasks.execute(["places-00000"]))

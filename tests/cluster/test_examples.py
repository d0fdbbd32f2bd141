"""The scripts of examples/cluster; programs of Slurm are replaced by others that run the commands here."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bearleft import evaluate
from bearleft.bench.cluster.nodes import local_cluster

EXAMPLES = Path(__file__).parents[2] / "examples" / "cluster"
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install -e '.[cluster]'")
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs torch: pip install -e '.[learn]'")
pytestmark = [
    pytest.mark.usefixtures("city_cache"),
    pytest.mark.filterwarnings("ignore"),  # of Ray's own sockets and processes
]
LIMIT = 20  # episodes: two shards
# Each writes its arguments down. sbatch runs the tasks of an array one after another; a dependent job needs the former.
STUBS = {
    "sbatch": """
        job=$(($(wc -l <"$CALLS") + 1)); array=
        printf 'sbatch %s\\n' "$*" >>"$CALLS"
        while (($#)); do
            case $1 in
                --array=1-*) array=${1#--array=1-} ;;
                --dependency=afterok:*) [[ -e $CALLS.${1##*:} ]] || exit 1 ;;
                --wrap) command=$2 ;;
            esac
            shift
        done
        export SLURM_JOB_ID=$job
        if [[ $array ]]; then
            for k in $(seq "$array"); do
                SLURM_ARRAY_TASK_ID=$k SLURM_ARRAY_TASK_COUNT=$array bash -c "$command" >&2 || exit 1
            done
        else
            bash -c "$command" >&2 || exit 1
        fi
        touch "$CALLS.$job"
        echo "$job;cluster"
    """,
    "srun": """
        printf 'srun %s\\n' "$*" >>"$CALLS"
        while [[ $1 == --* ]]; do shift 2; done
        pids=(); for k in $(seq "$SLURM_JOB_NUM_NODES"); do "$@" & pids+=($!); done
        for pid in "${pids[@]}"; do wait "$pid" || exit 1; done
    """,
    "scontrol": "echo localhost; echo other",
    "ssh": """
        printf 'ssh %s\\n' "$1" >>"$CALLS"
        cd / && exec bash -c "$2"
    """,
    "ray": """
        printf 'ray %s\\n' "$*" >>"$CALLS"
        while [[ $1 != -- ]]; do shift; done
        cd / && shift && exec "$@"
    """,
    "torchrun": """
        printf 'torchrun %s\\n' "$*" >>"$CALLS"
    """,
}


def run_example(
    name: str, folder: Path, arguments: Sequence[object], stubs: Sequence[str] = (), **variables: str
) -> tuple[int, str, list[str]]:
    """Run a script in a folder; return its exit code, what it said, and the calls of replaced programs."""
    programs, calls = folder / "programs", folder / "calls"
    programs.mkdir(exist_ok=True)
    calls.touch()
    for stub in stubs:
        (programs / stub).write_text(f"#!/usr/bin/env bash\n{STUBS[stub]}")
        (programs / stub).chmod(0o755)
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "CALLS": str(calls), "BEARLEFT_THREADS": "1", **variables}
    script = EXAMPLES / name
    program = [sys.executable] if script.suffix == ".py" else ["bash"]
    ended = subprocess.run(
        [*program, str(script), *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr, calls.read_text().splitlines()


def walks(output: str) -> tuple[str, ...]:
    return (output, "eval", "random", "town/dev", "--limit", str(LIMIT))


def check_walks(output: Path) -> None:
    plain = output.parent / "plain.jsonl"
    evaluate("random", "town/dev", plain, limit=LIMIT)
    assert output.read_bytes() == plain.read_bytes()


def test_shells_share_the_work(tmp_path: Path) -> None:
    code, said, _ = run_example("shells.sh", tmp_path, (2, *walks("traces.jsonl")))
    assert code == 0, said
    check_walks(tmp_path / "traces.jsonl")


def test_a_shell_that_fails_joins_nothing(tmp_path: Path) -> None:
    code, said, _ = run_example("shells.sh", tmp_path, (2, "traces.jsonl", "eval", "nobody", "town/dev"))
    assert code == 1 and "2 of 2 shells failed. Run the same command again" in said
    code, said, _ = run_example("shells.sh", tmp_path, (2, "traces.jsonl"))
    assert code == 2 and "expected SHARES OUTPUT COMMAND..., got: 2 traces.jsonl" in said


@pytest.mark.slow
def test_shells_on_other_hosts(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    code, said, calls = run_example("shells.sh", folder, (2, *walks("traces.jsonl")), ["ssh"], HOSTS="node1 node2")
    assert code == 0, said
    assert sorted(calls) == ["ssh node1", "ssh node2"]
    check_walks(folder / "traces.jsonl")


def test_a_job_array_and_its_dependent_job(tmp_path: Path) -> None:
    code, said, calls = run_example("slurm_array.sh", tmp_path, (2, *walks("my traces.jsonl")), ["sbatch"])
    assert code == 0 and "Submitted 2 shares as job 1, and joining as job 2." in said, said
    first, second = (shlex.split(call) for call in calls)
    assert {"--array=1-2", "--requeue"} <= set(first) and "--dependency=afterok:1" in second
    check_walks(tmp_path / "my traces.jsonl")


def test_slurm_starts_torchrun_on_every_node(tmp_path: Path) -> None:
    slurm = {"SLURM_JOB_NODELIST": "node[1-2]", "SLURM_JOB_NUM_NODES": "2", "SLURM_GPUS_ON_NODE": "4"}
    slurm |= {"SLURM_JOB_ID": "7", "SLURM_CPUS_PER_TASK": "32"}
    arguments = ("lingunet", "city/sdr/train", "-o", "run", "--device", "cuda")
    code, said, calls = run_example("slurm_train.sh", tmp_path, arguments, ["scontrol", "srun", "torchrun"], **slurm)
    assert code == 0, said
    started = "torchrun --nnodes 2 --nproc_per_node 4 --rdzv_id 7 --rdzv_backend c10d --rdzv_endpoint localhost:29500"
    assert calls[1:] == [f"{started} -m bearleft train lingunet city/sdr/train -o run --device cuda"] * 2
    assert calls[0].startswith("srun --cpus-per-task 32 torchrun")


TINY = (
    "lingunet",
    "city/sdr/small",
    "--size",
    "116x200",
    "--limit",
    "16",
    "--epochs",
    "1",
    "--set",
    "width=4",
)


@pytest.mark.slow
@needs_torch
def test_slurm_trains_on_two_nodes(tmp_path: Path, free_port: int) -> None:
    slurm = {"SLURM_JOB_NODELIST": "node[1-2]", "SLURM_JOB_NUM_NODES": "2", "SLURM_GPUS_ON_NODE": "1"}
    slurm |= {"SLURM_JOB_ID": "7", "SLURM_CPUS_PER_TASK": "1", "RDZV_PORT": str(free_port)}
    arguments = (*TINY, "-o", "run")
    code, said, _ = run_example("slurm_train.sh", tmp_path, arguments, ["scontrol", "srun"], **slurm)
    assert code == 0, said
    assert (tmp_path / "run" / "best.pt").exists()


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def cluster() -> Any:
    with local_cluster() as made:
        yield made


@pytest.mark.slow
@needs_ray
def test_a_job_of_a_ray_cluster(tmp_path: Path, cluster: Any) -> None:
    output, *command = walks("traces.jsonl")
    arguments = ("http://head:8265", tmp_path, *command, "-o", output)
    code, said, calls = run_example("ray_job.sh", tmp_path, arguments, ["ray"], RAY_ADDRESS=cluster.address)
    assert code == 0, said
    assert calls[0].startswith("ray job submit --address http://head:8265 --no-wait -- bash -c cd ")
    check_walks(tmp_path / "traces.jsonl")


@pytest.mark.slow
@needs_ray
@needs_torch
def test_training_on_the_nodes_of_a_ray_cluster(tmp_path: Path, cluster: Any) -> None:
    arguments = (2, cluster.address, *TINY, "-o", "run")
    code, said, _ = run_example("train_on_ray.py", tmp_path, arguments)
    assert code == 0, said
    assert (tmp_path / "run" / "best.pt").exists()
    wrong = (2, cluster.address, "lingunt", *TINY[1:], "-o", "other")
    code, said, _ = run_example("train_on_ray.py", tmp_path, wrong)
    assert code != 0 and "Did you mean lingunet" in said

"""The same seed gives the same city in every process, with any number of threads, Python version and CPU."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bearleft.world.city.city import build_plan
from bearleft.world.city.plan import Draft, Plan
from bearleft.world.city.stages import STAGES
from bearleft.world.city.streets import city_graph
from bearleft.world.worlds import town_graph
from tests.sizes import sized, some

# Hash of the plan of city_graph(0, 3, 3) with seed 0. A change of a stage, model size, name or colour may change it. If
# the change is intended, update the hash and mention in the changelog that all cities have changed.
EXPECTED_HASH = "4d6e3c71d70c94c5cc73b6f20a762dad8ef123a549cd467429029a371f45ab00"

SOURCES = Path(__file__).parents[3] / "src"
SCRIPT = """
from bearleft.world.city.city import build_plan
from bearleft.world.city.streets import city_graph
print(build_plan(city_graph(0, 3, 3), 0).hash)
"""
OTHER_PYTHONS = sorted({"3.11", "3.12", "3.13"} - {f"{sys.version_info.major}.{sys.version_info.minor}"})
# Without fused multiply-add and SIMD instructions.
GENERIC_CPU = {
    "NUMBA_CPU_NAME": "generic",
    "NPY_DISABLE_CPU_FEATURES": "FMA3 AVX2 AVX512F AVX512CD AVX512_SKX",
}


@cache
def planned(seed: int = 0) -> Plan:
    return build_plan(city_graph(0, 3, 3), seed)


def hash_in_subprocess(python: str, **environment: str) -> str:
    """Return the hash of the plan in another process."""
    variables = {**os.environ, "PYTHONPATH": str(SOURCES), **environment}
    process = subprocess.run([python, "-c", SCRIPT], env=variables, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


def test_plan_hash_is_unchanged() -> None:
    assert planned().hash == EXPECTED_HASH


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    some([{"PYTHONHASHSEED": "4242", "BEARLEFT_THREADS": "5"}, {"PYTHONHASHSEED": "1", "BEARLEFT_THREADS": "1"}], 1),
    ids=lambda environment: f"{environment['BEARLEFT_THREADS']} threads",
)
def test_other_processes_plan_the_same_city(environment: dict[str, str]) -> None:
    assert hash_in_subprocess(sys.executable, **environment) == planned().hash


@pytest.mark.slow
def test_generic_cpu_plans_the_same_city() -> None:
    assert hash_in_subprocess(sys.executable, **GENERIC_CPU) == planned().hash


@pytest.mark.parametrize("version", OTHER_PYTHONS)
def test_other_pythons_plan_the_same_city(version: str) -> None:
    python = shutil.which(f"python{version}")
    needed = "import numba, numpy, platformdirs"
    if not python or subprocess.run([python, "-c", needed], capture_output=True, check=False).returncode:
        pytest.skip(f"needs a python{version} with numba, numpy and platformdirs")
    assert hash_in_subprocess(python) == planned().hash


@pytest.mark.slow
def test_different_seeds_give_different_cities() -> None:
    streets, other = planned(0), planned(1)
    assert streets.hash != other.hash
    things, other_things = (
        {(int(thing["kind"]), int(thing["x"]), int(thing["y"])) for thing in plan.things} for plan in (streets, other)
    )
    assert len(things & other_things) < 0.2 * len(things)
    hashes = [build_plan(city_graph(seed, 2, 2), seed).hash for seed in range(sized(3, 6))]
    assert len(set(hashes)) == len(hashes)


def test_earlier_plans_have_no_influence() -> None:
    build_plan(town_graph(2), 77)
    again = build_plan(city_graph(0, 3, 3), 0)
    assert again.hash == planned().hash
    for table in ("roads", "areas", "buildings", "things"):
        assert (getattr(again, table) == getattr(planned(), table)).all(), table
    assert again.texts == planned().texts


def test_rebuilt_draft_has_the_same_hash() -> None:
    plan = planned()
    draft = Draft(0, city_graph(0, 3, 3))
    for stage in STAGES:
        stage(draft)
    draft.things, draft.roads = np.concatenate([draft.things[:7], draft.things[7:]]), draft.roads.copy()
    assert draft.plan().hash == plan.hash


def test_byte_order_and_layout_do_not_matter() -> None:
    plan = planned()
    other = replace(
        plan,
        roads=plan.roads.astype(plan.roads.dtype.newbyteorder(">")),
        things=np.repeat(plan.things, 2)[::2].astype(plan.things.dtype.newbyteorder(">")),
        buildings=np.repeat(plan.buildings, 3)[::3],
    )
    assert other.hash == plan.hash


def test_hash_depends_on_every_value() -> None:
    plan = planned()
    hashes = [plan.hash, replace(plan, seed=1).hash, replace(plan, texts=(*plan.texts[1:], "X")).hash]
    for table in ("roads", "areas", "buildings", "things"):
        rows = getattr(plan, table)
        for name in rows.dtype.names:
            changed = rows.copy()
            changed[name][len(changed) // 2] ^= 1
            hashes.append(replace(plan, **{table: changed}).hash)
        hashes.append(replace(plan, **{table: rows[:-1]}).hash)
    assert len(set(hashes)) == len(hashes)

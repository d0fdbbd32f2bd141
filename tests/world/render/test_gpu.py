"""The CUDA renderer: under CUDA's simulator, as compiled code, and on a GPU where there is one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest

from bearleft.errors import InputError
from bearleft.world.city.plan import ROAD
from bearleft.world.render import gpu
from bearleft.world.render.camera import Lens, cameras, panorama, poses, view
from bearleft.world.render.codes import Material, SolidShape
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.render.devices import renderer
from bearleft.world.render.dynamic_objects import DynamicObjects
from bearleft.world.render.light import Light
from bearleft.world.render.scene import Scene
from bearleft.world.render.shadow_bounds import sunlit_heights
from tests.conftest import ROOT
from tests.world.render.test_mesh import ALL, scattered, solids

LENSES = [view(16, 16), panorama(16, 16)]
needs_gpu = pytest.mark.skipif(not gpu.available(), reason="needs a CUDA GPU")
no_gpu = pytest.mark.skipif(gpu.available(), reason="there is a GPU")

SIMULATED = """
import sys
from tests.world.render import test_gpu
test_gpu.simulate(sys.argv[1])
"""


def town() -> Scene:
    """Every kind and every material beside a street, with lettering and a lamp."""
    count = max(len(ALL), len(Material))
    rows = scattered(solids(*(ALL * 2)[:count]), 3, 9.0)
    rows["material"] = np.arange(count) % len(Material)
    rows["pattern"] = (0.6, 0.7, 0.2, 0)
    rows["second"], rows["text"], rows["part"] = 20, 0, np.arange(count)
    rows["centre"][:, 2] = np.abs(rows["centre"][:, 2]) * 0.5 + 0.5
    rows["centre"][:, 1] += 14
    house = solids((SolidShape.BOX, ()))
    house["material"], house["pattern"], house["instance"] = Material.FACADE, (2.0, 3.0, 1.0, 0), count + 1
    house["centre"], house["matrix"], house["size"] = (-14, 8, 6), np.diag([4.0, 9.0, 6.0]), (4, 9, 6)
    road = np.zeros(1, ROAD)
    road["x0"], road["x1"], road["half"], road["walk"], road["lanes"], road["flow"] = -30_000, 30_000, 5000, 3000, 2, 1
    figure = solids((SolidShape.TAPER, (0.5, 0.5, 0.5)), (SolidShape.ELLIPSOID, ()))
    figure["matrix"], figure["centre"] = [np.eye(3) * 0.4, np.eye(3) * 0.3], [(0, 0, 0.4), (0, 0, 1)]
    figure["material"], figure["second"], figure["pattern"][:, 0] = Material.STRIPES, 250, 0.15
    return Scene.make(
        np.concatenate([rows, house]),
        np.arange(count + 2) + 20,
        road,
        None,
        ["BEAR"],
        [[3.0, 6.0, 5.0]],
        templates=[figure[:1], figure],
        template_classes=[200, 201],
    )


def places() -> Any:
    return poses([[0.0, 0.0, 2.4], [2.0, -3.0, 6.0]], [10, 330], [0, -20], [0, 12])


def around() -> DynamicObjects:
    """What stands there for the first of the places only."""
    return DynamicObjects.of([[(0.4, 1.4, 1.7, 1), (1.5, 5.0, 0.0, 0)], []])


AROUND = [around(), None]  # with each of the lenses under CUDA's simulator


def _nothing(x: Any) -> None:
    pass


def simulate(output: str) -> None:
    """Run where CUDA's simulator is switched on: the same pictures as here, into a file."""
    simulated = gpu.Renderer(town())
    arrays: dict[str, Any] = {}
    for k, lens in enumerate(LENSES):
        seen = simulated.render(places(), lens, Light(17.0), 1 + k, dynamic_objects=AROUND[k])
        arrays |= {f"{field.name}{k}": getattr(seen, field.name) for field in fields(Pictures)[:5]}
    np.savez(output, **arrays)


def assert_alike(one: Pictures, other: Pictures) -> None:
    """Two devices round differently: a pixel in a thousand may show another thing, a shade may differ by a little."""
    for name in ("instance", "part", "kind"):
        assert (getattr(one, name) == getattr(other, name)).mean() >= 0.999, name
    same = one.instance == other.instance
    np.testing.assert_array_equal(np.isinf(one.depth[same]), np.isinf(other.depth[same]))
    assert np.isclose(one.depth[same], other.depth[same], rtol=1e-3, atol=1e-3).mean() >= 0.999
    apart = np.abs(one.rgb.astype(int) - other.rgb.astype(int)).max(axis=-1)
    assert (apart <= 3).mean() >= 0.99 and apart.mean() < 0.5


def test_the_simulator_sees_what_the_cpu_sees(tmp_path: Path) -> None:
    path = tmp_path / "seen.npz"
    done = subprocess.run(
        [sys.executable, "-c", SIMULATED, str(path)],
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    with np.load(path) as arrays:
        seen = [Pictures(*(arrays[f"{field.name}{k}"] for field in fields(Pictures)[:5])) for k in range(len(LENSES))]
    for k, lens in enumerate(LENSES):
        expected = render(town(), places(), lens, Light(17.0), 1 + k, dynamic_objects=AROUND[k])
        assert len(np.unique(expected.instance)) > 5 and len(np.unique(expected.kind)) > 6
        assert (expected.kind[0] >= 200).any() == (AROUND[k] is not None) and not (expected.kind[1] >= 200).any()
        for field in fields(Pictures)[:5]:
            ours, theirs = getattr(seen[k], field.name), getattr(expected, field.name)
            assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        assert_alike(seen[k], expected)


@no_gpu
def test_the_kernel_compiles_for_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda: Any = import_module("numba.cuda")
    expected, typeof = (8, 0), vars(numba)["typeof"]
    try:
        cuda.compile_ptx(_nothing, (numba.float32[:],), cc=expected)
    except Exception as error:  # each way of having no compiler answers in its own way
        pytest.skip(f"needs NVVM, CUDA's compiler: {type(error).__name__}")
    # What a kernel calls is compiled for the GPU at hand; here one is named that is not.
    monkeypatch.setattr(
        "numba.cuda.dispatcher.get_current_device", lambda: SimpleNamespace(compute_capability=expected)
    )
    scene, lens = town(), view(16, 16)
    out = render(scene, places(), lens)
    given = (
        scene.arrays,
        Light().numbers(),
        sunlit_heights(scene, Light()),
        cameras(places(), lens),
        0,
        1,
        True,
        np.float32(0.1),
        out.rgb,
        out.depth,
        out.instance,
        out.part,
        out.kind,
        around().rows,
        around().count,
    )
    ptx, _ = cuda.compile_ptx(gpu._render_dynamic_kernel.py_func, tuple(map(typeof, given)), fastmath=True, cc=expected)
    assert ".target sm_80" in ptx and ".visible .entry" in ptx
    singles, doubles = (len(re.findall(rf"\b(?:add|sub|mul|fma|div)[.\w]*\.{kind}\b", ptx)) for kind in ("f32", "f64"))
    assert singles > 500
    assert doubles < singles / 20  # double precision is slow on most GPUs


@no_gpu
def test_without_a_gpu_one_is_told_so() -> None:
    scene = town()
    for make in (gpu.Renderer, partial(renderer, device="cuda")):
        with pytest.raises(InputError, match="a CUDA GPU") as error:
            make(scene)
        assert "on the CPU" in error.value.hint


@needs_gpu
@pytest.mark.parametrize("lens", [view(160, 120), panorama(256)])
@pytest.mark.parametrize("samples", [1, 2])
def test_a_gpu_sees_what_the_cpu_sees(lens: Lens, samples: int) -> None:
    scene = town()
    for light in (Light(17.0), Light(0.0)):
        for dynamic_objects in (None, around()):
            ours = gpu.Renderer(scene).render(places(), lens, light, samples, dynamic_objects=dynamic_objects)
            assert_alike(ours, render(scene, places(), lens, light, samples, dynamic_objects=dynamic_objects))


@needs_gpu
def test_torch_reads_pictures_where_they_lie() -> None:
    torch = pytest.importorskip("torch")
    on_gpu, lens = gpu.Renderer(town()), view(64, 48)
    out = on_gpu.empty(2, lens)
    before = [getattr(out, field.name).data_ptr() for field in fields(Pictures)[:5]]
    on_gpu.into(out, places(), lens)
    torch.cuda.synchronize()
    assert [getattr(out, field.name).data_ptr() for field in fields(Pictures)[:5]] == before
    expected = on_gpu.render(places(), lens)
    tensors = on_gpu.tensors(places(), lens)
    rows, count = torch.tensor(around().rows, device="cuda"), torch.tensor(around().count, device="cuda")
    for dynamic_objects in (DynamicObjects(rows, count), on_gpu.upload(around())):
        np.testing.assert_array_equal(
            on_gpu.render(places(), lens, dynamic_objects=dynamic_objects).rgb,
            on_gpu.render(places(), lens, dynamic_objects=around()).rgb,
        )
    for field in fields(Pictures)[:5]:
        for made in (out, tensors):
            tensor: Any = getattr(made, field.name)
            assert tensor.is_cuda
            np.testing.assert_array_equal(tensor.cpu().numpy(), getattr(expected, field.name))


@needs_gpu
def test_pictures_on_a_gpu_of_poses_where_nobody_can_stand() -> None:
    on_gpu = gpu.Renderer(town())
    for pose in ([900, 0, 2, 0, 0, 0], [0, 0, -1, 0, 0, 0], [0, 0, 2, np.nan, 0, 0]):
        with pytest.raises(InputError):
            on_gpu.render([pose], view(8, 8))
    with pytest.raises(InputError):
        on_gpu.render(places(), view(8, 8), samples=9)
    for dynamic_objects in (DynamicObjects.none(3), DynamicObjects.of([[(0, 0, 0, 2)], []])):
        with pytest.raises(InputError):
            on_gpu.render(places(), view(8, 8), dynamic_objects=dynamic_objects)

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
from tests.sizes import some
from tests.world.render.test_mesh import ALL, scattered, solids

LENSES = [view(16, 16), panorama(16, 16)]
needs_gpu = pytest.mark.skipif(not gpu.available(), reason="needs a CUDA GPU")
no_gpu = pytest.mark.skipif(gpu.available(), reason="there is a GPU")

SIMULATED = """
import sys
from tests.world.render import test_gpu
test_gpu.simulate(sys.argv[1])
"""


def street_scene() -> Scene:
    """Return a scene of every solid shape and every material beside a street, with a text and a lamp."""
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


def two_poses() -> Any:
    return poses([[0.0, 0.0, 2.4], [2.0, -3.0, 6.0]], [10, 330], [0, -20], [0, 12])


def moving_objects() -> DynamicObjects:
    """Return dynamic objects for the first pose only."""
    return DynamicObjects.of([[(0.4, 1.4, 1.7, 1), (1.5, 5.0, 0.0, 0)], []])


DYNAMIC_OBJECTS = [moving_objects(), None]  # with each of the lenses under CUDA's simulator


def _nothing(x: Any) -> None:
    pass


def simulate(output: str) -> None:
    """Render the test pictures into a file; runs in a process with CUDA's simulator switched on."""
    simulated = gpu.Renderer(street_scene())
    arrays: dict[str, Any] = {}
    for k, lens in enumerate(LENSES):
        pictures = simulated.render(two_poses(), lens, Light(17.0), 1 + k, dynamic_objects=DYNAMIC_OBJECTS[k])
        arrays |= {f"{field.name}{k}": getattr(pictures, field.name) for field in fields(Pictures)[:5]}
    rgb = np.full((2, 16, 16, 3), 7, np.uint8)
    simulated.colours_into(rgb, cameras(two_poses(), LENSES[0]), np.array([True, False]), LENSES[0], Light(17.0))
    np.savez(output, colours=rgb, **arrays)


def assert_nearly_equal(first: Pictures, second: Pictures) -> None:
    """Compare with tolerance for rounding: one pixel in a thousand may differ, and colours a little."""
    for name in ("instance", "part", "kind"):
        assert (getattr(first, name) == getattr(second, name)).mean() >= 0.999, name
    equal = first.instance == second.instance
    np.testing.assert_array_equal(np.isinf(first.depth[equal]), np.isinf(second.depth[equal]))
    assert np.isclose(first.depth[equal], second.depth[equal], rtol=1e-3, atol=1e-3).mean() >= 0.999
    colour_error = np.abs(first.rgb.astype(int) - second.rgb.astype(int)).max(axis=-1)
    assert (colour_error <= 3).mean() >= 0.99 and colour_error.mean() < 0.5


def test_cuda_simulator_renders_the_same_as_the_cpu(tmp_path: Path) -> None:
    path = tmp_path / "seen.npz"
    process = subprocess.run(
        [sys.executable, "-c", SIMULATED, str(path)],
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert process.returncode == 0, process.stderr
    with np.load(path) as arrays:
        pictures = [
            Pictures(*(arrays[f"{field.name}{k}"] for field in fields(Pictures)[:5])) for k in range(len(LENSES))
        ]
        colours = arrays["colours"]
    expected = render(street_scene(), two_poses(), LENSES[0], Light(17.0))
    assert np.abs(colours[0].astype(int) - expected.rgb[0]).mean() < 0.5 and (colours[1] == 7).all()
    for k, lens in enumerate(LENSES):
        expected = render(street_scene(), two_poses(), lens, Light(17.0), 1 + k, dynamic_objects=DYNAMIC_OBJECTS[k])
        assert len(np.unique(expected.instance)) > 5 and len(np.unique(expected.kind)) > 6
        assert (expected.kind[0] >= 200).any() == (DYNAMIC_OBJECTS[k] is not None) and not (
            expected.kind[1] >= 200
        ).any()
        for field in fields(Pictures)[:5]:
            simulated, on_cpu = getattr(pictures[k], field.name), getattr(expected, field.name)
            assert simulated.shape == on_cpu.shape and simulated.dtype == on_cpu.dtype
        assert_nearly_equal(pictures[k], expected)


@pytest.mark.slow
@no_gpu
def test_kernels_compile_for_gpus_in_single_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda: Any = import_module("numba.cuda")
    expected, typeof = (8, 0), vars(numba)["typeof"]
    try:
        cuda.compile_ptx(_nothing, (numba.float32[:],), cc=expected)
    except Exception as error:  # a missing compiler shows as various exceptions
        pytest.skip(f"needs NVVM, CUDA's compiler: {type(error).__name__}")
    # Functions that a kernel calls are compiled for the current GPU; none is here, so one is made up.
    monkeypatch.setattr(
        "numba.cuda.dispatcher.get_current_device", lambda: SimpleNamespace(compute_capability=expected)
    )
    scene, lens = street_scene(), view(16, 16)
    out = render(scene, two_poses(), lens)
    common = (
        scene.arrays,
        Light().numbers(),
        sunlit_heights(scene, Light()),
        cameras(two_poses(), lens),
        0,
        1,
        True,
        np.float32(0.1),
        out.rgb,
    )
    everything = (out.depth, out.instance, out.part, out.kind, moving_objects().rows, moving_objects().count)
    kernels = [(gpu._render_dynamic_kernel, everything), (gpu._render_colours_kernel, (np.ones(2, np.bool_),))]
    for kernel, rest in some(kernels, 1):
        types = tuple(map(typeof, (*common, *rest)))
        ptx, _ = cuda.compile_ptx(kernel.py_func, types, fastmath=True, cc=expected)
        assert ".target sm_80" in ptx and ".visible .entry" in ptx
        singles, doubles = (
            len(re.findall(rf"\b(?:add|sub|mul|fma|div)[.\w]*\.{dtype}\b", ptx)) for dtype in ("f32", "f64")
        )
        assert singles > 500
        assert doubles < singles / 20  # double precision is slow on most GPUs


@no_gpu
def test_missing_gpu_gives_a_clear_error() -> None:
    scene = street_scene()
    for make in (gpu.Renderer, partial(renderer, device="cuda")):
        with pytest.raises(InputError, match="a CUDA GPU") as error:
            make(scene)
        assert "on the CPU" in error.value.hint


@needs_gpu
@pytest.mark.parametrize("lens", [view(160, 120), panorama(256)])
@pytest.mark.parametrize("samples", [1, 2])
def test_gpu_renders_the_same_as_the_cpu(lens: Lens, samples: int) -> None:
    scene = street_scene()
    for light in (Light(17.0), Light(0.0)):
        for dynamic_objects in (None, moving_objects()):
            ours = gpu.Renderer(scene).render(two_poses(), lens, light, samples, dynamic_objects=dynamic_objects)
            assert_nearly_equal(ours, render(scene, two_poses(), lens, light, samples, dynamic_objects=dynamic_objects))


@needs_gpu
@pytest.mark.parametrize("median", [0, 1])
def test_gpu_paints_the_same_lanes_as_the_cpu(median: int) -> None:
    road = np.zeros(1, ROAD)
    road["x0"], road["x1"], road["half"], road["walk"] = -30_000, 30_000, 5000, 3000
    road["lanes"], road["median"] = 2, median
    scene = Scene.make(solids((SolidShape.BOX, ())), np.full(3, 20), road, None)
    above = poses([[0.37, -0.23, 12.0]], [7], [-60], [3])
    ours = gpu.Renderer(scene).render(above, view(320, 240), Light(12.0))
    expected = render(scene, above, view(320, 240), Light(12.0))
    assert len(np.unique(expected.rgb.reshape(-1, 3), axis=0)) > 20
    assert_nearly_equal(ours, expected)


@needs_gpu
def test_torch_tensors_share_memory_with_gpu_pictures() -> None:
    torch = pytest.importorskip("torch")
    on_gpu, lens = gpu.Renderer(street_scene()), view(64, 48)
    out = on_gpu.empty(2, lens)
    addresses = [getattr(out, field.name).data_ptr() for field in fields(Pictures)[:5]]
    on_gpu.into(out, two_poses(), lens)
    torch.cuda.synchronize()
    assert [getattr(out, field.name).data_ptr() for field in fields(Pictures)[:5]] == addresses
    expected = on_gpu.render(two_poses(), lens)
    tensors = on_gpu.tensors(two_poses(), lens)
    rows, count = (
        torch.tensor(moving_objects().rows, device="cuda"),
        torch.tensor(moving_objects().count, device="cuda"),
    )
    for dynamic_objects in (DynamicObjects(rows, count), on_gpu.upload(moving_objects())):
        np.testing.assert_array_equal(
            on_gpu.render(two_poses(), lens, dynamic_objects=dynamic_objects).rgb,
            on_gpu.render(two_poses(), lens, dynamic_objects=moving_objects()).rgb,
        )
    for field in fields(Pictures)[:5]:
        for result in (out, tensors):
            tensor: Any = getattr(result, field.name)
            assert tensor.is_cuda
            np.testing.assert_array_equal(tensor.cpu().numpy(), getattr(expected, field.name))


@needs_gpu
def test_colours_alone_are_rendered_into_chosen_pictures_and_recorded() -> None:
    """From cameras on the GPU, also by a CUDA graph."""
    torch = pytest.importorskip("torch")
    on_gpu, lens = gpu.Renderer(street_scene()), view(64, 48)
    rows = torch.from_numpy(cameras(two_poses(), lens)).cuda()
    expected = on_gpu.render(two_poses(), lens).rgb
    for chosen in ([True, True], [False, True]):
        rgb = torch.full((2, 48, 64, 3), 7, dtype=torch.uint8, device="cuda")
        on_gpu.colours_into(rgb, rows, torch.tensor(chosen, device="cuda"), lens)
        for k in range(2):
            wanted = expected[k] if chosen[k] else np.full_like(expected[k], 7)
            assert (np.abs(rgb[k].cpu().numpy().astype(int) - wanted) <= 1).mean() > 0.999  # compiled separately
    graph, swapped = torch.cuda.CUDAGraph(), rows.flip(0)
    with torch.cuda.graph(graph):
        on_gpu.colours_into(rgb, rows, torch.ones(2, dtype=torch.bool, device="cuda"), lens)
    rows.copy_(swapped)
    graph.replay()
    assert (np.abs(rgb.cpu().numpy().astype(int) - expected[::-1]) <= 1).mean() > 0.999
    with pytest.raises(InputError, match="room for 2 pictures"):
        on_gpu.colours_into(rgb[:1], rows, torch.ones(2, dtype=torch.bool, device="cuda"), lens)


@needs_gpu
def test_invalid_poses_are_refused_on_a_gpu() -> None:
    on_gpu = gpu.Renderer(street_scene())
    for pose in ([900, 0, 2, 0, 0, 0], [0, 0, -1, 0, 0, 0], [0, 0, 2, np.nan, 0, 0]):
        with pytest.raises(InputError):
            on_gpu.render([pose], view(8, 8))
    with pytest.raises(InputError):
        on_gpu.render(two_poses(), view(8, 8), samples=9)
    for dynamic_objects in (DynamicObjects.none(3), DynamicObjects.of([[(0, 0, 0, 2)], []])):
        with pytest.raises(InputError):
            on_gpu.render(two_poses(), view(8, 8), dynamic_objects=dynamic_objects)

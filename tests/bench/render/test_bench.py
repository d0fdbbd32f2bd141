"""The renderer's benchmark: its scene and cameras, the peer's preparations, and the rows it makes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.bench import harness, runner
from bearleft.bench.harness import Contender
from bearleft.bench.render import bench, rasteriser
from bearleft.bench.render import scene as render_scene
from bearleft.bench.render.scene import cameras, city, peer_inputs
from bearleft.errors import InputError
from bearleft.geometry import View
from bearleft.records import Direction
from bearleft.world.render.camera import panorama, poses, view
from bearleft.world.render.cpu import render
from bearleft.world.render.scene import Scene
from tests.world.render.test_mesh import ALL as KINDS
from tests.world.render.test_mesh import rays, scattered, solids

TINY, LARGER = (2, 2), (2, 3)
# In the peer's place and in our own, with few pixels.
AS_WE_DO = """
from bearleft.bench.render import bench
from bearleft.bench.render.bench import in_large_city, in_small_city, our_panorama, our_view
from bearleft.world.render import camera

bench.VIEW, bench.PANORAMA = camera.view(24, 24), camera.panorama(64)
view, panorama = our_view, our_panorama

if __name__ == "__main__":
    print("a stand-in")
"""
CONTENDER_PROCESS = harness._ContenderProcess
PEERS = Path(harness.__file__).parents[3] / ".venv-bench" / "bin" / "python"


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ourselves in the peer's place."""
    path = tmp_path / "stand_in.py"
    path.write_text(AS_WE_DO)
    monkeypatch.setattr(bench, "RASTERISER", path)
    monkeypatch.setattr(bench, "VIEW", view(24, 24))
    monkeypatch.setattr(bench, "PANORAMA", panorama(64))
    monkeypatch.setattr(bench, "peers_python", lambda _: sys.executable)
    monkeypatch.setattr(harness, "peers_python", lambda _: sys.executable)
    monkeypatch.setattr(harness, "ROUND_SECONDS", 0.001)
    return path


class InThisProcess(harness._ContenderProcess):
    """A contender that need not import everything and plan its city from the start."""

    def __init__(self, contender: Contender, _: str, inputs: Path, result: Path, __: str, clock: str) -> None:
        self.contender, self.result, self.clock = contender, result, clock
        self.seconds, self.calls = [], 1
        module, _, name = contender.function.rpartition(":")
        with np.load(inputs, allow_pickle=False) as stored:
            self.work, finish = getattr(runner.load_module(module), name)(dict(stored))
        np.save(result, finish(self.work()))

    def warm_up(self) -> None:
        pass

    def round(self) -> None:
        self.seconds.append(runner.time_calls(self.work, self.calls)[self.clock])

    def close(self) -> None:
        pass


def contender_process(contender: Contender, *rest: Any) -> harness._ContenderProcess:
    """Views are drawn in processes of their own."""
    return (CONTENDER_PROCESS if contender.function.endswith("view") else InThisProcess)(contender, *rest)


def zoo() -> Scene:
    rows = scattered(solids(*KINDS * 3), 3, 12.0)
    rows["centre"][:, 2] = np.abs(rows["centre"][:, 2]) + 1.5
    away = np.hypot(*rows["centre"][:, :2].T)
    rows["centre"][:, :2] *= np.maximum(1, 4 / np.maximum(away, 0.1))[:, None]
    return Scene.make(rows, np.full(len(rows) + 1, 20))


@pytest.mark.slow
def test_core_seconds_do_not_count_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "ROUND_SECONDS", 0.001)
    path = tmp_path / "late.py"
    path.write_text("import time\ndef late(inputs):\n    return lambda: time.sleep(0.2) or inputs['x']\n")
    late = harness.Contender("late", f"{path}:late")
    rows = [
        harness.run(harness.Benchmark("toy", lambda: {"x": np.ones(2)}, late, (late,), core_seconds=cores), 1).rows[0]
        for cores in (True, False)
    ]
    assert [row["unit"] for row in rows] == ["core-seconds per call", "seconds per call"]
    assert rows[0]["peer"] < 0.1 < 0.2 <= rows[1]["peer"]


@pytest.mark.slow
def test_rows_are_frames_per_core_second(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "MIN_INSTANCES", 0)
    monkeypatch.setattr(bench, "__name__", str(stand_in))
    monkeypatch.setattr(bench, "cameras", lambda of, **within: cameras(of, **within)[::4])
    monkeypatch.setattr(harness, "_ContenderProcess", contender_process)
    result = bench.render_bench(1, TINY, LARGER)
    single, wide, growth = result.rows
    assert [row["name"] for row in result.rows] == ["view 224", "panorama 1024", "growth 500 -> 25,000 buildings"]
    for row in (single, wide):
        assert row["unit"] == "frames per core-second"
        assert row["ratio"] == pytest.approx(row["ours"] / row["peer"])
        assert row["ours"] > 0 and row["instances"] > 0
    assert growth["unit"] == "core-seconds per view"
    assert growth["ratio"] == pytest.approx(growth["peer"] / growth["ours"])
    assert all(isinstance(value, str | int | float) for row in result.rows for value in row.values())
    json.dumps(result.rows)
    assert any("a stand-in" in remark for remark in result.remarks)


@pytest.mark.slow
@pytest.mark.usefixtures("stand_in")
def test_a_scene_with_too_little_in_it_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "MIN_INSTANCES", 10_000)
    with pytest.raises(RuntimeError, match="fewer than 10000"):
        bench.render_bench(1, TINY, LARGER)


def test_what_the_peer_lacks_is_said(stand_in: Path) -> None:
    stand_in.write_text("raise ModuleNotFoundError('no moderngl here')")
    with pytest.raises(InputError, match=r"no moderngl here.*make bench.*apt install libegl1 libgl1-mesa-dri"):
        bench.check_peer()


def test_cameras_are_fixed_and_spread() -> None:
    of = city(LARGER)
    camera_poses = cameras(of)
    assert camera_poses.shape == (32, 6)
    np.testing.assert_array_equal(camera_poses, cameras(of))
    assert len(np.unique(camera_poses[:, :2], axis=0)) == 32 and len(np.unique(camera_poses[:, 3])) > 16
    middle = cameras(of, within=40)
    centre = (of.graph.positions[:, :2].min(axis=0) + of.graph.positions[:, :2].max(axis=0)) / 2
    assert (
        np.linalg.norm(middle[:, :2] - centre, axis=1).max()
        < np.linalg.norm(camera_poses[:, :2] - centre, axis=1).max()
    )


def test_the_peers_axes_and_faces_are_ours() -> None:
    for heading, pitch in ((0.0, 0.0), (77.0, -20.0), (250.0, 45.0)):
        pose = poses([[1.0, 2.0, 3.0]], heading, pitch)[0]
        right, down, ahead = View(Direction(heading, pitch), 2, 2, 90.0).axes
        np.testing.assert_allclose(rasteriser._axes(pose), [right, -down, ahead], atol=1e-6)
    table = rasteriser._panorama_table(64, 32, 128)
    pose = poses([[0.0, 0.0, 2.0]], 130.0)[0]
    faces = []
    for face in rasteriser.CUBE_AXES:
        right, up, ahead = face @ rasteriser._axes(pose)
        x = (np.arange(128) + 0.5) / 64 - 1
        aim = ahead + x[None, :, None] * right - x[:, None, None] * up
        faces.append(aim / np.linalg.norm(aim, axis=-1, keepdims=True))
    directions = np.concatenate([face.reshape(-1, 3) for face in faces])[table]
    assert np.einsum("hwi,hwi->hw", directions, rays(pose, panorama(64))).min() > np.cos(2 / 128)


def test_chunks_hold_every_triangle_once_and_plates_twice() -> None:
    inputs = peer_inputs(zoo(), poses([[0.0, 0.0, 2.4]]))
    inputs["window"][::2] = (3.0, 3.0)
    total = 0
    for textured in (True, False):
        triangles, chunks = rasteriser._chunks(inputs, textured)
        assert chunks["count"].sum() == 3 * len(triangles)
        np.testing.assert_array_equal(chunks["first"][1:], np.cumsum(chunks["count"])[:-1])
        for first, count, middle, half in zip(*(chunks[k] for k in ("first", "count", "middle", "half")), strict=True):
            corners = inputs["vertices"][triangles.reshape(-1)[first : first + count]]
            assert (np.abs(corners - middle) <= half + 1e-3).all()
        total += len(triangles)
    assert total == len(inputs["triangles"]) + inputs["flat"].sum()


@pytest.mark.skipif(not PEERS.exists(), reason="the peers' environment is not there: make bench")
@pytest.mark.parametrize(("work", "lens"), [("view", bench.VIEW), ("panorama", bench.PANORAMA)])
def test_the_peer_draws_what_we_draw(tmp_path: Path, work: str, lens: Any) -> None:
    try:
        bench.check_peer()
    except InputError as error:
        pytest.skip(str(error))
    scene, camera_poses = zoo(), poses(np.tile([0.0, 0.0, 2.4], (3, 1)), [0.0, 120.0, 250.0], [0.0, 10.0, -10.0])
    np.savez(tmp_path / "inputs.npz", allow_pickle=False, **peer_inputs(scene, camera_poses, 64))
    steps = f"""
import numpy as np, runpy
drawn = runpy.run_path({str(bench.RASTERISER)!r})
with np.load({str(tmp_path / "inputs.npz")!r}) as inputs:
    work, _ = drawn[{work!r}](dict(inputs))
instance, depth = (np.stack(layer) for layer in list(zip(*work()))[1:])
np.savez({str(tmp_path / "drawn.npz")!r}, instance=instance, depth=depth)
"""
    subprocess.run([str(PEERS), "-c", steps], check=True)
    ours = render(scene, camera_poses, lens)
    with np.load(tmp_path / "drawn.npz") as drawn:
        same = drawn["instance"].astype(int) - 1 == ours.instance
        assert same.mean() > 0.98
        solid = same & (ours.instance > 0)
        assert np.median(np.abs(drawn["depth"][solid] - ours.depth[solid])) < 0.02


@pytest.mark.slow
def test_the_published_scene_is_what_it_says() -> None:
    of = city(render_scene.SMALL)
    assert 400 <= len(of.plan.buildings) <= 650
    assert bench.median_instances(render(of.scene, cameras(of), bench.VIEW)) >= bench.MIN_INSTANCES

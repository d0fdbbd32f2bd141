"""The benchmark of reinforcement learning, at its tiny sizes."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
from click.testing import CliRunner

from bearleft.bench import bench
from bearleft.cli.bench import bench as command
from bearleft.errors import InputError

torch = pytest.importorskip("torch")

from tests.training.reinforcement.test_updates import reads_nothing  # noqa: E402

CPU = torch.device("cpu")


def module(name: str) -> Any:
    return import_module(f"bearleft.bench.reinforce.{name}")


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return module("links").LinkInputs(module("sizes").TINY, CPU, tmp_path_factory.mktemp("bench"), None)


@pytest.fixture(scope="module")
def pictures() -> Any:
    return module("pictures").PictureInputs(module("sizes").TINY, CPU)


@pytest.mark.slow
def test_walks_without_pictures_are_timed_beside_a_loop() -> None:
    parts = ["--only", "rollouts", "--only", "updates", "--only", "loop"]
    result = CliRunner().invoke(command, ["reinforce", *parts, "--rounds", "2", "--device", "cpu", "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    forms = [(row["form"].split(",")[0].split(":")[0], row["precision"]) for row in rows]
    assert sorted(forms) == [
        ("loop", "float32"),
        ("rollouts", "bfloat16"),
        ("rollouts", "float32"),
        ("updates", "bfloat16"),
        ("updates", "float32"),
    ]
    for row in rows:
        assert row["name"] == "panoramic" and row["world"] == "town/dev" and row["walkers"] == 4
        assert 0 < row["slowest"] <= row["steps_per_second"] <= row["fastest"] and not row["cuda_graph"]
        assert row["x_loop"] == pytest.approx(
            row["steps_per_second"] / rows[forms.index(("loop", "float32"))]["steps_per_second"]
        )


@pytest.mark.slow
def test_walks_with_pictures_are_timed_beside_loops_and_published_figures() -> None:
    pytest.importorskip("gymnasium")
    result = bench("reinforce", 1, device="cpu", only=["pictures", "loop"])
    names = [row["name"] for row in result.rows]
    assert names == ["rconcat"] * 6 + ["BPS", "ManiSkill3"]
    assert [row["form"].split(":")[0] for row in result.rows] == [
        *["loop"] * 3,
        "views rendered live",
        "views kept",
        "views rendered live, no shadows",
        *["published"] * 2,
    ]
    assert all(row["steps_per_second"] > 0 for row in result.rows)
    assert len({tuple(row) for row in result.rows}) == 1
    assert any("not measured here" in remark for remark in result.remarks)


def test_loops_that_need_gymnasium_are_left_out_by_name(pictures: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    loops = module("loops")
    monkeypatch.setattr(loops, "GYMNASIUM", "no_such_package")
    contenders, remarks = loops.loop_contenders(pictures)
    assert len(contenders) == 1 and "VectorReach" in contenders[0].form
    assert "gymnasium.make_vec of Reach, SyncVectorEnv of single Reach" in remarks[0]


def test_loops_count_the_steps_of_walkers_that_walk(links: Any, pictures: Any) -> None:
    """Walkers that hardly ever stop take all steps."""
    assert module("loops").VectorReachLoop(pictures, 2)() == 2 * pictures.sizes.horizon
    rollouts = pictures.rollouts("views kept", 2, False)
    assert int(rollouts()) == 2 * pictures.sizes.horizon
    assert 0.5 * 4 * links.trainer.horizon < module("links").LinkLoop(links, 4)() <= 4 * links.trainer.horizon


@pytest.mark.parametrize("form", ["views rendered live", "views kept"])
def test_walks_with_pictures_read_nothing_back(pictures: Any, form: str) -> None:
    """On a CPU the renderer itself is called with numpy arrays, which no operation of torch shows."""
    rollouts = pictures.rollouts(form, 2, False)
    with reads_nothing():
        rollouts()


def test_walks_along_links_that_differ_are_found(links: Any) -> None:
    rollouts = module("links").LinkRollouts(links, 4, 2, imitation=0.5)
    rollouts.check()
    rollout, episodes = rollouts.rollout, [links.episodes[k] for k in (0, 0, 1, 1)]
    for name, change in (("rewards", 1e-3), ("places", 1)):
        values = getattr(rollout, name)
        values[2, 1] += change
        with pytest.raises(RuntimeError, match="alone"):
            module("links").check_walks(rollout, episodes, links.trainer.links)
        values[2, 1] -= change


def test_walks_with_pictures_that_differ_are_found(pictures: Any) -> None:
    rollouts = pictures.rollouts("views kept", 3, False)
    rollouts()
    numbers, walked = rollouts.indices.tolist(), rollouts.walked
    check = module("pictures").check_walks
    check(pictures, numbers, walked)
    walked.rewards[1, 1] += 1e-3
    with pytest.raises(RuntimeError, match="rewards"):
        check(pictures, numbers, walked)
    walked.rewards[1, 1] -= 1e-3
    walked.states[2, 2] = walked.states[0, 0]
    with pytest.raises(RuntimeError, match="walker 2 is elsewhere"):
        check(pictures, numbers, walked)


def test_without_r4r_walks_of_a_generated_graph_are_timed(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BEARLEFT_DATA", raising=False)
    sizes = replace(module("sizes").TINY, dataset="r4r/train")
    inputs = module("links").LinkInputs(sizes, CPU, tmp_path, tmp_path)
    assert inputs.dataset == "town/dev" and inputs.missing


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"rounds": 0}, "at least one round"),
        ({"device": "tpu"}, "device"),
        ({"only": ["rollout"]}, "Did you mean rollouts"),
    ],
)
def test_mistakes_are_named(options: dict[str, Any], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        module("bench").reinforce(**options)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no CUDA GPU")
def test_walks_that_cuda_graphs_replay_are_those_of_environments(tmp_path: Any) -> None:
    """Along links, and with pictures that are kept or rendered while the graph is replayed."""
    device, sizes = torch.device("cuda"), module("sizes").TINY
    module("links").LinkInputs(sizes, device, tmp_path, None).check()
    inputs = module("pictures").PictureInputs(sizes, device)
    inputs.check()
    for form in ("views kept", "views rendered live"):
        inputs.check_walks(form, graph=True)

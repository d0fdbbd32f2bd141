"""Navigation runs: what is shared, that a call goes on where one stopped, and that walks are those of the agent."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from click.testing import CliRunner  # noqa: E402

from bearleft.cli import cli  # noqa: E402
from bearleft.data import load  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.evaluation.evaluate import evaluate  # noqa: E402
from bearleft.experiments.systems.train import choose_runs  # noqa: E402
from bearleft.experiments.touchdown.navigation import view_files, walk_files  # noqa: E402
from bearleft.experiments.touchdown.navigation.runs import (  # noqa: E402
    NavigationConfig,
    NavigationRun,
    navigation_runs,
)
from bearleft.experiments.touchdown.navigation.saved_walks import read_walks  # noqa: E402
from bearleft.experiments.touchdown.navigation.train import NavigationTrainer, train_navigation  # noqa: E402
from bearleft.experiments.touchdown.navigation.view_files import ViewFiles  # noqa: E402
from bearleft.experiments.touchdown.navigation.walk_files import (  # noqa: E402
    load_all_walks,
    load_walks,
    other_texts,
    unseen_pairs,
)
from bearleft.models.backbones.registry import load_backbone  # noqa: E402
from bearleft.models.walking.examples import build_walks, open_graphs  # noqa: E402
from bearleft.models.walking.network import CELLS, MEAN_MAP, NO_VIEW, RGB  # noqa: E402
from bearleft.models.walking.states import StateTable  # noqa: E402
from bearleft.models.walking.views import RgbViews  # noqa: E402
from bearleft.runtime.store import file_lock  # noqa: E402
from bearleft.training.history import read_history  # noqa: E402
from bearleft.world.slices import Slicing  # noqa: E402
from tests.sizes import sized  # noqa: E402

SMALL = "city/touchdown/small"
PAIRS = "city/pairs/turn-left-right"
CONFIG = NavigationConfig(
    epochs=2,
    epoch_size=32,
    batch_size=16,
    train_size=40,
    validation_size=10,
    eval_size=20,
    pair_size=3,
    validation=SMALL,
    splits=(SMALL,),
    shuffled=(SMALL,),
    pairs=(PAIRS,),
    real=(),
)
BLIND = {"image": False, "word_dim": 8, "text_dim": 16, "hidden_dim": 16}
RUN = NavigationRun("RCONCAT NO-IMAGE", "rconcat", overrides=BLIND)
CPU = torch.device("cpu")


def make_trainer(folder: Path, config: NavigationConfig = CONFIG, **options: Any) -> NavigationTrainer:
    return NavigationTrainer(folder, config, (SMALL,), CPU, log=lambda _: None, **options)


def saved_files(folder: Path) -> set[str]:
    return {path.name for path in (folder / "walks").glob("*.npz")}


def test_runs_of_the_tables() -> None:
    runs = navigation_runs()
    names = [run.name for run in runs]
    assert len(set(names)) == len(names) == 11 * 3 + 2
    assert {"rconcat-0", "ga-no-image-2", "compass-no-text-1", "rconcat-rgb-0"} <= set(names)
    assert "rconcat-rgb-1" not in names
    assert [run.name for run in choose_runs(["orar-1", "compass-0"], runs)] == ["orar-1", "compass-0"]
    with pytest.raises(InputError, match="compass-9"):
        choose_runs(["compass-9"], runs)


@pytest.mark.slow
def test_every_run_has_a_network(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path)
    kinds = {run.system: trainer.view_kind(run) for run in navigation_runs()}
    assert kinds["RCONCAT"] == MEAN_MAP and kinds["GA RGB"] == RGB and kinds["COMPASS"] == CELLS
    assert {kind for system, kind in kinds.items() if "NO-IMAGE" in system} == {NO_VIEW}


def test_walks_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walks = load_walks(SMALL, 12, tmp_path)
    assert walks.fingerprint() == build_walks(load(SMALL), 12).fingerprint()
    monkeypatch.setattr(walk_files, "build_walks", lambda *_, **__: pytest.fail("walks were built again"))
    again = load_walks(SMALL, 12, tmp_path)
    assert again.fingerprint() == walks.fingerprint() and again.starts == walks.starts
    monkeypatch.undo()
    assert load_walks(SMALL, 13, tmp_path).actions.shape[1] == 13
    for file in tmp_path.glob("*.npz"):
        file.write_bytes(b"damaged")
    assert {load_walks(SMALL, horizon, tmp_path).actions.shape[1] for horizon in (12, 13)} == {12, 13}


def test_files_of_walks_keep_sightings_and_can_be_named(tmp_path: Path) -> None:
    walks = load_walks(SMALL, 12, tmp_path / "examples", sightings=True)
    assert walks.sightings is not None and walks.sightings.boxes.any()
    (file,) = (tmp_path / "examples").glob("*.npz")
    copy = file.rename(tmp_path / "walks.npz")
    named = load_all_walks([str(copy), PAIRS], 12, tmp_path / "others", sightings=True)
    first = named.subset(np.arange(len(walks)))
    assert first.texts == walks.texts and np.array_equal(first.sightings.ends, walks.sightings.ends)  # type: ignore[union-attr]
    assert first.sightings.boxes.sum() == walks.sightings.boxes.sum()  # type: ignore[union-attr]
    with pytest.raises(InputError, match="up to 13 actions, got up to 12"):
        load_walks(str(copy), 13, tmp_path)
    copy.write_bytes(b"damaged")
    for name in (str(copy), str(tmp_path / "missing.npz")):
        with pytest.raises(InputError, match=r"a file of walks.*--train-navigation"):
            load_walks(name, 12, tmp_path)


def test_training_walks_of_several_datasets(tmp_path: Path) -> None:
    both = load_all_walks([SMALL, PAIRS], 12, tmp_path)
    assert len(both) == len(load(SMALL)) + len(load(PAIRS))
    some = load_all_walks([SMALL, PAIRS], 12, tmp_path, limit=30)
    assert len(some) == 30 and set(some.ids) & {episode.id for episode in load(PAIRS)}


def test_every_walk_gets_the_text_of_another() -> None:
    walks = build_walks(load(SMALL), 12)
    numbered = walks.with_texts([str(k) for k in range(len(walks))])
    texts = other_texts(numbered).texts
    assert sorted(texts) == sorted(numbered.texts)
    assert not any(a == b for a, b in zip(texts, numbered.texts, strict=True))


def test_pairs_at_training_places_are_left_out() -> None:
    episodes = load(PAIRS)
    pairs = [episodes[k : k + 2] for k in range(0, len(episodes), 2)]
    training = build_walks([pairs[0][1]], 12)
    seen = {(training.worlds[0], place) for place in training.routes[0]}
    expected = [
        episode.id
        for pair in pairs
        if not any((one.world, place) in seen for one in pair for place in one.legs[0].goal.route)  # type: ignore[union-attr]
        for episode in pair
    ]
    assert [episode.id for episode in unseen_pairs(episodes, training, len(pairs))] == expected
    assert pairs[0][0].id not in expected and 0 < len(expected) < len(episodes)
    assert len(unseen_pairs(episodes, training, 1)) == 2


@pytest.mark.slow
def test_a_call_resumes_and_saves_walks(tmp_path: Path) -> None:
    runs = [RUN, replace(RUN, seed=1)]
    trainer = make_trainer(tmp_path)
    assert trainer.train_all(runs, 0.0) == runs and not saved_files(tmp_path)
    assert not trainer.train(RUN, 1e-6)
    assert make_trainer(tmp_path).train_all(runs, 10.0) == []
    assert [len(read_history(tmp_path / run.name)) for run in runs] == [2, 2]
    expected = {
        f"RCONCAT-NO-IMAGE_{name}.npz"
        for seed in (0, 1)
        for name in (f"city-touchdown-small_{seed}", f"city-touchdown-small_{seed}_shuffled")
    }
    assert expected <= saved_files(tmp_path)
    # A finished run is not trained again, but new sets are walked.
    (tmp_path / "walks" / min(expected)).unlink()
    trainer = make_trainer(tmp_path)
    assert not trainer.is_done(RUN) and trainer.train(RUN, 10.0) and trainer.is_done(RUN)
    with pytest.raises(InputError, match="epochs"):
        make_trainer(tmp_path, replace(CONFIG, epochs=3)).train(RUN, 10.0)


def test_settings_of_a_run_hold_unless_the_call_has_others(tmp_path: Path) -> None:
    own = replace(RUN, epochs=3, epoch_size=24, batch_size=8, learning_rate=0.01)
    none = replace(CONFIG, epochs=None, epoch_size=None, batch_size=None)
    config = make_trainer(tmp_path, none).train_config(own)
    assert (config.epochs, config.examples_per_epoch, config.batch_size, config.learning_rate) == (3, 24, 8, 0.01)
    config = make_trainer(tmp_path).train_config(own)
    assert (config.epochs, config.examples_per_epoch, config.batch_size) == (2, 32, 16)


@pytest.mark.slow
def test_a_run_that_another_process_trains_is_left_to_it(tmp_path: Path) -> None:
    runs = [RUN, replace(RUN, seed=1)]
    trainer = make_trainer(tmp_path)
    with file_lock(tmp_path / "locks" / RUN.name):
        assert trainer.train_all(runs, 10.0) == [RUN]
        assert not (tmp_path / RUN.name).exists()
    assert trainer.train_all(runs, 10.0) == []


@pytest.mark.slow
def test_several_processes_share_the_runs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    only = ["rconcat-no-image-0", "ga-no-image-0"]
    config = replace(CONFIG, epochs=1, train_size=16, epoch_size=16, eval_size=4, shuffled=(), pairs=())
    call = partial(train_navigation, tmp_path, config, datasets=(SMALL,), device="cpu", only=only, processes=2)
    assert call(minutes=0.0, processes=sized(1, 2)) == only
    assert call(minutes=10.0) == []
    lines = capfd.readouterr().err.splitlines()
    ready = sum("ready after" in line for line in lines)
    assert 1 <= ready == sum("to validate on" in line for line in lines) <= 2  # a fast process may do both runs
    for name in only:
        assert sum(line.startswith(f"{name}: training") for line in lines) == 1
        assert len(read_history(tmp_path / name)) == 1


def test_saved_walks_are_those_of_the_agent(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path)
    assert trainer.train(RUN, 10.0)
    saved = read_walks(tmp_path / "walks" / "RCONCAT-NO-IMAGE_city-touchdown-small_0.npz")
    assert saved.metadata["walks"] == 40 and saved.metadata["epochs"] == 2
    graphs = {graph.name: graph for graph in trainer.graphs}
    traces = evaluate(str(tmp_path / RUN.name / "best.pt"), SMALL, limit=20)
    for ours, theirs in zip(saved.traces(graphs), traces, strict=True):
        assert (ours.episode, ours.legs[0].actions) == (theirs.episode, theirs.legs[0].actions)
        assert ours.legs[0].path == theirs.legs[0].path


def test_networks_with_pictures_are_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.training.walking.synthetic_walks import SLICING, NoiseViews

    def noise(_: ViewFiles, kind: str, graphs: Any, *_rest: Any) -> Any:
        return None if kind == NO_VIEW else NoiseViews(sum(map(len, graphs)))

    monkeypatch.setattr(ViewFiles, "open", noise)
    monkeypatch.setattr(ViewFiles, "backbone", lambda *_: None)
    small = {"word_dim": 8, "text_dim": 16, "view_dim": 16, "hidden_dim": 16}
    trainer = make_trainer(tmp_path, slicing=SLICING)
    assert trainer.train(NavigationRun("RCONCAT", "rconcat", overrides=small), 10.0)
    assert "RCONCAT_city-touchdown-small_0.npz" in saved_files(tmp_path)


def test_an_other_city_must_be_another(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no training walk"):
        make_trainer(tmp_path, replace(CONFIG, splits=(), shuffled=()), other_city=_small_as_test(tmp_path / "data"))


def _small_as_test(folder: Path) -> Path:
    """Return a data folder whose test_unseen is the small split."""
    from bearleft.data import open_dataset

    path = open_dataset(SMALL).path
    assert path is not None
    target = folder / "city" / "touchdown" / "test_unseen.jsonl"
    target.parent.mkdir(parents=True)
    target.write_bytes(path.read_bytes())
    return folder


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("kind", [MEAN_MAP, CELLS, RGB])
def test_views_are_computed_once(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slicing = Slicing(115, 200)
    graph = open_graphs(["city/3/4x5"])[0]
    walks = build_walks(load(SMALL)[:5], 12)

    lines: list[str] = []
    backbone = load_backbone("random:0")
    files = ViewFiles(tmp_path, CPU, lambda: backbone, slicing, log=lines.append)
    computed: list[int] = []

    def fill(views: Any, places: Any) -> None:
        shape = (len(places), *views.values.shape[1:])
        views.values = torch.arange(len(places)).view(-1, *[1] * (len(shape) - 1)).expand(shape).float().clone()
        views.row = np.arange(len(places))

    def together(kinds: Any, places: Any, *_: Any) -> None:
        computed.append(len(places))
        for views in kinds:
            fill(views, places)

    def rgb(views: Any, places: Any, headings: Any, **_: Any) -> None:
        computed.append(len(places))
        views.keys = np.unique(places * 3600 + np.round(headings * 10).astype(np.int64) % 3600)
        shape = (len(views.keys), *views.shape)
        views.values = torch.arange(len(views.keys)).view(-1, 1, 1, 1).expand(shape).to(torch.uint8).clone()

    monkeypatch.setattr(view_files, "prepare_together", together)
    monkeypatch.setattr(RgbViews, "prepare", rgb)
    first = files.open(kind, [graph], walks.starts)
    second = files.open(kind, [graph], walks.starts)
    with pytest.raises(TimeoutError):
        files.open(kind, [graph], walks.starts, end=0.0)
    assert len(computed) == 1 and len(lines) == 1
    if kind != RGB:  # one pass over the feature maps makes both
        files.open(MEAN_MAP if kind == CELLS else CELLS, [graph], walks.starts)
        assert len(computed) == 1 and len(lines) == 1
    table = StateTable.build([graph], walks.starts, CPU)
    states = torch.tensor([table.start_states[start] for start in walks.starts])
    for views in (first, second):
        assert views is not None
        seen = views(table.place[states], table.heading[states])
        flat = seen.reshape(len(states), -1)
        assert (flat == flat[:, :1]).all()
        if kind != RGB:
            assert flat[:, 0].tolist() == table.place[states].tolist()


def test_call_of_a_name_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="rconcat-7"):
        train_navigation(tmp_path, CONFIG, device="cpu", only=["rconcat-7"])


def test_options_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def record(*arguments: Any, **options: Any) -> list[str]:
        calls.append((arguments, options))
        return ["compass-0"]

    monkeypatch.setattr("bearleft.experiments.touchdown.navigation.train.train_navigation", record)
    options = "--datasets a.jsonl,city/touchdown/train --only compass-0,rconcat-1 --minutes 3 --device cpu --epochs 4"
    options += " --epoch-size 100 --other-city other --data mine --eval-size 7 --processes 3"
    result = CliRunner().invoke(cli, ["paper", "touchdown", "--train-navigation", str(tmp_path), *options.split()])
    assert result.exit_code == 0 and "left: compass-0" in result.output
    ((folder, config), call) = calls[0]
    assert folder == str(tmp_path) and config == NavigationConfig(epochs=4, epoch_size=100, eval_size=7)
    call.pop("log")
    assert call == {
        "data": "mine",
        "datasets": ("a.jsonl", "city/touchdown/train"),
        "device": "cpu",
        "minutes": 3.0,
        "only": ("compass-0", "rconcat-1"),
        "other_city": "other",
        "processes": 3,
    }

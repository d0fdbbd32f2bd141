"""Training the look network: stopped runs resume, batched play equals single play, and errors of folders."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.agents.checkpoints import CheckpointOptions  # noqa: E402
from bearleft.agents.pointing import from_checkpoint  # noqa: E402
from bearleft.cli import main as command_line  # noqa: E402
from bearleft.data import load  # noqa: E402
from bearleft.envs.legs import EnvOptions  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.evaluation.play import play  # noqa: E402
from bearleft.experiments.refer360.results import keep_last_sentences  # noqa: E402
from bearleft.models.backbones.registry import load_backbone  # noqa: E402
from bearleft.models.checkpoint import read_checkpoint, write_checkpoint  # noqa: E402
from bearleft.models.examples import build_examples, point_leg  # noqa: E402
from bearleft.models.looking.examples import LookExamples, build_look_examples, place_of  # noqa: E402
from bearleft.models.looking.network import TURNS  # noqa: E402
from bearleft.models.looking.player import CONTINUOUS, DISCRETE, LookCheckpoint  # noqa: E402
from bearleft.models.looking.views import Views  # noqa: E402
from bearleft.records import Episode, Point  # noqa: E402
from bearleft.runtime.store import exclusive_writer  # noqa: E402
from bearleft.training.looking import LookTrainConfig, LookTrainResult, expert_turns, play_episodes, train  # noqa: E402
from bearleft.world.pictures import PictureConfig  # noqa: E402
from tests.training.pointing.test_real_pictures import draw_panoramas, write_refer360_files  # noqa: E402

CONFIG = LookTrainConfig(
    epochs=3,
    batch_size=6,
    views_per_goal=1,
    width=16,
    view_size=32,
    pool=1,
    columns=12,
    dropout=0.1,
    learning_rate=3e-3,
)
EPISODE_COUNT = 4


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    """Return episodes of one world of rooms, which is built quickly."""
    return [episode for episode in load("city/refer360/small") if episode.world.startswith("rooms/")][:EPISODE_COUNT]


@pytest.fixture(scope="module")
def views(episodes: list[Episode]) -> Views:
    return Views(map(place_of, episodes), load_backbone("random:0"), CONFIG.network_config(1, 128))


@pytest.fixture(scope="module")
def trained(
    episodes: list[Episode], views: Views, tmp_path_factory: pytest.TempPathFactory
) -> tuple[LookTrainResult, Path]:
    folder = tmp_path_factory.mktemp("look")
    return train(CONFIG, episodes, load_backbone("random:0"), folder, views=views), folder


@pytest.mark.slow
def test_training_learns_and_resume_equals_uninterrupted_run(
    episodes: list[Episode], views: Views, trained: tuple[LookTrainResult, Path], tmp_path: Path
) -> None:
    uninterrupted, _ = trained
    assert uninterrupted.finished and uninterrupted.history[-1]["sphere"] < 0.95 * uninterrupted.history[0]["sphere"]
    stopped = train(CONFIG, episodes, load_backbone("random:0"), tmp_path, minutes=0, views=views)
    assert not stopped.finished and len(stopped.history) == 1
    resumed = train(CONFIG, episodes, load_backbone("random:0"), tmp_path, views=views)
    assert resumed.history == uninterrupted.history
    for name, value in uninterrupted.checkpoint.network.state_dict().items():
        assert torch.equal(value, resumed.checkpoint.network.state_dict()[name]), name


CONFIG_FIELDS_OF_FORMAT_1 = {
    "vocabulary_size": "words",
    "learning_rate": "rate",
    "batch_size": "batch",
    "weight_decay": "decay",
    "warmup_share": "warm",
    "views_per_goal": "variants",
    "view_size": "side",
    "turn_degrees": "step",
}
MODULES_OF_FORMAT_1 = {
    "text.embedding": "text.words",
    "text.offset_embedding": "text.ages",
    "text.gru": "text.order",
    "map_projection": "enter",
    "map_layers": "layers",
    "map_head": "score",
    "view_projection": "close",
    "view_layers": "finer",
    "view_head": "fine",
    "turn_head": "turn",
    ".query_norm.": ".asked.",
    ".conv_norm.": ".heard.",
    ".query.": ".asks.",
    ".key_value.": ".says.",
    ".output.": ".takes.",
    ".conv.": ".joins.",
    ".pointwise.": ".thinks.",
}


def old_module_name(name: str) -> str:
    """Return a weight's name in format 1."""
    for new, old in MODULES_OF_FORMAT_1.items():
        name = name.replace(new, old)
    return name


@pytest.mark.slow
def test_training_states_of_format_1_resume(
    episodes: list[Episode], views: Views, trained: tuple[LookTrainResult, Path], tmp_path: Path
) -> None:
    train(CONFIG, episodes, load_backbone("random:0"), tmp_path, minutes=0, views=views)
    state = read_checkpoint(tmp_path / "last.pt", kind="training")
    settings = state.pop("settings")
    configs = {
        old: {CONFIG_FIELDS_OF_FORMAT_1.get(name, name): value for name, value in settings[new].items()}
        for new, old in (("train_config", "recipe"), ("network_config", "config"))
    }
    old_state = {
        "about": {**configs, "trunk": settings["backbone_hash"], "data": settings["episodes_hash"]},
        "curve": state.pop("history"),
        "weights": {old_module_name(name): value for name, value in state.pop("weights").items()},
    }
    write_checkpoint(tmp_path / "last.pt", {**state, **old_state, "format": 1})
    resumed = train(CONFIG, episodes, load_backbone("random:0"), tmp_path, views=views)
    assert resumed.history == trained[0].history
    for name, value in trained[0].checkpoint.network.state_dict().items():
        assert torch.equal(value, resumed.checkpoint.network.state_dict()[name]), name


@pytest.mark.parametrize(("file", "turn_mode"), [("best.pt", CONTINUOUS), ("steps.pt", DISCRETE)])
def test_batched_and_single_play_are_equal(
    episodes: list[Episode], views: Views, trained: tuple[LookTrainResult, Path], file: str, turn_mode: str
) -> None:
    shortened = keep_last_sentences(episodes[:2], 1 if turn_mode == DISCRETE else 3)
    checkpoint = LookCheckpoint.load(trained[1] / file)
    assert checkpoint.turn_mode == turn_mode
    agent = from_checkpoint(str(trained[1] / file), CheckpointOptions("cpu"))
    for episode, trace in zip(shortened, play_episodes(checkpoint, shortened, views, heatmaps=True), strict=True):
        (single_leg,), (leg,) = play(agent, episode), trace.legs
        assert single_leg.actions == leg.actions and leg.heat is not None
        assert leg.actions.count("next") == len(leg.looks) == len(episode.legs[0].sentences)
        for single_look, batched_look in zip(single_leg.looks, leg.looks, strict=True):
            assert (single_look.heading, single_look.pitch) == pytest.approx(
                (batched_look.heading, batched_look.pitch), abs=0.05
            )
        assert leg.answer == leg.looks[-1]
        assert set(leg.actions) <= {*TURNS, "look"}
        assert (leg.actions[0] == "look") == (turn_mode == CONTINUOUS)


@pytest.mark.slow
def test_look_agent_plays_in_a_built_city(trained: tuple[LookTrainResult, Path]) -> None:
    file, episode = str(trained[1] / "best.pt"), keep_last_sentences(load("town/look")[:1], 1)[0]
    agent = from_checkpoint(file, CheckpointOptions("cpu", city=3))
    (leg,) = play(agent, episode)
    assert leg.answer is not None and str(getattr(agent, "label", "")).endswith(",city=3]")
    with pytest.raises(InputError, match="--city 0"):
        play(from_checkpoint(file, CheckpointOptions("cpu")), episode)


def test_other_config_or_damaged_state_raises(
    episodes: list[Episode], views: Views, trained: tuple[LookTrainResult, Path], tmp_path: Path
) -> None:
    other = replace(CONFIG, learning_rate=1e-4)
    with pytest.raises(InputError, match="configuration and data"):
        train(other, episodes, load_backbone("random:0"), trained[1], views=views)
    (tmp_path / "last.pt").write_bytes(b"not a state")
    with pytest.raises(InputError, match=r"last\.pt"):
        train(CONFIG, episodes, load_backbone("random:0"), tmp_path, views=views)


def test_look_examples_link_sentences(episodes: list[Episode], views: Views) -> None:
    examples: LookExamples = build_look_examples(episodes, views)
    sentences = [episode.legs[0].sentences for episode in episodes]
    assert len(examples) == sum(map(len, sentences))
    first = len(sentences[0])
    assert examples.previous[:first].tolist() == [-1, *range(first - 1)]
    assert examples.sentences[first - 1] == sentences[0] and examples.sentences[first] == sentences[1][:1]
    goal = episodes[0].legs[0].goal
    assert isinstance(goal, Point)
    assert examples.goal[first - 1].tolist() == pytest.approx([goal.direction.heading, goal.direction.pitch], abs=1e-3)
    # An episode without recorded views gives one example, its target.
    leg = episodes[0].legs[0]
    without_views = replace(episodes[0], legs=(replace(leg, goal=replace(goal, views=())),))
    target_only = build_look_examples([without_views], views)
    assert len(target_only) == 1 and target_only.previous.tolist() == [-1] and target_only.sentences == (leg.sentences,)


def test_expert_turns_sideways_first_then_up_or_down() -> None:
    look = torch.tensor([[350.0, 0.0], [10.0, 0.0], [10.0, 90.0], [10.0, -40.0], [10.0, 0.0]])
    goal = torch.tensor([[10.0, 30.0], [350.0, 0.0], [12.0, 20.0], [5.0, 0.0], [15.0, -6.0]])
    assert [TURNS[k] for k in expert_turns(look, goal).tolist()] == ["right", "left", "down", "up", "next"]
    assert [TURNS[k] for k in expert_turns(look, goal, 5.0).tolist()] == ["right", "left", "down", "left", "right"]


def test_agent_turns_by_the_trained_step(
    episodes: list[Episode], views: Views, trained: tuple[LookTrainResult, Path]
) -> None:
    checkpoint = replace(trained[0].checkpoint, turn_mode=DISCRETE, turn_degrees=30.0)
    (trace,) = play_episodes(checkpoint, episodes[:1], views)
    actions = trace.legs[0].actions
    assert actions[:15] == ("down",) * 3 + ("right",) * 12  # looks around once
    options = EnvOptions(look_lattice=45.0, interactive=True, look_horizon=30)
    (trace,) = play_episodes(checkpoint, episodes[:1], views, options=options)
    assert trace.legs[0].actions[:10] == ("down",) * 2 + ("right",) * 8 and len(trace.legs[0].actions) <= 30
    assert all(look.heading % 45 == 0 and look.pitch % 45 == 0 for look in trace.legs[0].looks[:-1])


def test_help_lists_options(capsys: pytest.CaptureFixture[str]) -> None:
    command_line(["train", "look", "--help"])
    assert "--turn-degrees" in capsys.readouterr().out


def test_refer360_files_with_an_album_are_trained_and_evaluated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same commands lead from Refer360's files to traces; pictures show a disc at the target."""
    data, pictures, run = tmp_path / "data", tmp_path / "panoramas", tmp_path / "run"
    (data / "refer360").mkdir(parents=True)
    write_refer360_files(data / "refer360")
    episodes = list(load("refer360/train", data))
    draw_panoramas(build_examples(episodes), pictures, True)
    views = Views(
        map(place_of, episodes),
        load_backbone("random:0"),
        CONFIG.network_config(1, 128),
        pictures=PictureConfig([pictures], data=data),
    )
    goal = point_leg(episodes[0])[1].direction
    rgb = views._render("refer360", np.array([views._place_numbers[0]]), np.array([[goal.heading, goal.pitch]]))
    red, green, blue = rgb[0, 15:17, 15:17].float().mean((0, 1)).tolist()
    assert min(red, blue) > 150 > 2 * green
    options = "--epochs 1 --batch-size 4 --views-per-goal 1 --width 16 --view-size 32 --pool 1 --backbone random:0"
    arguments = ["refer360/train", "-o", str(run), "--data", str(data), "--pictures", str(pictures), "--json"]
    command_line(["train", "look", *arguments, *options.split()])
    captured = capsys.readouterr()
    assert [row["epoch"] for row in json.loads(captured.out)] == [1] and "3 episodes, 6 sentences" in captured.err
    out = tmp_path / "turns.jsonl"
    command = f"eval {run}/best.pt refer360/dev -o {out} --data {data} --pictures {pictures} --device cpu"
    command_line(command.split())
    (trace,) = (json.loads(line) for line in out.read_text().splitlines())
    assert trace["agent"].startswith(f"{run}/best.pt[") and "heat" in trace["legs"][0]


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ({"batch_size": 0}, "at least 1"),
        ({"view_size": 15}, "at least 16"),
        ({"columns": 2}, "at least 3"),
        ({"width": 30}, "a multiple of 4"),
        ({"learning_rate": 1e30}, "below a million"),
        ({"dropout": 1.0}, "without 1"),
    ],
)
def test_invalid_config_raises(overrides: dict[str, float], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        replace(LookTrainConfig(), **overrides)  # type: ignore[arg-type]


def test_folder_has_one_writer_and_must_be_writable(episodes: list[Episode], views: Views, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="a folder that can be written"):
        train(CONFIG, episodes, load_backbone("random:0"), tmp_path / "file", views=views)
    with exclusive_writer(tmp_path / "run", "a training"), pytest.raises(InputError, match="nobody else writes"):
        train(CONFIG, episodes, load_backbone("random:0"), tmp_path / "run", views=views)


def test_episodes_with_several_look_legs_are_batched(
    episodes: list[Episode], views: Views, trained: tuple[LookTrainResult, Path]
) -> None:
    """One episode may begin its second leg while another is still in its first."""
    checkpoint = LookCheckpoint.load(trained[1] / "best.pt")
    short, long = keep_last_sentences(episodes[:2], 1)
    two_leg_episodes = [replace(short, legs=short.legs * 2), replace(long, legs=episodes[1].legs + long.legs)]
    for trace, episode in zip(play_episodes(checkpoint, two_leg_episodes, views), two_leg_episodes, strict=True):
        assert len(trace.legs) == 2 and all(leg.answer is not None for leg in trace.legs)
        assert [len(leg.looks) for leg in trace.legs] == [len(leg.sentences) for leg in episode.legs]

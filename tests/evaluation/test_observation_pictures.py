"""Pictures in the observations of agents that `evaluate` runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.agents.pipe import encode_picture
from bearleft.cli import main
from bearleft.data import load
from bearleft.envs.arramon.gym import ArraMonEnv
from bearleft.envs.gym import PointEnv, ReachEnv
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.records import Direction, Episode, Leg, Point, Pose, Reach, to_json_line
from bearleft.world.album.album import Album
from bearleft.world.album.write import AlbumConfig, write_album
from bearleft.world.city.city import open_city
from bearleft.world.pictures import AlbumPictures

WORLD = "city/3/4x5"


@pytest.fixture(scope="module")
def episodes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with a walk and a point after it, in a small city."""
    graph = open_city(WORLD).graph
    first, second = (graph.ids[places[40]] for places in (graph.source, graph.target))
    walk = Leg("Go on.", Reach((first, second)))
    spot = Leg("There.", Point(Direction(40.0, 5.0), second, float(graph.yaw[graph.place_index(second)])))
    start = Pose(Direction(float(graph.heading[40])), first)
    path = tmp_path_factory.mktemp("own") / "own.jsonl"
    path.write_text(to_json_line(Episode("r", "own", WORLD, start, (walk, spot))) + "\n")
    return path


class Watcher:
    """Walks one step, stops and points ahead; keeps its observations."""

    def begin(self, episode: Episode, rng: np.random.Generator) -> None:
        self.seen: list[dict[str, Any]] = []

    def act(self, observation: dict[str, Any]) -> str | Direction:
        self.seen.append(observation)
        if observation["kind"] == "point":
            return Direction(observation["heading"])
        return "stop" if observation["step"] else "forward"


@pytest.mark.parametrize("see", ["view", "panorama"])
def test_agents_see_what_environments_show(episodes: Path, see: str) -> None:
    agent = Watcher()
    evaluate(agent, str(episodes), pictures={"see": see, "size": 32})
    walk = ReachEnv(load(str(episodes)), see=see, size=32)
    shown = [walk.reset()[0], walk.step(np.int64(0))[0]]
    assert [observation["kind"] for observation in agent.seen] == ["reach", "reach", "point"]
    for observation, expected in zip(agent.seen, shown, strict=False):
        np.testing.assert_array_equal(observation[see], expected[see])
    assert not np.array_equal(agent.seen[0][see], agent.seen[1][see])
    assert agent.seen[2][see].shape == ((32, 32, 3) if see == "view" else (16, 32, 3))


def test_shadows_can_be_left_out(episodes: Path) -> None:
    pictures = []
    for shadows in (True, False):
        agent = Watcher()
        evaluate(agent, str(episodes), pictures={"see": "view", "size": 64, "shadows": shadows})
        env = ReachEnv(load(str(episodes)), see="view", size=64, shadows=shadows)
        np.testing.assert_array_equal(agent.seen[0]["view"], env.reset()[0]["view"])
        pictures.append(agent.seen[0]["view"].astype(int))
    assert not np.array_equal(*pictures)
    assert pictures[1].mean() > pictures[0].mean()  # brighter
    arramon = [ArraMonEnv(see="view", size=64, shadows=shadows).reset(seed=0)[0]["view"] for shadows in (True, False)]
    assert not np.array_equal(*arramon)


def test_arramon_agents_see_the_city_and_the_room() -> None:
    class Collector:
        def begin(self, episode: Episode, rng: np.random.Generator) -> None:
            self.seen: list[Any] = []

        def act(self, observation: dict[str, Any]) -> str:
            self.seen.append(observation["view"])
            if observation["kind"] == "collect":
                return "pick"
            return "place" if observation["ahead"] else "right"

    agent = Collector()
    evaluate(agent, "city/arramon/small", limit=1, pictures={"see": "view", "size": 32})
    env = ArraMonEnv(see="view", size=32)
    observation, info = env.reset(options={"episode": env.episodes.all[0].id})
    ended = False
    for view in agent.seen:
        np.testing.assert_array_equal(view, observation["view"])
        can_act = observation["phase"] == 0 or info["action_mask"][3]
        observation, _, ended, _, info = env.step(np.int64(3 if can_act else 2))
    assert ended and len(agent.seen) >= 4
    with pytest.raises(InputError, match=r'see view in ArraMon.s tasks, got "panorama"'):
        evaluate(agent, "city/arramon/small", limit=1, pictures={"see": "panorama"})


def test_agents_see_stored_panoramas(episodes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    graph, route = open_city(WORLD).graph, load(str(episodes))[0].legs[0].goal
    assert isinstance(route, Reach)
    Path("ids").write_text("\n".join(route.route))
    write_album("album", WORLD, AlbumConfig((64, 32), samples=1, picture="png"), places="ids")
    agent = Watcher()
    [trace] = evaluate(agent, str(episodes), pictures={"see": "panorama", "size": 64, "pictures": ("album",)})
    assert trace.agent == "Watcher[see=panorama,size=64,pictures=album]"
    stored = AlbumPictures(Album.open("album"), WORLD).panorama(route.route[0], float(graph.heading[40]), 64)
    np.testing.assert_array_equal(agent.seen[0]["panorama"], stored)


PIPED = """
import base64, io, json, sys
from PIL import Image
for line in sys.stdin:
    message = json.loads(line)
    if "observe" in message:
        picture = Image.open(io.BytesIO(base64.b64decode(message["observe"]["view"])))
        print(picture.format, picture.size, file=sys.stderr)
        point = message["observe"]["kind"] == "point"
        print(json.dumps({"heading": 1, "pitch": 0} if point else {"action": "stop"}), flush=True)
"""


def test_piped_agents_get_png_files(episodes: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "piped.py").write_text(PIPED)
    arguments = ["eval", f"pipe:{sys.executable} {tmp_path / 'piped.py'}", str(episodes), "--see", "view"]
    main([*arguments, "--no-shadows", "-o", str(tmp_path / "a.jsonl")])
    assert capfd.readouterr().err.count("PNG (224, 224)") == 2
    assert 'piped.py[see=view,shadows=0]"' in (tmp_path / "a.jsonl").read_text()
    assert encode_picture(np.zeros((2, 3, 3), np.uint8)).startswith("iVBORw0KGgo")


def test_pictures_that_nobody_would_see(episodes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match=r'see with your own agent, FILE\.py, pipe:COMMAND or llm:MODEL, got "random"'):
        evaluate("random", str(episodes), pictures={"see": "view"})
    with pytest.raises(InputError, match='view or panorama, got "sky"'):
        evaluate(Watcher(), str(episodes), pictures={"see": "sky"})
    with pytest.raises(InputError, match='a picture option, got "sea"'):
        evaluate(Watcher(), str(episodes), pictures={"sea": "view"})  # type: ignore[arg-type]
    with pytest.raises(SystemExit, match="2"):
        main(["eval", "stop", str(episodes), "--no-shadows", "-o", str(tmp_path / "a.jsonl")])
    assert "expected --no-shadows with --see view or --see panorama" in capsys.readouterr().err
    with pytest.raises(InputError, match="stored pictures, or rendered ones, got pictures and shadows"):
        PointEnv(see="view", pictures="album", shadows=False)

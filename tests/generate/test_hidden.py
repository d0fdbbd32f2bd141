"""Datasets with hidden goals: what entrants get tells nothing about the answers, and answers score their traces."""

from __future__ import annotations

import json
import shutil
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearleft.data import load, read, write
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.replay import replay_trace
from bearleft.evaluation.score import score
from bearleft.generate import datasets, hidden, make_dataset, shards
from bearleft.generate.hidden import HIDDEN_DATASETS, HiddenDataset, entrants_sha256, hide_goals, make_hidden_dataset
from bearleft.records import Direction, Episode, Goal, Leg, Point, Pose, Reach, to_json_line
from bearleft.world.city.randomness import SECRET_SEEDS
from bearleft.world.worlds import open_world
from tests.commands import run_command
from tests.sizes import sized, some
from tests.strategies import directions, extras, names, texts, tuples

WORLD, ROOMS = "city/3/4x5", "rooms/0/42"
SIZE = sized(3, 40)
SPLITS = {
    "city/touchdown": "test",
    "city/touchdown-complete": "test_unseen",
    "city/sdr": "dev",
    "city/refer360": "test.unseen",
}

pytestmark = pytest.mark.usefixtures("city_cache")


@dataclass(frozen=True)
class Made:
    """A hidden dataset: the two files, and the ordinary dataset of the same seed."""

    dataset: str
    result: HiddenDataset
    source: Path
    seed: int

    @property
    def entrants(self) -> Path:
        return Path(self.result.rows[0]["entrants"])

    @property
    def answers(self) -> Path:
        return Path(self.result.rows[0]["answers"])


def arguments(folder: Path, dataset: str, size: int = SIZE) -> dict[str, Any]:
    rooms = {"rooms": ROOMS} if dataset == "city/refer360" else {}
    return {"size": size, "secret": folder / "key", "out": folder / "out", "world": WORLD, "processes": 1} | rooms


@pytest.fixture(scope="module")
def made(shared_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    """Return one hidden split of some datasets, all of one key and in one folder."""
    folder, out = tmp_path_factory.mktemp("hidden"), {}
    kept = make_dataset
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BEARLEFT_CACHE", str(shared_cache))
        for dataset in some(HIDDEN_DATASETS, 3)[1:] if SIZE < 9 else HIDDEN_DATASETS:
            seeds: list[int] = []

            def remember(name: str, splits: list[str], *, seed: int, **options: Any) -> Any:
                seeds.append(seed)  # noqa: B023  (called in this iteration)
                return kept(name, splits, seed=seed, **options)

            patch.setattr(datasets, "make_dataset", remember)
            result = make_hidden_dataset(f"{dataset}/{SPLITS[dataset]}", **arguments(folder, dataset))
            out[dataset] = Made(dataset, result, folder / "source" / dataset.replace("/", "-"), seeds[0])
    return out


def answers_by_id(one: Made) -> dict[str, Episode]:
    return {episode.id: episode for episode in load(one.answers)}


@pytest.mark.slow
def test_files_are_private_and_complete(made: dict[str, Made]) -> None:
    for one in made.values():
        assert len(load(one.entrants)) == len(load(one.answers)) == one.result.rows[0]["episodes"]
        assert stat.S_IMODE(one.answers.parent.stat().st_mode) == 0o700
        for private in (one.answers, one.answers.parent / "manifest.json", one.result.folder.parent / "key"):
            assert stat.S_IMODE(private.stat().st_mode) == 0o600
        assert {path.name for path in one.entrants.parent.iterdir()} == {
            "manifest.json",
            *(other.entrants.name for other in made.values()),
        }
        assert not (one.answers.parent / ".making").exists()


def test_answers_are_the_dataset_that_the_secret_seed_gives(made: dict[str, Made]) -> None:
    for dataset, one in made.items():
        assert one.seed in SECRET_SEEDS
        options = {name: value for name, value in arguments(Path(), dataset).items() if name not in ("secret", "out")}
        base, split = dataset.removesuffix("-complete"), SPLITS[dataset]
        file = make_dataset(base, [split], seed=one.seed, out=one.source, **options).rows[0]["file"]
        source = {episode.id: episode for episode in read(dataset, file)}
        answers = load(one.answers)
        assert {episode.extra["source"] for episode in answers} == set(source)
        for episode in answers:
            expected = source[episode.extra["source"]]
            extra = {**expected.extra, "source": expected.id}
            assert episode == replace(expected, id=episode.id, extra=extra)


def test_entrants_get_texts_and_starts_only(made: dict[str, Made]) -> None:
    for one in made.values():
        known = answers_by_id(one)
        episodes = load(one.entrants)
        assert [episode.id for episode in episodes] == sorted(known)
        for line, episode in zip(one.entrants.read_text().splitlines(), episodes, strict=True):
            answer = known[episode.id]
            assert episode.hidden and not episode.extra
            assert (episode.world, episode.start, episode.dataset) == (answer.world, answer.start, answer.dataset)
            assert [(leg.text, leg.sentences) for leg in episode.legs] == [
                (leg.text, leg.sentences) for leg in answer.legs
            ]
            for secret in secrets_of(answer) - {str(episode.start.place)}:
                assert secret not in line, f"{secret} in {line}"


def secrets_of(episode: Episode) -> set[str]:
    """Return what the goals of an episode are made of, as it would stand in a file."""
    found = {json.dumps(str(episode.extra["source"]))}
    for leg in episode.legs:
        if isinstance(leg.goal, Reach):
            found |= set(leg.goal.route)
        elif isinstance(leg.goal, Point):
            points = (leg.goal, *leg.goal.propagated)
            angles = [angle for point in points for angle in point.direction.to_json()]
            angles += [angle for view in leg.goal.views for angle in view.to_json() if angle not in (0.0, 90.0)]
            found |= {repr(angle) for angle in angles} | {str(point.place) for point in points}
    return found


def test_manifest_of_entrants_holds_nothing_of_the_answers(made: dict[str, Made]) -> None:
    one = next(iter(made.values()))
    text = (one.entrants.parent / "manifest.json").read_text()
    private = json.loads((one.answers.parent / "manifest.json").read_text())["hidden"]
    for other in made.values():
        entry = private[other.answers.name]
        public = json.loads(text)["hidden"][other.entrants.name]
        assert set(public) <= {
            *("dataset", "worlds", "style", "facing", "episodes", "bearleft", "text_generator", "sha256")
        }
        assert public["sha256"] == entry["entrants_sha256"] == entrants_sha256(other.answers)
        assert not {entry["sha256"], entry["key"], str(other.seed)} & set(text.replace('"', " ").split())
    assert entrants_sha256(one.entrants) is None


def test_yaws_of_panoramas_follow_from_the_world(made: dict[str, Made]) -> None:
    """A yaw is kept for panoramas that one points in at the start; it must not be the target's."""
    for one in made.values():
        for episode in load(one.entrants):
            goal = episode.legs[0].goal
            if isinstance(goal, Point):
                graph = open_world(episode.world)
                yaw = 0.0 if episode.legs[0].sentences else float(graph.yaw[graph.place_index(str(goal.place))])
                assert (goal.place, goal.yaw) == (episode.start.place, yaw)


@pytest.mark.parametrize("name", some(HIDDEN_DATASETS, 3)[1:] if SIZE < 9 else HIDDEN_DATASETS)
def test_answers_score_traces_as_the_dataset_itself(name: str, made: dict[str, Made], tmp_path: Path) -> None:
    one = made[name]
    submitted, own = tmp_path / "submitted.jsonl", tmp_path / "own.jsonl"
    episodes = {episode.id: episode for episode in load(one.entrants)}
    agent = "random"
    for trace in evaluate(agent, str(one.entrants), submitted, seed=3):
        assert replay_trace(episodes[trace.episode], trace) is None
    evaluate(agent, str(one.answers), own, seed=3)
    first = score(submitted, dataset=str(one.answers), convention="all")
    second = score(own, convention="all")
    assert first.rows and first.rows == second.rows
    with pytest.raises(InputError, match="expected episodes with goals, to score traces"):
        score(submitted)
    with pytest.raises(InputError, match="traces of city/sdr/small"):
        score(submitted, dataset="city/sdr/small")
    changed = tmp_path / "changed.jsonl"
    changed.write_text(submitted.read_text().replace(str(entrants_sha256(one.answers)), "0" * 64))
    with pytest.raises(InputError, match="traces of a dataset whose sha256 is"):
        score(changed, dataset=str(one.answers))


def test_the_same_key_gives_the_same_files_after_an_interruption_at_any_step(
    made: dict[str, Made], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = made["city/sdr"] if "city/sdr" in made else next(iter(made.values()))
    (tmp_path / "key").write_text((one.result.folder.parent / "key").read_text())
    (tmp_path / "key").chmod(0o600)
    options = arguments(tmp_path, one.dataset)
    monkeypatch.setattr(shards, "SHARD_SIZE", 1)
    stops = 0
    for step in range(9):
        try:
            with pytest.MonkeyPatch.context() as patch:
                stop_at(step, patch)
                make_hidden_dataset(one.dataset, [SPLITS[one.dataset]], **options)
        except KeyboardInterrupt:
            stops += 1
        entrants, answers = (tmp_path / "out" / kind / one.entrants.name for kind in ("entrants", "answers"))
        for path, whole in ((entrants, one.entrants), (answers, one.answers)):
            assert not path.exists() or path.read_bytes() == whole.read_bytes(), "a file appears when it is whole"
    assert stops == 6, "while texts are made, before each of two files and two manifests, and before the end"
    make_hidden_dataset(one.dataset, [SPLITS[one.dataset]], **options)
    assert (entrants.read_bytes(), answers.read_bytes()) == (one.entrants.read_bytes(), one.answers.read_bytes())
    entrants.unlink()
    make_hidden_dataset(one.dataset, [SPLITS[one.dataset]], **options)
    assert entrants.read_bytes() == one.entrants.read_bytes(), "a deleted file is made again"


def stop_at(step: int, patch: pytest.MonkeyPatch) -> None:
    """Interrupt `make_hidden_dataset` before its step of this number; later numbers interrupt nothing."""
    calls = iter(range(100))

    def interrupt(function: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            if next(calls) == step:
                raise KeyboardInterrupt
            return function(*arguments, **options)

        return call

    if step == 0:
        calls = iter([-1, 0])  # after the first shard
        patch.setattr(shards, "write_shard", interrupt(shards.write_shard))
        return
    calls = iter(range(1, 100))
    patch.setattr(hidden, "write", interrupt(write))
    patch.setattr(hidden, "_enter_file", interrupt(hidden._enter_file))
    patch.setattr(shutil, "rmtree", interrupt(shutil.rmtree))


@given(st.data())
def test_what_entrants_get_does_not_depend_on_the_goals(data: st.DataObject) -> None:
    start, dataset, world = (data.draw(names) for _ in range(3))
    look = data.draw(directions)
    walks, after = data.draw(st.booleans()), data.draw(st.booleans())
    leg_texts = data.draw(st.lists(texts, min_size=2, max_size=2))
    yaw = data.draw(st.floats(0, 360))

    def goal(walk: bool, first: bool) -> Goal:
        if walk:
            return Reach((start, *data.draw(tuples(names))))
        others = data.draw(tuples(st.builds(Point, directions, names, st.floats(0, 360))))
        place = start if first else data.draw(names)
        own_yaw = yaw if first else data.draw(st.floats(0, 360))
        return Point(data.draw(directions), place, own_yaw, data.draw(tuples(directions)), others)

    def episode() -> Episode:
        legs = [Leg(leg_texts[0], goal(walks, True))] + ([Leg(leg_texts[1], goal(False, False))] if after else [])
        return Episode(data.draw(names), dataset, world, Pose(look, start), tuple(legs), data.draw(extras))

    first, second = (to_json_line(hide_goals(episode(), "0123")) for _ in range(2))
    assert first == second
    assert Episode.from_json(json.loads(first)).hidden


@pytest.mark.parametrize(
    "legs",
    [
        (Leg("", Point(Direction(1), "elsewhere")),),
        (Leg("", Reach(("a", "b"))), Leg("", Reach(("b", "c")))),
    ],
)
def test_goals_whose_start_is_not_known_cannot_be_hidden(legs: tuple[Leg, ...]) -> None:
    with pytest.raises(InputError, match="a walk or a point at the start, or a point after it"):
        hide_goals(Episode("1", "toy/dev", "grid", Pose(Direction(0), "a"), legs), "2")


def split_of(tmp_path: Path, key: int = 1, dataset: str = "city/sdr", split: str = "dev", **options: Any) -> Any:
    return hidden._HiddenSplit(tmp_path, bytes([key]) * 32, dataset, split, options)


def test_ids_and_order_tell_nothing_about_the_generated_order(tmp_path: Path) -> None:
    source = [
        Episode(str(k), "city/sdr/dev", "grid", Pose(Direction(0), "a"), (Leg("", Reach(("a",))),)) for k in range(200)
    ]
    orders = []
    for key in (1, 2):
        renamed = split_of(tmp_path, key)._rename(source)
        assert sorted(episode.id for episode in renamed) == [episode.id for episode in renamed]
        assert len({episode.id for episode in renamed}) == 200
        orders.append([int(episode.extra["source"]) for episode in renamed])
        # A random order has as many ascents as descents, give or take four standard deviations (each 4.1).
        ascents = sum(a < b for a, b in zip(orders[-1], orders[-1][1:], strict=False))
        assert abs(ascents - 99.5) < 17
    assert orders[0] != orders[1]


def test_files_of_one_key_share_nothing(tmp_path: Path) -> None:
    variants = [
        split_of(tmp_path),
        split_of(tmp_path, key=2),
        split_of(tmp_path, dataset="city/touchdown"),
        split_of(tmp_path, dataset="city/touchdown-complete"),
        split_of(tmp_path, split="test"),
        split_of(tmp_path, size=10),
        split_of(tmp_path, style="loose"),
        split_of(tmp_path, world="city/1"),
    ]
    assert len({variant.derive("seed") for variant in variants}) == len(variants)
    assert len({variant.derive(purpose) for variant in variants for purpose in ("id 1", "id 2", "fingerprint")}) == 24


def test_another_key_or_other_settings_are_refused(made: dict[str, Made], tmp_path: Path) -> None:
    one = next(iter(made.values()))
    folder = one.result.folder.parent
    options = arguments(folder, one.dataset)
    before = one.answers.read_bytes()
    for changes in ({"secret": tmp_path / "other"}, {"size": SIZE + 1}, {"style": "loose"}):
        with pytest.raises(InputError, match=r"the key and the settings of .* got another key, or not"):
            make_hidden_dataset(one.dataset, [SPLITS[one.dataset]], **options | changes)
    assert one.answers.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "mode", "message"),
    [
        ("00" * 32, 0o644, "a key that only its owner can read, got a file of mode 0644. Type: chmod 600"),
        ("00" * 31, 0o600, "a key of 64 hexadecimal digits, got 62 characters"),
        ("no key", 0o600, "a key of 64 hexadecimal digits, got something else"),
        (None, 0o700, "a file with a key, got a folder or a device"),
    ],
)
def test_invalid_keys(text: str | None, mode: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "key"
    if text is None:
        path.mkdir()
    else:
        path.write_text(text)
    path.chmod(mode)
    with pytest.raises(InputError, match=message):
        hidden.open_key(path, tmp_path / "out")


def test_a_key_is_drawn_once_and_never_beside_the_entrants(tmp_path: Path) -> None:
    key = hidden.open_key(tmp_path / "key", tmp_path / "out")
    assert key == hidden.open_key(tmp_path / "key", tmp_path / "out") and len(key) == 32
    assert key != hidden.open_key(tmp_path / "other", tmp_path / "out")
    with pytest.raises(InputError, match="a key outside the folder that entrants get"):
        hidden.open_key(tmp_path / "out" / "entrants" / "key", tmp_path / "out")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("city/arramon", "val_seen", "-o", "out"), "its rules need the goals"),
        (("city/pairs", "colour", "-o", "out"), "one text tells about the other's answer"),
        (("touchdown", "dev", "-o", "out"), "the name of a dataset with hidden goals"),
        (("city/sdr", "-o", "out"), "at least one split to hide"),
        (("city/sdr", "dev"), "the folder of the hidden dataset"),
        (("city/sdr", "dev", "-o", "out", "--seed", 3), "--seed for goals that are not hidden"),
        (("city/sdr", "dev", "-o", "out", "--pictures"), "pictures of routes, which tell the goals"),
    ],
)
def test_the_command_line_refuses(
    arguments: tuple[Any, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run_command(capsys, "data", "make", *arguments, "--secret", "key")
    assert (code, out) == (2, "") and message in err
    assert not (tmp_path / "out").exists()


def test_the_command_line_repeats_nothing(made: dict[str, Made], capsys: pytest.CaptureFixture[str]) -> None:
    one = made["city/touchdown-complete"]
    times = {path: path.stat().st_mtime_ns for path in one.result.folder.rglob("*.json*")}
    folder = one.result.folder.parent
    command = ("data", "make", one.dataset, SPLITS[one.dataset], "--size", SIZE, "--world", WORLD)
    code, out, err = run_command(capsys, *command, "--secret", folder / "key", "-o", folder / "out", "--json")
    assert code == 0 and json.loads(out)[0]["entrants"] == str(one.entrants)
    assert f"Next: bearleft eval random {one.entrants} -o random.jsonl" in err
    assert times == {path: path.stat().st_mtime_ns for path in one.result.folder.rglob("*.json*")}

"""Both stages of ArraMon's collection, from the first quiz to the export, on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bearleft.data import load
from bearleft.envs.arramon.assemble import AssembleGame
from bearleft.envs.arramon.collect import CollectGame
from bearleft.errors import InputError
from bearleft.evaluation.score import score
from bearleft.language.analysis.screening import FOLLOWING_QUIZ, WRITING_QUIZ
from bearleft.records import Trace
from bearleft.web.exports import export_project, project_statistics
from bearleft.web.exports.archive import archive_project, import_project
from bearleft.web.queue import slots
from bearleft.web.queue.leases import Lease, QueueError
from bearleft.web.reviews import review_rows, store_review
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.settings import Settings
from bearleft.web.tasks.arramon import following, kinds
from tests.web.arramon.conftest import DATASET, NewPerson
from tests.web.arramon.people import ANSWERS, GOOD_TEXTS, placement_actions, reference_actions


def test_quizzes_and_the_test_come_before_their_stages(new_person: NewPerson) -> None:
    writer = new_person()
    assert writer.kinds() == [kinds.WRITING_QUIZ]
    first = writer.prepare()
    assert first.kind == kinds.WRITING
    assert writer.kinds() == [kinds.WRITING]
    writer.write(first)
    follower = new_person()
    seen = []
    while (lease := follower.claim()) is not None and lease.kind != kinds.FOLLOWING:
        seen.append(lease.kind)
        if lease.kind in ANSWERS:
            follower.submit(lease, answers=ANSWERS[lease.kind])
        else:
            follower.move(lease, *placement_actions())
            follower.submit(lease)
    assert seen == [kinds.FOLLOWING_QUIZ, kinds.PLACEMENT_TEST]


@pytest.mark.parametrize("kind", [kinds.WRITING_QUIZ, kinds.FOLLOWING_QUIZ])
def test_a_wrong_answer_is_explained_and_one_tries_again(kind: str, new_person: NewPerson) -> None:
    if kind == kinds.FOLLOWING_QUIZ:
        writer = new_person()
        writer.write(writer.prepare())
    person = new_person()
    lease = person.claim()
    assert lease
    assert lease.kind == kind
    quiz = WRITING_QUIZ if kind == kinds.WRITING_QUIZ else FOLLOWING_QUIZ
    view = person.view(lease)
    assert len(view["questions"]) == (5 if kind == kinds.WRITING_QUIZ else 2)
    assert all(set(question) == {"text", "answers"} for question in view["questions"])
    wrong = [(question.right + 1) % 3 for question in quiz.questions]
    result = person.act(lease, "check", answers=wrong)
    assert not result["passed"]
    assert result["explanations"] == [question.explanation for question in quiz.questions]
    assert person.view(lease)["checked"]["answers"] == wrong
    with pytest.raises(InputError, match="right answers"):
        person.submit(lease, answers=wrong)
    for bad in (None, [], [0] * 9, ["x"] * len(wrong), [3] * len(wrong)):
        with pytest.raises(InputError):
            person.act(lease, "check", answers=bad)
    assert person.act(lease, "check", answers=ANSWERS[kind])["passed"]
    assert person.submit(lease, answers=ANSWERS[kind]).data["tries"] == 2


@pytest.mark.slow
def test_the_placement_test_explains_and_begins_anew(new_person: NewPerson) -> None:
    writer = new_person()
    writer.write(writer.prepare())
    person = new_person()
    quiz = person.claim()
    assert quiz
    person.submit(quiz, answers=ANSWERS[quiz.kind])
    lease = person.claim()
    assert lease
    assert lease.kind == kinds.PLACEMENT_TEST
    assert "cell" not in person.view(lease)
    with pytest.raises(InputError, match="in its place"):
        person.submit(lease)
    assert "face one of the four walls" in person.move(lease, "left", "place")["note"]
    person.move(lease, "right")
    wrong = person.move(lease, "place")
    assert "another place" in wrong["note"]
    assert wrong["pose"]["cell"] == [2, 1, 0]
    assert wrong["scene"]["carried"] == "Striped Green Mug"
    assert person.move(lease, *placement_actions())["done"]
    with pytest.raises(InputError, match="after the test"):
        person.move(lease, "left")
    assert person.submit(lease).data == {"wrong": 1}


@pytest.mark.slow
def test_a_writer_stays_on_the_line_and_items_go_where_they_belong(new_person: NewPerson) -> None:
    writer = new_person()
    lease = writer.prepare()
    episode = writer.episode(lease)
    legs = reference_actions(episode)
    view = writer.view(lease)
    assert view["stage"] == "writing"
    assert len(view["scene"]["line"]) == len(episode.legs[0].goal.path)  # type: ignore[union-attr]
    assert view["scene"]["target"]["item"] == episode.legs[0].goal.item  # type: ignore[union-attr]
    assert view["preview"]["scene"]["outline"]["cell"] == list(episode.legs[1].goal.cell)  # type: ignore[union-attr]
    with pytest.raises(InputError, match="part that is done"):
        writer.act(lease, "next", text=GOOD_TEXTS[0])
    at = view["pose"]
    for _ in range(12):
        result = writer.move(lease, "forward")
        on_line = result["pose"]["position"] != at["position"]
        assert on_line == at["free"][0]
        if on_line:
            assert writer.move(lease, *["right"] * 6, "forward")["pose"]["position"] == at["position"]
            writer.move(lease, *["right"] * 6)
        else:
            assert "Stay on the blue line" in result["note"]
        at = writer.move(lease, "right")["pose"]
    assert "end of the blue line" in writer.move(lease, "pick")["note"]
    result = writer.move(lease, *legs[0][:-1])
    assert "Turn to the thing" in writer.move(lease, *["left"] * 6, "pick")["note"]
    result = writer.move(lease, *["left"] * 6, "pick")
    assert result["ended"]
    assert result["scene"]["target"] is None
    assert writer.act(lease, "next", text=GOOD_TEXTS[0])["accepted"]
    # Placed somewhere else, it is shown where it belongs.
    elsewhere = ["forward", "place"] if legs[1] == ["place"] else ["place"]
    result = writer.move(lease, *elsewhere)
    item = {"item": episode.legs[0].goal.item, "cell": list(episode.legs[1].goal.cell)}  # type: ignore[union-attr]
    assert item in result["scene"]["items"]
    result = writer.act(lease, "next", text=GOOD_TEXTS[1])
    assert result["pose"]["position"] == [round(v, 3) for v in episode.legs[2].goal.path[0]]  # type: ignore[union-attr]
    writer.move(lease, *legs[2])
    writer.act(lease, "next", text=GOOD_TEXTS[2])
    writer.move(lease, *legs[3])
    with pytest.raises(InputError, match="texts for all 4 parts"):
        writer.submit(lease)
    writer.act(lease, "next", text=GOOD_TEXTS[3])
    answer = writer.submit(lease)
    assert answer.data["texts"] == list(GOOD_TEXTS)
    assert answer.data["placed"][0] != list(episode.legs[1].goal.cell)  # type: ignore[union-attr]


def test_drafts_come_back_and_texts_that_break_a_rule_are_not_accepted(new_person: NewPerson) -> None:
    writer = new_person()
    lease = writer.prepare()
    writer.move(lease, *reference_actions(writer.episode(lease))[0])
    assert writer.act(lease, "draft", text="Go on")["problems"][0]["rule"] == "words"
    assert writer.view(lease)["text"] == "Go on"
    result = writer.act(lease, "next", text="Turn to the item and collect the item there now.")
    assert not result["accepted"]
    assert [problem["rule"] for problem in result["problems"]] == ["item"]
    assert writer.view(lease)["problems"] == result["problems"]
    assert writer.view(lease)["leg"] == 0
    for bad in (None, 7, "x" * 1001):
        with pytest.raises(InputError):
            writer.act(lease, "draft", text=bad)
    assert writer.act(lease, "next", text=GOOD_TEXTS[0])["accepted"]
    assert writer.view(lease)["text"] == ""


@pytest.mark.slow
def test_nobody_writes_a_map_twice_or_follows_an_own_text(new_person: NewPerson) -> None:
    writer = new_person()
    maps = []
    begun: Lease | None = writer.prepare()
    while begun is not None:
        assert begun.kind == kinds.WRITING
        maps.append(writer.unit(begun).payload["episode"])
        writer.write(begun)
        begun = writer.claim()
    assert len(maps) == len(set(maps)) == 2
    other = new_person()
    for _ in range(2):
        lease = other.prepare()
        assert lease.kind == kinds.FOLLOWING
        other.follow(lease)
    assert other.claim() is None
    assert other.message() == "Sets of texts: 0 written, 2 followed."


def test_nobody_writes_before_the_quiz_though_a_map_comes_back_meanwhile(new_person: NewPerson) -> None:
    first, second, third = (new_person() for _ in range(3))
    lease = first.prepare()
    second.prepare()
    allowed = third.kinds()
    slots.give_back(first.database, lease.attempt_id, first.id, lease.token)
    claimed = third.claim(*allowed)
    assert claimed is not None
    assert claimed.kind == kinds.WRITING_QUIZ


def test_followers_play_by_the_rules_of_the_environments(new_person: NewPerson) -> None:
    writer = new_person()
    writer.write(writer.prepare())
    follower = new_person()
    lease = follower.prepare()
    episode = follower.episode(lease)
    view = follower.view(lease)
    assert view["text"] == GOOD_TEXTS[0]
    assert view["pose"]["position"] == [round(v, 3) for v in episode.start.position or ()]
    run = following.replay(follower.context, follower.unit(lease), follower.events(lease))
    while isinstance(run.game, CollectGame) and run.game.reached():
        run.step("left")
        follower.move(lease, "left")
    assert "Nothing is within reach" in follower.move(lease, "pick")["note"]
    assert isinstance(run.game, CollectGame)
    follower.move(lease, *["right"] * len(run.game.actions))
    with pytest.raises(InputError):
        follower.move(lease, "place")
    assert follower.act(lease, "flags", flags=["several", "unclear"]) == {"flags": ["unclear", "several"]}
    for bad in (None, ["nonsense"], [3]):
        with pytest.raises(InputError):
            follower.act(lease, "flags", flags=bad)
    answer = follower.follow(lease)
    run = following.replay(follower.context, follower.unit(lease), follower.events(lease))
    assert Trace.from_json(answer.data["trace"]).legs == run.legs
    assert "refused" in run.legs[0].actions
    assert answer.data["flags"] == ["unclear", "several"]
    assert answer.accepted
    assert all(turn["PTC"] == 1.0 and turn["nDTW"] > 0.9 for turn in answer.data["turns"])


@pytest.mark.parametrize(("ndtw", "ptc", "followed"), [(0.21, 1.0, True), (0.2, 1.0, False), (0.9, 0.0, False)])
def test_a_follower_shows_that_a_set_is_good_by_both_turns(ndtw: float, ptc: float, followed: bool) -> None:
    good = {"nDTW": 1.0, "PTC": 1.0}
    assert following.is_followed([good, {"nDTW": ndtw, "PTC": ptc}]) == followed
    assert following.is_followed([{"nDTW": ndtw, "PTC": ptc}, good]) == followed


@pytest.mark.parametrize("study_url", ["sqlite", "postgresql"], indirect=True)
def test_three_follow_each_set_and_one_of_them_keeps_it(
    new_person: NewPerson, study_url: str, worlds: SceneWorlds, short_maps: Path, tmp_path: Path
) -> None:
    writer = new_person()
    lease = writer.prepare()
    writer.write(lease)
    second = writer.claim()
    assert second
    writer.write(second)
    for k in range(3):
        follower = new_person()
        first = follower.prepare()
        assert follower.follow(first, well=k == 1).accepted == (k == 1)
        other = follower.claim()
        assert other
        assert not follower.follow(other, well=False).accepted
    assert new_person().kinds() == []
    settings = Settings(database=study_url, data=short_maps)
    files = {row["file"]: row["records"] for row in export_project(settings, "study", tmp_path / "out")}
    assert list(files.values()) == [1, 1, 1, 1, 1, 1]
    of_map = worlds.episode(DATASET, writer.unit(lease).payload["episode"])
    (episode,) = load("city/arramon/study", tmp_path / "out")
    texts = tuple(replace(leg, text=text) for leg, text in zip(of_map.legs, GOOD_TEXTS, strict=True))
    assert episode.legs == texts
    assert (episode.id, episode.world, episode.start) == (of_map.id, of_map.world, of_map.start)
    assert episode.extra["setting"] == of_map.extra["setting"]
    assert episode.extra["bearleft"]["writer"] == writer.pseudonym
    assert [episode] == load(str(tmp_path / "out" / "study.jsonl"))
    for k in range(3):
        path = tmp_path / "out" / f"study-traces-{k + 1}.jsonl"
        result = score(path, data=tmp_path / "out", resamples=1)
        values = {row["metric"]: row["value"] for row in result.rows}
        assert (values["PTC"] == 1.0) == (k == 1)
        trace = Trace.from_json(json.loads(path.read_text()))
        assert trace.dataset == "city/arramon/study"
    rows = {(row["row"], row["metric"]): row for row in project_statistics(study_url, "study", "arramon", short_maps)}
    assert rows["study", "instruction sets collected"]["ours"] == 2
    assert rows["study", "instruction sets kept"]["ours"] == 1
    assert rows["study", "instruction sets discarded"]["ours"] == 1
    assert rows["study", "workers, stage 2"] == rows["study", "workers, stage 2"] | {"paper": 242, "ours": 3}
    assert rows["best follower of each set, study", "PTC"] == (
        rows["best follower of each set, study", "PTC"] | {"paper": 0.873, "ours": 1.0}
    )
    assert rows["navigation, words, study", "mean"]["ours"] == sum(len(t.split()) for t in GOOD_TEXTS[::2])


@pytest.mark.slow
def test_doubtful_texts_wait_for_a_review_and_a_rejected_set_is_discarded(
    new_person: NewPerson, study_url: str, short_maps: Path, tmp_path: Path
) -> None:
    writer = new_person()
    doubtful = (GOOD_TEXTS[0].replace("bench", "grey building"), *GOOD_TEXTS[1:])
    lease = writer.prepare()
    answer = writer.write(lease, doubtful)
    assert [note["rule"] for note in answer.data["review"]] == ["grey building"]
    (row,) = review_rows(study_url, "study")
    assert (row["set"], row["worker"], row["phase"], row["text"]) == (
        lease.unit_id,
        writer.pseudonym,
        "navigation",
        doubtful[0],
    )
    with pytest.raises(InputError, match="set of texts"):
        store_review(study_url, "study", "999", accepted=True)
    follower = new_person()
    following_lease = follower.prepare()
    store_review(study_url, "study", str(lease.unit_id), accepted=False, reason="Grey buildings look alike.")
    assert review_rows(study_url, "study") == []
    assert writer.rejections() == ["Grey buildings look alike."]
    assert follower.follow(following_lease).accepted  # who has begun may end
    other = new_person()
    assert other.kinds() == [kinds.WRITING_QUIZ]
    rows = {row["metric"]: row["ours"] for row in project_statistics(study_url, "study", "arramon", short_maps)}
    assert (rows["instruction sets discarded"], rows["doubtful instruction sets"]) == (1, 1)
    archive_project(study_url, "study", tmp_path / "study.jsonl.gz")
    import_project(study_url, tmp_path / "study.jsonl.gz", "copy")
    copied = {row["metric"]: row["ours"] for row in project_statistics(study_url, "copy", "arramon", short_maps)}
    assert copied == rows
    store_review(study_url, "study", str(lease.unit_id), accepted=True)
    assert other.kinds() == [kinds.FOLLOWING_QUIZ]


def test_games_end_at_the_pose_of_the_reference(new_person: NewPerson) -> None:
    person = new_person()
    writer_lease = person.prepare()
    person.write(writer_lease)
    follower = new_person()
    lease = follower.prepare()
    legs = reference_actions(follower.episode(lease))
    pose = follower.move(lease, *legs[0][:-1])["pose"]
    run = following.replay(follower.context, follower.unit(lease), follower.events(lease))
    assert isinstance(run.game, CollectGame)
    assert pose["position"] == [round(value, 3) for value in run.game.position]
    result = follower.move(lease, "pick")
    assert result["text"] == GOOD_TEXTS[1]
    assert result["scene"]["place"] == "room"
    run = following.replay(follower.context, follower.unit(lease), follower.events(lease))
    assert isinstance(run.game, AssembleGame)
    with pytest.raises(QueueError):
        follower.submit(replace(lease, token="other"))

"""ArraMon's tables: real tasks beside the paper, and ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from bearleft.agents.walkers import Random, reference_lengths
from bearleft.data import open_dataset, write
from bearleft.errors import InputError
from bearleft.experiments.arramon import NAMES, means, measured, rpod_curve, tables
from bearleft.experiments.arramon_city import agent_rows, city_tables, published, tasks, with_other_texts
from bearleft.report.figures import arramon_figures
from tests.envs.tasks import BOOK, task


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tasks") / "mine.jsonl"
    write("jsonl", [task("1"), task("2"), task("3")], path)
    return str(path)


def test_rows_of_our_own_tasks(mine: str) -> None:
    told: list[tuple[str, int, int]] = []
    rows = city_tables([mine], progress=lambda *what: told.append(what), agents=("stop", "shortest"))
    assert all(set(row) == {"table", "row", "metric", "paper", "ours", "remark"} for row in rows)
    assert told[-1] == (f"shortest {mine}", 2, 2)
    found = {(row["table"], row["row"].removesuffix(f", {mine}"), row["metric"]): row["ours"] for row in rows}
    assert len(found) == len(rows) == 2 * (3 * len(NAMES) + 3)
    for who in ("stop", "shortest"):
        for name in NAMES:
            turns = [found["5", f"{who}, turn {turn}", name] for turn in (1, 2)]
            assert found["2", who, name] == pytest.approx(sum(turns) / 2, abs=1e-4)
        assert found["6", who, "CTC-3"] == 1  # the reference has walked
    assert found["2", "stop", "rPOD"] == 0 < found["6", "stop", "rPOD"] < 1
    assert found["2", "shortest", "PTC"] == found["6", "shortest", "PTC"] == 1
    assert {row["table"] for row in agent_rows("stop", "mine/test_unseen", tasks(mine))} == {"3", "5", "6"}


def test_the_papers_rows_are_of_the_same_split() -> None:
    assert published("random", "city/arramon/val_unseen")["CTC-3"] == 0.024
    assert published("random", "city/arramon/val_seen")["CTC-3"] == 0.030
    assert published("shortest", "city/arramon/val_seen")["nDTW"] == 1
    assert not published("random", "city/arramon/test_unseen") and not published("follower", "city/arramon/val_seen")


def test_other_texts_are_those_of_the_next_task(mine: str) -> None:
    episodes = tasks(mine)
    others = with_other_texts([*episodes[:2], task("9", recorded=True)])
    assert [one.id for one in others] == ["1", "2", "9"]
    assert all(a.goal == b.goal for a, b in zip(others[0].legs, episodes[0].legs, strict=True))
    assert others[0].legs[0].text == episodes[1].legs[0].text == f"Go and get the {BOOK}."
    with pytest.raises(InputError, match="at least two tasks"):
        with_other_texts(episodes[:1])
    with pytest.raises(InputError, match="a dataset of ArraMon's tasks"):
        tasks("town/dev")


def test_without_the_real_tasks_there_are_ours_and_figure_9(tmp_path: Path) -> None:
    assert tables(tmp_path) == []
    ((name, picture),) = arramon_figures(tmp_path)
    assert name == "figure-9-rpod.png" and picture.size == (760, 420)
    away, values = rpod_curve()
    assert away[:3] == [0, 1, 2] and values[:3] == pytest.approx([1, 1 / 2, 1 / 5])


def test_random_walks_on_real_tasks_are_as_bad_as_the_papers(real_data: Path) -> None:
    if not (real_data / "arramon" / "val_unseen.json").exists():
        pytest.skip("needs ArraMon's val_unseen.json")
    opened = iter(open_dataset("arramon/val_unseen", real_data))
    episodes = [next(opened) for _ in range(120)]
    lengths = reference_lengths(episodes)
    found = means(measured(Random(lengths=lambda: lengths), episodes))
    assert 0.02 < found["nDTW"] < 0.1 and found["CTC-7"] < 0.2 and found["PTC"] < 0.05

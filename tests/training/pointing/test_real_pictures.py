"""Touchdown's and Refer360's own files with a user's panoramas: features, training, evaluation, scores and a report.

Pictures are made here, in the layouts in which the real ones come: noise, and a magenta disc where the target is. Texts
and ids are the real files' where those are, else written by hand in the same layout.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from PIL import Image, ImageDraw  # noqa: E402

from bearleft.cli import main  # noqa: E402
from bearleft.data import load  # noqa: E402
from bearleft.models.examples import Examples, build_examples  # noqa: E402
from bearleft.models.features.sources import features_for  # noqa: E402
from bearleft.world.pictures import PictureConfig  # noqa: E402
from bearleft.world.slices import Slicing  # noqa: E402
from tests.data.sample_files import click, refer360_items, touchdown_line  # noqa: E402
from tests.models.tolerances import Means  # noqa: E402

FINE = Slicing(92, 160)
WIDE, HIGH, DISC = 512, 256, 7  # pixels
IDS = [f"handmadepanorama{k:06}" for k in range(6)]  # 22 letters, as StreetLearn's


def written_streets(data: Path) -> None:
    """Touchdown's files: a street of six panoramas, two lines to learn from and one to answer."""
    nodes = [f"{name},{70 * k - 180},{40 + k * 1e-4:.6f},-73.000000" for k, name in enumerate(IDS)]
    links = [f"{one},0,{other}\n{other},180,{one}" for one, other in pairwise(IDS)]
    (data / "nodes.txt").write_text("\n".join(nodes) + "\n")
    (data / "links.txt").write_text("\n".join(links) + "\n")
    lines = [
        touchdown_line(k, [IDS[k], IDS[k + 1]], post_pano=IDS[k + 2], td_location_text=text, main_static_center=center)
        for k, (text, center) in enumerate(
            (
                ("The bear is on the door to your left.", click(0.25, 0.48)),
                ("On top of the hydrant, right of the bus.", click(0.7, 0.55)),
                ("In the tree to the left of the hydrant.", click(0.4, 0.45)),
            )
        )
    ]
    for name, some in (("train", lines[:2]), ("dev", lines[2:])):
        (data / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in some))


def written_rooms(data: Path) -> None:
    """Refer360's files."""
    items = refer360_items()
    for item, colour in zip(items[:3], ("red", "blue", "green"), strict=True):  # one text could not be split
        item["refexp"] = [["find", "the", colour, "door."], *item["refexp"][1:]]
    for name, some in (("train", items[:3]), ("dev", items[3:])):
        (data / f"{name}.json").write_text(json.dumps(some))


def real_streets(data: Path, real: Path) -> None:
    """A few of the real lines, with the one panorama that the graph does not have."""
    lines = (real / "touchdown" / "unseen_dev.jsonl").read_text().splitlines(keepends=True)
    stranger = next(line for line in lines if json.loads(line)["route_id"] == 721)
    (data / "train.jsonl").write_text("".join(lines[:3]))
    (data / "dev.jsonl").write_text(stranger + lines[5])
    for name in ("nodes.txt", "links.txt"):
        (data / name).symlink_to(real / "touchdown" / name)


def real_rooms(data: Path, real: Path) -> None:
    items = json.loads((real / "refer360" / "validation.seen.json").read_text())
    level = [item for item in items if abs(item["ylat_deg"]) < 30]
    for name, some in (("train", level[:6]), ("dev", level[6:8])):
        (data / f"{name}.json").write_text(json.dumps(some))


def draw(asked: Examples, folder: Path, sun360: bool) -> None:
    """A picture for each panorama, its yaw in the middle: noise, and a disc at each target."""
    rng = np.random.default_rng(0)
    for k, panorama in enumerate(asked.panoramas):
        picture = Image.fromarray(rng.integers(60, 160, (HIGH, WIDE, 3), np.uint8))
        pen = ImageDraw.Draw(picture)
        for heading, pitch in asked.targets[asked.panorama_indices == k]:
            x, y = (0.5 + heading / 360.0) * WIDE, (0.5 - pitch / 180.0) * HIGH
            for turn in (-WIDE, 0, WIDE):
                pen.ellipse((x + turn - DISC, y - DISC, x + turn + DISC, y + DISC), (255, 0, 255))
        path = folder / (f"indoor/hall/pano_{panorama.place}.jpg" if sun360 else f"{panorama.place}.jpg")
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.save(path, quality=95)


@pytest.fixture(scope="module", params=["sdr, by hand", "refer360, by hand", "sdr, real", "refer360, real"])
def given(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, Path, Examples]:
    """A dataset's name, its data folder, the user's pictures, and all examples."""
    name, whose = request.param.split(", ")
    folder = tmp_path_factory.mktemp("real")
    data, pictures = folder / "data", folder / "panoramas"
    inner = data / ("touchdown" if name == "sdr" else name)
    inner.mkdir(parents=True)
    if whose == "real":
        real: Path = request.getfixturevalue("real_data")
        if not (real / inner.name).is_dir():
            pytest.skip(f"needs the real files of {inner.name}: BEARLEFT_DATA")
        (real_streets if name == "sdr" else real_rooms)(inner, real)
    else:
        (written_streets if name == "sdr" else written_rooms)(inner)
    asked = build_examples([*load(f"{name}/train", data), *load(f"{name}/dev", data)])
    draw(asked, pictures, name == "refer360")
    return name, data, pictures, asked


def test_targets_are_visible_at_their_directions(given: Any) -> None:
    """The most magenta cell of a panorama is the target's, or beside it."""
    _, data, pictures, asked = given
    seen = features_for(asked, Means(), FINE, pictures=PictureConfig([pictures], data=data), cache=False)
    cells, inside = asked.target_cells(FINE)
    assert inside.any()
    for k in np.flatnonzero(inside):
        if (asked.panorama_indices == asked.panorama_indices[k]).sum() > 1:
            continue
        red, green, blue = seen(torch.from_numpy(seen.indices(asked)[k : k + 1]))[0]
        row, column = np.unravel_index(int((red + blue - 2 * green).argmax()), (FINE.rows, FINE.columns))
        apart = abs(column - cells[k, 1] + 0.5)
        assert abs(row - cells[k, 0] + 0.5) < 1.6 and min(apart, FINE.columns - apart) < 1.6


def test_from_pictures_to_a_report(given: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the commands that serve the city."""
    name, data, pictures, asked = given
    store, runs, traces = tmp_path / "store", tmp_path / "run", tmp_path / "dev.jsonl"
    train, dev, page = f"{name}/train", f"{name}/dev", tmp_path / "report.html"

    def typed(line: str) -> list[dict[str, Any]]:
        main([*line.split(), "--data", str(data)])
        return json.loads(capsys.readouterr().out or "[]")  # type: ignore[no-any-return]

    [made] = typed(f"features {train} {dev} -o {store} --backbone random:0 --size 24x40 --pictures {pictures} --json")
    assert made["written"] == len(asked.panoramas)
    small = "--set width=16 --set embedding_dim=20 --set lstm_dim=20"
    [epoch] = typed(
        f"train lingunet {train} -o {runs} --features {store} --epochs 1 --batch-size 2 --validation-share 0.3"
        f" {small} --json"
    )
    assert np.isfinite(epoch["loss"])
    typed(f"eval {runs}/best.pt {dev} -o {traces} --pictures {pictures} --device cpu")
    answers = [json.loads(line) for line in traces.read_text().splitlines()]
    assert len(answers) == len(load(dev, data)) and all(one["legs"][0]["heat"] for one in answers)
    assert "A@80px" in {row["metric"] for row in typed(f"score {traces} --resamples 10 --json")}
    typed(f"eval {runs}/best.pt {dev} -o {tmp_path}/stored.jsonl --features {store} --device cpu")
    assert len((tmp_path / "stored.jsonl").read_text().splitlines()) == len(answers)
    [shown] = typed(f"report {traces} -o {page} --pictures {pictures} --json")
    assert shown["pictures"] > 0
    with pytest.raises(SystemExit):
        typed(f"eval center {dev} -o {tmp_path}/center.jsonl --features {store}")
    assert "--features with a trained network" in capsys.readouterr().err

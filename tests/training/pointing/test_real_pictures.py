"""Touchdown's and Refer360's own files with a user's panoramas: features, training, evaluation, scores and a report.

Pictures are generated in the layouts of the real ones: noise with a magenta disc at the target. Texts and ids are
those of the real files where these exist, else written by hand in the same layout.
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

FINE_SLICING = Slicing(92, 160)
WIDTH, HEIGHT, DISC_RADIUS = 512, 256, 7  # pixels
IDS = [f"handmadepanorama{k:06}" for k in range(6)]  # 22 characters, as in StreetLearn


def write_touchdown_files(data: Path) -> None:
    """Write Touchdown's files: a street of six panoramas, two training episodes and one of dev."""
    nodes = [f"{name},{70 * k - 180},{40 + k * 1e-4:.6f},-73.000000" for k, name in enumerate(IDS)]
    links = [f"{first},0,{second}\n{second},180,{first}" for first, second in pairwise(IDS)]
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
    for name, rows in (("train", lines[:2]), ("dev", lines[2:])):
        (data / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in rows))


def write_refer360_files(data: Path) -> None:
    """Write Refer360's files."""
    items = refer360_items()
    for item, colour in zip(items[:3], ("red", "blue", "green"), strict=True):  # a single text could not be split
        item["refexp"] = [["find", "the", colour, "door."], *item["refexp"][1:]]
    for name, rows in (("train", items[:3]), ("dev", items[3:])):
        (data / f"{name}.json").write_text(json.dumps(rows))


def copy_touchdown_files(data: Path, real: Path) -> None:
    """Copy a few real lines, with the one whose panorama is not in the graph."""
    lines = (real / "touchdown" / "unseen_dev.jsonl").read_text().splitlines(keepends=True)
    outside_graph = next(line for line in lines if json.loads(line)["route_id"] == 721)
    (data / "train.jsonl").write_text("".join(lines[:3]))
    (data / "dev.jsonl").write_text(outside_graph + lines[5])
    for name in ("nodes.txt", "links.txt"):
        (data / name).symlink_to(real / "touchdown" / name)


def copy_refer360_files(data: Path, real: Path) -> None:
    items = json.loads((real / "refer360" / "validation.seen.json").read_text())
    level = [item for item in items if abs(item["ylat_deg"]) < 30]
    for name, rows in (("train", level[:6]), ("dev", level[6:8])):
        (data / f"{name}.json").write_text(json.dumps(rows))


def draw_panoramas(examples: Examples, folder: Path, sun360: bool) -> None:
    """Write a picture for each panorama, centred on its yaw: noise with a disc at each target."""
    rng = np.random.default_rng(0)
    for k, panorama in enumerate(examples.panoramas):
        picture = Image.fromarray(rng.integers(60, 160, (HEIGHT, WIDTH, 3), np.uint8))
        pen = ImageDraw.Draw(picture)
        for heading, pitch in examples.targets[examples.panorama_indices == k]:
            x, y = (0.5 + heading / 360.0) * WIDTH, (0.5 - pitch / 180.0) * HEIGHT
            for shift in (-WIDTH, 0, WIDTH):
                pen.ellipse(
                    (x + shift - DISC_RADIUS, y - DISC_RADIUS, x + shift + DISC_RADIUS, y + DISC_RADIUS), (255, 0, 255)
                )
        path = folder / (f"indoor/hall/pano_{panorama.place}.jpg" if sun360 else f"{panorama.place}.jpg")
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.save(path, quality=95)


@pytest.fixture(scope="module", params=["sdr, by hand", "refer360, by hand", "sdr, real", "refer360, real"])
def dataset(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, Path, Examples]:
    """Return a dataset's name, its data folder, the user's pictures, and all examples."""
    name, origin = request.param.split(", ")
    folder = tmp_path_factory.mktemp("real")
    data, pictures = folder / "data", folder / "panoramas"
    dataset_folder = data / ("touchdown" if name == "sdr" else name)
    dataset_folder.mkdir(parents=True)
    if origin == "real":
        real: Path = request.getfixturevalue("real_data")
        if not (real / dataset_folder.name).is_dir():
            pytest.skip(f"needs the real files of {dataset_folder.name}: BEARLEFT_DATA")
        (copy_touchdown_files if name == "sdr" else copy_refer360_files)(dataset_folder, real)
    else:
        (write_touchdown_files if name == "sdr" else write_refer360_files)(dataset_folder)
    examples = build_examples([*load(f"{name}/train", data), *load(f"{name}/dev", data)])
    draw_panoramas(examples, pictures, name == "refer360")
    return name, data, pictures, examples


def test_targets_are_visible_at_their_directions(dataset: Any) -> None:
    """The most magenta cell of a panorama is the target cell or next to it."""
    _, data, pictures, examples = dataset
    features = features_for(examples, Means(), FINE_SLICING, pictures=PictureConfig([pictures], data=data), cache=False)
    cells, inside = examples.target_cells(FINE_SLICING)
    assert inside.any()
    for k in np.flatnonzero(inside):
        if (examples.panorama_indices == examples.panorama_indices[k]).sum() > 1:
            continue
        red, green, blue = features(torch.from_numpy(features.indices(examples)[k : k + 1]))[0]
        row, column = np.unravel_index(
            int((red + blue - 2 * green).argmax()), (FINE_SLICING.rows, FINE_SLICING.columns)
        )
        column_error = abs(column - cells[k, 1] + 0.5)
        assert abs(row - cells[k, 0] + 0.5) < 1.6 and min(column_error, FINE_SLICING.columns - column_error) < 1.6


@pytest.mark.slow(keep=1)
def test_from_pictures_to_a_report(dataset: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands are those used for the generated city."""
    name, data, pictures, examples = dataset
    store, runs, traces = tmp_path / "store", tmp_path / "run", tmp_path / "dev.jsonl"
    train, dev, page = f"{name}/train", f"{name}/dev", tmp_path / "report.html"

    def run_json(line: str) -> list[dict[str, Any]]:
        main([*line.split(), "--data", str(data)])
        return json.loads(capsys.readouterr().out or "[]")  # type: ignore[no-any-return]

    [features_row] = run_json(
        f"features {train} {dev} -o {store} --backbone random:0 --size 24x40 --pictures {pictures} --json"
    )
    assert features_row["written"] == len(examples.panoramas)
    options = "--set width=16 --set embedding_dim=20 --set lstm_dim=20"
    [epoch] = run_json(
        f"train lingunet {train} -o {runs} --features {store} --epochs 1 --batch-size 2 --validation-share 0.3"
        f" {options} --json"
    )
    assert np.isfinite(epoch["loss"])
    run_json(f"eval {runs}/best.pt {dev} -o {traces} --pictures {pictures} --device cpu")
    answers = [json.loads(line) for line in traces.read_text().splitlines()]
    assert len(answers) == len(load(dev, data)) and all(trace["legs"][0]["heat"] for trace in answers)
    assert "A@80px" in {row["metric"] for row in run_json(f"score {traces} --resamples 10 --json")}
    run_json(f"eval {runs}/best.pt {dev} -o {tmp_path}/stored.jsonl --features {store} --device cpu")
    assert len((tmp_path / "stored.jsonl").read_text().splitlines()) == len(answers)
    [report_row] = run_json(f"report {traces} -o {page} --pictures {pictures} --json")
    assert report_row["pictures"] > 0
    with pytest.raises(SystemExit):
        run_json(f"eval center {dev} -o {tmp_path}/center.jsonl --features {store}")
    assert "--features with a trained network" in capsys.readouterr().err

"""Training of the cell encoder: labels against slow code, learning, and the files written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from click.testing import CliRunner  # noqa: E402

from bearleft import train  # noqa: E402
from bearleft.cli import cli  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.models.backbones.registry import load_backbone  # noqa: E402
from bearleft.models.walking.cells import BAND_EDGES, load_cell_encoder  # noqa: E402
from bearleft.training.backbone.labels import FIRST_PART  # noqa: E402
from bearleft.training.cells import (  # noqa: E402
    FAMILIES,
    FIRST_LABEL,
    NEAR,
    PIXEL_STEP,
    CellTrainConfig,
    CellTrainer,
    average_precisions,
    count_labels,
    pixel_labels,
    train_cells,
)
from bearleft.world.city.palette import COLOUR_NAMES  # noqa: E402
from bearleft.world.city.scene_builder import CLASS_BASE  # noqa: E402

TINY = CellTrainConfig(
    ("city/3/2x2",), minutes=None, steps=30, width=52, height=68, batch_size=4, batches_per_render=2, held_out=8
)


@pytest.fixture(scope="module")
def trainer() -> CellTrainer:
    return CellTrainer(TINY, "cpu")


@pytest.mark.slow
def test_labels_equal_slow_loops(trainer: CellTrainer) -> None:
    slices = trainer.stream.render(np.random.default_rng(5), 3, trainer.lens)
    total = sum(FAMILIES.values())
    counts = count_labels(pixel_labels(slices, trainer.stream.tables), torch.arange(total), total).numpy()
    things = trainer.cities[0].plan.things
    expected = np.zeros_like(counts)
    for n in range(3):
        instance, kind, part, depth = (
            x[n, ::PIXEL_STEP, ::PIXEL_STEP].numpy() for x in (slices.instance, slices.kind, slices.part, slices.depth)
        )
        rows, columns = kind.shape
        for y in range(rows):
            band = sum(y >= edge * rows for edge in BAND_EDGES[1:-1])
            for x in range(columns):
                cell = expected[n, x * 8 // columns, band]
                code = int(kind[y, x])
                cell[FIRST_LABEL["class"] + code] += 1
                if instance[y, x] <= 0:
                    continue
                colour = int(things[instance[y, x] - 1]["first"])
                pair = code * len(COLOUR_NAMES) + colour
                cell[FIRST_LABEL["class and colour"] + pair] += 1
                if depth[y, x] < NEAR:
                    cell[FIRST_LABEL["near class"] + code] += 1
                    cell[FIRST_LABEL["near class and colour"] + pair] += 1
                number, first = int(part[y, x]) & 255, FIRST_PART[code - CLASS_BASE]
                if 0 < number < FIRST_PART[code - CLASS_BASE + 1] - first:
                    cell[FIRST_LABEL["part"] + first + number] += 1
    np.testing.assert_array_equal(counts, expected)
    assert all(counts[..., FIRST_LABEL[name] :][..., :count].sum() for name, count in FAMILIES.items())


def test_average_precision() -> None:
    scores = torch.tensor([[0.9], [0.8], [0.7], [0.1]])
    shown = torch.tensor([[True], [False], [True], [False]])
    assert float(average_precisions(scores, shown)[0]) == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.slow
def test_training_lowers_the_loss_and_writes_weights_and_card(tmp_path: Path) -> None:
    lines: list[str] = []
    card = train_cells(TINY, tmp_path / "cells.pt", report=lambda p: lines.append(p.message) if p.message else None)
    first = float(next(line for line in lines if "loss" in line).split("loss ")[1].split(",")[0])
    assert card["loss"] < first and card["steps"] == 30
    assert json.loads(json.dumps(card)) == json.loads((tmp_path / "cells.json").read_text(encoding="utf-8"))
    encoder = load_cell_encoder(load_backbone("city"), "cpu", tmp_path / "cells.pt")
    assert encoder is not None and encoder.output.out_features == card["dim"]
    again = train_cells(TINY, tmp_path / "again.pt")
    assert again["hash"] == card["hash"]


def test_bad_settings(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="steps or minutes"):
        train_cells(replace(TINY, steps=None), tmp_path / "cells.pt")
    with pytest.raises(InputError, match="a cell encoder learns from rendered pictures"):
        train("cells", "city/touchdown/train", tmp_path / "cells.pt")
    assert not list(tmp_path.iterdir())
    result = CliRunner().invoke(cli, ["train", "cells", "-o", str(tmp_path / "x.pt"), "--world", "city/x"])
    assert isinstance(result.exception, InputError) and not list(tmp_path.iterdir())

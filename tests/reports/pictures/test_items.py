"""Contact sheets of ArraMon's objects: a portrait of each, with its name below."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bearleft.reports.pictures import items as items_sheet
from bearleft.world.arramon.items.names import ITEMS
from bearleft.world.arramon.sections.object_kinds import OBJECT_KINDS


def test_sheets_show_every_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def portrait(name: str) -> items_sheet.Picture:
        names.append(name)
        return np.full((8, 8, 3), 90, np.uint8)

    monkeypatch.setattr(items_sheet, "item_portrait", portrait)
    monkeypatch.setattr(items_sheet, "street_portrait", portrait)
    items_sheet.main(str(tmp_path))
    assert sorted(names) == sorted([*(item.name for item in ITEMS), *OBJECT_KINDS])
    with Image.open(tmp_path / "arramon-items.png") as sheet:
        assert sheet.width == 14 * items_sheet.ITEM_SIDE and sheet.height > 7 * items_sheet.ITEM_SIDE
    with Image.open(tmp_path / "arramon-street.png") as sheet:
        assert sheet.height > 4 * items_sheet.STREET_SIDE


def test_portraits_are_filled_by_the_object() -> None:
    red = items_sheet.item_portrait("Dotted Red Ball").astype(int)
    middle = red[80:144, 80:144]
    assert ((middle[..., 0] > 150) & (middle[..., 1] < 60)).mean() > 0.4
    stop = items_sheet.street_portrait("stop sign").astype(int)
    assert ((stop[..., 0] > 120) & (stop[..., 1] < 70)).sum() > 800

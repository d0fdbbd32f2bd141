"""What doctor says of networks; the rest of it is tested with the command line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bearleft import doctor as place
from bearleft.cli import cli
from bearleft.errors import InputError
from bearleft.runtime import extras


def told() -> dict[str, Any]:
    return {str(row["part"]): row for row in place._learning()}


def test_without_torch_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_version", lambda name: "" if name in ("torch", "tensorboard") else "1.0")
    rows = told()
    assert "CUDA" not in rows and all(row["ok"] for row in rows.values())
    assert "'.[learn]'" in rows["torch"]["hint"] and "'.[tensorboard]'" in rows["tensorboard"]["hint"]


def test_who_needs_torch_is_told_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    (tmp_path / "best.pt").touch()
    commands = ("features city/sdr/small -o x", "train unet city/sdr/small -o x", "bench pointing")
    for words in (*commands, f"eval {tmp_path} city/sdr/small -o {tmp_path}/traces.jsonl"):
        told = CliRunner().invoke(cli, words.split()).exception
        assert isinstance(told, InputError) and told.hint == f"Type: {extras.typed('learn')}", words


def test_torch_is_asked_for_cuda_where_there_is_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert told()["CUDA"]["found"] == "no GPU to use it on"
    monkeypatch.setattr(shutil, "which", lambda _: "/bin/nvidia-smi")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "cannot" in told()["CUDA"]["found"] and told()["torch"]["found"]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a card")
    assert told()["CUDA"]["found"].endswith("a card")


def test_the_backbones_weights_are_there_and_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    card = json.loads(place.BACKBONE.with_suffix(".json").read_text())
    assert told()["backbone"]["ok"] and card["hash"][:8] in told()["backbone"]["found"]
    monkeypatch.setattr(place, "BACKBONE", tmp_path / "cut.pt")
    assert not told()["backbone"]["ok"]
    (tmp_path / "cut.json").write_text(json.dumps(card))
    (tmp_path / "cut.pt").write_bytes(b"x")
    assert not told()["backbone"]["ok"] and "--backbone FILE" in told()["backbone"]["hint"]


@pytest.mark.skipif(shutil.which(place.SMI) is not None, reason="where there is a GPU torch is asked")
def test_torch_is_not_imported_for_it() -> None:
    asked = "import sys; from bearleft import doctor; list(doctor._learning()); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0

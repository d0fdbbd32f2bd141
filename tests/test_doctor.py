"""The doctor's checks of what networks need; the others are tested with the command line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bearleft import doctor
from bearleft.cli import cli
from bearleft.errors import InputError
from bearleft.runtime import extras


def learning_rows() -> dict[str, Any]:
    return {str(row["component"]): row for row in doctor._check_learning()}


def test_missing_torch_gives_install_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_version", lambda name: "" if name in ("torch", "tensorboard") else "1.0")
    rows = learning_rows()
    assert "CUDA" not in rows and all(row["ok"] for row in rows.values())
    assert "'.[learn]'" in rows["torch"]["hint"] and "'.[tensorboard]'" in rows["tensorboard"]["hint"]


def test_verbs_that_need_torch_give_same_hint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    (tmp_path / "best.pt").touch()
    commands = ("features city/sdr/small -o x", "train unet city/sdr/small -o x", "bench pointing")
    assert extras.install_command("learn") in extras.torch_hint()
    assert "pip install torch --index-url https://download.pytorch.org/whl/cpu" in extras.torch_hint()
    for words in (*commands, f"eval {tmp_path} city/sdr/small -o {tmp_path}/traces.jsonl"):
        error = CliRunner().invoke(cli, words.split()).exception
        assert isinstance(error, InputError) and error.hint == f"Type: {extras.torch_hint()}", words


def test_cuda_is_checked_if_there_is_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert learning_rows()["CUDA"]["status"] == "no GPU to use it on"
    monkeypatch.setattr(shutil, "which", lambda _: "/bin/nvidia-smi")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "cannot" in learning_rows()["CUDA"]["status"] and learning_rows()["torch"]["status"]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a GPU")
    assert learning_rows()["CUDA"]["status"].endswith("a GPU")


def test_backbone_weights_are_complete(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    card = json.loads(doctor.BACKBONE_FILE.with_suffix(".json").read_text())
    assert learning_rows()["backbone"]["ok"] and card["hash"][:8] in learning_rows()["backbone"]["status"]
    monkeypatch.setattr(doctor, "BACKBONE_FILE", tmp_path / "cut.pt")
    assert not learning_rows()["backbone"]["ok"]
    (tmp_path / "cut.json").write_text(json.dumps(card))
    (tmp_path / "cut.pt").write_bytes(b"x")
    assert not learning_rows()["backbone"]["ok"] and "--backbone FILE" in learning_rows()["backbone"]["hint"]


@pytest.mark.skipif(shutil.which(doctor.NVIDIA_SMI) is not None, reason="with a GPU torch is imported")
def test_torch_is_not_imported_without_gpu() -> None:
    code = "import sys; from bearleft import doctor; list(doctor._check_learning()); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_language_models_show_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    rows = {str(row["component"]): row for row in doctor._check_language_models()}
    assert rows["OPENAI_API_KEY"]["status"] == "set" and "secret" not in str(rows)
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setattr(doctor, "_version", lambda _: "")
    rows = {str(row["component"]): row for row in doctor._check_language_models()}
    assert "'.[llm]'" in str(rows["openai"]["hint"]) and "export OPENAI_API_KEY" in str(rows["OPENAI_API_KEY"]["hint"])
    assert all(row["ok"] for row in rows.values())

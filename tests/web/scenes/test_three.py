"""three.js is served from the folder that an installation names."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bearleft.web.app import create_app
from bearleft.web.settings import Settings


def test_the_folder_of_three_js_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "three"
    folder.mkdir()
    (folder / "three.module.js").write_text("export const REVISION = 'named';")
    monkeypatch.setenv("BEARLEFT_THREE", str(folder))
    with TestClient(create_app(Settings(database=str(tmp_path / "web.sqlite"), cache=tmp_path / "cache"))) as client:
        assert "named" in client.get("/static/three/three.module.js").text

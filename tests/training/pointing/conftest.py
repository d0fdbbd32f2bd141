"""A feature store of random features, which takes no time to make."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

DATASET = "city/sdr/small"


@pytest.fixture(scope="package")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a feature store of random features for the panoramas of 20 examples."""
    pytest.importorskip("torch")
    from bearleft import load
    from bearleft.models.backbones.registry import load_backbone
    from bearleft.models.examples import build_examples
    from bearleft.models.features.store import PANORAMA_FILE, StoreInfo
    from bearleft.world.slices import Slicing

    folder, backbone = tmp_path_factory.mktemp("store"), load_backbone("random:0")
    examples = build_examples(load(DATASET)[:20])
    lines = [{"world": panorama.world, "place": panorama.place, "yaw": panorama.yaw} for panorama in examples.panoramas]
    info = StoreInfo(backbone.name, backbone.hash, Slicing(32, 64), backbone.channels, "f16", len(lines))
    noise = np.random.default_rng(0).normal(size=(len(lines), *info.shape))
    noise.astype(np.float16).tofile(info.map_file(folder))
    (folder / PANORAMA_FILE).write_text("".join(json.dumps(line) + "\n" for line in lines))
    info.write(folder)
    return folder

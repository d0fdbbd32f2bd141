"""Answers and heat maps of networks that point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.data import load  # noqa: E402
from bearleft.errors import InputError  # noqa: E402
from bearleft.evaluation.evaluate import evaluate  # noqa: E402
from bearleft.models.examples import Examples, Panorama, build_examples  # noqa: E402
from bearleft.models.features.base import IndexedPanoramas  # noqa: E402
from bearleft.models.pointing.network import Batch, PointNetwork, Shape  # noqa: E402
from bearleft.models.pointing.predict import (  # noqa: E402
    Predictions,
    heatmap_cells,
    predict,
    render_heatmaps,
    to_traces,
)
from bearleft.models.pointing.target_maps import argmax_cells, cell_directions  # noqa: E402
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from bearleft.records import Direction, Heatmap  # noqa: E402
from bearleft.world.slices import PAPER, Slicing  # noqa: E402

SMALL_SLICING = Slicing(116, 200)
CHANNELS = 3


class RandomFeatures(IndexedPanoramas):
    """Random features; `requested` holds the panoramas of each call."""

    slicing, channels, device = SMALL_SLICING, CHANNELS, torch.device("cpu")

    def __init__(self, panoramas: tuple[Panorama, ...]) -> None:
        rng = torch.Generator().manual_seed(3)
        self.panoramas = panoramas
        self.maps = torch.randn(
            len(panoramas), CHANNELS, SMALL_SLICING.rows, SMALL_SLICING.columns, generator=rng
        ).half()
        self.requested: list[list[int]] = []

    def __call__(self, indices: Any) -> Any:
        self.requested.append(indices.tolist())
        return self.maps[indices]


class TinyNetwork(PointNetwork):
    """A network whose channel weights are the mean of its word embeddings."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.words = torch.nn.Embedding(shape.vocabulary_size, shape.channels)
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, batch: Batch) -> Any:
        vectors = self.words(batch.words) * batch.mask[..., None]
        weights = self.drop(vectors.sum(1) / batch.lengths[:, None])
        return torch.einsum("bc,bchw->bhw", weights, batch.features)


@dataclass(frozen=True)
class Model:
    network: TinyNetwork
    vocabulary: Vocabulary
    slicing: Slicing = SMALL_SLICING


@pytest.fixture(scope="module")
def examples() -> Examples:
    return build_examples(load("city/sdr/small")[:24])


@pytest.fixture(scope="module")
def model(examples: Examples) -> Model:
    torch.manual_seed(5)
    vocabulary = Vocabulary.from_texts(examples.texts)
    return Model(TinyNetwork(Shape(len(vocabulary), SMALL_SLICING.rows, SMALL_SLICING.columns, CHANNELS)), vocabulary)


def test_batches_of_any_size_give_the_same_answers(model: Model, examples: Examples) -> None:
    features = RandomFeatures(examples.panoramas)
    expected = predict(model, examples, features, batch_size=1)
    model.network.train()
    for size in (5, 24):
        again = predict(model, examples, features, batch_size=size)
        np.testing.assert_array_equal(again.answers, expected.answers)
    assert model.network.training, "a network in training mode stays in it"
    assert len({tuple(answer) for answer in expected.answers.tolist()}) > 12


def test_answers_do_not_depend_on_the_batch(model: Model, examples: Examples) -> None:
    features = RandomFeatures(examples.panoramas)
    predictions = predict(model, examples, features, batch_size=7)
    model.network.eval()
    for k in (0, 9, 23):
        words, lengths = model.vocabulary.encode_batch([examples.texts[k]])
        maps = features.maps[examples.panorama_indices[k : k + 1]].float()
        with torch.no_grad():
            scores = model.network(Batch(maps, torch.from_numpy(words), torch.from_numpy(lengths)))
        np.testing.assert_allclose(predictions.answers[k], cell_directions(argmax_cells(scores), SMALL_SLICING)[0])


def test_panorama_is_requested_once_per_batch(model: Model, examples: Examples) -> None:
    features = RandomFeatures(examples.panoramas)
    repeated = examples.subset(np.array([0, 1, 0, 2, 1, 0]))
    predict(model, repeated, features, batch_size=6)
    assert features.requested == [sorted({int(examples.panorama_indices[k]) for k in (0, 1, 2)})]


def test_no_examples_give_no_answers(model: Model, examples: Examples) -> None:
    empty = predict(model, examples.subset(np.array([], np.int64)), RandomFeatures(examples.panoramas), heatmaps=True)
    assert empty.answers.shape == (0, 2) and empty.to_heats() == []


def test_invalid_arguments_raise(model: Model, examples: Examples) -> None:
    with pytest.raises(InputError, match="batch of at least one"):
        predict(model, examples, RandomFeatures(examples.panoramas), batch_size=0)
    with pytest.raises(InputError, match="bfloat16 or float32"):
        predict(model, examples, RandomFeatures(examples.panoramas), precision="float8")


@pytest.mark.parametrize("slicing", [SMALL_SLICING, PAPER, Slicing(116, 200, released=True)])
@pytest.mark.parametrize("size", [(256, 128), (128, 64)])
def test_heatmap_maximum_is_the_answer(slicing: Slicing, size: tuple[int, int]) -> None:
    rng = np.random.default_rng(7)
    scores = torch.zeros(6, slicing.rows, slicing.columns)
    row, column = rng.integers(2, slicing.rows - 2, 6), rng.integers(0, slicing.columns, 6)
    scores[np.arange(6), row, column] = 20.0
    width, height = size
    directions = cell_directions(argmax_cells(scores), slicing)
    for (heading, pitch), heatmap in zip(directions, render_heatmaps(scores, slicing, size).numpy(), strict=True):
        assert heatmap.max() == 255
        hot = np.argwhere(heatmap == 255)
        distance = np.hypot(
            (hot[:, 1] + 0.5) / width * 360 - 180 - heading, 90 - (hot[:, 0] + 0.5) / height * 180 - pitch
        )
        assert distance.max() < 1.5 * max(360 / width, 360 / slicing.columns, 180 / slicing.rows)


@pytest.mark.parametrize("size", [(256, 128), (128, 64)])
@pytest.mark.parametrize("slicing", [SMALL_SLICING, PAPER, Slicing(116, 200, released=True)])
def test_heatmap_pixels_cover_every_cell(slicing: Slicing, size: tuple[int, int]) -> None:
    _, cells = heatmap_cells(slicing, *size)
    assert len(np.unique(cells)) == slicing.rows * slicing.columns


def test_heatmaps_are_empty_outside_the_slices() -> None:
    maps = render_heatmaps(torch.zeros(1, SMALL_SLICING.rows, SMALL_SLICING.columns), SMALL_SLICING).numpy()[0]
    pitch = 90 - (np.arange(128) + 0.5) / 128 * 180
    assert (maps[np.abs(pitch) < 32] == 255).all()
    assert (maps[np.abs(pitch) > 38] == 0).all()


def test_to_traces_equals_the_agent_traces() -> None:
    episodes = load("city/sdr/small")[:4]
    examples = build_examples(episodes)
    rng = np.random.default_rng(0)
    answers = np.column_stack([rng.uniform(-180, 180, 4), rng.uniform(-30, 30, 4)])
    heat = rng.integers(0, 255, (4, 8, 16)).astype(np.uint8)
    traces = to_traces(Predictions(examples.ids, answers, 0.1, heat), examples, episodes, "FixedAnswers", 2, "x")

    class FixedAnswers:
        def begin(self, episode: Any, rng: Any) -> None:
            self.k = examples.ids.index(episode.id)

        def act(self, observation: Any) -> Any:
            from bearleft.envs.game import Prediction

            direction = Direction(float((observation["yaw"] + answers[self.k, 0]) % 360), float(answers[self.k, 1]))
            return Prediction(direction, Heatmap(16, 8, heat[self.k].tobytes()))

    played = evaluate(FixedAnswers(), "city/sdr/small", seed=2, limit=4)
    assert [trace.legs for trace in traces] == [trace.legs for trace in played]
    assert [(trace.episode, trace.dataset, trace.agent, trace.seed, trace.version) for trace in traces] == [
        (trace.episode, trace.dataset, trace.agent, trace.seed, trace.version) for trace in played
    ]


def test_to_traces_rejects_several_legs() -> None:
    episodes = load("city/touchdown-complete/small")[:1]
    examples = build_examples(episodes)
    with pytest.raises(InputError, match="one leg"):
        to_traces(Predictions(examples.ids, np.zeros((1, 2)), 0.0), examples, episodes, "x")

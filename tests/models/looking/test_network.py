"""The geometry of views on the sphere, and the look network: directions, sentences and checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import Tensor  # noqa: E402

from bearleft.errors import InputError  # noqa: E402
from bearleft.geometry import View  # noqa: E402
from bearleft.models.looking.network import LookConfig, LookNetwork, turn_features  # noqa: E402
from bearleft.models.looking.player import DISCRETE, LookCheckpoint, encode_sentences, look_around_actions  # noqa: E402
from bearleft.models.looking.sphere import (  # noqa: E402
    Memory,
    SphereGrid,
    angular_distance,
    project,
    sample_map,
    spherical_gaussian,
    splat,
    unit_vectors,
    unproject,
    view_grid,
)
from bearleft.models.vocabulary import Vocabulary  # noqa: E402
from bearleft.records import Direction  # noqa: E402

VIEW_DIRECTIONS = torch.tensor([[0.0, 0.0], [200.0, 35.0], [359.0, -60.0], [123.0, 90.0]])
SMALL_CONFIG = LookConfig(20, channels=3, width=16, heads=2, dropout=0.0, view_size=64, pool=1, rows=8, columns=24)


def direction_views(look: Tensor, side: int = 24) -> Tensor:
    """Return views whose three channels are the direction of each cell as a unit vector."""
    grid = view_grid(side)
    return unit_vectors(unproject(look, grid.expand(len(look), *grid.shape))).permute(0, 3, 1, 2)


def test_projection_equals_perspective_pictures() -> None:
    directions = torch.tensor([[210.0, 20.0], [10.0, 5.0], [340.0, -50.0], [90.0, 70.0], [30.0, 80.0]])
    point, inside = project(VIEW_DIRECTIONS, directions.expand(len(VIEW_DIRECTIONS), *directions.shape))
    for look, projected, visible in zip(VIEW_DIRECTIONS.tolist(), point.numpy(), inside.numpy(), strict=True):
        lens = View(Direction(*look), 2, 2)
        x, y = lens.pixel(directions[:, 0].numpy(), directions[:, 1].numpy())
        assert (visible == lens.sees(directions[:, 0].numpy(), directions[:, 1].numpy())).all()
        np.testing.assert_allclose(projected[visible], np.column_stack([x - 1, y - 1])[visible], atol=1e-4)
    assert inside.any() and not inside.all()
    back = unproject(VIEW_DIRECTIONS, point)
    assert float(angular_distance(back, directions)[inside].max()) < 0.01


def test_splat_keeps_directions() -> None:
    sphere = SphereGrid(8, 24, 60.0)
    value, share = splat(sphere, direction_views(VIEW_DIRECTIONS), VIEW_DIRECTIONS)
    covered = share[:, 0] > 0.99
    true = unit_vectors(sphere.directions()).expand(len(VIEW_DIRECTIONS), 8, 24, 3)
    error = (value.permute(0, 2, 3, 1) - true).norm(dim=-1)
    assert covered.flatten(1).sum(1).min() > 10
    assert float(error[covered].max()) < 0.08
    assert not share[0, 0, :, :4].any()  # behind the camera


def test_memory_averages_views_and_rotates() -> None:
    sphere = SphereGrid(8, 24, 60.0)
    memory = Memory.empty(sphere, 2, 3, torch.zeros(0))
    for heading in range(0, 360, 60):
        look = torch.tensor([[float(heading), 0.0]] * 2)
        memory = memory.add_view(sphere, direction_views(look), look)
    assert (memory.view_count[:, 0, 2:6] > 0.9).all()
    rotated = memory.centred_on(torch.tensor([77.0, 300.0]))
    directions = sphere.directions()[3:5]  # of the two rows at the horizon
    world = torch.stack(
        [torch.stack([directions[..., 0] + rotation, directions[..., 1]], -1) for rotation in (77.0, 300.0)]
    )
    assert float((rotated.features[:, :, 3:5].permute(0, 2, 3, 1) - unit_vectors(world)).norm(dim=-1).max()) < 0.08
    queries = torch.tensor([[[[-179.0, 5.0], [33.0, -6.0]]], [[[179.0, 5.0], [-90.0, 1.0]]]])
    read = sample_map(sphere, rotated.features, queries).permute(0, 2, 3, 1)
    world = torch.stack([queries[k] + torch.tensor([rotation, 0.0]) for k, rotation in enumerate((77.0, 300.0))])
    assert float((read - unit_vectors(world)).norm(dim=-1).max()) < 0.08


def test_spherical_gaussian_peaks_at_the_goal() -> None:
    sphere = SphereGrid(8, 24)
    gaussian = spherical_gaussian(sphere.directions()[None], torch.tensor([[172.0, 21.0], [0.0, 85.0]]), 8.0)
    assert torch.allclose(gaussian.sum((1, 2)), torch.ones(2))
    best = sphere.directions().flatten(0, 1)[gaussian.flatten(1).argmax(1)]
    assert best[0].tolist() == [172.5, 22.5]
    assert best[1, 1] == 52.5  # too steep for the map: its upper row
    assert float(gaussian[0, :, 0].sum()) > 0.1  # across the seam


def random_memory(seed: int = 0) -> Memory:
    generator = torch.Generator().manual_seed(seed)
    return Memory(torch.randn(1, 3, 8, 24, generator=generator), torch.ones(1, 1, 8, 24))


def test_scores_depend_on_words_and_not_on_absolute_headings() -> None:
    torch.manual_seed(0)
    network, words = LookNetwork(SMALL_CONFIG).eval(), Vocabulary(("left", "right", "door"))
    memory, sentences = random_memory(), encode_sentences(words, [["the door", "left"]], "cpu")
    focus = torch.tensor([[20.0, 10.0]])
    belief = network(sentences, memory, focus)
    rotation = 15.0 * 5  # a multiple of cells, so that nothing is interpolated
    rotated = Memory(memory.features.roll(5, 3), memory.view_count)
    rotated_belief = network(sentences, rotated, focus + torch.tensor([rotation, 0.0]))
    torch.testing.assert_close(belief.scores, rotated_belief.scores, atol=1e-4, rtol=1e-4)
    difference = (network.best_direction(rotated_belief) - network.best_direction(belief))[0]
    assert float(difference[0]) % 360.0 == pytest.approx(rotation) and float(difference[1]) == 0.0
    torch.testing.assert_close(
        turn_features(network.cell_directions, belief, focus),
        turn_features(network.cell_directions, rotated_belief, focus + torch.tensor([rotation, 0.0])),
        atol=1e-4,
        rtol=0,
    )
    other_belief = network(encode_sentences(words, [["the door", "right"]], "cpu"), memory, focus)
    assert not torch.allclose(belief.scores, other_belief.scores, atol=1e-4)


def test_best_view_direction_is_the_best_cell() -> None:
    network = LookNetwork(SMALL_CONFIG)
    scores = torch.full((1, 8, 8), -9.0)
    scores[0, 0, 7] = 9.0  # up and to the right
    look = torch.tensor([[350.0, 0.0]])
    heading, pitch = network.best_view_direction(scores, look)[0].tolist()
    assert 25.0 < heading < 35.0 and 30.0 < pitch < 36.0
    assert torch.allclose(network.view_directions(look)[0, 0, 7], torch.tensor([heading, pitch]), atol=1e-3)


def test_sentences_are_encoded_with_their_age() -> None:
    sentences = encode_sentences(Vocabulary(("a", "b")), [["a b", "b"], ["a"]], "cpu")
    assert sentences.words.tolist() == [[2, 3, 3], [2, 0, 0]]
    assert sentences.sentence_offsets.tolist() == [[1, 1, 0], [0, 0, 0]]
    assert sentences.mask.tolist() == [[True] * 3, [True, False, False]]


@pytest.mark.parametrize(
    ("turn", "down", "right", "views"), [(15, 6, 24, 6), (5, 18, 72, 6), (30, 3, 12, 6), (45, 2, 8, 8)]
)
def test_look_around_returns_to_its_start(turn: float, down: int, right: int, views: int) -> None:
    observation = {"heading": 30.0, "pitch": 90.0, "turn_degrees": turn}
    actions = look_around_actions(observation, DISCRETE)
    assert [action for action, _ in actions] == ["down"] * down + ["right"] * right
    assert sum(looks for action, looks in actions if action == "right") == views
    directions: list[Any] = [action for action, _ in look_around_actions(observation, "continuous")]
    assert [direction.heading for direction in directions] == [30.0, 90.0, 150.0, 210.0, 270.0, 330.0]


def test_look_checkpoint_round_trip(tmp_path: Path) -> None:
    checkpoint = LookCheckpoint(
        LookNetwork(SMALL_CONFIG).eval(), Vocabulary(("door",)), "city", "abc", DISCRETE, {"seed": 3}, 5.0
    )
    checkpoint.save(tmp_path / "best.pt")
    loaded = LookCheckpoint.load(tmp_path / "best.pt")
    assert (loaded.turn_mode, loaded.turn_degrees, loaded.backbone_hash, loaded.training_info, loaded.vocabulary) == (
        DISCRETE,
        5.0,
        "abc",
        {"seed": 3},
        Vocabulary(("door",)),
    )
    sentences, focus = encode_sentences(checkpoint.vocabulary, [["a door"]], "cpu"), torch.tensor([[1.0, 2.0]])
    scores = [saved.network(sentences, random_memory(), focus).scores for saved in (checkpoint, loaded)]
    assert torch.equal(*scores)
    raw = bytearray((tmp_path / "best.pt").read_bytes())
    raw[len(raw) // 2] ^= 1
    (tmp_path / "best.pt").write_bytes(raw)
    with pytest.raises(InputError, match="damaged"):
        LookCheckpoint.load(tmp_path / "best.pt")

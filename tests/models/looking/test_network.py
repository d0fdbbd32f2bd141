"""The geometry of views on the sphere, and the look network: directions, sentences and checkpoints."""

from __future__ import annotations

from pathlib import Path

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

LOOKS = torch.tensor([[0.0, 0.0], [200.0, 35.0], [359.0, -60.0], [123.0, 90.0]])
SMALL = LookConfig(20, channels=3, width=16, heads=2, dropout=0.0, view_size=64, pool=1, rows=8, columns=24)


def seen_from(look: Tensor, side: int = 24) -> Tensor:
    """Views whose three channels say where each cell lies: its direction as a unit vector."""
    grid = view_grid(side)
    return unit_vectors(unproject(look, grid.expand(len(look), *grid.shape))).permute(0, 3, 1, 2)


def test_projection_equals_perspective_pictures() -> None:
    directions = torch.tensor([[210.0, 20.0], [10.0, 5.0], [340.0, -50.0], [90.0, 70.0], [30.0, 80.0]])
    point, inside = project(LOOKS, directions.expand(len(LOOKS), *directions.shape))
    for look, found, seen in zip(LOOKS.tolist(), point.numpy(), inside.numpy(), strict=True):
        lens = View(Direction(*look), 2, 2)
        x, y = lens.pixel(directions[:, 0].numpy(), directions[:, 1].numpy())
        assert (seen == lens.sees(directions[:, 0].numpy(), directions[:, 1].numpy())).all()
        np.testing.assert_allclose(found[seen], np.column_stack([x - 1, y - 1])[seen], atol=1e-4)
    assert inside.any() and not inside.all()
    back = unproject(LOOKS, point)
    assert float(angular_distance(back, directions)[inside].max()) < 0.01


def test_splat_keeps_directions() -> None:
    sphere = SphereGrid(8, 24, 60.0)
    value, share = splat(sphere, seen_from(LOOKS), LOOKS)
    whole = share[:, 0] > 0.99
    true = unit_vectors(sphere.directions()).expand(len(LOOKS), 8, 24, 3)
    apart = (value.permute(0, 2, 3, 1) - true).norm(dim=-1)
    assert whole.flatten(1).sum(1).min() > 10
    assert float(apart[whole].max()) < 0.08
    assert not share[0, 0, :, :4].any()  # behind one's back


def test_memory_averages_views_and_rotates() -> None:
    sphere = SphereGrid(8, 24, 60.0)
    memory = Memory.empty(sphere, 2, 3, torch.zeros(0))
    for heading in range(0, 360, 60):
        look = torch.tensor([[float(heading), 0.0]] * 2)
        memory = memory.add_view(sphere, seen_from(look), look)
    assert (memory.view_count[:, 0, 2:6] > 0.9).all()
    turned = memory.centred_on(torch.tensor([77.0, 300.0]))
    directions = sphere.directions()[3:5]  # of the two rows at the horizon
    world = torch.stack([torch.stack([directions[..., 0] + by, directions[..., 1]], -1) for by in (77.0, 300.0)])
    assert float((turned.features[:, :, 3:5].permute(0, 2, 3, 1) - unit_vectors(world)).norm(dim=-1).max()) < 0.08
    asked = torch.tensor([[[[-179.0, 5.0], [33.0, -6.0]]], [[[179.0, 5.0], [-90.0, 1.0]]]])
    read = sample_map(sphere, turned.features, asked).permute(0, 2, 3, 1)
    world = torch.stack([asked[k] + torch.tensor([by, 0.0]) for k, by in enumerate((77.0, 300.0))])
    assert float((read - unit_vectors(world)).norm(dim=-1).max()) < 0.08


def test_spherical_gaussian_peaks_at_the_goal() -> None:
    sphere = SphereGrid(8, 24)
    hill = spherical_gaussian(sphere.directions()[None], torch.tensor([[172.0, 21.0], [0.0, 85.0]]), 8.0)
    assert torch.allclose(hill.sum((1, 2)), torch.ones(2))
    best = sphere.directions().flatten(0, 1)[hill.flatten(1).argmax(1)]
    assert best[0].tolist() == [172.5, 22.5]
    assert best[1, 1] == 52.5  # too steep for the map: its upper row
    assert float(hill[0, :, 0].sum()) > 0.1  # across the seam


def some_memory(seed: int = 0) -> Memory:
    generator = torch.Generator().manual_seed(seed)
    return Memory(torch.randn(1, 3, 8, 24, generator=generator), torch.ones(1, 1, 8, 24))


def test_scores_depend_on_words_and_not_on_north() -> None:
    torch.manual_seed(0)
    network, words = LookNetwork(SMALL).eval(), Vocabulary(("left", "right", "door"))
    memory, sentences = some_memory(), encode_sentences(words, [["the door", "left"]], "cpu")
    focus = torch.tensor([[20.0, 10.0]])
    belief = network(sentences, memory, focus)
    by = 15.0 * 5  # whole cells, so that nothing is interpolated anew
    turned = Memory(memory.features.roll(5, 3), memory.view_count)
    again = network(sentences, turned, focus + torch.tensor([by, 0.0]))
    torch.testing.assert_close(belief.scores, again.scores, atol=1e-4, rtol=1e-4)
    apart = (network.best_direction(again) - network.best_direction(belief))[0]
    assert float(apart[0]) % 360.0 == pytest.approx(by) and float(apart[1]) == 0.0
    torch.testing.assert_close(
        turn_features(network.cell_directions, belief, focus),
        turn_features(network.cell_directions, again, focus + torch.tensor([by, 0.0])),
        atol=1e-4,
        rtol=0,
    )
    other = network(encode_sentences(words, [["the door", "right"]], "cpu"), memory, focus)
    assert not torch.allclose(belief.scores, other.scores, atol=1e-4)


def test_best_view_direction_is_the_best_cell() -> None:
    network = LookNetwork(SMALL)
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
    seen = {"heading": 30.0, "pitch": 90.0, "turn_degrees": turn}
    acts = look_around_actions(seen, DISCRETE)
    assert [action for action, _ in acts] == ["down"] * down + ["right"] * right
    assert sum(looks for action, looks in acts if action == "right") == views
    free = [action for action, _ in look_around_actions(seen, "continuous")]
    assert [one.heading for one in free] == [30.0, 90.0, 150.0, 210.0, 270.0, 330.0]  # type: ignore[union-attr]


def test_look_checkpoint_round_trip(tmp_path: Path) -> None:
    checkpoint = LookCheckpoint(
        LookNetwork(SMALL).eval(), Vocabulary(("door",)), "city", "abc", DISCRETE, {"seed": 3}, 5.0
    )
    checkpoint.save(tmp_path / "best.pt")
    again = LookCheckpoint.load(tmp_path / "best.pt")
    assert (again.turn_mode, again.turn_degrees, again.backbone_hash, again.training_info, again.vocabulary) == (
        DISCRETE,
        5.0,
        "abc",
        {"seed": 3},
        Vocabulary(("door",)),
    )
    sentences, focus = encode_sentences(checkpoint.vocabulary, [["a door"]], "cpu"), torch.tensor([[1.0, 2.0]])
    both = [one.network(sentences, some_memory(), focus).scores for one in (checkpoint, again)]
    assert torch.equal(*both)
    raw = bytearray((tmp_path / "best.pt").read_bytes())
    raw[len(raw) // 2] ^= 1
    (tmp_path / "best.pt").write_bytes(raw)
    with pytest.raises(InputError, match="damaged"):
        LookCheckpoint.load(tmp_path / "best.pt")

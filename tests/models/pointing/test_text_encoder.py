"""The text encoder equals its slow reference, whatever the padding and the batch."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from bearleft.models.pointing.network import Batch
from bearleft.models.pointing.text_encoder import TextEncoder
from tests.models import slow_reference as slow

LENGTHS = [3, 1, 7, 5]


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    torch.manual_seed(0)
    return TextEncoder(20, embedding_dim=6, lstm_dim=5).double().eval()


def texts(max_length: int = 7, seed: int = 1) -> Batch:
    """Return texts of several lengths, with random words behind their ends that must not be read."""
    words = torch.randint(1, 20, (len(LENGTHS), 7), generator=torch.Generator().manual_seed(seed))
    noise = torch.randint(0, 20, (len(LENGTHS), max_length))
    noise[:, :7] = torch.where(torch.arange(7) < torch.tensor(LENGTHS)[:, None], words, noise[:, :7])
    return Batch(torch.zeros(len(LENGTHS), 1, 1, 1), noise, torch.tensor(LENGTHS))


def test_equals_slow_reference(encoder: TextEncoder) -> None:
    batch = texts()
    expected = [slow.text(encoder, words[:n]) for words, n in zip(batch.words, LENGTHS, strict=True)]
    assert torch.allclose(encoder(batch), torch.stack(expected), atol=1e-12)


def test_padding_and_batch_do_not_matter(encoder: TextEncoder) -> None:
    batch = texts()
    expected = encoder(batch)
    assert torch.allclose(encoder(texts(max_length=12)), expected, atol=1e-12)
    alone = Batch(batch.features[:1], batch.words[:1, :3], batch.lengths[:1])
    assert torch.allclose(encoder(alone), expected[:1], atol=1e-12)


def test_gradients_equal_slow_reference(encoder: TextEncoder) -> None:
    batch = texts()
    weight = torch.randn(len(LENGTHS), 10, dtype=torch.float64)
    gradients = torch.autograd.grad((encoder(batch) * weight).sum(), list(encoder.parameters()))
    expected = torch.stack([slow.text(encoder, words[:n]) for words, n in zip(batch.words, LENGTHS, strict=True)])
    for gradient, expected_gradient in zip(
        gradients, torch.autograd.grad((expected * weight).sum(), list(encoder.parameters())), strict=True
    ):
        assert torch.allclose(gradient, expected_gradient, atol=1e-12)


def test_dropout_is_shared_by_both_directions() -> None:
    """Dropping the only number of the only word leaves both directions just their biases."""
    torch.manual_seed(3)
    encoder = TextEncoder(3, embedding_dim=1, lstm_dim=2, dropout=0.5).train()
    torch.nn.init.constant_(encoder.embedding.weight, 1.0)
    count = 64
    batch = Batch(torch.zeros(count, 1, 1, 1), torch.full((count, 2), 2), torch.ones(count, dtype=torch.int64))
    distinct = encoder(batch).unique(dim=0)
    assert len(distinct) == 2


def test_text_encoder_ignores_autocast(encoder: TextEncoder) -> None:
    with torch.autocast("cpu", torch.bfloat16):
        assert encoder(texts()).dtype == torch.float64

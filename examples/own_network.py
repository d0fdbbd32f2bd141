"""A pointing network of your own: it scores each cell by the product of its features with the mean word vector.

bearleft train examples/own_network.py city/sdr/small -o run --size 116x200 --epochs 2
bearleft eval run city/sdr/small --network examples/own_network.py -o traces.jsonl
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bearleft.models.pointing import Batch, NetworkSpec, PointNetwork, Shape


@dataclass(frozen=True)
class Config:
    shape: Shape  # sizes of the vocabulary and the feature map
    width: int = 32  # other settings have defaults; change them with --set width=64


class Product(PointNetwork):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.words = nn.Embedding(config.shape.vocabulary_size, config.width, padding_idx=0)
        self.cells = nn.Conv2d(config.shape.channels, config.width, 1)

    def forward(self, batch: Batch) -> Tensor:
        text = self.words(batch.words).sum(1) / batch.lengths[:, None]  # (examples, width)
        return torch.einsum("bw,bwrc->brc", text, self.cells(batch.features))  # (examples, rows, columns)


NETWORK = NetworkSpec(Config, Product, learning_rate=0.003)

if __name__ == "__main__":
    network = Product(Config(Shape(vocabulary_size=10, rows=5, columns=8, channels=4)))
    example = Batch(torch.randn(2, 4, 5, 8), torch.tensor([[1, 2, 3], [4, 0, 0]]), torch.tensor([3, 1]))
    print("scores of 2 examples:", tuple(network(example).shape))

"""Sizes of the benchmark of reinforcement learning."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Sizes:
    """Sizes of what is timed; the defaults are those for a GPU."""

    dataset: str = "r4r/train"
    walks: int = 8192  # of the dataset, evenly spaced
    max_words: int = 90  # of a text; 98 % of R4R's have fewer
    rollouts: tuple[tuple[int, int], ...] = ((1024, 1024), (8192, 8192), (8192, 1024), (65536, 8192))  # walkers, texts
    updates: tuple[int, ...] = (128, 1024, 8192)  # walks
    loop_walkers: int = 1024
    options: int | None = None  # of a walk along links; by default twice as many as the longest reference has places
    city: str = "city/0/8x40"
    routes: int = 1024
    live: tuple[int, ...] = (1024, 4096, 16384)  # walkers
    picture_loop_walkers: int = 256
    single_walkers: int = 16  # single Gymnasium environments in sequence
    horizon: int = 50  # of walks with pictures, in actions
    round_seconds: float = 1.0
    panoramic: dict[str, int] = field(default_factory=dict)  # overrides of the networks' sizes
    rconcat: dict[str, int] = field(default_factory=dict)


TINY = Sizes(
    "town/dev",
    20,
    90,
    ((4, 2),),
    (4,),
    4,
    10,
    "city/3/4x5",
    3,
    (2,),
    2,
    1,
    3,
    0.0,
    {"word_dim": 8, "text_dim": 8, "hidden_dim": 8, "link_dim": 8, "text_attention_dim": 8},
    {"word_dim": 8, "text_dim": 8, "view_dim": 8, "hidden_dim": 8},
)
FALLBACK = "town/dev"  # where the data folder does not have the dataset

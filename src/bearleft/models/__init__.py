"""Networks in torch, one published one per file, and what they read: words, pictures as cells, examples."""

BEST = "best.pt"  # in the folder of a training: its result

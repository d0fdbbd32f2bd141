"""PyTorch models: backbones, features, pointing and looking networks, and their checkpoints."""

BEST = "best.pt"  # file name of a training's result in its folder

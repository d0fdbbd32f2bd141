"""Training of backbones on the classes of generated worlds."""

"""Training of backbones on rendered slices."""

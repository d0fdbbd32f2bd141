"""Training loops of backbones, pointing networks and the look network."""

"""The look network, its memory, training examples and batched player."""

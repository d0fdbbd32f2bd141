"""The looking agent's network, its memory, training examples and batched player."""

"""Modes of drawing decoys for ArraMon's rooms."""

DISTINCT, RANDOM = "distinct", "random"
DECOY_MODES = (DISTINCT, RANDOM)

"""Modes of drawing decoys for ArraMon's rooms.

Decoys are the items in the room at the start; distractors are the items in the city that resemble a target.
"""

DISTINCT, RANDOM = "distinct", "random"
DECOY_MODES = (DISTINCT, RANDOM)

"""The games: what one may do in a leg and what follows. `gym.py` wraps them for Gymnasium; nothing else needs it."""

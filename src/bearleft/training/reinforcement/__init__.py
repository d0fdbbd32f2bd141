"""Reinforcement learning of panoramic networks: actor-critic with V-trace, mixed with imitation."""

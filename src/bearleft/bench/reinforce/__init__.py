"""Benchmark of reinforcement learning: environment steps per second, policy network and reward included."""

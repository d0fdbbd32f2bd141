"""Benchmarks of pointing networks."""

"""Benchmarks of the renderer."""

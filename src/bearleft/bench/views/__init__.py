"""Benchmarks of views cut from panoramas."""

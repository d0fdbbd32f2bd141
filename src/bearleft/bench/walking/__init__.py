"""Benchmark of training and evaluating walking networks."""

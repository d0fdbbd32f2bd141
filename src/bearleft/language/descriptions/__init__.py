"""Descriptions of targets: generation and parsing."""

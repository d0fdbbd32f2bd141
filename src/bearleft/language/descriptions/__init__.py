"""Descriptions of targets: written, read back, pointed at."""

"""Refer360-like sequences of referring sentences: writing them, and following them to a direction."""

"""Experiments of the papers: published tables and figures beside our own measurements."""

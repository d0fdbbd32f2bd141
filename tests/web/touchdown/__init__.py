"""Tests of Touchdown's data collection."""

"""Furnished rooms: indoor scenes built with the city's models and renderer."""

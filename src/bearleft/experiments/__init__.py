"""The papers' tables as functions: what was published, and what we measure, side by side."""

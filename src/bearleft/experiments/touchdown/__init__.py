"""Touchdown paper: tables, figures, and training of the systems of Table 4."""

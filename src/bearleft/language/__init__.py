"""English texts about scenes and routes: generation, parsing and analysis."""

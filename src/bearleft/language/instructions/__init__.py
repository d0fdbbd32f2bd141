"""Navigation instructions: generation, parsing and semantics."""

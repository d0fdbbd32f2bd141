"""Training of pointing networks."""

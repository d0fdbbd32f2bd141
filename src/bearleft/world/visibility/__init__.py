"""What is visible from a place: the visibility table, its compiled kernels, and single rays."""

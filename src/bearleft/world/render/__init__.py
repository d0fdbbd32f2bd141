"""Pictures of scenes: rays through a flat grid, by one set of functions for CPU and GPU."""

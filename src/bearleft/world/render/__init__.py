"""Ray tracer for scenes of simple solids in a flat grid; the same functions run on CPU and GPU."""

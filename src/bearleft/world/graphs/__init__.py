"""Navigation graphs: arrays, transitions, distances, shortest paths, and the graphs of each dataset."""

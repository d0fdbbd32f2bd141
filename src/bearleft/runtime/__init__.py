"""Support code that knows nothing of the field: storage, processes, compiled code, optional extras, JSON fields."""

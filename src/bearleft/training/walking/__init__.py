"""Training of walking networks: batches on a GPU, or HOGWILD! clients on a CPU."""

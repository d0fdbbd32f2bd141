"""Who plays: anything with `begin(episode, rng)` and `act(observation)`. `named.agent("random")` makes one by name."""

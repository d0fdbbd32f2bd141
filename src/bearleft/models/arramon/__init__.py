"""Networks that play ArraMon: V/L, V/O and L/O of the paper, a network with a memory, and what they see."""

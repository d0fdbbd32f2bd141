"""A binary heap of places in two arrays, keys and places, for searches in compiled code; the caller keeps its size."""

from __future__ import annotations

from typing import Any

from bearleft.runtime.compiled import jit

Array = Any  # numpy's, as compiled code takes them


@jit
def push(keys: Array, heap: Array, size: int, key: float, place: int) -> None:
    """Adds a place to a heap of `size`: the new entry rises."""
    hole = size
    while hole > 0:
        parent = (hole - 1) // 2
        if keys[parent] <= key:
            break
        keys[hole], heap[hole] = keys[parent], heap[parent]
        hole = parent
    keys[hole], heap[hole] = key, place


@jit
def pop_min(keys: Array, heap: Array, size: int) -> None:
    """Leaves out the least entry, so that `size` are left: the last one sinks from the root."""
    key, place, hole = keys[size], heap[size], 0
    while True:
        child = 2 * hole + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[hole], heap[hole] = keys[child], heap[child]
        hole = child
    keys[hole], heap[hole] = key, place

"""A binary min-heap in two arrays, keys and values, for searches in compiled code; the caller tracks its size."""

from __future__ import annotations

from typing import Any

from bearleft.runtime.compiled import jit

Array = Any  # NumPy arrays in compiled code


@jit
def push(keys: Array, heap: Array, size: int, key: float, value: int) -> None:
    """Add a value to a heap of `size` entries: sift the new entry up."""
    hole = size
    while hole > 0:
        parent = (hole - 1) // 2
        if keys[parent] <= key:
            break
        keys[hole], heap[hole] = keys[parent], heap[parent]
        hole = parent
    keys[hole], heap[hole] = key, value


@jit
def pop_min(keys: Array, heap: Array, size: int) -> None:
    """Remove the smallest entry, leaving `size`: sift the last entry down from the root."""
    key, value, hole = keys[size], heap[size], 0
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
    keys[hole], heap[hole] = key, value

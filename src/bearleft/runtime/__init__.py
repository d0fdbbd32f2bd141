"""Support code that does not depend on the field: files, processes, compiled code, optional extras, JSON validation.

`bearleft.runtime.compiled` is imported on first use, since it loads numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.runtime.compiled import host_device_function as host_device_function
    from bearleft.runtime.compiled import inline_jit as inline_jit
    from bearleft.runtime.compiled import jit as jit
    from bearleft.runtime.compiled import num_threads as num_threads
    from bearleft.runtime.compiled import parallel_map as parallel_map
    from bearleft.runtime.extras import install_command as install_command
    from bearleft.runtime.extras import require_torch as require_torch
    from bearleft.runtime.json_fields import Fields as Fields
    from bearleft.runtime.processes import process_pool as process_pool
    from bearleft.runtime.store import atomic_write as atomic_write
    from bearleft.runtime.store import cache_folder as cache_folder
    from bearleft.runtime.store import data_folder as data_folder
    from bearleft.runtime.store import exclusive_writer as exclusive_writer
    from bearleft.runtime.store import existing_file as existing_file
    from bearleft.runtime.store import file_lock as file_lock
    from bearleft.runtime.store import write_text as write_text

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Fields": "bearleft.runtime.json_fields",
    "atomic_write": "bearleft.runtime.store",
    "cache_folder": "bearleft.runtime.store",
    "data_folder": "bearleft.runtime.store",
    "host_device_function": "bearleft.runtime.compiled",
    "exclusive_writer": "bearleft.runtime.store",
    "existing_file": "bearleft.runtime.store",
    "file_lock": "bearleft.runtime.store",
    "inline_jit": "bearleft.runtime.compiled",
    "install_command": "bearleft.runtime.extras",
    "jit": "bearleft.runtime.compiled",
    "num_threads": "bearleft.runtime.compiled",
    "parallel_map": "bearleft.runtime.compiled",
    "process_pool": "bearleft.runtime.processes",
    "require_torch": "bearleft.runtime.extras",
    "write_text": "bearleft.runtime.store",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

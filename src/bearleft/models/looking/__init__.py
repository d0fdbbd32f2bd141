"""The look network, its memory, training examples and batched player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.models.looking.examples import LookExamples as LookExamples
    from bearleft.models.looking.examples import build_look_examples as build_look_examples
    from bearleft.models.looking.network import Belief as Belief
    from bearleft.models.looking.network import LookConfig as LookConfig
    from bearleft.models.looking.network import LookNetwork as LookNetwork
    from bearleft.models.looking.network import Sentences as Sentences
    from bearleft.models.looking.player import BatchedLookPlayer as BatchedLookPlayer
    from bearleft.models.looking.player import LookCheckpoint as LookCheckpoint
    from bearleft.models.looking.sphere import Memory as Memory
    from bearleft.models.looking.sphere import SphereGrid as SphereGrid
    from bearleft.models.looking.views import Views as Views

# The module of each public name, imported on first use: most of them import torch.
_MODULES = {
    "BatchedLookPlayer": "bearleft.models.looking.player",
    "Belief": "bearleft.models.looking.network",
    "LookCheckpoint": "bearleft.models.looking.player",
    "LookConfig": "bearleft.models.looking.network",
    "LookExamples": "bearleft.models.looking.examples",
    "LookNetwork": "bearleft.models.looking.network",
    "Memory": "bearleft.models.looking.sphere",
    "Sentences": "bearleft.models.looking.network",
    "SphereGrid": "bearleft.models.looking.sphere",
    "Views": "bearleft.models.looking.views",
    "build_look_examples": "bearleft.models.looking.examples",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

"""Minimal pairs: texts that differ in one word and have different answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.language.minimal_pairs.descriptions import DESCRIPTION_KINDS as DESCRIPTION_KINDS
    from bearleft.language.minimal_pairs.descriptions import DescriptionKind as DescriptionKind
    from bearleft.language.minimal_pairs.descriptions import DescriptionPair as DescriptionPair
    from bearleft.language.minimal_pairs.descriptions import description_pair_episodes as description_pair_episodes
    from bearleft.language.minimal_pairs.descriptions import generate_description_pairs as generate_description_pairs
    from bearleft.language.minimal_pairs.descriptions import iterate_description_pairs as iterate_description_pairs
    from bearleft.language.minimal_pairs.instructions import INSTRUCTION_KINDS as INSTRUCTION_KINDS
    from bearleft.language.minimal_pairs.instructions import InstructionKind as InstructionKind
    from bearleft.language.minimal_pairs.instructions import InstructionPair as InstructionPair
    from bearleft.language.minimal_pairs.instructions import generate_instruction_pairs as generate_instruction_pairs
    from bearleft.language.minimal_pairs.instructions import instruction_pair_episodes as instruction_pair_episodes
    from bearleft.language.minimal_pairs.instructions import iterate_instruction_pairs as iterate_instruction_pairs

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "DESCRIPTION_KINDS": "bearleft.language.minimal_pairs.descriptions",
    "DescriptionKind": "bearleft.language.minimal_pairs.descriptions",
    "DescriptionPair": "bearleft.language.minimal_pairs.descriptions",
    "INSTRUCTION_KINDS": "bearleft.language.minimal_pairs.instructions",
    "InstructionKind": "bearleft.language.minimal_pairs.instructions",
    "InstructionPair": "bearleft.language.minimal_pairs.instructions",
    "description_pair_episodes": "bearleft.language.minimal_pairs.descriptions",
    "generate_description_pairs": "bearleft.language.minimal_pairs.descriptions",
    "generate_instruction_pairs": "bearleft.language.minimal_pairs.instructions",
    "instruction_pair_episodes": "bearleft.language.minimal_pairs.instructions",
    "iterate_description_pairs": "bearleft.language.minimal_pairs.descriptions",
    "iterate_instruction_pairs": "bearleft.language.minimal_pairs.instructions",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

"""Language models as agents: observations in words or pictures, prompts, answers, costs.

`LanguageModelAgent` plays all kinds of legs by a model behind an OpenAI-compatible endpoint, or by a function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.agents.llm.agent import LanguageModelAgent as LanguageModelAgent
    from bearleft.agents.llm.agent import LanguageModelOptions as LanguageModelOptions
    from bearleft.agents.llm.budget import Limits as Limits
    from bearleft.agents.llm.budget import Prices as Prices
    from bearleft.agents.llm.client import OpenAIModel as OpenAIModel
    from bearleft.agents.llm.landmarks import Landmark as Landmark
    from bearleft.agents.llm.prompts import write_prompts as write_prompts
    from bearleft.agents.llm.requests import in_process as in_process
    from bearleft.agents.llm.responses import ResponseFile as ResponseFile

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "LanguageModelAgent": "bearleft.agents.llm.agent",
    "LanguageModelOptions": "bearleft.agents.llm.agent",
    "Landmark": "bearleft.agents.llm.landmarks",
    "Limits": "bearleft.agents.llm.budget",
    "OpenAIModel": "bearleft.agents.llm.client",
    "Prices": "bearleft.agents.llm.budget",
    "ResponseFile": "bearleft.agents.llm.responses",
    "in_process": "bearleft.agents.llm.requests",
    "write_prompts": "bearleft.agents.llm.prompts",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

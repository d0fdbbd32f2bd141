"""Generation, parsing and analysis of English texts about generated worlds.

Each kind of text has a package that writes and parses it: `instructions` (routes), `descriptions` (targets),
`referring` (sequences of sentences), `arramon_navigation`, `arramon_assembly` and `minimal_pairs`. In each, a writer
turns a scene into a text, a parser turns a text into its meaning, and a follower resolves the meaning in a scene to a
route, a direction or a cell. `lexicon` holds the words, `analysis` the tokenizer, statistics and quality checks. Names
are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.language.annotated_text import Annotation as Annotation
    from bearleft.language.annotated_text import Mention as Mention
    from bearleft.language.annotated_text import Text as Text
    from bearleft.language.noise import add_noise as add_noise
    from bearleft.language.noun_phrases import Phrase as Phrase
    from bearleft.language.noun_phrases import name_object as name_object
    from bearleft.language.scene_index import SceneIndex as SceneIndex
    from bearleft.language.scene_index import VisibleObjects as VisibleObjects
    from bearleft.language.scene_index import open_scene_index as open_scene_index
    from bearleft.language.spelling import fix_typos as fix_typos
    from bearleft.language.templates import PHENOMENA as PHENOMENA
    from bearleft.language.templates import Template as Template

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "Annotation": "bearleft.language.annotated_text",
    "Mention": "bearleft.language.annotated_text",
    "PHENOMENA": "bearleft.language.templates",
    "Phrase": "bearleft.language.noun_phrases",
    "SceneIndex": "bearleft.language.scene_index",
    "Template": "bearleft.language.templates",
    "Text": "bearleft.language.annotated_text",
    "VisibleObjects": "bearleft.language.scene_index",
    "add_noise": "bearleft.language.noise",
    "fix_typos": "bearleft.language.spelling",
    "name_object": "bearleft.language.noun_phrases",
    "open_scene_index": "bearleft.language.scene_index",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

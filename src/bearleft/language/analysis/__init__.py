"""Analysis of texts: tokens, nouns, relations, phenomena, statistics and quality checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bearleft.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from bearleft.language.analysis.arramon_phenomena import arramon_spans as arramon_spans
    from bearleft.language.analysis.arramon_phenomena import count_arramon as count_arramon
    from bearleft.language.analysis.nouns import NounPhrase as NounPhrase
    from bearleft.language.analysis.nouns import noun_phrases as noun_phrases
    from bearleft.language.analysis.phenomena import count_refer360 as count_refer360
    from bearleft.language.analysis.phenomena import count_touchdown as count_touchdown
    from bearleft.language.analysis.phenomena import refer360_spans as refer360_spans
    from bearleft.language.analysis.phenomena import touchdown_spans as touchdown_spans
    from bearleft.language.analysis.quality import Problem as Problem
    from bearleft.language.analysis.quality import find_problems as find_problems
    from bearleft.language.analysis.quality import find_review_notes as find_review_notes
    from bearleft.language.analysis.quality import quality_table as quality_table
    from bearleft.language.analysis.relations import relation_spans as relation_spans
    from bearleft.language.analysis.screening import GUIDELINES as GUIDELINES
    from bearleft.language.analysis.screening import PLACEMENT_TEST as PLACEMENT_TEST
    from bearleft.language.analysis.screening import QUIZZES as QUIZZES
    from bearleft.language.analysis.screening import Guideline as Guideline
    from bearleft.language.analysis.screening import PlacementTest as PlacementTest
    from bearleft.language.analysis.screening import Question as Question
    from bearleft.language.analysis.screening import Quiz as Quiz
    from bearleft.language.analysis.screening import grade_quiz as grade_quiz
    from bearleft.language.analysis.screening import is_passed as is_passed
    from bearleft.language.analysis.screening import is_placed_correctly as is_placed_correctly
    from bearleft.language.analysis.statistics import RouteTexts as RouteTexts
    from bearleft.language.analysis.statistics import compare_texts as compare_texts
    from bearleft.language.analysis.statistics import gzip_ratio as gzip_ratio
    from bearleft.language.analysis.statistics import sentence_pattern as sentence_pattern
    from bearleft.language.analysis.statistics import token_overlap as token_overlap
    from bearleft.language.analysis.statistics import vocabulary_coverage as vocabulary_coverage
    from bearleft.language.analysis.tokens import sentences as sentences
    from bearleft.language.analysis.tokens import words as words

# Public name -> module that defines it; imported on first use.
_MODULES = {
    "GUIDELINES": "bearleft.language.analysis.screening",
    "Guideline": "bearleft.language.analysis.screening",
    "NounPhrase": "bearleft.language.analysis.nouns",
    "PLACEMENT_TEST": "bearleft.language.analysis.screening",
    "PlacementTest": "bearleft.language.analysis.screening",
    "Problem": "bearleft.language.analysis.quality",
    "QUIZZES": "bearleft.language.analysis.screening",
    "Question": "bearleft.language.analysis.screening",
    "Quiz": "bearleft.language.analysis.screening",
    "RouteTexts": "bearleft.language.analysis.statistics",
    "arramon_spans": "bearleft.language.analysis.arramon_phenomena",
    "compare_texts": "bearleft.language.analysis.statistics",
    "count_arramon": "bearleft.language.analysis.arramon_phenomena",
    "count_refer360": "bearleft.language.analysis.phenomena",
    "count_touchdown": "bearleft.language.analysis.phenomena",
    "find_problems": "bearleft.language.analysis.quality",
    "find_review_notes": "bearleft.language.analysis.quality",
    "grade_quiz": "bearleft.language.analysis.screening",
    "gzip_ratio": "bearleft.language.analysis.statistics",
    "is_passed": "bearleft.language.analysis.screening",
    "is_placed_correctly": "bearleft.language.analysis.screening",
    "noun_phrases": "bearleft.language.analysis.nouns",
    "quality_table": "bearleft.language.analysis.quality",
    "refer360_spans": "bearleft.language.analysis.phenomena",
    "relation_spans": "bearleft.language.analysis.relations",
    "sentence_pattern": "bearleft.language.analysis.statistics",
    "sentences": "bearleft.language.analysis.tokens",
    "token_overlap": "bearleft.language.analysis.statistics",
    "touchdown_spans": "bearleft.language.analysis.phenomena",
    "vocabulary_coverage": "bearleft.language.analysis.statistics",
    "words": "bearleft.language.analysis.tokens",
}

__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # type checkers see the imports above, and report unknown names
    __getattr__, __dir__ = lazy_exports(__name__, _MODULES)

"""Refer360's ablation: find a target with the last sentences of its text only (Table 7)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bearleft.web.tasks.base import UnitData, register
from bearleft.web.tasks.refer360.finding import FindingTask

ABLATION = "refer360/ablation"
ROWS = {1: "Last Sentence", 2: "Last 2 Sentences", None: "All Sentences"}  # of Table 7


@register
class AblationTask(FindingTask):
    """Find a target with the last one or two sentences of a text.

    Payload: as of a finding, and `last`: how many sentences are shown. The target is not shown after the answer either,
    since others of the same text may follow.
    """

    kind = ABLATION
    title = "Find with less"
    summary = "Find where the bear hides with only the last part of a text. Some are hard; take your best guess."
    shows_target = False

    def sentences(self, unit: UnitData) -> tuple[str, ...]:
        """Return the last sentences of the text."""
        return super().sentences(unit)[-unit.payload["last"] :]


def table_7(answers: Iterable[tuple[int | None, float, bool]]) -> list[dict[str, Any]]:
    """Return Table 7: mean distance in degrees and accuracy in percent of each number of sentences shown.

    Args:
        answers: The sentences shown (None for all), the degrees from the target, and whether it was found.
    """
    given = list(answers)
    rows = []
    for last, name in ROWS.items():
        of_row = [(degrees, found) for shown, degrees, found in given if shown == last]
        if of_row:
            distance = sum(degrees for degrees, _ in of_row) / len(of_row)
            accuracy = 100.0 * sum(found for _, found in of_row) / len(of_row)
            rows.append({"Instructions": name, "Dist-deg": distance, "Acc@11deg": accuracy, "answers": len(of_row)})
    return rows

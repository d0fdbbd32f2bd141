"""Agreement between workers who answered the same unit; units with one answer do not count.

Clicks and looks: the share of pairs within the radius of the task. Judgements: percent agreement, which is the share of
pairs that give the same, and Fleiss' kappa (for two raters, Scott's pi), which is corrected for chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from bearleft.errors import InputError
from bearleft.geometry import angle_between
from bearleft.metrics.pointing import pixel_distance
from bearleft.records import Direction, Point
from bearleft.web.database.models import Answer, Attempt, Project, Unit
from bearleft.web.decisions import is_rejected
from bearleft.web.tasks.refer360.rules import RADIUS as REFER360_DEGREES
from bearleft.web.tasks.touchdown.clicks import Click, is_hit, parse_click

Labels = Sequence[Hashable]
SDR_PIXELS = 80  # the radius of Touchdown's spatial description resolution


def percent_agreement(items: Sequence[Labels]) -> float | None:
    """Return the percentage of pairs of labels of the same item that are equal; None if there are no pairs.

    Args:
        items: The labels that each item has got, in any number.
    """
    pairs = sum(len(labels) * (len(labels) - 1) for labels in items)
    same = sum(count * (count - 1) for labels in items for count in Counter(labels).values())
    return 100.0 * same / pairs if pairs else None


def fleiss_kappa(items: Sequence[Labels]) -> float | None:
    """Return Fleiss' kappa; None if there are no pairs, or one label only was ever given.

    Items may have different numbers of labels; those with one label do not count. Each item counts as often as it has
    labels, so that equal numbers give the published definition.
    """
    rated = [Counter(labels) for labels in items if len(labels) > 1]
    total = sum(counts.total() for counts in rated)
    if not total:
        return None
    observed = sum(sum(count * (count - 1) for count in counts.values()) / (counts.total() - 1) for counts in rated)
    shares = sum(rated, Counter())
    chance = sum((count / total) ** 2 for count in shares.values())
    return None if chance == 1.0 else (observed / total - chance) / (1.0 - chance)


def share_of_pairs(items: Sequence[Sequence[Any]], within: Callable[[Any, Any], bool]) -> tuple[float | None, int]:
    """Return the percentage of pairs of points of the same item that are within a radius, and the number of pairs."""
    near = [within(one, other) for points in items for one, other in combinations(points, 2)]
    return (100.0 * sum(near) / len(near) if near else None), len(near)


@dataclass(frozen=True)
class Measure:
    """How answers of a kind are compared.

    Attributes:
        judgement: What the labels are, for people.
        labels: Returns the labels of an answer by item within the unit.
        radius: What counts as near, for people; empty where there are no points.
        point: Returns the point of an answer, or None.
        within: Whether two points are near.
    """

    judgement: str
    labels: Callable[[Mapping[str, Any], bool], Mapping[Hashable, Hashable]]
    radius: str = ""
    point: Callable[[Mapping[str, Any]], Any] = lambda _: None
    within: Callable[[Any, Any], bool] = lambda _one, _other: False


def _accepted(_data: Mapping[str, Any], accepted: bool) -> Mapping[Hashable, Hashable]:
    return {"": accepted}


def _visible(data: Mapping[str, Any], _accepted: bool) -> Mapping[Hashable, Hashable]:
    return {"": data["bear"] is not None}


def _tokens(data: Mapping[str, Any], _accepted: bool) -> Mapping[Hashable, Hashable]:
    """Return of each token whether it tells the way, where the bear is, or both."""
    way, bear = data["way_end"], data["bear_begin"]
    count = bear + len(data["td_location_text"].split())
    return {k: (k < way, k >= bear) for k in range(count)}


def _end(data: Mapping[str, Any], _accepted: bool) -> Mapping[Hashable, Hashable]:
    return {"": data["trace"]["legs"][0]["path"][-1]}


def _placed(data: Mapping[str, Any]) -> tuple[str, Click] | None:
    return None if data["bear"] is None else (data["place"], parse_click(data["bear"]))


def _last_guess(data: Mapping[str, Any]) -> tuple[str, Click] | None:
    return (data["guesses"][-1]["place"], parse_click(data["guesses"][-1])) if data["guesses"] else None


def _clicks_near(one: tuple[str, Click], other: tuple[str, Click]) -> bool:
    """Return whether two clicks are in one panorama, each within 90 pixels of the other in its own view."""
    (place, first), (other_place, second) = one, other
    return place == other_place and is_hit(first, second.direction) and is_hit(second, first.direction)


def _direction(data: Mapping[str, Any]) -> Direction | None:
    answer = data["trace"]["legs"][-1].get("answer")
    return None if answer is None else Direction(*answer)


def _looks_near(one: Direction, other: Direction) -> bool:
    return angle_between(one, other) < REFER360_DEGREES


def _spots_near(one: Direction, other: Direction) -> bool:
    return pixel_distance(one, Point(other)) < SDR_PIXELS


def _order(data: Mapping[str, Any], _accepted: bool) -> Mapping[Hashable, Hashable]:
    """Return for each two paths whether the first is the better one."""
    return {(k, n): data["places"][k] < data["places"][n] for k, n in combinations(range(len(data["places"])), 2)}


CLICKS = "90 pixels"
FINDING = Measure("found", _accepted, "11°", _direction, _looks_near)
FOLLOWING = Measure("found", _accepted, CLICKS, _last_guess, _clicks_near)
MEASURES = {
    "touchdown/validation": FOLLOWING,
    "touchdown/qualification": FOLLOWING,
    "touchdown/propagation": Measure("visible or hidden", _visible, CLICKS, _placed, _clicks_near),
    "touchdown/segmentation": Measure("part of each word", _tokens),
    "refer360/finding": FINDING,
    "refer360/hiring-finding": FINDING,
    "refer360/ablation": FINDING,
    "arramon/following": Measure("followed well", _accepted),
    "ndtw-study/ranking": Measure("which of two paths is better", _order),
    "play/walk": Measure("where it ends", _end),
    "play/both": Measure("where the walk ends", _end, f"{SDR_PIXELS} pixels", _direction, _spots_near),
    "play/point": Measure("", lambda _data, _accepted: {}, f"{SDR_PIXELS} pixels", _direction, _spots_near),
    "play/look": Measure("", lambda _data, _accepted: {}, "11°", _direction, _looks_near),
}
OTHER = Measure("accepted", _accepted)


def agreement_rows(session: Session, project: Project) -> list[dict[str, Any]]:
    """Return a row for each kind with several answers of some unit: units, pairs, and how far they agree.

    The first answer of each worker counts, and no rejected one.
    """
    rows = []
    for kind, units in _answers_by_unit(session, project):
        measure = MEASURES.get(kind, OTHER)
        items: dict[tuple[int, Hashable], list[Hashable]] = {}
        points: list[list[Any]] = []
        for unit, answers in units.items():
            chosen = []
            for answer in answers:
                try:
                    labels_of, point = measure.labels(answer.data, answer.accepted), measure.point(answer.data)
                except (InputError, AttributeError, IndexError, KeyError, TypeError, ValueError):
                    continue  # of an imported file, in another form
                for item, label in labels_of.items():
                    items.setdefault((unit, item), []).append(label)
                chosen += [point] if point is not None else []
            points.append(chosen)
        near, pairs = share_of_pairs(points, measure.within)
        labels = list(items.values())
        rows.append(
            {
                "kind": kind,
                "units": len(units),
                "answers": sum(map(len, units.values())),
                "judgement": measure.judgement,
                "agreement": percent_agreement(labels),
                "kappa": fleiss_kappa(labels),
                "radius": measure.radius,
                "pairs": pairs,
                "within": near,
            }
        )
    return rows


def _answers_by_unit(session: Session, project: Project) -> Iterator[tuple[str, dict[int, list[Answer]]]]:
    """Yield the kinds with their units that have several answers."""
    query = (
        select(Answer, Unit.kind)
        .join(Unit, Unit.id == Answer.unit_id)
        .join(Attempt, Attempt.id == Answer.attempt_id)
        .where(Unit.project_id == project.id, Attempt.round == 0, ~is_rejected())
        .order_by(Answer.id)
    )
    kinds: dict[str, dict[int, list[Answer]]] = {}
    for answer, kind in session.execute(query):
        kinds.setdefault(kind, {}).setdefault(answer.unit_id, []).append(answer)
    for kind in sorted(kinds):
        several = {unit: answers for unit, answers in kinds[kind].items() if len(answers) > 1}
        if several:
            yield kind, several

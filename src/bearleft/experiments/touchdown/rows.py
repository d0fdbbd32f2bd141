"""Measures of answers on one split, and how sure they are: the panoramas of one text are drawn together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bearleft.errors import InputError, shown
from bearleft.experiments.touchdown.answers import Answers, Floats
from bearleft.language.analysis.phenomena import spans, spans_refer360
from bearleft.metrics.pairs import both_right, changed_right
from bearleft.metrics.pointing import a_40px, a_80px, a_120px, c_40px, c_80px, c_120px, dist, pixel_distances, pixels
from bearleft.models.examples import examples, point_leg
from bearleft.records import Episode

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
RESAMPLES = 1000
LEVEL = 0.95
ACCURACIES, CONSISTENCIES = (a_40px, a_80px, a_120px), (c_40px, c_80px, c_120px)
COLUMNS = ("A@40px", "C@40px", "A@80px", "C@80px", "A@120px", "C@120px", "Dist")
PAIR_COLUMNS = ("Pairs@40px", "Changed@40px", "Pairs@80px", "Changed@80px")
STORED = "td_location_text"  # under which Touchdown's lines keep the phenomena of what is pointed at


@dataclass(frozen=True)
class Measured:
    """Values of a measure and the cluster that each is of."""

    values: Floats
    of: Ints


@dataclass(frozen=True)
class Estimate:
    """A mean, or a function of some, with its interval, and the values of all resamples."""

    value: float
    drawn: Floats

    @property
    def interval(self) -> tuple[float, float]:
        low, high = np.nanquantile(self.drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return min(float(low), self.value), max(float(high), self.value)

    @property
    def p(self) -> float:
        """Twice the share of resamples on the wrong side of 0 or on it, the observed one counted in."""
        wrong = min(int((self.drawn <= 0).sum()), int((self.drawn >= 0).sum()))
        return min(1.0, 2 * (wrong + 1) / (len(self.drawn) + 1))

    def __sub__(self, other: Estimate) -> Estimate:
        return Estimate(self.value - other.value, self.drawn - other.drawn)


def share(part: Estimate, whole: Estimate) -> Estimate:
    """One estimate as a share of another, drawn together; nan where the other is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = np.where(whole.drawn == 0, np.nan, part.drawn / whole.drawn)
    return Estimate(part.value / whole.value if whole.value else float("nan"), drawn)


class Split:
    """The episodes of one or several datasets, as arrays; all systems are drawn with the same resamples."""

    def __init__(self, name: str, episodes: Sequence[Episode], seed: int = 0, resamples: int = RESAMPLES) -> None:
        if not episodes:
            raise InputError("a split with episodes", "none", name)
        self.name, self.episodes = name, list(episodes)
        told = examples(self.episodes)
        self.ids = told.ids
        self.rows = {one: k for k, one in enumerate(self.ids)}
        self.texts = told.texts
        self.targets = _pixels(told.targets)
        known: dict[Hashable, int] = {}
        self.clusters = np.array([known.setdefault(cluster(one), len(known)) for one in self.episodes], np.int64)
        rng = np.random.default_rng([seed, len(known)])
        self.weights = rng.multinomial(len(known), np.full(len(known), 1 / len(known)), size=resamples).astype(float)

    def __len__(self) -> int:
        return len(self.ids)

    def distances(self, answers: Answers) -> Floats:
        """How far off each episode's answer is, in the papers' pixels."""
        order = {one: k for k, one in enumerate(answers.ids)}
        missing = [one for one in self.ids if one not in order]
        if missing:
            who = f"{answers.system}, seed {answers.seed}"
            raise InputError(
                f"answers to all {len(self)} of {self.name}", f"{len(missing)} missing: {shown(missing[0])}", who
            )
        found = answers.answers[[order[one] for one in self.ids]]
        return pixel_distances(_pixels(found), self.targets)

    def measures(self, distances: Floats) -> dict[str, Measured]:
        """Every column of Table 4: a value for each episode, or for each text (C@)."""
        first: dict[str, int] = {}
        for text, of in zip(self.texts, self.clusters, strict=True):
            first.setdefault(text, of)
        by_text = np.array(list(first.values()), np.int64)
        found = {one.name: Measured(one(distances), self.clusters) for one in ACCURACIES}
        found |= {one.name: Measured(one(distances, self.texts), by_text) for one in CONSISTENCIES}
        return {**found, dist.name: Measured(dist(distances), self.clusters)}

    def pair_measures(self, distances: Floats) -> dict[str, Measured]:
        """Of minimal pairs whether both texts, and whether the changed one, were answered within 40 and 80 px."""
        one, other = self.pairs.T
        found = {}
        for near in (a_40px, a_80px):
            right = near(distances).astype(bool)
            for metric in (both_right, changed_right):
                values = metric(right[one], right[other])
                found[f"{metric.name}@{near.radius:g}px"] = Measured(values, self.clusters[one])
        return found

    @cached_property
    def pairs(self) -> Ints:
        """(pairs, 2): numbers of the original's and of the changed text's episodes."""
        halves: dict[Hashable, dict[bool, int]] = {}
        for k, one in enumerate(self.episodes):
            if "pair" in one.extra:
                halves.setdefault(cluster(one), {})[bool(one.extra["changed"])] = k
        whole = [(half[False], half[True]) for half in halves.values() if len(half) == 2]
        return np.array(whole, np.int64).reshape(-1, 2)

    @cached_property
    def phenomena(self) -> dict[str, Bools]:
        """In which episodes' texts each phenomenon occurs, frequent ones first."""
        held = [phenomena_of(one) for one in self.episodes]
        counts: dict[str, int] = {}
        for some in held:
            for what in some:
                counts[what] = counts.get(what, 0) + 1
        return {
            what: np.array([what in some for some in held]) for what in sorted(counts, key=lambda w: (-counts[w], w))
        }

    def estimate(self, measured: Measured, where: Bools | None = None) -> Estimate:
        """The mean of a measure's values, or of some of them, with what it is in every resample."""
        values, of = measured.values, measured.of
        if where is not None:
            values, of = values[where], of[where]
        many = self.weights.shape[1]
        sums, counts = np.bincount(of, values, many), np.bincount(of, minlength=many).astype(float)
        with np.errstate(invalid="ignore"):  # a small group may be missing from a resample
            return Estimate(float(values.mean()), (self.weights @ sums) / (self.weights @ counts))


def _pixels(directions: Floats) -> Floats:
    """(n, 2) columns and rows of headings from the yaw and pitches."""
    heading, pitch = directions.T
    return np.column_stack(pixels(heading, pitch, np.zeros(len(directions))))


def over_seeds(found: Sequence[Mapping[str, Measured]]) -> dict[str, Measured]:
    """The mean over seeds of every value."""
    return {
        name: Measured(np.mean([one[name].values for one in found], axis=0), first.of)
        for name, first in found[0].items()
    }


def cluster(episode: Episode) -> Hashable:
    """What is drawn together: the panoramas of one text, or the two texts of a minimal pair."""
    extra = episode.extra
    return (extra.get("kind"), extra["pair"]) if "pair" in extra else point_leg(episode)[0]


def phenomena_of(episode: Episode) -> set[str]:
    """The phenomena of the text that is pointed by: those that the file keeps, else those that rules find."""
    text, _ = point_leg(episode)
    kept = episode.extra.get("phenomena")
    if isinstance(kept, Mapping):
        kept = kept.get(STORED)
    if isinstance(kept, list):
        return {str(mark[0]) for mark in kept}
    sentences = next((leg.sentences for leg in episode.legs if leg.text == text), ())
    return {what for what, _, _ in (spans_refer360(sentences) if sentences else spans(text))}

"""Refer360's Tables 7 and 9 for trained models, in both settings on the same episodes, from saved predictions.

Static networks see the whole panorama and all sentences. The dynamic agent sees 90 degrees and reads one sentence after
the other, with continuous or discrete turns. Texts are the last sentence, the last two, or all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bearleft.errors import InputError, unknown_name
from bearleft.experiments.refer360.ablation import PUBLISHED as TABLE_7
from bearleft.experiments.refer360.ablation import SENTENCE_COUNTS
from bearleft.experiments.refer360.levels import (
    DISTANCE_METRICS,
    LEVEL_OF_METRIC,
    OBJECT,
    PIXEL,
    REGION,
    level_metrics,
)
from bearleft.experiments.rows import Row
from bearleft.experiments.touchdown.predictions import SavedPredictions, read_folder
from bearleft.metrics.statistics import bootstrap_rows, paired_bootstrap
from bearleft.models.examples import build_examples, point_leg, unreachable
from bearleft.records import Direction, Episode, Trace
from bearleft.runtime.store import existing_file, write_text
from bearleft.world.slices import TALL, Slicing

if TYPE_CHECKING:
    from bearleft.types import Floats

ALL_SENTENCES = "all sentences"
TABLE_9 = {"Acc@11deg": 13.0, "Dist": 1235.0}
REMARK_9 = "the paper's LingUNet on Refer360; it names neither unit"
STATIC, CONTINUOUS, DISCRETE = "static", "continuous", "discrete"
COLUMNS = ("Acc@11deg", "Dist-deg", "A@40px", "A@80px", "Dist", "Slice", "Object")
COLUMN_GROUPS = COLUMNS[:2], COLUMNS[2:5], COLUMNS[5:]  # of a page's tables: degrees, pixels, regions and objects
TRAINING_LEVELS = REGION, PIXEL, OBJECT  # of a network's training targets, the usual first
BY_TEXTS, BY_SETTING, BY_LEVEL = "parts", "ways", "levels"  # what differs between two compared systems
BEGIN_MARK, END_MARK = "<!-- refer360-models -->", "<!-- /refer360-models -->"
RESULTS_FILE = "refer360.json"
SPLITS = ("validation.seen", "validation.unseen", "test.seen", "test.unseen")


def keep_last_sentences(episodes: Iterable[Episode], count: int | None) -> list[Episode]:
    """Return the same episodes with only the last `count` sentences of their texts (None: all)."""
    return [_keep_last(episode, count) for episode in episodes]


def _keep_last(episode: Episode, count: int | None) -> Episode:
    leg = episode.legs[-1]
    if count is None or not leg.sentences:
        return episode
    _, goal = point_leg(episode)
    sentences = leg.sentences[-count:]
    shortened = replace(
        leg, text=" ".join(sentences), sentences=sentences, goal=replace(goal, views=goal.views[-count:])
    )
    return replace(episode, legs=(*episode.legs[:-1], shortened))


def count_unreachable(episodes: Sequence[Episode], slicing: Slicing = TALL) -> int:
    """Return how many targets lie above or below the eight slices, where no static network can find them."""
    return len(unreachable(build_examples(episodes), slicing))


@dataclass(frozen=True, eq=False)
class SystemScores:
    """Metrics of one system on one dataset, given some of the sentences."""

    system: str
    setting: str  # STATIC, CONTINUOUS or DISCRETE
    texts: str  # a key of SENTENCE_COUNTS: sentences in evaluation
    training_texts: str  # a key of SENTENCE_COUNTS: sentences in training
    seed: int
    values: Mapping[str, Floats]  # by metric, in the dataset's order
    level: str = TRAINING_LEVELS[0]  # of the training targets

    @property
    def network(self) -> str:
        """Return the system's name without its level."""
        return self.system.removesuffix(f"-{self.level}")

    @property
    def name(self) -> str:
        """Return the name of the system's rows."""
        trained = "" if self.training_texts == ALL_SENTENCES else f", trained on {self.training_texts}"
        return f"{self.system}, {self.setting}{trained}"


def scores_of(predictions: SavedPredictions, episodes: Sequence[Episode]) -> SystemScores:
    """Return the metrics of saved predictions.

    Raises:
        InputError: If the predictions are not of these episodes, or their level is unknown.
    """
    if list(predictions.ids) != [episode.id for episode in episodes]:
        raise InputError(f"answers to all {len(episodes)} episodes, in order", f"{len(predictions.ids)} others")
    yaws = [point_leg(episode)[1].yaw for episode in episodes]
    directions = [
        Direction(float(heading + yaw) % 360.0, float(pitch))
        for (heading, pitch), yaw in zip(predictions.directions, yaws, strict=True)
    ]
    metadata = predictions.metadata
    if (level := str(metadata.get("level", TRAINING_LEVELS[0]))) not in TRAINING_LEVELS:
        raise unknown_name("level", level, TRAINING_LEVELS)
    return SystemScores(
        predictions.system,
        str(metadata["way"]),
        str(metadata["part"]),
        str(metadata["learnt"]),
        predictions.seed,
        level_metrics(episodes, directions),
        level,
    )


def predictions_of(
    traces: Sequence[Trace], episodes: Sequence[Episode], system: str, seed: int, **metadata: Any
) -> SavedPredictions:
    """Return the answers of traces as predictions; without an answer, a trace holds its last view.

    Args:
        traces: One trace for each episode, in order.
        episodes: The episodes that were played.
        system: Name of the system.
        seed: Seed of the system.
        **metadata: "way" (the setting), "part" (the texts), "learnt" (the training texts), and other plain values.
    """
    directions = []
    for trace, episode in zip(traces, episodes, strict=True):
        answer = trace.legs[-1].answer
        if trace.episode != episode.id or not isinstance(answer, Direction):
            raise InputError("an answer to each episode, in order", trace.episode)
        yaw = point_leg(episode)[1].yaw
        directions.append(((answer.heading - yaw + 180.0) % 360.0 - 180.0, answer.pitch))
    return SavedPredictions(
        system,
        episodes[0].dataset,
        seed,
        tuple(episode.id for episode in episodes),
        np.array(directions),
        texts=texts_label(metadata["way"], metadata["part"], metadata["learnt"]),
        metadata=metadata,
    )


def texts_label(setting: str, texts: str, training_texts: str) -> str:
    """Return a word for a file name: the setting, the texts, and the training texts."""
    short = {"last sentence": "last1", "last 2 sentences": "last2", ALL_SENTENCES: "all"}
    return f"{setting}-{short[texts]}-{short[training_texts]}"


def score_rows(systems: Sequence[SystemScores], dataset: str, seed: int = 0) -> list[Row]:
    """Return one row for each system, texts and metric, with its interval; all share the same resamples."""
    rows = []
    for scores in systems:
        names = list(scores.values)
        rng = np.random.default_rng(seed)
        intervals = bootstrap_rows([scores.values[name] for name in names], rng)
        for name, interval in zip(names, intervals, strict=True):
            scale = _scale(name)
            paper = _published(scores, name)
            both_all = scores.texts == scores.training_texts == ALL_SENTENCES
            rows.append(
                {
                    "table": "9" if both_all else "7",
                    "dataset": dataset,
                    "row": scores.name,
                    "texts": scores.texts,
                    "seed": scores.seed,
                    "metric": name,
                    "level": LEVEL_OF_METRIC[name],
                    "paper": paper,
                    "ours": round(scale * interval.mean, 2),
                    "low": round(scale * interval.low, 2),
                    "high": round(scale * interval.high, 2),
                    "n": len(scores.values[name]),
                    "remark": REMARK_9 if paper is not None and scores.setting == STATIC else "",
                }
            )
    return rows


def _scale(metric: str) -> float:
    return 1.0 if metric in DISTANCE_METRICS else 100.0


def _published(scores: SystemScores, metric: str) -> float | None:
    """Return the paper's number: its LingUNet's with all sentences; people's with fewer."""
    if scores.texts == ALL_SENTENCES:
        is_papers = scores.system == "lingunet" and scores.setting == STATIC and scores.training_texts == ALL_SENTENCES
        return TABLE_9.get(metric) if is_papers else None
    return TABLE_7[scores.texts].get(metric)


def difference_rows(systems: Sequence[SystemScores], dataset: str, seed: int = 0) -> list[Row]:
    """Return paired differences of `compared_systems` on the same episodes; `ours` is the first minus the second."""
    rows = []
    for between, first, second in compared_systems(systems):
        for name in (name for name in first.values if name in second.values):
            scale = _scale(name)
            difference = paired_bootstrap(first.values[name], second.values[name], np.random.default_rng(seed))
            rows.append(
                {
                    "table": "differences",
                    "between": between,
                    "dataset": dataset,
                    "row": f"{first.name}: {first.texts}",
                    "against": f"{second.name}: {second.texts}",
                    "seed": first.seed,
                    "metric": name,
                    "level": LEVEL_OF_METRIC[name],
                    "ours": round(scale * difference.mean, 2),
                    "low": round(scale * difference.low, 2),
                    "high": round(scale * difference.high, 2),
                    "p": round(difference.p, 4),
                    "n": len(first.values[name]),
                }
            )
    return rows


def compared_systems(systems: Sequence[SystemScores]) -> list[tuple[str, SystemScores, SystemScores]]:
    """Return the pairs that are compared, each with what differs.

    These are: texts against the next shorter ones, each dynamic agent against each network, and a network against
    itself trained for another level.
    """
    pairs = []
    order = list(SENTENCE_COUNTS)
    for first, second in product(systems, systems):
        same_run = (first.setting, first.seed) == (second.setting, second.seed)
        next_shorter = order.index(first.texts) - order.index(second.texts) == 1
        # Fewer sentences, read by the same network or by one that was trained on as few.
        fair = first.training_texts == second.training_texts or (first.training_texts, second.training_texts) == (
            first.texts,
            second.texts,
        )
        if same_run and first.system == second.system and next_shorter and fair:
            pairs.append((BY_TEXTS, first, second))
        all_read = first.texts == second.texts == second.training_texts == ALL_SENTENCES
        if first.setting != STATIC and second.setting == STATIC and all_read:
            pairs.append((BY_SETTING, first, second))
        later_level = TRAINING_LEVELS.index(first.level) > TRAINING_LEVELS.index(second.level)
        same_network = same_run and first.network == second.network
        if same_network and later_level and all_read and first.training_texts == ALL_SENTENCES:
            pairs.append((BY_LEVEL, first, second))
    return pairs


def follows_paper_order(systems: Sequence[SystemScores], metric: str = "Acc@11deg") -> dict[str, bool]:
    """Return whether last < last two < all holds, for each system that has all three."""
    holds = {}
    for scores in systems:
        run = (scores.system, scores.setting, scores.seed, scores.training_texts)
        means = {
            other.texts: float(other.values[metric].mean())
            for other in systems
            if (other.system, other.setting, other.seed, other.training_texts) == run
        }
        if len(means) == len(SENTENCE_COUNTS):
            ordered = [means[texts] for texts in SENTENCE_COUNTS]
            holds[scores.name] = all(a < b for a, b in pairwise(ordered))
    return holds


def score_table(rows: Sequence[Row], metrics: Sequence[str] = COLUMNS) -> str:
    """Return the rows of one dataset in Markdown: a line for each system and texts."""
    lines = [f"| | texts | {' | '.join(metrics)} |", f"| --- | --- |{' --- |' * len(metrics)}"]
    keys = dict.fromkeys((row["row"], row["texts"], row["seed"]) for row in rows if row["table"] in "79")
    for name, texts, seed in keys:
        by_metric = {
            row["metric"]: row for row in rows if (row["row"], row.get("texts"), row.get("seed")) == (name, texts, seed)
        }
        lines.append(f"| {name} | {texts} | {_cells(by_metric, metrics)} |")
    return "\n".join(lines) + "\n"


def _cells(by_metric: Mapping[str, Row], metrics: Sequence[str], sign: str = "") -> str:
    """Return values and intervals; an empty cell where a metric is missing."""
    rows = (by_metric.get(name) for name in metrics)
    return " | ".join(f"{row['ours']:{sign}g} ({row['low']:g} to {row['high']:g})" if row else "" for row in rows)


def level_table(rows: Sequence[Row], metrics: Sequence[str] = COLUMNS) -> str:
    """Return differences between training levels in Markdown; "" where all networks were trained for one level."""
    by_level = [row for row in rows if row.get("between") == BY_LEVEL]
    if not by_level:
        return ""
    lines = [f"| | less | {' | '.join(metrics)} |", f"| --- | --- |{' --- |' * len(metrics)}"]
    for pair in dict.fromkeys(map(_pair, by_level)):
        by_metric = {row["metric"]: row for row in by_level if _pair(row) == pair}
        first, second = (name.partition(",")[0] for name in pair[:2])
        lines.append(f"| {first} | {second} | {_cells(by_metric, metrics, '+')} |")
    return f"\nWhat it changes to aim at another level, on the same episodes:\n\n{chr(10).join(lines)}\n"


def _pair(row: Row) -> tuple[str, str, int]:
    return row["row"], row["against"], row["seed"]


def _sort_key(scores: SystemScores) -> tuple[Any, ...]:
    """Return the position of a system's line in a table."""
    order = list(SENTENCE_COUNTS)
    position = order.index(scores.training_texts), order.index(scores.texts)
    return scores.setting != STATIC, scores.system, scores.setting, scores.seed, *position


def write_results(folder: Path, episodes: Mapping[str, Sequence[Episode]], slicing: Slicing = TALL) -> dict[str, Any]:
    """Score all predictions of a folder, write the results to FOLDER/refer360.json, and return them.

    Args:
        folder: Folder that `train_models` wrote.
        episodes: The evaluated episodes of each dataset.
        slicing: Slicing of the folder's networks.
    """
    results: dict[str, Any] = {"rows": [], "differences": [], "ordered": {}, "outside": {}}
    saved = read_folder(folder / "answers") if (folder / "answers").exists() else []
    for dataset, of_dataset in episodes.items():
        predictions = [prediction for prediction in saved if prediction.dataset == dataset]
        systems = sorted((scores_of(prediction, of_dataset) for prediction in predictions), key=_sort_key)
        if not systems:
            continue
        results["rows"] += score_rows(systems, dataset)
        results["differences"] += difference_rows(systems, dataset)
        results["ordered"][dataset] = follows_paper_order(systems)
        missed = count_unreachable(of_dataset, slicing)
        results["outside"][dataset] = {"targets": len(of_dataset), "in no slice": missed, "slices": slicing.name}
    write_text(folder / RESULTS_FILE, json.dumps(results, indent=1) + "\n")
    return results


def read_results(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read results that `write_results` wrote."""
    file = existing_file(path, "a run's refer360.json")
    try:
        results = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError("a file of results in JSON", str(error), file=str(file)) from error
    if not isinstance(results, dict) or not results.keys() >= {"rows", "differences", "outside"}:
        raise InputError("a run's refer360.json", "something else", file=str(file))
    return results


def markdown(results: Mapping[str, Any]) -> str:
    """Return the tables of `write_results`, dataset by dataset."""
    sections = []
    for dataset, counts in results["outside"].items():
        rows = [row for row in results["rows"] if row["dataset"] == dataset]
        differences = [row for row in results["differences"] if row["dataset"] == dataset]
        head = f"{dataset}: {counts['targets']:,} sequences, {counts['in no slice']:,} targets in no slice"
        head += f" ({counts['slices']})" if "slices" in counts else ""
        tables = "\n".join(score_table(rows, metrics) for metrics in COLUMN_GROUPS)
        sections.append(f"{head}\n\n{tables}{level_table(differences)}")
    return "\n".join(sections)


def fill_page(page: str, results: Mapping[str, Any]) -> str:
    """Return a Markdown page with the tables of `write_results` between its two marks.

    Raises:
        InputError: If the page has no marks.
    """
    before, begin, rest = page.partition(BEGIN_MARK)
    _, end, after = rest.partition(END_MARK)
    if not begin or not end:
        raise InputError(f"a page with the marks {BEGIN_MARK} and {END_MARK}", "one without")
    return f"{before}{begin}\n{markdown(results)}{end}{after}"


def write_page(path: str | os.PathLike[str], results: Mapping[str, Any]) -> None:
    """Fill the page of a file, as `fill_page` does."""
    page = existing_file(path, "a page to fill")
    write_text(page, fill_page(page.read_text(encoding="utf-8"), results))

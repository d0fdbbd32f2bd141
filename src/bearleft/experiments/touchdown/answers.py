"""Answers of systems that point: a small file for each system, seed and split. And of those that do not learn."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bearleft.agents.pointing_baselines import Average, Center, Pointer, Uniform
from bearleft.errors import InputError, shown
from bearleft.geometry import turn
from bearleft.models.examples import point_leg
from bearleft.records import Episode
from bearleft.runtime.store import atomic_write, existing_file

Floats = npt.NDArray[np.float64]
Folder = str | os.PathLike[str]
OWN = "own"  # texts: each example's, in training and when asked
RANDOM_SEEDS = 50
HINT = "`python -m bearleft.experiments.touchdown.train -o RUNS` writes RUNS/answers."


@dataclass(frozen=True, eq=False)
class Answers:
    """What one system, trained with one seed, answered on one split.

    `answers` are (n, 2) headings from the panorama's yaw and pitches; `texts` says which texts it learnt from or was
    asked with ("own", or a word such as "shuffled"); `about` holds plain values: command, updates, minutes, trunk.
    """

    system: str
    dataset: str
    seed: int
    ids: tuple[str, ...]
    answers: Floats
    seconds: float = 0.0
    texts: str = OWN
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.answers.shape != (len(self.ids), 2) or not np.isfinite(self.answers).all():
            expected = f"({len(self.ids)}, 2) finite angles, a heading and a pitch for each id"
            raise InputError(expected, f"an array of shape {self.answers.shape}", "answers")

    @property
    def file(self) -> str:
        """The name that its file has."""
        parts = (self.system, self.dataset.replace("/", "-"), str(self.seed), *([self.texts] * (self.texts != OWN)))
        return f"{'_'.join(parts)}.npz"


def save_answers(folder: Folder, answers: Answers) -> Path:
    """Writes answers into a folder, under a name of their own."""
    path = Path(folder) / answers.file
    head = {name: getattr(answers, name) for name in ("system", "dataset", "seed", "seconds", "texts")}
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path, "wb") as stream:
        np.savez_compressed(
            stream,
            head=np.array(json.dumps({**head, "about": dict(answers.about)})),
            ids=np.array(answers.ids, str),
            answers=answers.answers.astype(np.float32),
        )
    return path


def read_answers(path: Folder) -> Answers:
    """One file of answers."""
    file = existing_file(path, "a file of answers")
    try:
        with open(file, "rb") as stream, np.load(stream, allow_pickle=False) as held:
            head = json.loads(str(held["head"]))
            ids, found = tuple(held["ids"].tolist()), held["answers"].astype(np.float64)
        return Answers(
            str(head["system"]),
            str(head["dataset"]),
            int(head["seed"]),
            ids,
            found,
            float(head["seconds"]),
            str(head["texts"]),
            dict(head["about"]),
        )
    except InputError as error:
        raise error.at(file=str(file)) from None
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        hint = "experiments.pointing_answers.save_answers writes them."
        raise InputError("a file of answers", shown(f"{error}"), file=str(file), hint=hint) from error


def read_folder(folder: Folder) -> list[Answers]:
    """All answers of a folder, by file name."""
    paths = sorted(Path(folder).glob("*.npz"))
    if not paths:
        raise InputError("a folder with files of answers (.npz)", "none there", file=str(folder), hint=HINT)
    return [read_answers(path) for path in paths]


def baselines(
    dataset: str, episodes: Sequence[Episode], training: Sequence[Episode], random_seeds: int = RANDOM_SEEDS
) -> list[Answers]:
    """RANDOM with several seeds, CENTER, and AVERAGE of the training episodes, on a split."""
    systems: list[tuple[str, Pointer, int]] = [
        ("RANDOM", Uniform(), random_seeds),
        ("CENTER", Center(), 1),
        ("AVERAGE", Average(training), 1),
    ]
    ids, yaws = tuple(one.id for one in episodes), [point_leg(one)[1].yaw for one in episodes]
    found = []
    for name, pointer, seeds in systems:
        for seed in range(seeds):
            pointer.begin(episodes[0], np.random.default_rng(seed))
            told = [pointer.direction(yaw) for yaw in yaws]
            headings = turn(yaws, [one.heading for one in told])
            pitches = [one.pitch for one in told]
            found.append(Answers(name, dataset, seed, ids, np.column_stack([headings, pitches])))
    return found

"""Table 4's question at a size for two CPU cores: does a network that reads point better than one that only looks?

    python -m bearleft.experiments.touchdown.small -o FOLDER

Texts are minimal pairs of a small city ("the left one", "the right one"), so that a picture alone never tells which of
two things is meant. Networks are the same as in `experiments.pointing_runs`, only narrower, on small slices; they are
asked at places that no training picture shows.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bearleft.experiments.rows import Row as Line
from bearleft.experiments.touchdown.answers import OWN, Answers
from bearleft.experiments.touchdown.pointing import NEAR, Table
from bearleft.experiments.touchdown.rows import Split
from bearleft.experiments.touchdown.train import SHUFFLED, Row
from bearleft.generate.minimal_pairs import pair_episodes
from bearleft.language.scene_index import open_scene_index
from bearleft.models.backbones.registry import load_backbone
from bearleft.models.examples import examples, point_leg
from bearleft.models.features.sources import features_for
from bearleft.models.pointing.predict import predict
from bearleft.records import Episode
from bearleft.training.pointing.batches import shuffled
from bearleft.training.pointing.train import Recipe, train
from bearleft.world.slices import Slicing

WORLD, KIND = "city/3/4x5", "left-right"
PAIRS = 750  # as many as this city has, nearly
UNSEEN = 0.3  # share of places that are only asked about
# 8 x 64 cells, which see 24 degrees up and down: few targets lie higher.
SLICES = Slicing(58, 64)
SIGMA = 1.0  # cells, which are large here
OURS = Row("BEARING", "bearing", rate=0.003, changes={"width": 64, "layers": 1, "heads": 2, "fine": 16})
BLIND = Row("UNET", "unet", changes={"width": 16})
EPOCHS = {OURS.system: 4, BLIND.system: 2}


@dataclass(frozen=True, eq=False)
class Small:
    """How both networks do at unseen places, and ours when it is asked by others' texts."""

    table: Table
    trained: int  # examples

    def lines(self) -> list[Line]:
        """A line for each system: how many are right, the interval, and how much worse than ours it is."""
        ours = self.table.estimate(OURS.system, NEAR)
        found = []
        for system, texts in self.table.told:
            here = self.table.estimate(system, NEAR, texts)
            low, high = (ours - here).interval
            found.append(
                {
                    "system": system,
                    "texts": texts,
                    "examples": len(self.table.split),
                    NEAR: round(here.value, 2),
                    "A@120px": round(self.table.estimate(system, "A@120px", texts).value, 2),
                    "ours better by": round(ours.value - here.value, 2),
                    "from": round(low, 2),
                    "to": round(high, 2),
                }
            )
        return found


def parted(episodes: Sequence[Episode], seed: int = 0) -> tuple[list[Episode], list[Episode]]:
    """Episodes to learn from and to be asked, which share no place."""
    where = np.array([point_leg(one)[1].place for one in episodes])
    places = np.unique(where)
    asked = np.random.default_rng([seed, 17]).permutation(places)[: round(UNSEEN * len(places))]
    there = np.isin(where, asked)
    return (
        [one for one, held in zip(episodes, there, strict=True) if not held],
        [one for one, held in zip(episodes, there, strict=True) if held],
    )


def small(folder: Path, seed: int = 0, world: str = WORLD, pairs: int = PAIRS) -> Small:
    """Makes texts, pictures and features, trains both networks in a folder, and asks them."""
    learnt, asked = parted(pair_episodes(open_scene_index(world), KIND, pairs)[0])
    training, held = examples(learnt), examples(asked)
    backbone = load_backbone("city")
    features = features_for([training, held], backbone, SLICES, keep=True)
    answers = []
    for row in (OURS, BLIND):
        epochs = EPOCHS[row.system]
        recipe = Recipe(
            row.network, seed, epochs=epochs, rate=row.rate, patience=epochs, sigma=SIGMA, changes=row.changes
        )
        pointer = train(recipe, training, features, folder / f"{row.system.lower()}-{seed}", backbone=backbone).pointer
        for texts, one in ((OWN, held), (SHUFFLED, shuffled(held, seed))):
            if texts == OWN or row is OURS:  # nobody's answers change who reads nothing
                found = predict(pointer, one, features)
                answers.append(Answers(row.system, KIND, seed, one.ids, found.answers, found.seconds, texts))
    return Small(Table(Split(KIND, asked), answers), len(training))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command above."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, help="a folder for networks (default: none is kept)")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as nowhere:
        found = small(given.output or Path(nowhere), given.seed)
    print(f"{found.trained:,} examples to learn from")
    for line in found.lines():
        print("  ".join(f"{name} {value}" for name, value in line.items()))


if __name__ == "__main__":
    main()

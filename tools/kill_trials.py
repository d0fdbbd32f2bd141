"""Kill commands at random moments, type them again, and compare what they wrote with an uninterrupted run.

    python tools/kill_trials.py [--trials 6] [--seed 0] [--only eval,film]

Every trial starts a command in an empty folder and sends it SIGKILL or SIGINT (Ctrl-C) after a random share of the time
that it needs, up to three times. Then the command is typed once more. Its files must have the same bytes as without an
interruption, and neither the output folder nor TMPDIR may hold anything else. A training must end with the same
weights. Exit code 1 if a trial failed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

WORLD = "city/3/4x5"
SIZE = ("--size", "64x32")


@dataclass(frozen=True)
class Verb:
    """A command line that writes into the folder `out`; `setup` commands run once before, in the folder above."""

    name: str
    words: tuple[str, ...]
    setup: tuple[tuple[str, ...], ...] = ()
    ignored: tuple[str, ...] = field(default=())  # endings of files whose content holds times


TRACES = (("eval", "gold", "city/touchdown/small", "--limit", "2", "-o", "../traces.jsonl"),)
PICTURES = (("render", WORLD, "--all", "--places", "0..3", *SIZE, "-o", "../album"),)
FEATURES = (("features", "city/sdr/small", "--size", "64x96", "-o", "../features"),)
TRAIN = ("train", "unet", "city/sdr/small", "--epochs", "2", "--features", "../features", "-o", "out/run")
VERBS = (
    Verb("eval", ("eval", "random", "town/dev", "-o", "out/traces.jsonl")),
    Verb("data make", ("data", "make", "city/sdr", "dev", "--world", WORLD, "--size", "6", "-o", "out")),
    Verb("render", ("render", WORLD, *SIZE, "-o", "out/picture.png")),
    Verb("render --all", ("render", WORLD, "--all", "--places", "0..40", *SIZE, "-o", "out/album")),
    Verb("map", ("map", WORLD, "-o", "out/map.png")),
    Verb("tiles", ("tiles", WORLD, "--at", "0,0", "--radius", "60", "-o", "out/tiles")),
    Verb("visible", ("visible", WORLD, "--width", "64", "-o", "out/table")),
    Verb("album import", ("album", "import", "../album/rgb", "-o", "out/album"), PICTURES),
    Verb("film", ("render", "episode", "../traces.jsonl", "--size", "320", "-o", "out/film.mp4"), TRACES),
    Verb("report", ("report", "../traces.jsonl", "-o", "out/report.html"), TRACES),
    Verb("features", ("features", "city/sdr/small", "--size", "64x96", "-o", "out/features")),
    # The event file holds times, previous.pt the state before the last one, which depends on when it was saved.
    Verb("train", TRAIN, FEATURES, (".jsonl", ".json", ".bearleft", "previous.pt")),
)


class Trials:
    """The trials of one verb, in a folder of its own."""

    def __init__(self, verb: Verb, folder: Path, rng: random.Random) -> None:
        self.verb, self.folder, self.rng = verb, folder, rng
        self.temporary = folder / "tmp"
        self.temporary.mkdir(parents=True)
        self.reference = folder / "reference"
        for words in verb.setup:
            self.run(words, self.reference)
        begin = time.monotonic()
        self.run(verb.words, self.reference)
        self.seconds = time.monotonic() - begin

    def start(self, words: tuple[str, ...], folder: Path) -> subprocess.Popen[bytes]:
        """Start a command in a folder."""
        folder.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "bearleft", *words]
        environment = os.environ | {"TMPDIR": str(self.temporary)}
        with open(self.folder / "log", "ab") as log:
            return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)

    def run(self, words: tuple[str, ...], folder: Path) -> None:
        """Run a command to its end."""
        code = self.start(words, folder).wait()
        if code:
            raise SystemExit(f"bearleft {' '.join(words)} ended with {code}: {self.last_lines()}")

    def last_lines(self) -> str:
        """Return the end of what the commands have printed."""
        return " | ".join((self.folder / "log").read_text(errors="replace").splitlines()[-12:])

    def trial(self, number: int) -> str:
        """Interrupt the command, type it again, and return what is wrong then; "" if nothing is."""
        folder = self.folder / f"trial-{number}"
        for _ in range(self.rng.randint(1, 3)):
            process = self.start(self.verb.words, folder)
            try:
                process.wait(self.rng.uniform(0.2, 1.0) * self.seconds)
            except subprocess.TimeoutExpired:
                process.send_signal(self.rng.choice((signal.SIGKILL, signal.SIGINT)))
                code = process.wait()
                if code not in (0, -signal.SIGKILL, 130, -signal.SIGINT):
                    return f"the interrupted command ended with {code}: {self.last_lines()}"
        self.run(self.verb.words, folder)
        problem = self.difference(folder / "out") or self.leftovers()
        if not problem:
            shutil.rmtree(folder)
        return problem

    def difference(self, folder: Path) -> str:
        """Return the first file that differs from the uninterrupted run."""
        found, expected = self.contents(folder), self.contents(self.reference / "out")
        names = [name for name in sorted(found | expected) if found.get(name) != expected.get(name)]
        return f"other than without an interruption: {', '.join(names[:5])}" if names else ""

    def contents(self, folder: Path) -> dict[str, str]:
        """Return the hash of each file; of trainings, those of the weights."""
        hashes = {}
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if not path.is_file() or path.name.endswith((".lock", *self.verb.ignored)):
                continue
            if path.name.endswith(".pt"):
                hashes[name] = hash_of_weights(path)
            else:
                hashes[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return hashes

    def leftovers(self) -> str:
        """Return what was left in TMPDIR, besides PyTorch's own cache; it is removed."""
        left = sorted(path.name for path in self.temporary.iterdir() if not path.name.startswith("torchinductor"))
        for name in left:
            shutil.rmtree(self.temporary / name, ignore_errors=True)
        return f"left in TMPDIR: {', '.join(left[:5])}" if left else ""


def hash_of_weights(path: Path) -> str:
    """Return the hash of the weights in a checkpoint or training state."""
    from bearleft.models.checkpoint import POINT, TRAINING, read_checkpoint

    weights = read_checkpoint(path, kind=POINT if path.name == "best.pt" else TRAINING)["weights"]
    digest = hashlib.sha256()
    for name, value in weights.items():
        digest.update(name.encode() + value.numpy().tobytes())
    return digest.hexdigest()


def main() -> None:
    """Run the trials of every verb and print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=6, help="trials of each command")
    parser.add_argument("--seed", type=int, default=0, help="seed of the moments and signals")
    parser.add_argument("--only", default="", help="names of commands, separated by commas")
    options = parser.parse_args()
    rng, failed, total = random.Random(options.seed), 0, 0
    chosen = [verb for verb in VERBS if not options.only or verb.name in options.only.split(",")]
    with tempfile.TemporaryDirectory(prefix="kill-trials-") as name:
        for verb in chosen:
            trials = Trials(verb, Path(name) / verb.name.replace(" ", "-"), rng)
            problems = [problem for k in range(options.trials) if (problem := trials.trial(k))]
            total, failed = total + options.trials, failed + len(problems)
            same = options.trials - len(problems)
            print(f"{verb.name:14} {same} of {options.trials} the same ({trials.seconds:.1f} s each)", flush=True)
            for problem in problems:
                print(f"    {problem}", flush=True)
    print(f"{total - failed} of {total} trials ended in the same files")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()

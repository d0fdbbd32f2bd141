"""Compare the results of two checkouts of bearleft: datasets, plans, pictures, traces, and all rows printed as JSON.

    python tools/compare_checkouts.py OLD NEW --data DATA --work /tmp/compare

Every step runs in both checkouts as a user would type it. Files are compared by SHA-256, JSON rows value by value;
keys that were renamed in between are listed in RENAMED_KEYS. The exit code is 1 if anything differs. Results of a
clean checkout are cached in the work folder under its commit, so that a second comparison runs one side only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Keys of rows, traces and manifests that have another name in NEW than in OLD.
RENAMED_KEYS: dict[str, str] = {
    "trunk": "backbone",
    "wanted": "expected",
    "there": "existing",
    "left_out": "skipped",
    "asked": "requested",
    "tried": "attempts",
    "passed_over": "skipped",
    "measure": "metric",
    "what": "channel",
    "reach": "radius",
    "spots untold": "spots without sentences",
    "targets passed over": "targets without a description",
    "walks untold": "walks without a text",
    "cells untold": "cells without a text",
    "targets without a way": "targets without a path",
    "ways of another length": "paths of another length",
    "rooms without a cell to reach": "rooms without a reachable cell",
    "lines with too many panoramas for what was left": "lines with more panoramas than missing",
}
# Labels in rows that have another name in NEW than in OLD.
RENAMED_LABELS = {"left out": "skipped"}
# Keys whose values are times, versions, hashes of source files or paths: they differ between any two runs.
VOLATILE = {"time", "seconds", "bearleft", "words", "text_source_hash", "file", "folder", "output"}
# Keys of prose for people.
PROSE = {"about", "description"}
# Columns of benchmark rows that are measured; the others (names, counts, units) must be equal.
TIMED = {
    *("ours", "value", "low", "high", "ratio", "rounds", "spread", "peer", "paper", "figure", "machine"),
    *("per second", "steps_per_second"),
}


@dataclass(frozen=True)
class Step:
    """One command, and the parts of its result that are compared.

    Args:
        name: Name of the step in the output.
        args: Arguments of `bearleft`, as NEW spells them; "{out}" is the step's own folder, "{steps}" the folder above.
        old_args: The same as OLD spells them, if they differ.
        files: Glob patterns of the files that are hashed, below the step's folder.
        needs_data: Whether the step reads the real datasets (--data).
        code: Python code to run instead of a command, and OLD's form of it.
        timed: Whether the rows are those of a benchmark.
        old_only: Whether only OLD runs it, to write files that both read later; "{old}" is the folder of OLD's steps.
        old_module: The module that OLD runs instead of its command line.
    """

    name: str
    args: tuple[str, ...] = ()
    old_args: tuple[str, ...] | None = None
    files: tuple[str, ...] = ()
    needs_data: bool = False
    code: tuple[str, str] | None = None
    timed: bool = False
    old_only: bool = False
    old_module: str = "bearleft.cli"


PLAN = """
from bearleft.world.city.city import open_city
for name in ("city/0", "city/3/4x5", "rooms/0/42", "sections/0", "city/7/5x6"):
    print(name, open_city(name).plan.hash)
"""


def _make_step(dataset: str, split: str, size: int, *more: str) -> Step:
    args = ("data", "make", dataset, split, "--size", str(size), "-o", "{out}", "--processes", "2", "--json", *more)
    return Step(f"make {' '.join((dataset, *more))}", args, files=("**/*.jsonl", "**/*.json"))


def _eval_step(agent: str, dataset: str, *more: str) -> Step:
    name = f"{agent} {dataset}"
    return Step(name, ("eval", agent, dataset, "-o", "{out}/traces.jsonl", *more), files=("traces.jsonl",))


def _score_step(step: Step, *more: str) -> Step:
    return Step(f"score {step.name}", ("score", f"{{steps}}/{_slug(step.name)}/traces.jsonl", "--json", *more))


def _slug(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name)


EVAL_STEPS = (
    _eval_step("random", "city/touchdown/small"),
    _eval_step("follower", "city/touchdown/small"),
    _eval_step("follower", "city/sdr/small"),
    _eval_step("follower", "city/refer360/small"),
    _eval_step("follower", "city/arramon/small"),
    _eval_step("random", "city/arramon/small"),
    _eval_step("gold", "city/touchdown-complete/small"),
    _eval_step("uniform", "city/sdr/small"),
)
EVAL_OLD_CHECKPOINT = ("eval", "{old}/train-lingunet/run/best.pt", "city/sdr/small", "-o", "{out}/traces.jsonl")
STEPS = (
    Step("plans", code=(PLAN, PLAN)),
    _make_step("city/touchdown", "dev", 60),
    _make_step("city/sdr", "dev", 60),
    _make_step("city/refer360", "validation.seen", 40),
    _make_step("city/arramon", "val_seen", 20),
    _make_step("city/pairs", "colour", 20),
    _make_step("city/touchdown", "train", 60, "--seed", "5", "--style", "loose"),
    Step(
        "panorama",
        ("render", "city/0", "--channel", "all", "--size", "512x256", "-o", "{out}/a.png"),
        ("render", "city/0", "--what", "all", "--size", "512x256", "-o", "{out}/a.png"),
        files=("*.png",),
    ),
    Step("room", ("render", "rooms/0/42", "--view", "-o", "{out}/a.png", "--samples", "1"), files=("*.png",)),
    Step("section", ("render", "sections/0", "--cube", "--size", "128", "-o", "{out}/a.png"), files=("*.png",)),
    Step("night", ("render", "city/3/4x5", "--hour", "22", "--fog", "0.5", "-o", "{out}/a.png"), files=("*.png",)),
    Step("map png", ("map", "city/0", "-o", "{out}/a.png"), files=("*.png",)),
    Step("map svg", ("map", "rooms/0/42", "--place", "0", "-o", "{out}/a.svg"), files=("*.svg",)),
    Step("tiles", ("tiles", "city/3/4x5", "-o", "{out}", "--texels", "64"), files=("**/*.glb",)),
    *EVAL_STEPS,
    *(_score_step(step, "--convention", "all") for step in EVAL_STEPS[:1]),
    *(_score_step(step) for step in EVAL_STEPS[1:]),
    Step("data list", ("data", "list", "--json"), needs_data=True),
    Step(
        "data stats", ("data", "stats", "city/touchdown/small", "city/refer360/small", "city/arramon/small", "--json")
    ),
    Step("data stats real", ("data", "stats", "touchdown/unseen_dev", "r2r/val_unseen", "--json"), needs_data=True),
    Step("data quality", ("data", "quality", "city/arramon/small", "--json")),
    *(
        Step(f"paper {name}", ("paper", *name.split(), "--json"), needs_data=True)
        for name in ("touchdown", "refer360", "arramon", "ndtw", "texts")
    ),
    Step("paper ndtw-study", ("paper", "ndtw-study", "--json")),
    Step("paper answers", ("paper", "touchdown", "--results", "papers/answers/rows.json", "--json")),
    Step("paper follower", ("paper", "follower", "city/touchdown/small", "--json")),
    Step("paper objects", ("paper", "objects", "--json")),
    Step(
        "train lingunet",
        ("train", "lingunet", "city/sdr/small", "-o", "{out}/run", "--size", "58x64", "--limit", "60", "--epochs", "1"),
        old_only=True,
    ),
    Step(
        "train looking agent",
        ("city/refer360/small", "-o", "{out}/run", "--device", "cpu", "--limit", "20", "--epochs", "1"),
        old_only=True,
        old_module="bearleft.training.look",
    ),
    Step("feature store", ("features", "city/sdr/small", "-o", "{out}/store", "--size", "58x64"), old_only=True),
    Step(
        "old checkpoint",
        (*EVAL_OLD_CHECKPOINT, "--limit", "20", "--device", "cpu"),
        files=("traces.jsonl",),
    ),
    Step(
        "old checkpoint and store",
        (*EVAL_OLD_CHECKPOINT, "--limit", "20", "--device", "cpu", "--features", "{old}/feature-store/store"),
        (*EVAL_OLD_CHECKPOINT, "--limit", "20", "--device", "cpu", "--store", "{old}/feature-store/store"),
        files=("traces.jsonl",),
    ),
    Step(
        "old looking checkpoint",
        (
            *("eval", "{old}/train-looking-agent/run/best.pt", "city/refer360/small", "-o", "{out}/traces.jsonl"),
            *("--limit", "5", "--device", "cpu"),
        ),
        files=("traces.jsonl",),
    ),
    Step("bench metrics", ("bench", "metrics", "--rounds", "1", "--json"), timed=True),
    Step("bench stepping", ("bench", "stepping", "--rounds", "1", "--json"), timed=True),
)


@dataclass
class Checkout:
    """A checkout of the repository, the interpreter that runs it, and the folder of its results."""

    root: Path
    python: str
    data: str | None
    folder: Path
    is_old: bool

    @property
    def commit(self) -> str:
        """Return the commit, or "" if the working tree has changes."""

        def git(*args: str) -> str:
            return subprocess.run(["git", *args], cwd=self.root, capture_output=True, text=True, check=True).stdout

        return "" if git("status", "--porcelain", "--", "src", "papers").strip() else git("rev-parse", "HEAD").strip()

    def run(self, step: Step) -> dict[str, Any]:
        """Run a step and return its rows, lines of output and hashes of files."""
        out = self.folder / _slug(step.name)
        out.mkdir(parents=True, exist_ok=True)
        old = step.old_args if self.is_old and step.old_args is not None else step.args
        words = [word.replace("{out}", str(out)).replace("{steps}", str(self.folder)) for word in old]
        words = [word.replace("{old}", str(self.folder.with_name("old"))) for word in words]
        command = [self.python, "-m", step.old_module if self.is_old else "bearleft", *words]
        if step.code is not None:
            command = [self.python, "-c", step.code[0] if self.is_old else step.code[1]]
        elif step.needs_data and self.data:
            command += ["--data", self.data]
        environment = {**os.environ, "PYTHONPATH": str(self.root / "src"), "BEARLEFT_CACHE": str(self.folder / "cache")}
        environment.pop("BEARLEFT_DATA", None)
        done = subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True)
        result: dict[str, Any] = {"exit code": done.returncode}
        if done.returncode:
            result["error"] = done.stderr.strip()[-600:]
        if "--json" in words or step.timed:
            rows = json.loads(done.stdout) if done.returncode == 0 else []
            result["rows"] = [_normalized(row, TIMED if step.timed else set()) for row in rows]
        elif step.code is not None:
            result["output"] = done.stdout.splitlines()
        for pattern in step.files:
            for path in sorted(out.glob(pattern)):
                result[path.relative_to(out).as_posix()] = _hash(path)
        return result


def _normalized(value: Any, dropped: set[str]) -> Any:
    """Return a JSON value with NEW's key names, without keys that differ between any two runs."""
    if isinstance(value, dict):
        return {
            RENAMED_KEYS.get(key, key): _normalized(item, dropped)
            for key, item in value.items()
            if key not in VOLATILE | PROSE | dropped
        }
    if isinstance(value, list):
        return [_normalized(item, dropped) for item in value]
    return RENAMED_LABELS.get(value, value) if isinstance(value, str) else value


def _hash(path: Path) -> str:
    """Return the SHA-256 of a file; JSON files are hashed by their normalized content."""
    data = path.read_bytes()
    if path.suffix in (".json", ".jsonl"):
        lines = data.decode().splitlines() if path.suffix == ".jsonl" else [data.decode()]
        data = "\n".join(json.dumps(_normalized(json.loads(line), set()), sort_keys=True) for line in lines).encode()
    return hashlib.sha256(data).hexdigest()


def record(checkout: Checkout, steps: tuple[Step, ...], log: Callable[[str], None]) -> dict[str, dict[str, Any]]:
    """Return the results of all steps in one checkout, from the cache if the checkout is clean."""
    commit = checkout.commit
    cache = checkout.folder.parent / f"{commit}.json"
    results: dict[str, dict[str, Any]] = json.loads(cache.read_text()) if commit and cache.exists() else {}
    for step in steps:
        if step.name in results or (step.old_only and not checkout.is_old):
            continue
        begin = time.perf_counter()
        results[step.name] = checkout.run(step)
        log(f"{checkout.root.name}: {step.name}, {time.perf_counter() - begin:.0f} s")
        if commit:
            cache.write_text(json.dumps(results, indent=1))
    return results


def differences(old: dict[str, Any], new: dict[str, Any], timed: bool) -> Iterator[str]:
    """Yield one line for each thing that differs between the results of a step."""
    # Cached results may be older than RENAMED_KEYS and TIMED.
    dropped = TIMED if timed else set()
    old, new = ({**result, "rows": _normalized(result.get("rows", []), dropped)} for result in (old, new))
    for key in sorted({*old, *new}):
        if old.get(key) == new.get(key):
            continue
        if key == "rows":
            pairs = zip(old["rows"], new.get("rows", []), strict=False)
            unequal = [(a, b) for a, b in pairs if a != b]
            yield f"{len(old['rows'])} and {len(new.get('rows', []))} rows, {len(unequal)} differ"
            yield from (f"  old {json.dumps(a)}\n  new {json.dumps(b)}" for a, b in unequal[:3])
        else:
            yield f"{key}: {old.get(key)} and {new.get(key)}"


def main() -> int:
    """Compare two checkouts and print a line for each step."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--data", help="folder of the real datasets; without it their steps are skipped")
    parser.add_argument("--python", default=sys.executable, help="interpreter with bearleft's dependencies")
    parser.add_argument("--work", type=Path, default=Path("compare"), help="folder of results")
    parser.add_argument("--only", nargs="*", default=[], help="steps whose names contain one of these words")
    parser.add_argument("--record", action="store_true", help="run OLD only, to cache its results")
    args = parser.parse_args()
    steps = tuple(
        step
        for step in STEPS
        if (args.data or not step.needs_data) and (not args.only or any(word in step.name for word in args.only))
    )
    data = str(Path(args.data).resolve()) if args.data else None

    def log(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    work = args.work.resolve()
    old = record(Checkout(args.old.resolve(), args.python, data, work / "old", True), steps, log)
    if args.record:
        return 0
    new = record(Checkout(args.new.resolve(), args.python, data, work / "new", False), steps, log)
    different = 0
    for step in steps:
        if step.old_only:
            continue
        lines = list(differences(old[step.name], new[step.name], step.timed))
        different += bool(lines)
        count = len(old[step.name].get("rows", old[step.name].get("output", ()))) + len(step.files)
        print(f"{'DIFFERS' if lines else 'equal':8}{step.name} ({count} rows and files)")
        print("\n".join(f"        {line}" for line in lines), end="\n" if lines else "")
    compared = sum(not step.old_only for step in steps)
    print(f"{compared - different} of {compared} steps are equal")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

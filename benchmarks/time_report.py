"""Time how long the report of a whole split takes to write and to open, and measure its size.

    python benchmarks/time_report.py FOLDER --data DIR [--dataset city/touchdown/dev] [--rounds 5] [--json]

FOLDER receives the traces (existing ones are reused) and report.html. Writing is timed as a separate process, from
start to end. Opening is timed in a running Chromium, from the start of navigation until the table of scores is
painted, and until the example cards are painted; "Examples" is clicked as soon as the table is visible. Then letters
are typed into the search, and each is timed until the resulting list is painted. The script prints medians over
rounds, each in a new browser.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

AGENTS = ("follower", "random", "frequent")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER_ARGS = ["--no-sandbox", "--enable-unsafe-swiftshader", "--use-gl=angle", "--use-angle=swiftshader"]
SEARCH_TEXT = "turn left"
# An element is painted two frames after it appears.
WATCH = """
window.marks = {};
const mark = (name, isReady) => {
  const check = () => {
    if (!isReady()) return requestAnimationFrame(check);
    return requestAnimationFrame(() => requestAnimationFrame(() => { window.marks[name] ??= performance.now(); }));
  };
  requestAnimationFrame(check);
};
mark('scores', () => document.querySelectorAll('main table tbody tr td').length > 0);
mark('clicked', () => {
  if (!window.marks.scores) return false;
  const link = [...document.querySelectorAll('nav a')].find((a) => a.textContent.trim().startsWith('Examples'));
  link?.click();
  return link;
});
mark('cards', () => window.marks.clicked && document.querySelectorAll('main .card').length > 0);
"""
TYPE = """async (letter) => {
  const field = document.querySelector('main input[type=search]');
  const begin = performance.now();
  const list = document.querySelector('main');
  let changed = begin;
  const watch = new MutationObserver(() => { changed = performance.now(); });
  watch.observe(list, { childList: true, subtree: true, characterData: true });
  field.value += letter;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  // The list is complete if nothing changes for 250 ms after a change.
  while (changed === begin ? performance.now() < begin + 1500 : performance.now() < changed + 250) {
    await new Promise((next) => requestAnimationFrame(next));
  }
  watch.disconnect();
  return changed - begin;
}"""


def write_traces(folder: Path, dataset: str, agents: list[str], data: str | None) -> list[Path]:
    """Run each agent, or reuse its trace file; return the files."""
    files = []
    for agent in agents:
        file = folder / f"{agent}-{dataset.replace('/', '-')}.jsonl"
        command = [*_bearleft(), "eval", agent, dataset, "-o", str(file), "--processes", "2", *_data(data)]
        subprocess.run(command, check=True)
        files.append(file)
    return files


def _bearleft() -> list[str]:
    return [sys.executable, "-m", "bearleft"]


def _data(folder: str | None) -> list[str]:
    return ["--data", folder] if folder else []


def time_writing(files: list[Path], output: Path, options: list[str]) -> dict[str, Any]:
    """Return the seconds and peak memory of `bearleft report`, with the row that it prints."""
    output.unlink(missing_ok=True)
    command = [*_bearleft(), "report", *map(str, files), "-o", str(output), "--json", *options]
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    printed = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begin
    if status:
        raise SystemExit(f"bearleft report ended with {os.waitstatus_to_exitcode(status)}")
    (row,) = json.loads(printed)
    # On a busy machine wall-clock time varies; processor time over all cores is nearly constant.
    times = {"make_s": round(seconds, 2), "cpu_s": round(usage.ru_utime + usage.ru_stime, 2)}
    return times | {"peak_mb": round(usage.ru_maxrss / 1024), "megabytes": row["bytes"] / 1e6} | row


def time_opening(file: Path) -> dict[str, float]:
    """Return the milliseconds until parts of the page are painted, and those of each typed letter."""
    from playwright.sync_api import sync_playwright

    binary = next(path for name in BROWSERS if (path := shutil.which(name)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=BROWSER_ARGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        # The start of the browser and of its renderer is not part of the measurement.
        page.set_content("<h1>ready</h1>")
        page.screenshot()
        page.add_init_script(WATCH)
        page.goto(file.as_uri(), wait_until="commit")
        page.wait_for_function("() => window.marks.cards", timeout=60_000)
        marks: dict[str, float] = page.evaluate("() => window.marks")
        page.wait_for_load_state("load", timeout=60_000)
        whole = page.evaluate("() => performance.timing.loadEventStart - performance.timing.navigationStart")
        letters = [page.evaluate(TYPE, letter) for letter in SEARCH_TEXT]
        heap = page.evaluate("() => performance.memory.usedJSHeapSize / 1e6")
        browser.close()
    return {
        "scores_ms": marks["scores"],
        "cards_ms": marks["cards"],
        "whole_file_ms": whole,
        "letter_ms": median(letters),
        "worst_letter_ms": max(letters),
        "heap_mb": heap,
    }


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data")
    parser.add_argument("--dataset", default="city/touchdown/dev")
    parser.add_argument("--agents", nargs="+", default=AGENTS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--report", type=Path, help="open this report instead of writing one")
    parser.add_argument(
        "--option", action="append", default=[], help="option for bearleft report, such as --option=--full"
    )
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {"dataset": args.dataset}
    if args.report:
        file, results["megabytes"] = args.report.resolve(), args.report.stat().st_size / 1e6
    else:
        file = (args.folder / "report.html").resolve()
        files = write_traces(args.folder, args.dataset, args.agents, args.data)
        results |= time_writing(files, file, [*_data(args.data), *args.option])
    rounds = [time_opening(file) for _ in range(args.rounds)]
    results |= {name: round(median(times[name] for times in rounds), 1) for name in rounds[0]}
    if args.json:
        print(json.dumps(results))
        return
    print("| | |\n| --- | --- |")
    for name, value in results.items():
        print(f"| {name} | {f'{value:,.1f}' if isinstance(value, float) else value} |")


if __name__ == "__main__":
    main()

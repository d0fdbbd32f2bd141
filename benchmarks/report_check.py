"""How long a report of a whole split takes to make and to open, and how large it is.

    python benchmarks/report_check.py FOLDER --data DIR [--dataset city/touchdown/dev] [--rounds 5] [--json]

FOLDER keeps traces (those that are there are taken) and report.html. Making is timed as a process of its own, from its
start to its end. Opening is timed in a running Chromium, from the start of navigation: until the table of scores is
painted, and until cards of examples are, where "Examples" is clicked as soon as the table is there. Then letters are
typed into the search, and each is timed until the list it asks for is painted. Medians over rounds, each in a browser
of its own.
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
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--enable-unsafe-swiftshader", "--use-gl=angle", "--use-angle=swiftshader"]
TYPED = "turn left"
# Two frames after a thing is there, it has been painted.
WATCH = """
window.marks = {};
const mark = (name, there) => {
  const look = () => {
    if (!there()) return requestAnimationFrame(look);
    return requestAnimationFrame(() => requestAnimationFrame(() => { window.marks[name] ??= performance.now(); }));
  };
  requestAnimationFrame(look);
};
mark('scores', () => document.querySelectorAll('main table tbody tr td').length > 0);
mark('clicked', () => {
  if (!window.marks.scores) return false;
  const to = [...document.querySelectorAll('nav a')].find((a) => a.textContent.trim().startsWith('Examples'));
  to?.click();
  return to;
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
  // The list has come when nothing has changed for a while after something did.
  while (changed === begin ? performance.now() < begin + 1500 : performance.now() < changed + 250) {
    await new Promise((next) => requestAnimationFrame(next));
  }
  watch.disconnect();
  return changed - begin;
}"""


def traces_of(folder: Path, dataset: str, agents: list[str], data: str | None) -> list[Path]:
    """A file for each agent; what is there is kept."""
    files = []
    for agent in agents:
        file = folder / f"{agent}-{dataset.replace('/', '-')}.jsonl"
        asked = [*_bearleft(), "eval", agent, dataset, "-o", str(file), "--processes", "2", *_data(data)]
        subprocess.run(asked, check=True)
        files.append(file)
    return files


def _bearleft() -> list[str]:
    return [sys.executable, "-m", "bearleft.cli"]


def _data(folder: str | None) -> list[str]:
    return ["--data", folder] if folder else []


def timed_report(files: list[Path], output: Path, more: list[str]) -> dict[str, Any]:
    """Seconds of the whole process, the most memory it had, and what it says it wrote."""
    output.unlink(missing_ok=True)
    asked = [*_bearleft(), "report", *map(str, files), "-o", str(output), "--json", *more]
    begin = time.perf_counter()
    child = subprocess.Popen(asked, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    said = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begin
    if status:
        raise SystemExit(f"bearleft report ended with {os.waitstatus_to_exitcode(status)}")
    (row,) = json.loads(said)
    # On a busy machine seconds say little; processor seconds, over all cores, stay nearly the same.
    spent = {"make_s": round(seconds, 2), "cpu_s": round(used.ru_utime + used.ru_stime, 2)}
    return spent | {"peak_mb": round(used.ru_maxrss / 1024), "megabytes": row["bytes"] / 1e6} | row


def timed_opening(file: Path) -> dict[str, float]:
    """Milliseconds from the start of navigation, and of each letter typed."""
    from playwright.sync_api import sync_playwright

    binary = next(found for name in NAMES if (found := shutil.which(name)))
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=binary, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        # The browser is running, as a reader's is: its own start, and that of its renderer, are not the report's.
        page.set_content("<h1>ready</h1>")
        page.screenshot()
        page.add_init_script(WATCH)
        page.goto(file.as_uri(), wait_until="commit")
        page.wait_for_function("() => window.marks.cards", timeout=60_000)
        marks: dict[str, float] = page.evaluate("() => window.marks")
        page.wait_for_load_state("load", timeout=60_000)
        whole = page.evaluate("() => performance.timing.loadEventStart - performance.timing.navigationStart")
        letters = [page.evaluate(TYPE, letter) for letter in TYPED]
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
    """Measures and prints."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folder", type=Path)
    ask.add_argument("--data")
    ask.add_argument("--dataset", default="city/touchdown/dev")
    ask.add_argument("--agents", nargs="+", default=AGENTS)
    ask.add_argument("--rounds", type=int, default=5)
    ask.add_argument("--report", type=Path, help="open this one instead of making one")
    ask.add_argument("--option", action="append", default=[], help="passed on to bearleft report, as --option=--full")
    ask.add_argument("--json", action="store_true")
    given = ask.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {"dataset": given.dataset}
    if given.report:
        file, found["megabytes"] = given.report.resolve(), given.report.stat().st_size / 1e6
    else:
        file = (given.folder / "report.html").resolve()
        files = traces_of(given.folder, given.dataset, given.agents, given.data)
        found |= timed_report(files, file, [*_data(given.data), *given.option])
    rounds = [timed_opening(file) for _ in range(given.rounds)]
    found |= {name: round(median(one[name] for one in rounds), 1) for name in rounds[0]}
    if given.json:
        print(json.dumps(found))
        return
    print("| | |\n| --- | --- |")
    for name, value in found.items():
        print(f"| {name} | {f'{value:,.1f}' if isinstance(value, float) else value} |")


if __name__ == "__main__":
    main()

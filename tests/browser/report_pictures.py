"""docs/pictures/report-*.png: what a report looks like.

python -m tests.browser.report_pictures REPORT.html [FOLDER] writes them.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

from PIL import Image

from bearleft.runtime.store import atomic_write
from tests.browser.report_page import Report, chromium, example_hash, opened, report_data_of

DESK, TALL, TASK, SHORT, PHONE = (1280, 860), (1280, 1200), (1280, 1080), (1280, 960), (390, 1180)
FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


def _pictured(example: dict[str, Any]) -> int:
    """How many pictures the strips of an example have."""
    return sum(len(leg.get("strip") or ()) for trace in example["traces"] for leg in trace["legs"])


def _differ(example: dict[str, Any]) -> int:
    """How far agents differ: 2 where even the last two do, 1 where some were right and some wrong."""
    success = [trace["success"] for trace in example["traces"]]
    return ({True, False} <= set(success)) + ({True, False} == set(success[-2:]))


def _best(rows: dict[str, Any], kind: str) -> dict[str, Any] | None:
    """The example of a kind that has most to show: agents that differ, pictures, marks."""
    candidates = [
        example for example in rows["examples"] if kind in (example["legs"][0]["kind"], example["legs"][-1]["kind"])
    ]
    if kind == "point":
        shown = [
            example
            for example in candidates
            if rows["places"][example["world"]]["panorama"][example["legs"][-1]["place"]] >= 0
        ]
        candidates = shown or candidates
    marks = len if kind == "point" else lambda _: 0
    return max(
        candidates,
        key=lambda example: (_differ(example), marks(example["legs"][-1]["phenomena"]), _pictured(example)),
        default=None,
    )


def _followed(example: dict[str, Any]) -> dict[str, int]:
    """An agent that was right, in the middle of what it did."""
    success = next((trace for trace in reversed(example["traces"]) if trace["success"]), example["traces"][0])
    return {"agent": success["agent"], "step": len(success["legs"][0].get("at", ())) // 2}


def _settled(report: Report) -> None:
    """Waits for the pictures in the window."""
    report.page.wait_for_load_state("load")
    report.page.wait_for_timeout(1500)


def save(png: bytes, path: Path) -> None:
    """The picture in all its colours: with fewer, those of agents and of streets run into each other."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    with atomic_write(path, "wb") as stream:
        image.save(stream, "png", optimize=True)
    print(path.name, f"{image.width} x {image.height}", f"{path.stat().st_size:,} bytes")


def main(file: Path, folder: Path) -> None:
    """Takes the pictures."""
    rows = report_data_of(file)
    kinds = {"example": "reach", "point": "point", "phone": "reach", "task": "collect", "room": "assemble"}
    shown = {name: example for name, kind in kinds.items() if (example := _best(rows, kind)) is not None}
    addresses = {
        name: example_hash(example["dataset"], example["id"], leg=int(name == "room"), **_followed(example))
        for name, example in shown.items()
    }
    sizes = {"phone": PHONE, "room": SHORT, "task": TASK}
    views: list[tuple[str, tuple[int, int], str, str]] = [
        ("scores", DESK, "#/", "light"),
        *((name, sizes.get(name, TALL), where, "light") for name, where in addresses.items()),
        ("dark", DESK, "#/examples", "dark"),
    ]
    with chromium() as browser:
        for name, size, where, scheme in views:
            with opened(browser, file, size, where, color_scheme=scheme, reduced_motion="reduce") as report:
                _settled(report)
                save(report.page.screenshot(), folder / f"report-{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER)

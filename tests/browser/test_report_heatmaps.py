"""What each agent believed, in a report of several files with heat maps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.data import load, open_dataset
from bearleft.metrics.pointing import pixel_distance
from bearleft.records import Direction, Heatmap, LegTrace, Point, Trace, to_json_line
from bearleft.reports.html.report import report
from tests.browser.page import missing
from tests.browser.report_page import PHONE, example_hash, opened
from tests.browser.waiting import expect, until

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())
SPLIT = "city/sdr/small"


def write(file: Path, degrees: float, heat: bool = True) -> float:
    """A trace of an agent that points so many degrees beside the target; how many pixels that is."""
    episode = load(SPLIT)[1]
    goal = episode.legs[0].goal
    assert isinstance(goal, Point)
    answer = Direction(goal.direction.heading + degrees, goal.direction.pitch)
    values = np.zeros((32, 64))
    values[16, 40] = 1.0
    leg = LegTrace(("point",), (str(goal.place),), (), answer, Heatmap.from_array(values) if heat else None)
    file.write_text(to_json_line(Trace(episode.id, SPLIT, file.stem, (leg,), 0, open_dataset(SPLIT).sha256)) + "\n")
    return pixel_distance(answer, goal)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("both", [True, False])
def test_heatmap_strips_of_several_agents(browser: Any, tmp_path: Path, both: bool) -> None:
    near, far = tmp_path / "near.jsonl", tmp_path / "far.jsonl"
    away = [write(near, 3.0), write(far, -20.0, heat=both)]
    report(near, far, output=tmp_path / "report.html", with_pictures=False)
    with opened(browser, tmp_path / "report.html", PHONE, example_hash(0, load(SPLIT)[1].id)) as page:
        if not both:  # one map is looked at by itself
            assert page.page.locator(".belief").count() == 0
            return
        page.page.wait_for_selector(".belief")
        said = [f"{away[0]:.0f} px, within 80 px", f"{away[1]:.0f} px, not within 80 px"]
        expect(page.page.locator(".beliefs .said")).to_have_text(said)
        assert not page.too_wide()

        def green_pixels() -> np.ndarray:
            """Return rows and columns of what is green in the first map."""
            pixels = page.pixels(".belief >> nth=0").astype(int)
            return np.argwhere((pixels[..., 1] > 200) & (pixels[..., 0] < 120) & (pixels[..., 2] < 130))

        until(page.page, lambda: len(green_pixels()))
        pixels, green = page.still(".belief >> nth=0"), green_pixels()
        across = 40.5 / 64 * pixels.shape[1]
        assert abs(np.median(green[:, 1]) - across) < 0.03 * pixels.shape[1]

"""Tiles in Chromium: what three.js draws of them against our own renderer, from the same pose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import open_city
from bearleft.world.render.camera import view
from bearleft.world.render.cpu import render
from bearleft.world.tiles.export import tiles
from tests.browser.page import missing, off_edges, opened
from tests.browser.waiting import expect

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())
WORLD, WIDTH, HEIGHT = "city/3/2x2", 320, 240


@pytest.mark.slow
def test_three_js_draws_what_our_renderer_sees(browser: Any, tmp_path: Path) -> None:
    city = open_city(WORLD)
    # Along a street, up at the houses, and down on the road.
    poses = city.poses([8, 20, 30], [20.0, 140.0, 250.0], [0.0, 15.0, -20.0])
    ours = render(city.scene, poses, view(WIDTH, HEIGHT), samples=2)
    tiles(tmp_path, WORLD, texels=512)
    with opened(browser.chromium, tmp_path, poses[0], WIDTH, HEIGHT) as page:
        for pose, instance, rgb in zip(poses, ours.instance, ours.rgb, strict=True):
            page.look(pose)
            same = page.instances(WIDTH, HEIGHT) == instance
            assert len(np.unique(instance)) > 20
            assert same[off_edges(instance)].mean() > 0.99
            assert same.mean() > 0.95
            off = np.abs(page.screenshot().astype(int) - rgb)
            assert off.mean() < 10
            assert np.median(off) < 8


@pytest.mark.slow
def test_a_click_names_the_thing_and_its_part(browser: Any, tmp_path: Path) -> None:
    city = open_city(WORLD)
    poses = city.poses([8], 20.0)
    ours = render(city.scene, poses, view(WIDTH, HEIGHT))
    tiles(tmp_path, WORLD, at=tuple(poses[0, :2].tolist()), radius=50.0, texels=64)
    instance = ours.instance[0]
    inner = off_edges(instance) & (instance > 0) & (ours.depth[0] < 40)
    numbers = np.unique(instance[inner])
    assert len(numbers) > 5
    with opened(browser.chromium, tmp_path, poses[0], WIDTH, HEIGHT) as page:
        for number in numbers[np.linspace(0, len(numbers) - 1, 6).astype(int)]:
            row, column = np.argwhere(inner & (instance == number))[0].tolist()
            object_class = CLASSES[city.plan.things["kind"][number - 1]]
            part = object_class.parts[ours.part[0, row, column] & 0xFF]
            page.page.mouse.click(column, row)
            label = page.page.locator("output")
            expect(label).to_have_attribute("data-instance", str(number))
            expect(label).to_have_text(f"{object_class.name}{part and f', {part}'} ({number})")
            picked = page.page.evaluate(f"() => bearleft.pick({column}, {row})")
            assert picked == {"instance": number, "class": object_class.name, "part": part}
        context = browser.chromium.new_context()
        other = context.new_page()
        other.set_default_timeout(120_000)
        other.goto(page.page.url.partition("?")[0] + "?tiles=/nowhere")
        other.locator("output", has_text="No tiles").wait_for()
        at = page.page.url.partition("?")[0] + "?tiles=/world&reach=60&place="
        other.goto(at + "nowhere")
        other.locator("output", has_text="No tiles: no place nowhere").wait_for()
        other.goto(at + city.graph.ids[8])
        other.evaluate("() => bearleft.ready")
        east, north, heading = other.evaluate("() => [bearleft.pose.east, bearleft.pose.north, bearleft.pose.heading]")
        assert (east, north) == pytest.approx(poses[0, :2], abs=0.01)
        assert heading == pytest.approx(city.graph.heading[city.graph.links(8)][0], abs=0.01)
        context.close()

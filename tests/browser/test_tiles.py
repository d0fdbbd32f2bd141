"""Tiles in Chromium: what three.js draws of them against our own renderer, from the same pose."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from bearleft.world.city.catalog import CLASSES
from bearleft.world.city.city import City, open_city
from bearleft.world.render.camera import view
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.tiles.making import write_tiles
from tests.browser.page import Page, missing, off_edges, opened

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())
WORLD, WIDTH, HEIGHT = "city/3/2x2", 400, 300


@pytest.fixture(scope="module")
def city() -> City:
    return open_city(WORLD)


@pytest.fixture(scope="module")
def poses(city: City) -> npt.NDArray[np.float32]:
    """Along a street, up at the houses, and down on the road."""
    return city.poses([8, 20, 30], [20.0, 140.0, 250.0], [0.0, 15.0, -20.0])


@pytest.fixture(scope="module")
def ours(city: City, poses: npt.NDArray[np.float32]) -> Pictures:
    return render(city.scene, poses, view(WIDTH, HEIGHT), samples=2)


@pytest.fixture(scope="module")
def page(poses: npt.NDArray[np.float32], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder: Path = tmp_path_factory.mktemp("tiles")
    write_tiles(folder, WORLD, texels=768)
    with opened(folder, poses[0], WIDTH, HEIGHT) as made:
        yield made


@pytest.mark.parametrize("k", range(3))
def test_every_pixel_shows_the_instance_that_our_renderer_sees(
    k: int, page: Page, poses: npt.NDArray[np.float32], ours: Pictures
) -> None:
    page.look(poses[k])
    inner = off_edges(ours.instance[k])
    same = page.instances(WIDTH, HEIGHT) == ours.instance[k]
    assert len(np.unique(ours.instance[k])) > 20
    assert same[inner].mean() > 0.99
    assert same.mean() > 0.95


@pytest.mark.parametrize("k", range(3))
def test_colours_are_those_of_our_picture(
    k: int, page: Page, poses: npt.NDArray[np.float32], ours: Pictures
) -> None:  # fmt: skip
    page.look(poses[k])
    off = np.abs(page.screenshot().astype(int) - ours.rgb[k])
    assert off.mean() < 10
    assert np.median(off) < 8


def test_a_click_names_the_thing_and_its_part(
    page: Page, city: City, poses: npt.NDArray[np.float32], ours: Pictures
) -> None:
    page.look(poses[0])
    instance = ours.instance[0]
    inner = off_edges(instance) & (instance > 0)
    numbers = np.unique(instance[inner])
    assert len(numbers) > 5
    for number in numbers[np.linspace(0, len(numbers) - 1, 6).astype(int)]:
        row, column = np.argwhere(inner & (instance == number))[0].tolist()
        one = CLASSES[city.plan.things["kind"][number - 1]]
        page.page.mouse.click(column, row)
        label = page.page.locator("output")
        assert label.get_attribute("data-instance") == str(number)
        assert label.inner_text().startswith(one.name)
        found = page.page.evaluate(f"() => bearleft.pick({column}, {row})")
        assert found == {"instance": number, "class": one.name, "part": found["part"]}
        assert found["part"] in one.parts


def test_a_page_without_tiles_says_so(page: Page) -> None:
    context = page.page.context.browser.new_context()
    other = context.new_page()
    other.goto(page.page.url.partition("?")[0] + "?tiles=/nowhere")
    other.locator("output", has_text="No tiles").wait_for()
    context.close()

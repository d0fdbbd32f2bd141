"""Materials: windows that count up along a wall, letters that read left to right, patterns that fade."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bearleft.geometry import View
from bearleft.records import Direction
from bearleft.runtime.compiled import jit
from bearleft.world.render.camera import poses, view
from bearleft.world.render.codes import Ground, Material, SolidShape
from bearleft.world.render.cpu import Pictures, render
from bearleft.world.render.font import FONT, NUMBER
from bearleft.world.render.light import Light
from bearleft.world.render.materials import surface_paint
from bearleft.world.render.scene import Scene
from tests.world.render.test_mesh import solids

f4 = np.float32
HOUSE = 44
# The camera heading that faces each side of a box.
SIDES = {"north": 180.0, "east": 270.0, "south": 0.0, "west": 90.0}


@jit
def _surface_paints(s: Any, points: Any, normals: Any, footprint: Any, gleam: Any, night: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            x, y, z = points[k, 0], points[k, 1], points[k, 2]
            r, g, b, own, part, kind = surface_paint(
                s, i, x, y, z, normals[k, 0], normals[k, 1], footprint, gleam, night
            )
            out[i, k, 0], out[i, k, 1], out[i, k, 2], out[i, k, 3], out[i, k, 4], out[i, k, 5] = (
                r,
                g,
                b,
                own,
                part,
                kind,
            )


def block(
    half: tuple[float, float, float],
    material: Material,
    pattern: tuple[float, ...] = (),
    solid: SolidShape = SolidShape.BOX,
    **values: Any,
) -> Any:
    """Return one upright solid at the origin, 0.5 m above the ground."""
    rows = solids((solid, ()))
    rows["matrix"], rows["size"], rows["centre"] = np.diag(half), half, (0, 0, half[2] + 0.5)
    rows["material"], rows["colour"], rows["second"], rows["text"] = material, (200, 180, 160), (30, 30, 30), 0
    rows["pattern"][0, : len(pattern)] = pattern
    for name, value in values.items():
        rows[name] = value
    return rows


def render_side(
    rows: Any, side: str, pixels: int = 96, distance: float = 40.0, texts: tuple[str, ...] = ()
) -> Pictures:
    """Render one side of a solid so that it fills most of the picture."""
    heading = SIDES[side]
    half, centre = rows["size"][0], rows["centre"][0]
    across, deep = (half[0], half[1]) if side in ("north", "south") else (half[1], half[0])
    turn = np.radians(heading)
    position = centre - np.array([np.sin(turn), np.cos(turn), 0]) * (distance + deep)
    fov = float(np.degrees(2 * np.arctan(1.1 * max(across, half[2]) / distance)))
    scene = Scene.make(rows, [1, HOUSE], texts=texts)
    return render(scene, poses([position], heading), view(pixels, pixels, fov), Light(12.0, 0.0, 0.0), shadows=False)


def windows(pictures: Pictures) -> tuple[Any, Any]:
    """Return the window column and floor of every pixel, 0 where there is no window."""
    return pictures.part[0] >> 8 & 0xFF, pictures.part[0] >> 16 & 0xFF


@pytest.mark.parametrize("style", range(6))
@pytest.mark.parametrize("side", SIDES)
def test_windows_count_up_along_a_wall(side: str, style: int) -> None:
    # 12 x 4 m, 10 m high; bays of 2 m, a ground floor of 1 m and floors of 3 m.
    rows = block((6.0, 2.0, 5.0), Material.FACADE, (2.0, 3.0, 1.0, style), part=9)
    pictures = render_side(rows, side)
    column, floor = windows(pictures)
    window = column > 0
    bays = 6 if side in ("north", "south") else 2
    assert set(np.unique(column[window]).tolist()) == set(range(1, bays + 1))
    assert set(np.unique(floor[window]).tolist()) == {1, 2, 3}
    np.testing.assert_array_equal(window, pictures.kind[0] == Ground.WINDOW)
    np.testing.assert_array_equal(window, floor > 0)
    assert (pictures.instance[0][window] == 1).all() and (pictures.part[0][pictures.instance[0] == 1] & 0xFF == 9).all()
    assert (pictures.kind[0][(pictures.instance[0] == 1) & ~window] == HOUSE).all()
    # Along a row of pixels to the right, column numbers never fall; upwards, floor numbers never fall.
    for y in np.flatnonzero(window.any(axis=1)):
        sequence = column[y][window[y]]
        assert (np.diff(sequence) >= 0).all() and (np.diff(sequence) <= 1).all()
        assert sequence[0] == 1 and sequence[-1] == bays
        assert len(np.unique(floor[y][window[y]])) == 1
    for x in np.flatnonzero(window.any(axis=0)):
        sequence = floor[:, x][window[:, x]][::-1]
        assert (np.diff(sequence) >= 0).all() and sequence[0] == 1 and sequence[-1] == 3
        assert len(np.unique(column[:, x][window[:, x]])) == 1
    # Positions in metres: each window lies in its bay and on its floor.
    half, fov_half = (6.0 if bays == 6 else 2.0), 1.1 * max(6.0 if bays == 6 else 2.0, 5.0)
    pixel = np.arange(96) + 0.5
    u, v = half + (pixel - 48) / 48 * fov_half, 5.0 - (pixel - 48) / 48 * fov_half
    down, right = np.nonzero(window)
    np.testing.assert_array_equal(column[down, right], np.floor(u[right] / 2.0) + 1)
    np.testing.assert_array_equal(floor[down, right], np.floor((v[down] - 1) / 3.0) + 1)


@pytest.mark.parametrize("bay", [1.1, 2.0, 2.7, 3.3])
def test_number_of_window_columns_is_the_number_of_bays_that_fit(bay: float) -> None:
    for count in range(1, 10):
        rows = block((bay * count / 2, 2.0, 3.0), Material.FACADE, (bay, 3.0, 0.0, 0))
        assert windows(render_side(rows, "south"))[0].max() == count
        # A little too narrow for another bay: the bays grow instead.
        rows = block((bay * (count + 0.9) / 2, 2.0, 3.0), Material.FACADE, (bay, 3.0, 0.0, 0))
        assert windows(render_side(rows, "south"))[0].max() == count


def test_narrow_wall_has_one_column_and_only_complete_floors() -> None:
    column, floor = windows(render_side(block((0.6, 1.0, 4.4), Material.FACADE, (2.0, 3.0, 0.5, 0)), "north"))
    assert set(np.unique(column).tolist()) == {0, 1}
    assert set(np.unique(floor).tolist()) == {0, 1, 2}  # 8.8 m hold no third floor above 0.5 + 2 x 3 m


def test_roofs_have_no_windows() -> None:
    scene = Scene.make(block((6.0, 6.0, 2.0), Material.FACADE, (2.0, 2.0, 0.0, 3)), [1, HOUSE])
    pictures = render(scene, poses([[0, 0, 20]], 0, -90), view(32, 32, 20.0))
    assert (pictures.instance == 1).all() and (pictures.kind == HOUSE).all() and not (pictures.part >> 8).any()


def test_some_windows_are_lit_at_night() -> None:
    rows = block((10.0, 2.0, 9.0), Material.FACADE, (2.0, 3.0, 0.0, 3))
    scene = Scene.make(rows, [1, HOUSE])
    pictures = render(scene, poses([[0, -30, 9.5]]), view(96, 96, 45.0), Light(0.0), shadows=False)
    column, floor = windows(pictures)
    bright = {
        (c, f): pictures.rgb[0][(column == c) & (floor == f)].mean() > 100 for c in range(1, 11) for f in range(1, 7)
    }
    assert 0.1 < np.mean(list(bright.values())) < 0.6


@pytest.mark.parametrize("kind", [SolidShape.PLATE, SolidShape.BOX])
@pytest.mark.parametrize("side", ["north", "south"])
@pytest.mark.parametrize("text", ["L", "7", "LF7", "RUE 4"])
def test_letters_read_left_to_right_from_both_sides(kind: SolidShape, side: str, text: str) -> None:
    half = (0.62 * len(text), 0.05, 0.8)
    rows = block(half, Material.TEXT, (0.8,), kind, colour=255, second=0)
    lens, distance = view(300, 300, 70.0), 5.0
    heading = SIDES[side]
    position = rows["centre"][0] - np.array([0, np.cos(np.radians(heading)), 0]) * distance
    scene = Scene.make(rows, [1, HOUSE], texts=[text])
    pictures = render(scene, poses([position], heading), lens, Light(12.0, 0.0, 0.0), shadows=False)
    # The size of a dot, and the position of each dot seen from this side.
    dots = 6 * len(text) - 1
    dot = min(2 * half[2] * 0.8 / 7, 2 * half[0] * 0.94 / dots)
    surface = half[1] if kind == SolidShape.BOX else 0.0
    eye = View(Direction(heading, 0.0), 300, 300, 70.0)
    for letter_index, letter in enumerate(text):
        for row in range(7):
            for column in range(5):
                right, up = (6 * letter_index + column + 0.5 - dots / 2) * dot, (3 - row) * dot
                x, y = (150 + eye.focal * right / (distance - surface), 150 - eye.focal * up / (distance - surface))
                ink = FONT[NUMBER[letter]] >> (5 * row + column) & 1
                assert (pictures.rgb[0, int(y), int(x)].max() < 60) == bool(ink), (letter, row, column)


def test_ends_of_a_sign_and_signs_without_text_are_blank() -> None:
    rows = block((2.0, 1.5, 1.0), Material.TEXT, (0.9,), colour=255, second=0)
    for side in ("east", "west"):
        pictures = render_side(rows, side, texts=("HHH",))
        assert pictures.rgb[pictures.instance == 1].min() > 100
    assert render_side(rows, "north", texts=("HHH",)).rgb.min() < 30
    rows["text"] = -1
    pictures = render_side(rows, "north", texts=("HHH",))
    assert pictures.rgb[pictures.instance == 1].min() > 100


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("kind", list(SolidShape))
def test_every_material_gives_valid_colours_everywhere(kind: SolidShape) -> None:
    rows = np.concatenate([block((1.5, 1.2, 1.9), material, (0.4, 0.5, 0.3, 1), kind) for material in Material])
    rows["instance"] = np.arange(1, len(rows) + 1)
    without_pattern = rows.copy()  # materials have default patterns, except facades, whose pattern is always given
    without_pattern["pattern"][without_pattern["material"] != Material.FACADE] = 0
    rng = np.random.default_rng(int(kind))
    points = rng.uniform(-1, 1, (400, 3)).astype(f4)
    points[:8] = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    normals = np.eye(3)[rng.integers(0, 3, 400)] * rng.choice([-1, 1], (400, 1))
    for solid_rows in (rows, without_pattern):
        scene = Scene.make(solid_rows, np.full(len(rows) + 1, HOUSE), texts=["TEXT"])
        assert scene.solids["material"].tolist() == [int(m) for m in Material]
        for footprint, night in ((0.001, 0.0), (0.05, 1.0), (3.0, 0.5)):
            out = np.full((len(rows), 400, 6), np.nan)
            _surface_paints(scene.arrays, points, normals.astype(f4), f4(footprint), f4(0.8), f4(night), out)
            assert np.isfinite(out).all()
            for material, colours in zip(Material, out[..., :3], strict=True):
                assert colours.min() >= 0 and colours.max() <= 2, material
            assert out[..., 3].min() >= 0 and out[..., 3].max() <= 2
            window = out[..., 5] == Ground.WINDOW
            np.testing.assert_array_equal(window, out[..., 4] > 0)
            assert set(np.flatnonzero(window.any(axis=1)).tolist()) <= {int(Material.FACADE)}


def test_every_material_looks_different() -> None:
    pixels_by_material = {}
    for material in Material:
        pattern = (0.8, 0.9, 0.4, 0) if material == Material.FACADE else (0.5, 0.5)
        pictures = render_side(block((1.0, 1.0, 1.0), material, pattern), "south", 160, 8.0, ("SIGN",))
        assert (pictures.instance == 1).mean() > 0.5
        pixels_by_material[material] = pictures.rgb[pictures.instance == 1].tobytes()
    alike = {Material.PLAIN, Material.LAMP}  # a lamp looks plain by day
    assert pixels_by_material[Material.PLAIN] == pixels_by_material[Material.LAMP]
    others = [pixels for material, pixels in pixels_by_material.items() if material not in alike]
    assert len(set(others)) == len(others) and pixels_by_material[Material.PLAIN] not in others


@pytest.mark.parametrize(
    ("material", "right", "up"),
    [(Material.STRIPES, 1, 0), (Material.BANDS, 0, 1), (Material.DIAGONAL, 1, 1), (Material.CHECKS, 1, 1)],
)
def test_two_colour_patterns_have_the_given_size(material: Material, right: int, up: int) -> None:
    rows = block((4.0, 1.0, 4.0), material, (1.0,), colour=255, second=0)
    pictures = render_side(rows, "south", 88)  # 0.1 m a pixel
    dark = pictures.rgb[0].max(axis=-1) < 100
    metres = (np.arange(88) + 0.5 - 44) * 0.1 + 4.0
    x, y = np.meshgrid(metres, metres[::-1])
    inside = (x > 0.1) & (x < 7.9) & (y > 0.1) & (y < 7.9)
    if material == Material.DIAGONAL:
        number, edge = np.floor(x + y), np.abs((x + y) - np.round(x + y)) < 0.16
    else:
        number = np.floor(x) * right + np.floor(y) * up
        edge = np.zeros(x.shape, bool)
        for coordinate, used in ((x, right), (y, up)):
            edge |= (np.abs(coordinate - np.round(coordinate)) < 0.11) & bool(used)
    clear = inside & ~edge
    assert clear.sum() > 3000
    np.testing.assert_array_equal(dark[clear], number[clear] % 2 == 1)


FINE = [Material.STRIPES, Material.BANDS, Material.DIAGONAL, Material.CHECKS, Material.DOTS, Material.RIBBONS]
FAINT = [Material.BRICK, Material.STONE, Material.WOOD, Material.SHUTTER, Material.PANELS]


@pytest.mark.parametrize("material", [*FINE, *FAINT])
def test_patterns_fade_with_distance(material: Material) -> None:
    rows = block((40.0, 1.0, 40.0), material, (0.3,), colour=(230, 230, 230), second=(20, 20, 20))
    scene = Scene.make(rows, [1, HOUSE])
    spread, mean = [], []
    for distance, fov in ((3.0, 40.0), (250.0, 12.0)):
        camera_poses = poses([[0.0, -1.0 - min(distance, 55.0), 12.0]])
        # The world has an edge, so a far view is imitated by coarse pixels.
        lens = view(64, 64, fov) if distance < 55 else view(12, 12, 60.0)
        pictures = render(scene, camera_poses, lens, Light(12.0, 0.0, 0.0), shadows=False)
        wall = pictures.rgb[0][pictures.instance[0] == 1].astype(float)
        assert len(wall) > 80
        spread.append(wall.std(axis=0).max())
        mean.append(((wall / 255) ** 2).mean())
    assert spread[1] < 2.0 and spread[0] > 2.5 * spread[1] and spread[0] > 2.0
    assert material not in FINE or mean[1] == pytest.approx(mean[0], rel=0.25)


@pytest.mark.parametrize(
    ("kind", "half"), [(SolidShape.BOX, 0.7), (SolidShape.CYLINDER, 0.4), (SolidShape.ELLIPSOID, 0.5)]
)
@pytest.mark.parametrize("material", [Material.DOTS, Material.RIBBONS])
def test_dots_and_ribbons_continue_without_a_seam_around_a_solid(
    material: Material, kind: SolidShape, half: float
) -> None:
    """Along a row of points around the solid there are as many dark runs as fit, all of one length."""
    rows = block((half, half, half), material, (0.28, 0.09), solid=kind)
    turns = np.linspace(-np.pi, np.pi, 4000, endpoint=False)
    flat = kind == SolidShape.BOX
    x = np.linspace(-1, 1, 4000) if flat else np.cos(turns)
    y = np.ones(4000) if flat else np.sin(turns)
    # The middle of a row of dots: of five, three and about six rows, by the solid's height.
    height = {SolidShape.BOX: 0.0, SolidShape.CYLINDER: 0.0, SolidShape.ELLIPSOID: np.sin(np.pi / 12)}[kind]
    level = np.sqrt(1 - height * height) if kind == SolidShape.ELLIPSOID else 1.0
    points = np.column_stack([x * level, y * level, np.full(4000, height)])
    out = np.zeros((1, 4000, 6))
    normals = np.tile([0.0, 1.0, 0.0], (4000, 1)) if flat else points
    _surface_paints(
        Scene.make(rows, [1, HOUSE]).arrays, points.astype(f4), normals.astype(f4), f4(1e-3), f4(0), f4(0), out
    )
    dark = out[0, :, 0] < 0.2
    change = np.flatnonzero(dark != np.roll(dark, 1))
    length = 2 * half if flat else 2 * np.pi * half * level
    widest = 2 * half if flat else 2 * np.pi * half * (level if material == Material.DOTS else 1.0)
    count = round(widest / 0.28)
    assert len(change) == 2 * count
    dark_runs = np.diff(change)[(0 if dark[change[0]] else 1) :: 2] * length / 4000
    expected = 0.18 if material == Material.DOTS else 0.09 / 0.28 * length / count
    np.testing.assert_allclose(dark_runs, expected, atol=0.004)


def test_tiles_have_joints_from_edge_to_edge() -> None:
    rows = block((1.5, 0.1, 1.0), Material.TILES, (0.5, 0.1))
    pictures = render_side(rows, "north")
    wall = pictures.rgb[0][(pictures.instance[0] == 1).any(axis=1)][:, (pictures.instance[0] == 1).any(axis=0)]
    dark = wall.max(axis=2) < 100
    across = dark[len(dark) // 8]  # within the upper row of tiles
    assert across[0] and across[-1] and (np.diff(across.astype(int)) == 1).sum() == 6


def test_rendered_colours_keep_their_hue() -> None:
    for colour in ((200, 20, 10), (10, 200, 20), (20, 10, 200), (128, 128, 128)):
        pictures = render_side(block((1.0, 1.0, 1.0), Material.PLAIN, colour=colour), "south")
        pixels = pictures.rgb[pictures.instance == 1].astype(float)
        assert pixels.std(axis=0).max() < 1
        shares, expected = pixels.mean(axis=0) / pixels.mean(axis=0).max(), np.array(colour) / max(colour)
        np.testing.assert_allclose(shares, expected, atol=0.12)

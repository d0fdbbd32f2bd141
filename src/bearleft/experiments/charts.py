"""Line and bar charts, drawn with matplotlib (extra `plots`) and returned as Pillow images or as SVG."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Generic, TypeVar

from PIL import Image

from bearleft.errors import InputError
from bearleft.runtime.extras import install_command

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#1f5fbf", "#e07010", "#2c8e4f", "#b03060", "#6d5cae", "#5a5a5a")
INK, GRID = "#282828", "#e0e0e0"
DPI = 100
BAR_HEIGHT = 9  # pixels of a bar in a group

T = TypeVar("T")
Line = tuple[Sequence[float], Sequence[float]]


@dataclass(frozen=True)
class Interval:
    """A value with the ends of its confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Band:
    """A line with a range around it: values, and the lowest and highest at each x."""

    x: Sequence[float]
    values: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


def draw_lines(
    lines: Mapping[str, Line], title: str, x_label: str, y_label: str, size: tuple[int, int] = (760, 420)
) -> Image.Image:
    """Draw one line for each name, over common axes that begin at 0.

    Args:
        lines: The x and y values of each line, by name.
        title: Title of the chart.
        x_label: Label of the horizontal axis.
        y_label: Label of the vertical axis.
        size: Width and height of the image in pixels.

    Raises:
        InputError: If there is no line, a line has no points, or matplotlib is not installed.
    """
    if not lines or not all(len(x) == len(y) > 0 for x, y in lines.values()):
        raise InputError("lines of as many x as y, at least one point each", f"{len(lines)} lines")
    figure, axes = _new_chart(size, title, x_label, y_label)
    for k, (name, (x, y)) in enumerate(lines.items()):
        axes.plot(x, y, color=COLOURS[k % len(COLOURS)], linewidth=1.5, label=name)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.grid(color=GRID, linewidth=0.5)
    axes.legend(frameon=False, fontsize=9)
    return _to_image(figure, size)


def draw_bars(values: Mapping[str, float], title: str, x_label: str, size: tuple[int, int] = (760, 520)) -> Image.Image:
    """Draw one horizontal bar for each name, the first on top.

    Args:
        values: The length of each bar, by name.
        title: Title of the chart.
        x_label: Label of the horizontal axis.
        size: Width and height of the image in pixels.

    Raises:
        InputError: If there is no bar, or matplotlib is not installed.
    """
    if not values:
        raise InputError("at least one bar", "none")
    figure, axes = _new_chart(size, title, x_label)
    axes.barh(list(values), list(values.values()), height=0.7, color=COLOURS[0])
    _finish_bars(axes)
    return _to_image(figure, size)


def draw_grouped_bars(
    groups: Mapping[str, Mapping[str, float]], series: Sequence[str], title: str, x_label: str, width: int = 760
) -> Image.Image:
    """Draw a group of horizontal bars for each name, one bar for each series that the group has.

    Args:
        groups: The length of each series' bar, by name of the group.
        series: Names of all series; their order gives the colours and the legend.
        title: Title of the chart.
        x_label: Label of the horizontal axis.
        width: Width of the image in pixels; its height follows from the number of bars.

    Raises:
        InputError: If there is no bar, or matplotlib is not installed.
    """
    colours = {name: COLOURS[k % len(COLOURS)] for k, name in enumerate(series)}
    size = width, _bars_height(groups, colours)
    figure, axes = _new_chart(size, title, x_label)
    for bars in _bar_groups(groups, colours):
        axes.barh(bars.y, bars.values, height=bars.height, color=colours[bars.name], label=bars.name)
    _finish_groups(axes, groups)
    _finish_bars(axes, inverted=True)
    return _to_image(figure, size)


def interval_lines_svg(
    groups: Mapping[str, Mapping[str, Interval]],
    colours: Mapping[str, str],
    title: str,
    x_label: str,
    y_label: str,
    size: tuple[int, int] = (760, 440),
) -> str:
    """Return the SVG of a line for each series over all groups, with a bar for each interval.

    Args:
        groups: The percentage of each series, by name of the group, from left to right.
        colours: The colour of each series.
        title: Title of the chart.
        x_label: Label of the horizontal axis.
        y_label: Label of the vertical axis.
        size: Width and height in pixels.

    Raises:
        InputError: If there is no point, or matplotlib is not installed.
    """
    present = _present(groups, colours)
    figure, axes = _new_chart(size, title, x_label, y_label)
    for k, name in enumerate(present):
        # Intervals of one group stand beside each other.
        offset = (k - (len(present) - 1) / 2) * 0.07
        points = [(row + offset, group[name]) for row, group in enumerate(groups.values()) if name in group]
        axes.errorbar(
            [x for x, _ in points],
            [one.value for _, one in points],
            yerr=_errors([one for _, one in points]),
            color=colours[name],
            linewidth=1.8,
            elinewidth=1.2,
            capsize=3,
            marker="o",
            markersize=5,
            label=name,
        ).lines[0].set_gid(f"line {name}")
    axes.set_xticks(range(len(groups)), list(groups))
    axes.set_xlim(-0.5, len(groups) - 0.5)
    axes.set_ylim(0, 100)
    axes.grid(axis="y", color=GRID, linewidth=0.5)
    axes.legend(frameon=False, fontsize=9, ncols=len(present), loc="lower right", bbox_to_anchor=(1.0, 1.0))
    return _to_svg(figure, title)


def band_lines_svg(
    bands: Mapping[str, Band],
    colours: Mapping[str, str],
    title: str,
    x_label: str,
    y_label: str,
    size: tuple[int, int] = (760, 440),
) -> str:
    """Return the SVG of a line with the range around it for each series.

    Args:
        bands: The line of each series.
        colours: The colour of each series.
        title: Title of the chart.
        x_label: Label of the horizontal axis.
        y_label: Label of the vertical axis.
        size: Width and height in pixels.

    Raises:
        InputError: There is no line, a line has no points, or matplotlib is not installed.
    """
    if not bands or not all(len(band.x) == len(band.values) > 0 for band in bands.values()):
        raise InputError("lines of at least one point each", f"{len(bands)} lines")
    figure, axes = _new_chart(size, title, x_label, y_label)
    for name, band in bands.items():
        axes.fill_between(band.x, band.low, band.high, color=colours[name], alpha=0.15, linewidth=0)
        axes.plot(band.x, band.values, color=colours[name], linewidth=1.8, label=name, gid=f"line {name}")
    axes.locator_params(axis="x", integer=True)
    axes.grid(color=GRID, linewidth=0.5)
    axes.legend(frameon=False, fontsize=9, ncols=len(bands), loc="lower right", bbox_to_anchor=(1.0, 1.0))
    return _to_svg(figure, title)


def interval_bars_svg(
    groups: Mapping[str, Mapping[str, Interval]], colours: Mapping[str, str], title: str, x_label: str, width: int = 760
) -> str:
    """Return the SVG of a group of horizontal bars for each name, one bar for each series, with their intervals.

    Args:
        groups: The percentage of each series, by name of the group, from top to bottom.
        colours: The colour of each series.
        title: Title of the chart.
        x_label: Label of the horizontal axis.
        width: Width in pixels; the height follows from the number of bars.

    Raises:
        InputError: If there is no bar, or matplotlib is not installed.
    """
    figure, axes = _new_chart((width, _bars_height(groups, colours)), title, x_label)
    for bars in _bar_groups(groups, colours):
        container = axes.barh(
            bars.y,
            [one.value for one in bars.values],
            height=bars.height,
            color=colours[bars.name],
            xerr=_errors(bars.values),
            error_kw={"elinewidth": 0.9, "ecolor": INK},
            label=bars.name,
        )
        for row, bar in zip(bars.rows, container, strict=True):
            bar.set_gid(f"bar {bars.name} {row}")
    _finish_groups(axes, groups)
    axes.set_xlim(0, 100)
    axes.grid(axis="x", color=GRID, linewidth=0.5)
    return _to_svg(figure, title)


@dataclass(frozen=True)
class _Bars(Generic[T]):
    """The bars of one series: groups that have it, positions from top to bottom, and values."""

    name: str
    rows: list[int]
    y: list[float]
    values: list[T]
    height: float


def _bar_groups(groups: Mapping[str, Mapping[str, T]], colours: Mapping[str, str]) -> Iterator[_Bars[T]]:
    """Yield the bars of each series; those of a group stand below each other."""
    present = _present(groups, colours)
    step = 0.8 / len(present)
    for k, name in enumerate(present):
        rows = [row for row, group in enumerate(groups.values()) if name in group]
        y = [row + (k - (len(present) - 1) / 2) * step for row in rows]
        yield _Bars(name, rows, y, [group[name] for group in groups.values() if name in group], step * 0.9)


def _bars_height(groups: Mapping[str, Mapping[str, T]], colours: Mapping[str, str]) -> int:
    """Return the height of a chart of grouped bars in pixels."""
    return (len(_present(groups, colours)) * BAR_HEIGHT + 8) * len(groups) + 112


def _finish_groups(axes: Axes, groups: Mapping[str, Mapping[str, T]]) -> None:
    axes.set_yticks(range(len(groups)), list(groups))
    axes.set_ylim(len(groups) - 0.5, -0.5)
    series = len(axes.get_legend_handles_labels()[1])
    axes.legend(frameon=False, fontsize=9, ncols=series, loc="lower right", bbox_to_anchor=(1.0, 1.0))


def _present(groups: Mapping[str, Mapping[str, T]], colours: Mapping[str, str]) -> list[str]:
    present = [name for name in colours if any(name in group for group in groups.values())]
    if not present:
        raise InputError("at least one bar or point", "none")
    return present


def _errors(values: Sequence[Interval]) -> list[list[float]]:
    return [[one.value - one.low for one in values], [one.high - one.value for one in values]]


def _new_chart(size: tuple[int, int], title: str, x_label: str, y_label: str = "") -> tuple[Figure, Axes]:
    if find_spec("matplotlib") is None:
        raise InputError("matplotlib", "none in this installation", hint=f"Type: {install_command('plots')}")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(size[0] / DPI, size[1] / DPI), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    figure.suptitle(title, x=0.01, horizontalalignment="left", fontsize=11, color=INK)
    axes.set_xlabel(x_label, fontsize=9, color=INK)
    axes.set_ylabel(y_label, fontsize=9, color=INK)
    axes.tick_params(labelsize=8, colors=INK, length=0)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _finish_bars(axes: Axes, inverted: bool = False) -> None:
    axes.set_xlim(left=0)
    if not inverted:
        axes.invert_yaxis()
    axes.grid(axis="x", color=GRID, linewidth=0.5)


def _to_image(figure: Figure, size: tuple[int, int]) -> Image.Image:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    canvas.draw()  # type: ignore[no-untyped-call]
    pixels = bytes(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
    image = Image.frombytes("RGBA", canvas.get_width_height(), pixels).convert("RGB")
    return image if image.size == size else image.resize(size, Image.Resampling.LANCZOS)


def _to_svg(figure: Figure, title: str) -> str:
    """Return a chart as SVG, the same text for the same chart."""
    from matplotlib import rc_context

    stream = io.StringIO()
    with rc_context({"svg.hashsalt": "bearleft"}):
        figure.savefig(stream, format="svg", metadata={"Title": title, "Date": None, "Creator": None})
    return stream.getvalue()


def histogram(lengths: Sequence[int], width: int, last: int) -> Line:
    """Return the percentage of lengths in each bin of `width` below `last`, over the middles of the bins."""
    if not lengths:
        raise InputError("at least one length", "none")
    bins = [0] * (last // width)
    for length in lengths:
        if length < last:
            bins[length // width] += 1
    return [width * (k + 0.5) for k in range(len(bins))], [100 * n / len(lengths) for n in bins]

"""A comparison as a picture: bits per character against speed; called by cli/bench.py.

The same rows give the same file: no dates, no random names, and text stays text.
"""

import io
import logging
import math
import os
import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..errors import NlmzipError, OptionError
from .packages import pip_install
from .rows import Comparison, Row

#: Forms of picture, by the suffix of a file's name.
FORMATS = ("svg", "png")

_WIDTH, _LEAST_HEIGHT, _ROW_HEIGHT = 9.0, 6.0, 0.22  # inches
_DOTS_PER_INCH = 150
_MARKER_POINTS = 7.0
_LABEL_POINTS = 8.0
#: Labels are this much wider than measured: another program may draw them in another font.
_FONT_MARGIN = 1.08


class Kind(NamedTuple):
    """How a kind of row is drawn."""

    name: str
    marker: str
    colour: str


OWN = Kind("nlmzip", "o", "#c1272d")
PEER = Kind("others", "s", "#33658a")
GIVEN = Kind("others, given the training text", "^", "#6a994e")


class Box(NamedTuple):
    """A rectangle in dots; the upper right corner is the greater one."""

    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: "Box") -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )

    def within(self, other: "Box") -> bool:
        return (
            other.left <= self.left
            and other.bottom <= self.bottom
            and self.right <= other.right
            and self.top <= other.top
        )


def require(path: str) -> str:
    """The form of picture that a file's name asks for.

    Raises OptionError where there is none, or no matplotlib to draw it.
    """
    suffix = os.path.splitext(path)[1].lower().removeprefix(".")
    if suffix not in FORMATS:
        known = " or ".join(f".{name}" for name in FORMATS)
        raise OptionError(f"--plot: a picture's name ends in {known}; change {path}")
    # Where it may write no cache of its own, the picture is none the worse.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        remedy = pip_install("matplotlib")
        raise OptionError(f"--plot needs matplotlib; get it with: {remedy}") from None
    return suffix


def picture(comparison: Comparison, form: str) -> bytes:
    """A file's content: bpc against encoding speed, a point for each row that has both.

    Raises NlmzipError where no row has.
    """
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # of a name in another script
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "nlmzip"})
        figure, _ = draw(comparison)
        output = io.BytesIO()
        nothing = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        figure.savefig(output, format=form, dpi=_DOTS_PER_INCH, metadata=nothing)
    return output.getvalue()


def points(comparison: Comparison) -> list[tuple[Row, float, float]]:
    """Rows with their encoding speed in MB/s and their bpc."""
    return [
        (row, comparison.megabytes_per_second(row.encode_seconds), comparison.bpc(row))
        for row in comparison.rows
        if row.encode_seconds and comparison.n_bytes
    ]


def kind(row: Row) -> Kind:
    return OWN if row.is_own else GIVEN if row.is_given else PEER


def draw(comparison: Comparison):
    """The figure, and the boxes of its labels in dots."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = points(comparison)
    if not drawn:
        raise NlmzipError(f"nothing to plot of {comparison.name}: it is empty")
    height = max(_LEAST_HEIGHT, _ROW_HEIGHT * len(drawn))
    figure = Figure(figsize=(_WIDTH, height), dpi=_DOTS_PER_INCH, layout=None)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.08, 0.09, 0.89, 0.84))
    axes.set_title(f"{_plain(comparison.name)}: {comparison.n_bytes:,} bytes")
    axes.set_xlabel("encoding speed, MB/s (logarithmic)")
    axes.set_ylabel("bits per character (less is better)")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.grid(True, linewidth=0.3)
    for each in (OWN, PEER, GIVEN):
        group = [(speed, bpc) for row, speed, bpc in drawn if kind(row) == each]
        if group:
            axes.scatter(
                *zip(*group),
                s=_MARKER_POINTS**2,
                marker=each.marker,
                color=each.colour,
                label=each.name,
                zorder=3,
            )
    _widen(axes, drawn)
    legend = axes.legend(loc="best", fontsize=_LABEL_POINTS)
    return figure, _label(figure, axes, drawn, legend)


def _plain(text: str) -> str:
    """Text in which matplotlib finds no mathematics and no control characters."""
    shown = "".join(each if each.isprintable() else "?" for each in text)
    return shown.replace("$", r"\$")


def _widen(axes, drawn: Sequence[tuple[Row, float, float]]) -> None:
    """Limits that leave room for labels on all sides."""
    speeds = [math.log10(speed) for _, speed, _ in drawn]
    bits = [bpc for _, _, bpc in drawn]
    beside = 0.15 * max(max(speeds) - min(speeds), 1)
    above = 0.1 * max(max(bits) - min(bits), 0.1)
    axes.set_xlim(10 ** (min(speeds) - beside), 10 ** (max(speeds) + 2 * beside))
    axes.set_ylim(max(min(bits) - above, 0), max(bits) + above)


def _label(figure, axes, drawn, legend) -> list[Box]:
    """Write each row's name near its point, where it covers no point and no other name."""
    renderer = figure.canvas.get_renderer()
    dots = _DOTS_PER_INCH / 72
    inside = Box(*axes.get_window_extent(renderer).extents)
    places = [tuple(axes.transData.transform((speed, bpc))) for _, speed, bpc in drawn]
    half = dots * _MARKER_POINTS / 2
    taken = [Box(x - half, y - half, x + half, y + half) for x, y in places]
    taken.append(Box(*legend.get_window_extent(renderer).extents))
    labels = []
    for (row, _, _), (x, y) in zip(drawn, places, strict=True):
        text = axes.text(
            *(0, 0, _plain(row.label)),
            fontsize=_LABEL_POINTS,
            color=kind(row).colour,
            transform=None,
            zorder=4,
        )
        extent = text.get_window_extent(renderer)
        width, height = _FONT_MARGIN * extent.width, extent.height
        box = next(
            each
            for each in _candidates(x, y, width, height, half + 2 * dots, inside)
            if not any(each.overlaps(other) for other in taken)
        )
        taken.append(box)
        labels.append(box)
        # The text's own box begins a little left of and below where it is put.
        text.set_position((box.left - extent.x0, box.bottom - extent.y0))
        distances = [_distance(box, *place) for place in places if place != (x, y)]
        if _distance(box, x, y) > min([3 * half, *(each / 2 for each in distances)]):
            _lead(axes, box, x, y)
    return labels


def _candidates(
    x: float, y: float, width: float, height: float, gap: float, inside: Box
) -> Iterator[Box]:
    """Boxes of a label, from the nearest to the farthest; at last below all, outside the axes."""
    span = max(inside.right - inside.left, inside.top - inside.bottom)
    distance = gap
    while distance < span:
        n_directions = 8 if distance == gap else 24
        for step in range(n_directions):
            angle = 2 * math.pi * step / n_directions
            # The box's middle is so far off that its border is `distance` from the point.
            across, up = math.cos(angle), math.sin(angle)
            middle_x = x + across * (distance + width / 2)
            middle_y = y + up * (distance + height / 2)
            left, bottom = middle_x - width / 2, middle_y - height / 2
            box = Box(left, bottom, left + width, bottom + height)
            if box.within(inside):
                yield box
        distance += height / 2
    bottom = inside.bottom
    while True:
        bottom -= height
        yield Box(inside.left, bottom, inside.left + width, bottom + height)


def _distance(box: Box, x: float, y: float) -> float:
    """From a point to the nearest of a box."""
    near_x, near_y = min(max(x, box.left), box.right), min(max(y, box.bottom), box.top)
    return math.hypot(x - near_x, y - near_y)


def _lead(axes, box: Box, x: float, y: float) -> None:
    """A thin line from a point to a label that is not beside it."""
    from matplotlib.lines import Line2D

    near_x, near_y = min(max(x, box.left), box.right), min(max(y, box.bottom), box.top)
    style = {"transform": None, "linewidth": 0.5, "color": "#888888", "zorder": 2}
    axes.add_line(Line2D((x, near_x), (y, near_y), **style))

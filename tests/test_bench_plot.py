"""The bench's picture: valid, the same every time, with readable labels."""

import random
import xml.etree.ElementTree as xml

import pytest

from nlmzip import NlmzipError
from nlmzip.bench.rows import Comparison, Row

pytest.importorskip("matplotlib")
from nlmzip.bench import plot

SVG = "{http://www.w3.org/2000/svg}"
OURS = Row("mix <&> $x$", 20_000, 2.0, 2.0, is_own=True)
THEIRS = Row("lzma -9e", 30_000, 0.05, 0.01)
GIFTED = Row("PPMd given the training text", 10_000, 0.4, 0.5, note="order 6", is_given=True)


def compared(*rows: Row, name: str = "text") -> Comparison:
    return Comparison(name, 100_000, 100_000, list(rows))


def drawn(*rows: Row, **settings) -> xml.Element:
    return xml.fromstring(plot.picture(compared(*rows, **settings), "svg"))


def texts(root: xml.Element) -> list[str]:
    return ["".join(each.itertext()).strip() for each in root.iter(f"{SVG}text")]


def markers(root: xml.Element) -> list[tuple[float, float]]:
    """Where points are, kind by kind."""
    (axes,) = [each for each in root.iter(f"{SVG}g") if each.get("id") == "axes_1"]
    return [
        (float(use.get("x")), float(use.get("y")))
        for group in axes.findall(f"{SVG}g")
        if group.get("id").startswith("PathCollection_")
        for use in group.iter(f"{SVG}use")
    ]


def test_names_are_text():
    found = texts(drawn(OURS, THEIRS, GIFTED))
    for name in ("mix <&> $x$", "lzma -9e", "PPMd given the training text (order 6)"):
        assert found.count(name) == 1
    assert "text: 100,000 bytes" in found
    assert "encoding speed, MB/s (logarithmic)" in found


def test_each_row_is_a_point_whose_speed_is_logarithmic():
    rows = [Row(f"n{power}", 10_000, 10.0**-power) for power in range(3)]
    points = markers(drawn(*rows))
    assert len(points) == 3
    steps = [points[place + 1][0] - points[place][0] for place in range(2)]
    assert steps[0] > 0
    assert steps[0] == pytest.approx(steps[1], rel=1e-3)
    assert len({y for _, y in points}) == 1


def test_fewer_bits_are_lower():
    ours, theirs = markers(drawn(OURS, THEIRS))
    assert ours[1] > theirs[1]  # SVG counts from above
    assert ours[0] < theirs[0]


def test_kinds_of_rows_are_told_apart():
    assert {plot.kind(row).name for row in (OURS, THEIRS, GIFTED)} == {
        "nlmzip", "others", "others, given the training text"
    }  # fmt: skip
    assert set(texts(drawn(OURS, THEIRS))) >= {"nlmzip", "others"}


@pytest.mark.parametrize("form", plot.FORMATS)
def test_the_same_rows_are_the_same_bytes(form):
    first, second = (plot.picture(compared(OURS, THEIRS), form) for _ in range(2))
    assert first == second
    assert first != plot.picture(compared(OURS, GIFTED), form)
    assert first.startswith(b"\x89PNG" if form == "png" else b"<?xml")


def test_nothing_tells_when_it_was_made():
    data = plot.picture(compared(OURS, THEIRS), "svg")
    assert b"dc:date" not in data
    assert b"matplotlib.org" not in data.lower() or b"Matplotlib v" not in data


@pytest.mark.parametrize("spread", [1.0, 0.01, 0.0], ids=["wide", "narrow", "all the same"])
def test_labels_cover_neither_each_other_nor_points(spread):
    chance = random.Random(3)
    rows = [
        Row(
            f"a contestant with the number {number}",
            20_000 + int(spread * chance.randrange(20_000)),
            0.1 * 10 ** (spread * chance.uniform(-2, 2)),
            is_own=number % 3 == 0,
            is_given=number % 3 == 1,
        )
        for number in range(40)
    ]
    figure, boxes = plot.draw(compared(*rows))
    axes = figure.axes[0]
    inside = plot.Box(*axes.get_window_extent().extents)
    assert len(boxes) == 40 and all(box.within(inside) for box in boxes)
    for place, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:place])
    for row, speed, bpc in plot.points(compared(*rows)):
        x, y = axes.transData.transform((speed, bpc))
        assert not any(box.overlaps(plot.Box(x - 5, y - 5, x + 5, y + 5)) for box in boxes)
    # What is written is where its box is.
    renderer = figure.canvas.get_renderer()
    written = [text.get_window_extent(renderer) for text in axes.texts]
    for text, box in zip(written, boxes, strict=True):
        assert box.left - 1 <= text.x0 and text.x1 <= box.right + 1
        assert box.bottom - 1 <= text.y0 and text.y1 <= box.top + 1


def test_a_file_name_is_no_mathematics():
    assert "a$b^c$.txt: 100,000 bytes" in texts(drawn(OURS, name="a$b^c$.txt"))


def test_rows_without_speed_are_no_points():
    rows = plot.points(compared(OURS, Row("no time", 5)))
    assert [row.contestant for row, *_ in rows] == [OURS.contestant]


def test_an_empty_text_is_no_picture():
    with pytest.raises(NlmzipError, match="nothing to plot"):
        plot.picture(Comparison("empty", 0, 0, [OURS]), "svg")

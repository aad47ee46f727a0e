"""A stacked bar chart by day, as coordinates that a template draws in SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

WIDTH, HEIGHT = 720, 200
LEFT, RIGHT, BOTTOM, TOP = 60, 20, 24, 10
BAR_SHARE = 0.8
"""Part of a day's width that its bar fills."""
LABELS = 6


@dataclass(frozen=True, slots=True)
class Bar:
    """The bar of one day, with a lower and an upper part; lengths are in units of the SVG view box.

    Attributes:
        x: Left edge.
        lower_top: Top edge of the lower part.
        lower_height: Height of the lower part.
        upper_top: Top edge of the upper part.
        upper_height: Height of the upper part.
        label: Text on the axis; empty for most days.
    """

    day: date
    x: float
    width: float
    lower_top: float
    lower_height: float
    upper_top: float
    upper_height: float
    label: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """The bars and the dimensions of a chart, in units of the SVG view box.

    Attributes:
        bars: One bar for each day.
        max_value: The value of the upper line.
        width: Width of the view box.
        height: Height of the view box.
        left: Left edge of the bars.
        top: Position of the upper line.
        base: Position of the line for zero.
    """

    bars: Sequence[Bar]
    max_value: int
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    top: int = TOP
    base: int = HEIGHT - BOTTOM


def bar_chart(days: Sequence[tuple[date, int, int]]) -> BarChart:
    """Compute the bars of a chart. `days`: Each day, in order, with its lower and its upper value."""
    max_value = max((lower + upper for _, lower, upper in days), default=0) or 1
    step = (WIDTH - LEFT - RIGHT) / max(len(days), 1)
    scale = (HEIGHT - BOTTOM - TOP) / max_value
    label_interval = max(1, len(days) // LABELS)
    bars = []
    for index, (day, lower, upper) in enumerate(days):
        lower_height, upper_height = lower * scale, upper * scale
        lower_top = HEIGHT - BOTTOM - lower_height
        bar = Bar(
            day=day,
            x=round(LEFT + index * step, 2),
            width=round(step * BAR_SHARE, 2),
            lower_top=round(lower_top, 2),
            lower_height=round(lower_height, 2),
            upper_top=round(lower_top - upper_height, 2),
            upper_height=round(upper_height, 2),
            label=f"{day:%d/%m}" if (len(days) - 1 - index) % label_interval == 0 else "",
        )
        bars.append(bar)
    return BarChart(bars, max_value)

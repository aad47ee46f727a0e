"""Bars by day, as numbers that a template draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

WIDTH, HEIGHT = 720, 200
LEFT, RIGHT, BOTTOM, TOP = 60, 20, 24, 10
LABELS = 6


@dataclass(frozen=True, slots=True)
class Bar:
    """One day. x, width: of both parts; heights and tops in the plot's own units. label: empty for most days."""

    day: date
    x: float
    width: float
    lower_top: float
    lower_height: float
    upper_top: float
    upper_height: float
    label: str


@dataclass(frozen=True, slots=True)
class Plot:
    """most: what the top line stands for."""

    bars: Sequence[Bar]
    most: int
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    top: int = TOP
    base: int = HEIGHT - BOTTOM


def plot(days: Sequence[tuple[date, int, int]]) -> Plot:
    """days: each with what stands below and what stands above it, in their order."""
    most = max((lower + upper for _, lower, upper in days), default=0) or 1
    step = (WIDTH - LEFT - RIGHT) / max(len(days), 1)
    scale = (HEIGHT - BOTTOM - TOP) / most
    every = max(1, len(days) // LABELS)
    bars = []
    for place, (day, lower, upper) in enumerate(days):
        lower_height, upper_height = lower * scale, upper * scale
        lower_top = HEIGHT - BOTTOM - lower_height
        label = f"{day:%d/%m}" if (len(days) - 1 - place) % every == 0 else ""
        bar = Bar(
            day=day,
            x=round(LEFT + place * step, 2),
            width=round(step * 0.8, 2),
            lower_top=round(lower_top, 2),
            lower_height=round(lower_height, 2),
            upper_top=round(lower_top - upper_height, 2),
            upper_height=round(upper_height, 2),
            label=label,
        )
        bars.append(bar)
    return Plot(bars, most)

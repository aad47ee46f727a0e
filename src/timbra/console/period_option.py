"""The period of a command: `--month`, or `--from` and `--to`."""

from __future__ import annotations

from datetime import date

import typer

from timbra.console.language import translate
from timbra.core.periods import DayPeriod, month_at, month_of


def period_of(month: str, since: str, until: str, today: date) -> DayPeriod:
    """Return the period of the options.

    Args:
        month: `YYYY-MM`; empty for the current month, up to today.
        since: First day; empty for the first day of the month of the last one.
        until: Last day; empty for today.
        today: The current day.
    """
    if month and (since or until):
        raise typer.BadParameter(translate("--month cannot be combined with --from and --to"))
    if month:
        return month_of(month)
    try:
        last = date.fromisoformat(until) if until else today
        return DayPeriod(date.fromisoformat(since) if since else last.replace(day=1), last)
    except ValueError as error:
        raise typer.BadParameter(translate("a day is YYYY-MM-DD")) from error


def previous_month(today: date) -> str:
    """Return the month before that of a day, `YYYY-MM`."""
    return f"{month_at(today, -1).first:%Y-%m}"

"""Documents at the limit of an arithmetic rule, and one unit of the last decimal beyond it."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from hypothesis import settings
from hypothesis import strategies as st

Evaluate = Callable[[str], set[str]]
"""Returns the codes of the findings of a document with this text of the amount."""

few_examples = settings(max_examples=10, derandomize=True, deadline=None)
"""Settings of the properties about boundaries: each example evaluates several documents."""


def amounts(least: str, most: str, places: int) -> st.SearchStrategy[Decimal]:
    """Amounts with exactly this number of decimals."""
    return st.decimals(Decimal(least), Decimal(most), places=places)


def half_unit(number: Decimal) -> Fraction:
    """Return half of the last unit of a number as written."""
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return Fraction(1, 2 * int(10**-exponent))


def truncated(value: Fraction, places: int) -> Decimal:
    """Return the value without its further decimals, computed with integers."""
    return Decimal(math.floor(value * 10**places)).scaleb(-places)


def rounded_up(value: Fraction, places: int) -> Decimal:
    """Return the least number with these decimals that is not below the value, computed with integers."""
    return Decimal(math.ceil(value * 10**places)).scaleb(-places)


def assert_equality(evaluate: Evaluate, value: Decimal, violated: set[str], *, places: int) -> None:
    """The value is accepted; one unit less and one unit more violate exactly the codes."""
    assert_limits(evaluate, value, value, violated, places=places)


def assert_limits(evaluate: Evaluate, lower: Decimal, upper: Decimal, violated: set[str], *, places: int) -> None:
    """Both limits are accepted; one unit beyond each of them violates exactly the codes."""
    unit = Decimal(1).scaleb(-places)
    assert evaluate(f"{lower:.{places}f}") == set()
    assert evaluate(f"{upper:.{places}f}") == set()
    assert evaluate(f"{lower - unit:.{places}f}") == violated
    assert evaluate(f"{upper + unit:.{places}f}") == violated


def assert_upper_limit(evaluate: Evaluate, upper: Decimal, violated: set[str], *, places: int) -> None:
    """The limit is accepted; one unit more violates exactly the codes."""
    assert evaluate(f"{upper:.{places}f}") == set()
    assert evaluate(f"{upper + Decimal(1).scaleb(-places):.{places}f}") == violated

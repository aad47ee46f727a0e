"""Forms of amounts that surely satisfy a predicate, as data that `timbra._native` evaluates.

A predicate that states a form (`implied_by`) finds nothing in a node that has it, in a document in a currency of two
decimals (none for type P, whose currency is XXX) that has no complements but payments: each in a currency of two
decimals, of documents in the same currency. The form only leaves out the evaluation of the predicate: a node without
the form is evaluated. Attributes are named as the SAT writes them, those of other nodes by their path from the root. A
sum is of the nodes inside of the deepest node that contains both. An absent number counts as 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

F = TypeVar("F", bound=Callable[[Any, Any], Any])


@dataclass(frozen=True, slots=True)
class Positive:
    """The amount is greater than zero."""

    amount: str


@dataclass(frozen=True, slots=True)
class AtMost:
    """The amount is not greater than another one."""

    amount: str
    other: str


@dataclass(frozen=True, slots=True)
class DecimalsOfCurrency:
    """The amount, if present, has no more decimals than the currency."""

    amount: str


@dataclass(frozen=True, slots=True)
class DecimalsOf:
    """The amount, if present, has no more decimals than another one."""

    amount: str
    other: str


@dataclass(frozen=True, slots=True)
class Product:
    """The amount differs from a product by less than one unit of its last decimal; or it or `rate` is absent."""

    base: str
    rate: str
    amount: str


@dataclass(frozen=True, slots=True)
class ExactSum:
    """The amount, if present, is the sum of an attribute of other nodes."""

    amount: str
    of: str


@dataclass(frozen=True, slots=True)
class RoundedSum:
    """The amount is the sum of an attribute of other nodes, rounded once; it is absent if all of these are.

    Attributes:
        where: attributes of these nodes with their values, a `Decimal` to compare numbers; only nodes with them count.
        times: attribute of a node around each of them by which theirs is multiplied; 1 when absent or 0.
    """

    amount: str
    of: str
    where: tuple[tuple[str, str | Decimal], ...] = ()
    times: str = ""


@dataclass(frozen=True, slots=True)
class GroupSum:
    """The amount, if present, is the rounded sum of an attribute of the other nodes that are equal in `by`."""

    amount: str
    of: str
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NearGroupSum:
    """The amount, if present, differs by less than one unit of its last decimal from a sum as of `GroupSum`.

    Attributes:
        by: names in this node and in the other ones.
    """

    amount: str
    of: str
    by: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Covers:
    """The amount is at least the sum of an attribute of other nodes."""

    amount: str
    of: str


@dataclass(frozen=True, slots=True)
class Difference:
    """The amount is `start` minus `less`."""

    amount: str
    start: str
    less: str


@dataclass(frozen=True, slots=True)
class Balance:
    """The amount is `start` minus `less`, plus and minus two attributes of another node, rounded once."""

    amount: str
    start: str
    less: str
    plus: str
    minus: str


AmountForm: TypeAlias = (
    Positive
    | AtMost
    | DecimalsOfCurrency
    | DecimalsOf
    | Product
    | ExactSum
    | RoundedSum
    | GroupSum
    | Balance
    | Difference
    | Covers
    | NearGroupSum
)

_FORMS: WeakKeyDictionary[Callable[[Any, Any], Any], AmountForm] = WeakKeyDictionary()


def implied_by(form: AmountForm) -> Callable[[F], F]:
    """Return a decorator that states a form of a predicate."""

    def state(predicate: F) -> F:
        _FORMS[predicate] = form
        return predicate

    return state


def form_of(predicate: Callable[[Any, Any], Any]) -> AmountForm | None:
    """Return the form that implies a predicate, None when none is stated."""
    return _FORMS.get(predicate)

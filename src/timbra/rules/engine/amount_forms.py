"""Forms of amounts that surely satisfy a predicate, as data that `timbra._native` evaluates.

A predicate that states a form (`implied_by`) finds nothing in a node that has it, in a document without complements and
in a currency of two decimals. The form only leaves out the evaluation of the predicate: a node without the form is
evaluated. Attributes are named as the SAT writes them, those of other nodes by their path from the root; an absent
number counts as 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
    """The amount is the sum of an attribute of other nodes, rounded once; it is absent if all of these are."""

    amount: str
    of: str


@dataclass(frozen=True, slots=True)
class GroupSum:
    """The amount, if present, is the rounded sum of an attribute of the other nodes that are equal in `by`."""

    amount: str
    of: str
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Balance:
    """The amount is `start` minus `less`, plus and minus two attributes of another node, rounded once."""

    amount: str
    start: str
    less: str
    plus: str
    minus: str


AmountForm: TypeAlias = (
    Positive | AtMost | DecimalsOfCurrency | DecimalsOf | Product | ExactSum | RoundedSum | GroupSum | Balance
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

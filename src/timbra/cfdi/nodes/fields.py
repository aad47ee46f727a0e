"""Declaration of what a node reads: each attribute, number and child of a class of nodes is named once, in its body.

A class of nodes is a list of annotated names:

- `Importe: str` is the XML attribute of that name, empty when absent; `Importe: str | None` is None when absent.
- `importe: Decimal = number_of("Importe")` is derived from other fields of the node.
- `traslados: tuple[Traslado, ...]` are its children of that kind, `receptor: Receptor | None` its only child of that
  kind, `emisor: Emisor` one that the schema requires. Names and places of the elements are those of `TEMPLATE` of the
  child's class.
- Every other field has one of the declarations of this module as its value.

The classes get slots of these names; the declarations are removed from the class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar, cast

T = TypeVar("T")

ZERO = Decimal(0)
ONE = Decimal(1)
LONGEST_NUMBER = 60
LONGEST_FACTOR = 40
ANY_LENGTH = 1_000_000


def number(text: str | None) -> Decimal:
    """Parse a number whose decimals the schema does not limit; 0 when absent.

    A text of more than 60 characters counts as 0: the rule about its decimals rejects it. So do texts with letters,
    which Decimal would read as infinity, NaN or an exponent.
    """
    if text is None or len(text) > LONGEST_NUMBER or text.swapcase() != text:
        return ZERO
    try:
        return Decimal(text)
    except InvalidOperation:
        return ZERO


def factor(text: str | None) -> Decimal:
    """Parse a number that is used as a factor or divisor: as `number`, but 0 beyond 40 characters."""
    return ZERO if text is not None and len(text) > LONGEST_FACTOR else number(text)


def factor_or_one(text: str | None) -> Decimal:
    """Parse a factor; 1 when it is absent or 0."""
    return factor(text) or ONE


def decimal_or_zero(text: str | None) -> Decimal:
    """Return the Decimal of a text, 0 when absent."""
    return ZERO if text is None else Decimal(text)


@dataclass(frozen=True, slots=True)
class Attribute:
    """An XML attribute.

    Attributes:
        name: its name, empty for the name of the field.
        default: the text when it is absent.
        convert: returns the value of the field from the text; None for the text itself.
    """

    name: str
    default: str | None
    convert: Callable[[Any], Any] | None


@dataclass(frozen=True, slots=True)
class Derived:
    """A value that depends on other fields of the node, which are declared before it.

    Attributes:
        function: returns the value from those of `sources`.
        digits: greatest length of a text of ASCII digits and at most one point for which `function` returns its
            Decimal; 0 for another function.
    """

    function: Callable[..., Any]
    sources: tuple[str, ...]
    digits: int


@dataclass(frozen=True, slots=True)
class Initial:
    """A value that is set after the node is read; until then, it is this immutable one."""

    value: object


@dataclass(frozen=True, slots=True)
class Made:
    """A value that is set after the node is read; until then, it is what the function returns."""

    make: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Present:
    """Whether the node has an element of that name."""

    name: str


@dataclass(frozen=True, slots=True)
class Gathered:
    """An attribute of descendants.

    Attributes:
        path: names of the elements, then `@` and the name of the attribute: `Traslados/Traslado/@Importe`.
        absent: the text of an element that does not have it.
        function: returns the value from the texts, in document order.
    """

    path: str
    absent: str | None
    function: Callable[[Sequence[Any]], Any]


@dataclass(frozen=True, slots=True)
class Named:
    """The attributes of some names that are present, by name."""

    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Elements:
    """The child elements of all children of that name, as elements."""

    name: str


@dataclass(frozen=True, slots=True)
class Element:
    """The last child of that name, as an element; the node's own element for an empty name."""

    name: str


Field = Attribute | Derived | Initial | Made | Present | Gathered | Named | Elements | Element
FIELDS = (Attribute, Derived, Initial, Made, Present, Gathered, Named, Elements, Element)


def attribute(name: str = "", default: str | None = None, convert: Callable[[Any], Any] | None = None) -> Any:
    """Declare an XML attribute of another name, with another default, or converted."""
    return Attribute(name, default, convert)


def derived(function: Callable[..., T], *sources: str) -> T:
    """Declare a value that a function returns for other fields of the node."""
    return cast("T", Derived(function, sources, 0))


def number_of(source: str) -> Decimal:
    """Declare the number of a text, as `number` parses it."""
    return cast("Decimal", Derived(number, (source,), LONGEST_NUMBER))


def factor_of(source: str) -> Decimal:
    """Declare the number of a text, as `factor` parses it."""
    return cast("Decimal", Derived(factor, (source,), LONGEST_FACTOR))


def decimal_of(source: str) -> Decimal:
    """Declare the number of a text that the schema limits to decimals; 0 when absent."""
    return cast("Decimal", Derived(decimal_or_zero, (source,), ANY_LENGTH))


def row_of(*sources: str) -> Any:
    """Declare the tuple of other fields."""
    return Derived(_row, sources, 0)


def is_row(field: Derived) -> bool:
    """Whether the field is declared with `row_of`."""
    return field.function is _row


def _row(*values: object) -> tuple[object, ...]:
    return values


def initial(value: T) -> T:
    """Declare an immutable value that is set after the node is read."""
    return cast("T", Initial(value))


def made(make: Callable[[], T]) -> T:
    """Declare a value that is set after the node is read, and until then is what the function returns."""
    return cast("T", Made(make))


def present(name: str) -> bool:
    """Declare whether the node has an element of that name."""
    return cast("bool", Present(name))


def gathered(path: str, function: Callable[[Sequence[Any]], T], absent: str | None = "") -> T:
    """Declare the value that a function returns for an attribute of descendants, as `Gathered`."""
    return cast("T", Gathered(path, absent, function))


def last(texts: Sequence[Any]) -> Any:
    """Return the last text, None without one."""
    return texts[-1] if texts else None


def last_or_empty(texts: Sequence[Any]) -> str:
    """Return the last text, empty without one."""
    return texts[-1] if texts else ""


def sum_of(texts: Sequence[str | None]) -> Decimal:
    return sum(map(number, texts), ZERO)


def named(names: frozenset[str]) -> dict[str, str]:
    """Declare the attributes of some names that are present, by name."""
    return cast("dict[str, str]", Named(names))


def elements_in(name: str) -> Any:
    """Declare the child elements of all children of that name."""
    return Elements(name)


def element(name: str = "") -> Any:
    """Declare the last child element of that name, None when absent; without a name the node's own element."""
    return Element(name)

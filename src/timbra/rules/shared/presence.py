"""Predicates about the presence of attributes and elements: each factory returns one for the argument `check` of `row`.

Argument `name` is the attribute of the node. For an element, `name` is the attribute of the node that is true when the
element exists, and `element` is the element's name, which findings show. Arguments `expected` and `otherwise` are
Spanish; `{node.Name}` in them is replaced by an attribute of the node.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from operator import attrgetter
from typing import Any

from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.predicates import Predicate, absent, key_of

Condition = Callable[[Any, EvaluationContext], bool]


def present(text: str | None, expected: str) -> RuleResult:
    """Check that an attribute or element is present.

    Args:
        text: its value, or the name of the element.
        expected: Spanish description of what must be present.
    """
    return None if text is not None else Violation(expected=expected)


def present_exactly_if(condition: bool, text: str | None, expected: str, otherwise: str) -> RuleResult:
    """Check that an attribute or element is present if the condition is true, and absent if it is false.

    Args:
        condition: whether it must be present.
        text: its value, or the name of the element.
        expected: Spanish description of what must be present.
        otherwise: Spanish end of the sentence "que no exista ...".
    """
    return present(text, expected) if condition else absent(text, otherwise)


def element_name(content: object, name: str) -> str | None:
    """Return the name of an element if it exists, for findings; None if its content is empty or None."""
    return name if content else None


def is_present(name: str, expected: str, *, element: str = "") -> Predicate:
    """The attribute or element is present."""
    read = _reader(name, element)
    return lambda node, _ctx: None if read(node) is not None else Violation(expected=expected)


def is_present_exactly_if(
    name: str, condition: Condition, *, expected: str, otherwise: str, element: str = ""
) -> Predicate:
    """The attribute or element is present if the condition is true, and absent if it is false."""
    read = _reader(name, element)

    def check(node: Any, ctx: EvaluationContext) -> RuleResult:
        found = read(node)
        if condition(node, ctx):
            return None if found is not None else Violation(expected=expected.format(node=node))
        return None if found is None else absent(found, otherwise.format(node=node))

    return check


def is_absent_unless(name: str, condition: Condition, otherwise: str, *, element: str = "") -> Predicate:
    """The attribute or element is absent, unless the condition is true."""
    read = _reader(name, element)
    return lambda node, ctx: None if condition(node, ctx) else absent(read(node), otherwise)


def is_present_with(name: str, other: str, values: Collection[str] | None = None) -> Predicate:
    """The attribute is present when the other attribute has one of the values, any value by default."""
    read, read_other = attrgetter(name), attrgetter(other)

    def check(node: Any, _ctx: EvaluationContext) -> RuleResult:
        value = read_other(node)
        if value is None or (values is not None and value not in values) or read(node) is not None:
            return None
        return Violation(expected=f"un valor, por {other} {value}")

    return check


def is_absent_with(name: str, other: str, values: Collection[str]) -> Predicate:
    """The attribute is absent when the other attribute has one of the values."""
    read, read_other = attrgetter(name), attrgetter(other)

    def check(node: Any, _ctx: EvaluationContext) -> RuleResult:
        value = read_other(node)
        return absent(read(node), f"con {other} {value}") if value in values else None

    return check


def is_absent_without(name: str, other: str) -> Predicate:
    """The attribute is absent when the other attribute is."""
    read, read_other = attrgetter(name), attrgetter(other)
    return lambda node, _ctx: absent(read(node), f"sin {other}") if read_other(node) is None else None


def is_forbidden(element: str, why: str) -> Predicate:
    """The element must not exist: every node of the kind is a violation.

    Args:
        element: name of the element.
        why: Spanish end of the sentence "que no exista ...".
    """
    return lambda _node, _ctx: Violation(found=element, expected=f"que no exista {why}")


def is_present_key(catalog: str, name: str, expected: str) -> Predicate:
    """The attribute is present and a key of the catalog in force on the document's date."""
    read = attrgetter(name)

    def check(node: Any, ctx: EvaluationContext) -> RuleResult:
        key = read(node)
        return Violation(expected=expected) if key is None else key_of(ctx, catalog, key)

    return check


def is_key_exactly_if(catalog: str, name: str, condition: Condition, *, expected: str, otherwise: str) -> Predicate:
    """The attribute is a key of the catalog if the condition is true, and absent if it is false."""
    read, is_key = attrgetter(name), is_present_key(catalog, name, expected)
    return lambda node, ctx: is_key(node, ctx) if condition(node, ctx) else absent(read(node), otherwise)


def _reader(name: str, element: str) -> Callable[[Any], str | None]:
    read: Callable[[Any], Any] = attrgetter(name)
    return (lambda node: element if read(node) else None) if element else read

"""Shortcuts by which the engine evaluates a predicate or a condition for many nodes at once.

A predicate, or a condition (`Rule.applies`), is a function of one node. It may state besides:

- `determined_by`: which attributes of the node determine its result, together with the catalogs and the date. The
  engine evaluates equal values once, also across documents.
- `satisfied_if`: a test that is determined in the same way and holds for most nodes; nodes for which it holds satisfy
  the predicate.
- `selects`: a function that finds, among many nodes, those that may violate the predicate, or to which the condition
  may apply.

A shortcut only leaves out evaluations that find nothing: the engine evaluates the predicate itself for each node that
the shortcuts do not settle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

F = TypeVar("F", bound=Callable[[Any, Any], Any])

Selection = Callable[[Sequence[Any], Any], Sequence[Any]]
"""A function of nodes and context that returns some of the nodes, each at least once."""


class Determination(NamedTuple):
    """What determines a result.

    Attributes:
        names: attributes of the node.
        test: whether the values satisfy the predicate; None when the predicate itself is determined.
    """

    names: tuple[str, ...]
    test: Callable[[Any, Any], bool] | None


_DETERMINATIONS: WeakKeyDictionary[Callable[[Any, Any], Any], Determination] = WeakKeyDictionary()
_SELECTIONS: WeakKeyDictionary[Callable[[Any, Any], Any], Selection] = WeakKeyDictionary()


def determined_by(*names: str) -> Callable[[F], F]:
    """Return a decorator that states which attributes determine the result of a predicate or condition."""

    def state(function: F) -> F:
        _DETERMINATIONS[function] = Determination(names, None)
        return function

    return state


def satisfied_if(test: Callable[[Any, Any], bool], *names: str) -> Callable[[F], F]:
    """Return a decorator that states a test for nodes that satisfy a predicate.

    Args:
        test: determined by the attributes, the catalogs and the date.
        names: the attributes.
    """

    def state(predicate: F) -> F:
        _DETERMINATIONS[predicate] = Determination(names, test)
        return predicate

    return state


def selects(selection: Selection) -> Callable[[F], F]:
    """Return a decorator that states how the nodes that a predicate or condition concerns are found among many."""

    def state(function: F) -> F:
        _SELECTIONS[function] = selection
        return function

    return state


def determination(function: Callable[[Any, Any], Any]) -> Determination | None:
    """Return what determines the result of a predicate or condition, None when nothing is stated."""
    return _DETERMINATIONS.get(function)


def selection(function: Callable[[Any, Any], Any]) -> Selection | None:
    """Return the selection of a predicate or condition, None when it has none."""
    return _SELECTIONS.get(function)

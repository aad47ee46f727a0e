"""What the readers of nodes need to know of a class: which parts of an element become which slots.

The reader in C and the one in Python follow the same plans. All names of elements are local names of one namespace,
that of the element at which the reading starts; attributes have no namespace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AttributePlan:
    """An XML attribute that becomes a slot.

    Attributes:
        default: the text when it is absent.
        convert: returns the value of the slot from the text; None for the text itself.
    """

    slot: str
    name: str
    default: str | None
    convert: Callable[[Any], Any] | None


@dataclass(frozen=True, slots=True)
class DerivedPlan:
    """A slot whose value a function returns for earlier slots.

    Attributes:
        digits: greatest length of a text of ASCII digits and at most one point for which the function returns its
            Decimal; 0 for another function.
        is_tuple: the function returns the tuple of its arguments.
    """

    slot: str
    function: Callable[..., Any]
    sources: tuple[str, ...]
    digits: int
    is_tuple: bool


@dataclass(frozen=True, slots=True)
class GatheredPlan:
    """An attribute of an element that repeats.

    Attributes:
        absent: the text of an element without the attribute.
        function: returns the value of the slot from the texts, in document order.
    """

    slot: str
    name: str
    absent: str | None
    function: Callable[[Sequence[Any]], Any]


@dataclass(frozen=True, slots=True)
class StepPlan:
    """What a child element of a node, or a descendant of it that is no node, becomes.

    Attributes:
        node: plan of the nodes that these elements are; None for none.
        slot: slot of the owner for the node, or for the tuple of nodes.
        many: the elements repeat: `slot` has a tuple, and the nodes have a place from 1, else 0.
        padding: zeros in the places of the nodes between those of the owner and their own.
        present: slot of the owner that is True with such an element; empty for none.
        gathered: attributes of the elements.
        elements: slot of the owner for the tuple of the child elements; empty for none.
        element: slot of the owner for the last such element; empty for none.
        steps: steps of the child elements of one that is no node, by local name.
    """

    node: NodePlan | None
    slot: str
    many: bool
    padding: int
    present: str
    gathered: tuple[GatheredPlan, ...]
    elements: str
    element: str
    steps: Mapping[str, StepPlan]


@dataclass(frozen=True, slots=True)
class NodePlan:
    """What the elements of a class of nodes become.

    Attributes:
        kind: the class. `kind(element, places)` sets all slots of an element without children.
        element: slot for the element itself; empty for none.
        named: slot and names, for the attributes of some names that are present.
        initial: slot and immutable value, for what a new node has before its children are read.
        made: slot and function, for other such values.
        complete: method that is called when the children are read; None for none.
        steps: by local name of the child element.
    """

    kind: type
    element: str
    attributes: tuple[AttributePlan, ...]
    derived: tuple[DerivedPlan, ...]
    named: tuple[tuple[str, frozenset[str]], ...]
    initial: tuple[tuple[str, object], ...]
    made: tuple[tuple[str, Callable[[], Any]], ...]
    complete: Callable[[Any], None] | None
    steps: Mapping[str, StepPlan]

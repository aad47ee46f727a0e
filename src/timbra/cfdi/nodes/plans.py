"""The plans of the classes of nodes, from their declarations (see `fields`), for the readers."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from timbra import _native
from timbra._native.node_plan import AttributePlan, DerivedPlan, GatheredPlan, NodePlan, StepPlan
from timbra.cfdi.nodes.base import Node, fields_of
from timbra.cfdi.nodes.fields import (
    Attribute,
    Derived,
    Element,
    Elements,
    Field,
    Gathered,
    Initial,
    Made,
    Named,
    Present,
    is_row,
)
from timbra.core.bounds import Bound, BoundKind

_CHILDREN = re.compile(r"(?:tuple\[(?P<many>\w+), \.\.\.\]|(?P<one>\w+)(?: \| None)?)")


@cache
def reader(kind: type[Node], namespace: str) -> _native.NodeReader:
    """Return the reader of a class for elements of a namespace; made once for each."""
    return _native.NodeReader(plan_of(kind), namespace)


def plan_of(kind: type[Node]) -> NodePlan:
    """Return the plan of a class.

    Raises:
        TypeError: a field has neither a declaration nor an annotation of children below the class.
    """
    fields = fields_of(kind)
    steps = _Steps()
    for name, declared in fields.items():
        _add_step(steps, kind, name, declared)
    return NodePlan(
        kind=kind,
        element=next((name for name, each in fields.items() if isinstance(each, Element) and not each.name), ""),
        attributes=tuple(
            AttributePlan(name, each.name or name, each.default, each.convert)
            for name, each in fields.items()
            if isinstance(each, Attribute)
        ),
        derived=tuple(
            DerivedPlan(name, each.function, each.sources, each.digits, is_row(each))
            for name, each in fields.items()
            if isinstance(each, Derived)
        ),
        named=tuple((name, each.names) for name, each in fields.items() if isinstance(each, Named)),
        initial=tuple((name, value) for name, each in fields.items() for value in _initial(each)),
        made=tuple((name, each.make) for name, each in fields.items() if isinstance(each, Made)),
        complete=None if kind.complete is Node.complete else kind.complete,
        steps=steps.plans(),
    )


def _initial(declared: Field | str) -> tuple[object, ...]:
    """Return the value of a field before its children are read, in a tuple; an empty tuple if it has none."""
    match declared:
        case str():
            if declared.startswith("tuple["):
                return ((),)
            return (None,) if declared.endswith(" | None") else ()
        case Initial():
            return (declared.value,)
        case Gathered():
            return (declared.function(()),)
        case Present():
            return (False,)
        case Elements():
            return ((),)
        case Element():
            return (None,) if declared.name else ()
        case _:
            return ()


class _Step:
    """A step whose parts are declared by several fields."""

    def __init__(self) -> None:
        self.plan = StepPlan(None, "", False, 0, "", (), "", "", {})
        self.below = _Steps()


class _Steps:
    """The steps of one element, by local name."""

    def __init__(self) -> None:
        self._steps: dict[str, _Step] = {}

    def at(self, path: str) -> _Step:
        """Return the step of a path of local names, added where it is missing."""
        name, _, rest = path.partition("/")
        step = self._steps.setdefault(name, _Step())
        return step.below.at(rest) if rest else step

    def plans(self) -> Mapping[str, StepPlan]:
        return {name: replace(step.plan, steps=step.below.plans()) for name, step in self._steps.items()}


def _add_step(steps: _Steps, kind: type[Node], name: str, declared: Field | str) -> None:
    match declared:
        case str():
            _add_children(steps, kind, name, declared)
        case Present():
            step = steps.at(declared.name)
            step.plan = replace(step.plan, present=name)
        case Gathered():
            path, _, attribute = declared.path.partition("/@")
            step = steps.at(path)
            gathered = GatheredPlan(name, attribute, declared.absent, declared.function)
            step.plan = replace(step.plan, gathered=(*step.plan.gathered, gathered))
        case Elements():
            step = steps.at(declared.name)
            step.plan = replace(step.plan, elements=name)
        case Element() if declared.name:
            step = steps.at(declared.name)
            step.plan = replace(step.plan, element=name)


def _add_children(steps: _Steps, kind: type[Node], name: str, annotation: str) -> None:
    child = _class_of(kind, name, annotation)
    above = f"{kind.TEMPLATE}/" if kind.TEMPLATE else ""
    if not child.TEMPLATE.startswith(above):
        raise TypeError(f"{kind.__name__}.{name}: the elements of {child.__name__} are not below those of the class")
    path = child.TEMPLATE[len(above) :]
    step = steps.at(path.removesuffix("[{}]"))
    padding = len(child.RANKS) - len(kind.RANKS) - 1
    if padding < 0:
        raise TypeError(f"{child.__name__}: RANKS has fewer positions than the path of {kind.__name__} and its own")
    step.plan = replace(
        step.plan, node=plan_of(child), slot=name, many=annotation.startswith("tuple["), padding=padding
    )


def _class_of(kind: type[Node], name: str, annotation: str) -> type[Node]:
    """Return the class that an annotation names, in the module of the class that declares it."""
    matched = _CHILDREN.fullmatch(annotation)
    owner = next(base for base in kind.__mro__ if name in base.__dict__.get("declarations", ()))
    found = None if matched is None else vars(sys.modules[owner.__module__]).get(matched["many"] or matched["one"])
    if not isinstance(found, type) or not issubclass(found, Node):
        raise TypeError(f"{kind.__name__}.{name}: {annotation} is neither a declaration nor a class of nodes")
    return found


BOUNDS = (
    Bound("reader", BoundKind.CACHE, "one for each class of nodes and namespace", "There are no further classes."),
)

"""Reading of nodes from elements, for a package without the native extension."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lxml import etree

from timbra._native.node_plan import NodePlan, StepPlan

ByKind = dict[type, list[Any]]
Rows = dict[Any, list[Any]]
"""Nodes or texts of the children that repeat, by what collects them."""


class NodeReader:
    """Reads the nodes of one class, and those of the classes below it.

    Args:
        plan: plan of the class.
        namespace: namespace of its elements.
    """

    def __init__(self, plan: NodePlan, namespace: str) -> None:
        self._node = _Node(plan, f"{{{namespace}}}")

    def read(self, element: etree._Element, places: tuple[int, ...], by_kind: ByKind, holders: list[Any]) -> Any:
        """Return the node of an element.

        Args:
            places: position of the node, as in its attribute `places`.
            by_kind: gets the node and its descendants by class, in document order.
            holders: gets each node that has elements of other namespaces as such, once.

        Raises:
            TypeError: `element` is not an element.
        """
        if not isinstance(getattr(element, "tag", None), str):
            raise TypeError("not an element")
        return self._node.read(element, places, by_kind, holders)


class _Node:
    """A plan with qualified names."""

    __slots__ = ("complete", "kind", "steps")

    def __init__(self, plan: NodePlan, prefix: str) -> None:
        self.kind = plan.kind
        self.complete = plan.complete
        self.steps = _qualified(plan.steps, prefix)

    def read(self, element: etree._Element, places: tuple[int, ...], by_kind: ByKind, holders: list[Any]) -> Any:
        kind = self.kind
        node = kind(element, places)
        try:
            by_kind[kind].append(node)
        except KeyError:
            by_kind[kind] = [node]
        if self.steps and len(element):
            rows: Rows = {}
            _read_children(node, places, self.steps, element, rows, by_kind, holders)
            for each, values in rows.items():
                setattr(node, each.slot, each.function(values))
        if self.complete is not None:
            self.complete(node)
        return node


class _Step:
    """A step with qualified names."""

    __slots__ = ("function", "gathered", "is_container", "many", "node", "padding", "plan", "slot", "steps")

    def __init__(self, plan: StepPlan, prefix: str) -> None:
        self.plan = plan
        self.node = None if plan.node is None else _Node(plan.node, prefix)
        self.slot, self.many, self.padding = plan.slot, plan.many, (0,) * plan.padding
        self.function: Callable[[list[Any]], Any] = tuple
        self.is_container = not (plan.node or plan.present or plan.gathered or plan.elements or plan.element)
        self.steps = _qualified(plan.steps, prefix)


def _qualified(steps: Mapping[str, StepPlan], prefix: str) -> dict[object, _Step]:
    return {f"{prefix}{name}": _Step(step, prefix) for name, step in steps.items()}


def _read_children(
    owner: Any,
    places: tuple[int, ...],
    steps: dict[object, _Step],
    element: etree._Element,
    rows: Rows,
    by_kind: ByKind,
    holders: list[Any],
) -> None:
    for child in element:
        step = steps.get(child.tag)
        if step is None:
            continue
        if step.is_container:
            _read_children(owner, places, step.steps, child, rows, by_kind, holders)
        elif step.node is None:
            _read_part(owner, places, step, child, rows, by_kind, holders)
        elif step.many:
            same = rows.get(step)
            if same is None:
                rows[step] = same = []
            same.append(step.node.read(child, (*places, *step.padding, len(same) + 1), by_kind, holders))
        else:
            setattr(owner, step.slot, step.node.read(child, (*places, *step.padding, 0), by_kind, holders))


def _read_part(
    owner: Any,
    places: tuple[int, ...],
    step: _Step,
    child: etree._Element,
    rows: Rows,
    by_kind: ByKind,
    holders: list[Any],
) -> None:
    """Read an element that is no node of its own."""
    plan = step.plan
    if plan.present:
        setattr(owner, plan.present, True)
    for each in plan.gathered:
        rows.setdefault(each, []).append(child.get(each.name, each.absent))
    if plan.elements:
        below = tuple(child.iterchildren(etree.Element))
        earlier = getattr(owner, plan.elements)
        if below and not earlier:
            holders.append(owner)
        setattr(owner, plan.elements, earlier + below)
    if plan.element:
        setattr(owner, plan.element, child)
    if step.steps:
        _read_children(owner, places, step.steps, child, rows, by_kind, holders)

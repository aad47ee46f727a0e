"""Deterministic damage to documents: one seed always makes the same mutants."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from copy import deepcopy

from lxml import etree

Mutation = Callable[[etree._Element, random.Random], str]

VALUES = (
    "",
    " ",
    "X",
    "0",
    "-1",
    "-0.01",
    "+5",
    "1.1234567",
    "1.12345678901234",
    ".5",
    "5.",
    "1e3",
    "1234567890123456789.00",
    "2026-02-30",
    "2026-13-01T00:00:00",
    "16-03-2022T00:00:00",
    "ZZZ",
    "a|b",
    "ñ" * 1100,
    "INF",
)


def mutants(root: etree._Element, count: int, seed: str) -> Iterator[tuple[str, etree._Element]]:
    """Return a description of the change, and the damaged copy."""
    jitter = random.Random(seed)
    for _ in range(count):
        copy = deepcopy(root)
        mutation = jitter.choice(MUTATIONS)
        yield mutation(_place(copy, jitter), jitter), copy


def _place(root: etree._Element, jitter: random.Random) -> etree._Element:
    """Return an element of the document outside the Addenda."""
    return jitter.choice([element for element in root.iter(etree.Element) if not _in_addenda(element)])


def _in_addenda(element: etree._Element) -> bool:
    return any(str(step.tag).endswith("}Addenda") for step in (element, *element.iterancestors()))


def change_value(element: etree._Element, jitter: random.Random) -> str:
    if not element.attrib:
        return add_text(element, jitter)
    name = jitter.choice(sorted(map(str, element.attrib)))
    old = str(element.get(name))
    new = jitter.choice((*VALUES, old + "0", old[:-1], old + "\u00e9", f" {old}  ", old.lower(), old.upper()))
    element.set(name, new)
    return f"{name}={new[:30]!r} in {element.tag}"


def drop_attribute(element: etree._Element, jitter: random.Random) -> str:
    if not element.attrib:
        return drop_element(element, jitter)
    name = jitter.choice(sorted(map(str, element.attrib)))
    del element.attrib[name]
    return f"no {name} in {element.tag}"


def rename_attribute(element: etree._Element, jitter: random.Random) -> str:
    if not element.attrib:
        return add_attribute(element, jitter)
    name = jitter.choice(sorted(map(str, element.attrib)))
    element.set("x" + name.rpartition("}")[2], str(element.get(name)))
    del element.attrib[name]
    return f"x{name} in {element.tag}"


def add_attribute(element: etree._Element, jitter: random.Random) -> str:
    name = jitter.choice(("Extra", "rfc", "{http://example.com/x}Extra"))
    element.set(name, "1")
    return f"extra {name} in {element.tag}"


def drop_element(element: etree._Element, jitter: random.Random) -> str:
    parent = element.getparent()
    if parent is None:
        return drop_attribute(element, jitter)
    parent.remove(element)
    return f"no {element.tag}"


def double_element(element: etree._Element, jitter: random.Random) -> str:
    parent = element.getparent()
    if parent is None:
        return add_attribute(element, jitter)
    parent.insert(parent.index(element), deepcopy(element))
    return f"twice {element.tag}"


def turn_children(element: etree._Element, jitter: random.Random) -> str:
    children = [child for child in element if not _in_addenda(child)]
    if len(children) < 2:
        return change_value(element, jitter)
    for child in children:
        element.insert(0, child)
    return f"children of {element.tag} reversed"


def add_element(element: etree._Element, jitter: random.Random) -> str:
    namespace = jitter.choice((etree.QName(element).namespace, "http://example.com/x", None))
    new = etree.QName(namespace, "Otro") if namespace else etree.QName("Otro")
    element.insert(jitter.randint(0, len(element)), etree.Element(new))
    return f"extra {new.text} in {element.tag}"


def move_element(element: etree._Element, jitter: random.Random) -> str:
    root = element.getroottree().getroot()
    parent = element.getparent()
    if parent is None or parent is root:
        return double_element(element, jitter)
    parent.remove(element)
    root.insert(jitter.randint(0, len(root)), element)
    return f"{element.tag} moved into the root"


def add_text(element: etree._Element, _: random.Random) -> str:
    element.text = "texto"
    return f"text in {element.tag}"


MUTATIONS: tuple[Mutation, ...] = (
    *[change_value] * 8,
    *[drop_attribute] * 4,
    rename_attribute,
    add_attribute,
    *[drop_element] * 2,
    *[double_element] * 2,
    turn_children,
    add_element,
    move_element,
    add_text,
)

"""Search for the elements at some paths, for a package without the native extension."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

Names = dict[str, "Names"]
"""What follows a local name on the paths, by local name; empty at the end of a path."""


class ElementSearch:
    """Finds the elements at paths of local names below an element.

    Args:
        paths: such as `Conceptos/Concepto`; none is the beginning of another.
        any_namespace: whether elements of all namespaces are found; else only those of the namespace of the element at
            which the search starts.
    """

    def __init__(self, paths: Sequence[str], *, any_namespace: bool) -> None:
        self._any_namespace = any_namespace
        self._names: Names = {}
        for path in paths:
            below = self._names
            for name in path.split("/"):
                below = below.setdefault(name, {})

    def find(self, root: etree._Element) -> list[etree._Element]:
        """Return the elements, in document order. Raises TypeError: `root` is not an element."""
        if not isinstance(getattr(root, "tag", None), str):
            raise TypeError("not an element")
        prefix = "" if self._any_namespace else root.tag.rpartition("}")[0]
        return list(_found(root, self._names, prefix, any_namespace=self._any_namespace))


def _found(parent: etree._Element, names: Names, prefix: str, *, any_namespace: bool) -> Iterator[etree._Element]:
    for child in parent.iterchildren(etree.Element):
        before, _, local = child.tag.rpartition("}")
        below = names.get(local) if any_namespace or before == prefix else None
        if below == {}:
            yield child
        elif below is not None:
            yield from _found(child, below, prefix, any_namespace=any_namespace)

"""Nesting and attribute counts of a tree, for a package without the native extension."""

from __future__ import annotations

from lxml import etree


def tree_shape(root: etree._Element) -> tuple[int, int]:
    """Return (greatest nesting of elements, greatest count of attributes of one element).

    Args:
        root: Element whose nesting is 1.

    Raises:
        TypeError: `root` is not an element.
    """
    if not etree.iselement(root) or not isinstance(root.tag, str):
        raise TypeError("not an element")
    deepest, most, level = 0, 0, [root]
    while level:
        deepest += 1
        most = max(most, *(len(element.attrib) for element in level))
        level = [child for element in level for child in element.iterchildren(etree.Element)]
    return deepest, most

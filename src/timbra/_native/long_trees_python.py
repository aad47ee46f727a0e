"""The size of a tree, and validation of a long one, for a package without the native extension."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from lxml import etree


def has_elements(root: etree._Element, least: int) -> bool:
    """Whether an element has at least so many descendants that are elements.

    Args:
        least: a number from 0.

    Raises:
        TypeError: `root` is not an element.
    """
    if not isinstance(getattr(root, "tag", None), str):
        raise TypeError("not an element")
    descendants = root.iterdescendants(etree.Element)
    return sum(1 for _ in islice(descendants, least)) == least


def is_surely_valid(root: etree._Element, validate: Callable[[], bool], offset: int) -> bool:  # noqa: ARG001
    """Whether the tree is valid; False when that is not known.

    libxml2 counts the siblings before each element that has an error. Python cannot bound that, so a tree with many
    errors would take too long.

    Args:
        root: an element; no other thread may use its document meanwhile.
        offset: a random number from 0; which elements are validated first depends on it.
    """
    return False

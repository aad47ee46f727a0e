"""Setting of attributes, for a package without the native extension."""

from __future__ import annotations

from lxml import etree


def set_attribute(element: etree._Element, name: str, value: str) -> None:
    """Set an attribute without namespace.

    Raises:
        TypeError, ValueError: as `element.set`.
    """
    element.set(name, value)

"""Removal of blank text nodes, as .NET's `XmlDocument` removes them with `PreserveWhitespace=false`, its default.

Clients that build and sign a document with .NET often write an indented file: the signature covers the document without
the indentation. Such a file is another document for XML-DSig and for every strict verifier.
"""

from __future__ import annotations

from copy import deepcopy

from lxml import etree

XML_WHITESPACE = " \t\r\n"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def without_blank_text(root: etree._Element) -> etree._Element | None:
    """Return a copy of the document without its text nodes that consist of white space only.

    Blank text in the scope of `xml:space="preserve"` stays.

    Args:
        root: The root of the document; it is not changed.

    Returns:
        The root of the copy; None when the document has no such text, so that the copy would be equal.
    """
    plain = deepcopy(root)
    return plain if _remove_blank_text(plain) else None


def _remove_blank_text(root: etree._Element) -> int:
    """Remove the blank text nodes below an element and return how many they were."""
    removed = 0
    open_elements = [(root, False)]
    while open_elements:
        element, preserved = open_elements.pop()
        preserved = element.get(_SPACE, "preserve" if preserved else "default") == "preserve"
        if not preserved and _is_blank(element.text):
            element.text = None
            removed += 1
        for child in element:
            if not preserved and _is_blank(child.tail):
                child.tail = None
                removed += 1
            if isinstance(child.tag, str):
                open_elements.append((child, preserved))
    return removed


def _is_blank(text: str | None) -> bool:
    return text is not None and not text.strip(XML_WHITESPACE)

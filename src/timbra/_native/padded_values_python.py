"""Search for white space around the values of attributes, for a package without the native extension."""

from __future__ import annotations

from lxml import etree

WHITESPACE = " \t\r\n"

_padded = etree.XPath(
    "boolean(descendant-or-self::*/@*[contains($blanks, substring(concat(., 'x'), 1, 1)) or contains($blanks, "
    "substring(concat('x', .), string-length(.) + 1, 1))])"
)


def has_padded_values(root: etree._Element) -> bool:
    """Whether an attribute of the element or of a descendant begins or ends with white space of XML.

    Raises:
        TypeError: `root` is not an element.
    """
    if not isinstance(getattr(root, "tag", None), str):
        raise TypeError("not an element")
    return bool(_padded(root, blanks=WHITESPACE))

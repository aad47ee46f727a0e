"""The RFC that a document contains."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.cfdi.rfc import is_rfc


def rfcs_in(root: etree._Element) -> Iterator[str]:
    """Yield every attribute value that has the form of an RFC, with repetitions."""
    for element in root.iter(etree.Element):
        for value in element.attrib.values():
            if is_rfc(str(value)):
                yield str(value)

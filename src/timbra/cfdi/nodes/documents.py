"""The reader of nodes of each kind of document."""

from __future__ import annotations

from lxml import etree

from timbra.cfdi.nodes import retenciones20
from timbra.cfdi.nodes.fiscal_document import FiscalDocument
from timbra.cfdi.nodes.walk import walk


def walk_document(root: etree._Element) -> FiscalDocument:
    """Read the nodes of a document whose structure is valid. No rule is evaluated.

    Raises:
        KeyError: the root is that of no kind of document.
    """
    return retenciones20.walk(root) if root.tag == retenciones20.TAG else walk(root)

"""The SAT's own stylesheets, run by libxslt: the oracle of the programs of the cadena original."""

from __future__ import annotations

from functools import cache

from lxml import etree
from tests.support.sat import package

from timbra.snapshot.build.stylesheets import DOCUMENTS, STAMPS


@cache
def document_stylesheet(version: str) -> etree.XSLT:
    """Compile the stylesheet of a document.

    Args:
        version: "4.0" or "3.3" of CFDI, "2.0" of Retenciones.
    """
    return _compiled(DOCUMENTS[version])


@cache
def stamp_stylesheet(version: str) -> etree.XSLT:
    """Compile the stylesheet of the stamp, "1.1" or "1.0"."""
    return _compiled(STAMPS[version])


def _compiled(member: str) -> etree.XSLT:
    return etree.XSLT(etree.parse(package().parent / member))

"""The context in which a document's declarations are judged, over the installed snapshot."""

from __future__ import annotations

from functools import cache

from lxml import etree

from timbra.cfdi.cadena import OriginalString
from timbra.cfdi.structure import Structure
from timbra.cfdi.tfd import stamps_in
from timbra.rules.shape.context import ByNamespace, ShapeContext, by_namespace
from timbra.snapshot import Snapshot, locate, open_snapshot


def context_of(root: etree._Element, *, stamped: bool | None = None) -> ShapeContext:
    """stamped: as the document is, unless told otherwise."""
    version = root.get("Version") or "4.0"
    carries = bool(stamps_in(root)) if stamped is None else stamped
    return ShapeContext(version, _standards(), _cadena().complements(version), carries)


@cache
def _snapshot() -> Snapshot:
    return open_snapshot(locate(None))


@cache
def _standards() -> ByNamespace:
    return by_namespace(Structure(_snapshot()).supported)


@cache
def _cadena() -> OriginalString:
    return OriginalString(_snapshot())


def original_string() -> OriginalString:
    """The cadena original by the stylesheets of the installed snapshot."""
    return _cadena()

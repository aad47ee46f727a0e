"""The context for evaluating a document's declarations, over the installed snapshot."""

from __future__ import annotations

from functools import cache

from lxml import etree

from timbra.cfdi.cadena import CadenaOriginal
from timbra.cfdi.structure import Structure
from timbra.cfdi.tfd import read_stamps
from timbra.rules.rulesets.declarations.declarations import ByNamespace, DeclarationsContext, by_namespace
from timbra.snapshot import Snapshot, locate, open_snapshot


def context_of(root: etree._Element, *, stamped: bool | None = None) -> DeclarationsContext:
    """stamped: whether the document has a stamp; None reads it from the document."""
    version = root.get("Version") or "4.0"
    carries = bool(read_stamps(root)) if stamped is None else stamped
    return DeclarationsContext(version, _standards(), _cadena().complements(version), carries)


@cache
def _snapshot() -> Snapshot:
    return open_snapshot(locate(None))


@cache
def _standards() -> ByNamespace:
    return by_namespace(Structure(_snapshot()).supported)


@cache
def _cadena() -> CadenaOriginal:
    return CadenaOriginal(_snapshot())


def original_string() -> CadenaOriginal:
    """The cadena original by the stylesheets of the installed snapshot."""
    return _cadena()

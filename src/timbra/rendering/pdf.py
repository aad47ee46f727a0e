"""The printed representation of an invoice (RMF, Anexo 20: data that it must carry). Needs the extra `pdf`."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from timbra.errors import ServiceError
from timbra.rendering.view import InvoiceView

if TYPE_CHECKING:
    import typst


def pdf(view: InvoiceView) -> bytes:
    """One PDF of letter size. Takes some tens of milliseconds of processor: for cold paths, off the event loop.

    ServiceError("TB4006") where the extra is not installed.
    """
    content = asdict(view) | {
        "title": f"CFDI {view.serie}{view.folio} {view.stamp.uuid if view.stamp else ''}".strip(),
        "qr": None if view.qr is None else list(view.qr),
    }
    source, compiler = _template(), _compiler()
    printed = compiler.compile(source, format="pdf", sys_inputs={"invoice": json.dumps(content)})
    if not isinstance(printed, bytes):
        raise TypeError("the typesetter made pages apart, not one document")
    return printed


@cache
def _template() -> bytes:
    return (files("timbra.rendering") / "templates" / "invoice.typ").read_bytes()


@cache
def _compiler() -> typst.Compiler:
    """The typesetter with its own fonts, so that every machine prints the same."""
    try:
        import typst
    except ImportError:
        raise ServiceError("TB4006", "Para imprimir PDF instale el complemento: pip install timbra[pdf].") from None
    return typst.Compiler(ignore_system_fonts=True)

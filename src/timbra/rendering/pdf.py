"""The printed representation of an invoice (RMF, Anexo 20: data that it must carry). Needs the extra `pdf`."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from timbra.errors import ServiceError
from timbra.rendering.logo import Logo, unreadable
from timbra.rendering.view import InvoiceView

if TYPE_CHECKING:
    import typst


_own = threading.local()


def pdf(view: InvoiceView, logo: Logo | None = None) -> bytes:
    """One PDF of letter size. Takes some tens of milliseconds of processor: for cold paths, off the event loop.

    Threads may print side by side: the typesetter lets the others run meanwhile.
    ServiceError("TB4006") where the extra is not installed, "TB4005" for a logo that is damaged.
    """
    content = asdict(view) | {
        "title": f"CFDI {view.serie}{view.folio} {view.stamp.uuid if view.stamp else ''}".strip(),
        "qr": None if view.qr is None else list(view.qr),
        "logo": None if logo is None else {"kind": logo.kind, "content": list(logo.content)},
    }
    printed = _printed(json.dumps(content), with_logo=logo is not None)
    if not isinstance(printed, bytes):
        raise TypeError("the typesetter made pages apart, not one document")
    return printed


def _printed(invoice: str, *, with_logo: bool) -> object:
    compiler = _compiler()
    from typst import TypstError

    try:
        return compiler.compile(_template(), format="pdf", sys_inputs={"invoice": invoice})
    except TypstError as error:
        if with_logo:
            raise unreadable() from error
        raise


@cache
def _template() -> bytes:
    return (files("timbra.rendering") / "templates" / "invoice.typ").read_bytes()


def _compiler() -> typst.Compiler:
    """This thread's typesetter, with its own fonts, so that every machine prints the same. It serves one at a time."""
    try:
        import typst
    except ImportError:
        raise ServiceError("TB4006", "Para imprimir PDF instale el complemento: pip install timbra[pdf].") from None
    compiler: typst.Compiler | None = getattr(_own, "compiler", None)
    if compiler is None:
        compiler = _own.compiler = typst.Compiler(ignore_system_fonts=True)
    return compiler

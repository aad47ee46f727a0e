"""The printed representation of an invoice or a retención.

Source: RMF, Anexo 20, required data of the printed representation.
"""

from __future__ import annotations

import json
import threading
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from timbra.rendering.logo import Logo, damaged_logo
from timbra.rendering.view import DocumentView

if TYPE_CHECKING:
    import typst


TEMPLATES = {"CFDI": "invoice.typ", "Retenciones": "retencion.typ"}
"""Template by `DocumentView.kind`."""
_thread_local = threading.local()


def pdf(view: DocumentView, logo: Logo | None = None) -> bytes:
    """Render a PDF of letter size. It takes tens of milliseconds of CPU; do not call it on the event loop.

    Several threads may call it at the same time: the typesetter releases the GIL.

    Args:
        view: the document.
        logo: logo of the issuer.

    Raises:
        ServiceError: "TB4005" for a damaged logo.
    """
    content = asdict(view) | {
        "title": f"{view.kind} {view.serie}{view.folio} {view.stamp.uuid if view.stamp else ''}".strip(),
        "qr": None if view.qr is None else list(view.qr),
        "logo": None if logo is None else {"kind": logo.kind, "content": list(logo.content)},
    }
    printed = _typeset(view.kind, json.dumps(content), with_logo=logo is not None)
    if not isinstance(printed, bytes):
        raise TypeError("the typesetter returned several pages, not one document")
    return printed


def _typeset(kind: str, document: str, *, with_logo: bool) -> object:
    compiler = _compiler()
    from typst import TypstError

    try:
        return compiler.compile(_template(kind), format="pdf", sys_inputs={"document": document})
    except TypstError as error:
        if with_logo:
            raise damaged_logo() from error
        raise


@cache
def _template(kind: str) -> bytes:
    """Return the template of a kind of document: the parts of every kind, then its own."""
    templates = files("timbra.rendering") / "templates"
    return b"".join((templates / name).read_bytes() for name in ("common.typ", TEMPLATES[kind]))


def _compiler() -> typst.Compiler:
    """Return the typesetter of this thread. It uses its own fonts, so that every machine prints the same."""
    import typst

    compiler: typst.Compiler | None = getattr(_thread_local, "compiler", None)
    if compiler is None:
        compiler = _thread_local.compiler = typst.Compiler(ignore_system_fonts=True)
    return compiler

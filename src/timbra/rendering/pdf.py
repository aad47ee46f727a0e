"""The printed representation of an invoice or a retención.

Source: RMF, Anexo 20, required data of the printed representation.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.rendering.branding import DEFAULT_BRANDING, Branding, PrintExtras
from timbra.rendering.logo import damaged_logo
from timbra.rendering.texts import date_text
from timbra.rendering.view import DocumentView, InvoiceView, RetencionView

if TYPE_CHECKING:
    import typst

INVOICE, TRANSPORT, PAYMENT, PAYROLL, RETENCION = "invoice", "transport", "payment", "payroll", "retencion"
NO_EXTRAS = PrintExtras()
LONG_WORD = re.compile(r"[^\s\-/]{25,}")
"""A word that may be wider than its column."""
WORD_PART = 10
ZERO_WIDTH_SPACE = "\u200b"
COPIED = frozenset({"sello", "sello_cfd", "sello_sat", "cadena", "url", "color", "template"})
"""Values without break opportunities, so that copies of them have no hidden characters."""
IDENTIFIERS, MAX_IDENTIFIER = frozenset({"uuid", "no_certificado"}), 40
"""Values that are copied too, unless they are longer than any valid one."""
_thread_local = threading.local()


def template_of(view: DocumentView) -> str:
    """Return the arrangement that prints a document."""
    if not isinstance(view, InvoiceView):
        return RETENCION
    names = {section.path.rpartition("/")[2] for section in view.complements}
    kind = view.tipo[:1]
    if kind == "P":
        return PAYMENT
    if kind == "N":
        return PAYROLL
    return TRANSPORT if kind == "T" or "CartaPorte" in names else INVOICE


def pdf(
    view: DocumentView, branding: Branding = DEFAULT_BRANDING, extras: PrintExtras = NO_EXTRAS, xml: bytes = b""
) -> bytes:
    """Render a PDF/A-3b of letter size with the document attached as `cfdi.xml`; the same values give the same bytes.

    It takes tens of milliseconds of CPU; do not call it on the event loop. Several threads may call it at the same
    time: the typesetter releases the GIL. A document with a character or a logo that PDF/A does not allow, such as a
    character that no font of the typesetter has, is printed as PDF 1.7 with the same attachment.

    Args:
        branding: template, colour, footer and logo.
        extras: data that the client adds.
        xml: the document of the view, UTF-8; empty for a PDF without an attachment.

    Source: ISO 19005-3, 6.8: the attached file has a name, a media type and its relationship to the document.

    Raises:
        ServiceError: "TB4005" for a damaged logo; "print-failed" when the typesetter rejects the document.
    """
    inputs = {"document": json.dumps(_content(view, branding, extras)), "xml": xml.decode()}
    printed = _typeset(template_of(view), inputs, _instant(view), with_logo=branding.logo is not None)
    if not isinstance(printed, bytes):
        raise TypeError("the typesetter returned several pages, not one document")
    return printed


def _content(view: DocumentView, branding: Branding, extras: PrintExtras) -> Mapping[str, object]:
    """Return what the templates read."""
    number = " ".join(filter(None, (view.serie, view.folio)))
    subtitle = f"CFDI {view.version}"
    if isinstance(view, InvoiceView):
        subtitle = f"CFDI {view.version} · {view.tipo}"
    elif isinstance(view, RetencionView):
        subtitle = f"CFDI de retenciones {view.version} · {view.clave}"
    values = asdict(view)
    if view.stamp is not None:
        values["stamp"]["fecha"] = date_text(view.stamp.fecha)
    content = {
        **values,
        "fecha": date_text(view.fecha),
        "subtitle": subtitle,
        "number": number,
        "issuer_lines": [asdict(each) for each in extras.issuer],
        "receiver_lines": [asdict(each) for each in extras.receiver],
        "extras": [asdict(each) for each in extras.others],
        "branding": {
            "template": branding.template,
            "color": branding.color,
            "footer": branding.footer,
            "size": branding.font_size,
        },
    }
    broken = _breakable(content)
    assert isinstance(broken, dict)  # noqa: S101 (for the type checker)
    logo = branding.logo
    return broken | {
        "document_title": f"{view.title} {number} {view.stamp.uuid if view.stamp else ''}".strip(),
        "logo": None if logo is None else {"kind": logo.kind, "content": list(logo.content)},
    }


def _breakable(value: object, name: str = "") -> object:
    """Convert a view to JSON values, with break opportunities in long words; widths for the columns of tables."""
    match value:
        case str():
            whole = name in COPIED or (name in IDENTIFIERS and len(value) <= MAX_IDENTIFIER)
            return value if whole else LONG_WORD.sub(_broken, value)
        case bytes():
            return list(value)
        case dict():
            broken = {key: _breakable(each, key) for key, each in value.items()}
            if broken.get("kind") == "code":
                broken["shown_url"] = LONG_WORD.sub(_broken, str(value["url"]))
            if "columns" in broken:
                broken["columns"] = _with_shares(value)
            return broken
        case list() | tuple():
            return [_breakable(each, name) for each in value]
    return value


def _broken(word: re.Match[str]) -> str:
    text = word[0]
    return ZERO_WIDTH_SPACE.join(text[start : start + WORD_PART] for start in range(0, len(text), WORD_PART))


def _with_shares(table: Mapping[str, Sequence[Mapping[str, object]]]) -> list[dict[str, object]]:
    """Return the columns of a table with their shares of the width, by the length of their longest text."""
    lengths = [len(str(column["label"])) for column in table["columns"]]
    for row in table["rows"][:WIDTH_SAMPLE]:
        cells: Sequence[str] = row["cells"]  # type: ignore[assignment]
        lengths = [max(length, len(cell)) for length, cell in zip(lengths, cells, strict=True)]
    return [
        {**column, "share": min(max(length, MIN_SHARE), MAX_SHARE)}
        for column, length in zip(table["columns"], lengths, strict=True)
    ]


WIDTH_SAMPLE = 50
"""Rows whose texts are measured."""
MIN_SHARE, MAX_SHARE = 8, 40
"""Bounds of the widths of columns, in characters."""


def _instant(view: DocumentView) -> datetime:
    """Return the instant of the stamp, or of the document: the date of the PDF, which depends on nothing else."""
    try:
        return datetime.fromisoformat(view.stamp.fecha if view.stamp else view.fecha).replace(tzinfo=CENTRAL_MEXICO)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def typeset(source: bytes, inputs: dict[str, str], instant: datetime) -> bytes:
    """Render a document of another package as `pdf` does: PDF/A-3b, or PDF 1.7 for a character that it does not allow.

    Args:
        source: the template.
        inputs: what the template reads.
        instant: the date of the PDF.

    Raises:
        ServiceError: "print-failed" when the typesetter rejects the document.
    """
    printed = _compiled(source, inputs, instant)
    if not isinstance(printed, bytes):
        raise TypeError("the typesetter returned several pages, not one document")
    return printed


def _typeset(template: str, inputs: dict[str, str], instant: datetime, *, with_logo: bool) -> object:
    try:
        return _compiled(_template(template), inputs, instant)
    except ServiceError as error:
        if with_logo:
            raise damaged_logo() from error
        raise


def _compiled(source: bytes, inputs: dict[str, str], instant: datetime) -> object:
    from typst import TypstError

    compiler, timestamp = _compiler(), round(instant.timestamp())
    try:
        try:
            return compiler.compile(
                source, format="pdf", sys_inputs=inputs, pdf_standards=STANDARD, timestamp=timestamp
            )
        except TypstError as error:
            if not str(error).startswith(NOT_ARCHIVABLE):
                raise
            return compiler.compile(source, format="pdf", sys_inputs=inputs, timestamp=timestamp)
    except TypstError as error:
        raise ServiceError("print-failed", str(error)[:MAX_DETAIL]) from error


STANDARD: Literal["a-3b"] = "a-3b"
NOT_ARCHIVABLE = "PDF/A"
"""Beginning of the messages about what PDF/A does not allow."""
MAX_DETAIL = 200
FONTS = str(Path(__file__).with_name("fonts"))
"""Folder of the fonts that the typesetter does not have, pinned by `tools.browser_assets`."""


@cache
def _template(name: str) -> bytes:
    """Return the parts of every template, then the template."""
    templates = files("timbra.rendering") / "templates"
    names = ("common.typ", f"{name}.typ") if name == RETENCION else ("common.typ", "lines.typ", f"{name}.typ")
    return b"\n".join((templates / each).read_bytes() for each in names)


def _compiler() -> typst.Compiler:
    """Return the typesetter of this thread. With the fonts of this package every machine prints the same."""
    import typst

    compiler: typst.Compiler | None = getattr(_thread_local, "compiler", None)
    if compiler is None:
        compiler = _thread_local.compiler = typst.Compiler(ignore_system_fonts=True, font_paths=[FONTS])
    return compiler


BOUNDS = (
    Bound("_template", BoundKind.CACHE, "one for each template of the package", "There are no further templates."),
)

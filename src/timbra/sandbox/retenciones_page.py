"""The page of the simulated authority that shows a retención, with the elements of the SAT's page.

Programs read the SAT's page by its labels (`th`) and values (`td`) in the element `tbl_resultado`, by the date of
cancellation in `tdFechaCancelacion`, by `efosEstatus`, and by the class `noresultados` of a page without a document.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from timbra.sandbox.ledger import VerifiedDocument
from timbra.sat.port import StatusQuery

if TYPE_CHECKING:
    from jinja2 import Template

CANCELLED = "Fecha de Cancelación"
MAX_VALUE_LENGTH = 60
NO_NUMBER = "-"
"""Total of a QR code's query without `tt`: no document has it."""
STYLE = (
    "body{font-family:sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}th,td{border:1px solid #999;padding:.4rem;text-align:left}"
    "label{display:block;margin:.5rem 0}input{display:block;padding:.3rem;width:100%}"
)
CONTENT_SECURITY_POLICY = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'; form-action 'self'"
)
_LABELS = {
    "id": "Folio fiscal",
    "re": "RFC del emisor",
    "rr": "RFC o número de registro del receptor",
    "tt": "Total de la operación",
    "fe": "Últimos ocho caracteres del sello",
}


def page_query(value: Callable[[str], str | None]) -> StatusQuery | None:
    """Read the query of the page.

    Args:
        value: returns a parameter by its name in lower case: those of the QR code (`id`, `re`, `rr` or `nr`, `tt`,
            `fe`), or those with which programs query the SAT's page (`folio`, `rfcEmisor`, `rfcReceptor`).

    Returns:
        None when no parameter has a value.
    """

    def first(*names: str) -> str:
        return next(filter(None, (value(name) for name in names)), "")[:MAX_VALUE_LENGTH]

    by_page = bool(first("folio"))
    total = "" if by_page else first("tt") or NO_NUMBER
    issuer, receiver = first("re", "rfcemisor").upper(), first("rr").upper() or first("nr", "rfcreceptor")
    query = StatusQuery(first("folio", "id"), issuer, receiver, total, first("fe"), is_retencion=True)
    return query if any((query.uuid, issuer, receiver, query.seal_tail)) else None


def found_page(document: VerifiedDocument) -> bytes:
    values = {
        "RFC del Emisor": document.issuer_rfc,
        "Nombre o Razón Social del Emisor": document.issuer_name,
        "RFC del Receptor": document.receiver_rfc,
        "Nombre o Razón Social del Receptor": document.receiver_name,
        "Folio Fiscal": document.uuid.upper(),
        "Fecha de Expedición": document.issued_at,
        "Fecha Certificación SAT": document.stamped_at,
        "PAC que Certificó": document.provider_rfc,
        "Total del CFDI Retención": f"${document.total}",
        "Estado CFDI Retención": document.status.status,
    }
    if document.cancelled_at:
        values[CANCELLED] = document.cancelled_at
    return _page(values=values, efos=document.status.efos)


def missing_page() -> bytes:
    """Return the page for a query that no retención matches."""
    return _page(is_missing=True)


def empty_page() -> bytes:
    return _page(fields=_LABELS)


def _page(
    values: Mapping[str, str] | None = None,
    efos: str = "",
    fields: Mapping[str, str] | None = None,
    *,
    is_missing: bool = False,
) -> bytes:
    text = _template().render(
        style=STYLE, values=values, cancelled=CANCELLED, efos=efos, fields=fields, is_missing=is_missing
    )
    return text.encode()


@cache
def _template() -> Template:
    """Compile the page at first use: a server that shows none does not load the template engine for it."""
    from jinja2 import Environment

    return Environment(autoescape=True, trim_blocks=True).from_string(_PAGE)


_PAGE = """<!DOCTYPE html>
<html lang="es">
<head>
<meta charset="utf-8">
<title>Verificación de CFDI de retenciones e información de pagos</title>
<style>{{ style | safe }}</style>
</head>
<body>
<h1>Verificación de CFDI de retenciones e información de pagos</h1>
{% if values %}
<table id="tbl_resultado">
{% for row in values.items() | batch(4) %}
<tr>{% for label, _ in row %}<th>{{ label }}</th>{% endfor %}</tr>
<tr>{% for label, value in row -%}
<td{% if label == cancelled %} id="tdFechaCancelacion"{% endif %}><span>{{ value }}</span></td>
{%- endfor %}</tr>
{% endfor %}
</table>
<input type="hidden" id="efosEstatus" value="{{ efos }}">
{% elif is_missing %}
<div class="noresultados">
<h3>Este comprobante no se encuentra registrado. Revise el folio fiscal, los RFC, el total y los últimos ocho caracteres
del sello; un CFDI tiene otra página.</h3>
</div>
{% else %}
<form method="get" action="">
{% for name, label in fields.items() %}
<label>{{ label }}<input name="{{ name }}"></label>
{% endfor %}
<button>Verificar CFDI de retenciones</button>
</form>
{% endif %}
</body>
</html>
"""

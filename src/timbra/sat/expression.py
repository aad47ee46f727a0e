"""The printed expression of a CFDI 3.3 or 4.0, which is the query of ConsultaCFDI.

Source: Anexo 20.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from timbra.cfdi.qr import printed_total
from timbra.core import money
from timbra.sat.port import StatusQuery


def printed_expression(query: StatusQuery) -> str:
    """Return `?re=...&rr=...&tt=...&id=...&fe=...`, both RFC escaped as in XML, the total without superfluous zeros.

    A total that is not a number is passed as written; the service rejects it.
    """
    total = money.parse(query.total)
    return (
        f"?re={escape(query.issuer_rfc)}&rr={escape(query.receiver_rfc)}"
        f"&tt={query.total if total is None else printed_total(total)}&id={query.uuid}&fe={query.seal_tail}"
    )

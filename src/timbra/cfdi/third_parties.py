"""The third parties on whose behalf the concepts of a CFDI were invoiced."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra._native import ElementSearch

MARKERS = (b"ACuentaTerceros", b"PorCuentadeTerceros")
"""A document without any of these has no third parties."""
_PARTIES = ElementSearch(
    ("Conceptos/Concepto/ACuentaTerceros", "Conceptos/Concepto/ComplementoConcepto/PorCuentadeTerceros"),
    any_namespace=True,
)


def third_parties(root: etree._Element) -> Iterator[tuple[str, str]]:
    """Yield RFC and XPath of each third party, with repetitions.

    Source: ACuentaTerceros of CFDI 4.0; complement Terceros 1.1 of CFDI 3.3.

    Args:
        root: the Comprobante.
    """
    if not _PARTIES.find(root):
        return
    for index, concepto in enumerate(root.iterfind("{*}Conceptos/{*}Concepto"), 1):
        place = f"Conceptos/Concepto[{index}]"
        for party in concepto.iterfind("{*}ACuentaTerceros"):
            yield party.get("RfcACuentaTerceros") or "", f"{place}/ACuentaTerceros/@RfcACuentaTerceros"
        for party in concepto.iterfind("{*}ComplementoConcepto/{*}PorCuentadeTerceros"):
            yield party.get("rfc") or "", f"{place}/ComplementoConcepto/PorCuentadeTerceros/@rfc"

"""The lists for a document: those of the sandbox and the document's own taxpayers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lxml import etree

from timbra.cfdi.rfc import is_rfc
from timbra.sandbox.authority.taxpayers.models import SandboxCertificate, SandboxTaxpayer
from timbra.sandbox.authority.taxpayers.registry import SandboxRegistry
from timbra.seals.certificates.certificate import Certificate

GENERIC = frozenset({"EXT990101NI1", "XAXX010101000", "XEXX010101000"})

C = "{http://www.sat.gob.mx/cfd/4}"
PURCHASE = "{http://www.sat.gob.mx/EstadoDeCuentaCombustible12}ConceptoEstadoDeCuentaCombustible"
ENABLED = 1


@dataclass(frozen=True)
class Lists:
    """l_RFC, LCO and names for one document.

    own: taxpayers of the document; first: whether they precede the sandbox's rows of the same RFC.
    """

    registry: SandboxRegistry
    own: Mapping[str, SandboxTaxpayer]
    first: bool
    csd: Certificate | None = field(default=None)

    def taxpayer(self, rfc: str) -> SandboxTaxpayer | None:
        listed = self.registry.taxpayer(rfc)
        return self.own.get(rfc) if self.first or listed is None else listed

    def obligations(self, rfc: str) -> int | None:
        listed = self.registry.obligations(rfc)
        return ENABLED if listed is None and rfc in self.own else listed

    def certificate(self, rfc: str, number: str) -> SandboxCertificate | None:
        csd = self.csd
        if csd is None or (csd.rfc, csd.number) != (rfc, number):
            return self.registry.certificate(rfc, number)
        return SandboxCertificate(rfc, number, "A", ENABLED, csd.valid_from, csd.valid_to)

    def is_registered(self, name: str) -> bool:
        """Return whether one of the document's own taxpayers has this name."""
        return any(row.name == name for row in self.own.values())


def parties(root: etree._Element) -> dict[str, SandboxTaxpayer]:
    """Return issuer, receiver, third parties and fuel stations of the document by RFC.

    The issuer has no postal code, a station only its RFC.
    """
    return {row.rfc: row for row in _rows(root) if is_rfc(row.rfc) and row.rfc not in GENERIC}


def _rows(root: etree._Element) -> Iterator[SandboxTaxpayer]:
    for node in root.iter(PURCHASE):
        yield SandboxTaxpayer(node.get("Rfc") or "", "", "", frozenset())
    for node in root.iterfind("{*}Emisor"):
        yield _row(node, "Rfc", "Nombre", "", "RegimenFiscal")
    for node in root.iterfind("{*}Receptor"):
        yield _row(node, "Rfc", "Nombre", "DomicilioFiscalReceptor", "RegimenFiscalReceptor")
    for node in root.iter(f"{C}ACuentaTerceros"):
        names = (f"{name}ACuentaTerceros" for name in ("Rfc", "Nombre", "DomicilioFiscal", "RegimenFiscal"))
        yield _row(node, *names)


def _row(node: etree._Element, rfc: str, name: str, postal_code: str, regime: str) -> SandboxTaxpayer:
    fields = [node.get(attribute) or "" if attribute else "" for attribute in (rfc, name, postal_code)]
    regimes = frozenset(filter(None, [node.get(regime)]))
    return SandboxTaxpayer(fields[0], fields[1], fields[2], regimes)

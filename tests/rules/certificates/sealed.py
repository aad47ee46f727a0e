"""A sealed document, and reference data that list its certificate."""

from __future__ import annotations

import base64
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from tests.seals.support import minted, rsa_key
from tests.support.reference_data import reference_data, registry
from tests.support.rules import nodes

from timbra.cfdi.tfd import TimbreFiscalDigital, read_stamps
from timbra.examples import KEMPER, Change, ExampleNode, ingreso
from timbra.rules.engine.ports import ListedCertificate, ReferenceData
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.seals.certificates.certificate import CertificateCache, read_certificate
from timbra.seals.certificates.trust_store import TrustStore

CADENA = "||4.0|la cadena original|ñ||"
NUMBER = "30001000000500009999"
PROVIDER = "30001000000500008888"
FIRST, LAST = datetime(2025, 1, 1, tzinfo=UTC), datetime(2029, 1, 1, tzinfo=UTC)


def sign(text: str, key: int) -> str:
    return base64.b64encode(rsa_key(key).sign(text.encode(), PKCS1v15(), SHA256())).decode()


@cache
def trust() -> TrustStore:
    """Return a trust store with the authority of `minted` and one provider."""
    authority = minted(rfc="", number="30001000000500000001", key=0, authority=True, name="AC", issuer="AC de la casa")
    provider = minted(rfc="SPR190613I52", branch="PAC CFDI_PRUEBAS", number=PROVIDER, key=2)
    issuer = replace(read_certificate(authority), name="AC de la casa")
    return TrustStore((), ()).with_authority(issuer).with_provider(read_certificate(provider))


@cache
def certificate_text(**changes: Any) -> str:
    return base64.b64encode(minted(**changes)).decode()


def listed_reference_data(
    status: Any = "A", obligations: int | None = 1, number: str = NUMBER, **changes: Any
) -> ReferenceData:
    """Return the in-memory reference data with the issuer's certificate."""
    lists = registry()
    lists.certificates[KEMPER.rfc, number] = ListedCertificate(KEMPER.rfc, number, status, 1, FIRST, LAST)
    if obligations is None:
        del lists.enabled[KEMPER.rfc]
    else:
        lists.enabled[KEMPER.rfc] = obligations
    return reference_data(**{"obligations": lists, **changes})


def stamp(**changes: str) -> TimbreFiscalDigital:
    """Return the stamp of the sealed document, half an hour later."""
    unsealed = TimbreFiscalDigital(
        uuid="5b64ada3-aa4c-40b4-a2f5-572ced52be31",
        fecha_timbrado=changes.pop("fecha_timbrado", "2026-11-17T12:30:00"),
        rfc_prov_certif="SPR190613I52",
        sello_cfd=changes.pop("sello_cfd", sign(CADENA, 1)),
        no_certificado_sat=changes.pop("no_certificado_sat", PROVIDER),
        version=changes.pop("version", "1.1"),
    )
    return unsealed.sealed(changes.pop("sello_sat", sign(unsealed.cadena_original, 2)))


def _element(stamped: TimbreFiscalDigital) -> ExampleNode:
    attributes = {
        "xmlns:tfd": "http://www.sat.gob.mx/TimbreFiscalDigital",
        "Version": stamped.version,
        "UUID": stamped.uuid,
        "FechaTimbrado": stamped.fecha_timbrado,
        "RfcProvCertif": stamped.rfc_prov_certif,
        "SelloCFD": stamped.sello_cfd,
        "NoCertificadoSAT": stamped.no_certificado_sat,
        "SelloSAT": stamped.sello_sat,
    }
    return ExampleNode("tfd:TimbreFiscalDigital", attributes)


def sealed(
    changes: dict[str, Change] | None = None,
    *,
    certificate: str | None = None,
    stamps: tuple[TimbreFiscalDigital, ...] = (),
    stamping: bool = True,
    cadena: str = CADENA,
    reference_data: ReferenceData | None = None,
) -> SealContext:
    """The sealed example invoice, changed."""
    attributes: dict[str, Change] = {
        "@Certificado": certificate_text() if certificate is None else certificate,
        "@NoCertificado": NUMBER,
        "@Sello": sign(CADENA, 1),
    }
    if stamps:
        attributes["Complemento"] = ExampleNode("cfdi:Complemento", children=[_element(stamped) for stamped in stamps])
    document = nodes(ingreso({**attributes, **(changes or {})}))
    there = reference_data or listed_reference_data()
    found = read_stamps(document.element)
    return SealContext.of(document, cadena, CertificateCache(), trust(), there, found, stamping=stamping)

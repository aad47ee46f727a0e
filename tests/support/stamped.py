"""Stamping of documents of any version without the checks of the service."""

from __future__ import annotations

from tests.support.sandbox_app import SandboxApp

from timbra.cfdi.build import document_parser
from timbra.cfdi.byte_splice import insert_complement
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.seals.seal import seal

UUID = "5b64ada3-aa4c-40b4-a2f5-572ced52be31"


def stamped(sandbox_app: SandboxApp, text: str, fecha: str, credential: MintedCredential | None = None) -> bytes:
    """Return the document, sealed by its issuer and stamped by the sandbox's provider at `fecha`."""
    document = sandbox_app.container.get(document_parser).parse(
        sandbox_app.sealed(text, credential or sandbox_app.mint())
    )
    provider = sandbox_app.container.get(sandbox_services).authority_ca.provider
    stamp = TimbreFiscalDigital(
        uuid=UUID,
        fecha_timbrado=fecha,
        rfc_prov_certif=provider.rfc,
        sello_cfd=document.root.get("Sello") or "",
        no_certificado_sat=provider.certificate.number,
    )
    return insert_complement(document, stamp.sealed(seal(provider.signer, stamp.cadena_original)).to_xml().encode())

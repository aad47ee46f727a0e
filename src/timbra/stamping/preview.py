"""Documents before their stamp: sealed as stamping would seal them, and the answer that a stamp would have."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from timbra.cfdi.qr import VerificationQuery
from timbra.core.errors import ServiceError
from timbra.evaluation.dependencies import Dependencies
from timbra.stamping.models import StampResult
from timbra.stamping.sealing import seal_document

ISSUER_RFC = ("Rfc", "RfcE")
"""Attribute of Emisor in a CFDI and in a retención."""


NO_UUID: Final = "00000000-0000-0000-0000-000000000000"
"""The folio fiscal of a document that was not stamped."""


def without_stamp(result: StampResult, sealed: bytes) -> StampResult:
    """Return the result of a stamp that was not made: the sealed document, and no value that only a stamp has.

    Args:
        result: The result as it would be, with an empty SelloSAT.
        sealed: The document without the stamp.
    """
    no_query = partial(VerificationQuery, "", is_retencion=False)
    return replace(
        result, tfd="", cfdi=sealed.decode(), uuid=NO_UUID, cadena_original_sat="", sello_sat="", build_query=no_query
    )


def is_sealed(xml: bytes, dependencies: Dependencies) -> bool:
    """Whether the root has a seal. ServiceError("301") when the document cannot be parsed."""
    return bool(dependencies.parser.parse(xml).root.get("Sello"))


def seal_with_stored_csd(xml: bytes, account_id: int, dependencies: Dependencies) -> bytes:
    """Return the document sealed with the CSD of its issuer that the account stored. Nothing is stored.

    Args:
        xml: An unsealed document.
        dependencies: Parser, stylesheets and keys.

    Raises:
        ServiceError: "301" when the document cannot be parsed or has no issuer, "csd-missing" without a CSD.
    """
    document = dependencies.parser.parse(xml)
    emisor = next(document.root.iterchildren("{*}Emisor"), None)
    rfc = next(filter(None, (emisor.get(name) for name in ISSUER_RFC)), None) if emisor is not None else None
    if rfc is None:
        raise ServiceError("301", "Falta el RFC del emisor.")
    credential = dependencies.vault.signer_for(account_id, rfc, dependencies.reference_data().now)
    try:
        return seal_document(document, credential.certificate, credential.signer, dependencies.cadena).source
    except KeyError as error:
        raise ServiceError("301", f"No se puede sellar la versión {document.version}.") from error

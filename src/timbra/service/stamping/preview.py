"""Sealing of a document before its stamp is requested, so that validation reports what stamping would check."""

from __future__ import annotations

from timbra.errors import ServiceError
from timbra.service.evaluation.dependencies import Dependencies
from timbra.service.stamping.sealing import seal_document

ISSUER_RFC = ("Rfc", "RfcE")
"""Attribute of Emisor in a CFDI and in a retención."""


def is_sealed(xml: bytes, dependencies: Dependencies) -> bool:
    """Whether the root has a seal. ServiceError("301") when the document cannot be parsed."""
    return bool(dependencies.parser.parse(xml).root.get("Sello"))


def seal_with_stored_csd(xml: bytes, account_id: int, dependencies: Dependencies) -> bytes:
    """Return the document sealed with the CSD of its issuer that the account stored. Nothing is stored.

    Args:
        xml: An unsealed document.
        account_id: The account.
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

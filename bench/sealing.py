"""Sealing an invoice with the issuer's CSD, by Timbra and by satcfdi: the same documents, in process."""

from __future__ import annotations

from collections.abc import Callable

from bench.fixtures import Prepared, sealed, unsealed

from timbra.app.composition import Container


def by_timbra(container: Container, prepared: Prepared, concepts: int = 3) -> Callable[[], object]:
    """Return a function that parses the next invoice, seals it and returns its bytes."""
    documents = sealed(container, prepared, concepts)
    return lambda: next(documents)


def by_satcfdi(container: Container, prepared: Prepared, concepts: int = 3) -> Callable[[], object]:
    """Return a function that does the same with satcfdi."""
    from satcfdi.cfdi import CFDI
    from satcfdi.models import Signer

    credential = prepared.credential
    signer = Signer.load(certificate=credential.certificate_der, key=credential.key_der, password=credential.password)
    documents = unsealed(container, concepts)

    def seal() -> object:
        document = CFDI.from_string(next(documents))
        document.sign(signer)
        return document.xml_bytes()

    seal()
    return seal

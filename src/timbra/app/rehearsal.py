"""The container of a rehearsal: the code of production against an emulator of the SAT."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from timbra.app.parts import cached_property
from timbra.app.production import ProductionContainer
from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from timbra.seals.certificates.trust_store import TrustStore


class RehearsalContainer(ProductionContainer):
    """The container of a rehearsal. It differs from production in what it trusts and in the addresses it may use."""

    @cached_property
    def issuers(self) -> TrustStore:
        """The authority of the emulator, and nothing else.

        Raises:
            ServiceError: "trust-refused" without the setting, for another certificate than an authority's, for an
                authority of the SAT, and with `trust_dir`.
        """
        path, folder = self.settings.rehearsal_authority, self.settings.trust_dir
        if path is None:
            raise ServiceError("trust-refused", "Un ensayo necesita TIMBRA_REHEARSAL_AUTHORITY.")
        if folder is not None:
            raise ServiceError("trust-refused", "Un ensayo confía solo en la autoridad de su emulador: quite trust_dir")
        return rehearsal_trust(path)


def rehearsal_trust(path: Path) -> TrustStore:
    """Return a store that trusts the one authority whose certificate is in a file.

    Raises:
        ServiceError: "trust-refused" when the file has no certificate of an authority, or one of the SAT;
            "certificate-unreadable" when it is no certificate.
    """
    from timbra.seals.certificates.certificate import CertificateKind
    from timbra.seals.certificates.trust_anchors import encode_public_key
    from timbra.seals.certificates.trust_store import TrustStore, read_certificate_file
    from timbra.seals.certificates.trust_table import load_trust_table

    certificate = read_certificate_file(path)
    if certificate.kind is not CertificateKind.AUTHORITY:
        raise ServiceError("trust-refused", f"{path.name} no es el certificado de una autoridad.")
    anchors, _ = load_trust_table()
    if encode_public_key(certificate) in {anchor.spki for anchor in anchors}:
        raise ServiceError("trust-refused", f"{path.name} es una autoridad del SAT; un ensayo usa la de su emulador.")
    return TrustStore((), ()).with_authority(certificate)

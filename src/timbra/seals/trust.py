"""Who is trusted to issue certificates and to stamp: SAT's table, a folder of more certificates, the sandbox's own."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from timbra.errors import ServiceError
from timbra.seals.anchors import Anchor, ProviderCertificate, anchor_of, provider_of
from timbra.seals.certificate import Certificate, Kind, read_certificate
from timbra.seals.issuance import issued_with
from timbra.seals.trust_table import PRODUCTION, table

LOCAL = "local"
"""The environment of what a folder or the sandbox adds."""
SUFFIXES = frozenset({".cer", ".crt", ".der", ".pem"})
PEM = re.compile(rb"-----BEGIN CERTIFICATE-----\s([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----")


class Trust:
    """A set of authorities and providers that never changes; `with_...` give a larger one."""

    def __init__(self, anchors: Iterable[Anchor], providers: Iterable[ProviderCertificate]) -> None:
        self._anchors = tuple(anchors)
        self._providers = {provider.number: provider for provider in providers}
        self._issuer = lru_cache(maxsize=4096)(self._find_issuer)

    @classmethod
    def built_in(cls, *, production: bool) -> Trust:
        """SAT's authorities and providers: those of production alone, or SAT's test ones too."""
        anchors, providers = table()
        return cls(
            (anchor for anchor in anchors if not production or anchor.environment == PRODUCTION),
            (provider for provider in providers if not production or provider.environment == PRODUCTION),
        )

    def issuer_of(self, certificate: Certificate) -> Anchor | None:
        """The authority whose key signed the certificate and that was in force when it was issued; None if unknown.

        Found by the issuer's common name, proven by the signature. A certificate's own start is the instant that
        counts, never today: authorities expire while documents stay.
        """
        return self._issuer(certificate)

    def provider(self, number: str) -> ProviderCertificate | None:
        """The provider certificate of 20 digits, None when it is unknown; the caller judges its validity."""
        return self._providers.get(number)

    def with_authority(self, authority: Certificate) -> Trust:
        """Trust in one more authority, whoever issued it."""
        return Trust((*self._anchors, anchor_of(authority, LOCAL)), self._providers.values())

    def with_provider(self, certificate: Certificate) -> Trust:
        """Trust in one more provider, whoever issued its certificate."""
        return Trust(self._anchors, (*self._providers.values(), provider_of(certificate, LOCAL)))

    def with_folder(self, folder: Path, *, production: bool) -> Trust:
        """Trust in the authorities and providers whose certificates (DER or PEM) lie in the folder.

        In production each must have been issued by an authority that is trusted already, or by one in the folder
        that was, and a provider's must be SAT's. ServiceError("trust-refused") names the first file that is not,
        "certificate-unreadable" one that is no certificate; numbers that are known keep their known keys.
        """
        found = sorted(_certificates_in(folder), key=lambda pair: pair[1].kind is not Kind.AUTHORITY)
        trust = self
        while found:
            accepted = [pair for pair in found if not production or trust._vouches_for(pair[1])]
            if not accepted:
                raise ServiceError("trust-refused", f"{found[0][0].name} no fue expedido por una autoridad del SAT.")
            for pair in accepted:
                trust = trust._with(pair[1])
                found.remove(pair)
        return trust

    def _vouches_for(self, certificate: Certificate) -> bool:
        issuer = self.issuer_of(certificate)
        if issuer is None:
            return False
        return issuer.issues_authorities if certificate.kind is Kind.AUTHORITY else certificate.kind is Kind.PROVIDER

    def _with(self, certificate: Certificate) -> Trust:
        if certificate.kind is Kind.AUTHORITY:
            return self.with_authority(certificate)
        return self if certificate.number in self._providers else self.with_provider(certificate)

    def _find_issuer(self, certificate: Certificate) -> Anchor | None:
        for anchor in self._anchors:
            if (
                anchor.holder == certificate.issuer_name
                and anchor.covers(certificate.valid_from)
                and issued_with(certificate, anchor.public_key)
            ):
                return anchor
        return None


def _certificates_in(folder: Path) -> Iterator[tuple[Path, Certificate]]:
    if not folder.is_dir():
        raise ServiceError("trust-refused", f"La carpeta {folder} no existe.")
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in SUFFIXES:
            continue
        for der in _encoded_in(path.read_bytes()):
            yield path, _readable(path, der)


def _encoded_in(data: bytes) -> list[bytes]:
    """The certificates of a PEM bundle, or the file itself, taken for DER."""
    blocks = [b"".join(block.split()) for block in PEM.findall(data)]
    try:
        return [binascii.a2b_base64(block) for block in blocks] if blocks else [data]
    except binascii.Error:
        return [data]


def _readable(path: Path, der: bytes) -> Certificate:
    try:
        return read_certificate(der)
    except ServiceError as refusal:
        raise ServiceError(refusal.code, f"{path.name}: {refusal.detail}") from refusal

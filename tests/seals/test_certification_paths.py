"""Certification paths: the NIST's PKITS (from `cryptography-vectors`), and the kinds of paths that x509-limbo names.

`docs/decisions/0268-certification-paths.md` explains the differences from RFC 5280.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import cryptography_vectors
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import AuthorityInformationAccessOID, ExtendedKeyUsageOID, NameOID
from tests.seals.support import CERTIFYING, SIGNING, USAGES, rsa_key

from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import Certificate, CertificateKind, read_certificate
from timbra.seals.certificates.trust_store import TrustStore

PKITS = Path(cryptography_vectors.__file__).parent / "x509" / "PKITS_data" / "certs"
ROOT = "TrustAnchorRootCertificate"
NOW = datetime(2026, 11, 20, tzinfo=UTC)

DIFFERENCES = {
    "revoked certificates are in the SAT's LCO, no CRL is read": (
        r"CRL|cRL|Revoked|[dD]istributionPoint|onlyContains|onlySome|IDP|Invalid(Long|Negative)SerialNumber"
        r"|InvalidBasicSelfIssued(NewWithOld|OldWithNew)",
        46,
    ),
    "an authority with critical policies is not trusted": (r"Valid.*Polic(y|ies)", 19),
    "an authority with critical constraints on names is not trusted": (r"Valid.*nameConstraints", 16),
    "names are compared as they are written": (r"NameChaining(Whitespace|Capitalization)|CaseInsensitive", 3),
    "an authority is known by its common name and its key": (r"NameChainingOrder", 1),
    "authorities must be valid when a certificate begins, not now": (
        r"(GeneralizedTime|2000UTC)notBefore|InvalidCAnotAfterDate",
        3,
    ),
}
"""Why paths are judged in another way than by RFC 5280: a pattern of the names in PKITS, and how many there are."""


@cache
def pkits() -> dict[str, Certificate]:
    """Return the certificates of PKITS that can be read, by the names of their files."""
    found = {}
    for path in sorted(PKITS.glob("*.crt")):
        try:
            found[path.stem] = read_certificate(path.read_bytes())
        except ServiceError:
            assert "DSA" in path.stem
    return found


def pkits_paths(certificate: Certificate, below: tuple[Certificate, ...] = ()) -> Iterator[tuple[Certificate, ...]]:
    """Yield every chain of authorities from below the root to a certificate."""
    if certificate.issuer_name == pkits()[ROOT].name:
        yield below
    for name, authority in pkits().items():
        is_below = authority.name == certificate.issuer_name and authority not in below
        if is_below and name != ROOT and not name.endswith("EE"):
            yield from pkits_paths(authority, (authority, *below))


def is_trusted(root: Certificate, authorities: Iterable[Certificate], leaf: Certificate) -> bool:
    trust: TrustStore | None = TrustStore([], []).with_authority(root)
    for authority in authorities:
        is_authority = authority.kind is CertificateKind.AUTHORITY
        trust = trust.with_subordinate(authority) if trust and is_authority else None
    return trust is not None and trust.issuer_of(leaf) is not None and leaf.is_valid_at(NOW)


def test_paths_of_pkits_differ_from_rfc_5280_only_where_explained() -> None:
    agreed, different = 0, Counter[str]()
    for name, leaf in pkits().items():
        if not re.match(r"(Valid|Invalid).*EE$", name):
            continue
        found = any(is_trusted(pkits()[ROOT], path, leaf) for path in pkits_paths(leaf))
        if found is name.startswith("Valid"):
            agreed += 1
        else:
            different.update(reason for reason, (names, _) in DIFFERENCES.items() if re.search(names, name))
            assert any(re.search(names, name) for names, _ in DIFFERENCES.values()), name
    assert different == {reason: count for reason, (_, count) in DIFFERENCES.items()}
    assert agreed == 112


CERTIFIES = x509.BasicConstraints(ca=True, path_length=None)


@dataclass(frozen=True)
class Draft:
    """An unsigned certificate; the root and the authorities have a key each, by their place in the path."""

    name: str
    constraints: x509.BasicConstraints | None = CERTIFIES
    usage: tuple[str, ...] | None = CERTIFYING
    extra: x509.ExtensionType | None = None
    is_extra_critical: bool = False


def authority(path_length: int | None = None, name: str = "", **changes: object) -> Draft:
    draft = Draft(name, x509.BasicConstraints(ca=True, path_length=path_length))
    return replace(draft, **changes)  # type: ignore[arg-type]


LEAF = Draft("contribuyente", x509.BasicConstraints(ca=False, path_length=None), SIGNING)
UNKNOWN = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.3.6.1.4.1.55738.666.1"), b"")
ACCESS = x509.AuthorityInformationAccess(
    [x509.AccessDescription(AuthorityInformationAccessOID.CA_ISSUERS, x509.UniformResourceIdentifier("http://a.test"))]
)
NAMES = x509.NameConstraints(permitted_subtrees=[x509.DNSName("a.test")], excluded_subtrees=None)
POLICY = x509.PolicyConstraints(require_explicit_policy=0, inhibit_policy_mapping=None)
POLICIES = x509.CertificatePolicies([x509.PolicyInformation(x509.ObjectIdentifier("1.2.3"), None)])
LEAF_USAGE = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.EMAIL_PROTECTION])
NOT_AN_AUTHORITY = x509.BasicConstraints(ca=False, path_length=None)


def build_path(drafts: Iterable[Draft]) -> list[Certificate]:
    """Sign drafts from below the root on, each with the key of the one before; the root comes first."""
    root = Draft("AC raíz")
    issuer, made = root, []
    for place, draft in enumerate((root, *drafts)):
        named = replace(draft, name=draft.name or f"AC {place}")
        made.append(read_certificate(sign(named, issuer, key=place, issuer_key=max(0, place - 1))))
        issuer = named
    return made


def sign(draft: Draft, issuer: Draft, *, key: int, issuer_key: int) -> bytes:
    subject, above = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, each.name)]) for each in (draft, issuer))
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(above)
        .serial_number(1 + key)
        .not_valid_before(datetime(2025, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2029, 1, 1, tzinfo=UTC))
        .public_key(rsa_key(key).public_key())
    )
    if draft.constraints is not None:
        builder = builder.add_extension(draft.constraints, critical=True)
    if draft.usage is not None:
        usage = x509.KeyUsage(**{name: name in draft.usage for name in USAGES})
        builder = builder.add_extension(usage, critical=False)
    if draft.extra is not None:
        builder = builder.add_extension(draft.extra, critical=draft.is_extra_critical)
    return builder.sign(rsa_key(issuer_key), SHA256()).public_bytes(Encoding.DER)


@pytest.mark.parametrize(
    "drafts",
    [
        [LEAF],
        [authority(0), LEAF],
        [authority(1), LEAF],
        [authority(2), LEAF],
        [authority(1), authority(2), LEAF],
        [authority(2), authority(1), authority(0), LEAF],
        [authority(1, "AC rollover"), authority(1, "AC rollover"), authority(0), LEAF],
        [authority(usage=None), LEAF],
        [replace(LEAF, usage=None)],
        [replace(LEAF, constraints=None)],
        [replace(LEAF, extra=ACCESS)],
        [replace(LEAF, extra=UNKNOWN)],
        [authority(extra=POLICIES), LEAF],
    ],
)
def test_path_is_trusted(drafts: list[Draft]) -> None:
    root, *authorities, leaf = build_path(drafts)
    assert is_trusted(root, authorities, leaf)


@pytest.mark.parametrize(
    "drafts",
    [
        [authority(0), authority(0), LEAF],
        [authority(1), authority(0), authority(0), LEAF],
        [authority(1), authority(5), authority(5), LEAF],
        [authority(2), authority(None), authority(None), authority(None), LEAF],
        [authority(0, "AC rollover"), authority(0, "AC rollover"), authority(0), LEAF],
        [authority(constraints=NOT_AN_AUTHORITY), LEAF],
        [authority(constraints=None), LEAF],
        [authority(usage=("crl_sign",)), LEAF],
        [authority(usage=SIGNING), LEAF],
        [authority(extra=UNKNOWN, is_extra_critical=True), LEAF],
        [authority(extra=NAMES, is_extra_critical=True), LEAF],
        [authority(extra=POLICY, is_extra_critical=True), LEAF],
        [replace(LEAF, extra=UNKNOWN, is_extra_critical=True)],
        [replace(LEAF, extra=ACCESS, is_extra_critical=True)],
        [replace(LEAF, extra=LEAF_USAGE, is_extra_critical=True)],
        [LEAF, LEAF],
    ],
)
def test_path_is_not_trusted(drafts: list[Draft]) -> None:
    root, *authorities, leaf = build_path(drafts)
    assert not is_trusted(root, authorities, leaf)


def test_path_is_not_trusted_without_its_root() -> None:
    _, middle, leaf = build_path([authority(0), LEAF])
    other = read_certificate(sign(Draft("AC raíz"), Draft("AC raíz"), key=3, issuer_key=3))
    assert not is_trusted(other, [middle], leaf)


def test_authority_that_must_not_sign_is_no_authority() -> None:
    [_, middle] = build_path([authority(usage=SIGNING)])
    assert middle.kind is CertificateKind.OTHER

"""The table of SAT's authorities and providers, `trust.csv`: fields of their certificates, not the files.

`python -m timbra.seals.certificates.trust_table FOLDER` prints the table from the certificates in FOLDER's subfolders
ca-prod, ca-test, pac-prod and pac-test.
"""

from __future__ import annotations

import base64
import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path

from timbra.seals.certificates.certificate import Certificate, CertificateKind, read_certificate
from timbra.seals.certificates.issuance import is_issued_by
from timbra.seals.certificates.trust_anchors import ProviderCertificate, TrustAnchor, encode_public_key, provider_rfc

COLUMNS = (
    "kind",
    "environment",
    "number",
    "holder",
    "rfc",
    "valid_from",
    "valid_to",
    "issuer",
    "path_length",
    "public_key",
)
PRODUCTION = "production"
TEST = "test"
ENVIRONMENTS = {"prod": PRODUCTION, "test": TEST}
AUTHORITY_ROW = "CA"
PROVIDER_ROW = "provider"
INSTANT = "%Y-%m-%dT%H:%M:%SZ"


@cache
def load_trust_table() -> tuple[tuple[TrustAnchor, ...], tuple[ProviderCertificate, ...]]:
    """Return all authorities and all providers; the keys are decoded at their first use."""
    text = files("timbra.seals").joinpath("trust.csv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    return (
        tuple(_to_anchor(row) for row in rows if row["kind"] == AUTHORITY_ROW),
        tuple(_to_provider(row) for row in rows if row["kind"] == PROVIDER_ROW),
    )


def _to_anchor(row: Mapping[str, str]) -> TrustAnchor:
    return TrustAnchor(
        number=row["number"],
        holder=row["holder"],
        environment=row["environment"],
        valid_from=datetime.fromisoformat(row["valid_from"]),
        valid_to=datetime.fromisoformat(row["valid_to"]),
        path_length=int(row["path_length"]) if row["path_length"] else None,
        spki=base64.b64decode(row["public_key"]),
    )


def _to_provider(row: Mapping[str, str]) -> ProviderCertificate:
    return ProviderCertificate(
        number=row["number"],
        rfc=row["rfc"],
        environment=row["environment"],
        valid_from=datetime.fromisoformat(row["valid_from"]),
        valid_to=datetime.fromisoformat(row["valid_to"]),
        spki=base64.b64decode(row["public_key"]),
    )


def build_rows(folder: Path) -> Iterator[Sequence[str]]:
    """Yield the rows of the certificates in a folder: authorities first, by environment and number."""
    found = [
        (environment, read_certificate(path.read_bytes()))
        for part, environment in ENVIRONMENTS.items()
        for path in sorted(folder.glob(f"*-{part}/*.cer"))
    ]
    authorities = [certificate for _, certificate in found if certificate.kind is CertificateKind.AUTHORITY]
    for kind, name in ((CertificateKind.AUTHORITY, AUTHORITY_ROW), (CertificateKind.PROVIDER, PROVIDER_ROW)):
        chosen = [pair for pair in found if pair[1].kind is kind]
        for environment, certificate in sorted(chosen, key=lambda pair: (pair[0], pair[1].number)):
            yield _to_row(name, environment, certificate, authorities)


def _to_row(kind: str, environment: str, certificate: Certificate, authorities: Sequence[Certificate]) -> Sequence[str]:
    issuers = [authority.number for authority in authorities if is_issued_by(certificate, authority.public_key)]
    return (
        kind,
        environment,
        certificate.number,
        certificate.name,
        provider_rfc(certificate) if kind == PROVIDER_ROW else certificate.rfc,
        certificate.valid_from.astimezone(UTC).strftime(INSTANT),
        certificate.valid_to.astimezone(UTC).strftime(INSTANT),
        issuers[0] if issuers else "",
        "" if certificate.path_length is None else str(certificate.path_length),
        base64.b64encode(encode_public_key(certificate)).decode("ascii"),
    )


if __name__ == "__main__":
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(build_rows(Path(sys.argv[1])))

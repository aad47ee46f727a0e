"""Keys and secrets: the master key opens each, and a certificate says the columns beside it and belongs to its key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cryptography.hazmat.primitives.serialization import load_der_private_key
from sqlalchemy import Connection, Row, type_coerce, update
from sqlalchemy.types import NULLTYPE

from timbra.accounts.build import envelope_encryption
from timbra.accounts.secrets import secret_context
from timbra.accounts.vault.csd import STAMP
from timbra.accounts.vault.signers import key_context
from timbra.core.errors import ServiceError
from timbra.database.tables.accounts import CSD, SECRET
from timbra.database.tables.audit import AUDIT_KEY
from timbra.database.tables.column_types import to_microseconds
from timbra.fsck.check import FsckCheck, FsckRun
from timbra.fsck.findings import Cure, FsckFinding, Repair, shown
from timbra.fsck.reading import Unreadable, unreadable
from timbra.seals.certificates.certificate import Certificate, read_certificate
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.transparency.keys import key_context as audit_key_context

C = CSD.c


def check_keys(run: FsckRun) -> Iterator[FsckFinding]:
    """Open every secret and every key of the vault, and compare certificates."""
    try:
        envelope = run.container.get(envelope_encryption)
    except ServiceError as error:
        if error.code == "CO1000":
            raise
        yield FsckFinding("key-unusable", "master.key", "", stored=error.code, cure=Cure.RESTORE)
        return
    for table, key, sealed, context in (
        (SECRET, SECRET.c.name, SECRET.c.sealed, secret_context),
        (AUDIT_KEY, AUDIT_KEY.c.id, AUDIT_KEY.c.sealed_key, audit_key_context),
    ):
        for row in run.reader(table.name).rows((key, sealed), (key,)):
            if isinstance(row, Unreadable):
                yield from unreadable(row, table.name)
            else:
                name, value = tuple(row)
                yield from opened(envelope, value, context(str(name)), table.name, shown(name))[1]
    for row in run.reader(CSD.name).rows(tuple(C), (C.account_id, C.number)):
        yield from unreadable(row, CSD.name) if isinstance(row, Unreadable) else _csd(row, envelope)


def opened(
    envelope: EnvelopeEncryption, sealed: object, context: bytes, place: str, key: str
) -> tuple[bytes | None, list[FsckFinding]]:
    """Decrypt a value; return it, or the finding that it cannot be decrypted."""
    try:
        return envelope.open(sealed if isinstance(sealed, bytes) else b"", context), []
    except ServiceError as error:
        if error.code == "CO1000":
            raise
        return None, [FsckFinding("key-unusable", place, key, "sealed_key", error.code, cure=Cure.RESTORE)]


def _csd(row: Row[Any], envelope: EnvelopeEncryption) -> Iterator[FsckFinding]:
    key = f"{row.account_id} {shown(row.number)}"
    plain, findings = opened(envelope, row.sealed_key, key_context(row.account_id, row.number), CSD.name, key)
    yield from findings
    try:
        certificate = read_certificate(row.certificate)
    except (ServiceError, TypeError, ValueError) as error:
        yield FsckFinding("document-damaged", CSD.name, key, "certificate", shown(str(error)), cure=Cure.RESTORE)
        return
    for name, derived in _columns(certificate).items():
        stored = getattr(row, name)
        if stored != derived:
            repair = None if name == "number" else _writes(row, name, derived)
            cure = Cure.REPAIR if repair else Cure.DECIDE
            yield FsckFinding("certificate-differs", CSD.name, key, name, shown(stored), shown(derived), cure, repair)
    if plain is not None and not belongs(plain, certificate):
        yield FsckFinding("key-unusable", CSD.name, key, "certificate", cure=Cure.RESTORE)


def belongs(key: bytes, certificate: Certificate) -> bool:
    """Whether a private key, PKCS#8 in DER, is the one of a certificate."""
    try:
        private: Any = load_der_private_key(key, None, unsafe_skip_rsa_key_validation=True)
        public: Any = certificate.public_key
    except (ValueError, TypeError):
        return False
    return bool(private.public_key().public_numbers() == public.public_numbers())


def _columns(certificate: Certificate) -> dict[str, object]:
    return {
        "number": certificate.number,
        "kind": STAMP,
        "rfc": certificate.rfc,
        "name": certificate.name,
        "valid_from": to_microseconds(certificate.valid_from),
        "valid_to": to_microseconds(certificate.valid_to),
    }


def _writes(row: Row[Any], name: str, derived: object) -> Repair:
    def repair(connection: Connection) -> bool:
        same = (C.account_id == row.account_id, C.number == row.number)
        before = type_coerce(C[name], NULLTYPE) == getattr(row, name)
        change = update(CSD).where(*same, before).values({name: type_coerce(derived, NULLTYPE)})
        return bool(connection.execute(change).rowcount)

    return repair


CHECKS = (FsckCheck("keys", check_keys),)

"""A data folder and database written by version 0.1.0 (migration 0009); every value is a literal."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
from pathlib import Path

import orjson
import zstandard
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, text

from timbra.database.migrate import MIGRATIONS

NEWEST_MIGRATION = "0009"
NOW = 1_763_640_000_000_000
"""2025-11-20T12:00:00Z in microseconds."""
PASSWORD = "Contraseña 1"
PASSWORD_HASH = "$argon2id$v=19$m=19456,t=2,p=1$v7Pt0cyyULMrl0KeXpqgag$5UXpYY6WAJC0UXBi6xuzIGs9mlvgRvLlhDaWu6r09cs"
MASTER_KEY = base64.b64encode(bytes(range(32))).decode()
SEALED_TOKEN_SECRET = "AahXxtwyYNMQnCnlKXrznCPxreScw5MDaF3k3EbFs7kgJywPfwrfAzKit5JgXevXF3KlEt+zoPVf7QXYZ92k0Zu2+SMC"
TOKEN_ID = "0" * 31 + "a"
INFINITE_TOKEN = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIiwiZW52Ijoic2FuZGJveCIsImdlbiI6MSwianRpIjoiMDAwMDAwMDAwMDAwMDAw"
    "MDAwMDAwMDAwMDAwMDAwMGEiLCJpYXQiOjE3NjM2NDAwMDB9.eVwNO73YpMVput77M9IDlhRVvIoR45oGI1OfqUIyvrk"
)
DOCUMENT = (
    '<?xml version="1.0" encoding="UTF-8"?><cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4" Version="4.0" '
    'Folio="ñ-1" Total="116.00"/>'
).encode()
STORED_DOCUMENT = base64.b64decode("ASi1L/0kjP0AAGDDsS0xMTYuMDAiLz4FAArkPYNEBo2EDFApJLjyEUDfSMgm")
UUID = "5f0b1a4e-0000-4000-8000-000000000001"
DEAD_UUID = "5f0b1a4e-0000-4000-8000-000000000002"
GUID = "11111111-2222-4333-8444-555555555555"
RFC = "XIA190128J61"


def build_database(url: str) -> None:
    """Migrate an empty database up to version 0.1.0 and insert its rows."""
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url)
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(MIGRATIONS))
        command.upgrade(config, NEWEST_MIGRATION)
        _insert_accounts(connection)
        _insert_stamps(connection)
        _insert_sandbox(connection)
    engine.dispose()


def build_folder(folder: Path) -> None:
    """Write a data folder of version 0.1.0 with its database in SQLite."""
    build_database(f"sqlite:///{folder / 'timbra.db'}")
    (folder / "master.key").write_text(f"{MASTER_KEY}\n")
    (folder / "lists").mkdir()
    (folder / "lists" / "LCO-1.list").write_bytes(b"LCO")


def build_backup(folder: Path, archive: Path) -> None:
    """Pack a folder as `timbra backup` of version 0.1.0 did: members first, the manifest last."""
    names = ("timbra.db", "master.key", "lists/LCO-1.list")
    contents = {name: (folder / name).read_bytes() for name in names}
    manifest = {
        "format": "timbra-backup-1",
        "environment": "sandbox",
        "database": "sqlite",
        "schema": NEWEST_MIGRATION,
        "program": "0.1.0",
        "made_at": "2025-11-20T12:00:00+00:00",
        "files": {
            name: {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in contents.items()
        },
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in {**contents, "manifest.json": orjson.dumps(manifest)}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    archive.write_bytes(zstandard.ZstdCompressor().compress(packed.getvalue()))


def _insert(connection: Connection, table: str, **values: object) -> None:
    names = ", ".join(f'"{name}"' for name in values)
    parameters = ", ".join(f":{name}" for name in values)
    connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({parameters})"), values)


def _insert_accounts(connection: Connection) -> None:
    _insert(
        connection,
        "account",
        user="Luis@Xenon.mx",
        name="luis@xenon.mx",
        password=PASSWORD_HASH,
        generation=1,
        role="account",
        active=True,
        created_at=NOW,
        changed=3,
    )
    _insert(
        connection,
        "holder",
        account_id=1,
        guid=GUID,
        name="Xenón Industrial",
        tax_id=RFC,
        notification_email="avisos@xenon.mx",
        phone="55 5555 5555",
        dealer_id=None,
        password_at=NOW,
    )
    _insert(connection, "balance", account_id=1, unlimited=False, remaining=7, assigned=10, used=3)
    _insert(
        connection,
        "stamp_movement",
        account_id=1,
        stamps_in=10,
        stamps_out=0,
        current=10,
        comment="Saldo inicial",
        at=NOW,
        by_account_id=None,
    )
    _insert(connection, "infinite_token", id=TOKEN_ID, account_id=1, label="accessToken", created_at=NOW, changed=3)
    _insert(connection, "secret", name="tokens", sealed=base64.b64decode(SEALED_TOKEN_SECRET))
    _insert(connection, "identity", name="environment", value="sandbox")
    _insert(connection, "revision", area="accounts", number=3)
    _insert(connection, "lease", name="refresh", holder="worker", until=NOW)


def _insert_stamps(connection: Connection) -> None:
    _insert(
        connection,
        "stamp",
        seal_hash=b"\x01" * 32,
        cursor=1,
        uuid=UUID,
        account_id=1,
        environment="sandbox",
        request_id="request-1",
        stamped_at=NOW,
        version="4.0",
        kind="I",
        serie="",
        folio="ñ-1",
        fecha="2025-11-20T06:00:00",
        issuer_rfc=RFC,
        receiver_rfc="XAXX010101000",
        total="116.00",
        issuer_certificate="30001000000500003416",
        provider_certificate="90001000000000000001",
        rule_set="1",
        data_version="2025-11-01",
        lists_version="2025-11-17",
        cfdi=STORED_DOCUMENT,
    )
    _insert(connection, "custom_id", account_id=1, id_hash=b"\x02" * 32, seal_hash=b"\x01" * 32, stamped_at=NOW)
    _insert(
        connection,
        "event",
        at=NOW,
        fiscal_at=NOW,
        account_id=1,
        kind="stamped",
        subject=UUID,
        request_id="request-1",
        body='{"custom_id": "pedido 1"}',
    )
    _insert(connection, "outbox", kind="stamp", subject=UUID, created_at=NOW, due_at=NOW, attempts=0)
    _insert(connection, "outbox", kind="stamp", subject=DEAD_UUID, created_at=NOW, due_at=NOW, attempts=90)
    email = {"uuid": UUID, "account_id": 1, "created_at": NOW}
    _insert(connection, "letter", **email, recipient="ana@example.com", due_at=NOW, attempts=0, failure="")
    _insert(connection, "letter", **email, recipient="luis@example.com", due_at=None, attempts=12, failure="550 no")
    _insert(
        connection,
        "refusal",
        account_id=1,
        at=NOW,
        fiscal_at=NOW,
        request_id="request-2",
        operation="/cfdi33/stamp/v4",
        code="CFDI40102",
        detail="",
        issuer_rfc=RFC,
        receiver_rfc="",
        serie="",
        folio="",
        document_hash="",
    )
    _insert(connection, "usage_day", account_id=1, day="2025-11-20", stamps=1, refusals=1)
    _insert(connection, "usage_progress", name="stamps", counted=1, seen=1, seen_at=NOW)


def _insert_sandbox(connection: Connection) -> None:
    _insert(
        connection,
        "sandbox_taxpayer",
        rfc=RFC,
        name="XENON INDUSTRIAL ARTICLES",
        postal_code="76343",
        regimes="601 626",
        obligations=1,
        cancelled=False,
        listed=True,
        pending=None,
        situation="Presunto",
    )
    _insert(
        connection,
        "sandbox_document",
        uuid=UUID,
        version="4.0",
        kind="I",
        issuer_rfc=RFC,
        receiver_rfc="XAXX010101000",
        total="116.00",
        total_mxn="116.00",
        seal_tail="abcdefgh",
        issued_at=NOW,
        state="Vigente",
        cancellation="",
        origin="delivered",
        year=2025,
        fuel=False,
    )
    _insert(connection, "sandbox_script", rfc="XAXX010101000", outcome="accepted", seconds=60)

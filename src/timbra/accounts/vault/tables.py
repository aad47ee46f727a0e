"""Tables of the vault that no other package reads."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, LargeBinary, Table, Text

from timbra.database.feature_tables import FeatureTable
from timbra.database.tables import METADATA
from timbra.database.tables.column_types import Instant

# One e.firma for each RFC of an account. sealed_key: PKCS#8 DER, encrypted for this account and number.
EFIRMA = Table(
    "efirma",
    METADATA,
    Column("account_id", BigInteger, primary_key=True, autoincrement=False),
    Column("rfc", Text, primary_key=True),
    Column("number", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("valid_from", Instant, nullable=False),
    Column("valid_to", Instant, nullable=False),
    Column("certificate", LargeBinary, nullable=False),
    Column("sealed_key", LargeBinary, nullable=False),
    Column("stored_at", Instant, nullable=False),
)

TABLES = (FeatureTable(EFIRMA),)

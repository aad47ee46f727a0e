"""Parts of stamping that verify a document: the second parser and the stamp of a stored document."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp
from tests.support.store_records import record

from timbra.cfdi.document import DocumentParser
from timbra.core.errors import ServiceError
from timbra.examples import ingreso
from timbra.stamping.stamp_factory import read_stamp, require_well_formed


def test_require_well_formed_accepts_an_invoice() -> None:
    require_well_formed(ingreso().encode())


def test_require_well_formed_rejects_what_expat_rejects() -> None:
    with pytest.raises(ServiceError, match="no es XML") as rejected:
        require_well_formed("<a><\u0370/></a>".encode())
    assert rejected.value.code == "301"


def test_read_stamp_returns_the_stamp_of_the_record(sandbox_app: SandboxApp) -> None:
    sandbox_app.store(sandbox_app.mint())
    stamped = sandbox_app.issue(ingreso(fecha=FECHA).encode())
    stored = replace(record(1, uuid=stamped.uuid), cfdi=stamped.cfdi.encode())
    stamp = read_stamp(stored, DocumentParser())
    assert (stamp.uuid, stamp.sello_sat) == (stamped.uuid, stamped.sello_sat)
    with pytest.raises(ServiceError, match="no contiene su timbre"):
        read_stamp(replace(stored, uuid=record(2).uuid), DocumentParser())


def test_read_stamp_raises_document_damaged_without_a_stamp() -> None:
    with pytest.raises(ServiceError, match="no contiene su timbre") as damaged:
        read_stamp(replace(record(1), cfdi=ingreso().encode()), DocumentParser())
    assert damaged.value.code == "document-damaged"

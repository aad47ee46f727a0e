"""Fiscal folios."""

from __future__ import annotations

from uuid import RFC_4122, UUID

from timbra.cfdi.uuid_text import canonical_uuid, random_uuid


def test_random_uuid_is_of_version_4_and_of_its_variant() -> None:
    folios = {random_uuid() for _ in range(500)}
    assert len(folios) == 500
    for folio in folios:
        parsed = UUID(folio)
        assert (parsed.version, parsed.variant, str(parsed)) == (4, RFC_4122, folio)
        assert canonical_uuid(folio) == folio
    assert {folio[19] for folio in folios} == set("89ab")

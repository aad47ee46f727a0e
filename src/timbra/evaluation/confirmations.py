"""The provider's registry of keys of confirmation, as the rules about Confirmacion read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from timbra.cfdi.nodes import Comprobante, FiscalDocument
from timbra.cfdi.rfc import is_rfc
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.rules.engine.ports import ReferenceData
from timbra.stamps.confirmations import ConfirmationKey, ConfirmationRepository

MAX_KEYS = 200
"""Keys of a list."""


@dataclass(frozen=True, slots=True)
class RegisteredKey:
    """`Confirmations` of one document: what the registry has about its key.

    Attributes:
        row: the key; None when it was not issued.
    """

    row: ConfirmationKey | None

    def issued_to(self, rfc: str, key: str) -> bool:
        """Whether the key was issued to the taxpayer."""
        return self.row is not None and (self.row.rfc, self.row.key) == (rfc, key)

    def used(self, key: str) -> bool:
        """Whether a document has used the key."""
        return self.row is not None and self.row.key == key and self.row.uuid is not None


class ConfirmationRegistry:
    """Issues keys and looks them up.

    Args:
        repository: stores the keys.
        wall: wall time.
        is_asked: whether the rules ask the registry.
    """

    def __init__(self, repository: ConfirmationRepository, wall: Clock, *, is_asked: bool) -> None:
        self._repository = repository
        self._wall = wall
        self._is_asked = is_asked

    def issue(self, rfc: str, account_id: int | None = None) -> ConfirmationKey:
        """Issue a key to an issuer of invoices, for one stamp.

        Args:
            rfc: the issuer.
            account_id: the account that requests it; None for the operator.

        Raises:
            ServiceError: "TB4005" when the text is not an RFC.
        """
        issuer = rfc.strip().upper()
        if not is_rfc(issuer):
            raise ServiceError("TB4005", "El campo rfc debe ser un RFC.")
        return self._repository.issue(issuer, account_id, self._wall.now())

    def latest(self, account_id: int | None = None) -> Sequence[ConfirmationKey]:
        """Return the latest keys that an account requested, or those of all for None."""
        return self._repository.latest(account_id, MAX_KEYS)

    def key_of(self, document: FiscalDocument) -> str | None:
        """Return the key that the stamp of the document uses up; None for none."""
        return document.Confirmacion if self._is_asked and isinstance(document, Comprobante) else None

    def with_key(self, reference_data: ReferenceData, document: FiscalDocument) -> ReferenceData:
        """Return the reference data with the document's key; reads nothing for a document without Confirmacion."""
        key = self.key_of(document)
        if key is None:
            return reference_data
        return replace(reference_data, confirmations=RegisteredKey(self._repository.find(key)))


def with_used_key(reference_data: ReferenceData, rfc: str, key: str) -> ReferenceData:
    """Return the reference data in which the key was issued to the taxpayer and is used."""
    row = ConfirmationKey(key, rfc, None, reference_data.now, uuid="")
    return replace(reference_data, confirmations=RegisteredKey(row))

"""The services of received CFDI, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.received.uploads import ReceivedValidation


@dataclass(frozen=True, slots=True)
class ReceivedServices:
    """Validation of documents that accounts received, with results that are kept."""

    documents: ReceivedValidation

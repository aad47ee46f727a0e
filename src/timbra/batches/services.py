"""The services of batches, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.batches.batches import BatchService


@dataclass(frozen=True, slots=True)
class BatchServices:
    """Batches of documents to stamp."""

    batches: BatchService

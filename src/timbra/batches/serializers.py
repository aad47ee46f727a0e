"""Batches, as the API writes them. The OpenAPI schemas are derived from the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from timbra.core.clock import utc, utc_or_none
from timbra.web.envelopes import SuccessAnswer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from timbra.batches.store.models import Batch


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    id: str
    status: Annotated[str, "`queued`, `running`, `done`, `failed`, `expired`, `cancelled`."]
    operation: Annotated[str, "`stamp` or `issue`."]
    fileName: str
    pdf: bool
    files: int
    stamped: int
    repeated: Annotated[int, "Stamped before (307); their stamps are part of the result."]
    rejected: int
    failure: Annotated[str, "Why the batch failed; empty otherwise."]
    created: str
    started: str | None
    finished: str | None
    expires: Annotated[str | None, "End of the addresses of the results."]
    urlOutput: Annotated[str, "ZIP of the stamped documents; empty when there is none."]
    urlReport: Annotated[str, "CSV of all documents; empty when there is none."]
    urlReportError: Annotated[str, "CSV of the rejected documents; empty when there is none."]


def batch_answer(batch: Batch, addresses: Mapping[str, str]) -> BatchAnswer:
    """Return a batch in the shape of the API. `addresses`: Of its results, see `timbra.batches.results.addresses`."""
    return BatchAnswer(
        batch.id,
        batch.state,
        batch.operation,
        batch.file_name,
        batch.pdf,
        batch.files,
        batch.stamped,
        batch.repeated,
        batch.rejected,
        batch.failure,
        utc(batch.created_at),
        utc_or_none(batch.started_at),
        utc_or_none(batch.finished_at),
        utc_or_none(batch.expires_at),
        addresses["urlOutput"],
        addresses["urlReport"],
        addresses["urlReportError"],
    )


ANSWERS: dict[str, object] = {
    "Batch": SuccessAnswer[BatchAnswer],
    "BatchList": SuccessAnswer[list[BatchAnswer]],
}

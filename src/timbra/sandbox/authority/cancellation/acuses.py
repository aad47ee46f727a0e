"""Acuses of earlier cancellations, which the simulated authority signs again on request."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from timbra.cfdi.cancelacion.acuse import cancellation_acuse, retenciones_acuse
from timbra.sandbox.authority.cancellation.state_machine import (
    ACCEPTED_CODE,
    RETENCION_ACCEPTED_CODE,
    Transition,
)
from timbra.sandbox.authority.cancellation.workflow import KIND, CancellationWorkflow
from timbra.sandbox.store.models import RETENCION, DocumentRow

_REQUESTS = frozenset((f"{KIND}{Transition.CANCELLED}", f"{KIND}{Transition.REQUESTED}"))


class SandboxAcuses:
    """Rebuilds acuses from the history of a CFDI or a retención."""

    def __init__(
        self,
        workflow: CancellationWorkflow,
        find: Callable[[str], DocumentRow | None],
        seal: Callable[[etree._Element], bytes],
    ) -> None:
        """Read the history through `workflow`.

        Args:
            workflow: The history of every document.
            find: Returns the document of a folio in lower case, which is indexed.
            seal: Signs an acuse with the key of the authority and returns its XML.
        """
        self._workflow = workflow
        self._find = find
        self._seal = seal

    def of_cancellation(self, uuid: str, issuer_rfc: str) -> bytes | None:
        """Return the acuse of the latest accepted request; None without one.

        Args:
            uuid: The folio, in lower case.
            issuer_rfc: The RFC that the acuse names as the issuer.
        """
        requests = [event for event in self._workflow.history(uuid) if event.kind in _REQUESTS]
        if not requests:
            return None
        at, row = requests[-1].fiscal_at, self._find(uuid)
        if row is not None and row.kind == RETENCION:
            return self._seal(retenciones_acuse(at, issuer_rfc, {uuid: RETENCION_ACCEPTED_CODE}))
        return self._seal(cancellation_acuse(at, issuer_rfc, {uuid: ACCEPTED_CODE}))

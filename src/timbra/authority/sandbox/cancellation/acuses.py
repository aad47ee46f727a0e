"""Acuses of earlier cancellations, which the simulated authority signs again on request."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from timbra.authority.sandbox.cancellation.state_machine import ACCEPTED_CODE, Transition
from timbra.authority.sandbox.cancellation.workflow import KIND, CancellationWorkflow
from timbra.cfdi.cancelacion.acuse import cancellation_acuse

_REQUESTS = frozenset((f"{KIND}{Transition.CANCELLED}", f"{KIND}{Transition.REQUESTED}"))


class SandboxAcuses:
    """Rebuilds acuses from the history of a CFDI."""

    def __init__(self, workflow: CancellationWorkflow, seal: Callable[[etree._Element], bytes]) -> None:
        """Read the history through `workflow`.

        Args:
            workflow: The history of every CFDI.
            seal: Signs an acuse with the key of the authority and returns its XML.
        """
        self._workflow = workflow
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
        return self._seal(cancellation_acuse(requests[-1].fiscal_at, issuer_rfc, {uuid: ACCEPTED_CODE}))

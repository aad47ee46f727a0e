"""Acuses of cancellation once more: the simulated authority signs again what it answered then."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from timbra.authority.sandbox.cancellation.state_machine import ACCEPTED_CODE, Transition
from timbra.authority.sandbox.cancellation.workflow import KIND, CancellationWorkflow
from timbra.cfdi.cancelacion.acuse import cancellation_acuse

_REQUESTS = frozenset((f"{KIND}{Transition.CANCELLED}", f"{KIND}{Transition.REQUESTED}"))


class SandboxAcuses:
    """Reads the history of a CFDI. seal: signs an acuse with the authority's key and gives its XML."""

    def __init__(self, workflow: CancellationWorkflow, seal: Callable[[etree._Element], bytes]) -> None:
        self._workflow = workflow
        self._seal = seal

    def of_cancellation(self, uuid: str, issuer_rfc: str) -> bytes | None:
        """The acuse of the latest request that was taken, None when there was none."""
        requests = [event for event in self._workflow.history(uuid) if event.kind in _REQUESTS]
        if not requests:
            return None
        return self._seal(cancellation_acuse(requests[-1].fiscal_at, issuer_rfc, {uuid: ACCEPTED_CODE}))

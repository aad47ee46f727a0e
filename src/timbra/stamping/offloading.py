"""Issuing and stamping of costly documents in child processes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from timbra.evaluation.dependencies import Dependencies
from timbra.evaluation.processes import DocumentProcesses
from timbra.pools import RunInThread
from timbra.pools.coroutines import run_coroutine
from timbra.sat.port import Provider
from timbra.stamping.models import StampingOperation, StampRequest, StampResult
from timbra.stamping.request_keys import RequestKeys
from timbra.stamping.services import StampingServices
from timbra.stamping.stamping import ClaimStore, StampingService
from timbra.web.injection import Groups


class OffloadingStampingService(StampingService):
    """Processes documents as `StampingService`, costly ones in child processes, with the same results.

    A child also stores the stamp, because its compression takes milliseconds.

    Args:
        processes: the child processes.
        dependencies, provider, claims, environment: as for `StampingService`.
    """

    def __init__(
        self,
        processes: DocumentProcesses,
        dependencies: Dependencies,
        provider: Callable[[], Provider | None],
        claims: ClaimStore,
        environment: str,
    ) -> None:
        super().__init__(dependencies, provider, claims, environment)
        self._processes = processes

    async def _run(
        self, request: StampRequest, operation: StampingOperation, run_in_thread: RunInThread
    ) -> StampResult:
        account_id = request.caller.account_id
        keys = RequestKeys(self._dependencies.vault, self._provider, account_id, operation)
        here = partial(super()._run, request, operation, run_in_thread)
        return await self._processes.run_costly(
            request.xml, here, str(account_id), keys.answer, stamp_in_child, request, operation
        )


def stamp_in_child(groups: Groups, request: StampRequest, operation: StampingOperation) -> StampResult:
    """Issue or stamp a document; runs in the child."""
    stamping: StampingServices = groups[StampingServices]()
    run = stamping.stamping.issue if operation is StampingOperation.ISSUE else stamping.stamping.stamp
    return run_coroutine(run(request))

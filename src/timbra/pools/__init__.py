"""Bounded pools for slow work outside the event loop: threads shared fairly by accounts, and child processes."""

from __future__ import annotations

from timbra.pools.fair_queue import FairQueue, PoolLimits
from timbra.pools.process import (
    ProcessBusyError,
    ProcessorTimeError,
    ProcessPool,
    ProcessTimeoutError,
    WorkerDiedError,
)
from timbra.pools.purposes import AccountPools, Pools, address_account
from timbra.pools.threads import RunInThread, ThreadPool

__all__ = [
    "AccountPools",
    "FairQueue",
    "PoolLimits",
    "Pools",
    "ProcessBusyError",
    "ProcessPool",
    "ProcessTimeoutError",
    "ProcessorTimeError",
    "RunInThread",
    "ThreadPool",
    "WorkerDiedError",
    "address_account",
]

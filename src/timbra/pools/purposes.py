"""The pools of one worker, one per purpose, so that slow work of one kind never occupies the threads of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from ipaddress import IPv6Address, ip_address
from typing import ParamSpec, TypeVar

from timbra.core.metrics import MetricsRegistry
from timbra.pools.fair_queue import PoolLimits
from timbra.pools.threads import ThreadPool
from timbra.pools.work_share import WorkShare

P = ParamSpec("P")
T = TypeVar("T")

KEY_SECONDS, KEY_RATE = 5.0, 0.1
"""Processor seconds that the key files of one account may use at once, and in each further second."""
ADDRESSES = 1024
"""Addresses whose keys are remembered."""
IPV6_PREFIX = 64


class Pools:
    """The thread pools of one event loop; threads start with the first use.

    Attributes:
        database: reads and writes of the database, some milliseconds each.
        authority: calls that may wait for the tax authority, up to `TIMBRA_SAT_TIMEOUT_SECONDS` each.
        keys: opens key files of requests, up to some seconds each; the calls to the authority that follow stay in it.
        files: unpacks archives, reads PDF and writes tables of requests, up to some seconds each.
        key_share: the processor time that the key files of one account use.
    """

    def __init__(self, metrics: MetricsRegistry | None = None) -> None:
        self.database = ThreadPool(
            "database", PoolLimits(8, 6, 1024, 256), "Hay demasiadas consultas a la base de datos en espera.", metrics
        )
        self.authority = ThreadPool(
            "authority", PoolLimits(16, 6, 128, 32), "Hay demasiadas solicitudes a la autoridad en espera.", metrics
        )
        self.keys = ThreadPool("keys", PoolLimits(6, 2, 64, 16), "Hay demasiados archivos de llave en espera.", metrics)
        self.files = ThreadPool("files", PoolLimits(4, 2, 64, 16), "Hay demasiados archivos en espera.", metrics)
        self.key_share = WorkShare(KEY_SECONDS, KEY_RATE, "Los archivos de llave exigen demasiado trabajo.")


@dataclass(frozen=True, slots=True)
class AccountPools:
    """The pools of a worker as one account uses them; every method raises what `ThreadPool.run` raises.

    Attributes:
        account: The account's identifier, or the client's address (`address_account`) of an anonymous request.
    """

    pools: Pools
    account: str

    async def run_database(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that uses the database."""
        return await self.pools.database.run(self.account, work, *args, **kwargs)

    async def run_authority(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that calls the tax authority."""
        return await self.pools.authority.run(self.account, work, *args, **kwargs)

    async def run_keys(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that decrypts private keys; "TB4290" when the files of the account take too much work."""
        share = self.pools.key_share
        share.require(self.account)
        return await self.pools.keys.run(self.account, share.call, self.account, partial(work, *args, **kwargs))

    async def run_files(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that unpacks an archive, reads a PDF or writes tables."""
        return await self.pools.files.run(self.account, work, *args, **kwargs)


@lru_cache(ADDRESSES)
def address_account(host: str | None) -> str:
    """Return the account key of an anonymous request: the client's address, or the /64 network of an IPv6 address.

    One client cannot exceed its share with many addresses of its network. Clients behind one proxy share one key; the
    limit per account leaves threads to all others.

    Args:
        host: address of the client, None when it is unknown.
    """
    try:
        address = ip_address((host or "").partition("%")[0])
    except ValueError:
        return "address:unknown"
    if isinstance(address, IPv6Address):
        return f"address:{int(address) >> (128 - IPV6_PREFIX):x}"
    return f"address:{address}"

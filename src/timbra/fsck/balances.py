"""Balances: the entries add to what was assigned, and what was assigned and used gives what remains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import Connection, Row, func, select, type_coerce, update
from sqlalchemy.types import NULLTYPE

from timbra.database.engines import without_statement_timeout
from timbra.database.tables.audit import AUDIT_EVENT
from timbra.database.tables.balances import BALANCE, BALANCE_ENTRY
from timbra.database.tables.stamps import STAMP
from timbra.events.exclusive import read_one_instant
from timbra.fsck.check import FsckCheck, FsckRun
from timbra.fsck.findings import Cure, FsckFinding, Repair, shown
from timbra.fsck.reading import Unreadable, unreadable

PLACE, ENTRIES = BALANCE.name, BALANCE_ENTRY.name
A, B, M = AUDIT_EVENT.c, BALANCE.c, BALANCE_ENTRY.c
LIMITS = ("account.created", "balance.unlimited", "balance.limited")


@dataclass(slots=True)
class _Entries:
    """What the entries of an account say. used: stamps used before the last one, from what remained after it."""

    assigned: int = 0
    used: int = 0
    is_sound: bool = True


def check_balances(run: FsckRun) -> Iterator[FsckFinding]:
    """Compare balances, entries and stamps at one instant."""
    accounts: dict[int, _Entries] = {}
    count = select(STAMP.c.account_id, func.count()).group_by(STAMP.c.account_id)
    with run.database.read() as connection, without_statement_timeout(connection):
        read_one_instant(connection)
        for row in run.reader(ENTRIES).rows(tuple(M), (M.id,), within=connection):
            yield from unreadable(row, ENTRIES) if isinstance(row, Unreadable) else _entry(row, accounts)
        stamps: Mapping[int, int] = dict(tuple(row) for row in connection.execute(count))
        for row in run.reader(PLACE).rows(tuple(B), (B.account_id,), within=connection):
            if isinstance(row, Unreadable):
                yield from unreadable(row, PLACE)
                continue
            most = None if run.bounds.pruned else stamps.get(row.account_id, 0)
            yield from _balance(row, accounts.pop(row.account_id, _Entries()), most)
        yield from _limits(connection)
    for account_id in accounts:
        yield FsckFinding("balance-missing", ENTRIES, shown(account_id), "account_id", cure=Cure.RESTORE)


def _limits(connection: Connection) -> Iterator[FsckFinding]:
    """Compare whether an account is limited with the last event of the audit log about it."""
    events = select(A.account_id, A.kind, A.body).where(A.kind.in_(LIMITS)).order_by(A.id)
    last: dict[int, bool] = {}
    for account_id, kind, body in connection.execute(events):
        last[account_id] = _is_unlimited(kind, body, last.get(account_id))
    for account_id, unlimited in connection.execute(select(B.account_id, type_coerce(B.unlimited, NULLTYPE))):
        if account_id in last and unlimited != last[account_id]:
            values = (shown(unlimited), shown(last[account_id]))
            yield FsckFinding("balance-differs", PLACE, shown(account_id), "unlimited", *values)


def _is_unlimited(kind: str, body: str, before: bool | None) -> bool:
    if kind != "account.created":
        return kind == "balance.unlimited"
    try:
        return bool(orjson.loads(body)["after"]["unlimited"])
    except (LookupError, TypeError, ValueError):
        return bool(before)


def _entry(row: Row[Any], accounts: dict[int, _Entries]) -> Iterator[FsckFinding]:
    """Compare an entry with the ones before."""
    entries, key = accounts.setdefault(row.account_id, _Entries()), shown(row.id)
    numbers = (row.stamps_in, row.stamps_out, row.current)
    if not all(isinstance(number, int) and number >= 0 for number in numbers) or 0 not in numbers[:2]:
        entries.is_sound = False
        yield FsckFinding("value-impossible", ENTRIES, key, stored=" ".join(map(shown, numbers)), cure=Cure.RESTORE)
        return
    entries.assigned += row.stamps_in - row.stamps_out
    used = entries.assigned - row.current
    if used < entries.used:
        entries.is_sound = False
        most = entries.assigned - entries.used
        yield FsckFinding("entry-differs", ENTRIES, key, "current", shown(row.current), f"<= {most}", Cure.RESTORE)
    entries.used = max(entries.used, used)


def _balance(row: Row[Any], entries: _Entries, most: int | None) -> Iterator[FsckFinding]:
    """Compare a balance with its entries. most: stamps of the account; None when some were pruned."""
    remaining, assigned, used = numbers = (row.remaining, row.assigned, row.used)
    key = shown(row.account_id)
    if not all(isinstance(number, int) for number in numbers) or row.unlimited not in (0, 1):
        yield FsckFinding("value-impossible", PLACE, key, stored=" ".join(map(shown, (row.unlimited, *numbers))))
        return
    agrees = remaining == assigned - used
    if not entries.is_sound or (entries.used > used and agrees):
        if not agrees or entries.is_sound:
            yield FsckFinding("balance-differs", PLACE, key, "used", shown(used), f">= {entries.used}")
    elif agrees:
        if assigned != entries.assigned:
            # Three columns agree with each other: an entry is wrong, or missing.
            yield FsckFinding("entries-differ", ENTRIES, key, "stamps_in", str(entries.assigned), str(assigned))
        elif most is not None and used > most:
            yield FsckFinding("balance-differs", PLACE, key, "used", shown(used), f"<= {most}")
    elif assigned != entries.assigned and remaining == entries.assigned - used:
        yield _differs(row, "assigned", entries.assigned)
    else:
        yield _used_or_remaining(row, entries, most)


def _used_or_remaining(row: Row[Any], entries: _Entries, most: int | None) -> FsckFinding:
    """Return the finding of the one of two columns that is wrong, as far as the stamps of the account decide it."""
    bound = row.used if most is None else most
    by_remaining = entries.assigned - row.remaining
    may_be_used = entries.used <= row.used <= bound and row.used <= entries.assigned
    may_be_remaining = entries.used <= by_remaining <= bound and row.remaining >= 0
    if may_be_used and (not may_be_remaining or row.used == most):
        return _differs(row, "remaining", entries.assigned - row.used)
    if may_be_remaining and (not may_be_used or by_remaining == most):
        return _differs(row, "used", by_remaining)
    derived = f"{entries.assigned} = remaining + used"
    return FsckFinding("balance-differs", PLACE, shown(row.account_id), "remaining", shown(row.remaining), derived)


def _differs(row: Row[Any], name: str, derived: int) -> FsckFinding:
    stored = getattr(row, name)
    repair = _writes(row.account_id, name, stored, derived)
    return FsckFinding(
        "balance-differs", PLACE, shown(row.account_id), name, str(stored), str(derived), Cure.REPAIR, repair
    )


def _writes(account_id: int, name: str, stored: int, derived: int) -> Repair:
    def repair(connection: Connection) -> bool:
        change = update(BALANCE).where(B.account_id == account_id, B[name] == stored).values({name: derived})
        return bool(connection.execute(change).rowcount)

    return repair


CHECKS = (FsckCheck("balances", check_balances),)

"""Checks of a whole database that no server uses, such as one that was restored from a backup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, distinct, func, select, text

from timbra.database.database import Database
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.balances import BALANCE
from timbra.database.tables.stamps import EVENT, OUTBOX, STAMP
from timbra.delivery.consumer import unread_stamps

STAMPED = EVENT.c.kind == "stamped"


@dataclass(frozen=True, slots=True)
class DatabaseReport:
    """The result of the checks.

    Attributes:
        counts: Number of rows by name: accounts, stamps, deliveries, events.
        problems: What is inconsistent, one Spanish line for each; empty for a sound database.
    """

    counts: Mapping[str, int]
    problems: tuple[str, ...]


def check_database(database: Database) -> DatabaseReport:
    """Check the file itself (SQLite) and what the rows of stamps, events and balances must agree in."""
    with database.read() as connection:
        counts = {
            name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for name, table in {"accounts": ACCOUNT, "stamps": STAMP, "deliveries": OUTBOX, "events": EVENT}.items()
        }
        unread = unread_stamps(connection).with_only_columns(func.count())
        counts["deliveries"] += connection.execute(unread).scalar_one()
        problems = [*_file_problems(connection, database.dialect), *_stamp_problems(connection), *_balances(connection)]
    return DatabaseReport(counts, tuple(problems))


def _file_problems(connection: Connection, dialect: str) -> Iterator[str]:
    if dialect != "sqlite":
        return
    for [line] in connection.execute(text("PRAGMA integrity_check")):
        if line != "ok":
            yield f"SQLite: {line}"
    for row in connection.execute(text("PRAGMA foreign_key_check")):
        yield f"SQLite: el renglón {row[1]} de {row[0]} apunta a un renglón que no existe"


def _stamp_problems(connection: Connection) -> Iterator[str]:
    """A stamp has one folio and one event; an event `stamped` has its stamp."""
    stamps, folios = connection.execute(select(func.count(), func.count(distinct(STAMP.c.uuid)))).one()
    if stamps != folios:
        yield f"{stamps} timbres tienen {folios} folios distintos"
    events = select(func.count(), func.count(distinct(EVENT.c.subject))).where(STAMPED)
    logged, subjects = connection.execute(events).one()
    missing = select(func.count()).where(
        ~select(EVENT.c.subject).where(STAMPED, EVENT.c.subject == STAMP.c.uuid).exists()
    )
    without_event = connection.execute(missing.select_from(STAMP)).scalar_one()
    if logged != subjects or subjects != stamps or without_event:
        yield f"{stamps} timbres tienen {logged} eventos; {without_event} timbres no tienen ninguno"


def _balances(connection: Connection) -> Iterator[str]:
    balance = BALANCE.c
    wrong = select(balance.account_id).where(balance.remaining != balance.assigned - balance.used)
    for account_id in connection.execute(wrong).scalars():
        yield f"el saldo de la cuenta {account_id} no es la diferencia de timbres asignados y usados"

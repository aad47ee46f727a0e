"""Reset, save and restore of the sandbox on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import re
import threading
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from sqlalchemy import func, select
from tests.support.databases import postgresql_database
from tests.support.optional_packages import OPTIONAL
from tests.support.sandbox_activity import Activity, cache_versions, differing, rows_of
from tests.support.sandbox_app import FECHA, NOW, SandboxApp
from tests.support.store_records import claim

import timbra
from timbra import examples
from timbra.accounts.build import account_services
from timbra.container.build import fiscal_clock
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.database.tables import METADATA
from timbra.database.tables.stamps import EVENT, OUTBOX, STAMP
from timbra.delivery.consumer import unread_stamps
from timbra.delivery.ports import authority_work
from timbra.documents.build import document_services
from timbra.operations.build import operations_services
from timbra.rejections.log import RejectedRequest
from timbra.sandbox.authority.build import sandbox_ledger
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.certificates import MintRequest
from timbra.sandbox.state import AREAS
from timbra.sandbox.store.snapshot import EXCLUDED, TABLES
from timbra.sandbox.store.transactions import SandboxStore
from timbra.sandbox.taxpayers import TaxpayerChange
from timbra.seals.ports import trust_store
from timbra.stamps.build import database_stamps
from timbra.stamps.repository import DatabaseStamps

ADMINISTRATOR = "administrator"

MASTER_KEY = b64encode(bytes(range(32))).decode()
UNREGISTERED_RFC = "ZUA160101AB3"
RESET_TO_INITIAL = ("sandbox_state", "sandbox_taxpayer")


@pytest.fixture(params=["sqlite", "postgresql"])
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SandboxApp]:
    """Return a sandbox application on each database, with a master key that both share."""
    yield from opened(request, tmp_path / "data")


@pytest.fixture(params=["sqlite", "postgresql"])
def other_app(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SandboxApp]:
    yield from opened(request, tmp_path / "other")


def opened(request: pytest.FixtureRequest, folder: Path) -> Iterator[SandboxApp]:
    if request.param == "sqlite":
        yield from closing(SandboxApp(folder, master_key=MASTER_KEY))
        return
    with postgresql_database(request.getfixturevalue("postgresql_template")) as url:
        yield from closing(SandboxApp(folder, master_key=MASTER_KEY, database_url=url))


def closing(app: SandboxApp) -> Iterator[SandboxApp]:
    yield app
    app.container.close()


def saved(app: SandboxApp) -> BytesIO:
    file = BytesIO()
    app.container.get(sandbox_services).state.save(file)
    return file


def load(app: SandboxApp, file: BytesIO) -> None:
    app.container.get(sandbox_services).state.load(file)


def document(folio: str = "1") -> bytes:
    return examples.ingreso({"@Folio": folio}, fecha=FECHA).encode()


def test_areas_are_those_of_all_caches_of_the_core() -> None:
    folder = Path(timbra.__file__).parent
    core = [path for path in folder.rglob("*.py") if path.relative_to(folder).parts[0] not in ("sat_data", *OPTIONAL)]
    sources = [path.read_text("utf-8") for path in core]
    found = {area for source in sources for area in re.findall(r'^(?:STATE_)?AREA = "(\w+)"', source, re.MULTILINE)}
    assert found == set(AREAS)


def test_load_restores_every_table_after_random_activity(app: SandboxApp) -> None:
    activity = Activity(app, seed=15)
    activity.run(10)
    file, before = saved(app), rows_of(app.container)
    for _ in range(2):
        activity.run(10)
        assert len(differing(before, rows_of(app.container))) > 10
        versions = cache_versions(app.container)
        load(app, file)
        assert differing(before, rows_of(app.container)) == []
        after = cache_versions(app.container)
        assert [area for area in {*AREAS, *versions} if after[area] <= versions.get(area, 0)] == []


def test_load_continues_with_new_numbers(app: SandboxApp) -> None:
    file = saved(app)
    discarded = app.account("discarded@example.com")
    load(app, file)
    assert app.account("new@example.com").account_id > discarded.account_id


def test_load_moves_a_state_to_another_database(app: SandboxApp, other_app: SandboxApp) -> None:
    activity = Activity(app, seed=16)
    activity.run(5)
    issued = app.issue(document("moved"))
    token = app.container.get(account_services).accounts.create_infinite_token("ana@example.com")
    links = app.container.get(document_services).signed_links.sign("/a")
    other_app.store(other_app.mint())
    other_app.issue(document("before"))
    other_app.container.get(document_services).signed_links.sign("/a")

    load(other_app, saved(app))

    assert differing(rows_of(app.container), rows_of(other_app.container)) == []
    container = other_app.container
    assert container.get(account_services).accounts.caller(f"Bearer {token}").user == "ana@example.com"
    path, _, query = links.partition("?")
    values = dict(pair.split("=") for pair in query.split("&"))
    container.get(document_services).signed_links.check(path, values["expires"], values["signature"])
    with pytest.raises(ServiceError) as repeated:
        other_app.issue(document("moved"))
    assert repeated.value.code == "307"
    stamped = other_app.issue(examples.ingreso({"@Folio": "after"}, fecha=recent(other_app)).encode())
    assert stamped.numero_certificado_sat == issued.numero_certificado_sat
    assert container.get(trust_store).provider(stamped.numero_certificado_sat) is not None


def recent(app: SandboxApp) -> str:
    return to_central_mexico(app.now)


def test_load_changes_nothing_when_the_file_is_damaged(app: SandboxApp) -> None:
    app.store(app.mint())
    app.issue(document())
    content = saved(app).getvalue()
    before = rows_of(app.container)
    flipped = bytearray(content)
    flipped[len(flipped) // 2] ^= 0x55
    for damaged in (content[:-20], content[: len(content) // 2], content[:4], b"", b"<xml/>", bytes(flipped)):
        with pytest.raises(ServiceError) as rejection:
            load(app, BytesIO(damaged))
        assert rejection.value.code == "state-damaged"
    assert differing(before, rows_of(app.container)) == []


def test_load_rejects_another_master_key(app: SandboxApp, tmp_path: Path) -> None:
    for foreign in closing(SandboxApp(tmp_path / "foreign")):
        file = saved(foreign)
        with pytest.raises(ServiceError) as rejection:
            load(app, file)
    assert rejection.value.code == "state-master-key"


def test_load_accepts_values_of_a_previous_master_key_only_where_it_is_configured(tmp_path: Path) -> None:
    new_key = b64encode(bytes(32)).decode()
    folder = tmp_path / "data"
    for app in closing(SandboxApp(folder, master_key=MASTER_KEY)):
        app.store(app.mint())
    for rotating in closing(ExistingApp(folder, master_key=new_key, previous_master_keys=MASTER_KEY)):
        file = saved(rotating)
        load(rotating, file)
    for other in closing(SandboxApp(tmp_path / "other", master_key=new_key)):
        other.mint()
        before = rows_of(other.container)
        with pytest.raises(ServiceError) as rejection:
            load(other, file)
        assert rejection.value.code == "state-master-key"
        assert differing(before, rows_of(other.container)) == []


class ExistingApp(SandboxApp):
    """A sandbox application on a folder whose account exists."""

    def account(self, user: str):  # type: ignore[no-untyped-def]
        return self.container.get(account_services).accounts.caller_for(user)


def test_load_discards_later_passwords_and_sessions(app: SandboxApp) -> None:
    accounts = app.container.get(account_services).accounts
    file = saved(app)
    accounts.create_infinite_token("ana@example.com")
    token = accounts.create_infinite_token("ana@example.com")
    assert accounts.caller(f"Bearer {token}").user == "ana@example.com"
    load(app, file)
    with pytest.raises(ServiceError):
        accounts.caller(f"Bearer {token}")


def test_login_after_load_does_not_use_a_cached_password_of_the_same_generation(app: SandboxApp) -> None:
    accounts = app.container.get(account_services).accounts
    file = saved(app)
    accounts.set_password("ana@example.com", "contraseña descartada")
    asyncio.run(accounts.authenticate("ana@example.com", "contraseña descartada"))
    load(app, file)
    accounts.set_password("ana@example.com", "contraseña siguiente")
    with pytest.raises(ServiceError) as rejection:
        asyncio.run(accounts.authenticate("ana@example.com", "contraseña descartada"))
    assert rejection.value.code == "AU2000"


def test_load_while_stamps_are_in_flight_restores_whole_stamps(app: SandboxApp) -> None:
    container = app.container
    stored = DatabaseStamps(container.get(opened_database), container.get(fiscal_clock))
    stored.claim([claim(f"saved {number}") for number in range(20)])
    file = saved(app)
    ending, errors = threading.Event(), []

    def stamp(name: int) -> None:
        stamps, number = DatabaseStamps(container.get(opened_database), container.get(fiscal_clock)), 0
        try:
            while not ending.is_set():
                stamps.claim([claim(f"{name} {number} {one}", f"{name} {number} {one}") for one in range(3)])
                number += 1
        except Exception as error:
            errors.append(error)
        finally:
            stamps.close()

    threads = [threading.Thread(target=stamp, args=(name,)) for name in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        load(app, file)
        counts = counted(app)
        assert len(set(counts)) == 1, counts
        assert counts[0] % 3 == 20 % 3
    ending.set()
    for thread in threads:
        thread.join()
    stored.close()
    assert errors == []


def counted(app: SandboxApp) -> list[int]:
    """Return the numbers of stamps, of their events and of their deliveries, of one instant."""
    with SandboxStore(app.container.get(opened_database)).one_instant() as transaction:
        connection = transaction._connection
        events = select(func.count()).select_from(EVENT).where(EVENT.c.kind == "stamped")
        deliveries = select(func.count()).select_from(OUTBOX)
        new = unread_stamps(connection).with_only_columns(func.count())
        queries = [select(func.count()).select_from(STAMP), events, deliveries, new]
        stamps, logged, *waiting = [connection.execute(query).scalar_one() for query in queries]
        return [stamps, logged, sum(waiting)]


def test_reset_removes_what_testing_produced(app: SandboxApp) -> None:
    sandbox, accounts = app.container.get(sandbox_services), app.container.get(account_services)
    credential = app.mint()
    app.store(credential)
    initial = rows_of(app.container)
    first = app.issue(document(), "custom")
    activity = Activity(app, seed=17)
    activity.run(5)
    accounts.balances.set_unlimited(app.caller.account_id, False)
    revoked = app.mint()
    sandbox.certificates.revoke(credential.number)
    sandbox.registry.refresh()
    app.container.get(authority_work).deliver()
    before = rows_of(app.container)

    summary = sandbox.state.reset()

    assert summary.stamps == len(before["stamp"])
    assert summary.accounts == 0
    after = rows_of(app.container)
    for table in ("account", "holder", "csd", "infinite_token", "secret", "sandbox_key", "stamp_movement"):
        assert after[table] == before[table]
    for table in ("stamp", "event", "outbox", "letter", "custom_id", "refusal", "usage_day", "sandbox_fault"):
        assert after[table] == []
    kept = {row[0] for row in after["sandbox_taxpayer"]}
    assert after["sandbox_taxpayer"] == initial["sandbox_taxpayer"]
    assert UNREGISTERED_RFC not in kept
    assert {row[3] for row in after["sandbox_certificate"]} == {"A"}
    assert revoked.number in {row[0] for row in after["sandbox_certificate"]}
    assert to_central_mexico(app.now) == NOW
    assert sandbox.faults.active() == []
    again = app.issue(document(), "custom")
    assert again.uuid != first.uuid


def test_reset_returns_consumed_stamps_to_the_balance(app: SandboxApp) -> None:
    balances = app.container.get(account_services).balances
    account = app.caller.account_id
    balances.set_unlimited(account, False)
    balances.add(account, 1)
    balances.add(account, 4)
    balances.remove(account, 2)
    stamps = app.container.get(database_stamps)
    limited = [claim(number, account=account) for number in range(3)]
    stamps.claim([replace(one, limited=True) for one in limited])
    assert balances.get(account).remaining == 0
    app.container.get(sandbox_services).state.reset()
    assert balances.get(account).remaining == 3
    assert len(balances.list_entries(account)) == 3


def test_reset_keeps_holders_of_certificates_and_undoes_their_changes(app: SandboxApp) -> None:
    registry = app.container.get(sandbox_services).registry
    registry.add(UNREGISTERED_RFC, TaxpayerChange(name="PRUEBA", obligations=3))
    app.mint(UNREGISTERED_RFC)
    registry.change(UNREGISTERED_RFC, TaxpayerChange(cancelled=True))
    registry.refresh()
    app.container.get(sandbox_services).state.reset()
    entry = registry.entry(UNREGISTERED_RFC)
    assert (entry.taxpayer.name, entry.taxpayer.cancelled, entry.obligations) == ("PRUEBA", False, 1)


def test_reset_removes_other_accounts_on_demand(app: SandboxApp) -> None:
    accounts = app.container.get(account_services).accounts
    other = app.account("other@example.com")
    app.store(app.mint(), other)
    certificates = app.container.get(sandbox_services).certificates
    certificates.mint(MintRequest("EKU9003173C9", account_id=other.account_id))
    assert certificates.search("", 5, other.account_id)[1] == 1
    token = accounts.create_infinite_token("other@example.com")
    assert accounts.caller(f"Bearer {token}").user == "other@example.com"
    summary = app.container.get(sandbox_services).state.reset(accounts=True, caller=app.caller.account_id)
    assert summary.accounts == 1
    assert certificates.search("", 5, other.account_id)[1] == 0
    assert [account.user for account in accounts.list_accounts()] == ["ana@example.com"]
    with pytest.raises(ServiceError) as rejection:
        accounts.caller(f"Bearer {token}")
    assert rejection.value.code == "AU4000"
    assert app.account("other@example.com").account_id > other.account_id


def test_reset_by_the_operator_keeps_administrators(app: SandboxApp) -> None:
    accounts = app.container.get(account_services).accounts
    accounts.create("root@example.com", "una contraseña larga", ADMINISTRATOR)
    app.container.get(sandbox_services).state.reset(accounts=True)
    assert [account.user for account in accounts.list_accounts()] == ["root@example.com"]


def test_rejections_of_the_earlier_state_are_not_written_after_a_reset(app: SandboxApp) -> None:
    log = app.container.get(operations_services).rejections
    error = ServiceError("CFDI40147")
    asyncio.run(log.record(RejectedRequest(app.caller.account_id, "before", "/a", error)))
    app.container.get(sandbox_services).state.reset()
    asyncio.run(log.record(RejectedRequest(app.caller.account_id, "after", "/a", error)))
    log.flush()
    assert [row[4] for row in rows_of(app.container)["refusal"]] == ["after"]


def test_stamps_of_the_earlier_state_are_not_indexed_after_a_reset(app: SandboxApp) -> None:
    app.store(app.mint())
    uuid = app.issue(document()).uuid
    indexer = app.container.get(sandbox_ledger).indexer
    [record] = app.container.get(database_stamps).by_uuids([uuid])
    app.container.get(sandbox_services).state.reset()
    indexer._stamps = type("Earlier", (), {"by_uuids": lambda self, _: [record]})()
    indexer.index_stamps([uuid])
    assert rows_of(app.container)["sandbox_document"] == []


def test_every_table_is_named_in_a_snapshot_or_excluded() -> None:
    assert set(TABLES) | EXCLUDED == set(METADATA.sorted_tables)

"""The simulated l_RFC and LCO."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import event
from tests.support.corpus import credentials, needs_corpus
from tests.support.events import list_events
from tests.support.sandbox_support import FOUR_YEARS, NOON, MovableClock, new_database, new_envelope

from timbra.core.clock import FixedClock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.rules.engine.ports import Obligations, RegisteredNames, Taxpayers
from timbra.sandbox.authority.certificates.authority import open_authority
from timbra.sandbox.authority.taxpayers.lists_in_force import ListsInForce
from timbra.sandbox.authority.taxpayers.models import SandboxTaxpayer, TaxpayerChange
from timbra.sandbox.authority.taxpayers.registry import SandboxRegistry
from timbra.sandbox.faults import Faults
from timbra.sandbox.store.transactions import SandboxStore
from timbra.seals.certificates.certificate import CertificateKind, read_certificate

KEMPER_SEAL = "30001000000500003416"
NEW = "TES030201001"
MIDNIGHT = datetime(2026, 11, 18, 6, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = new_database(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def faults(database: Database) -> Faults:
    return Faults(SandboxStore(database))


@pytest.fixture
def registry(database: Database, clock: MovableClock, faults: Faults) -> SandboxRegistry:
    return SandboxRegistry(SandboxStore(database), clock, faults, wall=FixedClock(NOON))


def test_registry_implements_the_ports_of_the_rules(registry: SandboxRegistry) -> None:
    taxpayers: Taxpayers = registry
    obligations: Obligations = registry
    assert taxpayers.taxpayer("EKU9003173C9") == SandboxTaxpayer(
        "EKU9003173C9", "ESCUELA KEMPER URGATE", "42501", frozenset({"601"})
    )
    assert obligations.obligations("EKU9003173C9") == 1
    assert obligations.certificate("EKU9003173C9", KEMPER_SEAL) is not None


def test_registry_looks_names_up(registry: SandboxRegistry) -> None:
    names: RegisteredNames = registry
    assert names.is_registered("ESCUELA KEMPER URGATE")
    assert not names.is_registered("escuela kemper urgate")
    assert not names.is_registered("EMPRESA DE PRUEBA")
    registry.add(NEW, TaxpayerChange("EMPRESA DE PRUEBA", "06300", ["601"]))
    assert names.is_registered("EMPRESA DE PRUEBA")
    registry.change(NEW, TaxpayerChange(cancelled=True))
    assert names.is_registered("EMPRESA DE PRUEBA"), "a change waits for the next list"
    registry.refresh()
    assert not names.is_registered("EMPRESA DE PRUEBA")


def test_hint_names_the_command_that_adds_an_unknown_rfc(registry: SandboxRegistry) -> None:
    assert registry.taxpayer(NEW) is None
    assert registry.obligations(NEW) is None
    assert registry.certificate(NEW, KEMPER_SEAL) is None
    assert f"timbra sandbox taxpayer add {NEW}" in registry.hint(NEW)
    assert registry.hint("EKU9003173C9") == registry.hint("no RFC") == ""


def test_certificate_is_found_for_its_rfc_only(registry: SandboxRegistry) -> None:
    assert registry.certificate("URE180429TM6", KEMPER_SEAL) is None
    listed = registry.certificate("EKU9003173C9", KEMPER_SEAL)
    assert listed is not None
    assert (listed.status, listed.obligations) == ("A", 1)
    assert listed.valid_to == datetime(2027, 5, 18, 11, 43, 51, tzinfo=UTC)


def test_add_lists_a_new_taxpayer_at_once(registry: SandboxRegistry) -> None:
    registry.add(NEW, TaxpayerChange("EMPRESA DE PRUEBA", "06300", ["626", "601"], 2))
    assert registry.taxpayer(NEW) == SandboxTaxpayer(NEW, "EMPRESA DE PRUEBA", "06300", frozenset({"601", "626"}))
    assert registry.obligations(NEW) == 2
    assert registry.hint(NEW) == ""


def test_add_leaves_postal_code_and_regimes_empty_when_not_given(registry: SandboxRegistry) -> None:
    registry.add(NEW, TaxpayerChange(" EMPRESA DE PRUEBA "))
    assert registry.taxpayer(NEW) == SandboxTaxpayer(NEW, "EMPRESA DE PRUEBA", "", frozenset())
    assert registry.obligations(NEW) == 1


@pytest.mark.parametrize(
    ("rfc", "given"),
    [
        (NEW, TaxpayerChange()),
        (NEW, TaxpayerChange("  ")),
        (NEW, TaxpayerChange("UNA\nDOS")),
        (NEW, TaxpayerChange("X" * 301)),
        (NEW, TaxpayerChange("EMPRESA", "6300")),
        (NEW, TaxpayerChange("EMPRESA", "06300", ["601", "61"])),
        (NEW, TaxpayerChange("EMPRESA", "06300", ["601"], 5)),
        (NEW, TaxpayerChange("EMPRESA", "06300", ["601"], -1)),
        ("XAXX010101000", TaxpayerChange("PUBLICO EN GENERAL")),
        ("tes030201001", TaxpayerChange("EMPRESA")),
        ("", TaxpayerChange("EMPRESA")),
    ],
)
def test_add_rejects_malformed_data(registry: SandboxRegistry, rfc: str, given: TaxpayerChange) -> None:
    with pytest.raises(ServiceError, match="taxpayer-invalid"):
        registry.add(rfc, given)
    assert registry.taxpayer(rfc) is None


def test_add_and_change_reject_existing_and_unknown_taxpayers(registry: SandboxRegistry) -> None:
    with pytest.raises(ServiceError, match="taxpayer-exists"):
        registry.add("EKU9003173C9", TaxpayerChange("OTRA"))
    with pytest.raises(ServiceError, match="taxpayer-unknown"):
        registry.change(NEW, TaxpayerChange("OTRA"))
    with pytest.raises(ServiceError, match="taxpayer-unknown"):
        registry.entry(NEW)


def test_change_takes_effect_at_midnight(registry: SandboxRegistry, clock: MovableClock) -> None:
    registry.change("EKU9003173C9", TaxpayerChange(postal_code="06300", regimes=["603"]))
    entry = registry.change("EKU9003173C9", TaxpayerChange(obligations=0, cancelled=True))
    assert dict(entry.pending) == {"postal_code": "06300", "regimes": "603", "obligations": 0, "cancelled": True}
    clock.instant = MIDNIGHT - timedelta(seconds=1)
    before = registry.taxpayer("EKU9003173C9")
    assert before is not None
    assert (before.postal_code, before.regimes, before.cancelled) == ("42501", frozenset({"601"}), False)
    assert registry.obligations("EKU9003173C9") == 1
    clock.instant = MIDNIGHT
    after = registry.taxpayer("EKU9003173C9")
    assert after == SandboxTaxpayer(
        "EKU9003173C9", "ESCUELA KEMPER URGATE", "06300", frozenset({"603"}), cancelled=True
    )
    assert registry.obligations("EKU9003173C9") == 0
    assert dict(registry.entry("EKU9003173C9").pending) == {}


def test_refresh_publishes_at_once(registry: SandboxRegistry) -> None:
    registry.change("EKU9003173C9", TaxpayerChange(name="OTRO NOMBRE"))
    assert registry.refresh() == 1
    changed = registry.taxpayer("EKU9003173C9")
    assert changed is not None
    assert changed.name == "OTRO NOMBRE"
    assert registry.lists_version == "2026-11-17T12:00:00"
    assert registry.refresh() == 0


def test_lists_version_is_the_date_of_publication(registry: SandboxRegistry, clock: MovableClock) -> None:
    assert registry.lists_version == "2026-11-17T00:00:00"
    clock.instant = MIDNIGHT + timedelta(days=2, hours=3)
    assert registry.refresh_if_due() is True
    assert registry.lists_version == "2026-11-20T00:00:00"
    assert registry.refresh_if_due() is False


def test_revoke_takes_effect_at_midnight(registry: SandboxRegistry, clock: MovableClock) -> None:
    registry.revoke(KEMPER_SEAL)
    assert status(registry) == "A"
    clock.instant = MIDNIGHT
    assert status(registry) == "R"
    registry.revoke(KEMPER_SEAL)
    with pytest.raises(ServiceError, match="certificate-unknown"):
        registry.revoke("30001000000500003415")


def test_certificate_is_expired_in_the_first_list_after_its_end(registry: SandboxRegistry, clock: MovableClock) -> None:
    clock.instant = datetime(2027, 5, 18, 23, tzinfo=UTC)
    assert status(registry) == "A"
    clock.instant = datetime(2027, 5, 19, 6, tzinfo=UTC)
    assert status(registry) == "C"


def test_refresh_ignores_pending_changes_when_the_clock_is_moved_back(
    registry: SandboxRegistry, clock: MovableClock
) -> None:
    clock.instant = datetime(2028, 1, 1, 18, tzinfo=UTC)
    assert status(registry) == "C"
    registry.change("EKU9003173C9", TaxpayerChange(postal_code="06300"))
    clock.instant = NOON
    assert status(registry) == "A"
    assert registry.lists_version == "2026-11-17T00:00:00"
    assert postal_code(registry) == "42501"
    clock.instant = MIDNIGHT
    assert postal_code(registry) == "06300"


def test_refresh_ignores_small_differences_between_clocks(registry: SandboxRegistry, clock: MovableClock) -> None:
    clock.instant = MIDNIGHT
    assert registry.refresh_if_due() is True
    clock.instant = MIDNIGHT - timedelta(seconds=2)
    assert registry.refresh_if_due() is False
    assert registry.lists_version == "2026-11-18T00:00:00"


def test_list_late_fault_delays_changes_and_new_taxpayers(
    registry: SandboxRegistry, clock: MovableClock, faults: Faults
) -> None:
    faults.set("list-late", times=2)
    registry.add(NEW, TaxpayerChange("EMPRESA DE PRUEBA"))
    registry.change("EKU9003173C9", TaxpayerChange(postal_code="06300"))
    assert registry.taxpayer(NEW) is None
    registry.change(NEW, TaxpayerChange(postal_code="06000"))
    clock.instant = MIDNIGHT
    assert registry.taxpayer(NEW) is None
    assert postal_code(registry) == "42501"
    assert registry.lists_version == "2026-11-17T00:00:00"
    clock.instant = MIDNIGHT + timedelta(days=1)
    listed = registry.taxpayer(NEW)
    assert listed is not None
    assert listed.postal_code == "06000"
    assert postal_code(registry) == "06300"


def test_open_registry_accepts_every_wellformed_rfc_without_data(database: Database, faults: Faults) -> None:
    registry = SandboxRegistry(SandboxStore(database), MovableClock(), faults, open_to_all=True)
    assert registry.taxpayer(NEW) == SandboxTaxpayer(NEW, "", "", frozenset())
    assert registry.obligations(NEW) == 1
    assert registry.hint(NEW) == ""
    assert registry.taxpayer("not an RFC") is None
    assert registry.obligations("not an RFC") is None
    assert postal_code(registry) == "42501"


def test_certificate_lists_a_minted_csd_and_no_efirma(database: Database, registry: SandboxRegistry) -> None:
    authority = open_authority(SandboxStore(database), new_envelope())
    seal = authority.mint("EKU9003173C9", CertificateKind.CSD, "ESCUELA KEMPER URGATE", *FOUR_YEARS)
    efirma = authority.mint("EKU9003173C9", CertificateKind.EFIRMA, "ESCUELA KEMPER URGATE", *FOUR_YEARS)
    late = authority.mint("EKU9003173C9", CertificateKind.CSD, "ESCUELA KEMPER URGATE", *FOUR_YEARS, listed=False)
    listed = registry.certificate("EKU9003173C9", seal.number)
    assert listed is not None
    assert (listed.valid_from, listed.valid_to, listed.status) == (*FOUR_YEARS, "A")
    assert registry.certificate("EKU9003173C9", efirma.number) is None
    assert registry.certificate("EKU9003173C9", late.number) is None
    registry.refresh()
    assert registry.certificate("EKU9003173C9", late.number) is not None
    assert registry.certificate("EKU9003173C9", efirma.number) is None


def test_register_certificate_lists_the_certificate_and_its_holder(tmp_path: Path, registry: SandboxRegistry) -> None:
    (tmp_path / "other").mkdir()
    foreign = new_database(tmp_path / "other")
    authority = open_authority(SandboxStore(foreign), new_envelope())
    seal = authority.mint(NEW, CertificateKind.CSD, "EMPRESA DE PRUEBA SA DE CV", *FOUR_YEARS).certificate
    efirma = authority.mint("JUFA7608212V7", CertificateKind.EFIRMA, "ADRIANA JUAREZ", *FOUR_YEARS).certificate
    foreign.close()
    assert registry.register_certificate(seal) is True
    assert registry.taxpayer(NEW) == SandboxTaxpayer(NEW, "EMPRESA DE PRUEBA", "", frozenset())
    listed = registry.certificate(NEW, seal.number)
    assert listed is not None
    assert (listed.status, listed.obligations) == ("A", 1)
    assert registry.register_certificate(seal) is False
    assert registry.register_certificate(efirma) is False
    assert registry.taxpayer("JUFA7608212V7") is None


@needs_corpus
def test_register_certificate_is_false_for_published_csds(registry: SandboxRegistry) -> None:
    for entry in credentials():
        assert registry.register_certificate(read_certificate(entry.read())) is False, entry


def test_registry_reads_changes_of_another_process_after_a_poll(tmp_path: Path, registry: SandboxRegistry) -> None:
    other = new_database(tmp_path)
    watching = SandboxRegistry(SandboxStore(other), MovableClock(), Faults(SandboxStore(other)))
    assert watching.taxpayer(NEW) is None
    assert postal_code(watching) == "42501"
    registry.add(NEW, TaxpayerChange("EMPRESA DE PRUEBA"))
    statements: list[str] = []
    event.listen(other.engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
    assert watching.taxpayer(NEW) is None
    assert (postal_code(watching), watching.lists_version) == ("42501", "2026-11-17T00:00:00")
    assert statements == []
    other.poll()
    assert watching.taxpayer(NEW) is not None
    other.close()


def test_registry_cache_is_bounded(registry: SandboxRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timbra.sandbox.authority.taxpayers.lists_in_force.MAX_CACHED", 10)
    lists = ListsInForce(registry.in_force._store, registry.in_force.publication, open_to_all=False)
    for number in range(35):
        lists.taxpayer(f"TES03020{1 + number // 10}0{number % 10:02d}")
    assert len(lists._rows) == 10


def test_lists_need_reading_what_was_not_gathered(registry: SandboxRegistry) -> None:
    lists, kemper = registry.in_force, "EKU9003173C9"
    assert lists.needs_reading({kemper}, ())
    lists.gather({kemper}, ())
    assert not lists.needs_reading({kemper}, [(kemper, "ESCUELA KEMPER URGATE")])
    assert lists.needs_reading({kemper, NEW}, ())
    assert lists.needs_reading({kemper}, [(kemper, "XENON INDUSTRIAL ARTICLES")])


def test_lists_look_up_what_was_gathered_without_the_database(database: Database, registry: SandboxRegistry) -> None:
    lists, kemper, universidad = registry.in_force, "EKU9003173C9", "URE180429TM6"
    named = [(kemper, "UNIVERSIDAD ROBOTICA ESPAÑOLA"), (NEW, "NADIE")]
    lists.gather({kemper, NEW}, named)
    assert not lists.needs_reading({kemper, NEW}, named)
    statements: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
    assert lists.rfcs_named("UNIVERSIDAD ROBOTICA ESPAÑOLA") == (universidad,)
    assert lists.taxpayer(universidad) is not None
    assert (lists.rfcs_named("NADIE"), lists.taxpayer(NEW)) == ((), None)
    assert statements == []


def test_known_lists_are_absent_after_a_change_and_after_midnight(
    registry: SandboxRegistry, clock: MovableClock
) -> None:
    lists = registry.in_force
    assert registry.known(clock.instant) is lists
    assert registry.known(clock.instant + timedelta(days=1)) is None
    registry.add(NEW, TaxpayerChange("EMPRESA DE PRUEBA"))
    assert registry.known(clock.instant) is None
    assert registry.known(clock.instant) is None
    changed = registry.in_force
    assert registry.known(clock.instant) is changed


def test_registry_writes_audit_events(database: Database, registry: SandboxRegistry) -> None:
    registry.add(NEW, TaxpayerChange("EMPRESA DE PRUEBA"))
    registry.change(NEW, TaxpayerChange(postal_code="06300"))
    registry.revoke(KEMPER_SEAL)
    registry.refresh()
    recorded = [(entry.kind, entry.subject) for entry in list_events(database)]
    assert recorded == [
        ("taxpayer-added", NEW),
        ("taxpayer-changed", NEW),
        ("certificate-revoked", KEMPER_SEAL),
        ("lists-published", "2026-11-17T12:00:00"),
    ]


def test_entries_returns_all_taxpayers_in_order(registry: SandboxRegistry) -> None:
    rfcs = [entry.taxpayer.rfc for entry in registry.entries()]
    assert rfcs == sorted(rfcs)
    assert "URE180429TM6" in rfcs


def status(registry: SandboxRegistry) -> str:
    listed = registry.certificate("EKU9003173C9", KEMPER_SEAL)
    assert listed is not None
    return listed.status


def postal_code(registry: SandboxRegistry) -> str:
    taxpayer = registry.taxpayer("EKU9003173C9")
    assert taxpayer is not None
    return taxpayer.postal_code


def test_lists_in_force_are_one_object_until_the_lists_change(registry: SandboxRegistry) -> None:
    before = registry.in_force
    assert before.taxpayer(NEW) is None
    assert registry.in_force is before
    registry.add(NEW, TaxpayerChange("EMPRESA DE PRUEBA"))
    assert before.taxpayer(NEW) is None
    after = registry.in_force
    assert after is not before
    assert after.taxpayer(NEW) is not None


def test_lists_in_force_are_replaced_after_midnight(registry: SandboxRegistry, clock: MovableClock) -> None:
    before = registry.in_force
    clock.instant += timedelta(days=1)
    after = registry.in_force
    assert after is not before
    assert after.published - before.published == timedelta(days=1)
